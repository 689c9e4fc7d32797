/* test_lost_connections.c - nodes that cannot be reached: what is lost, who is told, in which
 * order, and what searches know of that. SPDX-License-Identifier: MIT
 */
#include "doing.h"

static sn_id whom;
static sn_id other;
static sn_node side; /* that is watched */

/* ---- The order of signals -------------------------------------------------------------------- */

/* Makes and frees a tie, so that those that others make lie elsewhere. */
static void make_noise(void)
{
    (void)sn_demonitor(sn_monitor_process(whom), true);
}

static void watch_two_and_disconnect(void)
{
    sn_ref first = sn_monitor_process(whom);

    (void)sn_monitor_process(other);
    sn_node_disconnect(here, there);
    tell("%d", ((const struct sn_down_signal *)flow_any()->payload)->ref == first);
}

static void run_noise(void)
{
    make_nodes();
    whom = let_idle(there);
    other = let_idle(there);
    (void)let(here, make_noise);
    (void)let(here, watch_two_and_disconnect);
}

static void downs_of_a_disconnect_come_in_the_order_of_the_monitors(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_noise), "1");
}

static const struct sn_event first_event = {.name = "First", .size = sizeof(sn_id)};
static const struct sn_event second_event = {.name = "Second", .size = sizeof(sn_id)};

static void spawn_first(void)
{
    sn_id id = let_idle(there);

    sn_send(whom, &first_event, &id);
}

static void spawn_second(void)
{
    sn_id id = let_idle(there);

    sn_send(whom, &second_event, &id);
}

static void watch_both_and_crash(void)
{
    sn_ref first = sn_monitor_process(flow_whom(sn_receive_event(&first_event, SECOND)->payload));

    (void)sn_monitor_process(flow_whom(sn_receive_event(&second_event, SECOND)->payload));
    sn_node_crash(there);
    tell("%d", ((const struct sn_down_signal *)flow_any()->payload)->ref == first);
}

static void run_two_spawners(void)
{
    make_nodes();
    whom = let(here, watch_both_and_crash);
    (void)let(here, spawn_first);
    (void)let(here, spawn_second);
}

static void downs_of_a_crash_do_not_depend_on_who_was_spawned_first(void **unused)
{
    (void)unused;

    assert_string_equal(some_of(run_two_spawners), "1");
}

/* Two that end because of the same disconnect, each spawned by another one. */
static void link_and_wait(void)
{
    sn_link(whom);
    (void)flow_any();
}

static void watch_first_and_second(void)
{
    sn_ref first = sn_monitor_process(flow_whom(sn_receive_event(&first_event, SECOND)->payload));

    (void)sn_monitor_process(flow_whom(sn_receive_event(&second_event, SECOND)->payload));
    sn_sleep_ns(1);
    sn_node_disconnect(here, there);
    tell("%d", ((const struct sn_down_signal *)flow_any()->payload)->ref == first);
}

static void spawn_linked_first(void)
{
    sn_id id = let(SN_NO_NODE, link_and_wait);

    sn_send(other, &first_event, &id);
}

static void spawn_linked_second(void)
{
    sn_id id = let(SN_NO_NODE, link_and_wait);

    sn_send(other, &second_event, &id);
}

static void run_linked(void)
{
    make_nodes();
    whom = let_idle(there);
    other = let(SN_NO_NODE, watch_first_and_second);
    (void)let(here, spawn_linked_first);
    (void)let(here, spawn_linked_second);
}

/* Which of the two is told first is a matter of their ids. */
static void those_that_end_at_once_end_in_an_order_of_their_own(void **unused)
{
    struct sn_test test = flow_test(run_linked);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 1000});
    assert_string_equal(r.failure, "");
    assert_int_equal(told->n, 1);
}

/* ---- Who is told ----------------------------------------------------------------------------- */

static void watch_side(void)
{
    sn_monitor_node(side, true);
    for (int i = 0; i < 3; i++)
        tell("%s ", word_of(sn_receive(NULL, NULL, SECOND)));
}

static void come_and_go(void)
{
    sn_sleep_ns(1);
    sn_node_disconnect(here, there);
    sn_sleep_ns(1);
    sn_node_disconnect(there, here);
    sn_sleep_ns(1);
    sn_node_connect(there, here);
}

static void run_watch_from_here(void)
{
    make_nodes();
    side = there;
    (void)let(here, watch_side);
    (void)let(SN_NO_NODE, come_and_go);
}

