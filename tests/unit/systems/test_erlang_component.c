/* test_erlang_component.c - what a lock server, an agent, a log server, an acceptor and a disk
 * keep, alone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "acceptor.h"
#include "lock_view.h"
#include "log_unit.h"
#include "outcome_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- Queues for locks ----------------------------------------------------------------------- */

static void assert_queue(const struct lock_table *table, uint32_t count, uint32_t first,
                         uint32_t second)
{
    const struct lock_entry *entry = &table->entries[1];

    assert_int_equal(entry->count, count);
    if (count > 0)
        assert_int_equal(entry->queue[0], first);
    if (count > 1)
        assert_int_equal(entry->queue[1], second);
}

static void agents_wait_in_the_order_of_their_requests(void **state)
{
    struct lock_table table;

    (void)state;
    lock_table_init(&table, false);
    lock_table_request(&table, 1, 7);
    lock_table_request(&table, 1, 5);

    assert_queue(&table, 2, 7, 5);
    assert_int_equal(table.entries[0].count, 0);
}

static void request_that_comes_twice_only_changes_the_version(void **state)
{
    struct lock_table table;
    uint32_t version;

    (void)state;
    lock_table_init(&table, false);
    lock_table_request(&table, 1, 7);
    lock_table_request(&table, 1, 5);
    version = table.entries[1].version;
    lock_table_request(&table, 1, 7);

    assert_queue(&table, 2, 7, 5);
    assert_true(table.entries[1].version > version);
}

static void who_surrenders_goes_to_the_end(void **state)
{
    struct lock_table table;
    uint32_t version;

    (void)state;
    lock_table_init(&table, false);
    lock_table_request(&table, 1, 7);
    lock_table_request(&table, 1, 5);
    version = table.entries[1].version;
    lock_table_surrender(&table, 1, 7);

    assert_queue(&table, 2, 5, 7);
    assert_true(table.entries[1].version > version);
}

static void who_is_not_in_a_queue_cannot_surrender_nor_leave(void **state)
{
    struct lock_table table;

    (void)state;
    lock_table_init(&table, false);
    lock_table_request(&table, 1, 7);
    lock_table_surrender(&table, 1, 5);

    assert_queue(&table, 1, 7, 0);
    assert_false(lock_table_remove(&table, 1, 5));
    assert_int_equal(table.entries[1].version, 1);
}

static void next_one_holds_a_lock_when_the_holder_leaves(void **state)
{
    struct lock_table table;

    (void)state;
    lock_table_init(&table, false);
    lock_table_request(&table, 1, 7);
    lock_table_request(&table, 1, 5);

    assert_true(lock_table_remove(&table, 1, 7));
    assert_queue(&table, 1, 5, 0);
}

static uint32_t version_of_a_lock_that_was_free(bool forgets_versions)
{
    struct lock_table table;

    lock_table_init(&table, forgets_versions);
    lock_table_request(&table, 1, 7);
    lock_table_request(&table, 1, 5);
    (void)lock_table_remove(&table, 1, 7);
    (void)lock_table_remove(&table, 1, 5);
    lock_table_request(&table, 1, 6);
    return table.entries[1].version;
}

static void versions_never_come_back(void **state)
{
    (void)state;
    assert_true(version_of_a_lock_that_was_free(false) > 4);
}

static void versions_come_back_with_the_bug(void **state)
{
    (void)state;
    assert_int_equal(version_of_a_lock_that_was_free(true), 1);
}

/* ---- What agents know ----------------------------------------------------------------------- */

/* A queue of two. */
static struct lock_entry queue_of(uint32_t lock, uint32_t version, uint32_t holder, uint32_t next)
{
    return (struct lock_entry){
        .lock = lock,
        .version = version,
        .count = 2,
        .queue = {holder, next},
    };
}

static void old_versions_are_no_news(void **state)
{
    struct lock_view view = {.self = 5};
    struct lock_entry newer = queue_of(0, 4, 5, 6);
    struct lock_entry older = queue_of(0, 3, 6, 5);

    (void)state;
    assert_true(lock_view_learn(&view, &newer, 0));
    assert_false(lock_view_learn(&view, &newer, 0));
    assert_false(lock_view_learn(&view, &older, 0));
    assert_int_equal(view.known[0].queue[0], 5);
}

static void surrendered_lock_is_ignored_until_the_server_knows(void **state)
{
    struct lock_view view = {.self = 5, .is_surrendered = {true}};
    struct lock_entry before = queue_of(0, 4, 5, 6);
    struct lock_entry after = queue_of(0, 5, 6, 5);

    (void)state;
    assert_false(lock_view_learn(&view, &before, 0));
    assert_false(lock_view_learn(&view, &before, 6));
    assert_true(lock_view_learn(&view, &after, 5));
    assert_int_equal(view.known[0].queue[0], 6);
}

