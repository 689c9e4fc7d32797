/* traces.c - which schedules are the same Mazurkiewicz trace, from the definition.
 *
 * Two steps are dependent if one machine takes both, if both call one monitor, if both send into
 * one shared inbox, if one announced the other, or if one, which may be a fault, decides what
 * becomes of the machine that takes the other. To a search a fault, and a step with which a node
 * ends, is dependent on every step. So are steps that send across the network from one node, if a
 * fault has struck one of them: it takes the damage from the other; and it depends on whether the
 * machines that it has sent to are still there. The canonical form of a schedule is the least of
 * all orders of its steps that keep dependent ones as they are; steps are compared by their rows,
 * which differ within a schedule. Exact: forms are compared word by word.
 *
 * SPDX-License-Identifier: MIT
 */
#include "enumerate.h"

static bool are_dependent(const struct step *steps, uint32_t earlier, uint32_t later)
{
    return (steps[earlier].touched & steps[later].touched) != 0 ||
           (steps[earlier].watchers & steps[later].watchers) != 0 ||
           (steps[earlier].inboxes & steps[later].inboxes) != 0 || steps[later].cause == earlier;
}

static bool are_dependent_in_searches(const struct step *steps, uint32_t earlier, uint32_t later)
{
    return are_dependent(steps, earlier, later) || steps[earlier].is_wild || steps[later].is_wild ||
           (steps[earlier].struck & steps[later].looks) != 0 ||
           (steps[earlier].looks & steps[later].struck) != 0 ||
           (steps[earlier].aims & steps[later].touched) != 0 ||
           (steps[earlier].touched & steps[later].aims) != 0;
}

enum { WORDS = 3 };

static uint32_t write_step(const struct step *step, uint32_t *words)
{
    uint64_t draws = step->n_draws;

    for (int i = 0; i < step->n_draws; i++)
        draws = draws << 4 | step->draws[i];
    words[0] = step->row;
    words[1] = (uint32_t)draws;
    words[2] = (uint32_t)(draws >> 32);
    return WORDS;
}

static uint32_t number(struct tree *tree, struct traces *traces, const struct step *steps,
                       uint32_t n, bool (*depend)(const struct step *, uint32_t, uint32_t))
{
    uint32_t words[WORDS * (STEPS_MAX + 1)];
    uint32_t before[STEPS_MAX + 1] = {0}; /* steps that must come earlier, as a set */
    uint32_t n_words = write_step(&steps[0], words);
    uint32_t done = 1;

    for (uint32_t j = 1; j <= n; j++)
        for (uint32_t i = 1; i < j; i++)
            if (depend(steps, i, j))
                before[j] |= 1u << i;
    for (uint32_t k = 1; k <= n; k++) {
        uint32_t least = 0;

        for (uint32_t j = 1; j <= n; j++)
            if ((done & 1u << j) == 0 && (before[j] & ~done) == 0 &&
                (least == 0 || steps[j].row < steps[least].row))
                least = j;
        done |= 1u << least;
        n_words += write_step(&steps[least], words + n_words);
    }
    return tree_trace(tree, traces, words, n_words);
}

uint32_t trace_number(struct tree *tree, const struct step *steps, uint32_t n)
{
    return number(tree, &tree->traces, steps, n, are_dependent);
}

uint32_t trace_number_searched(struct tree *tree, const struct step *steps, uint32_t n)
{
    return number(tree, &tree->searched, steps, n, are_dependent_in_searches);
}
