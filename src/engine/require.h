/* require.h - orders that trials must respect, as a filter in front of whatever decides.
 *
 * "A before B" means: B is held until A has run. Held operations are taken out of the set of those
 * that can run, so no strategy sees them; what waits behind one in its queue waits, too. If B never
 * comes there is nothing to hold. Nothing else changes: the trials that come to their end are those
 * of the program in which the orders hold. So virtual time does not pass while something is held
 * that could run, any more than it would otherwise. When nothing but held operations is left, the
 * trial is stuck: it ends, is not judged, and has not failed (t->stuck). One that is cut at a limit
 * while something is held is stuck as well, since it was not the program that kept it from going
 * on. What fails before that is real: up to there the trial is a trial of the program.
 *
 * What ran and what was drawn is in the log as ever, so the trial of a log repeats itself without
 * any of this. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_REQUIRE_H
#define ENGINE_REQUIRE_H

#include "engine/constraint.h"
#include "engine/trial.h"

struct require;

/* Lets a trial's decisions be filtered, from the next trial on that begins with its set-up; the
 * memory for that lasts until require_close. Both may be called while nothing is explored only. 0,
 * or SN_ENOMEM. */
int require_open(struct trial *t, struct err *why);
void require_close(struct trial *t);

/* What is to be respected from the next trial on; NULL: nothing. `c` is borrowed until it is
 * replaced. A set-up that was saved with other constraints must be forgotten (explore_require sees
 * to both). With `steers`, which is for strategies that do not try everything, an alias is helped
 * to come about: of a class X of "first X after A" the last one that is pending is kept until A has
 * run, as long as anything else can be done. 0, or SN_ENOMEM if it is too much. */
int require_set(struct trial *t, const struct constraints *c, bool steers, struct err *why);

/* Whether an operation, or draw, of this name was ever announced, in all trials so far of this
 * trial's process and of those forked from it. */
bool require_has_seen(const struct trial *t, uint32_t name);

/* The constraints, by their numbers, for which operations are held now that wait for nothing that
 * is held itself; up to n of them. Returns how many were written. */
uint32_t require_blame(const struct trial *t, uint32_t *out, uint32_t n);

/* ---- For the engine ------------------------------------------------------------------------- */

/* The filter is switched off, for a log that is followed, and on again. */
void require_suspend(struct trial *t);
void require_resume(struct trial *t);

/* A trial begins from nothing; its set-up is over; and what is pending has changed since. */
void require_begin(struct trial *t);
void require_settle(struct trial *t);
void require_sift(struct trial *t);

/* Where announcements are to be written. */
struct announced *require_announced(const struct trial *t);

/* Whether an operation is held now; and one that keeps time from passing, as faults do not. */
bool require_holds(const struct trial *t);
bool require_holds_steps(const struct trial *t);

/* Nothing else can be done: gives free what is only kept to help. False: nothing is. */
bool require_yield(struct trial *t);

/* The value that a draw must have. False: any. One that it cannot have ends the trial: it is stuck.
 */
bool require_draw(struct trial *t, const struct sn_draw *draw, uint64_t *value);

/* An operation has this perform from now on: see trial_join. */
void require_set_perform(struct trial *t, uint16_t kind,
                         void (*perform)(struct trial *t, struct sn_op *op));

#endif
