/* core_explain.c - how far the operations of a core can be put in order, and what then fails.
 *
 * A plain search over what has been ordered and the state that it leaves. A core is small, so it
 * needs none of the checker's cleverness, and it keeps what the checker throws away: how it came to
 * each point. Where a model is asked which result it would have given, values that occur in the
 * history and small numbers are tried, because a model only says whether it takes one.
 * SPDX-License-Identifier: MIT
 */
#include "linear/core_own.h"

#include "base/hash.h"
#include "base/rng.h"

#include <assert.h>
#include <sennit/test.h>
#include <string.h>

enum {
    POINTS_MAX = 20000,
    WORK_MAX = 100000000, /* points times operations */
    TWINS_MAX = 4096,     /* of more operations, it is not looked for the same ones */
    SLOTS = 1 << 16,      /* of the table that finds points */
    CHOICES_MAX = 64,
    MEMORY_MAX = 1 << 28,
    NUMBERS_MAX = 1000,   /* small results that are tried */
    STATE_ALIGNMENT = 16, /* as malloc would */
};

#define NOBODY_MEANS INT64_C(-0x5e3a17c9d20b64f1)

static_assert(SLOTS > 2 * POINTS_MAX, "the table has free slots");

/* Where the search has been: a set of operations, and the states of all keys that they leave in
 * some order. */
struct point {
    const struct point *before;
    size_t last;     /* the operation that came last, by its place in the core */
    size_t definite; /* operations that were ordered, ... */
    size_t relaxed;  /* ... and those of which it is not known whether they happened */
    uint64_t *set;
    char *states;
};

struct walk {
    struct core *core;
    struct sn_operation *ops; /* of the core, relaxed ones as the checker sees them */
    size_t *keys;             /* the number of each one's key; 0 if keys are not independent */
    size_t *before;           /* by program order, the one that it must wait for, from 1; 0: none */
    size_t words;             /* of a set */
    size_t *twins; /* the same operation before each that may have happened, from 1; 0: none */
    size_t points_max;
    size_t state_size;  /* of one key, ... */
    size_t stride;      /* ... with what lies between two, ... */
    size_t states_size; /* ... and of all */
    char *scratch;
    struct point **points;
    size_t n_points;
    uint32_t *slots; /* number of a point, from 1 */
    uint32_t *stack;
    size_t n_stack;
    const struct point *best;
    bool is_over; /* there are too many points */
    struct arena arena;
};

static bool has(const uint64_t *set, size_t i)
{
    return (set[i / 64] >> (i % 64) & 1) != 0;
}

/* When the first operation returns that has no place yet. */
static uint64_t first_return(const struct walk *w, const struct point *at)
{
    uint64_t first = SN_TIME_NEVER;

    for (size_t i = 0; i < w->core->n; i++) {
        if (w->ops[i].ret < first && !has(at->set, i))
            first = w->ops[i].ret;
    }
    return first;
}

/* Whether the operation could come next, if the model agrees. */
static bool may_follow(const struct walk *w, const struct point *at, size_t i, uint64_t first)
{
    if (has(at->set, i))
        return false;
    if (w->core->is_sequential)
        return w->before[i] == 0 || has(at->set, w->before[i] - 1);
    return w->ops[i].call <= first;
}

/* ---- Points --------------------------------------------------------------------------------- */

static size_t used(const struct walk *w, const void *state)
{
    return w->core->model->used != NULL ? w->core->model->used(state) : w->state_size;
}

static bool is_alike(const struct walk *w, const void *a, const void *b)
{
    if (w->core->model->equal != NULL)
        return w->core->model->equal(a, b);
    return used(w, a) == used(w, b) && memcmp(a, b, used(w, a)) == 0;
}

static bool are_alike(const struct walk *w, const char *a, const char *b)
{
    for (size_t at = 0; at < w->states_size; at += w->stride) {
        if (!is_alike(w, a + at, b + at))
            return false;
    }
    return true;
}

static uint64_t hash_of(const struct walk *w, const uint64_t *set, const char *states)
{
    uint64_t h = hash_add(0, set, w->words * sizeof(*set));

    for (size_t at = 0; at < w->states_size; at += w->stride) {
        if (w->core->model->hash != NULL)
            h = mix_pair(h, w->core->model->hash(states + at));
        else
            h = hash_add(h, states + at, used(w, states + at));
    }
    return h;
}

/* The slot of a point with this set and these states; an empty one if there is none. */
static uint32_t *find(const struct walk *w, const uint64_t *set, const char *states)
{
    uint64_t at = hash_of(w, set, states);

    for (;; at++) {
        uint32_t *slot = &w->slots[at % SLOTS];
        const struct point *point;

        if (*slot == 0)
            return slot;
        point = w->points[*slot - 1];
        if (memcmp(point->set, set, w->words * sizeof(*set)) == 0 &&
            are_alike(w, point->states, states))
            return slot;
    }
}

