/* explain_json.c - an explanation as one JSON object. docs/explaining.md describes its members.
 * SPDX-License-Identifier: MIT
 */
#include "base/estimate.h"
#include "base/json.h"
#include "report/explain_pieces.h"
#include "report/explain_text.h"

#include <inttypes.h>
#include <string.h>

static void put_string(struct sn_text *out, const char *key, const char *value)
{
    text_print(out, "\"%s\":", key);
    json_put_string(out, value, strlen(value));
}

static void put_number(struct sn_text *out, const char *key, uint64_t value)
{
    text_print(out, "\"%s\":%" PRIu64, key, value);
}

static void put_bool(struct sn_text *out, const char *key, bool value)
{
    text_print(out, "\"%s\":%s", key, value ? "true" : "false");
}

/* Null if nothing was asked. */
static void put_answer(struct sn_text *out, const char *key, const struct answer *a)
{
    struct interval i = estimate_wilson(a->failed, a->trials);

    if (a->trials == 0) {
        text_print(out, "\"%s\":null", key);
        return;
    }
    text_print(out,
               "\"%s\":{\"trials\":%" PRIu32 ",\"failed\":%" PRIu32 ",\"stuck\":%" PRIu32
               ",\"low\":%.6f,\"high\":%.6f}",
               key, a->trials, a->failed, a->stuck, i.low, i.high);
}

static void put_item(struct sn_text *out, const struct explanation_item *item)
{
    static const char *const kinds[] = {[ITEM_ORDER] = "order",
                                        [ITEM_RELATIVE] = "order",
                                        [ITEM_DRAW] = "value",
                                        [ITEM_QUIET] = "no other fault"};

    text_print(out, "{\"kind\":\"%s\",", kinds[item->kind]);
    put_string(out, "first", item->first);
    text_putc(out, ',');
    put_string(out, "second", item->second);
    text_putc(out, ',');
    put_bool(out, "second_never_ran", item->is_pending);
    text_putc(out, ',');
    put_number(out, "first_step", item->steps[0]);
    text_putc(out, ',');
    put_number(out, "second_step", item->steps[1]);
    text_putc(out, ',');
    put_number(out, "group", item->is_grouped);
    text_putc(out, ',');
    put_string(out, "require", item->require);
    if (item->is_labelled) {
        text_print(out, ",\"label\":\"%s\",", explain_label(item->labelled.label));
        put_answer(out, "dropped", &item->labelled.dropped);
        text_putc(out, ',');
        put_answer(out, "reversed", &item->labelled.flipped);
    }
    text_putc(out, '}');
}

/* Null if nobody has counted. */
static void put_count(struct sn_text *out, const char *key, uint64_t value, bool is_known)
{
    if (is_known)
        put_number(out, key, value);
    else
        text_print(out, "\"%s\":null", key);
}

/* Null if nobody has counted. */
static void put_alike(struct sn_text *out, const struct explanation *e)
{
    if (!e->has_alike) {
        text_puts(out, "\"alike\":null");
        return;
    }
    text_puts(out, "\"alike\":{");
    put_number(out, "failing", e->alike_failing.n);
    text_putc(out, ',');
    put_number(out, "of_failing", e->alike_failing.of);
    text_putc(out, ',');
    put_number(out, "passing", e->alike_passing.n);
    text_putc(out, ',');
    put_number(out, "of_passing", e->alike_passing.of);
    text_putc(out, '}');
}

static void put_cause(struct sn_text *out, const struct explanation_cause *c, bool is_covered)
{
    text_putc(out, '{');
    put_bool(out, "sufficient", c->is_enough);
    text_putc(out, ',');
    put_bool(out, "minimal", c->is_minimal);
    text_putc(out, ',');
    put_answer(out, "verified", &c->verified);
    text_putc(out, ',');
    if (c->from.is_kept)
        put_number(out, "from", c->from.steps);
    else
        text_puts(out, "\"from\":null");
    text_putc(out, ',');
    put_answer(out, "base", &c->base);
    text_putc(out, ',');
    put_count(out, "covers", c->covers, is_covered);
    text_putc(out, ',');
    put_string(out, "also", c->also);
    text_putc(out, ',');
    put_string(out, "trace", c->trace);
    text_putc(out, ',');
    put_bool(out, "given_up", c->is_given_up);
    text_puts(out, ",\"constraints\":[");
    for (uint32_t i = 0; i < c->n_items; i++) {
        text_puts(out, i > 0 ? "," : "");
        put_item(out, &c->items[i]);
    }
    text_puts(out, "],\"ladder\":[");
    for (uint32_t i = 0; i < c->n_ladder; i++) {
        text_print(out, "%s{\"orders\":%" PRIu32 ",", i > 0 ? "," : "", c->ladder[i].orders);
        put_answer(out, "answer", &c->ladder[i].answer);
        text_putc(out, '}');
    }
    text_puts(out, "]}");
}

