/* made_events.h - recordings and rules that are made by hand. SPDX-License-Identifier: MIT */
#ifndef UNIT_EVENTS_MADE_EVENTS_H
#define UNIT_EVENTS_MADE_EVENTS_H

#include "base/rng.h"
#include "events/interleave.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { A, B, C };

static inline void made_clear(struct recording *r, uint32_t replicas)
{
    memset(r, 0, sizeof(*r));
    r->n_replicas = replicas;
    for (uint32_t i = 0; i < replicas; i++)
        (void)snprintf(r->replicas[i], sizeof(r->replicas[i]), "%c", (char)('A' + i));
}

static inline struct recorded *made_event(struct recording *r, enum sn_event_kind kind,
                                          uint8_t replica)
{
    struct recorded *e = &r->events[r->n++];

    e->kind = kind;
    e->replica = e->peer = replica;
    (void)snprintf(e->op, sizeof(e->op), "op%u", r->n - 1);
    (void)snprintf(e->result, sizeof(e->result), "null");
    return e;
}

static inline void made_update(struct recording *r, uint8_t replica)
{
    (void)made_event(r, SN_EVENT_UPDATE, replica);
}

static inline void made_query(struct recording *r, uint8_t replica)
{
    (void)made_event(r, SN_EVENT_QUERY, replica);
}

static inline void made_request(struct recording *r, uint8_t from, uint8_t to)
{
    made_event(r, SN_EVENT_REQUEST, from)->peer = to;
}

/* An execution or delivery of the message that event `of` makes. */
static inline void made_apply(struct recording *r, uint8_t of, uint8_t at)
{
    enum sn_event_kind made_by = r->events[of].kind;
    struct recorded *e =
        made_event(r, made_by == SN_EVENT_REQUEST ? SN_EVENT_EXECUTE : SN_EVENT_DELIVER, at);

    e->of = of;
    e->peer = r->events[of].replica;
}

/* The town report: A reports a bin, B a pothole, B removes the bin, A transmits. */
static inline void made_town(struct recording *r)
{
    made_clear(r, 2);
    made_update(r, A);
    made_apply(r, 0, B);
    made_update(r, B);
    made_apply(r, 2, A);
    made_update(r, B);
    made_apply(r, 4, A);
    made_query(r, A);
}

/* The rules that options and a file of constraints come to; a complaint ends the test. */
static inline struct rules made_rules(const struct recording *r, const char *prune,
                                      const char *watch, const char *constraints)
{
    struct rules rules = {.is_free = false};
    struct err why = {""};
    int rc = rules_set_prunings(&rules, prune, &why);

    if (rc == 0 && watch != NULL)
        rc = rules_set_watched(&rules, r, watch, &why);
    if (rc == 0 && constraints != NULL)
        rc = rules_read(&rules, r, "made", constraints, strlen(constraints), &why);
    if (rc < 0)
        fail_msg("%s", why.text);
    return rules;
}

static inline struct units made_units(const struct recording *r, const struct rules *rules)
{
    struct units units;
    struct err why = {""};

    if (units_make(&units, r, rules, &why) < 0)
        fail_msg("%s", why.text);
    return units;
}

static inline uint64_t made_walk(const struct units *u)
{
    struct interleave it;
    uint64_t n = 0;

    interleave_init(&it, u);
    while (interleave_next(&it))
        n++;
    return n;
}

/* A recording of n events at random, and true of it, constraints of all kinds. */
static inline void made_at_random(struct recording *r, struct rules *rules, uint64_t seed,
                                  uint32_t n)
{
    uint64_t state = mix_pair(seed, 77);
    struct err why = {""};

#define DRAW(n_) ((uint32_t)(((state = mix_pair(state, 1)) >> 33) % (n_)))
    made_clear(r, 1 + DRAW(3));
    while (r->n < n) {
        uint8_t replica = (uint8_t)DRAW(r->n_replicas);
        uint32_t of = r->n > 0 ? DRAW(r->n) : 0;
        uint32_t what = DRAW(5);

        if (what >= 2 && r->n > 0 && !recorded_is_applied(&r->events[of]) &&
            r->events[of].kind == SN_EVENT_UPDATE)
            made_apply(r, (uint8_t)of, replica);
        else if (what >= 2 && r->n > 0 && r->events[of].kind == SN_EVENT_REQUEST)
            made_apply(r, (uint8_t)of, r->events[of].peer);
        else if (what == 1 && r->n_replicas > 1)
            made_request(r, replica, (uint8_t)((replica + 1) % r->n_replicas));
        else if (what == 0)
            made_query(r, replica);
        else
            made_update(r, replica);
        r->events[r->n - 1].is_free = DRAW(4) == 0;
    }
    *rules = (struct rules){.is_free = DRAW(3) == 0};
    rules->is_fifo = DRAW(2) == 0;
    for (uint32_t i = 0, most = 3 + DRAW(4); i < most; i++) {
        uint8_t pair[2] = {(uint8_t)DRAW(n)};
        struct rules more = *rules;
        struct units units;
        uint32_t which = DRAW(6) % 5;
        int rc;

        pair[1] = (uint8_t)DRAW(n);
        rc = which == 0   ? rules_add_before(&more, r, pair, 2, &why)
             : which == 1 ? rules_add_group(&more, r, pair, 2, &why)
             : which == 2
                 ? rules_add_failed(&more, r, UINT64_C(1) << pair[0], UINT64_C(1) << pair[1], &why)
                 : rules_add_independent(&more, r, pair, 2, &why);

        more.prunings = PRUNE_ALL;
        if (rc == 0 && units_make(&units, r, &more, &why) == 0)
            *rules = more;
    }
    rules->prunings = DRAW(16);
    rules->are_replicas_independent = DRAW(3) == 0;
    if (DRAW(2) == 0)
        rules->watched = (uint16_t)(1 << DRAW(r->n_replicas));
    else if (DRAW(2) == 0)
        rules->watched_queries = (uint16_t)(1 << DRAW(r->n_replicas));
#undef DRAW
}

#endif
