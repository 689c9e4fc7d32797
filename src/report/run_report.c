/* run_report.c - see run_report.h. SPDX-License-Identifier: MIT */
#include "report/run_report.h"

#include "base/shell.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Telling the reporters ------------------------------------------------------------------ */

void run_report_add(struct run_report *report, struct run_reporter reporter)
{
    sn_check(report->n < RUN_REPORTERS_MAX);
    report->reporters[report->n++] = reporter;
}

/* Keeps the first error. */
static int first(int rc, int new_rc, const struct err *new_why, struct err *why)
{
    if (rc < 0 || new_rc >= 0)
        return rc;
    *why = *new_why;
    return new_rc;
}

int run_report_begin(struct run_report *report, const struct run_plan *plan, struct err *why)
{
    int rc = 0;

    for (size_t i = 0; i < report->n && rc == 0; i++) {
        const struct run_reporter *r = &report->reporters[i];

        if (r->kind->begin != NULL)
            rc = r->kind->begin(r->self, plan, why);
    }
    return rc;
}

int run_report_test(struct run_report *report, const struct run_outcome *outcome, struct err *why)
{
    int rc = 0;

    for (size_t i = 0; i < report->n; i++) {
        const struct run_reporter *r = &report->reporters[i];
        struct err own = {""};

        if (r->kind->test_end != NULL)
            rc = first(rc, r->kind->test_end(r->self, outcome, &own), &own, why);
    }
    return rc;
}

int run_report_sites(struct run_report *report, const struct run_sites *sites, struct err *why)
{
    int rc = 0;

    for (size_t i = 0; i < report->n; i++) {
        const struct run_reporter *r = &report->reporters[i];
        struct err own = {""};

        if (r->kind->sites != NULL)
            rc = first(rc, r->kind->sites(r->self, sites, &own), &own, why);
    }
    return rc;
}

int run_report_end(struct run_report *report, bool is_interrupted, struct err *why)
{
    int rc = 0;

    for (size_t i = 0; i < report->n; i++) {
        const struct run_reporter *r = &report->reporters[i];
        struct err own = {""};

        if (r->kind->end != NULL)
            rc = first(rc, r->kind->end(r->self, is_interrupted, &own), &own, why);
    }
    return rc;
}

void run_report_done(struct run_report *report)
{
    for (size_t i = 0; i < report->n; i++) {
        const struct run_reporter *r = &report->reporters[i];

        if (r->kind->done != NULL)
            r->kind->done(r->self);
    }
}

/* ---- How a test went ------------------------------------------------------------------------ */

enum run_status run_status_of(const struct run_outcome *outcome)
{
    const struct sn_result *r = outcome->result;

    if (r == NULL)
        return RUN_NOT_RUN;
    if (outcome->rc < 0)
        return RUN_ERROR;
    if (r->nondeterministic)
        return RUN_NONDETERMINISTIC;
    if (r->failures > 0)
        return r->verdict == SN_UNCONTROLLED ? RUN_UNCONTROLLED : RUN_FAILED;
    if (outcome->is_interrupted)
        return RUN_INTERRUPTED;
    if (r->stuck + r->discarded > 0 && r->stuck + r->discarded == r->trials)
        return RUN_NOTHING;
    /* Where an earlier run has come to the end there is nothing left to run. */
    return r->steps + r->draws > 0 || (r->trials == 0 && r->schedules > 0) ? RUN_PASSED
                                                                           : RUN_NOTHING;
}

const char *run_why_nothing(const struct run_outcome *outcome)
{
    const struct sn_result *r = outcome->result;

    if (r->discarded == r->trials)
        return "discarded by sn_assume";
    return r->stuck == r->trials ? "stuck on what is required" : "stuck or discarded";
}

const char *run_status_name(enum run_status status)
{
    static const char *const names[] = {
        [RUN_PASSED] = "passed",
        [RUN_FAILED] = "failed",
        [RUN_UNCONTROLLED] = "uncontrolled",
        [RUN_NONDETERMINISTIC] = "nondeterministic",
        [RUN_NOTHING] = "nothing ran",
        [RUN_ERROR] = "error",
        [RUN_INTERRUPTED] = "interrupted",
        [RUN_NOT_RUN] = "not run",
    };

    sn_check((size_t)status < sizeof(names) / sizeof(names[0]));
    return names[status];
}

/* ---- Failures ------------------------------------------------------------------------------- */

const char *run_failure_message(const struct run_failure *failure)
{
    size_t n = strlen(failure->oracle);

    if (n == 0 || strncmp(failure->text, failure->oracle, n) != 0 ||
        strncmp(failure->text + n, ": ", 2) != 0)
        return failure->text;
    return failure->text + n + 2;
}

