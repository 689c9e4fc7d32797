/* states.c - see states.h. SPDX-License-Identifier: MIT */
#include "oracle/states.h"

#include <string.h>

enum { ALIGNMENT = 8 };

static uint32_t count_steps(const struct states *states, uint32_t parts)
{
    uint64_t n = 0;

    for (const struct sn_hidden *h = states->model->hidden; h->name != NULL; h++)
        n += h->variants != NULL ? h->variants(states->self) : 1;
    n *= parts;
    return n > STATES_NONE / 2 ? STATES_NONE : (uint32_t)n;
}

static void list_steps(struct states *states, uint32_t parts)
{
    struct states_step *step = states->steps;

    for (uint32_t part = 0; part < parts; part++)
        for (uint32_t i = 0; states->model->hidden[i].name != NULL; i++) {
            const struct sn_hidden *hidden = &states->model->hidden[i];
            uint32_t n = hidden->variants != NULL ? hidden->variants(states->self) : 1;

            for (uint32_t variant = 0; variant < n; variant++)
                *step++ = (struct states_step){i, variant, part};
        }
}

bool states_init(struct states *states, uint32_t parts)
{
    states->part_size = (states->model->state_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    states->size = states->part_size * parts;
    states->n_steps = count_steps(states, parts);
    if (states->n_steps == STATES_NONE)
        return false;
    states->steps = pool_alloc(states->pool, states->n_steps * sizeof(*states->steps));
    states->scratch = pool_alloc(states->pool, states->size);
    if (states->steps == NULL || states->scratch == NULL)
        return false;
    list_steps(states, parts);
    return true;
}

void states_done(struct states *states)
{
    grown_done(&states->bytes, states->pool);
    grown_done(&states->items, states->pool);
    grown_done(&states->table, states->pool);
    grown_done(&states->edges, states->pool);
}

static uint32_t hash_of(const struct states *states, const void *state)
{
    uint64_t hash = states->size;
    const char *bytes = state;

    for (size_t i = 0; i < states->size; i += ALIGNMENT) {
        uint64_t word;

        memcpy(&word, bytes + i, sizeof(word));
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash ^ (hash >> 32));
}

static void fill_table(struct states *states)
{
    size_t size = states->table_size;
    uint32_t *table = states->table.base;

    memset(table, 0, size * sizeof(*table));
    for (uint32_t i = 0; i < states->n; i++) {
        size_t at = states_item(states, i)->hash & (size - 1);

        while (table[at] != 0)
            at = (at + 1) & (size - 1);
        table[at] = i + 1;
    }
}

/* Makes it twice as large; the old one is still there if there is no memory. */
static bool grow_table(struct states *states)
{
    size_t size = states->table_size == 0 ? 64 : 2 * states->table_size;

    if (!grown_reserve(&states->table, states->pool, size * sizeof(uint32_t)))
        return false;
    states->table_size = size;
    fill_table(states);
    return true;
}

/* Room for one more. */
static bool reserve(struct states *states)
{
    size_t n = (size_t)states->n + 1;

    if (n > states->limit)
        return false;
    if (2 * n > states->table_size && !grow_table(states))
        return false;
    return grown_reserve(&states->bytes, states->pool, n * states->size) &&
           grown_reserve(&states->items, states->pool, n * sizeof(struct states_item));
}

uint32_t states_intern(struct states *states, const void *state)
{
    uint32_t hash = hash_of(states, state);
    const uint32_t *table = states->table.base;
    size_t at = 0;

    if (states->table_size > 0)
        for (at = hash & (states->table_size - 1); table[at] != 0;
             at = (at + 1) & (states->table_size - 1))
            if (states_item(states, table[at] - 1)->hash == hash &&
                memcmp(states_at(states, table[at] - 1), state, states->size) == 0)
                return table[at] - 1;
    if (!reserve(states))
        return STATES_NONE;
    /* The table may have grown. */
    for (at = hash & (states->table_size - 1); ((uint32_t *)states->table.base)[at] != 0;)
        at = (at + 1) & (states->table_size - 1);
    ((uint32_t *)states->table.base)[at] = states->n + 1;
    memcpy(states_at(states, states->n), state, states->size);
    *states_item(states, states->n) = (struct states_item){.n = STATES_NONE, .hash = hash};
    return states->n++;
}

/* Takes a step from a state, if it is possible and changes anything. False: over a limit. */
static bool follow(struct states *states, uint32_t number, uint32_t step)
{
    const struct states_step *how = &states->steps[step];
    const struct sn_hidden *hidden = &states->model->hidden[how->hidden];
    size_t offset = how->part * states->part_size;
    uint32_t to;

    if (!hidden->is_possible(states->self, (char *)states_at(states, number) + offset,
                             how->variant))
        return true;
    memcpy(states->scratch, states_at(states, number), states->size);
    hidden->effect(states->self, states->scratch + offset, how->variant);
    to = states_intern(states, states->scratch);
    if (to == STATES_NONE)
        return false;
    if (to != number)
        ((struct states_edge *)states->edges.base)[states->n_edges++] =
            (struct states_edge){to, step};
    return true;
}

bool states_expand(struct states *states, uint32_t number)
{
    uint64_t first = states->n_edges;
    struct states_item *item = states_item(states, number);

    if (item->n != STATES_NONE)
        return true;
    if (!grown_reserve(&states->edges, states->pool,
                       (first + states->n_steps) * sizeof(struct states_edge)))
        return false;
    for (uint32_t step = 0; step < states->n_steps; step++)
        if (!follow(states, number, step)) {
            states->n_edges = first;
            return false;
        }
    item = states_item(states, number); /* it may have moved */
    item->first = first;
    item->n = (uint32_t)(states->n_edges - first);
    return true;
}

void states_keep_begin(struct states *states)
{
    for (uint32_t i = 0; i < states->n; i++)
        states_item(states, i)->moved = STATES_NONE;
}

void states_keep(struct states *states, uint32_t number)
{
    states_item(states, number)->moved = 0;
}

/* New numbers are told by the places of the old ones, which lie before nothing that is still to be
 * moved: what is overwritten is a state that has been moved itself, or is forgotten. Its item keeps
 * `moved`. */
void states_keep_end(struct states *states)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < states->n; i++) {
        uint32_t hash = states_item(states, i)->hash;

        if (states_item(states, i)->moved == STATES_NONE)
            continue;
        states_item(states, i)->moved = n;
        if (i != n)
            memcpy(states_at(states, n), states_at(states, i), states->size);
        states_item(states, n)->hash = hash;
        states_item(states, n)->n = STATES_NONE;
        states_item(states, n)->mark = 0;
        n++;
    }
    states->forgotten += states->n - n;
    states->n = n;
    states->n_edges = 0;
    states->mark = 0;
    fill_table(states);
}

uint32_t states_kept(const struct states *states, uint32_t number)
{
    return states_item(states, number)->moved;
}
