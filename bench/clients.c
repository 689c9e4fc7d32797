/* clients.c - histories of clients that use an object all the time, for benchmarks.
 *
 * Each client calls as soon as it has returned, so that as many operations overlap as there are
 * clients. At each moment a random client goes on: its operation takes effect, or returns.
 * SPDX-License-Identifier: MIT
 */
#include "clients.h"

#include <stdlib.h>
#include <string.h>

enum { STORE_KEYS = 10, FEW = 5, TEXTS_MAX = 1 << 20 };

/* ---- A store as a model of a user ------------------------------------------------------------ */

enum { STORE_GET, STORE_PUT, STORE_APPEND };

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) + UINT64_C(0x632be59bd9b4e019);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static sn_value appended(sn_value text, sn_value value)
{
    return (sn_value)(mixed((uint64_t)text, (uint64_t)value) >> 2);
}

/* What a get returned is a text whose beginnings can be looked at; here they are looked up, by the
 * hash of the text without its last piece. */
static struct text {
    sn_value text;
    sn_value beginning;
    bool is_known;
} texts[TEXTS_MAX];

static struct text *text_at(sn_value text)
{
    size_t i = mixed((uint64_t)text, 2) % TEXTS_MAX;

    while (texts[i].is_known && texts[i].text != text)
        i = (i + 1) % TEXTS_MAX;
    return &texts[i];
}

static void note_text(sn_value text, sn_value beginning)
{
    static size_t n_texts;
    struct text *at = text_at(text);

    if (at->is_known || n_texts == TEXTS_MAX / 2)
        return;
    n_texts++;
    *at = (struct text){text, beginning, true};
}

/* Whether the text that a get returned begins with another. */
static bool leads(const void *state, const struct sn_operation *get)
{
    const sn_value *beginning = state;
    sn_value text = get->result;

    while (text != *beginning && text_at(text)->is_known)
        text = text_at(text)->beginning;
    return text == *beginning;
}

static enum sn_step store_step(sn_value *text, const struct sn_operation *op)
{
    if (op->function == STORE_GET)
        return op->ret == SN_TIME_NEVER || op->result == *text ? SN_STEP_TAKEN : SN_STEP_REFUSED;
    *text = op->function == STORE_PUT ? op->argument[0] : appended(*text, op->argument[0]);
    return SN_STEP_TAKEN;
}

static enum sn_step step_whole(void *state, const struct sn_operation *op, uint32_t choice)
{
    (void)choice;
    return store_step((sn_value *)state + op->key, op);
}

static enum sn_step step_part(void *state, const struct sn_operation *op, uint32_t choice)
{
    (void)choice;
    return store_step(state, op);
}

/* After a put nobody can tell what was put or appended before. */
static bool hides(const struct sn_operation *earlier, const struct sn_operation *later)
{
    return earlier->key == later->key && earlier->function != STORE_GET &&
           later->function == STORE_PUT;
}

static enum sn_role role(const struct sn_operation *op)
{
    static const enum sn_role roles[] = {SN_ROLE_SHOWS, SN_ROLE_BEGINS, SN_ROLE_EXTENDS};

    return roles[op->function];
}

static const struct sn_function store_functions[] = {
    {"get", true}, {"put", false}, {"append", false}, {0}};

static const struct sn_model store_whole = {.name = "store",
                                            .functions = store_functions,
                                            .state_size = STORE_KEYS * sizeof(sn_value),
                                            .step = step_whole,
                                            .hides = hides};

static const struct sn_model store_parts = {.name = "store",
                                            .functions = store_functions,
                                            .state_size = sizeof(sn_value),
                                            .step = step_part,
                                            .is_partitioned = true,
                                            .hides = hides,
                                            .role = role,
                                            .leads = leads};

const struct sn_model *clients_model(const struct clients *clients)
{
    switch (clients->object) {
    case CLIENTS_REGISTER:
        return sn_model_find("cas-register");
    case CLIENTS_DISTINCT:
        return sn_model_find("register");
    case CLIENTS_MAP:
        return sn_model_find("map");
    default:
        return clients->is_whole ? &store_whole : &store_parts;
    }
}

/* ---- Clients --------------------------------------------------------------------------------- */

struct client {
    size_t op;
    uint32_t process;
    bool is_done;
};

struct run {
    const struct clients *clients;
    const struct sn_model *model;
    struct sn_operation *operations;
    size_t n;
    size_t n_lost;
    uint64_t now;
    uint64_t random;
    sn_value n_values;
    uint32_t n_processes;
    struct client list[CLIENTS_MAX];
    sn_value values[CLIENTS_KEYS_MAX];
};

static uint64_t below(struct run *run, uint64_t n)
{
    run->random = mixed(run->random, 1);
    return (run->random >> 16) % n;
}

static uint32_t function_of(const struct run *run, const char *name)
{
    uint32_t i = 0;

    while (strcmp(run->model->functions[i].name, name) != 0)
        i++;
    return i;
}

