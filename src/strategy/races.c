/* races.c - see races.h.
 *
 * The events of a task that race with an event are always its last ones, from some index on. So the
 * pairs are not listed: each event says how far back it reaches (struct races.cover), and what was
 * reached is found at the end. What other events have touched is listed and walked.
 * SPDX-License-Identifier: MIT
 */
#include "strategy/races.h"

#include "base/rng.h"

#include <string.h>

void races_clear(struct races *r)
{
    r->n = 0;
    r->n_tasks = 0;
    r->n_touches = 0;
    r->is_full = false;
}

/* ---- Clocks --------------------------------------------------------------------------------- */

/* Signed, which is what processors compare; no index is so large. */
typedef int32_t lanes __attribute__((vector_size(16), may_alias));

enum { LANES = 4 };

/* Clock 0 is that of the last moment at which only time could pass. */
static uint32_t *clock_of(struct races *r, uint32_t event)
{
    return r->clocks + (size_t)event * r->width;
}

static void join(struct races *r, uint32_t *clock, uint32_t event)
{
    lanes *to = (lanes *)clock;
    const lanes *from = (const lanes *)clock_of(r, event);

    for (uint32_t i = 0; i < r->width / LANES; i++) {
        lanes is_more = from[i] > to[i];

        to[i] = (from[i] & is_more) | (to[i] & ~is_more);
    }
}

/* Everything so far comes before what follows. */
static void pass_time(struct races *r)
{
    memcpy(clock_of(r, 0), r->count, r->n_tasks * sizeof(*r->count));
}

/* ---- Objects -------------------------------------------------------------------------------- */

/* The slot of an object; a new one is empty. NULL: there are too many. */
static struct race_slot *slot_of(struct races *r, uint64_t object)
{
    uint32_t i = (uint32_t)(mix64(object) >> 40) % RACES_SLOTS;

    object += object == 0;
    while (r->slots[i].object != 0 && r->slots[i].object != object)
        i = (i + 1) % RACES_SLOTS;
    if (r->slots[i].object == 0) {
        if (r->n_used >= RACES_OBJECTS_MAX)
            return NULL;
        r->used[r->n_used++] = i;
        r->slots[i] = (struct race_slot){.object = object};
    }
    return &r->slots[i];
}

/* Tasks are objects where others touch them. */
static void place_tasks(struct races *r)
{
    for (uint32_t i = 0; i < r->n_used; i++)
        r->slots[r->used[i]] = (struct race_slot){.object = 0};
    r->n_used = 0;
    if (r->n_touches == 0)
        return;
    for (uint32_t i = 0; i < r->n_tasks; i++) {
        struct race_slot *slot = slot_of(r, r->tasks[i]);

        if (slot != NULL)
            slot->task = i + 1;
    }
}

/* ---- Races ---------------------------------------------------------------------------------- */

/* An event races with all events of a task after so many of them. */
static void reach(struct races *r, uint32_t event, uint32_t task, uint32_t after)
{
    uint32_t last = r->count[task];

    if (after >= last)
        return;
    r->events[event].raced = true;
    r->n_pairs += last - after;
    r->cover[r->offset[task] + after]++;
    r->cover[r->offset[task] + last]--;
    for (uint32_t i = after; r->found != NULL && i < last; i++)
        r->found(r->self, r->event_at[r->offset[task] + i], event);
}

/* Whether an event comes before what another one depends on. Then so does all that it met. */
static bool is_known(const struct races *r, uint32_t event, const uint32_t *known)
{
    return r->index[event] <= known[r->events[event].task];
}

static void meet(struct races *r, uint32_t event, uint32_t earlier, const uint32_t *known)
{
    if (is_known(r, earlier, known))
        return;
    r->events[event].raced = r->events[earlier].raced = true;
    r->n_pairs++;
    if (r->found != NULL)
        r->found(r->self, earlier, event);
}

/* Meets the events of other tasks that touched an object. What only reads meets none that does; and
 * what was touched before somebody wrote that is known is known: where one task touches the same
 * thing a thousand times, nothing is walked a million times. */
static void walk(struct races *r, uint32_t event, const struct race_slot *slot,
                 const struct touch *touch, const uint32_t *known, uint32_t *clock)
{
    bool reads = touch->mode == TOUCH_READ;
    const uint32_t *before = reads ? r->change : r->before;
    uint32_t at = reads ? slot->change : slot->last;

    for (uint32_t n = 0; at != 0; at = before[at - 1], n++) {
        uint32_t earlier = r->event_of[at - 1];

        if (n == RACES_WALK_MAX) {
            r->events[event].is_blind = true;
            return;
        }
        if (earlier == event)
            continue;
        if (is_known(r, earlier, known)) {
            if (r->touches[at - 1].mode == TOUCH_WRITE)
                break;
        } else if (touches_clash(&r->touches[at - 1], touch)) {
            meet(r, event, earlier, known);
            join(r, clock, earlier);
        }
    }
}

/* The last event of a task; 0: it has none. */
static uint32_t last_of(const struct races *r, uint32_t task)
{
    return r->count[task] > 0 ? r->event_at[r->offset[task] + r->count[task] - 1] : 0;
}

