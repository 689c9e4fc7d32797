/* rules_zones.c - registers with distinct values, by zones, slow and short.
 * SPDX-License-Identifier: MIT
 */
#include "items.h"
#include "rules.h"

enum { READ, WRITE, CAS }; /* in the order of the objects' tables */

/* A value, or several that follow one another: when the first of its operations returns and when
 * the last is called. */
struct zone {
    sn_value value;
    uint64_t write_call;
    uint64_t first;
    uint64_t last;
};

static struct zone *zone_find(struct zone *zones, size_t n, sn_value value)
{
    for (size_t i = 0; i < n; i++)
        if (zones[i].value == value)
            return &zones[i];
    return NULL;
}

static void zone_add(struct zone *zone, const struct item *item)
{
    zone->first = item->ret < zone->first ? item->ret : zone->first;
    zone->last = item->call > zone->last ? item->call : zone->last;
}

static bool zones_fit(const struct zone *zones, size_t n, bool ignores_backward)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            bool is_backward = zones[j].first >= zones[j].last;

            if (i == j || zones[i].first >= zones[i].last || (is_backward && ignores_backward))
                continue;
            if (is_backward && zones[i].first < zones[j].last && zones[j].first < zones[i].last)
                return false;
            if (!is_backward && zones[i].first < zones[j].last && zones[j].first < zones[i].last)
                return false;
        }
    }
    return true;
}

static bool is_read(const struct items *items, sn_value value)
{
    for (size_t i = 0; i < items->n; i++)
        if (items->list[i].role == READ && items->list[i].ret != NEVER &&
            items->list[i].result == value)
            return true;
    return false;
}

enum ruling rule_register(const struct sample *history, enum mistake mistake)
{
    struct items items = items_of(history);
    struct zone zones[SAMPLE_OPERATIONS_MAX + 1] = {{.value = history->initial}};
    size_t n = 1;

    if (items.has_keys)
        return RULING_NOT_APPLICABLE;
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.list[i];

        if (item->role != WRITE)
            continue;
        if (zone_find(zones, n, item->value) != NULL)
            return RULING_NOT_APPLICABLE;
        if (item->ret != NEVER || is_read(&items, item->value))
            zones[n++] = (struct zone){item->value, item->call, item->ret, item->call};
    }
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.list[i];
        struct zone *zone = zone_find(zones, n, item->result);

        if (item->role != READ || item->ret == NEVER)
            continue;
        if (zone == NULL)
            return RULING_NO;
        if (item->ret < zone->write_call && mistake != REGISTER_READS_BEFORE_WRITES)
            return RULING_NO;
        zone_add(zone, item);
    }
    return zones_fit(zones, n, mistake == REGISTER_IGNORES_BACKWARD_ZONES) ? RULING_YES : RULING_NO;
}

/* ---- Compare and set ------------------------------------------------------------------------- */

static bool is_setter(const struct item *item)
{
    return item->role == WRITE || item->role == CAS;
}

static sn_value new_value(const struct item *item)
{
    return item->role == WRITE ? item->value : item->second;
}

/* Unknown ones did not happen unless somebody saw their value: a read, or an exchange that did
 * happen. Two that only saw each other did not. */
static void drop_unseen(struct items *items)
{
    bool has_happened[SAMPLE_OPERATIONS_MAX] = {false};
    bool has_grown = true;

    while (has_grown) {
        has_grown = false;
        for (size_t i = 0; i < items->n; i++) {
            const struct item *item = &items->list[i];
            bool is_seen =
                item->ret != NEVER || (is_setter(item) && is_read(items, new_value(item)));

            for (size_t j = 0; j < items->n && is_setter(item); j++)
                is_seen |= has_happened[j] && items->list[j].role == CAS &&
                           items->list[j].value == new_value(item);
            has_grown |= is_seen && !has_happened[i];
            has_happened[i] |= is_seen;
        }
    }
    for (size_t i = items->n; i-- > 0;)
        if (!has_happened[i])
            items_drop(items, i);
}

