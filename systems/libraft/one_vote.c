/* one_vote.c - a server votes for one candidate of a term, also if it crashes in between.
 *
 * Two leaders of one term are what it leads to, which sn_one_leader sees; this sees the cause. The
 * vote that a server finds when it starts must be one that it has cast in that term, or was going
 * to cast when it crashed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

struct monitor {
    uint8_t votes[SERVERS_MAX + 1][TERMS_MAX];   /* by server and term; 0: none */
    uint8_t intents[SERVERS_MAX + 1][TERMS_MAX]; /* the last that was to be cast */
};

static void on_voting(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct voted *voting = payload;

    sn_assert(voting->term < TERMS_MAX);
    monitor->intents[voting->server][voting->term] = (uint8_t)voting->vote;
}

static void on_found(void *self, const void *payload)
{
    const struct monitor *monitor = self;
    const struct voted *found = payload;

    if (found->vote == 0)
        return;
    sn_assert(found->term < TERMS_MAX);
    sn_assertf(monitor->intents[found->server][found->term] == found->vote,
               "server %u starts with a vote for server %u in term %u, which it has not cast",
               found->server, (unsigned)found->vote, (unsigned)found->term);
}

static void on_voted(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct voted *voted = payload;

    if (voted->vote == 0)
        return;
    sn_assert(voted->term < TERMS_MAX);

    uint8_t *vote = &monitor->votes[voted->server][voted->term];

    sn_assertf(*vote == 0 || *vote == voted->vote,
               "server %u votes for server %u in term %u, and has voted for server %u",
               voted->server, (unsigned)voted->vote, (unsigned)voted->term, (unsigned)*vote);
    *vote = (uint8_t)voted->vote;
}

static const struct sn_on watching_on[] = {
    {.event = &voting_event, .run = on_voting},
    {.event = &voted_event, .run = on_voted},
    {.event = &vote_found_event, .run = on_found},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine one_vote = {
    .name = "OneVote",
    .size = sizeof(struct monitor),
    .start = &watching,
};
