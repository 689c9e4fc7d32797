/* step.h - a trial whose decisions a person takes, or a program that speaks for one.
 *
 * It is a strategy that asks at standard input. Going back, saving and running on with another
 * strategy all leave the trial first, are done between trials, and return to it: step_left. What
 * the questions look like is in step_text.c and step_json.c, what can be answered in
 * step_command.c. docs/step.md is for people. SPDX-License-Identifier: MIT
 */
#ifndef API_STEP_H
#define API_STEP_H

#include "api/output.h"
#include "api/record.h"
#include "engine/explore.h"
#include "strategy/strategies.h"

struct step;

/* What a session works with, once all of it is open. */
struct step_joins {
    struct explore *explore;
    struct record *record;   /* writes traces */
    struct record *listener; /* knows the names of machines */
    struct output *output;
    const struct strategies *strategies;
    const char *strategy; /* what `run` runs; NULL: the default schedule */
    uint64_t seed;
    struct trace_header header; /* of traces of this run */
};

/* Makes a session, which is the `self` of the phase, and takes standard input away from the program
 * until step_close. strategies_close frees it. 0, SN_ENOMEM or SN_EIO. */
int step_open(struct explore_phase *phase, bool is_json, struct err *why);
void step_close(struct step *s);

void step_begin(struct step *s, const struct step_joins *joins);

/* The sink of a listener: shows what happens in the step that was picked last. */
void step_hear(void *self, const struct trace_record *record);

/* The trial was left, and is as far as it got: does what was asked for. False: that is to quit. */
bool step_left(struct step *s);

/* The trial has ended, or the session is about to: what `run` opened for it is closed. */
void step_settle(struct step *s);

/* A strategy that was to go on has nothing left to try: puts the question again. False: there was
 * no such strategy. */
bool step_refused(struct step *s);

/* The trial has ended: asks what is next. False: nothing is. */
bool step_ended(struct step *s, const struct sn_result *result);

/* The session is over. */
void step_done(struct step *s, const struct sn_result *result);

#endif
