/* interleave.c - see interleave.h.
 *
 * The heart is enter(): what is known at a place follows from the place before. A unit a is asleep
 * at a place if it could be moved to the left of some larger unit, one neighbour after the other.
 * So the units asleep behind unit y are those that commute with y there and were asleep before, or
 * are smaller than y. It is the lexicographic normal form of Anisimov and Knuth, kept up like a
 * sleep set (Godefroid), with a relation that may depend on the place. SPDX-License-Identifier: MIT
 */
#include "events/interleave.h"

#include "base/rng.h"
#include "engine/mem.h"

#include <assert.h>

#include <string.h>

#define BIT(i_) (UINT64_C(1) << (i_))

/* ---- What commutes at a place --------------------------------------------------------------- */

/* Replicas that can still be seen while these units are left. */
static uint16_t seen_from(const struct units *u, uint64_t left)
{
    uint16_t seen = u->watched;
    uint16_t was;

    for (uint32_t r = 0; r < RECORDING_REPLICAS_MAX; r++) {
        if ((u->watched_queries & 1 << r) != 0 && (u->queries[r] & left) != 0)
            seen |= (uint16_t)(1 << r);
    }
    do {
        was = seen;
        for (uint32_t i = 0; i < u->n_deliveries; i++) {
            if ((seen & 1 << u->deliveries[i].to) != 0 &&
                (left & BIT(u->deliveries[i].update)) != 0 &&
                (left & BIT(u->deliveries[i].delivery)) != 0)
                seen |= (uint16_t)(1 << u->deliveries[i].from);
        }
        for (uint32_t from = 0; from < RECORDING_REPLICAS_MAX; from++) {
            if ((seen & 1 << from) != 0 || (u->at[from] & left) == 0)
                continue;
            for (uint32_t to = 0; to < RECORDING_REPLICAS_MAX; to++) {
                if ((seen & 1 << to) != 0 && (u->requests[from][to] & left) != 0)
                    seen |= (uint16_t)(1 << from);
            }
        }
    } while (seen != was);
    return seen;
}

/* Of the units that are left, those without influence. */
static uint64_t without_influence(const struct units *u, uint64_t left)
{
    uint16_t seen = seen_from(u, left);
    uint64_t at_seen = 0;

    for (uint32_t r = 0; r < RECORDING_REPLICAS_MAX; r++) {
        if ((seen & 1 << r) != 0)
            at_seen |= u->at[r];
    }
    return left & ~at_seen;
}

/* The units that fail at a place. */
static uint64_t failing(const struct units *u, const struct interleave_place *p)
{
    uint64_t set = 0;

    for (uint32_t i = 0; i < u->n_failed; i++) {
        uint64_t of_list = u->failed[i].events;

        if ((u->failed[i].after & ~p->done) != 0)
            continue;
        for (uint32_t r = 0; r < RECORDING_REPLICAS_MAX; r++) {
            if ((p->dirty[i] & 1 << r) != 0)
                of_list &= ~u->at[r];
        }
        set |= of_list;
    }
    return set;
}

/* The units that commute with the one at this place, and need not come behind it. */
static uint64_t movable_over(const struct units *u, struct interleave_place *p)
{
    uint32_t unit = p->unit;
    uint64_t set = u->independent[unit];

    if (u->is_watching && !u->merges_ends) {
        uint64_t idle = without_influence(u, ~p->done & (u->n < 64 ? BIT(u->n) - 1 : UINT64_MAX));

        set |= (idle & BIT(unit)) != 0 ? UINT64_MAX : idle;
    }
    if (u->n_failed > 0) {
        uint64_t fails = failing(u, p);

        if ((fails & BIT(unit)) != 0)
            set |= (fails | ~u->nearby[unit]) & ~u->kin[unit];
        else
            set |= fails & ~u->nearby[unit] & ~u->kin[unit];
    }
    return set & ~u->behind[unit];
}

/* ---- Walking -------------------------------------------------------------------------------- */

static uint64_t all_units(const struct units *u)
{
    return u->n < 64 ? BIT(u->n) - 1 : UINT64_MAX;
}

/* What may come at a place of which all but that is known. */
static void offer(struct interleave *it, struct interleave_place *p)
{
    const struct units *u = it->u;

    if (u->is_watching && !p->is_idle && (!u->merges_ends || (p->done & ~u->observing) == 0)) {
        uint64_t left = all_units(u) & ~p->done;

        p->is_idle = without_influence(u, left) == left;
    }
    p->left = p->ready;
    if (p->is_idle) /* one continuation is enough */
        p->left &= -p->left;
    p->left &= ~p->asleep;
}

