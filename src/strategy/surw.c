/* surw.c - the selectively uniform random walk: every order of what one machine is told is equally
 * likely, where it can be.
 *
 * Zhao et al., "Selectively uniform concurrency testing" (ASPLOS 2025). In each trial the steps of
 * one task are interesting. An operation has a weight: how many interesting ones it will lead to,
 * itself included. One is chosen by weight; unless it is interesting, what it has announced is
 * chosen from next, and so on until an interesting one has run. Steps between do not matter then,
 * however many there are: where messages form a forest each order of the interesting ones has the
 * same chance. What leads to nothing interesting runs when nothing else is left.
 *
 * Weights are learned as in urw.c, for each task. What looks like nothing that was seen counts 1,
 * and so does, at least, an interesting operation. Tasks take turns, those that had two deliveries
 * in an earlier epoch of which neither caused the other. As long as none is known, trials are
 * random walks.
 *
 * A fault counts 1, too, although it leads to nothing: what it keeps from happening is not among
 * its effects, and if faults came last no message would ever be lost.
 * SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/causes.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"
#include "strategy/sums.h"

#include <stdio.h>
#include <string.h>

enum { OBJECTS_MAX = 256, OBJECTS_TAUGHT_MAX = 64 };

static const uint64_t not_begun = UINT64_MAX;

/* Tasks, by their ids, in order. */
struct objects {
    uint32_t n;
    uint64_t all[OBJECTS_MAX];
};

struct surw {
    struct rng rng;
    struct stream stream;
    uint64_t base;      /* steps of the trial before this strategy's phase */
    uint64_t mind;      /* changes when a number does */
    uint64_t n_lessons; /* heard */
    bool is_teaching;   /* the present trial is */
    uint64_t object;    /* whose steps are interesting */
    bool has_object;    /* false: nobody's are */
    bool is_following;  /* what the last step announced is chosen from, if it leads anywhere */
    struct objects objects;
    struct objects met;       /* in one trial, in the order in which they were met */
    struct sums_pair known;   /* how often: by id and by signature; of these two and an object: how
                               * many steps of the object were led to */
    struct sums_pair scratch; /* of one trial */
    struct causes causes;
};

static const uint64_t surw_tag = UINT64_C(0x3277727573); /* "surw2" */

static int surw_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct surw *u = self;

    if (parameters[0] != '\0') {
        (void)snprintf(error, size, "it takes no parameters, but has \"%s\"", parameters);
        return -1;
    }
    stream_init(&u->stream, seed, surw_tag);
    return 0;
}

static bool surw_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct surw *u = self;

    (void)keep;
    trial = stream_begin(&u->stream, &u->rng);
    u->is_teaching = stream_teaches(&u->stream, trial, u->n_lessons);
    u->base = not_begun;
    u->causes.n = 0; /* should it decide nothing, it has nothing to teach */
    u->is_following = false;
    u->has_object = u->objects.n > 0;
    if (u->has_object)
        u->object = u->objects.all[trial % u->objects.n];
    return true;
}

static void surw_seek(void *self, uint64_t trial)
{
    struct surw *u = self;

    stream_seek(&u->stream, trial);
}

static uint64_t surw_mind(const void *self, uint32_t *arm)
{
    const struct surw *u = self;

    (void)arm;
    return u->mind;
}

/* ---- Weights -------------------------------------------------------------------------------- */

/* How many of the steps of the object an operation leads to, in the mean. */
static uint32_t mean_of(const struct surw *u, const struct cause_record *r)
{
    const struct sums *known = &u->known.ids;
    const struct sum *seen = sums_find(known, r->id);
    uint64_t key = r->id;
    uint32_t is_interesting = r->object == u->object;
    const struct sum *led;
    uint32_t mean;

    if (seen == NULL) {
        known = &u->known.signatures;
        key = r->signature;
        seen = sums_find(known, key);
    }
    if (seen == NULL)
        return 1;
    led = sums_find(known, mix_pair(key, u->object));
    mean = led == NULL ? 0 : sum_mean(&(struct sum){.sum = led->sum, .count = seen->count});
    return mean > is_interesting ? mean : is_interesting;
}

/* One more than the weight stands in the high half of an entry, where 0 is what was not weighed. */
static void weigh_at(struct trial *t, struct surw *u, uint32_t position)
{
    uint32_t source = (uint32_t)t->enabled[position];
    const struct sn_op *op = &t->ops[t->sources[source].ready];
    bool is_new;
    uint32_t number = causes_meet(&u->causes, t, op, &is_new);
    uint32_t weight = 1;

    if (number != 0 && u->has_object)
        weight = mean_of(u, &u->causes.all[number]);
    if (weight == 0 && op->kind == SN_OP_FAULT)
        weight = 1;
    t->enabled[position] = source | ((uint64_t)weight + 1) << 32;
}

/* Whether an operation is among those that are chosen from. */
static bool is_candidate(const struct trial *t, const struct surw *u, uint32_t position)
{
    return !u->is_following ||
           t->ops[t->sources[(uint32_t)t->enabled[position]].ready].cause == t->now.steps;
}

