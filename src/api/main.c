/* main.c - sn_main: a test program as its own runner.
 *
 * Results go to standard output, complaints to standard error. SPDX-License-Identifier: MIT
 */
#include "api/compare.h"
#include "api/corpus.h"
#include "api/corpus_anew.h"
#include "api/covered.h"
#include "api/engine.h"
#include "api/exit_code.h"
#include "api/explain_command.h"
#include "api/failures.h"
#include "api/identity.h"
#include "api/mark.h"
#include "api/options.h"
#include "api/phases.h"
#include "api/reports.h"
#include "api/required.h"
#include "api/run.h"
#include "api/shrinking.h"
#include "api/verify.h"
#include "base/text.h"
#include "engine/mem.h"

#include "substrate/liveness.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct program {
    const struct sn_suite *suite;
    struct options options;
    const char *path; /* as it was called */
    char **argv;
    struct sn_text out;
    struct sn_text complaints;
    struct reports reports;
    struct run_found found;        /* by the last test */
    struct run_found old;          /* failures of the corpus */
    struct run_coverage *coverage; /* of the last test */
    struct corpus corpus;
    bool is_interrupted;
    const char *args[2 * (OPTIONS_BUGS_MAX + OWN_OPTIONS_MAX) + 2]; /* what makes it this program */
    size_t n_args;
    char out_buffer[4096];
    char complaint_buffer[2048];
};

/* ---- Small verbs ---------------------------------------------------------------------------- */

static int list_tests(struct program *p)
{
    for (const struct sn_test *test = p->suite->tests; test->name != NULL; test++)
        text_print(&p->out, "%s%s%s\n", test->name, test->about != NULL ? "\t" : "",
                   test->about != NULL ? test->about : "");
    return EXIT_NO_BUG;
}

static int list_bugs(struct program *p)
{
    for (const struct sn_bug *bug = p->suite->bugs; bug != NULL && bug->name != NULL; bug++)
        text_print(&p->out, "%s\t%s%s%s\n", bug->name, bug->about != NULL ? bug->about : "",
                   bug->test != NULL ? "\t" : "", bug->test != NULL ? bug->test : "");
    return EXIT_NO_BUG;
}

static int complain(struct program *p, int code, const char *sentence)
{
    text_print(&p->complaints, "%s: %s\n", p->suite->name, sentence);
    return code;
}

static const struct sn_bug *find_bug(const struct sn_suite *suite, const char *name)
{
    for (const struct sn_bug *bug = suite->bugs; bug != NULL && bug->name != NULL; bug++) {
        if (strcmp(bug->name, name) == 0)
            return bug;
    }
    return NULL;
}

/* Makes the program the one that was asked for: bugs, timers, options of its own. */
static int switch_bugs(struct program *p)
{
    struct err why = {""};

    for (int i = 0; i < p->options.n_bugs; i++) {
        const struct sn_bug *bug = find_bug(p->suite, p->options.bugs[i]);

        if (bug == NULL) {
            text_print(&p->complaints, "%s: there is no bug called \"%.100s\"; --bugs lists them\n",
                       p->suite->name, p->options.bugs[i]);
            return EXIT_USAGE;
        }
        if (*bug->flag)
            continue;
        *bug->flag = true;
        p->args[p->n_args++] = "--bug";
        p->args[p->n_args++] = bug->name;
    }
    if (p->options.run.timers != SN_RUN_TIMERS_OF_TEST) {
        p->args[p->n_args++] = "--timers";
        p->args[p->n_args++] = p->options.run.timers == SN_RUN_TIMERS_ANY ? "any" : "ideal";
    }
    if (own_options_apply(&p->options.own, p->args, &p->n_args, &why) < 0)
        return complain(p, EXIT_USAGE, why.text);
    if (p->suite->prepare != NULL)
        p->suite->prepare();
    return EXIT_NO_BUG;
}

static struct run_request request_for(const struct program *p, const struct sn_test *test)
{
    struct sn_options run = p->options.run;

