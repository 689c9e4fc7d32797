/* noise.h - operations that have nothing to do with what is tested.
 *
 * A test of a real system spends most of its operations on other things: on starting applications,
 * logging, looking up names. --noise N adds about N of them to each trial, in four parts: before
 * the core starts, beside it in processes of their own, within its processes (which ask a library
 * of theirs for something), and after it has ended. None of them changes what the core does.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ERLANG_NOISE_H
#define ERLANG_NOISE_H

#include <sennit/process.h>

extern uint64_t noise_operations; /* --noise; does not change during a run */

/* Called by the process that starts the core, before and after. The second one only starts the
 * processes that go on beside the core, the third one waits for them first. */
void noise_before(void);
void noise_beside(void);
void noise_after(void);

/* The noise within a process of the core. */
struct noise {
    sn_id library;
    uint64_t points;
    uint64_t owed; /* operations times points */
};

/* Begins it. All processes of the core together pass about so many points in a trial. */
void noise_open(struct noise *noise, uint64_t points);

/* A point. */
void noise_pass(struct noise *noise);

#endif
