/* asker.h - what clients and operators have in common: a server that they take for the leader, one
 * request at a time, and a timer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_ASKER_H
#define LIBRAFT_ASKER_H

#include "events.h"

struct asker {
    struct client_birth birth;
    struct request request; /* the last one, answered or not */
    uint32_t sequence;
    uint32_t leader; /* whom it asks */
    uint32_t turn;   /* the last server that it has asked without being told to */
    bool is_sent;    /* to the leader by another server */
    bool is_waiting; /* for an answer */
    sn_timer timer;  /* 0: none runs */
    uint32_t timer_count;
};

/* How they are born. */
extern const struct sn_event client_birth_event;

/* Begins to think after so many milliseconds, of asking the first server. */
void asker_begin(struct asker *asker, const struct client_birth *birth, uint64_t delay_ms);

/* Waits for an event, and for no other any more; NULL: for none. */
void asker_wait(struct asker *asker, const struct sn_event *event, uint64_t delay_ms);

/* Asks a server for something, as told by its number, and waits so long for the answer. */
void asker_ask(struct asker *asker, uint32_t server, uint64_t patience_ms);

/* Its patience should be at an end; whether it waits once more all the same, as one does who was
 * impatient for long enough. */
bool asker_is_patient(struct asker *asker);

/* Whether a reply is the answer that it waits for. */
bool asker_awaits(const struct asker *asker, const struct reply *reply);

/* Makes a new request, with a number of its own. */
struct request *asker_request(struct asker *asker, uint32_t ask, uint32_t key);

/* Goes on to the next server. */
void asker_turn(struct asker *asker);

/* Was refused by who does not lead: goes to whom that takes for the leader, 0 for nobody. If it was
 * sent there by another one it goes on to the next server, or it might be sent in circles. */
void asker_go(struct asker *asker, uint32_t leader);

/* Tells the director that it wants nothing more. */
void asker_finish(const struct asker *asker);

#endif
