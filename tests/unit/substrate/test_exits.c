/* test_exits.c - the end of processes, and who is told: links, monitors, exit signals.
 *
 * As in test_processes.c, every schedule is tried. SPDX-License-Identifier: MIT
 */
#include "flow.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

/* What a signal says. */
static const char *reason_of(const struct sn_message *m)
{
    if (m == NULL)
        return "-";
    if (m->event == &sn_exited)
        return ((const struct sn_exit_signal *)m->payload)->reason;
    if (m->event == &sn_down)
        return ((const struct sn_down_signal *)m->payload)->reason;
    return m->event->name;
}

static void wait_for_ever(const void *payload)
{
    (void)payload;
    for (;;)
        (void)flow_any();
}

static const struct sn_process idle = {.name = "Idle", .run = wait_for_ever, .may_wait = true};

static void trap_and_wait(const void *payload)
{
    (void)payload;
    (void)sn_trap_exit(true);
    for (;;)
        tell("[%s]", reason_of(flow_any()));
}

static const struct sn_process trapper = {
    .name = "Trapper", .run = trap_and_wait, .may_wait = true};

static void end_at_once(const void *payload)
{
    (void)payload;
}

static const struct sn_process brief = {.name = "Brief", .run = end_at_once};

static void fail_at_once(const void *payload)
{
    (void)payload;
    sn_exit("oops");
}

static const struct sn_process failing = {.name = "Failing", .run = fail_at_once};

/* A process that runs a function with the id of one idle process. */
static void spawn_with_idle(const struct sn_process *type)
{
    sn_id other;

    story_begin();
    other = sn_spawn(&idle, NULL);
    (void)sn_spawn(type, &other);
}

/* ---- Links ---------------------------------------------------------------------------------- */

static void link_and_fail(const void *payload)
{
    sn_link(flow_whom(payload));
    sn_exit("bad");
}

static const struct sn_process linker = {
    .name = "Linker", .run = link_and_fail, .birth = &whom_event};

static void watch_two(const void *payload)
{
    sn_id victim = sn_spawn(&idle, NULL);
    sn_ref ref = sn_monitor_process(victim);
    const struct sn_message *m;

    (void)payload;
    (void)sn_spawn(&linker, &victim);
    m = flow_any();
    sn_assert(m->event == &sn_down && m->from == SN_NOBODY);
    sn_assert(((const struct sn_down_signal *)m->payload)->ref == ref);
    sn_assert(((const struct sn_down_signal *)m->payload)->process == victim);
    tell("%s", reason_of(m));
}

static const struct sn_process watcher = {.name = "Watcher", .run = watch_two};

static void run_link(void)
{
    story_begin();
    (void)sn_spawn(&watcher, NULL);
}

static void one_that_ends_abnormally_takes_along_what_is_linked_to_it(void **unused)
{
    struct sn_test test = flow_test(run_link);

    (void)unused;

    assert_string_equal(flow_stories(&test), "bad");
}

/* The other way round: who was linked to goes, and who has linked goes with it. */
static void link_and_wait(const void *payload)
{
    sn_link(flow_whom(payload));
    (void)flow_any();
}

static const struct sn_process linked = {
    .name = "Linked", .run = link_and_wait, .birth = &whom_event, .may_wait = true};

static void kill_target(const void *payload)
{
    sn_id target = sn_spawn(&idle, NULL);
    sn_id owner = sn_spawn(&linked, &target);
    sn_ref ref;

    (void)payload;
    sn_sleep_ns(1); /* now the two are linked */
    ref = sn_monitor_process(owner);
    (void)ref;
    sn_kill(target, "bad");
    tell("%s", reason_of(flow_any()));
    tell(" %d%d", sn_is_alive(target), sn_is_alive(owner));
}

static const struct sn_process killer = {.name = "Killer", .run = kill_target};

static void run_link_back(void)
{
    story_begin();
    (void)sn_spawn(&killer, NULL);
}

