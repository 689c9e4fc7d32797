/* test_optimal.c - which search odpor chooses, and what the receive-revisit search refuses.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const struct sn_event note = {.name = "Note", .size = sizeof(int)};
static const struct sn_event wake = {.name = "Wake"};

static struct sn_result result;

static void run_with(const struct sn_test *test, const char *strategy)
{
    const struct sn_options options = {.strategy = strategy, .iterations = 100000};

    memset(&result, 0, sizeof(result));
    assert_true(sn_run(test, &options, &result) >= 0);
}

/* ---- Machines ------------------------------------------------------------------------------- */

static void send_note(void *self, const void *payload)
{
    int me = (int)sn_self();

    (void)self;
    (void)payload;
    sn_send(1, &note, &me);
}

static const struct sn_machine sender = {
    .name = "Sender",
    .start = &(const struct sn_state){.name = "Sending", .entry = send_note},
};

static void do_nothing(void *self, const void *payload)
{
    (void)self;
    (void)payload;
}

/* Three senders and who receives. */
static void create_with_senders(const struct sn_machine *receiver)
{
    (void)sn_create(receiver, NULL);
    for (int i = 0; i < 3; i++)
        (void)sn_create(&sender, NULL);
}

static const struct sn_machine plain = {
    .name = "Plain",
    .start =
        &(const struct sn_state){
            .name = "Receiving",
            .on = (const struct sn_on[]){{.event = &note, .run = do_nothing}, {0}},
        },
};

static void run_plain(void)
{
    create_with_senders(&plain);
}

static const struct sn_test plain_test = {
    .name = "plain", .run = run_plain, .world = SN_WORLD_TRIAL};

/* ---- What is refused ------------------------------------------------------------------------ */

static void assert_refused(const struct sn_test *test, const char *words)
{
    run_with(test, "odpor:revisit");
    assert_int_equal(result.verdict, SN_UNCONTROLLED);
    assert_non_null(strstr(result.failure, "odpor:revisit cannot search"));
    assert_non_null(strstr(result.failure, words));
    assert_non_null(strstr(result.failure, "odpor:trees can"));
    assert_false(result.exhausted);
}

/* The same test by either search. */
static void assert_left_to_trees(const struct sn_test *test)
{
    uint64_t trials;

    run_with(test, "odpor:trees");
    assert_true(result.exhausted);
    trials = result.trials;
    run_with(test, "odpor");
    assert_true(result.exhausted);
    assert_int_equal(result.blocked, 0);
    assert_int_equal(result.trials, trials);
    assert_int_equal(result.distinct_orders, trials);
}

static void draw(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_choose("value", 2);
}

static const struct sn_machine drawer = {
    .name = "Drawer",
    .start =
        &(const struct sn_state){
            .name = "Receiving",
            .on = (const struct sn_on[]){{.event = &note, .run = draw}, {0}},
        },
};

static void run_drawer(void)
{
    create_with_senders(&drawer);
}

static void values_are_left_to_trees(void **state)
{
    const struct sn_test test = {.name = "draws", .run = run_drawer, .world = SN_WORLD_TRIAL};

    (void)state;
    assert_refused(&test, "tests that draw values");
    assert_left_to_trees(&test);
}

static void run_drawing(void)
{
    (void)sn_choose("size", 2);
    create_with_senders(&plain);
}

static void values_of_the_set_up_are_left_to_trees(void **state)
{
    const struct sn_test test = {.name = "sizes", .run = run_drawing, .world = SN_WORLD_TRIAL};

    (void)state;
    assert_refused(&test, "tests that draw values");
    run_with(&test, "odpor");
    assert_true(result.exhausted);
    assert_int_equal(result.trials, 12);
}

static const struct sn_machine counting = {
    .name = "Counting",
    .start =
        &(const struct sn_state){
            .name = "Any",
            .on = (const struct sn_on[]){{.event = &note, .run = do_nothing}, {0}},
        },
};

static void tell_monitor(void *self, const void *payload)
{
    (void)self;
    sn_monitor(&counting, &note, payload);
}

static const struct sn_machine telling = {
    .name = "Telling",
    .start =
        &(const struct sn_state){
            .name = "Receiving",
            .on = (const struct sn_on[]){{.event = &note, .run = tell_monitor}, {0}},
        },
};

static void run_telling(void)
{
    create_with_senders(&telling);
}

static void monitors_are_left_to_trees(void **state)
{
    const struct sn_test test = {.name = "monitors",
                                 .run = run_telling,
                                 .world = SN_WORLD_TRIAL,
                                 .monitors = (const struct sn_machine *const[]){&counting, NULL}};

    (void)state;
    assert_refused(&test, "a monitor");
    assert_left_to_trees(&test);
}