static void run_watch_from_there(void)
{
    make_nodes();
    side = here;
    (void)let(there, watch_side);
    (void)let(SN_NO_NODE, come_and_go);
}

static void a_disconnect_is_told_to_both_sides_and_once(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_watch_from_here), "NODEDOWN NODEUP - ");
    assert_string_equal(all_of(run_watch_from_there), "NODEDOWN NODEUP - ");
}

static void crash_out_of_sight(void)
{
    sn_sleep_ns(1);
    sn_node_disconnect(here, there);
    sn_sleep_ns(1);
    sn_node_crash(there);
    sn_sleep_ns(1);
    sn_node_restart(there);
    sn_sleep_ns(1);
    tell("| ");
    sn_node_connect(here, there);
}

static void run_crash_out_of_sight(void)
{
    make_nodes();
    side = there;
    (void)let(here, watch_side);
    (void)let(SN_NO_NODE, crash_out_of_sight);
}

static void nobody_is_told_what_happens_behind_a_broken_connection(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_crash_out_of_sight), "NODEDOWN | NODEUP - ");
}

static void connect_to_one_that_is_down(void)
{
    sn_sleep_ns(1);
    sn_node_disconnect(here, there);
    sn_node_crash(there);
    sn_node_connect(here, there);
    sn_sleep_ns(1);
    tell("| ");
    sn_node_restart(there);
}

static void run_connect_to_down(void)
{
    make_nodes();
    side = there;
    (void)let(here, watch_side);
    (void)let(SN_NO_NODE, connect_to_one_that_is_down);
}

static void a_node_comes_up_when_it_is_both_running_and_connected(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_connect_to_down), "NODEDOWN | NODEUP - ");
}

/* Whoever breaks a connection may be ended by that. */
static void link_and_disconnect(void)
{
    sn_link(whom);
    sn_sleep_ns(1);
    sn_node_disconnect(here, there);
    tell("never");
}

static void link_and_stop(void)
{
    sn_link(whom);
    sn_sleep_ns(1);
    sn_node_stop(there);
    tell("never");
}

static void run_link_and_disconnect(void)
{
    make_nodes();
    side = there;
    whom = let_idle(there);
    (void)let(here, watch_side);
    (void)let(here, link_and_disconnect);
}

static void run_link_and_stop(void)
{
    make_nodes();
    side = there;
    whom = let_idle(there);
    (void)let(here, watch_side);
    (void)let(here, link_and_stop);
}

static void others_are_told_even_if_who_breaks_a_connection_ends_with_it(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_link_and_disconnect), "NODEDOWN - - ");
    assert_string_equal(all_of(run_link_and_stop), "NODEDOWN - - ");
}

/* Watches in its first life only. */
static void live_twice(void)
{
    uint8_t lived = 0;

    if (sn_disk_read("lived", 0, &lived, 1) == 1) {
        tell("%s", word_of(sn_receive(NULL, NULL, SECOND)));
        return;
    }
    (void)sn_disk_write("lived", 0, &(uint8_t){1}, 1);
    (void)sn_disk_sync(NULL);
    (void)sn_monitor_process(whom);
    (void)flow_any();
}

static void end_later(void)
{
    sn_sleep_ns(10);
}

static void crash_and_restart(void)
{
    sn_sleep_ns(1);
    sn_node_crash(there);
    sn_node_restart(there);
}

static void run_live_twice(void)
{
    make_nodes();
    whom = let(SN_NO_NODE, end_later);
    (void)let(there, live_twice);
    (void)let(SN_NO_NODE, crash_and_restart);
}

static void one_that_is_born_again_has_none_of_its_old_monitors(void **unused)
{
    struct sn_test test = flow_test(run_live_twice);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "-");
}

/* ---- What cannot be reached ------------------------------------------------------------------ */

static void link_far(void)
{
    (void)sn_trap_exit(true);
    sn_node_disconnect(here, there);
    sn_link(whom);
    tell("%s", word_of(flow_any()));
    sn_node_connect(here, there);
    sn_node_crash(there);
    sn_link(whom);
    tell(" %s", word_of(flow_any()));
}

static void run_link_far(void)
{
    make_nodes();
    whom = let_idle(there);
    (void)let(here, link_far);
}

static void a_link_to_what_cannot_be_reached_says_noconnection(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_link_far), "noconnection noconnection");
}

