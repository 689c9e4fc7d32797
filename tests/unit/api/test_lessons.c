/* test_lessons.c - what is learned from trials does not depend on who ran them.
 *
 * Two states of a strategy stand for two workers that run every second chunk of trials each, and
 * are told of all of them between epochs, as workers are. SPDX-License-Identifier: MIT
 */
#include "api/engine.h"
#include "engine/epoch.h"
#include "engine/lessons.h"
#include "engine/mem.h"
#include "pupil.h"
#include "strategy/strategies.h"
#include "substrate/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka.h comes after these */
#include <cmocka.h>

enum { TRIALS = 700, CHUNK = 16 };

struct told {
    struct explore_end ends[TRIALS];
    struct lesson lessons[TRIALS];
    unsigned char bytes[TRIALS][SN_LESSON_MAX];
};

static struct strategies strategies;
static struct told *told;

/* Runs all trials with so many states in turn; their orders are left in told. */
static void run_with(uint32_t n, const char *name, uint64_t *orders)
{
    struct sn_test test = pupils_test;
    struct err why = {""};
    struct engine *engine = engine_get(&why);
    struct explore_phase phases[7];
    uint64_t heard[7] = {0};
    struct explore *e;
    struct explore_options options = {
        .test = &test, .phases = phases, .n_phases = 1, .defers_ends = true};

    test.world = SN_WORLD_TRIAL;
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(strategies_open_one(&strategies, name, 1, &phases[i], &why), 0);
        phases[i].until = UINT64_MAX;
        phases[i].until_ns = 0;
    }
    machines_forget(engine->t);
    assert_int_equal(explore_open(&e, engine->t, &options, &why), 0);
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        uint32_t who = (uint32_t)(trial / CHUNK % n);

        for (; heard[who] < epoch_of(trial); heard[who]++)
            explore_tell(&phases[who], 1, heard[who], &told->ends[heard[who]],
                         &told->lessons[heard[who]]);
        explore_set_phases(e, &phases[who], 1);
        explore_seek(e, trial);
        assert_true(explore_next(e));
        told->ends[trial] = explore_end_of(engine->t);
        told->lessons[trial].bytes = told->bytes[trial];
        lesson_copy(&told->lessons[trial], &e->lesson);
        orders[trial] = engine->t->now.order;
    }
    explore_close(e);
    strategies_close(phases, n);
}

static uint64_t one[TRIALS];
static uint64_t several[TRIALS];

static bool is_same_for(const char *name, uint32_t n)
{
    run_with(1, name, one);
    run_with(n, name, several);
    return memcmp(one, several, sizeof(one)) == 0;
}

static void trials_with_lessons_are_the_same_whoever_runs_them(void **state)
{
    (void)state;
    assert_true(is_same_for("pupil", 2));
    assert_true(is_same_for("pupil", 7));
}

static void learning_inside_an_epoch_makes_other_trials(void **state)
{
    (void)state;
    assert_false(is_same_for("hasty", 2));
}

static void lessons_change_trials(void **state)
{
    (void)state;
    run_with(1, "pupil", one);
    run_with(1, "hasty", several);

    assert_memory_equal(one, several, sizeof(one[0])); /* nothing has been learned yet */
    assert_memory_not_equal(one, several, sizeof(one));
}

static void lessons_that_are_not_whole_are_refused(void **state)
{
    struct err why = {""};
    struct lessons *l = mem_reserve_shared(sizeof(*l), &why);
    unsigned char bytes[64];
    size_t n;

    (void)state;
    lessons_come_to(l, &pupil, NULL, 256);
    lessons_keep(l, (const unsigned char *)"abc", 3);
    lessons_keep(l, NULL, 0);
    lessons_keep(l, (const unsigned char *)"defgh", 5);
    n = lessons_save(l, bytes, sizeof(bytes));

    assert_int_equal(n, 8 + 8 + 3 + 8 + 5);
    for (size_t shorter = 0; shorter < n; shorter++) {
        if (shorter != 8 && shorter != 8 + 8 + 3)
            assert_int_equal(lessons_load(l, bytes, shorter), -1);
    }
    bytes[0]++; /* no epoch begins there */
    assert_int_equal(lessons_load(l, bytes, n), -1);
    bytes[0]--;
    bytes[8 + 2] = 2; /* longer than lessons are */
    assert_int_equal(lessons_load(l, bytes, n), -1);
    bytes[8 + 2] = 0;
    bytes[8] = 0; /* empty ones are not kept */
    assert_int_equal(lessons_load(l, bytes, n), -1);
    bytes[8] = 3;
    assert_int_equal(lessons_load(l, bytes, n), 0);
    mem_release(l, sizeof(*l));
}

static void a_strategy_with_half_of_what_lessons_need_is_refused(void **state)
{
    struct strategies all;
    struct sn_strategy half = pupil;
    struct err why = {""};

    (void)state;
    strategies_init(&all);
    half.learn = NULL;
    assert_int_equal(strategies_add(&all, &half, &why), SN_EINVAL);
    half = pupil;
    half.learns = false;
    assert_int_equal(strategies_add(&all, &half, &why), SN_EINVAL);
    half = pupil;
    half.seek = NULL;
    assert_int_equal(strategies_add(&all, &half, &why), SN_EINVAL);
    assert_int_equal(strategies_add(&all, &pupil, &why), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_with_lessons_are_the_same_whoever_runs_them),
        cmocka_unit_test(learning_inside_an_epoch_makes_other_trials),
        cmocka_unit_test(lessons_change_trials),
        cmocka_unit_test(lessons_that_are_not_whole_are_refused),
        cmocka_unit_test(a_strategy_with_half_of_what_lessons_need_is_refused),
    };
    struct err why = {""};

    strategies_init(&strategies);
    told = mem_reserve_shared(sizeof(*told), &why);
    if (told == NULL || strategies_add(&strategies, &pupil, &why) < 0 ||
        strategies_add(&strategies, &hasty, &why) < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
