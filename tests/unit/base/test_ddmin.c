/* test_ddmin.c - delta debugging with made-up properties. SPDX-License-Identifier: MIT */
#include "base/ddmin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { LIST_MAX = 4096, SLOTS = 1 << 14, SETS = 1 << 10 };

/* A list of numbers, and whether it has a property. */
struct problem {
    uint32_t list[LIST_MAX];
    uint64_t entries[LIST_MAX];
    uint32_t n;
    bool (*holds)(const uint32_t *list, uint32_t n, uint64_t salt);
    uint64_t salt;
    uint64_t budget; /* candidates; 0: any number */
    uint64_t calls;  /* of the property */
    uint64_t slots[SLOTS];
    struct ddmin_memory memory;
};

static struct problem problem;

static bool holds_without(const struct problem *p, struct ddmin_range without)
{
    uint32_t list[LIST_MAX];
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n; i++) {
        if (i < without.from || i >= without.to)
            list[n++] = p->list[i];
    }
    return p->holds(list, n, p->salt);
}

/* Tests all of them, as processes at the same time would. */
static uint32_t test(void *self, const struct ddmin_range *without, uint32_t n)
{
    struct problem *p = self;
    uint32_t first = n;

    if (p->budget != 0 && p->calls >= p->budget)
        return DDMIN_STOP;
    for (uint32_t i = n; i > 0; i--) {
        p->calls++;
        first = holds_without(p, without[i - 1]) ? i - 1 : first;
    }
    return first;
}

static void take(void *self, struct ddmin *d, struct ddmin_range without)
{
    struct problem *p = self;

    memmove(p->list + without.from, p->list + without.to, (p->n - without.to) * sizeof(p->list[0]));
    p->n -= without.to - without.from;
    ddmin_leave_out(d, without);
    assert_int_equal(d->n, p->n);
}

static struct ddmin make(uint32_t n, uint32_t width,
                         bool (*holds)(const uint32_t *list, uint32_t n, uint64_t salt))
{
    problem = (struct problem){.n = n, .holds = holds};
    for (uint32_t i = 0; i < n; i++) {
        problem.list[i] = i;
        problem.entries[i] = i + 1;
    }
    problem.memory = (struct ddmin_memory){.slots = problem.slots, .n_slots = SLOTS};
    return (struct ddmin){.entries = problem.entries,
                          .n = n,
                          .width = width,
                          .test = test,
                          .take = take,
                          .self = &problem};
}

static bool has(const uint32_t *list, uint32_t n, uint32_t wanted)
{
    for (uint32_t i = 0; i < n; i++) {
        if (list[i] == wanted)
            return true;
    }
    return false;
}

/* ---- Properties ----------------------------------------------------------------------------- */

static bool has_three(const uint32_t *list, uint32_t n, uint64_t salt)
{
    (void)salt;
    return has(list, n, 3) && has(list, n, 977) && has(list, n, 1900);
}

static bool is_always(const uint32_t *list, uint32_t n, uint64_t salt)
{
    (void)list;
    (void)n;
    (void)salt;
    return true;
}

/* Only the whole list will do. */
static bool is_whole(const uint32_t *list, uint32_t n, uint64_t salt)
{
    (void)list;
    return n == salt;
}

/* One of two groups, and not both together with 5. */
static bool is_crooked(const uint32_t *list, uint32_t n, uint64_t salt)
{
    bool first = has(list, n, 1) && has(list, n, 2);
    bool second = has(list, n, 7) && has(list, n, 8) && has(list, n, 9);

    (void)salt;
    return (first || second) && !(first && second && has(list, n, 5) && n < 10);
}

static uint32_t bits_of(const uint32_t *list, uint32_t n)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < n; i++)
        bits |= UINT32_C(1) << list[i];
    return bits;
}

