/* brute.c - all orders of a small history, tried one after the other.
 * SPDX-License-Identifier: MIT
 */
#include "brute.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TRIED_MAX = 1 << 17 };

/* A point: which operations have been put in order, and what became of the object. */
struct point {
    uint32_t history; /* the number of the history, so that nothing need be emptied between two */
    uint32_t mask;
};

struct brute {
    const struct brute_object *object;
    const struct sn_operation *operations;
    size_t n;
    uint32_t needed;                       /* the completed operations */
    uint32_t before[BRUTE_OPERATIONS_MAX]; /* which must come before it */
    int longest;                           /* completed operations that were put in order */
};

/* Points that were tried and led nowhere; one table for all histories. */
static struct point *tried;
static unsigned char *tried_states;
static uint32_t history_number;
static size_t n_tried;

bool brute_is_before(const struct sn_operation *a, const struct sn_operation *b,
                     enum brute_order order)
{
    if (a->ret == SN_TIME_NEVER)
        return false;
    if (order == BRUTE_REAL_TIME)
        return a->ret < b->call;
    return a->process == b->process && a->call < b->call;
}

static uint64_t hash_of(const unsigned char *state, size_t size, uint32_t mask)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ mask;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ state[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* Whether the point is new; it is not from now on. */
static bool is_new(const struct brute *b, uint32_t mask, const unsigned char *state)
{
    const size_t size = b->object->size;
    size_t at = hash_of(state, size, mask) % TRIED_MAX;

    while (tried[at].history == history_number) {
        if (tried[at].mask == mask && memcmp(tried_states + at * BRUTE_STATE_MAX, state, size) == 0)
            return false;
        at = (at + 1) % TRIED_MAX;
    }
    /* What cannot be remembered is tried again if it is met again. */
    if (n_tried == TRIED_MAX / 2)
        return true;
    n_tried++;
    tried[at] = (struct point){history_number, mask};
    memcpy(tried_states + at * BRUTE_STATE_MAX, state, size);
    return true;
}

static bool can_be_ordered(struct brute *b, uint32_t mask, const unsigned char *state)
{
    _Alignas(16) unsigned char next[BRUTE_STATE_MAX];
    int n_ordered = __builtin_popcount(mask & b->needed);

    b->longest = n_ordered > b->longest ? n_ordered : b->longest;
    if ((mask & b->needed) == b->needed)
        return true;
    if (!is_new(b, mask, state))
        return false;
    for (size_t i = 0; i < b->n; i++) {
        enum sn_step step = SN_STEP_TAKEN_MORE;

        if ((mask >> i & 1) != 0 || (b->before[i] & ~mask) != 0)
            continue;
        for (uint32_t choice = 0; step == SN_STEP_TAKEN_MORE; choice++) {
            memcpy(next, state, b->object->size);
            step = b->object->step(b->object->self, next, &b->operations[i], choice);
            if (step != SN_STEP_REFUSED && can_be_ordered(b, mask | 1u << i, next))
                return true;
        }
    }
    return false;
}

static void begin_history(void)
{
    if (tried == NULL) {
        tried = calloc(TRIED_MAX, sizeof(*tried));
        tried_states = malloc((size_t)TRIED_MAX * BRUTE_STATE_MAX);
        assert(tried != NULL && tried_states != NULL);
    }
    history_number++;
    n_tried = 0;
}

static bool try_orders(struct brute *b, enum brute_order order)
{
    _Alignas(16) unsigned char state[BRUTE_STATE_MAX] = {0};

    assert(b->n <= BRUTE_OPERATIONS_MAX && b->object->size <= BRUTE_STATE_MAX);
    for (size_t i = 0; i < b->n; i++) {
        if (b->operations[i].ret != SN_TIME_NEVER)
            b->needed |= 1u << i;
        for (size_t j = 0; j < b->n; j++)
            if (j != i && brute_is_before(&b->operations[j], &b->operations[i], order))
                b->before[i] |= 1u << j;
    }
    begin_history();
    b->object->init(b->object->self, state);
    return can_be_ordered(b, 0, state);
}

bool brute_allows(const struct brute_object *object, const struct sn_operation *operations,
                  size_t n, enum brute_order order)
{
    struct brute b = {.object = object, .operations = operations, .n = n};

    return try_orders(&b, order);
}

size_t brute_longest(const struct brute_object *object, const struct sn_operation *operations,
                     size_t n, enum brute_order order)
{
    struct brute b = {.object = object, .operations = operations, .n = n};

    (void)try_orders(&b, order);
    return (size_t)b.longest;
}

/* ---- Models --------------------------------------------------------------------------------- */

struct keyed {
    const struct sn_model *model;
    sn_value initial;
    size_t size; /* of the state of one key */
    size_t n_keys;
    sn_value keys[BRUTE_OPERATIONS_MAX];
};

static void init_keyed(const void *self, void *state)
{
    const struct keyed *keyed = self;

    for (size_t i = 0; i < keyed->n_keys && keyed->model->init != NULL; i++)
        keyed->model->init((char *)state + i * keyed->size, keyed->initial);
}

static enum sn_step step_keyed(const void *self, void *state, const struct sn_operation *op,
                               uint32_t choice)
{
    const struct keyed *keyed = self;
    size_t i = 0;

    while (keyed->model->is_partitioned && keyed->keys[i] != op->key)
        i++;
    return keyed->model->step((char *)state + i * keyed->size, op, choice);
}

static void find_keys(struct keyed *keyed, const struct sn_operation *operations, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < keyed->n_keys && keyed->keys[k] != operations[i].key)
            k++;
        if (k == keyed->n_keys)
            keyed->keys[keyed->n_keys++] = operations[i].key;
    }
}

bool brute_model_allows(const struct sn_model *model, sn_value initial,
                        const struct sn_operation *operations, size_t n, enum brute_order order)
{
    struct keyed keyed = {.model = model, .initial = initial, .size = model->state_size};
    struct brute_object object = {.init = init_keyed, .step = step_keyed, .self = &keyed};

    if (model->room != NULL)
        keyed.size += model->room(operations, n);
    keyed.size = (keyed.size + 15) & ~(size_t)15;
    if (model->is_partitioned)
        find_keys(&keyed, operations, n);
    else
        keyed.n_keys = 1;
    object.size = keyed.size * keyed.n_keys;
    return brute_allows(&object, operations, n, order);
}