bool run_failure_place(const struct run_failure *failure, const char **file, size_t *n,
                       uint64_t *line)
{
    const char *text = run_failure_message(failure);
    const char *end = strstr(text, ": ");
    const char *digits = end;
    int used = 0;

    if (text == failure->text || end == NULL)
        return false;
    while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (digits == end || end - digits > 9 || digits - text < 2 || digits[-1] != ':')
        return false;
    *file = text;
    *n = (size_t)(digits - text) - 1;
    if (memchr(text, ' ', *n) != NULL) /* a sentence that happens to end in a number */
        return false;
    return sscanf(digits, "%" SCNu64 "%n", line, &used) == 1 && digits + used == end;
}

const char *run_failure_verdict(const struct run_failure *failure)
{
    if (failure->nondeterministic)
        return "NOT DETERMINISTIC";
    return failure->verdict == SN_UNCONTROLLED ? "NOT UNDER CONTROL" : "FAILED";
}

const char *run_failure_trace(const struct run_failure *failure)
{
    return failure->shrunk_trace[0] != '\0' ? failure->shrunk_trace : failure->trace;
}

static void put_number_option(struct sn_text *out, const char *option, uint64_t value)
{
    text_print(out, " %s %" PRIu64, option, value);
}

/* What decides the trials, where it is not what it would be anyway. */
static void put_search(struct sn_text *out, const struct run_plan *plan, const struct sn_test *test,
                       const struct run_failure *failure)
{
    text_puts(out, " -f ");
    shell_put(out, test->name);
    text_puts(out, " -s ");
    shell_put(out, plan->options.strategy);
    put_number_option(out, "--seed", plan->options.seed);
    if (plan->options.max_steps != 0)
        put_number_option(out, "--max-steps", plan->options.max_steps);
    for (const char *const *text = plan->options.require; text != NULL && *text != NULL; text++) {
        text_puts(out, " --require ");
        shell_put(out, *text);
    }
    if (plan->fork)
        text_puts(out, " --isolate=fork");
    if (plan->shards > 1)
        text_print(out, " --shard %" PRIu64 "/%" PRIu64, plan->shard, plan->shards);
    put_number_option(out, "-i", failure->trial + 1);
}

void run_put_repro(struct sn_text *out, const struct run_plan *plan, const struct sn_test *test,
                   const struct run_failure *failure)
{
    shell_put(out, plan->program);
    for (size_t i = 0; i < plan->n_args; i++) {
        text_putc(out, ' ');
        shell_put(out, plan->args[i]);
    }
    if (failure->trace[0] == '\0') {
        put_search(out, plan, test, failure);
        return;
    }
    text_puts(out, " --replay ");
    shell_put(out, run_failure_trace(failure));
    if (failure->is_tolerant)
        text_puts(out, " --tolerant");
}

/* ---- Kinds of failures ---------------------------------------------------------------------- */

void run_put_signature(struct sn_text *out, const struct run_failure *failure)
{
    const char *message = run_failure_message(failure);
    const char *file;
    uint64_t line;
    size_t n;

    if (failure->oracle[0] != '\0')
        text_puts(out, failure->oracle);
    if (run_failure_place(failure, &file, &n, &line)) {
        text_print(out, " at %.*s:%" PRIu64, (int)n, file, line);
        return;
    }
    text_puts(out, failure->oracle[0] != '\0' ? ": " : "");
    for (; *message != '\0'; message++) {
        bool is_digit = *message >= '0' && *message <= '9';

        if (!is_digit)
            text_putc(out, *message == '\n' || *message == '\r' ? ' ' : *message);
        else if (message[1] < '0' || message[1] > '9')
            text_putc(out, '#');
    }
}

static void put_kind(struct sn_text *out, const char *indent, const struct run_failure *failure)
{
    char bytes[256];
    struct sn_text signature;

    text_init(&signature, bytes, sizeof(bytes));
    run_put_signature(&signature, failure);
    text_print(out, "%s    %" PRIu64 " time%s, first in trial %" PRIu64 ": %s\n", indent,
               failure->count, failure->count == 1 ? "" : "s", failure->trial, bytes);
}

