/* events.h - what the machines of the harness say to each other, and to the monitors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWO_PHASE_COMMIT_EVENTS_H
#define TWO_PHASE_COMMIT_EVENTS_H

#include "protocol.h"

#include <sennit/sennit.h>

enum {
    PARTICIPANTS = 3,
    SITES = PARTICIPANTS + 1,
    SITE_CLIENT = SITES, /* to the monitors, the client is one more site that learns outcomes */
};

/* Between sites: a struct tpc_message. */
extern const struct sn_event message_event;

/* ---- Between the client and the coordinator ------------------------------------------------- */

struct begin {
    uint32_t key;
};

struct outcome {
    uint32_t transaction;
    uint32_t outcome; /* enum tpc_outcome */
};

extern const struct sn_event begin_event;
extern const struct sn_event outcome_event;

/* ---- Timers --------------------------------------------------------------------------------- */

struct timeout {
    uint32_t transaction;
};

extern const struct sn_event timeout_event;
extern const struct sn_event boot_event;     /* the disk failed when the site started: try again */
extern const struct sn_event patience_event; /* the client begins another transaction */

/* ---- What monitors are told ----------------------------------------------------------------- */

struct vote {
    uint32_t transaction;
    uint32_t site;
};

struct decision {
    uint32_t transaction;
    uint32_t site;
    uint32_t outcome; /* enum tpc_outcome */
};

struct recovery {
    uint32_t site;
    uint32_t is_over; /* boolean: it begins, or the site has told all that it knows */
};

extern const struct sn_event vote_event; /* yes: a participant is in doubt from now on */
extern const struct sn_event decision_event;
extern const struct sn_event recovery_event;

#endif
