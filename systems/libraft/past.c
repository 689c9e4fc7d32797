/* past.c - what earlier leaders have left on the disks of servers: logs that differ, and a
 * snapshot.
 *
 * SPDX-License-Identifier: MIT
 */
#include "past.h"

#include <sennit/sennit.h>

enum { MAJORITY = PAST_SERVERS / 2 + 1 };

/* Of the trial: all of it is put back, as all memory is. */
static struct past_leader leaders[PAST_LEADERS];
static struct past pasts[PAST_SERVERS + 1]; /* by server */

static const struct past nothing;

static uint32_t last_term(const struct past *past)
{
    return past->count != 0 ? past->terms[past->count - 1] : 1;
}

static bool votes_for(const struct past *voter, const struct past *candidate)
{
    if (last_term(voter) != last_term(candidate))
        return last_term(voter) < last_term(candidate);
    return voter->count <= candidate->count;
}

static bool is_electable(uint32_t id)
{
    uint32_t votes = 0;

    for (uint32_t i = 1; i <= PAST_SERVERS; i++)
        votes += votes_for(&pasts[i], &pasts[id]);
    return votes >= MAJORITY;
}

static uint32_t draw_leader(void)
{
    uint32_t ids[PAST_SERVERS];
    uint32_t n = 0;

    for (uint32_t id = 1; id <= PAST_SERVERS; id++) {
        if (is_electable(id))
            ids[n++] = id;
    }
    sn_assert(n != 0);
    return ids[sn_choose("an earlier leader", n)];
}

/* The others stand in a circle: so many of them, from one on. */
static void draw_others(struct past_leader *leader)
{
    static const uint32_t counts[] = {0, 1, PAST_SERVERS - 2};
    uint32_t first;

    leader->count = counts[sn_choose("how many got it", 3)];
    if (leader->count == 0)
        return;
    first = (uint32_t)sn_choose("who got it first", PAST_SERVERS - 1);
    for (uint32_t i = 0; i < leader->count; i++)
        leader->others[i] = (leader->id + (first + i) % (PAST_SERVERS - 1)) % PAST_SERVERS + 1;
}

/* Who would vote for the leader does, and has written so. */
static void elect(const struct past_leader *leader)
{
    struct past candidate = pasts[leader->id];

    for (uint32_t id = 1; id <= PAST_SERVERS; id++) {
        if (!votes_for(&pasts[id], &candidate))
            continue;
        pasts[id].term = leader->term;
        pasts[id].vote = leader->id;
    }
}

/* A server gets all that its leader has. */
static void follow(struct past *own, const struct past *leader)
{
    struct past before = *own;

    *own = *leader;
    own->vote = before.term == leader->term ? before.vote : 0;
    own->committed = before.committed;
    own->snapshot = before.snapshot;
}

/* How many entries a server has that its leader has, too. */
static uint32_t count_shared(const struct past *own, const struct past *leader)
{
    uint32_t n = 0;

    while (n < own->count && n < leader->count && own->terms[n] == leader->terms[n])
        n++;
    return n;
}

/* Of so many entries, and as many as it has had before, the last of three others may have taken a
 * snapshot while it was writing the rest: the leader and the two before it are a majority. */
static void draw_snapshot(struct past_leader *leader, uint32_t least)
{
    const struct past *own = &pasts[leader->id];

    if (least < PAST_SNAPSHOT)
        least = PAST_SNAPSHOT;
    if (pasts[leader->others[leader->count - 1]].snapshot != 0 || own->count < least)
        return;

    uint32_t n = (uint32_t)sn_choose("what is in a snapshot", own->count - least + 2);

    leader->snapshot = n != 0 ? least + n - 1 : 0;
}

/* All that the leader has is committed then, since the last of it is of its own term. */
static void reach_majority(struct past_leader *leader)
{
    struct past *own = &pasts[leader->id];
    struct past *last = &pasts[leader->others[leader->count - 1]];

    own->committed = own->count;
    draw_snapshot(leader, count_shared(last, own));
    if (leader->snapshot != 0)
        last->snapshot = leader->snapshot;
}

static void lead(struct past_leader *leader)
{
    struct past *own;

    leader->id = draw_leader();
    leader->written = 1 + (uint32_t)sn_choose("what an earlier leader wrote", PAST_ENTRIES);
    draw_others(leader);
    elect(leader);
    own = &pasts[leader->id];
    for (uint32_t i = 0; i < leader->written; i++)
        own->terms[own->count++] = leader->term;
    if (leader->count + 1 >= MAJORITY)
        reach_majority(leader);
    for (uint32_t i = 0; i < leader->count; i++)
        follow(&pasts[leader->others[i]], own);
}

uint32_t past_draw(void)
{
    uint32_t n = PAST_LEADERS - 1 + (uint32_t)sn_choose("earlier leaders", 2);

    for (uint32_t i = 0; i < n; i++) {
        leaders[i] = (struct past_leader){.term = PAST_FIRST_TERM + i};
        lead(&leaders[i]);
    }
    return n;
}

const struct past_leader *past_leader(uint32_t n)
{
    return &leaders[n];
}

const struct past *past_of(uint32_t id)
{
    return id <= PAST_SERVERS ? &pasts[id] : &nothing;
}
