/* plans.c - see plans.h. SPDX-License-Identifier: MIT */
#include "strategy/plans.h"

#include <string.h>

/* ---- Forests -------------------------------------------------------------------------------- */

static uint32_t plan_new(struct plans *p, const struct act *act)
{
    uint32_t number = p->free;

    if (number != 0) {
        p->free = p->all[number].next;
    } else if (p->n + 1 < PLANS_MAX) {
        number = ++p->n;
    } else {
        p->is_full = true;
        return 0;
    }
    p->all[number] = (struct plan){.act = *act, .is_doubtful = act->footprint == FOOTPRINT_UNKNOWN};
    return number;
}

/* Gives up all plans of a list and what follows them. */
static void plans_drop(struct plans *p, uint32_t first)
{
    uint32_t *end = &first;

    /* The children of each are put behind the list, so that it becomes one long list. */
    while (*end != 0)
        end = &p->all[*end].next;
    for (uint32_t plan = first; plan != 0; plan = p->all[plan].next) {
        *end = p->all[plan].child;
        while (*end != 0)
            end = &p->all[*end].next;
    }
    if (first != 0) {
        *end = p->free;
        p->free = first;
    }
}

void plans_forget(struct plans *p, uint32_t at)
{
    plans_drop(p, p->trees[at + 1]);
    p->trees[at + 1] = 0;
}

void plans_skip(struct plans *p, uint32_t at)
{
    uint32_t *link = &p->trees[at + 1];

    while (*link != 0)
        link = &p->all[*link].next;
    *link = p->trees[at];
    p->trees[at] = p->trees[at + 1];
    p->trees[at + 1] = 0;
}

bool plans_take(struct plans *p, uint32_t at, struct act *act)
{
    uint32_t number = p->trees[at];
    struct plan *plan = &p->all[number];

    if (number == 0)
        return false;
    *act = plan->act;
    p->is_doubtful = plan->is_doubtful;
    p->trees[at] = plan->next;
    p->trees[at + 1] = plan->child;
    plan->next = p->free;
    p->free = number;
    return true;
}

/* ---- Sleep ---------------------------------------------------------------------------------- */

/* What is known of an act that was tried at an event in vain; NULL: it was not. */
static const struct act *find_vain(const struct plans *p, uint32_t at, const struct act *act)
{
    for (uint32_t i = p->vains[at]; i < p->vains[at + 1]; i++) {
        if (p->vain[i].id == act->id && p->vain[i].drawn == act->drawn)
            return &p->vain[i];
    }
    return NULL;
}

/* Plans an act, whatever comes after it, before all else: what is tried at an event must all be
 * asleep when something else is tried there, whichever values it draws. */
static void try_here(struct plans *p, uint32_t at, const struct act *act)
{
    uint32_t *link = &p->trees[at];
    uint32_t plan;

    if (plans_is_tried(p, at, act) || find_vain(p, at, act) != NULL)
        return;
    while (*link != 0 && (p->all[*link].act.id != act->id || p->all[*link].act.drawn != act->drawn))
        link = &p->all[*link].next;
    plan = *link;
    if (plan != 0)
        *link = p->all[plan].next;
    else
        plan = plan_new(p, act);
    if (plan == 0)
        return;
    p->all[plan].next = p->trees[at];
    p->trees[at] = plan;
}

static void add_awake(struct plans *p, uint32_t at, const struct act *act)
{
    uint32_t *end = &p->awakes[at + 1];

    if (*end < PLANS_SLEEP_MAX)
        p->awake[(*end)++] = *act;
    else
        p->is_full = true;
}

/* Of operations of which some values sleep, the values that do not. */
static void stay_awake(struct plans *p, const struct course *c, uint32_t at)
{
    const struct act *last = &c->events[at - 1].act;

    for (uint32_t i = p->awakes[at - 1]; i < p->awakes[at]; i++) {
        if (p->awake[i].id != last->id && plans_is_asleep(p, at, p->awake[i].id) &&
            !plans_is_tried(p, at, &p->awake[i]))
            add_awake(p, at, &p->awake[i]);
    }
    p->woken = p->awakes[at + 1];
    for (uint32_t i = p->sleepers[at - 1]; i < p->sleepers[at]; i++) {
        const struct act *woken = &p->sleep[i];

        if (woken->id != last->id && course_conflict(c, woken->footprint, last->footprint) &&
            plans_is_asleep(p, at, woken->id))
            add_awake(p, at, woken);
    }
}