/* How often which failure came, if the run went on after the first one. */
static void put_kinds(struct sn_text *out, const char *indent, const struct run_outcome *outcome)
{
    uint64_t told = 0;

    if (outcome->n_failures == 0)
        return;
    text_print(out, "%s%zu kind%s of failures:\n", indent, outcome->n_failures,
               outcome->n_failures == 1 ? "" : "s");
    for (size_t i = 0; i < outcome->n_failures; i++) {
        put_kind(out, indent, &outcome->failures[i]);
        told += outcome->failures[i].count;
    }
    if (told < outcome->result->failures)
        text_print(out, "%s    %" PRIu64 " of other kinds, which were too many to be told apart\n",
                   indent, outcome->result->failures - told);
}

/* ---- What was covered ----------------------------------------------------------------------- */

static void put_count(struct sn_text *out, uint64_t n, const char *unit)
{
    if (n >= 10000000)
        text_print(out, "%.1f M %ss", (double)n / 1e6, unit);
    else
        text_print(out, "%" PRIu64 " %s%s", n, unit, n == 1 ? "" : "s");
}

/* On one line, whatever the names in it are. */
static void put_on_line(struct sn_text *out, const char *s)
{
    for (; *s != '\0'; s++)
        text_putc(out, *s == '\n' || *s == '\r' ? ' ' : *s);
}

static void put_earlier(struct sn_text *out, const char *indent, const struct sn_result *r)
{
    text_print(out, "%searlier runs: ", indent);
    put_count(out, r->earlier_trials, "trial");
    text_print(out, ", %" PRIu64 " failed\n", r->earlier_failures);
}

/* A search that has come to its end. */
static void put_totals(struct sn_text *out, const char *indent, const struct sn_result *r)
{
    text_print(out, "%sschedules: %" PRIu64 "\n", indent, r->schedules);
    text_print(out, "%spartial orders: %s%" PRIu64 "\n", indent, r->traces > 65536 ? "about " : "",
               r->traces);
    if (r->blocked > 0)
        text_print(out, "%sleft, since others stand for them: %" PRIu64 "\n", indent, r->blocked);
    if (r->probes > 0)
        text_print(out, "%sprobes, to see what a step does: %" PRIu64 "\n", indent, r->probes);
    if (r->earlier_trials > 0)
        put_earlier(out, indent, r);
}

/* One that has not, and how far it is. */
static void put_unfinished(struct sn_text *out, const char *indent, const struct sn_result *r)
{
    bool is_least = r->estimate_is_least;

    text_print(out, "%snot every schedule was run", indent);
    if (r->done > 0) {
        text_print(out, ": %s %.3g %%, of %s ", is_least ? "at most" : "about", r->done * 100,
                   is_least ? "at least" : "about");
        put_count(out, r->estimate, "schedule");
    }
    text_putc(out, '\n');
}

/* How much there is to try, by descents. */
static void put_descents(struct sn_text *out, const char *indent, const struct sn_result *r)
{
    text_print(out, "%sschedules, by ", indent);
    put_count(out, r->descents, "descent");
    text_print(out, ": about %" PRIu64, r->estimate);
    text_print(out, ", standard error %.3g, the largest %.3g\n", r->estimate_error,
               r->estimate_largest);
    if (r->estimate_is_least)
        text_print(out, "%sfew descents gave more: there may be far more\n", indent);
}

/* So many of what a trial has on average. */
static void put_mean(struct sn_text *out, uint64_t n, uint64_t trials, const char *what)
{
    text_print(out, "%.2f %s", (double)n / (double)trials, what);
}

static void put_conflicts(struct sn_text *out, const char *indent, const struct sn_conflicts *c)
{
    text_print(out, "%s%" PRIu64 " of %" PRIu64 " kinds of operations raced; a trial has ", indent,
               c->racy, c->signatures);
    put_mean(out, c->operations, c->trials, "operations: ");
    put_mean(out, c->raced, c->trials, "raced, ");
    put_mean(out, c->false_negatives, c->trials, "false negatives, ");
    put_mean(out, c->false_positives, c->trials, "false positives (");
    text_print(out, "%" PRIu64 " analysed", c->trials);
    if (c->skipped > 0) {
        text_puts(out, "; ");
        put_mean(out, c->skipped, c->trials, "operations were too many to be looked at");
    }
    text_puts(out, ")\n");
}

