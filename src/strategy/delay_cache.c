/* delay_cache.c - few departures from one ordinary schedule, and each state once.
 *
 * `delay:D:cache` does what delay:D does, but leaves a trial as soon as it comes to a state that
 * was met before with as few delays: whatever can follow was tried then, or will be. The order of
 * what is pending is part of the state, because it decides what a delay costs; and a state that is
 * met again with fewer delays than before is gone on with, because more of them are left. So it
 * visits exactly the states that delay:D does.
 *
 * The cache is not saved: keys mean nothing in another process, and a search that has forgotten
 * what it met is only slower. For the same reason it could be divided, but the number of trials
 * would then depend on how: it is not. SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/cache.h"
#include "strategy/delay.h"
#include "strategy/number.h"
#include "strategy/pending.h"
#include "strategy/strategies.h"

#include <stdio.h>

struct delay_cache {
    struct delay delay; /* first: see delay.h */
    bool has_pruned;
    struct cache cache;
    struct pending pending;
};

/* What is claimed depends on whether a state was met twice, so a saved search says so. */
static const uint64_t cache_tag = UINT64_C(0x6568636163);    /* "cache" */
static const uint64_t pruned_tag = UINT64_C(0x64656e757270); /* "pruned" */

static int init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct delay_cache *d = self;
    const char *at = parameters;
    uint64_t states_max = CACHE_STATES_MAX;
    int rc = number_read(&at, 0, DELAYS_MAX, &d->delay.bound);

    (void)seed;
    if (rc == 0 && strcmp(at, "cache") != 0) {
        rc = strncmp(at, "cache:", 6) == 0 ? 0 : -1;
        at += rc == 0 ? 6 : 0;
        if (rc == 0 && (number_read(&at, 1, CACHE_STATES_MAX, &states_max) < 0 || *at != '\0'))
            rc = -1;
    }
    if (rc == 0) {
        cache_init(&d->cache, (uint32_t)states_max);
        return 0;
    }
    (void)snprintf(error, size,
                   "it needs a number of delays before the cache and at most %d states after it, "
                   "as in delay:2:cache or delay:2:cache:1000, but has \"%s\"",
                   CACHE_STATES_MAX, parameters);
    return -1;
}

/* The state that the trial is in, with the order of what is pending. */
static struct state_key key_of(struct delay_cache *d, struct trial *t)
{
    struct state_key key;
    struct err why;

    if (trial_state(t, &key, &why) < 0)
        trial_lose_control(t, TRIAL_REFUSED,
                           "strategy delay:D:cache must know the whole state of a test: %s; "
                           "delay:D needs none of it",
                           why.text);
    pending_list(&d->pending, t);
    for (uint32_t i = 0; i < d->pending.n; i++)
        key = state_join(key, pending_key(t, &d->pending.ops[i]));
    return key;
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct delay_cache *d = self;

    if (delay_is_new(&d->delay) && cache_meet(&d->cache, key_of(d, t), delay_spent(&d->delay))) {
        d->has_pruned = true;
        trial_abandon(t);
    }
    return delay_pick_source(t, &d->delay);
}

static void loop(struct trial *t)
{
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint32_t pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    return t->sources[pick_source(t, self)].position - 1;
}

static size_t save(const void *self, void *bytes, size_t room)
{
    const struct delay_cache *d = self;

    return path_save(&d->delay.path, d->has_pruned ? pruned_tag : cache_tag, bytes, room);
}

static int load(void *self, const void *bytes, size_t n)
{
    struct delay_cache *d = self;

    if (path_load(&d->delay.path, cache_tag, bytes, n) == 0)
        d->has_pruned = false;
    else if (path_load(&d->delay.path, pruned_tag, bytes, n) == 0)
        d->has_pruned = true;
    else
        return -1;
    cache_clear(&d->cache);
    return 0;
}

static void within(const void *self, char *text, size_t size)
{
    const struct delay_cache *d = self;
    char delays[64] = "";

    delay_within(self, delays, sizeof(delays));
    if (d->has_pruned)
        (void)snprintf(text, size, "%s%sup to repeated states", delays,
                       delays[0] != '\0' ? " " : "");
    else if (delays[0] != '\0')
        (void)snprintf(text, size, "%s", delays);
}

static void note(const void *self, char *text, size_t size)
{
    const struct delay_cache *d = self;

    if (d->cache.is_full)
        (void)snprintf(text, size,
                       "the cache is full with %u states: what comes after other ones is tried as "
                       "often as they are met",
                       d->cache.max);
}

static const struct sn_strategy delay_cache_strategy = {
    .name = "delay",
    .about = "every state with at most D delays",
    .state_size = sizeof(struct delay_cache),
    .init = init,
    .begin = delay_begin,
    .pick = pick,
    .draw = delay_draw,
    .save = save,
    .load = load,
    .is_exhausted = delay_is_exhausted,
    .within = within,
    .progress = delay_progress,
};

const struct strategy_entry strategy_delay_cache = {
    .strategy = &delay_cache_strategy,
    .loop = loop,
    .note = note,
    .why_alone = "what follows from a state depends on who decides then, and when",
};
