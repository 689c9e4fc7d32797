/* signature.h - what tells one failure from another: the oracle, the place, and who was concerned.
 *
 * Whether two failures are the same is asked in three ways, all of them here. Of two trials of one
 * program: by their signatures. The same bug seen in two trials has one, so it leaves out what
 * differs from trial to trial: numbers, addresses, how many events wait, whether a state came back
 * or the limit was reached. It keeps which machines are blocked in a deadlock, which monitor is hot
 * in which state, and the functions in which a process died. Of a trial and a trace of the same
 * program, whose messages may call machines by names that the trial does not know. And of two
 * traces, between which the program may have been changed. SPDX-License-Identifier: MIT
 */
#ifndef API_SIGNATURE_H
#define API_SIGNATURE_H

#include "engine/trial.h"
#include "trace/trace.h"

enum { SIGNATURE_BYTES = 640 };

struct signature {
    char text[SIGNATURE_BYTES]; /* "" if nothing has failed */
    uint64_t stack;             /* a hash of where the process died; 0: it did not */
};

/* Whether a failure is that something good did not happen although the end of the trial was fair,
 * so that it takes that end to see it. */
bool signature_is_liveness(const char *oracle, bool cut);

/* Whether it is that the process of the trial has ended, or had to be ended. */
bool signature_is_death(const char *oracle);

/* The signature of a trial that has ended. Machines are called after their types. */
struct signature signature_of(struct trial *t);

bool signature_is_same(const struct signature *a, const struct signature *b);
uint64_t signature_hash(const struct signature *s);

/* Whether a trial, cut at its limit or not, has failed as the trace says. */
bool signature_is_traced(const struct trace_verdict *was, const struct verdict *is, bool cut);

/* Whether two failures are recognisably the same, although the program was changed: same oracle,
 * and the same place, or the same file and the same message but for numbers. */
bool signature_is_alike(const struct trace_verdict *a, const struct trace_verdict *b);

#endif
