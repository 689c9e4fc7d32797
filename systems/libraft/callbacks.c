/* callbacks.c - a request that is accepted is called back, once, and with its own result.
 *
 * A server that crashes has forgotten its requests; one that is closed must have called back all.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

enum { IDS_MAX = 1024 };

enum progress { UNKNOWN = 0, ACCEPTED, CALLED_BACK };

struct monitor {
    unsigned char requests[IDS_MAX]; /* enum progress, by request */
    unsigned char servers[IDS_MAX];  /* who has accepted it */
};

static void on_accepted(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct call *call = payload;

    if (call->id >= IDS_MAX)
        return;
    monitor->requests[call->id] = ACCEPTED;
    monitor->servers[call->id] = (unsigned char)call->server;
}

static void on_called_back(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct call *call = payload;

    if (call->id >= IDS_MAX)
        return;
    sn_assertf(monitor->requests[call->id] != CALLED_BACK,
               "server %u calls back request %u a second time", call->server, call->id);
    sn_assertf(monitor->requests[call->id] == ACCEPTED,
               "server %u calls back request %u, which it has not accepted", call->server,
               call->id);
    sn_assertf(call->answered == 0 || call->answered == call->id,
               "server %u answers request %u with the result of %u", call->server, call->id,
               call->answered);
    monitor->requests[call->id] = CALLED_BACK;
}

static void on_reborn(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct call *call = payload;

    for (uint32_t id = 0; id < IDS_MAX; id++) {
        if (monitor->servers[id] == call->server && monitor->requests[id] == ACCEPTED)
            monitor->requests[id] = UNKNOWN;
    }
}

static void on_ended(void *self, const void *payload)
{
    const struct monitor *monitor = self;
    const struct ended *ended = payload;

    for (uint32_t id = 0; id < IDS_MAX; id++)
        sn_assertf(monitor->servers[id] != ended->server || monitor->requests[id] != ACCEPTED,
                   "server %u is closed and has never called back request %u", ended->server, id);
}

static const struct sn_on watching_on[] = {
    {.event = &accepted_event, .run = on_accepted},
    {.event = &called_back_event, .run = on_called_back},
    {.event = &reborn_event, .run = on_reborn},
    {.event = &ended_event, .run = on_ended},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine callbacks = {
    .name = "Callbacks",
    .size = sizeof(struct monitor),
    .start = &watching,
};