    run.repeats = (uint32_t)p->options.repeats;
    return (struct run_request){
        .test = test,
        .options = run,
        .shrink_repeats = (uint32_t)p->options.shrink_repeats,
        .suite = p->suite->name,
        .usual = getenv("SENNIT_DEFAULT_STRATEGY"),
        .args = p->args,
        .n_args = p->n_args,
        .fork = p->options.fork,
        .step = p->options.step,
        .json = p->options.json,
        .show_output = true,
        .argv = p->argv,
        .tolerant = p->options.tolerant,
        .verify = p->options.verify_determinism,
        .estimate = p->options.estimate,
        .leaks = p->options.leaks,
        .jobs = (uint32_t)p->options.jobs,
        .shard = p->options.shard - 1,
        .shards = p->options.shards,
        .timeout_s = (double)p->options.timeout_s,
        .hang_s = p->options.hang_s < UINT32_MAX ? (uint32_t)p->options.hang_s : UINT32_MAX,
        .memory_mb = p->options.memory_mb,
        .resume = p->options.resume,
        .checkpoint = p->options.checkpoint,
        .save_s = p->options.save_s,
    };
}

/* ---- Running -------------------------------------------------------------------------------- */

static int code_of(int rc, const struct sn_result *r)
{
    if (rc == SN_EINVAL || rc == SN_ENOTFOUND || rc == SN_EIO || rc == SN_EFORMAT)
        return EXIT_USAGE;
    if (rc < 0)
        return EXIT_INTERNAL;
    if (r->nondeterministic)
        return EXIT_NONDETERMINISM;
    /* What is said of every schedule is about the runs before, too. */
    if (r->failures > 0 || (r->schedules > 0 && r->earlier_failures > 0))
        return EXIT_BUG;
    if (r->stuck + r->discarded > 0 && r->stuck + r->discarded == r->trials)
        return EXIT_NOTHING;
    /* A run that goes on where another has come to the end has nothing left to do. */
    return r->steps + r->draws > 0 || (r->trials == 0 && r->schedules > 0) ? EXIT_NO_BUG
                                                                           : EXIT_NOTHING;
}

/* What could not be reported is a failure of the run, too. */
static int check_report(struct program *p, int rc, const struct err *why)
{
    if (rc == 0)
        return EXIT_NO_BUG;
    return complain(p, rc == SN_ENOMEM ? EXIT_INTERNAL : EXIT_USAGE, why->text);
}

static int step_through(struct program *p, const struct sn_test *test)
{
    struct run_request request = request_for(p, test);
    struct sn_result r;
    int rc;

    (void)text_flush(&p->out);
    rc = run_test(&request, &r);
    if (rc < 0)
        text_print(&p->complaints, "%s/%s: %s\n", p->suite->name, test->name, r.failure);
    return code_of(rc, &r); /* whoever took the decisions has seen it all */
}

/* A person is shown how far the run is. */
static void on_progress(void *self, const struct run_progress *progress, int terminal)
{
    const struct progress_figures figures = {
        .trials = progress->result->trials,
        .steps = progress->result->steps,
        .orders = progress->orders,
        .done = progress->result->done,
        .is_most = progress->result->estimate_is_least,
        .failures = progress->result->failures,
        .trials_max = progress->wanted,
        .seconds = progress->seconds,
        .seconds_left = progress->seconds_left,
    };

    (void)terminal; /* is kept by the reports */
    reports_progress(self, &figures);
}

/* Somebody has stopped the run: the test is only named. */
static int leave_out(struct program *p, const struct sn_test *test)
{
    struct run_outcome outcome = {.test = test, .is_interrupted = true};
    struct err why = {""};

    return check_report(p, reports_test(&p->reports, &outcome, &why), &why);
}

