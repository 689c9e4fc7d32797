/* progress.c - every client has what it wants in the end: hot while one does not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "oracles.h"

struct monitor {
    uint32_t wanting_count;
};

static const struct sn_state idle;
static const struct sn_state owing;

static void on_wanted(void *self, const void *payload)
{
    struct monitor *monitor = self;

    (void)payload;
    if (monitor->wanting_count++ == 0)
        sn_goto(&owing);
}

static void on_had(void *self, const void *payload)
{
    struct monitor *monitor = self;

    (void)payload;
    if (--monitor->wanting_count == 0)
        sn_goto(&idle);
}

static const struct sn_on watching_on[] = {
    {.event = &wanted_event, .run = on_wanted},
    {.event = &had_event, .run = on_had},
    {0},
};

static const struct sn_state idle = {
    .name = "Idle",
    .on = watching_on,
    .temperature = SN_COLD,
};

static const struct sn_state owing = {
    .name = "Owing",
    .on = watching_on,
    .temperature = SN_HOT,
};

const struct sn_machine progress = {
    .name = "Progress",
    .size = sizeof(struct monitor),
    .start = &idle,
};
