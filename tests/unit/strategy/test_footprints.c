/* test_footprints.c - tests of footprints.c: what steps touch, each set of touches kept once.
 * SPDX-License-Identifier: MIT
 */
#include "strategy/footprints.h"

#include "base/rng.h"
#include "engine/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* More than are kept at hand, and more than are paired. */
enum { MANY = 4 * FOOTPRINTS_RECENT };

static struct footprints *f;

static int set_up(void **state)
{
    (void)state;
    f = mem_reserve_shared(sizeof(*f), NULL);
    return f != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    mem_release(f, sizeof(*f));
    return 0;
}

/* A step that writes to an object of its own, and to another that is every other one's, too. */
static uint32_t get(uint64_t i)
{
    const struct touch touches[] = {{mix64(i), TOUCH_WRITE}, {mix64(i % 2), TOUCH_READ}};

    return footprints_get(f, touches, 2);
}

static void the_same_touches_are_the_same_footprint(void **state)
{
    uint32_t first;

    (void)state;
    first = get(7);

    assert_true(first > FOOTPRINT_UNKNOWN);
    assert_int_equal(get(7), first);
}

static void each_of_many_footprints_keeps_its_number(void **state)
{
    static uint32_t numbers[MANY];
    uint32_t n_other = 0;

    (void)state;
    for (uint64_t i = 0; i < MANY; i++)
        numbers[i] = get(i);
    for (uint64_t i = 0; i < MANY; i++)
        n_other += get(i) != numbers[i];

    assert_int_equal(n_other, 0);
    assert_int_equal(f->n, MANY);
}

static void what_differs_only_in_how_it_is_touched_is_another_footprint(void **state)
{
    const struct touch read = {1, TOUCH_READ};
    const struct touch write = {1, TOUCH_WRITE};

    (void)state;
    assert_int_not_equal(footprints_get(f, &read, 1), footprints_get(f, &write, 1));
}

static void what_touches_more_is_another_footprint(void **state)
{
    const struct touch touches[] = {{1, TOUCH_READ}, {2, TOUCH_READ}};

    (void)state;
    assert_int_not_equal(footprints_get(f, touches, 1), footprints_get(f, touches, 2));
}

static void reads_do_not_conflict_and_a_write_does(void **state)
{
    const struct touch first[] = {{1, TOUCH_READ}, {2, TOUCH_READ}};
    const struct touch second[] = {{1, TOUCH_READ}, {3, TOUCH_WRITE}};
    const struct touch third[] = {{1, TOUCH_WRITE}};
    uint32_t reads = footprints_get(f, first, 2);

    (void)state;
    assert_false(footprints_conflict(f, reads, footprints_get(f, second, 2)));
    assert_true(footprints_conflict(f, reads, footprints_get(f, third, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_touches_are_the_same_footprint, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_of_many_footprints_keeps_its_number, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_differs_only_in_how_it_is_touched_is_another_footprint,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_touches_more_is_another_footprint, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_do_not_conflict_and_a_write_does, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
