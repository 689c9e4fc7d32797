/* plans.c - see plans.h: forests, and what sleeps. SPDX-License-Identifier: MIT */
#include "strategy/plans.h"

/* ---- Forests -------------------------------------------------------------------------------- */

uint32_t plans_new(struct plans *p, const struct act *act)
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
    p->all[number] = (struct plan){.act = *act,
                                   .is_doubtful = act->footprint == FOOTPRINT_UNKNOWN,
                                   .has_doubtful = act->footprint == FOOTPRINT_UNKNOWN,
                                   .sure = act->footprint};
    return number;
}

void plans_drop(struct plans *p, uint32_t first)
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
    p->has_doubtful = plan->has_doubtful;
    p->trees[at] = plan->next;
    p->trees[at + 1] = plan->child;
    plan->next = p->free;
    p->free = number;
    return true;
}

/* ---- Sleep ---------------------------------------------------------------------------------- */

const struct act *plans_find_vain(const struct plans *p, uint32_t at, const struct act *act)
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

    if (plans_is_tried(p, at, act) || plans_find_vain(p, at, act) != NULL)
        return;
    while (*link != 0 && (p->all[*link].act.id != act->id || p->all[*link].act.drawn != act->drawn))
        link = &p->all[*link].next;
    plan = *link;
    if (plan != 0)
        *link = p->all[plan].next;
    else
        plan = plans_new(p, act);
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

bool plans_is_partly_awake(const struct plans *p, uint32_t at, uint64_t id)
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
        if (!plans_is_partly_awake(p, at, p->sleep[i].id))
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
        if (!plans_is_partly_awake(p, at, p->sleep[i].id))
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
    *link = plans_new(p, act);
}

/* Each row of values leads to those with one value more: so all come up, and each once. */
void plans_learn_draws(struct plans *p, struct course *c, uint32_t k)
{
    const struct event *e = &c->events[k];
    uint32_t n = e[1].limits - e->limits;
    uint32_t drawn = e->act.drawn;
    uint32_t last = drawn != 0 ? c->drawns.all[drawn].place : 0;
    uint32_t footprint = e->act.footprint == FOOTPRINT_WILD ? FOOTPRINT_WILD : FOOTPRINT_UNKNOWN;

    if (drawn != 0)
        try_here(p, k, &(struct act){e->act.id, footprint, 0});
    for (uint32_t place = last; place < n; place++) {
        bool is_last = drawn != 0 && place == last;
        uint64_t value = is_last ? c->drawns.all[drawn].value + 1 : 1;
        uint32_t before = is_last ? c->drawns.all[drawn].before : drawn;
        struct act act = e->act;

        if (value >= c->limits[e->limits + place])
            continue;
        act.drawn = drawn_get(&c->drawns, before, place, value);
        act.footprint = footprint;
        if (act.drawn == UINT32_MAX) {
            p->is_full = true;
            continue;
        }
        try_here(p, k, &act);
    }
}