void plans_fall_asleep(struct plans *p, const struct course *c, uint32_t at, bool inherits)
{
    const struct act *last = &c->events[at - 1].act;
    uint32_t n = p->sleepers[at];

    p->awakes[at + 1] = p->awakes[at];
    p->vains[at + 1] = p->vains[at];
    p->woken = p->awakes[at];
    p->sleepers[at + 1] = n;
    if (!inherits)
        return;
    for (uint32_t i = p->sleepers[at - 1]; i < p->sleepers[at]; i++) {
        if (course_conflict(c, p->sleep[i].footprint, last->footprint))
            continue;
        if (n < PLANS_SLEEP_MAX)
            p->sleep[n++] = p->sleep[i];
        else
            p->is_full = true;
    }
    p->sleepers[at + 1] = n;
    stay_awake(p, c, at);
}

void plans_wake_partly(struct plans *p, uint32_t at)
{
    for (uint32_t i = p->woken; i < p->awakes[at + 1]; i++)
        try_here(p, at, &p->awake[i]);
}

bool plans_try_awake(struct plans *p, uint32_t at)
{
    uint32_t first = p->awakes[at];

    for (uint32_t i = first; i < p->awakes[at + 1]; i++) {
        if (p->awake[i].id == p->awake[first].id)
            try_here(p, at, &p->awake[i]);
    }
    return p->trees[at] != 0;
}

static bool is_partly_awake(const struct plans *p, uint32_t at, uint64_t id)
{
    for (uint32_t i = p->awakes[at]; i < p->awakes[at + 1]; i++) {
        if (p->awake[i].id == id && !plans_is_tried(p, at, &p->awake[i]))
            return true;
    }
    return false;
}

void plans_wake_wholly(struct plans *p, uint32_t at)
{
    uint32_t n = p->sleepers[at];

    if (p->awakes[at + 1] == p->awakes[at])
        return;
    for (uint32_t i = p->sleepers[at]; i < p->sleepers[at + 1]; i++) {
        if (!is_partly_awake(p, at, p->sleep[i].id))
            p->sleep[n++] = p->sleep[i];
    }
    p->sleepers[at + 1] = n;
    p->awakes[at + 1] = p->awakes[at];
    p->vains[at + 1] = p->vains[at];
    p->woken = p->awakes[at];
}

void plans_sleep(struct plans *p, uint32_t at, const struct act *act)
{
    uint32_t *end = &p->sleepers[at + 1];

    if (*end < PLANS_SLEEP_MAX)
        p->sleep[(*end)++] = *act;
    else
        p->is_full = true;
}

void plans_add_vain(struct plans *p, uint32_t at, const struct act *act)
{
    uint32_t *end = &p->vains[at + 1];

    if (*end < PLANS_SLEEP_MAX)
        p->vain[(*end)++] = *act;
    else
        p->is_full = true;
}

bool plans_is_asleep(const struct plans *p, uint32_t at, uint64_t id)
{
    for (uint32_t i = p->sleepers[at]; i < p->sleepers[at + 1]; i++) {
        if (p->sleep[i].id == id)
            return true;
    }
    return false;
}

bool plans_is_tried(const struct plans *p, uint32_t at, const struct act *act)
{
    for (uint32_t i = p->sleepers[at]; i < p->sleepers[at + 1]; i++) {
        if (p->sleep[i].id == act->id && p->sleep[i].drawn == act->drawn)
            return true;
    }
    return false;
}

/* Whether an operation sleeps, whatever values it may draw. */
static bool sleeps_wholly(const struct plans *p, uint32_t at)
{
    for (uint32_t i = p->sleepers[at]; i < p->sleepers[at + 1]; i++) {
        if (!is_partly_awake(p, at, p->sleep[i].id))
            return true;
    }
    return false;
}

bool plans_settle(struct plans *p, uint32_t at)
{
    if (sleeps_wholly(p, at))
        return p->trees[at] != 0;
    plans_drop(p, p->trees[at]);
    p->trees[at] = 0;
    return true;
}

/* ---- Sequences ------------------------------------------------------------------------------ */

/* The events after i and before `until` that do not depend on it. */
static void begin_sequence(struct plans *p, const struct course *c, uint32_t i, uint32_t until)
{
    p->n_left = 0;
    for (uint32_t k = i + 1; k < until; k++) {
        if (!course_is_before(c, i, k))
            p->left[p->n_left++] = (struct left){c->events[k].act, k};
    }
}

