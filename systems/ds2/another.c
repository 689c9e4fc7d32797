/* another.c - another distributed register: whichever agent a client asks leads its operation.
 *
 * A write is acknowledged when every agent has it, and a read is answered when every agent has what
 * the leading one has at that moment. A read that finds them different would be tried again, but
 * the published program's test for that is the wrong way round and never true: such a read stays
 * without an answer, and so it is here.
 *
 * SPDX-License-Identifier: MIT
 */
#include "register.h"

struct another_agent {
    struct ds2_place place;
    int64_t value;
    uint32_t copied[DS2_CLIENTS_MAX + 1]; /* by client: agents that have its write */
    uint32_t same[DS2_CLIENTS_MAX + 1];   /* by client: agents that had the same value */
};

static void on_write(struct another_agent *a, const struct ds2_message *m)
{
    struct ds2_message copy = *m;

    a->value = m->value;
    a->copied[m->client] = 1;
    copy.kind = REGISTER_WRITE_REPLICA;
    ds2_send_others(&a->place, copy);
}

static void on_read(struct another_agent *a, const struct ds2_message *m)
{
    a->same[m->client] = 1;
    ds2_send_others(&a->place,
                    (struct ds2_message){.kind = REGISTER_READ_REPLICA, .client = m->client});
}

static void on_write_replica(struct another_agent *a, const struct ds2_message *m)
{
    struct ds2_message ack = *m;

    a->value = m->value;
    ack.kind = REGISTER_WRITE_REPLICA_ACK;
    ds2_send(&a->place, m->from, ack);
}

static void on_write_replica_ack(struct another_agent *a, const struct ds2_message *m)
{
    if (++a->copied[m->client] == a->place.agents)
        ds2_respond(&a->place, m->client, DS2_NOTHING);
}

static void on_read_replica(struct another_agent *a, const struct ds2_message *m)
{
    struct ds2_message ack = *m;

    ack.kind = REGISTER_READ_REPLICA_ACK;
    ack.value = a->value;
    ds2_send(&a->place, m->from, ack);
}

/* When all have answered and not all alike, nothing more happens. */
static void on_read_replica_ack(struct another_agent *a, const struct ds2_message *m)
{
    a->same[m->client] += m->value == a->value;
    if (a->same[m->client] == a->place.agents)
        ds2_respond(&a->place, m->client, a->value);
}

static void receive(void *agent, const struct ds2_message *m)
{
    static void (*const handlers[REGISTER_KINDS])(struct another_agent *,
                                                  const struct ds2_message *) = {
        [DS2_READ] = on_read,
        [DS2_WRITE] = on_write,
        [REGISTER_WRITE_REPLICA] = on_write_replica,
        [REGISTER_WRITE_REPLICA_ACK] = on_write_replica_ack,
        [REGISTER_READ_REPLICA] = on_read_replica,
        [REGISTER_READ_REPLICA_ACK] = on_read_replica_ack,
    };

    if (m->kind < REGISTER_KINDS && handlers[m->kind] != NULL)
        handlers[m->kind](agent, m);
}

const struct ds2_object ds2_another = {
    .name = "another",
    .size = sizeof(struct another_agent),
    .message_size = sizeof(struct ds2_message),
    .receive = receive,
};
