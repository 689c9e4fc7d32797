/* test_connections.c - processes on nodes that stop, crash, start again and lose each other.
 *
 * As in test_processes.c, every schedule is tried. SPDX-License-Identifier: MIT
 */
#include "flow.h"

struct place {
    sn_id whom;
    sn_node node;
    sn_node other;
};

static const struct sn_event place_event = {.name = "Place", .size = sizeof(struct place)};

static struct place place_of(const void *payload)
{
    struct place place;

    memcpy(&place, payload, sizeof(place));
    return place;
}

static const char *word_of(const struct sn_message *m)
{
    if (m == NULL)
        return "-";
    if (m->event == &sn_exited)
        return ((const struct sn_exit_signal *)m->payload)->reason;
    if (m->event == &sn_down)
        return ((const struct sn_down_signal *)m->payload)->reason;
    return m->event->name;
}

static void listen_aloud(const void *payload)
{
    (void)payload;
    tell("s");
    for (;;)
        tell("%s", flow_any()->event->name);
}

static const struct sn_process listener = {
    .name = "Listener", .run = listen_aloud, .may_wait = true};

static void listen_quietly(const void *payload)
{
    (void)payload;
    for (;;)
        (void)flow_any();
}

static const struct sn_process quiet = {.name = "Quiet", .run = listen_quietly, .may_wait = true};

/* ---- Down and up ---------------------------------------------------------------------------- */

static void crash_and_send(const void *payload)
{
    struct place p = place_of(payload);

    sn_sleep_ns(1);
    sn_send(p.whom, &a_event, NULL);
    sn_sleep_ns(1);
    sn_node_crash(p.node);
    sn_send(p.whom, &b_event, NULL);
    tell("[%d%d]", sn_is_alive(p.whom), sn_node_is_up(p.node));
    sn_node_restart(p.node);
    sn_send(p.whom, &c_event, NULL);
    tell("[%d%d]", sn_is_alive(p.whom), sn_node_is_up(p.node));
}

static const struct sn_process crasher = {
    .name = "Crasher", .run = crash_and_send, .birth = &place_event};

static void run_crash(void)
{
    sn_node node = sn_node_new("n");
    sn_id whom;

    story_begin();
    whom = sn_spawn_on(node, &listener, NULL);
    (void)sn_spawn(&crasher, &(struct place){whom, node, SN_NO_NODE});
}

static void a_message_to_a_node_that_is_down_is_lost_and_residents_are_born_again(void **unused)
{
    struct sn_test test = flow_test(run_crash);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "sa[00][11]sc | sa[00]s[11]c | sa[00]sc[11]");
}

static void be_born(const void *payload)
{
    tell("(%llu", (unsigned long long)*(const uint64_t *)payload);
    tell("%d", sn_whereis("me") == SN_NOBODY);
    tell("%d)", sn_register("me", sn_self()));
    (void)flow_any();
}

static const struct sn_process resident = {
    .name = "Resident", .run = be_born, .birth = &number_event, .may_wait = true};

static void stop_and_start(const void *payload)
{
    struct place p = place_of(payload);
    const struct sn_message *m;

    sn_sleep_ns(1);
    (void)sn_monitor_process(p.whom);
    sn_node_stop(p.node);
    m = flow_any();
    tell("%s", word_of(m));
    tell("%d", sn_whereis_on(p.node, "me") == SN_NOBODY);
    sn_node_restart(p.node);
    sn_sleep_ns(1);
    tell("%d", sn_whereis_on(p.node, "me") == p.whom);
}

static const struct sn_process stopper = {
    .name = "Stopper", .run = stop_and_start, .birth = &place_event};

static void run_stop(void)
{
    sn_node node = sn_node_new("n");
    sn_id whom;

    story_begin();
    whom = sn_spawn_on(node, &resident, &(uint64_t){5});
    (void)sn_spawn(&stopper, &(struct place){whom, node, SN_NO_NODE});
}

static void names_of_a_node_go_with_it_and_monitors_see_noconnection(void **unused)
{
    struct sn_test test = flow_test(run_stop);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "(511)noconnection1(511)1");
}

static void spawn_where(const void *payload)
{
    struct place p = place_of(payload);

    sn_node_stop(p.node);
    tell("%d", sn_spawn_on(p.node, &listener, NULL) == SN_NOBODY);
    (void)sn_monitor_process(p.whom);
    tell("%s", word_of(flow_any()));
    (void)sn_monitor_name(p.node, "me");
    tell("%s", word_of(flow_any()));
}