/* Puts an act at its end. What it depends on is what it conflicts with, and what announced it. */
static void end_sequence(struct plans *p, const struct act *last, uint32_t cause)
{
    p->last = *last;
    p->has_last = true;
    p->last_cause = cause;
}

static bool is_in_the_way(const struct plans *p, const struct course *c, uint32_t footprint)
{
    for (uint32_t k = 0; k < p->n_left; k++) {
        if (course_conflict(c, p->left[k].act.footprint, footprint))
            return true;
    }
    return p->has_last && course_conflict(c, p->last.footprint, footprint);
}

/* What is known of the last act of a sequence that was never performed here is what another point
 * knows of it. */
static bool take_last(struct plans *p, const struct course *c, const struct act *act)
{
    uint32_t footprint =
        p->last.footprint == FOOTPRINT_UNKNOWN ? act->footprint : p->last.footprint;

    if (p->last.drawn != act->drawn)
        return false;
    for (uint32_t k = 0; k < p->n_left; k++) {
        if (p->left[k].event == p->last_cause ||
            course_conflict(c, p->left[k].act.footprint, footprint))
            return false;
    }
    p->has_last = false;
    return true;
}

static bool take_left(struct plans *p, const struct course *c, uint32_t k, const struct act *act)
{
    if (p->left[k].act.drawn != act->drawn)
        return false;
    for (uint32_t i = 0; i < k; i++) {
        if (course_is_before(c, p->left[i].event, p->left[k].event))
            return false;
    }
    p->n_left--;
    memmove(&p->left[k], &p->left[k + 1], (p->n_left - k) * sizeof(p->left[0]));
    return true;
}

/* Whether the sequence can begin with an act: it is in it and depends on nothing before it there,
 * or it is not in it and depends on nothing of it. Takes it out if it is. */
static bool can_begin_with(struct plans *p, const struct course *c, const struct act *act)
{
    if (p->has_last && p->last.id == act->id)
        return take_last(p, c, act);
    for (uint32_t k = 0; k < p->n_left; k++) {
        if (p->left[k].act.id == act->id)
            return take_left(p, c, k, act);
    }
    return !is_in_the_way(p, c, act->footprint);
}

static bool is_in_sequence(const struct plans *p, uint64_t id)
{
    for (uint32_t k = 0; k < p->n_left; k++) {
        if (p->left[k].act.id == id)
            return true;
    }
    return p->has_last && p->last.id == id;
}

/* Whether what was tried at an event may stand for a sequence that it is not part of. It must not
 * if the same operation, drawing other values, would depend on the sequence. */
static bool covers(const struct plans *p, const struct course *c, uint32_t at, uint64_t id)
{
    if (likely(!c->has_draws) || is_in_sequence(p, id))
        return true;
    if (c->events[at].act.id == id || is_partly_awake(p, at, id))
        return false;
    for (uint32_t i = p->sleepers[at]; i < p->sleepers[at + 1]; i++) {
        if (p->sleep[i].id == id && is_in_the_way(p, c, p->sleep[i].footprint))
            return false;
    }
    return true;
}

/* The same of one of a list of plans for event `at`, or for what comes later if that is 0. */
static bool plan_covers(const struct plans *p, const struct course *c, uint32_t at, uint32_t first,
                        uint64_t id)
{
    if (likely(!c->has_draws) || is_in_sequence(p, id))
        return true;
    if (at != 0 && !covers(p, c, at, id))
        return false;
    for (uint32_t plan = first; plan != 0; plan = p->all[plan].next) {
        if (p->all[plan].act.id == id && is_in_the_way(p, c, p->all[plan].act.footprint))
            return false;
    }
    return true;
}

/* Hangs what is left of the sequence behind the last plan of a list. */
static void append(struct plans *p, uint32_t *link, bool is_doubtful)
{
    uint32_t last = 0;

    while (*link != 0)
        link = &p->all[*link].next;
    for (uint32_t k = 0; k < p->n_left; k++) {
        last = *link = plan_new(p, &p->left[k].act);
        if (last == 0)
            return;
        link = &p->all[last].child;
    }
    if (p->has_last)
        last = *link = plan_new(p, &p->last);
    p->all[last].is_doubtful |= is_doubtful;
}

/* Whether all is tried that can come after a plan. If it is doubtful, it may turn out that
 * something still sleeps then, and that the plan was made in vain: so what is planned after it is
 * kept, in case it is needed. */
static bool plan_is_open(const struct plan *plan)
{
    return plan->child == 0 && !plan->is_doubtful;
}

/* Plans the sequence from the point before event `at`, unless something that is planned or was
 * tried there leads to the same. */