static const struct sn_state open_state = {
    .name = "Open",
    .on = (const struct sn_on[]){{.event = &note, .run = do_nothing}, {0}},
};

static const struct sn_machine deferring = {
    .name = "Deferring",
    .start =
        &(const struct sn_state){
            .name = "Closed",
            .on = (const struct sn_on[]){{.event = &note, .defer = true},
                                         {.event = &wake, .go_to = &open_state},
                                         {0}},
        },
};

static void run_deferring(void)
{
    create_with_senders(&deferring);
    sn_send(1, &wake, NULL);
}

static void deferred_events_are_left_to_trees(void **state)
{
    const struct sn_test test = {.name = "defers", .run = run_deferring, .world = SN_WORLD_TRIAL};

    (void)state;
    assert_refused(&test, "machines that defer events");
    assert_left_to_trees(&test);
}

static void start_timer(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start(&wake, 1000, NULL);
}

static const struct sn_machine waiting = {
    .name = "Waiting",
    .start =
        &(const struct sn_state){
            .name = "Waiting",
            .entry = start_timer,
            .on = (const struct sn_on[]){{.event = &note, .run = do_nothing},
                                         {.event = &wake, .run = do_nothing},
                                         {0}},
        },
};

static void run_waiting(void)
{
    create_with_senders(&waiting);
}

static void deadlines_are_left_to_trees(void **state)
{
    const struct sn_test test = {
        .name = "waits", .run = run_waiting, .world = SN_WORLD_TRIAL, .timers = SN_TIMERS_IDEAL};

    (void)state;
    assert_refused(&test, "timers that wait until virtual time has come to their deadlines");
    assert_left_to_trees(&test);
}

static void run_waiting_alone(void)
{
    (void)sn_create(&waiting, NULL);
}

static void a_deadline_is_refused_by_name_even_if_nothing_else_is_pending(void **state)
{
    const struct sn_test test = {.name = "alone",
                                 .run = run_waiting_alone,
                                 .world = SN_WORLD_TRIAL,
                                 .timers = SN_TIMERS_IDEAL};

    (void)state;
    assert_refused(&test, "timers that wait until virtual time has come to their deadlines");
}

static void common_inboxes_are_left_to_trees(void **state)
{
    struct sn_test test = plain_test;

    (void)state;
    test.links = SN_INBOX;
    assert_refused(&test, "a common inbox");
    assert_left_to_trees(&test);
}

static void nap(void *self, const void *payload)
{
    const struct timespec moment = {.tv_nsec = 1000};

    (void)self;
    (void)payload;
    (void)nanosleep(&moment, NULL);
}

static const struct sn_machine napping = {
    .name = "Napping",
    .start =
        &(const struct sn_state){
            .name = "Receiving",
            .on = (const struct sn_on[]){{.event = &note, .run = nap}, {0}},
        },
};

static void run_napping(void)
{
    create_with_senders(&napping);
}

static void sleeps_are_left_to_trees(void **state)
{
    const struct sn_test test = {.name = "naps", .run = run_napping, .world = SN_WORLD_TRIAL};

    (void)state;
    assert_refused(&test, "steps that sleep");
    run_with(&test, "odpor");
    assert_true(result.exhausted);
}

static void run_on_node(void)
{
    (void)sn_create_on(sn_node_new("n"), &plain, NULL);
    (void)sn_create(&sender, NULL);
}

static void faults_are_left_to_trees(void **state)
{
    const struct sn_faults faults = {.crashes = 1, .horizon = 3};
    const struct sn_test test = {
        .name = "faults", .run = run_on_node, .world = SN_WORLD_TRIAL, .faults = &faults};

    (void)state;
    assert_refused(&test, "cannot search faults");
}

/* ---- What shows late ------------------------------------------------------------------------ */

/* Draws only if the first of the senders comes first, which it does in the last trials. */
static void draw_seldom(void *self, const void *payload)
{
    int *n = self;

    if ((*n)++ == 0 && *(const int *)payload == 2)
        (void)sn_choose("value", 3);
}

static const struct sn_machine seldom = {
    .name = "Seldom",
    .size = sizeof(int),
    .start =
        &(const struct sn_state){
            .name = "Receiving",
            .on = (const struct sn_on[]){{.event = &note, .run = draw_seldom}, {0}},
        },
};

static void run_seldom(void)
{
    create_with_senders(&seldom);
}

static const struct sn_test seldom_test = {
    .name = "seldom", .run = run_seldom, .world = SN_WORLD_TRIAL};

