/* plain.h - synchronisers once more, written apart from the code that it checks: the rules word by
 * word, and a search over explanations that knows no sets of states.
 *
 * All files are one state, times are the numbers of events, and hidden events are tried one after
 * the other, wherever they are possible, with nothing left out but what has been tried before in
 * the same situation at no greater cost. Mutants are the same with one thing wrong.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_SYNC_PLAIN_H
#define TESTS_UNIT_SYNC_PLAIN_H

#include <sennit/sync.h>

enum { PLAIN_EVENTS_MAX = 12, PLAIN_FILES_MAX = 2 };

enum plain_mutant {
    PLAIN_RIGHT = 0,
    PLAIN_NO_CONFLICTS,      /* what loses is nowhere */
    PLAIN_DOWN_OVER_DIRTY,   /* a download overwrites what was not uploaded */
    PLAIN_OTHERS_FRESH,      /* nobody hears of an upload */
    PLAIN_REST_WHILE_STALE,  /* at rest although a node has not fetched */
    PLAIN_REST_WHILE_DIRTY,  /* ... or not uploaded */
    PLAIN_CONFLICTS_UNSEEN,  /* conflict files are not looked at */
    PLAIN_WRITE_CLEAN,       /* nobody uploads what is written */
    PLAIN_LATE_WINS,         /* the last upload counts */
    PLAIN_OLD_UNSEEN,        /* what a write overwrites is not looked at */
    PLAIN_DELETION_CONFLICT, /* a late deletion is a conflict */
    PLAIN_MUTANTS,
};

struct plain_file {
    uint32_t server;
    uint32_t server_time;
    uint64_t conflicts;
    uint32_t local[SN_SYNC_NODES_MAX];
    uint32_t time[SN_SYNC_NODES_MAX]; /* when what it has was written */
    bool is_stale[SN_SYNC_NODES_MAX];
    bool is_dirty[SN_SYNC_NODES_MAX];
};

struct plain {
    const char *rules;
    uint32_t n_nodes;
    uint32_t n_files;
    enum plain_mutant mutant;
};

struct plain_state {
    struct plain_file files[PLAIN_FILES_MAX];
};

/* Whether it is possible, and if so, does it. `now` is the number of the event, from 1. */
bool plain_observe(const struct plain *plain, struct plain_state *state,
                   const struct sn_sync_event *event, uint32_t now);
bool plain_up(const struct plain *plain, struct plain_file *file, uint32_t node, bool wins);
bool plain_down(const struct plain *plain, struct plain_file *file, uint32_t node);

struct plain_answer {
    bool is_explained;
    size_t explained; /* the longest prefix that can be */
    uint32_t hidden;  /* of a shortest explanation of that prefix */
    /* How many of them come before each event, if they come as late as they can. */
    uint32_t before[PLAIN_EVENTS_MAX];
};

struct plain_answer plain_search(const struct plain *plain, const struct sn_sync_event *events,
                                 size_t n);

#endif
