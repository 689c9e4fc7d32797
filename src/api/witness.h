/* witness.h - a log run again, and every step of it written down as a number or compared with one.
 *
 * The board lies in memory that several processes of the same program share: one runs a log and
 * records, others run the same log and compare. SPDX-License-Identifier: MIT
 */
#ifndef API_WITNESS_H
#define API_WITNESS_H

#include "api/names.h"
#include "engine/explore.h"

enum witness_mode {
    WITNESS_RECORD,   /* fills digests and `expected` */
    WITNESS_COMPARE,  /* stops at the first difference, and tells it */
    WITNESS_DESCRIBE, /* tells what happens at `differs_at` */
};

/* How the trial of a log ended. */
struct witness_end {
    uint64_t decisions; /* taken */
    uint64_t steps;
    uint64_t order;
    enum sn_verdict verdict;
    bool is_cut;
    bool has_diverged; /* the log could not be followed further */
    char oracle[16];
    char at[256];
    char why[256]; /* what the oracle says, or where the log leads nowhere */
};

struct witness_board {
    /* Which trials are run; set once, before the first. */
    char test[256];
    uint64_t max_steps;
    enum sn_run_timers timers;
    uint32_t jobs; /* these three are the limits */
    uint32_t hang_s;
    uint64_t memory_mb;
    bool is_forking;
    bool has_leaks; /* they are looked for */

    enum witness_mode mode;
    uint64_t fair_from;
    uint64_t n; /* decisions of the log */
    struct witness_end expected;
    struct witness_end came;
    uint64_t differs_at; /* decision; UINT64_MAX: none differs, nor does the end */
    uint64_t step;       /* it belongs to */
    char text[512];      /* what came there */
    uint64_t progress;   /* grows while a trial is running */
    uint64_t digests[LOG_ENTRIES_MAX];
    struct log_entry log[LOG_ENTRIES_MAX];
};

/* Runs the log of the board as its mode says; the trial is left at its end. The names are cleared
 * and filled. `before`, which may be NULL, is called in the process that runs the trial. */
void witness_run(struct witness_board *board, struct explore *e, struct names *names,
                 void (*before)(struct trial *t, void *self), void *self);

/* How the trial has ended. */
void witness_take_end(const struct trial *t, struct witness_end *end);

/* Whether a trial ended as another one. */
bool witness_is_same_end(const struct witness_end *a, const struct witness_end *b);

#endif
