/* conflicts.h - which kinds of operations have ever raced, as trials have shown.
 *
 * Yuan and Yang, "Effective concurrency testing for distributed systems" (ASPLOS 2020): operations
 * are known by a signature that is the same in every trial, who performs it and what it is (or the
 * latter alone). One whose signature was seen and never raced is quiet: a strategy need not think
 * about it, and runs it at once. One that was never seen is explored. (The paper says that what has
 * never raced runs at once; taken by the word, nothing would ever be explored.)
 *
 * Trials record what happens in them, are analysed when they have ended (races.h), and leave what
 * is new as a lesson; the table changes between epochs only. When an epoch has shown nothing new,
 * one trial in CONFLICTS_SAMPLE is analysed until something is; late in a run, one in
 * CONFLICTS_OFTEN even then.
 *
 * A trial that has failed has ended before everything had its chance to race, so nothing becomes
 * quiet by it, nor by one that was left; nor does what was too much to be analysed.
 *
 * What always runs at once may never get the chance to race: a message that is there for no other
 * step cannot be lost. So in one trial in CONFLICTS_SAMPLE, which is analysed, nothing is quiet.
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_CONFLICTS_H
#define STRATEGY_CONFLICTS_H

#include "engine/explore.h"
#include "engine/op.h"
#include "strategy/races.h"

enum {
    CONFLICTS_SIGNATURES_MAX = 1 << 13, /* more stay unseen, and are explored */
    CONFLICTS_SLOTS = CONFLICTS_SIGNATURES_MAX * 2,
    CONFLICTS_FIRST = 16,  /* trials that are all analysed, ... */
    CONFLICTS_SAMPLE = 32, /* ... and of how many later ones one is, when nothing is new, ... */
    CONFLICTS_OFTEN = 8,   /* ... and when something is, if there have been ... */
    CONFLICTS_MANY = 512,  /* ... this many */
    CONFLICTS_KNOWN_BITS = 11,
    CONFLICTS_KNOWN = 1 << CONFLICTS_KNOWN_BITS,
    CONFLICTS_NAMES = 1 << 8,
    CONFLICTS_STREAK_MAX = 1000,   /* quiet steps in a row; then one that is quiet waits its turn */
    CONFLICTS_HEAD_BYTES = 8 * 11, /* of all that is known, and ... */
    CONFLICTS_LESSON_HEAD_BYTES = 8 * 6, /* ... of a lesson */
};

enum signature_flags {
    SIGNATURE_SEEN = 1,
    SIGNATURE_RACED = 2,
    SIGNATURE_START = 4, /* of first steps of tasks, which can hardly race */
    SIGNATURE_ALL = 7,
};

struct signature {
    uint64_t hash;  /* 0: none is here */
    uint32_t flags; /* enum signature_flags */
};

/* Of the present trial: who was met with what. */
struct conflict_kind {
    uint64_t hash;
    uint32_t known; /* flags as they were when the trial began */
    bool raced;     /* in this trial, ... */
    bool is_calm;   /* ... or analysed, and one of them did not */
    bool is_start;
};

/* What is known of operations of one task, at one place in the code. Addresses of events mean the
 * same in all trials of a run, and of phrases until they are forgotten. */
struct conflict_known {
    const void *what;
    uint64_t hash;    /* the signature */
    uint64_t who;     /* the task was in the last trial that looked here, ... */
    uint32_t serial;  /* ... which is this one: the low half */
    uint32_t version; /* of the table, and of addresses: the low half */
    uint32_t task;
    uint32_t site;
    uint16_t op_kind;
    bool is_quiet;
};

struct conflict_name {
    const void *what;
    uint64_t hash;
};

struct conflicts {
    bool by_site; /* signatures do not tell who performs an operation */
    uint32_t n;   /* signatures in the table */
    uint32_t n_racy;
    uint32_t n_quiet; /* that never raced, without those of first steps */
    uint64_t version; /* grows when the table changes */
    uint64_t changed; /* the last trial that has changed it, plus 1 */
    struct sn_conflicts figures;
    struct signature table[CONFLICTS_SLOTS];
    uint32_t places[CONFLICTS_SIGNATURES_MAX]; /* in it, in the order in which they were learned */

