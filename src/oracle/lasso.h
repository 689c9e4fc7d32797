/* lasso.h - a trial that comes back to a state in which it was before, and could so for ever.
 * SPDX-License-Identifier: MIT
 */
#ifndef ORACLE_LASSO_H
#define ORACLE_LASSO_H

#include "engine/trial.h"

/* Makes the oracle part of a trial. 0, or SN_ENOMEM. */
int lasso_join(struct trial *t, struct err *why);
void lasso_leave(struct trial *t);

#endif