static const struct sn_process late_spawner = {
    .name = "LateSpawner", .run = spawn_where, .birth = &place_event};

static void run_spawn_down(void)
{
    sn_node node = sn_node_new("n");
    sn_id whom;

    story_begin();
    whom = sn_spawn_on(node, &quiet, NULL);
    (void)sn_spawn(&late_spawner, &(struct place){whom, node, SN_NO_NODE});
}

static void run_spawn_down_from_node(void)
{
    sn_node node = sn_node_new("n");
    sn_id whom;

    story_begin();
    whom = sn_spawn_on(node, &quiet, NULL);
    (void)sn_spawn_on(sn_node_new("o"), &late_spawner, &(struct place){whom, node, SN_NO_NODE});
}

static void what_is_on_a_node_that_is_down_cannot_be_reached(void **unused)
{
    struct sn_test test = flow_test(run_spawn_down);

    (void)unused;

    assert_string_equal(flow_stories(&test), "1noconnectionnoconnection");
}

/* The two nodes are connected all the time: that one is down is enough. */
static void a_node_that_is_down_cannot_be_reached_from_another_one(void **unused)
{
    struct sn_test test = flow_test(run_spawn_down_from_node);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "1noconnectionnoconnection");
}

/* Sends while somebody else takes the node down. */
static void send_a(const void *payload)
{
    sn_send(place_of(payload).whom, &a_event, NULL);
}

static void take_down(const void *payload)
{
    sn_node_stop(place_of(payload).node);
    sn_node_restart(place_of(payload).node);
}

static const struct sn_process send_once = {
    .name = "SendOnce", .run = send_a, .birth = &place_event};
static const struct sn_process power = {.name = "Power", .run = take_down, .birth = &place_event};

static void run_send_race(void)
{
    sn_node node = sn_node_new("n");
    struct place place = {.node = node};

    story_begin();
    place.whom = sn_spawn_on(node, &listener, NULL);
    (void)sn_spawn(&send_once, &place);
    (void)sn_spawn(&power, &place);
}

static void a_message_comes_before_between_or_after_the_two_lives_of_its_receiver(void **unused)
{
    struct sn_test test = flow_test(run_send_race);

    (void)unused;

    assert_string_equal(flow_stories(&test), "s | sa | sas | ss | ssa");
}

/* A process that takes down its own node ends with it, at the end of its step. */
static void stop_own(const void *payload)
{
    (void)payload;
    sn_node_stop(sn_node_of(sn_self()));
    tell("x");
    sn_yield();
    tell("never");
}

static const struct sn_process selfless = {.name = "Selfless", .run = stop_own};

static void run_own(void)
{
    story_begin();
    (void)sn_spawn_on(sn_node_new("n"), &selfless, NULL);
}

static void a_process_that_stops_its_own_node_runs_on_to_the_end_of_its_step(void **unused)
{
    struct sn_test test = flow_test(run_own);

    (void)unused;

    assert_string_equal(flow_stories(&test), "x");
}

/* ---- Connections ---------------------------------------------------------------------------- */

static void lose_sight(const void *payload)
{
    struct place p = place_of(payload);
    const struct sn_message *m;

    (void)sn_trap_exit(true);
    (void)sn_monitor_process(p.whom);
    sn_link(p.whom);
    sn_monitor_node(p.other, true);
    sn_node_disconnect(p.node, p.other);
    for (int i = 0; i < 3; i++) {
        m = flow_any();
        tell("%s ", word_of(m));
    }
    sn_send(p.whom, &a_event, NULL); /* lost */
    tell("%d", sn_whereis_on(p.other, "w") == SN_NOBODY);
    sn_node_connect(p.node, p.other);
    tell("%s", word_of(flow_any()));
    sn_send(p.whom, &b_event, NULL);
    tell("%d", sn_whereis_on(p.other, "w") != SN_NOBODY);
}

static const struct sn_process observer = {
    .name = "Observer", .run = lose_sight, .birth = &place_event};

static void trap_and_listen(const void *payload)
{
    (void)payload;
    (void)sn_trap_exit(true);
    for (;;)
        tell("<%s>", word_of(flow_any()));
}

static const struct sn_process trapper = {
    .name = "Trapper", .run = trap_and_listen, .may_wait = true};

