/* termination_monitor.c - nobody stays in doubt for ever.
 *
 * Hot while a participant that has voted yes has not decided. A participant that is down counts: it
 * will be back, and must find out then.
 *
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"

enum { RECORDS_MAX = 32 };

struct record {
    uint32_t transaction;
    uint32_t yes;     /* participants that voted so */
    uint32_t decided; /* sites */
};

struct monitor {
    struct record records[RECORDS_MAX];
    uint32_t count;
    bool is_in_doubt; /* which of the two states it is in */
};

static const struct sn_state in_doubt;
static const struct sn_state certain;

static struct record *record_of(struct monitor *monitor, uint32_t transaction)
{
    for (uint32_t i = 0; i < monitor->count; i++) {
        if (monitor->records[i].transaction == transaction)
            return &monitor->records[i];
    }
    sn_assert(monitor->count < RECORDS_MAX);
    monitor->records[monitor->count].transaction = transaction;
    return &monitor->records[monitor->count++];
}

static void judge(struct monitor *monitor)
{
    bool is_in_doubt = false;

    for (uint32_t i = 0; i < monitor->count; i++)
        is_in_doubt = is_in_doubt || (monitor->records[i].yes & ~monitor->records[i].decided) != 0;
    if (is_in_doubt == monitor->is_in_doubt)
        return;
    monitor->is_in_doubt = is_in_doubt;
    sn_goto(is_in_doubt ? &in_doubt : &certain);
}

static void on_vote(void *self, const void *payload)
{
    const struct vote *vote = payload;

    record_of(self, vote->transaction)->yes |= UINT32_C(1) << vote->site;
    judge(self);
}

static void on_decision(void *self, const void *payload)
{
    const struct decision *decision = payload;

    record_of(self, decision->transaction)->decided |= UINT32_C(1) << decision->site;
    judge(self);
}

static const struct sn_on monitor_on[] = {
    {.event = &vote_event, .run = on_vote},
    {.event = &decision_event, .run = on_decision},
    {0},
};

static const struct sn_state certain = {
    .name = "Certain",
    .on = monitor_on,
    .temperature = SN_COLD,
};

static const struct sn_state in_doubt = {
    .name = "InDoubt",
    .on = monitor_on,
    .temperature = SN_HOT,
};

const struct sn_machine termination_monitor = {
    .name = "Termination",
    .size = sizeof(struct monitor),
    .start = &certain,
};
