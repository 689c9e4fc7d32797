/* window.c - see window.h. SPDX-License-Identifier: MIT */
#include "linear/window.h"

#include "linear/intern.h"
#include "linear/sort.h"

#include <sennit/test.h>

#include <string.h>

/* How many functions, and how many neighbours of an operation, are looked at for what is hidden;
 * and how many pairs for a function that is not. */
enum { FUNCTIONS_MAX = 64, NEARBY = 32, TESTS_MAX = 1024 };

#define SLOT_MAX (UINT32_MAX >> 2)

/* What makes two operations alike. */
struct likeness {
    sn_value argument[2];
    sn_value key;
    uint64_t function;
};

static size_t pick_completed(const struct object *object, struct sortable *entries)
{
    size_t n = 0;

    for (size_t i = 0; i < object->n; i++) {
        const struct sn_operation *op = object_op(object, i);

        if (op->ret != SN_TIME_NEVER)
            entries[n++] = (struct sortable){op->ret, object->index[i]};
    }
    return n;
}

/* Those that may matter: they change the state, and are called before the last return. */
static size_t pick_unknown(const struct object *object, uint64_t last, struct sortable *entries)
{
    size_t n = 0;

    for (size_t i = 0; i < object->n; i++) {
        const struct sn_operation *op = object_op(object, i);

        if (op->ret == SN_TIME_NEVER && op->call <= last && !object_is_observer(object->model, op))
            entries[n++] = (struct sortable){op->call, object->index[i]};
    }
    return n;
}

/* Where the times are the same, calls come first. */
static void count_called(struct window *window, const struct sortable *calls)
{
    uint32_t called = 0;

    window->n_open = 0;
    for (uint32_t k = 0; k < window->n; k++) {
        while (called < window->n && calls[called].key <= window->ops[k].op->ret)
            called++;
        window->ops[k].called = called;
        if (called - k > window->n_open)
            window->n_open = called - k;
    }
}

/* The smallest free slot, which is taken. */
static uint32_t take_slot(uint64_t *taken, uint32_t *n)
{
    uint32_t word = 0;
    uint32_t slot;

    while (taken[word] == UINT64_MAX)
        word++;
    slot = word * 64 + (uint32_t)__builtin_ctzll(~taken[word]);
    taken[word] |= UINT64_C(1) << slot % 64;
    if (slot >= *n)
        *n = slot + 1;
    return slot & SLOT_MAX;
}

static int give_slots(struct window *window, struct pool *pool)
{
    struct pool_mark mark = pool_mark(pool);
    size_t words = window->n_open / 64 + 1;
    uint64_t *taken[2];
    uint32_t *n[2] = {&window->n_slots, &window->n_hidable};
    uint32_t called = 0;

    taken[0] = pool_alloc(pool, 2 * words * sizeof(**taken));
    if (taken[0] == NULL)
        return SN_ENOMEM;
    taken[1] = taken[0] + words;
    for (uint32_t k = 0; k < window->n; k++) {
        struct window_op *op;

        for (; called < window->ops[k].called; called++) {
            op = &window->ops[window->by_call[called]];
            op->slot = take_slot(taken[op->is_hidable], n[op->is_hidable]) & SLOT_MAX;
        }
        op = &window->ops[k];
        taken[op->is_hidable][op->slot / 64] &= ~(UINT64_C(1) << op->slot % 64);
    }
    pool_return(pool, mark);
    return 0;
}

/* Whether an operation that overlaps with the k-th hides it; looks at a few of them. */
static bool is_hidden_nearby(const struct window *window, const struct object *object, uint32_t k,
                             uint32_t *tests)
{
    for (uint32_t i = window->ops[k].called; i > 0 && i + NEARBY > window->ops[k].called; i--) {
        const struct window_op *other = &window->ops[window->by_call[i - 1]];

        if (other->is_observer || other == &window->ops[k])
            continue;
        ++*tests;
        if (window_hides(object, window->ops[k].op, other->op))
            return true;
    }
    return false;
}

/* Marks the operations of functions that others are seen to hide. One that is not marked is not
 * taken for hidden: that costs time, but nothing is wrong then. */
static void mark_hidable(struct window *window, const struct object *object)
{
    uint32_t tests[FUNCTIONS_MAX] = {0};
    uint64_t hidable = 0;

    if (object->model->hides == NULL)
        return;
    for (uint32_t k = 0; k < window->n; k++) {
        uint32_t function = window->ops[k].op->function;

        if (function < FUNCTIONS_MAX && !window->ops[k].is_observer &&
            (hidable >> function & 1) == 0 && tests[function] < TESTS_MAX &&
            is_hidden_nearby(window, object, k, &tests[function]))
            hidable |= UINT64_C(1) << function;
    }
    for (uint32_t k = 0; k < window->n && hidable != 0; k++) {
        uint32_t function = window->ops[k].op->function;

        window->ops[k].is_hidable = !window->ops[k].is_observer && function < FUNCTIONS_MAX &&
                                    (hidable >> function & 1) != 0;
    }
}

