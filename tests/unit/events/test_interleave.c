/* test_interleave.c - tests of interleave.c. What each pruning keeps is compared with brute force
 * in tests/events. SPDX-License-Identifier: MIT
 */
#include "made_events.h"

#include <stdlib.h>

enum { KEPT_MAX = 5040, PROGRAMS = 300 };

struct list {
    uint32_t n;
    uint8_t orders[KEPT_MAX][RECORDING_EVENTS_MAX];
};

static struct list all;
static struct list rest;

static void list_all(struct list *list, const struct units *u)
{
    struct interleave it;

    list->n = 0;
    interleave_init(&it, u);
    while (interleave_next(&it)) {
        assert_true(list->n < KEPT_MAX);
        memcpy(list->orders[list->n++], it.order, it.n);
    }
}

static struct units units_of(const struct recording *r, const char *prune, const char *watch,
                             const char *constraints)
{
    struct rules rules = made_rules(r, prune, watch, constraints);

    rules.is_free = true;
    return made_units(r, &rules);
}

/* ---- Figures of the publication ------------------------------------------------------------- */

static void the_motivating_example_goes_from_5040_by_24_to_19(void **unused)
{
    struct recording r;
    struct units plain;
    struct units grouped;
    struct units watched;

    (void)unused;
    made_town(&r);
    plain = units_of(&r, "none", NULL, NULL);
    grouped = units_of(&r, "groups:paper", NULL, NULL);
    watched = units_of(&r, "groups:paper,replicas:paper", "A:queries", NULL);

    assert_int_equal(made_walk(&plain), 5040);
    assert_int_equal(made_walk(&grouped), 24);
    assert_int_equal(made_walk(&watched), 19);
}

static void eight_events_with_two_syncs_go_from_40320_to_720(void **unused)
{
    struct recording r;
    struct units plain;
    struct units grouped;

    (void)unused;
    made_clear(&r, 2);
    made_update(&r, A);
    made_update(&r, A);
    made_request(&r, A, B);
    made_apply(&r, 2, B);
    made_update(&r, B);
    made_update(&r, B);
    made_request(&r, B, A);
    made_apply(&r, 6, A);
    plain = units_of(&r, "none", NULL, NULL);
    grouped = units_of(&r, "groups:paper", NULL, NULL);

    assert_int_equal(made_walk(&plain), 40320);
    assert_int_equal(made_walk(&grouped), 720);
}

static void four_events_that_nobody_sees_go_from_24_to_1(void **unused)
{
    struct recording r;
    static const char order[] = "[{\"before\": [0, 1]}, {\"before\": [1, 2]}, {\"before\": [1, 3]},"
                                "{\"before\": [1, 4]}, {\"before\": [1, 5]}]";
    struct units plain;
    struct units pruned;

    (void)unused;
    made_clear(&r, 2);
    made_request(&r, A, B);
    made_apply(&r, 0, B);
    for (int i = 0; i < 4; i++)
        made_update(&r, A);
    plain = units_of(&r, "none", NULL, order);
    pruned = units_of(&r, "replicas", "B", order);

    assert_int_equal(made_walk(&plain), 24);
    assert_int_equal(made_walk(&pruned), 1);
}

static void three_events_that_are_independent_or_fail_go_from_6_to_1(void **unused)
{
    struct recording r;
    struct units plain;
    struct units independent;
    struct units failed;

    (void)unused;
    made_clear(&r, 1);
    for (int i = 0; i < 3; i++)
        made_update(&r, A);
    plain = units_of(&r, "all", NULL, NULL);
    independent = units_of(&r, "all", NULL, "{\"independent\": [0, 1, 2]}");
    failed = units_of(&r, "all", NULL, "{\"failed\": {\"after\": [], \"events\": [0, 1, 2]}}");

    assert_int_equal(made_walk(&plain), 6);
    assert_int_equal(made_walk(&independent), 1);
    assert_int_equal(made_walk(&failed), 1);
}

/* ---- Walking -------------------------------------------------------------------------------- */

static void draw(struct recording *r, struct units *u, uint64_t seed)
{
    struct rules rules;

    made_at_random(r, &rules, seed, 2 + (uint32_t)(seed % 6));
    *u = made_units(r, &rules);
}

