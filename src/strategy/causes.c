/* causes.c - see causes.h. SPDX-License-Identifier: MIT */
#include "strategy/causes.h"

#include "base/hash.h"
#include "engine/op.h"

void causes_start(struct causes *c, uint64_t base)
{
    c->trial++;
    c->base = base;
    c->n = 0;
    c->n_steps = 0;
}

/* The record of the step that announced an operation; 0: none that is known. */
static uint32_t parent_of(const struct causes *c, const struct sn_op *op)
{
    uint64_t cause = op->cause > c->base ? op->cause - c->base : 0;

    return cause != 0 && cause <= c->n_steps ? c->steps[cause] : 0;
}

/* What an operation's event is called, and what kind of operation it is. */
static uint64_t name_of(struct causes *c, const struct sn_op *op)
{
    struct cause_name *n = &c->names[((uintptr_t)op->what >> 4) % CAUSES_NAMES];

    if (unlikely(n->what != op->what || n->kind != op->kind || n->trial != c->trial))
        *n = (struct cause_name){.what = op->what,
                                 .kind = op->kind,
                                 .trial = c->trial,
                                 .hash = hash_text(HASH_START ^ op->kind, op_event_name(op))};
    return n->hash;
}

static uint32_t note(struct causes *c, struct trial *t, const struct sn_op *op)
{
    uint64_t name = name_of(c, op);
    struct cause_record *r;
    bool is_reading;

    if (c->n == CAUSES_MAX)
        return 0;
    if (op->kind > SN_OP_FAULT)
        name = mix_pair(name, op->site);
    r = &c->all[++c->n];
    *r = (struct cause_record){
        .id = op->id,
        .look = mix_pair(trial_who(t, op->task), name),
        .object = op->kind != SN_OP_START ? trial_about(t, op, &is_reading) : 0,
        .parent = parent_of(c, op),
        .task = op->task,
    };
    r->signature = mix_pair(r->look, r->parent != 0 ? c->all[r->parent].look : 0);
    return c->n;
}

uint32_t causes_meet(struct causes *c, struct trial *t, const struct sn_op *op, bool *is_new)
{
    uint32_t index = op_index(t, op);
    struct cause_pending *pending = &c->pending[index];

    *is_new = false;
    if (unlikely(index >= CAUSES_OPS_MAX))
        return 0;
    if (pending->trial == c->trial && pending->id == op->id)
        return pending->record;
    *is_new = true;
    *pending = (struct cause_pending){.id = op->id, .trial = c->trial, .record = note(c, t, op)};
    return pending->record;
}

uint32_t causes_run(struct causes *c, uint32_t index, const struct sn_op *op, uint64_t step)
{
    uint64_t own = step - c->base;
    uint32_t record = 0;

    if (likely(index < CAUSES_OPS_MAX) && c->pending[index].trial == c->trial &&
        c->pending[index].id == op->id) {
        record = c->pending[index].record;
        c->pending[index].trial = 0;
    }
    if (record != 0)
        c->all[record].has_run = true;
    if (own <= CAUSES_MAX) {
        c->steps[own] = record;
        c->n_steps = (uint32_t)own;
    }
    return record;
}
