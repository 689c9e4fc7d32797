/* survey.h - what some of a run's trials show when they are run again and looked at closely: which
 * states they pass through, and in which order events came that could have come in either.
 *
 * Two events race at a machine if one came first although the other had been sent, or could have
 * been, without it: the step that announced the second is not causally after the first. (Causally
 * after a step come the next step of its machine, what it announced, and, where virtual time
 * passes because nothing else can happen, every timer that this lets fire.) Events that wait in the
 * same queue keep their order and do not race. A pair of types of events that raced at a type of
 * machine, always with the same outcome, is one whose other order no trial has tried.
 *
 * None of this is cheap, so only a share of the trials is surveyed: survey_wants. What was seen
 * lies in memory that all workers of a run share, each with the first trial that showed it, so that
 * what counts is what the trials of the run have shown, whoever ran them.
 *
 * Trials of a search that is divided have no numbers while they run. They are chosen by rank: each
 * trial has one by what was decided in it, every rank is half as frequent as the one below, and
 * looked at are those of the highest ranks, as many as SURVEY_RANKED and SURVEY_RANKED_STEPS allow.
 * All of them, if there are no more. As trials go on the lowest rank that counts rises; what was
 * seen in those below no longer does: which trials were looked at depends on what the trials were,
 * and not on when or by whom they were run.
 * SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_SURVEY_H
#define SUBSTRATE_SURVEY_H

#include "engine/explore.h"

#include <stdatomic.h>

enum {
    SURVEY_FIRST = 32,          /* so many of the first trials, and ... */
    SURVEY_EVERY = 256,         /* ... of the others one of so many */
    SURVEY_RANKS = 64,          /* of a search that is divided: trials of these ranks, ... */
    SURVEY_RANKED = 128,        /* ... so many at most, ... */
    SURVEY_RANKED_MIN = 8,      /* ... and, unless there are no more than these, ... */
    SURVEY_RANKED_STEPS = 8192, /* ... with so many steps together */
    SURVEY_NAME = 64,           /* what is longer is cut */
    SURVEY_PAIRS = 1 << 13,
    SURVEY_STATES = (1 << 19) >> (MEM_SAVING_SHIFT / 2),
    SURVEY_STEPS = 1 << 15,
    SURVEY_TASKS = 1 << 12,
    SURVEY_CLOCKS =
        (1 << 22) >> (MEM_SAVING_SHIFT / 2), /* numbers; a step needs one for each task */
    SURVEY_ARRIVALS = 1 << 15,
};

/* Trials are counted from 0, and kept plus 1; 0: none. */
struct survey_pair {
    _Atomic uint64_t key;        /* a hash of the names; 0: no pair */
    _Atomic uint64_t came[2];    /* the first trial with `first` first, and with `second` first */
    char machine[SURVEY_NAME];   /* the type */
    char events[2][SURVEY_NAME]; /* in the order of their names */
};

struct survey_state {
    _Atomic uint64_t key; /* 0: none */
    _Atomic uint64_t trial;
};

/* Shared by all who survey; in memory that mem_reserve_shared gave; zeroed is empty. */
struct survey {
    _Atomic uint32_t n_pairs;
    _Atomic uint32_t n_states;
    _Atomic bool has_no_states; /* some machine cannot tell its own */
    _Atomic bool is_pairs_full;
    _Atomic bool is_states_full;
    _Atomic bool is_cut;                   /* some trial was too long to be looked at as a whole */
    _Atomic uint32_t lowest;               /* rank that counts */
    _Atomic uint32_t ranked[SURVEY_RANKS]; /* trials of each rank from there on ... */
    _Atomic uint64_t steps[SURVEY_RANKS];  /* ... and their steps */
    struct survey_pair pairs[SURVEY_PAIRS];
    struct survey_state states[SURVEY_STATES];
};

/* The last time that something of one kind came from one queue to a machine. */
struct survey_arrival {
    const void *what; /* the event, or the type of who sent bytes, or NULL for a timer of a node */
    uint32_t kind;
    uint32_t source;
    uint32_t index; /* of the machine's step */
    uint32_t next;  /* of the same machine; 0: none */
};

/* The trial that is being surveyed; one for each process that does. */
struct survey_notes {
    struct survey *survey;
    uint64_t trial;
    uint64_t waits; /* of trial_now, when the time was last seen to have passed */
    uint32_t n_rows;
    uint32_t n_clocks;
    uint32_t n_arrivals;
    bool is_cut;
    uint32_t first[SURVEY_TASKS];  /* by task: its arrivals */
    uint32_t last[SURVEY_TASKS];   /* by task: its last step; 0: none */
    uint32_t passed[SURVEY_TASKS]; /* by task: its steps when time last passed */
    uint32_t n_passed;
    uint32_t rows[SURVEY_STEPS + 1];   /* by step: where its clock begins */
    uint32_t widths[SURVEY_STEPS + 1]; /* ... and of how many tasks it knows */
    struct survey_arrival arrivals[SURVEY_ARRIVALS];
    uint32_t clocks[SURVEY_CLOCKS];
};

static inline bool survey_wants(uint64_t trial)
{
    return trial < SURVEY_FIRST || trial % SURVEY_EVERY == 0;
}

/* The rank of the trial that has just ended. */
uint32_t survey_rank(const struct trial *t);

/* Whether a trial of a search that is divided is to be looked at, by its rank. It counts then.
 */
bool survey_admits(struct survey *s, uint32_t rank, uint64_t steps);

/* What stands for the number of a trial in a search that is divided: the lower the rank the higher,
 * so that those below a number are those that count. */
static inline uint64_t survey_number(uint32_t rank)
{
    return SURVEY_RANKS - 1 - rank;
}

/* Runs the present trial of e, which has passed, again and notes what it shows, as trial number
 * `trial`. Its end is as before unless it does not repeat itself. */
void survey_trial(struct survey_notes *notes, struct explore *e, uint64_t trial);

/* What the trials below `trials` have shown. */
struct survey_figures {
    bool has_states;    /* all machines can tell theirs */
    uint64_t states;    /* different ones; more than that, if it is cut */
    bool is_cut;        /* there was more than could be kept */
    uint32_t races;     /* pairs that raced, ... */
    uint32_t one_sided; /* ... those of them with one outcome only */
};

struct survey_figures survey_figures(const struct survey *s, uint64_t trials);

/* Whether the events of a pair came in this order (0: the first one first). */
static inline bool survey_came(const struct survey_pair *pair, int order, uint64_t trials)
{
    uint64_t trial = atomic_load_explicit(&pair->came[order], memory_order_relaxed);

    return trial != 0 && trial <= trials;
}

#endif