static int run_one(struct program *p, const struct sn_test *test)
{
    struct run_request request = request_for(p, test);
    uint64_t start_ns = reports_now_ns();
    struct run_found *found = &p->found;
    struct sn_result r;
    struct run_outcome outcome = {
        .test = test,
        .result = &r,
        .failures = found->failures,
        .coverage = p->coverage,
        .judges_limits = liveness_matters(test),
    };
    struct err why = {""};
    int code;

    corpus_run(&p->corpus, &request, &p->old);
    (void)text_flush(&p->out);
    request.found = found;
    request.coverage = p->coverage;
    if (reports_test_begin(&p->reports, test)) {
        request.progress = on_progress;
        request.progress_self = &p->reports;
    }
    if (p->old.n_failures == 0 || p->options.run.keep_going) {
        outcome.rc = run_test(&request, &r);
    } else {
        r = (struct sn_result){0};
        *found = (struct run_found){0};
        mem_clear(p->coverage, sizeof(*p->coverage));
    }
    outcome.seconds = (double)(reports_now_ns() - start_ns) / 1e9;
    shrinking_run(&p->options, &request, found, &p->reports);
    corpus_add(&p->old, found, &r);
    outcome.n_failures = found->n_failures;
    outcome.is_interrupted = p->is_interrupted = found->is_interrupted;
    outcome.is_timed_out = found->is_timed_out;
    run_name_coverage(&request, outcome.coverage_file, sizeof(outcome.coverage_file));
    code = exit_code_worse(code_of(outcome.rc, &r),
                           check_report(p, reports_test(&p->reports, &outcome, &why), &why));
    code = exit_code_worse(code, check_report(p, failures_write(&request, found, &why), &why));
    corpus_keep(&p->corpus, found);
    if (outcome.rc < 0)
        text_print(&p->complaints, "%s/%s: %s%s\n", p->suite->name, test->name,
                   r.failures > 0 ? "FAILED: " : "", r.failure);
    return code;
}

static const struct sn_test *find_test(const struct sn_suite *suite, const char *name)
{
    for (const struct sn_test *test = suite->tests; test->name != NULL; test++) {
        if (strcmp(test->name, name) == 0)
            return test;
    }
    return NULL;
}

/* A bug that names its test names one that there is. */
static int check_bugs(struct program *p)
{
    const struct sn_bug *bug = p->suite->bugs;

    for (; bug != NULL && bug->name != NULL; bug++) {
        if (bug->test == NULL || find_test(p->suite, bug->test) != NULL)
            continue;
        text_print(&p->complaints, "%s: the bug %s names the test %s, which there is not\n",
                   p->suite->name, bug->name, bug->test);
        return EXIT_USAGE;
    }
    return EXIT_NO_BUG;
}

/* A trace names its test: each name must stand for one. */
static int check_names(struct program *p)
{
    for (const struct sn_test *a = p->suite->tests; a->name != NULL; a++) {
        for (const struct sn_test *b = a + 1; b->name != NULL; b++) {
            if (strcmp(a->name, b->name) == 0) {
                text_print(&p->complaints, "%s: two tests are called %s\n", p->suite->name,
                           a->name);
                return EXIT_USAGE;
            }
        }
    }
    return check_bugs(p);
}

/* Whether a test is to be run: one that the filter matches; without a filter, one that shows a bug
 * that is switched on; without such a bug, any. */
static bool is_wanted(const struct program *p, const struct sn_test *test)
{
    bool is_restricted = false;

    if (p->options.filter != NULL)
        return strstr(test->name, p->options.filter) != NULL;
    for (int i = 0; i < p->options.n_bugs; i++) {
        const struct sn_bug *bug = find_bug(p->suite, p->options.bugs[i]);

        if (bug == NULL || bug->test == NULL)
            continue;
        if (strcmp(bug->test, test->name) == 0)
            return true;
        is_restricted = true;
    }
    return !is_restricted;
}

/* Stepping is through one test: the one whose name is the filter, or the only one wanted. */
static int step_one(struct program *p)
{
    const char *filter = p->options.filter;
    const struct sn_test *found = NULL;
    int n = 0;

    for (const struct sn_test *test = p->suite->tests; test->name != NULL; test++) {
        if (filter != NULL && strcmp(test->name, filter) == 0)
            return step_through(p, test);
        if (!is_wanted(p, test))
            continue;
        found = test;
        n++;
    }
    if (n == 1)
        return step_through(p, found);
    return complain(p, n == 0 ? EXIT_NOTHING : EXIT_USAGE,
                    n == 0 ? "no test has that in its name; --list lists them"
                           : "--step is for one test: -f NAME says which, --list lists them");
}

