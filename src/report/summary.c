/* summary.c - see summary.h. SPDX-License-Identifier: MIT */
#include "report/summary.h"

#include "base/json.h"
#include "engine/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 1 << 20 }; /* of what is put together before it is written */
#define MEMORY_BYTES ((size_t)(64 << 20 >> MEM_SAVING_SHIFT))

/* ---- Members -------------------------------------------------------------------------------- */

/* Each begins a line of its own and ends before its comma. */
static void put_key(struct sn_text *out, const char *indent, const char *key)
{
    text_print(out, ",\n%s\"%s\": ", indent, key);
}

static void put_text(struct sn_text *out, const char *indent, const char *key, const char *value)
{
    put_key(out, indent, key);
    json_put_string(out, value, strlen(value));
}

/* null if it is empty. */
static void put_optional(struct sn_text *out, const char *indent, const char *key,
                         const char *value)
{
    if (value[0] != '\0') {
        put_text(out, indent, key, value);
        return;
    }
    put_key(out, indent, key);
    text_puts(out, "null");
}

static void put_number(struct sn_text *out, const char *indent, const char *key, uint64_t value)
{
    put_key(out, indent, key);
    text_print(out, "%" PRIu64, value);
}

/* null if it is 0: not known. */
static void put_number_or_null(struct sn_text *out, const char *indent, const char *key,
                               uint64_t value)
{
    if (value > 0) {
        put_number(out, indent, key, value);
        return;
    }
    put_key(out, indent, key);
    text_puts(out, "null");
}

static void put_bool(struct sn_text *out, const char *indent, const char *key, bool value)
{
    put_key(out, indent, key);
    text_puts(out, value ? "true" : "false");
}

static void put_real(struct sn_text *out, const char *indent, const char *key, double value)
{
    put_key(out, indent, key);
    text_print(out, "%.17g", value);
}

