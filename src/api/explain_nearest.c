/* explain_nearest.c - the passing trial nearest to the one that is explained, and the first thing
 * that is different in it. SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include <stdio.h>
#include <string.h>

enum { TRIES_MAX = 300 };

/* Keeps what ran in the subject, by name, in order. */
void explaining_keep(struct explaining *x, const struct happened *h)
{
    uint32_t n;
    uint32_t n_ran;
    const struct happening *events = happened_events(h, &n, &n_ran);

    x->n_ran = n_ran;
    for (uint32_t i = 0; i < n_ran; i++)
        x->ran[i] = events[i].name;
}

static bool has_name(const uint32_t *names, uint32_t n, uint32_t name)
{
    for (uint32_t i = 1; i < n; i++) {
        if (names[i] == name)
            return true;
    }
    return false;
}

/* Whether two operations ran in this order. */
static bool ran_in_order(const uint32_t *names, uint32_t n, uint32_t first, uint32_t later)
{
    bool has_first = false;

    for (uint32_t i = 1; i < n; i++) {
        if (names[i] == first)
            has_first = true;
        else if (names[i] == later)
            return has_first;
    }
    return false;
}

/* What is different in the last trial that was looked at, which has ended by itself. */
static void compare(struct explaining *x, const uint32_t *names, uint32_t n, struct neighbour *out)
{
    const struct candidates *c = &x->candidates;

    for (uint32_t i = 0; i < c->n_basic; i++) {
        const struct constraint *one = &c->constraints[i];

        out->inversions += c->items[i].kind == ITEM_ORDER &&
                           ran_in_order(x->ran, x->n_ran, one->first, one->later) &&
                           ran_in_order(names, n, one->later, one->first);
    }
    if (out->inversions == 0)
        out->inversions = 1; /* the one that was asked for */
    for (uint32_t i = 1; i < n; i++)
        out->alone += !has_name(x->ran, x->n_ran, names[i]);
    for (uint32_t i = 1; i < x->n_ran; i++)
        out->alone += !has_name(names, n, x->ran[i]);
}

/* Runs the subject with one order reversed. */
static int run_reversed(struct explaining *x, uint32_t item, struct lab_result *result,
                        const struct happened **h)
{
    const struct choice choice = {.item = item, .is_reversed = true};
    struct lab_job job = {
        .plan = &x->subject.plan, .constraints = x->constraints, .wants_log = true};

    explaining_constrain(x, &choice, 1);
    job.version = x->version;
    return explaining_events(x, &job, result, h);
}

static int reverse(void *self, uint32_t item, struct neighbour *out)
{
    struct explaining *x = self;
    struct lab_result result;
    const struct happened *h;
    uint32_t n;
    uint32_t n_ran;
    const struct happening *events;
    int rc = run_reversed(x, item, &result, &h);

    if (rc != 0 || h == NULL || result.how != LAB_PASSED)
        return rc;
    events = happened_events(h, &n, &n_ran);
    for (uint32_t i = 0; i < n_ran; i++)
        x->scratch[i] = events[i].name;
    /* It must really have them the other way round. */
    out->passes = ran_in_order(x->scratch, n_ran, x->candidates.constraints[item].later,
                               x->candidates.constraints[item].first);
    if (out->passes)
        compare(x, x->scratch, n_ran, out);
    return 0;
}

/* The first operation that only one of the two trials has, of what follows the reversed order. */
static int find_difference(struct explaining *x, uint32_t item)
{
    struct explanation *e = x->e;
    struct lab_result result;
    const struct happened *h;
    uint32_t n;
    uint32_t n_ran;
    const struct happening *events;
    char words[EXPLANATION_WORDS];
    int rc = run_reversed(x, item, &result, &h);

    if (rc != 0 || h == NULL)
        return rc;
    explaining_keep_nearest(x, &result);
    events = happened_events(h, &n, &n_ran);
    for (uint32_t i = 0; i < n_ran; i++)
        x->scratch[i] = events[i].name;
    for (uint32_t i = 1; i < n_ran || i < x->n_ran; i++) {
        bool is_passing = i < n_ran && !has_name(x->ran, x->n_ran, x->scratch[i]);
        bool is_failing = i < x->n_ran && !has_name(x->scratch, n_ran, x->ran[i]);

        if (!is_passing && !is_failing)
            continue;
        if (is_passing)
            explaining_name_words(x->names, x->scratch[i], words, sizeof(words));
        else
            explaining_step_words(x->trace, i, words, sizeof(words));
        (void)snprintf(e->near_difference, sizeof(e->near_difference),
                       "only the %s trial has \"%s\"", is_passing ? "passing" : "failing", words);
        return 0;
    }
    return 0;
}

int explaining_nearest(struct explaining *x)
{
    struct explanation *e = x->e;
    struct nearest nearest = {.self = x,
                              .items = x->candidates.items,
                              .n_items = x->candidates.n,
                              .before = e->causes[0].list,
                              .n_before = e->n_causes > 0 ? e->causes[0].n_items : 0,
                              .near_max = EXPLANATION_INVERSIONS_MAX,
                              .tries_max = TRIES_MAX,
                              .reverse = reverse};
    int rc;

    if (e->is_liveness) {
        e->near = NEAR_LIVENESS;
        return 0;
    }
    rc = nearest_find(&nearest);
    if (rc != 0)
        return rc;
    e->near_tried = nearest.tried;
    e->near = nearest.is_found ? NEAR_FOUND : NEAR_NONE;
    if (!nearest.is_found)
        return 0;
    e->near_inversions = nearest.best.inversions;
    if (nearest.best.inversions > EXPLANATION_INVERSIONS_MAX) {
        e->near = NEAR_FAR;
        return 0;
    }
    /* As it is in the passing trial. */
    explaining_event_words(x, nearest.item, 1, e->near_first);
    explaining_event_words(x, nearest.item, 0, e->near_second);
    return find_difference(x, nearest.item);
}
