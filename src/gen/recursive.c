/* recursive.c - values that contain values of their own kind, within a budget.
 * SPDX-License-Identifier: MIT
 */
#include "gen/gen.h"

enum { LEVELS_MAX = 64 };

/* As if one part had two more within it, on average fewer than one of them is there at the end of
 * the budget: so values differ in size, and end. */
static bool draw_part(struct trial *t, const char *label, const struct sn_budget *budget)
{
    uint32_t depth = budget->depth < 8 ? (uint32_t)budget->depth : 8;

    /* A part begins alike wherever it is, so that it can take the place of what it is in. */
    if (budget->size == 0 || budget->depth == 0 || budget->n_ == LEVELS_MAX)
        return trial_draw(t, label, 1) != 0;
    return gen_chance(t, label, depth + 2, depth + 6);
}

bool sn_deeper(const char *label, struct sn_budget *budget)
{
    struct trial *t = gen_trial("sn_deeper");
    uint32_t group;
    uint64_t key = trial_scopes(t, label, &group);
    uint32_t scope = trial_scope_enter(t, key, label, group, 0);

    if (!draw_part(t, label, budget)) {
        trial_scope_leave(t, scope);
        return false;
    }
    budget->size--;
    budget->depth--;
    budget->scopes_[budget->n_++] = scope;
    return true;
}

void sn_back(struct sn_budget *budget)
{
    struct trial *t = gen_trial("sn_back");

    if (unlikely(budget->n_ == 0))
        gen_refuse(t, "sn_back", "", "nothing was begun by sn_deeper that has not ended");
    trial_scope_leave(t, budget->scopes_[--budget->n_]);
    budget->depth++;
}
