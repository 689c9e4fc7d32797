/* gate.c - what a machine takes at some moment, as a number that outlives the moment.
 *
 * A machine that has not started takes nothing but its start; one that has takes what its states
 * do not defer, and what is not held by a cut. A gate is a state above another gate; at the bottom
 * is a cut. Each is kept once, and none is forgotten before the next test.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/gate.h"

#include "base/rng.h"
#include "substrate/environment.h"

enum { DEPTH_MAX = 64 };

static uint32_t find(struct gates *all, const struct sn_state *state, uint64_t cut, uint32_t below)
{
    uint64_t hash = mix_pair(mix_pair((uintptr_t)state, cut), below);
    uint32_t slot = (uint32_t)hash & (GATES_SLOTS - 1);

    for (; all->slots[slot] != 0; slot = (slot + 1) & (GATES_SLOTS - 1)) {
        const struct gate *known = &all->all[all->slots[slot]];

        if (known->state == state && known->cut == cut && known->below == below)
            return all->slots[slot];
    }
    if (all->n == GATES_MAX) {
        all->is_full = true;
        return GATE_ANY;
    }
    all->slots[slot] = GATES_FIRST + all->n++;
    all->all[all->slots[slot]] = (struct gate){.state = state, .cut = cut, .below = below};
    return all->slots[slot];
}

uint32_t gate_of(struct trial *t, uint32_t task)
{
    const struct machine *m = &t->machines->all[task];
    const struct sn_state *states[DEPTH_MAX];
    uint32_t n = 0;
    uint32_t gate = GATE_ANY;
    uint32_t frame;

    if (!m->is_started)
        return GATE_START;
    if (network_holds_for(t, task))
        gate = find(&t->machines->gates, NULL, t->environment->now.cut, gate);
    if (m->state != NULL)
        states[n++] = m->state;
    for (frame = m->frame; frame != 0 && n < DEPTH_MAX; frame = t->machines->frames[frame].below)
        states[n++] = t->machines->frames[frame].state;
    while (n > 0)
        gate = find(&t->machines->gates, states[--n], 0, gate);
    return gate | (frame != 0 || t->machines->gates.is_full ? SUBSTRATE_GATE_VAGUE : 0);
}

bool gate_takes(struct trial *t, uint32_t gate, const struct sn_op *op)
{
    const struct sn_on *on = NULL;

    if (gate == GATE_START)
        return op->kind == SN_OP_START;
    for (; gate > GATE_START; gate = t->machines->gates.all[gate].below) {
        const struct gate *g = &t->machines->gates.all[gate];

        if (g->state == NULL && network_is_cut_by(t, g->cut, op))
            return false;
        if (g->state != NULL && on == NULL && op->what != NULL)
            on = state_find_here(t, g->state, op->what);
    }
    return on == NULL || !on->defer;
}
