/* course.c - see course.h. SPDX-License-Identifier: MIT */
#include "strategy/course.h"

#include "engine/op.h"

#include <string.h>

/* What a strategy has noted with an operation that can run: since when it can, plus one. */
static uint32_t since_of(struct trial *t, struct course *c, uint32_t position)
{
    uint32_t since = (uint32_t)(t->enabled[position] >> 32);

    if (since == 0) {
        /* What can run at last because nothing else could comes after everything. What became due
         * then and can run later is made ready by a step that does. */
        bool has_waited = t->now.waits != c->events[c->n - 1].waits;

        since = ((c->n - 1) | (has_waited ? COURSE_AND_ALL : 0)) + 1;
        t->enabled[position] |= (uint64_t)since << 32;
    }
    return since - 1;
}

/* The event that a step is. */
static uint32_t event_of(const struct course *c, uint32_t step)
{
    return step > c->began ? step - (uint32_t)c->began : 0;
}

/* The event that announced an operation. */
static uint32_t cause_of(const struct course *c, const struct sn_op *op)
{
    return event_of(c, op->cause);
}

static struct parcel parcel_of(const struct course *c, const struct trial *t,
                               const struct sn_op *op)
{
    const struct source *source = &t->sources[op->source];

    return (struct parcel){.what = op->what,
                           .from = op->from,
                           .to = op->task,
                           .cause = cause_of(c, op),
                           .number = op->number,
                           .kind = op->kind,
                           .is_timed = op->kind == SN_OP_TIMER && (op->flags & SN_OP_ANY_TIME) == 0,
                           .deadline = op->deadline,
                           .queue = source->is_single ? SOURCE_NO_SENDER : source->from};
}

bool course_takes(const struct course *c, uint32_t gate, const struct parcel *parcel)
{
    const struct sn_op op = {.kind = (uint16_t)parcel->kind,
                             .what = parcel->what,
                             .from = parcel->from,
                             .task = parcel->to};

    return gate == 0 || c->t->substrates[op.kind]->takes(c->t, gate, &op);
}

void course_choose(struct course *c, uint32_t chosen)
{
    const struct candidate *candidate = &c->candidates[chosen];
    struct event *e = &c->events[c->n];
    const struct substrate *substrate = c->t->substrates[candidate->parcel.kind];

    e->gate = 0;
    if (likely(!candidate->is_gated) || substrate->gate == NULL)
        return;
    c->has_gates = true;
    e->gate = substrate->gate(c->t, candidate->parcel.to);
    c->is_incomplete |= (e->gate & SUBSTRATE_GATE_VAGUE) != 0;
    e->gate &= ~SUBSTRATE_GATE_VAGUE;
}

bool course_look(struct course *c, struct trial *t)
{
    struct event *e = &c->events[c->n];
    uint32_t n = e->candidates;

    if (c->n >= COURSE_EVENTS_MAX || t->now.n_enabled > COURSE_STACK_MAX - n ||
        e->races > COURSE_STACK_MAX - COURSE_EVENTS_MAX ||
        e->lost + t->now.n_enabled > COURSE_STACK_MAX ||
        e->stillborn > COURSE_STACK_MAX - STILLBORN_MAX ||
        e->dropped > COURSE_STACK_MAX - DROPPED_MAX) {
        c->is_incomplete = true;
        return false;
    }
    c->t = t;
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        uint32_t source = (uint32_t)t->enabled[i];
        const struct sn_op *op = &t->ops[t->sources[source].ready];

        c->candidates[n++] =
            (struct candidate){.id = op->id,
                               .task = t->tasks[op->task].id,
                               .from = t->tasks[op->from].id,
                               .parcel = parcel_of(c, t, op),
                               .source = source,
                               .is_start = op->kind == SN_OP_START,
                               .is_gated = (t->tasks[op->task].flags & TASK_GATED) != 0,
                               .is_fault = op->kind == SN_OP_FAULT,
                               .cause = cause_of(c, op),
                               .since = since_of(t, c, i)};
    }
    e->waits = t->now.waits;
    e->time_ns = t->now.time_ns;
    c->events[c->n + 1].candidates = n;
    c->events[c->n + 1].limits = e->limits;
    return true;
}

