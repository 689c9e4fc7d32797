/* machines.h - the machines of the harness and what they are born with.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWO_PHASE_COMMIT_MACHINES_H
#define TWO_PHASE_COMMIT_MACHINES_H

#include "events.h"

/* Who is who. Filled in before the first step, and constant from then on. */
struct cluster {
    sn_id sites[SITES];
    sn_id client;
    bool has_termination_monitor;
};

struct site_birth {
    const struct cluster *cluster;
    uint64_t site;
};

/* Of coordinator_machine and participant_machine. */
extern const struct sn_event site_birth_event;

extern const struct sn_machine coordinator_machine;
extern const struct sn_machine participant_machine;
extern const struct sn_machine client_machine;
extern const struct sn_machine atomicity_monitor;
extern const struct sn_machine termination_monitor;

/* Set by --bug NAME. */
extern bool bug_early_commit;
extern bool bug_counted_acks;
extern bool bug_impatient;
extern bool bug_forgotten_promise;
extern bool bug_second_vote;
extern bool bug_forgotten_refusal;

#endif
