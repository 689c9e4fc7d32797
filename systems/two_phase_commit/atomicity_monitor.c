/* atomicity_monitor.c - all who decide a transaction decide the same, and for good.
 *
 * Nobody commits unless all participants have voted yes; no two sites decide differently; a
 * participant that has decided still knows it after a restart. (The coordinator may forget: what it
 * has aborted, and what all have acknowledged.)
 *
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"

enum {
    RECORDS_MAX = 32,
    ALL_PARTICIPANTS = ((1 << PARTICIPANTS) - 1) << 1,
};

struct record {
    uint32_t transaction;
    uint32_t yes;           /* participants that voted so */
    uint32_t outcome;       /* enum tpc_outcome; 0: undecided */
    uint32_t first_decider; /* site */
    uint32_t deciders;      /* sites */
    uint32_t recovered;     /* sites that know their decision since they started last */
};

struct monitor {
    struct record records[RECORDS_MAX];
    uint32_t count;
};

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

static void on_vote(void *self, const void *payload)
{
    const struct vote *vote = payload;

    record_of(self, vote->transaction)->yes |= UINT32_C(1) << vote->site;
}

static void on_decision(void *self, const void *payload)
{
    const struct decision *decision = payload;
    struct record *record = record_of(self, decision->transaction);

    sn_assertf(decision->outcome == TPC_ABORTED || record->yes == ALL_PARTICIPANTS,
               "site %u commits %u, but not all have voted yes", decision->site,
               decision->transaction);
    if (record->outcome == 0) {
        record->outcome = decision->outcome;
        record->first_decider = decision->site;
    }
    sn_assertf(record->outcome == decision->outcome,
               "transaction %u was %s by site %u, and now is %s by site %u", decision->transaction,
               record->outcome == TPC_COMMITTED ? "committed" : "aborted", record->first_decider,
               decision->outcome == TPC_COMMITTED ? "committed" : "aborted", decision->site);
    record->deciders |= UINT32_C(1) << decision->site;
    record->recovered |= UINT32_C(1) << decision->site;
}

static void on_recovery(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct recovery *recovery = payload;
    uint32_t site = UINT32_C(1) << recovery->site;

    for (uint32_t i = 0; i < monitor->count; i++) {
        struct record *record = &monitor->records[i];

        if (!recovery->is_over)
            record->recovered &= ~site;
        else
            sn_assertf((record->deciders & site) == (record->recovered & site),
                       "site %u has forgotten what it decided about %u", recovery->site,
                       record->transaction);
    }
}

static const struct sn_on watching_on[] = {
    {.event = &vote_event, .run = on_vote},
    {.event = &decision_event, .run = on_decision},
    {.event = &recovery_event, .run = on_recovery},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine atomicity_monitor = {
    .name = "Atomicity",
    .size = sizeof(struct monitor),
    .start = &watching,
};
