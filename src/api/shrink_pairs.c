/* shrink_pairs.c - two values at a time: what neither of them can be alone.
 *
 * Two numbers that must be equal, or differ by so much, are lowered by the same amount; of two that
 * must have a sum, the first gives to the second; and of two that must only be different, the
 * smaller one comes first. Whatever is found counts only if it is simpler as a whole
 * (shrink_is_simpler), so this comes to an end. SPDX-License-Identifier: MIT
 */
#include "api/shrink_own.h"
#include "base/rng.h"

#include <string.h>

enum {
    FEW = 24, /* draws of which each pair is looked at; of more, those that are near */
    NEAR = 6,
    NEAR_IF_DEAR = 1,
};

enum how { LOWER_BOTH, GIVE, HOWS };

/* The two with an amount moved. False: that is none. */
static bool change(struct shrink *s, uint32_t i, uint32_t k, enum how how, uint64_t amount)
{
    struct shrink_turn *turns = s->scratch_turns;

    if (amount == 0 || amount > s->turns[i].value ||
        (how == LOWER_BOTH && amount > s->turns[k].value) ||
        (how == GIVE && s->turns[k].value > UINT64_MAX - amount))
        return false;
    memcpy(turns, s->turns, s->n_turns * sizeof(*turns));
    turns[i].value -= amount;
    turns[k].value += how == GIVE ? amount : 0 - amount;
    return true;
}

static uint64_t largest(const struct shrink *s, uint32_t i, uint32_t k, enum how how)
{
    bool is_second = how == LOWER_BOTH && s->turns[k].value < s->turns[i].value;

    return s->turns[is_second ? k : i].value;
}

/* Tries all of what can be moved, half of it, and so on. True: some was. */
static bool move(struct shrink *s, uint32_t i, uint32_t k, enum how how)
{
    uint64_t amount = largest(s, i, k, how);

    while (amount > 0) {
        uint64_t contents[SHRINK_WIDTH];
        uint32_t n = 0;
        uint32_t first;

        for (; n < SHRINK_WIDTH && change(s, i, k, how, amount); amount /= 2) {
            contents[n] = shrink_plan_turns(s, n, s->scratch_turns, s->n_turns);
            n += !ddmin_memory_has(&s->memory, contents[n]);
        }
        first = n > 0 ? shrink_try(s, n) : 0;
        if (first == DDMIN_STOP)
            return false;
        for (uint32_t m = 0; m < first; m++)
            ddmin_memory_add(&s->memory, contents[m]);
        if (first < n) {
            shrink_take(s, first);
            return true;
        }
        if (n < SHRINK_WIDTH && amount > 0)
            return false;
    }
    return false;
}

/* Whether it pays to look at two draws. */
static bool is_pair(const struct shrink *s, uint32_t i, uint32_t k, enum how how)
{
    uint32_t near = s->is_dear ? NEAR_IF_DEAR : NEAR;

    if (s->turns[i].task != s->turns[k].task || s->turns[i].value == 0)
        return false;
    if (how == LOWER_BOTH && s->turns[k].value == 0)
        return false;
    return s->n_turns <= FEW || k - i <= near ||
           (s->turns[i].label == s->turns[k].label && k - i <= 4 * near);
}

static bool move_any(struct shrink *s)
{
    bool is_smaller = false;

    for (uint32_t how = 0; how < HOWS; how++) {
        for (uint32_t i = 0; i < s->n_turns; i++) {
            for (uint32_t k = i + 1; k < s->n_turns && !s->is_stopped; k++) {
                while (!s->is_stopped && k < s->n_turns && is_pair(s, i, k, how) &&
                       move(s, i, k, how)) {
                    is_smaller = true;
                    (void)shrink_list_turns(s);
                }
            }
        }
    }
    return is_smaller;
}

/* Two scopes that follow each other, the other way round. */
static void exchange(struct shrink *s, const struct shrink_span *a, const struct shrink_span *b)
{
    uint32_t n_a = a->to - a->from;
    uint32_t n_b = b->to - b->from;

    memcpy(s->scratch_turns, s->turns, s->n_turns * sizeof(*s->turns));
    memcpy(s->scratch_turns + a->from, s->turns + b->from, n_b * sizeof(*s->turns));
    memcpy(s->scratch_turns + a->from + n_b, s->turns + a->from, n_a * sizeof(*s->turns));
}

static bool try_exchange(struct shrink *s, const struct shrink_span *a, const struct shrink_span *b)
{
    uint64_t content;
    uint32_t first;

    exchange(s, a, b);
    content = shrink_plan_turns(s, 0, s->scratch_turns, s->n_turns);
    if (ddmin_memory_has(&s->memory, content))
        return false;
    first = shrink_try(s, 1);
    if (first == 1)
        ddmin_memory_add(&s->memory, content);
    if (first == 0)
        shrink_take(s, 0);
    return first == 0;
}

static bool exchange_any(struct shrink *s)
{
    shrink_list_spans(s, 0);
    for (uint32_t i = 0; i < s->n_spans && !s->is_stopped; i++) {
        for (uint32_t k = i + 1; k < s->n_spans && s->spans[k].from <= s->spans[i].to; k++) {
            if (s->spans[k].from == s->spans[i].to && s->spans[k].depth == s->spans[i].depth &&
                s->turns[s->spans[k].from].task == s->turns[s->spans[i].from].task &&
                try_exchange(s, &s->spans[i], &s->spans[k]))
                return true;
        }
    }
    return false;
}

bool shrink_pairs(struct shrink *s)
{
    bool was_simple = s->must_be_simpler;
    bool is_smaller = false;

    s->must_be_simpler = true;
    if (shrink_list_turns(s))
        is_smaller = move_any(s);
    while (!s->is_stopped && shrink_list_turns(s) && exchange_any(s))
        is_smaller = true;
    s->must_be_simpler = was_simple;
    return is_smaller;
}