/* Any set of sets, as the bits of a random function say. The whole list has it. */
static bool is_random(const uint32_t *list, uint32_t n, uint64_t salt)
{
    uint64_t x = (salt + bits_of(list, n)) * UINT64_C(0x9e3779b97f4a7c15);

    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return n == 10 || (x >> 61) < 3;
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void what_is_needed_is_left(void **unused)
{
    struct ddmin d = make(2000, 8, has_three);

    (void)unused;
    assert_true(ddmin_run(&d));

    assert_int_equal(problem.n, 3);
    assert_int_equal(problem.list[0], 3);
    assert_int_equal(problem.list[1], 977);
    assert_int_equal(problem.list[2], 1900);
    assert_true(d.tests < 200);
}

static void nothing_is_left_of_what_is_not_needed_at_all(void **unused)
{
    struct ddmin d = make(1000, 4, is_always);

    (void)unused;
    assert_true(ddmin_run(&d));

    assert_int_equal(problem.n, 0);
    assert_int_equal(d.tests, 1);
}

static void a_list_of_which_all_is_needed_stays_as_it_is(void **unused)
{
    struct ddmin d = make(32, 4, is_whole);

    (void)unused;
    problem.salt = 32;
    assert_false(ddmin_run(&d));

    assert_int_equal(problem.n, 32);
    assert_false(d.is_stopped);
}

static void an_empty_list_needs_no_test(void **unused)
{
    struct ddmin d = make(0, 4, is_always);

    (void)unused;
    assert_false(ddmin_run(&d));

    assert_int_equal(problem.calls, 0);
}

/* Whether no single entry of what is left can be left out, by trying them all. */
static bool is_minimal(void)
{
    for (uint32_t i = 0; i < problem.n; i++) {
        if (holds_without(&problem, (struct ddmin_range){i, i + 1}))
            return false;
    }
    return holds_without(&problem, (struct ddmin_range){0, 0});
}

static void no_single_entry_of_the_result_can_be_removed_whatever_the_property_is(void **unused)
{
    (void)unused;
    for (uint64_t salt = 0; salt < SETS; salt++) {
        struct ddmin d = make(10, 1 + (uint32_t)(salt % 7), is_random);

        problem.salt = salt * 1024;
        (void)ddmin_run(&d);

        assert_true(is_minimal());
    }
}

static void a_property_that_is_not_monotone_keeps_what_it_needs(void **unused)
{
    struct ddmin d = make(40, 3, is_crooked);

    (void)unused;
    assert_true(ddmin_run(&d));

    assert_true(is_minimal());
    assert_true(problem.n == 2 || problem.n == 3);
}

static void the_result_is_the_same_however_many_are_tested_at_once(void **unused)
{
    (void)unused;
    for (uint64_t salt = 0; salt < 64; salt++) {
        struct ddmin one = make(10, 1, is_random);
        struct ddmin many;
        uint32_t bits;

        problem.salt = salt * 1024;
        (void)ddmin_run(&one);
        bits = bits_of(problem.list, problem.n);
        many = make(10, DDMIN_WIDTH_MAX, is_random);
        problem.salt = salt * 1024;
        (void)ddmin_run(&many);

        assert_int_equal(bits_of(problem.list, problem.n), bits);
        assert_int_equal(many.tests, one.tests);
    }
}

static void nothing_is_tested_twice_with_a_memory(void **unused)
{
    struct ddmin d = make(10, 1, is_random);
    uint64_t calls;

    (void)unused;
    problem.salt = 7 * 1024;
    d.memory = &problem.memory;
    (void)ddmin_run(&d);
    calls = problem.calls;
    assert_false(ddmin_run(&d));

    assert_int_equal(problem.calls, calls);
    assert_int_equal(d.tests, 0);
}

static void the_result_is_the_same_with_a_memory(void **unused)
{
    (void)unused;
    for (uint64_t salt = 0; salt < SETS; salt++) {
        struct ddmin without = make(10, 3, is_random);
        struct ddmin with;
        uint32_t bits;

        problem.salt = salt * 1024;
        (void)ddmin_run(&without);
        bits = bits_of(problem.list, problem.n);
        with = make(10, 3, is_random);
        with.memory = &problem.memory;
        problem.salt = salt * 1024;
        (void)ddmin_run(&with);

        assert_int_equal(bits_of(problem.list, problem.n), bits);
    }
}

static void of_candidates_with_the_same_entries_one_is_tested(void **unused)
{
    struct ddmin d = make(8, 1, is_whole);

    (void)unused;
    problem.salt = 8;
    d.memory = &problem.memory;
    for (uint32_t i = 0; i < 8; i++)
        problem.entries[i] = 5;
    assert_false(ddmin_run(&d));

    assert_int_equal(d.tests, 4); /* without 8, 4, 2 and 1 of them */
}

static void entries_in_another_order_are_another_candidate(void **unused)
{
    struct ddmin d = make(3, 1, is_whole);

    (void)unused;
    problem.salt = 3;
    d.memory = &problem.memory;
    problem.entries[0] = problem.entries[2]; /* without the first or the last: 2 3, or 3 2 */
    assert_false(ddmin_run(&d));

    assert_int_equal(d.tests, 5); /* without 3, the last 2, and each, but for the first again */
}

static uint32_t test_nothing(void *self, const struct ddmin_range *without, uint32_t n)
{
    (void)self;
    (void)without;
    return n;
}

/* It would never end if what is in a candidate were found out by going through all of it. */
static void a_long_list_of_which_all_is_known_is_gone_through_without_a_test(void **unused)
{
    static uint64_t entries[1 << 18];
    static uint64_t slots[1 << 20];
    struct ddmin_memory memory = {.slots = slots, .n_slots = 1 << 20};
    struct ddmin d = {
        .entries = entries, .n = 1 << 18, .memory = &memory, .width = 16, .test = test_nothing};

    (void)unused;
    for (uint32_t i = 0; i < 1 << 18; i++)
        entries[i] = i;
    assert_false(ddmin_run(&d));
    assert_int_equal(d.tests, (1 << 19) - 1);
    assert_false(ddmin_run(&d));

    assert_int_equal(d.tests, 0);
}

static void a_memory_does_not_mix_up_what_else_a_test_depends_on(void **unused)
{
    struct ddmin d = make(32, 1, is_whole);

    (void)unused;
    problem.salt = 32;
    d.memory = &problem.memory;
    d.rest = 1;
    assert_false(ddmin_run(&d));
    problem.holds = is_always;
    d.rest = 2;
    assert_true(ddmin_run(&d));

    assert_int_equal(problem.n, 0);
}

static void a_budget_leaves_what_was_reached_within_it(void **unused)
{
    struct ddmin d = make(2000, 1, has_three);

    (void)unused;
    problem.budget = 20;
    assert_true(ddmin_run(&d));

    assert_true(d.is_stopped);
    assert_int_equal(d.tests, 20);
    assert_true(problem.n > 3 && problem.n < 2000);
    assert_true(has_three(problem.list, problem.n, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_needed_is_left),
        cmocka_unit_test(nothing_is_left_of_what_is_not_needed_at_all),
        cmocka_unit_test(a_list_of_which_all_is_needed_stays_as_it_is),
        cmocka_unit_test(an_empty_list_needs_no_test),
        cmocka_unit_test(no_single_entry_of_the_result_can_be_removed_whatever_the_property_is),
        cmocka_unit_test(a_property_that_is_not_monotone_keeps_what_it_needs),
        cmocka_unit_test(the_result_is_the_same_however_many_are_tested_at_once),
        cmocka_unit_test(nothing_is_tested_twice_with_a_memory),
        cmocka_unit_test(the_result_is_the_same_with_a_memory),
        cmocka_unit_test(of_candidates_with_the_same_entries_one_is_tested),
        cmocka_unit_test(entries_in_another_order_are_another_candidate),
        cmocka_unit_test(a_long_list_of_which_all_is_known_is_gone_through_without_a_test),
        cmocka_unit_test(a_memory_does_not_mix_up_what_else_a_test_depends_on),
        cmocka_unit_test(a_budget_leaves_what_was_reached_within_it),
    };

    return cmocka_run_group_tests_name("ddmin", tests, NULL, NULL);
}
