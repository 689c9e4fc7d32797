/* test_storage.c - a monitor that cries wolf, and one that does not.
 *
 * The system is a miniature that comes with P# (ReplicatingStorage): a manager keeps a value on
 * three nodes and repairs what lacks it; one node fails. Its bug is that of the extent manager: a
 * report of a node that has been given up counts, and nothing is repaired any more.
 *
 * The monitor of the sample turns hot when a node fails and looks whether three nodes agree when a
 * node is updated. But the manager may hear of the failure before the node does, and have
 * everything repaired by then. The late failure turns the monitor hot, nobody is updated again, and
 * a correct system is accused. A monitor that counts at every event is not misled.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../live.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { REPLICAS = 3, NODES = 4, NO_VALUE = -1 };

static bool has_bug;
static const struct sn_machine *used_monitor;

/* ---- Events --------------------------------------------------------------------------------- */

struct value {
    sn_id who; /* a node, or whoever is concerned */
    int32_t number;
    int32_t value;
};

static const struct sn_field value_fields[] = {SN_FIELD(struct value, who, SN_MACHINE),
                                               SN_FIELD(struct value, number, SN_INT),
                                               SN_FIELD(struct value, value, SN_INT),
                                               {0}};

#define EVENT(name_)                                                                               \
    {                                                                                              \
        .name = (name_), .size = sizeof(struct value), .fields = value_fields                      \
    }

static const struct sn_event birth = EVENT("Birth");
static const struct sn_event client_request = EVENT("Request");
static const struct sn_event store = EVENT("Store");
static const struct sn_event sync_request = EVENT("SyncRequest");
static const struct sn_event sync_report = EVENT("SyncReport");
static const struct sn_event notify_node = EVENT("NotifyNode");
static const struct sn_event notify_failure = EVENT("NotifyFailure");
static const struct sn_event fail = EVENT("Fail");
static const struct sn_event node_created = EVENT("NodeCreated");
static const struct sn_event node_updated = EVENT("NodeUpdated");
static const struct sn_event node_failed = EVENT("NodeFailed");
static const struct sn_event tick = {.name = "Tick"};

/* ---- Monitors ------------------------------------------------------------------------------- */

struct watcher {
    int32_t values[NODES];
    bool is_known[NODES];
};

static bool is_agreed(const struct watcher *w)
{
    for (int i = 0; i < NODES; i++) {
        int n = 0;

        for (int k = 0; k < NODES; k++)
            n += w->is_known[i] && w->is_known[k] && w->values[k] == w->values[i];
        if (n >= REPLICAS)
            return true;
    }
    return false;
}

static void learn(void *self, const void *payload)
{
    struct watcher *w = self;
    const struct value *v = payload;

    w->is_known[v->number] = true;
    w->values[v->number] = v->value;
}

static void forget(void *self, const void *payload)
{
    ((struct watcher *)self)->is_known[((const struct value *)payload)->number] = false;
}

/* As in the sample. */
static const struct sn_state naive_repaired;
static const struct sn_state naive_repairing;

static void naive_update(void *self, const void *payload)
{
    learn(self, payload);
    if (is_agreed(self))
        sn_goto(&naive_repaired);
}

static const struct sn_state naive_repaired = {
    .name = "Repaired",
    .temperature = SN_COLD,
    .on = (const struct sn_on[]){{.event = &node_created, .run = learn},
                                 {.event = &node_updated, .run = learn},
                                 {.event = &node_failed, .run = forget, .go_to = &naive_repairing},
                                 {0}},
};

static const struct sn_state naive_repairing = {
    .name = "Repairing",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &node_created, .run = learn},
                                 {.event = &node_updated, .run = naive_update},
                                 {.event = &node_failed, .run = forget},
                                 {0}},
};

static const struct sn_machine naive_monitor = {
    .name = "Naive", .size = sizeof(struct watcher), .start = &naive_repaired};

/* Counts at every event. It starts hot: there are no nodes yet. */
static const struct sn_state repaired;
static const struct sn_state repairing;

static void judge(const struct watcher *w)
{
    sn_goto(is_agreed(w) ? &repaired : &repairing);
}

static void learn_and_judge(void *self, const void *payload)
{
    learn(self, payload);
    judge(self);
}

static void forget_and_judge(void *self, const void *payload)
{
    forget(self, payload);
    judge(self);
}

static const struct sn_on counting[] = {{.event = &node_created, .run = learn_and_judge},
                                        {.event = &node_updated, .run = learn_and_judge},
                                        {.event = &node_failed, .run = forget_and_judge},
                                        {0}};
