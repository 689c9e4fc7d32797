/* explain_own.h - what the parts of explaining a trace share. SPDX-License-Identifier: MIT */
#ifndef API_EXPLAIN_OWN_H
#define API_EXPLAIN_OWN_H

#include "api/explain.h"
#include "api/explain_symmetry.h"
#include "api/lab.h"
#include "explain/nearest.h"

enum {
    EXPLAINING_BATCH = 256,
    EXPLAINING_PATH = 1024,
};

/* A failing trial that is explained, as a plan. */
struct subject {
    struct plan plan;
    uint64_t *ids;
    struct plan_draw *draws;
    uint64_t steps; /* that a strategy has decided: not those of a fair end */
};

enum { QUIET_MAX = 64 };

/* A cause as constraints, one for each of its items; that of ITEM_QUIET is of no use. */
struct cause {
    struct constraint list[EXPLANATION_ITEMS_MAX];
};

/* What of a failing trial can be required of others, each as an item and as a constraint. */
struct candidates {
    struct item items[EXPLAIN_ITEMS_MAX];
    struct constraint constraints[EXPLAIN_ITEMS_MAX];
    uint32_t events[EXPLAIN_ITEMS_MAX][2]; /* of the trial, that it is about */
    struct constraint quiet[QUIET_MAX];    /* those of the item ITEM_QUIET */
    uint32_t n_quiet;
    uint32_t n_basic;   /* values and pairs that stand for the whole trial, ... */
    uint32_t n_forward; /* ... then orders with relative names, ... */
    uint32_t n;         /* ... then orders that follow from others */
    bool is_recurrent;  /* operations come again and again */
    uint64_t until;     /* only events up to this one count */
    uint32_t decisive;  /* the event with which it was lost */
    bool has_faults;    /* which may strike from a step on that is drawn: this one is it */
    struct constraint faults_from;
    uint32_t classes[HAPPENED_EVENTS_MAX]; /* of each event, ... */
    uint32_t counts[HAPPENED_EVENTS_MAX];  /* ... and how often it ran */
    uint32_t class_counts[OPNAMES_MAX];
};

/* A trial by a strategy. */
struct pooled {
    uint32_t strategy;
    uint32_t trial;
    uint64_t steps;
};

enum { POOL_PASSING_MAX = 400 };

/* Trials that were found independently. */
struct pool {
    struct pooled found[EXPLANATION_STRATEGIES][COVER_RUNS_MAX];
    uint32_t n_found[EXPLANATION_STRATEGIES];
    struct pooled failing[COVER_RUNS_MAX];
    uint32_t n_failing;
    struct pooled passing[POOL_PASSING_MAX];
    uint32_t n_passing;
    /* Which orders of the subject each has, a bit each: the failing ones, then the passing ones. */
    uint64_t orders[COVER_RUNS_MAX + POOL_PASSING_MAX][EXPLAIN_ITEMS_MAX / 64];
};

struct explaining {
    const struct run_request *request;
    const struct trace *given;
    const struct trace *trace; /* that is explained: the one that was given, or `shrunk` */
    struct trace shrunk;
    const struct explain_options *options;
    struct explanation *e;
    struct arena arena;
    struct lab *lab;
    struct lab_options lab_options;
    struct lab_wanted wanted;
    struct subject subject;
    uint64_t fair_from;  /* of the trials of a run; 0: they have no fair end ... */
    uint64_t asked_from; /* ... and of those that are asked about the subject, ... */
    uint64_t asked_max;  /* ... which have so many steps; 0: as many as a trial of a run */
    uint64_t fair_seed;  /* of the fair end of the subject */
    struct opnames *names;
    struct constraints *constraints; /* of the present question, in shared memory */
    uint64_t version;                /* of these */
    struct candidates candidates;
    struct sufficient_search search;
    struct sufficient found;
    struct sufficient longest; /* a set that is enough, and too long */
    struct since since;
    struct cause causes[COVER_CAUSES_MAX];
    uint32_t choice_of[CONSTRAINTS_MAX]; /* of the present question, each constraint's */
    uint64_t lost;                       /* events after this one do not matter */
    uint32_t decisive;                   /* the event with which it was lost; 0: there is none */
    bool is_lost;                        /* with that one */
    struct labelled labels[EXPLAIN_ITEMS_MAX];
    uint32_t ran[HAPPENED_EVENTS_MAX]; /* in the subject, by name; from 1 */
    uint32_t n_ran;
    uint32_t scratch[HAPPENED_EVENTS_MAX];
    struct pool pool;
    struct symmetry symmetry;
    uint32_t places[OPNAMES_MAX]; /* of operations, by name, in the trial that is looked at */
    char folder[EXPLAINING_PATH]; /* of its own, for traces; "": there is none yet */
    uint64_t stage_max; /* trials after which the present part of the work is given up; 0: never */
    bool is_given_up;   /* a part of the search for a cause was, before it had come to its end */
    double share_max;   /* of the budget, that may be used before it is; 0: all of it */
    int cover_rc;       /* of what went wrong while causes were counted */
    uint64_t beginning; /* steps of the trial that are explained, if it was cut; 0: all */
    uint64_t executions;
    uint64_t start_ns;
    struct err why;
    struct lab_job jobs[EXPLAINING_BATCH];
    struct lab_result results[EXPLAINING_BATCH];
};

