/* operator_machine.c - an operator: transfers leadership, changes members, closes servers.
 *
 * What it asks for, and of whom, are draws; that some of it makes no sense is part of the test.
 * Nobody promises it anything: an answer that does not come it does not wait for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "asker.h"

enum {
    FIRST_MS = 500,
    THINK_MS = 100,
    THINK_CHOICES = 4,
    PATIENCE_MS = 600,
    ROLES = 3,
};

static void think(struct asker *who)
{
    who->is_waiting = false;
    if (who->sequence < who->birth.operations) {
        asker_wait(who, &think_event, THINK_MS * sn_choose("thinking", THINK_CHOICES));
        return;
    }
    asker_wait(who, NULL, 0);
    asker_finish(who);
}

static uint32_t choose_ask(const struct asker *who)
{
    static const uint32_t tasks[] = {TASK_TRANSFER, TASK_ADD, TASK_ASSIGN, TASK_REMOVE, TASK_CLOSE};
    static const uint32_t asks[] = {ASK_TRANSFER, ASK_ADD, ASK_ASSIGN, ASK_REMOVE, ASK_CLOSE};
    uint32_t own[5];
    uint32_t n = 0;

    for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
        if ((who->birth.duties & tasks[i]) != 0)
            own[n++] = asks[i];
    }
    return own[n == 1 ? 0 : sn_choose("what to ask", n)];
}

static void on_think(void *self, const void *payload)
{
    struct asker *who = self;
    uint32_t ask = choose_ask(who);
    uint32_t server = 1 + (uint32_t)sn_choose("which server", who->birth.servers);
    struct request *request = asker_request(who, ask, server);

    (void)payload;
    who->timer = 0;
    if (ask == ASK_ASSIGN)
        request->role = ((uint32_t)sn_choose("which role", ROLES) + RAFT_VOTER) % ROLES;
    asker_ask(who, ask == ASK_CLOSE ? server : who->leader, PATIENCE_MS);
}

static void on_birth(void *self, const void *payload)
{
    asker_begin(self, payload, FIRST_MS);
}

static void on_reply(void *self, const void *payload)
{
    struct asker *who = self;
    const struct reply *reply = payload;

    if (!asker_awaits(who, reply))
        return;
    if (reply->status != 0 && reply->leader != 0)
        who->leader = reply->leader;
    if (reply->status == RAFT_NOTLEADER && reply->leader == 0)
        asker_turn(who);
    think(who);
}

static void on_retry(void *self, const void *payload)
{
    struct asker *who = self;

    (void)payload;
    who->timer = 0;
    asker_turn(who);
    think(who);
}

static const struct sn_on asking_on[] = {
    {.event = &think_event, .run = on_think},
    {.event = &reply_event, .run = on_reply},
    {.event = &retry_event, .run = on_retry},
    {0},
};

static const struct sn_state asking = {.name = "Asking", .entry = on_birth, .on = asking_on};

const struct sn_machine libraft_operator = {
    .name = "Operator",
    .size = sizeof(struct asker),
    .start = &asking,
    .birth = &client_birth_event,
};
