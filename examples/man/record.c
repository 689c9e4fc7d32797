/* record.c - sn_op_begin, sn_op_end, sn_op_fail and sn_model_counter: what clients do with
 * something that they share, checked against a model of it. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

struct question {
    sn_id from;
    bool is_inc;
};

static const struct sn_event ask = {.name = "Ask", .size = sizeof(struct question)};
static const struct sn_event reply = {.name = "Reply", .size = sizeof(int64_t)};
static const struct sn_event busy = {.name = "Busy"};
static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct question)};

static void on_ask(void *self, const void *payload)
{
    const struct question *question = payload;
    int64_t *count = self;

    if (sn_maybe("busy")) {
        sn_send(question->from, &busy, NULL);
        return;
    }
    *count += question->is_inc;
    sn_send(question->from, &reply, count);
}

static const struct sn_state serving = {
    .name = "Serving",
    .on = (const struct sn_on[]){{.event = &ask, .run = on_ask}, {0}},
};
static const struct sn_machine server = {
    .name = "Server", .size = sizeof(int64_t), .start = &serving};

struct client {
    sn_op_id operation;
    bool is_inc;
};

static void start(void *self, const void *payload)
{
    const struct question *what = payload;
    struct client *c = self;

    c->is_inc = what->is_inc;
    c->operation = sn_op_begin(c->is_inc ? "inc" : "get", 0, SN_VALUE_NIL, SN_VALUE_NIL);
    sn_send(what->from, &ask, &(struct question){.from = sn_self(), .is_inc = c->is_inc});
}

static void on_reply(void *self, const void *payload)
{
    struct client *c = self;

    sn_op_end(c->operation, c->is_inc ? SN_VALUE_NIL : *(const int64_t *)payload);
}

static void on_busy(void *self, const void *payload)
{
    (void)payload;
    sn_op_fail(((struct client *)self)->operation); /* the server has done nothing */
}

static const struct sn_state waiting = {
    .name = "Waiting",
    .entry = start,
    .on = (const struct sn_on[]){{.event = &reply, .run = on_reply},
                                 {.event = &busy, .run = on_busy},
                                 {0}},
};
static const struct sn_machine client = {
    .name = "Client", .size = sizeof(struct client), .start = &waiting, .birth = &birth};

static void run(void)
{
    sn_id counter = sn_create(&server, NULL);

    sn_create(&client, &(struct question){.from = counter, .is_inc = true});
    sn_create(&client, &(struct question){.from = counter, .is_inc = true});
    sn_create(&client, &(struct question){.from = counter});
}

static const struct sn_test tests[] = {{.name = "counter", .run = run, .model = &sn_model_counter},
                                       {0}};
static const struct sn_suite suite = {.name = "record", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
