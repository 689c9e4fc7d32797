/* reductions.c - the ways to make a history smaller once more, written apart from the library.
 * SPDX-License-Identifier: MIT
 */
#include "reductions.h"

#include <string.h>

static const char *name_of(const struct sample *h, const struct sn_operation *op)
{
    return h->model->functions[op->function].name;
}

/* Whether a name is one of those in a text, with blanks around each. */
static bool is_one_of(const char *name, const char *names)
{
    const char *at = strstr(names, name);

    for (; at != NULL; at = strstr(at + 1, name))
        if (at[-1] == ' ' && at[strlen(name)] == ' ')
            return true;
    return false;
}

static bool is_completed(const struct sn_operation *op)
{
    return op->ret != SN_TIME_NEVER;
}

static bool is_about(const struct sample *h, const char *models)
{
    return is_one_of(h->object->name, models);
}

bool reduction_is_observer(const struct sample *h, const struct sn_operation *op)
{
    const char *name = name_of(h, op);

    if (is_one_of(name, " read get contains size renew "))
        return true;
    if (!is_completed(op))
        return false;
    if (is_one_of(name, " dequeue pop "))
        return op->result == SN_VALUE_NIL;
    return op->result == 0 && is_about(h, " cas-register map set mutex lease ") &&
           is_one_of(name, " cas add remove acquire release ");
}

/* The value that an operation puts, takes or looks at; false: it is about none. */
static bool find_value(const struct sample *h, const struct sn_operation *op, sn_value *value)
{
    const char *name = name_of(h, op);

    if (is_one_of(name, " dequeue pop ")) {
        *value = op->result;
        return is_completed(op) && op->result != SN_VALUE_NIL;
    }
    if (is_one_of(name, " read get ")) {
        *value = op->result;
        return is_completed(op);
    }
    *value = is_one_of(name, " cas ") ? op->argument[1] : op->argument[0]; /* nil of a delete */
    return is_one_of(name, " write put delete cas enqueue push append ") ||
           (is_about(h, " set ") && is_one_of(name, " add remove contains "));
}

bool reduction_is_same_value(const struct sample *h, const struct sn_operation *a,
                             const struct sn_operation *b)
{
    sn_value value_a = 0;
    sn_value value_b = 0;

    return a->key == b->key && find_value(h, a, &value_a) && find_value(h, b, &value_b) &&
           value_a == value_b;
}

bool reduction_is_tail(const struct sample *h, const struct sn_operation *op,
                       enum brute_order order)
{
    for (size_t i = 0; i < h->n; i++)
        if (is_completed(&h->operations[i]) && !brute_is_before(&h->operations[i], op, order))
            return false;
    return true;
}

bool reduction_is_allowed(const struct sample *h, enum reduction how, enum brute_order order)
{
    if (how == REDUCTION_CUT)
        return order == BRUTE_REAL_TIME;
    if (how != REDUCTION_VALUE)
        return how != REDUCTION_DELETE;
    for (size_t i = 0; i < h->n; i++) {
        const char *name = name_of(h, &h->operations[i]);

        /* A look at the whole set tells of all values. */
        if (is_one_of(name, " cas ") || (is_about(h, " set ") && is_one_of(name, " read ")))
            return false;
    }
    return is_about(h, " register cas-register map set queue stack priority-queue ");
}

void reduction_relax(struct sn_operation *op)
{
    op->ret = SN_TIME_NEVER;
    op->result = SN_VALUE_NIL;
}

/* Whether the operation `op` goes when the reduction is applied to `at`. */
static bool is_dropped(const struct sample *h, enum reduction how, const struct sn_operation *at,
                       const struct sn_operation *op)
{
    switch (how) {
    case REDUCTION_VALUE:
        return reduction_is_same_value(h, at, op);
    case REDUCTION_KEY:
        return op->key == at->key;
    case REDUCTION_CUT:
        return op->call > at->ret;
    default:
        return op == at;
    }
}

static bool applies(const struct sample *h, enum reduction how, enum brute_order order,
                    const struct sn_operation *at)
{
    sn_value value;

    switch (how) {
    case REDUCTION_RELAX:
    case REDUCTION_CUT:
        return is_completed(at);
    case REDUCTION_OBSERVER:
        return reduction_is_observer(h, at);
    case REDUCTION_VALUE:
        return find_value(h, at, &value);
    case REDUCTION_TAIL:
        return !is_completed(at) && reduction_is_tail(h, at, order);
    default:
        return true;
    }
}

bool reduction_apply(const struct sample *h, enum reduction how, enum brute_order order, size_t i,
                     struct sample *out)
{
    const struct sn_operation *at = &h->operations[i];
    bool has_changed = false;

    if (!applies(h, how, order, at))
        return false;
    *out = *h;
    out->n = 0;
    for (size_t j = 0; j < h->n; j++) {
        const struct sn_operation *op = &h->operations[j];
        bool is_relaxed = how == REDUCTION_RELAX ? j == i : how == REDUCTION_CUT;

        if (how != REDUCTION_RELAX && is_dropped(h, how, at, op)) {
            has_changed = true;
            continue;
        }
        out->operations[out->n] = *op;
        if (is_relaxed && is_completed(op) && (how == REDUCTION_RELAX || op->ret > at->ret)) {
            reduction_relax(&out->operations[out->n]);
            has_changed = true;
        }
        out->n++;
    }
    return has_changed && (how != REDUCTION_KEY || out->n > 0);
}
