/* reversals.c - see reversals.h. SPDX-License-Identifier: MIT */
#include "strategy/reversals.h"

/* The act of event k if it comes before event i, which it depended on. Which values it may draw
 * then is seen when it does (plans_learn_draws), unless only some of them sleep there. */
static struct act earlier_act(const struct plans *p, const struct course *c, uint32_t i, uint32_t k)
{
    struct act act = c->events[k].act;

    if (act.drawn == 0 || plans_is_partly_awake(p, i, act.id))
        return act;
    act.drawn = 0;
    if (act.footprint != FOOTPRINT_WILD)
        act.footprint = FOOTPRINT_UNKNOWN;
    return act;
}

static void learn_races(struct plans *p, struct course *c, uint32_t k,
                        const struct reversal_rule *rule)
{
    for (uint32_t r = c->events[k].races; r < c->events[k + 1].races; r++) {
        uint32_t i = c->races[r];

        if (i == 0)
            continue; /* nothing comes before the set-up */
        if (c->events[i].gate != 0 && c->events[i].task == c->events[k].task)
            continue; /* see learn_gated */
        rule->plan(p, c,
                   &(struct reversal){.at = i,
                                      .until = k,
                                      .cause = c->events[k].cause,
                                      .task = c->events[k].task,
                                      .act = earlier_act(p, c, i, k),
                                      .is_fault = c->events[k].parcel.kind == SN_OP_FAULT,
                                      .has_run = true,
                                      .cover = &c->covers[r]});
    }
}

/* An operation of a task, which may not have been performed, and what comes before it if the task
 * takes that. */
struct late {
    struct act act;
    uint64_t task;
    uint32_t cause;
    uint32_t before; /* the event that it is, or would be */
    uint32_t until;  /* the event after the last that it may need; 0: the same */
    uint32_t due;    /* the first event before which its time had come */
    struct parcel parcel;
    bool has_run;
};

static bool is_ahead(const struct parcel *a, const struct parcel *b)
{
    return course_is_in_queue(a, b) &&
           (a->step < b->step || (a->step == b->step && a->number < b->number));
}

static struct parcel parcel_of(const struct course *c, const struct stillborn *stillborn)
{
    return (struct parcel){.what = stillborn->what,
                           .from = stillborn->from,
                           .to = stillborn->to,
                           .cause = stillborn->cause,
                           .number = stillborn->number,
                           .kind = SN_OP_DELIVER,
                           .step = (uint32_t)c->began + stillborn->cause,
                           .queue = stillborn->queue};
}

static bool is_any_ahead(const struct course *c, uint32_t gate, const struct late *late,
                         const struct candidate *all, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        if (is_ahead(&all[k].parcel, &late->parcel) && course_takes(c, gate, &all[k].parcel))
            return true;
    }
    return false;
}

/* Whether something that is ahead of it was taken at event i, or would have been instead. */
static bool comes_later(const struct course *c, const struct late *late, uint32_t i)
{
    uint32_t gate = c->events[i].gate;

    for (uint32_t k = i; k < c->n; k++) {
        if (c->events[k].task == late->task && is_ahead(&c->events[k].parcel, &late->parcel) &&
            course_takes(c, gate, &c->events[k].parcel))
            return true;
    }
    for (uint32_t k = 0; k < c->events[c->n].stillborn; k++) {
        struct parcel parcel = parcel_of(c, &c->stillborn[k]);

        if (is_ahead(&parcel, &late->parcel) && course_takes(c, gate, &parcel))
            return true;
    }
    return is_any_ahead(c, gate, late, c->blocked, c->n_blocked) ||
           is_any_ahead(c, gate, late, &c->lost[c->events[i].lost],
                        c->events[c->n].lost - c->events[i].lost) ||
           is_any_ahead(c, gate, late, &c->dropped[c->events[i].dropped],
                        c->events[c->n].dropped - c->events[i].dropped);
}

/* The first event before which the time of an operation had come. */
static uint32_t find_due(const struct course *c, const struct parcel *parcel)
{
    uint32_t i = parcel->cause + 1;

    if (!parcel->is_timed)
        return 0;
    while (i < c->n && (c->events[i].time_ns < parcel->deadline ||
                        c->events[i].waits == c->events[parcel->cause].waits))
        i++;
    return i;
}

/* A task that did not take everything may have taken an operation before an earlier step: the
 * latest one before which it would have. */
