/* rules_containers.c - queues and stacks with distinct values, slow and short.
 * SPDX-License-Identifier: MIT
 */
#include "items.h"
#include "rules.h"

enum { PUT, TAKE };

/* A value's way through the container. One that is never taken is taken last, and returns after
 * everything. */
struct stay {
    sn_value value;
    uint64_t put_call;
    uint64_t put_ret;
    uint64_t take_call;
    uint64_t take_ret;
    bool is_taken;
};

struct stays {
    size_t n;
    struct stay list[SAMPLE_OPERATIONS_MAX];
    size_t n_empty;
    struct item empty[SAMPLE_OPERATIONS_MAX]; /* operations that found nothing */
    size_t n_unknown;
    uint64_t unknown[SAMPLE_OPERATIONS_MAX]; /* calls of unknown takes */
};

static struct stay *stay_find(struct stays *stays, sn_value value)
{
    for (size_t i = 0; i < stays->n; i++)
        if (stays->list[i].value == value)
            return &stays->list[i];
    return NULL;
}

static enum ruling collect_puts(const struct items *items, struct stays *stays)
{
    for (size_t i = 0; i < items->n; i++) {
        const struct item *item = &items->list[i];

        if (item->role != PUT)
            continue;
        if (stay_find(stays, item->value) != NULL)
            return RULING_NOT_APPLICABLE;
        stays->list[stays->n++] = (struct stay){.value = item->value,
                                                .put_call = item->call,
                                                .put_ret = item->ret,
                                                .take_call = NEVER - 1,
                                                .take_ret = NEVER};
    }
    return RULING_YES;
}

static enum ruling collect_takes(const struct items *items, struct stays *stays)
{
    for (size_t i = 0; i < items->n; i++) {
        const struct item *item = &items->list[i];
        struct stay *stay = stay_find(stays, item->result);

        if (item->role != TAKE)
            continue;
        if (item->ret == NEVER) {
            stays->unknown[stays->n_unknown++] = item->call;
        } else if (item->result == SN_VALUE_NIL) {
            stays->empty[stays->n_empty++] = *item;
        } else {
            if (stay == NULL || stay->is_taken || item->ret < stay->put_call)
                return RULING_NO;
            stay->is_taken = true;
            stay->take_call = item->call;
            stay->take_ret = item->ret;
        }
    }
    return RULING_YES;
}

/* Unknown puts that nobody saw did not happen. */
static enum ruling stays_of(const struct sample *history, struct stays *stays)
{
    struct items items = items_of(history);
    enum ruling ruling;

    *stays = (struct stays){0};
    if (items.has_keys || collect_puts(&items, stays) != RULING_YES)
        return RULING_NOT_APPLICABLE;
    ruling = collect_takes(&items, stays);
    for (size_t i = 0; i < stays->n; i++)
        if (stays->list[i].put_ret == NEVER && !stays->list[i].is_taken)
            stays->list[i--] = stays->list[--stays->n];
    return ruling;
}

/* Whether there is a moment within the interval at which nothing need be inside. Segments in which
 * a value is certainly inside are joined until nothing changes. */
static bool can_be_empty(const struct stays *stays, const struct item *empty, bool merges)
{
    for (size_t i = 0; i < stays->n; i++) {
        uint64_t from = stays->list[i].put_ret;
        uint64_t to = stays->list[i].take_call;
        bool has_grown = from < to;

        while (has_grown) {
            if (from < empty->call && empty->ret < to)
                return false;
            has_grown = false;
            for (size_t j = 0; j < stays->n && merges; j++) {
                const struct stay *other = &stays->list[j];

                if (other->put_ret < to && from < other->take_call &&
                    other->put_ret < other->take_call &&
                    (other->put_ret < from || other->take_call > to)) {
                    from = other->put_ret < from ? other->put_ret : from;
                    to = other->take_call > to ? other->take_call : to;
                    has_grown = true;
                }
            }
        }
    }
    return true;
}