static void agent_has_all_when_it_is_the_head_of_all_it_wants(void **state)
{
    struct lock_view view = {.self = 5, .is_wanted = {true, true, false}};
    struct lock_entry first = queue_of(0, 1, 5, 6);
    struct lock_entry second = queue_of(1, 1, 6, 5);
    struct lock_entry third = queue_of(2, 1, 6, 7);

    (void)state;
    (void)lock_view_learn(&view, &first, 0);
    assert_false(lock_view_has_all(&view));
    (void)lock_view_learn(&view, &second, 0);
    (void)lock_view_learn(&view, &third, 0);
    assert_false(lock_view_has_all(&view));
    second = queue_of(1, 2, 5, 6);
    (void)lock_view_learn(&view, &second, 0);
    assert_true(lock_view_has_all(&view));
}

static void greatest_agent_of_a_circle_is_the_victim(void **state)
{
    struct lock_view view = {.self = 5};
    struct lock_victim victim;
    struct lock_entry entries[] = {
        queue_of(0, 1, 5, 6),
        queue_of(1, 1, 6, 7),
        queue_of(2, 1, 7, 5),
    };

    (void)state;
    (void)lock_view_learn(&view, &entries[0], 0);
    (void)lock_view_learn(&view, &entries[1], 0);
    assert_false(lock_view_find_victim(&view, &victim));
    (void)lock_view_learn(&view, &entries[2], 0);
    assert_true(lock_view_find_victim(&view, &victim));
    assert_int_equal(victim.agent, 7);
    assert_int_equal(victim.lock, 2);
    assert_true(victim.in_circle[0] && victim.in_circle[1] && victim.in_circle[2]);
}

static void who_waits_beside_a_circle_is_not_in_it(void **state)
{
    struct lock_view view = {.self = 5};
    struct lock_victim victim;
    struct lock_entry entries[] = {
        queue_of(0, 1, 5, 6),
        queue_of(1, 1, 6, 5),
        queue_of(2, 1, 9, 5),
    };

    (void)state;
    for (int i = 0; i < LOCKS; i++)
        (void)lock_view_learn(&view, &entries[i], 0);

    assert_true(lock_view_find_victim(&view, &victim));
    assert_int_equal(victim.agent, 6);
    assert_false(victim.in_circle[2]);
}

/* ---- Log servers ---------------------------------------------------------------------------- */

static void place_is_written_once(void **state)
{
    struct log_unit unit;
    uint32_t value = 0;

    (void)state;
    log_unit_init(&unit, 1, true);
    assert_int_equal(log_unit_read(&unit, 1, &value), LOG_NOT_WRITTEN);
    assert_int_equal(log_unit_write(&unit, 1, 7, false), LOG_OK);
    assert_int_equal(log_unit_write(&unit, 1, 8, false), LOG_WRITTEN);
    assert_int_equal(log_unit_read(&unit, 1, &value), LOG_OK);
    assert_int_equal(value, 7);
}

static void repair_writes_over_what_is_there(void **state)
{
    struct log_unit unit;
    uint32_t value = 0;

    (void)state;
    log_unit_init(&unit, 1, true);
    (void)log_unit_write(&unit, 1, 7, false);

    assert_int_equal(log_unit_write(&unit, 1, 8, true), LOG_OK);
    assert_int_equal(log_unit_read(&unit, 1, &value), LOG_OK);
    assert_int_equal(value, 8);
}

static void requests_of_an_earlier_epoch_are_refused(void **state)
{
    struct log_unit unit;
    uint32_t value = 0;

    (void)state;
    log_unit_init(&unit, 2, true);

    assert_int_equal(log_unit_write(&unit, 1, 7, false), LOG_BAD_EPOCH);
    assert_int_equal(log_unit_read(&unit, 1, &value), LOG_BAD_EPOCH);
    assert_int_equal(log_unit_read(&unit, 2, &value), LOG_NOT_WRITTEN);
}

static void request_of_a_later_epoch_wedges_a_server(void **state)
{
    struct log_unit unit;
    uint32_t value = 0;

    (void)state;
    log_unit_init(&unit, 1, true);
    assert_int_equal(log_unit_write(&unit, 2, 7, false), LOG_WEDGED);
    assert_int_equal(log_unit_read(&unit, 1, &value), LOG_WEDGED);
    assert_int_equal(log_unit_set_layout(&unit, 1), LOG_BAD_EPOCH);
    assert_int_equal(log_unit_set_layout(&unit, 2), LOG_OK);
    assert_int_equal(log_unit_read(&unit, 2, &value), LOG_NOT_WRITTEN);
}

