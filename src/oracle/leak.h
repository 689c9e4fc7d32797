/* leak.h - the oracle of leaks: memory that a trial has allocated and lost.
 *
 * A block of the heap that the trial allocated, that was not freed and that nothing points to when
 * the trial ends (reach.h). What a machine's `self` or a pending event points to is not lost,
 * whether or not the machine has halted. SPDX-License-Identifier: MIT
 */
#ifndef ORACLE_LEAK_H
#define ORACLE_LEAK_H

#include "engine/trial.h"
#include "engine/world/reach.h"

/* From now on trials are judged. `stack` is as for reach_init; what is allocated already counts for
 * nothing. 0; SN_EINVAL with a sentence if the heap is not Sennit's; or SN_ENOMEM. */
int leak_open(struct trial *t, const void *stack, struct err *why);

/* Back to what it was. Does nothing if leaks are not looked for. */
void leak_close(struct trial *t);

#endif
