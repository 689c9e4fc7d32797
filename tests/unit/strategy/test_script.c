/* test_script.c - tests of script.c and oldest.c: trials go as a text says.
 *
 * Two clients, the second of which is called Bob, each say Ping twice to a server, which answers;
 * a clock has two timers; the test itself says Hello to the server. What happens is observed in its
 * order. SPDX-License-Identifier: MIT
 */
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct sn_event ping = {.name = "Ping"};
static const struct sn_event pong = {.name = "Pong"};
static const struct sn_event hello = {.name = "Hello"};
static const struct sn_event tick = {.name = "Tick"};

/* ---- The code under test -------------------------------------------------------------------- */

static void on_ping(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("ping-%s ", sn_name(sn_sender()));
    sn_send(sn_sender(), &pong, NULL);
}

static void on_hello(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("hello-%s ", sn_name(sn_sender()));
}

static const struct sn_state serving = {
    .name = "Serving",
    .on = (const struct sn_on[]){{.event = &ping, .run = on_ping},
                                 {.event = &hello, .run = on_hello},
                                 {0}},
};
static const struct sn_machine server = {.name = "Server", .start = &serving};

struct client {
    sn_id server;
};

static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct client)};

static void start_client(void *self, const void *payload)
{
    (void)self;
    observe("start-%s ", sn_name(sn_self()));
    sn_send(((const struct client *)payload)->server, &ping, NULL);
    sn_send(((const struct client *)payload)->server, &ping, NULL);
}

static void on_pong(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("pong-%s", sn_name(sn_self()));
    for (uint64_t n = sn_choose("coin", 3); n > 0; n--)
        observe("+");
    observe(" ");
}

static const struct sn_state asking = {
    .name = "Asking",
    .entry = start_client,
    .on = (const struct sn_on[]){{.event = &pong, .run = on_pong}, {0}},
};
static const struct sn_machine client = {
    .name = "Client", .size = sizeof(struct client), .start = &asking, .birth = &birth};

static void start_clock(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_timer_start_any(&tick, NULL);
    sn_timer_start_any(&tick, NULL);
}

static void on_tick(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("tick ");
}

static const struct sn_state ticking = {
    .name = "Ticking",
    .entry = start_clock,
    .on = (const struct sn_on[]){{.event = &tick, .run = on_tick}, {0}},
};
static const struct sn_machine clock_machine = {.name = "Clock", .start = &ticking};

static void talk(void)
{
    struct client to = {.server = sn_create(&server, NULL)};

    sn_create(&client, &to);
    sn_set_name(sn_create(&client, &to), "Bob");
    sn_create(&clock_machine, NULL);
    sn_send(to.server, &hello, NULL);
    if (sn_maybe("twice"))
        sn_send(to.server, &hello, NULL);
}

static const struct sn_test test = {.name = "talk", .run = talk, .world = SN_WORLD_TRIAL};

static void on_each_node(void)
{
    struct client to;

    to.server = sn_create_on(sn_node_new("left"), &server, NULL);
    sn_create_on(sn_node_new("right"), &client, &to);
}

/* What happens if nobody says otherwise. */
#define ORDINARY(bob_)                                                                             \
    "hello-nobody start-Client start-" bob_ " ping-Client ping-Client ping-" bob_ " ping-" bob_    \
    " tick tick pong-Client pong-Client pong-" bob_ " pong-" bob_ " "

/* ---- Running a script ----------------------------------------------------------------------- */

static char path[] = "/tmp/sennit-script-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    return close(mkstemp(path));
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* Runs a test with the strategy «script:FILE» and what follows. */
static struct sn_result run_on(const struct sn_test *on, const char *text, const char *rest,
                               struct sn_options options)
{
    char strategy[128];
    struct sn_result r;
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    (void)snprintf(strategy, sizeof(strategy), "script:%s%s", path, rest);
    options.strategy = strategy;
    observe_clear();
    assert_int_equal(sn_run(on, &options, &r), 0);
    return r;
}

