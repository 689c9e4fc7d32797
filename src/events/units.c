/* units.c - turns rules about events into sets of units: see rules.h.
 * SPDX-License-Identifier: MIT
 */
#include "events/rules.h"

#include <sennit/test.h>
#include <string.h>

#define BIT(i_) (UINT64_C(1) << (i_))

/* What is needed while units are made. */
struct making {
    struct units *u;
    const struct recording *r;
    struct rules rules;                    /* with groups of the publication */
    uint8_t unit_of[RECORDING_EVENTS_MAX]; /* by event */
    uint8_t place[RECORDING_EVENTS_MAX];   /* of an event in its unit */
};

/* ---- Which units there are ------------------------------------------------------------------ */

static bool is_grouped(const struct rules *rules, uint32_t event)
{
    for (uint32_t i = 0; i < rules->n_groups; i++) {
        if (memchr(rules->groups[i].events, (int)event, rules->groups[i].n) != NULL)
            return true;
    }
    return false;
}

/* As published: a request with its execution, and an update with its delivery. The k-th request of
 * a link belongs to the k-th execution, whatever the recording says: the publication knows no
 * more than the link. */
static uint32_t published_partner(const struct recording *r, uint32_t event)
{
    const struct recorded *e = &r->events[event];
    uint32_t k = 0;

    if (e->kind == SN_EVENT_UPDATE) {
        for (uint32_t i = 0; i < r->n; i++) {
            if (r->events[i].kind == SN_EVENT_DELIVER && r->events[i].of == event)
                return i;
        }
    }
    if (e->kind != SN_EVENT_REQUEST)
        return UINT32_MAX;
    for (uint32_t i = 0; i < event; i++)
        k += r->events[i].kind == SN_EVENT_REQUEST && r->events[i].replica == e->replica &&
             r->events[i].peer == e->peer;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->events[i].kind == SN_EVENT_EXECUTE && r->events[i].peer == e->replica &&
            r->events[i].replica == e->peer && k-- == 0)
            return i;
    }
    return UINT32_MAX;
}

