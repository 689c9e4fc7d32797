/* shrinking.c - see shrinking.h. SPDX-License-Identifier: MIT */
#include "api/shrinking.h"

#include "api/exit_code.h"
#include "api/repeats.h"
#include "base/shell.h"

#include <stdio.h>
#include <string.h>

enum {
    /* In a run, for all failures of a test together. What comes out must not depend on how busy
     * the machine is, so there are few enough trials for the time to be enough for most tests. */
    RUNS_IN_RUN = 50000,
    SECONDS_IN_RUN = 10,
    SECONDS_ASKED = 60,
    SECONDS_UNCONTROLLED = 120, /* what is not under control takes its own time, several times */
    PATH_BYTES = 512,
};

/* What is written beside NAME.trace. */
static int name_shrunk(const char *path, char *out, size_t size, struct err *why)
{
    size_t n = strlen(path);
    size_t ending = strlen(".trace");

    if (n > ending && strcmp(path + n - ending, ".trace") == 0)
        n -= ending;
    if (snprintf(out, size, "%.*s.shrunk.trace", (int)n, path) < (int)size)
        return 0;
    return err_set(why, SN_EINVAL, "the name of the trace is too long");
}

/* ---- On its own ----------------------------------------------------------------------------- */

static void on_progress(void *self, const struct shrink_progress *progress)
{
    reports_shrinking(self, progress->steps_before, progress->steps, progress->runs);
}

static bool can_shrink(const struct run_failure *failure)
{
    return failure->verdict == SN_FAILED && !failure->nondeterministic &&
           failure->trace[0] != '\0' && !failure->is_tolerant;
}

/* One step, and all that was drawn is 0: there is nothing to look for. */
static bool is_smallest(const struct trace *trace)
{
    for (size_t i = 0; i < trace->n_records; i++) {
        if (trace->records[i].kind == TRACE_DRAW && trace->records[i].draw.value != 0)
            return false;
    }
    return trace->n_steps <= 1;
}

static void say_not(struct run_failure *failure, const char *why)
{
    (void)snprintf(failure->shrunk, sizeof(failure->shrunk), "not at all: %.400s", why);
}

/* Returns how many trials it took. */
static uint64_t shrink_failure(const struct shrink_options *options, struct run_failure *failure)
{
    struct shrink_report report = {.runs = 0};
    struct trace trace = {.n_records = 0};
    struct err why = {""};
    char path[PATH_BYTES];
    int rc = name_shrunk(failure->trace, path, sizeof(path), &why);

    if (rc == 0)
        rc = trace_read(&trace, failure->trace, &why);
    if (rc == 0 && is_smallest(&trace)) {
        trace_done(&trace);
        return 0;
    }
    if (rc == 0)
        rc = shrink_trace(options, &trace, path, &report, &why);
    trace_done(&trace);
    if (rc < 0)
        say_not(failure, why.text);
    else if (report.after.steps == 0)
        say_not(failure, report.text);
    else
        memcpy(failure->shrunk, report.text, sizeof(failure->shrunk));
    if (rc == 0 && report.after.steps > 0)
        memcpy(failure->shrunk_trace, path, sizeof(path));
    failure->shrunk_runs = report.runs;
    return report.runs;
}

void shrinking_run(const struct options *options, const struct run_request *request,
                   struct run_found *found, struct reports *reports)
{
    struct shrink_options shrink = {.request = request,
                                    .workers = request->jobs,
                                    .repeats = request_shrink_repeats(request),
                                    .progress = on_progress,
                                    .progress_self = reports};
    uint64_t seconds = request_is_uncontrolled(request) ? SECONDS_UNCONTROLLED : SECONDS_IN_RUN;
    uint64_t end_ns = reports_now_ns() + UINT64_C(1000000000) * seconds;
    uint64_t runs = 0;

    if (options->no_shrink || found->is_interrupted)
        return;
    for (uint32_t i = 0; i < found->n_failures; i++) {
        struct run_failure *failure = &found->failures[i];
        uint64_t now_ns = reports_now_ns();

        if (!can_shrink(failure))
            continue;
        if (now_ns >= end_ns || runs >= RUNS_IN_RUN) {
            say_not(failure, "the failures before it have used up the budget; sennit shrink has "
                             "one of its own");
            continue;
        }
        shrink.runs = RUNS_IN_RUN - runs;
        shrink.seconds = (double)(end_ns - now_ns) / 1e9;
        shrink.has_other = failure->shortest_trial != failure->trial;
        shrink.other_trial = failure->shortest_trial;
        runs += shrink_failure(&shrink, failure);
    }
}

/* ---- When asked to -------------------------------------------------------------------------- */

static int say(const struct shrink_report *report, const struct run_request *request,
               const char *path, struct sn_text *out)
{
    const char *name = request->test->name;

    switch (report->how) {
    case SHRINK_REFUSED:
        text_print(out, "%s/%s: cannot be shrunk: %s\n", request->suite, name, report->text);
        return EXIT_USAGE;
    case SHRINK_NOT_FAILING:
        text_print(out, "%s/%s: cannot be shrunk: %s\n", request->suite, name, report->text);
        return EXIT_NONDETERMINISM;
    case SHRINK_STOPPED:
    case SHRINK_DONE:
        break;
    }
    if (report->after.steps == 0 && report->how == SHRINK_STOPPED) {
        text_print(out, "%s/%s: cannot be shrunk: %s\n", request->suite, name, report->text);
        return EXIT_NOTHING;
    }
    text_print(out, "%s/%s: shrunk: %s\n", request->suite, name, report->text);
    text_puts(out, "    look:      sennit show ");
    shell_put(out, path);
    text_puts(out, "\n    reproduce: sennit replay ");
    shell_put(out, path);
    text_putc(out, '\n');
    return EXIT_NO_BUG; /* also if it could be smaller, which is said */
}

int shrinking_trace(const struct options *options, const struct run_request *request,
                    const struct trace *trace, struct reports *reports, struct sn_text *out,
                    struct sn_text *complaints)
{
    struct shrink_options shrink = {
        .request = request,
        .workers = request->jobs,
        .seconds = options->timeout_s > 0 ? (double)options->timeout_s : SECONDS_ASKED,
        .repeats =
            options->repeats != 0 ? (uint32_t)options->repeats : request_shrink_repeats(request),
        .any_failure = options->any_failure,
        .seed = options->run.seed,
        .progress = on_progress,
        .progress_self = reports,
    };
    struct shrink_report report;
    struct err why = {""};
    char path[PATH_BYTES];
    int rc = 0;

    if (options->shrunk == NULL)
        rc = name_shrunk(options->shrink, path, sizeof(path), &why);
    else if (snprintf(path, sizeof(path), "%s", options->shrunk) >= (int)sizeof(path))
        rc = err_set(&why, SN_EINVAL, "the name of the trace is too long");
    if (rc == 0)
        rc = shrink_trace(&shrink, trace, path, &report, &why);
    progress_clear(&reports->progress);
    if (rc == 0)
        return say(&report, request, path, out);
    text_print(complaints, "%s: %s\n", request->suite, why.text);
    if (rc == SN_EINVAL)
        return EXIT_NONDETERMINISM;
    return rc == SN_EIO ? EXIT_USAGE : EXIT_INTERNAL;
}
