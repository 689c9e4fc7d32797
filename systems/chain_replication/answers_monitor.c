/* answers_monitor.c - every request is answered in the end.
 *
 * Hot until all clients are done. The one excuse is that all data is gone: when no server that is
 * up holds all that was committed, nobody can answer, and nobody should.
 *
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"

struct monitor {
    uint32_t synced; /* set of servers, whether they are up or not */
    uint32_t done;   /* clients */
};

static const struct sn_state over;

static void judge(const struct monitor *monitor)
{
    bool is_lost = true;

    for (uint32_t server = 1; server <= SERVERS; server++) {
        if ((monitor->synced >> server & 1) && sn_node_is_up(server))
            is_lost = false;
    }
    if (is_lost || monitor->done == CLIENTS)
        sn_goto(&over);
}

static void on_status(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct server_notice *notice = payload;

    monitor->synced &= ~(UINT32_C(1) << notice->server);
    if (notice->is_synced)
        monitor->synced |= UINT32_C(1) << notice->server;
    judge(monitor);
}

static void on_client_done(void *self, const void *payload)
{
    struct monitor *monitor = self;

    (void)payload;
    monitor->done++;
    judge(monitor);
}

/* All servers begin synced, as many as have told so by then. */
static void start(void *self, const void *payload)
{
    struct monitor *monitor = self;

    (void)payload;
    monitor->synced = ((UINT32_C(1) << SERVERS) - 1) << 1;
}

static const struct sn_on waiting_on[] = {
    {.event = &born_event, .run = on_status},
    {.event = &status_event, .run = on_status},
    {.event = &client_done_event, .run = on_client_done},
    {0},
};

static const struct sn_on over_on[] = {
    {.event = &born_event, .ignore = true},
    {.event = &status_event, .ignore = true},
    {.event = &client_done_event, .ignore = true},
    {0},
};

static const struct sn_state waiting = {
    .name = "Waiting",
    .entry = start,
    .on = waiting_on,
    .temperature = SN_HOT,
};

static const struct sn_state over = {
    .name = "Over",
    .on = over_on,
    .temperature = SN_COLD,
};

const struct sn_machine answers_monitor = {
    .name = "Answers",
    .size = sizeof(struct monitor),
    .start = &waiting,
};
