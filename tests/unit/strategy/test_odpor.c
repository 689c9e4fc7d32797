/* test_odpor.c - programs whose partial orders are known by formula: odpor runs each of them once.
 *
 * Variables that tasks read and write are nodes, because reading whether a node is up commutes with
 * reading it. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NUMBER_MAX = 16 };

/* ---- Programs -------------------------------------------------------------------------------- */

static struct {
    uint32_t n;
    uint32_t writers;
    uint32_t each;
} size; /* set before a run, and not changed by it */

static const struct sn_event next_event = {.name = "Next"};
static const struct sn_event reply_event = {.name = "Reply"};
static const struct sn_event late_event = {.name = "Late"};

/* A task that reads, writes, or reads and then writes. */
struct task {
    sn_node reads;
    sn_node writes;
    bool has_read;
};

static const struct sn_event task_event = {.name = "Task", .size = sizeof(struct task)};

static void task_born(void *self, const void *payload)
{
    memcpy(self, payload, sizeof(struct task));
    sn_send(sn_self(), &next_event, NULL);
}

static void write_to(sn_node variable)
{
    if (sn_node_is_up(variable))
        sn_node_stop(variable);
    else
        sn_node_restart(variable);
}

static void task_step(void *self, const void *payload)
{
    struct task *task = self;

    (void)payload;
    if (task->reads == 0 || task->has_read) {
        write_to(task->writes);
        return;
    }
    (void)sn_node_is_up(task->reads);
    task->has_read = true;
    if (task->writes != 0)
        sn_send(sn_self(), &next_event, NULL);
}

static const struct sn_state task_state = {
    .name = "Running",
    .entry = task_born,
    .on = (const struct sn_on[]){{.event = &next_event, .run = task_step}, {0}},
};

static const struct sn_machine task_machine = {
    .name = "Task", .size = sizeof(struct task), .start = &task_state, .birth = &task_event};

static void run_readers_and_writers(void)
{
    sn_node variable = sn_node_new("x");

    for (uint32_t i = 0; i < size.writers; i++)
        (void)sn_create(&task_machine, &(struct task){.writes = variable});
    for (uint32_t i = 0; i < size.n; i++)
        (void)sn_create(&task_machine, &(struct task){.reads = variable});
}

static void run_lost_update(void)
{
    sn_node variable = sn_node_new("x");

    for (uint32_t i = 0; i < size.n; i++)
        (void)sn_create(&task_machine, &(struct task){.reads = variable, .writes = variable});
}

/* Reads from the last variable on until it finds one that nobody has written. */
static void scan(void *self, const void *payload)
{
    struct task *task = self;

    (void)payload;
    if (!sn_node_is_up(task->reads) && --task->reads > 0)
        sn_send(sn_self(), &next_event, NULL);
}

static const struct sn_state scan_state = {
    .name = "Scanning",
    .entry = task_born,
    .on = (const struct sn_on[]){{.event = &next_event, .run = scan}, {0}},
};

static const struct sn_machine scan_machine = {
    .name = "Scanner", .size = sizeof(struct task), .start = &scan_state, .birth = &task_event};

static void run_last_zero(void)
{
    sn_node variables[NUMBER_MAX];

    for (uint32_t i = 0; i <= size.n; i++)
        variables[i] = sn_node_new("a%u", i);
    for (uint32_t i = 1; i <= size.n; i++)
        (void)sn_create(&task_machine,
                        &(struct task){.reads = variables[i - 1], .writes = variables[i]});
    (void)sn_create(&scan_machine, &(struct task){.reads = variables[size.n]});
}

/* A machine that takes everything and does nothing. */
static void take(void *self, const void *payload)
{
    (void)self;
    (void)payload;
}

static const struct sn_state sink_state = {
    .name = "Sink",
    .on = (const struct sn_on[]){{.event = &sn_any, .run = take}, {0}},
};

static const struct sn_machine sink = {.name = "Sink", .start = &sink_state};

static void run_messages(void)
{
    sn_id to = sn_create(&sink, NULL);

    for (uint32_t i = 0; i < size.n; i++)
        sn_send(to, &next_event, NULL);
}

/* Sends so many messages to each of so many machines when it is told to. */
struct sender {
    sn_id to;
    uint32_t receivers;
    uint32_t each;
};

static const struct sn_event sender_event = {.name = "Sender", .size = sizeof(struct sender)};

static void sender_born(void *self, const void *payload)
{
    const struct sender *sender = payload;

    (void)self;
    for (uint32_t r = 0; r < sender->receivers; r++) {
        for (uint32_t i = 0; i < sender->each; i++)
            sn_send(sender->to + r, &next_event, NULL);
    }
}

