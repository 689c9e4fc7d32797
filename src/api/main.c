/* main.c - sn_main: a test program as its own runner.
 *
 * Results go to standard output, complaints to standard error. SPDX-License-Identifier: MIT
 */
#include "api/engine.h"
#include "api/options.h"
#include "api/run.h"
#include "base/text.h"

#include "substrate/liveness.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum exit_code {
    EXIT_NO_BUG = 0,
    EXIT_BUG = 1,
    EXIT_USAGE = 2,
    EXIT_NOTHING = 3,
    EXIT_NONDETERMINISM = 4,
    EXIT_INTERNAL = 99,
};

struct program {
    const struct sn_suite *suite;
    struct options options;
    const char *path; /* as it was called */
    struct sn_text out;
    struct sn_text complaints;
    const char *args[2 * OPTIONS_BUGS_MAX + 2]; /* what makes it this program */
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

static int switch_bugs(struct program *p)
{
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
    return EXIT_NO_BUG;
}

static struct run_request request_for(const struct program *p, const struct sn_test *test)
{
    return (struct run_request){
        .test = test,
        .options = p->options.run,
        .suite = p->suite->name,
        .args = p->args,
        .n_args = p->n_args,
        .fork = p->options.fork,
        .step = p->options.step,
        .json = p->options.json,
        .show_output = true,
        .jobs = 1,
    };
}

/* ---- Running -------------------------------------------------------------------------------- */

static void print_count(struct sn_text *out, uint64_t n, const char *unit)
{
    if (n >= 10000000)
        text_print(out, "%.1f M %ss", (double)n / 1e6, unit);
    else
        text_print(out, "%" PRIu64 " %s%s", n, unit, n == 1 ? "" : "s");
}

static void print_covered(struct program *p, const struct sn_test *test, const struct sn_result *r,
                          double seconds)
{
    struct sn_text *out = &p->out;

    text_puts(out, "    ");
    print_count(out, r->trials, "trial");
    text_puts(out, ", ");
    print_count(out, r->steps, "step");
    text_print(out, ", %s", r->distinct_orders > 65536 ? "about " : "");
    print_count(out, r->distinct_orders, "distinct order");
    if (p->options.run.keep_going)
        text_print(out, ", %" PRIu64 " failed", r->failures);
    if (r->cut > 0)
        text_print(out, ", %" PRIu64 " cut at the limit of steps", r->cut);
    text_print(out, ", %.2f s", seconds);
    if (p->options.verbosity > 0)
        text_print(out, "; %s", r->world);
    text_putc(out, '\n');
    if (r->trials > 0 && r->steps == 0 && r->failures == 0)
        text_puts(out, "    nothing happened: the test created no machine\n");
    else if (r->exhausted)
        text_puts(out, "    every schedule of this test was run\n");
    else if (r->within[0] != '\0')
        text_print(out, "    every schedule of this test %s was run\n", r->within);
    else if (r->is_systematic && r->failures == 0)
        text_puts(out, "    not every schedule was run\n");
    if (r->trials > 0 && r->cut == r->trials && r->failures == 0 && !liveness_matters(test))
        text_puts(out, "    every trial was cut: how they end was never judged (--max-steps)\n");
    if (r->note[0] != '\0')
        text_print(out, "    %s\n", r->note);
}

static void print_failure(struct program *p, const struct sn_test *test, const struct sn_result *r)
{
    struct sn_text *out = &p->out;
    const char *verdict = r->nondeterministic             ? "NOT DETERMINISTIC"
                          : r->verdict == SN_UNCONTROLLED ? "NOT UNDER CONTROL"
                                                          : "FAILED";

    text_print(out, "%s/%s: %s in trial %" PRIu64 ", step %" PRIu64 ": %s\n", p->suite->name,
               test->name, verdict, r->failing_trial, r->failing_steps, r->failure);
    if (r->trace[0] == '\0')
        return;
    text_print(out, "    look:      sennit show %s\n", r->trace);
    text_print(out, "    reproduce: %s", p->path);
    for (size_t i = 0; i < p->n_args; i++)
        text_print(out, " %s", p->args[i]);
    text_print(out, " --replay %s\n", r->trace);
}

static double now_s(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int code_of(int rc, const struct sn_result *r)
{
    if (rc == SN_EINVAL || rc == SN_ENOTFOUND || rc == SN_EIO)
        return EXIT_USAGE;
    if (rc < 0)
        return EXIT_INTERNAL;
    if (r->nondeterministic)
        return EXIT_NONDETERMINISM;
    if (r->failures > 0)
        return EXIT_BUG;
    return r->steps > 0 ? EXIT_NO_BUG : EXIT_NOTHING;
}

static int run_one(struct program *p, const struct sn_test *test)
{
    struct run_request request = request_for(p, test);
    double start_s = now_s();
    struct sn_result r;
    int rc;

    (void)text_flush(&p->out);
    rc = run_test(&request, &r);
    if (rc < 0) {
        text_print(&p->complaints, "%s/%s: %s%s\n", p->suite->name, test->name,
                   r.failures > 0 ? "FAILED: " : "", r.failure);
        return code_of(rc, &r);
    }
    if (p->options.step)
        return code_of(rc, &r); /* whoever took the decisions has seen it all */
    if (r.failures > 0 || r.nondeterministic)
        print_failure(p, test, &r);
    else if (p->options.verbosity >= 0)
        text_print(&p->out, "%s/%s: no bug found\n", p->suite->name, test->name);
    if (p->options.verbosity >= 0)
        print_covered(p, test, &r, now_s() - start_s);
    return code_of(rc, &r);
}

/* 99 > 2 > 1 > 4 > 3 > 0 */
static int worse(int a, int b)
{
    static const int order[] = {EXIT_INTERNAL, EXIT_USAGE, EXIT_BUG, EXIT_NONDETERMINISM,
                                EXIT_NOTHING};

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (a == order[i] || b == order[i])
            return order[i];
    }
    return EXIT_NO_BUG;
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
            return run_one(p, test);
        if (!is_wanted(p, test))
            continue;
        found = test;
        n++;
    }
    if (n == 1)
        return run_one(p, found);
    return complain(p, n == 0 ? EXIT_NOTHING : EXIT_USAGE,
                    n == 0 ? "no test has that in its name; --list lists them"
                           : "--step is for one test: -f NAME says which, --list lists them");
}

