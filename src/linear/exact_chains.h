/* exact_chains.h - what exact_chains.c and chain_paths.c share. SPDX-License-Identifier: MIT */
#ifndef LINEAR_EXACT_CHAINS_H
#define LINEAR_EXACT_CHAINS_H

#include "linear/exact.h"
#include "linear/intern.h"

#define NOBODY UINT32_MAX
#define BUSY (UINT32_MAX - 1)

enum { LOOK_BACK = 8, DEPTH_ANY = 3, DEPTH_MAX = 24, FOREIGN_MAX = DEPTH_MAX + 1 };
enum { STEPS_MIN = 1 << 22, STEPS_EACH = 1024, STEPS_EACH_PATH = 8, STEPS_CLOCK = 1 << 16 };

/* A state on the way: it exists no sooner than `call`, and has begun by `begun`. */
struct point {
    uint64_t call;  /* the last call of what is in order up to it */
    uint64_t begun; /* a moment at which it has taken the place of the state before */
    uint64_t gone;  /* a moment at which something else has, for a path that is being tried */
};

struct node {
    struct point point;
    uint32_t state;
    uint32_t writer; /* span, or NOBODY */
    uint32_t look;   /* the span that sees it and returns first, or NOBODY */
    uint32_t first;  /* node of the chain */
    uint32_t tried;  /* the longest path behind it that was looked for, to whichever look */
    uint64_t over;   /* looks that are called later see nothing that comes of it */
    uint32_t prev;   /* node, or NOBODY */
    uint32_t next;   /* node, or NOBODY */
};

/* Spans of one role by their calls, with the last return of each and those before it. */
struct row {
    uint32_t *spans;
    uint64_t *last_return;
    size_t n;
};

struct zone {
    uint64_t f;
    uint64_t s;
    uint32_t last; /* span that is called at s, or NOBODY */
};

/* An operation that may be on a path, or that must be. */
struct candidate {
    uint32_t span;
    bool is_required;
};

struct chains {
    const struct object *object;
    const struct events *events;
    struct outcome *out;
    struct row looks;
    struct row extending;
    struct row unknown;   /* and extending */
    unsigned char *roles; /* by span: enum sn_role */
    uint32_t *node_of;    /* by span: the node that it sees or makes, or NOBODY */
    struct node *nodes;
    uint32_t n_nodes;
    size_t n_seen; /* looks that have a node */
    struct intern states;
    char *stack[DEPTH_MAX + 1]; /* states that are being tried */
    uint32_t path[DEPTH_MAX];   /* spans that led to them */
    uint32_t n_path;
    uint32_t foreign[FOREIGN_MAX];
    size_t n_foreign;
    uint32_t focus;    /* the look that a path must lead to; NOBODY: any */
    uint32_t *targets; /* looks to which a path may lead */
    size_t n_targets;
    struct candidate *candidates; /* what may be on a path */
    size_t n_candidates;
    uint32_t n_required; /* of those that are not on it */
    uint64_t until;      /* the last return of those who may see what a path leads to */
    uint64_t steps;
    uint64_t steps_clock; /* when to look at the clock */
    uint64_t steps_max;   /* with more, this does not apply */
    bool is_cut;          /* longer paths were not tried */
    struct zone *zones;
    size_t n_zones;
};

static inline const struct span *span_at(const struct chains *c, uint32_t span)
{
    return &c->events->spans[span];
}

static inline enum sn_role role_of(const struct chains *c, uint32_t span)
{
    return c->roles[span];
}

/* Makes the nodes that chains begin with. False: there is no room, or a state began in two ways. */
bool chains_begin(struct chains *c);

/* Paths to any look are tried first, as long as they are short. Then what is left over is looked at
 * from the first on: what comes before it is known, so that little may be on the path. Returns
 * false if it takes too much, or if states have come about in two ways. */
bool chains_trace(struct chains *c);

/* The look that is left over and returns first, or NOBODY. */
uint32_t chains_first_left(const struct chains *c);

#endif
