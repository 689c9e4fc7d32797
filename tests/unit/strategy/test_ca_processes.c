/* test_ca_processes.c - conflict analysis where processes do something in the middle of their code:
 * there an operation is known by where that is. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct sn_result run_trials(void (*run)(void), const char *strategy, uint64_t n)
{
    const struct sn_test test = {.name = "processes", .run = run, .world = SN_WORLD_TRIAL};
    const struct sn_options options = {
        .strategy = strategy, .iterations = n, .seed = 1, .keep_going = true};
    struct sn_result result;

    assert_int_equal(sn_run(&test, &options, &result), 0);
    return result;
}

/* ---- Where in the code ---------------------------------------------------------------------- */

static const struct sn_event note_event = {.name = "Note"};
static const struct sn_event pair_event = {.name = "Pair", .size = 2 * sizeof(sn_id)};

static void read_notes(const void *payload)
{
    (void)payload;
    for (;;)
        (void)sn_receive(NULL, NULL, SN_FOREVER);
}

/* Both places send the same event. */
static void write_notes(const void *payload)
{
    const sn_id *to = payload;

    for (int i = 0; i < 5; i++)
        sn_send(to[0], &note_event, NULL);
    sn_send(to[1], &note_event, NULL);
}

static const struct sn_process reader = {.name = "Reader", .run = read_notes, .may_wait = true};
static const struct sn_process writer = {
    .name = "Writer", .run = write_notes, .birth = &pair_event};

/* Each writer has a diary of its own. Two of them share a desk, the third one has one. */
static void run_writers(void)
{
    sn_id desk = sn_spawn(&reader, NULL);
    sn_id desk_of_third = sn_spawn(&reader, NULL);

    for (int i = 0; i < 3; i++) {
        sn_id to[2] = {sn_spawn(&reader, NULL), i < 2 ? desk : desk_of_third};

        (void)sn_spawn(&writer, to);
    }
}

/* Only two operations of a trial race: what the first two send to the desk. If who and what were
 * all, what they write into their diaries would be taken for the same. */
static void operations_of_one_name_are_told_apart_by_where_they_are_in_the_code(void **unused)
{
    struct sn_conflicts c;

    (void)unused;
    c = run_trials(run_writers, "pos+ca", 200).conflicts;

    assert_true(c.trials >= 16);
    assert_int_equal(c.racy, 2);
    assert_int_equal(c.raced, 2 * c.trials);
    assert_int_equal(c.false_negatives, 2);
    assert_int_equal(c.false_positives, 0);
}

/* What the third one sends to its desk is sent from the same place as what races. */
static void without_who_performs_them_operations_of_one_place_are_all_explored(void **unused)
{
    struct sn_conflicts c;

    (void)unused;
    c = run_trials(run_writers, "pos+ca:pc", 200).conflicts;

    assert_true(c.trials >= 16);
    assert_int_equal(c.racy, 1);
    assert_int_equal(c.raced, 2 * c.trials);
    assert_int_equal(c.false_negatives, 2);
    assert_int_equal(c.false_positives, c.trials - 1);
}

static void tapct_knows_operations_by_the_same_signatures(void **unused)
{
    struct sn_conflicts with_who;
    struct sn_conflicts without;

    (void)unused;
    with_who = run_trials(run_writers, "tapct:2", 200).conflicts;
    without = run_trials(run_writers, "tapct:pc:2", 200).conflicts;

    assert_int_equal(with_who.racy, 2);
    assert_int_equal(with_who.false_positives, 0);
    assert_int_equal(without.racy, 1);
    assert_true(without.false_positives > 0);
}

/* ---- Who ------------------------------------------------------------------------------------- */

static void rest(const void *payload)
{
    (void)payload;
    sn_yield();
}

static const struct sn_process resting = {.name = "Resting", .run = rest};

/* Takes other ways, of which one is a step longer, before it spawns. */
static void wander(const void *payload)
{
    (void)payload;
    for (int i = 0; i < 6; i++) {
        if (sn_choose("way", 2) == 1)
            sn_yield();
    }
    (void)sn_spawn(&resting, NULL);
}

static const struct sn_process wanderer = {.name = "Wanderer", .run = wander};

static void run_wanderer(void)
{
    (void)sn_spawn(&wanderer, NULL);
}

/* Its start, a yield, a spawn and an end; of the other one a start, a yield and an end. */
static void a_process_is_the_same_whatever_its_creator_did_before(void **unused)
{
    (void)unused;

    assert_int_equal(run_trials(run_wanderer, "pos+ca", 200).conflicts.signatures, 4 + 3);
}

/* ---- What cannot race ------------------------------------------------------------------------ */

static const struct sn_event whom_event = {.name = "Whom", .size = sizeof(sn_id)};

static void send_note(const void *payload)
{
    sn_send(*(const sn_id *)payload, &note_event, NULL);
}

static const struct sn_process heir = {.name = "Heir", .run = send_note, .birth = &whom_event};

