/* crce_3.c - a chain of log servers grows by one while it is written to and read (Corfu).
 *
 * A value is written to all servers of the chain in order, and read from the last one. A server
 * that is to be added is repaired first; in the meantime it is written to before all others, and
 * afterwards it is the head ("head of heads"). Layouts are numbered by epochs; clients whose layout
 * is refused get the latest one from the layout server and begin again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bugs.h"
#include "log_unit.h"
#include "noise.h"
#include "tests.h"

#include <sennit/sennit.h>

enum {
    UNITS = 3, /* a, b and c, which is added */
    UNIT_A = 0,
    UNIT_B,
    UNIT_C,
    WRITERS = 2,     /* of the values 1 and 2 */
    LAYOUTS_MAX = 4, /* that a client tries */
    READS = 2,
    CLIENTS = WRITERS + 2,
    NOISE_POINTS = 8,
};

struct layout {
    uint32_t epoch;
    uint32_t n_chain;
    uint32_t n_repairing;
    uint32_t order[UNITS]; /* those that are repaired come first */
};

struct servers {
    sn_id units[UNITS];
    sn_id layout_server;
    sn_id parent;
    uint32_t value; /* that a writer writes */
};

enum call_kind {
    CALL_WRITE = 1,
    CALL_CLOBBER,
    CALL_READ,
    CALL_SET_LAYOUT,
};

struct call {
    uint32_t kind; /* enum call_kind */
    uint32_t epoch;
    uint32_t value;
};

struct result {
    uint32_t result; /* enum log_result */
    uint32_t value;
};

/* What a client has done. */
struct outcome {
    uint32_t is_reader;
    struct result results[READS];
};

static const char *const call_kinds[] = {"?", "write", "clobber", "read", "set-layout", NULL};
static const char *const result_names[] = {"?",      "ok",        "not-written", "written",
                                           "wedged", "bad-epoch", "starved",     NULL};
static const char *const unit_names[] = {"a", "b", "c"};

static const struct sn_field layout_fields[] = {
    SN_FIELD(struct layout, epoch, SN_UINT),
    SN_FIELD(struct layout, n_chain, SN_UINT),
    SN_FIELD(struct layout, n_repairing, SN_UINT),
    SN_FIELD_ARRAY(struct layout, order, SN_UINT),
    {0},
};

static const struct sn_field servers_fields[] = {
    SN_FIELD(struct servers, value, SN_UINT),
    {0},
};

static const struct sn_field call_fields[] = {
    SN_FIELD_ENUM(struct call, kind, call_kinds),
    SN_FIELD(struct call, epoch, SN_UINT),
    SN_FIELD(struct call, value, SN_UINT),
    {0},
};

static const struct sn_field result_fields[] = {
    SN_FIELD_ENUM(struct result, result, result_names),
    SN_FIELD(struct result, value, SN_UINT),
    {0},
};

static const struct sn_field outcome_fields[] = {
    SN_FIELD(struct outcome, is_reader, SN_BOOL),
    SN_FIELD_ENUM(struct outcome, results[0].result, result_names),
    SN_FIELD(struct outcome, results[0].value, SN_UINT),
    SN_FIELD_ENUM(struct outcome, results[1].result, result_names),
    SN_FIELD(struct outcome, results[1].value, SN_UINT),
    {0},
};

#define EVENT_OF(name_, type_, fields_)                                                            \
    {                                                                                              \
        .name = name_, .size = sizeof(type_), .fields = fields_                                    \
    }

static const struct sn_event layout_event = EVENT_OF("Layout", struct layout, layout_fields);
static const struct sn_event publish_event = EVENT_OF("Publish", struct layout, layout_fields);
static const struct sn_event birth_event = EVENT_OF("Birth", struct servers, servers_fields);
static const struct sn_event unit_birth_event = EVENT_OF("Birth", struct call, call_fields);
static const struct sn_event call_event = EVENT_OF("Call", struct call, call_fields);
static const struct sn_event result_event = EVENT_OF("Result", struct result, result_fields);
static const struct sn_event get_layout_event = {.name = "GetLayout"};
static const struct sn_event published_event = {.name = "Published"};
static const struct sn_event outcome_event = EVENT_OF("Outcome", struct outcome, outcome_fields);