static struct sn_result run(const char *text)
{
    return run_on(&test, text, "", (struct sn_options){0});
}

static void assert_lost(const struct sn_result *r, const char *line, const char *what)
{
    char expected[512];

    (void)snprintf(expected, sizeof(expected), "script: %s:%s%s", path, line, what);
    assert_int_equal(r->verdict, SN_UNCONTROLLED);
    assert_string_equal(r->failure, expected);
}

static void assert_begins(const char *text)
{
    seen->text[strlen(text)] = '\0';
    assert_string_equal(seen->text, text);
}

/* ---- What lines do -------------------------------------------------------------------------- */

static void an_empty_script_is_the_default_schedule(void **state)
{
    struct sn_result r;

    (void)state;
    r = run("");

    assert_int_equal(r.verdict, SN_PASSED);
    assert_string_equal(seen->text, ORDINARY("Bob"));
}

static void the_strategy_oldest_is_the_default_schedule(void **state)
{
    struct sn_options options = {.strategy = "oldest"};
    struct sn_result r;

    (void)state;
    observe_clear();
    assert_int_equal(sn_run(&test, &options, &r), 0);

    assert_string_equal(seen->text, ORDINARY("Client#2")); /* it needs no names */
    assert_int_equal(r.trials, 1);
}

static void operations_run_as_they_are_named(void **state)
{
    struct sn_result r;

    (void)state;
    r = run("start Bob\n"
            "start Server\n"
            "deliver Ping to Server from Bob\n"
            "deliver Pong to Bob from Server\n"
            "start Clock\n"
            "timer Tick of Clock\n"
            "deliver Hello to Server from nobody\n");

    assert_int_equal(r.verdict, SN_PASSED);
    assert_begins("start-Bob ping-Bob pong-Bob tick hello-nobody start-Client ");
}

static void a_script_that_says_everything_to_the_end_is_all_that_happens(void **state)
{
    struct sn_result r;

    (void)state;
    r = run("start Server\nstart Client\nstart Bob\nstart Clock\ndeliver Hello to Server\n"
            "deliver Ping to Server from Bob\ndeliver Ping to Server from Bob\n"
            "deliver Ping to Server from Client\ndeliver Ping to Server from Client\n"
            "deliver Pong to Bob\ndeliver Pong to Client\ndeliver Pong to Bob\n"
            "deliver Pong to Client\ntimer Tick of Clock\ntimer Tick of Clock\n");

    assert_int_equal(r.verdict, SN_PASSED);
    assert_int_equal(r.trials, 1);
    assert_string_equal(seen->text,
                        "start-Client start-Bob hello-nobody ping-Bob ping-Bob ping-Client "
                        "ping-Client pong-Bob pong-Client pong-Bob pong-Client tick tick ");
}

static void of_several_that_match_the_oldest_runs(void **state)
{
    (void)state;

    (void)run("start Server\nstart Bob\nstart Client\ndeliver Ping to Server\n");

    assert_begins("start-Bob start-Client ping-Bob ");
}

static void a_number_says_which_one_of_several(void **state)
{
    (void)state;

    (void)run("start Server\nstart Bob\nstart Client\ndeliver Ping to Server number 2\n");

    assert_begins("start-Bob start-Client ping-Client ");
}

static void a_number_beyond_those_that_match_is_not_done(void **state)
{
    struct sn_result r;

    (void)state;
    r = run("start Server\nstart Bob\nstart Client\ndeliver Ping to Server number 3\n");

    assert_lost(&r, "4",
                ": \"deliver Ping to Server number 3\" matches nothing; pending: "
                "deliver Hello to Server from nobody, start Clock, deliver Ping to Server "
                "from Bob, deliver Ping to Server from Client");
}

static void pick_goes_by_the_order_of_age(void **state)
{
    (void)state;

    (void)run("pick 3\npick 1\n");

    assert_begins("start-Bob hello-nobody start-Client ");
}

