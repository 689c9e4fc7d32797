/* sequences.c - see sequences.h. SPDX-License-Identifier: MIT */
#include "strategy/sequences.h"

#include <string.h>

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

/* Puts an act at its end. What it depends on is what it conflicts with, and what announced it. If
 * it ran elsewhere, or never did, it may touch something else here. */
static void end_sequence(struct plans *p, const struct course *c, const struct reversal *r)
{
    p->last = r->act;
    p->has_last = true;
    p->last_at = r->at;
    p->last_task = r->task;
    p->last_cause = r->cause;
    p->last_is_guessed =
        !r->is_fault && (r->act.footprint == FOOTPRINT_UNKNOWN || (r->has_run && c->has_objects));
    p->last_sure = FOOTPRINT_UNKNOWN;
}

/* What the act at its end touches for certain: what it has touched before it could see anything of
 * the event that it is to come before, and the first thing by which it could. */
static uint32_t find_last_sure(struct plans *p, struct course *c)
{
    struct touch own = {p->last_task, TOUCH_WRITE};

    if (p->last_sure != FOOTPRINT_UNKNOWN)
        return p->last_sure;
    if (!p->last_is_guessed)
        p->last_sure = p->last.footprint;
    else if (p->last.footprint <= FOOTPRINT_UNKNOWN)
        p->last_sure = footprints_get(&c->footprints, &own, 1);
    else
        p->last_sure = footprints_until(&c->footprints, p->last.footprint,
                                        c->events[p->last_at].act.footprint);
    return p->last_sure;
}

static bool is_last_surely_in_the_way(struct plans *p, struct course *c, uint32_t footprint)
{
    return p->has_last && course_conflict(c, find_last_sure(p, c), footprint);
}

/* What is known of an act that was tried at some event or is planned there. */
struct known {
    const struct act *act;
    uint32_t sure; /* it touches this at least */
    bool is_guessed;
};

static struct known known_of(const struct act *act)
{
    return (struct known){.act = act, .sure = act->footprint};
}

static struct known known_of_plan(const struct plan *plan)
{
    return (struct known){&plan->act, plan->sure, plan->is_guessed};
}

static bool is_left_in_the_way(const struct plans *p, const struct course *c, uint32_t footprint)
{
    for (uint32_t k = 0; k < p->n_left; k++) {
        if (course_conflict(c, p->left[k].act.footprint, footprint))
            return true;
    }
    return false;
}

/* What the last act of a sequence touches, which was never performed here, is what it did where it
 * was. */