static void server_without_a_layout_is_wedged(void **state)
{
    struct log_unit unit;

    (void)state;
    log_unit_init(&unit, 0, false);

    assert_int_equal(log_unit_write(&unit, 0, 7, false), LOG_WEDGED);
    assert_int_equal(log_unit_set_layout(&unit, 2), LOG_OK);
    assert_int_equal(log_unit_write(&unit, 2, 7, false), LOG_OK);
}

/* ---- Acceptors ------------------------------------------------------------------------------ */

static struct proposal proposal_of(uint32_t ballot, uint32_t value)
{
    return (struct proposal){.ballot = ballot, .value = value};
}

static void only_the_highest_ballot_is_promised(void **state)
{
    struct acceptor acceptor;
    struct proposal in_progress;
    struct proposal committed;

    (void)state;
    acceptor_init(&acceptor, false);
    assert_true(acceptor_prepare(&acceptor, 12, &in_progress, &committed));
    assert_false(acceptor_prepare(&acceptor, 12, &in_progress, &committed));
    assert_false(acceptor_prepare(&acceptor, 11, &in_progress, &committed));
    assert_true(acceptor_prepare(&acceptor, 13, &in_progress, &committed));
}

static void what_is_below_a_promise_is_not_accepted(void **state)
{
    struct acceptor acceptor;
    struct proposal in_progress;
    struct proposal committed;

    (void)state;
    acceptor_init(&acceptor, false);
    (void)acceptor_prepare(&acceptor, 12, &in_progress, &committed);

    assert_false(acceptor_propose(&acceptor, proposal_of(11, 1)));
    assert_true(acceptor_propose(&acceptor, proposal_of(12, 2)));
    assert_true(acceptor_propose(&acceptor, proposal_of(13, 3)));
    assert_false(acceptor_prepare(&acceptor, 13, &in_progress, &committed));
}

static void promise_tells_what_was_accepted_and_committed(void **state)
{
    struct acceptor acceptor;
    struct proposal in_progress;
    struct proposal committed;

    (void)state;
    acceptor_init(&acceptor, false);
    acceptor_commit(&acceptor, proposal_of(11, 1));
    (void)acceptor_propose(&acceptor, proposal_of(12, 2));
    assert_true(acceptor_prepare(&acceptor, 13, &in_progress, &committed));
    assert_int_equal(in_progress.ballot, 12);
    assert_int_equal(in_progress.value, 2);
    assert_int_equal(committed.ballot, 11);
    assert_int_equal(committed.value, 1);
}

static void older_commit_does_not_replace_a_newer_one(void **state)
{
    struct acceptor acceptor;

    (void)state;
    acceptor_init(&acceptor, false);
    acceptor_commit(&acceptor, proposal_of(12, 2));
    acceptor_commit(&acceptor, proposal_of(11, 1));

    assert_int_equal(acceptor.committed.value, 2);
}

/* What is in progress after it was accepted, another ballot promised, and it committed; *ballot is
 * what the promise said. */
static uint32_t left_in_progress(bool confuses_ballots, uint32_t *ballot)
{
    struct acceptor acceptor;
    struct proposal in_progress;
    struct proposal committed;

    acceptor_init(&acceptor, confuses_ballots);
    (void)acceptor_propose(&acceptor, proposal_of(11, 1));
    (void)acceptor_prepare(&acceptor, 12, &in_progress, &committed);
    acceptor_commit(&acceptor, proposal_of(11, 1));
    *ballot = in_progress.ballot;
    return acceptor.in_progress.value;
}

static void commit_ends_what_it_commits_whatever_was_promised_since(void **state)
{
    uint32_t ballot;

    (void)state;
    assert_int_equal(left_in_progress(false, &ballot), 0);
    assert_int_equal(ballot, 11);
}

static void commit_leaves_it_in_progress_with_the_bug(void **state)
{
    uint32_t ballot;

    (void)state;
    assert_int_equal(left_in_progress(true, &ballot), 1);
    assert_int_equal(ballot, 11);
}

static void older_commit_leaves_what_is_in_progress(void **state)
{
    struct acceptor acceptor;

    (void)state;
    acceptor_init(&acceptor, false);
    (void)acceptor_propose(&acceptor, proposal_of(12, 2));
    acceptor_commit(&acceptor, proposal_of(11, 1));

    assert_int_equal(acceptor.in_progress.value, 2);
}

