/* coverage.c - see coverage.h. SPDX-License-Identifier: MIT */
#include "substrate/coverage.h"

#include "base/rng.h"

#include <stdio.h>
#include <string.h>

/* The pair, which is made if it is not there; NULL: there is no room. */
static struct coverage_pair *find(struct coverage *c, const void *state, const void *event,
                                  bool *is_new)
{
    uint32_t slot = (uint32_t)mix_pair((uintptr_t)state, (uintptr_t)event) % COVERAGE_SLOTS;

    *is_new = false;
    while (c->slots[slot] != 0) {
        struct coverage_pair *pair = &c->pairs[c->slots[slot] - 1];

        if (pair->state == state && pair->event == event)
            return pair;
        slot = (slot + 1) % COVERAGE_SLOTS;
    }
    if (c->n == COVERAGE_MAX)
        return NULL;
    *is_new = true;
    c->slots[slot] = (uint16_t)(c->n + 1);
    c->pairs[c->n] = (struct coverage_pair){.state = state, .event = event};
    return &c->pairs[c->n++];
}

static void copy_name(char to[COVERAGE_NAME], const char *name)
{
    (void)snprintf(to, COVERAGE_NAME, "%s", name != NULL ? name : "");
}

static struct coverage_pair *note(struct coverage *c, const struct sn_machine *type,
                                  const struct sn_state *state, const struct sn_event *event)
{
    bool is_new;
    struct coverage_pair *pair = find(c, state, event, &is_new);

    if (is_new) {
        copy_name(pair->machine_name, type->name);
        copy_name(pair->state_name, state->name);
        copy_name(pair->event_name, event->name);
    }
    return pair;
}

void coverage_add(struct coverage *c, const struct sn_machine *type, const struct sn_state *state,
                  const struct sn_event *event)
{
    struct coverage_pair *pair = note(c, type, state, event);

    if (pair == NULL || pair->is_covered)
        return;
    pair->is_covered = true;
    for (const struct sn_on *on = state->on; on != NULL && on->event != NULL; on++)
        (void)note(c, type, state, on->event);
}

void coverage_join(struct coverage *c, const struct coverage *other)
{
    for (uint32_t i = 0; i < other->n; i++) {
        const struct coverage_pair *from = &other->pairs[i];
        bool is_new;
        struct coverage_pair *to = find(c, from->state, from->event, &is_new);
        bool was_covered = to != NULL && to->is_covered;

        if (to == NULL)
            return;
        if (is_new)
            *to = *from;
        to->is_covered = was_covered || from->is_covered;
    }
}

int coverage_compare(const struct coverage_pair *a, const struct coverage_pair *b)
{
    int order = strcmp(a->machine_name, b->machine_name);

    if (order == 0)
        order = strcmp(a->state_name, b->state_name);
    return order != 0 ? order : strcmp(a->event_name, b->event_name);
}

/* Not by qsort, which may take memory of the program under test. */
void coverage_sort(struct coverage *c)
{
    struct coverage_pair *pairs = c->pairs;
    uint32_t n = c->n;

    for (uint32_t gap = n / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < n; i++) {
            struct coverage_pair pair = pairs[i];
            uint32_t k = i;

            for (; k >= gap && coverage_compare(&pairs[k - gap], &pair) > 0; k -= gap)
                pairs[k] = pairs[k - gap];
            pairs[k] = pair;
        }
    }
}

void coverage_unite(struct coverage *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n; i++) {
        if (n > 0 && coverage_compare(&c->pairs[n - 1], &c->pairs[i]) == 0)
            c->pairs[n - 1].is_covered |= c->pairs[i].is_covered;
        else
            c->pairs[n++] = c->pairs[i];
    }
    c->n = n;
}
