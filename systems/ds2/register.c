/* register.c - the distributed register: one agent leads, the others have copies.
 *
 * Agents pass operations on to agent 1, the leader. It has a write copied, and asks the others what
 * they have for a read; when a majority of the answers so far has the leader's value, the client is
 * answered. No agent fails, so that the leader's value is the right one at any time.
 *
 * The published program has two defects, which are here in the variant `asis`. A read that finds a
 * copy which has not heard of a write yet is never answered if that leaves no majority: the test
 * for another round compares the wrong counts, and is never true with two agents. And for a write
 * that was passed on, the leader tells the copies the agent that did so instead of the client: the
 * acknowledgements are about an operation that nobody knows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "register.h"

enum { LEADER = 1 };

/* How far a client's operation has got, at the leader. */
struct tracker {
    bool is_open;
    uint32_t round;
    uint32_t received; /* answers of this round, the leader's own included */
    uint32_t same;     /* of those, how many had the same value */
    int64_t value;
};

struct register_agent {
    struct ds2_place place;
    int64_t value;
    struct tracker writes[DS2_CLIENTS_MAX + 1]; /* by client */
    struct tracker reads[DS2_CLIENTS_MAX + 1];
};

static bool is_leader(const struct register_agent *a)
{
    return a->place.agent == LEADER;
}

static void count_answer(struct tracker *tracker, const struct ds2_message *m)
{
    if (m->number != tracker->round)
        return;
    tracker->received++;
    tracker->same += m->value == tracker->value;
}

static bool has_majority(const struct tracker *tracker)
{
    return tracker->same > tracker->received / 2;
}

/* Member by member: an agent's state is compared by its bytes, and those between members would be
 * what the stack had. */
static void lead(const struct register_agent *a, struct tracker *tracker)
{
    tracker->is_open = true;
    tracker->round = 0;
    tracker->received = 1;
    tracker->same = 1;
    tracker->value = a->value;
}

static void on_write(struct register_agent *a, const struct ds2_message *m)
{
    struct ds2_message copy = *m;

    if (!is_leader(a)) {
        ds2_send(&a->place, LEADER, *m);
        return;
    }
    a->value = m->value;
    lead(a, &a->writes[m->client]);
    copy.kind = REGISTER_WRITE_REPLICA;
    if (a->place.is_as_published && m->from != 0)
        copy.client = 0;
    ds2_send_others(&a->place, copy);
}

static void on_read(struct register_agent *a, const struct ds2_message *m)
{
    struct ds2_message question = {.kind = REGISTER_READ_REPLICA, .client = m->client};

    if (!is_leader(a)) {
        ds2_send(&a->place, LEADER, *m);
        return;
    }
    lead(a, &a->reads[m->client]);
    ds2_send_others(&a->place, question);
}

static void on_write_replica(struct register_agent *a, const struct ds2_message *m)
{
    struct ds2_message ack = *m;

    a->value = m->value;
    ack.kind = REGISTER_WRITE_REPLICA_ACK;
    ds2_send(&a->place, m->from, ack);
}

static void on_read_replica(struct register_agent *a, const struct ds2_message *m)
{
    struct ds2_message ack = *m;

    ack.kind = REGISTER_READ_REPLICA_ACK;
    ack.value = a->value;
    ds2_send(&a->place, m->from, ack);
}

static void on_write_replica_ack(struct register_agent *a, const struct ds2_message *m)
{
    struct tracker *tracker = &a->writes[m->client];

    if (!tracker->is_open)
        return;
    count_answer(tracker, m);
    if (!has_majority(tracker))
        return;
    tracker->is_open = false;
    ds2_respond(&a->place, m->client, DS2_NOTHING);
}

/* As it was published: asks again, but looks for the end of the round one answer too early. */
static void ask_again(struct register_agent *a, uint32_t client)
{
    struct tracker *tracker = &a->reads[client];
    struct ds2_message question = {.kind = REGISTER_READ_REPLICA, .client = client};

    if (tracker->received != a->place.agents - 1)
        return;
    question.number = ++tracker->round;
    tracker->received = tracker->same = 1;
    ds2_send_others(&a->place, question);
}

static void on_read_replica_ack(struct register_agent *a, const struct ds2_message *m)
{
    struct tracker *tracker = &a->reads[m->client];

    if (!tracker->is_open)
        return;
    count_answer(tracker, m);
    /* All writes come by here, so the leader's value is right even if no copy has it yet. */
    if (has_majority(tracker) ||
        (!a->place.is_as_published && tracker->received == a->place.agents)) {
        tracker->is_open = false;
        ds2_respond(&a->place, m->client, tracker->value);
    } else if (a->place.is_as_published) {
        ask_again(a, m->client);
    }
}

static void receive(void *agent, const struct ds2_message *m)
{
    static void (*const handlers[REGISTER_KINDS])(struct register_agent *,
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

const struct ds2_object ds2_register = {
    .name = "register",
    .size = sizeof(struct register_agent),
    .message_size = sizeof(struct ds2_message),
    .receive = receive,
};
