/* crce.c - a chain of log servers that grows by one: its servers, its clients, and how it changes.
 *
 * The protocol is Corfu's, as Fritchie modelled it to have it checked.
 *
 * SPDX-License-Identifier: MIT
 */
#include "crce.h"

#include "noise.h"

struct call {
    uint32_t kind; /* enum call_kind */
    uint32_t epoch;
    uint32_t value;
};

static const char *const call_kinds[] = {"?", "write", "clobber", "read", "set-layout", NULL};
static const char *const result_names[] = {
    "?", "ok", "not-written", "written", "wedged", "bad-epoch", "starved", "conflict", NULL};
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
static const struct sn_event unit_birth_event = EVENT_OF("Birth", struct call, call_fields);
static const struct sn_event call_event = EVENT_OF("Call", struct call, call_fields);
static const struct sn_event result_event = EVENT_OF("Result", struct result, result_fields);
static const struct sn_event get_layout_event = {.name = "GetLayout"};
static const struct sn_event published_event = {.name = "Published"};
const struct sn_event crce_birth_event = EVENT_OF("Birth", struct servers, servers_fields);
const struct sn_event crce_outcome_event = EVENT_OF("Outcome", struct outcome, outcome_fields);

static const struct layout first_layout = {.epoch = 1, .n_chain = 2, .order = {UNIT_A, UNIT_B}};

static const struct crce *crce_of(uint32_t stage)
{
    return stage == crce_2.stage ? &crce_2 : &crce_3;
}

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
    struct layout layout = first_layout;

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

struct result crce_read(const struct servers *servers, uint32_t unit, uint32_t epoch)
{
    return call_unit(servers, unit, (struct call){.kind = CALL_READ, .epoch = epoch});
}

/* ---- Clients -------------------------------------------------------------------------------- */

struct client {
    const struct crce *crce;
    struct servers servers;
    struct layout layout;
    uint32_t n_layouts; /* that it has tried */
    struct noise noise;
};

static void client_init(struct client *client, const void *payload)
{
    const struct servers *birth = payload;
    const struct crce *crce = crce_of(birth->stage);

    *client = (struct client){.crce = crce, .servers = *birth, .layout = first_layout};
    noise_open(&client->noise, NOISE_POINTS);
    noise_pass(&client->noise);
}

/* False: it has tried often enough. */
static bool refresh(struct client *client)
{
    const struct sn_message *m;

    client->n_layouts++;
    if (client->n_layouts >= client->crce->layouts_max)
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

/* Where the servers of the chain begin among those that are written to. */
static uint32_t chain_begins(const struct client *client)
{
    return client->crce->is_head ? client->layout.n_repairing : 0;
}

static bool is_in_chain(const struct client *client, uint32_t place)
{
    uint32_t begin = chain_begins(client);

    return place >= begin && place < begin + client->layout.n_chain;
}

static struct result read_value(struct client *client)
{
    const struct layout *layout = &client->layout;

    client->n_layouts = 0;
    do {
        uint32_t last = layout->order[chain_begins(client) + layout->n_chain - 1];
        struct result result = crce_read(&client->servers, last, layout->epoch);

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
    struct result found;
    bool is_any_done = false;
    bool is_only_repairing = true;

    for (uint32_t i = 0; i < layout->n_repairing + layout->n_chain; i++) {
        is_any_done = is_any_done || is_done[layout->order[i]];
        if (is_in_chain(client, i) && is_done[layout->order[i]])
            is_only_repairing = false;
    }
    if (!is_any_done)
        return LOG_WRITTEN;
    found = crce_read(&client->servers, layout->order[place], layout->epoch);
    if (is_refused(found))
        return LOG_WEDGED;
    if (found.value == client->servers.value)
        return LOG_OK;
    if (!client->crce->is_head)
        return LOG_CONFLICT;
    if (is_only_repairing)
        return LOG_WRITTEN;
    return is_in_chain(client, place) ? LOG_STARVED : LOG_OK;
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
    sn_send(client.servers.parent, &crce_outcome_event, &outcome);
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
    sn_send(client.servers.parent, &crce_outcome_event, &outcome);
}

/* ---- Changing the layout -------------------------------------------------------------------- */

void crce_publish(const struct servers *servers, const struct layout *layout)
{
    sn_send(servers->layout_server, &publish_event, layout);
    (void)sn_receive_event(&published_event, SN_FOREVER);
}

void crce_install(const struct servers *servers, const struct layout *layout)
{
    for (uint32_t unit = 0; unit < UNITS; unit++) {
        struct call call = {.kind = CALL_SET_LAYOUT, .epoch = layout->epoch};
        struct result result = call_unit(servers, unit, call);

        sn_assert(result.result == LOG_OK);
    }
}

void crce_repair(const struct servers *servers, const struct layout *layout, uint32_t from)
{
    struct result found = crce_read(servers, from, layout->epoch);

    if (found.result == LOG_OK) {
        struct call call = {
            .kind = crce_of(servers->stage)->repairs_by,
            .epoch = layout->epoch,
            .value = found.value,
        };

        found = call_unit(servers, UNIT_C, call);
    }
    sn_note("repaired from %s: %s", unit_names[from], result_names[found.result]);
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
    .birth = &crce_birth_event,
};

static const struct sn_process reader_process = {
    .name = "Reader",
    .run = read_values,
    .birth = &crce_birth_event,
};

void crce_start(const struct crce *crce, struct servers *servers)
{
    *servers = (struct servers){.parent = sn_self(), .stage = crce->stage};
    for (uint32_t unit = 0; unit < UNITS; unit++) {
        struct call birth = {.epoch = unit != UNIT_C ? first_layout.epoch : 0};

        servers->units[unit] = sn_spawn(&unit_process, &birth);
        sn_set_name(servers->units[unit], "%s", unit_names[unit]);
    }
    servers->layout_server = sn_spawn(&layout_process, NULL);
    for (servers->value = 1; servers->value <= WRITERS; servers->value++)
        (void)sn_spawn(&writer_process, servers);
    (void)sn_spawn(&reader_process, servers);
}

void crce_check(const struct outcome *outcome)
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
