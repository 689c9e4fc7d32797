/* walk_save.c - a systematic search as bytes, and how far it is.
 *
 * What is saved is the way to the last event from which there is something left to try: at each
 * event what was done, what sleeps and what is planned. Everything else follows from doing the same
 * again, which the first trial after loading does. What a test's own predicates are asked about
 * cannot be saved: it is known by addresses. SPDX-License-Identifier: MIT
 */
#include "base/bytes.h"
#include "base/rng.h"
#include "strategy/walk.h"

#include <string.h>

static const uint64_t walk_tag = UINT64_C(0x6b6c6177); /* "walk" */

enum {
    STARTED = 1,
    DONE = 2,
    INCOMPLETE = 4,
    OBJECTS = 8,
    GATES = 16,
    FULL = 32,
    BY_TEST = 64,
    UP_TO_CALLS = 128,
    CONTRADICTED = 256,
    FLAGS = 511,
};

/* What stands before a plan, beside what it touches at least. */
enum { PLAN = 1, DOUBTFUL = 2, GUESSED = 4, HAS_DOUBTFUL = 8, PLAN_FLAGS = 15 };

/* ---- Writing -------------------------------------------------------------------------------- */

static void put_act(struct bytes_writer *to, const struct act *act)
{
    bytes_write(to, act->id);
    bytes_write(to, (uint64_t)act->drawn << 32 | act->footprint);
}

static void put_acts(struct bytes_writer *to, const struct act *acts, uint32_t from, uint32_t end)
{
    bytes_write(to, end - from);
    for (uint32_t i = from; i < end; i++)
        put_act(to, &acts[i]);
}

static void put_tables(struct bytes_writer *to, const struct course *c)
{
    const struct footprints *f = &c->footprints;

    bytes_write(to, f->n);
    for (uint32_t i = 2; i < f->n + 2; i++) {
        bytes_write(to, f->all[i].n);
        for (uint32_t k = 0; k < f->all[i].n; k++) {
            bytes_write(to, f->touches[f->all[i].begin + k].object);
            bytes_write(to, f->touches[f->all[i].begin + k].mode);
        }
    }
    bytes_write(to, c->drawns.n);
    for (uint32_t i = 1; i <= c->drawns.n; i++) {
        bytes_write(to, (uint64_t)c->drawns.all[i].place << 32 | c->drawns.all[i].before);
        bytes_write(to, c->drawns.all[i].value);
    }
}

/* Each plan, then what follows it, then 0; last 0 for the end of the list. */
static void put_forest(struct bytes_writer *to, const struct plans *p, uint32_t plan)
{
    uint32_t above[COURSE_EVENTS_MAX];
    uint32_t depth = 0;

    for (;;) {
        if (plan != 0 && depth == COURSE_EVENTS_MAX) {
            to->is_bad = true;
            return;
        }
        if (plan != 0) {
            bytes_write(to, (uint64_t)p->all[plan].sure << 8 |
                                (p->all[plan].is_guessed ? GUESSED : 0) |
                                (p->all[plan].has_doubtful ? HAS_DOUBTFUL : 0) |
                                (p->all[plan].is_doubtful ? DOUBTFUL : 0) | PLAN);
            put_act(to, &p->all[plan].act);
            above[depth++] = plan;
            plan = p->all[plan].child;
            continue;
        }
        bytes_write(to, 0);
        if (depth == 0)
            return;
        plan = p->all[above[--depth]].next;
    }
}

static void put_event(struct bytes_writer *to, const struct walk *w, uint32_t at)
{
    const struct plans *p = &w->plans;

    put_act(to, w->is_restoring ? &w->restored[at] : &w->course.events[at].act);
    bytes_write(to, (uint64_t)w->is_frozen[at] << 32 | w->tried[at]);
    put_acts(to, p->sleep, p->sleepers[at], p->sleepers[at + 1]);
    put_acts(to, p->awake, p->awakes[at], p->awakes[at + 1]);
    put_acts(to, p->vain, p->vains[at], p->vains[at + 1]);
    put_forest(to, p, p->trees[at]);
}

