/* several_xml.c - see several.h.
 *
 * The files were written a moment ago by junit.c, one element a line: they need no reader of XML.
 * What looks otherwise is not taken over. SPDX-License-Identifier: MIT
 */
#include "base/file.h"
#include "cli/several.h"
#include "report/xml.h"

#include <sennit/test.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int append(struct several_xml *xml, const char *bytes, size_t n)
{
    char *grown = realloc(xml->body, xml->used + n);

    if (grown == NULL)
        return SN_ENOMEM;
    memcpy(grown + xml->used, bytes, n);
    xml->body = grown;
    xml->used += n;
    return 0;
}

/* The contents of a file with a zero byte behind them, owned by the caller; NULL: it cannot be
 * read. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;

    if (file == NULL)
        return NULL;
    /* There is no zero byte in it, so this is the whole file. */
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    (void)fclose(file);
    return text;
}

/* Takes over what is inside the root. Returns 1 if it is whole, 0 if not, or SN_ENOMEM. */
static int take_over(struct several_xml *xml, const char *text)
{
    const char *root = strstr(text, "<testsuites ");
    const char *counts = root != NULL ? strstr(root, "\" tests=\"") : NULL;
    const char *inside = root != NULL ? strchr(root, '\n') : NULL;
    const char *end = inside != NULL ? strstr(inside, "</testsuites>") : NULL;
    size_t tests;
    size_t failures;
    size_t errors;
    size_t skipped;
    double seconds;

    if (end == NULL || counts == NULL ||
        sscanf(counts,
               "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%lf\"",
               &tests, &failures, &errors, &skipped, &seconds) != 5)
        return 0;
    xml->tests += tests;
    xml->failures += failures;
    xml->errors += errors;
    xml->skipped += skipped;
    xml->seconds += seconds;
    return append(xml, inside + 1, (size_t)(end - inside) - 1) < 0 ? SN_ENOMEM : 1;
}

/* One test case that says what became of the program. */
static int add_error(struct several_xml *xml, const char *program, const char *how)
{
    char buffer[8192];
    struct sn_text out;

    xml->tests++;
    xml->errors++;
    text_init(&out, buffer, sizeof(buffer));
    text_puts(&out, "  <testsuite");
    xml_put_attribute(&out, "name", program);
    text_puts(&out, " tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0.000\">\n"
                    "    <testcase");
    xml_put_attribute(&out, "name", program);
    xml_put_attribute(&out, "classname", "program");
    text_puts(&out, " time=\"0.000\">\n      <error");
    xml_put_attribute(&out, "message", how != NULL ? how : "has written no results");
    text_puts(&out, " type=\"error\"></error>\n    </testcase>\n  </testsuite>\n");
    return append(xml, buffer, out.used);
}

int several_xml_add(struct several_xml *xml, const char *program, const char *path, const char *how)
{
    char *text = read_file(path);
    int rc = text != NULL ? take_over(xml, text) : 0;

    free(text);
    if (rc == 0)
        return add_error(xml, program, how);
    return rc < 0 ? rc : 0;
}

int several_xml_end(struct several_xml *xml, const char *path, struct err *why)
{
    static const char tail[] = "</testsuites>\n";
    char head[512];
    int n = snprintf(head, sizeof(head),
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<testsuites name=\"sennit\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
                     "skipped=\"%zu\" time=\"%.3f\">\n",
                     xml->tests, xml->failures, xml->errors, xml->skipped, xml->seconds);
    int rc = file_replace(path,
                          (const struct file_part[]){
                              {head, (size_t)n}, {xml->body, xml->used}, {tail, sizeof(tail) - 1}},
                          3, why);

    free(xml->body);
    *xml = (struct several_xml){0};
    return rc;
}