static void links_work_in_both_directions(void **unused)
{
    struct sn_test test = flow_test(run_link_back);

    (void)unused;

    assert_string_equal(flow_stories(&test), "bad 00");
}

static void link_and_end(const void *payload)
{
    sn_link(flow_whom(payload));
}

static const struct sn_process polite = {
    .name = "Polite", .run = link_and_end, .birth = &whom_event};

static void watch_polite(const void *payload)
{
    sn_id other = flow_whom(payload);

    (void)sn_spawn(&polite, &other);
    sn_sleep_ns(1);
    tell("%d", sn_is_alive(other));
}

static const struct sn_process polite_watcher = {
    .name = "Watcher", .run = watch_polite, .birth = &whom_event};

static void run_polite(void)
{
    spawn_with_idle(&polite_watcher);
}

static void a_normal_end_leaves_what_is_linked_alone(void **unused)
{
    struct sn_test test = flow_test(run_polite);

    (void)unused;

    assert_string_equal(flow_stories(&test), "1");
}

static void link_unlink(const void *payload)
{
    sn_link(flow_whom(payload));
    sn_link(flow_whom(payload)); /* links are not counted */
    sn_unlink(flow_whom(payload));
    sn_exit("bad");
}

static const struct sn_process unlinker = {
    .name = "Unlinker", .run = link_unlink, .birth = &whom_event};

static void watch_unlinker(const void *payload)
{
    sn_id other = flow_whom(payload);

    (void)sn_spawn(&unlinker, &other);
    sn_sleep_ns(1);
    tell("%d", sn_is_alive(other));
}

static const struct sn_process unlink_watcher = {
    .name = "Watcher", .run = watch_unlinker, .birth = &whom_event};

static void run_unlink(void)
{
    spawn_with_idle(&unlink_watcher);
}

static void an_unlink_ends_a_link_however_often_it_was_made(void **unused)
{
    struct sn_test test = flow_test(run_unlink);

    (void)unused;

    assert_string_equal(flow_stories(&test), "1");
}

static void link_to_dead(const void *payload)
{
    sn_id dead = sn_spawn(&brief, NULL);

    (void)payload;
    sn_sleep_ns(1);
    (void)sn_trap_exit(true);
    sn_link(dead);
    tell("%s", reason_of(flow_any()));
    (void)sn_trap_exit(false);
    sn_link(dead);
    tell(" never");
}

static const struct sn_process late_linker = {.name = "LateLinker", .run = link_to_dead};

static void watch_late_linker(const void *payload)
{
    sn_ref ref;

    (void)payload;
    (void)sn_spawn_monitor(&late_linker, NULL, &ref);
    tell(" %s", reason_of(flow_any()));
}

static const struct sn_process late_watcher = {.name = "Watcher", .run = watch_late_linker};

static void run_link_to_dead(void)
{
    story_begin();
    (void)sn_spawn(&late_watcher, NULL);
}

static void a_link_to_one_that_has_ended_gives_noproc_at_once(void **unused)
{
    struct sn_test test = flow_test(run_link_to_dead);

    (void)unused;

    assert_string_equal(flow_stories(&test), "noproc noproc");
}

/* A chain of links: all go in one step. */
static void be_chained(const void *payload)
{
    uint64_t left;

    memcpy(&left, payload, sizeof(left));
    if (left > 0) {
        static const struct sn_process chained = {
            .name = "Chained", .run = be_chained, .birth = &number_event};

        left--;
        (void)sn_spawn_link(&chained, &left);
        (void)flow_any();
    }
    sn_exit("end");
}

static const struct sn_process chain = {
    .name = "Chained", .run = be_chained, .birth = &number_event};

static void watch_chain(const void *payload)
{
    sn_ref ref;

    (void)payload;
    (void)sn_spawn_monitor(&chain, &(uint64_t){2000}, &ref);
    tell("%s", reason_of(flow_any()));
}

static const struct sn_process chain_watcher = {.name = "Watcher", .run = watch_chain};

