/* test_golden.c - what a seed means: the same trials for ever, on every processor.
 *
 * If one of these fails because a strategy was changed on purpose, seeds that people have written
 * down no longer lead where they did: say so in the change, and write the new number here.
 * SPDX-License-Identifier: MIT
 */
#include "chatter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { TRIALS = 300 }; /* more than an epoch of strategies that learn */

static struct chatter *chatter;

static void assert_golden(const char *strategy, uint64_t n, uint64_t hash)
{
    assert_int_equal(chatter_run(chatter, strategy, TRIALS), 0);
    if (chatter_hash(chatter) != hash)
        print_error("%s: 0x%llx\n", strategy, (unsigned long long)chatter_hash(chatter));
    assert_int_equal(chatter->n, n);
    assert_true(chatter_hash(chatter) == hash);
}

static void random_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("random", TRIALS, UINT64_C(0xae08fc43f0bbf3cf));
}

static void pos_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("pos", TRIALS, UINT64_C(0x49833cd86868d898));
}

static void posr_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("posr", TRIALS, UINT64_C(0x694864f2d30e87fd));
}

static void pct_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("pct:3", TRIALS, UINT64_C(0x2952db74412ce45b));
}

static void pct_with_steps_given_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("pct:5:30", TRIALS, UINT64_C(0xffc4ed26a5854566));
}

static void conflict_analysis_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("random+ca", TRIALS, UINT64_C(0x344dc61473de918c));
    assert_golden("pos+ca", TRIALS, UINT64_C(0xccd3f71669afaf8d));
    assert_golden("pct+ca:3", TRIALS, UINT64_C(0x519ff92924dcccaa));
    assert_golden("tapct:3", TRIALS, UINT64_C(0x8cc2440e68db1581));
    assert_golden("posr+ca:pc", TRIALS, UINT64_C(0x66a57aac44f4ad17));
}

static void pctcp_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("pctcp:3", TRIALS, UINT64_C(0xacb746798abf235b));
}

static void urw_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("urw", TRIALS, UINT64_C(0x28bfcf7059925ece));
}

static void surw_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("surw", TRIALS, UINT64_C(0x03d46af197d295f4));
}

static void ql_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("ql", TRIALS, UINT64_C(0x1950f9078a9ef0d1));
}

static void fest_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("fest", TRIALS, UINT64_C(0x76da81bf5a7b8029));
}

static void sr_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("sr", TRIALS, UINT64_C(0xea569f1e94c9c704));
}

static void fair_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("fair", TRIALS, UINT64_C(0x7a96b1df3f7bda19));
}

static void dfs_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("dfs", TRIALS, UINT64_C(0xe4769dce2e1faec4));
}

static void delay_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("delay:2", TRIALS, UINT64_C(0x60fac83850db567a));
}

static void delay_with_a_coin_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("delay:3:coin", TRIALS, UINT64_C(0x59d3966c934e21a7));
}

static void portfolio_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("portfolio", TRIALS, UINT64_C(0xeba539c4d7d18ea));
}

static void what_tests_are_run_with_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("portfolio:random+ca/surw/fest", TRIALS, UINT64_C(0x4eb70a0c2464b14b));
}

static void a_composition_is_what_it_was(void **unused)
{
    (void)unused;
    assert_golden("random@3,pct:2:9@12,pos", TRIALS, UINT64_C(0xca7edc4772ec6b11));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_is_what_it_was),
        cmocka_unit_test(pos_is_what_it_was),
        cmocka_unit_test(posr_is_what_it_was),
        cmocka_unit_test(pct_is_what_it_was),
        cmocka_unit_test(pct_with_steps_given_is_what_it_was),
        cmocka_unit_test(pctcp_is_what_it_was),
        cmocka_unit_test(conflict_analysis_is_what_it_was),
        cmocka_unit_test(urw_is_what_it_was),
        cmocka_unit_test(surw_is_what_it_was),
        cmocka_unit_test(ql_is_what_it_was),
        cmocka_unit_test(fest_is_what_it_was),
        cmocka_unit_test(sr_is_what_it_was),
        cmocka_unit_test(fair_is_what_it_was),
        cmocka_unit_test(dfs_is_what_it_was),
        cmocka_unit_test(delay_is_what_it_was),
        cmocka_unit_test(delay_with_a_coin_is_what_it_was),
        cmocka_unit_test(portfolio_is_what_it_was),
        cmocka_unit_test(what_tests_are_run_with_is_what_it_was),
        cmocka_unit_test(a_composition_is_what_it_was),
    };

    chatter = chatter_new();
    if (chatter == NULL)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