/* Its heir cannot send before it has. */
static void send_and_spawn(const void *payload)
{
    send_note(payload);
    (void)sn_spawn(&heir, payload);
}

static void send_in_a_second(const void *payload)
{
    sn_sleep_ns(1000000000);
    send_note(payload);
}

static const struct sn_process first = {
    .name = "First", .run = send_and_spawn, .birth = &whom_event};
static const struct sn_process slow = {
    .name = "Slow", .run = send_in_a_second, .birth = &whom_event};

static void run_heir(void)
{
    (void)sn_spawn(&first, &(sn_id){sn_spawn(&reader, NULL)});
}

static void run_slow(void)
{
    sn_id to = sn_spawn(&reader, NULL);

    (void)sn_spawn(&heir, &to);
    (void)sn_spawn(&slow, &to);
}

/* Time passes only when there is nothing else to do. */
static void what_comes_of_another_or_at_a_later_time_does_not_race_with_it(void **unused)
{
    struct sn_conflicts by_cause;
    struct sn_conflicts by_time;

    (void)unused;
    by_cause = run_trials(run_heir, "pos+ca", 50).conflicts;
    by_time = run_trials(run_slow, "pos+ca", 50).conflicts;

    assert_true(by_cause.trials >= 16 && by_time.trials >= 16);
    assert_int_equal(by_cause.raced, 0);
    assert_int_equal(by_time.raced, 0);
}

/* ---- Trials that are not whole --------------------------------------------------------------- */

static uint32_t idlers;

static void idle(const void *payload)
{
    (void)payload;
}

static void wait_a_while(void)
{
    for (int i = 0; i < 20; i++)
        sn_yield();
}

static void be_first(const void *payload)
{
    (void)payload;
    wait_a_while();
    (void)sn_register("door", sn_self());
    sn_sleep_ns(1);
}

/* The trial ends where it is first, so that the other one's step is not there to race with. */
static void be_first_and_fail(const void *payload)
{
    (void)payload;
    wait_a_while();
    sn_assert(!sn_register("door", sn_self()));
    sn_sleep_ns(1);
}

static const struct sn_process idler = {.name = "Idler", .run = idle};
static const struct sn_process quiet_one = {.name = "Quiet", .run = be_first};
static const struct sn_process loud_one = {.name = "Loud", .run = be_first_and_fail};

static void run_door(void)
{
    for (uint32_t i = 0; i < idlers; i++)
        (void)sn_spawn(&idler, NULL);
    (void)sn_spawn(&quiet_one, NULL);
    (void)sn_spawn(&loud_one, NULL);
}

/* Else what fails would be taken to be quiet, run at once, and fail again. */
static void trials_that_fail_make_nothing_quiet(void **unused)
{
    static const char *const strategies[] = {"random+ca", "pos+ca", "posr+ca", "pct+ca:2"};

    (void)unused;
    idlers = 10;
    for (size_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++) {
        for (uint64_t seed = 1; seed <= 10; seed++) {
            const struct sn_test test = {.name = "door", .run = run_door, .world = SN_WORLD_TRIAL};
            const struct sn_options options = {
                .strategy = strategies[i], .iterations = 400, .seed = seed, .keep_going = true};
            struct sn_result result;

            assert_int_equal(sn_run(&test, &options, &result), 0);
            /* Half of them, but for five standard errors. */
            assert_in_range(result.failures, 200 - 50, 200 + 50);
        }
    }
}

/* There is room for the clocks of a few hundred steps of so many processes. */
static void what_is_too_much_to_be_analysed_is_told_of_and_makes_nothing_quiet(void **unused)
{
    const struct sn_test test = {
        .name = "door", .run = run_door, .world = SN_WORLD_TRIAL, .max_steps = 100000};
    const struct sn_options options = {
        .strategy = "random+ca", .iterations = 64, .seed = 1, .keep_going = true};
    struct sn_conflicts c;
    struct sn_result result;

    (void)unused;
    idlers = 5000;
    assert_int_equal(sn_run(&test, &options, &result), 0);
    c = result.conflicts;
    assert_true(c.skipped > 0);
    assert_true(c.operations / c.trials < 1000);
    assert_true((c.operations + c.skipped) / c.trials > 10000);
    assert_true(c.signatures < 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_of_one_name_are_told_apart_by_where_they_are_in_the_code),
        cmocka_unit_test(without_who_performs_them_operations_of_one_place_are_all_explored),
        cmocka_unit_test(a_process_is_the_same_whatever_its_creator_did_before),
        cmocka_unit_test(what_comes_of_another_or_at_a_later_time_does_not_race_with_it),
        cmocka_unit_test(tapct_knows_operations_by_the_same_signatures),
        cmocka_unit_test(trials_that_fail_make_nothing_quiet),
        cmocka_unit_test(what_is_too_much_to_be_analysed_is_told_of_and_makes_nothing_quiet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