static void run_chain(void)
{
    story_begin();
    (void)sn_spawn(&chain_watcher, NULL);
}

static void a_long_chain_of_links_ends_in_one_step(void **unused)
{
    struct sn_test test = flow_test(run_chain);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.iterations = 1});
    assert_string_equal(r.failure, "");
    assert_string_equal(stories_all(), "end");
    /* Of the watcher start, spawn, receive, exit; of each other one start, spawn, or exit. */
    assert_int_equal(r.steps, 4 + 2 * 2001);
}

/* ---- Traps and kills ------------------------------------------------------------------------ */

static void kill_trapper(const void *payload)
{
    sn_id target = sn_spawn(&trapper, NULL);
    sn_ref ref = sn_monitor_process(target);

    (void)payload;
    (void)ref;
    sn_sleep_ns(1);
    sn_kill(target, "softly");
    sn_kill(target, SN_NORMAL);
    sn_sleep_ns(1);
    sn_kill(target, SN_KILL);
    tell("%s", reason_of(flow_any()));
}

static const struct sn_process trapper_killer = {.name = "Killer", .run = kill_trapper};

static void run_trap(void)
{
    story_begin();
    (void)sn_spawn(&trapper_killer, NULL);
}

static void exit_signals_are_messages_to_one_that_traps_but_kill_cannot_be_trapped(void **unused)
{
    struct sn_test test = flow_test(run_trap);

    (void)unused;

    assert_string_equal(flow_stories(&test), "[softly][normal]killed");
}

static void kill_normally(const void *payload)
{
    sn_kill(flow_whom(payload), SN_NORMAL);
    tell("%d", sn_is_alive(flow_whom(payload)));
    sn_kill(flow_whom(payload), "really");
    tell("%d", sn_is_alive(flow_whom(payload)));
    sn_kill(flow_whom(payload), "again"); /* nothing happens */
}

static const struct sn_process normal_killer = {
    .name = "Killer", .run = kill_normally, .birth = &whom_event};

static void run_kill_normally(void)
{
    spawn_with_idle(&normal_killer);
}

static void a_normal_signal_does_nothing_to_one_that_does_not_trap(void **unused)
{
    struct sn_test test = flow_test(run_kill_normally);

    (void)unused;

    assert_string_equal(flow_stories(&test), "10");
}

static void kill_itself(const void *payload)
{
    (void)payload;
    tell("a");
    sn_kill(sn_self(), "self");
    tell("never");
}

static const struct sn_process suicidal = {.name = "Suicidal", .run = kill_itself};

static void watch_suicidal(const void *payload)
{
    sn_ref ref;

    (void)payload;
    (void)sn_spawn_monitor(&suicidal, NULL, &ref);
    tell("%s", reason_of(flow_any()));
}

static const struct sn_process suicidal_watcher = {.name = "Watcher", .run = watch_suicidal};

static void run_suicidal(void)
{
    story_begin();
    (void)sn_spawn(&suicidal_watcher, NULL);
}

static void a_process_that_kills_itself_goes_no_further(void **unused)
{
    struct sn_test test = flow_test(run_suicidal);

    (void)unused;

    assert_string_equal(flow_stories(&test), "aself");
}

static void tell_was(const void *payload)
{
    (void)payload;
    tell("%d", sn_trap_exit(true));
    tell("%d", sn_trap_exit(false));
    tell("%d", sn_trap_exit(false));
}

static const struct sn_process trap_teller = {.name = "TrapTeller", .run = tell_was};

static void run_trap_teller(void)
{
    story_begin();
    (void)sn_spawn(&trap_teller, NULL);
}

static void trapping_returns_what_it_was_before(void **unused)
{
    struct sn_test test = flow_test(run_trap_teller);

    (void)unused;

    assert_string_equal(flow_stories(&test), "010");
}

/* ---- Monitors ------------------------------------------------------------------------------- */