void course_draw(struct course *c, uint64_t limit)
{
    uint32_t *top = &c->events[c->n + 1].limits;

    c->has_draws |= limit > 1;
    if (*top == COURSE_STACK_MAX)
        c->is_incomplete = true;
    else
        c->limits[(*top)++] = limit;
}

/* ---- Pasts and races ------------------------------------------------------------------------ */

static void add_past(struct course *c, uint64_t *past, uint32_t of)
{
    for (uint32_t w = 0; w <= of / 64; w++)
        past[w] |= c->pasts[of][w];
}

static bool asks_what_enables(const struct course *c)
{
    return c->steps != NULL && c->steps->asks->enabled_by != NULL;
}

static bool is_enabled_by(const struct course *c, uint32_t k, uint32_t i)
{
    return steps_is_enabled_by(c->steps, c->events[k].step, c->events[i].step);
}

static void add_causes(struct course *c, uint64_t *past, uint32_t k)
{
    if (likely(!asks_what_enables(c)) || c->is_over) {
        add_past(c, past, c->events[k].cause);
        return;
    }
    add_past(c, past, 0);
    for (uint32_t i = k; i-- > 1;) {
        if (is_enabled_by(c, k, i))
            add_past(c, past, i);
    }
}

uint32_t course_enabler(const struct course *c, uint32_t k, uint32_t after)
{
    if (!asks_what_enables(c))
        return c->events[k].cause > after ? c->events[k].cause : 0;
    for (uint32_t i = k; i-- > after + 1;) {
        if (is_enabled_by(c, k, i))
            return i;
    }
    return 0;
}

/* Whether one event of a task could have come before another one. */
static bool could_be_first(const struct event *earlier, const struct event *later)
{
    return !earlier->is_start && !course_is_in_queue(&earlier->parcel, &later->parcel);
}

/* From the latest event to the first: one that conflicts and is not in the past yet has nothing
 * between itself and this one. */
static void find_past(struct course *c, uint32_t k)
{
    struct event *e = &c->events[k];
    uint64_t *past = c->pasts[k];
    uint32_t n_races = e->races;

    memset(past, 0, (k / 64 + 1) * sizeof(past[0]));
    add_causes(c, past, k);
    add_past(c, past, e->since & ~COURSE_AND_ALL);
    for (uint32_t i = 0; (e->since & COURSE_AND_ALL) != 0 && i < (e->since & ~COURSE_AND_ALL); i++)
        past[i / 64] |= UINT64_C(1) << (i % 64);
    for (uint32_t i = k; i-- > 0;) {
        if ((past[i / 64] >> (i % 64) & 1) != 0)
            continue;
        if (!course_conflict(c, c->events[i].act.footprint, e->act.footprint))
            continue;
        add_past(c, past, i);
        if (c->events[i].task != e->task || could_be_first(&c->events[i], e))
            c->races[n_races++] = i;
    }
    past[k / 64] |= UINT64_C(1) << (k % 64);
    c->events[k + 1].races = n_races;
}

