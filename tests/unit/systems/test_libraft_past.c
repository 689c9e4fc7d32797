/* test_libraft_past.c - what trials of libraft begin with is what servers can have on their disks.
 *
 * systems/libraft/past.c draws what earlier leaders did, and says what that leaves. Here the same
 * is done one message at a time, by the rules of the Raft paper and nothing else; where a rule does
 * not allow what was drawn, or something else is left, the trial fails.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../../../systems/libraft/past.h"

#include <sennit/sennit.h>

enum { LOG_MAX = 16, MAJORITY = PAST_SERVERS / 2 + 1, THRESHOLD = PAST_SNAPSHOT + 1 };

/* A server; entry 1 is the configuration. */
struct server {
    uint32_t term;
    uint32_t vote;
    uint32_t last; /* of the entries */
    uint32_t terms[LOG_MAX];
    uint32_t commit;
    uint32_t snapshot;
};

static struct server servers[PAST_SERVERS + 1];

/* Section 5.4.1. */
static bool is_behind(const struct server *voter, const struct server *candidate)
{
    uint32_t own = voter->terms[voter->last];
    uint32_t others = candidate->terms[candidate->last];

    return others > own || (others == own && candidate->last >= voter->last);
}

static void stand(uint32_t id, uint32_t term)
{
    uint32_t votes = 0;

    for (uint32_t i = 1; i <= PAST_SERVERS; i++) {
        struct server *voter = &servers[i];

        sn_assert(voter->term < term);
        if (!is_behind(voter, &servers[id]))
            continue;
        voter->term = term;
        voter->vote = id;
        votes++;
    }
    sn_assertf(votes >= MAJORITY, "server %u leads term %u by %u votes", id, term, votes);
}

/* What conflicts with a leader's log goes when the entry in its place comes, before that is
 * written. */
static void drop_conflict(struct server *to, const struct server *leader, uint32_t index)
{
    if (index > to->last || index > leader->last || to->terms[index] == leader->terms[index])
        return;
    sn_assertf(index > to->commit && index > to->snapshot, "entry %u was committed", index);
    to->last = index - 1;
}

/* One AppendEntries with one entry. Figure 2. */
static void append(struct server *to, const struct server *leader, uint32_t index)
{
    sn_assert(index - 1 <= to->last && to->terms[index - 1] == leader->terms[index - 1]);
    drop_conflict(to, leader, index);
    if (index <= to->last)
        return;
    to->last = index;
    to->terms[index] = leader->terms[index];
}

/* Sends a server all that the leader has, of which it writes what comes up to an entry. */
static void send_up_to(struct server *to, const struct server *leader, uint32_t index)
{
    if (to->term < leader->term) {
        to->term = leader->term;
        to->vote = 0;
    }
    sn_assert(to->term == leader->term);
    for (uint32_t next = 2; next <= index; next++)
        append(to, leader, next);
    drop_conflict(to, leader, index + 1);
}

/* Section 5.4.2: an entry of this term that a majority has is committed, and all before it. */
static void count(struct server *leader)
{
    for (uint32_t index = leader->last; index > leader->commit; index--) {
        uint32_t holders = 0;

        for (uint32_t i = 1; i <= PAST_SERVERS; i++)
            holders += servers[i].term == leader->term && servers[i].last >= index &&
                       servers[i].terms[index] == leader->term;
        if (holders >= MAJORITY && leader->terms[index] == leader->term) {
            leader->commit = index;
            return;
        }
    }
}

/* A heartbeat; a server that has applied enough takes a snapshot. */
static void hear(struct server *server, const struct server *leader)
{
    server->commit = leader->commit < server->last ? leader->commit : server->last;
    if (server->commit >= server->snapshot + THRESHOLD)
        server->snapshot = server->commit;
}

static void check_leader(const struct past_leader *did)
{
    struct server *leader = &servers[did->id];
    struct server *last = did->count != 0 ? &servers[did->others[did->count - 1]] : NULL;

    stand(did->id, did->term);
    for (uint32_t i = 0; i < did->written; i++)
        leader->terms[++leader->last] = did->term;
    for (uint32_t i = 0; i + 1 < did->count; i++)
        send_up_to(&servers[did->others[i]], leader, leader->last);
    if (did->snapshot != 0) {
        uint32_t before = last->snapshot;

        send_up_to(last, leader, did->snapshot + 1);
        count(leader);
        hear(last, leader);
        sn_assertf(last->snapshot != before && last->snapshot == did->snapshot + 1,
                   "no snapshot ends with entry %u, but with entry %u", did->snapshot + 1,
                   last->snapshot);
    }
    if (last != NULL)
        send_up_to(last, leader, leader->last);
    count(leader);
    sn_classify(did->snapshot != 0, "a snapshot");
    sn_classify(did->snapshot != 0 && last->last > last->snapshot, "a snapshot of a part");
}

static void check_disk(uint32_t id, const struct past *past)
{
    const struct server *server = &servers[id];

    sn_assert(past->term == server->term || (past->term == 0 && server->term == 1));
    sn_assert(past->vote == server->vote);
    sn_assert(past->count + 1 == server->last);
    for (uint32_t i = 0; i < past->count; i++)
        sn_assert(past->terms[i] == server->terms[i + PAST_FIRST]);
    sn_assert(past->snapshot == 0 ? server->snapshot == 0 : past->snapshot + 1 == server->snapshot);
    sn_assert(past->committed == 0 || past->committed + 1 <= server->commit);
}

static void run(void)
{
    uint32_t n = past_draw();

    for (uint32_t id = 1; id <= PAST_SERVERS; id++)
        servers[id] = (struct server){.term = 1, .last = 1, .terms = {0, 1}, .commit = 1};
    for (uint32_t i = 0; i < n; i++)
        check_leader(past_leader(i));
    for (uint32_t id = 1; id <= PAST_SERVERS; id++)
        check_disk(id, past_of(id));
}

static const struct sn_test tests[] = {
    {.name = "what_a_trial_begins_with_is_what_servers_can_have_on_their_disks", .run = run},
    {0},
};

static const struct sn_suite suite = {.name = "libraft_past", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
