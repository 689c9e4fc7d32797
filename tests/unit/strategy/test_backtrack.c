/* test_backtrack.c - strategies with backtrack sets on programs that were worked out by hand.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- Machines that pass on what they are told to --------------------------------------------- */

enum { PLACES = 4 };

/* What a message sends on, up to two others; sent by number. */
struct letter {
    uint32_t to; /* the machine, from 1; 0: nobody */
    uint32_t sends[2];
};

struct program {
    const struct letter *letters; /* number 0 is none */
    uint32_t first[4];            /* that the test sends; up to a 0 */
    uint32_t fails;               /* if it is the first that reaches its machine; 0: none does */
};

static const struct program *program;

static const struct sn_event message = {.name = "Message", .size = sizeof(uint32_t)};

static void send_letter(sn_id nearest, uint32_t place, uint32_t number)
{
    if (number != 0)
        sn_send(nearest - place + program->letters[number].to, &message, &number);
}

static void on_message(void *self, const void *payload)
{
    uint32_t number = *(const uint32_t *)payload;
    const struct letter *letter = &program->letters[number];
    uint32_t *n_received = self;

    sn_assert((*n_received)++ > 0 || number != program->fails);
    send_letter(sn_self(), letter->to, letter->sends[0]);
    send_letter(sn_self(), letter->to, letter->sends[1]);
}

static const struct sn_state waiting = {
    .name = "Waiting",
    .on = (const struct sn_on[]){{.event = &message, .run = on_message}, {0}},
};
static const struct sn_machine machine = {
    .name = "Machine", .size = sizeof(uint32_t), .start = &waiting};

static void run(void)
{
    sn_id first = sn_create(&machine, NULL);

    for (int i = 1; i < PLACES; i++)
        (void)sn_create(&machine, NULL);
    for (int i = 0; i < 4; i++)
        send_letter(first, 1, program->first[i]);
}

static const struct sn_test test = {.name = "letters",
                                    .run = run,
                                    .world = SN_WORLD_TRIAL,
                                    .links = SN_UNORDERED,
                                    .starts_first = true};

static struct sn_result search(const struct program *what, const char *strategy)
{
    const struct sn_options options = {.strategy = strategy, .keep_going = true};
    struct sn_result result = {0};

    program = what;
    assert_int_equal(sn_run(&test, &options, &result), 0);
    assert_int_not_equal(result.schedules, 0);
    return result;
}

/* ---- What is missed as published ------------------------------------------------------------ */

/* M0 for machine 2 and M1 for machine 1 are there at first. M0 sends M4 to 1; M1 sends M2 to 3,
 * which sends M3 to 2. M0 and M3 meet at 2, M1 and M4 at 1: M3 can only come before M0 if M1 came
 * before M4, so there are three orders. The message for machine 4 makes M4 come before M2 at first,
 * and then the latest message that 1 received before it sent M2 is not the one that made it do so.
 */
static const struct letter loop_letters[] = {
    [1] = {1, {3, 6}}, /* M1 */
    [2] = {2, {5, 0}}, /* M0 */
    [3] = {3, {4, 0}}, /* M2 */
    [4] = {2, {0, 0}}, /* M3 */
    [5] = {1, {0, 0}}, /* M4 */
    [6] = {4, {0, 0}},
};
static const struct program loop = {loop_letters, {1, 2}, 0};

static void ired_as_published_misses_an_order_that_ired_finds(void **state)
{
    struct sn_result published = search(&loop, "ired:paper");
    struct sn_result exact = search(&loop, "ired");

    (void)state;
    assert_int_equal(published.distinct_orders, 2);
    assert_int_equal(exact.distinct_orders, 3);
}

static void nothing_is_claimed_of_schedules_that_the_published_rules_miss(void **state)
{
    struct sn_result published = search(&loop, "ired:paper");
    struct sn_result exact = search(&loop, "ired");

    (void)state;
    assert_false(published.exhausted);
    assert_string_equal(published.within, "that the published rules find");
    assert_true(exact.exhausted);
}

static void transdpor_finds_the_order_that_ired_misses_as_published(void **state)
{
    (void)state;
    assert_int_equal(search(&loop, "transdpor").distinct_orders, 3);
    assert_int_equal(search(&loop, "transdpor:paper").distinct_orders, 3);
}

static void dpor_runs_each_of_three_orders_once(void **state)
{
    struct sn_result result = search(&loop, "dpor");

    (void)state;
    assert_int_equal(result.distinct_orders, 3);
    assert_int_equal(result.trials, 3);
}

/* ---- Counts --------------------------------------------------------------------------------- */

static const struct letter crowd_letters[] = {
    [1] = {1, {0}}, [2] = {1, {0}}, [3] = {1, {0}}, [4] = {1, {0}}};
static const struct program crowd = {crowd_letters, {1, 2, 3, 4}, 0};

static void four_messages_to_one_machine_have_24_orders(void **state)
{
    (void)state;
    assert_int_equal(search(&crowd, "dpor").trials, 24);
    assert_int_equal(search(&crowd, "transdpor").trials, 24);
    assert_int_equal(search(&crowd, "ired").trials, 24);
}

