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

static void put_trials(struct sn_text *out, const char *indent, const struct run_failure *failure)
{
    put_key(out, indent, "trials");
    text_putc(out, '[');
    for (uint32_t i = 0; i < failure->n_trials; i++)
        text_print(out, "%s%" PRIu64, i > 0 ? ", " : "", failure->trials[i]);
    text_putc(out, ']');
}

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
    put_trials(out, indent, failure);
    text_init(&repro, summary->memory, TEXT_BYTES);
    run_put_signature(&repro, failure);
    put_text(out, indent, "signature", repro.buffer);
    put_optional(out, indent, "oracle", failure->oracle);
    put_text(out, indent, "message", run_failure_message(failure));
    put_optional(out, indent, "trace", failure->trace);
    if (failure->drawn[0] != '\0')
        put_text(out, indent, "drawn", failure->drawn);
    if (failure->shrunk[0] != '\0')
        put_text(out, indent, "shrunk", failure->shrunk);
    if (failure->shrunk_runs > 0)
        put_number(out, indent, "shrunk_runs", failure->shrunk_runs);
    if (failure->shrunk_trace[0] != '\0')
        put_text(out, indent, "shrunk_trace", failure->shrunk_trace);
    text_init(&repro, summary->memory, TEXT_BYTES);
    run_put_repro(&repro, summary->plan, test, failure);
    put_text(out, indent, "repro", repro.buffer);
    put_optional(out, indent, "stack", failure->stack);
    text_puts(out, "\n        }");
}

/* What a strategy has found out about conflicts, if it looks for them. */
static void put_conflicts(struct sn_text *out, const char *indent, const struct sn_conflicts *c)
{
    if (c->trials == 0)
        return;
    put_key(out, indent, "conflicts");
    text_print(out,
               "{\"trials\": %" PRIu64 ", \"operations\": %" PRIu64 ", \"skipped\": %" PRIu64
               ", \"raced\": %" PRIu64 ", \"false_negatives\": %" PRIu64
               ", \"false_positives\": %" PRIu64 ", \"signatures\": %" PRIu64 ", \"racy\": %" PRIu64
               "}",
               c->trials, c->operations, c->skipped, c->raced, c->false_negatives,
               c->false_positives, c->signatures, c->racy);
}

static void put_result(struct sn_text *out, const struct run_outcome *outcome)
{
    static const char indent[] = "      ";
    const struct sn_result *r = outcome->result;

    put_number(out, indent, "trials", r->trials);
    put_number(out, indent, "steps", r->steps);
    put_number(out, indent, "distinct_orders", r->distinct_orders);
    put_number(out, indent, "cut", r->cut);
    put_number(out, indent, "stuck", r->stuck);
    put_number(out, indent, "draws", r->draws);
    put_number(out, indent, "discarded", r->discarded);
    put_optional(out, indent, "unseen", r->unseen);
    put_number(out, indent, "failed", r->failures);
    put_number(out, indent, "kinds", outcome->n_failures);
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
    put_conflicts(out, indent, &r->conflicts);
    put_optional(out, indent, "note", r->note);
    put_optional(out, indent, "world", r->world);
    put_optional(out, indent, "error", outcome->rc < 0 ? r->failure : "");
}

static void put_part(struct sn_text *out, const char *key, double part)
{
    text_print(out, ", \"%s\": ", key);
    run_coverage_put_part(out, part);
}

static void put_arm(struct sn_text *out, const struct run_arm *arm)
{
    const struct discovery_estimate *e = &arm->estimate;

    text_puts(out, "{\"strategy\": ");
    json_put_string(out, arm->name, strlen(arm->name));
    text_print(out,
               ", \"trials\": %" PRIu64 ", \"orders\": %" PRIu64 ", \"once\": %" PRIu64
               ", \"twice\": %" PRIu64 ", \"next\": \"%s\"",
               arm->figures.trials, arm->figures.orders, arm->figures.once, arm->figures.twice,
               run_coverage_answer(e->answer));
    if (e->answer == DISCOVERY_KNOWN) {
        put_part(out, "probability", e->next);
        put_part(out, "low", e->low);
        put_part(out, "high", e->high);
        text_print(out, ", \"least\": %" PRIu64, e->least);
    }
    text_putc(out, '}');
}

/* How many orders there were after so many trials, and what the next one may show. */
static void put_discovery(struct sn_text *out, const struct run_coverage *c)
{
    static const char indent[] = "      ";
    const char *before = "";

    put_key(out, indent, "next");
    text_putc(out, '[');
    for (uint32_t i = 0; c != NULL && c->is_sampled && i < c->n_arms; i++) {
        if (c->arms[i].figures.trials == 0)
            continue;
        text_puts(out, before);
        put_arm(out, &c->arms[i]);
        before = ", ";
    }
    text_putc(out, ']');
    put_key(out, indent, "discovery");
    text_putc(out, '[');
    for (uint32_t i = 0; c != NULL && i < c->n_curve; i++)
        text_print(out, "%s[%" PRIu64 ", %" PRIu64 "]", i > 0 ? ", " : "", c->curve[i].trials,
                   c->curve[i].orders);
    text_putc(out, ']');
}