static struct run_plan plan_for(const struct program *p, const struct identity *identity)
{
    const struct run_request request = request_for(p, NULL);
    struct run_plan plan = {
        .suite = p->suite->name,
        .program = p->path,
        .args = p->args,
        .n_args = p->n_args,
        .build = identity->build,
        .options = p->options.run,
        .fork = p->options.fork,
        .shard = p->options.shard,
        .shards = p->options.shards,
        .has_sites = covered_has_sites(),
        .is_strict = p->options.strict,
        .why_none = p->options.filter != NULL ? "no test has that in its name" : NULL,
    };

    plan.options.strategy = request_strategy(&request);
    plan.options.iterations = request_iterations(&request);
    plan.options.seed = request_seed(&request);
    for (const struct sn_test *test = p->suite->tests; test->name != NULL; test++) {
        const struct run_request one = request_for(p, test);

        if (is_wanted(p, test) && plan.n_tests++ == 0)
            plan.options.strategy = request_strategy(&one);
    }
    return plan;
}

static int on_sites(void *self, const struct run_sites *sites, struct err *why)
{
    struct program *p = self;

    return reports_sites(&p->reports, sites, why);
}

/* What must be met in some trial of all that were run. Of those that were not nobody knows. */
static int check_sites(struct program *p)
{
    struct err why = {""};
    bool ok = true;
    int code;

    if (p->is_interrupted)
        return EXIT_NO_BUG;
    code = check_report(p, covered_tell_sites(p->options.strict, &ok, on_sites, p, &why), &why);
    return exit_code_worse(code, ok ? EXIT_NO_BUG : EXIT_BUG);
}

static int run_wanted(struct program *p)
{
    int code = EXIT_NO_BUG;

    for (const struct sn_test *test = p->suite->tests; test->name != NULL; test++) {
        if (is_wanted(p, test))
            code = exit_code_worse(code, p->is_interrupted ? leave_out(p, test) : run_one(p, test));
    }
    code = exit_code_worse(code, check_sites(p));
    return p->is_interrupted ? exit_code_worse(code, EXIT_NOTHING) : code;
}

/* Nothing matches, or there is nothing. */
static int complain_of_none(struct program *p)
{
    if (p->options.filter == NULL)
        return complain(p, EXIT_NOTHING, "there are no tests");
    text_print(&p->complaints, "%s: no test has \"%s\" in its name; --list lists them\n",
               p->suite->name, p->options.filter);
    return EXIT_NOTHING;
}

static int run_all(struct program *p)
{
    struct identity identity;
    struct run_plan plan;
    struct err why = {""};
    int code;

    identity_get(&identity);
    plan = plan_for(p, &identity);
    p->coverage = mem_reserve_shared(sizeof(*p->coverage), &why);
    if (p->coverage == NULL)
        return complain(p, EXIT_INTERNAL, why.text);
    if (p->options.checkpoint != NULL && plan.n_tests > 1)
        return complain(p, EXIT_USAGE, "--checkpoint is for one test: -f NAME says which");
    p->corpus = (struct corpus){.directory = p->options.corpus,
                                .suite = p->suite,
                                .out = p->options.tap ? &p->complaints : &p->out,
                                .complaints = &p->complaints,
                                .verbosity = p->options.verbosity};
    reports_init(&p->reports, &p->options, &p->out, &p->complaints);
    code = check_report(p, reports_begin(&p->reports, &plan, &why), &why);
    if (code == EXIT_NO_BUG) {
        code = plan.n_tests > 0 ? run_wanted(p) : complain_of_none(p);
        code = exit_code_worse(
            code, check_report(p, reports_end(&p->reports, p->is_interrupted, &why), &why));
    }
    reports_done(&p->reports);
    mem_release(p->coverage, sizeof(*p->coverage));
    corpus_close(&p->corpus);
    return exit_code_worse(code, p->corpus.is_malformed ? EXIT_USAGE : EXIT_NO_BUG);
}

