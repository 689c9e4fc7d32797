/* liveness.h - whether what should happen does happen: see liveness.c. SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_LIVENESS_H
#define SUBSTRATE_LIVENESS_H

#include "substrate/machine.h"

/* Whether a trial that reaches a limit is judged: a monitor of the test has a hot state, as far as
 * the tables of its states tell, or trials must end, or the test asks for a tail. */
bool liveness_matters(const struct sn_test *test);

/* A monitor has left one state for another, or begun. */
void liveness_turn(struct trial *t, const struct machine *monitor, const struct sn_state *was);

/* A fault strikes: what comes of it must be given time. */
void liveness_disturb(struct trial *t);

/* Whether a quarter of the fair tail, in steps or in virtual time, has passed since this moment
 * and since the last fault. */
bool liveness_has_gone_on(const struct trial *t, uint64_t step, uint64_t time_ns);

/* ---- For the oracle of machines ------------------------------------------------------------- */

void liveness_arm(struct trial *t);
void liveness_watch(struct trial *t);
void liveness_judge(struct trial *t, bool at_limit);

/* The step since which a monitor is hot, at the end of a trial; UINT64_MAX: none is. */
uint64_t liveness_hot_since(const struct trial *t);

#endif
