/* exact_list.c - a list that only grows, and that is read as a whole.
 *
 * The longest list that was read tells in which order everything in it was appended; all others
 * must be beginnings of it. So each operation has a rank (ranks.h): what is at place p of the list
 * was appended when there were p elements, and whoever reads n elements does so after the n-th and
 * before the next. What was appended and never read comes after all that was read. If an element is
 * appended twice, or somebody asks for one place only, this does not apply.
 * SPDX-License-Identifier: MIT
 */
#include "linear/exact.h"
#include "linear/models/models.h"
#include "linear/ranks.h"
#include "linear/sort.h"

#include <string.h>

struct listing {
    const struct object *object;
    const struct events *events;
    struct outcome *out;
    struct sortable *appends; /* by value; index: span */
    size_t n_appends;
    struct sortable *other;
    uint32_t *ranks; /* of spans */

    const sn_value *longest; /* that was read */
    size_t n_longest;
};

static const sn_value *shown_by(const struct listing *l, const struct sn_operation *op, size_t *n)
{
    const struct sn_check_options *options = l->object->options;

    return options->elements == NULL ? NULL : options->elements(options->self, op->result, n);
}

static bool refuse(const struct listing *l, const struct sn_operation *op, const char *sentence)
{
    exact_refuse(l->object, op, l->out, sentence);
    return false;
}

/* Sorts out who appends, and finds the longest list. False: this is not for ranks. */
static bool collect(struct listing *l)
{
    for (size_t i = 0; i < l->events->n_spans; i++) {
        const struct sn_operation *op = l->events->spans[i].op;
        const sn_value *shown;
        size_t n;

        l->ranks[i] = RANK_NONE;
        if (op->function == LIST_APPEND)
            l->appends[l->n_appends++] = (struct sortable){(uint64_t)op->argument[0], i};
        if (op->function == LIST_GET && is_completed(op))
            return false;
        if (op->function != LIST_READ || !is_completed(op))
            continue;
        shown = shown_by(l, op, &n);
        if (shown == NULL)
            return false;
        if (l->longest == NULL || n > l->n_longest) {
            l->longest = shown;
            l->n_longest = n;
        }
    }
    sort_by_key(l->appends, l->other, l->n_appends);
    for (size_t i = 1; i < l->n_appends; i++) {
        if (l->appends[i].key == l->appends[i - 1].key)
            return false;
    }
    return l->longest != NULL && l->n_longest < RANK_LAST / 2 - 1;
}

/* Ranks of those who look. False: *is_for_ranks is, or there is a verdict. */
static bool rank_reads(const struct listing *l, bool *is_for_ranks)
{
    for (size_t i = 0; i < l->events->n_spans; i++) {
        const struct sn_operation *op = l->events->spans[i].op;
        const sn_value *shown = l->longest;
        size_t n = (size_t)op->result;

        if (!is_completed(op) || op->function == LIST_APPEND)
            continue;
        if (op->function == LIST_READ)
            shown = shown_by(l, op, &n);
        *is_for_ranks = op->function == LIST_READ || (op->result >= 0 && n <= l->n_longest);
        if (!*is_for_ranks)
            return false;
        if (memcmp(shown, l->longest, n * sizeof(*shown)) != 0)
            return refuse(l, op, "shows a list that does not go with another one");
        l->ranks[i] = (uint32_t)(2 * n);
    }
    return true;
}

/* Ranks of those who append. */
static bool rank_appends(const struct listing *l, const struct sn_operation *reader)
{
    for (size_t place = 0; place < l->n_longest; place++) {
        size_t at = sort_find(l->appends, l->n_appends, (uint64_t)l->longest[place]);
        const struct sn_operation *op;

        if (at == l->n_appends || l->appends[at].key != (uint64_t)l->longest[place])
            return refuse(l, reader, "shows a value that nobody has appended");
        if (l->ranks[l->appends[at].index] != RANK_NONE)
            return refuse(l, reader, "shows a value twice");
        op = l->events->spans[l->appends[at].index].op;
        if (is_completed(op) && op->result != SN_VALUE_NIL && op->result != (sn_value)place)
            return refuse(l, op, "has put its value at another place");
        l->ranks[l->appends[at].index] = (uint32_t)(2 * place + 1);
    }
    return true;
}

/* What was appended and never read. False: it tells its place, which ranks do not know. */
static bool rank_rest(const struct listing *l)
{
    for (size_t i = 0; i < l->n_appends; i++) {
        size_t span = l->appends[i].index;
        const struct sn_operation *op = l->events->spans[span].op;

        if (l->ranks[span] != RANK_NONE || !is_completed(op))
            continue;
        if (op->result != SN_VALUE_NIL)
            return false;
        l->ranks[span] = RANK_LAST;
    }
    return true;
}

/* Somebody who has read the longest list. */
static const struct sn_operation *reader_of(const struct listing *l)
{
    for (size_t i = 0; i < l->events->n_spans; i++) {
        const struct sn_operation *op = l->events->spans[i].op;
        size_t n;

        if (op->function == LIST_READ && is_completed(op) && shown_by(l, op, &n) != NULL &&
            n == l->n_longest)
            return op;
    }
    return NULL;
}

static bool check(const struct object *object, const struct events *events, struct outcome *out)
{
    struct listing l = {.object = object, .events = events, .out = out};
    const struct sn_operation *early;
    const struct sn_operation *late;
    size_t n = events->n_spans + 1;
    bool is_for_ranks = true;

    l.appends = pool_alloc(object->pool, n * sizeof(*l.appends));
    l.other = pool_alloc(object->pool, n * sizeof(*l.other));
    l.ranks = pool_alloc(object->pool, n * sizeof(*l.ranks));
    if (l.appends == NULL || l.other == NULL || l.ranks == NULL || !collect(&l))
        return false;
    if (!rank_reads(&l, &is_for_ranks))
        return is_for_ranks;
    if (!rank_appends(&l, reader_of(&l)))
        return true;
    if (!rank_rest(&l))
        return false;
    if (ranks_fit(events, l.ranks, &early, &late))
        (void)outcome_yes(out);
    else if (late->function == LIST_APPEND)
        (void)refuse(&l, early, "returned before what must come before it was appended");
    else
        (void)refuse(&l, late, "shows less than there was when it was called");
    return true;
}

const struct exact exact_list = {.name = "list", .check = check};