static int group_as_published(struct making *m, struct err *why)
{
    for (uint32_t i = 0; i < m->r->n; i++) {
        uint32_t partner = published_partner(m->r, i);
        uint8_t pair[2] = {(uint8_t)i, (uint8_t)partner};
        int rc;

        if (partner == UINT32_MAX || is_grouped(&m->rules, i) || is_grouped(&m->rules, partner))
            continue;
        rc = rules_add_group(&m->rules, m->r, pair, 2, why);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static const struct rules_group *group_beginning_with(const struct rules *rules, uint32_t event)
{
    for (uint32_t i = 0; i < rules->n_groups; i++) {
        if (rules->groups[i].events[0] == event)
            return &rules->groups[i];
    }
    return NULL;
}

static void add_unit(struct making *m, const uint8_t *events, uint32_t n)
{
    struct units *u = m->u;

    u->first[u->n] = (uint8_t)u->n_events;
    u->n_of[u->n] = (uint8_t)n;
    for (uint32_t i = 0; i < n; i++) {
        m->unit_of[events[i]] = (uint8_t)u->n;
        m->place[events[i]] = (uint8_t)i;
        u->events[u->n_events++] = events[i];
    }
    u->n++;
}

/* In the order of their first events, which are their numbers. */
static void list_units(struct making *m)
{
    for (uint32_t i = 0; i < m->r->n; i++) {
        const struct rules_group *group = group_beginning_with(&m->rules, i);
        uint8_t alone = (uint8_t)i;

        if (group != NULL)
            add_unit(m, group->events, group->n);
        else if (!is_grouped(&m->rules, i))
            add_unit(m, &alone, 1);
    }
}

/* ---- What must come before what ------------------------------------------------------------- */

static int add_order(struct making *m, uint32_t first, uint32_t then, struct err *why)
{
    uint32_t a = m->unit_of[first];
    uint32_t b = m->unit_of[then];

    if (a == b && m->place[first] > m->place[then])
        return err_set(why, SN_EINVAL, "a group has event %u before %u, which must come first",
                       then, first);
    if (a != b) {
        m->u->before[b] |= BIT(a);
        m->u->behind[a] |= BIT(b);
    }
    return 0;
}

static bool is_program(const struct recorded *e)
{
    return !recorded_is_applied(e) && !e->is_free;
}

static bool comes_first(const struct making *m, uint32_t first, uint32_t then)
{
    const struct recorded *a = &m->r->events[first];
    const struct recorded *b = &m->r->events[then];
    bool is_link = recorded_is_applied(a) && recorded_is_applied(b) && a->replica == b->replica &&
                   a->peer == b->peer && a->of != b->of;

    if ((m->rules.before[then] & BIT(first)) != 0)
        return true;
    if (is_link && m->rules.is_fifo && a->of < b->of)
        return true;
    if (m->rules.is_free)
        return false;
    if (recorded_is_applied(b) && b->of == first)
        return true;
    return first < then && a->replica == b->replica && is_program(a) && is_program(b);
}

static int order_units(struct making *m, struct err *why)
{
    int rc = 0;

    for (uint32_t a = 0; a < m->r->n && rc == 0; a++) {
        for (uint32_t b = 0; b < m->r->n && rc == 0; b++) {
            if (a != b && comes_first(m, a, b))
                rc = add_order(m, a, b, why);
        }
    }
    return rc;
}

static int check_circles(const struct making *m, struct err *why)
{
    const struct units *u = m->u;
    uint64_t all = u->n < 64 ? BIT(u->n) - 1 : UINT64_MAX;
    uint64_t done = 0;
    uint64_t was;

    do {
        was = done;
        for (uint32_t i = 0; i < u->n; i++) {
            if ((u->before[i] & ~done) == 0)
                done |= BIT(i);
        }
    } while (done != was);
    if (done != all)
        return err_set(why, SN_EINVAL, "the constraints go in a circle: event %u can never happen",
                       u->events[u->first[__builtin_ctzll(all & ~done)]]);
    return 0;
}

/* ---- What commutes, and what is seen -------------------------------------------------------- */

/* A message and who made it belong together, whatever anybody says. */
static bool is_cause(const struct recording *r, uint32_t a, uint32_t b)
{
    return recorded_is_applied(&r->events[b]) && r->events[b].of == a;
}

/* Whether what a request tells depends on the order. */
static bool is_told(const struct recording *r, uint32_t request, uint32_t other)
{
    return r->events[request].kind == SN_EVENT_REQUEST &&
           r->events[other].kind != SN_EVENT_REQUEST && r->events[other].kind != SN_EVENT_QUERY &&
           r->events[request].replica == r->events[other].replica;
}

static bool are_independent(const struct making *m, uint32_t a, uint32_t b)
{
    if (is_cause(m->r, a, b) || is_cause(m->r, b, a))
        return false;
    if (m->rules.counts_deliveries && (is_told(m->r, a, b) || is_told(m->r, b, a)))
        return false;
    return (m->rules.related[a] & BIT(b)) != 0 ||
           (m->rules.are_replicas_independent &&
            m->r->events[a].replica != m->r->events[b].replica);
}

static bool units_are_independent(const struct making *m, uint32_t a, uint32_t b)
{
    const struct units *u = m->u;

    for (uint32_t i = 0; i < u->n_of[a]; i++) {
        for (uint32_t j = 0; j < u->n_of[b]; j++) {
            if (!are_independent(m, u->events[u->first[a] + i], u->events[u->first[b] + j]))
                return false;
        }
    }
    return true;
}

static void place_event(struct making *m, uint32_t event)
{
    const struct recorded *e = &m->r->events[event];
    struct units *u = m->u;
    uint32_t unit = m->unit_of[event];

    u->at[e->replica] |= BIT(unit);
    if (recorded_is_applied(e)) {
        u->kin[unit] |= BIT(m->unit_of[e->of]);
        u->kin[m->unit_of[e->of]] |= BIT(unit);
    }
    u->replicas[unit] |= (uint16_t)(1 << e->replica);
    if (e->kind == SN_EVENT_QUERY)
        u->queries[e->replica] |= BIT(unit);
    else if (e->kind == SN_EVENT_REQUEST)
        u->requests[e->replica][e->peer] |= BIT(unit);
    else if (e->kind == SN_EVENT_EXECUTE)
        u->requests[e->peer][e->replica] |= BIT(m->unit_of[e->of]);
    else if (e->kind == SN_EVENT_DELIVER) {
        u->deliveries[u->n_deliveries].update = m->unit_of[e->of];
        u->deliveries[u->n_deliveries].delivery = (uint8_t)unit;
        u->deliveries[u->n_deliveries].from = e->peer;
        u->deliveries[u->n_deliveries++].to = e->replica;
    }
}

static void relate_units(struct making *m)
{
    struct units *u = m->u;

    for (uint32_t i = 0; i < m->r->n; i++)
        place_event(m, i);
    for (uint32_t a = 0; a < u->n; a++) {
        for (uint32_t b = 0; b < u->n; b++) {
            if ((u->replicas[a] & u->replicas[b]) != 0)
                u->nearby[a] |= BIT(b);
            if (a != b && (m->rules.prunings & PRUNE_INDEPENDENCE) != 0 &&
                units_are_independent(m, a, b))
                u->independent[a] |= BIT(b);
        }
    }
}

/* Units that consist of events of a list, and those that have one of them. */
static uint64_t units_within(const struct making *m, uint64_t events, bool wholly)
{
    const struct units *u = m->u;
    uint64_t set = 0;

    for (uint32_t a = 0; a < u->n; a++) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < u->n_of[a]; i++)
            n += (events & BIT(u->events[u->first[a] + i])) != 0;
        if (wholly ? n == u->n_of[a] : n > 0)
            set |= BIT(a);
    }
    return set;
}