static const struct sn_state sender_state = {.name = "Sending", .entry = sender_born};

static const struct sn_machine sender_machine = {
    .name = "Sender", .start = &sender_state, .birth = &sender_event};

/* n senders and `writers` receivers. */
static void run_senders(void)
{
    sn_id first = sn_create(&sink, NULL);

    for (uint32_t i = 1; i < size.writers; i++)
        (void)sn_create(&sink, NULL);
    for (uint32_t i = 0; i < size.n; i++)
        (void)sn_create(&sender_machine, &(struct sender){first, size.writers, size.each});
}

/* Replies to whoever asks. */
static void reply(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(sn_sender(), &reply_event, NULL);
}

static const struct sn_state server_state = {
    .name = "Serving",
    .on = (const struct sn_on[]){{.event = &next_event, .run = reply}, {0}},
};

static const struct sn_machine server = {.name = "Server", .start = &server_state};

/* Asks a server and sets a timer, which the reply cancels. */
struct client {
    sn_id server;
    sn_timer timer;
};

static const struct sn_event client_event = {.name = "Client", .size = sizeof(struct client)};

static void client_born(void *self, const void *payload)
{
    struct client *client = self;

    memcpy(client, payload, sizeof(*client));
    sn_send(client->server, &next_event, NULL);
    client->timer = sn_timer_start_any(&late_event, NULL);
}

static void client_served(void *self, const void *payload)
{
    const struct client *client = self;

    (void)payload;
    (void)sn_timer_cancel(client->timer);
}

static const struct sn_state client_state = {
    .name = "Waiting",
    .entry = client_born,
    .on = (const struct sn_on[]){{.event = &reply_event, .run = client_served},
                                 {.event = &late_event, .run = take},
                                 {0}},
};

static const struct sn_machine client_machine = {.name = "Client",
                                                 .size = sizeof(struct client),
                                                 .start = &client_state,
                                                 .birth = &client_event};

static void run_clients(void)
{
    for (uint32_t i = 0; i < size.n; i++)
        (void)sn_create(&client_machine, &(struct client){.server = sn_create(&server, NULL)});
}

static void run_clients_of_one(void)
{
    sn_id to = sn_create(&server, NULL);

    for (uint32_t i = 0; i < size.n; i++)
        (void)sn_create(&client_machine, &(struct client){.server = to});
}

/* Sends itself so many messages, one after the other. */
static void count_down(void *self, const void *payload)
{
    uint32_t *left = self;

    (void)payload;
    if (--*left > 0)
        sn_send(sn_self(), &next_event, NULL);
}

static void begin_to_count(void *self, const void *payload)
{
    (void)payload;
    *(uint32_t *)self = size.each;
    sn_send(sn_self(), &next_event, NULL);
}

static const struct sn_state counting_state = {
    .name = "Counting",
    .entry = begin_to_count,
    .on = (const struct sn_on[]){{.event = &next_event, .run = count_down}, {0}},
};

static const struct sn_machine counter = {
    .name = "Counter", .size = sizeof(uint32_t), .start = &counting_state};

static void run_counters(void)
{
    for (uint32_t i = 0; i < size.n; i++)
        (void)sn_create(&counter, NULL);
}

/* One machine fails whenever it receives something, the other if it receives two messages in the
 * wrong order. */
static uint32_t n_found; /* trials in which the latter did */

static void fail_always(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assert(false);
}

static const struct sn_state failing_state = {
    .name = "Failing",
    .on = (const struct sn_on[]){{.event = &next_event, .run = fail_always}, {0}},
};

static const struct sn_machine failing = {.name = "Failing", .start = &failing_state};

static void note_first(void *self, const void *payload)
{
    (void)payload;
    *(bool *)self = true;
}

static void expect_first(void *self, const void *payload)
{
    const bool *has_come = self;

    (void)payload;
    n_found += !*has_come;
    sn_assert(*has_come);
}

static const struct sn_state expecting_state = {
    .name = "Expecting",
    .on = (const struct sn_on[]){{.event = &next_event, .run = note_first},
                                 {.event = &reply_event, .run = expect_first},
                                 {0}},
};

static const struct sn_machine expecting = {
    .name = "Expecting", .size = sizeof(bool), .start = &expecting_state};

static void run_failing(void)
{
    sn_id to = sn_create(&expecting, NULL);

    sn_send(sn_create(&failing, NULL), &next_event, NULL);
    sn_send(to, &next_event, NULL);
    sn_send(to, &reply_event, NULL);
}

/* Writes only if something else has come before. */
struct late_writer {
    sn_node writes;
    bool has_come;
};

static const struct sn_event late_writer_event = {.name = "LateWriter",
                                                  .size = sizeof(struct late_writer)};