static void name_far(void)
{
    tell("%d%d", sn_register("far", whom), sn_register("near", sn_self()));
}

static void run_name_far(void)
{
    make_nodes();
    whom = let_idle(there);
    (void)let(here, name_far);
}

static void only_a_process_of_the_same_node_can_be_named(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_name_far), "01");
}

static void kill_across_disconnect(void)
{
    sn_node_disconnect(here, there);
    sn_kill(whom, "boom");
    sn_kill(whom, SN_KILL);
    sn_node_connect(here, there);
    tell("%d", sn_is_alive(whom));
    sn_kill(whom, "boom");
    tell("%d", sn_is_alive(whom));
}

static void kill_across_cut(void)
{
    sn_cut(UINT64_C(1) << (here - 1));
    sn_kill(whom, "boom");
    sn_heal();
    tell("%d", sn_is_alive(whom));
    sn_kill(whom, "boom");
    tell("%d", sn_is_alive(whom));
}

static void run_kill_across_disconnect(void)
{
    make_nodes();
    whom = let_idle(there);
    (void)let(here, kill_across_disconnect);
}

static void run_kill_across_cut(void)
{
    make_nodes();
    whom = let_idle(there);
    (void)let(here, kill_across_cut);
}

static void exit_signals_to_what_cannot_be_reached_are_lost(void **unused)
{
    struct sn_test cut = flow_test(run_kill_across_cut);

    (void)unused;

    assert_string_equal(all_of(run_kill_across_disconnect), "10");
    (void)stories_of(&cut);
    assert_string_equal(stories_all(), "10");
}

/* ---- Cuts ------------------------------------------------------------------------------------ */

static void watch_across_cut(void)
{
    (void)sn_trap_exit(true);
    sn_monitor_node(there, true);
    (void)sn_monitor_process(whom);
    sn_link(other);
    sn_cut(UINT64_C(1) << (here - 1));
    for (int i = 0; i < 3; i++)
        tell("%s ", word_of(sn_receive(NULL, NULL, 0)));
    sn_send(whom, &a_event, NULL); /* lost */
    sn_heal();
    tell("%s ", word_of(sn_receive(NULL, NULL, 0)));
    sn_send(whom, &a_event, NULL);
    tell("%s", word_of(sn_receive(NULL, NULL, SECOND)));
}

static void hear_and_end(void)
{
    tell("(%s) ", word_of(flow_any()));
}

static void run_across_cut(void)
{
    make_nodes();
    whom = let(there, hear_and_end);
    other = let_idle(there);
    (void)let(here, watch_across_cut);
}

static void a_cut_is_to_processes_as_if_all_connections_across_it_were_broken(void **unused)
{
    struct sn_test test = flow_test(run_across_cut);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "noconnection noconnection NODEDOWN NODEUP (a) -");
}

static void watch_during_cut(void)
{
    sn_cut(UINT64_C(1) << (here - 1));
    sn_monitor_node(there, true);
    tell("%s ", word_of(sn_receive(NULL, NULL, 0)));
    sn_node_disconnect(here, there); /* which nobody notices */
    sn_heal();
    tell("%s ", word_of(sn_receive(NULL, NULL, 0)));
    sn_node_connect(here, there);
    tell("%s", word_of(sn_receive(NULL, NULL, 0)));
}

static void run_during_cut(void)
{
    make_nodes();
    (void)let(here, watch_during_cut);
}

static void who_watches_a_node_during_a_cut_is_told_when_it_is_seen_again(void **unused)
{
    struct sn_test test = flow_test(run_during_cut);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "NODEDOWN - NODEUP");
}

static void watch_what_is_down(void)
{
    sn_monitor_node(there, true);
    sn_node_stop(there);
    tell("%s ", word_of(sn_receive(NULL, NULL, 0)));
    sn_cut(UINT64_C(1) << (here - 1)); /* which changes nothing: it cannot be seen anyway */
    tell("%s ", word_of(sn_receive(NULL, NULL, 0)));
    sn_heal();
    tell("%s ", word_of(sn_receive(NULL, NULL, 0)));
    sn_node_restart(there);
    tell("%s ", word_of(sn_receive(NULL, NULL, 0)));
    tell("%s", word_of(sn_receive(NULL, NULL, 0)));
}

static void run_down_and_cut(void)
{
    make_nodes();
    (void)let(here, watch_what_is_down);
}

