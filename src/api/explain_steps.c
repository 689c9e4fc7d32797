/* explain_steps.c - the steps of the trial that is explained, and which of them are worth reading:
 * those that the cause names, those with which more trials fail, faults, and how the last one came
 * about. SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

/* If nothing explains the trial: */
enum {
    LISTED_LAST = 10, /* steps at its end, ... */
    NEAR_JUMP = 3,    /* ... and before and after those that matter */
};

static bool is_named(const struct explanation *e, uint64_t step)
{
    const struct explanation_cause *c = &e->causes[0];

    if (e->n_causes == 0 || !c->is_enough)
        return false;
    for (uint32_t i = 0; i < c->n_items; i++) {
        if (item_is_order(c->items[i].kind) &&
            (c->items[i].steps[0] == step || c->items[i].steps[1] == step))
            return true;
    }
    return c->from.is_kept && c->from.steps == step;
}

/* Whether more trials fail with it. */
static bool is_jump(const struct pnr *p, uint64_t step)
{
    for (uint32_t i = 0; i < p->n_jumps; i++) {
        if (p->jumps[i].step == step)
            return true;
    }
    return p->is_found && p->step == step;
}

/* Whether it is close to such a step. */
static bool is_near_jump(const struct pnr *p, uint64_t step)
{
    for (uint64_t i = step > NEAR_JUMP ? step - NEAR_JUMP : 1; i <= step + NEAR_JUMP; i++) {
        if (is_jump(p, i))
            return true;
    }
    return false;
}

/* Whether it led to the last step: that one, what has announced it, and so on. */
static bool leads_to_end(const struct explaining *x, uint64_t step)
{
    const struct trace *trace = x->trace;
    uint64_t at = x->e->is_liveness ? 0 : x->e->steps;

    while (at > step)
        at = trace->records[trace->step_index[at]].step.cause;
    return at == step;
}

/* Whether a fault strikes in it, perhaps one that was decided on before. */
static bool is_struck(const struct trace *trace, uint64_t step)
{
    const struct trace_record *end = trace->records + trace->n_records;
    const struct trace_record *r = &trace->records[trace->step_index[step]] + 1;

    while (r < end && r->kind != TRACE_STEP && r->kind != TRACE_FAULT)
        r++;
    return r < end && r->kind == TRACE_FAULT;
}

static bool is_of_note(const struct explaining *x, const struct explanation_step *s)
{
    const struct explanation *e = x->e;
    const struct trace_record *r = &x->trace->records[x->trace->step_index[s->step]];
    bool is_why = e->n_causes > 0 && e->causes[0].is_enough;

    return s->is_named || s->changes[0] != '\0' || is_jump(&e->pnr, s->step) ||
           leads_to_end(x, s->step) || r->step.op == TRACE_OP_FAULT ||
           is_struck(x->trace, s->step) || (!is_why && is_near_jump(&e->pnr, s->step)) ||
           (!is_why && !e->is_liveness && s->step + LISTED_LAST > e->steps);
}

static void describe(const struct explaining *x, uint64_t step, struct explanation_step *out)
{
    const struct pnr *p = &x->e->pnr;

    *out = (struct explanation_step){.step = step, .is_named = is_named(x->e, step)};
    for (uint32_t i = 0; i < p->n_points; i++) {
        if (p->points[i].steps != step)
            continue;
        out->is_sampled = true;
        out->after = p->points[i].answer;
    }
    (void)explaining_step_changes(x->trace, step, out->changes, sizeof(out->changes));
    out->is_of_note = is_of_note(x, out);
    explaining_step_story(x->trace, step, out->words, sizeof(out->words));
}

/* Of a trial that is longer than the list only what is worth reading is listed. */
void explaining_steps(struct explaining *x)
{
    struct explanation *e = x->e;
    bool is_long = e->steps > EXPLANATION_STEPS_MAX;

    e->n_steps_list = 0;
    for (uint64_t step = 1; step <= e->steps && e->n_steps_list < EXPLANATION_STEPS_MAX; step++) {
        struct explanation_step *s = &e->steps_list[e->n_steps_list];

        describe(x, step, s);
        e->n_steps_list += !is_long || s->is_of_note;
    }
}
