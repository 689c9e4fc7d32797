/* exact_register.c - a register, with or without compare-and-set, whose written values differ.
 *
 * If no value is written twice, a value is there from its write until another one replaces it, and
 * does not come back. A compare-and-set that succeeded ties the value that it expected to the one
 * that it wrote: values that are tied form a chain, all of whose operations follow each other with
 * nothing else in between. A plain write begins a chain.
 *
 *   - Within a chain the order is given: no operation may return before an earlier one is called.
 *   - Let f be a chain's first return and s its last call. If f < s the chain lasts from f to s at
 *     least: no other one may overlap with that, or have to fit in there because it is called from
 *     f on and has returned by s (Gibbons and Korach).
 *
 * A write or compare-and-set that is not known to have returned took place if its value was seen,
 * and may be left out otherwise. SPDX-License-Identifier: MIT
 */
#include "linear/exact.h"
#include "linear/models/models.h"
#include "linear/sort.h"

#include <stdio.h>

#define NO_VALUE UINT32_MAX

/* A value and what is known about it. */
struct written {
    sn_value value;
    const struct span *writer; /* NULL: it was there at the beginning */
    uint32_t tied_to;          /* the value that replaces it by compare-and-set, or NO_VALUE */
    bool is_tied;              /* has replaced one by compare-and-set */
    bool is_visited;
    uint64_t first_return;    /* of reads */
    uint64_t last_call;       /* of reads */
    const struct span *last;  /* the read that is called last */
    const struct span *first; /* the read that returns first */
};

struct chain {
    uint64_t f;
    uint64_t s;
    const struct sn_operation *last; /* which is called at s; NULL: nobody */
    sn_value value;                  /* its first */
};

struct look {
    const struct object *object;
    const struct events *events;
    struct outcome *out;
    struct sortable *writers; /* by value; index: span */
    size_t n_writers;
    struct sortable *other;
    struct written *values; /* sorted by value, the one at the beginning is the last */
    uint32_t n_values;      /* without that one */
    struct chain *chains;
    size_t n_chains;
};

static uint64_t key_of(sn_value value)
{
    return (uint64_t)value;
}

static bool is_read(const struct sn_operation *op)
{
    if (op->function == REGISTER_CAS)
        return is_completed(op) && op->argument[0] == op->argument[1];
    return op->function == REGISTER_READ || op->function == MAP_GET;
}

static sn_value value_read(const struct sn_operation *op)
{
    return op->function == REGISTER_CAS ? op->argument[0] : op->result;
}

static sn_value value_written(const struct sn_operation *op)
{
    if (op->function == MAP_DELETE)
        return SN_VALUE_NIL;
    return op->function == REGISTER_CAS ? op->argument[1] : op->argument[0];
}

/* ---- Which operations took place ------------------------------------------------------------ */

/* For certain: what may not have taken place does not count yet. */
static bool is_written_twice(const struct look *look)
{
    const struct sortable *last = NULL;

    for (size_t i = 0; i < look->n_writers; i++) {
        if (!is_completed(look->events->spans[look->writers[i].index].op))
            continue;
        if (last != NULL && last->key == look->writers[i].key)
            return true;
        last = &look->writers[i];
    }
    return false;
}

/* Collects what may write. Returns false if there is what says less than which value there was. */
static bool collect_writers(struct look *look)
{
    for (size_t i = 0; i < look->events->n_spans; i++) {
        const struct sn_operation *op = look->events->spans[i].op;

        if (op->function == REGISTER_CAS && is_completed(op) && !has_succeeded(op))
            return false;
        if (is_read(op) || (op->function == REGISTER_CAS && op->argument[0] == op->argument[1]))
            continue;
        look->writers[look->n_writers++] = (struct sortable){key_of(value_written(op)), i};
    }
    sort_by_key(look->writers, look->other, look->n_writers);
    return !is_written_twice(look);
}

