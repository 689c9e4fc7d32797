/* manager_machine.c - the machine around the extent manager, the component under test.
 *
 * It is thin: events become calls, and the component's struct extent_io becomes events. What the
 * component sends goes to the driver, which passes it on. The component answers neither heartbeats
 * nor reports; the receipts that nodes get for them are the transport's, so this machine sends
 * them.
 *
 * Both loops of the component run on timers that may fire at any moment, because its correctness
 * must not hang on how fast one loop is compared with another. Its clock counts rounds of the
 * expiration loop, so that "silent for 12 seconds" means: in twelve rounds no heartbeat came.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "extent_manager.h"
#include "machines.h"

enum {
    ROUND_MS = 1000,
    EXPIRY_ROUNDS = 12,
};

struct manager {
    struct extent_manager em;
    sn_id driver;
    uint64_t clock_ms;
    bool has_told; /* the driver that all replicas were seen */
    /* For notes only: nodes that a heartbeat came from, and which of them the manager knew last. */
    sn_id heard[NODES_MAX];
    bool is_known[NODES_MAX];
    size_t n_heard;
};

static void io_send_repair(void *self, const struct em_repair *repair)
{
    const struct manager *manager = self;
    struct repair_request request = {
        .destination = (sn_id)repair->destination,
        .extent = (uint32_t)repair->extent,
        .source = (sn_id)repair->source,
    };

    sn_send(manager->driver, &repair_request_event, &request);
}

static void io_start_timer(void *self, enum em_timer timer, uint64_t delay_ms)
{
    (void)self;
    (void)delay_ms;
    if (timer == EM_TIMER_EXPIRATION)
        sn_timer_start_any(&expiration_tick_event, NULL);
    else
        sn_timer_start_any(&repair_tick_event, NULL);
}

static uint64_t io_now_ms(void *self)
{
    const struct manager *manager = self;

    return manager->clock_ms;
}

static const struct extent_io manager_io = {
    .send_repair = io_send_repair,
    .start_timer = io_start_timer,
    .now_ms = io_now_ms,
};

static void start(void *self, const void *payload)
{
    struct manager *manager = self;
    const struct manager_birth *birth = payload;
    struct em_config config = {
        .replica_target = REPLICA_TARGET,
        .expiry_ms = EXPIRY_ROUNDS * ROUND_MS,
        .expiration_period_ms = ROUND_MS,
        .accept_reports_of_unknown_nodes = birth->accept_reports_of_unknown_nodes != 0,
    };

    manager->driver = birth->driver;

    int rc = em_init(&manager->em, &config, &manager_io, manager);

    sn_assert(rc == 0);
}

/* ---- For whoever reads the trace: when the manager changes its mind -------------------------- */

static void note_heard(struct manager *manager, sn_id node)
{
    size_t i = 0;

    while (i < manager->n_heard && manager->heard[i] != node)
        i++;
    if (i == NODES_MAX)
        return;
    manager->heard[i] = node;
    manager->is_known[i] = true;
    manager->n_heard += i == manager->n_heard;
}

static void note_given_up(struct manager *manager)
{
    for (size_t i = 0; i < manager->n_heard; i++) {
        if (!manager->is_known[i] || em_knows_node(&manager->em, manager->heard[i]))
            continue;
        manager->is_known[i] = false;
        sn_note("%s was silent for %d rounds and is given up", sn_name(manager->heard[i]),
                EXPIRY_ROUNDS);
    }
}

static bool was_given_up(const struct manager *manager, sn_id node)
{
    for (size_t i = 0; i < manager->n_heard; i++) {
        if (manager->heard[i] == node)
            return !manager->is_known[i];
    }
    return false;
}

