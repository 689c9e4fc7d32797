/* random.c - the random walk: every pending operation is equally likely, and so is every value.
 *
 * Trial i of seed s draws from a stream of its own, so trials are the same in any order and on any
 * number of machines. The simplest strategy and the fastest; exponentially unlikely to hold one
 * task back for long. SPDX-License-Identifier: MIT
 */
#include "base/bytes.h"
#include "base/rng.h"
#include "engine/loop.h"
#include "strategy/strategies.h"

#include <stdio.h>
#include <string.h>

struct random {
    struct rng rng;
    uint64_t seed;
    uint64_t next; /* trials from here on, ... */
    uint64_t end;  /* ... below this one */
    uint64_t step; /* ... every this many */
};

static const uint64_t random_tag = UINT64_C(0x6d6f646e6172); /* "random" */

static int random_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct random *r = self;

    if (parameters[0] != '\0') {
        (void)snprintf(error, size, "it takes no parameters, but has \"%s\"", parameters);
        return -1;
    }
    r->seed = seed;
    r->step = 1;
    r->end = UINT64_MAX;
    return 0;
}

static bool random_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct random *r = self;

    (void)trial;
    (void)keep;
    if (r->next >= r->end)
        return false;
    rng_init(&r->rng, r->seed, r->next);
    r->next += r->step;
    return true;
}

static uint32_t random_pick(void *self, const struct sn_pending *pending)
{
    struct random *r = self;
    uint32_t n = sn_pending_count(pending);

    return n == 1 ? 0 : rng_below(&r->rng, n);
}

static uint64_t random_draw(void *self, const struct sn_draw *draw)
{
    struct random *r = self;

    return rng_below64(&r->rng, draw->n);
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct random *r = self;

    /* Where there is no choice nothing is drawn: part of what a seed means. */
    return (uint32_t)t->enabled[t->now.n_enabled == 1 ? 0 : rng_below(&r->rng, t->now.n_enabled)];
}

static void random_loop(struct trial *t)
{
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static size_t random_save(const void *self, void *bytes, size_t room)
{
    const struct random *r = self;
    const uint64_t words[] = {random_tag, r->seed, r->next, r->end, r->step};
    unsigned char *to = bytes;

    if (room >= sizeof(words)) {
        for (size_t i = 0; i < sizeof(words) / 8; i++)
            bytes_put(to + 8 * i, words[i]);
    }
    return sizeof(words);
}

static int random_load(void *self, const void *bytes, size_t n)
{
    struct random *r = self;
    const unsigned char *from = bytes;

    if (n != 40 || bytes_get(from) != random_tag || bytes_get(from + 32) == 0)
        return -1;
    r->seed = bytes_get(from + 8);
    r->next = bytes_get(from + 16);
    r->end = bytes_get(from + 24);
    r->step = bytes_get(from + 32);
    return 0;
}

static void random_seek(void *self, uint64_t trial)
{
    struct random *r = self;

    r->next = trial;
}

/* Every second trial goes to the other. */
static bool random_split(void *self, void *other)
{
    struct random *r = self;
    struct random *o = other;

    *o = *r;
    o->next = r->next + r->step;
    r->step *= 2;
    o->step = r->step;
    return true;
}

static const struct sn_strategy random_strategy = {
    .name = "random",
    .about = "every pending operation is equally likely",
    .state_size = sizeof(struct random),
    .is_fair = true,
    .init = random_init,
    .begin = random_begin,
    .pick = random_pick,
    .draw = random_draw,
    .save = random_save,
    .load = random_load,
    .split = random_split,
    .seek = random_seek,
};

const struct strategy_entry strategy_random = {.strategy = &random_strategy, .loop = random_loop};
