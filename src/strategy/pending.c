/* pending.c - see pending.h. SPDX-License-Identifier: MIT */
#include "strategy/pending.h"

#include "engine/op.h"
#include "strategy/age.h"

/* Most are announced in about the order in which their sources were made, so few have to move. */
static void insert(struct pending *p, const struct trial *t, struct pending_op added)
{
    uint32_t i = p->n++;

    for (; i > 0 && age_is_older(&t->ops[added.op], &t->ops[p->ops[i - 1].op]); i--)
        p->ops[i] = p->ops[i - 1];
    p->ops[i] = added;
}

void pending_list(struct pending *p, const struct trial *t)
{
    p->n = 0;
    for (uint32_t i = 1; i < t->now.n_sources; i++) {
        const struct source *source = &t->sources[i];
        uint32_t place = 0;

        if (source_is_free(source))
            continue;
        for (uint32_t op = source->head; op != 0; op = t->ops[op].next)
            insert(p, t, (struct pending_op){.op = op, .source = i, .place = place++});
    }
}

/* The number of a source is no part of it: it depends on what was first used when. */
struct state_key pending_key(const struct trial *t, const struct pending_op *pending)
{
    const struct sn_op *op = &t->ops[pending->op];
    const struct source *source = &t->sources[pending->source];
    struct state_key key = state_add(trial_content(t, op), op->deadline);

    key = state_add(key, op->flags & (SN_OP_ANY_TIME | SN_OP_COPY));
    key = state_add(state_add(key, source->from), pending->place);
    key = state_add(state_add(key, source->is_single), source->is_waiting);
    return state_add(key, source->ready == pending->op);
}
