/* progress.c - whoever asks gets an answer in the end: hot while a client waits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "machines.h"

struct monitor {
    uint32_t waiting_count;
};

static const struct sn_state idle;
static const struct sn_state owing;

static void on_begun(void *self, const void *payload)
{
    struct monitor *monitor = self;

    (void)payload;
    if (monitor->waiting_count++ == 0)
        sn_goto(&owing);
}

static void on_ended(void *self, const void *payload)
{
    struct monitor *monitor = self;

    (void)payload;
    if (--monitor->waiting_count == 0)
        sn_goto(&idle);
}

static const struct sn_on watching_on[] = {
    {.event = &begun_event, .run = on_begun},
    {.event = &ended_event, .run = on_ended},
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
