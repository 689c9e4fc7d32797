/* exact_fetch_add.c - a counter whose increments by one tell what it was before.
 *
 * The results are the order. Counts that nobody got belong to operations that are not known to have
 * returned: the smallest goes to the one called first. SPDX-License-Identifier: MIT
 */
#include "linear/exact.h"
#include "linear/models/models.h"

struct counts {
    const struct span **got; /* who got this count; NULL: nobody is known to */
    uint64_t n;              /* counts up to the largest that somebody got */
    const struct span **unknown;
    size_t n_unknown; /* in the order of calls */
};

static bool applies(const struct events *events)
{
    for (size_t i = 0; i < events->n_spans; i++) {
        const struct sn_operation *op = events->spans[i].op;

        if (op->function == FETCH_READ && is_completed(op))
            return false;
        if (op->function == FETCH_ADD && op->argument[0] != SN_VALUE_NIL && op->argument[0] != 1)
            return false;
    }
    return true;
}

/* Returns an operation that got what cannot be; NULL: there is none. */
static const struct sn_operation *collect(struct counts *counts, const struct object *object,
                                          const struct events *events)
{
    uint64_t start = object->initial == SN_VALUE_NIL ? 0 : (uint64_t)object->initial;

    for (size_t t = 0; t < events->n; t++) {
        const struct span *span = &events->spans[events->order[t].span];
        uint64_t count = (uint64_t)span->op->result - start;

        if (events->order[t].is_return || span->op->function != FETCH_ADD)
            continue;
        if (!is_completed(span->op)) {
            counts->unknown[counts->n_unknown++] = span;
            continue;
        }
        if (count >= events->n_spans || counts->got[count] != NULL)
            return span->op;
        counts->got[count] = span;
        if (count >= counts->n)
            counts->n = count + 1;
    }
    return NULL;
}

/* Gives away the counts that nobody got. False: there are too few operations for that. */
static bool fill(struct counts *counts)
{
    size_t used = 0;

    for (uint64_t count = 0; count < counts->n; count++) {
        if (counts->got[count] != NULL)
            continue;
        if (used == counts->n_unknown)
            return false;
        counts->got[count] = counts->unknown[used++];
    }
    return true;
}

static bool check(const struct object *object, const struct events *events, struct outcome *out)
{
    struct counts counts = {0};
    const struct sn_operation *stuck;
    uint64_t first_return = EVENTS_NEVER;

    if (!applies(events))
        return false;
    counts.got = pool_alloc(object->pool, (events->n_spans + 1) * sizeof(*counts.got));
    counts.unknown = pool_alloc(object->pool, (events->n_spans + 1) * sizeof(*counts.unknown));
    if (counts.got == NULL || counts.unknown == NULL)
        return false;
    stuck = collect(&counts, object, events);
    if (stuck == NULL && !fill(&counts))
        stuck = counts.got[counts.n - 1]->op;
    for (uint64_t count = counts.n; count-- > 0 && stuck == NULL;) {
        const struct span *span = counts.got[count];

        if (span->call > first_return)
            stuck = span->op;
        if (span->ret < first_return)
            first_return = span->ret;
    }
    if (stuck != NULL)
        exact_refuse(object, stuck, out, "does not fit what the others got");
    else
        (void)outcome_yes(out);
    return true;
}

const struct exact exact_fetch_add = {.name = "fetch-add", .check = check};