static void put_lost(struct sn_text *out, const struct explanation *e)
{
    const struct pnr *p = &e->pnr;

    text_puts(out, "\"lost\":{");
    put_bool(out, "found", p->is_found);
    text_putc(out, ',');
    put_number(out, "step", p->step);
    text_putc(out, ',');
    put_string(out, "operation", explain_step_words(e, p->step));
    text_putc(out, ',');
    put_answer(out, "before", &p->before);
    text_putc(out, ',');
    put_answer(out, "after", &p->after);
    text_puts(out, ",\"curve\":[");
    for (uint32_t i = 0; i < p->n_points; i++) {
        text_print(out, "%s{\"step\":%" PRIu64 ",", i > 0 ? "," : "", p->points[i].steps);
        put_answer(out, "after", &p->points[i].answer);
        text_putc(out, '}');
    }
    text_puts(out, "],\"jumps\":[");
    for (uint32_t i = 0; i < p->n_jumps; i++) {
        text_print(out, "%s{\"step\":%" PRIu64 ",", i > 0 ? "," : "", p->jumps[i].step);
        put_string(out, "operation", explain_step_words(e, p->jumps[i].step));
        text_putc(out, ',');
        put_answer(out, "before", &p->jumps[i].before);
        text_putc(out, ',');
        put_answer(out, "after", &p->jumps[i].after);
        text_putc(out, '}');
    }
    text_puts(out, "]}");
}

static void put_core(struct sn_text *out, const struct explanation *e)
{
    text_print(out, "\"core\":{\"failing\":%" PRIu32 ",\"passing\":%" PRIu32 ",\"orders\":[",
               e->n_core_failing, e->n_core_passing);
    for (uint32_t i = 0; i < e->n_core; i++) {
        const struct explanation_core *c = &e->core[i];

        text_puts(out, i > 0 ? ",{" : "{");
        put_string(out, "first", c->first);
        text_putc(out, ',');
        put_string(out, "second", c->second);
        text_putc(out, ',');
        put_string(out, "require", c->require);
        text_print(out, ",\"in_failing\":%" PRIu32 ",\"in_passing\":%" PRIu32 ",",
                   c->order.in_failing, c->order.in_passing);
        put_bool(out, "machines_change_places", c->is_modulo);
        text_putc(out, ',');
        put_answer(out, "forced", &c->order.forced);
        text_putc(out, ',');
        put_answer(out, "reversed", &c->order.reversed);
        text_putc(out, '}');
    }
    text_puts(out, "]}");
}

static void put_nearest(struct sn_text *out, const struct explanation *e)
{
    static const char *const found[] = {[NEAR_NOT_SOUGHT] = "not sought",
                                        [NEAR_FOUND] = "found",
                                        [NEAR_NONE] = "none",
                                        [NEAR_FAR] = "too far",
                                        [NEAR_LIVENESS] = "liveness"};

    text_print(out, "\"nearest\":{\"result\":\"%s\",", found[e->near]);
    put_string(out, "first", e->near_first);
    text_putc(out, ',');
    put_string(out, "second", e->near_second);
    text_putc(out, ',');
    put_number(out, "tried", e->near_tried);
    text_putc(out, ',');
    put_number(out, "inversions", e->near_inversions);
    text_putc(out, ',');
    put_string(out, "difference", e->near_difference);
    text_putc(out, '}');
}

