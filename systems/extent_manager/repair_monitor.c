/* repair_monitor.c - whether enough living nodes really hold the extent.
 *
 * The monitor counts true replicas, which the nodes tell it of at the moment they appear or vanish;
 * the extent manager's own view plays no part. It is hot while replicas are missing, and it starts
 * hot: the driver's first step announces the replicas that are there from the beginning.
 *
 * Each event is judged by the count, not by its kind. The manager may give up a node that is merely
 * slow, have it replaced, and the node may fail only then: nothing is left to repair, and a monitor
 * that waited for one more repair after each failure would raise a false alarm.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "machines.h"

struct monitor {
    sn_id holders[NODES_MAX];
    size_t holder_count;
    bool is_repaired; /* which of the two states it is in */
};

static const struct sn_state repairing;
static const struct sn_state repaired;

static void judge(struct monitor *monitor)
{
    bool is_repaired = monitor->holder_count >= REPLICA_TARGET;

    if (is_repaired == monitor->is_repaired)
        return;
    monitor->is_repaired = is_repaired;
    sn_goto(is_repaired ? &repaired : &repairing);
}

static void on_extent_repaired(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct node_notice *notice = payload;

    sn_assert(monitor->holder_count < NODES_MAX);
    monitor->holders[monitor->holder_count++] = notice->node;
    judge(monitor);
}

static void on_node_failed(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct node_notice *notice = payload;

    for (size_t i = 0; i < monitor->holder_count; i++) {
        if (monitor->holders[i] != notice->node)
            continue;
        monitor->holders[i] = monitor->holders[--monitor->holder_count];
        break;
    }
    judge(monitor);
}

static const struct sn_on monitor_on[] = {
    {.event = &extent_repaired_event, .run = on_extent_repaired},
    {.event = &node_failed_event, .run = on_node_failed},
    {0},
};

static const struct sn_state repairing = {
    .name = "Repairing",
    .on = monitor_on,
    .temperature = SN_HOT,
};

static const struct sn_state repaired = {
    .name = "Repaired",
    .on = monitor_on,
    .temperature = SN_COLD,
};

static void print(struct sn_text *out, const void *self)
{
    const struct monitor *monitor = self;

    sn_print(out, "holders={");
    for (size_t i = 0; i < monitor->holder_count; i++) {
        sn_print(out, "%s", i > 0 ? "," : "");
        sn_print_id(out, monitor->holders[i]);
    }
    sn_print(out, "}");
}

const struct sn_machine repair_monitor = {
    .name = "RepairMonitor",
    .size = sizeof(struct monitor),
    .start = &repairing,
    .print = print,
};
