/* greedy.c - see greedy.h. SPDX-License-Identifier: MIT */
#include "linear/greedy.h"

#include <string.h>

struct attempt {
    const struct greedy *greedy;
    size_t state_size;
    char *state;                             /* after what was taken so far */
    char *next;                              /* after what is being tried */
    bool is_taken[GREEDY_OPERATIONS_MAX];    /* has its place in the order */
    uint32_t returns[GREEDY_OPERATIONS_MAX]; /* completed operations, the first to return first */
    uint32_t n_returns;
};

/* Takes one step from the state that is being tried. */
static bool step(struct attempt *a, uint32_t i)
{
    return a->greedy->model->step(a->next, &a->greedy->operations[i], 0) != SN_STEP_REFUSED;
}

static void begin(struct attempt *a)
{
    memcpy(a->next, a->state, a->state_size);
}

static void keep(struct attempt *a)
{
    char *state = a->state;

    a->state = a->next;
    a->next = state;
}

/* Whether two operations are about the same object. */
static bool is_together(const struct attempt *a, uint32_t i, uint32_t j)
{
    const struct sn_operation *ops = a->greedy->operations;

    return !a->greedy->model->is_partitioned || ops[i].key == ops[j].key;
}

static bool is_observer(const struct attempt *a, uint32_t i)
{
    const struct sn_model *model = a->greedy->model;
    const struct sn_operation *op = &a->greedy->operations[i];

    return model->functions[op->function].is_observer ||
           (model->observes != NULL && model->observes(op));
}

/* Whatever sees the present state, and was called before this moment, sees it now: it changes
 * nothing, and it might not come back. */
static void take_observers(struct attempt *a, uint32_t i)
{
    const struct sn_operation *ops = a->greedy->operations;

    begin(a);
    for (uint32_t j = 0; j < a->greedy->n && ops[j].call < ops[i].ret; j++) {
        if (a->is_taken[j] || ops[j].ret == SN_TIME_NEVER || !is_together(a, i, j) ||
            !is_observer(a, j))
            continue;
        a->is_taken[j] = step(a, j);
        begin(a);
    }
}

/* The operation returns: it takes effect now, perhaps after one other that was called before. */
static bool take(struct attempt *a, uint32_t i)
{
    const struct sn_operation *ops = a->greedy->operations;

    take_observers(a, i);
    if (a->is_taken[i])
        return true;
    begin(a);
    if (step(a, i)) {
        a->is_taken[i] = true;
        keep(a);
        return true;
    }
    for (uint32_t j = 0; j < a->greedy->n && ops[j].call < ops[i].ret; j++) {
        if (a->is_taken[j] || j == i || !is_together(a, i, j))
            continue;
        begin(a);
        if (step(a, j) && step(a, i)) {
            a->is_taken[i] = true;
            a->is_taken[j] = true;
            keep(a);
            return true;
        }
    }
    return false;
}

/* All operations on the object that the i-th is about. */
static bool take_object(struct attempt *a, uint32_t i)
{
    const struct greedy *g = a->greedy;

    memset(a->state, 0, a->state_size);
    if (g->model->init != NULL)
        g->model->init(a->state, g->initial);
    for (uint32_t k = 0; k < a->n_returns; k++) {
        uint32_t j = a->returns[k];

        if (!a->is_taken[j] && is_together(a, i, j) && !take(a, j))
            return false;
    }
    return true;
}

/* Insertion sort: operations return nearly in the order in which they are called. */
static void sort_returns(struct attempt *a)
{
    const struct sn_operation *ops = a->greedy->operations;

    for (uint32_t i = 0; i < a->greedy->n; i++) {
        uint32_t at = a->n_returns;

        if (ops[i].ret == SN_TIME_NEVER)
            continue;
        for (; at > 0 && ops[a->returns[at - 1]].ret > ops[i].ret; at--)
            a->returns[at] = a->returns[at - 1];
        a->returns[at] = i;
        a->n_returns++;
    }
}

bool greedy_is_linear(const struct greedy *greedy)
{
    struct attempt a = {.greedy = greedy};

    if (greedy->n > GREEDY_OPERATIONS_MAX)
        return false;
    a.state_size = greedy->model->state_size;
    if (greedy->model->room != NULL)
        a.state_size += greedy->model->room(greedy->operations, greedy->n);
    a.state_size = (a.state_size + 15) & ~(size_t)15;
    if (a.state_size > greedy->memory_size / 2)
        return false;
    a.state = greedy->memory;
    a.next = a.state + a.state_size;
    sort_returns(&a);
    for (uint32_t k = 0; k < a.n_returns; k++) {
        if (!a.is_taken[a.returns[k]] && !take_object(&a, a.returns[k]))
            return false;
    }
    return true;
}
