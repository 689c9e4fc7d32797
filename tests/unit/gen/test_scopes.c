/* test_scopes.c - by what values are known: not by how many others were drawn before.
 * SPDX-License-Identifier: MIT
 */
#include "minimum.h"

#include "trace/trace.h"

#include <sennit/sennit.h>
#include <stdio.h>
#include <stdlib.h>

/* Both draw two elements, and then a value outside. The first element differs. */
static void short_element(void)
{
    struct sn_list list = sn_list_begin("list", 2, 2);

    while (sn_list_next(&list))
        (void)sn_choose("x", 10);
    (void)sn_choose("outside", 10);
    sn_assert(false);
}

static void long_element(void)
{
    struct sn_list list = sn_list_begin("list", 2, 2);

    while (sn_list_next(&list)) {
        for (int i = 0; i < (list.n == 1 ? 3 : 1); i++)
            (void)sn_choose("x", 10);
        if (list.n == 1)
            (void)sn_string("text", "ab", 3, 3);
    }
    (void)sn_choose("outside", 10);
    sn_assert(false);
}

/* Two lists of one label, and two elements of each. */
static void four_elements(void)
{
    for (int i = 0; i < 2; i++) {
        struct sn_list list = sn_list_begin("list", 2, 2);

        while (sn_list_next(&list))
            (void)sn_choose("x", 10);
    }
    sn_assert(false);
}

/* The keys of the draws of a trial. Returns how many there are. */
static size_t keys_of(void (*run)(void), uint64_t *keys, size_t n_max)
{
    const struct sn_test test = {.name = "scopes", .run = run};
    char directory[] = "/tmp/sennit-scopes-XXXXXX";
    struct sn_options options = {.iterations = 1, .strategy = "random"};
    struct trace trace = {0};
    struct sn_result r;
    char command[64];
    size_t n = 0;

    options.outdir = mkdtemp(directory);
    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_int_equal(trace_read(&trace, r.trace, NULL), 0);
    for (size_t i = 0; i < trace.n_records; i++) {
        if (trace.records[i].kind == TRACE_DRAW && n < n_max)
            keys[n++] = trace.records[i].draw.key;
    }
    trace_done(&trace);
    (void)snprintf(command, sizeof(command), "rm -r %s", directory);
    assert_int_equal(system(command), 0);
    return n;
}

static void what_is_drawn_in_an_element_is_known_whatever_came_before_it(void **unused)
{
    uint64_t few[32];
    uint64_t many[32];
    size_t n_few = keys_of(short_element, few, 32);
    size_t n_many = keys_of(long_element, many, 32);

    (void)unused;
    assert_int_equal(n_few, 3);
    assert_int_equal(n_many, 8);
    assert_true(few[0] == many[0]);
    assert_true(few[1] == many[6]);
    assert_true(few[2] == many[7]);
}

static void each_element_of_each_list_has_keys_of_its_own(void **unused)
{
    uint64_t keys[8];
    size_t n = keys_of(four_elements, keys, 8);

    (void)unused;
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++)
            assert_true(keys[i] != keys[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_drawn_in_an_element_is_known_whatever_came_before_it),
        cmocka_unit_test(each_element_of_each_list_has_keys_of_its_own),
    };

    return cmocka_run_group_tests_name("scopes", tests, NULL, NULL);
}
