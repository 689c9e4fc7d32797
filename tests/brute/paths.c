/* paths.c - see paths.h. SPDX-License-Identifier: MIT */
#include "paths.h"

/* Whether a path leads from a step to one of these, or it is one of them. */
static bool leads_to(const struct paths *p, uint32_t from, uint64_t ends)
{
    uint32_t stack[PATHS_STEPS_MAX + 1];
    bool was_here[PATHS_STEPS_MAX + 1] = {false};
    uint32_t n = 0;

    for (uint32_t i = 1; i <= p->n; i++) {
        if ((ends & STEP_BIT(i)) != 0) {
            was_here[i] = true;
            stack[n++] = i;
        }
    }
    while (n > 0) {
        uint32_t at = stack[--n];
        uint64_t arrows = p->needs[at] | p->clashes[at];

        if (at == from)
            return true;
        for (uint32_t i = 1; i < at; i++) {
            if ((arrows & STEP_BIT(i)) != 0 && !was_here[i]) {
                was_here[i] = true;
                stack[n++] = i;
            }
        }
    }
    return false;
}

void paths_find(struct paths *p)
{
    for (uint32_t k = 1; k <= p->n; k++) {
        p->races[k] = 0;
        for (uint32_t i = 1; i < k; i++) {
            if ((p->clashes[k] & STEP_BIT(i)) != 0 && !leads_to(p, i, p->needs[k]))
                p->races[k] |= STEP_BIT(i);
        }
    }
}

uint64_t paths_raced(const struct paths *p)
{
    uint64_t raced = 0;

    for (uint32_t k = 1; k <= p->n; k++)
        raced |= p->races[k] | (p->races[k] != 0 ? STEP_BIT(k) : 0);
    return raced;
}