static void put_seconds(struct sn_text *out, const char *indent, const char *key, double value)
{
    put_key(out, indent, key);
    run_put_seconds(out, value);
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void put_failure(struct summary *summary, const struct sn_test *test,
                        const struct run_failure *failure)
{
    static const char indent[] = "          ";
    struct sn_text *out = &summary->body;
    const char *verdict = failure->nondeterministic             ? "nondeterministic"
                          : failure->verdict == SN_UNCONTROLLED ? "uncontrolled"
                                                                : "failed";
    struct sn_text repro;

    text_print(out, "\n        {\n%s\"verdict\": \"%s\"", indent, verdict);
    put_number(out, indent, "trial", failure->trial);
    put_number(out, indent, "step", failure->steps);
    put_number(out, indent, "count", failure->count);
    put_optional(out, indent, "oracle", failure->oracle);
    put_text(out, indent, "message", run_failure_message(failure));
    put_optional(out, indent, "trace", failure->trace);
    text_init(&repro, summary->memory, TEXT_BYTES);
    run_put_repro(&repro, summary->plan, test, failure);
    put_text(out, indent, "repro", repro.buffer);
    put_optional(out, indent, "stack", failure->stack);
    text_puts(out, "\n        }");
}

static void put_result(struct sn_text *out, const struct run_outcome *outcome)
{
    static const char indent[] = "      ";
    const struct sn_result *r = outcome->result;

    put_number(out, indent, "trials", r->trials);
    put_number(out, indent, "steps", r->steps);
    put_number(out, indent, "distinct_orders", r->distinct_orders);
    put_number(out, indent, "cut", r->cut);
    put_number(out, indent, "failed", r->failures);
    put_bool(out, indent, "exhausted", r->exhausted);
    put_optional(out, indent, "within", r->within);
    put_number_or_null(out, indent, "schedules", r->schedules);
    put_number_or_null(out, indent, "traces", r->traces);
    put_number(out, indent, "blocked", r->blocked);
    put_number(out, indent, "probes", r->probes);
    put_number_or_null(out, indent, "estimate", r->schedules > 0 ? r->schedules : r->estimate);
    put_number(out, indent, "descents", r->descents);
    put_real(out, indent, "estimate_error", r->estimate_error);
    put_real(out, indent, "estimate_largest", r->estimate_largest);
    put_number(out, indent, "earlier_trials", r->earlier_trials);
    put_number(out, indent, "earlier_failures", r->earlier_failures);
    put_bool(out, indent, "timed_out", outcome->is_timed_out);
    put_optional(out, indent, "note", r->note);
    put_optional(out, indent, "world", r->world);
    put_optional(out, indent, "error", outcome->rc < 0 ? r->failure : "");
}

static void put_test(struct summary *summary, const struct run_outcome *outcome,
                     enum run_status status)
{
    static const struct sn_result nothing;
    static const char indent[] = "      ";
    struct sn_text *out = &summary->body;
    struct run_outcome known = *outcome;

    if (known.result == NULL)
        known.result = &nothing;
    text_print(out, "%s\n    {\n%s\"name\": ", summary->n_tests > 0 ? "," : "", indent);
    json_put_string(out, outcome->test->name, strlen(outcome->test->name));
    put_text(out, indent, "verdict", run_status_name(status));
    put_seconds(out, indent, "seconds", outcome->seconds);
    put_result(out, &known);
    put_key(out, indent, "failures");
    text_putc(out, '[');
    for (size_t i = 0; i < outcome->n_failures; i++) {
        text_puts(out, i > 0 ? "," : "");
        put_failure(summary, outcome->test, &outcome->failures[i]);
    }
    text_puts(out, outcome->n_failures > 0 ? "\n      ]\n    }" : "]\n    }");
}

/* ---- The file ------------------------------------------------------------------------------- */

static void put_head(struct sn_text *out, const struct summary *summary)
{
    static const char indent[] = "  ";
    const struct run_plan *plan = summary->plan;

    text_print(out, "{\n  \"format\": %d", SUMMARY_FORMAT);
    put_text(out, indent, "sennit", summary->version);
    put_text(out, indent, "suite", plan->suite);
    put_text(out, indent, "program", plan->program);
    put_key(out, indent, "args");
    for (size_t i = 0; i < plan->n_args; i++) {
        text_puts(out, i == 0 ? "[" : ", ");
        json_put_string(out, plan->args[i], strlen(plan->args[i]));
    }
    text_puts(out, plan->n_args == 0 ? "[]" : "]");
    put_text(out, indent, "build", plan->build);
    put_text(out, indent, "strategy", plan->options.strategy);
    put_number(out, indent, "seed", plan->options.seed);
    put_number(out, indent, "iterations", plan->options.iterations);
    put_key(out, indent, "shard");
    if (plan->shards > 1)
        text_print(out, "\"%" PRIu64 "/%" PRIu64 "\"", plan->shard, plan->shards);
    else
        text_puts(out, "null");
}

static int write_file(struct summary *summary, bool is_complete, bool is_interrupted,
                      struct err *why)
{
    static const char indent[] = "  ";
    static const char tail[] = "\n  ]\n}\n";
    static const char empty_tail[] = "]\n}\n";
    struct sn_text head;

    text_init(&head, summary->memory, TEXT_BYTES);
    put_head(&head, summary);
    put_text(&head, indent, "verdict", run_status_name(summary->worst));
    put_bool(&head, indent, "complete", is_complete);
    put_bool(&head, indent, "interrupted", is_interrupted);
    put_seconds(&head, indent, "seconds", summary->seconds);
    put_number(&head, indent, "planned", summary->plan->n_tests);
    put_key(&head, indent, "tests");
    text_putc(&head, '[');
    if (head.cut || summary->body.cut)
        return err_set(why, SN_ENOMEM, "%.300s: there is more to say than it has room for",
                       summary->path);
    return file_replace(
        summary->path,
        (const struct file_part[]){{head.buffer, head.used},
                                   {summary->body.buffer, summary->body.used},
                                   summary->n_tests > 0
                                       ? (struct file_part){tail, sizeof(tail) - 1}
                                       : (struct file_part){empty_tail, sizeof(empty_tail) - 1}},
        3, why);
}

/* The order in which exit codes count. */
static enum run_status worse(enum run_status a, enum run_status b)
{
    static const enum run_status order[] = {
        RUN_ERROR,       RUN_FAILED,  RUN_UNCONTROLLED, RUN_NONDETERMINISTIC,
        RUN_INTERRUPTED, RUN_NOT_RUN, RUN_NOTHING};

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (a == order[i] || b == order[i])
            return order[i];
    }
    return RUN_PASSED;
}

static int begin(void *self, const struct run_plan *plan, struct err *why)
{
    struct summary *summary = self;
    int rc = file_make_dirs(plan->options.outdir, why);

    *summary = (struct summary){.version = summary->version, .plan = plan};
    if (rc < 0)
        return rc;
    (void)snprintf(summary->path, sizeof(summary->path), "%s/summary.json", plan->options.outdir);
    summary->memory = mem_reserve_shared(TEXT_BYTES + MEMORY_BYTES, why);
    if (summary->memory == NULL)
        return SN_ENOMEM;
    text_init(&summary->body, (char *)summary->memory + TEXT_BYTES, MEMORY_BYTES);
    summary->worst = plan->n_tests > 0 ? RUN_PASSED : RUN_NOTHING;
    return write_file(summary, false, false, why);
}

static int test_end(void *self, const struct run_outcome *outcome, struct err *why)
{
    struct summary *summary = self;
    enum run_status status = run_status_of(outcome);

    put_test(summary, outcome, status);
    summary->n_tests++;
    summary->seconds += outcome->seconds;
    summary->worst = worse(summary->worst, status);
    return write_file(summary, false, outcome->is_interrupted, why);
}

static int end(void *self, bool is_interrupted, struct err *why)
{
    return write_file(self, !is_interrupted, is_interrupted, why);
}

static void done(void *self)
{
    struct summary *summary = self;

    mem_release(summary->memory, TEXT_BYTES + MEMORY_BYTES);
    summary->memory = NULL;
}

static const struct run_reporter_kind kind = {
    .begin = begin,
    .test_end = test_end,
    .end = end,
    .done = done,
};

struct run_reporter summary_reporter(struct summary *summary)
{
    return (struct run_reporter){.kind = &kind, .self = summary};
}
