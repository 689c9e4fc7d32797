/* node_machine.c - a modelled extent node.
 *
 * It does only what the scenarios need: heartbeats, sync reports, copying an extent on request, and
 * failing. A node that fails halts; what it has sent before stays under way.
 *
 * Both loops run on timers that may fire at any moment and start themselves again. A loop pauses
 * while too many of its messages are under way and goes on with the next receipt, as a connection
 * with a send window does. Without that a node could send faster than the scheduler delivers, and
 * what reaches the manager would grow ever older; with it a trial stays bounded however long it
 * runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "machines.h"

enum {
    HEARTBEATS_UNDER_WAY_MAX = 2,
    REPORTS_UNDER_WAY_MAX = 3,
};

struct node {
    sn_id driver;
    sn_id manager;
    uint32_t extents;
    unsigned heartbeats_under_way;
    unsigned reports_under_way;
};

static void send_heartbeat(struct node *node)
{
    struct heartbeat heartbeat = {.node = sn_self()};

    sn_send(node->manager, &heartbeat_event, &heartbeat);
    if (++node->heartbeats_under_way < HEARTBEATS_UNDER_WAY_MAX)
        sn_timer_start_any(&heartbeat_tick_event, NULL);
}

/* A node that starts announces itself, so that its first report does not come from a stranger. */
static void start(void *self, const void *payload)
{
    struct node *node = self;
    const struct node_birth *birth = payload;

    node->driver = birth->driver;
    node->manager = birth->manager;
    node->extents = birth->extents;
    send_heartbeat(node);
    sn_timer_start_any(&sync_tick_event, NULL);
}

static void on_heartbeat_tick(void *self, const void *payload)
{
    (void)payload;
    send_heartbeat(self);
}

static void on_heartbeat_ack(void *self, const void *payload)
{
    struct node *node = self;

    (void)payload;
    if (node->heartbeats_under_way-- == HEARTBEATS_UNDER_WAY_MAX)
        sn_timer_start_any(&heartbeat_tick_event, NULL);
}

static void on_sync_tick(void *self, const void *payload)
{
    struct node *node = self;
    struct sync_report report = {.node = sn_self(), .extents = node->extents};

    (void)payload;
    sn_send(node->driver, &sync_report_event, &report);
    if (++node->reports_under_way < REPORTS_UNDER_WAY_MAX)
        sn_timer_start_any(&sync_tick_event, NULL);
}

static void on_sync_report_ack(void *self, const void *payload)
{
    struct node *node = self;

    (void)payload;
    if (node->reports_under_way-- == REPORTS_UNDER_WAY_MAX)
        sn_timer_start_any(&sync_tick_event, NULL);
}

static void on_repair_request(void *self, const void *payload)
{
    const struct node *node = self;
    const struct repair_request *request = payload;
    struct copy_request copy = {.extent = request->extent, .destination = sn_self()};

    if (node->extents >> request->extent & 1)
        return;
    sn_send(request->source, &copy_request_event, &copy);
}

static void on_copy_request(void *self, const void *payload)
{
    const struct node *node = self;
    const struct copy_request *request = payload;
    struct copy_response response = {
        .extent = request->extent,
        .is_copied = node->extents >> request->extent & 1,
    };

    sn_send(request->destination, &copy_response_event, &response);
}

/* A copy that failed is not tried again here: the manager will ask once more. */
static void on_copy_response(void *self, const void *payload)
{
    struct node *node = self;
    const struct copy_response *response = payload;
    struct node_notice notice = {.node = sn_self()};

    if (!response->is_copied || (node->extents >> response->extent & 1))
        return;
    node->extents |= UINT32_C(1) << response->extent;
    sn_monitor(&repair_monitor, &extent_repaired_event, &notice);
    sn_send(node->driver, &extent_repaired_event, &notice);
}

static void on_fail(void *self, const void *payload)
{
    const struct node *node = self;
    struct node_notice notice = {.node = sn_self()};

    (void)payload;
    sn_monitor(&repair_monitor, &node_failed_event, &notice);
    sn_send(node->driver, &node_failed_event, &notice);
    sn_halt();
}

static const struct sn_on running_on[] = {
    {.event = &heartbeat_tick_event, .run = on_heartbeat_tick},
    {.event = &heartbeat_ack_event, .run = on_heartbeat_ack},
    {.event = &sync_tick_event, .run = on_sync_tick},
    {.event = &sync_report_ack_event, .run = on_sync_report_ack},
    {.event = &repair_request_event, .run = on_repair_request},
    {.event = &copy_request_event, .run = on_copy_request},
    {.event = &copy_response_event, .run = on_copy_response},
    {.event = &fail_event, .run = on_fail},
    {0},
};

static const struct sn_state running = {.name = "Running", .entry = start, .on = running_on};

static const struct sn_field birth_fields[] = {
    SN_FIELD(struct node_birth, driver, SN_MACHINE),
    SN_FIELD(struct node_birth, manager, SN_MACHINE),
    SN_FIELD(struct node_birth, extents, SN_SET),
    {0},
};

static const struct sn_event birth_event = {
    .name = "NodeBirth",
    .size = sizeof(struct node_birth),
    .fields = birth_fields,
};

static uint64_t fingerprint(const void *self)
{
    const struct node *node = self;

    return node->extents | (uint64_t)node->heartbeats_under_way << 32 |
           (uint64_t)node->reports_under_way << 40;
}

static const struct sn_field memory[] = {SN_FIELD(struct node, extents, SN_SET),
                                         SN_FIELD(struct node, heartbeats_under_way, SN_UINT),
                                         SN_FIELD(struct node, reports_under_way, SN_UINT),
                                         {0}};

const struct sn_machine extent_node = {
    .name = "ExtentNode",
    .size = sizeof(struct node),
    .start = &running,
    .birth = &birth_event,
    .fingerprint = fingerprint,
    .fields = memory,
};
