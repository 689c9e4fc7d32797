/* test_pnr.c - the point of no return of made-up programs. SPDX-License-Identifier: MIT */
#include "explain/pnr.h"
#include "programs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct pnr pnr;

static int find(struct made_up *m)
{
    return pnr_find(&m->asker, m->n_steps > 0 ? m->n_steps : m->n_order, &pnr);
}

static void race_is_lost_with_its_first_step(void **state)
{
    struct made_up *m = program_race();

    (void)state;
    assert_int_equal(find(m), 0);

    assert_true(pnr.is_found);
    assert_int_equal(pnr.step, 1);
    assert_in_range(pnr.before.failed, 150, 250);
    assert_int_equal(pnr.before.trials, PNR_CONFIRM_TRIALS);
    assert_int_equal(pnr.after.failed, PNR_CONFIRM_TRIALS);
}

/* The order is 0 3 1 2 4: once 1 has come after 3, and 4 is still to come, nothing helps. */
static void two_orders_are_lost_when_the_second_is_certain(void **state)
{
    struct made_up *m = program_two_orders();

    (void)state;
    assert_int_equal(find(m), 0);

    assert_int_equal(pnr.step, 3);
}

static void largest_jump_is_the_step_that_matters_most(void **state)
{
    struct made_up *m = program_noise();

    (void)state;
    assert_int_equal(find(m), 0);

    assert_int_equal(pnr.step, 1);
    assert_int_equal(pnr.n_jumps, 1);
    assert_int_equal(pnr.jumps[0].step, 1);
    assert_int_equal(pnr.jumps[0].after.failed, PNR_CONFIRM_TRIALS);
}

/* Half of the trials fail at first; each of the twelve orders that is certain doubles that. */
static void curve_has_every_step_of_a_short_trial(void **state)
{
    struct made_up *m = program_twelve_orders();

    (void)state;
    assert_int_equal(find(m), 0);

    assert_int_equal(pnr.step, 23);
    assert_int_equal(pnr.n_points, 24);
    assert_int_equal(pnr.points[0].steps, 0);
    assert_int_equal(pnr.points[23].steps, 23);
    assert_int_equal(pnr.points[23].answer.failed, EXPLAIN_AFTER_TRIALS);
    assert_int_equal(pnr.n_jumps, 3);
    assert_int_equal(pnr.jumps[0].step, 23);
    assert_int_equal(pnr.jumps[1].step, 21);
    assert_int_equal(pnr.jumps[2].step, 19);
}

static bool late_fails(const struct made_up_run *run)
{
    return before(run, 151, 150);
}

/* 150 operations, one after the other, and then a race: the step lies between points that are
 * looked at anyway. */
static void jump_between_points_is_found(void **state)
{
    static struct made_up_op ops[200];
    static uint32_t order[200];
    static struct made_up m;

    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        ops[i].after = i;
        ops[i].object = i;
        order[i] = i;
    }
    ops[151].after = 150;
    ops[152].after = 151;
    order[150] = 151;
    order[151] = 150;
    m = (struct made_up){
        .ops = ops, .n_ops = 200, .order = order, .n_order = 200, .fails = late_fails};
    made_up_open(&m);
    assert_int_equal(find(&m), 0);

    assert_int_equal(pnr.step, 151);
    assert_int_equal(pnr.n_jumps, 1);
    assert_int_equal(pnr.jumps[0].step, 151);
}

static bool twice_fails(const struct made_up_run *run)
{
    return before(run, 77, 76) && before(run, 151, 150);
}

/* The first race lies between points that are looked at anyway, and far from the last. */
static void jump_far_from_the_end_is_found(void **state)
{
    static struct made_up_op ops[200];
    static uint32_t order[200];
    static struct made_up m;

    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        ops[i].after = i;
        ops[i].object = i;
        order[i] = i;
    }
    ops[77].after = 76;
    ops[78].after = 77;
    order[76] = 77;
    order[77] = 76;
    ops[151].after = 150;
    ops[152].after = 151;
    order[150] = 151;
    order[151] = 150;
    m = (struct made_up){
        .ops = ops, .n_ops = 200, .order = order, .n_order = 200, .fails = twice_fails};
    made_up_open(&m);
    assert_int_equal(find(&m), 0);

    assert_int_equal(pnr.step, 151);
    assert_int_equal(pnr.n_jumps, 2);
    assert_int_equal(pnr.jumps[0].step, 151);
    assert_int_equal(pnr.jumps[1].step, 77);
}

static void end_of_the_budget_leaves_what_was_found(void **state)
{
    struct made_up *m = program_twelve_orders();

    (void)state;
    m->executions_max = 1400;
    assert_int_equal(find(m), EXPLAIN_OVER);

    assert_true(pnr.is_found);
    assert_int_equal(pnr.step, 23);
    assert_in_range(pnr.n_points, 1, 5);
}

static bool fails_by_chance(const struct made_up_run *run)
{
    return before(run, 0, 1) && run->draws[0] != 0;
}