static void monitor_brief(const void *payload)
{
    sn_id target = flow_whom(payload);
    const struct sn_message *m;

    (void)sn_monitor_process(target);
    m = flow_any();
    tell("%s", reason_of(m));
    sn_assert(((const struct sn_down_signal *)m->payload)->process == target);
    tell("%s", reason_of(sn_receive(NULL, NULL, 0)));
}

static const struct sn_process monitoring = {
    .name = "Monitor", .run = monitor_brief, .birth = &whom_event};

static void run_monitor_race(void)
{
    sn_id target;

    story_begin();
    target = sn_spawn(&failing, NULL);
    (void)sn_spawn(&monitoring, &target);
}

static void a_monitor_of_one_that_may_have_ended_tells_the_reason_or_noproc_once(void **unused)
{
    struct sn_test test = flow_test(run_monitor_race);

    (void)unused;

    assert_string_equal(flow_stories(&test), "noproc- | oops-");
}

static void monitor_absent_name(const void *payload)
{
    const struct sn_down_signal *down;
    sn_ref ref = sn_monitor_name(SN_NO_NODE, "nobody");
    const struct sn_message *m = sn_receive(NULL, NULL, 0);

    (void)payload;
    sn_assert(m != NULL && m->event == &sn_down);
    down = m->payload;
    sn_assert(down->ref == ref && down->process == SN_NOBODY);
    tell("%s", down->reason);
}

static const struct sn_process name_monitor = {.name = "NameMonitor", .run = monitor_absent_name};

static void run_absent_name(void)
{
    story_begin();
    (void)sn_spawn(&name_monitor, NULL);
}

static void a_down_for_a_name_that_nobody_has_comes_at_once(void **unused)
{
    struct sn_test test = flow_test(run_absent_name);

    (void)unused;

    assert_string_equal(flow_stories(&test), "noproc");
}

static void hold_name(const void *payload)
{
    (void)payload;
    (void)sn_register("held", sn_self());
    (void)flow_any();
    sn_exit("left");
}

static const struct sn_process holder = {.name = "Holder", .run = hold_name};

/* The monitor is on whoever had the name then, whoever has it later. */
static void monitor_name(const void *payload)
{
    sn_id first = sn_spawn(&holder, NULL);
    sn_id second;
    const struct sn_message *m;

    (void)payload;
    sn_sleep_ns(1);
    (void)sn_monitor_name(SN_NO_NODE, "held");
    sn_send(first, &a_event, NULL);
    m = flow_any();
    sn_assert(((const struct sn_down_signal *)m->payload)->process == first);
    tell("%s", reason_of(m));
    second = sn_spawn(&holder, NULL);
    sn_sleep_ns(1);
    tell("%d", sn_whereis("held") == second);
    sn_send(second, &a_event, NULL);
    sn_sleep_ns(1);
    tell("%s%d", reason_of(sn_receive(NULL, NULL, 0)), sn_whereis("held") == SN_NOBODY);
}

static const struct sn_process held_monitor = {.name = "HeldMonitor", .run = monitor_name};

static void run_held(void)
{
    story_begin();
    (void)sn_spawn(&held_monitor, NULL);
}

static void
a_monitor_by_name_is_of_the_process_that_had_it_and_the_name_can_be_used_again(void **unused)
{
    struct sn_test test = flow_test(run_held);

    (void)unused;

    assert_string_equal(flow_stories(&test), "left1-1");
}

static void demonitor_with(const void *payload, bool is_flushing)
{
    sn_ref ref = sn_monitor_process(flow_whom(payload));
    bool was = sn_demonitor(ref, is_flushing);

    tell("%d", was);
    tell("%s", reason_of(sn_receive(NULL, NULL, SECOND)));
    sn_assert(!sn_demonitor(ref, is_flushing));
}

static void demonitor_flush(const void *payload)
{
    demonitor_with(payload, true);
}

static void demonitor_keep(const void *payload)
{
    demonitor_with(payload, false);
}

static const struct sn_process flusher = {
    .name = "Flusher", .run = demonitor_flush, .birth = &whom_event};
