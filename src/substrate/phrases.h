/* phrases.h - what operations of processes are called: "send Ping", "register user7".
 *
 * Each phrase is kept once and looks like a type of event to everybody else. What an operation is
 * called must follow from the operation alone, since strategies that learn know operations by
 * that: so there is always room for one more, whatever trials before have said. A trial that finds
 * very many forgets them, before it says anything of its own. Addresses of phrases mean the same
 * between two forgettings, which are counted (t->forgettings): whoever keeps something by such an
 * address keeps that, too. SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_PHRASES_H
#define SUBSTRATE_PHRASES_H

#include "engine/explore.h"

#include <sennit/machine.h>
#include <stdint.h>

enum {
    PHRASE_BYTES = 96,
    PHRASES_KEPT = 1 << 13, /* at most, of trials before */
    /* A step announces one operation of a process at most, and so does the birth of one. */
    PHRASES_MAX = PHRASES_KEPT + EXPLORE_STEPS_LIMIT + TRIAL_TASKS_MAX,
    PHRASES_SLOTS_FIRST = 1 << 12,           /* a power of two, as are all that follow */
    PHRASES_SLOTS_MAX = LOG_ENTRIES_MAX * 2, /* of which at most half are used */
};

struct phrase {
    const void *of; /* stands for a verb and an event; NULL: it is the text that counts */
    uint64_t hash;
    struct sn_event event;
    char text[PHRASE_BYTES];
};

/* Zeroed is empty. In memory of the engine's own. */
struct phrases {
    uint32_t n;
    uint32_t mask;                     /* how many slots there are, less 1 */
    uint32_t slots[PHRASES_SLOTS_MAX]; /* numbers of phrases, from 1; 0: none */
    struct phrase all[PHRASES_MAX + 1];
};

/* Where a phrase of this hash is, unless another one has taken its place: it may be any, and is to
 * be looked at. */
static inline const struct phrase *phrases_guess(const struct phrases *p, uint64_t hash)
{
    return &p->all[p->slots[(uint32_t)hash & p->mask]];
}

/* The phrase of this hash, for `of` or, if that is NULL, with this text. NULL: there is none. */
const struct sn_event *phrases_find(const struct phrases *p, uint64_t hash, const void *of,
                                    const char *text);

/* Adds one that is not there. NULL: there is no room, which cannot be in a trial whose phrases of
 * trials before were forgotten. */
const struct sn_event *phrases_add(struct phrases *p, uint64_t hash, const void *of,
                                   const char *text);

void phrases_clear(struct phrases *p);

#endif
