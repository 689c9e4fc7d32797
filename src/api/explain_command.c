/* explain_command.c - see explain_command.h. SPDX-License-Identifier: MIT */
#include "api/explain_command.h"

#include "api/exit_code.h"
#include "api/explain.h"
#include "api/failures.h"
#include "api/phases.h"
#include "engine/mem.h"
#include "report/explain_text.h"
#include "report/page_files.h"

#include <string.h>

static void on_explaining(void *self, const struct explain_progress *progress)
{
    reports_explaining(self, progress);
}

/* ---- What is left beside the trace ---------------------------------------------------------- */

/* What the files of a trace have in common, with an ending. False: that is too long. */
static bool name_beside(char path[FILE_PATH_MAX], const char *trace, const char *ending)
{
    struct sn_text out;

    text_init(&out, path, FILE_PATH_MAX);
    page_files_put_base(&out, trace);
    text_puts(&out, ending);
    return !out.cut;
}

static int write_json(const struct explanation *e, const char *path, struct err *why)
{
    char buffer[4096];
    struct file_writing file;
    struct sn_text out;
    int rc = file_writing_begin(&file, path, why);

    if (rc < 0)
        return rc;
    text_init_fd(&out, buffer, sizeof(buffer), file.fd);
    explain_json(&out, e);
    rc = text_flush(&out);
    if (rc < 0)
        (void)err_set(why, rc, "%.300s: cannot be written", path);
    return file_writing_end(&file, rc, why);
}

static int write_page(const char *trace, const char *path, struct err *why)
{
    struct page *page = mem_reserve_shared(sizeof(*page), why);
    struct page_files files;
    int rc;

    if (page == NULL)
        return SN_ENOMEM;
    rc = page_files_find(&files, &trace, 1, why);
    if (rc == 0)
        rc = page_files_write(&files, page, path, why);
    page_files_done(&files);
    mem_release(page, sizeof(*page));
    return rc;
}

/* Beside a trace in a directory that cannot be written to nothing is left; what was found is
 * printed all the same. */
static void leave_files(const struct explanation *e, const char *trace, struct sn_text *out,
                        struct sn_text *complaints)
{
    char json[FILE_PATH_MAX];
    char page[FILE_PATH_MAX];
    struct err why = {""};
    int rc;

    if (!name_beside(json, trace, ".explained.json") || !name_beside(page, trace, ".html"))
        return;
    rc = write_json(e, json, &why);
    if (rc == 0)
        rc = write_page(trace, page, &why);
    if (rc < 0)
        text_print(complaints, "%s: there is no report: %s\n", e->suite, why.text);
    else if (out != NULL)
        text_print(out, "\nreport: %s\n", page);
}

/* ---- The command ---------------------------------------------------------------------------- */

int explain_command(const struct options *options, const struct run_request *request,
                    const struct trace *trace, struct reports *reports, struct sn_text *out,
                    struct sn_text *complaints)
{
    struct failures failures;
    bool has_failures = failures_read(&failures, options->explain, trace);
    const struct explain_options asked = {.executions_max = options->run.iterations,
                                          .path = options->explain,
                                          .failures = has_failures ? &failures : NULL,
                                          .seconds_max = (double)options->timeout_s,
                                          .seed = request_seed(request),
                                          .progress = on_explaining,
                                          .self = reports};
    struct explanation *e = NULL;
    struct err why = {""};
    int code = EXIT_NO_BUG;
    int rc;

    reports_init_progress(reports, options);
    rc = explain_trace(request, trace, &asked, &e, &why);
    progress_clear(&reports->progress);
    reports_done(reports);
    if (rc < 0) {
        text_print(complaints, "%s: %s\n", request->suite, why.text);
        explanation_free(e);
        return rc == SN_ENOMEM || rc == SN_ESYSTEM ? EXIT_INTERNAL : EXIT_USAGE;
    }
    if (options->json)
        explain_json(out, e);
    else
        explain_text(out, e, options->verbosity > 0);
    if (!options->no_report)
        leave_files(e, options->explain, options->json ? NULL : out, complaints);
    if (e->stage != STAGE_DONE)
        code = EXIT_NOTHING;
    explanation_free(e);
    return code;
}