/* Runs trials i = from, from + 1, ... of a stream, which `job` says the rest of, until enough is
 * known. 0, EXPLAIN_OVER or a negative SN_E* with a sentence in x->why. */
int explaining_sample(struct explaining *x, const struct lab_job *job, const struct question *q,
                      struct answer *out);

/* Whether the budget has ended, and not only what a part of the work may use of it. */
bool explaining_is_over(const struct explaining *x);

/* Runs n of these trials, into x->results. The same. */
int explaining_batch(struct explaining *x, const struct lab_job *job, const struct question *q,
                     uint32_t from, uint32_t n);

/* Counts n results, up to the one with which enough is known. */
void explaining_count(const struct explaining *x, const struct question *q, uint32_t n,
                      struct answer *out);

/* How a trial of a stream is decided. */
struct lab_job explaining_job(const struct explaining *x, uint64_t stream, uint32_t trial);

/* Asks with constraints: items are those of x->candidates. */
int explaining_ask(void *self, const struct question *q, struct answer *out);

/* Whether an item says when a fault strikes. */
bool explaining_names_faults(const struct explaining *x, uint32_t item);

/* Makes constraints of choices. */
void explaining_constrain(struct explaining *x, const struct choice *choices, uint32_t n);

/* Lists what can be required: of events up to `until`. `decisive` is the event with which the trial
 * was lost, or 0. */
void explaining_list(struct explaining *x, const struct happened *h, uint64_t until,
                     uint32_t decisive, struct candidates *out);

bool explaining_is_pending(const struct happened *h, uint32_t event);

/* Runs one trial and lists its events; NULL in *out if it did not repeat itself. */
int explaining_events(struct explaining *x, const struct lab_job *job, struct lab_result *result,
                      const struct happened **out);

/* Finds why a subject fails, whose events are these, as this cause of the explanation. The trace,
 * if it is that of the subject, gives words; NULL: there is none. 0, EXPLAIN_NONE, EXPLAIN_OVER or
 * SN_E*. */
int explaining_why(struct explaining *x, const struct happened *h, const struct trace *trace,
                   uint32_t cause);

/* Labels the items of the cause that was found last. */
int explaining_labels(struct explaining *x, uint32_t cause);

/* Asks continuations of the subject. */
int explaining_after(void *self, uint64_t steps, const struct question *q, struct answer *out);

/* An operation by its name, in words. */
void explaining_name_words(const struct opnames *names, uint32_t name, char *words, size_t size);

/* Adds to what an operation does which of several it is, by its name. */
void explaining_add_number(const struct opnames *names, uint32_t name, char *words, size_t size);

/* What a step of the trace does, in words; and with what goes wrong in it. */
void explaining_step_words(const struct trace *trace, uint64_t step, char *words, size_t size);
void explaining_step_story(const struct trace *trace, uint64_t step, char *words, size_t size);

/* What it changes, in words: states, notes, operations of clients. False: nothing. */
bool explaining_step_changes(const struct trace *trace, uint64_t step, char *words, size_t size);

/* The same of the handling of a message that never ran, by the id of its delivery. False: nobody
 * has sent it. */
