/* group.c - a leader and its followers, chosen by what a failure detector says.
 *
 * SPDX-License-Identifier: MIT
 */
#include "group.h"

static void choose_leader(struct group *g);
static void on_join(struct group *g, const struct fd_message *join);
static void send(struct group *g, uint32_t to, uint32_t kind, uint32_t round);

void group_init(struct group *g, const struct group_config *config, const struct group_io *io,
                void *io_self)
{
    *g = (struct group){
        .config = *config,
        .io = io,
        .io_self = io_self,
        .leader = config->node,
        .joined_incarnation = config->incarnation,
    };
    g->alive[config->node] = config->incarnation;
    g->members[config->node] = config->incarnation;
}

void group_on_trust(struct group *g, uint32_t node, uint32_t incarnation)
{
    g->alive[node] = incarnation;
    choose_leader(g);
}

void group_on_suspect(struct group *g, uint32_t node)
{
    g->alive[node] = 0;
    if (g->config.drop_suspected_members)
        g->members[node] = 0;
    choose_leader(g);
}

void group_on_message(struct group *g, const struct fd_message *message)
{
    if (message->from == 0 || message->from > g->config.node_count)
        return;
    if (message->kind == FD_JOIN)
        on_join(g, message);
    if (message->kind == FD_JOINED && message->from == g->leader &&
        message->incarnation == g->alive[g->leader] && message->round == g->config.incarnation)
        g->joined_incarnation = message->incarnation;
}

void group_on_tick(struct group *g)
{
    if (g->joined_incarnation != g->alive[g->leader])
        send(g, g->leader, FD_JOIN, g->alive[g->leader]);
}

bool group_has_member(const struct group *g, uint32_t node, uint32_t incarnation)
{
    return g->members[node] == incarnation;
}

/* The node itself is always alive, so there is one. */
static void choose_leader(struct group *g)
{
    uint32_t leader = 1;

    while (g->alive[leader] == 0)
        leader++;
    if (leader == g->leader && g->alive[leader] == g->joined_incarnation)
        return;
    g->leader = leader;
    g->joined_incarnation = leader == g->config.node ? g->config.incarnation : 0;
    group_on_tick(g);
}

/* A request for an earlier life of this node, or from an earlier life of the other, is late. */
static void on_join(struct group *g, const struct fd_message *join)
{
    if (join->round != g->config.incarnation || join->incarnation < g->members[join->from])
        return;
    g->members[join->from] = join->incarnation;
    send(g, join->from, FD_JOINED, join->incarnation);
}

static void send(struct group *g, uint32_t to, uint32_t kind, uint32_t round)
{
    struct fd_message message = {
        .kind = kind,
        .from = g->config.node,
        .incarnation = g->config.incarnation,
        .round = round,
    };

    g->io->send(g->io_self, to, &message);
}
