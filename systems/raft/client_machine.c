/* client_machine.c - a client: asks one thing after another, and repeats itself until it is heard.
 *
 * It believes in a leader until that does not answer, sends it away, or names another one. What it
 * asks for and how long it thinks before are draws. It tells the monitors when an operation on a
 * register begins and ends, which is all that an observer from outside can know of the service.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "machines.h"
#include "registers.h"

enum {
    FIRST_MS = 250, /* by then there mostly is a leader */
    THINK_MS = 30,
    THINK_CHOICES = 4, /* 0 to 90 ms */
    RETRY_MS = 250,
    BUSY_MS = 40,
};

struct client {
    struct client_birth birth;
    struct raft_request request; /* the last one, answered or not */
    uint32_t leader;             /* whom it asks */
    bool is_waiting;             /* for an answer */
    sn_timer retry;
};

static sn_id director(const struct client *client)
{
    return director_of_client(client->birth.id, client->birth.servers);
}

static void send_request(struct client *client)
{
    sn_send(director(client) + client->leader, &request_event, &client->request);
}

static void retry_in(struct client *client, uint64_t delay_ms)
{
    if (client->retry != 0)
        sn_timer_cancel(client->retry);
    client->retry = sn_timer_start(&retry_event, delay_ms * MILLISECOND, NULL);
}

static bool is_change(const struct client *client)
{
    return client->request.kind == RAFT_ADD || client->request.kind == RAFT_REMOVE;
}

static void think(const struct client *client)
{
    if (client->request.sequence >= client->birth.operations) {
        sn_send(director(client), &finished_event, NULL);
        return;
    }
    sn_timer_start(&think_event, THINK_MS * MILLISECOND * sn_choose("thinking", THINK_CHOICES),
                   NULL);
}

static void tell(const struct client *client, const struct sn_event *event,
                 const struct raft_reply *reply)
{
    struct operation operation = {
        .client = client->birth.id,
        .key = client->request.data[REGISTER_KEY],
        .is_write = client->request.kind == RAFT_WRITE,
    };

    if (is_change(client))
        return;
    if (reply != NULL) {
        operation.value = reply->result[REGISTER_CONTENT];
        operation.version = reply->result[REGISTER_VERSION];
    }
    sn_monitor(&fresh_reads, event, &operation);
    if (client->birth.is_promised != 0)
        sn_monitor(&progress, reply == NULL ? &wanted_event : &had_event, NULL);
}

/* One of the things that this client is for. */
static enum raft_request_kind choose_kind(const struct client *client)
{
    enum raft_request_kind kinds[4];
    uint32_t n = 0;

    if ((client->birth.duties & DUTY_WRITE) != 0)
        kinds[n++] = RAFT_WRITE;
    if ((client->birth.duties & DUTY_READ) != 0)
        kinds[n++] = RAFT_READ;
    if ((client->birth.duties & DUTY_CHANGE) != 0) {
        kinds[n++] = RAFT_REMOVE;
        kinds[n++] = RAFT_ADD;
    }
    return kinds[n == 1 ? 0 : sn_choose("what to ask", n)];
}

static void on_birth(void *self, const void *payload)
{
    struct client *client = self;

    client->birth = *(const struct client_birth *)payload;
    client->leader = 1 + (uint32_t)sn_choose("whom to ask", client->birth.servers);
    sn_timer_start(&think_event, FIRST_MS * MILLISECOND, NULL);
}

/* Asks for something new, of whomever it believes to be the leader. */
static void on_think(void *self, const void *payload)
{
    struct client *client = self;
    struct raft_request *request = &client->request;

    (void)payload;
    request->client = client->birth.id;
    request->sequence++;
    request->kind = choose_kind(client);
    if (is_change(client)) {
        request->data[0] = 1 + (uint32_t)sn_choose("which server", client->birth.servers);
        request->data[1] = 0;
    } else {
        request->data[REGISTER_KEY] = (uint32_t)sn_choose("which register", client->birth.keys);
        request->data[REGISTER_VALUE] = 1000 * request->client + request->sequence;
    }
    client->is_waiting = true;
    tell(client, &begun_event, NULL);
    send_request(client);
    retry_in(client, RETRY_MS);
}

static void on_reply(void *self, const void *payload)
{
    struct client *client = self;
    const struct raft_reply *reply = payload;

    if (!client->is_waiting || reply->sequence != client->request.sequence)
        return;
    if (reply->status == RAFT_NOT_LEADER && reply->leader != 0) {
        client->leader = reply->leader;
        send_request(client);
        retry_in(client, RETRY_MS);
        return;
    }
    if (reply->status == RAFT_NOT_LEADER || reply->status == RAFT_BUSY) {
        retry_in(client, BUSY_MS);
        return;
    }
    client->is_waiting = false;
    if (client->retry != 0)
        sn_timer_cancel(client->retry);
    client->retry = 0;
    tell(client, &ended_event, reply);
    think(client);
}

/* An operator who gets no answer wants something else by now. The change may still be made, which
 * does no harm. */
static void on_retry(void *self, const void *payload)
{
    struct client *client = self;

    client->retry = 0;
    client->leader = 1 + (uint32_t)sn_choose("whom to ask", client->birth.servers);
    if (is_change(client)) {
        on_think(self, payload);
        return;
    }
    send_request(client);
    retry_in(client, RETRY_MS);
}

static const struct sn_on asking_on[] = {
    {.event = &think_event, .run = on_think},
    {.event = &reply_event, .run = on_reply},
    {.event = &retry_event, .run = on_retry},
    {0},
};

static const struct sn_state asking = {.name = "Asking", .entry = on_birth, .on = asking_on};

static const struct sn_field birth_fields[] = {
    SN_FIELD(struct client_birth, id, SN_UINT),
    SN_FIELD(struct client_birth, servers, SN_UINT),
    SN_FIELD(struct client_birth, duties, SN_SET),
    SN_FIELD(struct client_birth, keys, SN_UINT),
    SN_FIELD(struct client_birth, operations, SN_UINT),
    SN_FIELD(struct client_birth, is_promised, SN_BOOL),
    {0},
};

static const struct sn_event birth_event = {
    .name = "ClientBirth",
    .size = sizeof(struct client_birth),
    .fields = birth_fields,
};

const struct sn_machine raft_client = {
    .name = "Client",
    .size = sizeof(struct client),
    .start = &asking,
    .birth = &birth_event,
};
