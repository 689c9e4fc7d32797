/* object.h - what the replicated objects have in common: agents, messages, and the way out.
 *
 * An object is a set of agents, numbered from 1, that send each other messages over a network that
 * loses nothing, doubles nothing and keeps no order. Clients are numbered from 1 too; each has one
 * operation, a read or a write, which reaches one agent as a message. Some agent answers it, sooner
 * or later. The objects know nothing of Sennit and allocate nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DS2_OBJECT_H
#define DS2_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DS2_AGENTS_MAX = 7,
    DS2_CLIENTS_MAX = 16,
    DS2_KEYS_MAX = 8,
    DS2_TIMEOUTS_MAX = 8,
};

#define DS2_NOTHING INT64_C(-1) /* no value: of a key that was never written */

/* The kinds of messages that reach every object. Each has further ones of its own. */
enum ds2_kind {
    DS2_READ = 0,  /* a client's operation, or one that another agent passes on */
    DS2_WRITE = 1, /* the same */
    DS2_WAKE = 2,  /* what the object does by itself: a timeout, the wish to join */
    DS2_OWN = 3,   /* the first kind of the object's own */
};

/* An operation that agents keep in a log. */
struct ds2_entry {
    uint32_t number; /* of the term or epoch in which it was proposed */
    uint32_t client;
    uint32_t is_write;
    int64_t key;
    int64_t value;
};

enum { DS2_LOG_MAX = DS2_CLIENTS_MAX };

/* What a field means beyond its comment is said by the object that uses it. */
struct ds2_message {
    uint32_t kind;
    uint32_t from;   /* the agent that sends it; 0: a client, or the test */
    uint32_t client; /* whose operation it is about; 0: nobody's */
    uint32_t number; /* round, proposal, term, epoch */
    uint32_t latest; /* the highest such number that the sender knows */
    uint32_t agent;  /* an agent that it tells of */
    uint32_t is_write;
    int64_t key;
    int64_t value;
};

/* The messages of objects that replicate a log. */
struct ds2_log_message {
    struct ds2_message head;
    uint32_t index;     /* of a place in the log, from 1 */
    uint32_t term;      /* of the entry at that place */
    uint32_t committed; /* how many entries are */
    uint32_t n;         /* entries that follow */
    struct ds2_entry entries[DS2_LOG_MAX];
};

/* The world of an agent. */
struct ds2_io {
    /* Sends a message, of the size that the object's messages have, to an agent. */
    void (*send)(void *self, uint32_t to, const struct ds2_message *message);
    /* Answers a client: what was read, or DS2_NOTHING. What comes later than the first answer is
     * not heard. */
    void (*respond)(void *self, uint32_t client, int64_t value);
};

/* Who an agent is. */
struct ds2_place {
    uint32_t agent;
    uint32_t agents;
    bool is_as_published; /* with the defects of the published program */
    bool has_bug;         /* with the bug that the object has for demonstration */
    const struct ds2_io *io;
    void *io_self;
};

struct ds2_object {
    const char *name;
    size_t size; /* of an agent's state, which begins with its struct ds2_place and is zeroed */
    size_t message_size;
    void (*init)(void *agent); /* NULL: zeros do */
    void (*receive)(void *agent, const struct ds2_message *message);
};

extern const struct ds2_object ds2_register;
extern const struct ds2_object ds2_erroneous;
extern const struct ds2_object ds2_another;
extern const struct ds2_object ds2_chord;
extern const struct ds2_object ds2_paxos;
extern const struct ds2_object ds2_raft;
extern const struct ds2_object ds2_zab;

/* ---- For objects ---------------------------------------------------------------------------- */

static inline void ds2_send(const struct ds2_place *place, uint32_t to, struct ds2_message message)
{
    message.from = place->agent;
    place->io->send(place->io_self, to, &message);
}

static inline void ds2_send_log(const struct ds2_place *place, uint32_t to,
                                struct ds2_log_message *message)
{
    message->head.from = place->agent;
    place->io->send(place->io_self, to, &message->head);
}

/* To all agents but this one. */
static inline void ds2_send_others(const struct ds2_place *place, struct ds2_message message)
{
    for (uint32_t to = 1; to <= place->agents; to++) {
        if (to != place->agent)
            ds2_send(place, to, message);
    }
}

static inline void ds2_respond(const struct ds2_place *place, uint32_t client, int64_t value)
{
    place->io->respond(place->io_self, client, value);
}

#endif