static void run_disconnect(void)
{
    sn_node here = sn_node_new("here");
    sn_node there = sn_node_new("there");
    struct place place = {.node = here, .other = there};

    story_begin();
    place.whom = sn_spawn_on(there, &trapper, NULL);
    sn_assert(sn_register("w", place.whom));
    (void)sn_spawn_on(here, &observer, &place);
}

static void a_disconnect_is_seen_by_monitors_links_and_watchers_and_loses_messages(void **unused)
{
    struct sn_test test = flow_test(run_disconnect);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.strategy = "delay:0", .iterations = 1});
    assert_string_equal(r.failure, "");
    assert_string_equal(stories_all(),
                        "<noconnection>noconnection noconnection NODEDOWN 1NODEUP<b>1");
}

/* ---- Monitors of nodes ---------------------------------------------------------------------- */

static void watch_node(const void *payload)
{
    struct place p = place_of(payload);
    const struct sn_message *m;

    sn_monitor_node(p.node, true);
    m = sn_receive(NULL, NULL, SECOND);
    tell("%s", word_of(m));
    if (m == NULL)
        return;
    sn_assert(((const struct sn_node_signal *)m->payload)->node == p.node);
    tell(" %s", word_of(sn_receive(NULL, NULL, SECOND)));
    sn_monitor_node(p.node, false);
}

static const struct sn_process node_watcher = {
    .name = "NodeWatcher", .run = watch_node, .birth = &place_event};

static void run_node_watch(void)
{
    sn_node node = sn_node_new("n");
    struct place place = {.node = node};

    story_begin();
    place.whom = sn_spawn_on(node, &quiet, NULL);
    (void)sn_spawn(&node_watcher, &place);
    (void)sn_spawn(&power, &place);
}

/* It watches before, between, or after. */
static void a_node_that_is_watched_tells_when_it_goes_and_comes(void **unused)
{
    struct sn_test test = flow_test(run_node_watch);

    (void)unused;

    assert_string_equal(flow_stories(&test), "- | NODEDOWN NODEUP");
}

static void stop_watching(const void *payload)
{
    struct place p = place_of(payload);

    sn_monitor_node(p.node, true);
    sn_monitor_node(p.node, false);
    sn_node_stop(p.node);
    tell("%s", word_of(sn_receive(NULL, NULL, 0)));
}

static const struct sn_process fickle = {
    .name = "Fickle", .run = stop_watching, .birth = &place_event};

static void run_fickle(void)
{
    story_begin();
    (void)sn_spawn(&fickle, &(struct place){.node = sn_node_new("n")});
}

static void who_watches_no_longer_is_told_no_more(void **unused)
{
    struct sn_test test = flow_test(run_fickle);

    (void)unused;

    assert_string_equal(flow_stories(&test), "-");
}

/* ---- Faults --------------------------------------------------------------------------------- */

static void run_faults(void)
{
    sn_node node = sn_node_new("n");
    sn_node other = sn_node_new("o");
    struct place place = {.node = node};

    story_begin();
    sn_node_never_crash(other);
    place.whom = sn_spawn_on(node, &listener, NULL);
    (void)sn_spawn_on(other, &send_once, &place);
}

static void a_crash_of_the_strategys_ends_processes_wherever_they_are(void **unused)
{
    static const struct sn_faults faults = {.crashes = 1, .down_ns = 1};
    struct sn_test test = flow_test(run_faults);

    (void)unused;
    test.faults = &faults;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "s | sa | sas | ss");
}

static void messages_between_processes_can_be_lost_doubled_and_cut_off(void **unused)
{
    static const struct sn_faults drops = {.drops = 1};
    static const struct sn_faults doubles = {.duplicates = 1};
    static const struct sn_faults cuts = {.partitions = 1};
    struct sn_test test = flow_test(run_faults);

    (void)unused;

    test.faults = &drops;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), "s | sa");
    test.faults = &doubles;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), "sa | saa");
    test.faults = &cuts;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), "s | sa");
}

/* Answers whatever it is asked, and tells how often. */
static void serve(const void *payload)
{
    (void)payload;
    (void)sn_register("server", sn_self());
    for (;;) {
        const struct sn_message *m = sn_receive_event(&a_event, SN_FOREVER);

        tell("a");
        if (m->call != 0)
            sn_answer(m->from, m->call, &b_event, NULL);
    }
}

