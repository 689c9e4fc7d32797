/* rules.h - which interleavings of a recording there are, and which stand for others.
 *
 * Rules are what people say: constraints, groups, what is watched, what is independent. units_make
 * turns them into sets of units, which is all that the enumeration looks at. docs/events.md has the
 * definitions. SPDX-License-Identifier: MIT
 */
#ifndef EVENTS_RULES_H
#define EVENTS_RULES_H

#include "events/recording.h"

enum {
    RULES_GROUPS_MAX = 32,
    RULES_FAILED_MAX = 8,
};

enum pruning {
    PRUNE_GROUPS = 1,
    PRUNE_REPLICAS = 2,
    PRUNE_INDEPENDENCE = 4,
    PRUNE_FAILED = 8,
    PRUNE_ALL = 15,
    PRUNE_GROUPS_PAPER = 16,   /* groups are also made as the publication does */
    PRUNE_REPLICAS_PAPER = 32, /* only what comes when nothing counts any more is merged */
};

struct rules_failed {
    uint64_t after;
    uint64_t events;
};

struct rules_group {
    uint8_t n;
    uint8_t events[RECORDING_EVENTS_MAX];
};

/* Sets of events are words, bit i being event i. Zeroed: the causal order, and no pruning. */
struct rules {
    bool is_free; /* neither causes nor the order of programs count */
    bool is_fifo;
    uint32_t prunings;                      /* enum pruning, those in use */
    uint64_t before[RECORDING_EVENTS_MAX];  /* of each event: what must come before it */
    uint64_t related[RECORDING_EVENTS_MAX]; /* of each: what it is independent of */
    bool are_replicas_independent;
    /* Which updates a replica has got counts, as it does for convergence: then a request and what
     * the same replica gets never commute, even if its state does not tell. */
    bool counts_deliveries;
    uint16_t watched;         /* replicas of which all counts, ... */
    uint16_t watched_queries; /* ... and those of which only queries do */
    uint32_t n_groups;
    struct rules_group groups[RULES_GROUPS_MAX];
    uint32_t n_failed;
    struct rules_failed failed[RULES_FAILED_MAX];
};

struct units_failed {
    uint64_t after;      /* units that have an event after which others fail, ... */
    uint64_t after_only; /* ... and nothing else */
    uint64_t events;     /* units of events that fail then, and nothing else */
};

/* Sets of units are words, bit u being unit u. Units are in the order of their numbers. */
struct units {
    uint32_t n;
    uint32_t n_events;
    uint8_t n_of[RECORDING_EVENTS_MAX];  /* how many events a unit has, ... */
    uint8_t first[RECORDING_EVENTS_MAX]; /* ... where they begin in `events` */
    uint8_t events[RECORDING_EVENTS_MAX];
    uint64_t before[RECORDING_EVENTS_MAX]; /* what must come before each */
    uint64_t behind[RECORDING_EVENTS_MAX]; /* what it must come before */
    uint64_t independent[RECORDING_EVENTS_MAX];
    uint64_t kin[RECORDING_EVENTS_MAX]; /* those that make a message which it applies, or the other
                                         * way round */
    uint64_t nearby[RECORDING_EVENTS_MAX];    /* those that are at a replica of it, itself too */
    uint16_t replicas[RECORDING_EVENTS_MAX];  /* those it is at */
    uint64_t at[RECORDING_REPLICAS_MAX];      /* units at each replica */
    uint64_t queries[RECORDING_REPLICAS_MAX]; /* units with a query at it */
    /* A replica tells another something: by units of `requests`, or by those of which one of
     * `updates` and one of `deliveries` belong together, in pairs. */
    uint64_t requests[RECORDING_REPLICAS_MAX][RECORDING_REPLICAS_MAX];
    uint32_t n_deliveries;
    struct {
        uint8_t update; /* units */
        uint8_t delivery;
        uint8_t from; /* replicas */
        uint8_t to;
    } deliveries[RECORDING_EVENTS_MAX];
    bool is_watching;
    /* As published: what is without influence is merged only where all that is left is, and if
     * queries are watched, only behind units of this set, which observe what there was at first. */
    bool merges_ends;
    uint64_t observing;
    uint16_t watched;
    uint16_t watched_queries;
    uint32_t n_failed;
    struct units_failed failed[RULES_FAILED_MAX];
};

/* Makes units of events. 0; or SN_EINVAL if the rules contradict each other or the recording. */
int units_make(struct units *u, const struct recording *r, const struct rules *rules,
               struct err *why);

/* Adds an order, ... */
int rules_add_before(struct rules *rules, const struct recording *r, const uint8_t *events,
                     uint32_t n, struct err *why);
/* ... a group, ... */
int rules_add_group(struct rules *rules, const struct recording *r, const uint8_t *events,
                    uint32_t n, struct err *why);
/* ... events that are independent of each other, ... */
int rules_add_independent(struct rules *rules, const struct recording *r, const uint8_t *events,
                          uint32_t n, struct err *why);
/* ... and such as fail after others. Each 0 or SN_EINVAL with a sentence. */
int rules_add_failed(struct rules *rules, const struct recording *r, uint64_t after,
                     uint64_t events, struct err *why);

/* «groups,failed», «groups:paper», «all», «none». 0 or SN_EINVAL. */
int rules_set_prunings(struct rules *rules, const char *list, struct err *why);

/* «A,B:queries». 0 or SN_EINVAL. */
int rules_set_watched(struct rules *rules, const struct recording *r, const char *list,
                      struct err *why);

/* Adds the constraints of a JSON text, one object or an array of them: docs/events.md. `name` is
 * what the text is called in complaints. All or nothing. 0, SN_EFORMAT, SN_EINVAL or SN_ENOMEM. */
int rules_read(struct rules *rules, const struct recording *r, const char *name, const char *bytes,
               size_t n, struct err *why);

#endif