static void learn_late(struct plans *p, struct course *c, const struct late *late,
                       const struct reversal_rule *rule)
{
    for (uint32_t i = late->before; i-- > late->due && i > 0;) {
        const struct event *e = &c->events[i];

        if (e->task != late->task)
            continue;
        if (e->is_start || (i <= late->cause && course_is_before(c, i, late->cause)))
            return;
        if (!course_takes(c, e->gate, &late->parcel) || comes_later(c, late, i))
            continue;
        rule->plan(p, c,
                   &(struct reversal){.at = i,
                                      .until = late->until != 0 ? late->until : late->before,
                                      .cause = late->cause,
                                      .task = late->task,
                                      .act = late->has_run ? earlier_act(p, c, i, late->before)
                                                           : late->act,
                                      .has_run = late->has_run,
                                      .is_doubtful = true});
        return;
    }
}

static void learn_gated(struct plans *p, struct course *c, uint32_t k,
                        const struct reversal_rule *rule)
{
    const struct event *e = &c->events[k];
    struct late late = {.act = e->act,
                        .task = e->task,
                        .cause = e->cause,
                        .before = k,
                        .has_run = true,
                        .parcel = e->parcel};

    late.due = find_due(c, &e->parcel);
    if ((e->since & PAST_AND_ALL) != 0)
        late.due = (e->since & ~PAST_AND_ALL) + 1;
    learn_late(p, c, &late, rule);
}

/* What an operation that was not performed here would touch: only its task, if there is nothing
 * else in the trial that a step could touch. */
static uint32_t guess_footprint(struct course *c, uint64_t task)
{
    struct touch touch = {task, TOUCH_WRITE};

    return c->has_objects ? FOOTPRINT_UNKNOWN : footprints_get(&c->footprints, &touch, 1);
}

static void learn_lost(struct plans *p, struct course *c, uint32_t k,
                       const struct reversal_rule *rule)
{
    for (uint32_t i = c->events[k].lost; i < c->events[k + 1].lost; i++) {
        const struct candidate *lost = &c->lost[i];
        struct act act = {.id = lost->id, .footprint = FOOTPRINT_WILD};

        if (!lost->is_fault)
            act.footprint = guess_footprint(c, lost->task);
        rule->plan(p, c,
                   &(struct reversal){.at = k,
                                      .until = k + 1,
                                      .cause = lost->cause,
                                      .task = lost->task,
                                      .act = act,
                                      .is_fault = lost->is_fault});
    }
}

/* The event that ended a task; 0: none. */
static uint32_t find_halt(const struct course *c, uint64_t task, uint32_t before)
{
    for (uint32_t i = before; i-- > 1;) {
        if (c->events[i].halted == task)
            return i;
    }
    return 0;
}

/* It may have been taken before the task halted, or earlier. */
static void learn_stillborn(struct plans *p, struct course *c, uint32_t k,
                            const struct reversal_rule *rule)
{
    for (uint32_t i = c->events[k].stillborn; i < c->events[k + 1].stillborn; i++) {
        const struct stillborn *stillborn = &c->stillborn[i];
        struct late late = {.act.id = stillborn->id,
                            .act.footprint = guess_footprint(c, stillborn->task),
                            .task = stillborn->task,
                            .cause = k,
                            .before = find_halt(c, stillborn->task, k) + 1,
                            .until = k + 1,
                            .parcel = parcel_of(c, stillborn)};

        learn_late(p, c, &late, rule);
    }
}

/* An operation that was never taken, until an event. */
static void learn_never(struct plans *p, struct course *c, const struct candidate *never,
                        uint32_t before, const struct reversal_rule *rule)
{
    struct late late = {.act.id = never->id,
                        .act.footprint = guess_footprint(c, never->task),
                        .task = never->task,
                        .cause = never->cause,
                        .before = before,
                        .due = find_due(c, &never->parcel),
                        .parcel = never->parcel};

    learn_late(p, c, &late, rule);
}

/* What an event has disabled can be tried after all that does not depend on the event, which is
 * another thing in every trial. */
static void learn_all_lost(struct plans *p, struct course *c, const struct reversal_rule *rule)
{
    for (uint32_t k = 1; k < c->n; k++) {
        learn_lost(p, c, k, rule);
        learn_stillborn(p, c, k, rule);
        for (uint32_t i = c->events[k].dropped; i < c->events[k + 1].dropped; i++)
            learn_never(p, c, &c->dropped[i], k, rule);
    }
}

void reversals_learn(struct plans *p, struct course *c, const struct reversal_rule *rule)
{
    for (uint32_t k = rule->takes_all || c->fresh == 0 ? 1 : c->fresh; k < c->n; k++) {
        learn_races(p, c, k, rule);
        if (c->has_gates)
            learn_gated(p, c, k, rule);
    }
    if (c->events[c->n].lost + c->events[c->n].stillborn + c->events[c->n].dropped > 0)
        learn_all_lost(p, c, rule);
    for (uint32_t i = 0; i < c->n_blocked; i++)
        learn_never(p, c, &c->blocked[i], c->n, rule);
}
