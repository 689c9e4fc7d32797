/* noise.c - operations that have nothing to do with what is tested.
 *
 * Before, beside and after the core there are pairs of processes: a server with a name, and a
 * client that looks the name up, asks, waits for the answer, and now and then has a name itself.
 * Within the core a process calls a library process that it has for itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "noise.h"

#include <stdio.h>

enum {
    /* Parts of the operations, in percent. */
    BEFORE = 30,
    BESIDE = 20,
    WITHIN = 20,
    AFTER = 30,

    PAIR_SHARE = 60,  /* operations for which there is one more pair */
    PAIRS_MAX = 3,    /* of one part */
    PAIR_COST = 10,   /* operations of a pair besides its rounds */
    ROUND_COST = 11,  /* twice the operations of a round, in the mean */
    NAMED_EVERY = 4,  /* rounds: the client takes a name in one of them */
    LIBRARY_COST = 4, /* operations of a call */
    NAME_SIZE = 32,
};

uint64_t noise_operations;

struct pair {
    uint32_t number; /* different for all pairs of a trial */
    uint32_t rounds;
    sn_id starter;
};

struct exchange {
    uint32_t round;
};

static const struct sn_field pair_fields[] = {
    SN_FIELD(struct pair, number, SN_UINT),
    SN_FIELD(struct pair, rounds, SN_UINT),
    {0},
};

static const struct sn_field exchange_fields[] = {
    SN_FIELD(struct exchange, round, SN_UINT),
    {0},
};

static const struct sn_event pair_event = {
    .name = "Pair",
    .size = sizeof(struct pair),
    .fields = pair_fields,
};

#define EXCHANGE_EVENT(name_)                                                                      \
    {                                                                                              \
        .name = name_, .size = sizeof(struct exchange), .fields = exchange_fields                  \
    }

static const struct sn_event ask_event = EXCHANGE_EVENT("NoiseAsk");
static const struct sn_event answer_event = EXCHANGE_EVENT("NoiseAnswer");
static const struct sn_event ready_event = {.name = "NoiseReady"};
static const struct sn_event stop_event = {.name = "NoiseStop"};
static const struct sn_event over_event = {.name = "NoiseOver"};

static void serve(const void *payload);
static void ask(const void *payload);
static void help(const void *payload);

static const struct sn_process server = {
    .name = "NoiseServer",
    .run = serve,
    .birth = &pair_event,
};

static const struct sn_process client = {
    .name = "NoiseClient",
    .run = ask,
    .birth = &pair_event,
};

static const struct sn_process library = {.name = "NoiseLibrary", .run = help, .may_wait = true};

/* How many pairs make so many operations, and how many rounds each of them has. */
static uint32_t pairs_for(uint64_t operations, uint32_t *rounds)
{
    uint64_t pairs = operations / PAIR_SHARE;
    uint64_t each;

    if (operations == 0)
        return 0;
    if (pairs == 0)
        pairs = 1;
    if (pairs > PAIRS_MAX)
        pairs = PAIRS_MAX;
    each = operations / pairs;
    *rounds = each > PAIR_COST ? (uint32_t)((each - PAIR_COST) * 2 / ROUND_COST) : 0;
    return (uint32_t)pairs;
}

static uint32_t start_pairs(uint32_t percent, uint32_t first_number)
{
    struct pair pair = {.number = first_number, .starter = sn_self()};
    uint32_t pairs = pairs_for(noise_operations * percent / 100, &pair.rounds);

    for (uint32_t i = 0; i < pairs; i++) {
        (void)sn_spawn(&client, &pair);
        pair.number++;
    }
    return pairs;
}

static void wait_for_pairs(uint32_t pairs)
{
    for (uint32_t i = 0; i < pairs; i++)
        (void)sn_receive_event(&over_event, SN_FOREVER);
}

void noise_before(void)
{
    wait_for_pairs(start_pairs(BEFORE, 0));
}

void noise_beside(void)
{
    (void)start_pairs(BESIDE, PAIRS_MAX);
}

void noise_after(void)
{
    uint32_t rounds;

    wait_for_pairs(pairs_for(noise_operations * BESIDE / 100, &rounds));
    wait_for_pairs(start_pairs(AFTER, 2 * PAIRS_MAX));
}

void noise_open(struct noise *noise, uint64_t points)
{
    *noise = (struct noise){.points = points};
}

void noise_pass(struct noise *noise)
{
    struct exchange exchange = {0};

    noise->owed += noise_operations * WITHIN / 100;
    while (noise->owed >= LIBRARY_COST * noise->points) {
        noise->owed -= LIBRARY_COST * noise->points;
        if (noise->library == SN_NOBODY)
            noise->library = sn_spawn(&library, NULL);
        sn_send(noise->library, &ask_event, &exchange);
        (void)sn_receive_event(&answer_event, SN_FOREVER);
        exchange.round++;
    }
}

static void name_of(const struct pair *pair, const char *role, char name[NAME_SIZE])
{
    (void)snprintf(name, NAME_SIZE, "noise %s %u", role, pair->number);
}

static void serve(const void *payload)
{
    const struct pair *pair = payload;
    char name[NAME_SIZE];

    name_of(pair, "server", name);
    (void)sn_register(name, sn_self());
    sn_send(pair->starter, &ready_event, NULL);
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);
        struct exchange exchange;

        if (m->event == &stop_event)
            return;
        exchange = *(const struct exchange *)m->payload;
        sn_send(m->from, &answer_event, &exchange);
    }
}

static void ask(const void *payload)
{
    const struct pair *pair = payload;
    struct pair own = {.number = pair->number, .starter = sn_self()};
    char server_name[NAME_SIZE];
    char name[NAME_SIZE];
    sn_id server_id = sn_spawn(&server, &own);

    name_of(pair, "server", server_name);
    name_of(pair, "client", name);
    (void)sn_receive_event(&ready_event, SN_FOREVER);
    for (uint32_t round = 0; round < pair->rounds; round++) {
        struct exchange exchange = {.round = round};

        if (round % NAMED_EVERY == 0)
            (void)sn_register(name, sn_self());
        sn_send(sn_whereis(server_name), &ask_event, &exchange);
        (void)sn_receive_event(&answer_event, SN_FOREVER);
        if (round % NAMED_EVERY == 0)
            (void)sn_unregister(name);
    }
    sn_send(server_id, &stop_event, NULL);
    sn_send(pair->starter, &over_event, NULL);
}

static void help(const void *payload)
{
    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive_event(&ask_event, SN_FOREVER);
        struct exchange exchange = *(const struct exchange *)m->payload;

        sn_send(m->from, &answer_event, &exchange);
    }
}
