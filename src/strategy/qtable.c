/* qtable.c - see qtable.h. SPDX-License-Identifier: MIT */
#include "strategy/qtable.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/rng.h"

#include <string.h>

/* Of Mukherjee, Deligiannis, Biswas and Lal, "Learning-based controlled concurrency testing"
 * (OOPSLA 2020): the weight of what is new is 0.3, of what comes later 0.7. */
enum { ALPHA = 3, GAMMA = 7, TENTHS = 10 };

/* Beyond this visits are not counted, so that no value overflows. */
static const uint64_t visits_max = UINT64_C(1) << 24;
static const uint64_t penalty_max = 10000;

/* ---- Finding -------------------------------------------------------------------------------- */

static uint32_t slot_of(const struct qtable *q, uint64_t key)
{
    uint32_t slot = (uint32_t)(mix64(key) % QTABLE_SLOTS);

    while (q->slots[slot] != 0 && q->states[q->slots[slot]].key != key)
        slot = slot + 1 < QTABLE_SLOTS ? slot + 1 : 0;
    return slot;
}

static uint32_t find_action(const struct qtable *q, const struct qstate *state, uint64_t action)
{
    uint32_t i = state->first;

    while (i != 0 && q->actions[i].action != action)
        i = q->actions[i].next;
    return i;
}

int64_t qtable_value(const struct qtable *q, uint64_t state, uint64_t action)
{
    const struct qstate *s = &q->states[q->slots[slot_of(q, state)]];

    return q->actions[find_action(q, s, action)].value; /* 0 is no state and no action */
}

/* ---- Throwing away -------------------------------------------------------------------------- */

/* Whether a state is thrown away before another one. */
static bool goes_first(const struct qtable *q, uint32_t a, uint32_t b)
{
    const struct qstate *x = &q->states[a];
    const struct qstate *y = &q->states[b];

    return x->touched != y->touched ? x->touched < y->touched : x->key < y->key;
}

static void sift_down(const struct qtable *q, uint32_t *heap, uint32_t n, uint32_t i)
{
    for (;;) {
        uint32_t child = 2 * i + 1;
        uint32_t was = heap[i];

        if (child >= n)
            return;
        if (child + 1 < n && goes_first(q, heap[child], heap[child + 1]))
            child++;
        if (!goes_first(q, was, heap[child]))
            return;
        heap[i] = heap[child];
        heap[child] = was;
        i = child;
    }
}

/* Numbers of all states, those first that are thrown away first. */
static void sort_states(struct qtable *q)
{
    uint32_t *heap = q->spare.order;

    for (uint32_t i = 0; i < q->n_states; i++)
        heap[i] = i + 1;
    for (uint32_t i = q->n_states / 2; i > 0; i--)
        sift_down(q, heap, q->n_states, i - 1);
    for (uint32_t n = q->n_states; n > 1; n--) {
        uint32_t last = heap[n - 1];

        heap[n - 1] = heap[0];
        heap[0] = last;
        sift_down(q, heap, n - 1, 0);
    }
}

static void put_state(struct qtable *q, uint32_t number, const struct qstate *state)
{
    q->slots[slot_of(q, state->key)] = number;
    q->states[number] = *state;
}

/* Keeps a number of the newest states, and what is known of their actions. */
static void throw_away(struct qtable *q, uint32_t n_kept)
{
    uint32_t gone = q->n_states > n_kept ? q->n_states - n_kept : 0;
    uint32_t n = q->n_states - gone;
    uint32_t n_actions = 0;

    sort_states(q);
    for (uint32_t i = 0; i < n; i++) {
        struct qstate *to = &q->spare.states[i + 1];

        *to = q->states[q->spare.order[gone + i]];
        for (uint32_t *at = &to->first; *at != 0; at = &q->spare.actions[n_actions].next) {
            q->spare.actions[n_actions + 1] = q->actions[*at];
            *at = ++n_actions;
        }
    }
    memset(q->slots, 0, sizeof(q->slots));
    memcpy(q->actions + 1, q->spare.actions + 1, n_actions * sizeof(q->actions[0]));
    q->n_states = n;
    q->n_actions = n_actions;
    for (uint32_t i = 1; i <= n; i++)
        put_state(q, i, &q->spare.states[i]);
}

