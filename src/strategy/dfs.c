/* dfs.c - depth-first search: every schedule and every value, each exactly once.
 *
 * The state is the path to the present leaf: at each decision which alternative was taken and how
 * many there were. A trial keeps the path up to the deepest decision with an alternative left,
 * takes that, and then the first alternative everywhere below. The order in which alternatives are
 * offered depends only on the decisions before, so returning by restoring memory and by running the
 * prefix again visit the same schedules in the same order. SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/bytes.h"
#include "strategy/strategies.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 1 << 22 };

struct level {
    uint32_t taken;
    uint32_t end; /* alternatives are taken .. end - 1 */
};

struct dfs {
    uint64_t depth;  /* decisions of the present trial */
    uint64_t bottom; /* levels below this one belong to someone else: they stay as they are */
    uint64_t keep;   /* decisions kept from the trial before */
    bool is_started;
    bool is_done;
    bool is_incomplete; /* something lay deeper or was wider than can be followed */
    struct level path[DEPTH_MAX];
};

static const uint64_t dfs_tag = UINT64_C(0x736664); /* "dfs" */

static bool dfs_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct dfs *d = self;

    (void)trial;
    if (d->is_done)
        return false;
    if (!d->is_started) {
        /* depth levels, if any, were handed over: repeat them by asking, since no trial came
         * before that could be kept. */
        d->is_started = true;
        d->keep = d->depth;
        d->depth = 0;
        return true;
    }
    while (d->depth > d->bottom && d->path[d->depth - 1].taken + 1 >= d->path[d->depth - 1].end)
        d->depth--;
    if (d->depth == d->bottom) {
        d->is_done = true;
        return false;
    }
    d->path[d->depth - 1].taken++;
    d->keep = d->depth;
    d->depth--; /* the changed decision is asked again */
    *keep = d->depth;
    return true;
}

/* The alternative to take at the next decision. */
static inline uint32_t next_alternative(struct dfs *d, uint64_t n)
{
    struct level *level = &d->path[d->depth];

    if (unlikely(d->depth >= DEPTH_MAX)) {
        d->is_incomplete = true;
        return 0;
    }
    if (d->depth >= d->keep) {
        level->taken = 0;
        level->end = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
        d->is_incomplete |= n > UINT32_MAX;
    }
    d->depth++;
    return level->taken;
}

static uint32_t dfs_pick(void *self, const struct sn_pending *pending)
{
    return next_alternative(self, sn_pending_count(pending));
}

static uint64_t dfs_draw(void *self, const struct sn_draw *draw)
{
    return next_alternative(self, draw->n);
}

static uint32_t pick_source(struct trial *t, void *self)
{
    uint32_t index = next_alternative(self, t->now.n_enabled);

    if (unlikely(index >= t->now.n_enabled))
        trial_diverge(t, "%u operations can run where there were more before", t->now.n_enabled);
    return (uint32_t)t->enabled[index];
}

static void dfs_loop(struct trial *t)
{
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static size_t dfs_save(const void *self, void *bytes, size_t room)
{
    const struct dfs *d = self;
    unsigned char *to = bytes;
    uint64_t flags =
        (uint64_t)d->is_done | (uint64_t)d->is_incomplete << 1 | (uint64_t)d->is_started << 2;
    size_t size = 32 + d->depth * 8;

    if (room < size)
        return size;
    bytes_put(to, dfs_tag);
    bytes_put(to + 8, flags);
    bytes_put(to + 16, d->bottom);
    bytes_put(to + 24, d->depth);
    for (uint64_t i = 0; i < d->depth; i++)
        bytes_put(to + 32 + 8 * i, (uint64_t)d->path[i].end << 32 | d->path[i].taken);
    return size;
}

/* Moves a saved path on to its next leaf: the trial that it describes has been run. */
static void skip_finished(struct dfs *d)
{
    while (d->depth > d->bottom && d->path[d->depth - 1].taken + 1 >= d->path[d->depth - 1].end)
        d->depth--;
    if (d->depth == d->bottom)
        d->is_done = true;
    else
        d->path[d->depth - 1].taken++;
}

static int dfs_load(void *self, const void *bytes, size_t n)
{
    struct dfs *d = self;
    const unsigned char *from = bytes;
    uint64_t depth;

    if (n < 32 || bytes_get(from) != dfs_tag || bytes_get(from + 8) > 7)
        return -1;
    depth = bytes_get(from + 24);
    if (depth > DEPTH_MAX || n != 32 + depth * 8 || bytes_get(from + 16) > depth)
        return -1;
    for (uint64_t i = 0; i < depth; i++) {
        uint64_t word = bytes_get(from + 32 + 8 * i);

        if ((uint32_t)word >= (uint32_t)(word >> 32))
            return -1;
    }
    d->is_done = (bytes_get(from + 8) & 1) != 0;
    d->is_incomplete = (bytes_get(from + 8) & 2) != 0;
    d->bottom = bytes_get(from + 16);
    d->depth = depth;
    for (uint64_t i = 0; i < depth; i++) {
        uint64_t word = bytes_get(from + 32 + 8 * i);

        d->path[i] = (struct level){(uint32_t)word, (uint32_t)(word >> 32)};
    }
    d->is_started = false;
    if ((bytes_get(from + 8) & 4) != 0 && !d->is_done)
        skip_finished(d);
    return 0;
}

/* Gives away half of what is left at the highest decision that has something left. */
static bool dfs_split(void *self, void *other)
{
    struct dfs *d = self;
    struct dfs *o = other;
    uint64_t level = d->bottom;
    uint32_t left;

    while (level < d->depth && d->path[level].taken + 1 >= d->path[level].end)
        level++;
    if (d->is_done || !d->is_started || level == d->depth)
        return false;
    left = d->path[level].end - d->path[level].taken - 1;
    memcpy(o->path, d->path, (level + 1) * sizeof(d->path[0]));
    o->path[level].taken = d->path[level].end - (left + 1) / 2;
    d->path[level].end = o->path[level].taken;
    o->bottom = level;
    o->depth = level + 1;
    o->keep = 0;
    o->is_started = false;
    o->is_done = false;
    o->is_incomplete = d->is_incomplete;
    return true;
}

static bool dfs_is_exhausted(const void *self)
{
    const struct dfs *d = self;

    return d->is_done && !d->is_incomplete;
}

static const struct sn_strategy dfs_strategy = {
    .name = "dfs",
    .about = "every schedule once, in depth-first order",
    .state_size = sizeof(struct dfs),
    .begin = dfs_begin,
    .pick = dfs_pick,
    .draw = dfs_draw,
    .save = dfs_save,
    .load = dfs_load,
    .split = dfs_split,
    .is_exhausted = dfs_is_exhausted,
};

const struct strategy_entry strategy_dfs = {.strategy = &dfs_strategy, .loop = dfs_loop};