static uint64_t weight_at(const struct trial *t, const struct surw *u, uint32_t position)
{
    return is_candidate(t, u, position) ? (t->enabled[position] >> 32) - 1 : 0;
}

static uint64_t weigh_all(struct trial *t, struct surw *u)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        if (t->enabled[i] >> 32 == 0)
            weigh_at(t, u, i);
        total += weight_at(t, u, i);
    }
    return total;
}

/* The position of what runs next. */
static uint32_t choose(struct trial *t, struct surw *u)
{
    uint64_t total = weigh_all(t, u);
    uint32_t i = 0;
    uint64_t left;

    if (total == 0 && u->is_following) { /* it leads nowhere: from the beginning */
        u->is_following = false;
        total = weigh_all(t, u);
    }
    if (t->now.n_enabled == 1)
        return 0;
    if (total == 0)
        return rng_below(&u->rng, t->now.n_enabled);
    left = rng_below64(&u->rng, total);
    for (; left >= weight_at(t, u, i); i++)
        left -= weight_at(t, u, i);
    return i;
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct surw *u = self;
    uint32_t position = choose(t, u);
    uint32_t source = (uint32_t)t->enabled[position];
    uint32_t index = t->sources[source].ready;
    bool has_weight = t->enabled[position] >> 32 > 1;
    uint32_t number = causes_run(&u->causes, index, &t->ops[index], t->now.steps + 1);

    u->is_following =
        u->has_object && has_weight && number != 0 && u->causes.all[number].object != u->object;
    return source;
}

static void enter(struct trial *t, struct surw *u)
{
    u->base = t->now.steps;
    causes_start(&u->causes, u->base);
}

static void surw_loop(struct trial *t)
{
    enter(t, t->strategy_self);
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint32_t surw_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;
    struct surw *u = self;

    if (u->base == not_begun)
        enter(t, u);
    return t->sources[pick_source(t, u)].position - 1;
}

static uint64_t surw_draw(void *self, const struct sn_draw *draw)
{
    struct surw *u = self;

    return rng_below64(&u->rng, draw->n);
}

/* ---- Learning ------------------------------------------------------------------------------- */

/* Adds an object unless it is there, in order or at the end. */
static void add_object(struct objects *o, uint64_t object, bool in_order)
{
    uint32_t i = o->n;

    for (uint32_t k = 0; k < o->n; k++) {
        if (o->all[k] == object)
            return;
    }
    if (o->n == OBJECTS_MAX)
        return;
    for (; in_order && i > 0 && o->all[i - 1] > object; i--)
        o->all[i] = o->all[i - 1];
    o->all[i] = object;
    o->n++;
}

static bool is_known(const struct surw *u, uint64_t object)
{
    for (uint32_t i = 0; i < u->objects.n; i++) {
        if (u->objects.all[i] == object)
            return true;
    }
    return false;
}

/* Notes how many steps of an object each operation has led to. */
static void count_object(struct surw *u, uint64_t object)
{
    struct cause_record *all = u->causes.all;

    for (uint32_t i = 1; i <= u->causes.n; i++)
        all[i].size = all[i].has_run && all[i].object == object;
    for (uint32_t i = u->causes.n; i > 0; i--) {
        if (all[i].parent != 0)
            all[all[i].parent].size += all[i].size;
    }
    for (uint32_t i = 1; i <= u->causes.n; i++) {
        if (all[i].size == 0)
            continue;
        (void)sums_add(&u->scratch.signatures, mix_pair(all[i].signature, object), all[i].size, 0);
        (void)sums_add(&u->scratch.ids, mix_pair(all[i].id, object), all[i].size, 0);
    }
}

/* Whether two steps of an object could have come in either order as far as causes go. Records are
 * in an order that respects causes, so those of one chain are each the cause of the next. */
static bool has_race(const struct surw *u, uint64_t object)
{
    const struct cause_record *all = u->causes.all;
    uint32_t last = 0;

    for (uint32_t i = 1; i <= u->causes.n; i++) {
        uint32_t above = i;

        if (!all[i].has_run || all[i].object != object)
            continue;
        while (above > last)
            above = all[above].parent;
        if (above != last)
            return true;
        last = i;
    }
    return false;
}

/* The number of objects that have races, those, and sums. */
static size_t surw_lesson(void *self, void *bytes, size_t room)
{
    struct surw *u = self;
    unsigned char *to = bytes;
    uint64_t n = 0;

    if (!u->is_teaching)
        return 0;
    u->met.n = 0;
    sums_clear(&u->scratch.ids);
    sums_clear(&u->scratch.signatures);
    for (uint32_t i = 1; i <= u->causes.n; i++) {
        if (u->met.n < OBJECTS_TAUGHT_MAX && u->causes.all[i].object != 0)
            add_object(&u->met, u->causes.all[i].object, false);
        (void)sums_add(&u->scratch.signatures, u->causes.all[i].signature, 0, 1);
        (void)sums_add(&u->scratch.ids, u->causes.all[i].id, 0, 1);
    }
    if (room < 8 + (size_t)u->met.n * 8)
        return 0;
    for (uint32_t i = 0; i < u->met.n; i++) {
        bool is_raced = has_race(u, u->met.all[i]);

        if (is_raced)
            bytes_put(to + 8 + 8 * n++, u->met.all[i]);
        if (is_raced || is_known(u, u->met.all[i])) /* nobody will ask for the others */
            count_object(u, u->met.all[i]);
    }
    bytes_put(to, n);
    return 8 + 8 * n + sums_pair_teach(&u->scratch, to + 8 + 8 * n, room - 8 - 8 * n);
}