/* ---- Disks ---------------------------------------------------------------------------------- */

static void copy_is_deleted_when_that_is_committed(void **state)
{
    struct outcome_log log;

    (void)state;
    outcome_log_init(&log);
    outcome_log_note(&log, OUTCOME_UNCLEAR);
    outcome_log_apply(&log);
    assert_true(log.has_copy);
    outcome_log_note(&log, OUTCOME_COMMITTED);
    assert_true(log.has_copy);
    outcome_log_apply(&log);
    assert_false(log.has_copy);
}

static void commit_can_be_finished_again_and_again(void **state)
{
    struct outcome_log log;

    (void)state;
    outcome_log_init(&log);
    outcome_log_note(&log, OUTCOME_COMMITTED);
    outcome_log_apply(&log);
    outcome_log_apply(&log);

    assert_false(log.has_copy);
    assert_int_equal(log.outcome, OUTCOME_COMMITTED);
}

static void copy_stays_when_nothing_is_committed(void **state)
{
    struct outcome_log log;

    (void)state;
    outcome_log_init(&log);
    outcome_log_apply(&log);
    assert_true(log.has_copy);
    outcome_log_note(&log, OUTCOME_UNCLEAR);
    outcome_log_note(&log, OUTCOME_ABORTED);
    outcome_log_apply(&log);
    assert_true(log.has_copy);
}

static void what_is_decided_stays_decided(void **state)
{
    struct outcome_log log;

    (void)state;
    outcome_log_init(&log);
    outcome_log_note(&log, OUTCOME_ABORTED);
    outcome_log_note(&log, OUTCOME_UNCLEAR);
    outcome_log_note(&log, OUTCOME_COMMITTED);
    assert_int_equal(log.outcome, OUTCOME_ABORTED);

    outcome_log_init(&log);
    outcome_log_note(&log, OUTCOME_COMMITTED);
    outcome_log_note(&log, OUTCOME_ABORTED);
    assert_int_equal(log.outcome, OUTCOME_COMMITTED);
}

static void looking_at_a_disk_changes_nothing(void **state)
{
    struct outcome_log log;

    (void)state;
    outcome_log_init(&log);
    outcome_log_note(&log, OUTCOME_UNCLEAR);
    outcome_log_note(&log, OUTCOME_NONE);

    assert_int_equal(log.outcome, OUTCOME_UNCLEAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_wait_in_the_order_of_their_requests),
        cmocka_unit_test(request_that_comes_twice_only_changes_the_version),
        cmocka_unit_test(who_surrenders_goes_to_the_end),
        cmocka_unit_test(who_is_not_in_a_queue_cannot_surrender_nor_leave),
        cmocka_unit_test(next_one_holds_a_lock_when_the_holder_leaves),
        cmocka_unit_test(versions_never_come_back),
        cmocka_unit_test(versions_come_back_with_the_bug),
        cmocka_unit_test(old_versions_are_no_news),
        cmocka_unit_test(surrendered_lock_is_ignored_until_the_server_knows),
        cmocka_unit_test(agent_has_all_when_it_is_the_head_of_all_it_wants),
        cmocka_unit_test(greatest_agent_of_a_circle_is_the_victim),
        cmocka_unit_test(who_waits_beside_a_circle_is_not_in_it),
        cmocka_unit_test(place_is_written_once),
        cmocka_unit_test(repair_writes_over_what_is_there),
        cmocka_unit_test(requests_of_an_earlier_epoch_are_refused),
        cmocka_unit_test(request_of_a_later_epoch_wedges_a_server),
        cmocka_unit_test(server_without_a_layout_is_wedged),
        cmocka_unit_test(only_the_highest_ballot_is_promised),
        cmocka_unit_test(what_is_below_a_promise_is_not_accepted),
        cmocka_unit_test(promise_tells_what_was_accepted_and_committed),
        cmocka_unit_test(older_commit_does_not_replace_a_newer_one),
        cmocka_unit_test(commit_ends_what_it_commits_whatever_was_promised_since),
        cmocka_unit_test(commit_leaves_it_in_progress_with_the_bug),
        cmocka_unit_test(older_commit_leaves_what_is_in_progress),
        cmocka_unit_test(copy_is_deleted_when_that_is_committed),
        cmocka_unit_test(commit_can_be_finished_again_and_again),
        cmocka_unit_test(copy_stays_when_nothing_is_committed),
        cmocka_unit_test(what_is_decided_stays_decided),
        cmocka_unit_test(looking_at_a_disk_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
