/* explore.h - one run of one test: trial after trial, each from the same memory.
 *
 * explore_open prepares, explore_next runs one trial as the strategy asks, explore_repeat runs the
 * trial of the present log again, watched by a recorder. Which memory is put back between trials,
 * and whether by copying or by a process per trial, is decided here and nowhere else.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_EXPLORE_H
#define ENGINE_EXPLORE_H

#include "engine/checkpoint.h"
#include "engine/lessons.h"
#include "engine/require.h"
#include "engine/trial.h"

enum {
    EXPLORE_PHASES_MAX = TRIAL_PHASES_MAX,
    EXPLORE_MAX_STEPS = 10000,                 /* of a trial, if nobody says otherwise, ... */
    EXPLORE_STEPS_LIMIT = LOG_ENTRIES_MAX / 2, /* ... and whatever anybody says */
    EXPLORE_FRESH_BYTES = 256, /* of the state of a strategy that has done nothing */
};

/* Why a strategy leaves a trial. */
enum explore_left {
    LEFT_BLOCKED, /* others stand for it */
    LEFT_PROBES,  /* it was to show what a step does, and has */
    LEFTS,
};

/* What a strategy with a loop of its own adds to the public interface. */
struct strategy_entry {
    const struct sn_strategy *strategy;
    void (*loop)(struct trial *t); /* NULL: trial_loop_any */
    bool reduces;                  /* leaves out schedules that others stand for */
    bool is_plan;                  /* its decisions are somebody else's, all of them */
    bool is_driven; /* by a script or a person: goes by names, and gets no fair tail */
    /* Whether its work can be divided, with its parameters, if it has a split. NULL: it can. */
    bool (*can_split)(const void *self);
    /* Writes what it has noticed that the author of a test should know, or nothing. May be NULL. */
    void (*note)(const void *self, char *text, size_t size);
    /* Why it must be the first of a composition; NULL, or the answer NULL: it need not. */
    const char *(*why_first)(const void *self);
    /* Why no other strategy may decide in the same trials, a fair one at their ends included; NULL:
     * others may. */
    const char *why_alone;
    /* Where descents into what there is to try are counted: see base/descent.h. NULL, or the answer
     * NULL: it is not known at each decision what else there is. */
    struct descent *(*descent)(void *self);
    /* Whether a trial, which has failed, is one that was told of before. NULL: none is. */
    bool (*is_repeat)(const void *self, const struct trial *t);
    /* The way in which the trial that has just begun is drawn: which of its strategies does that,
     * if it is several, below DISCOVERY_ARMS_MAX; and a number that is another one if it draws in
     * another way since it has learned. NULL: it has one arm, and a mind for each epoch if it
     * learns. */
    uint64_t (*mind)(const void *self, uint32_t *arm);
    /* Names an arm; NULL if there are no more. NULL: it has one. */
    const char *(*arm_name)(const void *self, uint32_t arm);
    /* What it has found out about races. False, or NULL: it does not look for any. */
    bool (*figures)(const void *self, struct sn_conflicts *figures);
};

/* Part of a trial in which one strategy decides. */
struct explore_phase {
    const struct strategy_entry *entry;
    void *self;              /* its initialised state */
    struct lessons *lessons; /* that it has not learned yet; NULL: it learns no lessons */
    uint64_t until;          /* the step at which the next phase begins; UINT64_MAX: none does */
    /* The virtual time at which it begins, if that comes earlier; 0: time does not matter. */
    uint64_t until_ns;
    /* Of one that goes back: what its state was at first, saved. In a later phase it begins anew
     * each time those before it have decided differently. */
    unsigned char fresh[EXPLORE_FRESH_BYTES];
    size_t n_fresh; /* 0: it does not go back, or cannot begin anew */
};

/* Where the search of a later phase stands. */
struct explore_inside {
    bool is_open;   /* it has not tried all that can follow what came before it, ... */
    uint64_t log;   /* ... which was so many decisions ... */
    uint64_t steps; /* ... and steps */
};

struct explore {
    struct trial *t;
    struct checkpoints *checkpoints;
    struct world *world; /* NULL unless the whole world is restored */
    enum sn_world mode;  /* what is done, which may not be what the test asked for */
    struct err mode_why; /* why it is something else; "" if it is not */
    bool rerun;          /* never return to a checkpoint inside a trial */
    struct explore_phase phases[EXPLORE_PHASES_MAX];
    uint32_t n_phases;
    const struct recorder *recorder;
    bool has_minds; /* a strategy may draw in different ways: see note_mind */
    uint32_t inner; /* a later phase whose strategy goes back; 0: there is none */
    struct explore_inside own_inside;
    struct explore_inside
        *inside;          /* of that phase; somebody who outlives this process may own it */
    bool has_left_phase;  /* some trial went beyond the first phase */
    uint64_t trial;       /* number of the next one, from 0 */
    uint64_t left[LEFTS]; /* trials that the strategy left: see trial_abandon */
    bool child_has_ended; /* by itself: the code under test did not call exit */
    bool defers_ends;     /* strategies are told of the ends of trials by explore_tell only */
    bool has_lessons;     /* a strategy writes them */
    bool has_listeners;   /* a strategy wants to know how trials end */
    struct lesson lesson; /* of the trial that has just ended: ... */
    unsigned char lesson_bytes[SN_LESSON_MAX]; /* ... its bytes */
};