static void a_cut_tells_nothing_of_a_node_that_is_down(void **unused)
{
    struct sn_test test = flow_test(run_down_and_cut);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "NODEDOWN - - NODEUP -");
}

/* ---- What searches know ---------------------------------------------------------------------- */

static void hear_once(void)
{
    tell("%s", word_of(sn_receive_event(&a_event, 100)));
}

static void send_once(void)
{
    sn_send(whom, &a_event, NULL);
}

static void disconnect(void)
{
    sn_node_disconnect(here, there);
}

static void crash_there(void)
{
    sn_node_crash(there);
}

static void run_send_and_disconnect(void)
{
    make_nodes();
    whom = let(there, hear_once);
    (void)let(here, send_once);
    (void)let(here, disconnect);
}

static void a_message_comes_before_or_after_a_disconnect(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_send_and_disconnect), "- | a");
}

static void end_soon(void)
{
    sn_yield();
}

static void watch_one(void)
{
    (void)sn_monitor_process(whom);
    tell("%s", word_of(flow_any()));
}

static void run_end_and_disconnect(void)
{
    make_nodes();
    whom = let(there, end_soon);
    (void)let(here, watch_one);
    (void)let(SN_NO_NODE, disconnect);
}

static void run_end_and_crash(void)
{
    make_nodes();
    whom = let(there, end_soon);
    (void)let(here, watch_one);
    (void)let(here, crash_there);
}

static void an_end_comes_before_or_after_its_node_goes_out_of_sight(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_end_and_disconnect), "noconnection | noproc | normal");
    assert_string_equal(all_of(run_end_and_crash), "noconnection | noproc | normal");
}

static void watch_and_stop_watching(void)
{
    sn_ref ref = sn_monitor_process(whom);

    tell("%d", sn_demonitor(ref, true));
}

static void run_demonitor_and_disconnect(void)
{
    make_nodes();
    whom = let_idle(there);
    (void)let(here, watch_and_stop_watching);
    (void)let(SN_NO_NODE, disconnect);
}

static void run_disconnect_and_demonitor(void)
{
    make_nodes();
    (void)let(SN_NO_NODE, disconnect);
    whom = let_idle(there);
    (void)let(here, watch_and_stop_watching);
}

static void a_monitor_is_ended_before_or_after_a_disconnect(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_disconnect_and_demonitor), "0 | 1");
    assert_string_equal(all_of(run_demonitor_and_disconnect), "0 | 1");
}

/* The connection is broken when there is a monitor, some steps later. */
static uint64_t steps_between;

static void let_disconnect(void)
{
    (void)flow_any();
    for (uint64_t i = 0; i < steps_between; i++)
        sn_yield();
    sn_node_disconnect(here, there);
}

static void watch_and_let_disconnect(void)
{
    sn_ref ref = sn_monitor_process(whom);

    sn_send(other, &a_event, NULL);
    tell("%d", sn_demonitor(ref, true));
}

static void run_monitor_and_then_disconnect(uint64_t steps)
{
    make_nodes();
    steps_between = steps;
    whom = let_idle(there);
    other = let(SN_NO_NODE, let_disconnect);
    (void)let(here, watch_and_let_disconnect);
}

static void run_disconnect_at_once(void)
{
    run_monitor_and_then_disconnect(0);
}

static void run_disconnect_later(void)
{
    run_monitor_and_then_disconnect(3);
}

static void a_monitor_that_stands_is_ended_before_or_after_a_disconnect(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_disconnect_at_once), "0 | 1");
    assert_string_equal(all_of(run_disconnect_later), "0 | 1");
}

static void link_and_let_disconnect(void)
{
    (void)sn_trap_exit(true);
    sn_link(whom);
    sn_send(other, &a_event, NULL);
    sn_unlink(whom);
    tell("%s", word_of(sn_receive(NULL, NULL, 0)));
}

static void run_link_and_then_disconnect(uint64_t steps)
{
    make_nodes();
    steps_between = steps;
    whom = let_idle(there);
    other = let(SN_NO_NODE, let_disconnect);
    (void)let(here, link_and_let_disconnect);
}

static void run_unlink_and_disconnect(void)
{
    run_link_and_then_disconnect(0);
}

static void run_unlink_and_disconnect_later(void)
{
    run_link_and_then_disconnect(4);
}

static void a_link_that_stands_is_ended_before_or_after_a_disconnect(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_unlink_and_disconnect), "- | noconnection");
    assert_string_equal(all_of(run_unlink_and_disconnect_later), "- | noconnection");
}

