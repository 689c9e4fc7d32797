/* test_calls.c - calls and answers, supervisors, and code that is not under control.
 *
 * As in test_processes.c, every schedule is tried where that is possible.
 * SPDX-License-Identifier: MIT
 */
#include "flow.h"

static const struct sn_event get_event = {.name = "Get"};
static const struct sn_event value_event = {.name = "Value", .size = sizeof(uint64_t)};

static const char *const results[] = {
    [SN_CALL_ANSWERED] = "answered", [SN_CALL_TIMEOUT] = "timeout", [SN_CALL_DOWN] = "down"};

/* ---- Calls ---------------------------------------------------------------------------------- */

static void serve_one(const void *payload)
{
    const struct sn_message *m = sn_receive_event(&get_event, SN_FOREVER);

    (void)payload;
    sn_assert(m->call != 0);
    sn_answer(m->from, m->call, &value_event, &(uint64_t){42});
}

static const struct sn_process server = {.name = "Server", .run = serve_one};

static void call_and_tell(const void *payload)
{
    enum sn_call_result how;
    const struct sn_message *m = sn_call(flow_whom(payload), &get_event, NULL, SECOND, &how);

    tell("%s", results[how]);
    if (m != NULL)
        tell(" %llu", (unsigned long long)*(const uint64_t *)m->payload);
    sn_assert((m != NULL) == (how == SN_CALL_ANSWERED));
    sn_assert(m == NULL || m->call == 0);
    m = sn_receive(NULL, NULL, 10 * SECOND);
    tell(" %s", m != NULL ? m->event->name : "-");
}

static const struct sn_process caller = {
    .name = "Caller", .run = call_and_tell, .birth = &whom_event};

static void run_call(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&server, NULL);
    (void)sn_spawn(&caller, &to);
}

static void a_call_is_answered_and_leaves_nothing_behind(void **unused)
{
    struct sn_test test = flow_test(run_call);

    (void)unused;

    assert_string_equal(flow_stories(&test), "answered 42 -");
}

static void serve_late(const void *payload)
{
    const struct sn_message *m = sn_receive_event(&get_event, SN_FOREVER);

    (void)payload;
    sn_sleep_ns(2 * SECOND);
    sn_answer(m->from, m->call, &value_event, &(uint64_t){42});
}

static const struct sn_process late = {.name = "Late", .run = serve_late};

static void run_late(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&late, NULL);
    (void)sn_spawn(&caller, &to);
}

static void a_late_answer_never_reaches_the_mailbox(void **unused)
{
    struct sn_test test = flow_test(run_late);

    (void)unused;

    assert_string_equal(flow_stories(&test), "timeout -");
}

static void serve_in_time(const void *payload)
{
    const struct sn_message *m = sn_receive_event(&get_event, SN_FOREVER);

    (void)payload;
    sn_sleep_ns(SECOND);
    sn_answer(m->from, m->call, &value_event, &(uint64_t){42});
}

static const struct sn_process just = {.name = "Just", .run = serve_in_time};

static void run_just(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&just, NULL);
    (void)sn_spawn(&caller, &to);
}

static void an_answer_at_the_moment_of_the_timeout_is_taken_or_dropped(void **unused)
{
    struct sn_test test = flow_test(run_just);

    (void)unused;

    assert_string_equal(flow_stories(&test), "answered 42 - | timeout -");
}

static void serve_twice(const void *payload)
{
    const struct sn_message *m = sn_receive_event(&get_event, SN_FOREVER);
    sn_id from = m->from;
    sn_ref call = m->call;

    (void)payload;
    sn_answer(from, call, &value_event, &(uint64_t){1});
    sn_answer(from, call, &value_event, &(uint64_t){2});
}

static const struct sn_process eager = {.name = "Eager", .run = serve_twice};

static void run_eager(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&eager, NULL);
    (void)sn_spawn(&caller, &to);
}

static void a_second_answer_is_dropped(void **unused)
{
    struct sn_test test = flow_test(run_eager);

    (void)unused;

    assert_string_equal(flow_stories(&test), "answered 1 -");
}

static void end_at_once(const void *payload)
{
    (void)payload;
}

static const struct sn_process brief = {.name = "Brief", .run = end_at_once};

static void run_brief(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&brief, NULL);
    (void)sn_spawn(&caller, &to);
}