static bool is_better(const struct point *a, const struct point *b)
{
    if (a->definite != b->definite)
        return a->definite > b->definite;
    return a->relaxed < b->relaxed;
}

/* Comes to a point with the states in scratch, unless it has been there. */
static void visit(struct walk *w, const struct point *before, size_t last, uint64_t *set)
{
    uint32_t *slot = find(w, set, w->scratch);
    struct point *point;

    if (*slot != 0)
        return;
    point = arena_alloc(&w->arena, sizeof(*point));
    if (point != NULL)
        point->set = arena_array(&w->arena, w->words, sizeof(*set));
    if (point != NULL && point->set != NULL)
        point->states = arena_alloc(&w->arena, w->states_size);
    if (w->n_points == w->points_max || point == NULL || point->set == NULL ||
        point->states == NULL) {
        w->is_over = true;
        return;
    }
    memcpy(point->set, set, w->words * sizeof(*set));
    memcpy(point->states, w->scratch, w->states_size);
    point->before = before;
    point->last = last;
    if (before != NULL) {
        bool is_relaxed = w->core->operations[last].is_relaxed;

        point->definite = before->definite + !is_relaxed;
        point->relaxed = before->relaxed + is_relaxed;
    }
    w->points[w->n_points++] = point;
    *slot = (uint32_t)w->n_points;
    w->stack[w->n_stack++] = *slot;
    if (w->best == NULL || is_better(point, w->best))
        w->best = point;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static bool is_same(const struct sn_operation *a, const struct sn_operation *b)
{
    return a->function == b->function && a->key == b->key && a->argument[0] == b->argument[0] &&
           a->argument[1] == b->argument[1];
}

static void find_twins(struct walk *w)
{
    size_t n = w->core->is_sequential || w->core->n > TWINS_MAX ? 0 : w->core->n;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j > 0 && w->core->operations[i].is_relaxed && w->twins[i] == 0; j--) {
            if (w->core->operations[j - 1].is_relaxed && is_same(&w->ops[i], &w->ops[j - 1]))
                w->twins[i] = j;
        }
    }
}

/* Whether an earlier operation that may have happened is the same: then that one goes first. */
static bool has_twin(const struct walk *w, const struct point *at, size_t i)
{
    return w->twins[i] != 0 && !has(at->set, w->twins[i] - 1);
}

