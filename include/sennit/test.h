/* sennit/test.h - tests, suites, and running them.
 *
 * A test program describes its tests in a table and calls sn_main, which makes the program its own
 * runner. Programs that have another runner (cmocka, Criterion, ...) call sn_run instead.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_TEST_H
#define SENNIT_TEST_H

#include <sennit/dependence.h>
#include <sennit/environment.h>
#include <sennit/history.h>
#include <sennit/machine.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Errors of the library: negative, never a verdict. */
enum sn_error {
    SN_ENOMEM = -1,    /* no memory, or no address space */
    SN_EINVAL = -2,    /* an argument makes no sense */
    SN_EIO = -3,       /* a file cannot be read or written */
    SN_EFORMAT = -4,   /* a file is malformed */
    SN_EVERSION = -5,  /* a file was written by another version */
    SN_ENOTFOUND = -6, /* no test, strategy, bug or file of that name */
    SN_ESYSTEM = -7,   /* the machine does not provide what is needed */
};

enum sn_timers {
    SN_TIMERS_IDEAL = 0, /* in order of deadline, only when nothing else can happen */
    SN_TIMERS_ANY,       /* at any moment after they were started */
};

/* Which memory a trial changes, and so what is put back before the next one. */
enum sn_world {
    SN_WORLD_FULL = 0, /* everything: globals, statics, heap, libc. No reset code is needed. */
    SN_WORLD_TRIAL,    /* the test promises to keep its state in its machines and in sn_alloc'd
                        * memory alone; a trial then starts in well under a microsecond */
    SN_WORLD_FORK,     /* each trial runs in a process of its own */
};

struct sn_test {
    const char *name;
    void (*run)(void); /* creates the first machines; what they do is the trial */
    const char *about; /* one line for --list; may be NULL */
    const struct sn_machine *const *monitors; /* ends with NULL; NULL: none */
    uint64_t max_steps;                       /* 0 means 10000 */
    /* A trial that reaches a limit after a fair tail is a bug (otherwise it is counted as cut). */
    bool must_end;
    enum sn_timers timers;
    enum sn_world world;
    enum sn_order links;            /* of messages, where sn_link_order says nothing else */
    const struct sn_faults *faults; /* what may go wrong; NULL: nothing */
    uint64_t max_time_ns;           /* of virtual time, as max_steps; 0 means no limit */
    /* With a monitor that can be hot, or must_end, the last steps before max_steps are taken by the
     * strategy `fair`, and only they are judged: docs/liveness.md. 0 means half of max_steps. */
    uint64_t fair_steps;
    /* What the clients' operations must be linearizable to (sennit/record.h); NULL: nothing is
     * recorded. */
    const struct sn_model *model;
    sn_value model_initial; /* what the object holds at the beginning, ... */
    bool has_model_initial; /* ... if this is set; otherwise SN_VALUE_NIL: nothing */
    /* The first steps of the machines that `run` creates, and of those that these create in theirs,
     * are part of the set-up: taken in order of creation, they are no decisions and no steps. */
    bool starts_first;
    /* What systematic strategies should know of the test's steps; NULL: nothing. */
    const struct sn_dependence *dependence;
    /* Unless a run says otherwise. NULL: what `--help` names; in sn_run "random". */
    const char *strategy;
    /* What is tested is not under control: with the same decisions a trial may pass or fail. Each
     * is run so often, until it fails; 0 or 1: once, and a trial that goes another way when it is
     * run again is an error. Decisions must not depend on what the system does. */
    uint32_t repeats;
    uint32_t shrink_repeats; /* the same when it has failed and is made smaller; 0: as repeats */
};

/* A bug that can be switched on by name, in a program that demonstrates one. */
struct sn_bug {
    const char *name;
    const char *about; /* one sentence */
    bool *flag;        /* set to true by --bug NAME, before the first trial */
    const char *test;  /* that shows it: --bug NAME runs this one alone, unless -f says otherwise.
                        * NULL: all are run */
};

/* An option of the program's own, --NAME VALUE, besides those that every test program has. Give
 * either number or word; what it points to is set before the first trial, and keeps what it is
 * initialised with if the option is not given. A trace remembers the options that were. */
