/* test_two_phase_commit_component.c - coordinator, participant and their log, each alone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "two_phase_commit_world.h"

#include <errno.h>

enum { TRANSACTION = 257 }; /* the first of the first epoch */

static void all_vote_yes(struct world *world, uint32_t transaction)
{
    tell_coordinator(world, 1, TPC_YES, transaction);
    tell_coordinator(world, 2, TPC_YES, transaction);
    tell_coordinator(world, 3, TPC_YES, transaction);
}

/* ---- Coordinator ---------------------------------------------------------------------------- */

static void coordinator_asks_everybody(void **state)
{
    struct world *world = *state;

    start_coordinator(world);

    uint32_t transaction = begin(world, 7);

    assert_int_equal(transaction, TRANSACTION);
    assert_int_equal(count_sent(world, 1, TPC_PREPARE, transaction), 1);
    assert_int_equal(count_sent(world, 2, TPC_PREPARE, transaction), 1);
    assert_int_equal(count_sent(world, 3, TPC_PREPARE, transaction), 1);
    assert_int_equal(world->sent[0].message.key, 7);
    assert_int_equal(world->timers_started, 1);
}

static void coordinator_commits_when_all_said_yes(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    begin(world, 7);
    tell_coordinator(world, 1, TPC_YES, TRANSACTION);
    tell_coordinator(world, 2, TPC_YES, TRANSACTION);
    assert_int_equal(outcome_of(world, TRANSACTION), 0);
    tell_coordinator(world, 3, TPC_YES, TRANSACTION);

    assert_int_equal(outcome_of(world, TRANSACTION), TPC_COMMITTED);
    assert_int_equal(count_sent(world, 3, TPC_COMMIT, TRANSACTION), 1);
}

static void yes_that_comes_twice_counts_once(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    begin(world, 7);
    tell_coordinator(world, 1, TPC_YES, TRANSACTION);
    tell_coordinator(world, 2, TPC_YES, TRANSACTION);
    tell_coordinator(world, 2, TPC_YES, TRANSACTION);

    assert_int_equal(outcome_of(world, TRANSACTION), 0);
}

static void one_no_aborts(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    begin(world, 7);
    tell_coordinator(world, 2, TPC_NO, TRANSACTION);
    all_vote_yes(world, TRANSACTION);

    assert_int_equal(outcome_of(world, TRANSACTION), TPC_ABORTED);
    assert_int_equal(count_sent(world, 1, TPC_COMMIT, TRANSACTION), 0);
}

static void silence_is_asked_again_and_then_means_no(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    begin(world, 7);
    tell_coordinator(world, 1, TPC_YES, TRANSACTION);
    clear_sent(world);
    coordinator_on_timer(&world->coordinator, TRANSACTION);
    assert_int_equal(count_sent(world, 1, TPC_PREPARE, TRANSACTION), 0);
    assert_int_equal(count_sent(world, 2, TPC_PREPARE, TRANSACTION), 1);
    coordinator_on_timer(&world->coordinator, TRANSACTION);

    assert_int_equal(outcome_of(world, TRANSACTION), TPC_ABORTED);
    assert_int_equal(count_sent(world, 1, TPC_ABORT, TRANSACTION), 1);
}

static void commit_is_repeated_until_acknowledged(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    begin(world, 7);
    all_vote_yes(world, TRANSACTION);
    tell_coordinator(world, 1, TPC_ACK, TRANSACTION);
    tell_coordinator(world, 1, TPC_ACK, TRANSACTION);
    tell_coordinator(world, 2, TPC_ACK, TRANSACTION);
    clear_sent(world);
    coordinator_on_timer(&world->coordinator, TRANSACTION);

    assert_int_equal(world->sent_count, 1);
    assert_int_equal(count_sent(world, 3, TPC_COMMIT, TRANSACTION), 1);
}

static void unknown_transaction_was_aborted(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    tell_coordinator(world, 2, TPC_QUERY, 999);
    tell_coordinator(world, 3, TPC_YES, 998);

    assert_int_equal(count_sent(world, 2, TPC_ABORT, 999), 1);
    assert_int_equal(count_sent(world, 3, TPC_ABORT, 998), 1);
}

