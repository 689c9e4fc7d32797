/* conjecture_explain.c - explanations of what was accepted, and why states refuse what was not.
 *
 * The nodes of possible.h know what led to them, so an explanation is read from its end: each
 * part's own, from the first of its last seeds, and of all parts whatever comes latest.
 * SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "base/text.h"
#include "oracle/conjecture.h"

#include <sennit/test.h>

/* The node at which a part's explanation is read; the seeds are beside the others. */
static const struct node *node_of(const struct possible *set)
{
    return set->layer == set->n_events && set->cursor == SIZE_MAX ? possible_seed(set, 0)
                                                                  : possible_node(set, set->cursor);
}

/* Goes back over observed events to a hidden one. False: there are no more. */
static bool seek_hidden(struct possible *set)
{
    while (node_of(set)->step == NODE_OBSERVED) {
        if (set->layer == 0)
            return false;
        set->cursor = node_of(set)->parent;
        set->layer--;
    }
    return true;
}

/* The part whose next hidden event, from the end, is the latest; NULL: none has any. */
static struct possible *latest(const struct sn_conjecture *conjecture, size_t *before)
{
    struct possible *found = NULL;

    for (uint32_t i = 0; i < conjecture->n_sets; i++) {
        struct possible *set = &conjecture->sets[i];
        size_t event;

        if (!seek_hidden(set))
            continue;
        event = ((const size_t *)set->events.base)[set->layer];
        if (found != NULL && event < *before)
            continue;
        found = set;
        *before = event;
    }
    return found;
}

long sn_conjecture_explanation(const struct sn_conjecture *conjecture,
                               struct sn_conjectured_event *events, size_t max)
{
    size_t n = 0;
    size_t before = 0;
    struct possible *set;

    if (!conjecture->keeps_ways)
        return SN_EINVAL;
    for (uint32_t i = 0; i < conjecture->n_sets; i++) {
        conjecture->sets[i].cursor = SIZE_MAX;
        conjecture->sets[i].layer = conjecture->sets[i].n_events;
        n += possible_seed(&conjecture->sets[i], 0)->distance;
    }
    for (size_t left = n; (set = latest(conjecture, &before)) != NULL;) {
        const struct node *node = node_of(set);
        const struct states_step *step = &conjecture->states.steps[node->step];
        uint32_t part = conjecture->n_sets == 1 ? step->part : (uint32_t)(set - conjecture->sets);

        sn_check(left > 0);
        if (--left < max)
            events[left] = (struct sn_conjectured_event){before, part, step->hidden, step->variant};
        set->cursor = node->parent;
    }
    return (long)n;
}

static void print_state(const struct sn_conjecture *conjecture, const void *state,
                        struct sn_text *out)
{
    const struct sn_conjecture_model *model = conjecture->states.model;
    const unsigned char *bytes = state;

    if (model->print != NULL) {
        model->print(conjecture->states.self, state, out);
        return;
    }
    for (size_t i = 0; i < model->state_size; i++)
        text_print(out, "%02x", bytes[i]);
}

size_t sn_conjecture_refusal(struct sn_conjecture *conjecture, uint32_t part, size_t i,
                             uint32_t observed, const void *event, char *text, size_t size)
{
    const void *state = sn_conjecture_state(conjecture, part, i);
    const struct sn_observed *kind;
    const void *self = conjecture->states.self;
    struct sn_text out;

    sn_check(observed < conjecture->n_observed);
    kind = &conjecture->states.model->observed[observed];
    text_init(&out, text, size);
    print_state(conjecture, state, &out);
    text_putc(&out, '\n');
    if (kind->is_possible == NULL || kind->is_possible(self, state, event))
        return out.used;
    if (kind->why_not != NULL)
        kind->why_not(self, state, event, &out);
    else
        text_print(&out, "%s is not possible", kind->name);
    return out.used;
}
