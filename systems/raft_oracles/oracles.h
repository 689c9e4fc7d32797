/* oracles.h - what Raft promises of logs and leaders, as monitors for any implementation of it.
 *
 * The case studies that are Raft share these: systems/raft, which was written with them, and
 * systems/libraft, which was written by others. Whoever looks at a server tells them what it has
 * done. All members of what they are told have four bytes, so that there is no padding.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RAFT_ORACLES_ORACLES_H
#define RAFT_ORACLES_ORACLES_H

#include <sennit/sennit.h>

/* The bounds of what monitors keep. What lies beyond is not judged. */
enum {
    ORACLE_INDEXES_MAX = 512, /* of entries */
    ORACLE_LOG_MAX = 128,     /* entries behind a snapshot, of a server that is elected */
    ORACLE_TERMS_MAX = 6,     /* of which an index may have entries, in one trial */
    ORACLE_ELECTIONS_MAX = 24,
};

/* A server leads a term, with this log. */
struct elected {
    uint32_t server;
    uint32_t term;
    uint32_t base_index; /* entries up to here are in its snapshot */
    uint32_t last_index;
    uint32_t terms[ORACLE_LOG_MAX]; /* of the entries behind */
};

/* An entry is in the log of a server, behind one of prev_term. */
struct appended {
    uint32_t server;
    uint32_t index;
    uint32_t term;
    uint32_t prev_term; /* 0: not known, or there is none */
    uint32_t digest;    /* of what the entry says */
};

/* A server takes an entry for committed. */
struct committed {
    uint32_t server;
    uint32_t server_term;
    uint32_t index;
    uint32_t term; /* 0: not known */
};

extern const struct sn_event elected_event;
extern const struct sn_event appended_event;
extern const struct sn_event committed_event;
extern const struct sn_event wanted_event; /* a client wants something */
extern const struct sn_event had_event;    /* ... and has had it */

/* Is told when an entry is appended. */
extern const struct sn_machine log_matching;

/* Is told when a server is elected, and when it takes an entry for committed. */
extern const struct sn_machine leader_completeness;

/* Is told when clients want something, and when they have had it. */
extern const struct sn_machine progress;

#endif
