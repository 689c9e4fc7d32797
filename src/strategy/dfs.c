/* dfs.c - depth-first search: every schedule and every value, each exactly once.
 *
 * The order in which alternatives are offered depends only on the decisions before, so returning by
 * restoring memory and by running the prefix again visit the same schedules in the same order.
 * SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/path.h"
#include "strategy/strategies.h"

static const uint64_t dfs_tag = UINT64_C(0x736664); /* "dfs" */

static bool dfs_begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)trial;
    return path_begin(self, keep);
}

static uint32_t dfs_pick(void *self, const struct sn_pending *pending)
{
    return path_next(self, sn_pending_count(pending));
}

static uint64_t dfs_draw(void *self, const struct sn_draw *draw)
{
    return path_next(self, draw->n);
}

static uint32_t pick_source(struct trial *t, void *self)
{
    uint32_t index = path_next(self, t->now.n_enabled);

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
    return path_save(self, dfs_tag, bytes, room);
}

static int dfs_load(void *self, const void *bytes, size_t n)
{
    return path_load(self, dfs_tag, bytes, n);
}

static bool dfs_split(void *self, void *other)
{
    return path_split(self, other);
}

static bool dfs_is_exhausted(const void *self)
{
    return path_is_exhausted(self);
}

static double dfs_progress(const void *self)
{
    return path_progress(self);
}

static struct descent *dfs_descent(void *self)
{
    struct path *p = self;

    return &p->descent;
}

static const struct sn_strategy dfs_strategy = {
    .name = "dfs",
    .about = "every schedule once, in depth-first order",
    .state_size = sizeof(struct path),
    .begin = dfs_begin,
    .pick = dfs_pick,
    .draw = dfs_draw,
    .save = dfs_save,
    .load = dfs_load,
    .split = dfs_split,
    .is_exhausted = dfs_is_exhausted,
    .progress = dfs_progress,
};

const struct strategy_entry strategy_dfs = {
    .strategy = &dfs_strategy, .loop = dfs_loop, .descent = dfs_descent};
