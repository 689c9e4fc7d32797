/* test_states.c - states, transitions and the handling of events. SPDX-License-Identifier: MIT */
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct sn_event first = {.name = "First"};
static const struct sn_event second = {.name = "Second"};
static const struct sn_event third = {.name = "Third"};

static void say_first(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("first ");
}

static void say_second(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("second ");
}

/* Creates a machine with this start state and sends it the events, in order. */
static const struct sn_state *start_state;
static const struct sn_event *to_send[8];

static void run_sequence(void)
{
    static struct sn_machine type;
    sn_id machine;

    type = (struct sn_machine){.name = "Machine", .start = start_state};
    machine = sn_create(&type, NULL);
    for (int i = 0; to_send[i] != NULL; i++)
        sn_send(machine, to_send[i], NULL);
}

static struct sn_result run_states(const struct sn_state *start,
                                   const struct sn_event *const *events)
{
    const struct sn_test test = {.name = "sequence", .run = run_sequence};

    observe_clear();
    start_state = start;
    memset(to_send, 0, sizeof(to_send));
    for (int i = 0; events[i] != NULL; i++)
        to_send[i] = events[i];
    return run_test_once(&test);
}

#define EVENTS(...) ((const struct sn_event *const[]){__VA_ARGS__, NULL})

/* ---- Goto ----------------------------------------------------------------------------------- */

static void say_entry_b(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("entry-b ");
}

static void say_exit_a(void *self)
{
    (void)self;
    observe("exit-a ");
}

static const struct sn_state state_b = {
    .name = "B",
    .entry = say_entry_b,
    .on = (const struct sn_on[]){{.event = &second, .run = say_second}, {0}},
};

static void goto_b(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_goto(&state_b);
    observe("still-in-handler ");
}

static const struct sn_state state_a_table = {
    .name = "A",
    .exit = say_exit_a,
    .on = (const struct sn_on[]){{.event = &first, .run = say_first, .go_to = &state_b}, {0}},
};

static const struct sn_state state_a_call = {
    .name = "A",
    .exit = say_exit_a,
    .on = (const struct sn_on[]){{.event = &first, .run = goto_b}, {0}},
};

static void goto_in_a_table_runs_exit_then_action_then_entry(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&state_a_table, EVENTS(&first, &second));

    assert_int_equal(r.failures, 0);
    assert_string_equal(seen->text, "exit-a first entry-b second ");
}

static void goto_by_a_call_takes_effect_when_the_handler_returns(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&state_a_call, EVENTS(&first, &second));

    assert_int_equal(r.failures, 0);
    assert_string_equal(seen->text, "still-in-handler exit-a entry-b second ");
}

/* ---- Unhandled, ignore, any ----------------------------------------------------------------- */

static const struct sn_state only_first = {
    .name = "OnlyFirst",
    .on = (const struct sn_on[]){{.event = &first, .run = say_first}, {0}},
};

static void an_event_that_no_state_handles_is_a_bug(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&only_first, EVENTS(&first, &third));

    assert_int_equal(r.failures, 1);
    assert_string_equal(r.failure, "unhandled: Machine in state OnlyFirst cannot handle Third");
}

static const struct sn_state ignoring = {
    .name = "Ignoring",
    .on = (const struct sn_on[]){{.event = &first, .run = say_first},
                                 {.event = &third, .ignore = true},
                                 {0}},
};

static void an_ignored_event_is_dropped(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&ignoring, EVENTS(&third, &first, &third));

    assert_int_equal(r.failures, 0);
    assert_int_equal(r.steps, 4);
    assert_string_equal(seen->text, "first ");
}

static const struct sn_state catching_all = {
    .name = "CatchingAll",
    .on = (const struct sn_on[]){{.event = &sn_any, .run = say_second},
                                 {.event = &first, .run = say_first},
                                 {0}},
};

static void any_matches_what_no_other_entry_names(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&catching_all, EVENTS(&first, &third));

    assert_int_equal(r.failures, 0);
    assert_string_equal(seen->text, "first second ");
}

/* ---- Defer ---------------------------------------------------------------------------------- */

static const struct sn_state open_state = {
    .name = "Open",
    .on = (const struct sn_on[]){{.event = &first, .run = say_first},
                                 {.event = &second, .run = say_second},
                                 {0}},
};

static const struct sn_state deferring = {
    .name = "Deferring",
    .on = (const struct sn_on[]){{.event = &first, .defer = true},
                                 {.event = &third, .go_to = &open_state},
                                 {.event = &second, .run = say_second},
                                 {0}},
};