static void a_pick_beyond_what_is_pending_is_not_done(void **state)
{
    struct sn_result r;

    (void)state;
    r = run("pick 5\n");

    assert_lost(&r, "1",
                ": \"pick 5\" has no such number; pending: start Server, start Client, "
                "start Bob, start Clock");
}

static void any_is_so_many_steps_of_the_default_schedule(void **state)
{
    (void)state;

    (void)run("any 2\nstart Bob\ndeliver Ping to Server from Bob\n");

    assert_begins("hello-nobody start-Bob ping-Bob ");
}

static void until_an_operation_is_the_default_schedule_until_it_can_run(void **state)
{
    (void)state;

    (void)run("until deliver Pong to Client\ndeliver Ping to Server from Bob\n");

    assert_begins("hello-nobody start-Client start-Bob ping-Client pong-Client ping-Bob ");
}

static void until_a_step_is_the_default_schedule_up_to_it(void **state)
{
    (void)state;

    (void)run("until step 4\nuntil step 2\ndeliver Ping to Server from Bob\n");

    assert_begins("hello-nobody start-Client start-Bob ping-Bob ");
}

static void what_follows_end_is_not_done(void **state)
{
    struct sn_result r;

    (void)state;
    r = run("start Server\nend\ndeliver Nothing to Nobody\n");

    assert_int_equal(r.verdict, SN_PASSED);
    assert_string_equal(seen->text, ORDINARY("Bob"));
}

/* A machine is called what it is called when the line is done. */
static void on_pong_renamed(void *self, const void *payload)
{
    sn_set_name(sn_self(), "Married");
    on_pong(self, payload);
}

static const struct sn_state renaming = {
    .name = "Renaming",
    .entry = start_client,
    .on = (const struct sn_on[]){{.event = &pong, .run = on_pong_renamed}, {0}},
};
static const struct sn_machine renamed = {
    .name = "Single", .size = sizeof(struct client), .start = &renaming, .birth = &birth};

static void marry(void)
{
    struct client to = {.server = sn_create(&server, NULL)};

    sn_create(&renamed, &to);
}

static void names_are_those_of_the_moment(void **state)
{
    static const struct sn_test wedding = {
        .name = "wedding", .run = marry, .world = SN_WORLD_TRIAL};
    struct sn_result r;

    (void)state;
    r = run_on(&wedding, "any 4\ndeliver Pong to Single\ndeliver Pong to Married from Server\n", "",
               (struct sn_options){0});

    assert_string_equal(r.failure, "");
    assert_string_equal(seen->text, "start-Single ping-Single ping-Single pong-Married "
                                    "pong-Married ");
}

/* ---- Values --------------------------------------------------------------------------------- */

static void a_value_that_is_not_given_is_0(void **state)
{
    (void)state;

    (void)run("until deliver Pong to Bob\n");

    assert_non_null(strstr(seen->text, "pong-Bob "));
}

static void values_are_those_of_the_lines_after_the_step(void **state)
{
    (void)state;

    (void)run("until deliver Pong to Client\ndraw coin = 2\nuntil deliver Pong to Client\n");

    assert_non_null(strstr(seen->text, "pong-Client++ "));
    assert_non_null(strstr(seen->text, "pong-Client "));
}

static void values_of_the_setup_are_the_first_lines(void **state)
{
    (void)state;

    (void)run("draw twice = 1\n");

    assert_non_null(strstr(seen->text, "hello-nobody hello-nobody "));
}

static void a_value_waits_for_its_label(void **state)
{
    struct sn_result r;

    (void)state;
    r = run("draw coin = 1\n");

    assert_lost(&r, "1",
                ": \"draw coin = 1\" was not asked for in the step before; pending: start "
                "Server, start Client, start Bob, start Clock");
}

static void a_value_that_is_too_large_is_not_drawn(void **state)
{
    struct sn_result r;

    (void)state;
    r = run("until deliver Pong to Bob\ndraw coin = 3\n");

    assert_lost(&r, "2", ": coin must be below 3");
}

/* ---- What cannot be done -------------------------------------------------------------------- */