/* Room for one more state with one more action. */
static void make_room(struct qtable *q)
{
    if (q->n_states < QTABLE_STATES_MAX && q->n_actions < QTABLE_ACTIONS_MAX)
        return;
    throw_away(q, q->n_states < QTABLE_STATES_KEPT ? q->n_states / 2 : QTABLE_STATES_KEPT);
}

/* ---- Learning ------------------------------------------------------------------------------- */

/* The number of a state, which is there now if it was not before. */
static uint32_t state_of(struct qtable *q, uint64_t key)
{
    uint32_t slot = slot_of(q, key);

    if (q->slots[slot] == 0) {
        q->n_states++;
        put_state(q, q->n_states, &(struct qstate){.key = key});
    }
    q->states[q->slots[slot]].touched = q->now;
    return q->slots[slot];
}

static struct qaction *action_of(struct qtable *q, struct qstate *state, uint64_t action)
{
    uint32_t i = find_action(q, state, action);

    if (i == 0) {
        i = ++q->n_actions;
        q->actions[i] = (struct qaction){.action = action, .next = state->first};
        state->first = i;
        state->n_actions++;
    }
    return &q->actions[i];
}

/* What the best action of a state is worth. */
static int64_t best_of(const struct qtable *q, const struct qstate *state, uint64_t n_possible)
{
    int64_t best = INT64_MIN;

    if (state->n_actions < n_possible || state->first == 0)
        return 0;
    for (uint32_t i = state->first; i != 0; i = q->actions[i].next) {
        if (q->actions[i].value > best)
            best = q->actions[i].value;
    }
    return best;
}

void qtable_next(struct qtable *q, uint64_t state)
{
    q->now++;
    make_room(q);
    q->states[state_of(q, state)].visits++;
}

void qtable_learn(struct qtable *q, const struct qstep *step)
{
    uint64_t penalty = step->penalty < penalty_max ? step->penalty : penalty_max;
    struct qaction *action;
    struct qstate *to;
    int64_t worth;

    make_room(q);
    to = &q->states[state_of(q, step->to)];
    to->visits += to->visits < visits_max;
    make_room(q); /* what was just touched stays */
    action = action_of(q, &q->states[state_of(q, step->from)], step->action);
    to = &q->states[q->slots[slot_of(q, step->to)]];
    worth = -(int64_t)((to->visits * penalty) << QTABLE_ONE_BITS);
    if (step->n_possible > 0)
        worth += GAMMA * best_of(q, to, step->n_possible) / TENTHS;
    action->value = ((TENTHS - ALPHA) * action->value + ALPHA * worth) / TENTHS;
}

/* ---- exp ------------------------------------------------------------------------------------ */

/* 2^-x for the integer part by shifting, and by a factor for each bit behind the point. */
uint64_t qtable_exp(uint64_t x)
{
    /* 2^-(1/2), 2^-(1/4), ... in units of 2^-32 */
    static const uint64_t factors[QTABLE_ONE_BITS] = {
        UINT64_C(0xb504f334), UINT64_C(0xd744fccb), UINT64_C(0xeac0c6e8), UINT64_C(0xf5257d15),
        UINT64_C(0xfa83b2db), UINT64_C(0xfd3e0c0d), UINT64_C(0xfe9e115c), UINT64_C(0xff4ecb59),
        UINT64_C(0xffa75652), UINT64_C(0xffd3a752), UINT64_C(0xffe9d2b3), UINT64_C(0xfff4e91c),
        UINT64_C(0xfffa747f), UINT64_C(0xfffd3a3b), UINT64_C(0xfffe9d1d), UINT64_C(0xffff4e8e),
    };
    static const uint64_t log2_e = UINT64_C(0x171547652); /* in units of 2^-32 */
    uint64_t bits;
    uint64_t value = UINT64_C(1) << 32;

    if (x >> (QTABLE_ONE_BITS + 5) != 0)
        return 0;
    bits = (x * log2_e) >> 32;
    for (int i = 0; i < QTABLE_ONE_BITS; i++) {
        if ((bits >> (QTABLE_ONE_BITS - 1 - i) & 1) != 0)
            value = (value * factors[i]) >> 32;
    }
    bits >>= QTABLE_ONE_BITS;
    return bits < 33 ? value >> bits : 0;
}

