/* rules_counts.c - sets, counters and tickets, slow and short.
 * SPDX-License-Identifier: MIT
 */
#include "items.h"
#include "rules.h"

/* Where something returns or is called, in time. */
struct moment {
    uint64_t at;
    size_t item;
    bool is_call;
};

static size_t moments_of(const struct items *items, struct moment *moments)
{
    size_t n = 0;

    for (size_t i = 0; i < 2 * items->n; i++) {
        const struct item *item = &items->list[i / 2];
        struct moment m = {i % 2 == 0 ? item->call : item->ret, i / 2, i % 2 == 0};
        size_t at = n;

        if (m.at == NEVER)
            continue;
        for (; at > 0 && moments[at - 1].at > m.at; at--)
            moments[at] = moments[at - 1];
        moments[at] = m;
        n++;
    }
    return n;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

enum { ADD, REMOVE, CONTAINS };

struct presence {
    struct items items;
    bool is_open[SAMPLE_OPERATIONS_MAX]; /* called and not done */
    bool is_in;
    enum mistake mistake;
};

static bool is_flip(const struct item *item)
{
    return item->ret == NEVER || (item->role != CONTAINS && item->result == 1);
}

/* The state that an operation finds. */
static bool finds(const struct item *item)
{
    if (item->role == CONTAINS)
        return item->result == 1;
    return is_flip(item) == (item->role == REMOVE);
}

static bool flip(struct presence *p)
{
    const size_t n = p->items.n;
    size_t best = n;

    for (size_t i = 0; i < n; i++) {
        const struct item *item = &p->items.list[i];
        const struct item *rival = &p->items.list[best < n ? best : i];
        bool is_better = p->mistake == SET_TAKES_FIRST_CALLED ? item->call < rival->call
                                                              : item->ret < rival->ret;

        if (p->is_open[i] && is_flip(item) && finds(item) == p->is_in && (best == n || is_better))
            best = i;
    }
    if (best == n)
        return false;
    p->is_open[best] = false;
    p->is_in = !p->is_in;
    for (size_t i = 0; i < n; i++)
        if (!is_flip(&p->items.list[i]) && finds(&p->items.list[i]) == p->is_in)
            p->is_open[i] = false;
    return true;
}

static bool presence_return(struct presence *p, size_t i)
{
    const struct item *item = &p->items.list[i];

    if (!p->is_open[i])
        return true;
    if (!is_flip(item))
        return flip(p);
    if (finds(item) != p->is_in && !flip(p))
        return false;
    return flip(p) && !p->is_open[i];
}

static bool element_fits(struct presence *p)
{
    struct moment moments[2 * SAMPLE_OPERATIONS_MAX];
    size_t n = moments_of(&p->items, moments);

    for (size_t m = 0; m < n; m++) {
        size_t i = moments[m].item;

        if (!moments[m].is_call) {
            if (!presence_return(p, i))
                return false;
            continue;
        }
        p->is_open[i] = is_flip(&p->items.list[i]) || finds(&p->items.list[i]) != p->is_in;
        if (p->mistake == SET_FLIPS_EARLY && p->is_open[i] && is_flip(&p->items.list[i]))
            (void)flip(p);
    }
    return true;
}

enum ruling rule_set(const struct sample *history, enum mistake mistake)
{
    struct items all = items_of(history);

    for (size_t i = 0; i < all.n; i++)
        if (all.has_keys || all.list[i].role > CONTAINS ||
            (all.list[i].ret != NEVER && all.list[i].result == SN_VALUE_NIL))
            return RULING_NOT_APPLICABLE;
    for (sn_value element = 0; element < 4; element++) {
        struct presence p = {.mistake = mistake};

        for (size_t i = 0; i < all.n; i++) {
            const struct item *item = &all.list[i];

            if (item->value == element && (item->role != CONTAINS || item->ret != NEVER))
                p.items.list[p.items.n++] = *item;
        }
        if (!element_fits(&p))
            return RULING_NO;
    }
    return RULING_YES;
}

/* ---- Counters -------------------------------------------------------------------------------- */

enum { INCREMENT, GET };

/* Whether it is one object that counts in ones. */
static bool is_plain(const struct items *items, uint32_t role_max)
{
    for (size_t i = 0; i < items->n; i++) {
        const struct item *item = &items->list[i];

        if (item->role > role_max || (item->value != 1 && item->value != SN_VALUE_NIL))
            return false;
    }
    return !items->has_keys;
}

struct counting {
    struct items items;
    bool is_open[SAMPLE_OPERATIONS_MAX];
    sn_value n;
    enum mistake mistake;
};

/* Takes the next increment, not before the last call that saw fewer. */
static bool count_one(struct counting *c, uint64_t now)
{
    size_t best = c->items.n;

    for (size_t i = 0; i < c->items.n; i++) {
        const struct item *item = &c->items.list[i];
        const struct item *rival = &c->items.list[best < c->items.n ? best : i];
        bool is_better = c->mistake == COUNTER_TAKES_FIRST_CALLED ? item->call < rival->call
                                                                  : item->ret < rival->ret;

        if (c->is_open[i] && (best == c->items.n || is_better))
            best = i;
    }
    if (best == c->items.n)
        return false;
    c->is_open[best] = false;
    c->n++;
    for (size_t i = 0; i < c->items.n && c->mistake != COUNTER_IGNORES_EARLIER_GETS; i++) {
        const struct item *item = &c->items.list[i];

        if (item->role == GET && item->result < c->n && item->call >= now)
            return false;
    }
    return true;
}

static bool counting_return(struct counting *c, size_t i, uint64_t now)
{
    const struct item *item = &c->items.list[i];

    if (item->role == INCREMENT)
        return !c->is_open[i] || (count_one(c, now) && !c->is_open[i]);
    while (c->n < item->result)
        if (!count_one(c, now))
            return false;
    return true;
}

enum ruling rule_counter(const struct sample *history, enum mistake mistake)
{
    struct counting c = {.items = items_of(history), .mistake = mistake};
    struct moment moments[2 * SAMPLE_OPERATIONS_MAX];
    size_t n;

    if (!is_plain(&c.items, GET))
        return RULING_NOT_APPLICABLE;
    for (size_t i = 0; i < c.items.n; i++) {
        struct item *item = &c.items.list[i];

        if (item->role == GET && item->ret != NEVER && item->result < history->initial)
            return RULING_NO;
        if (item->role == GET && item->ret == NEVER)
            items_drop(&c.items, i--);
        else if (item->role == GET)
            item->result -= history->initial;
    }
    n = moments_of(&c.items, moments);
    for (size_t m = 0; m < n; m++) {
        size_t i = moments[m].item;

        if (moments[m].is_call)
            c.is_open[i] = c.items.list[i].role == INCREMENT;
        else if (!counting_return(&c, i, moments[m].at))
            return RULING_NO;
    }
    return RULING_YES;
}

/* ---- Tickets --------------------------------------------------------------------------------- */

static const struct item *ticket_find(const struct items *items, sn_value ticket)
{
    for (size_t i = 0; i < items->n; i++)
        if (items->list[i].ret != NEVER && items->list[i].result == ticket)
            return &items->list[i];
    return NULL;
}

/* When the first of the later tickets was given out. */
static uint64_t limit_of(const struct items *items, sn_value ticket)
{
    uint64_t limit = NEVER;

    for (size_t i = 0; i < items->n; i++)
        if (items->list[i].ret < limit && items->list[i].result > ticket)
            limit = items->list[i].ret;
    return limit;
}

/* The unknown operation that was called first, of those not used yet. */
static struct item *first_unknown(struct items *items)
{
    struct item *first = NULL;

    for (size_t i = 0; i < items->n; i++) {
        struct item *item = &items->list[i];

        if (item->ret == NEVER && item->call != NEVER &&
            (first == NULL || item->call < first->call))
            first = item;
    }
    return first;
}

enum ruling rule_fetch_add(const struct sample *history, enum mistake mistake)
{
    struct items items = items_of(history);
    sn_value top = history->initial - 1;

    if (!is_plain(&items, 0))
        return RULING_NOT_APPLICABLE;
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.list[i];

        if (item->ret == NEVER)
            continue;
        if (item->result < history->initial || ticket_find(&items, item->result) != item)
            return RULING_NO;
        top = item->result > top ? item->result : top;
    }
    for (sn_value ticket = history->initial; ticket <= top; ticket++) {
        const struct item *item = ticket_find(&items, ticket);
        struct item *gap = item == NULL ? first_unknown(&items) : NULL;

        if (item == NULL && gap == NULL)
            return RULING_NO;
        if ((item != NULL ? item : gap)->call > limit_of(&items, ticket) &&
            mistake != FETCH_ADD_IGNORES_LIMITS)
            return RULING_NO;
        if (gap != NULL)
            gap->call = NEVER;
    }
    return RULING_YES;
}