/* One that is told what to answer, and to whom, by the server, which can be out of sight then. */
struct errand {
    sn_id caller;
    sn_ref call;
};

static const struct sn_event get_event = {.name = "Get"};
static const struct sn_event errand_event = {.name = "Errand", .size = sizeof(struct errand)};

static void answer_for_another(void)
{
    const struct errand *errand = sn_receive_event(&errand_event, SN_FOREVER)->payload;

    sn_answer(errand->caller, errand->call, &a_event, NULL);
}

static void hand_on(void)
{
    const struct sn_message *m = sn_receive_event(&get_event, SN_FOREVER);

    sn_send(other, &errand_event, &(struct errand){.caller = m->from, .call = m->call});
    for (uint64_t i = 0; i < steps_between; i++)
        sn_yield();
    sn_node_disconnect(here, there);
    do_nothing();
}

static void call_one(void)
{
    enum sn_call_result how;

    (void)sn_call(whom, &get_event, NULL, SN_FOREVER, &how);
    tell("%s", how == SN_CALL_ANSWERED ? "answered" : "down");
}

static void run_errand(uint64_t steps)
{
    doing *what = hand_on;

    make_nodes();
    steps_between = steps;
    other = let(SN_NO_NODE, answer_for_another);
    whom = sn_spawn_on(there, &idle_doer, &what);
    (void)let(here, call_one);
}

static void run_errand_and_disconnect(void)
{
    run_errand(0);
}

static void run_errand_and_disconnect_last(void)
{
    run_errand(4);
}

static void an_answer_of_another_comes_before_or_after_the_server_is_out_of_sight(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_errand_and_disconnect), "answered | down");
    assert_string_equal(all_of(run_errand_and_disconnect_last), "answered | down");
}

static void ask_if_alive(void)
{
    tell("%d", sn_is_alive(whom));
    tell("%d", sn_is_alive(whom));
}

static void crash_and_revive(void)
{
    sn_node_crash(there);
    sn_node_restart(there);
}

static void run_ask_and_restart(void)
{
    make_nodes();
    whom = let_idle(there);
    (void)let(SN_NO_NODE, ask_if_alive);
    (void)let(SN_NO_NODE, crash_and_revive);
}

static void one_is_asked_for_before_between_or_after_its_lives(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_ask_and_restart), "00 | 01 | 10 | 11");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(downs_of_a_disconnect_come_in_the_order_of_the_monitors),
        cmocka_unit_test(downs_of_a_crash_do_not_depend_on_who_was_spawned_first),
        cmocka_unit_test(those_that_end_at_once_end_in_an_order_of_their_own),
        cmocka_unit_test(a_disconnect_is_told_to_both_sides_and_once),
        cmocka_unit_test(nobody_is_told_what_happens_behind_a_broken_connection),
        cmocka_unit_test(a_node_comes_up_when_it_is_both_running_and_connected),
        cmocka_unit_test(others_are_told_even_if_who_breaks_a_connection_ends_with_it),
        cmocka_unit_test(one_that_is_born_again_has_none_of_its_old_monitors),
        cmocka_unit_test(a_link_to_what_cannot_be_reached_says_noconnection),
        cmocka_unit_test(only_a_process_of_the_same_node_can_be_named),
        cmocka_unit_test(exit_signals_to_what_cannot_be_reached_are_lost),
        cmocka_unit_test(a_cut_is_to_processes_as_if_all_connections_across_it_were_broken),
        cmocka_unit_test(who_watches_a_node_during_a_cut_is_told_when_it_is_seen_again),
        cmocka_unit_test(a_cut_tells_nothing_of_a_node_that_is_down),
        cmocka_unit_test(a_message_comes_before_or_after_a_disconnect),
        cmocka_unit_test(an_end_comes_before_or_after_its_node_goes_out_of_sight),
        cmocka_unit_test(a_monitor_is_ended_before_or_after_a_disconnect),
        cmocka_unit_test(a_monitor_that_stands_is_ended_before_or_after_a_disconnect),
        cmocka_unit_test(a_link_that_stands_is_ended_before_or_after_a_disconnect),
        cmocka_unit_test(an_answer_of_another_comes_before_or_after_the_server_is_out_of_sight),
        cmocka_unit_test(one_is_asked_for_before_between_or_after_its_lives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
