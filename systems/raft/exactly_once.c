/* exactly_once.c - no command is executed at two places of the log. SPDX-License-Identifier: MIT */
#include "events.h"
#include "machines.h"

struct monitor {
    uint32_t indexes[CLIENTS_MAX + 1][SEQUENCES_MAX]; /* where a command was executed; 0: nowhere */
};

static void on_executed(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct executed *executed = payload;

    if (executed->client > CLIENTS_MAX || executed->sequence >= SEQUENCES_MAX)
        return;

    uint32_t *index = &monitor->indexes[executed->client][executed->sequence];

    sn_assertf(*index == 0 || *index == executed->index,
               "command %u of client %u is executed at entry %u and, by server %u, at entry %u",
               executed->sequence, executed->client, *index, executed->server, executed->index);
    *index = executed->index;
}

static const struct sn_on watching_on[] = {
    {.event = &executed_event, .run = on_executed},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine exactly_once = {
    .name = "ExactlyOnce",
    .size = sizeof(struct monitor),
    .start = &watching,
};