static void undecided_transaction_gets_no_answer(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    begin(world, 7);
    clear_sent(world);
    tell_coordinator(world, 2, TPC_QUERY, TRANSACTION);

    assert_int_equal(world->sent_count, 0);
}

static void commit_survives_a_crash_of_the_coordinator(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    begin(world, 7);
    all_vote_yes(world, TRANSACTION);
    tell_coordinator(world, 1, TPC_ACK, TRANSACTION);
    start_coordinator(world);

    assert_int_equal(outcome_of(world, TRANSACTION), TPC_COMMITTED);
    assert_int_equal(count_sent(world, 3, TPC_COMMIT, TRANSACTION), 1);
    assert_int_equal(world->timers_started, 1);
}

static void undecided_transaction_is_aborted_by_a_crash(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    begin(world, 7);
    tell_coordinator(world, 1, TPC_YES, TRANSACTION);
    start_coordinator(world);
    tell_coordinator(world, 1, TPC_QUERY, TRANSACTION);

    assert_int_equal(count_sent(world, 1, TPC_ABORT, TRANSACTION), 1);
}

static void acknowledged_transaction_is_forgotten(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    begin(world, 7);
    all_vote_yes(world, TRANSACTION);
    tell_coordinator(world, 1, TPC_ACK, TRANSACTION);
    tell_coordinator(world, 2, TPC_ACK, TRANSACTION);
    tell_coordinator(world, 3, TPC_ACK, TRANSACTION);
    begin(world, 8); /* anything that forces the log */
    all_vote_yes(world, TRANSACTION + 1);
    start_coordinator(world);

    assert_int_equal(outcome_of(world, TRANSACTION), 0);
    assert_int_equal(outcome_of(world, TRANSACTION + 1), TPC_COMMITTED);
}

static void ids_are_not_used_again_after_a_crash(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    begin(world, 7);
    start_coordinator(world);

    assert_int_not_equal(begin(world, 7), TRANSACTION);
}

static void commit_record_that_fails_is_tried_again(void **state)
{
    struct world *world = *state;

    start_coordinator(world);
    begin(world, 7);
    world->disk_errors_after = 1; /* the sync */
    all_vote_yes(world, TRANSACTION);
    assert_int_equal(outcome_of(world, TRANSACTION), 0);
    tell_coordinator(world, 1, TPC_NO, TRANSACTION);
    assert_int_equal(outcome_of(world, TRANSACTION), 0);
    coordinator_on_timer(&world->coordinator, TRANSACTION);

    assert_int_equal(outcome_of(world, TRANSACTION), TPC_COMMITTED);
}

static void coordinator_refuses_more_than_it_can_keep(void **state)
{
    struct world *world = *state;
    uint32_t transaction;

    start_coordinator(world);
    for (uint32_t i = 0; i < TPC_TRANSACTIONS_MAX; i++) {
        clear_sent(world);
        begin(world, i);
    }

    assert_int_equal(coordinator_begin(&world->coordinator, 7, &transaction), -ENOSPC);
}

/* ---- Participant ---------------------------------------------------------------------------- */

static void participant_votes_yes_once_it_is_durable(void **state)
{
    struct world *world = *state;

    start_participant(world);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);
    assert_int_equal(count_sent(world, 0, TPC_YES, TRANSACTION), 1);
    start_participant(world);

    assert_int_equal(participant_state(&world->participant, TRANSACTION), PARTICIPANT_PREPARED);
    assert_int_equal(count_sent(world, 0, TPC_QUERY, TRANSACTION), 1);
    assert_int_equal(count_sent(world, 2, TPC_QUERY, TRANSACTION), 1);
}

static void participant_does_not_vote_when_its_disk_fails(void **state)
{
    struct world *world = *state;

    start_participant(world);
    world->disk_errors_after = 0;
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);

    assert_int_equal(world->sent_count, 0);
    assert_int_equal(participant_state(&world->participant, TRANSACTION), PARTICIPANT_UNKNOWN);
}

