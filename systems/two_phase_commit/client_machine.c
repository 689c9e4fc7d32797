/* client_machine.c - begins the transactions of a trial, two at a time.
 *
 * Two keys are written in turn: transactions that follow each other closely get in each other's
 * way, and some are refused. An answer that does not come is not waited for, because a coordinator
 * that has crashed will not give it: after a while the client begins another transaction.
 *
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"
#include "site.h"

enum {
    TRANSACTIONS = 4,
    AT_ONCE = 2,
    KEYS = 2,
};

static const uint64_t patience_ns = UINT64_C(2500000000);

struct client {
    const struct cluster *cluster;
    uint32_t begun;
    sn_timer patience;
};

static void begin_one(struct client *client)
{
    struct begin begin = {.key = client->begun % KEYS};

    (void)sn_timer_cancel(client->patience);
    if (client->begun == TRANSACTIONS)
        return;
    client->begun++;
    sn_send(client->cluster->sites[TPC_COORDINATOR], &begin_event, &begin);
    client->patience = sn_timer_start(&patience_event, patience_ns, NULL);
}

static void start(void *self, const void *payload)
{
    struct client *client = self;

    client->cluster = ((const struct site_birth *)payload)->cluster;
    for (int i = 0; i < AT_ONCE; i++)
        begin_one(client);
}

static void on_outcome(void *self, const void *payload)
{
    struct client *client = self;
    const struct outcome *outcome = payload;
    struct decision decision = {
        .transaction = outcome->transaction,
        .site = SITE_CLIENT,
        .outcome = outcome->outcome,
    };

    site_tell_decision(client->cluster, &decision);
    begin_one(client);
}

static void on_patience(void *self, const void *payload)
{
    (void)payload;
    begin_one(self);
}

static const struct sn_on running_on[] = {
    {.event = &outcome_event, .run = on_outcome},
    {.event = &patience_event, .run = on_patience},
    {0},
};

static const struct sn_state running = {.name = "Running", .entry = start, .on = running_on};

const struct sn_machine client_machine = {
    .name = "Client",
    .size = sizeof(struct client),
    .start = &running,
    .birth = &site_birth_event,
};