static void a_line_that_matches_nothing_ends_the_trial_and_says_what_was_pending(void **state)
{
    struct sn_result r;

    (void)state;
    r = run("start Client\n\ndeliver Ping to Server from Client\n");

    assert_lost(&r, "3",
                ": \"deliver Ping to Server from Client\" matches nothing; pending: start "
                "Server, start Bob, start Clock");
    assert_int_equal(r.failing_steps, 1);
}

static void a_line_that_is_not_reached_is_no_pass(void **state)
{
    struct sn_result r;

    (void)state;
    r = run("until deliver Ping to Bob\n");

    assert_lost(&r, "1",
                ": \"until deliver Ping to Bob\" was not reached: the trial ended after "
                "15 steps");
}

static void a_line_that_is_not_reached_before_the_limit_is_no_pass(void **state)
{
    struct sn_result r;

    (void)state;
    r = run_on(&test, "any 7\n", "", (struct sn_options){.max_steps = 5});

    assert_lost(&r, "1", ": \"any 7\" was not reached: the trial was cut after 5 steps");
}

static void a_script_that_cannot_be_read_is_an_error(void **state)
{
    struct sn_options options = {.strategy = "script:/nowhere"};
    struct sn_result r;

    (void)state;
    assert_int_equal(sn_run(&test, &options, &r), SN_EINVAL);

    assert_string_equal(r.failure, "strategy script: /nowhere: cannot be opened: No such file or "
                                   "directory");
}

static void a_script_needs_a_file(void **state)
{
    struct sn_options options = {.strategy = "script"};
    struct sn_result r;

    (void)state;
    assert_int_equal(sn_run(&test, &options, &r), SN_EINVAL);

    assert_string_equal(r.failure, "strategy script: give a file: script:FILE");
}

/* ---- Composition ---------------------------------------------------------------------------- */

static void the_next_strategy_takes_over_when_the_script_is_used_up(void **state)
{
    struct sn_result r;

    (void)state;
    r = run_on(&test, "start Bob\n", "@1000,random", (struct sn_options){.iterations = 50});

    assert_int_equal(r.verdict, SN_PASSED);
    assert_int_equal(r.trials, 50);
    assert_true(r.distinct_orders > 10);
}

/* dfs after a script sees what dfs sees of what the script leaves open, and no more. */
static void the_next_strategy_decides_everything_after_the_script(void **state)
{
    static const char all_but_three[] = "start Server\nstart Client\nstart Bob\nstart Clock\n"
                                        "deliver Hello to Server\n"
                                        "deliver Ping to Server from Bob\n"
                                        "deliver Ping to Server from Bob\n"
                                        "deliver Ping to Server from Client\n"
                                        "deliver Ping to Server from Client\n"
                                        "timer Tick of Clock\ntimer Tick of Clock\n"
                                        "deliver Pong to Bob\n";
    struct sn_result r;

    (void)state;
    r = run_on(&test, all_but_three, "@1000,random", (struct sn_options){.iterations = 2000});

    /* Bob's second Pong is anywhere among Client's two; each draws one of three values, and Bob's
     * first draws 0. Orders of different machines are equivalent. */
    assert_int_equal(r.distinct_orders, 27);
}

static void the_next_strategy_takes_over_at_its_step(void **state)
{
    struct sn_result r;

    (void)state;
    r = run_on(&test, "start Bob\ndeliver Nothing to Nobody\n", "@1,oldest",
               (struct sn_options){.iterations = 1});

    assert_int_equal(r.verdict, SN_PASSED);
    assert_begins("start-Bob hello-nobody start-Client ");
}

/* Always the operation that was announced last. */
static bool newest_begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    (void)keep;
    return trial == 0;
}

static uint32_t newest_pick(void *self, const struct sn_pending *pending)
{
    uint32_t best = 0;

    (void)self;
    for (uint32_t i = 1; i < sn_pending_count(pending); i++) {
        const struct sn_op *a = sn_pending_op(pending, i);
        const struct sn_op *b = sn_pending_op(pending, best);

        if (a->cause > b->cause || (a->cause == b->cause && a->source > b->source))
            best = i;
    }
    return best;
}