static void locked_key_makes_it_vote_no(void **state)
{
    struct world *world = *state;
    struct tpc_message first = {.kind = TPC_PREPARE, .transaction = 1, .key = 5};
    struct tpc_message second = {.kind = TPC_PREPARE, .transaction = 2, .key = 5};
    struct tpc_message other = {.kind = TPC_PREPARE, .transaction = 3, .key = 6};

    start_participant(world);
    participant_on_message(&world->participant, &first);
    participant_on_message(&world->participant, &second);
    participant_on_message(&world->participant, &other);

    assert_int_equal(count_sent(world, 0, TPC_NO, 2), 1);
    assert_int_equal(outcome_of(world, 2), TPC_ABORTED);
    assert_int_equal(count_sent(world, 0, TPC_YES, 3), 1);
}

static void decision_releases_the_key(void **state)
{
    struct world *world = *state;
    struct tpc_message first = {.kind = TPC_PREPARE, .transaction = 1, .key = 5};
    struct tpc_message second = {.kind = TPC_PREPARE, .transaction = 2, .key = 5};

    start_participant(world);
    participant_on_message(&world->participant, &first);
    tell_participant(world, 0, TPC_COMMIT, 1);
    participant_on_message(&world->participant, &second);

    assert_int_equal(count_sent(world, 0, TPC_YES, 2), 1);
}

static void participant_acknowledges_each_commit(void **state)
{
    struct world *world = *state;

    start_participant(world);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);
    tell_participant(world, 0, TPC_COMMIT, TRANSACTION);
    tell_participant(world, 0, TPC_COMMIT, TRANSACTION);

    assert_int_equal(count_sent(world, 0, TPC_ACK, TRANSACTION), 2);
    assert_int_equal(world->decision_count, 1);
}

static void decision_survives_a_crash_of_the_participant(void **state)
{
    struct world *world = *state;

    start_participant(world);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);
    tell_participant(world, 0, TPC_COMMIT, TRANSACTION);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION + 1);
    tell_participant(world, 0, TPC_ABORT, TRANSACTION + 1);
    start_participant(world);

    assert_int_equal(outcome_of(world, TRANSACTION), TPC_COMMITTED);
    assert_int_equal(outcome_of(world, TRANSACTION + 1), TPC_ABORTED);
    assert_int_equal(world->sent_count, 0);
}

static void participant_in_doubt_waits_and_asks(void **state)
{
    struct world *world = *state;

    start_participant(world);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);
    clear_sent(world);
    participant_on_timer(&world->participant, TRANSACTION);

    assert_int_equal(participant_state(&world->participant, TRANSACTION), PARTICIPANT_PREPARED);
    assert_int_equal(count_sent(world, 0, TPC_QUERY, TRANSACTION), 1);
    assert_int_equal(count_sent(world, 3, TPC_QUERY, TRANSACTION), 1);
    assert_int_equal(world->timers_started, 2);
}

static void late_question_is_answered_by_what_was_decided(void **state)
{
    struct world *world = *state;

    start_participant(world);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);
    tell_participant(world, 0, TPC_COMMIT, TRANSACTION);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION + 1);
    tell_participant(world, 0, TPC_ABORT, TRANSACTION + 1);
    clear_sent(world);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION + 1);

    assert_int_equal(world->sent_count, 2);
    assert_int_equal(count_sent(world, 0, TPC_ACK, TRANSACTION), 1);
    assert_int_equal(count_sent(world, 0, TPC_NO, TRANSACTION + 1), 1);
}

static void asked_by_another_it_passes_the_decision_on(void **state)
{
    struct world *world = *state;

    start_participant(world);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);
    tell_participant(world, 2, TPC_QUERY, TRANSACTION);
    assert_int_equal(count_sent(world, 2, TPC_ABORT, TRANSACTION), 0);
    tell_participant(world, 0, TPC_COMMIT, TRANSACTION);
    tell_participant(world, 2, TPC_QUERY, TRANSACTION);

    assert_int_equal(count_sent(world, 2, TPC_COMMIT, TRANSACTION), 1);
}

static void asked_before_it_voted_it_refuses_for_good(void **state)
{
    struct world *world = *state;

    start_participant(world);
    tell_participant(world, 2, TPC_QUERY, TRANSACTION);
    assert_int_equal(count_sent(world, 2, TPC_ABORT, TRANSACTION), 1);
    start_participant(world);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);

    assert_int_equal(count_sent(world, 0, TPC_NO, TRANSACTION), 1);
    assert_int_equal(count_sent(world, 0, TPC_YES, TRANSACTION), 0);
}

