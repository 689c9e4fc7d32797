/* test_supervisors.c - which children a supervisor starts again and which not, in which order they
 * are ended, and what ends the supervisor itself. SPDX-License-Identifier: MIT
 */
#include "doing.h"

/* A child tells its name at its birth, and again when it is told to end, if it traps. */
static void be_child(const void *payload)
{
    const struct sn_message *m;
    char name[8];

    (void)snprintf(name, sizeof(name), "%llu", (unsigned long long)*(const uint64_t *)payload);
    tell("%s", name);
    (void)sn_register(name, sn_self());
    m = sn_receive_event(&a_event, SN_FOREVER);
    (void)m;
    sn_exit("bad");
}

static void be_trapping_child(const void *payload)
{
    const struct sn_message *m;

    tell("%llu", (unsigned long long)*(const uint64_t *)payload);
    (void)sn_trap_exit(true);
    m = flow_any();
    tell("-%llu", (unsigned long long)*(const uint64_t *)payload);
    sn_exit(word_of(m));
}

static const struct sn_process child = {
    .name = "Child", .run = be_child, .birth = &number_event, .may_wait = true};
static const struct sn_process trapping = {
    .name = "Trapping", .run = be_trapping_child, .birth = &number_event, .may_wait = true};
static const uint64_t one = 1;
static const uint64_t two = 2;
static const uint64_t three = 3;

/* What is asked is what a supervisor does, not when. */
static const char *by_default(doing *run)
{
    struct sn_test test = flow_test(run);
    struct sn_result r =
        stories_run(&test, (struct sn_options){.strategy = "delay:0", .iterations = 1});

    assert_string_equal(r.failure, "");
    return stories_all();
}

/* Ends the one that has a name, with a reason. */
static void end_named(const char *name, const char *reason)
{
    sn_id id = sn_whereis(name);

    if (id != SN_NOBODY)
        sn_kill(id, reason);
    sn_sleep_ns(1);
}

/* ---- How often ------------------------------------------------------------------------------- */

static const struct sn_child single[] = {{&child, &one, SN_PERMANENT}, {0}};
static const struct sn_supervisor strict = {
    .name = "Strict", .children = single, .max_restarts = 1, .within_ns = 1000};

static void end_at_the_last_moment(void)
{
    sn_sleep_ns(1);
    sn_send_name("1", &a_event, NULL);
    sn_sleep_ns(1000);
    sn_send_name("1", &a_event, NULL);
    sn_sleep_ns(1);
    tell("%d", sn_whereis("1") != SN_NOBODY);
}

static void end_after_the_last_moment(void)
{
    sn_sleep_ns(1);
    sn_send_name("1", &a_event, NULL);
    sn_sleep_ns(1001);
    sn_send_name("1", &a_event, NULL);
    sn_sleep_ns(1);
    tell("%d", sn_whereis("1") != SN_NOBODY);
}

static void run_last_moment(void)
{
    story_begin();
    (void)sn_supervise(&strict);
    (void)let(SN_NO_NODE, end_at_the_last_moment);
}

static void run_after_moment(void)
{
    story_begin();
    (void)sn_supervise(&strict);
    (void)let(SN_NO_NODE, end_after_the_last_moment);
}

static void a_restart_counts_until_the_time_is_over_and_then_no_more(void **unused)
{
    (void)unused;

    assert_string_equal(by_default(run_last_moment), "110");
    assert_string_equal(by_default(run_after_moment), "1111");
}

/* ---- Who is started again -------------------------------------------------------------------- */

static const struct sn_child mixed[] = {{&child, &one, SN_TEMPORARY},
                                        {&child, &two, SN_TRANSIENT},
                                        {&child, &three, SN_PERMANENT},
                                        {0}};
static const struct sn_supervisor alone = {
    .name = "Alone", .children = mixed, .how = SN_ONE_FOR_ONE, .max_restarts = 9};
static const struct sn_supervisor all = {
    .name = "All", .children = mixed, .how = SN_ONE_FOR_ALL, .max_restarts = 9};
static const struct sn_supervisor rest = {
    .name = "Rest", .children = mixed, .how = SN_REST_FOR_ONE, .max_restarts = 9};

static void shut_down_transient(void)
{
    sn_sleep_ns(1);
    tell("!");
    end_named("2", SN_SHUTDOWN);
    tell("!");
    end_named("3", SN_SHUTDOWN);
}

static void end_permanent(void)
{
    sn_sleep_ns(1);
    tell("!");
    end_named("3", "bad");
    tell("!");
    end_named("3", "bad");
}

