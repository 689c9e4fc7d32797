/* order_monitor.c - what clients see could have come from a single object that never fails.
 *
 * Every answer has a place in the order of updates. A request that was asked after another one was
 * answered must come after it in that order: a query must see at least the updates that were
 * answered, or seen by a query, before it was asked; an update must come behind them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"

struct monitor {
    uint32_t answered;                  /* the last update that some client knows of */
    uint32_t floor[CLIENTS_END];        /* the same, when the client asked */
    uint32_t values[CHAIN_UPDATES_MAX]; /* of the updates that clients know of; 0: unknown */
};

static void on_asked(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct client_notice *notice = payload;

    monitor->floor[notice->client] = monitor->answered;
}

static void on_answered(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct client_notice *notice = payload;
    uint32_t floor = monitor->floor[notice->client];

    if (notice->kind == CHAIN_QUERY)
        sn_assertf(notice->sequence >= floor,
                   "client %u sees update %u, but %u was known when it asked", notice->client,
                   notice->sequence, floor);
    else
        sn_assertf(notice->sequence > floor,
                   "client %u made update %u, but %u was known when it asked", notice->client,
                   notice->sequence, floor);
    if (notice->sequence == 0)
        return;

    uint32_t *value = &monitor->values[notice->sequence - 1];

    sn_assertf(*value == 0 || *value == notice->value, "update %u is %u to client %u, and was %u",
               notice->sequence, notice->value, notice->client, *value);
    *value = notice->value;
    if (notice->sequence > monitor->answered)
        monitor->answered = notice->sequence;
}

static const struct sn_on watching_on[] = {
    {.event = &asked_event, .run = on_asked},
    {.event = &answered_event, .run = on_answered},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine order_monitor = {
    .name = "Order",
    .size = sizeof(struct monitor),
    .start = &watching,
};
