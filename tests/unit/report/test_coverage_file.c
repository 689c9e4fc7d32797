/* test_coverage_file.c - tests of coverage_file.c, coverage_read.c and coverage_merge.c: what
 * several runs have shown, and files that anyone may have written. SPDX-License-Identifier: MIT
 */
#include "report/coverage_file.h"

#include "engine/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 4 << 20 };

static struct run_coverage *a;
static struct run_coverage *b;
static char *bytes;
static struct err why;

/* A run of 200 trials that saw two orders, one of them once. */
static void fill(struct run_coverage *c, uint64_t stream)
{
    mem_clear(c, sizeof(*c));
    (void)snprintf(c->suite, sizeof(c->suite), "suite");
    (void)snprintf(c->test, sizeof(c->test), "test");
    c->parts[0] = (struct run_part){
        .stream = stream, .trials = 200, .seed = 1, .strategy = "random", .build = "b"};
    c->n_parts = 1;
    c->trials = 200;
    c->steps = 2000;
    c->distinct = c->n_orders = 2;
    c->has_orders = c->is_sampled = true;
    c->orders[0] = 5;
    c->orders[1] = 9;
    c->arms[0] =
        (struct run_arm){.name = "random",
                         .figures = {.mind = 3, .trials = 200, .orders = 2, .once = 1, .twice = 0},
                         .has_counts = true};
    c->counts[0][0] = 1;
    c->counts[0][1] = 3;
    c->n_arms = 1;
    c->arms[0].estimate = discovery_estimate(&c->arms[0].figures, false);
    c->curve[0] = (struct discovery_point){1, 1};
    c->curve[1] = (struct discovery_point){200, 2};
    c->n_curve = 2;
    c->surveyed = 32;
    c->has_states = true;
    c->states = 12;
}

static int setup(void **state)
{
    (void)state;
    a = mem_reserve_shared(sizeof(*a), NULL);
    b = mem_reserve_shared(sizeof(*b), NULL);
    bytes = mem_reserve_shared(BYTES, NULL);
    if (a == NULL || b == NULL || bytes == NULL)
        return -1;
    fill(a, 1);
    fill(b, 2);
    why.text[0] = '\0';
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mem_release(a, sizeof(*a));
    mem_release(b, sizeof(*b));
    mem_release(bytes, BYTES);
    return 0;
}

/* Writes a and reads it as b. */
static int pass_on(void)
{
    struct sn_text out;

    text_init(&out, bytes, BYTES);
    coverage_put(&out, a);
    assert_false(out.cut);
    mem_clear(b, sizeof(*b));
    return coverage_parse(b, out.buffer, out.used, "f", &why);
}

