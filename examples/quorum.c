/* quorum.c - a register on three replicas, of which any two answer for all, checked by a model.
 *
 * Whoever writes waits until two replicas have the value; whoever reads asks for two answers and
 * takes the newer one. That is not enough: while a write is under way one reader can see the new
 * value and a later one still the old. So a reader first sees to it that two replicas have what it
 * is going to return. With the bug `forgetful` it does not. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

enum { REPLICAS = 3, QUORUM = 2 };

static bool forgetful;

struct version {
    uint64_t number;
    int64_t value;
};

/* Requests and answers alike: `round` tells to which request an answer belongs. */
struct message {
    sn_id from;
    uint64_t round;
    struct version version;
};

static const struct sn_field fields[] = {
    SN_FIELD(struct message, round, SN_UINT),
    SN_FIELD(struct message, version.number, SN_UINT),
    SN_FIELD(struct message, version.value, SN_INT),
    {0},
};

#define MESSAGE(name_)                                                                             \
    {                                                                                              \
        .name = name_, .size = sizeof(struct message), .fields = fields                            \
    }

static const struct sn_event ask = MESSAGE("Ask");
static const struct sn_event answer = MESSAGE("Answer");
static const struct sn_event store = MESSAGE("Store");
static const struct sn_event stored = MESSAGE("Stored");

/* ---- Replicas ------------------------------------------------------------------------------- */

static void reply(const struct message *request, const struct sn_event *event,
                  const struct version *version)
{
    sn_send(request->from, event,
            &(struct message){.from = sn_self(), .round = request->round, .version = *version});
}

static void on_ask(void *self, const void *payload)
{
    reply(payload, &answer, self);
}

static void on_store(void *self, const void *payload)
{
    struct version *version = self;
    const struct message *request = payload;

    if (request->version.number > version->number)
        *version = request->version;
    reply(request, &stored, version);
}

static const struct sn_state serving = {
    .name = "Serving",
    .on = (const struct sn_on[]){{.event = &ask, .run = on_ask},
                                 {.event = &store, .run = on_store},
                                 {0}},
};

static const struct sn_machine replica = {
    .name = "Replica", .size = sizeof(struct version), .start = &serving};

/* ---- Clients -------------------------------------------------------------------------------- */

struct plan {
    sn_id replicas[REPLICAS];
    int64_t value; /* to be written; 0: read */
};

struct client {
    struct plan plan;
    sn_op_id operation;
    uint64_t round;
    uint32_t answers; /* to this round */
    struct version newest;
};

static const struct sn_field plan_fields[] = {SN_FIELD(struct plan, value, SN_INT), {0}};
static const struct sn_event birth = {
    .name = "Birth", .size = sizeof(struct plan), .fields = plan_fields};

static void broadcast(struct client *c, const struct sn_event *event)
{
    struct message message = {.from = sn_self(), .version = c->newest};

    message.round = ++c->round;
    c->answers = 0;
    for (int i = 0; i < REPLICAS; i++)
        sn_send(c->plan.replicas[i], event, &message);
}

static void on_birth(void *self, const void *payload)
{
    struct client *c = self;

    c->plan = *(const struct plan *)payload;
    if (c->plan.value != 0) {
        c->operation = sn_op_begin("write", 0, c->plan.value, SN_VALUE_NIL);
        c->newest = (struct version){.number = 1, .value = c->plan.value};
        broadcast(c, &store);
    } else {
        c->operation = sn_op_begin("read", 0, SN_VALUE_NIL, SN_VALUE_NIL);
        broadcast(c, &ask);
    }
}

static void finish(struct client *c)
{
    sn_op_end(c->operation, c->plan.value != 0 ? SN_VALUE_NIL : c->newest.value);
    sn_halt();
}

static void on_answer(void *self, const void *payload)
{
    struct client *c = self;
    const struct message *message = payload;

    if (message->round != c->round)
        return;
    if (message->version.number > c->newest.number)
        c->newest = message->version;
    if (++c->answers < QUORUM)
        return;
    if (forgetful)
        finish(c);
    else
        broadcast(c, &store);
}

static void on_stored(void *self, const void *payload)
{
    struct client *c = self;
    const struct message *message = payload;

    if (message->round == c->round && ++c->answers == QUORUM)
        finish(c);
}

static const struct sn_state waiting = {
    .name = "Waiting",
    .entry = on_birth,
    .on = (const struct sn_on[]){{.event = &answer, .run = on_answer},
                                 {.event = &stored, .run = on_stored},
                                 {0}},
};

static const struct sn_machine client = {
    .name = "Client", .size = sizeof(struct client), .start = &waiting, .birth = &birth};

/* ---- The test ------------------------------------------------------------------------------- */

static void run(void)
{
    struct plan plan = {.value = 1};

    for (int i = 0; i < REPLICAS; i++)
        plan.replicas[i] = sn_create(&replica, NULL);
    sn_set_name(sn_create(&client, &plan), "writer");
    plan.value = 0;
    sn_set_name(sn_create(&client, &plan), "alice");
    sn_set_name(sn_create(&client, &plan), "bob");
}

static const struct sn_test tests[] = {
    {.name = "register",
     .run = run,
     .model = &sn_model_register,
     .has_model_initial = true, /* it holds 0 at the beginning */
     .world = SN_WORLD_TRIAL},
    {0},
};

static const struct sn_bug bugs[] = {
    {.name = "forgetful", .about = "readers do not store what they return", .flag = &forgetful},
    {0},
};

static const struct sn_suite suite = {.name = "quorum", .tests = tests, .bugs = bugs};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
