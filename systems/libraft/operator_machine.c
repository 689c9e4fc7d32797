/* operator_machine.c - an operator: transfers leadership, changes members, closes servers.
 *
 * What it asks for, and of whom, are draws; that some of it makes no sense is part of the test. It
 * asks again of who is said to lead, or of the next one, until it has asked a leader. Nobody
 * promises it anything: an answer that does not come it does not wait for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "asker.h"

enum {
    FIRST_MS = 500,
    THINK_MS = 100,
    THINK_CHOICES = 4,
    PATIENCE_MS = 600,
    BUSY_MS = 100,
    ROLES = 3,
};

/* An operator, who gives orders. */
struct giver {
    struct asker asker;
    uint32_t order_count; /* that a leader has got, or nobody has answered */
    bool is_repeating;    /* the last one, which was refused by who does not lead */
};

static void think(struct giver *giver)
{
    struct asker *who = &giver->asker;

    who->is_waiting = false;
    if (giver->is_repeating) {
        asker_wait(who, &think_event, BUSY_MS);
        return;
    }
    if (++giver->order_count < who->birth.operations) {
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

static void repeat(struct giver *giver)
{
    struct asker *who = &giver->asker;
    uint32_t role = who->request.role;

    giver->is_repeating = false;
    asker_request(who, who->request.ask, who->request.key)->role = role;
    asker_ask(who, who->leader, PATIENCE_MS);
}

static void on_think(void *self, const void *payload)
{
    struct giver *giver = self;
    struct asker *who = &giver->asker;

    (void)payload;
    who->timer = 0;
    if (giver->is_repeating) {
        repeat(giver);
        return;
    }

    uint32_t ask = choose_ask(who);
    uint32_t spared = who->birth.spared;
    uint32_t server = 1 + spared + (uint32_t)sn_choose("which server", who->birth.servers - spared);
    struct request *request = asker_request(who, ask, server);

    if (ask == ASK_ASSIGN)
        request->role = ((uint32_t)sn_choose("which role", ROLES) + RAFT_VOTER) % ROLES;
    asker_ask(who, ask == ASK_CLOSE ? server : who->leader, PATIENCE_MS);
}

static void on_birth(void *self, const void *payload)
{
    struct giver *giver = self;

    asker_begin(&giver->asker, payload, FIRST_MS);
}

static void on_reply(void *self, const void *payload)
{
    struct giver *giver = self;
    struct asker *who = &giver->asker;
    const struct reply *reply = payload;

    if (!asker_awaits(who, reply))
        return;
    giver->is_repeating = reply->status == RAFT_NOTLEADER;
    who->is_sent = who->is_sent && giver->is_repeating;
    if (giver->is_repeating)
        asker_go(who, reply->leader);
    think(giver);
}

static void on_retry(void *self, const void *payload)
{
    struct giver *giver = self;

    (void)payload;
    giver->asker.timer = 0;
    asker_turn(&giver->asker);
    think(giver);
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
    .size = sizeof(struct giver),
    .start = &asking,
    .birth = &client_birth_event,
};