static void list_failed(struct making *m)
{
    struct units *u = m->u;

    if ((m->rules.prunings & PRUNE_FAILED) == 0)
        return;
    for (uint32_t i = 0; i < m->rules.n_failed; i++) {
        const struct rules_failed *failed = &m->rules.failed[i];

        u->failed[u->n_failed++] =
            (struct units_failed){.after = units_within(m, failed->after, false),
                                  .after_only = units_within(m, failed->after, true),
                                  .events = units_within(m, failed->events, true)};
    }
}

/* Units of queries whose results count, and of nothing else. */
static uint64_t list_observing(const struct making *m)
{
    uint16_t watched = m->rules.watched | m->rules.watched_queries;
    uint64_t queries = 0;

    for (uint32_t i = 0; i < m->r->n; i++) {
        const struct recorded *e = &m->r->events[i];

        if (e->kind == SN_EVENT_QUERY && (watched & 1 << e->replica) != 0)
            queries |= UINT64_C(1) << i;
    }
    return units_within(m, queries, true);
}

int units_make(struct units *u, const struct recording *r, const struct rules *rules,
               struct err *why)
{
    struct making m = {.u = u, .r = r, .rules = *rules};
    int rc = 0;

    memset(u, 0, sizeof(*u));
    if ((rules->prunings & PRUNE_GROUPS) == 0)
        m.rules.n_groups = 0;
    if ((rules->prunings & PRUNE_GROUPS_PAPER) != 0)
        rc = group_as_published(&m, why);
    if (rc < 0)
        return rc;
    list_units(&m);
    rc = order_units(&m, why);
    if (rc == 0)
        rc = check_circles(&m, why);
    if (rc < 0)
        return rc;
    relate_units(&m);
    list_failed(&m);
    if ((rules->prunings & PRUNE_REPLICAS) != 0) {
        u->watched = rules->watched;
        u->watched_queries = rules->watched_queries;
        u->is_watching = (u->watched | u->watched_queries) != 0;
        u->merges_ends = (rules->prunings & PRUNE_REPLICAS_PAPER) != 0;
        u->observing = u->watched_queries != 0 ? list_observing(&m) : UINT64_MAX;
    }
    return 0;
}
