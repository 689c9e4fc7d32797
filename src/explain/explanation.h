/* explanation.h - what is known of why a trial failed, as data that can be printed.
 *
 * Operations are already words here: whoever prints needs no trial. Every share is a sampled one.
 * SPDX-License-Identifier: MIT
 */
#ifndef EXPLAIN_EXPLANATION_H
#define EXPLAIN_EXPLANATION_H

#include "explain/core.h"
#include "explain/cover.h"
#include "explain/label.h"
#include "explain/pnr.h"

enum {
    EXPLANATION_WORDS = 256,   /* bytes that an operation is described by, at most */
    EXPLANATION_REQUIRE = 768, /* bytes of a constraint as --require reads it */
    EXPLANATION_VALUES_MAX = 24,
    EXPLANATION_ITEMS_MAX =
        96, /* those that are said together, or only make others possible, too */
    EXPLANATION_STEPS_MAX = 2000, /* of a trial that is listed; longer ones are listed in part */
    EXPLANATION_STRATEGIES = 4,
    EXPLANATION_INVERSIONS_MAX = 5, /* a passing trial that differs more is not near */
};

struct explanation_item {
    enum item_kind kind;
    char first[EXPLANATION_WORDS];  /* of a value: whose it is */
    char second[EXPLANATION_WORDS]; /* of a value: the value */
    uint64_t steps[2];              /* of the trial, that these two are; 0: of none */
    bool is_pending;                /* the second operation never ran in the failing trial */
    char require[EXPLANATION_REQUIRE];
    bool is_grouped; /* said together with the others of its kind, which have the same first */
    bool is_labelled;
    struct labelled labelled;
};

struct explanation_cause {
    struct explanation_item items[EXPLANATION_ITEMS_MAX];
    uint32_t list[EXPLANATION_ITEMS_MAX]; /* for whoever has found it: which they are */
    uint32_t n_items;
    struct beginning from; /* trials must begin as the failing one: what follows is enough then */
    struct answer base;    /* trials that begin so, without any of the items */
    struct answer verified;
    bool is_enough;
    bool is_minimal;
    char also[EXPLANATION_REQUIRE]; /* required, too, as --require reads it; "": nothing is */
    bool is_given_up;               /* with a larger budget more might have been found */
    bool is_labelled;
    struct rung ladder[EXPLAIN_ORDERS_MAX];
    uint32_t n_ladder;
    uint32_t covers; /* failing trials found independently that its orders hold in */
    char
        trace[1024]; /* of a further cause, the trace of its trial, made small; "": there is none */
};

/* The failing trials of the run that the trace is of, by cause. */
struct explanation_group {
    uint64_t count;  /* of the run; 0: nothing is known of them */
    uint32_t looked; /* so many of them failed in the same way when they were run again, ... */
    uint32_t none;   /* ... of which in so many no cause holds */
    uint32_t covers[COVER_CAUSES_MAX];
    uint64_t first[COVER_CAUSES_MAX]; /* of those the first */
};

struct explanation_step {
    uint64_t step;
    char words[EXPLANATION_WORDS];
    char changes[EXPLANATION_WORDS]; /* states, notes, operations; "": none */
    bool is_named;                   /* in the first cause */
    bool is_of_note; /* ... or with it more trials fail, it is a fault, it changes something, or it
                      * led to the end */
    bool is_sampled;
    struct answer after;
};

struct explanation_rate {
    const char *strategy;
    struct answer answer;
};

struct explanation_core {
    char first[EXPLANATION_WORDS];
    char second[EXPLANATION_WORDS];
    char require[EXPLANATION_REQUIRE];
    bool is_modulo; /* of some of the trials with other machines of the same types */
    struct core_order order;
};

enum explanation_near {
    NEAR_NOT_SOUGHT,
    NEAR_FOUND,
    NEAR_NONE,     /* none of those that were tried, each with one order reversed, passes */
    NEAR_FAR,      /* those that pass differ in too much: showing one would mislead */
    NEAR_LIVENESS, /* a trial that fails because it goes on for ever has no such neighbour */
};

/* How far the work has come: where it was when the budget ended. */
enum explanation_stage {
    STAGE_BEGINNING,
    STAGE_LOST,
    STAGE_WHY,
    STAGE_LABELS,
    STAGE_NEAREST,
    STAGE_RATES,
    STAGE_CORE,
    STAGE_CAUSES,
    STAGE_DONE,
};

/* So many of so many. */
struct explanation_share {
    uint32_t n;
    uint32_t of;
};

struct explanation {
    const char *suite;
    const char *test;
    char failure[1024];
    const char *strategy; /* that found the trial */
    uint64_t trial;
    const char *instead_by; /* that has found another, smaller trial, which is explained instead of
                             * this one; NULL: it is this one */
    bool is_shrunk;
    uint64_t steps_before; /* of the trial, before and after it was shrunk, with its fair end ... */
    uint64_t steps_all;
    uint64_t steps; /* ... and without it, which is what is explained */
    uint64_t shrink_trials;
    uint32_t exceptions; /* to the default schedule */
    bool default_fails;  /* the default schedule fails by itself */
    bool is_liveness;    /* it failed because something good did not happen in time, ... */
    uint64_t fair_steps; /* ... within so many fair steps */
    uint64_t fair_from;  /* the step from which on trials that are sampled are fair; 0: never */
    struct pnr pnr;
    struct explanation_step steps_list[EXPLANATION_STEPS_MAX];
    uint32_t n_steps_list;
    struct answer base; /* without any of the orders */
    struct explanation_cause causes[COVER_CAUSES_MAX];
    uint32_t n_causes; /* the first is that of the trial, also if it is not enough */
    struct explanation_group group;
    uint32_t n_pool; /* failing trials found independently */
    bool has_covers; /* it was counted in which of them the causes hold */
    uint32_t covered;
    uint32_t n_unknown;     /* beside them, those that are too long to be compared */
    bool is_covered_modulo; /* in some of them with other machines of the same types */
    /* It was counted in how many of them, and of trials that pass, the orders of the first cause
     * are that neither help only nor let others come about, by whichever messages of the same
     * types. */
    bool has_alike;
    struct explanation_share alike_failing;
    struct explanation_share alike_passing;
    struct explanation_core core[CORE_MAX];
    uint32_t n_core;
    uint32_t n_core_failing;
    uint32_t n_core_passing;
    enum explanation_near near;
    char near_first[EXPLANATION_WORDS]; /* the order that is reversed in the passing trial */
    char near_second[EXPLANATION_WORDS];
    uint32_t near_tried; /* orders that were reversed, one at a time */
    uint32_t near_inversions;
    char near_difference[2 * EXPLANATION_WORDS + 64]; /* the first difference; "": none is seen */
    struct explanation_rate rates[EXPLANATION_STRATEGIES];
    uint32_t n_rates;
    enum explanation_stage stage;
    uint64_t executions;
    double seconds;
    uint64_t seed;
};

#endif
