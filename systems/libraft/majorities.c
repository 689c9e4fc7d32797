/* majorities.c - who leads has the votes of most voters of the last configuration it has stored.
 *
 * Two leaders at once are what elections by a minority lead to, long after; this sees the first of
 * them. If the configuration is in a snapshot, what counts is what the log of the first server that
 * took one had there, whatever the snapshot says. Votes are kept as bytes: servers have small
 * numbers, and there may be hundreds of terms.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

struct monitor {
    uint8_t votes[SERVERS_MAX + 1][TERMS_MAX];  /* by server and term; 0: none */
    struct packed_members settled[INDEXES_MAX]; /* by index; count 0: not known */
};

static void on_voted(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct voted *voted = payload;

    sn_assert(voted->term < TERMS_MAX);
    monitor->votes[voted->server][voted->term] = (uint8_t)voted->vote;
}

static void on_settled(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct configured *configured = payload;

    if (monitor->settled[configured->index].count == 0)
        monitor->settled[configured->index] = configured->entry;
}

static void on_won(void *self, const void *payload)
{
    const struct monitor *monitor = self;
    const struct won *won = payload;
    const struct packed_members *settled = &monitor->settled[won->index];
    const struct packed_members *members = settled->count != 0 ? settled : &won->members;
    uint32_t voters = 0;
    uint32_t votes = 0;

    if (members->count == 0)
        return;
    sn_assert(won->term < TERMS_MAX);
    for (uint32_t i = 0; i < members->count; i++) {
        if (members->roles[i] != RAFT_VOTER)
            continue;
        voters++;
        votes += monitor->votes[members->ids[i]][won->term] == won->server;
    }
    sn_assertf(votes > voters / 2, "server %u leads term %u by the votes of %u of %u voters",
               won->server, (unsigned)won->term, votes, voters);
}

static const struct sn_on watching_on[] = {
    {.event = &voted_event, .run = on_voted},
    {.event = &settled_event, .run = on_settled},
    {.event = &won_event, .run = on_won},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine majorities = {
    .name = "Majorities",
    .size = sizeof(struct monitor),
    .start = &watching,
};
