/* jobs.h - looks at the objects of a history in several processes. SPDX-License-Identifier: MIT */
#ifndef LINEAR_JOBS_H
#define LINEAR_JOBS_H

#include "linear/check.h"

/* Does what looking at one object after the other would, with the same result. */
int jobs_check(struct check *check);

#endif
