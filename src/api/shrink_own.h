/* shrink_own.h - what the parts of the shrinker share. SPDX-License-Identifier: MIT */
#ifndef API_SHRINK_OWN_H
#define API_SHRINK_OWN_H

#include "api/shrink.h"
#include "base/ddmin.h"
#include "engine/mem.h"

enum {
    SHRINK_ENTRIES_MAX = (1 << 20) >> MEM_SAVING_SHIFT, /* operations, or draws, of a trial */
    SHRINK_PENDING_MAX = 1 << 16,
    SHRINK_WIDTH = 16,    /* candidates that are tried at a time */
    SHRINK_FAIR_ENDS = 5, /* of each candidate that counts */
    SHRINK_REPEATS_MAX = 1000,
    SHRINK_NAME = 256,       /* bytes of the name of an operation */
    SHRINK_MEMORY = 1 << 20, /* slots for candidates that do not fail */
    SHRINK_ROUNDS_MAX = (1 << 20) >> MEM_SAVING_SHIFT,
    SHRINK_HOLDS_MAX = (1 << 17) >> MEM_SAVING_SHIFT, /* exceptions to begin with */
};

/* The smallest trial so far: how it ended, what was decided in it, and the plan that leads to it.
 * Of a trial with a fair end the plan is about what comes before that. */
struct shrink_best {
    struct lab_result result; /* what it points to is here */
    struct lab_entry *entries;
    struct follow_op *ops;
    struct follow_op *pending;
    uint64_t *ids;
    uint64_t *names; /* of the operations with these ids */
    struct plan_draw *draws;
    struct plan_draw *places; /* the same draws, for a plan with names */
    uint32_t n_ids;
    uint32_t n_draws;
};

/* A part of the smallest trial that may not be needed: see shrink_rounds.c. */
struct shrink_round {
    uint64_t name;
    uint32_t from;
    uint32_t to;
    uint32_t size;
    bool is_tree; /* what follows from the one and not from the other; otherwise all in between */
};

/* A draw of the smallest trial, 0 or not. Those of one task come one after the other. */
struct shrink_turn {
    uint64_t task;
    uint64_t value;
    uint64_t label;
    uint32_t who;   /* the number of the task */
    uint32_t step;  /* in which it was drawn */
    uint32_t depth; /* of scopes: struct follow_drawn */
    uint32_t low;
};

/* Draws in one scope: from this one on, up to that one. */
struct shrink_span {
    uint32_t from;
    uint32_t to;
    uint32_t depth;
};

/* What may be used before it stops. Runs are the same on every machine; time is there so that
 * nobody waits for ever. */
struct shrink_budget {
    uint64_t end_ns; /* 0: there is none */
    uint64_t runs;   /* 0: as many as it takes */
};

struct shrink {
    const struct shrink_options *options;
    const struct trace *trace;
    struct lab *lab;
    struct lab_wanted wanted;
    struct ddmin_memory memory;
    struct shrink_budget budget;
    uint64_t begin_ns;
    uint64_t progress_ns; /* when to tell how far it is */
    bool has_tail;        /* it is judged at its fair end */
    bool is_dear;         /* each trial costs a process */
    bool is_cut;          /* what it fails of shows wherever it is cut */
    bool must_be_simpler; /* a candidate counts only if shrink_is_simpler */
    uint64_t fair_from;   /* ... which begins after so many steps of the trial of the trace */
    uint64_t fair_steps;
    uint64_t fair_seed;
    uint64_t fair_seeds[SHRINK_FAIR_ENDS]; /* the first is fair_seed: it must fail with all */
    uint32_t n_fair_seeds;
    struct shrink_best best;
    struct shrink_best other; /* to go back to */
    struct shrink_size before;
    struct plan_hold *holds;     /* the exceptions */
    struct plan_hold *own_holds; /* those of the trial that is written */
    uint32_t n_holds;
    struct follow_passed *passed; /* in the smallest trial */
    uint32_t n_passed;
    bool has_holds;
    uint64_t held_steps; /* of the trial by the default schedule with these exceptions, ... */
    uint64_t held_found; /* ... while it is made: of the last one that will do */
    uint32_t n_failed;   /* runs of the smallest trial, of as many as there are repeats, ... */
    bool is_measured;    /* ... if they were counted */
    uint64_t runs;
    uint64_t round;   /* of what is decided anew */
    bool is_another;  /* the first run has failed in another way than the trace */
    bool is_stopped;  /* its budget is used up, or something went wrong */
    bool was_stopped; /* ... before all of the trial was looked at */
    bool is_time_up;  /* ... by time, or by whoever wants the program to stop */
    int rc;           /* of what went wrong, with a sentence */
    struct err why;