static void count(void *self, const struct sn_trial_view *trial)
{
    uint64_t *n = self;

    (void)trial;
    (*n)++;
}

static void what_shows_late_is_noticed_late(void **state)
{
    uint64_t n = 0;
    const struct sn_options options = {
        .strategy = "odpor:revisit", .iterations = 1000, .watch = count, .watch_self = &n};

    (void)state;
    memset(&result, 0, sizeof(result));
    assert_true(sn_run(&seldom_test, &options, &result) >= 0);
    assert_int_equal(result.verdict, SN_UNCONTROLLED);
    assert_true(n > 1);
}

/* Four orders in which nothing is drawn, and two with three values each. */
static void trials_before_the_trees_took_over_are_not_told_of_again(void **state)
{
    (void)state;
    run_with(&seldom_test, "odpor");
    assert_true(result.exhausted);
    assert_int_equal(result.trials, 10);
    assert_int_equal(result.distinct_orders, 10);
}

static void the_choice_is_the_same_with_a_process_per_trial(void **state)
{
    struct sn_test test = seldom_test;

    (void)state;
    test.world = SN_WORLD_FORK;
    run_with(&test, "odpor");
    assert_true(result.exhausted);
    assert_int_equal(result.trials, 10);
}

/* ---- Claims --------------------------------------------------------------------------------- */

static void fail_at_first(void *self, const void *payload)
{
    int *n = self;

    sn_assert((*n)++ > 0 || *(const int *)payload != 2);
}

static const struct sn_machine failing = {
    .name = "Failing",
    .size = sizeof(int),
    .start =
        &(const struct sn_state){
            .name = "Receiving",
            .on = (const struct sn_on[]){{.event = &note, .run = fail_at_first}, {0}},
        },
};

static void run_failing(void)
{
    create_with_senders(&failing);
}

static void nothing_is_claimed_if_a_step_has_failed(void **state)
{
    const struct sn_test test = {.name = "fails", .run = run_failing, .world = SN_WORLD_TRIAL};
    const struct sn_options options = {
        .strategy = "odpor:revisit", .iterations = 1000, .keep_going = true};

    (void)state;
    memset(&result, 0, sizeof(result));
    assert_true(sn_run(&test, &options, &result) >= 0);
    assert_true(result.failures > 0);
    assert_false(result.exhausted);
}

static void both_searches_can_be_asked_for(void **state)
{
    (void)state;
    run_with(&plain_test, "odpor:revisit");
    assert_true(result.exhausted);
    assert_int_equal(result.trials, 6);
    run_with(&plain_test, "odpor:trees");
    assert_true(result.exhausted);
    assert_int_equal(result.trials, 6);
}

static void other_parameters_are_refused(void **state)
{
    const struct sn_options options = {.strategy = "odpor:forest"};

    (void)state;
    memset(&result, 0, sizeof(result));
    assert_true(sn_run(&plain_test, &options, &result) < 0);
    assert_non_null(strstr(result.failure, "causal or trees:causal, not forest"));
}

static void the_receive_revisit_search_must_come_first(void **state)
{
    const struct sn_options options = {.strategy = "random@3,odpor:revisit"};

    (void)state;
    memset(&result, 0, sizeof(result));
    assert_int_equal(sn_run(&plain_test, &options, &result), SN_EINVAL);
    assert_non_null(strstr(result.failure, "must be the first of a composition"));
    assert_non_null(strstr(result.failure, "odpor:trees does"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_left_to_trees),
        cmocka_unit_test(values_of_the_set_up_are_left_to_trees),
        cmocka_unit_test(monitors_are_left_to_trees),
        cmocka_unit_test(deferred_events_are_left_to_trees),
        cmocka_unit_test(deadlines_are_left_to_trees),
        cmocka_unit_test(a_deadline_is_refused_by_name_even_if_nothing_else_is_pending),
        cmocka_unit_test(common_inboxes_are_left_to_trees),
        cmocka_unit_test(sleeps_are_left_to_trees),
        cmocka_unit_test(faults_are_left_to_trees),
        cmocka_unit_test(what_shows_late_is_noticed_late),
        cmocka_unit_test(trials_before_the_trees_took_over_are_not_told_of_again),
        cmocka_unit_test(the_choice_is_the_same_with_a_process_per_trial),
        cmocka_unit_test(nothing_is_claimed_if_a_step_has_failed),
        cmocka_unit_test(both_searches_can_be_asked_for),
        cmocka_unit_test(other_parameters_are_refused),
        cmocka_unit_test(the_receive_revisit_search_must_come_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