static const struct sn_state repaired = {
    .name = "Repaired", .temperature = SN_COLD, .on = counting};
static const struct sn_state repairing = {
    .name = "Repairing", .temperature = SN_HOT, .on = counting};

static const struct sn_machine counting_monitor = {
    .name = "Counting", .size = sizeof(struct watcher), .start = &repairing};

/* ---- A node --------------------------------------------------------------------------------- */

struct node {
    sn_id manager;
    int32_t number;
    int32_t data;
};

static void tell_monitor(const struct node *node, const struct sn_event *event)
{
    struct value v = {.number = node->number, .value = node->data};

    sn_monitor(used_monitor, event, &v);
}

static void node_start(void *self, const void *payload)
{
    struct node *node = self;
    const struct value *v = payload;
    struct value notice = {.who = sn_self(), .number = v->number};

    node->manager = sn_sender();
    node->number = v->number;
    tell_monitor(node, &node_created);
    sn_send(v->who, &notify_node, &notice);
    (void)sn_timer_start_any(&tick, NULL);
}

static void node_store(void *self, const void *payload)
{
    struct node *node = self;

    node->data += ((const struct value *)payload)->value;
    tell_monitor(node, &node_updated);
}

static void node_sync(void *self, const void *payload)
{
    struct node *node = self;

    node->data = ((const struct value *)payload)->value;
    tell_monitor(node, &node_updated);
}

static void node_report(void *self, const void *payload)
{
    const struct node *node = self;
    struct value v = {.number = node->number, .value = node->data};

    (void)payload;
    sn_send(node->manager, &sync_report, &v);
    (void)sn_timer_start_any(&tick, NULL);
}

static void node_fail(void *self, const void *payload)
{
    (void)payload;
    tell_monitor(self, &node_failed);
    sn_halt();
}

static const struct sn_state node_state = {
    .name = "Running",
    .entry = node_start,
    .on = (const struct sn_on[]){{.event = &store, .run = node_store},
                                 {.event = &sync_request, .run = node_sync},
                                 {.event = &tick, .run = node_report},
                                 {.event = &fail, .run = node_fail},
                                 {0}},
};

static const struct sn_machine node_machine = {
    .name = "Node", .size = sizeof(struct node), .start = &node_state, .birth = &birth};

/* ---- The manager ---------------------------------------------------------------------------- */

struct manager {
    sn_id environment;
    sn_id nodes[NODES];
    bool is_alive[NODES];
    int32_t data[NODES]; /* as reported; NO_VALUE: not known */
    int32_t n_nodes;
};

static void add_node(struct manager *m)
{
    struct value v = {.who = m->environment, .number = m->n_nodes};

    m->nodes[m->n_nodes] = sn_create(&node_machine, &v);
    m->is_alive[m->n_nodes] = true;
    m->data[m->n_nodes++] = NO_VALUE;
}

static void manager_start(void *self, const void *payload)
{
    struct manager *m = self;

    m->environment = ((const struct value *)payload)->who;
    for (int i = 0; i < REPLICAS; i++)
        add_node(m);
    (void)sn_timer_start_any(&tick, NULL);
}

static void manager_store(void *self, const void *payload)
{
    const struct manager *m = self;

    for (int i = 0; i < m->n_nodes; i++) {
        if (m->is_alive[i])
            sn_send(m->nodes[i], &store, payload);
    }
}

static void manager_report(void *self, const void *payload)
{
    struct manager *m = self;
    const struct value *v = payload;

    if (m->is_alive[v->number] || has_bug)
        m->data[v->number] = v->value;
}

static void manager_failure(void *self, const void *payload)
{
    struct manager *m = self;
    const struct value *v = payload;

    m->is_alive[v->number] = false;
    m->data[v->number] = NO_VALUE;
    add_node(m);
}

static void manager_repair(void *self, const void *payload)
{
    const struct manager *m = self;
    struct value latest = {.value = NO_VALUE};
    int n = 0;

    (void)payload;
    for (int i = 0; i < m->n_nodes; i++) {
        if (m->data[i] > latest.value)
            latest.value = m->data[i];
    }
    for (int i = 0; i < m->n_nodes; i++)
        n += m->data[i] != NO_VALUE && m->data[i] == latest.value;
    for (int i = 0; i < m->n_nodes && n < REPLICAS; i++) {
        if (m->data[i] == NO_VALUE || m->data[i] == latest.value)
            continue;
        sn_send(m->nodes[i], &sync_request, &latest);
        n++;
    }
    (void)sn_timer_start_any(&tick, NULL);
}

