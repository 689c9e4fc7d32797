/* wrap_store.c - a component with a disk that answers later, a thread and a network, put under
 * control: component, wrapper and test.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool early_reply;

/* ---- The component, as it is in production: it knows nothing of Sennit ---------------------- */

/* What the component needs of the world. A callback gets 0, or something else if it failed. */
struct store_io {
    void (*reply)(void *argument, uint32_t number);
    void (*append)(void *argument, const void *bytes, size_t n, void (*done)(void *, int), void *);
    void (*sync)(void *argument, void (*done)(void *, int), void *);
    void (*work)(void *argument, void (*run)(void *), void (*done)(void *, int), void *);
    void *argument;
};

struct record {
    uint32_t number;
    uint32_t sum;
    int64_t at;
};

struct store {
    struct store_io io;
    uint32_t last; /* that is in the log */
};

struct put {
    struct store *store;
    struct record record;
};

/* In a thread of its own, because real records are large. */
static void put_sum(void *self)
{
    struct put *put = self;

    put->record.sum = put->record.number * 31 + (uint32_t)put->record.at;
}

static void put_synced(void *self, int error)
{
    struct put *put = self;

    if (error == 0 && !early_reply)
        put->store->io.reply(put->store->io.argument, put->record.number);
    free(put);
}

static void put_appended(void *self, int error)
{
    struct put *put = self;
    struct store_io *io = &put->store->io;

    if (error != 0) {
        free(put);
        return;
    }
    if (early_reply)
        io->reply(io->argument, put->record.number);
    io->sync(io->argument, put_synced, put);
}

static void put_summed(void *self, int error)
{
    struct put *put = self;
    struct store_io *io = &put->store->io;

    (void)error;
    io->append(io->argument, &put->record, sizeof(put->record), put_appended, put);
}

static void store_put(struct store *s, uint32_t number)
{
    struct put *put = malloc(sizeof(*put));

    if (put == NULL)
        return;
    *put = (struct put){.store = s, .record = {.number = number, .at = time(NULL)}};
    s->io.work(s->io.argument, put_sum, put_summed, put);
}

/* What is whole in the log counts. */
static void store_load(struct store *s, const struct record *records, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (records[i].sum == records[i].number * 31 + (uint32_t)records[i].at)
            s->last = records[i].number > s->last ? records[i].number : s->last;
    }
}

/* ---- The wrapper ---------------------------------------------------------------------------- */

struct server {
    struct store store;
    sn_id client;
    sn_id disk;
    struct sn_pool *threads;
};

/* A callback of the component on its way. */
struct call {
    void (*run)(void *);
    void (*done)(void *, int);
    void *argument;
    struct sn_work work;
};

static struct call *call_new(void (*run)(void *), void (*done)(void *, int), void *argument)
{
    struct call *call = sn_alloc(sizeof(*call));

    *call = (struct call){.run = run, .done = done, .argument = argument, .work.data = call};
    return call;
}

static void call_done(void *self, int64_t result)
{
    const struct call *call = self;

    call->done(call->argument, result < 0);
}

static void call_work(struct sn_work *work)
{
    const struct call *call = work->data;

    call->run(call->argument);
}

static void call_worked(struct sn_work *work, int status)
{
    call_done(work->data, status);
}

static void io_reply(void *self, uint32_t number)
{
    sn_send_bytes(((const struct server *)self)->client, &number, sizeof(number));
}

static void io_append(void *self, const void *bytes, size_t n, void (*done)(void *, int),
                      void *argument)
{
    sn_disk_submit(((const struct server *)self)->disk,
                   &(struct sn_disk_io){.verb = SN_DISK_APPEND,
                                        .file = "log",
                                        .bytes = (void *)(uintptr_t)bytes,
                                        .n = n,
                                        .done = call_done,
                                        .argument = call_new(NULL, done, argument)});
}

static void io_sync(void *self, void (*done)(void *, int), void *argument)
{
    sn_disk_submit(((const struct server *)self)->disk,
                   &(struct sn_disk_io){.verb = SN_DISK_SYNC,
                                        .file = "log",
                                        .done = call_done,
                                        .argument = call_new(NULL, done, argument)});
}

static void io_work(void *self, void (*run)(void *), void (*done)(void *, int), void *argument)
{
    struct call *call = call_new(run, done, argument);

    (void)sn_queue_work(((const struct server *)self)->threads, &call->work, call_work,
                        call_worked);
}

/* The first step of each life: what the disk has is loaded, and told. */
static void on_start(void *self, const void *payload)
{
    struct server *server = self;
    struct record records[16];
    int64_t n = sn_disk_read("log", 0, records, sizeof(records));

    server->client = *(const sn_id *)payload;
    server->disk = sn_disk_queue_new(true);
    server->threads = sn_pool_new("summing", 1);
    server->store.io = (struct store_io){io_reply, io_append, io_sync, io_work, server};
    store_load(&server->store, records, n > 0 ? (size_t)n / sizeof(records[0]) : 0);
    sn_send_bytes(server->client, &(uint64_t){server->store.last}, sizeof(uint64_t));
}

static void on_message(void *self, sn_id from, const void *bytes, size_t n)
{
    struct server *server = self;
    uint32_t number;

    (void)from;
    if (sn_posted_take(bytes, n))
        return;
    memcpy(&number, bytes, sizeof(number));
    store_put(&server->store, number);
}

static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};
static const struct sn_machine server = {.name = "Server",
                                         .size = sizeof(struct server),
                                         .birth = &birth,
                                         .on_start = on_start,
                                         .on_message = on_message};

/* ---- The test ------------------------------------------------------------------------------- */

/* Puts one number after the other; what was answered must be there in the next life. */
struct client {
    uint32_t answered;
};

static void on_answer(void *self, sn_id from, const void *bytes, size_t n)
{
    struct client *client = self;
    uint64_t number = 0;

    memcpy(&number, bytes, n);
    if (n == sizeof(uint64_t)) /* it has started, and tells what it has */
        sn_assertf(number >= client->answered, "%u was answered, but the log has %u",
                   client->answered, (unsigned int)number);
    else
        client->answered = (uint32_t)number;
    if (number < 3)
        sn_send_bytes(from, &(uint32_t){(uint32_t)number + 1}, sizeof(uint32_t));
}

static const struct sn_machine client = {
    .name = "Client", .size = sizeof(struct client), .on_message = on_answer};

static void run(void)
{
    sn_id id = sn_create(&client, NULL);

    (void)sn_create_on(sn_node_new("n1"), &server, &id);
}

static const struct sn_faults faults = {.crashes = 2, .down_ns = 1000000000};
static const struct sn_test tests[] = {{.name = "puts", .run = run, .faults = &faults}, {0}};
static const struct sn_bug bugs[] = {{.name = "early-reply",
                                      .about = "a put is answered before it is durable",
                                      .flag = &early_reply},
                                     {0}};
static const struct sn_suite suite = {.name = "wrap_store", .tests = tests, .bugs = bugs};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