/* The other events of a task, which is touched. */
static void meet_task(struct races *r, uint32_t event, uint32_t task, const uint32_t *known,
                      uint32_t *clock)
{
    reach(r, event, task, known[task]);
    join(r, clock, last_of(r, task));
}

static void meet_objects(struct races *r, uint32_t event, const uint32_t *known, uint32_t *clock)
{
    const struct race_event *e = &r->events[event];
    const struct touch own = {.object = r->tasks[e->task], .mode = TOUCH_WRITE};
    const struct race_slot *slot = r->n_touches > 0 ? slot_of(r, own.object) : NULL;

    if (slot != NULL)
        walk(r, event, slot, &own, known, clock);
    for (uint32_t i = e->touches; i < r->events[event + 1].touches; i++) {
        struct race_slot *touched = slot_of(r, r->touches[i].object);

        r->events[event].is_blind |= touched == NULL;
        if (touched == NULL || (touched->task != 0 && touched->task - 1 == e->task))
            continue;
        if (touched->task != 0)
            meet_task(r, event, touched->task - 1, known, clock);
        walk(r, event, touched, &r->touches[i], known, clock);
        r->before[i] = touched->last;
        r->change[i] = touched->change;
        r->event_of[i] = event;
        touched->last = i + 1;
        if (r->touches[i].mode != TOUCH_READ)
            touched->change = i + 1;
    }
}

/* What touches everything, in one direction and the other. Events of its own task are met anyway.
 */
static void meet_wild(struct races *r, uint32_t event, const uint32_t *known, uint32_t *clock)
{
    const struct race_event *e = &r->events[event];

    for (uint32_t i = 0; i < r->n_wild && !e->is_wild; i++) {
        if (r->events[r->wild[i]].task == e->task)
            continue;
        meet(r, event, r->wild[i], known);
        join(r, clock, r->wild[i]);
    }
    if (!e->is_wild)
        return;
    for (uint32_t i = 0; i < r->n_tasks; i++) {
        if (i != e->task)
            meet_task(r, event, i, known, clock);
    }
    r->wild[r->n_wild++] = event;
}

/* What an event depends on. */
static void depend(struct races *r, uint32_t event, uint32_t *clock)
{
    const struct race_event *e = &r->events[event];

    /* The clock of its cause contains that of the last moment, if it came after it. */
    memcpy(clock, clock_of(r, e->cause), r->width * sizeof(*clock));
    join(r, clock, 0);
    if (e->previous != 0)
        join(r, clock, e->previous);
    if (e->after != 0)
        join(r, clock, e->after);
    if (r->start[e->task] != 0)
        join(r, clock, r->start[e->task]);
}

static void add_event(struct races *r, uint32_t event, uint32_t *known)
{
    struct race_event *e = &r->events[event];
    uint32_t *clock = clock_of(r, event);

    if (e->is_late)
        pass_time(r);
    depend(r, event, clock);
    memcpy(known, clock, r->width * sizeof(*known));
    e->raced = e->is_blind = false;
    meet_task(r, event, e->task, known, clock);
    if (r->n_touches > 0)
        meet_objects(r, event, known, clock);
    if (r->n_wild > 0 || e->is_wild)
        meet_wild(r, event, known, clock);
    r->event_at[r->offset[e->task] + r->count[e->task]] = event;
    r->index[event] = clock[e->task] = ++r->count[e->task];
    if (e->is_start)
        r->start[e->task] = event;
}

/* Where the events of each task begin. */
static void lay_out(struct races *r)
{
    uint32_t offset = 0;

    memset(r->count, 0, r->n_tasks * sizeof(*r->count));
    memset(r->start, 0, r->n_tasks * sizeof(*r->start));
    for (uint32_t i = 1; i <= r->n; i++)
        r->count[r->events[i].task]++;
    for (uint32_t i = 0; i < r->n_tasks; i++) {
        r->offset[i] = offset;
        offset += r->count[i];
        r->count[i] = 0;
    }
}

void races_find(struct races *r)
{
    uint32_t *known;
    int32_t depth = 0;

    r->width = (r->n_tasks + LANES - 1) / LANES * LANES;
    /* One clock more than events for the last moment, and one to work with. */
    if (r->n > 0 && r->width > RACES_CLOCKS_MAX / (r->n + 2)) {
        r->n = RACES_CLOCKS_MAX / r->width - 2;
        r->is_full = true;
    }
    lay_out(r);
    place_tasks(r);
    r->n_wild = 0;
    r->n_pairs = 0;
    memset(r->cover, 0, (r->n + 1) * sizeof(*r->cover));
    memset(r->clocks, 0, r->width * sizeof(*r->clocks));
    known = clock_of(r, r->n + 1);
    for (uint32_t i = 1; i <= r->n; i++)
        add_event(r, i, known);
    for (uint32_t i = 0; i < r->n; i++) {
        depth += r->cover[i];
        r->events[r->event_at[i]].raced |= depth > 0;
    }
}
