/* test_ready_oracles.c - the oracles of sennit/oracles.h. SPDX-License-Identifier: MIT */
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void (*body)(void);

static void run_body(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    body();
}

static const struct sn_state body_state = {.name = "Body", .entry = run_body};
static const struct sn_machine body_machine = {.name = "Body", .start = &body_state};

static void run_machines(void)
{
    sn_set_name(sn_create(&body_machine, NULL), "A");
    (void)sn_create(&body_machine, NULL);
}

static const struct sn_machine *const monitors[] = {&sn_one_leader, &sn_agreement,
                                                    &sn_monotone_reads, NULL};

/* What the oracles say of a trial in which two machines, 1 and 2, do this. */
static struct sn_result judge(void (*what)(void))
{
    const struct sn_test test = {.name = "judged", .run = run_machines, .monitors = monitors};

    body = what;
    return run_test_once(&test);
}

/* ---- One leader ----------------------------------------------------------------------------- */

static void lead_same_term(void)
{
    sn_monitor(&sn_one_leader, &sn_became_leader, &(struct sn_leader){7, sn_self()});
}

static void two_leaders_of_one_term_are_a_bug(void **unused)
{
    (void)unused;

    struct sn_result r = judge(lead_same_term);

    assert_int_equal(r.failures, 1);
    assert_non_null(strstr(r.failure, "are both leader of term 7"));
}

static void lead_own_term(void)
{
    for (uint64_t term = 1; term <= 100; term++)
        sn_monitor(&sn_one_leader, &sn_became_leader,
                   &(struct sn_leader){term * 2 + sn_self() % 2, sn_self()});
}

static void leaders_of_different_terms_are_not_a_bug(void **unused)
{
    (void)unused;

    assert_string_equal(judge(lead_own_term).failure, "");
}

static void lead_again(void)
{
    struct sn_leader leader = {.term = sn_self(), .who = sn_self()};

    sn_monitor(&sn_one_leader, &sn_became_leader, &leader);
    sn_monitor(&sn_one_leader, &sn_became_leader, &leader);
}

static void a_leader_may_say_again_that_it_is_one(void **unused)
{
    (void)unused;

    assert_string_equal(judge(lead_again).failure, "");
}

/* ---- Agreement ------------------------------------------------------------------------------ */

static void decide_own_number(void)
{
    sn_monitor(&sn_agreement, &sn_decided, &(struct sn_decision){3, sn_self(), sn_self()});
}

static void different_decisions_about_one_place_are_a_bug(void **unused)
{
    (void)unused;

    struct sn_result r = judge(decide_own_number);

    assert_int_equal(r.failures, 1);
    assert_non_null(strstr(r.failure, "at place 3"));
}

static void decide_the_same(void)
{
    for (uint64_t i = 0; i < 100; i++)
        sn_monitor(&sn_agreement, &sn_decided, &(struct sn_decision){i, i * i, sn_self()});
}

static void equal_decisions_are_not_a_bug(void **unused)
{
    (void)unused;

    assert_string_equal(judge(decide_the_same).failure, "");
}

/* ---- Monotone reads ------------------------------------------------------------------------- */

static void read_backwards(void)
{
    sn_monitor(&sn_monotone_reads, &sn_read, &(struct sn_version){sn_self(), 1, 5});
    sn_monitor(&sn_monotone_reads, &sn_read, &(struct sn_version){sn_self(), 1, 4});
}

static void reading_an_older_version_is_a_bug(void **unused)
{
    (void)unused;

    struct sn_result r = judge(read_backwards);

    assert_int_equal(r.failures, 1);
    assert_non_null(strstr(r.failure, "reads version 4 of key 1, but has read version 5 before"));
}

static void read_forwards(void)
{
    uint64_t mine = sn_self() * 10;

    sn_monitor(&sn_monotone_reads, &sn_read, &(struct sn_version){sn_self(), 1, mine});
    sn_monitor(&sn_monotone_reads, &sn_read, &(struct sn_version){sn_self(), 2, mine - 5});
    sn_monitor(&sn_monotone_reads, &sn_read, &(struct sn_version){sn_self(), 1, mine});
    sn_monitor(&sn_monotone_reads, &sn_read, &(struct sn_version){sn_self(), 1, mine + 1});
}

static void clients_and_keys_are_told_apart(void **unused)
{
    (void)unused;

    assert_string_equal(judge(read_forwards).failure, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_leaders_of_one_term_are_a_bug),
        cmocka_unit_test(leaders_of_different_terms_are_not_a_bug),
        cmocka_unit_test(a_leader_may_say_again_that_it_is_one),
        cmocka_unit_test(different_decisions_about_one_place_are_a_bug),
        cmocka_unit_test(equal_decisions_are_not_a_bug),
        cmocka_unit_test(reading_an_older_version_is_a_bug),
        cmocka_unit_test(clients_and_keys_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