static void surw_learn(void *self, const void *bytes, size_t n)
{
    struct surw *u = self;
    const unsigned char *from = bytes;
    uint64_t n_objects = n >= 8 ? bytes_get(from) : 0;
    uint32_t before = u->objects.n;

    if (n < 8 || n_objects > OBJECTS_TAUGHT_MAX || n < 8 + 8 * n_objects)
        return;
    u->n_lessons++;
    for (uint64_t i = 0; i < n_objects; i++)
        add_object(&u->objects, bytes_get(from + 8 + 8 * i), true);
    u->mind = u->objects.n != before ? mix_pair(u->mind, u->objects.n) : u->mind;
    sums_pair_learn(&u->known, from + 8 + 8 * n_objects, n - 8 - 8 * n_objects, &u->mind);
}

/* ---- As bytes ------------------------------------------------------------------------------- */

enum { HEAD_BYTES = 8 + STREAM_BYTES + 24 };

static size_t surw_save(const void *self, void *bytes, size_t room)
{
    const struct surw *u = self;
    unsigned char *to = bytes;
    size_t n_known = sums_pair_save(&u->known, NULL, 0);
    size_t size = HEAD_BYTES + (size_t)u->objects.n * 8 + n_known;

    if (room < size)
        return size;
    bytes_put(to, surw_tag);
    stream_put(&u->stream, to + 8);
    bytes_put(to + 8 + STREAM_BYTES, u->mind);
    bytes_put(to + 16 + STREAM_BYTES, u->objects.n);
    bytes_put(to + 24 + STREAM_BYTES, u->n_lessons);
    to += HEAD_BYTES;
    for (uint32_t i = 0; i < u->objects.n; i++, to += 8)
        bytes_put(to, u->objects.all[i]);
    (void)sums_pair_save(&u->known, to, n_known);
    return size;
}

static bool is_saved(struct surw *u, const unsigned char *from, size_t n)
{
    uint64_t n_objects;

    if (n < HEAD_BYTES || bytes_get(from) != surw_tag)
        return false;
    n_objects = bytes_get(from + 16 + STREAM_BYTES);
    n -= HEAD_BYTES;
    from += HEAD_BYTES;
    if (n_objects > OBJECTS_MAX || n < n_objects * 8)
        return false;
    for (uint64_t i = 1; i < n_objects; i++) {
        if (bytes_get(from + 8 * (i - 1)) >= bytes_get(from + 8 * i))
            return false;
    }
    return sums_pair_is_saved(&u->scratch.ids, from + n_objects * 8, n - n_objects * 8);
}

static int surw_load(void *self, const void *bytes, size_t n)
{
    struct surw *u = self;
    const unsigned char *from = bytes;

    if (!is_saved(u, from, n) || stream_get(&u->stream, from + 8) < 0)
        return -1;
    u->mind = bytes_get(from + 8 + STREAM_BYTES);
    u->objects.n = (uint32_t)bytes_get(from + 16 + STREAM_BYTES);
    u->n_lessons = bytes_get(from + 24 + STREAM_BYTES);
    from += HEAD_BYTES;
    n -= HEAD_BYTES;
    for (uint32_t i = 0; i < u->objects.n; i++, from += 8, n -= 8)
        u->objects.all[i] = bytes_get(from);
    sums_pair_load(&u->known, from, n);
    return 0;
}

/* Each part goes on learning from its own trials. */
static bool surw_split(void *self, void *other)
{
    struct surw *u = self;
    struct surw *o = other;

    stream_split(&u->stream, &o->stream);
    o->known = u->known;
    o->objects = u->objects;
    o->mind = u->mind;
    o->n_lessons = u->n_lessons;
    return true;
}

static const struct sn_strategy surw_strategy = {
    .name = "surw",
    .about = "every order of what one machine is told is equally likely; machines take turns",
    .state_size = sizeof(struct surw),
    .learns = true,
    .init = surw_init,
    .begin = surw_begin,
    .pick = surw_pick,
    .draw = surw_draw,
    .seek = surw_seek,
    .save = surw_save,
    .load = surw_load,
    .split = surw_split,
    .lesson = surw_lesson,
    .learn = surw_learn,
};

const struct strategy_entry strategy_surw = {
    .strategy = &surw_strategy, .loop = surw_loop, .mind = surw_mind};