static const struct layout layout_1 = {
    .epoch = 1,
    .n_chain = 2,
    .order = {UNIT_A, UNIT_B},
};

static const struct layout layout_2 = {
    .epoch = 2,
    .n_chain = 2,
    .n_repairing = 1,
    .order = {UNIT_C, UNIT_A, UNIT_B},
};

static const struct layout layout_3 = {
    .epoch = 3,
    .n_chain = 3,
    .order = {UNIT_C, UNIT_A, UNIT_B},
};

/* ---- Servers -------------------------------------------------------------------------------- */

static struct result serve_call(struct log_unit *unit, const struct call *call)
{
    struct result result = {0};

    if (call->kind == CALL_READ)
        result.result = log_unit_read(unit, call->epoch, &result.value);
    else if (call->kind == CALL_SET_LAYOUT)
        result.result = log_unit_set_layout(unit, call->epoch);
    else
        result.result = log_unit_write(unit, call->epoch, call->value, call->kind == CALL_CLOBBER);
    return result;
}

static void serve_log(const void *payload)
{
    const struct call *birth = payload;
    struct log_unit unit;

    log_unit_init(&unit, birth->epoch, birth->epoch > 0);
    for (;;) {
        const struct sn_message *m = sn_receive_event(&call_event, SN_FOREVER);
        struct result result = serve_call(&unit, m->payload);

        sn_send(m->from, &result_event, &result);
    }
}

static void serve_layouts(const void *payload)
{
    struct layout layout = layout_1;

    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

        if (m->event == &publish_event) {
            layout = *(const struct layout *)m->payload;
            sn_send(m->from, &published_event, NULL);
        } else {
            sn_send(m->from, &layout_event, &layout);
        }
    }
}

static struct result call_unit(const struct servers *servers, uint32_t unit, struct call call)
{
    sn_send(servers->units[unit], &call_event, &call);
    return *(const struct result *)sn_receive_event(&result_event, SN_FOREVER)->payload;
}

/* ---- Clients -------------------------------------------------------------------------------- */

struct client {
    struct servers servers;
    struct layout layout;
    uint32_t n_layouts; /* that it has tried */
    struct noise noise;
};

static void client_init(struct client *client, const void *payload)
{
    *client = (struct client){
        .servers = *(const struct servers *)payload,
        .layout = layout_1,
    };
    noise_open(&client->noise, NOISE_POINTS);
    noise_pass(&client->noise);
}

/* False: it has tried often enough. */
static bool refresh(struct client *client)
{
    const struct sn_message *m;

    client->n_layouts++;
    if (client->n_layouts >= LAYOUTS_MAX)
        return false;
    noise_pass(&client->noise);
    sn_send(client->servers.layout_server, &get_layout_event, NULL);
    m = sn_receive_event(&layout_event, SN_FOREVER);
    client->layout = *(const struct layout *)m->payload;
    return true;
}

static bool is_refused(struct result result)
{
    return result.result == LOG_WEDGED || result.result == LOG_BAD_EPOCH;
}

static struct result read_value(struct client *client)
{
    const struct layout *layout = &client->layout;

    client->n_layouts = 0;
    do {
        struct call call = {.kind = CALL_READ, .epoch = layout->epoch};
        uint32_t last = layout->order[layout->n_repairing + layout->n_chain - 1];
        struct result result = call_unit(&client->servers, last, call);

        if (!is_refused(result))
            return result;
    } while (refresh(client));
    return (struct result){.result = LOG_STARVED};
}

/* What to do when a server has been written to before. LOG_OK: go on with the next one. LOG_WEDGED:
 * its layout is old. */