static void a_call_to_one_that_ends_or_has_ended_is_down(void **unused)
{
    struct sn_test test = flow_test(run_brief);

    (void)unused;

    assert_string_equal(flow_stories(&test), "down -");
}

/* ---- Answers of others ---------------------------------------------------------------------- */

/* What is to be answered, and by whom. */
struct errand {
    sn_id caller;
    sn_ref call;
};

static const struct sn_event errand_event = {.name = "Errand", .size = sizeof(struct errand)};
static sn_id helper_id;

static void answer_for_another(const void *payload)
{
    const struct errand *errand = sn_receive_event(&errand_event, SN_FOREVER)->payload;

    (void)payload;
    sn_answer(errand->caller, errand->call, &value_event, &(uint64_t){42});
}

/* Ends some steps later: in the first trial of a search that is before the answer, after it, and
 * after the call. */
static void hand_on_and_end(const void *payload)
{
    const struct sn_message *m = sn_receive_event(&get_event, SN_FOREVER);

    sn_send(helper_id, &errand_event, &(struct errand){.caller = m->from, .call = m->call});
    for (uint64_t i = 0; i < *(const uint64_t *)payload; i++)
        sn_yield();
}

static void only_call(const void *payload)
{
    enum sn_call_result how;

    (void)sn_call(flow_whom(payload), &get_event, NULL, SN_FOREVER, &how);
    tell("%s", results[how]);
}

static const struct sn_process helper = {.name = "Helper", .run = answer_for_another};
static const struct sn_process handing = {
    .name = "Handing", .run = hand_on_and_end, .birth = &number_event};
static const struct sn_process calling = {
    .name = "Calling", .run = only_call, .birth = &whom_event};

static void run_errand(uint64_t steps)
{
    sn_id to;

    story_begin();
    helper_id = sn_spawn(&helper, NULL);
    to = sn_spawn(&handing, &steps);
    (void)sn_spawn(&calling, &to);
}

static void run_end_at_once(void)
{
    run_errand(0);
}

static void run_end_later(void)
{
    run_errand(1);
}

static void run_end_last(void)
{
    run_errand(4);
}

static void an_answer_of_another_comes_before_or_after_the_end_of_the_server(void **unused)
{
    struct sn_test at_once = flow_test(run_end_at_once);
    struct sn_test later = flow_test(run_end_later);
    struct sn_test last = flow_test(run_end_last);

    (void)unused;

    assert_string_equal(flow_stories(&at_once), "answered | down");
    assert_string_equal(flow_stories(&later), "answered | down");
    assert_string_equal(flow_stories(&last), "answered | down");
}

/* ---- Calls by name -------------------------------------------------------------------------- */

static void call_names(const void *payload)
{
    enum sn_call_result how;

    (void)payload;
    (void)sn_call_name("absent", &get_event, NULL, SN_FOREVER, &how);
    tell("%s", results[how]);
    (void)sn_call_name("present", &get_event, NULL, SN_FOREVER, &how);
    tell(" %s", results[how]);
    (void)sn_call_name("present", &get_event, NULL, SN_FOREVER, NULL);
}

static const struct sn_process name_caller = {.name = "NameCaller", .run = call_names};

static void run_call_name(void)
{
    story_begin();
    sn_assert(sn_register("present", sn_spawn(&server, NULL)));
    (void)sn_spawn(&name_caller, NULL);
}

static void a_call_by_name_finds_whoever_has_it(void **unused)
{
    struct sn_test test = flow_test(run_call_name);

    (void)unused;

    assert_string_equal(flow_stories(&test), "down answered");
}

/* Takes its name when it is asked to, which is after the caller's first step. */
static void serve_when_asked(const void *payload)
{
    (void)flow_any();
    (void)sn_register("late", sn_self());
    serve_one(payload);
}

static void ask_and_call(const void *payload)
{
    enum sn_call_result how;

    sn_send(flow_whom(payload), &a_event, NULL);
    (void)sn_call_name("late", &get_event, NULL, SN_FOREVER, &how);
    tell("%s", results[how]);
}

static const struct sn_process late_named = {
    .name = "LateNamed", .run = serve_when_asked, .may_wait = true};
static const struct sn_process early_caller = {
    .name = "EarlyCaller", .run = ask_and_call, .birth = &whom_event};

static void run_late_name(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&late_named, NULL);
    (void)sn_spawn(&early_caller, &to);
}

