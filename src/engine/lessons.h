/* lessons.h - what trials teach, from where they were run to everybody, and until it may count.
 *
 * A lesson is written by the strategies of a trial when it has ended, in the process that ran it,
 * and travels with its end. Whoever is told of the end keeps it; when the epoch is over the
 * strategy hears all lessons of it, in the order of the trials. So what is learned does not depend
 * on who ran what. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_LESSONS_H
#define ENGINE_LESSONS_H

#include "engine/epoch.h"
#include "engine/trial.h"

enum { LESSONS_BYTES = EPOCH_TRIALS * (SN_LESSON_MAX + 8) };

/* Of one trial: the bytes of the strategies of its phases, one after the other. */
struct lesson {
    uint32_t n[TRIAL_PHASES_MAX];
    unsigned char *bytes; /* SN_LESSON_MAX of them together at most */
};

/* Of one strategy: the lessons of an epoch that is not over, each after its length. */
struct lessons {
    uint64_t epoch; /* the trial with which it began */
    uint64_t size;
    unsigned char bytes[LESSONS_BYTES];
};

size_t lesson_size(const struct lesson *lesson);

/* Copies a lesson, for which there is room. */
void lesson_copy(struct lesson *to, const struct lesson *from);

/* A trial is about to begin, or to be told of. If its epoch is another one, the strategy learns
 * what has been kept. */
void lessons_come_to(struct lessons *l, const struct sn_strategy *strategy, void *self,
                     uint64_t trial);

/* Keeps a lesson of a trial that was come to. */
void lessons_keep(struct lessons *l, const unsigned char *bytes, size_t n);

void lessons_clear(struct lessons *l);

/* What is kept, as bytes: how many, of which nothing is written if they are more than room. */
size_t lessons_save(const struct lessons *l, unsigned char *bytes, size_t room);

/* 0, or -1 if these are not such bytes; nothing has changed then. They may come from anywhere. */
int lessons_load(struct lessons *l, const unsigned char *bytes, size_t n);

#endif
