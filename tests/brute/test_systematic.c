/* test_systematic.c - the partial orders that systematic strategies find, against brute force.
 *
 *     test_systematic [PROGRAMS [SEED]]
 *     test_systematic program NUMBER      prints one that was named, and what is tried of it
 *
 * The enumerator lists all schedules of a random program and sorts them into traces. A strategy
 * must meet each trace; an optimal one meets each exactly once. SPDX-License-Identifier: MIT
 */
#include "search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t n_programs = 1000;
static uint64_t first_seed = 1;

static struct search_totals totals;

static void odpor_meets_every_partial_order_exactly_once(void **state)
{
    (void)state;
    search_random_programs("odpor:trees", n_programs, first_seed, &totals);
    assert_int_equal(totals.n_wrong, 0);
    assert_int_equal(totals.n_missed, 0);
    assert_int_equal(totals.n_repeated, 0);
    assert_int_equal(totals.n_trials, totals.n_traces);
}

/* Each of them needs a rule that hardly any other does. */
static void odpor_misses_nothing_that_it_once_missed(void **state)
{
    static const uint64_t seeds[] = {
        UINT64_C(2151947770848436382),  /* a halt drops what the machine never took */
        UINT64_C(13175191029510983276), /* what is sent to a halted machine was deferred before */
        UINT64_C(14821245474548141222), /* a deferring machine with a shared inbox */
        UINT64_C(15544767668839813574), /* what is ahead of a message is taken later than it */
        UINT64_C(14128586053096578654), /* a plan was given up, and others relied on it */
        UINT64_C(15079922781272439490), /* the same with messages that a cut holds */
        UINT64_C(5820595507423523934),  /* an operation touches more with one value than another */
        UINT64_C(17209449721179248868), /* some values of two operations sleep at once */
        UINT64_C(16621854508380838005), /* a value is woken, and is to come earlier still */
        UINT64_C(2658238281411919797),  /* what was tried depends on something after the act */
    };
    struct search_totals found;

    (void)state;
    search_programs("odpor:trees", seeds, sizeof(seeds) / sizeof(seeds[0]), &found);
    assert_int_equal(found.n_programs, sizeof(seeds) / sizeof(seeds[0]));
    assert_int_equal(found.n_wrong, 0);
    assert_int_equal(found.n_missed, 0);
    assert_int_equal(found.n_repeated, 0);
}

/* In 20,000 of these programs, six of 476,440: not in one of a thousand programs. */
static void odpor_hardly_ever_blocks_a_trial(void **state)
{
    (void)state;
    assert_true(totals.n_trials > 0);
    assert_true(totals.n_blocked * 50000 <= totals.n_trials);
}

/* See odpor.c for when it does. */
static void odpor_hardly_ever_probes(void **state)
{
    (void)state;
    assert_true(totals.n_trials > 0);
    assert_true(totals.n_probes * 500 <= totals.n_trials);
}

static void odpor_blocks_nothing_that_it_once_blocked(void **state)
{
    static const uint64_t seeds[] = {
        UINT64_C(17066166140588888511), /* a step does less if it comes earlier */
        UINT64_C(12410204559603348420), /* with another value than planned nothing is sent */
        UINT64_C(14552407806950074422), /* a plan is covered by what was tried after it was made */
        UINT64_C(11068462526407778059), /* a step draws less than planned */
    };
    struct search_totals found;

    (void)state;
    search_programs("odpor:trees", seeds, sizeof(seeds) / sizeof(seeds[0]), &found);
    assert_int_equal(found.n_programs, sizeof(seeds) / sizeof(seeds[0]));
    assert_int_equal(found.n_wrong, 0);
    assert_int_equal(found.n_missed, 0);
    assert_int_equal(found.n_repeated, 0);
    assert_int_equal(found.n_blocked, 0);
}

/* Nor blocks it. */
static void odpor_does_not_probe_for_what_it_knows(void **state)
{
    static const uint64_t seeds[] = {
        UINT64_C(7575925728542473069),  /* a plan is covered by what was tried after it was made */
        UINT64_C(14493045464452248178), /* the same */
        UINT64_C(9829048414385309185),  /* a cut loses what is sent to a halted machine */
        UINT64_C(6900675473939097295),  /* the same */
    };
    struct search_totals found;

    (void)state;
    search_programs("odpor:trees", seeds, sizeof(seeds) / sizeof(seeds[0]), &found);
    assert_int_equal(found.n_programs, sizeof(seeds) / sizeof(seeds[0]));
    assert_int_equal(found.n_wrong, 0);
    assert_int_equal(found.n_missed, 0);
    assert_int_equal(found.n_repeated, 0);
    assert_int_equal(found.n_blocked, 0);
    assert_int_equal(found.n_probes, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odpor_meets_every_partial_order_exactly_once),
        cmocka_unit_test(odpor_hardly_ever_blocks_a_trial),
        cmocka_unit_test(odpor_hardly_ever_probes),
        cmocka_unit_test(odpor_misses_nothing_that_it_once_missed),
        cmocka_unit_test(odpor_blocks_nothing_that_it_once_blocked),
        cmocka_unit_test(odpor_does_not_probe_for_what_it_knows),
    };

    if (argc == 3 && strcmp(argv[1], "program") == 0) {
        search_and_print("odpor:trees", strtoull(argv[2], NULL, 10));
        return 0;
    }
    if (argc > 1)
        n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