static void assert_refused(const char *reason)
{
    assert_int_equal(pass_on(), SN_EFORMAT);
    assert_string_equal(why.text, reason);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static void what_is_written_is_read_again(void **state)
{
    size_t half = BYTES / 2;
    struct sn_text out;

    (void)state;

    assert_int_equal(pass_on(), 0);
    text_init(&out, bytes + half, half);
    coverage_put(&out, b);
    assert_memory_equal(bytes, bytes + half, out.used);
    assert_true(out.used > 500);
}

static void the_same_trials_within_one_file_are_refused(void **state)
{
    (void)state;
    a->parts[0].trials = 150;
    a->parts[1] = a->parts[0];
    a->parts[1].first = 149;
    a->parts[1].trials = 50;
    a->n_parts = 2;

    assert_refused("f: \"runs\" has the same trials twice");
}

static void a_run_that_goes_on_where_another_ended_is_read(void **state)
{
    (void)state;
    a->parts[0].trials = 150;
    a->parts[1] = a->parts[0];
    a->parts[1].first = 150;
    a->parts[1].trials = 50;
    a->n_parts = 2;

    assert_int_equal(pass_on(), 0);
}

static void huge_figures_lead_to_no_number_that_is_none(void **state)
{
    struct discovery_arm *f = &a->arms[0].figures;

    (void)state;
    a->parts[0].trials = a->trials = f->trials = UINT64_C(1) << 63;
    f->orders = f->once = UINT64_C(1) << 60;
    a->arms[0].has_counts = false;

    assert_int_equal(pass_on(), 0);
    assert_int_equal(b->arms[0].estimate.answer, DISCOVERY_KNOWN);
    assert_true(b->arms[0].estimate.least == UINT64_MAX);
}

static void an_order_that_came_once_did_not_come_twice(void **state)
{
    struct discovery_arm *f = &a->arms[0].figures;

    (void)state;
    a->arms[0].has_counts = false;
    f->orders = 2;
    f->once = 2;
    f->twice = 1;

    assert_refused("f: \"next\" has figures that cannot be");
}

static void orders_cannot_come_more_often_than_there_were_trials(void **state)
{
    struct discovery_arm *f = &a->arms[0].figures;

    (void)state;
    a->arms[0].has_counts = false;
    f->orders = f->twice = 101;
    f->once = 0;

    assert_refused("f: \"next\" has figures that cannot be");
}

static void an_order_that_came_more_than_twice_came_three_times(void **state)
{
    struct discovery_arm *f = &a->arms[0].figures;

    (void)state;
    a->arms[0].has_counts = false;
    f->orders = 67;
    f->once = f->twice = 0;

    assert_refused("f: \"next\" has figures that cannot be");
}

static void orders_that_came_three_times_each_can_be(void **state)
{
    struct discovery_arm *f = &a->arms[0].figures;

    (void)state;
    a->arms[0].has_counts = false;
    f->orders = 66;
    f->once = f->twice = 0;

    assert_int_equal(pass_on(), 0);
}

static void arms_together_have_no_more_trials_than_the_run(void **state)
{
    (void)state;
    a->arms[1] = a->arms[0];
    a->arms[1].has_counts = false;
    a->n_arms = 2;

    assert_refused("f: \"next\" has more trials than there were");
}

static void arms_of_trials_that_are_no_sample_are_refused(void **state)
{
    (void)state;
    a->is_sampled = false;

    assert_refused("f: \"next\" is of trials that are no sample");
}

static void more_failures_than_trials_are_refused(void **state)
{
    (void)state;
    a->failures = 201;

    assert_refused("f: \"trials\" is less than there were of a kind");
}

static void more_trials_looked_at_than_run_are_refused(void **state)
{
    (void)state;
    a->surveyed = 201;

    assert_refused("f: \"survey\" has more trials than there were");
}

static void a_curve_that_goes_back_is_refused(void **state)
{
    (void)state;
    a->curve[1].trials = 1;

    assert_refused("f: \"discovery\" is no curve");
}

static void add_place(struct run_coverage *c, uint64_t line)
{
    struct run_met *met = &c->met[c->n_met++];

    (void)snprintf(met->name, sizeof(met->name), "place");
    (void)snprintf(met->file, sizeof(met->file), "f.c");
    met->line = line;
}

static void a_place_that_is_listed_twice_is_refused(void **state)
{
    (void)state;
    add_place(a, 7);
    add_place(a, 7);

    assert_refused("f: \"sometimes\" has a place twice");
}

static void add_event(struct run_coverage *c, uint32_t number, bool is_covered)
{
    struct coverage_pair *pair = &c->machines.pairs[c->machines.n++];

    pair->is_covered = is_covered;
    (void)snprintf(pair->machine_name, sizeof(pair->machine_name), "M");
    (void)snprintf(pair->state_name, sizeof(pair->state_name), "S");
    (void)snprintf(pair->event_name, sizeof(pair->event_name), "E%06u", number);
}

static void an_event_that_came_and_never_came_is_refused(void **state)
{
    (void)state;
    add_event(a, 1, true);
    add_event(a, 1, false);

    assert_refused("f: \"machines\" has an event of a state twice");
}

/* ---- Taking together ------------------------------------------------------------------------ */

static void states_of_two_runs_are_what_one_saw_at_least(void **state)
{
    (void)state;
    b->states = 15;

    assert_int_equal(coverage_merge(a, b, false, &why), 0);
    assert_true(a->states == 15 && a->has_states);
    assert_true(a->is_states_least);
}

static void a_lower_bound_of_states_stays_one(void **state)
{
    (void)state;
    a->is_states_least = true;
    b->has_states = false;
    b->states = 0;

    assert_int_equal(coverage_merge(a, b, false, &why), 0);
    assert_true(a->is_states_least);
}

static void states_are_a_lower_bound_if_the_other_run_cannot_tell(void **state)
{
    (void)state;
    a->has_states = false;
    a->states = 0;

    assert_int_equal(coverage_merge(a, b, false, &why), 0);
    assert_true(a->states == 12 && a->has_states);
    assert_true(a->is_states_least);
}

static void a_run_of_which_nothing_was_looked_at_takes_nothing_away(void **state)
{
    (void)state;
    b->has_states = false;
    b->states = b->surveyed = 0;

    assert_int_equal(coverage_merge(a, b, false, &why), 0);
    assert_true(a->states == 12 && a->has_states);
    assert_false(a->is_states_least);
}

static void more_places_than_can_be_kept_are_refused(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SITES_MAX; i++)
        add_place(a, i);
    add_place(b, SITES_MAX);

    assert_int_equal(coverage_merge(a, b, false, &why), SN_EINVAL);
    assert_non_null(strstr(why.text, "more than 4096 places"));
    assert_true(a->trials == 200);
}