static enum log_result meet_written(struct client *client, uint32_t place,
                                    const bool is_done[UNITS])
{
    const struct layout *layout = &client->layout;
    struct call call = {.kind = CALL_READ, .epoch = layout->epoch};
    struct result found;
    bool is_any_done = false;
    bool is_only_repairing = true;

    for (uint32_t i = 0; i < layout->n_repairing + layout->n_chain; i++) {
        is_any_done = is_any_done || is_done[layout->order[i]];
        if (i >= layout->n_repairing && is_done[layout->order[i]])
            is_only_repairing = false;
    }
    if (!is_any_done)
        return LOG_WRITTEN;
    found = call_unit(&client->servers, layout->order[place], call);
    if (is_refused(found))
        return LOG_WEDGED;
    if (found.value == client->servers.value)
        return LOG_OK;
    if (is_only_repairing)
        return LOG_WRITTEN;
    return place < layout->n_repairing ? LOG_OK : LOG_STARVED;
}

/* Writes to all servers of a layout, in order. */
static enum log_result write_chain(struct client *client, bool is_done[UNITS])
{
    const struct layout *layout = &client->layout;

    for (uint32_t place = 0; place < layout->n_repairing + layout->n_chain; place++) {
        struct call call = {
            .kind = CALL_WRITE,
            .epoch = layout->epoch,
            .value = client->servers.value,
        };
        struct result result = call_unit(&client->servers, layout->order[place], call);

        if (is_refused(result))
            return LOG_WEDGED;
        if (result.result == LOG_WRITTEN) {
            enum log_result met = meet_written(client, place, is_done);

            if (met != LOG_OK)
                return met;
        } else {
            is_done[layout->order[place]] = true;
        }
    }
    return LOG_OK;
}

static void write_value(const void *payload)
{
    struct client client;
    struct outcome outcome = {0};
    bool is_done[UNITS] = {false};
    enum log_result result;

    client_init(&client, payload);
    do
        result = write_chain(&client, is_done);
    while (result == LOG_WEDGED && refresh(&client));
    outcome.results[0].result = result == LOG_WEDGED ? LOG_STARVED : result;
    sn_note("write of %u: %s", client.servers.value, result_names[outcome.results[0].result]);
    sn_send(client.servers.parent, &outcome_event, &outcome);
}

static void read_values(const void *payload)
{
    struct client client;
    struct outcome outcome = {.is_reader = true};

    client_init(&client, payload);
    for (int i = 0; i < READS; i++) {
        outcome.results[i] = read_value(&client);
        sn_note("read %d: %s %u", i + 1, result_names[outcome.results[i].result],
                outcome.results[i].value);
    }
    sn_send(client.servers.parent, &outcome_event, &outcome);
}

/* ---- Changing the layout -------------------------------------------------------------------- */

static void publish(const struct servers *servers, const struct layout *layout)
{
    sn_send(servers->layout_server, &publish_event, layout);
    (void)sn_receive_event(&published_event, SN_FOREVER);
}

static void install(const struct servers *servers, const struct layout *layout)
{
    for (uint32_t unit = 0; unit < UNITS; unit++) {
        struct call call = {.kind = CALL_SET_LAYOUT, .epoch = layout->epoch};
        struct result result = call_unit(servers, unit, call);

        sn_assert(result.result == LOG_OK);
    }
}

/* Gives the new server what another one has. */
static void repair(const struct servers *servers, uint32_t epoch, uint32_t from)
{
    struct call call = {.kind = CALL_READ, .epoch = epoch};
    struct result found = call_unit(servers, from, call);

    if (found.result == LOG_OK) {
        call = (struct call){.kind = CALL_CLOBBER, .epoch = epoch, .value = found.value};
        found = call_unit(servers, UNIT_C, call);
    }
    sn_note("repaired from %s: %s", unit_names[from], result_names[found.result]);
}