static void a_call_by_name_looks_for_it_when_the_operation_runs(void **unused)
{
    struct sn_test test = flow_test(run_late_name);

    (void)unused;

    assert_string_equal(flow_stories(&test), "answered | down");
}

/* Others' messages stay where they are. */
static void call_among_others(const void *payload)
{
    const struct sn_message *m;

    sn_send(sn_self(), &a_event, NULL);
    m = sn_call(flow_whom(payload), &get_event, NULL, SN_FOREVER, NULL);
    tell("%s", m->event->name);
    tell(" %s", flow_any()->event->name);
}

static const struct sn_process among = {
    .name = "Among", .run = call_among_others, .birth = &whom_event};

static void run_among(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&server, NULL);
    (void)sn_spawn(&among, &to);
}

static void a_call_leaves_other_messages_alone(void **unused)
{
    struct sn_test test = flow_test(run_among);

    (void)unused;

    assert_string_equal(flow_stories(&test), "Value a");
}

/* ---- Supervisors ---------------------------------------------------------------------------- */

/* Children tell when they start, and end when they are told to. */
static void be_child(const void *payload)
{
    char name[2] = {(char)('0' + *(const uint64_t *)payload), '\0'};
    const struct sn_message *m;

    tell("%s", name);
    (void)sn_register(name, sn_self());
    m = flow_any();
    if (m->event == &b_event)
        sn_exit("bad");
}

static const struct sn_process child = {
    .name = "Child", .run = be_child, .birth = &number_event, .may_wait = true};
static const uint64_t one = 1;
static const uint64_t two = 2;
static const uint64_t three = 3;

static const struct sn_child three_children[] = {{&child, &one, SN_PERMANENT},
                                                 {&child, &two, SN_PERMANENT},
                                                 {&child, &three, SN_PERMANENT},
                                                 {0}};

static const struct sn_supervisor for_one = {
    .name = "ForOne", .children = three_children, .how = SN_ONE_FOR_ONE, .max_restarts = 1};
static const struct sn_supervisor for_all = {
    .name = "ForAll", .children = three_children, .how = SN_ONE_FOR_ALL, .max_restarts = 1};
static const struct sn_supervisor rest = {
    .name = "Rest", .children = three_children, .how = SN_REST_FOR_ONE, .max_restarts = 1};

/* Ends the second child, and then the first, each with a reason. */
static void end_two(const void *payload)
{
    sn_ref ref = sn_monitor_process(flow_whom(payload));
    const struct sn_message *m;

    (void)ref;
    sn_sleep_ns(1);
    tell("!");
    sn_send_name("2", &b_event, NULL);
    sn_sleep_ns(1);
    tell("!");
    sn_send_name("1", &b_event, NULL);
    m = sn_receive_event(&sn_down, SECOND);
    tell("%s", m != NULL ? ((const struct sn_down_signal *)m->payload)->reason : "-");
    tell("%d%d%d", sn_whereis("1") != 0, sn_whereis("2") != 0, sn_whereis("3") != 0);
}

static const struct sn_process ender = {.name = "Ender", .run = end_two, .birth = &whom_event};

static void run_supervisor(const struct sn_supervisor *supervisor)
{
    sn_id id;

    story_begin();
    id = sn_supervise(supervisor);
    (void)sn_spawn(&ender, &id);
}

static void run_for_one(void)
{
    run_supervisor(&for_one);
}

static void run_for_all(void)
{
    run_supervisor(&for_all);
}

static void run_rest(void)
{
    run_supervisor(&rest);
}

/* By the default schedule: what is asked is what a supervisor does, not when. */
static const char *by_default(void (*run)(void))
{
    struct sn_test test = flow_test(run);
    struct sn_result r =
        stories_run(&test, (struct sn_options){.strategy = "delay:0", .iterations = 1});

    assert_string_equal(r.failure, "");
    return stories_all();
}

/* What is told in any of many schedules, each once, in any order. */
static const char *by_chance(void (*run)(void))
{
    struct sn_test test = flow_test(run);
    struct sn_result r =
        stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 3000});

    assert_string_equal(r.failure, "");
    return stories_all();
}

/* Three children in any order, and again those that are started again, of which there are n. */
static const char *any_order(const char *const *again, uint32_t n)
{
    static const char *const three_of[] = {"123", "132", "213", "231", "312", "321"};
    static char all[1024];
    size_t used = 0;

    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t k = 0; k < n; k++)
            used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s!%s!shutdown000",
                                     used > 0 ? " | " : "", three_of[i], again[k]);
    }
    return all;
}