    /* Of the present trial. */
    uint64_t trial;
    uint64_t serial; /* another one for each trial of this process */
    uint64_t base;   /* steps of others before it */
    uint64_t waits;  /* as t->now.waits, before the last step */
    uint32_t streak;
    bool is_plain;    /* nothing is quiet */
    bool is_wanted;   /* what happens is to be analysed, ... */
    bool is_analysed; /* ... and since conflicts_enter it is noted */
    const struct trial *t;
    uint64_t n_skipped; /* operations for which there was no room */
    uint32_t n_kinds;
    struct conflict_kind kinds[CONFLICTS_SIGNATURES_MAX + 1];
    struct {
        uint64_t serial;
        uint32_t kind;
    } kind_slots[CONFLICTS_SLOTS];
    struct conflict_known known[CONFLICTS_KNOWN];
    uint64_t forgettings; /* of the trial, with which these are known: */
    struct conflict_name names[CONFLICTS_NAMES];
    uint32_t last_taken[TRIAL_SOURCES_MAX];   /* by source: the event that took from it last, ... */
    uint64_t taken_serial[TRIAL_SOURCES_MAX]; /* ... in this trial */
    struct touches touches;
    struct races races;
};

/* A trial of this strategy begins: `trial` is its number. */
void conflicts_begin(struct conflicts *c, uint64_t trial);

/* The strategy begins to decide. */
void conflicts_enter(struct conflicts *c, struct trial *t);

/* Looks up an operation that was not met at this place in this trial. */
void conflicts_look(struct trial *t, struct conflicts *c, const struct sn_op *op,
                    struct conflict_known *known);

/* What is known of an operation, until another one is asked about. */
static inline const struct conflict_known *conflicts_of(struct trial *t, struct conflicts *c,
                                                        const struct sn_op *op)
{
    uint32_t site = op->kind > SN_OP_FAULT ? op->site : 0;
    uint64_t key = ((uint64_t)(uintptr_t)op->what >> 3) + ((uint64_t)op->task << 40) + site;
    struct conflict_known *known =
        &c->known[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CONFLICTS_KNOWN_BITS)];

    if (unlikely(known->what != op->what || known->serial != (uint32_t)c->serial ||
                 known->task != op->task || known->site != site || known->op_kind != op->kind))
        conflicts_look(t, c, op, known);
    return known;
}

/* Whether an operation is known, and known not to race. Faults, and timers that may fire at any
 * moment, never are: to let them happen at all is a decision. */
static inline bool conflicts_never_raced(struct trial *t, struct conflicts *c,
                                         const struct sn_op *op)
{
    return conflicts_of(t, c, op)->is_quiet && (op->flags & SN_OP_ANY_TIME) == 0;
}

/* Whether it is to run at once. */
static inline bool conflicts_is_quiet(struct trial *t, struct conflicts *c, const struct sn_op *op)
{
    if (c->n_quiet == 0 && likely(op->kind != SN_OP_START))
        return false;
    return conflicts_never_raced(t, c, op) && c->streak < CONFLICTS_STREAK_MAX && !c->is_plain;
}

void conflicts_note_step(struct conflicts *c, struct trial *t, const struct sn_op *op);

/* An operation is about to run; whether it was quiet. */
static inline void conflicts_step(struct conflicts *c, struct trial *t, const struct sn_op *op,
                                  bool was_quiet)
{
    c->streak = was_quiet ? c->streak + 1 : 0;
    if (unlikely(c->is_analysed))
        conflicts_note_step(c, t, op);
}

/* These are as lesson, learn, save and load of struct sn_strategy. */
size_t conflicts_lesson(struct conflicts *c, unsigned char *bytes, size_t room);
void conflicts_learn(struct conflicts *c, const unsigned char *bytes, size_t n);
size_t conflicts_save(const struct conflicts *c, unsigned char *bytes, size_t room);
int conflicts_load(struct conflicts *c, const unsigned char *bytes, size_t n);

/* Another part of the same work goes on with what was learned. */
void conflicts_share(const struct conflicts *c, struct conflicts *other);

/* After conflicts_lesson: how many operations of the trial are of kinds that have raced, this trial
 * included; `otherwise` if it was not analysed as a whole. */
uint64_t conflicts_count_racy(const struct conflicts *c, uint64_t otherwise);

/* What was found, for a report. */
struct sn_conflicts conflicts_figures(const struct conflicts *c);

#endif