static void note_belief(const struct manager *manager, size_t before)
{
    size_t now = em_replica_count(&manager->em, THE_EXTENT);

    if (now != before)
        sn_note("the manager believes in %zu replica%s instead of %zu", now, now == 1 ? "" : "s",
                before);
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void on_heartbeat(void *self, const void *payload)
{
    struct manager *manager = self;
    const struct heartbeat *heartbeat = payload;
    int rc = em_on_heartbeat(&manager->em, heartbeat->node);

    sn_assert(rc == 0);
    note_heard(manager, heartbeat->node);
    sn_send(heartbeat->node, &heartbeat_ack_event, NULL);
}

static void on_sync_report(void *self, const void *payload)
{
    struct manager *manager = self;
    const struct sync_report *report = payload;
    size_t before = em_replica_count(&manager->em, THE_EXTENT);
    uint64_t extents[EXTENTS_MAX];
    size_t n = 0;

    for (unsigned i = 0; i < EXTENTS_MAX; i++) {
        if (report->extents >> i & 1)
            extents[n++] = i;
    }

    int rc = em_on_sync_report(&manager->em, report->node, extents, n);

    sn_assert(rc == 0);
    if (was_given_up(manager, report->node) && em_replica_count(&manager->em, THE_EXTENT) != before)
        sn_note("report of %s, which was given up", sn_name(report->node));
    note_belief(manager, before);
    sn_send(report->node, &sync_report_ack_event, NULL);
    if (!manager->has_told && em_replica_count(&manager->em, THE_EXTENT) == REPLICA_TARGET) {
        manager->has_told = true;
        sn_send(manager->driver, &all_reported_event, NULL);
    }
}

static void on_expiration_tick(void *self, const void *payload)
{
    struct manager *manager = self;
    size_t before = em_replica_count(&manager->em, THE_EXTENT);

    (void)payload;
    manager->clock_ms += ROUND_MS;
    em_on_expiration_tick(&manager->em);
    note_given_up(manager);
    note_belief(manager, before);
}

static void on_repair_tick(void *self, const void *payload)
{
    struct manager *manager = self;
    int rc = em_on_repair_tick(&manager->em);

    (void)payload;
    sn_assert(rc == 0);
}

static void on_halt(void *self, const void *payload)
{
    struct manager *manager = self;

    (void)payload;
    em_done(&manager->em);
    sn_halt();
}

static const struct sn_on running_on[] = {
    {.event = &heartbeat_event, .run = on_heartbeat},
    {.event = &sync_report_event, .run = on_sync_report},
    {.event = &expiration_tick_event, .run = on_expiration_tick},
    {.event = &repair_tick_event, .run = on_repair_tick},
    {.event = &sn_halt_event, .run = on_halt},
    {0},
};

static const struct sn_state running = {.name = "Running", .entry = start, .on = running_on};

static const struct sn_field birth_fields[] = {
    SN_FIELD(struct manager_birth, driver, SN_MACHINE),
    SN_FIELD(struct manager_birth, accept_reports_of_unknown_nodes, SN_BOOL),
    {0},
};

static const struct sn_event birth_event = {
    .name = "ManagerBirth",
    .size = sizeof(struct manager_birth),
    .fields = birth_fields,
};

/* The clock itself is left out: what the component does depends on how long ago things were. */
static uint64_t fingerprint(const void *self)
{
    const struct manager *manager = self;

    return em_digest(&manager->em) ^ manager->has_told;
}

/* For traces: which nodes the manager takes for alive, and who holds which extent in its view. */
static void print(struct sn_text *out, const void *self)
{
    const struct extent_manager *em = &((const struct manager *)self)->em;

    sn_print(out, "alive={");
    for (size_t i = 0; i < em->nodes.nodes.n; i++) {
        const struct node_entry *node = id_table_at(&em->nodes.nodes, i);

        sn_print(out, "%s", i > 0 ? "," : "");
        sn_print_id(out, (sn_id)node->id);
    }
    sn_print(out, "}");
    for (size_t i = 0; i < em->center.extents.n; i++) {
        const struct extent *extent = id_table_at(&em->center.extents, i);

        sn_print(out, " extent%u={", (unsigned)extent->id);
        for (size_t k = 0; k < extent->replicas.n; k++) {
            const struct replica *replica = id_table_at(&extent->replicas, k);

            sn_print(out, "%s", k > 0 ? "," : "");
            sn_print_id(out, (sn_id)replica->id);
        }
        sn_print(out, "} repairs%u=%zu", (unsigned)extent->id, extent->repairs.n);
    }
}

const struct sn_machine extent_manager_machine = {
    .name = "ExtentManager",
    .size = sizeof(struct manager),
    .start = &running,
    .birth = &birth_event,
    .fingerprint = fingerprint,
    .print = print,
};
