/* require_own.h - what the parts of require.c share. SPDX-License-Identifier: MIT */
#ifndef ENGINE_REQUIRE_OWN_H
#define ENGINE_REQUIRE_OWN_H

#include "engine/naming.h"
#include "engine/require.h"

enum {
    REQUIRE_SHAPES =
        4, /* of a kind of operation: with or without a sender, with or without a key */
    REQUIRE_SHAPE_FROM = 1,
    REQUIRE_SHAPE_KEY = 2,
    REQUIRE_LOCALS_MAX = 4 * CONSTRAINTS_MAX + 1, /* names in use, those of anchors too */
    REQUIRE_SLOTS = 4 * REQUIRE_LOCALS_MAX,
    REQUIRE_DRAWS_MAX = CONSTRAINTS_MAX,
};

/* A name that is in use. */
struct local {
    uint32_t name;
    uint32_t anchor; /* a local; 0: none */
    uint32_t next;   /* local of the same group and number */
    uint32_t edges;  /* the first constraint of which it is the first, plus 1 */
    uint32_t slot;   /* of its place */
};

/* A list of locals of one group and number. */
struct place {
    uint64_t hash;
    uint32_t first;
};

/* What is known of an operation: lists of locals, one that matches its number and one of any, for
 * each shape. */
struct marks {
    uint32_t lists[REQUIRE_SHAPES][2];
};

struct drawn {
    uint64_t label;
    uint64_t task; /* 0: any */
    uint32_t number;
    uint32_t local;
    uint32_t constraint;
    uint64_t value;
};

/* What changes during a trial. */
struct progress {
    uint32_t waits; /* constraints for which this local still has to wait */
    bool has_run;
};

struct require {
    const struct constraints *constraints;
    struct naming *naming;
    uint32_t ranges; /* of the trial, before ours */
    bool steers;
    bool has_aliases;
    bool is_on;          /* perform is ours */
    uint32_t impossible; /* the constraint on a draw that got this trial stuck, plus 1; 0: none */
    void (*inner[TRIAL_KINDS_MAX])(struct trial *t, struct sn_op *op);
    uint32_t n_locals; /* from 1 on */
    uint32_t n_groups; /* the same */
    uint32_t n_drawn;
    bool shapes[TRIAL_KINDS_MAX][REQUIRE_SHAPES]; /* in use */
    struct local locals[REQUIRE_LOCALS_MAX];
    uint32_t waits[REQUIRE_LOCALS_MAX]; /* at the beginning */
    uint32_t edges[CONSTRAINTS_MAX];    /* the next constraint with the same first, plus 1 */
    uint32_t laters[CONSTRAINTS_MAX];
    uint32_t local_of[OPNAMES_MAX]; /* by name */
    uint32_t group_slots[REQUIRE_SLOTS];
    uint64_t group_hashes[REQUIRE_LOCALS_MAX];
    uint32_t slot_of_group[REQUIRE_LOCALS_MAX];
    struct place places[REQUIRE_SLOTS];
    struct drawn drawn[REQUIRE_DRAWS_MAX];
    bool seen[OPNAMES_MAX]; /* by name; never forgotten */
    struct announced announced;
    uint32_t left[REQUIRE_LOCALS_MAX]; /* of an alias, while it is decided what is held */

    /* What is put back with the trial. */
    struct progress progress[REQUIRE_LOCALS_MAX];
    uint32_t counts[REQUIRE_LOCALS_MAX]; /* of groups */
    uint32_t held[TRIAL_SOURCES_MAX];    /* sources */
    struct marks marks[TRIAL_OPS_MAX];   /* by operation */
};

/* The tables are made of r->constraints, and emptied. */
void require_names_set(struct require *r);
void require_names_forget(struct require *r);

/* Finds the names of what was announced since the last time. */
void require_listen(struct require *r, struct trial *t);

#endif
