/* course.c - see course.h. SPDX-License-Identifier: MIT */
#include "strategy/course.h"

#include "engine/op.h"

#include <string.h>

/* Since when an operation can run that could not before. */
static uint32_t since_of(const struct trial *t, const struct course *c)
{
    /* What can run at last because nothing else could comes after everything. What became due then
     * and can run later is made ready by a step that does. */
    bool has_waited = t->now.waits != c->events[c->n - 1].waits;

    return (c->n - 1) | (has_waited ? PAST_AND_ALL : 0);
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
                           .step = op->cause,
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
    struct candidate *candidate = &c->ready[c->candidates[chosen]];
    struct event *e = &c->events[c->n];
    const struct substrate *substrate = c->t->substrates[candidate->parcel.kind];

    e->gate = 0;
    candidate->is_gated = (c->t->tasks[candidate->parcel.to].flags & TASK_GATED) != 0;
    if (likely(!candidate->is_gated) || substrate->gate == NULL)
        return;
    c->has_gates = true;
    e->gate = substrate->gate(c->t, candidate->parcel.to);
    c->is_incomplete |= (e->gate & SUBSTRATE_GATE_VAGUE) != 0;
    e->gate &= ~SUBSTRATE_GATE_VAGUE;
}

/* An operation can run now that could not before. What it is does not change while it can. */
static void add_ready(struct course *c, const struct trial *t, uint32_t source)
{
    const struct sn_op *op = &t->ops[t->sources[source].ready];

    c->ready[c->events[c->n + 1].ready++] = (struct candidate){.id = op->id,
                                                               .task = t->tasks[op->task].id,
                                                               .from = t->tasks[op->from].id,
                                                               .parcel = parcel_of(c, t, op),
                                                               .source = source,
                                                               .is_start = op->kind == SN_OP_START,
                                                               .is_fault = op->kind == SN_OP_FAULT,
                                                               .cause = cause_of(c, op),
                                                               .since = since_of(t, c)};
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
    c->events[c->n + 1].ready = e->ready;
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        if (t->enabled[i] >> 32 == 0) {
            add_ready(c, t, (uint32_t)t->enabled[i]);
            t->enabled[i] |= (uint64_t)c->events[c->n + 1].ready << 32;
        }
        c->candidates[n++] = (uint32_t)(t->enabled[i] >> 32) - 1;
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
    past_join(past, c->pasts[of], of);
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

/* Which of the 64 events of word w conflict with event k and come before it. Those that are not
 * `among` them are of no interest. To find out is cheaper than to branch on whether it is asked,
 * unless the test is. */
static uint64_t find_conflicts(const struct course *c, uint32_t k, uint32_t w, uint64_t among)
{
    uint32_t footprint = c->footprint_of[k];
    uint32_t n = k - w * 64 < 64 ? k - w * 64 : 64;
    bool asks_test = c->footprints.steps != NULL;
    uint64_t found = 0;

    for (uint32_t i = 0; i < n && among != 0; i++) {
        if (unlikely(asks_test) && (among >> i & 1) == 0)
            continue;
        found |= (uint64_t)course_conflict(c, footprint, c->footprint_of[w * 64 + i]) << i;
    }
    return found;
}

/* From the latest event to the first: one that conflicts and is not in the past yet has nothing
 * between itself and this one. */
static void find_past(struct course *c, uint32_t k)
{
    struct event *e = &c->events[k];
    uint64_t *past = c->pasts[k];
    uint32_t n_races = e->races;

    past_clear(past, k);
    add_causes(c, past, k);
    past_join_since(past, c->pasts[e->since & ~PAST_AND_ALL], e->since);
    add_past(c, past, e->after);
    for (uint32_t w = k / 64 + 1; w-- > 0;) {
        uint64_t found = find_conflicts(c, k, w, ~past[w]);

        while ((found &= ~past[w]) != 0) {
            uint32_t i = w * 64 + 63 - (uint32_t)__builtin_clzll(found);

            add_past(c, past, i);
            if (c->events[i].task != e->task || could_be_first(&c->events[i], e)) {
                c->covers[n_races] = 0;
                c->races[n_races++] = i;
            }
        }
    }
    past_add(past, k);
    c->events[k + 1].races = n_races;
}

void course_set_up(struct course *c, uint32_t drawn)
{
    struct event *e = &c->events[0];

    e->act = (struct act){.footprint = FOOTPRINT_WILD, .drawn = drawn};
    c->footprint_of[0] = FOOTPRINT_WILD;
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

/* Whether some operation other than the one that was performed could run before it, and was not
 * ready all the time since then. */
static bool may_have_lost(const struct course *c, const struct trial *t)
{
    uint32_t n = c->events[c->n + 1].candidates - c->events[c->n].candidates;

    for (uint32_t i = 0; i < t->now.n_enabled; i++)
        n -= t->enabled[i] >> 32 != 0;
    return n != 1;
}

static bool can_still_run(const struct trial *t, const struct candidate *candidate)
{
    const struct source *source = &t->sources[candidate->source];

    return source->position != 0 && t->ops[source->ready].id == candidate->id;
}

/* Notes which candidates of the present event it has disabled. */
static void find_lost(struct course *c, const struct trial *t, uint32_t chosen)
{
    struct event *next = &c->events[c->n + 1];

    for (uint32_t i = c->events[c->n].candidates; i < next->candidates; i++) {
        if (i != chosen && !can_still_run(t, course_candidate(c, i)))
            c->lost[next->lost++] = *course_candidate(c, i);
    }
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
    const struct candidate *candidate = course_candidate(c, chosen);

    e->act.id = candidate->id;
    e->act.footprint = candidate->is_fault ? FOOTPRINT_WILD : footprint_of(c, t, candidate);
    e->act.drawn = drawn;
    c->footprint_of[c->n] = e->act.footprint;
    e->step = c->step;
    e->task = candidate->task;
    e->from = candidate->from;
    e->is_start = candidate->is_start;
    e->is_gated = candidate->is_gated;
    e->parcel = candidate->parcel;
    e->decision = decision;
    e->cause = candidate->cause;
    e->since = candidate->since;
    e->after = event_of(c, c->touches.after);
    e->halted = (t->tasks[t->now.task].flags & TASK_HALTED) != 0 ? candidate->task : 0;
    c->has_objects |= t->now.n_objects > 1 || c->touches.n > 0; /* object 0 is none */
    c->is_incomplete |= c->touches.is_cut;
    next->lost = e->lost;
    if (may_have_lost(c, t))
        find_lost(c, t, chosen);
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
            c->lost[end->lost++] = *course_candidate(c, i);
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