static const struct sn_state manager_state = {
    .name = "Running",
    .entry = manager_start,
    .on = (const struct sn_on[]){{.event = &client_request, .run = manager_store},
                                 {.event = &sync_report, .run = manager_report},
                                 {.event = &notify_failure, .run = manager_failure},
                                 {.event = &tick, .run = manager_repair},
                                 {0}},
};

static const struct sn_machine manager_machine = {
    .name = "Manager", .size = sizeof(struct manager), .start = &manager_state, .birth = &birth};

/* ---- The environment: makes one request, and one node fail ---------------------------------- */

struct environment {
    sn_id manager;
    sn_id nodes[NODES];
    int32_t n_nodes;
};

static void environment_start(void *self, const void *payload)
{
    struct environment *e = self;
    struct value v = {.who = sn_self()};

    (void)payload;
    e->manager = sn_create(&manager_machine, &v);
}

static void environment_node(void *self, const void *payload)
{
    struct environment *e = self;
    const struct value *v = payload;

    e->nodes[v->number] = v->who;
    if (++e->n_nodes != REPLICAS)
        return;
    sn_send(e->manager, &client_request, &(struct value){.value = 5});
    (void)sn_timer_start_any(&tick, NULL);
}

static void environment_fail(void *self, const void *payload)
{
    const struct environment *e = self;
    struct value v = {.number = (int32_t)sn_choose("node that fails", REPLICAS)};

    (void)payload;
    sn_send(e->nodes[v.number], &fail, &v);
    sn_send(e->manager, &notify_failure, &v);
}

static const struct sn_state environment_state = {
    .name = "Running",
    .entry = environment_start,
    .on = (const struct sn_on[]){{.event = &notify_node, .run = environment_node},
                                 {.event = &tick, .run = environment_fail},
                                 {0}},
};

static const struct sn_machine environment_machine = {
    .name = "Environment", .size = sizeof(struct environment), .start = &environment_state};

static void run_storage(void)
{
    (void)sn_create(&environment_machine, NULL);
}

/* ---- The claims ----------------------------------------------------------------------------- */

static struct sn_result run_with(const struct sn_machine *monitor, bool bug, const char *strategy)
{
    const struct sn_test test = {.name = "storage",
                                 .run = run_storage,
                                 .monitors = (const struct sn_machine *const[]){monitor, NULL},
                                 .max_steps = 1000,
                                 .world = SN_WORLD_TRIAL};
    const struct sn_options options = {.iterations = 300, .strategy = strategy, .keep_going = true};
    struct sn_result r;

    used_monitor = monitor;
    has_bug = bug;
    assert_int_equal(sn_run(&test, &options, &r), 0);
    return r;
}

/* The first node, which is the one that fails, is the last to hear of it. */
static const char late_to_hear[] = "random@60,starve:3@500,fair";

static void a_monitor_that_looks_at_updates_only_accuses_a_correct_system(void **unused)
{
    (void)unused;

    struct sn_result r = run_with(&naive_monitor, false, late_to_hear);

    assert_true(r.failures > 0);
    assert_non_null(strstr(r.failure, "monitor Naive is still hot (state Repairing)"));
}

static void a_monitor_that_counts_at_every_event_does_not(void **unused)
{
    (void)unused;

    assert_int_equal(run_with(&counting_monitor, false, late_to_hear).failures, 0);
    assert_int_equal(run_with(&counting_monitor, false, "random").failures, 0);
    assert_int_equal(run_with(&counting_monitor, false, "fair").failures, 0);
    assert_int_equal(run_with(&counting_monitor, false, "starve:2").failures, 0);
    assert_int_equal(run_with(&counting_monitor, false, "starve:3").failures, 0);
}

static void it_finds_the_bug(void **unused)
{
    (void)unused;

    struct sn_result r = run_with(&counting_monitor, true, "random");

    assert_true(r.failures > 0);
    assert_non_null(strstr(r.failure, "monitor Counting is still hot (state Repairing)"));
}

static int register_strategies(void **unused)
{
    (void)unused;
    return sn_strategy_register(&starve) | sn_strategy_register(&slow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_monitor_that_looks_at_updates_only_accuses_a_correct_system),
        cmocka_unit_test(a_monitor_that_counts_at_every_event_does_not),
        cmocka_unit_test(it_finds_the_bug),
    };

    return cmocka_run_group_tests(tests, register_strategies, NULL);
}
