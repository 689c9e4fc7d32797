/* strategy.c - `events`: the interleavings of recorded events, one after the other, pruned.
 *
 * interleave.c knows what comes next; a trial keeps what it has in common with the last one.
 * SPDX-License-Identifier: MIT
 */
#include "engine/explore.h"
#include "engine/loop.h"
#include "events/events.h"

#include <stdio.h>
#include <string.h>

/* A saved state is the last interleaving: this, its length, its events. */
static const unsigned char save_tag[4] = {'i', 'l', 'v', 1};

struct walk_events {
    struct interleave it;
    bool is_ready;   /* `it` has the interleaving of the present trial */
    bool is_new;     /* nothing was decided yet in the present trial */
    bool is_put_off; /* the interleaving of `it` is for the next trial */
    bool has_loaded; /* the walk goes on behind `it.order`, which is of so many events: */
    bool is_pruned;  /* not every interleaving that there is is run */
    uint32_t n_loaded;
    uint32_t position; /* in the interleaving: the event that happens next */
    uint64_t log_at[RECORDING_EVENTS_MAX + 1]; /* decisions before the event at each position */
};

static bool events_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct walk_events *w = self;

    (void)trial;
    w->is_new = true;
    if (!w->is_ready)
        return true;
    if (!w->is_put_off && !interleave_next(&w->it))
        return false;
    w->is_put_off = false;
    w->position = w->it.kept;
    *keep = w->log_at[w->it.kept];
    return true;
}

/* The first trial: only now it is known what was recorded. */
static void begin_walk(struct walk_events *w, struct trial *t)
{
    uint8_t from[RECORDING_EVENTS_MAX];
    const struct units *u = &t->events->units;

    if (!events_are_used(t))
        trial_lose_control(t, TRIAL_REFUSED,
                           "the strategy events is for tests that record events: sennit/events.h");
    memcpy(from, w->it.order, sizeof(from));
    interleave_init(&w->it, u);
    w->it.ask = t->events->host->infer != NULL ? t->events->host->infer(t) : NULL;
    w->it.self = t;
    if (w->has_loaded && w->n_loaded != u->n_events)
        trial_lose_control(t, TRIAL_REFUSED, "what was saved is of %u events, and %u were recorded",
                           w->n_loaded, u->n_events);
    if (w->has_loaded || (t->events->host->resume != NULL && t->events->host->resume(t, from)))
        interleave_seek(&w->it, from);
    w->is_pruned = t->events->rules.prunings != 0;
    w->position = 0;
    w->is_ready = true;
    if (!interleave_next(&w->it))
        trial_forget(t); /* all was run before */
}

/* What was run is kept; from the present interleaving on, other rules hold. The trial may have
 * begun with what it has in common with the last one, so another one takes its place. */
static void change_units(struct walk_events *w, struct trial *t)
{
    uint8_t present[RECORDING_EVENTS_MAX];

    memcpy(present, w->it.order, sizeof(present));
    interleave_seek(&w->it, present);
    w->is_put_off = interleave_has(&t->events->units, present);
    w->it.kept = 0;
    w->log_at[0] = 0;
    trial_forget(t);
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct walk_events *w = self;
    uint32_t source;

    if (unlikely(!w->is_ready))
        begin_walk(w, t);
    if (w->is_new && t->events->host->ahead != NULL && t->events->host->ahead(t, &w->it))
        change_units(w, t);
    w->is_new = false;
    if (unlikely(w->position >= w->it.n))
        return (uint32_t)t->enabled[0]; /* something that is not recorded */
    source = t->events->now.sources[w->it.order[w->position]];
    if (unlikely(t->sources[source].position == 0))
        trial_diverge(t, "event %u cannot happen where it could before", w->it.order[w->position]);
    w->log_at[w->position++] = t->log.n;
    return source;
}

static void events_loop(struct trial *t)
{
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

/* The loop is used instead. */
static uint32_t events_pick(void *self, const struct sn_pending *pending)
{
    (void)self;
    (void)pending;
    return 0;
}

static size_t events_save(const void *self, void *bytes, size_t room)
{
    const struct walk_events *w = self;
    uint32_t n = w->is_ready ? w->it.n : w->n_loaded;
    size_t size = sizeof(save_tag) + 2 + n;
    unsigned char *out = bytes;

    if (size > room)
        return size;
    memcpy(out, save_tag, sizeof(save_tag));
    out[4] = (unsigned char)n;
    out[5] = w->it.has_ended;
    memcpy(out + 6, w->it.order, n);
    return size;
}

static int events_load(void *self, const void *bytes, size_t n)
{
    struct walk_events *w = self;
    const unsigned char *in = bytes;
    uint64_t seen = 0;

    if (n < 6 || memcmp(in, save_tag, sizeof(save_tag)) != 0 || in[4] > RECORDING_EVENTS_MAX ||
        n != 6U + in[4] || in[5] > 1)
        return -1;
    for (uint32_t i = 0; i < in[4]; i++) {
        if (in[6 + i] >= in[4] || (seen & UINT64_C(1) << in[6 + i]) != 0)
            return -1;
        seen |= UINT64_C(1) << in[6 + i];
    }
    memset(w, 0, sizeof(*w));
    w->n_loaded = in[4];
    w->has_loaded = in[4] > 0;
    memcpy(w->it.order, in + 6, in[4]);
    w->it.n = in[4];
    w->it.has_ended = w->is_ready = in[5] != 0;
    return 0;
}

static bool events_is_exhausted(const void *self)
{
    return ((const struct walk_events *)self)->it.has_ended;
}

static void events_within(const void *self, char *text, size_t size)
{
    const struct walk_events *w = self;

    (void)snprintf(text, size, "%s", w->is_pruned ? "that stands for others" : "");
}

static const struct sn_strategy events_strategy = {
    .name = "events",
    .about = "every interleaving of recorded events, pruned",
    .state_size = sizeof(struct walk_events),
    .begin = events_begin,
    .pick = events_pick,
    .save = events_save,
    .load = events_load,
    .is_exhausted = events_is_exhausted,
    .within = events_within,
};

const struct strategy_entry strategy_events = {.strategy = &events_strategy, .loop = events_loop};
