/* client_machine.c - a client: writes and reads registers, one operation after another.
 *
 * It believes in a leader until that does not answer, sends it away, or names another one. What it
 * asks for and how long it thinks before are draws. The history of what it calls and what comes
 * back is recorded: an operation that was refused has not happened, one that failed or was not
 * answered may have. It is on no node, since only its requests matter.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

enum {
    FIRST_MS = 400, /* by then there mostly is a leader */
    THINK_MS = 50,
    THINK_CHOICES = 3,
    PATIENCE_MS = 800, /* then it gives up */
    BUSY_MS = 100,
};

struct client {
    struct client_birth birth;
    struct request request; /* the last one, answered or not */
    sn_op_id operation;
    uint32_t sequence;
    uint32_t had_count; /* operations that it has had an answer to */
    uint32_t leader;    /* whom it asks */
    bool is_waiting;    /* for an answer */
    sn_timer timer;
};

static sn_id director(const struct client *client)
{
    return director_of_client(client->birth.id, client->birth.servers);
}

static void wait_for(struct client *client, const struct sn_event *event, uint64_t delay_ms)
{
    if (client->timer != 0)
        sn_timer_cancel(client->timer);
    client->timer = sn_timer_start(event, delay_ms * MILLISECOND, NULL);
}

static void think(struct client *client)
{
    client->is_waiting = false;
    if (client->had_count < client->birth.operations) {
        wait_for(client, &think_event, THINK_MS * sn_choose("thinking", THINK_CHOICES));
        return;
    }
    if (client->timer != 0)
        sn_timer_cancel(client->timer);
    client->timer = 0;
    sn_monitor(&progress, &had_event, NULL);
    sn_send(director(client), &finished_event, NULL);
}

static uint32_t choose_ask(const struct client *client)
{
    uint32_t asks[3];
    uint32_t n = 0;

    if ((client->birth.duties & DUTY_WRITE) != 0)
        asks[n++] = ASK_WRITE;
    if ((client->birth.duties & DUTY_READ) != 0)
        asks[n++] = ASK_READ;
    if ((client->birth.duties & DUTY_BARRIER_READ) != 0)
        asks[n++] = ASK_BARRIER_READ;
    return asks[n == 1 ? 0 : sn_choose("what to ask", n)];
}

/* Asks for something new, of whomever it believes to be the leader. */
static void on_think(void *self, const void *payload)
{
    struct client *client = self;
    struct request *request = &client->request;

    (void)payload;
    client->timer = 0;
    *request = (struct request){
        .id = ++client->sequence * (CLIENTS_MAX + 1) + client->birth.id,
        .ask = choose_ask(client),
        .key = (uint32_t)sn_choose("which register", KEYS),
        .client = sn_self(),
    };
    if (request->ask == ASK_WRITE)
        client->operation = sn_op_begin("write", request->key, request->id, SN_VALUE_NIL);
    else
        client->operation = sn_op_begin("read", request->key, SN_VALUE_NIL, SN_VALUE_NIL);
    client->is_waiting = true;
    sn_send(director(client) + client->leader, &request_event, request);
    wait_for(client, &retry_event, PATIENCE_MS);
}

static void on_birth(void *self, const void *payload)
{
    struct client *client = self;

    client->birth = *(const struct client_birth *)payload;
    client->leader = 1;
    sn_monitor(&progress, &wanted_event, NULL);
    wait_for(client, &think_event, FIRST_MS);
}

static void ask_another(struct client *client, uint32_t leader)
{
    if (leader != 0 && leader != client->leader)
        client->leader = leader;
    else
        client->leader = 1 + client->leader % client->birth.servers;
}

static void on_reply(void *self, const void *payload)
{
    struct client *client = self;
    const struct reply *reply = payload;

    if (!client->is_waiting || reply->id != client->request.id)
        return;
    if (reply->is_refused != 0) {
        sn_op_fail(client->operation);
        ask_another(client, reply->leader);
        client->is_waiting = false;
        wait_for(client, &think_event, BUSY_MS);
        return;
    }
    if (reply->status == 0) {
        bool is_write = client->request.ask == ASK_WRITE;

        client->had_count++;
        sn_op_end(client->operation, is_write ? SN_VALUE_NIL : reply->value);
    } else {
        ask_another(client, reply->leader);
    }
    think(client);
}

static void on_retry(void *self, const void *payload)
{
    struct client *client = self;

    (void)payload;
    client->timer = 0;
    ask_another(client, 0);
    think(client);
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
    SN_FIELD(struct client_birth, duties, SN_SET),
    SN_FIELD(struct client_birth, operations, SN_UINT),
    {0},
};

static const struct sn_event birth_event = {
    .name = "ClientBirth",
    .size = sizeof(struct client_birth),
    .fields = birth_fields,
};

const struct sn_machine libraft_client = {
    .name = "Client",
    .size = sizeof(struct client),
    .start = &asking,
    .birth = &birth_event,
};