static void ask(const void *payload)
{
    enum sn_call_result how;

    (void)sn_call(place_of(payload).whom, &a_event, NULL, SECOND, &how);
    tell("%s", how == SN_CALL_ANSWERED ? "!" : "?");
}

static void send_by_name(const void *payload)
{
    sn_sleep_ns(1); /* until it has its name */
    sn_send_name_on(place_of(payload).node, "server", &a_event, NULL);
}

static const struct sn_process server = {.name = "Server", .run = serve, .may_wait = true};
static const struct sn_process asker = {.name = "Asker", .run = ask, .birth = &place_event};
static const struct sn_process by_name = {
    .name = "ByName", .run = send_by_name, .birth = &place_event};

static void run_with_server(const struct sn_process *type)
{
    sn_node node = sn_node_new("n");
    struct place place = {.node = node};

    story_begin();
    place.whom = sn_spawn_on(node, &server, NULL);
    (void)sn_spawn_on(sn_node_new("o"), type, &place);
}

static void run_asker(void)
{
    run_with_server(&asker);
}

static void run_by_name(void)
{
    run_with_server(&by_name);
}

static void faults_strike_calls_answers_and_what_is_sent_by_name(void **unused)
{
    static const struct sn_faults drops = {.drops = 1};
    static const struct sn_faults doubles = {.duplicates = 1};
    struct sn_test calls = flow_test(run_asker);
    struct sn_test names = flow_test(run_by_name);

    (void)unused;

    calls.faults = names.faults = &drops;
    (void)stories_of(&calls);
    assert_string_equal(stories_all(), "? | a! | a?");
    (void)stories_of(&names);
    assert_string_equal(stories_all(), " | a");
    calls.faults = names.faults = &doubles;
    (void)stories_of(&calls);
    assert_string_equal(stories_all(), "a! | a!a | aa!");
    (void)stories_of(&names);
    assert_string_equal(stories_all(), "a | aa");
}

/* ---- A crash in the middle of a step -------------------------------------------------------- */

static void hear(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("a");
}

static const struct sn_state hearing = {
    .name = "Hearing",
    .on = (const struct sn_on[]){{.event = &a_event, .run = hear}, {0}},
};
static const struct sn_machine hearer = {.name = "Hearer", .start = &hearing};

/* What comes after the first send is in the same step. */
static void send_and_write(const void *payload)
{
    sn_send(flow_whom(payload), &a_event, NULL);
    if (sn_disk_size("file") < 0)
        (void)sn_disk_append("file", "x", 1);
    tell("w");
}

static const struct sn_process fragile = {
    .name = "Fragile", .run = send_and_write, .birth = &whom_event};

static void run_fragile(void)
{
    sn_id to;

    story_begin();
    to = sn_create(&hearer, NULL);
    (void)sn_spawn_on(sn_node_new("n1"), &fragile, &to);
}

/* "a" alone: it crashed between the two effects of one step. */
static void a_process_can_crash_in_the_middle_of_a_step(void **unused)
{
    static const struct sn_faults faults = {.crashes = 1, .horizon = 1};
    struct sn_test test = flow_test(run_fragile);

    (void)unused;

    test.faults = &faults;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), " | a | wa");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_to_a_node_that_is_down_is_lost_and_residents_are_born_again),
        cmocka_unit_test(names_of_a_node_go_with_it_and_monitors_see_noconnection),
        cmocka_unit_test(what_is_on_a_node_that_is_down_cannot_be_reached),
        cmocka_unit_test(a_node_that_is_down_cannot_be_reached_from_another_one),
        cmocka_unit_test(a_message_comes_before_between_or_after_the_two_lives_of_its_receiver),
        cmocka_unit_test(a_process_that_stops_its_own_node_runs_on_to_the_end_of_its_step),
        cmocka_unit_test(a_disconnect_is_seen_by_monitors_links_and_watchers_and_loses_messages),
        cmocka_unit_test(a_node_that_is_watched_tells_when_it_goes_and_comes),
        cmocka_unit_test(who_watches_no_longer_is_told_no_more),
        cmocka_unit_test(a_crash_of_the_strategys_ends_processes_wherever_they_are),
        cmocka_unit_test(messages_between_processes_can_be_lost_doubled_and_cut_off),
        cmocka_unit_test(faults_strike_calls_answers_and_what_is_sent_by_name),
        cmocka_unit_test(a_process_can_crash_in_the_middle_of_a_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