/* ---- As bytes ------------------------------------------------------------------------------- */

enum { HEAD_BYTES = 16, STATE_BYTES = 32, ACTION_BYTES = 16 };

size_t qtable_save(const struct qtable *q, unsigned char *bytes, size_t room)
{
    size_t size = HEAD_BYTES + (size_t)q->n_states * STATE_BYTES;

    for (uint32_t i = 1; i <= q->n_states; i++)
        size += (size_t)q->states[i].n_actions * ACTION_BYTES;
    if (room < size)
        return size;
    bytes_put(bytes, q->now);
    bytes_put(bytes + 8, q->n_states);
    bytes += HEAD_BYTES;
    for (uint32_t i = 1; i <= q->n_states; i++) {
        const struct qstate *s = &q->states[i];

        bytes_put(bytes, s->key);
        bytes_put(bytes + 8, s->visits);
        bytes_put(bytes + 16, s->touched);
        bytes_put(bytes + 24, s->n_actions);
        bytes += STATE_BYTES;
        for (uint32_t a = s->first; a != 0; a = q->actions[a].next, bytes += ACTION_BYTES) {
            bytes_put(bytes, q->actions[a].action);
            bytes_put(bytes + 8, (uint64_t)-q->actions[a].value);
        }
    }
    return size;
}

bool qtable_is_saved(const unsigned char *bytes, size_t n)
{
    uint64_t n_states = n >= HEAD_BYTES ? bytes_get(bytes + 8) : UINT64_MAX;
    uint64_t n_actions = 0;

    if (n_states > QTABLE_STATES_MAX)
        return false;
    bytes += HEAD_BYTES;
    n -= HEAD_BYTES;
    for (uint64_t i = 0; i < n_states; i++) {
        uint64_t own = n >= STATE_BYTES ? bytes_get(bytes + 24) : UINT64_MAX;

        if (own > QTABLE_ACTIONS_MAX - n_actions || n - STATE_BYTES < own * ACTION_BYTES ||
            bytes_get(bytes + 8) > visits_max)
            return false;
        n_actions += own;
        for (uint64_t a = 0; a < own; a++) {
            if (bytes_get(bytes + STATE_BYTES + a * ACTION_BYTES + 8) > INT64_MAX / 16)
                return false;
        }
        bytes += STATE_BYTES + own * ACTION_BYTES;
        n -= STATE_BYTES + own * ACTION_BYTES;
    }
    return n == 0;
}

void qtable_load(struct qtable *q, const unsigned char *bytes, size_t n)
{
    uint32_t n_states = (uint32_t)bytes_get(bytes + 8);

    sn_check(qtable_is_saved(bytes, n));
    memset(q->slots, 0, sizeof(q->slots));
    q->now = bytes_get(bytes);
    q->n_states = q->n_actions = 0;
    bytes += HEAD_BYTES;
    for (uint32_t i = 1; i <= n_states; i++) {
        struct qstate s = {.key = bytes_get(bytes),
                           .visits = bytes_get(bytes + 8),
                           .touched = bytes_get(bytes + 16),
                           .n_actions = (uint32_t)bytes_get(bytes + 24)};
        uint32_t *at = &s.first;

        bytes += STATE_BYTES;
        for (uint32_t a = 0; a < s.n_actions; a++, bytes += ACTION_BYTES) {
            q->actions[++q->n_actions] = (struct qaction){.action = bytes_get(bytes),
                                                          .value = -(int64_t)bytes_get(bytes + 8)};
            *at = q->n_actions;
            at = &q->actions[q->n_actions].next;
        }
        q->n_states = i;
        put_state(q, i, &s);
    }
}
