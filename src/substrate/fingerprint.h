/* fingerprint.h - the state of a trial as one number: equal states have equal numbers.
 *
 * A state is all that decides what can happen from there on: machines, monitors, what is pending,
 * the environment and disks. Not part of it are ids, steps and the time that has passed: deadlines
 * count from now. What machines keep in their memory only they can tell (sn_machine.fingerprint).
 * SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_FINGERPRINT_H
#define SUBSTRATE_FINGERPRINT_H

#include "engine/trial.h"

/* The state between two steps. False: a machine cannot tell its own. */
bool fingerprint_state(struct trial *t, uint64_t *fingerprint);

/* What a machine remembers and does with events: by its own fingerprint, or else by the memory that
 * it was created with. */
uint64_t fingerprint_machine(struct trial *t, uint32_t task);

/* For who rests a claim on it: adds all that decides what can happen from here on and how it is
 * judged, but for what is pending. 0, or SN_EINVAL with a sentence: somebody cannot tell. */
int fingerprint_exact(struct trial *t, struct state_key *key, struct err *why);

/* A pending operation, but for its place: who performs it, from whom, and what it carries. */
struct state_key fingerprint_content(const struct trial *t, const struct sn_op *op);
uint64_t fingerprint_op(const struct trial *t, const struct sn_op *op);

#endif
