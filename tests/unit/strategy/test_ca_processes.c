/* test_ca_processes.c - chances and conflict analysis where processes do something in the middle of
 * their code: there an operation is known by where that is. SPDX-License-Identifier: MIT
 */
#include "forest.h"
#include "reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

/* ---- pos under noise ------------------------------------------------------------------------ */

enum { STEPS_BEFORE = 3, NOISE_STEPS = 10 };

static uint32_t n_noisy; /* processes that yield, and touch nothing */
static bool *has_come;   /* in the trial's memory: B */

/* A is the last of these steps. */
static void come_late(const void *payload)
{
    (void)payload;
    for (int i = 0; i < STEPS_BEFORE; i++)
        sn_yield();
    sn_assert(*has_come); /* fails if A is before B */
}

/* B is the first step. */
static void come_at_once(const void *payload)
{
    (void)payload;
    *has_come = true;
}

static void make_noise(const void *payload)
{
    (void)payload;
    for (int i = 0; i < NOISE_STEPS; i++)
        sn_yield();
}

static const struct sn_process late = {.name = "Late", .run = come_late};
static const struct sn_process prompt = {.name = "Prompt", .run = come_at_once};
static const struct sn_process noisy = {.name = "Noisy", .run = make_noise};

static void run_chain(void)
{
    has_come = sn_alloc(sizeof(*has_come));
    (void)sn_spawn(&late, NULL);
    (void)sn_spawn(&prompt, NULL);
    for (uint32_t i = 0; i < n_noisy; i++)
        (void)sn_spawn(&noisy, NULL);
}

static bool is_wrong(const char *strategy, uint32_t noise, uint64_t n, double p)
{
    struct sn_result result;

    n_noisy = noise;
    result = run_trials(run_chain, strategy, n);
    return chance_is_wrong(result.failures, n, p);
}

static void pos_lets_a_process_of_k_steps_win_once_in_k_plus_2_whatever_the_noise(void **unused)
{
    (void)unused;

    assert_false(is_wrong("pos", 0, 20000, 1.0 / (STEPS_BEFORE + 2)));
    assert_false(is_wrong("pos", 10, 20000, 1.0 / (STEPS_BEFORE + 2)));
    assert_false(is_wrong("pos", 100, 2000, 1.0 / (STEPS_BEFORE + 2)));
}

static void ranks_that_are_drawn_at_each_step_are_noticed(void **unused)
{
    (void)unused;

    assert_true(is_wrong("pos_redrawn", 10, 20000, 1.0 / (STEPS_BEFORE + 2)));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pos_lets_a_process_of_k_steps_win_once_in_k_plus_2_whatever_the_noise),
        cmocka_unit_test(ranks_that_are_drawn_at_each_step_are_noticed),
        cmocka_unit_test(operations_of_one_name_are_told_apart_by_where_they_are_in_the_code),
        cmocka_unit_test(without_who_performs_them_operations_of_one_place_are_all_explored),
        cmocka_unit_test(tapct_knows_operations_by_the_same_signatures),
    };

    reference_register();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
