/* rules_window.c - the search over a window of operations, slow and short.
 * SPDX-License-Identifier: MIT
 */
#include "rules.h"

#include <assert.h>
#include <string.h>

enum { VISITED_MAX = 1 << 15 };

struct visited {
    size_t k;
    uint64_t done;    /* slots of completed operations */
    uint64_t unknown; /* slots of unknown ones */
    struct plain_state state;
};

struct window {
    const struct sample *history;
    enum mistake mistake;
    size_t returns[SAMPLE_OPERATIONS_MAX]; /* completed operations in the order of their returns */
    size_t n_returns;
    uint64_t slot[SAMPLE_OPERATIONS_MAX]; /* one bit */
    uint64_t unknown;                     /* slots that unknown operations use */
    size_t n_visited;
};

static struct visited visited[VISITED_MAX];

static const struct sn_operation *op_at(const struct window *w, size_t i)
{
    return &w->history->operations[i];
}

static bool is_unknown(const struct window *w, size_t i)
{
    return op_at(w, i)->ret == SN_TIME_NEVER;
}

static void sort_returns(struct window *w)
{
    for (size_t i = 0; i < w->history->n; i++) {
        size_t at = w->n_returns;

        if (is_unknown(w, i))
            continue;
        for (; at > 0 && op_at(w, w->returns[at - 1])->ret > op_at(w, i)->ret; at--)
            w->returns[at] = w->returns[at - 1];
        w->returns[at] = i;
        w->n_returns++;
    }
}

/* Operations share a slot if the one has returned before the other is called. */
static void assign_slots(struct window *w)
{
    size_t by_call[SAMPLE_OPERATIONS_MAX];

    for (size_t i = 0; i < w->history->n; i++) {
        size_t at = i;

        for (; at > 0 && op_at(w, by_call[at - 1])->call > op_at(w, i)->call; at--)
            by_call[at] = by_call[at - 1];
        by_call[at] = i;
    }
    for (size_t k = 0; k < w->history->n; k++) {
        size_t i = by_call[k];
        uint64_t taken = 0;

        for (size_t j = 0; j < k; j++)
            if (op_at(w, by_call[j])->ret >= op_at(w, i)->call)
                taken |= w->slot[by_call[j]];
        if (is_unknown(w, i) && w->mistake != SEARCH_SHARES_SLOTS)
            taken |= UINT32_MAX;
        w->slot[i] = ~taken & (taken + 1);
        if (is_unknown(w, i))
            w->unknown |= w->slot[i];
    }
}

static bool admit(struct window *w, const struct visited *now)
{
    for (size_t i = 0; i < w->n_visited; i++) {
        const struct visited *v = &visited[i];

        if ((v->k == now->k || w->mistake == SEARCH_FORGETS_THE_WINDOW) && v->done == now->done &&
            memcmp(&v->state, &now->state, sizeof(v->state)) == 0 &&
            ((v->unknown & ~now->unknown) == 0 || w->mistake == SEARCH_FORGETS_WHAT_WAS_USED))
            return false;
    }
    assert(w->n_visited < VISITED_MAX);
    visited[w->n_visited++] = *now;
    return true;
}

static bool is_same_call(const struct sn_operation *a, const struct sn_operation *b)
{
    return a->function == b->function && a->key == b->key && a->argument[0] == b->argument[0] &&
           a->argument[1] == b->argument[1];
}

/* Whether another one like this unknown operation is to be used first. */
static bool is_preceded(const struct window *w, size_t i, uint64_t mask)
{
    for (size_t j = 0; j < w->history->n; j++) {
        bool is_first = op_at(w, j)->call < op_at(w, i)->call ||
                        (op_at(w, j)->call == op_at(w, i)->call && j < i);

        if (w->mistake == SEARCH_TAKES_LAST_OF_EQUAL)
            is_first = !is_first;
        if (j != i && is_unknown(w, j) && (mask & w->slot[j]) == 0 &&
            is_same_call(op_at(w, i), op_at(w, j)) && is_first)
            return true;
    }
    return false;
}

static bool is_open(const struct window *w, size_t i, size_t k)
{
    const struct sn_operation *next = op_at(w, w->returns[k]);

    if (op_at(w, i)->call > next->ret)
        return false;
    for (size_t j = 0; j < k; j++)
        if (w->returns[j] == i)
            return false;
    return true;
}

static bool search_from(struct window *w, size_t k, uint64_t mask, const struct plain_state *s)
{
    while (k < w->n_returns && (mask & w->slot[w->returns[k]]) != 0)
        mask &= ~w->slot[w->returns[k++]];
    if (k == w->n_returns)
        return true;
    if (!admit(w, &(struct visited){k, mask & ~w->unknown, mask & w->unknown, *s}))
        return false;
    for (size_t i = 0; i < w->history->n; i++) {
        struct plain_state next = *s;

        if ((mask & w->slot[i]) != 0 || !is_open(w, i, k))
            continue;
        if (!plain_accepts(w->history->object, w->history->model, &next, op_at(w, i)))
            continue;
        if (is_unknown(w, i) && (memcmp(&next, s, sizeof(next)) == 0 || is_preceded(w, i, mask)))
            continue;
        if (search_from(w, k, mask | w->slot[i], &next))
            return true;
    }
    return false;
}

enum ruling rule_search(const struct sample *history, enum mistake mistake)
{
    struct window w = {.history = history, .mistake = mistake};
    struct plain_state state;

    sort_returns(&w);
    assign_slots(&w);
    plain_init(history->object, &state, history->initial);
    return search_from(&w, 0, 0, &state) ? RULING_YES : RULING_NO;
}
