/* run_own.h - what the files of a run share. SPDX-License-Identifier: MIT */
#ifndef API_RUN_OWN_H
#define API_RUN_OWN_H

#include "api/crash.h"
#include "api/engine.h"
#include "api/identity.h"
#include "api/learned.h"
#include "api/output.h"
#include "api/record.h"
#include "api/required.h"
#include "api/tally.h"
#include "substrate/machine.h"

/* Everything a run needs, in the engine's own memory: what lies in the program's is rolled back. */
struct run {
    const struct run_request *request;
    struct engine *engine;
    struct explore *explore;
    struct record *record;
    struct explore_phase phases[EXPLORE_PHASES_MAX];
    uint32_t n_phases;
    struct verify *verify;           /* NULL: logs are not run a second time, or by workers */
    struct required *required;       /* NULL: nothing is */
    struct step *step;               /* a person drives; NULL: nobody does */
    struct record *listener;         /* for strategies that go by names; NULL: there is none */
    const struct recorder *recorder; /* the listener's */
    uint32_t n_ranges;               /* of the trial, without those of this run */
    struct output output;
    struct crash crash;
    struct identity identity;
    struct sn_result result;
    struct tally tally;
    struct run_coverage *coverage;    /* filled once it is over */
    struct run_coverage own_coverage; /* if nobody else has a place for it */
    uint64_t surveyed[SURVEY_RANKS];  /* trials that were looked at, of those that count, by rank */
    uint32_t run;                     /* of the present trial, from 1; 0: trials are run once */
    double start_s;
    struct workers *workers; /* while they run */
    int workers_rc;
    uint64_t counted;       /* trials below this number are; others were run ahead of them */
    struct learned resumed; /* where the run before ended; zeroed: there was none */
    struct err why;
    uint64_t *watched_log; /* for the watcher; reserved when there is one */
};

struct trace_header run_header(const struct run *run, uint64_t trial);

/* OUTDIR/SUITE-TEST.WHAT, with what is awkward in the name of a file replaced. */
void run_name_file(const struct run *run, const char *what, char *path, size_t size);

/* Puts into words where a failure happened, if that is known. */
void run_describe_stack(struct run *run, const struct finding *f, const struct modules *modules,
                        struct run_failure *failure);

/* Runs a failing trial, which is the engine's present one, again and records it. */
int run_record(struct run *run, const struct trace_header *header, struct run_failure *failure);

/* The result tells of the first failure, as it is known now. */
void run_tell(struct run *run, const struct run_failure *failure);

/* The strategy has tried everything within these limits, "" if there are none. */
void run_claim(struct run *run, const char *within, bool has_left_phase);

/* So much of a systematic search is done, with so many trials. */
void run_estimate(struct run *run, double done, uint64_t trials);

/* The first thing that the author of the test should know. */
void run_note(struct run *run, const struct machines *machines, const struct explore_phase *phase);

/* Runs trials in other processes. */
int run_by_workers(struct run *run);

#endif
