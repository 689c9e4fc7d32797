/* pieces.c - see pieces.h. SPDX-License-Identifier: MIT */
#include "pieces.h"

#include "engine/mem.h"
#include "generate.h"
#include "strategy/revisit.h"

#include <sennit/sennit.h>
#include <stdlib.h>

enum { SAVED_MAX = 1 << 10, SAVED_BYTES = 1 << 20 };

/* Not part of the strategy's state, but in mappings that nothing rolls back. */
struct pieces {
    struct revisit *present;
    struct revisit *other;
    uint64_t random;
    uint32_t split_one_in;
    uint32_t save_one_in;
    bool is_whole; /* no piece has ended before it was done */
    struct pieces_totals totals;
    uint32_t n_saved;
    size_t sizes[SAVED_MAX];
    unsigned char saved[SAVED_MAX][SAVED_BYTES];
};

static struct pieces *pieces;

static struct revisit *state_new(void)
{
    struct revisit *state = mem_reserve_shared(sizeof(*state), NULL);

    if (state == NULL)
        abort();
    return state;
}

static void state_free(struct revisit *state)
{
    if (state != NULL)
        mem_release(state, sizeof(*state));
}

static bool happens(uint32_t one_in)
{
    return one_in != 0 && random_below(&pieces->random, one_in) == 0;
}

static void put_away(const struct revisit *state)
{
    uint32_t i = pieces->n_saved++;

    if (i == SAVED_MAX)
        abort();
    pieces->sizes[i] = revisit_save(state, pieces->saved[i], SAVED_BYTES);
    if (pieces->sizes[i] > SAVED_BYTES)
        abort();
}

/* Takes up any of the pieces that were put away. */
static void take_up(void)
{
    uint32_t i = random_below(&pieces->random, pieces->n_saved);
    uint32_t last = --pieces->n_saved;

    if (revisit_load(pieces->present, pieces->saved[i], pieces->sizes[i]) != 0)
        abort();
    pieces->sizes[i] = pieces->sizes[last];
    for (size_t k = 0; k < pieces->sizes[last]; k++)
        pieces->saved[i][k] = pieces->saved[last][k];
}

static void start(void)
{
    state_free(pieces->present);
    state_free(pieces->other);
    pieces->present = state_new();
    pieces->other = state_new();
    pieces->is_whole = true;
    pieces->n_saved = 0;
}

static bool pieces_begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    if (trial == 0)
        start();
    if (happens(pieces->split_one_in) && revisit_split(pieces->present, pieces->other)) {
        put_away(pieces->other);
        pieces->totals.n_splits++;
    }
    if (happens(pieces->save_one_in)) {
        put_away(pieces->present);
        take_up();
        pieces->totals.n_saves++;
    }
    while (!revisit_begin(pieces->present, trial, keep)) {
        pieces->is_whole &= pieces->present->done == REVISIT_MASS;
        if (!revisit_is_exhausted(pieces->present) || pieces->n_saved == 0)
            return false;
        take_up();
    }
    return true;
}

static uint32_t pieces_pick(void *self, const struct sn_pending *pending)
{
    (void)self;
    return revisit_pick(pieces->present, pending);
}

static void pieces_told(void *self, const struct sn_op *op)
{
    (void)self;
    revisit_told(pieces->present, op);
}

static bool pieces_is_exhausted(const void *self)
{
    (void)self;
    if (!pieces->is_whole)
        pieces->totals.n_unfinished++;
    return revisit_is_exhausted(pieces->present);
}

void pieces_register(void)
{
    static const struct sn_strategy strategy = {
        .name = "pieces",
        .begin = pieces_begin,
        .pick = pieces_pick,
        .told = pieces_told,
        .is_exhausted = pieces_is_exhausted,
    };

    pieces = mem_reserve_shared(sizeof(*pieces), NULL);
    if (pieces == NULL || sn_strategy_register(&strategy) < 0)
        abort();
    pieces->random = 1;
}

void pieces_want(uint32_t split_one_in, uint32_t save_one_in)
{
    pieces->split_one_in = split_one_in;
    pieces->save_one_in = save_one_in;
    pieces->totals = (struct pieces_totals){0};
}

const struct pieces_totals *pieces_done(void)
{
    return &pieces->totals;
}