/* The same tests with one strategy after the other. */
static int compare(struct program *p)
{
    struct compare_job job = {
        .options = &p->options,
        .suite = p->suite->name,
        .program = p->path,
        .request = request_for(p, NULL),
        .out = &p->out,
        .complaints = &p->complaints,
    };
    const struct sn_test **tests;
    size_t n = 0;
    struct err why = {""};
    int code;

    for (const struct sn_test *test = p->suite->tests; test->name != NULL; test++)
        n += is_wanted(p, test);
    if (n == 0)
        return complain_of_none(p);
    tests = mem_reserve_shared(n * sizeof(*tests), &why);
    if (tests == NULL)
        return complain(p, EXIT_INTERNAL, why.text);
    for (const struct sn_test *test = p->suite->tests; test->name != NULL; test++) {
        if (is_wanted(p, test))
            tests[job.n_tests++] = test;
    }
    job.tests = tests;
    code = compare_strategies(&job);
    mem_release(tests, n * sizeof(*tests));
    return code;
}

/* ---- Traces --------------------------------------------------------------------------------- */

static int print_replay(struct program *p, const struct sn_test *test, const struct sn_result *r,
                        const struct replay_report *report)
{
    struct sn_text *out = &p->out;

    if (report->has_diverged) {
        text_print(out, "%s/%s: WENT ANOTHER WAY: %s\n", p->suite->name, test->name,
                   report->divergence);
        return EXIT_NONDETERMINISM;
    }
    if (r->failures > 0)
        text_print(out, "%s/%s: %s in step %" PRIu64 ": %s\n", p->suite->name, test->name,
                   report->expected[0] == '\0' ? "failed again" : "FAILED IN ANOTHER WAY",
                   r->failing_steps, r->failure);
    else
        text_print(out, "%s/%s: did not fail in %" PRIu64 " steps\n", p->suite->name, test->name,
                   r->steps);
    if (report->runs > 1)
        text_print(out, "    repeats: this is run %" PRIu32 " of %" PRIu32 " at most\n",
                   report->run, report->runs);
    if (report->expected[0] != '\0')
        text_print(out, "    the trace says: %s\n", report->expected);
    if (report->drift[0] != '\0')
        text_print(out, "    drift: %s\n", report->drift);
    return r->failures > 0 ? EXIT_BUG : EXIT_NO_BUG;
}

/* What the program was given when the trace was written: it must be the same program again. */
static int apply_args(struct program *p, const struct trace *trace)
{
    for (size_t i = 0; i + 1 < trace->header.n_args; i += 2) {
        const char *option = trace->header.args[i];
        const char *value = trace->header.args[i + 1];

        /* A program that has moved on is taken as it is. */
        if (strcmp(option, "--bug") == 0 && !p->options.tolerant &&
            p->options.n_bugs < OPTIONS_BUGS_MAX)
            p->options.bugs[p->options.n_bugs++] = value;
        else if (strcmp(option, "--timers") == 0)
            p->options.run.timers =
                strcmp(value, "any") == 0 ? SN_RUN_TIMERS_ANY : SN_RUN_TIMERS_IDEAL;
        else if (strncmp(option, "--", 2) == 0)
            (void)own_options_give(&p->options.own, option + 2, value);
    }
    return switch_bugs(p);
}

/* Of the trace that is to be replayed, shrunk or explained. */
static const char *trace_path(const struct program *p)
{
    if (p->options.action == OPTIONS_EXPLAIN)
        return p->options.explain;
    return p->options.action == OPTIONS_SHRINK ? p->options.shrink : p->options.replay;
}

static int shrink(struct program *p, const struct trace *trace, struct run_request request)
{
    int code;

    if (trace->verdict.oracle != NULL && strcmp(trace->verdict.oracle, "leak") == 0)
        request.leaks = true;
    reports_init_progress(&p->reports, &p->options);
    code = shrinking_trace(&p->options, &request, trace, &p->reports, &p->out, &p->complaints);
    reports_done(&p->reports);
    return code;
}