static const struct letter apart_letters[] = {
    [1] = {1, {0}}, [2] = {2, {0}}, [3] = {3, {0}}, [4] = {4, {0}}};
static const struct program apart = {apart_letters, {1, 2, 3, 4}, 0};

static void messages_that_do_not_meet_have_one_order(void **state)
{
    (void)state;
    assert_int_equal(search(&apart, "dpor").trials, 1);
    assert_int_equal(search(&apart, "transdpor").trials, 1);
    assert_int_equal(search(&apart, "ired").trials, 1);
}

/* A message for machine 2, which comes first; one that only at the end of a chain leads to another
 * for it; and one that has nothing to do with either. Only what begins the chain is to be tried in
 * place of the first. */
static const struct letter chain_letters[] = {
    [1] = {2, {0}}, [2] = {1, {3}}, [3] = {3, {4}}, [4] = {2, {0}}, [5] = {4, {0}}};
static const struct program chain = {chain_letters, {1, 2, 5, 0}, 0};

static void dpor_tries_only_the_beginning_of_a_chain_earlier(void **state)
{
    (void)state;
    assert_int_equal(search(&chain, "dpor").trials, 2);
}

/* Without sleep sets the first message comes again after one, two and all of the chain. */
static void others_try_only_the_beginning_of_what_is_left_of_it(void **state)
{
    (void)state;
    assert_int_equal(search(&chain, "transdpor").trials, 4);
    assert_int_equal(search(&chain, "transdpor:paper").trials, 4);
    assert_int_equal(search(&chain, "ired").trials, 4);
    assert_int_equal(search(&chain, "ired:paper").trials, 4);
}

/* ---- Failures ------------------------------------------------------------------------------- */

/* What ends a trial hides what the others would have done. */
static const struct program failing = {crowd_letters, {1, 2, 3, 0}, 1};

static void check_runs_what_a_failure_hides(const char *strategy)
{
    struct sn_result result = search(&failing, strategy);

    assert_int_equal(result.failures, 1);
    assert_int_equal(result.trials, 5); /* of 6 orders, those that begin with 1 end there */
    assert_true(result.exhausted);
}

static void a_failure_hides_no_other_order_from_wakeup_trees(void **state)
{
    (void)state;
    check_runs_what_a_failure_hides("odpor:trees");
}

static void a_failure_is_told_of_once_when_wakeup_trees_take_over(void **state)
{
    (void)state;
    check_runs_what_a_failure_hides("odpor");
}

static void a_failure_hides_no_other_order_from_dpor(void **state)
{
    (void)state;
    check_runs_what_a_failure_hides("dpor");
}

static void a_failure_hides_no_other_order_from_transdpor(void **state)
{
    (void)state;
    check_runs_what_a_failure_hides("transdpor");
}

static void a_failure_hides_no_other_order_from_ired(void **state)
{
    (void)state;
    check_runs_what_a_failure_hides("ired");
}

/* ---- Parameters ----------------------------------------------------------------------------- */

static void expect_refusal(const char *strategy, const char *why)
{
    const struct sn_options options = {.strategy = strategy};
    struct sn_result result = {0};

    program = &apart;
    assert_int_equal(sn_run(&test, &options, &result), SN_EINVAL);
    assert_non_null(strstr(result.failure, why));
}

static void a_parameter_that_is_none_is_refused(void **state)
{
    (void)state;
    expect_refusal("ired:3", "ired takes no parameter but \"causal\" or \"paper\"");
}

static void dpor_was_not_published_in_another_form(void **state)
{
    (void)state;
    expect_refusal("dpor:paper", "dpor takes no parameter but \"causal\"");
}

static void causal_limits_no_claim_where_there_is_no_history(void **state)
{
    struct sn_result result = search(&crowd, "dpor:causal");

    (void)state;
    assert_true(result.exhausted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ired_as_published_misses_an_order_that_ired_finds),
        cmocka_unit_test(nothing_is_claimed_of_schedules_that_the_published_rules_miss),
        cmocka_unit_test(transdpor_finds_the_order_that_ired_misses_as_published),
        cmocka_unit_test(dpor_runs_each_of_three_orders_once),
        cmocka_unit_test(four_messages_to_one_machine_have_24_orders),
        cmocka_unit_test(messages_that_do_not_meet_have_one_order),
        cmocka_unit_test(dpor_tries_only_the_beginning_of_a_chain_earlier),
        cmocka_unit_test(others_try_only_the_beginning_of_what_is_left_of_it),
        cmocka_unit_test(a_failure_hides_no_other_order_from_wakeup_trees),
        cmocka_unit_test(a_failure_is_told_of_once_when_wakeup_trees_take_over),
        cmocka_unit_test(a_failure_hides_no_other_order_from_dpor),
        cmocka_unit_test(a_failure_hides_no_other_order_from_transdpor),
        cmocka_unit_test(a_failure_hides_no_other_order_from_ired),
        cmocka_unit_test(a_parameter_that_is_none_is_refused),
        cmocka_unit_test(dpor_was_not_published_in_another_form),
        cmocka_unit_test(causal_limits_no_claim_where_there_is_no_history),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
