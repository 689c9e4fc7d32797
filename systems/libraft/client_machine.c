/* client_machine.c - a client: writes and reads registers, one operation after another.
 *
 * It believes in a leader until that does not answer, sends it away, or names another one. What it
 * asks for and how long it thinks before are draws. The history of what it calls and what comes
 * back is recorded: an operation that was refused has not happened, one that failed or was not
 * answered may have. It is on no node, since only its requests matter. It is promised to have all
 * that it wants in the end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "asker.h"

enum {
    FIRST_MS = 400, /* by then there mostly is a leader */
    THINK_MS = 50,
    THINK_CHOICES = 3,
    PATIENCE_MS = 800, /* then it gives up */
    BUSY_MS = 100,
};

struct client {
    struct asker asker;
    sn_op_id operation;
    uint32_t had_count; /* operations that it has had an answer to */
};

static void think(struct client *client)
{
    struct asker *asker = &client->asker;

    asker->is_waiting = false;
    if (client->had_count < asker->birth.operations) {
        asker_wait(asker, &think_event, THINK_MS * sn_choose("thinking", THINK_CHOICES));
        return;
    }
    asker_wait(asker, NULL, 0);
    sn_monitor(&progress, &had_event, NULL);
    asker_finish(asker);
}

static uint32_t choose_ask(const struct client *client)
{
    uint32_t duties = client->asker.birth.duties;
    uint32_t asks[3];
    uint32_t n = 0;

    if ((duties & DUTY_WRITE) != 0)
        asks[n++] = ASK_WRITE;
    if ((duties & DUTY_READ) != 0)
        asks[n++] = ASK_READ;
    if ((duties & DUTY_BARRIER_READ) != 0)
        asks[n++] = ASK_BARRIER_READ;
    return asks[n == 1 ? 0 : sn_choose("what to ask", n)];
}

/* Asks for something new, of whomever it believes to be the leader. */
static void on_think(void *self, const void *payload)
{
    struct client *client = self;
    uint32_t ask = choose_ask(client);
    const struct request *request =
        asker_request(&client->asker, ask, (uint32_t)sn_choose("which register", KEYS));

    (void)payload;
    client->asker.timer = 0;
    if (ask == ASK_WRITE)
        client->operation = sn_op_begin("write", request->key, request->id, SN_VALUE_NIL);
    else
        client->operation = sn_op_begin("read", request->key, SN_VALUE_NIL, SN_VALUE_NIL);
    asker_ask(&client->asker, client->asker.leader, PATIENCE_MS);
}

static void on_birth(void *self, const void *payload)
{
    struct client *client = self;

    sn_monitor(&progress, &wanted_event, NULL);
    asker_begin(&client->asker, payload, FIRST_MS);
}

static void on_reply(void *self, const void *payload)
{
    struct client *client = self;
    struct asker *asker = &client->asker;
    const struct reply *reply = payload;

    if (!asker_awaits(asker, reply))
        return;
    if (reply->is_refused != 0) {
        sn_op_fail(client->operation);
        asker_go(asker, reply->leader);
        asker->is_waiting = false;
        asker_wait(asker, &think_event, BUSY_MS);
        return;
    }
    if (reply->status == 0) {
        bool is_write = asker->request.ask == ASK_WRITE;

        client->had_count++;
        asker->is_sent = false;
        sn_op_end(client->operation, is_write ? SN_VALUE_NIL : reply->value);
    } else {
        asker_go(asker, reply->leader);
    }
    think(client);
}

static void on_retry(void *self, const void *payload)
{
    struct client *client = self;

    (void)payload;
    client->asker.timer = 0;
    if (asker_is_patient(&client->asker))
        return;
    asker_turn(&client->asker);
    think(client);
}

static const struct sn_on asking_on[] = {
    {.event = &think_event, .run = on_think},
    {.event = &reply_event, .run = on_reply},
    {.event = &retry_event, .run = on_retry},
    {0},
};

static const struct sn_state asking = {.name = "Asking", .entry = on_birth, .on = asking_on};

const struct sn_machine libraft_client = {
    .name = "Client",
    .size = sizeof(struct client),
    .start = &asking,
    .birth = &client_birth_event,
};
