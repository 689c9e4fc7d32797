/* log_matching.c - logs that have an entry of the same index and term are the same up to it.
 *
 * It is enough that entries of the same index and term say the same and follow entries of the same
 * term: the rest is by induction. What logs had once counts too, because a leader never takes back
 * what it has sent.
 *
 * SPDX-License-Identifier: MIT
 */
#include "oracles.h"

struct known {
    uint32_t term;      /* 0: the place is free */
    uint32_t prev_term; /* 0: not known */
    uint32_t digest;
};

struct monitor {
    struct known entries[ORACLE_INDEXES_MAX][ORACLE_TERMS_MAX];
};

static void on_appended(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct appended *appended = payload;

    if (appended->index >= ORACLE_INDEXES_MAX)
        return;

    struct known *known = monitor->entries[appended->index];
    uint32_t slot = 0;

    while (slot < ORACLE_TERMS_MAX && known[slot].term != 0 && known[slot].term != appended->term)
        slot++;
    if (slot == ORACLE_TERMS_MAX)
        return; /* more than is kept: not judged */
    if (known[slot].term == 0) {
        known[slot].term = appended->term;
        known[slot].digest = appended->digest;
    }
    sn_assertf(known[slot].digest == appended->digest,
               "entry %u of term %u is not the same in the log of server %u", appended->index,
               appended->term, appended->server);
    if (known[slot].prev_term == 0)
        known[slot].prev_term = appended->prev_term;
    sn_assertf(appended->prev_term == 0 || known[slot].prev_term == appended->prev_term,
               "entry %u of term %u follows one of term %u in the log of server %u, but one of "
               "term %u elsewhere",
               appended->index, appended->term, appended->prev_term, appended->server,
               known[slot].prev_term);
}

static const struct sn_on watching_on[] = {
    {.event = &appended_event, .run = on_appended},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine log_matching = {
    .name = "LogMatching",
    .size = sizeof(struct monitor),
    .start = &watching,
};
