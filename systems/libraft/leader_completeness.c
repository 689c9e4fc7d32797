/* leader_completeness.c - what is committed in a term is in the log of the leader of every later
 * term.
 *
 * A deposed leader may count to a majority only after its successor was elected, so that elections
 * are remembered with the logs of their time, and each commitment is held against those too.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

enum { ELECTIONS_MAX = 24 };

struct commitment {
    uint64_t term;        /* of the entry; 0: none is known to be committed */
    uint64_t server_term; /* in which it was committed */
};

struct monitor {
    struct commitment commitments[INDEXES_MAX];
    uint64_t last_index; /* of a commitment */
    struct elected elections[ELECTIONS_MAX];
    uint32_t election_count;
};

static bool has_entry(const struct elected *elected, uint64_t index, uint64_t term)
{
    if (index <= elected->base_index)
        return true; /* in its snapshot */
    return index <= elected->base_index + elected->count &&
           elected->terms[index - elected->base_index - 1] == term;
}

static void check(const struct elected *elected, uint64_t index,
                  const struct commitment *commitment)
{
    if (commitment->term == 0 || commitment->server_term >= elected->term)
        return;
    sn_assertf(has_entry(elected, index, commitment->term),
               "entry %u of term %u was committed in term %u, and server %u leads term %u "
               "without it",
               (unsigned)index, (unsigned)commitment->term, (unsigned)commitment->server_term,
               elected->server, (unsigned)elected->term);
}

static void on_elected(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct elected *elected = payload;

    if (elected->count > INDEXES_MAX)
        return;
    for (uint64_t index = 1; index <= monitor->last_index; index++)
        check(elected, index, &monitor->commitments[index]);
    if (monitor->election_count < ELECTIONS_MAX)
        monitor->elections[monitor->election_count++] = *elected;
}

static void on_committed(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct committed *committed = payload;

    if (committed->index >= INDEXES_MAX || committed->term == 0)
        return;

    struct commitment *commitment = &monitor->commitments[committed->index];

    sn_assertf(commitment->term == 0 || commitment->term == committed->term,
               "entry %u was committed as one of term %u and, by server %u, as one of term %u",
               (unsigned)committed->index, (unsigned)commitment->term, committed->server,
               (unsigned)committed->term);
    if (commitment->term != 0 && commitment->server_term <= committed->server_term)
        return;
    commitment->term = committed->term;
    commitment->server_term = committed->server_term;
    if (committed->index > monitor->last_index)
        monitor->last_index = committed->index;
    for (uint32_t i = 0; i < monitor->election_count; i++)
        check(&monitor->elections[i], committed->index, commitment);
}

static const struct sn_on watching_on[] = {
    {.event = &elected_event, .run = on_elected},
    {.event = &committed_event, .run = on_committed},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine leader_completeness = {
    .name = "LeaderCompleteness",
    .size = sizeof(struct monitor),
    .start = &watching,
};
