/* race.c - see race.h. SPDX-License-Identifier: MIT */
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 2, ROUNDS = 2 };

struct value {
    uint64_t number;
    sn_id from;
    uint8_t noise[16];
};

static const struct sn_field value_fields[] = {
    SN_FIELD(struct value, number, SN_UINT),
    SN_FIELD(struct value, from, SN_MACHINE),
    SN_FIELD(struct value, noise, SN_BYTES),
    {0},
};

static const struct sn_event read_event = {
    .name = "Read", .size = sizeof(struct value), .fields = value_fields};
static const struct sn_event reply_event = {
    .name = "Reply", .size = sizeof(struct value), .fields = value_fields};
static const struct sn_event write_event = {
    .name = "Write", .size = sizeof(struct value), .fields = value_fields};
static const struct sn_event add_event = {
    .name = "Add", .size = sizeof(struct value), .fields = value_fields};
static const struct sn_event finished_event = {
    .name = "Finished", .size = sizeof(struct value), .fields = value_fields};

/* Every write, newest first: a list on the heap. */
struct entry {
    struct entry *next;
    char *text;
    uint64_t number;
};

static struct entry *history;
static uint64_t counter;
static int finished;
static bool is_fixed;

static void remember(uint64_t number)
{
    struct entry *entry = malloc(sizeof(*entry));
    char text[32];

    sn_assert(entry != NULL);
    (void)snprintf(text, sizeof(text), "write %llu", (unsigned long long)number);
    entry->text = strdup(text);
    entry->number = number;
    entry->next = history;
    history = entry;
    if (entry->next != NULL && entry->next->next != NULL) {
        free(entry->next->next->text);
        free(entry->next->next);
        entry->next->next = NULL;
    }
}

/* ---- The server ----------------------------------------------------------------------------- */

static struct value make_value(uint64_t number)
{
    struct value v = {.number = number, .from = sn_self()};

    for (size_t i = 0; i < sizeof(v.noise); i++)
        v.noise[i] = (uint8_t)lrand48(); /* libc's state is part of the world, too */
    return v;
}

static void on_read(void *self, const void *payload)
{
    struct value v = make_value(counter);

    (void)self;
    sn_send(((const struct value *)payload)->from, &reply_event, &v);
}

static void on_write(void *self, const void *payload)
{
    (void)self;
    counter = ((const struct value *)payload)->number;
    remember(counter);
}

static void on_add(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    remember(++counter);
}

static void on_finished(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    if (++finished < CLIENTS)
        return;
    (void)printf("counter is %llu, last %s\n", (unsigned long long)counter, history->text);
    sn_assertf(counter == CLIENTS * ROUNDS, "counter is %llu after %d increments",
               (unsigned long long)counter, CLIENTS * ROUNDS);
}

static const struct sn_state serving = {
    .name = "Serving",
    .on = (const struct sn_on[]){{.event = &read_event, .run = on_read},
                                 {.event = &write_event, .run = on_write},
                                 {.event = &add_event, .run = on_add},
                                 {.event = &finished_event, .run = on_finished},
                                 {0}},
};

static const struct sn_machine server_machine = {.name = "Server", .start = &serving};

/* ---- A client ------------------------------------------------------------------------------- */

struct client {
    sn_id server;
    int round;
};

static const struct sn_event client_birth = {.name = "Client", .size = sizeof(struct client)};

static void next_round(struct client *c)
{
    struct value v = make_value(0);

    if (c->round++ == ROUNDS)
        sn_send(c->server, &finished_event, &v);
    else if (!is_fixed)
        sn_send(c->server, &read_event, &v);
    else
        for (c->round--; c->round < ROUNDS; c->round++)
            sn_send(c->server, &add_event, &v);
    if (is_fixed && c->round == ROUNDS)
        sn_send(c->server, &finished_event, &v);
}

static void client_start(void *self, const void *payload)
{
    struct client *c = self;

    *c = *(const struct client *)payload;
    (void)sn_choose("colour", 3);
    next_round(c);
}

static void on_reply(void *self, const void *payload)
{
    struct client *c = self;
    struct value v = make_value(((const struct value *)payload)->number + 1);

    sn_send(c->server, &write_event, &v);
    next_round(c);
}

static const struct sn_state client_state = {
    .name = "Working",
    .entry = client_start,
    .on = (const struct sn_on[]){{.event = &reply_event, .run = on_reply}, {0}},
};

static const struct sn_machine client_machine = {.name = "Client",
                                                 .size = sizeof(struct client),
                                                 .start = &client_state,
                                                 .birth = &client_birth};

static void run_race(void)
{
    struct client c = {.server = sn_create(&server_machine, NULL)};

    for (int i = 0; i < CLIENTS; i++)
        sn_set_name(sn_create(&client_machine, &c), "C%d", i);
}

static void run_fixed(void)
{
    is_fixed = true;
    run_race();
}

const struct sn_test race_test = {.name = "race", .run = run_race};
const struct sn_test race_fixed_test = {.name = "fixed", .run = run_fixed};
