/* shrink_turns.c - shorter rows of values that cannot be had by leaving out a scope: see
 * shrink_spans.c. SPDX-License-Identifier: MIT
 */
#include "api/shrink_own.h"
#include "base/rng.h"

#include <string.h>

enum {
    CHUNK_MAX = 8,  /* values in a row that are left out, ... */
    LONG = 1 << 10, /* ... and fewer where there are more than so many */
    CHUNK_OF_LONG = 2,
    LOWERED_MAX = 64, /* values that are lowered together with what they decide */
};

/* Candidates that are waiting to be tried together. */
struct batch {
    struct shrink *s;
    uint64_t contents[SHRINK_WIDTH];
    uint32_t n;
    bool has_found; /* one of them: the turns are no longer what they were */
};

static void flush(struct batch *batch)
{
    struct shrink *s = batch->s;
    uint32_t first = batch->n > 0 ? shrink_try(s, batch->n) : 0;

    if (first == DDMIN_STOP || batch->n == 0)
        return;
    for (uint32_t i = 0; i < first; i++)
        ddmin_memory_add(&s->memory, batch->contents[i]);
    if (first < batch->n) {
        shrink_take(s, first);
        batch->has_found = true;
    }
    batch->n = 0;
}

/* Adds the first n of scratch_turns. False: something was found, or no more is wanted. */
static bool add(struct batch *batch, uint32_t n)
{
    struct shrink *s = batch->s;
    uint64_t content = shrink_plan_turns(s, batch->n, s->scratch_turns, n);

    if (!ddmin_memory_has(&s->memory, content))
        batch->contents[batch->n++] = content;
    if (batch->n == SHRINK_WIDTH)
        flush(batch);
    return !batch->has_found && !s->is_stopped;
}

/* The turns with others in place of some. Returns how many there are. */
static uint32_t replace(struct shrink *s, struct shrink_span old, struct shrink_span by)
{
    uint32_t n = old.from;

    memcpy(s->scratch_turns, s->turns, n * sizeof(*s->turns));
    memcpy(s->scratch_turns + n, s->turns + by.from, (by.to - by.from) * sizeof(*s->turns));
    n += by.to - by.from;
    memcpy(s->scratch_turns + n, s->turns + old.to, (s->n_turns - old.to) * sizeof(*s->turns));
    return n + s->n_turns - old.to;
}

static uint32_t leave_out(struct shrink *s, uint32_t from, uint32_t to)
{
    return replace(s, (struct shrink_span){from, to, 0}, (struct shrink_span){from, from, 0});
}

/* A few values in a row, wherever they are: the end of a list and the beginning of the next. */
static bool leave_out_chunks(struct shrink *s)
{
    struct batch batch = {.s = s};
    uint32_t most = s->n_turns > LONG || s->is_dear ? CHUNK_OF_LONG : CHUNK_MAX;

    for (uint32_t size = 1; size <= most && size <= s->n_turns; size++) {
        for (uint32_t at = s->n_turns - size + 1; at-- > 0;) {
            if (!add(&batch, leave_out(s, at, at + size)))
                return batch.has_found;
        }
    }
    flush(&batch);
    return batch.has_found;
}

/* A part of something recursive in place of the whole. */
static bool descend(struct shrink *s)
{
    struct batch batch = {.s = s};

    shrink_list_spans(s, 0);
    for (uint32_t i = 0; i < s->n_spans; i++) {
        for (uint32_t k = i + 1; k < s->n_spans && s->spans[k].from < s->spans[i].to; k++) {
            if (s->spans[k].depth > s->spans[i].depth + 2)
                continue;
            if (!add(&batch, replace(s, s->spans[i], s->spans[k])))
                return batch.has_found;
        }
    }
    flush(&batch);
    return batch.has_found;
}

/* How many draws fewer the trial has if this one is lowered by 1; 0: it has as many, or more. */
static uint32_t fewer_if_lower(struct shrink *s, uint32_t turn)
{
    struct lab_result result;
    struct lab_job job = {.plan = &s->plans[0]};

    memcpy(s->scratch_turns, s->turns, s->n_turns * sizeof(*s->turns));
    s->scratch_turns[turn].value--;
    (void)shrink_plan_turns(s, 0, s->scratch_turns, s->n_turns);
    if (!shrink_run_all(s, &job, 1, &result) || result.decisions >= s->best.result.decisions)
        return 0;
    return (uint32_t)(s->best.result.decisions - result.decisions);
}

/* A number that decides how much is drawn, together with some of that, wherever it is. */
static bool lower_with_rest(struct shrink *s, uint32_t turn)
{
    struct batch batch = {.s = s};
    uint32_t fewer = fewer_if_lower(s, turn);
    bool goes_on = fewer > 0;

    shrink_list_spans(s, 0);
    for (uint32_t i = 0; i < s->n_spans && goes_on; i++) {
        uint32_t n;

        if (s->spans[i].from <= turn)
            continue;
        n = leave_out(s, s->spans[i].from, s->spans[i].to);
        s->scratch_turns[turn].value--;
        goes_on = add(&batch, n);
    }
    for (uint32_t at = turn + 1; goes_on && fewer <= CHUNK_MAX && at + fewer <= s->n_turns; at++) {
        uint32_t n = leave_out(s, at, at + fewer);

        s->scratch_turns[turn].value--;
        goes_on = add(&batch, n);
    }
    if (goes_on)
        flush(&batch);
    return batch.has_found;
}

static bool lower_numbers(struct shrink *s)
{
    uint32_t tried = 0;

    for (uint32_t i = 0; i < s->n_turns && tried < LOWERED_MAX && !s->is_stopped; i++) {
        /* One that is 1 would be left out, and that was tried. */
        if (s->turns[i].value < 2)
            continue;
        tried++;
        if (lower_with_rest(s, i))
            return true;
    }
    return false;
}

bool shrink_turns(struct shrink *s)
{
    bool was_simple = s->must_be_simpler;
    bool is_smaller = false;

    s->must_be_simpler = true;
    if (shrink_list_turns(s))
        is_smaller = descend(s) || (!s->is_stopped && leave_out_chunks(s)) ||
                     (!s->is_stopped && lower_numbers(s));
    s->must_be_simpler = was_simple;
    return is_smaller;
}
