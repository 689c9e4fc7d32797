/* test_survey.c - tests of survey.c: which trials of a search that is divided are looked at. What
 * they show is tested by tests/unit/api/test_coverage.py. SPDX-License-Identifier: MIT
 */
#include "substrate/survey.h"

#include "base/rng.h"
#include "engine/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TRIALS = 5000 };

static struct survey *survey;

static int setup(void **state)
{
    (void)state;
    survey = mem_reserve_shared(sizeof(*survey), NULL);
    return survey != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    mem_release(survey, sizeof(*survey));
    return 0;
}

static uint32_t rank_of(uint32_t trial)
{
    return (uint32_t)__builtin_clzll(mix64(trial) | 1);
}

/* How many of those of the lowest rank that counts and above were looked at, and how many there
 * are. */
static uint32_t look_at_all(uint32_t from, uint32_t stride, uint64_t steps, uint32_t *all)
{
    static uint8_t is_seen[TRIALS];
    uint32_t lowest;
    uint32_t seen = 0;

    for (uint32_t i = 0; i < TRIALS; i++) {
        uint32_t trial = (from + i * stride) % TRIALS;

        is_seen[trial] = survey_admits(survey, rank_of(trial), steps);
    }
    lowest = survey->lowest;
    *all = 0;
    for (uint32_t i = 0; i < TRIALS; i++) {
        *all += rank_of(i) >= lowest;
        seen += rank_of(i) >= lowest && is_seen[i];
    }
    return seen;
}

static void all_are_looked_at_if_there_are_few(void **state)
{
    (void)state;

    for (uint32_t i = 0; i < SURVEY_RANKED; i++)
        assert_true(survey_admits(survey, rank_of(i), 10));
}

static void of_many_all_that_count_in_the_end_are_looked_at(void **state)
{
    uint32_t all;
    uint32_t seen;

    (void)state;

    seen = look_at_all(0, 1, 10, &all);
    assert_int_equal(seen, all);
    assert_in_range(all, SURVEY_RANKED / 4, SURVEY_RANKED);
}

static void which_count_does_not_depend_on_the_order_in_which_they_came(void **state)
{
    uint32_t all;
    uint32_t others;
    uint32_t lowest;
    uint32_t seen;

    (void)state;
    (void)look_at_all(0, 1, 10, &all);
    lowest = survey->lowest;
    mem_clear(survey, sizeof(*survey));

    seen = look_at_all(17, 1237, 10, &others);
    assert_int_equal(seen, others);
    assert_int_equal(survey->lowest, lowest);
    assert_int_equal(others, all);
}

static void of_long_trials_fewer_are_looked_at(void **state)
{
    uint32_t all;
    uint32_t seen;

    (void)state;

    seen = look_at_all(0, 1, 200, &all);
    assert_int_equal(seen, all);
    assert_in_range(all, SURVEY_RANKED_MIN, SURVEY_RANKED_STEPS / 200);
}

static void some_are_looked_at_however_long_they_are(void **state)
{
    uint32_t all;
    uint32_t seen;

    (void)state;

    seen = look_at_all(0, 1, 30000, &all);
    assert_int_equal(seen, all);
    assert_in_range(all, 1, SURVEY_RANKED_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_are_looked_at_if_there_are_few, setup, teardown),
        cmocka_unit_test_setup_teardown(of_many_all_that_count_in_the_end_are_looked_at, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(which_count_does_not_depend_on_the_order_in_which_they_came,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(of_long_trials_fewer_are_looked_at, setup, teardown),
        cmocka_unit_test_setup_teardown(some_are_looked_at_however_long_they_are, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