static const struct sn_strategy newest = {
    .name = "newest", .begin = newest_begin, .pick = newest_pick};

static void the_next_strategy_takes_over_at_the_step_that_the_script_ends_with(void **state)
{
    (void)state;
    assert_int_equal(sn_strategy_register(&newest), 0);

    (void)run_on(&test, "until step 1\n", "@1000,newest", (struct sn_options){0});

    assert_begins("tick tick start-Bob ");
}

static void an_empty_script_leaves_everything_to_the_next_strategy(void **state)
{
    static const struct sn_test no_draws = {
        .name = "apart", .run = on_each_node, .world = SN_WORLD_TRIAL};
    struct sn_options options = {.strategy = "random", .iterations = 20};
    struct sn_result r;
    char text[2048];

    (void)state;
    observe_clear();
    assert_int_equal(sn_run(&no_draws, &options, &r), 0);
    (void)snprintf(text, sizeof(text), "%.2000s", seen->text);

    (void)run_on(&no_draws, "", "@1000,random", options);

    assert_string_equal(seen->text, text);
}

/* ---- Elsewhere ------------------------------------------------------------------------------ */

static void a_script_does_the_same_in_a_process_per_trial(void **state)
{
    struct sn_test forking = test;
    struct sn_result r;

    (void)state;
    forking.world = SN_WORLD_FORK;
    r = run_on(&forking, "start Bob\nstart Server\ndeliver Ping to Server\ndeliver Nix to Bob\n",
               "", (struct sn_options){0});

    assert_int_equal(r.verdict, SN_UNCONTROLLED);
    assert_string_equal(seen->text, "start-Bob ping-Bob ");
    assert_non_null(strstr(r.failure, ":4: \"deliver Nix to Bob\" matches nothing"));
}

/* ---- Faults --------------------------------------------------------------------------------- */

static const struct sn_faults one_crash = {.crashes = 1, .horizon = 4};
static const struct sn_test crashing = {
    .name = "crashing", .run = on_each_node, .world = SN_WORLD_TRIAL, .faults = &one_crash};

static void a_fault_happens_when_the_script_says_so(void **state)
{
    struct sn_result r;

    (void)state;
    r = run_on(&crashing,
               "start Server\nstart Client\ndeliver Ping to Server\n"
               "fault crash\ndraw \"crash of\" = 1\n",
               "", (struct sn_options){0});

    assert_string_equal(r.failure, "");
    assert_begins("start-Client ping-Client ");
    assert_null(strstr(seen->text, "pong"));
}

static void the_default_schedule_puts_faults_last(void **state)
{
    struct sn_result r;

    (void)state;
    r = run_on(&crashing, "", "", (struct sn_options){0});

    assert_string_equal(r.failure, "");
    assert_string_equal(seen->text,
                        "start-Client ping-Client ping-Client pong-Client pong-Client ");
}

/* ---- Liveness ------------------------------------------------------------------------------- */

static const struct sn_event again = {.name = "Again"};

static void on_again(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(sn_self(), &again, NULL);
}

static const struct sn_state going = {
    .name = "Going",
    .entry = on_again,
    .on = (const struct sn_on[]){{.event = &again, .run = on_again}, {0}},
};
static const struct sn_machine runner = {.name = "Runner", .start = &going};
static const struct sn_state hot = {.name = "Hot", .temperature = SN_HOT};
static const struct sn_machine hope = {.name = "Hope", .start = &hot};

static void run_for_ever(void)
{
    sn_create(&runner, NULL);
}

static const struct sn_test endless = {
    .name = "endless",
    .run = run_for_ever,
    .world = SN_WORLD_TRIAL,
    .max_steps = 20,
    .monitors = (const struct sn_machine *const[]){&hope, NULL},
};