/* Marks writers of a value that somebody has seen, and adds what they in turn have seen. */
static size_t mark_writers(struct look *look, sn_value seen, bool *took_place, sn_value *more)
{
    size_t n_more = 0;
    size_t i = sort_find(look->writers, look->n_writers, key_of(seen));

    /* All of them are marked with the first that is not known to have returned. */
    for (size_t j = i; j < look->n_writers && look->writers[j].key == key_of(seen); j++) {
        if (!is_completed(look->events->spans[look->writers[j].index].op) &&
            took_place[look->writers[j].index])
            return 0;
        if (!took_place[look->writers[j].index])
            break;
    }
    for (; i < look->n_writers && look->writers[i].key == key_of(seen); i++) {
        size_t span = look->writers[i].index;
        const struct sn_operation *op = look->events->spans[span].op;

        if (took_place[span])
            continue;
        took_place[span] = true;
        if (op->function == REGISTER_CAS)
            more[n_more++] = op->argument[0];
    }
    return n_more;
}

/* Leaves only writers that took place, and those that are completed. Each span adds at most one
 * value that was seen. */
static bool leave_out(struct look *look)
{
    size_t room = look->events->n_spans + 1;
    bool *took_place = pool_alloc(look->object->pool, room);
    sn_value *seen = pool_alloc(look->object->pool, room * sizeof(*seen));
    size_t n_seen = 0;
    size_t n = 0;

    if (took_place == NULL || seen == NULL)
        return false;
    for (size_t i = 0; i < look->events->n_spans; i++) {
        const struct sn_operation *op = look->events->spans[i].op;

        if (!is_completed(op))
            continue;
        took_place[i] = !is_read(op);
        if (is_read(op))
            seen[n_seen++] = value_read(op);
        else if (op->function == REGISTER_CAS)
            seen[n_seen++] = op->argument[0];
    }
    while (n_seen > 0) {
        n_seen--;
        n_seen += mark_writers(look, seen[n_seen], took_place, &seen[n_seen]);
    }
    for (size_t i = 0; i < look->n_writers; i++) {
        if (took_place[look->writers[i].index])
            look->writers[n++] = look->writers[i];
    }
    look->n_writers = n;
    return true;
}

/* ---- Values --------------------------------------------------------------------------------- */

/* False: a value is written twice, or is the one at the beginning. */
static bool make_values(struct look *look)
{
    sn_value initial = look->object->initial;

    for (size_t i = 0; i < look->n_writers; i++) {
        const struct span *span = &look->events->spans[look->writers[i].index];

        if (look->writers[i].key == key_of(initial) ||
            (i > 0 && look->writers[i].key == look->writers[i - 1].key))
            return false;
        look->values[look->n_values++] = (struct written){.value = (sn_value)look->writers[i].key,
                                                          .writer = span,
                                                          .tied_to = NO_VALUE,
                                                          .first_return = EVENTS_NEVER};
    }
    look->values[look->n_values] =
        (struct written){.value = initial, .tied_to = NO_VALUE, .first_return = EVENTS_NEVER};
    return true;
}

/* NO_VALUE: nobody writes it. */
static uint32_t find_value(const struct look *look, sn_value value)
{
    size_t i = sort_find(look->writers, look->n_writers, key_of(value));

    if (i < look->n_writers && look->writers[i].key == key_of(value))
        return (uint32_t)i;
    return value == look->object->initial ? look->n_values : NO_VALUE;
}

static bool add_read(struct look *look, const struct span *span)
{
    uint32_t i = find_value(look, value_read(span->op));
    struct written *value;

    if (i == NO_VALUE) {
        exact_refuse(look->object, span->op, look->out, "sees a value that nobody has written");
        return false;
    }
    value = &look->values[i];
    if (span->ret < value->first_return) {
        value->first_return = span->ret;
        value->first = span;
    }
    if (span->call > value->last_call) {
        value->last_call = span->call;
        value->last = span;
    }
    return true;
}

static bool add_tie(struct look *look, uint32_t i)
{
    const struct sn_operation *op = look->values[i].writer->op;
    uint32_t from = find_value(look, op->argument[0]);

    if (from == NO_VALUE) {
        exact_refuse(look->object, op, look->out, "replaces a value that nobody has written");
        return false;
    }
    if (look->values[from].tied_to != NO_VALUE) {
        exact_refuse(look->object, op, look->out, "replaces a value that another has replaced");
        return false;
    }
    look->values[from].tied_to = i;
    look->values[i].is_tied = true;
    return true;
}

static bool add_operations(struct look *look)
{
    for (size_t i = 0; i < look->events->n_spans; i++) {
        const struct span *span = &look->events->spans[i];

        if (is_completed(span->op) && is_read(span->op) && !add_read(look, span))
            return false;
    }
    for (uint32_t i = 0; i < look->n_values; i++) {
        if (look->values[i].writer->op->function == REGISTER_CAS && !add_tie(look, i))
            return false;
    }
    return true;
}

