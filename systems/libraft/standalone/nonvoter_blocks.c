/* nonvoter_blocks.c - a server that is no voter by its own configuration votes for nobody and does
 * not stand, and no leader is elected: because its configuration lacks it, and because it knows a
 * leader for ever.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

enum { SECONDS = 100, TICKS = SECONDS * 10 };

/* ---- A leader makes itself a spare by an entry that nobody else gets ------------------------- */

/* Time passes for all servers, and whatever they send or write arrives. Returns whether there is a
 * leader then. */
static bool is_there_a_leader(void)
{
    for (int i = 0; i < TICKS; i++) {
        for (unsigned from = 1; from <= 3; from++) {
            cluster_tick(from, 1);
            for (unsigned to = 1; to <= 3; to++) {
                (void)cluster_deliver(from, to);
                cluster_end_writes(to);
                (void)cluster_deliver(to, from);
                cluster_end_writes(from);
            }
        }
    }
    return servers[1].raft.state == RAFT_LEADER || servers[2].raft.state == RAFT_LEADER ||
           servers[3].raft.state == RAFT_LEADER;
}

/* Whether there is a leader in the end; leader 1 makes itself a spare, or has a command instead. */
static bool is_elected(bool demotes_itself)
{
    cluster_start(3, 3, 0);

    /* The entry of leader 1, of term 2, reaches nobody. */
    cluster_elect(1, 2);
    if (demotes_itself)
        (void)cluster_assign(1, 1, RAFT_SPARE);
    else
        (void)cluster_apply(1, 1);
    cluster_end_writes(1);
    cluster_forget(1);

    /* Server 2 is elected by server 3, and makes that a spare. Its entry, of a later term, reaches
     * nobody either. Servers 1 and 2 are the voters now, as far as server 2 knows. */
    cluster_elect(2, 3);
    (void)cluster_drop(2, 3);
    (void)cluster_assign(2, 3, RAFT_SPARE);
    cluster_end_writes(2);
    cluster_forget(2);

    return is_there_a_leader();
}

/* ---- A leader fails, and one of the two voters left does not know that it is one ------------- */

/* What is different; nothing, and the server does not vote. */
struct help {
    bool is_told;   /* that it is a voter */
    bool is_lent;   /* while it is asked for its vote, its configuration says that it is a voter */
    bool restarted; /* it knows no leader */
};

static void set_role(struct raft_configuration *configuration, raft_id id, int role)
{
    for (unsigned i = 0; i < configuration->n; i++) {
        if (configuration->servers[i].id == id)
            configuration->servers[i].role = role;
    }
}

/* Whether server 2 is elected by server 3, which was made a stand-by and a voter again. */
static bool is_elected_with(struct help help)
{
    cluster_start(3, 3, 0);

    /* Servers 1 and 2 have the entry that makes server 3 a voter again, so that it is committed. */
    cluster_elect(1, 2);
    (void)cluster_assign(1, 3, RAFT_STANDBY);
    cluster_replicate_all(1, "23");
    (void)cluster_assign(1, 3, RAFT_VOTER);
    if (help.is_told)
        cluster_replicate_all(1, "23");
    cluster_replicate(1, 2);
    (void)cluster_drop(1, 3);

    /* Server 1 fails. Two of three voters are left, which hear each other. */
    cluster_crash(1);
    if (help.restarted) {
        cluster_crash(3);
        cluster_restart(3);
    }
    for (int i = 0; i < TICKS && servers[2].raft.state != RAFT_LEADER; i++) {
        cluster_tick(2, 1);
        if (help.is_lent)
            set_role(&servers[3].raft.configuration, 3, RAFT_VOTER);
        (void)cluster_deliver(2, 3);
        if (help.is_lent)
            set_role(&servers[3].raft.configuration, 3, RAFT_STANDBY);
        (void)cluster_deliver(3, 2);
        cluster_tick(3, 1);
        (void)cluster_drop(2, 1);
        (void)cluster_drop(3, 1);
    }
    return servers[2].raft.state == RAFT_LEADER;
}

static raft_id leader_of(unsigned id)
{
    const char *address;
    raft_id leader;

    raft_leader(&servers[id].raft, &leader, &address);
    return leader;
}

int main(void)
{
    cluster_show(is_elected(false) && !is_elected(true),
                 "all servers run and hear each other, and in 100 seconds none is elected");
    cluster_show(is_elected_with((struct help){.is_told = true}) &&
                     !is_elected_with((struct help){0}) && leader_of(3) == 1,
                 "two of three voters do, none is elected, and one of them still names the leader "
                 "that has failed");
    cluster_conclude(!is_elected_with((struct help){.is_lent = true}) &&
                         !is_elected_with((struct help){.restarted = true}) &&
                         is_elected_with((struct help){.is_lent = true, .restarted = true}),
                     "its vote is refused for two reasons, its configuration and that leader");
}