static void refusal_holds_without_a_crash_too(void **state)
{
    struct world *world = *state;

    start_participant(world);
    tell_participant(world, 2, TPC_QUERY, TRANSACTION);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);

    assert_int_equal(count_sent(world, 0, TPC_NO, TRANSACTION), 1);
}

static void decision_of_another_participant_counts(void **state)
{
    struct world *world = *state;

    start_participant(world);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);
    tell_participant(world, 3, TPC_COMMIT, TRANSACTION);

    assert_int_equal(outcome_of(world, TRANSACTION), TPC_COMMITTED);
    assert_int_equal(count_sent(world, 0, TPC_ACK, TRANSACTION), 1);
}

/* ---- Log ------------------------------------------------------------------------------------ */

static void log_is_read_up_to_the_first_damaged_record(void **state)
{
    struct world *world = *state;

    start_participant(world);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION + 1);
    tell_participant(world, 0, TPC_PREPARE, TRANSACTION + 2);
    world->log[sizeof(struct wal_record) + 5] ^= 1;
    start_participant(world);

    assert_int_equal(participant_state(&world->participant, TRANSACTION), PARTICIPANT_PREPARED);
    assert_int_equal(participant_state(&world->participant, TRANSACTION + 1), PARTICIPANT_UNKNOWN);
    assert_int_equal(participant_state(&world->participant, TRANSACTION + 2), PARTICIPANT_UNKNOWN);
    assert_int_equal(world->log_size, sizeof(struct wal_record));
}

static void record_of_zeros_is_damaged(void **state)
{
    struct world *world = *state;

    world->log_size = world->log_synced = sizeof(struct wal_record);
    start_participant(world);

    assert_int_equal(world->log_size, 0);
}

static void start_reports_each_failure_of_the_disk(void **state)
{
    struct world *world = *state;
    int failures = 0;
    int rc = -EIO;

    for (int n = 0; rc != 0; n++) {
        world->log_size = 0;
        world->disk_errors_after = n;
        rc = coordinator_init(&world->coordinator, &world->coordinator_config, &world_io, world);
        assert_true(rc == 0 || rc == -EIO);
        failures += rc != 0;
    }

    /* Reading, cutting, its sync, the epoch's record, its sync. */
    assert_true(failures >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(coordinator_asks_everybody),
        IN_WORLD(coordinator_commits_when_all_said_yes),
        IN_WORLD(yes_that_comes_twice_counts_once),
        IN_WORLD(one_no_aborts),
        IN_WORLD(silence_is_asked_again_and_then_means_no),
        IN_WORLD(commit_is_repeated_until_acknowledged),
        IN_WORLD(unknown_transaction_was_aborted),
        IN_WORLD(undecided_transaction_gets_no_answer),
        IN_WORLD(commit_survives_a_crash_of_the_coordinator),
        IN_WORLD(undecided_transaction_is_aborted_by_a_crash),
        IN_WORLD(acknowledged_transaction_is_forgotten),
        IN_WORLD(ids_are_not_used_again_after_a_crash),
        IN_WORLD(commit_record_that_fails_is_tried_again),
        IN_WORLD(coordinator_refuses_more_than_it_can_keep),
        IN_WORLD(participant_votes_yes_once_it_is_durable),
        IN_WORLD(participant_does_not_vote_when_its_disk_fails),
        IN_WORLD(locked_key_makes_it_vote_no),
        IN_WORLD(decision_releases_the_key),
        IN_WORLD(participant_acknowledges_each_commit),
        IN_WORLD(decision_survives_a_crash_of_the_participant),
        IN_WORLD(participant_in_doubt_waits_and_asks),
        IN_WORLD(late_question_is_answered_by_what_was_decided),
        IN_WORLD(asked_by_another_it_passes_the_decision_on),
        IN_WORLD(asked_before_it_voted_it_refuses_for_good),
        IN_WORLD(refusal_holds_without_a_crash_too),
        IN_WORLD(decision_of_another_participant_counts),
        IN_WORLD(log_is_read_up_to_the_first_damaged_record),
        IN_WORLD(record_of_zeros_is_damaged),
        IN_WORLD(start_reports_each_failure_of_the_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
