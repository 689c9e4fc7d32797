/* coverage_file.c - see coverage_file.h. SPDX-License-Identifier: MIT */
#include "report/coverage_file.h"

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "engine/mem.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <string.h>

enum { TEXT_BYTES = 16 << 20 };

static void put_name(struct sn_text *out, const char *name)
{
    json_put_string(out, name, strlen(name));
}

static void put_events(struct sn_text *out, const struct coverage_pair *pairs, uint32_t n,
                       bool covered)
{
    const char *before = "";

    for (uint32_t i = 0; i < n; i++) {
        if (pairs[i].is_covered != covered)
            continue;
        text_puts(out, before);
        put_name(out, pairs[i].event_name);
        before = ", ";
    }
}

/* How many pairs, from the first on, are of the same state; or of the same machine. */
static uint32_t same(const struct coverage_pair *pairs, uint32_t n, bool is_state)
{
    uint32_t k = 1;

    while (k < n && strcmp(pairs[k].machine_name, pairs[0].machine_name) == 0 &&
           (!is_state || strcmp(pairs[k].state_name, pairs[0].state_name) == 0))
        k++;
    return k;
}

static void put_states(struct sn_text *out, const struct coverage_pair *pairs, uint32_t n)
{
    for (uint32_t i = 0, k; i < n; i += k) {
        k = same(pairs + i, n - i, true);
        text_puts(out, i > 0 ? ",\n      " : "\n      ");
        put_name(out, pairs[i].state_name);
        text_puts(out, ": {\"came\": [");
        put_events(out, pairs + i, k, true);
        text_puts(out, "], \"never\": [");
        put_events(out, pairs + i, k, false);
        text_puts(out, "]}");
    }
}

static void put_machines(struct sn_text *out, const struct coverage *c)
{
    uint32_t covered = 0;

    for (uint32_t i = 0; i < c->n; i++)
        covered += c->pairs[i].is_covered;
    text_print(out, ",\n  \"came\": %u,\n  \"never\": %u,\n  \"machines\": {", covered,
               c->n - covered);
    for (uint32_t i = 0, k; i < c->n; i += k) {
        k = same(c->pairs + i, c->n - i, false);
        text_puts(out, i > 0 ? ",\n    " : "\n    ");
        put_name(out, c->pairs[i].machine_name);
        text_puts(out, ": {");
        put_states(out, c->pairs + i, k);
        text_puts(out, "\n    }");
    }
    text_puts(out, "\n  }");
}

/* ---- Runs and orders ------------------------------------------------------------------------ */

static void put_key(struct sn_text *out, const char *key)
{
    text_print(out, ",\n  \"%s\": ", key);
}

static void put_text(struct sn_text *out, const char *key, const char *value)
{
    text_print(out, ", \"%s\": ", key);
    put_name(out, value);
}

static void put_number(struct sn_text *out, const char *key, uint64_t value)
{
    text_print(out, ", \"%s\": %" PRIu64, key, value);
}

static void put_bool(struct sn_text *out, const char *key, bool value)
{
    text_print(out, ", \"%s\": %s", key, value ? "true" : "false");
}

static void put_parts(struct sn_text *out, const struct run_coverage *c)
{
    put_key(out, "runs");
    text_putc(out, '[');
    for (uint32_t i = 0; i < c->n_parts; i++) {
        const struct run_part *part = &c->parts[i];

        text_print(out, "%s\n    {\"stream\": \"%016" PRIx64 "\"", i > 0 ? "," : "", part->stream);
        put_number(out, "first", part->first);
        put_number(out, "trials", part->trials);
        put_number(out, "seed", part->seed);
        put_text(out, "strategy", part->strategy);
        put_text(out, "build", part->build);
        text_putc(out, '}');
    }
    text_puts(out, "\n  ]");
}

static void put_orders(struct sn_text *out, const struct run_coverage *c)
{
    put_key(out, "orders");
    text_print(out, "{\"distinct\": %" PRIu64, c->distinct);
    put_bool(out, "exact", c->has_orders);
    text_puts(out, ", \"seen\": ");
    text_putc(out, '"');
    for (uint32_t i = 0; c->has_orders && i < c->n_orders; i++)
        text_print(out, "%016" PRIx64, c->orders[i]);
    text_puts(out, "\", \"sketch\": \"");
    for (uint32_t i = 0; !c->has_orders && i < DISTINCT_REGISTERS; i++)
        text_print(out, "%02x", c->sketch[i]);
    text_puts(out, "\"}");
}

static void put_part(struct sn_text *out, const char *key, double part)
{
    text_print(out, ", \"%s\": \"", key);
    run_coverage_put_part(out, part);
    text_putc(out, '"');
}

