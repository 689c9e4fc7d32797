/* harness.h - what the objects are tested with: agents as machines, clients as messages.
 *
 * An operation of a client is a message that is pending from the start. It is called when an agent
 * receives it, and returns in the step that answers it, so that a history is made of nothing but
 * the order in which messages are received.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DS2_HARNESS_H
#define DS2_HARNESS_H

#include "object.h"

#include <sennit/sennit.h>

/* Set by options, before the first trial. */
struct ds2_parameters {
    uint64_t reads;
    uint64_t writes;
    uint64_t agents;     /* 0: as many as the object usually has */
    uint64_t timeouts;   /* of Raft and Zab, in a trial */
    const char *variant; /* "fixed" or "asis" */
    bool raft_has_bug;
    bool zab_has_bug;
};

extern struct ds2_parameters ds2_parameters;
extern const struct sn_suite ds2_suite;

/* How an object is shown and tested. */
struct ds2_exhibit {
    const struct ds2_object *object;
    const struct sn_event *events; /* by kind of message */
    uint32_t agents;               /* if nobody says otherwise */
    bool has_keys;                 /* it is a map: the n-th write is to a key n of its own */
    bool has_timeouts;             /* agents do something by themselves */
    const bool *has_bug;           /* NULL: it has none for demonstration */
};

extern const struct ds2_exhibit ds2_register_exhibit;
extern const struct ds2_exhibit ds2_erroneous_exhibit;
extern const struct ds2_exhibit ds2_another_exhibit;
extern const struct ds2_exhibit ds2_chord_exhibit;
extern const struct ds2_exhibit ds2_paxos_exhibit;
extern const struct ds2_exhibit ds2_raft_exhibit;
extern const struct ds2_exhibit ds2_zab_exhibit;

/* What the messages of an object are about, for the strategy liviola. */
extern const struct sn_dependence ds2_register_dependence;
extern const struct sn_dependence ds2_chord_dependence;
extern const struct sn_dependence ds2_paxos_dependence;

/* Where operations are kept that wait for an answer; of the trial, and shared by its agents. */
struct ds2_desk {
    sn_op_id open[DS2_CLIENTS_MAX + 1]; /* by client; 0: not called yet, or answered */
};

struct ds2_birth {
    const struct ds2_exhibit *exhibit;
    struct ds2_desk *desk;
    uint32_t agent;
    uint32_t agents;
};

/* An agent of any of the objects. Agents are created one after the other, from agent 1 on. */
extern const struct sn_machine ds2_agent;

/* An operation, and the agent that it reaches. */
struct ds2_invocation {
    uint32_t to;
    struct ds2_message message;
};

/* The operations of a trial: of the endless sequence write, read, read, write, write, read, ...,
 * dealt to the agents in turn, the first so many reads and writes. Returns how many there are, at
 * most DS2_CLIENTS_MAX. */
uint32_t ds2_invocations(const struct ds2_parameters *parameters, uint32_t agents, bool has_keys,
                         struct ds2_invocation out[DS2_CLIENTS_MAX]);

/* Creates what takes part in a trial. */
void ds2_set_up(const struct ds2_exhibit *exhibit);

#endif