static bool empties_fit(const struct stays *stays, bool merges)
{
    for (size_t i = 0; i < stays->n_empty; i++)
        if (!can_be_empty(stays, &stays->empty[i], merges))
            return false;
    return true;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

/* When a value that was put later was taken. */
static uint64_t overtaken_at(const struct stays *stays, const struct stay *stay)
{
    uint64_t first = NEVER;

    for (size_t i = 0; i < stays->n; i++)
        if (stays->list[i].is_taken && stay->put_ret < stays->list[i].put_call &&
            stays->list[i].take_ret < first)
            first = stays->list[i].take_ret;
    return first;
}

static uint64_t take_smallest(uint64_t *list, size_t *n)
{
    size_t smallest = 0;
    uint64_t value;

    for (size_t i = 1; i < *n; i++)
        if (list[i] < list[smallest])
            smallest = i;
    value = list[smallest];
    list[smallest] = list[--*n];
    return value;
}

/* Values that were overtaken must have been taken by operations whose result is not known. */
static bool match_unknown(struct stays *stays)
{
    while (true) {
        struct stay *next = NULL;
        uint64_t at = NEVER;

        for (size_t i = 0; i < stays->n; i++) {
            struct stay *stay = &stays->list[i];

            if (stay->take_ret == NEVER && stay->take_call == NEVER - 1 &&
                overtaken_at(stays, stay) < at) {
                next = stay;
                at = overtaken_at(stays, stay);
            }
        }
        if (next == NULL)
            return true;
        if (stays->n_unknown == 0)
            return false;
        next->take_call = take_smallest(stays->unknown, &stays->n_unknown);
        if (next->take_call >= at)
            return false;
    }
}

enum ruling rule_queue(const struct sample *history, enum mistake mistake)
{
    struct stays stays;
    enum ruling ruling = stays_of(history, &stays);

    if (ruling == RULING_NOT_APPLICABLE || (stays.n_unknown > 0 && stays.n_empty > 0))
        return RULING_NOT_APPLICABLE;
    if (ruling == RULING_NO)
        return RULING_NO;
    if (mistake == QUEUE_IGNORES_WHAT_IS_NEVER_TAKEN)
        for (size_t i = 0; i < stays.n; i++)
            if (!stays.list[i].is_taken)
                stays.list[i--] = stays.list[--stays.n];
    if (!empties_fit(&stays, mistake != QUEUE_DOES_NOT_MERGE_SEGMENTS) || !match_unknown(&stays))
        return RULING_NO;
    for (size_t i = 0; i < stays.n; i++)
        for (size_t j = 0; j < stays.n; j++)
            if (stays.list[i].put_ret < stays.list[j].put_call &&
                stays.list[j].take_ret < stays.list[i].take_call)
                return RULING_NO;
    return RULING_YES;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* Whether everything else can happen while this value is inside. */
static bool wraps(const struct stays *stays, size_t i, uint32_t set)
{
    const struct stay *outer = &stays->list[i];

    for (size_t j = 0; j < stays->n; j++) {
        const struct stay *inner = &stays->list[j];

        if (j == i || (set >> j & 1) == 0)
            continue;
        if (outer->put_call > inner->put_ret || outer->put_call > inner->take_ret ||
            outer->take_ret < inner->put_call || outer->take_ret < inner->take_call)
            return false;
    }
    return true;
}

/* The values that can have come and gone at a moment at which nothing need be inside; none or all
 * of them if there is such a value at that moment. */
static uint32_t before_moment(const struct stays *stays, uint32_t set, uint64_t moment)
{
    uint32_t before = 0;

    for (size_t i = 0; i < stays->n; i++) {
        const struct stay *stay = &stays->list[i];

        if ((set >> i & 1) == 0)
            continue;
        if (stay->put_ret < moment && moment <= stay->take_call)
            return 0;
        if (stay->put_call < moment && stay->take_call < moment)
            before |= 1u << i;
    }
    return before;
}

static bool solve(const struct stays *stays, uint32_t set, bool splits)
{
    if ((set & (set - 1)) == 0)
        return true;
    for (size_t i = 0; i < stays->n; i++)
        if ((set >> i & 1) != 0 && wraps(stays, i, set))
            return solve(stays, set & ~(1u << i), splits);
    for (size_t i = 0; i < 4 * stays->n && splits; i++) {
        const struct stay *stay = &stays->list[i / 4];
        const uint64_t times[] = {stay->put_call, stay->put_ret, stay->take_call, stay->take_ret};
        uint32_t before =
            times[i % 4] >= NEVER - 1 ? 0 : before_moment(stays, set, times[i % 4] + 1);

        if (before != 0 && before != set)
            return solve(stays, before, splits) && solve(stays, set & ~before, splits);
    }
    return false;
}

/* Two values cross if the first is certainly below the second and certainly leaves before it. */
static bool cross(const struct stay *a, const struct stay *b)
{
    return a->put_ret < b->put_call && b->put_ret < a->take_call && a->take_ret < b->take_call;
}

enum ruling rule_stack(const struct sample *history, enum mistake mistake)
{
    struct stays stays;
    enum ruling ruling = stays_of(history, &stays);

    if (ruling == RULING_NOT_APPLICABLE || stays.n_unknown > 0)
        return RULING_NOT_APPLICABLE;
    if (ruling == RULING_NO || !empties_fit(&stays, true))
        return RULING_NO;
    if (mistake != STACK_COMPARES_PAIRS_ONLY)
        return solve(&stays, (1u << stays.n) - 1, mistake != STACK_NEVER_SPLITS) ? RULING_YES
                                                                                 : RULING_NO;
    for (size_t i = 0; i < stays.n; i++)
        for (size_t j = 0; j < stays.n; j++)
            if (cross(&stays.list[i], &stays.list[j]))
                return RULING_NO;
    return RULING_YES;
}