/* Events that are worth keeping: up to the last one from which something is left to try. */
static uint32_t count_kept(const struct walk *w)
{
    uint32_t n = w->is_restoring ? w->n_restored + 1 : w->course.n;

    while (n > 0 && w->plans.trees[n - 1] == 0)
        n--;
    return n;
}

static void put_walk(struct bytes_writer *to, const struct walk *w)
{
    uint32_t n = w->is_started && !w->is_done ? count_kept(w) : 0;
    bool is_done = w->is_done || (w->is_started && n == 0);

    bytes_write(to, walk_tag);
    bytes_write(to, (w->is_started ? STARTED : 0) | (is_done ? DONE : 0) |
                        (w->course.is_incomplete ? INCOMPLETE : 0) |
                        (w->course.has_objects ? OBJECTS : 0) | (w->course.has_gates ? GATES : 0) |
                        (w->plans.is_full ? FULL : 0) | (w->is_by_test ? BY_TEST : 0) |
                        (w->is_up_to_calls ? UP_TO_CALLS : 0) |
                        (w->is_contradicted ? CONTRADICTED : 0));
    bytes_write(to, w->n_explored);
    put_tables(to, &w->course);
    bytes_write(to, n);
    for (uint32_t i = 0; i < n; i++)
        put_event(to, w, i);
    bytes_write(to, to->sum);
}

size_t walk_save(const void *self, void *bytes, size_t room)
{
    /* Planning now what the next trial would plan first changes nothing. */
    struct walk *w = (struct walk *)(uintptr_t)self;
    struct bytes_writer count = {.to = NULL};

    if (w->course.steps != NULL)
        return 0;
    if (!w->is_restoring)
        walk_settle(w);
    put_walk(&count, w);
    if (count.is_bad)
        return 0;
    if (count.n <= room)
        put_walk(&(struct bytes_writer){.to = bytes}, w);
    return count.n;
}

/* ---- Reading -------------------------------------------------------------------------------- */

struct reader {
    const unsigned char *bytes;
    size_t left;
    struct walk *w; /* that is filled in; NULL: it is only looked whether all is well */
    bool is_bad;
    uint64_t sum;
    uint64_t n_footprints;
    uint64_t n_drawns;
    uint64_t n_plans;
    uint64_t n_sleep;
    uint64_t n_awake;
    uint64_t n_vain;
    uint32_t tree; /* the first plan at the last event */
};

/* A word that is at most this. */
static uint64_t get(struct reader *from, uint64_t max)
{
    uint64_t value = 0;

    if (from->left >= 8 && !from->is_bad)
        value = bytes_get(from->bytes);
    else
        from->is_bad = true;
    if (!from->is_bad) {
        from->bytes += 8;
        from->left -= 8;
        from->sum = mix_pair(from->sum, value);
    }
    if (value <= max)
        return value;
    from->is_bad = true;
    return 0;
}

static struct act get_act(struct reader *from)
{
    uint64_t id = get(from, UINT64_MAX);
    uint64_t rest = get(from, UINT64_MAX);

    from->is_bad |= (uint32_t)rest >= from->n_footprints + 2 || rest >> 32 > from->n_drawns;
    return (struct act){.id = id, .footprint = (uint32_t)rest, .drawn = (uint32_t)(rest >> 32)};
}

static void get_footprint(struct reader *from, uint64_t number)
{
    struct touch touches[TOUCHES_MAX + COURSE_OWN_TOUCHES];
    uint64_t n = get(from, sizeof(touches) / sizeof(touches[0]));

    for (uint64_t i = 0; i < n; i++) {
        touches[i].object = get(from, UINT64_MAX);
        touches[i].mode = get(from, TOUCH_STEP - 1);
    }
    if (from->w != NULL)
        from->is_bad |= footprints_get(&from->w->course.footprints, touches, (uint32_t)n) != number;
}