static const struct sn_process unflusher = {
    .name = "Unflusher", .run = demonitor_keep, .birth = &whom_event};

static void run_flush(void)
{
    sn_id target;

    story_begin();
    target = sn_spawn(&failing, NULL);
    (void)sn_spawn(&flusher, &target);
}

static void run_no_flush(void)
{
    sn_id target;

    story_begin();
    target = sn_spawn(&failing, NULL);
    (void)sn_spawn(&unflusher, &target);
}

static void after_a_demonitor_that_flushes_no_down_comes(void **unused)
{
    struct sn_test test = flow_test(run_flush);

    (void)unused;

    assert_string_equal(flow_stories(&test), "0- | 1-");
}

static void a_demonitor_that_does_not_flush_leaves_what_has_come(void **unused)
{
    struct sn_test test = flow_test(run_no_flush);

    (void)unused;

    assert_string_equal(flow_stories(&test), "0noproc | 0oops | 1-");
}

static void monitor_twice(const void *payload)
{
    sn_ref one = sn_monitor_process(flow_whom(payload));
    sn_ref two = sn_monitor_process(flow_whom(payload));

    sn_assert(one != two);
    sn_kill(flow_whom(payload), "x");
    for (int i = 0; i < 2; i++) {
        const struct sn_down_signal *down = flow_any()->payload;

        tell("%s", down->ref == one ? "1" : down->ref == two ? "2" : "?");
    }
}

static const struct sn_process twice = {
    .name = "Twice", .run = monitor_twice, .birth = &whom_event};

static void run_twice(void)
{
    spawn_with_idle(&twice);
}

static void each_monitor_has_a_down_of_its_own_the_first_first(void **unused)
{
    struct sn_test test = flow_test(run_twice);

    (void)unused;

    assert_string_equal(flow_stories(&test), "12");
}

/* ---- What was sent to one that has ended ---------------------------------------------------- */

static void send_and_watch(const void *payload)
{
    sn_send(flow_whom(payload), &a_event, NULL);
    tell("s");
}

static const struct sn_process to_dead = {
    .name = "ToDead", .run = send_and_watch, .birth = &whom_event};

static void run_to_dead(void)
{
    sn_id target;

    story_begin();
    target = sn_spawn(&brief, NULL);
    (void)sn_spawn(&to_dead, &target);
}

/* Whether it has ended before or after makes no difference to anybody: one order. */
static void what_is_sent_to_one_that_has_ended_is_lost_and_races_with_nothing(void **unused)
{
    struct sn_test test = flow_test(run_to_dead);

    (void)unused;

    assert_string_equal(flow_stories(&test), "s");
    assert_int_equal(stories_of(&test).distinct_orders, 1);
}

/* ---- What depends on an end ----------------------------------------------------------------- */

static void wait_and_tell(const void *payload)
{
    (void)payload;
    (void)flow_any();
    tell("r");
}

static void kill_it(const void *payload)
{
    sn_kill(flow_whom(payload), SN_KILL);
}

static const struct sn_process victim = {.name = "Victim", .run = wait_and_tell};
static const struct sn_process murderer = {
    .name = "Murderer", .run = kill_it, .birth = &whom_event};

static void run_kill_or_send(void)
{
    sn_id target;

    story_begin();
    target = sn_spawn(&victim, NULL);
    (void)sn_spawn(&murderer, &target);
    (void)sn_spawn(&to_dead, &target);
}

/* The same, so that another schedule is the first. */
static void run_send_or_kill(void)
{
    sn_id target;

    story_begin();
    target = sn_spawn(&victim, NULL);
    (void)sn_spawn(&to_dead, &target);
    (void)sn_spawn(&murderer, &target);
}

/* Searches that begin with the kill must see that the message could have come before it. */
static void a_kill_is_ordered_with_a_message_that_lets_its_victim_go_on(void **unused)
{
    struct sn_test test = flow_test(run_kill_or_send);

    (void)unused;

    assert_string_equal(flow_stories(&test), "s | sr");
    test.run = run_send_or_kill;
    assert_string_equal(flow_stories(&test), "s | sr");
}

