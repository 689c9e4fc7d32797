/* driver_machine.c - ends a trial when all clients have their answers.
 *
 * Servers and master would go on for ever. SPDX-License-Identifier: MIT
 */
#include "machines.h"

struct driver {
    const struct cluster *cluster;
    uint32_t done;
};

static void start(void *self, const void *payload)
{
    struct driver *driver = self;

    driver->cluster = ((const struct member_birth *)payload)->cluster;
}

static void on_done(void *self, const void *payload)
{
    struct driver *driver = self;

    (void)payload;
    if (++driver->done < CLIENTS)
        return;
    for (uint32_t server = 1; server <= SERVERS; server++)
        sn_send(driver->cluster->servers[server], &sn_halt_event, NULL);
    sn_send(driver->cluster->master, &sn_halt_event, NULL);
}

/* A server that starts after the end has missed it. */
static void on_hello(void *self, const void *payload)
{
    const struct driver *driver = self;

    (void)payload;
    if (driver->done == CLIENTS)
        sn_send(sn_sender(), &sn_halt_event, NULL);
}

static const struct sn_on running_on[] = {
    {.event = &done_event, .run = on_done},
    {.event = &hello_event, .run = on_hello},
    {0},
};

static const struct sn_state running = {.name = "Running", .entry = start, .on = running_on};

const struct sn_machine driver_machine = {
    .name = "Driver",
    .size = sizeof(struct driver),
    .start = &running,
    .birth = &member_birth_event,
};