static void interleavings_come_in_ascending_order_and_keep_what_they_say(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        struct recording r;
        struct units u;
        struct interleave it;
        uint8_t last[RECORDING_EVENTS_MAX] = {0};
        uint32_t n = 0;

        draw(&r, &u, seed);
        interleave_init(&it, &u);
        for (; interleave_next(&it); n++) {
            assert_int_equal(it.n, r.n);
            assert_true(n == 0 || memcmp(last, it.order, it.n) < 0);
            assert_true(n > 0 || it.kept == 0);
            assert_memory_equal(last, it.order, it.kept);
            memcpy(last, it.order, it.n);
        }
        assert_true(n > 0);
        assert_false(interleave_next(&it));
    }
}

static void the_number_that_is_counted_is_the_number_that_is_walked(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        struct recording r;
        struct units u;
        double count = 0;

        draw(&r, &u, seed);

        assert_true(interleave_count(&u, 10000, &count));
        assert_int_equal((uint64_t)count, made_walk(&u));
    }
}

static void a_count_that_takes_too_many_states_is_not_known(void **unused)
{
    struct recording r;
    struct rules rules = {.is_free = true};
    struct units u;
    double count = 0;

    (void)unused;
    made_clear(&r, 1);
    for (int i = 0; i < 20; i++)
        made_update(&r, A);
    u = made_units(&r, &rules);

    assert_false(interleave_count(&u, 1000, &count));
    assert_true(interleave_count(&u, 1 << 20, &count));
    assert_true(count > 2.4329e18 && count < 2.4330e18);
}

static void a_walk_that_is_taken_up_anywhere_gives_the_rest(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < PROGRAMS; seed += 3) {
        struct recording r;
        struct units u;

        draw(&r, &u, seed);
        list_all(&all, &u);
        for (uint32_t i = 0; i < all.n; i += 1 + all.n / 40) {
            struct interleave it;
            uint32_t n = i + 1;

            interleave_init(&it, &u);
            interleave_seek(&it, all.orders[i]);
            for (; interleave_next(&it); n++)
                assert_memory_equal(it.order, all.orders[n], it.n);
            assert_int_equal(n, all.n);
        }
    }
}

static void with_other_rules_it_gives_what_is_larger_under_those(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < PROGRAMS; seed += 3) {
        struct recording r;
        struct rules rules;
        struct units loose;
        struct units tight;

        made_at_random(&r, &rules, seed, 2 + (uint32_t)(seed % 5));
        tight = made_units(&r, &rules);
        rules.prunings = 0;
        loose = made_units(&r, &rules);
        list_all(&all, &loose);
        list_all(&rest, &tight);
        for (uint32_t i = 0; i < all.n; i += 1 + all.n / 40) {
            struct interleave it;
            uint32_t n = 0;

            while (n < rest.n && memcmp(rest.orders[n], all.orders[i], r.n) <= 0)
                n++;
            interleave_init(&it, &tight);
            interleave_seek(&it, all.orders[i]);
            for (; interleave_next(&it); n++)
                assert_memory_equal(it.order, rest.orders[n], it.n);
            assert_int_equal(n, rest.n);
        }
    }
}

static void it_is_known_of_every_order_whether_the_walk_comes_to_it(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < PROGRAMS; seed += 3) {
        struct recording r;
        struct rules rules = {.is_free = true};
        struct units any;
        struct units u;
        struct interleave it;
        uint32_t n = 0;

        draw(&r, &u, seed);
        any = made_units(&r, &rules);
        list_all(&rest, &u);
        interleave_init(&it, &any);
        while (interleave_next(&it)) {
            bool is_next = n < rest.n && memcmp(it.order, rest.orders[n], r.n) == 0;

            assert_int_equal(interleave_has(&u, it.order), is_next);
            n += is_next;
        }
        assert_int_equal(n, rest.n);
    }
}

