/* page_reporter.c - see page_reporter.h. SPDX-License-Identifier: MIT */
#include "report/page_reporter.h"

#include "engine/mem.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int no_memory(struct err *why)
{
    return err_set(why, SN_ENOMEM, "there is not enough memory for a report");
}

static int begin(void *self, const struct run_plan *plan, struct err *why)
{
    struct page_reporter *r = self;

    *r = (struct page_reporter){.complaints = r->complaints, .plan = plan};
    r->coverages = arena_array(&r->arena, plan->n_tests + 1, sizeof(*r->coverages));
    return r->coverages == NULL ? no_memory(why) : 0;
}

static bool is_there(const char *path)
{
    struct stat status;

    return path[0] != '\0' && stat(path, &status) == 0 && status.st_size <= PAGE_TRACE_MAX;
}

/* A copy of the path of a trace; NULL if there is none, or it is too large, or there is no memory.
 */
static const char *kept(struct page_reporter *r, const char *path)
{
    return is_there(path) ? arena_copy(&r->arena, path, strlen(path)) : NULL;
}

static void keep_failure(struct page_reporter *r, const struct run_failure *failure)
{
    const char *original = kept(r, failure->trace);
    const char *shrunk = kept(r, failure->shrunk_trace);
    const char *trace = shrunk != NULL ? shrunk : original;
    const char *slash;

    if (trace == NULL || r->n_trials == PAGE_FAILURES_MAX)
        return;
    slash = strrchr(failure->trace, '/');
    r->trials[r->n_trials++] = (struct page_trial){
        .name = original != NULL && slash != NULL ? original + (slash + 1 - failure->trace) : trace,
        .trace = trace,
        .original = trace != original ? original : NULL,
    };
}

static int test_end(void *self, const struct run_outcome *outcome, struct err *why)
{
    struct page_reporter *r = self;

    (void)why;
    for (size_t i = 0; i < outcome->n_failures; i++)
        keep_failure(r, &outcome->failures[i]);
    if (outcome->coverage_file[0] != '\0' && r->n_coverages < r->plan->n_tests) {
        const char *path =
            arena_copy(&r->arena, outcome->coverage_file, strlen(outcome->coverage_file));

        if (path != NULL && access(path, F_OK) == 0)
            r->coverages[r->n_coverages++] = path;
    }
    return 0;
}

static int write_page(struct page_reporter *r, const char *path, struct page *page, struct err *why)
{
    const char *outdir = r->plan->options.outdir;
    char summary[FILE_PATH_MAX + 16];
    const struct page_run run = {.path = outdir,
                                 .summary = summary,
                                 .coverages = r->coverages,
                                 .n_coverages = r->n_coverages};
    int rc = page_begin(page, path, r->plan->suite, why);

    if (rc < 0)
        return rc;
    (void)snprintf(summary, sizeof(summary), "%s/summary.json", outdir);
    rc = page_add_run(page, &run, why);
    for (size_t i = 0; i < r->n_trials && rc == 0; i++)
        rc = page_add_trial(page, &r->trials[i], why);
    return page_end(page, rc, why);
}

static int end(void *self, bool is_interrupted, struct err *why)
{
    struct page_reporter *r = self;
    char path[FILE_PATH_MAX];
    struct page *page;
    int rc;

    (void)is_interrupted;
    if (r->n_trials == 0)
        return 0;
    if (snprintf(path, sizeof(path), "%s/report.html", r->plan->options.outdir) >=
        (int)sizeof(path))
        return 0;
    page = mem_reserve_shared(sizeof(*page), why);
    if (page == NULL)
        return SN_ENOMEM;
    rc = write_page(r, path, page, why);
    mem_release(page, sizeof(*page));
    if (rc == 0)
        memcpy(r->path, path, sizeof(path));
    else
        text_print(r->complaints, "%s: there is no report: %s\n", r->plan->suite, why->text);
    return 0;
}

static void done(void *self)
{
    struct page_reporter *r = self;

    arena_done(&r->arena);
}

static const struct run_reporter_kind kind = {
    .begin = begin, .test_end = test_end, .end = end, .done = done};

struct run_reporter page_reporter(struct page_reporter *reporter)
{
    return (struct run_reporter){.kind = &kind, .self = reporter};
}
