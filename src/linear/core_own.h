/* core_own.h - what the parts of the explanation share: core.c makes the core, core_explain.c finds
 * how far it can be ordered, core_print.c says it. SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_CORE_OWN_H
#define LINEAR_CORE_OWN_H

#include "linear/core.h"

/* Fills in the longest prefix of an object that holds this value at the beginning, and what could
 * come next. 0, or SN_ENOMEM. */
int core_explain(struct core *core, sn_value initial);

#endif
