/* several_tap.c - see several.h. SPDX-License-Identifier: MIT */
#include "cli/several.h"
#include "report/tap.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void several_tap_begin(struct several_tap *tap, struct sn_text *out)
{
    *tap = (struct several_tap){.out = out, .planned = SIZE_MAX};
    text_print(out, "TAP version %d\n", tap_version());
}

static bool begins_with(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* "ok 3 - name": the number becomes that of all programs. */
static void put_test_point(struct several_tap *tap, const char *line)
{
    const char *rest = line + (begins_with(line, "not ") ? strlen("not ok") : strlen("ok"));

    tap->n++;
    tap->n_of_program++;
    text_add(tap->out, line, (size_t)(rest - line));
    rest += strspn(rest, " ");
    rest += strspn(rest, "0123456789");
    text_print(tap->out, " %zu", tap->n);
    text_puts(tap->out, rest);
    text_putc(tap->out, '\n');
}

static void put_line(struct several_tap *tap, const char *line)
{
    const char *rest = begins_with(line, "not ") ? line + strlen("not ") : line;

    if (begins_with(line, "TAP version "))
        return;
    if (begins_with(line, "1..")) {
        tap->planned = strtoul(line + strlen("1.."), NULL, 10);
        if (strchr(line, '#') != NULL) {
            text_puts(tap->out, strchr(line, '#'));
            text_putc(tap->out, '\n');
        }
        return;
    }
    if (begins_with(rest, "ok") && strchr(" \t", rest[2]) != NULL) {
        put_test_point(tap, line);
        return;
    }
    tap->has_bailed_out |= begins_with(line, "Bail out!");
    /* Whatever else a program says is not to be taken for a result. */
    if (!begins_with(line, "  ") && line[0] != '#' && !begins_with(line, "Bail out!"))
        text_puts(tap->out, "# ");
    text_puts(tap->out, line);
    text_putc(tap->out, '\n');
}

void several_tap_copy(struct several_tap *tap, int fd)
{
    FILE *file = fdopen(fd, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t n;

    tap->n_of_program = 0;
    tap->planned = SIZE_MAX;
    while (file != NULL && (n = getline(&line, &size, file)) >= 0) {
        if (n > 0 && line[n - 1] == '\n')
            line[n - 1] = '\0';
        put_line(tap, line);
        (void)text_flush(tap->out);
    }
    free(line);
    if (file != NULL)
        (void)fclose(file);
}

void several_tap_program(struct several_tap *tap, const char *program, const char *how)
{
    if (how == NULL && tap->planned == SIZE_MAX)
        how = "said nothing";
    if (how == NULL && tap->n_of_program != tap->planned && !tap->has_bailed_out)
        how = "ended before all its tests";
    if (how == NULL)
        return;
    text_print(tap->out, "not ok %zu - ", ++tap->n);
    tap_put_description(tap->out, program);
    text_putc(tap->out, ' ');
    tap_put_description(tap->out, how);
    text_putc(tap->out, '\n');
}

void several_tap_end(struct several_tap *tap)
{
    text_print(tap->out, "1..%zu%s\n", tap->n, tap->n == 0 ? " # SKIP nothing ran" : "");
    (void)text_flush(tap->out);
}