struct sn_option {
    const char *name;         /* without dashes; none that there is already */
    const char *about;        /* one line for --help */
    uint64_t *number;         /* receives a whole number ... */
    uint64_t min;             /* ... that is at least this ... */
    uint64_t max;             /* ... and at most this; 0: any */
    const char **word;        /* receives one of `words`, ... */
    const char *const *words; /* ... which end with NULL; NULL: any text, valid to the end */
};

struct sn_suite {
    const char *name;
    const struct sn_test *tests;     /* ends with an entry without a name */
    const struct sn_bug *bugs;       /* ends with an entry without a name; NULL: none */
    const struct sn_option *options; /* ends with an entry without a name, at most 16; NULL: none */
    /* Called once, when bugs are switched on and options are set, before the first trial. It may
     * change what the tests say, as by these options. NULL: nothing is to be done. */
    void (*prepare)(void);
};

/* Runs a suite as the command line says and returns the exit code for main: 0 no bug, 1 a bug,
 * 2 usage or malformed input, 3 interrupted or nothing ran, 4 nondeterminism found, 99 internal
 * error. `--help` describes the flags. */
int sn_main(int argc, char **argv, const struct sn_suite *suite);

/* ---- Running a test from a program with its own main ---------------------------------------- */

struct sn_trial_view;

/* Whether a run keeps to test->timers. */
enum sn_run_timers {
    SN_RUN_TIMERS_OF_TEST = 0,
    SN_RUN_TIMERS_IDEAL,
    SN_RUN_TIMERS_ANY,
};

struct sn_options {
    const char *strategy; /* NULL means the test's, or "random" */
    uint64_t iterations;  /* 0 means 10000 */
    uint64_t seed;        /* 0 means 1 */
    uint64_t max_steps;   /* 0 means the test's */
    const char *outdir;   /* receives a trace of a failing trial; NULL: none is written */
    bool rerun; /* go back by running the prefix again, even where memory could be restored */
    enum sn_run_timers timers;
    bool keep_going;  /* run all iterations whatever fails */
    uint32_t repeats; /* of each trial; 0 means the test's */
    /* Orders that every trial respects, "A before B", and values of draws, "draw LABEL of M = 3":
     * docs/requiring.md. Ends with NULL; NULL: none. */
    const char *const *require;
    /* Called after each trial, in the engine's own context: it must not call malloc, and what it
     * writes to the program's memory is rolled back unless it lies behind `watch_self` in a mapping
     * shared or private that the program made itself with mmap. May be NULL. */
    void (*watch)(void *watch_self, const struct sn_trial_view *trial);
    void *watch_self;
};

enum sn_verdict {
    SN_PASSED = 0,
    SN_FAILED,
    SN_UNCONTROLLED, /* control over the trial was lost: `failure` says how */
};

/* What a watcher sees of a finished trial. Pointers are valid during the call. */
struct sn_trial_view {
    uint64_t trial;
    uint64_t steps;
    uint64_t decisions;
    uint64_t order;
    enum sn_verdict verdict;
    bool cut;
    bool stuck;          /* it could not go on as is required: see struct sn_result */
    const uint64_t *log; /* operation ids and drawn values, `decisions` of them */
    /* What clients did (sennit/record.h), in order of their calls, without operations that have
     * failed. Times are unique within a trial, and tell the order in which calls and returns came.
     */
    const struct sn_operation *history;
    size_t n_history;
};

/* What a strategy has found out that looks for operations which could come in either order and do
 * not commute: see conflict analysis in docs/strategies.md. */
struct sn_conflicts {
    uint64_t trials;          /* that were analysed; 0: the strategy does not look for conflicts */
    uint64_t operations;      /* in them, without ... */
    uint64_t skipped;         /* ... those that were too many to be analysed */
    uint64_t raced;           /* operations that could have come the other way round with one ... */
    uint64_t false_negatives; /* ... and were not known to be of a kind that does, ... */
    uint64_t false_positives; /* ... and those that were, and could not */
    uint64_t signatures;      /* kinds of operations that were seen, ... */
    uint64_t racy;            /* ... and of which one raced */
};