static void late_writer_born(void *self, const void *payload)
{
    memcpy(self, payload, sizeof(struct late_writer));
}

static void late_writer_next(void *self, const void *payload)
{
    (void)payload;
    ((struct late_writer *)self)->has_come = true;
}

static void late_writer_write(void *self, const void *payload)
{
    const struct late_writer *writer = self;

    (void)payload;
    if (writer->has_come)
        write_to(writer->writes);
}

static const struct sn_state late_writer_state = {
    .name = "Writing",
    .entry = late_writer_born,
    .on = (const struct sn_on[]){{.event = &next_event, .run = late_writer_next},
                                 {.event = &reply_event, .run = late_writer_write},
                                 {0}},
};

static const struct sn_machine late_writer = {.name = "LateWriter",
                                              .size = sizeof(struct late_writer),
                                              .start = &late_writer_state,
                                              .birth = &late_writer_event};

static void run_late_writer(void)
{
    struct late_writer always = {.writes = sn_node_new("variable"), .has_come = true};
    struct late_writer late = {.writes = always.writes};
    sn_id first = sn_create(&late_writer, &always);
    sn_id second = sn_create(&late_writer, &late);

    sn_send(first, &reply_event, NULL);
    sn_send(second, &next_event, NULL);
    sn_send(second, &reply_event, NULL);
}

/* Sends only if it has drawn more than nothing. */
static const struct sn_event drawer_event = {.name = "Drawer", .size = sizeof(sn_id)};

static void drawer_born(void *self, const void *payload)
{
    memcpy(self, payload, sizeof(sn_id));
}

static void drawer_draw(void *self, const void *payload)
{
    (void)payload;
    if (sn_choose("how many", 3) > 0)
        sn_send(*(const sn_id *)self, &next_event, NULL);
}

static const struct sn_state drawer_state = {
    .name = "Drawing",
    .entry = drawer_born,
    .on = (const struct sn_on[]){{.event = &next_event, .run = drawer_draw}, {0}},
};

static const struct sn_machine drawer = {
    .name = "Drawer", .size = sizeof(sn_id), .start = &drawer_state, .birth = &drawer_event};