static void in_every_schedule_a_supervisor_starts_the_same_ones_again(void **unused)
{
    static const char *const three_of[] = {"123", "132", "213", "231", "312", "321"};
    static const char *const two_of[] = {"23", "32"};

    (void)unused;

    assert_string_equal(by_chance(run_for_one), any_order((const char *const[]){"2"}, 1));
    assert_string_equal(by_chance(run_for_all), any_order(three_of, 6));
    assert_string_equal(by_chance(run_rest), any_order(two_of, 2));
}

static void what_has_ended_is_started_again_as_often_as_is_allowed(void **unused)
{
    (void)unused;

    assert_string_equal(by_default(run_for_one), "123!2!shutdown000");
}

static void all_are_ended_and_started_again_in_order(void **unused)
{
    (void)unused;

    assert_string_equal(by_default(run_for_all), "123!123!shutdown000");
}

static void those_that_were_started_after_it_are_started_again_too(void **unused)
{
    (void)unused;

    assert_string_equal(by_default(run_rest), "123!23!shutdown000");
}

static const struct sn_supervisor patient = {.name = "Patient",
                                             .children = three_children,
                                             .how = SN_ONE_FOR_ONE,
                                             .max_restarts = 1,
                                             .within_ns = 0};
static const struct sn_supervisor forgetful = {.name = "Forgetful",
                                               .children = three_children,
                                               .how = SN_ONE_FOR_ONE,
                                               .max_restarts = 1,
                                               .within_ns = SECOND};

/* Ends the second child every two seconds. */
static void end_slowly(const void *payload)
{
    (void)payload;
    for (int i = 0; i < 3; i++) {
        sn_sleep_ns(2 * SECOND);
        sn_send_name("2", &b_event, NULL);
    }
    sn_sleep_ns(2 * SECOND);
    tell("%d", sn_whereis("2") != 0);
}

static const struct sn_process slow_ender = {.name = "SlowEnder", .run = end_slowly};

static void run_patient(void)
{
    story_begin();
    (void)sn_supervise(&patient);
    (void)sn_spawn(&slow_ender, NULL);
}

static void run_forgetful(void)
{
    story_begin();
    (void)sn_supervise(&forgetful);
    (void)sn_spawn(&slow_ender, NULL);
}

static void restarts_count_within_a_time_only(void **unused)
{
    (void)unused;

    assert_string_equal(by_default(run_patient), "12320");
    assert_string_equal(by_default(run_forgetful), "1232221");
}

static const struct sn_child mixed[] = {{&child, &one, SN_TEMPORARY},
                                        {&child, &two, SN_TRANSIENT},
                                        {&child, &three, SN_PERMANENT},
                                        {0}};
static const struct sn_supervisor mixing = {
    .name = "Mixing", .children = mixed, .how = SN_ONE_FOR_ONE, .max_restarts = 9};

/* Each ends normally first, then abnormally. */
static void end_each(const void *payload)
{
    static const char *const names[] = {"1", "2", "3"};

    (void)payload;
    for (int i = 0; i < 3; i++) {
        sn_sleep_ns(1);
        tell("!");
        sn_send_name(names[i], &b_event, NULL);
        sn_sleep_ns(1);
        sn_send_name(names[i], &a_event, NULL);
    }
    sn_sleep_ns(1);
}

static const struct sn_process each_ender = {.name = "EachEnder", .run = end_each};

static void run_mixing(void)
{
    story_begin();
    (void)sn_supervise(&mixing);
    (void)sn_spawn(&each_ender, NULL);
}

static void the_kind_of_a_child_says_whether_it_is_started_again(void **unused)
{
    (void)unused;

    assert_string_equal(by_default(run_mixing), "123!!2!33");
}

static void hang_on(const void *payload)
{
    (void)payload;
    (void)sn_trap_exit(true);
    tell("h");
    for (;;)
        (void)flow_any();
}

static const struct sn_process stubborn = {.name = "Stubborn", .run = hang_on, .may_wait = true};
static const struct sn_child stubborn_child[] = {{&stubborn, NULL, SN_PERMANENT}, {0}};
static const struct sn_supervisor firm = {
    .name = "Firm", .children = stubborn_child, .how = SN_ONE_FOR_ONE};