static void places_that_are_known_need_no_room(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SITES_MAX; i++)
        add_place(a, i);
    add_place(b, SITES_MAX - 1);
    b->met[0].is_held = true;

    assert_int_equal(coverage_merge(a, b, false, &why), 0);
    assert_true(a->met[SITES_MAX - 1].is_held);
}

static void more_events_than_can_be_kept_are_refused(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COVERAGE_MAX; i++)
        add_event(a, i, true);
    add_event(b, COVERAGE_MAX, true);

    assert_int_equal(coverage_merge(a, b, false, &why), SN_EINVAL);
    assert_non_null(strstr(why.text, "more than 4096 events of states"));
    assert_true(a->machines.n == COVERAGE_MAX);
}

static void more_steps_than_there_can_be_are_refused(void **state)
{
    (void)state;
    a->steps = UINT64_MAX - 1999;

    assert_int_equal(coverage_merge(a, b, false, &why), SN_EINVAL);
    assert_true(a->trials == 200);
}

static void trials_that_were_drawn_in_another_way_say_nothing_of_the_next(void **state)
{
    (void)state;
    b->arms[0].figures.mind = 4;

    assert_int_equal(coverage_merge(a, b, false, &why), 0);
    assert_false(a->is_sampled);
    assert_int_equal(a->n_arms, 0);
}

static void events_that_are_called_alike_are_one_in_a_file(void **state)
{
    static const struct sn_event first = {.name = "Same"};
    static const struct sn_event second = {.name = "Same"};
    static const struct sn_on on[] = {{.event = &first}, {.event = &second}, {0}};
    static const struct sn_state at = {.name = "At", .on = on};
    static const struct sn_machine type = {.name = "Machine", .start = &at};
    struct sn_text out;

    (void)state;
    fill(a, 1);
    a->machines = (struct coverage){0};
    coverage_add(&a->machines, &type, &at, &second);
    coverage_sort(&a->machines);
    coverage_unite(&a->machines);
    text_init(&out, bytes, BYTES);
    coverage_put(&out, a);

    assert_int_equal(a->machines.n, 1);
    assert_true(a->machines.pairs[0].is_covered);
    assert_int_equal(coverage_parse(b, bytes, out.used, "file", &why), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_that_are_called_alike_are_one_in_a_file, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_written_is_read_again, setup, teardown),
        cmocka_unit_test_setup_teardown(the_same_trials_within_one_file_are_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_run_that_goes_on_where_another_ended_is_read, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(huge_figures_lead_to_no_number_that_is_none, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(an_order_that_came_once_did_not_come_twice, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(orders_cannot_come_more_often_than_there_were_trials, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(an_order_that_came_more_than_twice_came_three_times, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(orders_that_came_three_times_each_can_be, setup, teardown),
        cmocka_unit_test_setup_teardown(arms_together_have_no_more_trials_than_the_run, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(arms_of_trials_that_are_no_sample_are_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(more_failures_than_trials_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(more_trials_looked_at_than_run_are_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_curve_that_goes_back_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_place_that_is_listed_twice_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(an_event_that_came_and_never_came_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(states_of_two_runs_are_what_one_saw_at_least, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_lower_bound_of_states_stays_one, setup, teardown),
        cmocka_unit_test_setup_teardown(states_are_a_lower_bound_if_the_other_run_cannot_tell,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_of_which_nothing_was_looked_at_takes_nothing_away,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(more_places_than_can_be_kept_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(places_that_are_known_need_no_room, setup, teardown),
        cmocka_unit_test_setup_teardown(more_events_than_can_be_kept_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(more_steps_than_there_can_be_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(
            trials_that_were_drawn_in_another_way_say_nothing_of_the_next, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