static void put_arm(struct sn_text *out, const struct run_coverage *c, uint32_t i)
{
    const struct run_arm *arm = &c->arms[i];
    const struct discovery_estimate *e = &arm->estimate;

    text_puts(out, "\n    {\"strategy\": ");
    put_name(out, arm->name);
    text_print(out, ", \"mind\": \"%016" PRIx64 "\"", arm->figures.mind);
    put_number(out, "trials", arm->figures.trials);
    put_number(out, "orders", arm->figures.orders);
    put_number(out, "once", arm->figures.once);
    put_number(out, "twice", arm->figures.twice);
    put_bool(out, "full", arm->is_full);
    put_text(out, "next", run_coverage_answer(e->answer));
    if (e->answer == DISCOVERY_KNOWN) {
        put_part(out, "probability", e->next);
        put_part(out, "low", e->low);
        put_part(out, "high", e->high);
        put_number(out, "least", e->least);
    }
    text_puts(out, ", \"counts\": \"");
    for (uint32_t k = 0; arm->has_counts && k < c->n_orders; k++)
        text_putc(out, (char)('0' + c->counts[i][k]));
    text_puts(out, "\"}");
}

static void put_next(struct sn_text *out, const struct run_coverage *c)
{
    put_key(out, "sampled");
    text_puts(out, c->is_sampled ? "true" : "false");
    put_key(out, "next");
    text_putc(out, '[');
    for (uint32_t i = 0; i < c->n_arms; i++) {
        text_puts(out, i > 0 ? "," : "");
        put_arm(out, c, i);
    }
    text_puts(out, c->n_arms > 0 ? "\n  ]" : "]");
    put_key(out, "discovery");
    text_putc(out, '[');
    for (uint32_t i = 0; i < c->n_curve; i++)
        text_print(out, "%s[%" PRIu64 ", %" PRIu64 "]", i > 0 ? ", " : "", c->curve[i].trials,
                   c->curve[i].orders);
    text_putc(out, ']');
}

/* ---- What was looked at --------------------------------------------------------------------- */

static void put_survey(struct sn_text *out, const struct run_coverage *c)
{
    put_key(out, "survey");
    text_print(out, "{\"trials\": %" PRIu64, c->surveyed);
    put_bool(out, "complete", !c->is_survey_cut);
    text_puts(out, ", \"states\": ");
    if (c->has_states)
        text_print(out, "%" PRIu64, c->states);
    else
        text_puts(out, "null");
    put_bool(out, "least", c->is_states_least);
    text_putc(out, '}');
    put_key(out, "races");
    text_putc(out, '[');
    for (uint32_t i = 0; i < c->n_races; i++) {
        const struct run_race *race = &c->races[i];

        text_print(out, "%s\n    {\"machine\": ", i > 0 ? "," : "");
        put_name(out, race->machine);
        put_text(out, "first", race->events[0]);
        put_text(out, "second", race->events[1]);
        put_bool(out, "forth", race->came[0]);
        put_bool(out, "back", race->came[1]);
        text_putc(out, '}');
    }
    text_puts(out, c->n_races > 0 ? "\n  ]" : "]");
}

static void put_met(struct sn_text *out, const struct run_coverage *c)
{
    put_key(out, "sometimes");
    text_putc(out, '[');
    for (uint32_t i = 0; i < c->n_met; i++) {
        const struct run_met *met = &c->met[i];

        text_print(out, "%s\n    {\"name\": ", i > 0 ? "," : "");
        put_name(out, met->name);
        put_text(out, "file", met->file);
        put_number(out, "line", met->line);
        put_text(out, "condition", met->condition);
        put_bool(out, "reached", met->is_reached);
        put_bool(out, "held", met->is_held);
        text_putc(out, '}');
    }
    text_puts(out, c->n_met > 0 ? "\n  ]" : "]");
}

void coverage_put(struct sn_text *out, const struct run_coverage *c)
{
    text_print(
        out, "{\n  \"sennit\": \"coverage\",\n  \"version\": %d,\n  \"suite\": ", COVERAGE_VERSION);
    put_name(out, c->suite);
    put_key(out, "test");
    put_name(out, c->test);
    put_parts(out, c);
    text_print(out,
               ",\n  \"trials\": %" PRIu64 ",\n  \"steps\": %" PRIu64 ",\n  \"failed\": %" PRIu64
               ",\n  \"cut\": %" PRIu64,
               c->trials, c->steps, c->failures, c->cut);
    put_orders(out, c);
    put_next(out, c);
    put_survey(out, c);
    put_met(out, c);
    put_machines(out, &c->machines);
    text_puts(out, "\n}\n");
}

int coverage_write(const struct run_coverage *c, const char *path, struct err *why)
{
    char *memory = mem_reserve_shared(TEXT_BYTES, why);
    struct sn_text out;
    int rc;

    if (memory == NULL)
        return SN_ENOMEM;
    text_init(&out, memory, TEXT_BYTES);
    coverage_put(&out, c);
    if (out.cut)
        rc = err_set(why, SN_ENOMEM, "%.300s: there is more to say than it has room for", path);
    else
        rc = file_replace(path, &(struct file_part){out.buffer, out.used}, 1, why);
    mem_release(memory, TEXT_BYTES);
    return rc;
}