/* They were numbered as they came, and are so again. */
static void get_tables(struct reader *from)
{
    from->n_footprints = get(from, FOOTPRINTS_MAX);
    for (uint64_t i = 0; i < from->n_footprints && !from->is_bad; i++)
        get_footprint(from, i + 2);
    from->n_drawns = get(from, DRAWN_MAX);
    for (uint64_t i = 1; i <= from->n_drawns && !from->is_bad; i++) {
        uint64_t where = get(from, UINT64_MAX);
        uint64_t value = get(from, UINT64_MAX);

        from->is_bad |= (uint32_t)where >= i || value == 0;
        if (from->w != NULL && !from->is_bad)
            from->is_bad |= drawn_get(&from->w->course.drawns, (uint32_t)where,
                                      (uint32_t)(where >> 32), value) != i;
    }
}

static uint32_t new_plan(struct reader *from, uint64_t kind)
{
    struct act act = get_act(from);
    uint32_t number = (uint32_t)++from->n_plans;

    from->is_bad |= number >= PLANS_MAX || (kind & PLAN) == 0 || (kind & UINT8_MAX) > PLAN_FLAGS ||
                    kind >> 8 >= from->n_footprints + 2;
    if (from->w != NULL && !from->is_bad)
        from->w->plans.all[number] = (struct plan){.act = act,
                                                   .is_doubtful = (kind & DOUBTFUL) != 0,
                                                   .has_doubtful = (kind & HAS_DOUBTFUL) != 0,
                                                   .is_guessed = (kind & GUESSED) != 0,
                                                   .sure = (uint32_t)(kind >> 8)};
    return number;
}

/* Returns the first plan of a list. */
static uint32_t get_forest(struct reader *from)
{
    uint32_t above[COURSE_EVENTS_MAX];
    uint32_t depth = 0;
    uint32_t first = 0;
    uint32_t nowhere = 0;
    uint32_t *link = &first;

    while (!from->is_bad) {
        struct plan *all = from->w != NULL ? from->w->plans.all : NULL;
        uint64_t kind = get(from, UINT64_MAX);

        if (kind == 0 && depth == 0)
            break;
        if (kind == 0) {
            depth--;
            link = all != NULL ? &all[above[depth]].next : &nowhere;
            continue;
        }
        if (depth == COURSE_EVENTS_MAX) {
            from->is_bad = true;
            break;
        }
        *link = above[depth] = new_plan(from, kind);
        link = all != NULL ? &all[above[depth]].child : &nowhere;
        depth++;
    }
    return first;
}

/* Acts at an event, behind those of the events before it. */
static void get_acts(struct reader *from, struct act *acts, uint64_t *n)
{
    uint64_t count = get(from, PLANS_SLEEP_MAX - *n);

    for (uint64_t i = 0; i < count && !from->is_bad; i++) {
        struct act act = get_act(from);

        if (acts != NULL)
            acts[*n] = act;
        ++*n;
    }
}

static void get_event(struct reader *from, uint32_t at)
{
    struct walk *w = from->w;
    struct act act = get_act(from);
    uint64_t tried = get(from, UINT64_C(1) << 33);

    get_acts(from, w != NULL ? w->plans.sleep : NULL, &from->n_sleep);
    get_acts(from, w != NULL ? w->plans.awake : NULL, &from->n_awake);
    get_acts(from, w != NULL ? w->plans.vain : NULL, &from->n_vain);
    from->tree = get_forest(from);
    if (w == NULL)
        return;
    w->restored[at] = act;
    w->tried[at] = (uint32_t)tried;
    w->is_frozen[at] = tried >> 32 != 0;
    w->plans.sleepers[at + 1] = (uint32_t)from->n_sleep;
    w->plans.awakes[at + 1] = (uint32_t)from->n_awake;
    w->plans.vains[at + 1] = (uint32_t)from->n_vain;
    w->plans.trees[at] = from->tree;
}