static void a_walk_over_24_events_needs_nothing_but_its_struct(void **unused)
{
    struct recording r;
    struct rules rules = {.is_free = true};
    struct units u;
    struct interleave it;
    struct interleave copy;

    (void)unused;
    made_clear(&r, 2);
    for (int i = 0; i < 24; i++)
        made_update(&r, (uint8_t)(i % 2));
    u = made_units(&r, &rules);
    interleave_init(&it, &u);
    for (int i = 0; i < 100000; i++)
        assert_true(interleave_next(&it));

    copy = it; /* all there is of it, and nobody else knows it */
    memset(&it, 0x5a, sizeof(it));
    assert_true(interleave_next(&copy));
    assert_memory_equal(copy.order, ((uint8_t[]){0, 1, 2, 3}), 4);
    assert_true(sizeof(it) < 8192);
}

/* ---- Inferring ------------------------------------------------------------------------------ */

struct asked {
    const struct units *u;
    uint32_t n;
    bool says;
    bool is_wrong; /* asked for what it could not have run */
};

static bool answer(void *self, const uint8_t *prefix, uint32_t n, uint32_t unit, uint32_t other)
{
    struct asked *asked = self;
    uint64_t done = 0;

    asked->n++;
    for (uint32_t i = 0; i < n; i++)
        done |= UINT64_C(1) << prefix[i];
    asked->is_wrong |= unit == other || (asked->u->before[unit] & ~done) != 0 ||
                       (asked->u->before[other] & ~done) != 0 || (done >> unit & 1) != 0 ||
                       (done >> other & 1) != 0;
    return asked->says;
}

static uint32_t walk_asking(const struct units *u, struct asked *asked)
{
    struct interleave it;
    uint32_t n = 0;

    interleave_init(&it, u);
    it.ask = answer;
    it.self = asked;
    while (interleave_next(&it))
        n++;
    assert_int_equal(it.asked, asked->n);
    assert_int_equal(it.commuted, asked->says ? asked->n : 0);
    return n;
}

static void if_everything_commutes_where_it_is_tried_one_is_left(void **unused)
{
    struct recording r;
    struct rules rules = {.is_free = true};
    struct units u;
    struct asked yes = {.u = &u, .says = true};
    struct asked no = {.u = &u, .says = false};

    (void)unused;
    made_town(&r);
    u = made_units(&r, &rules);

    assert_int_equal(walk_asking(&u, &yes), 1);
    assert_true(yes.n > 0);
    assert_false(yes.is_wrong);
    assert_int_equal(walk_asking(&u, &no), 5040);
    assert_false(no.is_wrong);
}

static void only_what_could_happen_there_is_asked_for(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        struct recording r;
        struct rules rules;
        struct units u;
        struct asked yes = {.u = &u, .says = true};
        struct asked no = {.u = &u, .says = false};

        made_at_random(&r, &rules, seed, 5);
        rules.prunings &= ~(uint32_t)PRUNE_GROUPS; /* so that units are events */
        u = made_units(&r, &rules);

        assert_true(walk_asking(&u, &yes) >= 1);
        assert_int_equal(walk_asking(&u, &no), made_walk(&u));
        assert_false(yes.is_wrong || no.is_wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_motivating_example_goes_from_5040_by_24_to_19),
        cmocka_unit_test(eight_events_with_two_syncs_go_from_40320_to_720),
        cmocka_unit_test(four_events_that_nobody_sees_go_from_24_to_1),
        cmocka_unit_test(three_events_that_are_independent_or_fail_go_from_6_to_1),
        cmocka_unit_test(interleavings_come_in_ascending_order_and_keep_what_they_say),
        cmocka_unit_test(the_number_that_is_counted_is_the_number_that_is_walked),
        cmocka_unit_test(a_count_that_takes_too_many_states_is_not_known),
        cmocka_unit_test(a_walk_that_is_taken_up_anywhere_gives_the_rest),
        cmocka_unit_test(with_other_rules_it_gives_what_is_larger_under_those),
        cmocka_unit_test(it_is_known_of_every_order_whether_the_walk_comes_to_it),
        cmocka_unit_test(a_walk_over_24_events_needs_nothing_but_its_struct),
        cmocka_unit_test(if_everything_commutes_where_it_is_tried_one_is_left),
        cmocka_unit_test(only_what_could_happen_there_is_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