static void insert(struct plans *p, const struct course *c, uint32_t at, bool is_doubtful)
{
    uint32_t *link = &p->trees[at];
    uint32_t level = at;

    for (uint32_t i = p->sleepers[at]; i < p->sleepers[at + 1]; i++) {
        if (covers(p, c, at, p->sleep[i].id) && can_begin_with(p, c, &p->sleep[i]))
            return;
    }
    for (uint32_t plan = *link; plan != 0;) {
        const struct act *act = &p->all[plan].act;

        if (!plan_covers(p, c, level, *link, act->id) || !can_begin_with(p, c, act)) {
            /* It may turn out not to be in the way. */
            is_doubtful |= act->footprint == FOOTPRINT_UNKNOWN;
            plan = p->all[plan].next;
            continue;
        }
        if ((p->n_left == 0 && !p->has_last) || plan_is_open(&p->all[plan]))
            return; /* whatever comes after it will be tried */
        link = &p->all[plan].child;
        plan = *link;
        level = 0;
    }
    append(p, link, is_doubtful);
}

static void look_up_last(struct plans *p, uint32_t at)
{
    const struct act *vain = find_vain(p, at, &p->last);

    if (vain != NULL)
        p->last.footprint = vain->footprint;
}

void plans_insert(struct plans *p, struct course *c, const struct reversal *r)
{
    begin_sequence(p, c, r->at, r->has_run ? r->until : c->n);
    end_sequence(p, &r->act, r->cause);
    if (p->n_left == 0 && r->act.footprint == FOOTPRINT_UNKNOWN)
        look_up_last(p, r->at);
    insert(p, c, r->at, r->is_doubtful);
}

/* ---- Single acts ---------------------------------------------------------------------------- */

bool plans_has(const struct plans *p, const struct course *c, uint32_t at, uint64_t id)
{
    if (c->events[at].act.id == id || plans_is_asleep(p, at, id))
        return true;
    for (uint32_t plan = p->trees[at]; plan != 0; plan = p->all[plan].next) {
        if (p->all[plan].act.id == id)
            return true;
    }
    return false;
}

void plans_add(struct plans *p, uint32_t at, const struct act *act)
{
    uint32_t *link = &p->trees[at];

    while (*link != 0)
        link = &p->all[*link].next;
    *link = plan_new(p, act);
}

/* ---- What a course shows -------------------------------------------------------------------- */

/* The act of event k if it comes before event i, which it depended on. Which values it may draw
 * then is seen when it does (plans_learn_draws), unless only some of them sleep there. */
static struct act earlier_act(const struct plans *p, const struct course *c, uint32_t i, uint32_t k)
{
    struct act act = c->events[k].act;

    if (act.drawn == 0 || is_partly_awake(p, i, act.id))
        return act;
    act.drawn = 0;
    if (act.footprint != FOOTPRINT_WILD)
        act.footprint = FOOTPRINT_UNKNOWN;
    return act;
}

