/* anew.c - see anew.h. SPDX-License-Identifier: MIT */
#include "strategy/anew.h"

void anew_draw_processes(const struct anew *a, struct trial *t, struct ranks *r,
                         rank_natural *natural)
{
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        const struct sn_op *op = &t->ops[t->sources[(uint32_t)t->enabled[i]].ready];
        bool is_reading;

        if (op->kind > SN_OP_FAULT && trial_about(t, op, &is_reading) == a->about &&
            !(is_reading && a->is_reading))
            rank_at(t, r, i, natural);
    }
}