static uint32_t likeness_of(const struct sn_operation *op)
{
    uint64_t hash = intern_mix(op->function, (uint64_t)op->argument[0]);

    hash = intern_mix(hash, (uint64_t)op->argument[1]);
    hash = intern_mix(hash, (uint64_t)op->result);
    return (uint32_t)(intern_mix(hash, (uint64_t)op->key) >> 16);
}

bool window_is_alike(const struct window *window, uint32_t a, uint32_t b)
{
    const struct sn_operation *of_a = window->ops[a].op;
    const struct sn_operation *of_b = window->ops[b].op;

    return window->ops[a].likeness == window->ops[b].likeness && of_a->function == of_b->function &&
           of_a->argument[0] == of_b->argument[0] && of_a->argument[1] == of_b->argument[1] &&
           of_a->result == of_b->result && of_a->key == of_b->key;
}

static int add_completed(struct window *window, const struct object *object,
                         struct sortable *entries, struct sortable *other)
{
    window->n = (uint32_t)pick_completed(object, entries);
    window->ops = pool_alloc(object->pool, (window->n + 1) * sizeof(*window->ops));
    window->by_call = pool_alloc(object->pool, (window->n + 1) * sizeof(*window->by_call));
    if (window->ops == NULL || window->by_call == NULL)
        return SN_ENOMEM;
    sort_by_key(entries, other, window->n);
    for (uint32_t k = 0; k < window->n; k++) {
        const struct sn_operation *op = &object->operations[entries[k].index];

        window->ops[k].op = op;
        window->ops[k].likeness = likeness_of(op);
        window->ops[k].is_observer = object_is_observer(object->model, op);
    }
    for (uint32_t k = 0; k < window->n; k++)
        entries[k] = (struct sortable){window->ops[k].op->call, k};
    sort_by_key(entries, other, window->n);
    for (uint32_t k = 0; k < window->n; k++)
        window->by_call[k] = (uint32_t)entries[k].index;
    count_called(window, entries);
    mark_hidable(window, object);
    return give_slots(window, object->pool);
}

static uint32_t classify(struct intern *classes, const struct object *object, size_t index)
{
    const struct sn_operation *op = &object->operations[index];
    struct likeness like = {.key = op->key, .function = op->function};

    memcpy(like.argument, op->argument, sizeof(like.argument));
    return intern_add(classes, &like, sizeof(like));
}

/* Replaces the keys of entries by the numbers of their classes. */
static int classify_all(struct window *window, const struct object *object,
                        struct sortable *entries)
{
    struct intern classes;
    int rc = 0;

    intern_init(&classes, object->pool);
    for (uint32_t i = 0; i < window->n_unknown && rc == 0; i++) {
        entries[i].key = classify(&classes, object, entries[i].index);
        if (entries[i].key == INTERN_NONE)
            rc = SN_ENOMEM;
    }
    window->n_classes = classes.n;
    intern_done(&classes);
    return rc;
}

static int add_unknown(struct window *window, const struct object *object, struct sortable *entries,
                       struct sortable *other)
{
    uint64_t last = window->n > 0 ? window->ops[window->n - 1].op->ret : 0;
    int rc;

    window->n_unknown = window->n > 0 ? (uint32_t)pick_unknown(object, last, entries) : 0;
    if (window->n_unknown == 0)
        return 0;
    sort_by_key(entries, other, window->n_unknown);
    rc = classify_all(window, object, entries);
    if (rc < 0)
        return rc;
    sort_by_key(entries, other, window->n_unknown);
    window->unknown = pool_alloc(object->pool, window->n_unknown * sizeof(*window->unknown));
    window->classes = pool_alloc(object->pool, window->n_classes * sizeof(*window->classes));
    if (window->unknown == NULL || window->classes == NULL)
        return SN_ENOMEM;
    for (uint32_t i = 0; i < window->n_unknown; i++) {
        struct window_class *class = &window->classes[entries[i].key];

        if (class->n++ == 0)
            class->first = i;
        window->unknown[i] = &object->operations[entries[i].index];
    }
    return 0;
}

int window_init(struct window *window, const struct object *object)
{
    struct sortable *entries = pool_alloc(object->pool, (object->n + 1) * sizeof(*entries));
    struct sortable *other = pool_alloc(object->pool, (object->n + 1) * sizeof(*other));
    int rc;

    *window = (struct window){0};
    if (entries == NULL || other == NULL)
        return SN_ENOMEM;
    rc = add_completed(window, object, entries, other);
    return rc < 0 ? rc : add_unknown(window, object, entries, other);
}
