/* resume.h - a run leaves behind where it is, and another one goes on from there.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_RESUME_H
#define API_RESUME_H

#include "api/run_own.h"
#include "api/workers.h"

/* Puts the workers, which are open, where the last run ended, if the request wants that and there
 * was one. 0, or SN_E*. */
int resume_read(struct run *run, struct workers *ws);

/* Writes down where the run is now. 0, or SN_E*; what was written before is there then. */
int resume_write(struct run *run, const struct workers *ws);

#endif