/* A finished trial, in few words. */
struct explore_end {
    uint64_t order;
    uint64_t decisions;
    uint32_t steps;
    uint32_t phase_steps[EXPLORE_PHASES_MAX];
    bool failed;
    bool cut;
    bool stuck;     /* on what is required: it proves nothing */
    bool discarded; /* by sn_assume: the same */
    struct trial_classes classed;
    uint8_t arm;   /* that drew it, of a strategy that is several, ... */
    uint64_t mind; /* ... and how: see strategy_entry */
};

struct explore_options {
    const struct sn_test *test;
    const struct explore_phase *phases; /* of each trial; the last one has no end */
    uint32_t n_phases;                  /* 0: trials are only repeated */
    uint64_t fair_from;                 /* used if there are no phases */
    const struct recorder *recorder;    /* told of what happens while searching; NULL: nobody */
    uint64_t max_steps;
    enum sn_run_timers timers;
    bool rerun;
    bool fork; /* a process per trial although the test does not ask for it */
    bool defers_ends;
    bool is_lab; /* trials are made up to find something out, and nobody counts them */
};

/* Saves the world as it is now: the start of every trial. t has its substrates and oracles. */
int explore_open(struct explore **out, struct trial *t, const struct explore_options *options,
                 struct err *why);

/* Puts the program's memory back to the start and forgets everything. */
void explore_close(struct explore *e);

/* Other strategies decide from the next trial on; what was said of `inside` is forgotten. */
void explore_set_phases(struct explore *e, const struct explore_phase *phases, uint32_t n_phases);

/* Runs the next trial; its verdict, log and order are in the trial. One that was left
 * (trial_leave) is `unfinished` and counts for nothing. False: the strategy has nothing left to
 * try. */
bool explore_next(struct explore *e);

/* Makes this trial the next one. All strategies must be able to seek. */
void explore_seek(struct explore *e, uint64_t trial);

/* How the trial that t has just run ended. */
struct explore_end explore_end_of(const struct trial *t);

/* Tells the strategies how a trial ended, and what it has taught; NULL: nothing. */
void explore_tell(const struct explore_phase *phases, uint32_t n_phases, uint64_t trial,
                  const struct explore_end *end, const struct lesson *lesson);

/* Whether the strategies have told of the trial, which has failed, before. */
bool explore_is_repeat(const struct explore_phase *phases, uint32_t n_phases,
                       const struct trial *t);

/* Runs the first `decisions` of the log again, then lets default answers finish (`then_loop`) or
 * stops. before and after run around the trial, in the process that runs it; both may be NULL. If
 * that process has died, which it can where each trial has one, `after_death` (NULL: `after`) runs
 * instead in the one that has started it, which has nothing of the program's memory. */
struct explore_repeat {
    const struct recorder *recorder;
    const struct guide *guide; /* decides instead of the log; NULL: the log is followed strictly */
    uint64_t decisions;
    void (*before)(struct trial *t, void *self);
    void (*after)(struct trial *t, void *self);
    void (*after_death)(struct trial *t, void *self);
    void *self;
};

void explore_repeat(struct explore *e, const struct explore_repeat *repeat);

/* From the next trial on these constraints are respected, by trials that are searched and by those
 * that a guide decides; NULL: none. require.h says what they mean, and what `steers` does. The
 * trial must have been opened for it (require_open) before explore_open. 0, or SN_ENOMEM. */
int explore_require(struct explore *e, const struct constraints *c, bool steers, struct err *why);

/* Looks whether a trial changed what restoring memory does not undo: quickly, which any trial may
 * pay for, or thoroughly, which costs more than most trials. 0, or what it changed (enum
 * check_left) with a sentence. */
int explore_check(struct explore *e, bool thoroughly, struct err *why);

/* Whether to look thoroughly after the n-th trial, from 0: after the first, and now and then. */
static inline bool explore_is_due(uint64_t n)
{
    enum { EVERY = 1024 };

    return n % EVERY == 0;
}

/* Looks for the call that left behind what explore_check has found, by running the last trial again
 * in a process of its own. The stack and the modules of t->death are those of the call; the stack
 * is empty if it is not found: the trial does not do it again, or the kernel does not tell
 * (culprit.h). Otherwise the trial is as before. */
void explore_find_culprit(struct explore *e, int left);

#endif