static int run_all(struct program *p)
{
    int code = EXIT_NO_BUG;
    int n = 0;

    for (const struct sn_test *test = p->suite->tests; test->name != NULL; test++) {
        if (!is_wanted(p, test))
            continue;
        code = worse(code, run_one(p, test));
        n++;
    }
    if (n == 0 && p->options.filter != NULL)
        text_print(&p->complaints, "%s: no test has \"%s\" in its name; --list lists them\n",
                   p->suite->name, p->options.filter);
    if (n == 0)
        return p->options.filter != NULL ? EXIT_NOTHING
                                         : complain(p, EXIT_NOTHING, "there are no tests");
    return code;
}

/* ---- Replay --------------------------------------------------------------------------------- */

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
    if (report->expected[0] != '\0')
        text_print(out, "    the trace says: %s\n", report->expected);
    return r->failures > 0 ? EXIT_BUG : EXIT_NO_BUG;
}

/* What the program was given when the trace was written: it must be the same program again. */
static int apply_args(struct program *p, const struct trace *trace)
{
    for (size_t i = 0; i + 1 < trace->header.n_args; i += 2) {
        const char *option = trace->header.args[i];
        const char *value = trace->header.args[i + 1];

        if (strcmp(option, "--bug") == 0 && p->options.n_bugs < OPTIONS_BUGS_MAX)
            p->options.bugs[p->options.n_bugs++] = value;
        else if (strcmp(option, "--timers") == 0)
            p->options.run.timers =
                strcmp(value, "any") == 0 ? SN_RUN_TIMERS_ANY : SN_RUN_TIMERS_IDEAL;
    }
    return switch_bugs(p);
}

static int replay_trace(struct program *p, const struct trace *trace)
{
    const struct sn_test *test = find_test(p->suite, trace->header.test);
    struct run_request request = request_for(p, test);
    struct replay_report report;
    struct sn_result r;
    int rc;

    if (strcmp(trace->header.suite, p->suite->name) != 0 || test == NULL) {
        text_print(&p->complaints, "%s: %s is a trace of %s/%s, which is not in this program\n",
                   p->suite->name, p->options.replay, trace->header.suite, trace->header.test);
        return EXIT_USAGE;
    }
    if (apply_args(p, trace) != EXIT_NO_BUG)
        return EXIT_USAGE;
    request = request_for(p, test);
    (void)text_flush(&p->out);
    rc = run_replay(&request, trace, &report, &r);
    if (rc < 0) {
        text_print(&p->complaints, "%s: %s\n", p->suite->name, r.failure);
        return code_of(rc, &r);
    }
    return print_replay(p, test, &r, &report);
}

static int replay(struct program *p)
{
    struct trace trace;
    struct err why = {""};
    int rc = trace_read(&trace, p->options.replay, &why);
    int code;

    if (rc < 0)
        return complain(p, EXIT_USAGE, why.text);
    code = replay_trace(p, &trace);
    trace_done(&trace);
    return code;
}

/* ---- Main ----------------------------------------------------------------------------------- */

static int act(struct program *p)
{
    int code;

    switch (p->options.action) {
    case OPTIONS_HELP:
        text_print(&p->out, "usage: %s [OPTION...]\n", p->suite->name);
        text_puts(&p->out, options_help);
        return EXIT_NO_BUG;
    case OPTIONS_VERSION:
        text_puts(&p->out, "sennit 0.1.0\n");
        return EXIT_NO_BUG;
    case OPTIONS_LIST:
        return list_tests(p);
    case OPTIONS_BUGS:
        return list_bugs(p);
    case OPTIONS_REPLAY:
    case OPTIONS_RUN:
        break;
    }
    code = check_names(p);
    if (code != EXIT_NO_BUG)
        return code;
    if (p->options.action == OPTIONS_REPLAY)
        return replay(p);
    code = switch_bugs(p);
    if (code != EXIT_NO_BUG)
        return code;
    return p->options.step ? step_one(p) : run_all(p);
}

int sn_main(int argc, char **argv, const struct sn_suite *suite)
{
    struct program p = {.suite = suite, .path = argc > 0 ? argv[0] : suite->name};
    struct err why = {""};
    int code;

    text_init_fd(&p.out, p.out_buffer, sizeof(p.out_buffer), STDOUT_FILENO);
    text_init_fd(&p.complaints, p.complaint_buffer, sizeof(p.complaint_buffer), STDERR_FILENO);
    if (options_parse(&p.options, argc, argv, &why) < 0)
        code = complain(&p, EXIT_USAGE, why.text);
    else
        code = act(&p);
    (void)text_flush(&p.out);
    (void)text_flush(&p.complaints);
    return code;
}