/* What follows from the figures, a line for each. */
static void put_conclusions(struct sn_text *out, const char *indent,
                            const struct run_outcome *outcome, bool is_verbose)
{
    const struct sn_result *r = outcome->result;

    if (r->trials > 0 && r->steps + r->draws == 0 && r->failures == 0)
        text_print(out, "%snothing happened: the test created no machine and drew no value\n",
                   indent);
    else if (r->discarded > r->trials - r->discarded)
        text_print(out, "%smost trials were discarded by sn_assume: draw what is wanted instead\n",
                   indent);
    else if (r->exhausted)
        text_print(out, "%severy schedule of this test was run\n", indent);
    else if (r->within[0] != '\0') {
        text_print(out, "%severy schedule of this test ", indent);
        put_on_line(out, r->within);
        text_puts(out, " was run\n");
    } else if (r->is_systematic && r->failures == 0 && (r->stuck == 0 || r->stuck < r->trials))
        put_unfinished(out, indent, r);
    if (r->descents > 0)
        put_descents(out, indent, r);
    if (r->schedules > 0)
        put_totals(out, indent, r);
    else if (r->earlier_trials > 0)
        put_earlier(out, indent, r);
    if (r->trials > 0 && r->cut == r->trials && r->failures == 0 && !outcome->judges_limits)
        text_print(out, "%severy trial was cut: how they end was never judged (--max-steps%s)\n",
                   indent, outcome->test->max_time_ns != 0 ? ", max_time_ns" : "");
    if (is_verbose && r->conflicts.trials > 0)
        put_conflicts(out, indent, &r->conflicts);
    if (r->unseen[0] != '\0') {
        text_print(out, "%srequired, but never met: ", indent);
        put_on_line(out, r->unseen);
        text_putc(out, '\n');
    }
    if (outcome->is_timed_out)
        text_print(out, "%sits time was up (--timeout)\n", indent);
    if (outcome->is_interrupted)
        text_print(out, "%sthe run was interrupted\n", indent);
    if (r->note[0] != '\0') {
        text_puts(out, indent);
        put_on_line(out, r->note);
        text_putc(out, '\n');
    }
}

void run_put_covered(struct sn_text *out, const char *indent, const struct run_plan *plan,
                     const struct run_outcome *outcome, bool is_verbose)
{
    const struct sn_result *r = outcome->result;

    text_puts(out, indent);
    put_count(out, r->trials, "trial");
    text_puts(out, ", ");
    put_count(out, r->steps, "step");
    text_print(out, ", %s", r->distinct_orders > 65536 ? "about " : "");
    put_count(out, r->distinct_orders, "distinct order");
    if (plan->options.keep_going)
        text_print(out, ", %" PRIu64 " failed", r->failures);
    if (r->cut > 0)
        text_print(out, ", %" PRIu64 " cut at the limit of steps%s", r->cut,
                   outcome->test->max_time_ns != 0 ? " or of time" : "");
    if (r->stuck > 0)
        text_print(out, ", %" PRIu64 " stuck", r->stuck);
    if (r->discarded > 0)
        text_print(out, ", %" PRIu64 " discarded", r->discarded);
    text_print(out, ", %.2f s", outcome->seconds);
    if (is_verbose)
        text_print(out, "; %s", r->world);
    text_putc(out, '\n');
    put_conclusions(out, indent, outcome, is_verbose);
    if (outcome->coverage != NULL)
        run_coverage_put_classes(out, indent, outcome->coverage, is_verbose);
    if (plan->options.keep_going)
        put_kinds(out, indent, outcome);
    if (outcome->coverage != NULL && (r->failures == 0 || plan->options.keep_going))
        run_coverage_put_next(out, indent, outcome->coverage, is_verbose);
    if (outcome->coverage != NULL && (r->failures == 0 || plan->options.keep_going))
        run_coverage_put_rest(out, indent, outcome->coverage, is_verbose);
}

void run_put_site(struct sn_text *out, const struct run_site *site)
{
    const struct sn_site *at = site->site;

    const char *slash = strrchr(at->file, '/');

    text_print(out, "%s \"%.200s\" (%.200s:%d",
               at->condition != NULL ? "sn_sometimes" : "sn_reachable", at->name,
               slash != NULL ? slash + 1 : at->file, at->line);
    if (at->condition != NULL)
        text_print(out, ": %.200s", at->condition);
    text_puts(out, "): ");
    if (site->is_held)
        text_print(out, "first in %.100s, trial %" PRIu64, site->test, site->trial);
    else
        text_puts(out, site->is_reached ? "no trial in which it holds" : "no trial gets there");
}

void run_put_unmet(struct sn_text *out, const struct run_sites *sites)
{
    text_print(out, "%zu of %zu place%s that must be met in some trial %s not", sites->n_unmet,
               sites->n, sites->n == 1 ? "" : "s", sites->n_unmet == 1 ? "was" : "were");
}

void run_put_seconds(struct sn_text *out, double seconds)
{
    uint64_t ms = seconds > 0 ? (uint64_t)(seconds * 1e3 + 0.5) : 0;

    text_print(out, "%" PRIu64 ".%03" PRIu64, ms / 1000, ms % 1000);
}