/* Notes for each list of events that fail where something else has happened since. */
static void soil(const struct units *u, const struct interleave_place *p,
                 struct interleave_place *next)
{
    for (uint32_t i = 0; i < u->n_failed; i++) {
        const struct units_failed *failed = &u->failed[i];

        next->dirty[i] = p->dirty[i];
        if ((failed->after & BIT(p->unit)) != 0)
            next->dirty[i] = 0; /* what came before the last of these does not count */
        if ((failed->after_only & BIT(p->unit)) != 0)
            continue;
        if ((failed->events & BIT(p->unit)) == 0)
            next->dirty[i] |= u->replicas[p->unit];
    }
}

/* Puts a unit at the present place and goes on to the next. */
static inline void enter(struct interleave *it, uint32_t unit)
{
    const struct units *u = it->u;
    struct interleave_place *p = &it->places[it->depth];
    struct interleave_place *next = p + 1;
    uint64_t newly = u->behind[unit];

    p->unit = (uint8_t)unit;
    if (__builtin_expect(u->n_of[unit] == 1, 1))
        it->order[p->n_events] = u->events[u->first[unit]];
    else
        memcpy(it->order + p->n_events, u->events + u->first[unit], u->n_of[unit]);
    next->n_events = (uint8_t)(p->n_events + u->n_of[unit]);
    next->done = p->done | BIT(unit);
    next->ready = p->ready & ~BIT(unit);
    for (; newly != 0; newly &= newly - 1) {
        uint32_t other = (uint32_t)__builtin_ctzll(newly);

        if ((u->before[other] & ~next->done) == 0)
            next->ready |= BIT(other);
    }
    p->over = movable_over(u, p);
    next->asleep = p->over & (p->asleep | (BIT(unit) - 1));
    next->is_idle = p->is_idle;
    if (__builtin_expect(u->n_failed > 0, 0))
        soil(u, p, next);
    it->depth++;
    offer(it, next);
}

/* Whether a unit, which is not asleep here, turns out to commute with those before it. */
static bool is_inferred(struct interleave *it, uint32_t unit)
{
    for (uint32_t j = it->depth; j-- > 0;) {
        const struct interleave_place *p = &it->places[j];

        if ((it->u->behind[p->unit] & BIT(unit)) != 0)
            return false;
        if ((p->over & BIT(unit)) == 0) {
            /* It can only be run there if it could come there. */
            if ((p->ready & BIT(unit)) == 0)
                return false;
            it->asked++;
            if (!it->ask(it->self, it->order, p->n_events, p->unit, unit))
                return false;
            it->commuted++;
        }
        if (unit < p->unit)
            return true;
    }
    return false;
}

void interleave_init(struct interleave *it, const struct units *u)
{
    struct interleave_place *p = &it->places[0];

    memset(it, 0, sizeof(*it));
    it->u = u;
    it->n = u->n_events;
    for (uint32_t i = 0; i < u->n; i++) {
        if (u->before[i] == 0)
            p->ready |= BIT(i);
    }
    offer(it, p);
}

bool interleave_next(struct interleave *it)
{
    uint32_t n = it->u->n;
    uint32_t lowest = it->depth;

    if (it->has_ended)
        return false;
    if (it->depth == n) /* it stands behind a complete one */
        lowest = --it->depth;
    for (;;) {
        struct interleave_place *p = &it->places[it->depth];
        uint32_t unit;

        if (p->left == 0) {
            if (it->depth == 0)
                break;
            it->depth--;
            if (it->depth < lowest)
                lowest = it->depth;
            continue;
        }
        unit = (uint32_t)__builtin_ctzll(p->left);
        p->left &= p->left - 1;
        if (__builtin_expect(it->ask != NULL, 0) && is_inferred(it, unit))
            continue;
        enter(it, unit);
        if (it->depth == n) {
            it->kept = it->has_begun ? it->places[lowest].n_events : 0;
            it->has_begun = true;
            return true;
        }
    }
    it->has_ended = true;
    return false;
}

/* How the events of a unit compare with those of an order from some place on. */
static int compare(const struct units *u, uint32_t unit, const uint8_t *order)
{
    for (uint32_t i = 0; i < u->n_of[unit]; i++) {
        int difference = (int)u->events[u->first[unit] + i] - (int)order[i];

        if (difference != 0)
            return difference;
    }
    return 0;
}

