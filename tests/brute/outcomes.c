/* outcomes.c - which schedules end in the same situation.
 *
 * That is what the machines that have not halted and the monitors remember, what is left pending,
 * nodes and clocks. How it came about, and what operations are called, is no part of it. Exact:
 * compared word by word. SPDX-License-Identifier: MIT
 */
#include "enumerate.h"

enum { WORDS_MAX = 1024 };

struct words {
    uint32_t n;
    uint32_t list[WORDS_MAX];
};

static void put(struct words *w, uint32_t word)
{
    if (w->n < WORDS_MAX)
        w->list[w->n++] = word;
}

static void put_actor(struct words *w, const struct actor *a, uint32_t now)
{
    put(w, a->is_halted);
    if (a->is_halted)
        return;
    put(w, (uint32_t)a->type << 24 | (uint32_t)a->parent << 16 | (uint32_t)a->child << 8 | a->node);
    put(w, a->clock > now ? a->clock : now); /* what it can see */
    put(w, a->is_started);
    put(w, a->depth);
    for (uint8_t i = 0; i < a->depth; i++)
        put(w, a->stack[i]);
    put(w, a->n_left);
    put(w, (uint32_t)a->locals.count << 24 | (uint32_t)a->locals.acc << 16 |
               (uint32_t)a->locals.drew << 8 | a->locals.controls);
}

static void put_op(struct words *w, const struct op *op)
{
    put(w, (uint32_t)op->kind << 24 | (uint32_t)op->to << 16 | (uint32_t)op->from << 8 | op->event);
    put(w, op->kind == OP_DELIVER ? 0 : op->deadline); /* the time of a late one has come */
    if (op->event == EVENT_HALT)
        return; /* it carries nothing */
    put(w, (uint32_t)op->value << 24 | (uint32_t)op->life << 16 | (uint32_t)op->carried << 8 |
               op->order);
}

uint32_t outcome_number(struct tree *tree, const struct situation *s)
{
    struct words w = {.n = 0};

    put(&w, s->now);
    put(&w, s->n_actors);
    for (uint8_t i = 1; i <= s->n_actors; i++)
        put_actor(&w, &s->actors[i], s->now);
    for (int i = 0; i < MONITORS_MAX; i++)
        put(&w, (uint32_t)s->watchers[i].state << 16 | (uint32_t)s->watchers[i].count << 8 |
                    s->watchers[i].acc);
    for (int i = 1; i <= BRUTE_NODES; i++)
        put(&w, s->places[i].is_down);
    put(&w, s->side);
    for (uint8_t i = 0; i < s->n_ops; i++)
        put_op(&w, &s->ops[i]);
    return tree_trace(tree, &tree->outcomes, w.list, w.n);
}