/* ---- Chains --------------------------------------------------------------------------------- */

static bool follow(struct look *look, struct chain *chain, const struct span *first, uint64_t ret,
                   const struct span *last)
{
    if (first != NULL && ret < chain->s) {
        exact_refuse(look->object, first->op, look->out,
                     "returns before the operations that it must follow are called");
        return false;
    }
    if (ret < chain->f)
        chain->f = ret;
    if (last != NULL && last->call > chain->s) {
        chain->s = last->call;
        chain->last = last->op;
    }
    return true;
}

static bool make_chain(struct look *look, uint32_t begin)
{
    struct chain *chain = &look->chains[look->n_chains++];

    *chain = (struct chain){.f = look->values[begin].writer == NULL ? 0 : EVENTS_NEVER,
                            .value = look->values[begin].value};
    for (uint32_t i = begin; i != NO_VALUE; i = look->values[i].tied_to) {
        struct written *value = &look->values[i];

        value->is_visited = true;
        if (value->writer != NULL &&
            !follow(look, chain, value->writer, value->writer->ret, value->writer))
            return false;
        if (value->first != NULL &&
            !follow(look, chain, value->first, value->first_return, value->last))
            return false;
    }
    return true;
}

static bool make_chains(struct look *look)
{
    for (uint32_t i = 0; i <= look->n_values; i++) {
        if (!look->values[i].is_tied && !make_chain(look, i))
            return false;
    }
    for (uint32_t i = 0; i < look->n_values; i++) {
        if (!look->values[i].is_visited) {
            exact_refuse(look->object, look->values[i].writer->op, look->out,
                         "needs, by way of others, its own value");
            return false;
        }
    }
    return true;
}

static void refuse_late(struct look *look, const struct chain *late, const struct chain *other)
{
    char name[128];
    char value[32] = "nil";

    if (other->value != SN_VALUE_NIL)
        (void)snprintf(value, sizeof(value), "%lld", (long long)other->value);
    (void)outcome_no(look->out, (size_t)(late->last - look->object->operations),
                     "%s is called when %s has replaced its value for good",
                     object_name(look->object, late->last, name, sizeof(name)), value);
}

/* Chains that last for a while must not overlap, and no other may lie within one. */
static bool compare_chains(struct look *look)
{
    struct sortable *lasting = look->writers;
    size_t n = 0;

    for (size_t i = 0; i < look->n_chains; i++) {
        if (look->chains[i].f < look->chains[i].s)
            lasting[n++] = (struct sortable){look->chains[i].f, i};
    }
    sort_by_key(lasting, look->other, n);
    for (size_t i = 1; i < n; i++) {
        const struct chain *a = &look->chains[lasting[i - 1].index];
        const struct chain *b = &look->chains[lasting[i].index];

        if (b->f < a->s) {
            refuse_late(look, a->s > b->s ? a : b, a->s > b->s ? b : a);
            return false;
        }
    }
    for (size_t i = 0; i < look->n_chains; i++) {
        const struct chain *chain = &look->chains[i];
        size_t place = sort_find(lasting, n, chain->s);

        if (chain->f >= chain->s && place > 0 &&
            chain->f < look->chains[lasting[place - 1].index].s) {
            refuse_late(look, &look->chains[lasting[place - 1].index], chain);
            return false;
        }
    }
    return true;
}

static bool check(const struct object *object, const struct events *events, struct outcome *out)
{
    struct look look = {.object = object, .events = events, .out = out};
    size_t room = events->n_spans + 2;

    look.writers = pool_alloc(object->pool, room * sizeof(*look.writers));
    look.other = pool_alloc(object->pool, room * sizeof(*look.other));
    look.values = pool_alloc(object->pool, room * sizeof(*look.values));
    look.chains = pool_alloc(object->pool, room * sizeof(*look.chains));
    if (look.writers == NULL || look.other == NULL || look.values == NULL || look.chains == NULL)
        return false;
    if (!collect_writers(&look) || !leave_out(&look) || !make_values(&look))
        return false;
    if (add_operations(&look) && make_chains(&look) && compare_chains(&look))
        (void)outcome_yes(out);
    return true;
}

const struct exact exact_register = {.name = "register", .check = check};
