/* leader_completeness.c - what is committed in a term is in the log of the leader of every later
 * term.
 *
 * A deposed leader may count to a majority only after its successor was elected, so that elections
 * are remembered with the logs of their time, and each commitment is held against those too.
 *
 * SPDX-License-Identifier: MIT
 */
#include "oracles.h"

struct commitment {
    uint32_t term;        /* of the entry; 0: none is known to be committed */
    uint32_t server_term; /* in which it was committed */
};

struct monitor {
    struct commitment commitments[ORACLE_INDEXES_MAX];
    uint32_t last_index; /* of a commitment */
    struct elected elections[ORACLE_ELECTIONS_MAX];
    uint32_t election_count;
};

static bool has_entry(const struct elected *elected, uint32_t index, uint32_t term)
{
    if (index <= elected->base_index)
        return true; /* in its snapshot */
    return index <= elected->last_index && elected->terms[index - elected->base_index - 1] == term;
}

static void check(const struct elected *elected, uint32_t index,
                  const struct commitment *commitment)
{
    if (commitment->term == 0 || commitment->server_term >= elected->term)
        return;
    sn_assertf(has_entry(elected, index, commitment->term),
               "entry %u of term %u was committed in term %u, and server %u leads term %u "
               "without it",
               index, commitment->term, commitment->server_term, elected->server, elected->term);
}

static void on_elected(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct elected *elected = payload;

    if (elected->last_index - elected->base_index > ORACLE_LOG_MAX)
        return;
    for (uint32_t index = 1; index <= monitor->last_index; index++)
        check(elected, index, &monitor->commitments[index]);
    if (monitor->election_count < ORACLE_ELECTIONS_MAX)
        monitor->elections[monitor->election_count++] = *elected;
}

static void on_committed(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct committed *committed = payload;

    if (committed->index >= ORACLE_INDEXES_MAX || committed->term == 0)
        return;

    struct commitment *commitment = &monitor->commitments[committed->index];

    sn_assertf(commitment->term == 0 || commitment->term == committed->term,
               "entry %u was committed as one of term %u and, by server %u, as one of term %u",
               committed->index, commitment->term, committed->server, committed->term);
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
