/* site.h - what the machines around coordinator and participants have in common: the world.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWO_PHASE_COMMIT_SITE_H
#define TWO_PHASE_COMMIT_SITE_H

#include "machines.h"

/* The first member of both machines. */
struct site {
    struct site_birth birth;
};

/* Network, disk, timers and monitors, for a struct site. */
extern const struct tpc_io site_io;

/* Tells the monitors that a site begins to recover from its log, or has done so. */
void site_tell_recovery(const struct site *site, bool is_over);

/* The same for what a site, or the client, has decided or learned. */
void site_tell_decision(const struct cluster *cluster, const struct decision *decision);

/* The disk did not let the site start: boot_event comes after a while. */
void site_start_later(void);

#endif
