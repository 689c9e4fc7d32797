/* compare.h - runs a program under the library and compares with the enumerator's tree.
 * SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_COMPARE_H
#define BRUTE_COMPARE_H

#include "enumerate.h"
#include "interpret.h"

/* How a run goes through the schedules. */
enum way {
    WAY_WALK,    /* our own strategy: every leaf in random order, keeping random prefixes */
    WAY_RESTORE, /* dfs */
    WAY_RERUN,   /* dfs, options.rerun */
    WAY_FULL,    /* dfs, SN_WORLD_FULL */
    WAY_FORK,    /* dfs, SN_WORLD_FORK */
    WAYS,
};

/* What may be found wrong. */
enum wrong {
    WRONG_NOTHING = 0,
    WRONG_RUN,         /* sn_run returned an error, a trial failed, or the result disagrees */
    WRONG_PENDING,     /* a strategy was offered other operations than can run */
    WRONG_SCHEDULE,    /* a trial is no schedule of the program */
    WRONG_REPEATED,    /* a schedule was visited twice */
    WRONG_MISSED,      /* a schedule was not visited, or the end not noticed */
    WRONG_OBSERVATION, /* the machines saw something else than they should */
    WRONG_SEQUENCE,    /* another order of visits than the first dfs run had */
    WRONG_ID,          /* one operation has two ids, or two have one */
    WRONG_ORDER,       /* the order hash differs within a trace, or not between two */
    WRONG_DIED,        /* the process */
    WRONGS,
};

extern const char *const way_names[WAYS];
extern const char *const wrong_names[WRONGS];

/* Shared with the engine's side of a run: lies in shared memory. */
struct comparison {
    struct tree *tree;
    enum way way;
    enum wrong wrong;    /* the first thing found */
    uint64_t wrong_at;   /* trial */
    uint32_t wrong_node; /* of WRONG_PENDING */
    uint32_t n_offered;  /* there, by the engine */
    struct sn_op offered[OPS_MAX];
    uint64_t n_trials;
    uint32_t n_first; /* visits of the first dfs run */
    bool has_orders;  /* leaves hold the order hashes of an earlier run */
    struct record record;
    uint32_t first[LEAVES_MAX]; /* leaves in the order in which the first dfs run visited them */
    /* the walking strategy's: */
    uint64_t random;
    uint32_t node;
    uint32_t leaf;
    uint32_t depth;
    uint32_t sequence[LEAVES_MAX];
    char message[600];
};

struct comparison *comparison_new(void);

/* A program's tree has been filled anew. */
void comparison_begin(struct comparison *c, struct tree *tree, uint64_t seed);

/* Runs the program in one way and compares. The first way of a program must be WAY_WALK, which
 * learns what the engine calls the operations. */
enum wrong compare(struct comparison *c, const struct program *program, enum way way);

/* The leaf that a log leads to; UINT32_MAX: none. WAY_WALK must have been compared before. */
uint32_t find_leaf(const struct tree *tree, const uint64_t *log, uint64_t n);

/* Writes what was found wrong, and some of the schedules. */
void comparison_print(const struct comparison *c, FILE *out);

void print_leaf(const struct tree *tree, const struct leaf *leaf, FILE *out);

/* The strategy of WAY_WALK; see walk.c. */
extern const struct sn_strategy walk_strategy;
void walk_attach(struct comparison *c, bool has_faults);

#endif
