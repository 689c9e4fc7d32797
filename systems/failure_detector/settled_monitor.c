/* settled_monitor.c - in the end everybody knows who is there, and all are in one group.
 *
 * Cold if each node that is up trusts exactly the nodes that are up, in the life that they are in,
 * takes the lowest of them for the leader, has joined it, and is on its list. Hot otherwise: a node
 * that has crashed must be suspected, one that is up and can be reached must not stay so, and a
 * leader that has lost its list must get it back.
 *
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"

struct monitor {
    struct view views[NODES_END]; /* incarnation 0: the node is starting */
    bool is_settled;              /* which of the two states it is in */
};

static const struct sn_state unsettled;
static const struct sn_state settled;

/* What others should know of a node: its incarnation; 0 if it is down. */
static uint32_t truth_of(const struct monitor *monitor, uint32_t node)
{
    return sn_node_is_up(node) ? monitor->views[node].incarnation : 0;
}

static bool is_right(const struct monitor *monitor, const struct view *view, uint32_t leader)
{
    const struct view *led_by = &monitor->views[leader];

    if (view->incarnation == 0)
        return false;
    for (uint32_t node = 1; node <= NODES; node++) {
        if (view->alive[node] != truth_of(monitor, node))
            return false;
    }
    return view->leader == leader && view->joined == led_by->incarnation &&
           led_by->members[view->node] == view->incarnation;
}

static bool are_all_right(const struct monitor *monitor)
{
    uint32_t leader = 1;

    while (leader < NODES && !sn_node_is_up(leader))
        leader++;
    for (uint32_t node = 1; node <= NODES; node++) {
        if (sn_node_is_up(node) && !is_right(monitor, &monitor->views[node], leader))
            return false;
    }
    return true;
}

static void judge(struct monitor *monitor)
{
    bool is_settled = are_all_right(monitor);

    if (is_settled == monitor->is_settled)
        return;
    monitor->is_settled = is_settled;
    sn_goto(is_settled ? &settled : &unsettled);
}

static void on_born(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct notice *notice = payload;

    monitor->views[notice->node] = (struct view){.node = notice->node};
    judge(monitor);
}

static void on_view(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct view *view = payload;

    monitor->views[view->node] = *view;
    judge(monitor);
}

static const struct sn_on monitor_on[] = {
    {.event = &born_event, .run = on_born},
    {.event = &view_event, .run = on_view},
    {0},
};

static const struct sn_state unsettled = {
    .name = "Unsettled",
    .on = monitor_on,
    .temperature = SN_HOT,
};

static const struct sn_state settled = {
    .name = "Settled",
    .on = monitor_on,
    .temperature = SN_COLD,
};

const struct sn_machine settled_monitor = {
    .name = "Settled",
    .size = sizeof(struct monitor),
    .start = &unsettled,
};