static void run_drawer(void)
{
    sn_id to = sn_create(&sink, NULL);
    sn_id from = sn_create(&drawer, &to);

    sn_send(to, &next_event, NULL);
    sn_send(from, &next_event, NULL);
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static const struct sn_test tasks = {
    .name = "tasks", .world = SN_WORLD_TRIAL, .starts_first = true};

static void assert_runs_with_probes(void (*run)(void), const struct sn_test *like, uint64_t orders,
                                    uint64_t probes)
{
    const struct sn_options options = {.strategy = "odpor:trees", .iterations = 1000000};
    struct sn_test test = *like;
    struct sn_result result;

    test.run = run;
    assert_int_equal(sn_run(&test, &options, &result), 0);
    assert_true(result.exhausted);
    assert_int_equal(result.trials, orders);
    assert_int_equal(result.schedules, orders);
    assert_int_equal(result.distinct_orders, orders);
    assert_int_equal(result.blocked, 0);
    assert_int_equal(result.probes, probes);
}

static void assert_runs(void (*run)(void), const struct sn_test *like, uint64_t orders)
{
    assert_runs_with_probes(run, like, orders, 0);
}

static void messages_to_one_machine_have_n_factorial_orders(void **state)
{
    struct sn_test test = tasks;

    (void)state;
    test.links = SN_UNORDERED;
    size.n = 6;
    assert_runs(run_messages, &test, 720);
}

static void readers_of_what_one_task_writes_have_two_to_the_n_orders(void **state)
{
    (void)state;
    size.n = 10;
    size.writers = 1;
    assert_runs(run_readers_and_writers, &tasks, 1024);
}

static void readers_come_between_any_two_writers(void **state)
{
    (void)state;
    size.n = 3;
    size.writers = 3;
    assert_runs(run_readers_and_writers, &tasks, 6 * 4 * 4 * 4);
}

static void tasks_that_read_and_then_write_have_the_square_of_n_factorial_orders(void **state)
{
    (void)state;
    size.n = 3;
    assert_runs(run_lost_update, &tasks, 36);
}

static void the_last_zero_is_found_in_each_order_once(void **state)
{
    (void)state;
    size.n = 7;
    assert_runs(run_last_zero, &tasks, 320);
}

static void receivers_of_a_broadcast_see_orders_of_their_own(void **state)
{
    struct sn_test test = tasks;

    (void)state;
    test.links = SN_UNORDERED;
    size.n = 3;
    size.writers = 2;
    size.each = 1;
    assert_runs(run_senders, &test, 36);
}

static void links_in_order_are_merged_in_every_way(void **state)
{
    (void)state;
    size.n = 3;
    size.writers = 1;
    size.each = 2;
    assert_runs(run_senders, &tasks, 90);
}

static void messages_without_order_overtake_each_other(void **state)
{
    struct sn_test test = tasks;

    (void)state;
    test.links = SN_UNORDERED;
    size.n = 2;
    size.writers = 1;
    size.each = 3;
    assert_runs(run_senders, &test, 720);
}

static void a_shared_inbox_has_the_orders_of_its_senders(void **state)
{
    struct sn_test test = {
        .name = "inbox", .world = SN_WORLD_TRIAL, .links = SN_INBOX, .starts_first = false};

    (void)state;
    size.n = 4;
    size.writers = 1;
    size.each = 2;
    assert_runs(run_senders, &test, 24);
}

static void machines_that_never_meet_have_one_order(void **state)
{
    (void)state;
    size.n = 4;
    size.each = 5;
    assert_runs(run_counters, &tasks, 1);
}

static void a_timer_fires_before_its_reply_or_is_cancelled_by_it(void **state)
{
    (void)state;
    size.n = 3;
    assert_runs(run_clients, &tasks, 8);
}

static void clients_of_one_server_come_in_every_order_each_in_time_or_not(void **state)
{
    (void)state;
    size.n = 3;
    assert_runs(run_clients_of_one, &tasks, 48);
}

/* The late writer writes before or after the other one does, or is early and does not. That this
 * one does not depend on the other one then is seen when it has run. */
static void what_a_step_touches_earlier_is_seen_by_a_probe_that_counts_as_no_trial(void **state)
{
    struct sn_test test = tasks;

    (void)state;
    test.links = SN_UNORDERED;
    assert_runs_with_probes(run_late_writer, &test, 3, 1);
}

/* Two of three values lead to a second message, which comes before or after the first. */
static void a_value_with_which_nothing_new_can_happen_is_seen_by_a_probe(void **state)
{
    struct sn_test test = tasks;

    (void)state;
    test.links = SN_UNORDERED;
    assert_runs_with_probes(run_drawer, &test, 5, 1);
}

static void a_step_that_fails_hides_no_other_failure(void **state)
{
    const struct sn_options options = {
        .strategy = "odpor:trees", .iterations = 100, .keep_going = true};
    struct sn_test test = tasks;
    struct sn_result result;

    (void)state;
    test.run = run_failing;
    test.links = SN_UNORDERED;
    n_found = 0;
    assert_int_equal(sn_run(&test, &options, &result), 0);

    assert_true(result.exhausted);
    assert_true(n_found > 0);
}

static void a_trial_that_is_too_long_to_be_followed_is_not_called_exhaustive(void **state)
{
    const struct sn_options options = {.strategy = "odpor:trees", .iterations = 100};
    struct sn_test test = tasks;
    struct sn_result result;

    (void)state;
    size.n = 1;
    size.each = 5000;
    test.run = run_counters;
    test.max_steps = 10000;
    assert_int_equal(sn_run(&test, &options, &result), 0);

    assert_int_equal(result.trials, 1);
    assert_false(result.exhausted);
    assert_non_null(strstr(result.note, "not every order of steps was tried"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_to_one_machine_have_n_factorial_orders),
        cmocka_unit_test(readers_of_what_one_task_writes_have_two_to_the_n_orders),
        cmocka_unit_test(readers_come_between_any_two_writers),
        cmocka_unit_test(tasks_that_read_and_then_write_have_the_square_of_n_factorial_orders),
        cmocka_unit_test(the_last_zero_is_found_in_each_order_once),
        cmocka_unit_test(receivers_of_a_broadcast_see_orders_of_their_own),
        cmocka_unit_test(links_in_order_are_merged_in_every_way),
        cmocka_unit_test(messages_without_order_overtake_each_other),
        cmocka_unit_test(a_shared_inbox_has_the_orders_of_its_senders),
        cmocka_unit_test(machines_that_never_meet_have_one_order),
        cmocka_unit_test(a_timer_fires_before_its_reply_or_is_cancelled_by_it),
        cmocka_unit_test(clients_of_one_server_come_in_every_order_each_in_time_or_not),
        cmocka_unit_test(what_a_step_touches_earlier_is_seen_by_a_probe_that_counts_as_no_trial),
        cmocka_unit_test(a_value_with_which_nothing_new_can_happen_is_seen_by_a_probe),
        cmocka_unit_test(a_step_that_fails_hides_no_other_failure),
        cmocka_unit_test(a_trial_that_is_too_long_to_be_followed_is_not_called_exhaustive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
