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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_of_one_name_are_told_apart_by_where_they_are_in_the_code),
        cmocka_unit_test(without_who_performs_them_operations_of_one_place_are_all_explored),
        cmocka_unit_test(a_process_is_the_same_whatever_its_creator_did_before),
        cmocka_unit_test(what_comes_of_another_or_at_a_later_time_does_not_race_with_it),
        cmocka_unit_test(tapct_knows_operations_by_the_same_signatures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