static void shut_down(const void *payload)
{
    (void)payload;
    sn_ref ref;
    sn_id id;

    (void)sn_trap_exit(true);
    id = sn_supervise(&firm);
    ref = sn_monitor_process(id);
    (void)ref;
    sn_sleep_ns(1);
    sn_kill(id, SN_SHUTDOWN);
    tell("%s",
         ((const struct sn_down_signal *)sn_receive_event(&sn_down, SN_FOREVER)->payload)->reason);
    tell(
        "%s",
        ((const struct sn_exit_signal *)sn_receive_event(&sn_exited, SN_FOREVER)->payload)->reason);
    tell("%llu", (unsigned long long)(sn_now_ns() / SECOND));
}

static const struct sn_process boss = {.name = "Boss", .run = shut_down};

static void run_firm(void)
{
    story_begin();
    (void)sn_spawn(&boss, NULL);
}

static void a_supervisor_that_is_told_to_end_ends_its_children_by_force_if_need_be(void **unused)
{
    struct sn_test test = flow_test(run_firm);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "hshutdownshutdown1");
}

/* ---- Code that is not under control --------------------------------------------------------- */

static uint64_t twice(void *argument)
{
    return 2 * *(uint64_t *)argument;
}

static void compute(const void *payload)
{
    uint64_t n = *(const uint64_t *)payload;

    tell("%llu", (unsigned long long)sn_foreign("twice", twice, &n));
}

static const struct sn_process computer = {
    .name = "Computer", .run = compute, .birth = &number_event};

static void run_foreign(void)
{
    story_begin();
    (void)sn_spawn(&computer, &(uint64_t){4});
    (void)sn_spawn(&computer, &(uint64_t){4});
}

static void foreign_code_is_one_step_that_conflicts_with_nothing(void **unused)
{
    struct sn_test test = flow_test(run_foreign);
    struct sn_result r;

    (void)unused;

    r = stories_of(&test);
    assert_string_equal(stories_all(), "88");
    assert_int_equal(r.distinct_orders, 1);
    assert_int_equal(r.steps / r.trials, 6);
}

static uint64_t send_in_foreign(void *argument)
{
    sn_send(*(sn_id *)argument, &a_event, NULL);
    return 0;
}

static void misuse(const void *payload)
{
    sn_id self = sn_self();

    (void)payload;
    (void)sn_foreign("misuse", send_in_foreign, &self);
}

static const struct sn_process misuser = {.name = "Misuser", .run = misuse};

static void run_misuse(void)
{
    (void)sn_spawn(&misuser, NULL);
}

static void foreign_code_must_not_call_the_library(void **unused)
{
    struct sn_test test = flow_test(run_misuse);

    (void)unused;

    assert_string_equal(flow_failure(&test),
                        "usage: code that Misuser calls by sn_foreign calls sn_send");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_answered_and_leaves_nothing_behind),
        cmocka_unit_test(a_late_answer_never_reaches_the_mailbox),
        cmocka_unit_test(an_answer_at_the_moment_of_the_timeout_is_taken_or_dropped),
        cmocka_unit_test(a_second_answer_is_dropped),
        cmocka_unit_test(a_call_to_one_that_ends_or_has_ended_is_down),
        cmocka_unit_test(an_answer_of_another_comes_before_or_after_the_end_of_the_server),
        cmocka_unit_test(a_call_by_name_finds_whoever_has_it),
        cmocka_unit_test(a_call_by_name_looks_for_it_when_the_operation_runs),
        cmocka_unit_test(a_call_leaves_other_messages_alone),
        cmocka_unit_test(in_every_schedule_a_supervisor_starts_the_same_ones_again),
        cmocka_unit_test(what_has_ended_is_started_again_as_often_as_is_allowed),
        cmocka_unit_test(all_are_ended_and_started_again_in_order),
        cmocka_unit_test(those_that_were_started_after_it_are_started_again_too),
        cmocka_unit_test(restarts_count_within_a_time_only),
        cmocka_unit_test(the_kind_of_a_child_says_whether_it_is_started_again),
        cmocka_unit_test(a_supervisor_that_is_told_to_end_ends_its_children_by_force_if_need_be),
        cmocka_unit_test(foreign_code_is_one_step_that_conflicts_with_nothing),
        cmocka_unit_test(foreign_code_must_not_call_the_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