/* The value is drawn anew in each continuation, as the end of a trial is by a fair strategy. */
static void where_chance_decides_to_the_end_there_is_no_such_step(void **state)
{
    static const uint32_t values[] = {20};
    static const uint32_t drawn[] = {1};
    struct made_up *m = program_race();

    (void)state;
    m->fails = fails_by_chance;
    m->values = values;
    m->drawn = drawn;
    m->n_draws = 1;
    m->draws_late = true;
    m->order = (const uint32_t[]){0, 1};
    assert_int_equal(find(m), 0);

    assert_false(pnr.is_found);
    assert_int_equal(pnr.n_points, 3);
    assert_in_range(pnr.points[2].answer.failed, 80, 99);
    assert_int_equal(pnr.jumps[0].step, 1);
}

static bool always_fails(const struct made_up_run *run)
{
    (void)run;
    return true;
}

static void trial_that_fails_anyway_is_lost_from_the_start(void **state)
{
    struct made_up *m = program_race();

    (void)state;
    m->fails = always_fails;
    assert_int_equal(find(m), 0);

    assert_int_equal(pnr.step, 0);
    assert_int_equal(pnr.n_jumps, 0);
}

/* ---- What chance shows ---------------------------------------------------------------------- */

/* Shares of continuations in per cent after each step, as one stream shows them, and the truth. */
struct shares {
    const uint32_t *seen;
    const uint32_t *fresh;
};

static int after_of_shares(void *self, uint64_t steps, const struct question *q, struct answer *out)
{
    const struct shares *s = self;
    uint32_t share = q->stream == STREAM_AFTER ? s->seen[steps] : s->fresh[steps];

    *out = (struct answer){.trials = q->trials, .failed = q->trials * share / 100};
    return 0;
}

static void find_shares(const uint32_t *seen, const uint32_t *fresh, uint64_t steps)
{
    struct shares shares = {.seen = seen, .fresh = fresh};
    const struct asker asker = {.self = &shares, .after = after_of_shares};

    assert_int_equal(pnr_find(&asker, steps, &pnr), 0);
}

static void step_that_seemed_lost_by_chance_is_refuted(void **state)
{
    static const uint32_t seen[] = {20, 20, 100, 100, 100, 100};
    static const uint32_t fresh[] = {20, 20, 90, 90, 100, 100};

    (void)state;
    find_shares(seen, fresh, 5);

    assert_true(pnr.is_found);
    assert_int_equal(pnr.step, 4);
    assert_int_equal(pnr.before.failed, 360);
}

static void step_that_fresh_continuations_never_confirm_is_none(void **state)
{
    static const uint32_t seen[] = {20, 20, 100, 100};
    static const uint32_t fresh[] = {20, 20, 90, 90};

    (void)state;
    find_shares(seen, fresh, 3);

    assert_false(pnr.is_found);
    assert_int_equal(pnr.step, 3);
}

static void first_step_of_a_plateau_is_the_point_of_no_return(void **state)
{
    static const uint32_t seen[] = {20, 98, 98, 98, 98, 98, 98, 100};
    static const uint32_t fresh[] = {20, 98, 98, 98, 98, 98, 98, 98};

    (void)state;
    find_shares(seen, fresh, 7);

    assert_true(pnr.is_found);
    assert_int_equal(pnr.step, 1);
    assert_int_equal(pnr.after.failed, 392);
    assert_int_equal(pnr.before.failed, 80);
}

static void growth_by_chance_is_no_jump(void **state)
{
    static const uint32_t seen[] = {40, 52, 64, 100};
    static const uint32_t fresh[] = {45, 46, 58, 100};

    (void)state;
    find_shares(seen, fresh, 3);

    assert_int_equal(pnr.n_jumps, 2);
    assert_int_equal(pnr.jumps[0].step, 3);
    assert_int_equal(pnr.jumps[0].before.failed, 232);
    assert_int_equal(pnr.jumps[1].step, 2);
    assert_int_equal(pnr.jumps[1].after.failed, 232);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(race_is_lost_with_its_first_step),
        cmocka_unit_test(two_orders_are_lost_when_the_second_is_certain),
        cmocka_unit_test(largest_jump_is_the_step_that_matters_most),
        cmocka_unit_test(curve_has_every_step_of_a_short_trial),
        cmocka_unit_test(jump_between_points_is_found),
        cmocka_unit_test(jump_far_from_the_end_is_found),
        cmocka_unit_test(end_of_the_budget_leaves_what_was_found),
        cmocka_unit_test(where_chance_decides_to_the_end_there_is_no_such_step),
        cmocka_unit_test(trial_that_fails_anyway_is_lost_from_the_start),
        cmocka_unit_test(step_that_seemed_lost_by_chance_is_refuted),
        cmocka_unit_test(step_that_fresh_continuations_never_confirm_is_none),
        cmocka_unit_test(first_step_of_a_plateau_is_the_point_of_no_return),
        cmocka_unit_test(growth_by_chance_is_no_jump),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