void walk_reset(struct walk *w)
{
    struct course *c = &w->course;

    c->n = 0;
    if (c->footprints.n > 0)
        memset(c->footprints.slots, 0, sizeof(c->footprints.slots));
    memset(c->footprints.recent, 0, sizeof(c->footprints.recent));
    c->footprints.n = c->footprints.n_touches = 0;
    if (c->drawns.n > 0)
        memset(c->drawns.slots, 0, sizeof(c->drawns.slots));
    c->drawns.n = 0;
    w->plans.n = w->plans.free = 0;
    w->is_stepping = w->is_revisiting = w->is_doubtful = false;
    w->plans.trees[0] = w->plans.trees[1] = 0;
    w->plans.sleepers[1] = w->plans.awakes[1] = w->plans.vains[1] = 0;
    w->plans.is_full = false;
    w->is_learned = true;
    w->is_started = w->is_done = w->is_restoring = w->is_exhausted_here = false;
    w->has_given_up = false;
    w->n_explored = w->tried[0] = 0;
    c->fresh = c->n_blocked = 0;
    c->is_incomplete = c->has_objects = c->has_gates = c->has_draws = false;
    w->is_attached = false; /* what the test says of objects is to be asked again */
    w->t = NULL;
}

/* Whether the bytes are a search; if w is not NULL, it becomes that. */
static bool get_walk(struct reader *from, struct walk *w)
{
    uint64_t flags;
    uint64_t n_explored;
    uint64_t sum;
    uint32_t n;

    from->is_bad = get(from, UINT64_MAX) != walk_tag;
    flags = get(from, FLAGS);
    n_explored = get(from, COURSE_EVENTS_MAX);
    from->w = w;
    if (w != NULL)
        walk_reset(w);
    get_tables(from);
    n = (uint32_t)get(from, COURSE_EVENTS_MAX);
    from->is_bad |= (n > 0) != ((flags & (STARTED | DONE)) == STARTED);
    for (uint32_t i = 0; i < n && !from->is_bad; i++)
        get_event(from, i);
    sum = from->sum;
    from->is_bad |= get(from, UINT64_MAX) != sum;
    from->is_bad |= from->left > 0 || (n > 0 && from->tree == 0);
    if (w == NULL || from->is_bad)
        return !from->is_bad;
    w->is_started = (flags & STARTED) != 0;
    w->is_done = (flags & DONE) != 0;
    w->is_restoring = n > 0;
    w->n_restored = n > 0 ? n - 1 : 0;
    w->n_explored = (uint32_t)n_explored;
    w->course.is_incomplete = (flags & INCOMPLETE) != 0;
    w->course.has_objects = (flags & OBJECTS) != 0;
    w->course.has_gates = (flags & GATES) != 0;
    w->course.has_draws = w->course.drawns.n > 0;
    w->plans.is_full = (flags & FULL) != 0;
    /* No trial may follow in which that is seen again. */
    w->is_contradicted |= (flags & CONTRADICTED) != 0;
    w->is_by_test |= (flags & BY_TEST) != 0;
    w->is_up_to_calls |= (flags & UP_TO_CALLS) != 0;
    w->plans.n = (uint32_t)from->n_plans;
    return true;
}

int walk_load(void *self, const void *bytes, size_t n)
{
    struct reader look = {.bytes = bytes, .left = n};
    struct reader from = {.bytes = bytes, .left = n};

    if (!get_walk(&look, NULL))
        return -1;
    if (get_walk(&from, self))
        return 0;
    walk_reset(self); /* somebody has taken the trouble to make the sum right */
    return -1;
}

/* ---- How far it is -------------------------------------------------------------------------- */

/* As path_progress, with as many alternatives as are known by now. */
double walk_progress(const void *self)
{
    const struct walk *w = self;
    uint32_t n = w->is_restoring ? w->n_restored + 1 : w->course.n;
    double share = 1;
    double done = 0;

    if (w->is_done)
        return 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t planned = 0;

        for (uint32_t plan = w->plans.trees[i]; plan != 0; plan = w->plans.all[plan].next)
            planned++;
        share /= 1 + w->tried[i] + planned;
        done += share * w->tried[i];
    }
    return w->is_started ? done + share : 0;
}