static void learn_races(struct plans *p, struct course *c, uint32_t k, plans_rule *rule)
{
    for (uint32_t r = c->events[k].races; r < c->events[k + 1].races; r++) {
        uint32_t i = c->races[r];

        if (i == 0)
            continue; /* nothing comes before the set-up */
        if (c->events[i].gate != 0 && c->events[i].task == c->events[k].task)
            continue; /* see learn_gated */
        rule(p, c,
             &(struct reversal){i, k, c->events[k].cause, earlier_act(p, c, i, k), true, false});
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
           (a->cause < b->cause || (a->cause == b->cause && a->number < b->number));
}

static struct parcel parcel_of(const struct stillborn *stillborn)
{
    return (struct parcel){.what = stillborn->what,
                           .from = stillborn->from,
                           .to = stillborn->to,
                           .cause = stillborn->cause,
                           .number = stillborn->number,
                           .kind = SN_OP_DELIVER,
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
        struct parcel parcel = parcel_of(&c->stillborn[k]);

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
static void learn_late(struct plans *p, struct course *c, const struct late *late, plans_rule *rule)
{
    for (uint32_t i = late->before; i-- > late->due && i > 0;) {
        const struct event *e = &c->events[i];

        if (e->task != late->task)
            continue;
        if (e->is_start || (i <= late->cause && course_is_before(c, i, late->cause)))
            return;
        if (!course_takes(c, e->gate, &late->parcel) || comes_later(c, late, i))
            continue;
        rule(p, c,
             &(struct reversal){i, late->until != 0 ? late->until : late->before, late->cause,
                                late->has_run ? earlier_act(p, c, i, late->before) : late->act,
                                late->has_run, true});
        return;
    }
}

static void learn_gated(struct plans *p, struct course *c, uint32_t k, plans_rule *rule)
{
    const struct event *e = &c->events[k];
    struct late late = {.act = e->act,
                        .task = e->task,
                        .cause = e->cause,
                        .before = k,
                        .has_run = true,
                        .parcel = e->parcel};

    late.due = find_due(c, &e->parcel);
    if ((e->since & COURSE_AND_ALL) != 0)
        late.due = (e->since & ~COURSE_AND_ALL) + 1;
    learn_late(p, c, &late, rule);
}

/* What an operation that was not performed here would touch: only its task, if there is nothing
 * else in the trial that a step could touch. */
static uint32_t guess_footprint(struct course *c, uint64_t task)
{
    struct touch touch = {task, TOUCH_WRITE};

    return c->has_objects ? FOOTPRINT_UNKNOWN : footprints_get(&c->footprints, &touch, 1);
}

static void learn_lost(struct plans *p, struct course *c, uint32_t k, plans_rule *rule)
{
    for (uint32_t i = c->events[k].lost; i < c->events[k + 1].lost; i++) {
        const struct candidate *lost = &c->lost[i];
        struct act act = {.id = lost->id, .footprint = FOOTPRINT_WILD};

        if (!lost->is_fault)
            act.footprint = guess_footprint(c, lost->task);
        rule(p, c, &(struct reversal){k, k + 1, lost->cause, act, false, false});
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
static void learn_stillborn(struct plans *p, struct course *c, uint32_t k, plans_rule *rule)
{
    for (uint32_t i = c->events[k].stillborn; i < c->events[k + 1].stillborn; i++) {
        const struct stillborn *stillborn = &c->stillborn[i];
        struct late late = {.act.id = stillborn->id,
                            .act.footprint = guess_footprint(c, stillborn->task),
                            .task = stillborn->task,
                            .cause = k,
                            .before = find_halt(c, stillborn->task, k) + 1,
                            .until = k + 1,
                            .parcel = parcel_of(stillborn)};

        learn_late(p, c, &late, rule);
    }
}

/* Each row of values leads to those with one value more: so all come up, and each once. */
void plans_learn_draws(struct plans *p, struct course *c, uint32_t k)
{
    const struct event *e = &c->events[k];
    uint32_t n = e[1].limits - e->limits;
    uint32_t drawn = e->act.drawn;
    uint32_t last = drawn != 0 ? c->drawns.all[drawn].place : 0;

    if (drawn != 0)
        try_here(p, k, &(struct act){e->act.id, e->act.footprint, 0});
    for (uint32_t place = last; place < n; place++) {
        bool is_last = drawn != 0 && place == last;
        uint64_t value = is_last ? c->drawns.all[drawn].value + 1 : 1;
        uint32_t before = is_last ? c->drawns.all[drawn].before : drawn;
        struct act act = e->act;

        if (value >= c->limits[e->limits + place])
            continue;
        act.drawn = drawn_get(&c->drawns, before, place, value);
        if (act.footprint != FOOTPRINT_WILD)
            act.footprint = FOOTPRINT_UNKNOWN;
        if (act.drawn == UINT32_MAX) {
            p->is_full = true;
            continue;
        }
        try_here(p, k, &act);
    }
}

/* An operation that was never taken, until an event. */
static void learn_never(struct plans *p, struct course *c, const struct candidate *never,
                        uint32_t before, plans_rule *rule)
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
static void learn_all_lost(struct plans *p, struct course *c, plans_rule *rule)
{
    for (uint32_t k = 1; k < c->n; k++) {
        learn_lost(p, c, k, rule);
        learn_stillborn(p, c, k, rule);
        for (uint32_t i = c->events[k].dropped; i < c->events[k + 1].dropped; i++)
            learn_never(p, c, &c->dropped[i], k, rule);
    }
}

void plans_learn(struct plans *p, struct course *c, uint32_t from, plans_rule *rule)
{
    for (uint32_t k = from; k < c->n; k++) {
        learn_races(p, c, k, rule);
        if (c->has_gates)
            learn_gated(p, c, k, rule);
    }
    if (c->events[c->n].lost + c->events[c->n].stillborn + c->events[c->n].dropped > 0)
        learn_all_lost(p, c, rule);
    for (uint32_t i = 0; i < c->n_blocked; i++)
        learn_never(p, c, &c->blocked[i], c->n, rule);
}