static int replay_test(struct program *p, const struct trace *trace, const struct sn_test *test)
{
    struct run_request request = request_for(p, test);
    struct replay_report report;
    struct sn_result r;
    int rc = run_replay(&request, trace, &report, &r);

    if (corpus_anew_answer(rc, &report, &r))
        return EXIT_NO_BUG;
    if (rc < 0) {
        text_print(&p->complaints, "%s: %s\n", p->suite->name, r.failure);
        return code_of(rc, &r);
    }
    return print_replay(p, test, &r, &report);
}

static int use_trace(struct program *p, const struct trace *trace)
{
    const struct sn_test *test = find_test(p->suite, trace->header.test);

    if (strcmp(trace->header.suite, p->suite->name) != 0 || test == NULL) {
        text_print(&p->complaints, "%s: %s is a trace of %s/%s, which is not in this program\n",
                   p->suite->name, trace_path(p), trace->header.suite, trace->header.test);
        return EXIT_USAGE;
    }
    if (apply_args(p, trace) != EXIT_NO_BUG)
        return EXIT_USAGE;
    (void)text_flush(&p->out);
    if (p->options.action == OPTIONS_SHRINK)
        return shrink(p, trace, request_for(p, test));
    if (p->options.action == OPTIONS_EXPLAIN) {
        const struct run_request request = request_for(p, test);

        return explain_command(&p->options, &request, trace, &p->reports, &p->out, &p->complaints);
    }
    return replay_test(p, trace, test);
}

static int with_trace(struct program *p)
{
    struct trace trace;
    struct err why = {""};
    int rc = trace_read(&trace, trace_path(p), &why);
    int code;

    if (rc < 0)
        return complain(p, EXIT_USAGE, why.text);
    code = use_trace(p, &trace);
    trace_done(&trace);
    return code;
}

/* ---- Main ----------------------------------------------------------------------------------- */

static int act(struct program *p)
{
    struct err why = {""};
    int code;

    switch (p->options.action) {
    case OPTIONS_HELP:
        text_print(&p->out, "usage: %s [OPTION...]\n", p->suite->name);
        options_print_help(&p->out);
        own_options_print_help(p->suite->options, &p->out);
        return EXIT_NO_BUG;
    case OPTIONS_VERSION:
        text_puts(&p->out, "sennit 0.1.0\n");
        return EXIT_NO_BUG;
    case OPTIONS_LIST:
        return list_tests(p);
    case OPTIONS_BUGS:
        return list_bugs(p);
    case OPTIONS_REPLAY:
    case OPTIONS_EXPLAIN:
    case OPTIONS_SHRINK:
    case OPTIONS_COMPARE:
    case OPTIONS_RUN:
        break;
    }
    code = check_names(p);
    if (code != EXIT_NO_BUG)
        return code;
    if (trace_path(p) != NULL)
        return with_trace(p);
    if (required_check(p->options.run.require, &why) < 0)
        return complain(p, EXIT_USAGE, why.text);
    code = switch_bugs(p);
    if (code != EXIT_NO_BUG)
        return code;
    if (verifier_serve(p->suite))
        return EXIT_NO_BUG;
    if (p->options.action == OPTIONS_COMPARE)
        return compare(p);
    return p->options.step ? step_one(p) : run_all(p);
}

int sn_main(int argc, char **argv, const struct sn_suite *suite)
{
    static const char mark[] = MARK_TEXT;
    struct program p = {.suite = suite, .path = argc > 0 ? argv[0] : suite->name, .argv = argv};
    struct err why = {""};
    int code;

    __asm__ volatile("" : : "r"(mark)); /* nobody may leave it out */
    text_init_fd(&p.out, p.out_buffer, sizeof(p.out_buffer), STDOUT_FILENO);
    text_init_fd(&p.complaints, p.complaint_buffer, sizeof(p.complaint_buffer), STDERR_FILENO);
    if (options_parse(&p.options, suite->options, argc, argv, &why) < 0)
        code = complain(&p, EXIT_USAGE, why.text);
    else
        code = act(&p);
    (void)text_flush(&p.out);
    (void)text_flush(&p.complaints);
    return code;
}
