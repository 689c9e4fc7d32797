/* gen.h - what generators share: the running trial, and how values are told in a trace.
 * SPDX-License-Identifier: MIT
 */
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include "base/text.h"
#include "engine/trial.h"

#include <sennit/gen.h>

/* The running trial. What is called outside of one is an error of the programmer. */
struct trial *gen_trial(const char *function);

/* Ends the trial as failed: arguments make no sense. */
void gen_refuse(struct trial *t, const char *function, const char *label, const char *why);

/* Whether somebody wants to read what was drawn. */
static inline bool gen_is_told(const struct trial *t)
{
    return unlikely(t->recorder != NULL) && t->recorder->note != NULL;
}

/* Tells the value of a label: «ops[2].size = 7». Only if gen_is_told. */
void gen_tell(struct trial *t, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of a text that may have any byte in it. */
void gen_tell_text(struct trial *t, const char *label, const char *text, size_t n);

/* Draws without telling. A number below n, small ones and bounds more often. */
uint64_t gen_below(struct trial *t, const char *label, uint64_t n);

/* A magnitude and a sign. */
int64_t gen_int(struct trial *t, const char *label, int64_t min, int64_t max);

/* Decisions without a choice. Where values of one kind are drawn by fewer decisions than others,
 * these make up for it: a shrinker takes fewer for simpler. */
void gen_pad(struct trial *t, const char *label, uint32_t n);

/* One of two, of which the second comes with a probability of yes / of. */
bool gen_chance(struct trial *t, const char *label, uint32_t yes, uint32_t of);

#endif