static void put_trial(struct sn_text *out, const struct explanation *e)
{
    text_puts(out, "\"trial\":{");
    put_string(out, "strategy", e->strategy);
    text_putc(out, ',');
    put_number(out, "number", e->trial);
    text_putc(out, ',');
    if (e->instead_by != NULL) {
        put_string(out, "instead_by", e->instead_by);
        text_putc(out, ',');
    }
    put_number(out, "steps_before", e->steps_before);
    text_putc(out, ',');
    put_number(out, "steps", e->steps_all);
    text_putc(out, ',');
    put_number(out, "fair_steps", e->fair_steps);
    text_putc(out, ',');
    put_number(out, "fair_from", e->fair_from);
    text_putc(out, ',');
    put_number(out, "shrink_trials", e->shrink_trials);
    text_putc(out, ',');
    put_number(out, "exceptions", e->exceptions);
    text_putc(out, ',');
    put_bool(out, "default_fails", e->default_fails);
    text_putc(out, ',');
    put_bool(out, "liveness", e->is_liveness);
    text_puts(out, ",\"list\":[");
    for (uint32_t i = 0; i < e->n_steps_list; i++) {
        text_print(out, "%s{\"step\":%" PRIu64 ",", i > 0 ? "," : "", e->steps_list[i].step);
        put_string(out, "operation", e->steps_list[i].words);
        text_putc(out, ',');
        put_string(out, "changes", e->steps_list[i].changes);
        text_putc(out, ',');
        put_bool(out, "of_note", e->steps_list[i].is_of_note);
        text_putc(out, '}');
    }
    text_puts(out, "]}");
}

static void put_rates(struct sn_text *out, const struct explanation *e)
{
    text_puts(out, "\"rates\":{");
    for (uint32_t i = 0; i < e->n_rates; i++) {
        text_puts(out, i > 0 ? "," : "");
        put_answer(out, e->rates[i].strategy, &e->rates[i].answer);
    }
    text_putc(out, '}');
}

/* null if nothing is known of them. */
static void put_group(struct sn_text *out, const struct explanation *e)
{
    const struct explanation_group *g = &e->group;

    text_puts(out, "\"run\":");
    if (g->looked == 0) {
        text_puts(out, "null");
        return;
    }
    text_print(out, "{\"failed\":%" PRIu64 ",\"looked_at\":%" PRIu32 ",\"covers\":[", g->count,
               g->looked);
    for (uint32_t i = 0; i < e->n_causes; i++)
        text_print(out, "%s%" PRIu32, i > 0 ? "," : "", g->covers[i]);
    text_puts(out, "],\"first\":[");
    for (uint32_t i = 0; i < e->n_causes; i++) {
        text_puts(out, i > 0 ? "," : "");
        if (g->covers[i] > 0)
            text_print(out, "%" PRIu64, g->first[i]);
        else
            text_puts(out, "null");
    }
    text_print(out, "],\"none\":%" PRIu32 "}", g->none);
}

void explain_json(struct sn_text *out, const struct explanation *e)
{
    text_puts(out, "{\"format\":\"sennit-explanation\",\"version\":1,\n");
    put_string(out, "suite", e->suite);
    text_putc(out, ',');
    put_string(out, "test", e->test);
    text_putc(out, ',');
    put_string(out, "failure", e->failure);
    text_puts(out, ",\n");
    put_trial(out, e);
    text_puts(out, ",\n");
    put_lost(out, e);
    text_puts(out, ",\n");
    put_answer(out, "base", &e->base);
    text_puts(out, ",\n\"causes\":[");
    for (uint32_t i = 0; i < e->n_causes; i++) {
        text_puts(out, i > 0 ? ",\n" : "");
        put_cause(out, &e->causes[i], e->has_covers);
    }
    text_puts(out, "],\n");
    put_number(out, "pool", e->n_pool);
    text_putc(out, ',');
    put_count(out, "covered", e->covered, e->has_covers);
    text_putc(out, ',');
    put_bool(out, "machines_change_places", e->is_covered_modulo);
    text_putc(out, ',');
    put_number(out, "too_long", e->n_unknown);
    text_putc(out, ',');
    put_alike(out, e);
    text_puts(out, ",\n");
    put_group(out, e);
    text_puts(out, ",\n");
    put_core(out, e);
    text_puts(out, ",\n");
    put_nearest(out, e);
    text_puts(out, ",\n");
    put_rates(out, e);
    text_puts(out, ",\n");
    put_number(out, "executions", e->executions);
    text_putc(out, ',');
    put_number(out, "seed", e->seed);
    text_putc(out, ',');
    put_bool(out, "complete", e->stage == STAGE_DONE);
    text_puts(out, "}\n");
}
