/* simulated.h - the simulated synchroniser, as who performs operations for sn_sync_test.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SYNC_SIMULATED_H
#define SYNC_SIMULATED_H

#include "protocol.h"
#include <sennit/sync.h>

/* The driver "simulated". Its functions are for a process of a trial (sennit/process.h) with ideal
 * timers. *self receives what they want as their first argument. There is one synchroniser in a
 * trial; start makes it anew. */
const struct sn_sync_driver *sync_simulated(void **self);

/* In which ways it is wrong; all false: none. To be set before trials. */
extern struct sync_wrong sync_wrong;

#endif