bool explaining_sent_words(const struct trace *trace, uint64_t id, char *words, size_t size);

/* A value that was drawn in a step of the trace, into EXPLANATION_WORDS bytes: with the node that
 * it stands for if a fault has chosen one. */
void explaining_value_words(const struct trace *trace, uint64_t step, const char *label,
                            uint64_t value, char *words);

/* Lists the steps of the trial that is explained, and which of them are worth reading. */
void explaining_steps(struct explaining *x);

/* Makes the subject, which is judged by its fair end, smaller: x->shrunk is the trace then. */
int explaining_robust(struct explaining *x, bool *is_smaller);

/* Tells whoever waits how far the work is, with so many trials. */
void explaining_tell(const struct explaining *x, uint64_t trials);

/* Which share of the budget is used, and how many seconds are left. */
double explaining_used(const struct explaining *x);
double explaining_seconds_left(const struct explaining *x);

/* Makes a plan of the trace that is explained: x->subject. */
int explaining_load(struct explaining *x);

/* The trial of the trace that is explained; the plan must last as long. The fair end, if there is
 * one, is decided anew. */
struct lab_job explaining_subject_job(const struct explaining *x, struct plan *plan);

/* Where a trace can be put that is only needed for a moment: in a folder that nobody else can write
 * to, and that explaining_remove_file removes. 0, or SN_E* with a sentence. */
int explaining_name_file(struct explaining *x, char *path);
void explaining_remove_file(struct explaining *x);

/* Keeps what is in that file as the trace of a cause, beside the trace that is explained, unless
 * nothing can be written there. */
void explaining_keep_file(struct explaining *x, struct explanation_cause *cause, uint32_t number);

/* Keep the trial that is explained, and the nearest one that passes, beside the trace, unless
 * nothing can be written there. */
void explaining_keep_subject(const struct explaining *x);
void explaining_keep_nearest(struct explaining *x, const struct lab_result *result);

/* Removes the nearest one that was kept before: perhaps there is none this time. */
void explaining_forget_nearest(const struct explaining *x);

/* Remembers what ran in the subject, whose events these are. */
void explaining_keep(struct explaining *x, const struct happened *h);

/* The passing trial nearest to the subject, of whose orders x->candidates must be. */
int explaining_nearest(struct explaining *x);

/* The first (0) or the second (1) operation of an order of the subject, in words. */
void explaining_event_words(const struct explaining *x, uint32_t item, uint32_t which, char *words);

/* What happened in a trial of the pool, and how it is run. */
int explaining_look(struct explaining *x, const struct pooled *trial, const struct happened **h);
struct lab_job explaining_pool_job(const struct explaining *x, const struct pooled *trial);

/* Whether all of a trial is listed, with names. */
bool explaining_is_known(const struct explaining *x, const struct happened *h);

/* How often each strategy fails; the trials that do are the pool. Strategies are left out once a
 * share of the budget is used: the next call goes on with them. */
int explaining_rates(struct explaining *x, double share);

/* The strategy that has found a trial of the pool. */
const char *explaining_strategy(const struct pooled *trial);

/* Chooses what is explained, and makes it small; then there is a lab. */
int explaining_choose(struct explaining *x);

/* Lets the trials that are asked about the subject have their fair ends about as early, and no
 * longer than it has; and a job that begins as a plan says, if there is one, as early after that as
 * the subject has. */
void explaining_end_early(struct explaining *x);
void explaining_end_job(const struct explaining *x, struct lab_job *job);

/* Sees that it still fails. What was made small by following it once may say little: then another
 * way is tried. */
int explaining_settle_subject(struct explaining *x);

int explaining_open_lab(struct explaining *x);
void explaining_close_lab(struct explaining *x);

/* What may be used in all. */
double explaining_seconds_max(const struct explaining *x);

/* What the failing trials of the pool have in common: orders of x->candidates, which must be the
 * subject's. */
int explaining_core(struct explaining *x);

/* How many of the pool the causes explain, and which causes the others have. */
int explaining_causes(struct explaining *x);

/* In how many trials the orders are that matter most, whichever messages of the same types they are
 * of. The same. */
int explaining_alike(struct explaining *x);

/* In how many of the failing trials of the run each cause holds. */
int explaining_group(struct explaining *x);

#endif