struct sn_result {
    uint64_t trials;
    uint64_t steps;
    uint64_t cut; /* trials that ended at the limit of steps */
    uint64_t failures;
    uint64_t draws;     /* values that were drawn, as sn_choose does */
    uint64_t discarded; /* trials that an sn_assume has ended: they prove nothing */
    uint64_t stuck;     /* trials that could not go on as is required: they have not failed, nor is
                     * anything known of how they would have ended */
    uint64_t distinct_orders; /* partial orders that are new; exact up to 65536, estimated above */
    bool is_systematic;       /* the strategy can tell when it has seen every schedule */
    bool exhausted;           /* a systematic strategy has seen every schedule, none of them cut */
    char within[64]; /* if not "", only every schedule within these limits: "with at most 2 delays";
                      * exhausted is false then */
    uint64_t schedules;     /* if it has seen every one, within limits or not: how many there are */
    uint64_t traces;        /* ... and how many partial orders, as distinct_orders */
    uint64_t blocked;       /* trials that the strategy left, because they led nowhere new */
    uint64_t probes;        /* ... because they were only to show what a step does */
    double done;            /* if it has not: the part that is done, from 0 to 1; 0: not known */
    uint64_t estimate;      /* ... and how many schedules there are by that; 0: not known */
    bool estimate_is_least; /* ... at least: the part that is done may be smaller */
    uint64_t descents;      /* the estimate is by so many that went down at random: --estimate */
    double estimate_error;  /* ... with this standard error; the largest one was ... */
    double estimate_largest;
    /* If trials are drawn independently of each other and told enough (docs/coverage.md): */
    bool has_next;   /* the following are known, about the next trial of the same strategy */
    double next_new; /* the probability that it shows a new partial order, ... */
    double next_low; /* ... with an interval that contains it 95 times in 100 */
    double next_high;
    uint64_t orders_least; /* how many partial orders there are, by an estimate from below */
    struct sn_conflicts conflicts;
    uint64_t earlier_trials; /* of the runs that this one went on after; counted in schedules */
    uint64_t earlier_failures;
    bool nondeterministic;   /* a trial did not repeat itself; `failure` says where */
    enum sn_verdict verdict; /* of the first trial that did not pass */
    uint64_t failing_trial;
    uint64_t failing_steps;
    char failure[512]; /* of that trial, one line */
    char trace[512];   /* path of its trace; "" if none was written */
    char world[128];   /* how memory is put back, and why, if not as the test asked */
    /* Where the process of that trial died, or control was lost: a line for each function, the
     * innermost first; "" if it is neither or that is not known: docs/debugging.md. */
    char stack[2048];
    char unseen[256]; /* names in what is required that no trial has met; "" if there are none */
    char note[256];   /* something that the run noticed and its author should know; "" if nothing */
};

/* Runs one test. Returns 0 when the run took place, whatever it found, or a negative SN_E* with a
 * sentence in result->failure (and what was found, if only its trace could not be written). Options
 * may be NULL. When it returns, the program's memory is as it
 * was before the call (but for *result). Not reentrant; not to be called from a trial. */
int sn_run(const struct sn_test *test, const struct sn_options *options, struct sn_result *result);

/* Replays a trace written before. Returns 0 with the verdict in result (nondeterministic is set,
 * and `failure` names the first divergence, if the trial went another way), or a negative SN_E*. */
int sn_replay(const struct sn_test *test, const char *trace_path, struct sn_result *result);

/* True while a trial of this process is running. */
bool sn_in_trial(void);

/* Does nothing: it is there for debuggers to stop at (docs/debugging.md). The library calls it
 *
 *     when a trial is replayed, before each step: `why` is NULL, and `handler` is the function of
 *     the test that will be called first in the step; NULL: none will be
 *
 *     wherever a trial ends before it is over, by a failed assertion for example: `why` says so and
 *     `handler` is NULL. The frames of the code that did it are still there. */
void sn_debug_break(uint64_t step, const char *why, void (*handler)(void));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
