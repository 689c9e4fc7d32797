/* naming.h - what the tasks of a running trial are called, in a way that does not depend on the
 * schedule.
 *
 * A machine that the test has named is called so. One that was made in the set-up is called as in
 * traces: by its type, and from the second one on with a number. One that another machine has made
 * later is called by its type and its number among those that its creator has made ("Worker#2"), or
 * by its creator's name, a slash and that ("Server/Worker#2"); only by the latter if the set-up has
 * made machines of the type, whose names the short ones are.
 *
 * Who compares goes by hashes of these texts. A task answers to one of the two: to the longer one
 * if somebody has asked for it. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_NAMING_H
#define ENGINE_NAMING_H

#include "engine/opname.h"
#include "engine/trial.h"

enum { NAMING_BYTES = 64, NAMING_EVENTS = 256 };

/* What a task is called. */
struct who {
    uint64_t answers; /* the hash of what it answers to */
    uint64_t path;    /* the hash of the longer text, with which those of its children begin */
    const char *type;
    uint32_t creator;
    uint32_t number; /* among those of its type and its creator; in the set-up, of its type */
    bool is_early;   /* made in the set-up */
    bool is_given;   /* the test has named it */
};

/* The hash of the name of an event. A cache: what it holds is checked before it is used. */
struct named_event {
    const void *what;
    uint64_t hash;
};

struct naming {
    const struct opnames *asked; /* the texts that somebody asks for; NULL: none */
    uint64_t forgettings;        /* of the trial, with which these are known: */
    struct named_event events[NAMING_EVENTS];
    struct who all[TRIAL_TASKS_MAX];
    char given[TRIAL_TASKS_MAX][NAMING_BYTES];
};

/* Reserves the memory and registers it with the trial, which keeps it: t->naming is not yet set.
 * 0, or SN_ENOMEM. */
int naming_new(struct naming **out, struct trial *t, struct err *why);
void naming_free(struct naming *naming);

/* A trial begins, before anything is made. */
void naming_begin(struct naming *naming, struct trial *t);

/* A task was made, by the running step. */
void naming_create(struct trial *t, uint32_t task, const char *type);

/* The test names a task. */
void naming_name(struct trial *t, uint32_t task, const char *name);

/* Told by substrates, which need not ask whether anybody goes by names. */
static inline void trial_created(struct trial *t, uint32_t task, const char *type)
{
    if (unlikely(t->naming != NULL))
        naming_create(t, task, type);
}

/* Writes the text that a task is called by, but for what the test itself may call it: the longer
 * one if `is_long`, or if there is but one. */
void naming_put_unnamed(struct sn_text *out, const struct naming *naming, uint32_t task,
                        bool is_long);

/* The hash of what an operation's event is called. */
uint64_t naming_event(struct naming *naming, const struct trial *t, const struct sn_op *op);

/* The key that the test gives the event of a pending operation: by the event's own function, or by
 * test->dependence->keys. False: it gives none. */
bool naming_key(const struct trial *t, const struct sn_op *op, uint64_t *key);

#endif