static void a_deferred_event_waits_and_later_ones_overtake_it(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&deferring, EVENTS(&first, &second, &third, &second));

    assert_int_equal(r.failures, 0);
    assert_string_equal(seen->text, "second first second ");
}

static void an_event_deferred_for_ever_is_no_bug_by_itself(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&deferring, EVENTS(&first));

    assert_int_equal(r.failures, 0);
    assert_int_equal(r.steps, 1);
}

/* ---- Push and pop --------------------------------------------------------------------------- */

static void say_exit_top(void *self)
{
    (void)self;
    observe("exit-top ");
}

static void pop_now(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_pop();
}

static const struct sn_state top_state = {
    .name = "Top",
    .entry = say_entry_b,
    .exit = say_exit_top,
    .on = (const struct sn_on[]){{.event = &second, .run = pop_now}, {0}},
};

static const struct sn_state below_state = {
    .name = "Below",
    .on = (const struct sn_on[]){{.event = &first, .run = say_first},
                                 {.event = &third, .push = &top_state},
                                 {.event = &second, .run = say_second},
                                 {0}},
};

static void a_pushed_state_inherits_the_handlers_below(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&below_state, EVENTS(&third, &first));

    assert_int_equal(r.failures, 0);
    assert_string_equal(seen->text, "entry-b first ");
}

static void pop_returns_to_the_state_below_without_its_entry(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&below_state, EVENTS(&third, &second, &second));

    assert_int_equal(r.failures, 0);
    assert_string_equal(seen->text, "entry-b exit-top second ");
}

static const struct sn_state below_leaving = {
    .name = "BelowLeaving",
    .exit = say_exit_a,
    .on = (const struct sn_on[]){{.event = &third, .push = &top_state},
                                 {.event = &first, .go_to = &open_state},
                                 {0}},
};

static void a_goto_of_the_state_below_leaves_the_pushed_state_first(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&below_leaving, EVENTS(&third, &first, &second));

    assert_int_equal(r.failures, 0);
    assert_string_equal(seen->text, "entry-b exit-top exit-a second ");
}

static void popping_what_was_not_pushed_is_a_bug(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&top_state, EVENTS(&second));

    assert_int_equal(r.failures, 1);
    assert_string_equal(r.failure, "usage: Machine pops state Top, which was not pushed");
}

/* ---- Raise ---------------------------------------------------------------------------------- */

struct number {
    int value;
};

static const struct sn_event numbered = {.name = "Numbered", .size = sizeof(struct number)};

static void on_numbered(void *self, const void *payload)
{
    (void)self;
    observe("numbered-%d ", ((const struct number *)payload)->value);
}

static void raise_number(void *self, const void *payload)
{
    struct number n = {7};

    (void)self;
    (void)payload;
    sn_raise(&numbered, &n);
    n.value = 8; /* too late: it was copied */
    observe("raised ");
}

static const struct sn_state raising = {
    .name = "Raising",
    .on = (const struct sn_on[]){{.event = &first, .run = raise_number},
                                 {.event = &numbered, .run = on_numbered},
                                 {.event = &second, .run = say_second},
                                 {0}},
};

static void a_raised_event_is_handled_before_anything_else_in_the_same_step(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&raising, EVENTS(&first, &second));

    assert_int_equal(r.failures, 0);
    assert_int_equal(r.steps, 3);
    assert_string_equal(seen->text, "raised numbered-7 second ");
}

static void raise_for_ever(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_raise(&first, NULL);
}

static const struct sn_state raising_for_ever = {
    .name = "Raising",
    .on = (const struct sn_on[]){{.event = &first, .run = raise_for_ever}, {0}},
};

static void raising_without_end_is_reported(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&raising_for_ever, EVENTS(&first));

    assert_int_equal(r.failures, 1);
    assert_string_equal(r.failure, "limit: 10000 transitions within one step");
}

static void two_transitions(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_goto(&open_state);
    sn_goto(&state_b);
}

static const struct sn_state asking_twice = {
    .name = "Asking",
    .on = (const struct sn_on[]){{.event = &first, .run = two_transitions}, {0}},
};

static void two_transitions_in_one_action_are_a_bug(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&asking_twice, EVENTS(&first));

    assert_int_equal(r.failures, 1);
    assert_non_null(strstr(r.failure, "the second transition in one action"));
}

/* ---- Halt ----------------------------------------------------------------------------------- */

static const struct sn_state halting = {
    .name = "Halting",
    .on = (const struct sn_on[]){{.event = &first, .run = say_first},
                                 {.event = &third, .halt = true},
                                 {0}},
};