static void take_name_away(const void *payload)
{
    (void)payload;
    tell("%d", sn_unregister("x"));
}

static const struct sn_process taker = {.name = "Taker", .run = take_name_away};

static void run_unregister_or_end(void)
{
    story_begin();
    (void)sn_spawn(&taker, NULL);
    sn_assert(sn_register("x", sn_spawn(&brief, NULL)));
}

static void the_end_of_a_process_is_ordered_with_the_loss_of_its_name(void **unused)
{
    struct sn_test test = flow_test(run_unregister_or_end);

    (void)unused;

    assert_string_equal(flow_stories(&test), "0 | 1");
}

static void end_by_itself(const void *payload)
{
    (void)payload;
    sn_exit("own");
}

static void send_one(const void *payload)
{
    sn_send(flow_whom(payload), &a_event, NULL);
}

static void kill_one(const void *payload)
{
    sn_kill(flow_whom(payload), SN_KILL);
}

static const struct sn_process leaver = {.name = "Leaver", .run = end_by_itself};
static const struct sn_process sender_once = {
    .name = "SenderOnce", .run = send_one, .birth = &whom_event};
static const struct sn_process killer_once = {
    .name = "KillerOnce", .run = kill_one, .birth = &whom_event};

static void run_kill_or_end(void)
{
    sn_id id;

    story_begin();
    id = sn_spawn(&leaver, NULL);
    (void)sn_spawn(&sender_once, &id);
    (void)sn_spawn(&killer_once, &id);
}

/* After its end a kill touches less than before. That the end was tried first must not hide the two
 * orders of the kill and the send that there are without it: before its start, and after that. */
static void a_kill_is_ordered_with_a_message_also_if_its_victim_might_have_ended(void **unused)
{
    struct sn_test test = flow_test(run_kill_or_end);

    (void)unused;

    assert_string_equal(flow_stories(&test), "");
    assert_int_equal(stories_of(&test).distinct_orders, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_ends_abnormally_takes_along_what_is_linked_to_it),
        cmocka_unit_test(links_work_in_both_directions),
        cmocka_unit_test(a_normal_end_leaves_what_is_linked_alone),
        cmocka_unit_test(an_unlink_ends_a_link_however_often_it_was_made),
        cmocka_unit_test(a_link_to_one_that_has_ended_gives_noproc_at_once),
        cmocka_unit_test(a_long_chain_of_links_ends_in_one_step),
        cmocka_unit_test(exit_signals_are_messages_to_one_that_traps_but_kill_cannot_be_trapped),
        cmocka_unit_test(a_normal_signal_does_nothing_to_one_that_does_not_trap),
        cmocka_unit_test(a_process_that_kills_itself_goes_no_further),
        cmocka_unit_test(trapping_returns_what_it_was_before),
        cmocka_unit_test(a_monitor_of_one_that_may_have_ended_tells_the_reason_or_noproc_once),
        cmocka_unit_test(a_down_for_a_name_that_nobody_has_comes_at_once),
        cmocka_unit_test(
            a_monitor_by_name_is_of_the_process_that_had_it_and_the_name_can_be_used_again),
        cmocka_unit_test(after_a_demonitor_that_flushes_no_down_comes),
        cmocka_unit_test(a_demonitor_that_does_not_flush_leaves_what_has_come),
        cmocka_unit_test(each_monitor_has_a_down_of_its_own_the_first_first),
        cmocka_unit_test(what_is_sent_to_one_that_has_ended_is_lost_and_races_with_nothing),
        cmocka_unit_test(a_kill_is_ordered_with_a_message_that_lets_its_victim_go_on),
        cmocka_unit_test(the_end_of_a_process_is_ordered_with_the_loss_of_its_name),
        cmocka_unit_test(a_kill_is_ordered_with_a_message_also_if_its_victim_might_have_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
