/* operator_machine.c - an operator: transfers leadership, changes members, closes servers.
 *
 * What it asks for, and of whom, are draws; that some of it makes no sense is part of the test.
 * Nobody promises it anything: an answer that does not come it does not wait for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

enum {
    FIRST_MS = 500,
    THINK_MS = 100,
    THINK_CHOICES = 4,
    PATIENCE_MS = 600,
    ROLES = 3,
};

struct operator
{
    struct client_birth birth;
    struct request request;
    uint32_t sequence;
    uint32_t leader;
    bool is_waiting;
    sn_timer timer;
};

static sn_id director(const struct operator* who)
{
    return director_of_client(who->birth.id, who->birth.servers);
}

static void wait_for(struct operator* who, const struct sn_event *event, uint64_t delay_ms)
{
    if (who->timer != 0)
        sn_timer_cancel(who->timer);
    who->timer = sn_timer_start(event, delay_ms * MILLISECOND, NULL);
}

static void think(struct operator* who)
{
    who->is_waiting = false;
    if (who->sequence < who->birth.operations) {
        wait_for(who, &think_event, THINK_MS * sn_choose("thinking", THINK_CHOICES));
        return;
    }
    sn_send(director(who), &finished_event, NULL);
}

static uint32_t choose_ask(const struct operator* who)
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
    struct operator* who = self;
    struct request *request = &who->request;

    (void)payload;
    who->timer = 0;
    *request = (struct request){
        .id = ++who->sequence * (CLIENTS_MAX + 1) + who->birth.id,
        .ask = choose_ask(who),
        .key = 1 + (uint32_t)sn_choose("which server", who->birth.servers),
        .client = sn_self(),
    };
    if (request->ask == ASK_ASSIGN)
        request->role = ((uint32_t)sn_choose("which role", ROLES) + RAFT_VOTER) % ROLES;
    who->is_waiting = true;
    sn_send(director(who) + (request->ask == ASK_CLOSE ? request->key : who->leader),
            &request_event, request);
    wait_for(who, &retry_event, PATIENCE_MS);
}

static void on_birth(void *self, const void *payload)
{
    struct operator* who = self;

    who->birth = *(const struct client_birth *)payload;
    who->leader = 1;
    wait_for(who, &think_event, FIRST_MS);
}

static void on_reply(void *self, const void *payload)
{
    struct operator* who = self;
    const struct reply *reply = payload;

    if (!who->is_waiting || reply->id != who->request.id)
        return;
    if (reply->status != 0 && reply->leader != 0)
        who->leader = reply->leader;
    if (reply->status == RAFT_NOTLEADER && reply->leader == 0)
        who->leader = 1 + who->leader % who->birth.servers;
    think(who);
}

static void on_retry(void *self, const void *payload)
{
    struct operator* who = self;

    (void)payload;
    who->timer = 0;
    who->leader = 1 + who->leader % who->birth.servers;
    think(who);
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
    .name = "OperatorBirth",
    .size = sizeof(struct client_birth),
    .fields = birth_fields,
};

const struct sn_machine libraft_operator = {
    .name = "Operator",
    .size = sizeof(struct operator),
    .start = &asking,
    .birth = &birth_event,
};