static void a_halted_machine_drops_what_was_sent_to_it(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&halting, EVENTS(&first, &third, &first, &first));

    assert_int_equal(r.failures, 0);
    assert_int_equal(r.steps, 3);
    assert_string_equal(seen->text, "first ");
}

static void the_halt_event_halts_a_machine_that_does_not_handle_it(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&catching_all, EVENTS(&first, &sn_halt_event, &first));

    assert_int_equal(r.failures, 0);
    assert_string_equal(seen->text, "first ");
}

/* ---- Tables that make no sense -------------------------------------------------------------- */

static const struct sn_state doing_nothing = {
    .name = "Nothing",
    .on = (const struct sn_on[]){{.event = &first}, {0}},
};

static const struct sn_state doing_two_things = {
    .name = "Two",
    .on = (const struct sn_on[]){{.event = &first, .run = say_first, .halt = true}, {0}},
};

static void an_entry_that_does_nothing_or_two_things_is_a_bug(void **unused)
{
    (void)unused;

    struct sn_result nothing = run_states(&doing_nothing, EVENTS(&first));
    struct sn_result two = run_states(&doing_two_things, EVENTS(&first));

    assert_string_equal(nothing.failure,
                        "usage: state Nothing has an entry for First that does nothing");
    assert_string_equal(two.failure,
                        "usage: state Two has an entry for First that does more than one thing");
}

static const struct sn_state doing_it_twice = {
    .name = "Twice",
    .on = (const struct sn_on[]){{.event = &first, .run = say_first},
                                 {.event = &first, .run = say_second},
                                 {0}},
};

static void two_entries_for_one_event_are_a_bug(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&doing_it_twice, EVENTS(&first));

    assert_string_equal(r.failure, "usage: state Twice has 2 entries for First");
}

static const struct sn_event another_first = {.name = "First"};

static void an_event_that_only_looks_like_one_in_the_table_gets_a_hint(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&only_first, EVENTS(&another_first));

    assert_non_null(strstr(r.failure, "cannot handle First (it has an entry for another event"));
}

static const struct sn_state feverish = {.name = "Feverish", .temperature = SN_HOT};

static void a_hot_state_of_a_machine_that_is_no_monitor_is_a_bug(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&feverish, EVENTS(&first));

    assert_non_null(
        strstr(r.failure, "usage: state Feverish is hot or cold, but Machine is a machine"));
}

static const struct sn_state below_halting = {
    .name = "BelowHalting",
    .exit = say_exit_a,
    .on = (const struct sn_on[]){{.event = &third, .push = &top_state},
                                 {.event = &first, .halt = true},
                                 {0}},
};

static void halting_runs_no_exit_action_not_even_of_pushed_states(void **unused)
{
    (void)unused;

    struct sn_result r = run_states(&below_halting, EVENTS(&third, &first, &first));

    assert_int_equal(r.failures, 0);
    assert_string_equal(seen->text, "entry-b ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goto_in_a_table_runs_exit_then_action_then_entry),
        cmocka_unit_test(goto_by_a_call_takes_effect_when_the_handler_returns),
        cmocka_unit_test(an_event_that_no_state_handles_is_a_bug),
        cmocka_unit_test(an_ignored_event_is_dropped),
        cmocka_unit_test(any_matches_what_no_other_entry_names),
        cmocka_unit_test(a_deferred_event_waits_and_later_ones_overtake_it),
        cmocka_unit_test(an_event_deferred_for_ever_is_no_bug_by_itself),
        cmocka_unit_test(a_pushed_state_inherits_the_handlers_below),
        cmocka_unit_test(pop_returns_to_the_state_below_without_its_entry),
        cmocka_unit_test(a_goto_of_the_state_below_leaves_the_pushed_state_first),
        cmocka_unit_test(popping_what_was_not_pushed_is_a_bug),
        cmocka_unit_test(a_raised_event_is_handled_before_anything_else_in_the_same_step),
        cmocka_unit_test(raising_without_end_is_reported),
        cmocka_unit_test(two_transitions_in_one_action_are_a_bug),
        cmocka_unit_test(a_halted_machine_drops_what_was_sent_to_it),
        cmocka_unit_test(an_entry_that_does_nothing_or_two_things_is_a_bug),
        cmocka_unit_test(two_entries_for_one_event_are_a_bug),
        cmocka_unit_test(an_event_that_only_looks_like_one_in_the_table_gets_a_hint),
        cmocka_unit_test(a_hot_state_of_a_machine_that_is_no_monitor_is_a_bug),
        cmocka_unit_test(halting_runs_no_exit_action_not_even_of_pushed_states),
        cmocka_unit_test(the_halt_event_halts_a_machine_that_does_not_handle_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