void course_set_up(struct course *c, uint32_t drawn)
{
    struct event *e = &c->events[0];

    e->act = (struct act){.footprint = FOOTPRINT_WILD, .drawn = drawn};
    c->pasts[0][0] = 1;
    c->n = 1;
    e->waits = 0;
    c->events[1] = (struct event){.limits = c->events[1].limits};
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static bool is_of_interest(const struct course *c, const struct touch *touch)
{
    return !c->is_plain && !(c->is_causal && touch->mode >= TOUCH_CALL);
}

uint32_t course_footprint(struct course *c, const struct touch *own, uint32_t n_own)
{
    struct touches *touches = &c->touches;
    struct touch all[TOUCHES_MAX + COURSE_OWN_TOUCHES];
    uint32_t n = n_own;

    if (touches->is_wild && !c->is_plain)
        return FOOTPRINT_WILD;
    memcpy(all, own, n_own * sizeof(*own));
    for (uint32_t i = 0; i < touches->n; i++) {
        bool is_known = !is_of_interest(c, &touches->all[i]);

        for (uint32_t k = 0; k < n && !is_known; k++)
            is_known =
                all[k].object == touches->all[i].object && all[k].mode == touches->all[i].mode;
        if (!is_known)
            all[n++] = touches->all[i];
    }
    return footprints_get(&c->footprints, all, n);
}

static uint32_t footprint_of(struct course *c, const struct trial *t,
                             const struct candidate *candidate)
{
    struct touch own = {candidate->task, TOUCH_WRITE};

    if (unlikely(c->is_over) && !c->is_plain)
        return FOOTPRINT_WILD;
    if (unlikely(c->view != NULL) && c->view->footprint != NULL)
        return c->view->footprint(c, t, candidate);
    return course_footprint(c, &own, 1);
}

static bool can_still_run(const struct trial *t, const struct candidate *candidate)
{
    const struct source *source = &t->sources[candidate->source];

    return source->position != 0 && t->ops[source->ready].id == candidate->id;
}

/* Of an operation that cannot run. */
static struct candidate candidate_of(const struct course *c, const struct trial *t,
                                     const struct sn_op *op)
{
    return (struct candidate){.id = op->id,
                              .task = t->tasks[op->task].id,
                              .parcel = parcel_of(c, t, op),
                              .cause = cause_of(c, op)};
}

void course_step(struct course *c, const struct trial *t, uint32_t chosen, uint32_t drawn,
                 uint64_t decision)
{
    struct event *e = &c->events[c->n];
    struct event *next = e + 1;
    const struct candidate *candidate = &c->candidates[chosen];

    e->act.id = candidate->id;
    e->act.footprint = candidate->is_fault ? FOOTPRINT_WILD : footprint_of(c, t, candidate);
    e->act.drawn = drawn;
    e->step = c->step;
    e->task = candidate->task;
    e->from = candidate->from;
    e->is_start = candidate->is_start;
    e->is_gated = candidate->is_gated;
    e->parcel = candidate->parcel;
    e->decision = decision;
    e->cause = candidate->cause;
    e->since = candidate->since;
    e->halted = (t->tasks[t->now.task].flags & TASK_HALTED) != 0 ? candidate->task : 0;
    c->has_objects |= t->now.n_objects > 1 || c->touches.n > 0; /* object 0 is none */
    c->is_incomplete |= c->touches.is_cut;
    next->lost = e->lost;
    for (uint32_t i = e->candidates; i < next->candidates; i++) {
        if (i != chosen && !can_still_run(t, &c->candidates[i]))
            c->lost[next->lost++] = c->candidates[i];
    }
    next->stillborn = e->stillborn;
    for (uint32_t i = 0; i < c->touches.n_stillborn; i++) {
        struct stillborn *stillborn = &c->stillborn[next->stillborn++];

        *stillborn = c->touches.stillborn[i];
        stillborn->cause = event_of(c, stillborn->cause);
    }
    next->dropped = e->dropped;
    for (uint32_t i = 0; i < c->touches.n_dropped; i++)
        c->dropped[next->dropped++] = candidate_of(c, t, &c->touches.dropped[i]);
    find_past(c, c->n);
    c->n++;
}

void course_lose_all(struct course *c, uint32_t chosen)
{
    const struct event *last = &c->events[c->n - 1];
    struct event *end = &c->events[c->n];

    end->lost = last->lost;
    for (uint32_t i = last->candidates; i < end->candidates; i++) {
        if (i != chosen)
            c->lost[end->lost++] = c->candidates[i];
    }
}

static void add_blocked(struct course *c, const struct trial *t, const struct sn_op *op)
{
    if (c->n_blocked == COURSE_EVENTS_MAX)
        c->is_incomplete = true;
    else
        c->blocked[c->n_blocked++] = candidate_of(c, t, op);
}

void course_end(struct course *c, const struct trial *t, bool has_failed)
{
    c->n_blocked = 0;
    for (uint32_t i = 1; i < t->now.n_sources; i++) {
        const struct source *source = &t->sources[i];

        if (source_is_free(source) || source->is_waiting || (has_failed && source->position != 0))
            continue;
        for (uint32_t op = source->head; op != 0; op = t->ops[op].next)
            add_blocked(c, t, &t->ops[op]);
    }
}
