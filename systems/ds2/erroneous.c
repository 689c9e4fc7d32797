/* erroneous.c - the erroneous register: a write is acknowledged as soon as one copy has it, and
 * every agent answers reads from its own.
 *
 * That is the bug: a copy that has not heard of a write is read after the write was acknowledged.
 * SPDX-License-Identifier: MIT
 */
#include "register.h"

enum { LEADER = 1 };

struct erroneous_agent {
    struct ds2_place place;
    int64_t value;
    bool is_open[DS2_CLIENTS_MAX + 1]; /* writes that have not been acknowledged */
};

static void on_write(struct erroneous_agent *a, const struct ds2_message *m)
{
    struct ds2_message copy = *m;

    if (a->place.agent != LEADER) {
        ds2_send(&a->place, LEADER, *m);
        return;
    }
    a->value = m->value;
    a->is_open[m->client] = true;
    copy.kind = REGISTER_WRITE_REPLICA;
    ds2_send_others(&a->place, copy);
}

static void on_write_replica(struct erroneous_agent *a, const struct ds2_message *m)
{
    struct ds2_message ack = *m;

    a->value = m->value;
    ack.kind = REGISTER_WRITE_REPLICA_ACK;
    ds2_send(&a->place, m->from, ack);
}

static void on_write_replica_ack(struct erroneous_agent *a, const struct ds2_message *m)
{
    if (!a->is_open[m->client])
        return;
    a->is_open[m->client] = false;
    ds2_respond(&a->place, m->client, DS2_NOTHING);
}

static void receive(void *agent, const struct ds2_message *m)
{
    struct erroneous_agent *a = agent;

    if (m->kind == DS2_READ)
        ds2_respond(&a->place, m->client, a->value);
    else if (m->kind == DS2_WRITE)
        on_write(a, m);
    else if (m->kind == REGISTER_WRITE_REPLICA)
        on_write_replica(a, m);
    else if (m->kind == REGISTER_WRITE_REPLICA_ACK)
        on_write_replica_ack(a, m);
}

const struct ds2_object ds2_erroneous = {
    .name = "erroneous",
    .size = sizeof(struct erroneous_agent),
    .message_size = sizeof(struct ds2_message),
    .receive = receive,
};
