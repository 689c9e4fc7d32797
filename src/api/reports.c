/* reports.c - see reports.h. SPDX-License-Identifier: MIT */
#include "api/reports.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* As in output.c: programs can see the lowest free descriptor. */
enum { DESCRIPTOR_FLOOR = 200 };

/* ---- The environment ------------------------------------------------------------------------ */

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value != NULL && value[0] != '\0';
}

static bool is_equal(const char *variable, const char *wanted)
{
    const char *value = getenv(variable);

    return value != NULL && strcmp(value, wanted) == 0;
}

/* Nobody is watching: a server builds and tests. */
static bool is_ci(void)
{
    return is_set("CI") && !is_equal("CI", "false") && !is_equal("CI", "0");
}

static bool is_coloured(const struct options *options, int fd)
{
    if (options->color != OPTIONS_COLOR_AUTO)
        return options->color == OPTIONS_COLOR_ALWAYS;
    return !is_ci() && !is_set("NO_COLOR") && !is_equal("TERM", "dumb") && isatty(fd) == 1;
}

static bool has_progress(const struct options *options)
{
    return !is_ci() && options->verbosity >= 0 && !options->step && !is_equal("TERM", "dumb") &&
           isatty(STDERR_FILENO) == 1;
}

/* ---- Reporters ------------------------------------------------------------------------------ */

void reports_init(struct reports *reports, const struct options *options, struct sn_text *out,
                  struct sn_text *complaints)
{
    struct run_report *report = &reports->report;

    *reports = (struct reports){
        .text = {.out = out,
                 .verbosity = options->verbosity,
                 .is_coloured = is_coloured(options, out->fd)},
        .tap = {.out = out, .version = tap_version()},
        .junit = {.path = options->xml},
        .github = {.out = complaints,
                   .root = is_set("GITHUB_WORKSPACE") ? getenv("GITHUB_WORKSPACE") : "."},
        .summary = {.version = "0.1.0"},
        .terminal = -1,
    };
    /* What people and other programs wait for comes after what is written to files. */
    run_report_add(report, summary_reporter(&reports->summary));
    if (!options->no_report) {
        reports->page.complaints = complaints;
        run_report_add(report, page_reporter(&reports->page));
        reports->text.page = reports->tap.page = reports->page.path;
    }
    if (options->xml != NULL)
        run_report_add(report, junit_reporter(&reports->junit));
    run_report_add(report,
                   options->tap ? tap_reporter(&reports->tap) : run_text_reporter(&reports->text));
    if (is_equal("GITHUB_ACTIONS", "true"))
        run_report_add(report, github_reporter(&reports->github));
    if (has_progress(options))
        reports->terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, DESCRIPTOR_FLOOR);
    progress_init(&reports->progress, reports->terminal);
}

static void flush(struct reports *reports)
{
    (void)text_flush(reports->text.out);
    (void)text_flush(reports->github.out);
}

int reports_begin(struct reports *reports, const struct run_plan *plan, struct err *why)
{
    reports->plan = plan;
    return run_report_begin(&reports->report, plan, why);
}

int reports_test(struct reports *reports, const struct run_outcome *outcome, struct err *why)
{
    int rc;

    progress_clear(&reports->progress);
    rc = run_report_test(&reports->report, outcome, why);
    flush(reports);
    return rc;
}

int reports_sites(struct reports *reports, const struct run_sites *sites, struct err *why)
{
    int rc = run_report_sites(&reports->report, sites, why);

    flush(reports);
    return rc;
}

int reports_end(struct reports *reports, bool is_interrupted, struct err *why)
{
    int rc;

    progress_clear(&reports->progress);
    rc = run_report_end(&reports->report, is_interrupted, why);
    flush(reports);
    return rc;
}

void reports_done(struct reports *reports)
{
    run_report_done(&reports->report);
    if (reports->terminal >= 0)
        (void)close(reports->terminal);
    reports->terminal = -1;
}

bool reports_test_begin(struct reports *reports, const struct sn_test *test)
{
    reports->test = test;
    progress_begin(&reports->progress, reports_now_ns());
    return reports->terminal >= 0;
}

void reports_progress(struct reports *reports, const struct progress_figures *figures)
{
    struct progress_figures named = *figures;

    named.suite = reports->plan->suite;
    named.test = reports->test->name;
    progress_update(&reports->progress, &named, reports_now_ns());
}

void reports_shrinking(struct reports *reports, uint64_t before, uint64_t steps, uint64_t runs)
{
    char text[128];

    if (reports->terminal < 0)
        return;
    (void)snprintf(text, sizeof(text),
                   "shrinking  %" PRIu64 " -> %" PRIu64 " steps, %" PRIu64 " runs", before, steps,
                   runs);
    progress_show(&reports->progress, text, reports_now_ns());
}

void reports_explaining(struct reports *reports, const struct explain_progress *progress)
{
    static const char *const doing[] = {
        [STAGE_BEGINNING] = "making the trial small",
        [STAGE_LOST] = "looking for the point of no return",
        [STAGE_WHY] = "looking for the orders that matter",
        [STAGE_LABELS] = "trying the orders one by one",
        [STAGE_NEAREST] = "looking for the nearest passing trial",
        [STAGE_RATES] = "comparing strategies",
        [STAGE_CORE] = "looking for what failing trials have in common",
        [STAGE_CAUSES] = "looking for further causes",
        [STAGE_DONE] = "done",
    };
    char text[192];
    int n;

    if (reports->terminal < 0)
        return;
    n = snprintf(text, sizeof(text), "explaining  %s, %" PRIu64 " trials", doing[progress->stage],
                 progress->trials);
    if (progress->seconds_left >= 0)
        (void)snprintf(text + n, sizeof(text) - (size_t)n, ", %.0f s left", progress->seconds_left);
    progress_show(&reports->progress, text, reports_now_ns());
}

void reports_init_progress(struct reports *reports, const struct options *options)
{
    *reports = (struct reports){.terminal = -1};
    if (has_progress(options))
        reports->terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, DESCRIPTOR_FLOOR);
    progress_init(&reports->progress, reports->terminal);
}

uint64_t reports_now_ns(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}