static bool is_a(const struct run *run, const struct sn_operation *op, const char *name)
{
    return strcmp(run->model->functions[op->function].name, name) == 0;
}

static const char *draw_function(struct run *run)
{
    static const char *const choices[][3] = {[CLIENTS_REGISTER] = {"read", "write", "cas"},
                                             [CLIENTS_DISTINCT] = {"read", "write", "read"},
                                             [CLIENTS_MAP] = {"get", "put", "get"},
                                             [CLIENTS_STORE] = {"get", "append", "put"}};
    uint64_t choice = below(run, 3);

    if (run->clients->object == CLIENTS_STORE && choice == 2 && below(run, 4) != 0)
        choice = below(run, 2); /* most of the time texts grow longer */
    return choices[run->clients->object][choice];
}

static sn_value draw_value(struct run *run)
{
    if (run->clients->object == CLIENTS_REGISTER || run->clients->object == CLIENTS_MAP)
        return (sn_value)below(run, FEW);
    return ++run->n_values;
}

static void call(struct run *run, struct client *client)
{
    struct sn_operation *op = &run->operations[run->n];

    *op = (struct sn_operation){.process = client->process,
                                .function = function_of(run, draw_function(run)),
                                .key = (sn_value)below(run, run->clients->n_keys),
                                .argument = {SN_VALUE_NIL, SN_VALUE_NIL},
                                .result = SN_VALUE_NIL,
                                .call = run->now++,
                                .ret = SN_TIME_NEVER};
    if (!is_a(run, op, "read") && !is_a(run, op, "get"))
        op->argument[0] = draw_value(run);
    if (is_a(run, op, "cas"))
        op->argument[1] = draw_value(run);
    client->op = run->n++;
    client->is_done = false;
}

static void take_effect(struct run *run, struct sn_operation *op)
{
    sn_value *value = &run->values[op->key];

    if (is_a(run, op, "read") || is_a(run, op, "get")) {
        op->result = *value;
    } else if (is_a(run, op, "cas")) {
        op->result = *value == op->argument[0];
        if (op->result == 1)
            *value = op->argument[1];
    } else if (is_a(run, op, "append")) {
        note_text(appended(*value, op->argument[0]), *value);
        *value = appended(*value, op->argument[0]);
    } else {
        *value = op->argument[0];
    }
}

/* Whether the operation that would return now is one of those that are never heard of. */
static bool is_lost(const struct run *run)
{
    return run->n_lost < run->clients->n_unknown * run->n / run->clients->n;
}

static void go_on(struct run *run, struct client *client)
{
    struct sn_operation *op = &run->operations[client->op];

    if (!client->is_done && is_lost(run)) {
        if (below(run, 2) == 0)
            take_effect(run, op);
        run->n_lost++;
        op->result = SN_VALUE_NIL;
        client->process = run->n_processes++;
    } else {
        if (!client->is_done)
            take_effect(run, op);
        if (!client->is_done && !(run->clients->is_served && below(run, 10) != 0)) {
            client->is_done = true;
            return;
        }
        op->ret = run->now++;
    }
    if (run->n < run->clients->n)
        call(run, client);
    else
        client->op = SIZE_MAX;
}

/* Gives a late read a value that was overwritten long before, or that was never written where
 * values come again. */
static void make_stale(const struct run *run)
{
    const struct clients *clients = run->clients;
    bool is_few = clients->object == CLIENTS_REGISTER || clients->object == CLIENTS_MAP;
    size_t late = clients->n * 3 / 4;

    while (late < clients->n &&
           (run->operations[late].ret == SN_TIME_NEVER ||
            !run->model->functions[run->operations[late].function].is_observer))
        late++;
    if (late == clients->n)
        return;
    for (size_t i = clients->n / 4; i < late; i++) {
        const struct sn_operation *old = &run->operations[i];

        if (old->key == run->operations[late].key && old->ret != SN_TIME_NEVER &&
            run->model->functions[old->function].is_observer) {
            run->operations[late].result = is_few ? FEW : old->result;
            return;
        }
    }
}

void clients_run(const struct clients *clients, struct sn_operation *operations)
{
    static struct run run;
    size_t n_left = clients->n_clients;

    memset(&run, 0, sizeof(run));
    run.clients = clients;
    run.model = clients_model(clients);
    run.operations = operations;
    run.random = mixed(clients->seed, clients->n);
    run.n_processes = clients->n_clients;
    for (size_t i = 0; i < CLIENTS_KEYS_MAX; i++)
        run.values[i] = clients->object == CLIENTS_STORE ? 0 : SN_VALUE_NIL;
    for (uint32_t i = 0; i < clients->n_clients; i++) {
        run.list[i].process = i;
        call(&run, &run.list[i]);
    }
    while (n_left > 0) {
        size_t a = below(&run, n_left);
        size_t b = below(&run, n_left);
        struct client *client = &run.list[clients->is_served && b < a ? b : a];

        go_on(&run, client);
        if (client->op == SIZE_MAX)
            *client = run.list[--n_left];
    }
    if (clients->is_stale)
        make_stale(&run);
}
