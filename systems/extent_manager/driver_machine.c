/* driver_machine.c - drives the two scenarios, and relays messages between manager and nodes.
 *
 * replicate: three nodes, one of them holds the extent; wait until all three do.
 *
 * repair: three nodes hold the extent; at any moment after the manager has heard so from all three,
 * one of them, whichever, fails and a new one starts; wait until the new one holds the extent.
 *
 * Repair requests and sync reports pass through the driver; heartbeats, which are small and
 * frequent, go straight to the manager. So a report may be overtaken by any number of heartbeats,
 * and may still be under way long after the node that sent it was heard of last.
 *
 * The loops of manager and nodes never end by themselves. Once the goal is reached the driver halts
 * everybody, so that a good trial ends soon, and only a bad one reaches the limit of steps.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "machines.h"

enum { NODES_AT_START = 3 };

struct driver {
    sn_id manager;
    sn_id nodes[NODES_MAX];
    size_t node_count;
    size_t replica_count; /* on nodes that have not failed */
    bool is_victim_dead;  /* or there is to be no victim */
};

static const struct sn_state before_failure;
static const struct sn_state waiting;

static void add_node(struct driver *driver, uint32_t extents)
{
    struct node_birth birth = {
        .driver = sn_self(),
        .manager = driver->manager,
        .extents = extents,
    };
    sn_id node = sn_create(&extent_node, &birth);
    struct node_notice notice = {.node = node};

    sn_set_name(node, "EN%zu", driver->node_count);
    driver->nodes[driver->node_count++] = node;
    if (extents >> THE_EXTENT & 1) {
        driver->replica_count++;
        sn_monitor(&repair_monitor, &extent_repaired_event, &notice);
    }
}

static void set_up(void *self, const void *payload)
{
    struct driver *driver = self;
    const struct driver_birth *birth = payload;
    struct manager_birth manager = {
        .driver = sn_self(),
        .accept_reports_of_unknown_nodes = bug_stale_report,
    };
    size_t holders = birth->scenario == SCENARIO_REPAIR ? NODES_AT_START : 1;

    driver->manager = sn_create(&extent_manager_machine, &manager);
    sn_set_name(driver->manager, "Manager");
    for (size_t i = 0; i < NODES_AT_START; i++)
        add_node(driver, i < holders ? UINT32_C(1) << THE_EXTENT : 0);

    if (birth->scenario == SCENARIO_REPAIR) {
        sn_goto(&before_failure);
    } else {
        driver->is_victim_dead = true;
        sn_goto(&waiting);
    }
}

/* From now on the manager has something to forget: a node may fail at any moment. */
static void on_all_reported(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_timer_start_any(&failure_tick_event, NULL);
}

static void on_failure_tick(void *self, const void *payload)
{
    struct driver *driver = self;
    uint64_t victim = sn_choose("node that fails", NODES_AT_START);

    (void)payload;
    sn_send(driver->nodes[victim], &fail_event, NULL);
    add_node(driver, 0);
}

/* A node that has failed cannot be reached: what is sent to it is lost. */
static void relay_repair_request(void *self, const void *payload)
{
    const struct repair_request *request = payload;

    (void)self;
    sn_send(request->destination, &repair_request_event, request);
}

static void relay_sync_report(void *self, const void *payload)
{
    const struct driver *driver = self;

    sn_send(driver->manager, &sync_report_event, payload);
}

static void halt_all_when_done(const struct driver *driver)
{
    if (!driver->is_victim_dead || driver->replica_count < REPLICA_TARGET)
        return;
    for (size_t i = 0; i < driver->node_count; i++)
        sn_send(driver->nodes[i], &sn_halt_event, NULL);
    sn_send(driver->manager, &sn_halt_event, NULL);
    sn_halt();
}

static void on_extent_repaired(void *self, const void *payload)
{
    struct driver *driver = self;

    (void)payload;
    driver->replica_count++;
    halt_all_when_done(driver);
}

static void on_node_failed(void *self, const void *payload)
{
    struct driver *driver = self;

    (void)payload;
    driver->is_victim_dead = true;
    driver->replica_count--;
    halt_all_when_done(driver);
}

static const struct sn_state setting_up = {.name = "SettingUp", .entry = set_up};

static const struct sn_on before_failure_on[] = {
    {.event = &all_reported_event, .run = on_all_reported},
    {.event = &failure_tick_event, .run = on_failure_tick, .go_to = &waiting},
    {.event = &repair_request_event, .run = relay_repair_request},
    {.event = &sync_report_event, .run = relay_sync_report},
    {0},
};

static const struct sn_state before_failure = {
    .name = "BeforeFailure",
    .on = before_failure_on,
};

static const struct sn_on waiting_on[] = {
    {.event = &all_reported_event, .ignore = true},
    {.event = &repair_request_event, .run = relay_repair_request},
    {.event = &sync_report_event, .run = relay_sync_report},
    {.event = &extent_repaired_event, .run = on_extent_repaired},
    {.event = &node_failed_event, .run = on_node_failed},
    {0},
};

static const struct sn_state waiting = {.name = "Waiting", .on = waiting_on};

static const char *const scenario_names[] = {"replicate", "repair", NULL};

static const struct sn_field birth_fields[] = {
    SN_FIELD_ENUM(struct driver_birth, scenario, scenario_names),
    {0},
};

static const struct sn_event birth_event = {
    .name = "DriverBirth",
    .size = sizeof(struct driver_birth),
    .fields = birth_fields,
};

/* Manager and nodes are created once and in order, so their number says who they are. */
static uint64_t fingerprint(const void *self)
{
    const struct driver *driver = self;

    return driver->node_count | driver->replica_count << 8 | (uint64_t)driver->is_victim_dead << 16;
}

const struct sn_machine testing_driver = {
    .name = "TestingDriver",
    .size = sizeof(struct driver),
    .start = &setting_up,
    .birth = &birth_event,
    .fingerprint = fingerprint,
};