/* Once all servers are in an epoch that no client knows of, nothing changes but by the repair. The
 * old head then has what the chain has agreed on; the tail may not have it yet. */
static void change_layout(const void *payload)
{
    struct servers servers = *(const struct servers *)payload;
    struct outcome outcome = {.results[0].result = LOG_OK};
    struct noise noise;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    publish(&servers, &layout_2);
    install(&servers, &layout_2);
    noise_pass(&noise);
    if (!bug_crce_3)
        install(&servers, &layout_3);
    if (!bug_crce_3)
        repair(&servers, layout_3.epoch, UNIT_A);
    else
        repair(&servers, layout_2.epoch, UNIT_B);
    noise_pass(&noise);
    publish(&servers, &layout_3);
    if (bug_crce_3)
        install(&servers, &layout_3);
    sn_send(servers.parent, &outcome_event, &outcome);
}

/* ---- The test ------------------------------------------------------------------------------- */

static const struct sn_process unit_process = {
    .name = "Unit",
    .run = serve_log,
    .birth = &unit_birth_event,
    .may_wait = true,
};

static const struct sn_process layout_process = {
    .name = "Layouts",
    .run = serve_layouts,
    .may_wait = true,
};

static const struct sn_process writer_process = {
    .name = "Writer",
    .run = write_value,
    .birth = &birth_event,
};

static const struct sn_process reader_process = {
    .name = "Reader",
    .run = read_values,
    .birth = &birth_event,
};

static const struct sn_process changer_process = {
    .name = "Changer",
    .run = change_layout,
    .birth = &birth_event,
};

static void check_outcome(const struct outcome *outcome)
{
    struct result first = outcome->results[0];
    struct result second = outcome->results[1];

    if (!outcome->is_reader) {
        sn_assertf(first.result == LOG_OK || first.result == LOG_WRITTEN ||
                       first.result == LOG_STARVED,
                   "a write ended with %s", result_names[first.result]);
        return;
    }
    sn_assertf(first.result != LOG_OK || second.result != LOG_NOT_WRITTEN,
               "value %u was read, and then nothing", first.value);
    sn_assertf(first.result != LOG_OK || second.result != LOG_OK || first.value == second.value,
               "value %u was read, and then %u", first.value, second.value);
}

/* What is written in the end begins at the head of the chain, and is the same as far as it goes. */
static void check_chain(const struct servers *servers)
{
    uint32_t values[UNITS];
    bool is_right = true;

    for (uint32_t i = 0; i < UNITS; i++) {
        struct call call = {.kind = CALL_READ, .epoch = layout_3.epoch};

        values[i] = call_unit(servers, layout_3.order[i], call).value;
        if (i > 0 && values[i] != 0 && values[i] != values[i - 1])
            is_right = false;
    }
    sn_assertf(is_right, "the chain c, a, b has the values %u, %u, %u (0: not written)", values[0],
               values[1], values[2]);
}

static void test(const void *payload)
{
    struct servers servers = {.parent = sn_self()};

    (void)payload;
    noise_before();
    for (uint32_t unit = 0; unit < UNITS; unit++) {
        struct call birth = {.epoch = unit != UNIT_C ? layout_1.epoch : 0};

        servers.units[unit] = sn_spawn(&unit_process, &birth);
        sn_set_name(servers.units[unit], "%s", unit_names[unit]);
    }
    servers.layout_server = sn_spawn(&layout_process, NULL);
    for (servers.value = 1; servers.value <= WRITERS; servers.value++)
        (void)sn_spawn(&writer_process, &servers);
    (void)sn_spawn(&reader_process, &servers);
    (void)sn_spawn(&changer_process, &servers);
    noise_beside();
    for (int i = 0; i < CLIENTS; i++) {
        const struct sn_message *m = sn_receive_event(&outcome_event, SN_FOREVER);

        check_outcome(m->payload);
    }
    check_chain(&servers);
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void crce_3_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
