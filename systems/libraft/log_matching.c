/* log_matching.c - logs that have an entry of the same index and term are the same up to it.
 *
 * It is enough that entries of the same index and term say the same and follow entries of the same
 * term: the rest is by induction. What logs had once counts too, because a leader never takes back
 * what it has sent.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

enum { SLOTS = 6 }; /* terms of which an index may have entries, in one trial */

struct known {
    uint64_t term;      /* 0: the place is free */
    uint64_t prev_term; /* 0: not known */
    uint64_t digest;
};

struct monitor {
    struct known entries[INDEXES_MAX][SLOTS];
};

static void on_appended(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct appended *appended = payload;

    if (appended->index >= INDEXES_MAX)
        return;

    struct known *known = monitor->entries[appended->index];
    uint32_t slot = 0;

    while (slot < SLOTS && known[slot].term != 0 && known[slot].term != appended->term)
        slot++;
    if (slot == SLOTS)
        return; /* more than is kept: not judged */
    if (known[slot].term == 0) {
        known[slot].term = appended->term;
        known[slot].digest = appended->digest;
    }
    sn_assertf(known[slot].digest == appended->digest,
               "entry %u of term %u is not the same in the log of server %u",
               (unsigned)appended->index, (unsigned)appended->term, appended->server);
    if (known[slot].prev_term == 0)
        known[slot].prev_term = appended->prev_term;
    sn_assertf(appended->prev_term == 0 || known[slot].prev_term == appended->prev_term,
               "entry %u of term %u follows one of term %u in the log of server %u, but one of "
               "term %u elsewhere",
               (unsigned)appended->index, (unsigned)appended->term, (unsigned)appended->prev_term,
               appended->server, (unsigned)known[slot].prev_term);
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