static bool cas_applies(const struct sample *history, const struct items *items)
{
    for (size_t i = 0; i < items->n; i++) {
        const struct item *item = &items->list[i];

        if (!is_setter(item))
            continue;
        if (new_value(item) == history->initial ||
            (item->role == CAS && item->ret != NEVER && item->result == 0))
            return false;
        for (size_t j = 0; j < i; j++)
            if (is_setter(&items->list[j]) && new_value(&items->list[j]) == new_value(item))
                return false;
    }
    return true;
}

static const struct item *setter_of(const struct items *items, sn_value value)
{
    for (size_t i = 0; i < items->n; i++)
        if (is_setter(&items->list[i]) && new_value(&items->list[i]) == value)
            return &items->list[i];
    return NULL;
}

static const struct item *cas_from(const struct items *items, sn_value value)
{
    for (size_t i = 0; i < items->n; i++)
        if (items->list[i].role == CAS && items->list[i].value == value)
            return &items->list[i];
    return NULL;
}

static bool has_two_cas_from_one_value(const struct items *items)
{
    for (size_t i = 0; i < items->n; i++)
        for (size_t j = 0; j < i; j++)
            if (items->list[i].role == CAS && items->list[j].role == CAS &&
                items->list[i].value == items->list[j].value)
                return true;
    return false;
}

/* One chain of values, from its first on: into zones, one for all or one for each. False: its
 * operations are called too late to follow one another. */
static bool chain_walk(const struct items *items, const struct item *setter, sn_value value,
                       enum mistake mistake, struct zone *zones, size_t *n)
{
    uint64_t latest = 0;

    zones[(*n)++] = (struct zone){value, 0, NEVER, 0};
    while (true) {
        uint64_t latest_read = 0;
        const struct item none = {.call = 0, .ret = 0};
        const struct item *begin = setter != NULL ? setter : &none;
        bool is_late = begin->ret < latest;

        latest = begin->call > latest ? begin->call : latest;
        zone_add(&zones[*n - 1], begin);
        for (size_t i = 0; i < items->n; i++) {
            const struct item *item = &items->list[i];

            if (item->role != READ || item->result != value)
                continue;
            is_late |= item->ret < latest;
            latest_read = item->call > latest_read ? item->call : latest_read;
            zone_add(&zones[*n - 1], item);
        }
        latest = latest_read > latest ? latest_read : latest;
        if (is_late && mistake != CAS_IGNORES_ORDER_IN_CHAINS)
            return false;
        setter = cas_from(items, value);
        if (setter == NULL)
            return true;
        value = setter->second;
        if (mistake == CAS_HAS_ZONES_PER_VALUE)
            zones[(*n)++] = (struct zone){value, 0, NEVER, 0};
    }
}

/* Whether every value that is expected or read was set by somebody. */
static bool values_have_setters(const struct sample *history, const struct items *items)
{
    for (size_t i = 0; i < items->n; i++) {
        const struct item *item = &items->list[i];
        sn_value needed = item->role == READ ? item->result : item->value;

        if (item->role != WRITE && needed != history->initial && setter_of(items, needed) == NULL)
            return false;
    }
    return true;
}

enum ruling rule_cas(const struct sample *history, enum mistake mistake)
{
    struct items items = items_of(history);
    struct zone zones[2 * SAMPLE_OPERATIONS_MAX + 2];
    size_t n_seen = 0;
    size_t n = 0;

    if (items.has_keys || !cas_applies(history, &items))
        return RULING_NOT_APPLICABLE;
    drop_unseen(&items);
    if (has_two_cas_from_one_value(&items) || !values_have_setters(history, &items))
        return RULING_NO;
    if (!chain_walk(&items, NULL, history->initial, mistake, zones, &n))
        return RULING_NO;
    for (size_t i = 0; i < items.n; i++)
        if (items.list[i].role == WRITE &&
            !chain_walk(&items, &items.list[i], items.list[i].value, mistake, zones, &n))
            return RULING_NO;
    /* What no chain reaches expects itself in the end. */
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.list[i];

        for (size_t steps = 0; item != NULL && item->role == CAS && steps <= items.n; steps++)
            item = item->value == history->initial ? NULL : setter_of(&items, item->value);
        n_seen += item != NULL && item->role == CAS;
    }
    return n_seen == 0 && zones_fit(zones, n, false) ? RULING_YES : RULING_NO;
}