static void run_alone(void)
{
    story_begin();
    (void)sn_supervise(&alone);
    (void)let(SN_NO_NODE, shut_down_transient);
}

static void run_all(void)
{
    story_begin();
    (void)sn_supervise(&all);
    (void)let(SN_NO_NODE, end_permanent);
}

static void run_all_without_transient(void)
{
    story_begin();
    (void)sn_supervise(&all);
    (void)let(SN_NO_NODE, shut_down_transient);
}

static void run_rest_without_transient(void)
{
    story_begin();
    (void)sn_supervise(&rest);
    (void)let(SN_NO_NODE, shut_down_transient);
}

static void a_transient_child_that_was_shut_down_is_not_started_again(void **unused)
{
    (void)unused;

    assert_string_equal(by_default(run_alone), "123!!3");
}

static void a_temporary_child_is_not_started_again_with_others_either(void **unused)
{
    (void)unused;

    assert_string_equal(by_default(run_all), "123!23!23");
}

static void a_transient_child_that_has_ended_is_not_started_again_with_others(void **unused)
{
    (void)unused;

    assert_string_equal(by_default(run_all_without_transient), "123!!3");
    assert_string_equal(by_default(run_rest_without_transient), "123!!3");
}

/* ---- Ends ------------------------------------------------------------------------------------ */

static const struct sn_child trappers[] = {{&trapping, &one, SN_PERMANENT},
                                           {&trapping, &two, SN_PERMANENT},
                                           {&trapping, &three, SN_PERMANENT},
                                           {0}};
static const struct sn_supervisor orderly = {.name = "Orderly", .children = trappers};

static void supervise_and_end(void)
{
    (void)sn_supervise(&orderly);
    sn_sleep_ns(1);
    sn_exit("over");
}

static void run_end(void)
{
    story_begin();
    (void)let(SN_NO_NODE, supervise_and_end);
}

static void children_are_ended_from_the_last_to_the_first(void **unused)
{
    (void)unused;

    assert_string_equal(by_default(run_end), "123-3-2-1");
}

static const struct sn_child waiting[] = {{&child, &one, SN_PERMANENT}, {0}};
static const struct sn_supervisor loyal = {.name = "Loyal", .children = waiting, .max_restarts = 1};

static void supervise_and_return(void)
{
    sn_assert(sn_register("parent", sn_self()));
    sn_send_name("observer", &whom_event, &(sn_id){sn_supervise(&loyal)});
}

static void observe(void)
{
    sn_id id;

    sn_assert(sn_register("observer", sn_self()));
    (void)let(SN_NO_NODE, supervise_and_return);
    id = flow_whom(sn_receive_event(&whom_event, SN_FOREVER)->payload);
    (void)sn_monitor_process(id);
    tell("%s", word_of(sn_receive_event(&sn_down, SECOND)));
}

static void run_parent(void)
{
    story_begin();
    (void)let(SN_NO_NODE, observe);
}

/* Also if that comes before the supervisor has taken its first step. */
static void a_supervisor_ends_with_its_parent_even_if_that_ends_normally(void **unused)
{
    struct sn_test test = flow_test(run_parent);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 1000});
    assert_string_equal(r.failure, "");
    assert_non_null(strstr(stories_all(), "normal"));
    assert_null(strstr(stories_all(), "-"));
}

/* ---- Many of them ---------------------------------------------------------------------------- */

static const struct sn_child none[] = {{0}};
static const struct sn_supervisor empty = {.name = "Empty", .children = none};

static void supervise_often(void)
{
    for (int i = 0; i < 300; i++)
        (void)sn_supervise(&empty);
}

static void run_often(void)
{
    story_begin();
    (void)let(SN_NO_NODE, supervise_often);
}

/* In all trials together there are more of them than there can be types of processes. */
static void supervisors_of_many_trials_are_of_one_type(void **unused)
{
    struct sn_test test = flow_test(run_often);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 20});
    assert_string_equal(r.failure, "");
    assert_false(r.nondeterministic);
    assert_int_equal(r.trials, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_counts_until_the_time_is_over_and_then_no_more),
        cmocka_unit_test(a_transient_child_that_was_shut_down_is_not_started_again),
        cmocka_unit_test(a_temporary_child_is_not_started_again_with_others_either),
        cmocka_unit_test(a_transient_child_that_has_ended_is_not_started_again_with_others),
        cmocka_unit_test(children_are_ended_from_the_last_to_the_first),
        cmocka_unit_test(a_supervisor_ends_with_its_parent_even_if_that_ends_normally),
        cmocka_unit_test(supervisors_of_many_trials_are_of_one_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