static void the_schedule_of_a_script_is_not_taken_for_fair(void **state)
{
    struct sn_result r;

    (void)state;
    r = run_on(&endless, "start Runner\nany 19\n", "", (struct sn_options){0});

    assert_string_equal(r.failure, "");
    assert_int_equal(r.cut, 1);
}

static void a_script_can_say_from_where_on_it_is_fair(void **state)
{
    struct sn_result r;

    (void)state;
    r = run_on(&endless, "start Runner\nfair\nany 19\n", "", (struct sn_options){0});

    assert_int_equal(r.verdict, SN_FAILED);
    assert_non_null(strstr(r.failure, "monitor Hope "));
}

static void the_default_schedule_after_a_script_is_fair(void **state)
{
    struct sn_result r;

    (void)state;
    r = run_on(&endless, "start Runner\n", "", (struct sn_options){0});

    assert_int_equal(r.verdict, SN_FAILED);
}

static void a_fair_strategy_after_a_script_counts_from_where_it_begins(void **state)
{
    struct sn_result r;

    (void)state;
    r = run_on(&endless, "start Runner\n", "@1000,oldest", (struct sn_options){.iterations = 1});

    assert_int_equal(r.verdict, SN_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_script_is_the_default_schedule),
        cmocka_unit_test(the_strategy_oldest_is_the_default_schedule),
        cmocka_unit_test(operations_run_as_they_are_named),
        cmocka_unit_test(a_script_that_says_everything_to_the_end_is_all_that_happens),
        cmocka_unit_test(of_several_that_match_the_oldest_runs),
        cmocka_unit_test(a_number_says_which_one_of_several),
        cmocka_unit_test(a_number_beyond_those_that_match_is_not_done),
        cmocka_unit_test(pick_goes_by_the_order_of_age),
        cmocka_unit_test(a_pick_beyond_what_is_pending_is_not_done),
        cmocka_unit_test(any_is_so_many_steps_of_the_default_schedule),
        cmocka_unit_test(until_an_operation_is_the_default_schedule_until_it_can_run),
        cmocka_unit_test(until_a_step_is_the_default_schedule_up_to_it),
        cmocka_unit_test(what_follows_end_is_not_done),
        cmocka_unit_test(names_are_those_of_the_moment),
        cmocka_unit_test(a_value_that_is_not_given_is_0),
        cmocka_unit_test(values_are_those_of_the_lines_after_the_step),
        cmocka_unit_test(values_of_the_setup_are_the_first_lines),
        cmocka_unit_test(a_value_waits_for_its_label),
        cmocka_unit_test(a_value_that_is_too_large_is_not_drawn),
        cmocka_unit_test(a_line_that_matches_nothing_ends_the_trial_and_says_what_was_pending),
        cmocka_unit_test(a_line_that_is_not_reached_is_no_pass),
        cmocka_unit_test(a_line_that_is_not_reached_before_the_limit_is_no_pass),
        cmocka_unit_test(a_script_that_cannot_be_read_is_an_error),
        cmocka_unit_test(a_script_needs_a_file),
        cmocka_unit_test(the_next_strategy_takes_over_when_the_script_is_used_up),
        cmocka_unit_test(the_next_strategy_decides_everything_after_the_script),
        cmocka_unit_test(the_next_strategy_takes_over_at_its_step),
        cmocka_unit_test(the_next_strategy_takes_over_at_the_step_that_the_script_ends_with),
        cmocka_unit_test(an_empty_script_leaves_everything_to_the_next_strategy),
        cmocka_unit_test(a_script_does_the_same_in_a_process_per_trial),
        cmocka_unit_test(a_fault_happens_when_the_script_says_so),
        cmocka_unit_test(the_default_schedule_puts_faults_last),
        cmocka_unit_test(the_schedule_of_a_script_is_not_taken_for_fair),
        cmocka_unit_test(a_script_can_say_from_where_on_it_is_fair),
        cmocka_unit_test(the_default_schedule_after_a_script_is_fair),
        cmocka_unit_test(a_fair_strategy_after_a_script_counts_from_where_it_begins),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