static bool take_last(struct plans *p, struct course *c, const struct known *known)
{
    uint32_t footprint = known->act->footprint;

    if (known->is_guessed && p->last.footprint != FOOTPRINT_UNKNOWN)
        footprint = p->last.footprint;
    if (p->last.drawn != known->act->drawn)
        return false;
    for (uint32_t k = 0; k < p->n_left; k++) {
        if (p->left[k].event == p->last_cause)
            return false;
    }
    if (is_left_in_the_way(p, c, footprint)) {
        p->is_in_doubt |= known->is_guessed && !is_left_in_the_way(p, c, find_last_sure(p, c));
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

/* Whether an act that is not in the sequence depends on it. If that rests on a guess, it is noted
 * that it may turn out not to. */
static bool is_dependent(struct plans *p, struct course *c, const struct known *known)
{
    if (is_left_in_the_way(p, c, known->act->footprint)) {
        if (unlikely(known->is_guessed) && !is_left_in_the_way(p, c, known->sure))
            p->is_in_doubt |= !is_last_surely_in_the_way(p, c, known->sure);
        return true;
    }
    if (!p->has_last || !course_conflict(c, p->last.footprint, known->act->footprint))
        return false;
    if (known->is_guessed || p->last_is_guessed)
        p->is_in_doubt |= !is_last_surely_in_the_way(p, c, known->sure);
    return true;
}

/* Whether the sequence can begin with an act: it is in it and depends on nothing before it there,
 * or it is not in it and depends on nothing of it. Takes it out if it is. */
static bool can_begin_with(struct plans *p, struct course *c, const struct known *known)
{
    if (p->has_last && p->last.id == known->act->id)
        return take_last(p, c, known);
    for (uint32_t k = 0; k < p->n_left; k++) {
        if (p->left[k].act.id == known->act->id)
            return take_left(p, c, k, known->act);
    }
    return !is_dependent(p, c, known);
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
static bool covers(struct plans *p, struct course *c, uint32_t at, uint64_t id)
{
    if (likely(!c->has_draws) || is_in_sequence(p, id))
        return true;
    if (c->events[at].act.id == id || plans_is_partly_awake(p, at, id))
        return false;
    for (uint32_t i = p->sleepers[at]; i < p->sleepers[at + 1]; i++) {
        struct known known = known_of(&p->sleep[i]);

        if (known.act->id == id && is_dependent(p, c, &known))
            return false;
    }
    return true;
}

/* The same of one of a list of plans for event `at`, or for what comes later if that is 0. */
static bool plan_covers(struct plans *p, struct course *c, uint32_t at, uint32_t first, uint64_t id)
{
    if (likely(!c->has_draws) || is_in_sequence(p, id))
        return true;
    if (at != 0 && !covers(p, c, at, id))
        return false;
    for (uint32_t plan = first; plan != 0; plan = p->all[plan].next) {
        struct known known = known_of_plan(&p->all[plan]);

        if (known.act->id == id && is_dependent(p, c, &known))
            return false;
    }
    return true;
}

static void add_to_path(struct plans *p, uint32_t plan)
{
    if (p->n_path < PLANS_PATH_MAX)
        p->path[p->n_path++] = plan;
}

/* Hangs what is left of the sequence behind the last plan of a list. */
static void append(struct plans *p, struct course *c, uint32_t *link, bool is_doubtful)
{
    uint32_t last = 0;

    while (*link != 0)
        link = &p->all[*link].next;
    for (uint32_t k = 0; k < p->n_left; k++) {
        last = *link = plans_new(p, &p->left[k].act);
        if (last == 0)
            return;
        add_to_path(p, last);
        link = &p->all[last].child;
    }
    if (p->has_last) {
        last = *link = plans_new(p, &p->last);
        if (last == 0)
            return;
        add_to_path(p, last);
        p->all[last].is_guessed = p->last_is_guessed;
        p->all[last].sure = find_last_sure(p, c);
    }
    p->all[last].is_doubtful |= is_doubtful;
    for (uint32_t k = 0; p->all[last].is_doubtful && k < p->n_path; k++)
        p->all[p->path[k]].has_doubtful = true;
}

/* Whether all is tried that can come after a plan. If it is doubtful, it may turn out that
 * something still sleeps then, and that the plan was made in vain: so what is planned after it is
 * kept, in case it is needed. */
static bool plan_is_open(const struct plan *plan)
{
    return plan->child == 0 && !plan->is_doubtful;
}

/* The sleeper at event `at` that the sequence can begin with; UINT32_MAX: none. */
static uint32_t find_cover(struct plans *p, struct course *c, uint32_t at)
{
    for (uint32_t i = p->sleepers[at]; i < p->sleepers[at + 1]; i++) {
        struct known known = known_of(&p->sleep[i]);

        if (covers(p, c, at, known.act->id) && can_begin_with(p, c, &known))
            return i;
    }
    return UINT32_MAX;
}

/* Plans the sequence from the point before event `at`, unless something that is planned there leads
 * to the same. */
static void insert(struct plans *p, struct course *c, uint32_t at)
{
    uint32_t *link = &p->trees[at];
    uint32_t level = at;

    p->n_path = 0;
    for (uint32_t plan = *link; plan != 0;) {
        struct known known = known_of_plan(&p->all[plan]);

        if (!plan_covers(p, c, level, *link, known.act->id) || !can_begin_with(p, c, &known)) {
            /* It may turn out not to be in the way. */
            p->is_in_doubt |= known.act->footprint == FOOTPRINT_UNKNOWN;
            plan = p->all[plan].next;
            continue;
        }
        if ((p->n_left == 0 && !p->has_last) || plan_is_open(&p->all[plan]))
            return; /* whatever comes after it will be tried */
        add_to_path(p, plan);
        link = &p->all[plan].child;
        plan = *link;
        level = 0;
    }
    append(p, c, link, p->is_in_doubt);
}

static void look_up_last(struct plans *p, uint32_t at)
{
    const struct act *vain = plans_find_vain(p, at, &p->last);

    if (vain != NULL)
        p->last.footprint = vain->footprint;
}

/* ---- Reversals ------------------------------------------------------------------------------- */

/* Makes the sequence of a reversal, with the events before `until`. */
static void make_sequence(struct plans *p, const struct course *c, const struct reversal *r,
                          uint32_t until)
{
    begin_sequence(p, c, r->at, until);
    end_sequence(p, c, r);
    if (p->n_left == 0 && r->act.footprint == FOOTPRINT_UNKNOWN)
        look_up_last(p, r->at);
    p->is_in_doubt = r->is_doubtful;
}

/* What is noted of a reversal that something covers: the sleeper, counted from 1, or the event of
 * the sequence that is the same operation as it. */
#define COVER_IS_EVENT (UINT32_C(1) << 31)

static void note_cover(const struct plans *p, const struct course *c, const struct reversal *r,
                       uint32_t sleeper)
{
    uint64_t id = p->sleep[sleeper].id;

    if (r->cover == NULL)
        return;
    *r->cover = sleeper + 1;
    for (uint32_t k = r->at + 1; k < c->n && id != r->act.id; k++) {
        if (c->events[k].act.id == id && !course_is_before(c, r->at, k))
            *r->cover = COVER_IS_EVENT | k;
    }
}

/* Whether what covered a reversal in an earlier trial still does. Only what comes after that was
 * left can be in the way now. */
static bool is_still_covered(const struct plans *p, const struct course *c,
                             const struct reversal *r)
{
    uint32_t cover = r->cover != NULL && !c->has_draws ? *r->cover : 0;
    const struct act *sleeper;

    if (cover == 0 || (cover & COVER_IS_EVENT) != 0)
        return cover != 0 && (cover & ~COVER_IS_EVENT) < c->fresh;
    sleeper = &p->sleep[cover - 1];
    for (uint32_t k = c->fresh; k < c->n; k++) {
        const struct act *act = &c->events[k].act;

        if (!course_is_before(c, r->at, k) &&
            (act->id == sleeper->id || course_conflict(c, act->footprint, sleeper->footprint)))
            return false;
    }
    return true;
}

/* What was tried covers a sequence that ends with the act, but may depend on the event that the act
 * is to come before. After what was tried, that may be another step, which the act does not race
 * with: a process that is killed when it has ended, say. So a sequence that has the event behind
 * the act is not covered, unless something else does. The event may not be possible any more then.
 */
static void insert_both(struct plans *p, struct course *c, const struct reversal *r)
{
    const struct event *e = &c->events[r->at];
    const struct reversal other = {.at = r->at,
                                   .cause = e->cause,
                                   .task = e->task,
                                   .act = e->act,
                                   .is_fault = e->parcel.kind == SN_OP_FAULT,
                                   .has_run = true};
    const struct act *vain = plans_find_vain(p, r->at, &r->act);
    struct act act = r->act;

    if (act.footprint == FOOTPRINT_UNKNOWN && vain != NULL)
        act.footprint = vain->footprint;
    begin_sequence(p, c, r->at, r->until);
    p->left[p->n_left++] = (struct left){act, r->has_run ? r->until : UINT32_MAX};
    end_sequence(p, c, &other);
    if (p->last_is_guessed && p->last.footprint > FOOTPRINT_UNKNOWN)
        p->last_sure = footprints_until(&c->footprints, p->last.footprint, act.footprint);
    p->is_in_doubt = true;
    if (find_cover(p, c, r->at) == UINT32_MAX)
        insert(p, c, r->at);
}

/* Whether that may be needed. An act that was not performed must have nothing before it. */
static bool may_need_both(const struct plans *p, const struct course *c, const struct reversal *r)
{
    uint32_t footprint = c->events[r->at].act.footprint;

    if (!c->has_objects || (!r->has_run && r->until != r->at + 1))
        return false;
    for (uint32_t i = p->sleepers[r->at]; i < p->sleepers[r->at + 1]; i++) {
        if (course_conflict(c, p->sleep[i].footprint, footprint))
            return true;
    }
    return false;
}

/* What was tried covers a sequence that ends with the act. It may depend on an event that comes
 * later, and then it does not cover one that has that, too: what was tried led to another step of
 * the same operation, say, which touches something else. */
static void insert_longer(struct plans *p, struct course *c, const struct reversal *r)
{
    uint32_t cover;

    make_sequence(p, c, r, c->n);
    cover = find_cover(p, c, r->at);
    if (r->cover != NULL)
        *r->cover = 0;
    if (cover == UINT32_MAX) {
        insert(p, c, r->at);
        return;
    }
    note_cover(p, c, r, cover);
    if (may_need_both(p, c, r))
        insert_both(p, c, r);
}

void sequences_insert(struct plans *p, struct course *c, const struct reversal *r)
{
    uint32_t until = r->has_run ? r->until : c->n;

    if (is_still_covered(p, c, r))
        return;
    make_sequence(p, c, r, until);
    if (find_cover(p, c, r->at) != UINT32_MAX) {
        if (until < c->n)
            insert_longer(p, c, r);
    } else if (until >= c->fresh) {
        insert(p, c, r->at); /* otherwise it was, in an earlier trial */
    }
    if (!r->has_run && c->t->now.has_changing_steps && may_need_both(p, c, r))
        insert_both(p, c, r);
}

/* ---- Doubts that are settled ----------------------------------------------------------------- */

/* Whether an act that sleeps can be the first of the path. What is guessed is left in doubt. */
static bool can_begin_path(const struct plans *p, const struct course *c, const struct act *act)
{
    for (uint32_t k = 0; k < p->n_path; k++) {
        const struct plan *plan = &p->all[p->path[k]];

        if (plan->act.id == act->id)
            return plan->act.drawn == act->drawn;
        if (plan->is_guessed || course_conflict(c, plan->act.footprint, act->footprint))
            return false;
    }
    return true;
}

static bool is_in_path(const struct plans *p, uint64_t id)
{
    for (uint32_t k = 0; k < p->n_path; k++) {
        if (p->all[p->path[k]].act.id == id)
            return true;
    }
    return false;
}

/* Whether all that was tried of an operation, whatever it draws, can. */
static bool can_wholly_begin_path(const struct plans *p, const struct course *c, uint32_t at,
                                  uint64_t id)
{
    if (is_in_path(p, id))
        return true;
    for (uint32_t i = p->sleepers[at]; i < p->sleepers[at + 1]; i++) {
        if (p->sleep[i].id == id && !can_begin_path(p, c, &p->sleep[i]))
            return false;
    }
    return !plans_is_partly_awake(p, at, id);
}

static bool is_path_covered(const struct plans *p, const struct course *c, uint32_t at)
{
    for (uint32_t i = p->sleepers[at]; i < p->sleepers[at + 1]; i++) {
        if (can_begin_path(p, c, &p->sleep[i]) && can_wholly_begin_path(p, c, at, p->sleep[i].id))
            return true;
    }
    return false;
}

/* Takes the last plan of the path out of the list that it is in. */
static void drop_path_end(struct plans *p, uint32_t at)
{
    uint32_t plan = p->path[p->n_path - 1];
    uint32_t *link = p->n_path > 1 ? &p->all[p->path[p->n_path - 2]].child : &p->trees[at];

    while (*link != plan)
        link = &p->all[*link].next;
    *link = p->all[plan].next;
    p->all[plan].next = p->free;
    p->free = plan;
}

/* Whether the plan at the end of the path leads nowhere new. One after which nothing is planned any
 * more does not. */
static bool is_path_vain(const struct plans *p, const struct course *c, uint32_t at,
                         bool had_children)
{
    const struct plan *plan = &p->all[p->path[p->n_path - 1]];

    if (plan->child != 0)
        return false;
    return plan->is_doubtful ? is_path_covered(p, c, at) : had_children;
}

/* Goes through what follows the first plan at an event. False: all of it was dropped. */
static bool weed_first(struct plans *p, const struct course *c, uint32_t at)
{
    bool had_children = false; /* of the plan at the end of the path, which were looked at */

    p->path[0] = p->trees[at];
    for (p->n_path = 1;;) {
        const struct plan *plan = &p->all[p->path[p->n_path - 1]];
        uint32_t next = plan->next;
        bool is_vain;

        if (!had_children && plan->has_doubtful && plan->child != 0 && p->n_path < PLANS_PATH_MAX) {
            p->path[p->n_path++] = plan->child;
            continue;
        }
        is_vain = is_path_vain(p, c, at, had_children);
        if (is_vain)
            drop_path_end(p, at);
        p->n_path--;
        if (p->n_path == 0)
            return !is_vain;
        had_children = next == 0;
        if (next != 0)
            p->path[p->n_path++] = next;
    }
}

/* The first plan at an event was planned with values that it did not draw, and so with those of
 * another one, which was tried. Nothing that follows it is new. */
static bool is_first_tried(const struct plans *p, const struct course *c, uint32_t at)
{
    return c->has_draws && plans_is_tried(p, at, &p->all[p->trees[at]].act);
}

void sequences_weed(struct plans *p, const struct course *c, uint32_t at)
{
    while (p->trees[at] != 0) {
        if (is_first_tried(p, c, at)) {
            uint32_t first = p->trees[at];

            p->trees[at] = p->all[first].next;
            p->all[first].next = 0;
            plans_drop(p, first);
        } else if (!p->all[p->trees[at]].has_doubtful || weed_first(p, c, at)) {
            return;
        }
    }
}