    /* Candidates. */
    uint64_t *scratch_ids; /* SHRINK_WIDTH times as many as there can be in a plan */
    uint64_t *scratch_names;
    struct plan_draw *scratch_draws;
    struct plan_hold *scratch_holds;
    uint64_t *entries; /* of what is being left out, for ddmin */
    struct shrink_round *rounds;
    struct shrink_turn *turns; /* of the smallest trial, as shrink_list_turns has found them */
    uint32_t n_turns;
    struct shrink_turn *scratch_turns;
    struct shrink_span *spans;
    uint32_t n_spans;
    struct plan plans[SHRINK_WIDTH];
    uint64_t limits[SHRINK_WIDTH]; /* of steps; 0: that of the lab */
    struct lab_job jobs[SHRINK_WIDTH * SHRINK_REPEATS_MAX];
    struct lab_result results[SHRINK_WIDTH * SHRINK_REPEATS_MAX];
};

/* Of a clock that nobody sets. */
uint64_t shrink_now_ns(void);

/* The length of a trial, without its fair end. */
uint64_t shrink_length(const struct shrink *s, const struct lab_result *result);

/* How often a candidate is run. */
uint32_t shrink_repeats(const struct shrink *s);

/* Runs the first n of `jobs` until one of them fails in the wanted way. Returns which it is, n if
 * none does, DDMIN_STOP if that is no longer wanted. */
uint32_t shrink_run_jobs(struct shrink *s, uint32_t n);

/* Runs all of some jobs. False: that is no longer wanted. */
bool shrink_run_all(struct shrink *s, const struct lab_job *jobs, uint32_t n,
                    struct lab_result *results);

/* Tries the first n of `plans`, with their `limits`. Returns which is the first that fails in the
 * wanted way, n if none does, DDMIN_STOP if that is no longer wanted. */
uint32_t shrink_try(struct shrink *s, uint32_t n);

/* Candidate i, whose plan is made, may take so many steps, or its fair end may begin so late. What
 * is longer need not be run to its end. */
void shrink_set_limit(struct shrink *s, uint32_t i, uint64_t length);

/* The result of candidate i of the last shrink_try. */
const struct lab_result *shrink_tried(const struct shrink *s, uint32_t i);

/* Makes the result of candidate i the smallest trial. */
void shrink_take(struct shrink *s, uint32_t i);

/* The same with any result. False: it is too long. */
bool shrink_take_result(struct shrink *s, const struct lab_result *result);

/* Whether a result is simpler than the smallest trial: has fewer steps, or as many and fewer draws,
 * or smaller values, of which the first that differs counts. */
bool shrink_is_simpler(const struct shrink *s, const struct lab_result *result);

/* Lists the draws of the smallest trial. False: values have no order there that counts, because it
 * has steps and no scopes, or too many tasks draw. */
bool shrink_list_turns(struct shrink *s);

/* Lists what was drawn in scopes of a depth; 0: of any. */
void shrink_list_spans(struct shrink *s, uint32_t depth);

/* Makes candidate i of the first n of some turns, in the order in which they are there. Returns its
 * content. */
uint64_t shrink_plan_turns(struct shrink *s, uint32_t i, const struct shrink_turn *turns,
                           uint32_t n);

/* The plan of the smallest trial; and one with names. */
struct plan shrink_plan(const struct shrink *s);
struct plan shrink_plan_by_name(const struct shrink *s);

/* ---- Passes: each returns whether something has become smaller ------------------------------ */

bool shrink_draws(struct shrink *s);
bool shrink_spans(struct shrink *s);
bool shrink_turns(struct shrink *s);
bool shrink_pairs(struct shrink *s);
bool shrink_rounds(struct shrink *s);
void shrink_dues(struct shrink *s);
bool shrink_by_chance(struct shrink *s);

/* All passes, again and again until nothing becomes smaller. */
bool shrink_minimise(struct shrink *s);

/* Shrinks other failing trials, too, and goes on with the smallest. */
void shrink_from_pool(struct shrink *s);
bool shrink_ids(struct shrink *s);
bool shrink_values(struct shrink *s);

/* Looks for trials that fail much sooner, decided anew: from the beginning, again and again; and
 * from some points of the smallest trial on, once. True: there is one. */
void shrink_from_start(struct shrink *s);
bool shrink_from_inside(struct shrink *s);

/* Replaces the trial by one that is not longer and has as few exceptions to the default schedule as
 * such a one needs. True: it is another one now, of which more may be left out. */
bool shrink_by_exceptions(struct shrink *s);

/* The same failure in shorter words: the fewest exceptions to the default schedule that lead to it,
 * in a trial that may be longer. */
void shrink_exceptions(struct shrink *s);

/* The trial by the default schedule with the exceptions that were found, run once more; NULL: it
 * cannot be had. */
const struct lab_result *shrink_run_held(struct shrink *s);

/* ---- Writing -------------------------------------------------------------------------------- */

/* Writes the trace, once it has failed in a fresh process. 0, or SN_E* in s->why. */
int shrink_write(struct shrink *s, const char *path);

/* A file beside a path that nobody else has. 0, or SN_E* in s->why. */
int shrink_name_aside(struct shrink *s, const char *path, char *out, size_t size);

/* Names what exceptions are about, as far as the smallest trial does not run it. The names lie in
 * memory of the caller, two for each of the n exceptions. */
void shrink_name_holds(struct shrink *s, const char *path, struct trace_record *holds, uint32_t n,
                       char (*names)[SHRINK_NAME]);

void shrink_describe(const struct shrink *s, struct shrink_report *report);

#endif