static void take(struct walk *w, const struct point *at, size_t i)
{
    enum sn_step step = SN_STEP_TAKEN_MORE;
    size_t place = w->keys[i] * w->stride;

    at->set[i / 64] |= UINT64_C(1) << (i % 64);
    for (uint32_t choice = 0; step == SN_STEP_TAKEN_MORE && choice < CHOICES_MAX; choice++) {
        memcpy(w->scratch, at->states, w->states_size);
        step = w->core->model->step(w->scratch + place, &w->ops[i], choice);
        if (step == SN_STEP_REFUSED)
            continue;
        if (!w->core->operations[i].is_relaxed ||
            !is_alike(w, w->scratch + place, at->states + place))
            visit(w, at, i, at->set);
    }
    at->set[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* What may have happened is put on the stack first, and so looked at last. */
static void expand(struct walk *w, const struct point *at)
{
    uint64_t first = first_return(w, at);

    for (size_t i = w->core->n; i > 0; i--) {
        if (w->core->operations[i - 1].is_relaxed && may_follow(w, at, i - 1, first) &&
            !has_twin(w, at, i - 1))
            take(w, at, i - 1);
    }
    for (size_t i = w->core->n; i > 0; i--) {
        if (!w->core->operations[i - 1].is_relaxed && may_follow(w, at, i - 1, first))
            take(w, at, i - 1);
    }
}

/* ---- What could come next ------------------------------------------------------------------- */

/* Whether the model takes an operation after the longest prefix; i is that of the core that it is
 * or resembles. */
static bool takes(struct walk *w, const struct sn_operation *op, size_t i)
{
    enum sn_step step = SN_STEP_TAKEN_MORE;
    size_t place = w->keys[i] * w->stride;

    for (uint32_t choice = 0; step == SN_STEP_TAKEN_MORE && choice < CHOICES_MAX; choice++) {
        memcpy(w->scratch + place, w->best->states + place, w->stride);
        step = w->core->model->step(w->scratch + place, op, choice);
        if (step != SN_STEP_REFUSED)
            return true;
    }
    return false;
}

static void try_result(struct walk *w, struct core_candidate *c, size_t i, sn_value result)
{
    struct sn_operation op = w->ops[i];

    for (uint32_t known = 0; known < c->n_results; known++) {
        if (c->results[known] == result)
            return;
    }
    op.result = result;
    if (c->n_results < CORE_RESULTS_MAX && takes(w, &op, i))
        c->results[c->n_results++] = result;
}

/* Numbers around this one. */
static void try_numbers(struct walk *w, struct core_candidate *c, size_t i, sn_value middle)
{
    sn_value span = w->core->n < NUMBERS_MAX ? (sn_value)w->core->n + 1 : NUMBERS_MAX;

    for (sn_value distance = 0; distance <= span; distance++) {
        try_result(w, c, i, middle + distance);
        try_result(w, c, i, middle - distance);
    }
}

static void try_values(struct walk *w, struct core_candidate *c, size_t i, sn_value initial)
{
    sn_value own = w->ops[i].result;

    if (initial != SN_VALUE_NIL)
        try_result(w, c, i, initial);
    for (size_t j = 0; j < w->core->n; j++) {
        const struct sn_operation *other = &w->ops[j];

        if (other->ret != SN_TIME_NEVER && other->result != SN_VALUE_NIL)
            try_result(w, c, i, other->result);
        for (size_t k = 0; k < 2; k++) {
            if (other->argument[k] != SN_VALUE_NIL)
                try_result(w, c, i, other->argument[k]);
        }
    }
    try_numbers(w, c, i, 0);
    if (own > -SN_VALUE_TEXTS && own < SN_VALUE_TEXTS)
        try_numbers(w, c, i, own);
}

/* Asks the model what it would have said to an operation. To some models all results but 0 are the
 * same: such a one takes a number that nobody can mean, and then 1 is told. Nil is told if it is
 * the only one, since it may mean that the result was not recorded. */
static void ask(struct walk *w, struct core_candidate *c, size_t i, sn_value initial)
{
    struct sn_operation op = w->ops[i];

    op.ret = SN_TIME_NEVER;
    c->is_refused = !takes(w, &op, i);
    if (c->is_refused)
        return;
    op = w->ops[i];
    op.result = NOBODY_MEANS;
    if (takes(w, &op, i))
        try_result(w, c, i, 1);
    else
        try_values(w, c, i, initial);
    if (c->n_results == 0)
        try_result(w, c, i, SN_VALUE_NIL);
}

static void print_state(const struct walk *w, const char *state, struct core_state *to)
{
    struct sn_text out;

    text_init(&out, to->text, sizeof(to->text));
    if (w->core->model->print != NULL) {
        w->core->model->print(state, &out);
        return;
    }
    for (size_t i = 0; i < used(w, state); i++)
        text_print(&out, "%02x", (unsigned char)state[i]);
}

static int describe_states(const struct walk *w)
{
    struct core *core = w->core;

    core->n_keys = w->states_size / w->stride;
    core->n_states = core->n_keys < CORE_STATES_MAX ? core->n_keys : CORE_STATES_MAX;
    core->states = arena_array(&core->arena, core->n_states, sizeof(*core->states));
    if (core->states == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < core->n; i++) {
        if (w->keys[i] < core->n_states)
            core->states[w->keys[i]].key = w->ops[i].key;
    }
    for (size_t i = 0; i < core->n_states; i++)
        print_state(w, w->best->states + i * w->stride, &core->states[i]);
    return 0;
}

/* The order, with what each of its operations leaves. */
static int describe_order(struct walk *w)
{
    struct core *core = w->core;
    const struct point *at = w->best;

    core->n_order = at->definite + at->relaxed;
    core->order = arena_array(&core->arena, core->n_order, sizeof(*core->order));
    if (core->n_order <= CORE_STEPS_MAX)
        core->steps = arena_array(&core->arena, core->n_order, sizeof(*core->steps));
    if (core->order == NULL)
        return SN_ENOMEM;
    for (size_t i = core->n_order; i > 0; i--, at = at->before) {
        core->order[i - 1] = core->operations[at->last].index;
        if (core->steps == NULL)
            continue;
        core->steps[i - 1].key = w->ops[at->last].key;
        print_state(w, at->states + w->keys[at->last] * w->stride, &core->steps[i - 1]);
    }
    return 0;
}

static int describe(struct walk *w, sn_value initial)
{
    struct core *core = w->core;
    uint64_t first = first_return(w, w->best);

    core->candidates = arena_array(&core->arena, core->n, sizeof(*core->candidates));
    if (core->candidates == NULL || describe_order(w) < 0 || describe_states(w) < 0)
        return SN_ENOMEM;
    for (size_t i = 0; i < core->n; i++) {
        struct core_candidate *c = &core->candidates[core->n_candidates];

        if (core->operations[i].is_relaxed || !may_follow(w, w->best, i, first) ||
            takes(w, &w->ops[i], i))
            continue;
        c->index = core->operations[i].index;
        ask(w, c, i, initial);
        core->n_candidates++;
    }
    return 0;
}

/* ---- Beginning and end ---------------------------------------------------------------------- */

/* Different values get the numbers from 0 on, in the order in which they come. */
struct numbering {
    uint64_t *values;
    size_t *numbers; /* from 1; 0: a free slot */
    size_t size;
    size_t n;
};

static int open_numbering(struct numbering *numbering, struct arena *arena, size_t values_max)
{
    *numbering = (struct numbering){.size = 2 * values_max + 1};
    numbering->values = arena_array(arena, numbering->size, sizeof(*numbering->values));
    numbering->numbers = arena_array(arena, numbering->size, sizeof(*numbering->numbers));
    return numbering->values != NULL && numbering->numbers != NULL ? 0 : SN_ENOMEM;
}

static size_t number_of(struct numbering *numbering, uint64_t value)
{
    size_t at = mix64(value) % numbering->size;

    while (numbering->numbers[at] != 0 && numbering->values[at] != value)
        at = (at + 1) % numbering->size;
    if (numbering->numbers[at] == 0) {
        numbering->values[at] = value;
        numbering->numbers[at] = ++numbering->n;
    }
    return numbering->numbers[at] - 1;
}

/* Finds what each must wait for by program order. Of an operation that may have happened it is not
 * known when it ends, and nobody waits for it. */
static int find_before(struct walk *w)
{
    size_t n = w->core->n;
    size_t *last = arena_array(&w->arena, n, sizeof(*last)); /* definite one of each process */
    struct numbering processes;

    w->before = arena_array(&w->arena, n, sizeof(*w->before));
    if (last == NULL || w->before == NULL || open_numbering(&processes, &w->arena, n) < 0)
        return SN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        size_t process = number_of(&processes, w->ops[i].process);

        w->before[i] = last[process];
        if (!w->core->operations[i].is_relaxed)
            last[process] = i + 1;
    }
    return 0;
}

static int open_states(struct walk *w)
{
    const struct core *core = w->core;
    struct numbering keys;

    w->keys = arena_array(&w->arena, core->n, sizeof(*w->keys));
    if (w->keys == NULL || open_numbering(&keys, &w->arena, core->n) < 0)
        return SN_ENOMEM;
    for (size_t i = 0; i < core->n; i++)
        w->keys[i] = number_of(&keys, core->model->is_partitioned ? (uint64_t)w->ops[i].key : 0);
    w->state_size = core->model->state_size;
    if (core->model->room != NULL)
        w->state_size += core->model->room(w->ops, core->n);
    w->stride = (w->state_size + STATE_ALIGNMENT) / STATE_ALIGNMENT * STATE_ALIGNMENT;
    w->states_size = w->stride * (keys.n > 0 ? keys.n : 1);
    w->scratch = arena_alloc(&w->arena, w->states_size);
    return w->scratch != NULL ? 0 : SN_ENOMEM;
}

static int open_walk(struct walk *w)
{
    const struct core *core = w->core;

    arena_init(&w->arena, MEMORY_MAX);
    w->words = (core->n + 63) / 64;
    w->points_max = WORK_MAX / (core->n + 1) + 2;
    w->points_max = w->points_max < POINTS_MAX ? w->points_max : POINTS_MAX;
    w->twins = arena_array(&w->arena, core->n, sizeof(*w->twins));
    w->ops = arena_array(&w->arena, core->n, sizeof(*w->ops));
    w->points = arena_array(&w->arena, POINTS_MAX, sizeof(struct point *));
    w->slots = arena_array(&w->arena, SLOTS, sizeof(*w->slots));
    w->stack = arena_array(&w->arena, POINTS_MAX, sizeof(*w->stack));
    if (w->twins == NULL || w->ops == NULL || w->points == NULL || w->slots == NULL ||
        w->stack == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < core->n; i++) {
        w->ops[i] = core->history[core->operations[i].index];
        if (!core->operations[i].is_relaxed)
            continue;
        w->ops[i].ret = SN_TIME_NEVER;
        w->ops[i].result = SN_VALUE_NIL;
    }
    find_twins(w);
    if (find_before(w) < 0)
        return SN_ENOMEM;
    return open_states(w);
}

int core_explain(struct core *core, sn_value initial)
{
    struct walk w = {.core = core};
    int rc = open_walk(&w);

    if (rc == 0) {
        uint64_t *nothing = arena_array(&w.arena, w.words, sizeof(*nothing));

        for (size_t at = 0; at < w.states_size && core->model->init != NULL; at += w.stride)
            core->model->init(w.scratch + at, initial);
        if (nothing != NULL)
            visit(&w, NULL, 0, nothing);
        while (w.n_stack > 0 && !w.is_over)
            expand(&w, w.points[w.stack[--w.n_stack] - 1]);
        core->is_longest = !w.is_over;
        rc = w.best != NULL ? describe(&w, initial) : SN_ENOMEM;
    }
    arena_done(&w.arena);
    return rc;
}
