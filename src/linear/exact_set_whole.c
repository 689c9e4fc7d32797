/* exact_set_whole.c - a set that only grows, and that is read as a whole.
 *
 * What reads have shown must grow, too: of any two the smaller one is part of the larger. Then each
 * operation has a rank (ranks.h). The smallest set that was shown is the first, and what is in it
 * was added before it was read: rank 0, its reads rank 1; what is in the next one and not in the
 * first has rank 2, and so on. What was added and never shown was added after all reads.
 * SPDX-License-Identifier: MIT
 */
#include "linear/exact.h"
#include "linear/exact_set.h"
#include "linear/models/models.h"
#include "linear/ranks.h"
#include "linear/sort.h"

/* What a read has shown. */
struct shown {
    const struct sn_operation *op;
    const sn_value *values; /* the smallest first */
    size_t n;
};

struct ranking {
    const struct object *object;
    const struct events *events;
    struct outcome *out;
    struct sortable *adds; /* by value; index: span */
    size_t n_adds;
    struct sortable *reads; /* by the number of values; index: span */
    size_t n_reads;
    struct sortable *other;
    uint32_t *ranks; /* of spans */
};

bool set_is_whole(const struct events *events)
{
    for (size_t i = 0; i < events->n_spans; i++) {
        if (events->spans[i].op->function == SET_READ && is_completed(events->spans[i].op))
            return true;
    }
    return false;
}

static struct shown shown_by(const struct ranking *r, size_t span)
{
    const struct sn_check_options *options = r->object->options;
    struct shown shown = {.op = r->events->spans[span].op};

    if (options->elements != NULL)
        shown.values = options->elements(options->self, shown.op->result, &shown.n);
    return shown;
}

/* Sorts out who adds and who reads. False: there is something that the ranks do not tell of. */
static bool collect(struct ranking *r)
{
    for (size_t i = 0; i < r->events->n_spans; i++) {
        const struct sn_operation *op = r->events->spans[i].op;

        r->ranks[i] = RANK_NONE;
        if (op->function == SET_ADD && (!is_completed(op) || has_succeeded(op))) {
            r->adds[r->n_adds++] = (struct sortable){(uint64_t)op->argument[0], i};
            r->ranks[i] = is_completed(op) ? RANK_LAST : RANK_NONE;
        } else if (op->function == SET_READ && is_completed(op)) {
            struct shown shown = shown_by(r, i);

            if (shown.values == NULL)
                return false;
            r->reads[r->n_reads++] = (struct sortable){shown.n, i};
        } else if (op->function != SET_READ) {
            return false;
        }
    }
    sort_by_key(r->adds, r->other, r->n_adds);
    sort_by_key(r->reads, r->other, r->n_reads);
    for (size_t i = 1; i < r->n_adds; i++) {
        if (r->adds[i].key == r->adds[i - 1].key)
            return false;
    }
    return true;
}

static bool refuse(const struct ranking *r, const struct sn_operation *op, const char *sentence)
{
    exact_refuse(r->object, op, r->out, sentence);
    return false;
}

/* The later of two that do not go together is the one to be named. */
static bool refuse_two(const struct ranking *r, const struct sn_operation *a,
                       const struct sn_operation *b)
{
    return refuse(r, a->ret > b->ret ? a : b, "shows a set that does not go with another one");
}

/* A value that the next set shows and the one before does not. */
static bool rank_value(const struct ranking *r, const struct shown *shown, size_t i, uint32_t rank)
{
    size_t at = sort_find(r->adds, r->n_adds, (uint64_t)shown->values[i]);

    if (at == r->n_adds || r->adds[at].key != (uint64_t)shown->values[i])
        return refuse(r, shown->op, "shows a value that nobody has added");
    if (i > 0 && shown->values[i - 1] == shown->values[i])
        return refuse(r, shown->op, "shows a value twice");
    r->ranks[r->adds[at].index] = rank;
    return true;
}

/* Gives ranks to what is new in a set that is larger than the one before. */
static bool rank_new(const struct ranking *r, const struct shown *before, const struct shown *shown,
                     uint32_t rank)
{
    size_t j = 0;

    for (size_t i = 0; i < shown->n; i++) {
        if (j < before->n && before->values[j] == shown->values[i])
            j++;
        else if (!rank_value(r, shown, i, rank))
            return false;
    }
    return j == before->n || refuse_two(r, before->op, shown->op);
}

static bool rank_all(const struct ranking *r)
{
    struct shown before = {.op = NULL};
    uint32_t rank = 0;

    for (size_t i = 0; i < r->n_reads; i++) {
        struct shown shown = shown_by(r, r->reads[i].index);

        if (before.op != NULL && shown.n == before.n && shown.op->result != before.op->result)
            return refuse_two(r, before.op, shown.op);
        if (before.op == NULL || shown.n > before.n) {
            rank += before.op == NULL ? 0 : 2;
            if (!rank_new(r, &before, &shown, rank))
                return false;
            before = shown;
        }
        r->ranks[r->reads[i].index] = rank + 1;
    }
    return true;
}

static bool is_in_order(const struct ranking *r)
{
    const struct sn_operation *early;
    const struct sn_operation *late;

    if (ranks_fit(r->events, r->ranks, &early, &late))
        return true;
    if (late->function == SET_ADD)
        return refuse(r, early, "returned before what it shows was added");
    return refuse(r, late, "shows less than there was when it was called");
}

bool set_check_whole(const struct object *object, const struct events *events, struct outcome *out)
{
    struct ranking r = {.object = object, .events = events, .out = out};
    size_t n = events->n_spans + 1;

    r.adds = pool_alloc(object->pool, n * sizeof(*r.adds));
    r.reads = pool_alloc(object->pool, n * sizeof(*r.reads));
    r.other = pool_alloc(object->pool, n * sizeof(*r.other));
    r.ranks = pool_alloc(object->pool, n * sizeof(*r.ranks));
    if (r.adds == NULL || r.reads == NULL || r.other == NULL || r.ranks == NULL || !collect(&r))
        return false;
    if (rank_all(&r) && is_in_order(&r))
        (void)outcome_yes(out);
    return true;
}