/* What trials were said to be: a table with its values, and how many trials have each. */
static void put_classes(struct sn_text *out, const struct run_coverage *c)
{
    uint32_t n = c != NULL ? c->n_classes : 0;

    put_key(out, "      ", "classes");
    text_putc(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        text_puts(out, i > 0 ? ",\n        {\"table\": " : "\n        {\"table\": ");
        json_put_string(out, c->classes[i].table, strlen(c->classes[i].table));
        text_puts(out, ", \"value\": ");
        json_put_string(out, c->classes[i].value, strlen(c->classes[i].value));
        text_print(out, ", \"trials\": %" PRIu64 "}", c->classes[i].trials);
    }
    text_puts(out, n > 0 ? "\n      ]" : "]");
}

/* What was looked at closely, and what never came. */
static void put_rest(struct sn_text *out, const struct run_coverage *c)
{
    static const char indent[] = "      ";

    put_number(out, indent, "surveyed", c != NULL ? c->surveyed : 0);
    put_number_or_null(out, indent, "states", c != NULL && c->has_states ? c->states : 0);
    put_number(out, indent, "never_came", c != NULL ? run_coverage_never(c) : 0);
    put_number(out, indent, "races", c != NULL ? c->n_races : 0);
    put_number(out, indent, "races_one_sided", c != NULL ? run_coverage_one_sided(c) : 0);
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
    put_discovery(out, outcome->coverage);
    put_classes(out, outcome->coverage);
    put_rest(out, outcome->coverage);
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
    static const char list_end[] = "\n  ]";
    static const char end[] = "\n}\n";
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
    if (head.cut || summary->body.cut || summary->sites.cut)
        return err_set(why, SN_ENOMEM, "%.300s: there is more to say than it has room for",
                       summary->path);
    return file_replace(
        summary->path,
        (const struct file_part[]){{head.buffer, head.used},
                                   {summary->body.buffer, summary->body.used},
                                   summary->n_tests > 0
                                       ? (struct file_part){list_end, sizeof(list_end) - 1}
                                       : (struct file_part){"]", 1},
                                   {summary->sites.buffer, summary->sites.used},
                                   {end, sizeof(end) - 1}},
        5, why);
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
    summary->memory = mem_reserve_shared(2 * TEXT_BYTES + MEMORY_BYTES, why);
    if (summary->memory == NULL)
        return SN_ENOMEM;
    text_init(&summary->body, (char *)summary->memory + TEXT_BYTES, MEMORY_BYTES);
    text_init(&summary->sites, (char *)summary->memory + TEXT_BYTES + MEMORY_BYTES, TEXT_BYTES);
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

static void put_site(struct sn_text *out, const struct run_site *site)
{
    static const char indent[] = "      ";
    const struct sn_site *at = site->site;

    text_puts(out, "\n    {\n      \"kind\": ");
    text_puts(out, at->condition != NULL ? "\"sometimes\"" : "\"reachable\"");
    put_text(out, indent, "name", at->name);
    put_text(out, indent, "file", at->file);
    put_number(out, indent, "line", (uint64_t)at->line);
    put_optional(out, indent, "condition", at->condition != NULL ? at->condition : "");
    put_bool(out, indent, "reached", site->is_reached);
    put_bool(out, indent, "held", site->is_held);
    put_optional(out, indent, "test", site->is_held ? site->test : "");
    put_key(out, indent, "trial");
    if (site->is_held)
        text_print(out, "%" PRIu64 "\n    }", site->trial);
    else
        text_puts(out, "null\n    }");
}

static int tell_sites(void *self, const struct run_sites *sites, struct err *why)
{
    struct summary *summary = self;
    struct sn_text *out = &summary->sites;

    text_clear(out);
    put_bool(out, "  ", "strict", sites->is_strict);
    put_key(out, "  ", "sometimes");
    text_putc(out, '[');
    for (size_t i = 0; i < sites->n; i++) {
        text_puts(out, i > 0 ? "," : "");
        put_site(out, &sites->list[i]);
    }
    text_puts(out, sites->n > 0 ? "\n  ]" : "]");
    if (sites->is_strict && sites->n_unmet > 0)
        summary->worst = worse(summary->worst, RUN_FAILED);
    return write_file(summary, false, false, why);
}

static int end(void *self, bool is_interrupted, struct err *why)
{
    return write_file(self, !is_interrupted, is_interrupted, why);
}

static void done(void *self)
{
    struct summary *summary = self;

    mem_release(summary->memory, 2 * TEXT_BYTES + MEMORY_BYTES);
    summary->memory = NULL;
}

static const struct run_reporter_kind kind = {
    .begin = begin,
    .test_end = test_end,
    .sites = tell_sites,
    .end = end,
    .done = done,
};

struct run_reporter summary_reporter(struct summary *summary)
{
    return (struct run_reporter){.kind = &kind, .self = summary};
}