void interleave_seek(struct interleave *it, const uint8_t *order)
{
    interleave_ask *ask = it->ask;
    void *self = it->self;

    interleave_init(it, it->u);
    it->ask = ask;
    it->self = self;
    while (it->depth < it->u->n) {
        struct interleave_place *p = &it->places[it->depth];
        uint32_t same = UINT32_MAX;

        for (uint64_t left = p->left; left != 0; left &= left - 1) {
            uint32_t unit = (uint32_t)__builtin_ctzll(left);
            int difference = compare(it->u, unit, order + p->n_events);

            if (difference <= 0)
                p->left &= ~BIT(unit);
            if (difference == 0)
                same = unit;
        }
        if (same == UINT32_MAX)
            return;
        enter(it, same);
    }
}

bool interleave_has(const struct units *u, const uint8_t *order)
{
    struct interleave it;

    interleave_init(&it, u);
    while (it.depth < u->n) {
        struct interleave_place *p = &it.places[it.depth];
        uint32_t same = UINT32_MAX;

        for (uint64_t left = p->left; left != 0; left &= left - 1) {
            uint32_t unit = (uint32_t)__builtin_ctzll(left);

            if (compare(u, unit, order + p->n_events) == 0)
                same = unit;
        }
        if (same == UINT32_MAX)
            return false;
        enter(&it, same);
    }
    return true;
}

/* ---- Counting ------------------------------------------------------------------------------- */

/* How many ways there are to go on from a place depends on a few words of it. */
struct known {
    uint64_t done;
    uint64_t asleep;
    uint64_t dirty[2];
    uint64_t is_idle;
    double count; /* 0: this entry is free */
};

struct counting {
    struct interleave it;
    struct known *table;
    uint64_t size; /* a power of two */
    uint64_t used;
    uint64_t used_max;
    bool is_exceeded;
};

static struct known key_of(const struct counting *c)
{
    const struct interleave_place *p = &c->it.places[c->it.depth];
    struct known key = {.done = p->done, .asleep = p->asleep & ~p->done, .is_idle = p->is_idle};

    static_assert(sizeof(p->dirty) == sizeof(key.dirty), "all of it is compared");
    if (c->it.u->n_failed > 0)
        memcpy(key.dirty, p->dirty, sizeof(key.dirty));
    return key;
}

static struct known *find(const struct counting *c, const struct known *key)
{
    uint64_t hash = mix_fold(mix_fold(key->done, key->asleep), key->dirty[0] ^ key->dirty[1] << 1);

    for (;; hash++) {
        struct known *entry = &c->table[hash & (c->size - 1)];

        if (entry->count < 0.5 ||
            (entry->done == key->done && entry->asleep == key->asleep &&
             entry->is_idle == key->is_idle && entry->dirty[0] == key->dirty[0] &&
             entry->dirty[1] == key->dirty[1]))
            return entry;
    }
}

/* Goes as deep as there are units. Counts are kept one too high, because 0 is no entry. */
static double count_from(struct counting *c) // NOLINT(misc-no-recursion)
{
    struct interleave_place *p = &c->it.places[c->it.depth];
    struct known key = key_of(c);
    struct known *entry;
    double count = 0;

    if (c->it.depth == c->it.u->n)
        return 1;
    entry = find(c, &key);
    if (entry->count > 0.5)
        return entry->count - 1;
    if (c->used >= c->used_max)
        c->is_exceeded = true;
    for (uint64_t left = p->left; left != 0 && !c->is_exceeded; left &= left - 1) {
        enter(&c->it, (uint32_t)__builtin_ctzll(left));
        count += count_from(c);
        c->it.depth--;
    }
    entry = find(c, &key); /* others have been entered since */
    key.count = count + 1;
    if (!c->is_exceeded)
        *entry = key;
    c->used++;
    return count;
}

bool interleave_count(const struct units *u, uint64_t states_max, double *count)
{
    struct counting c = {.used_max = states_max, .size = 1024};

    while (c.size < 2 * (states_max + RECORDING_EVENTS_MAX))
        c.size *= 2;
    c.table = mem_reserve_shared(c.size * sizeof(*c.table), NULL);
    if (c.table == NULL)
        return false;
    interleave_init(&c.it, u);
    *count = count_from(&c);
    mem_release(c.table, c.size * sizeof(*c.table));
    return !c.is_exceeded;
}
