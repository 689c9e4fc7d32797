/* test_ds2_consensus.c - the small Raft and the small Zab, each alone. SPDX-License-Identifier: MIT
 */
#include "ds2_world.h"
#include "raft.h"
#include "zab.h"

/* ---- Raft ----------------------------------------------------------------------------------- */

static void raft_answers_a_read_with_what_was_written(void **state)
{
    struct world *world = *state;

    start(world, &ds2_raft, 3);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    deliver_all(world);
    read_at(world, 2, 2, 0);
    deliver_all(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[2], 7);
}

static void raft_holds_operations_until_somebody_leads(void **state)
{
    struct world *world = *state;

    start(world, &ds2_raft, 3);
    write_at(world, 1, 2, 0, 7);
    write_at(world, 2, 1, 0, 8);
    deliver_all(world);
    assert_int_equal(world->answer_count, 0);
    wake(world, 1);
    deliver_all(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[2], DS2_NOTHING);
}

/* Agents 1 and 2 want to lead term 1; agent 3 is asked by both. */
static void ask_agent_3_twice(struct world *world)
{
    wake(world, 1);
    wake(world, 2);
    deliver(world, RAFT_REQUEST_VOTE, 3);
    deliver(world, RAFT_REQUEST_VOTE, 3);
    deliver(world, RAFT_VOTE, 1);
    deliver(world, RAFT_VOTE, 2);
}

static void raft_votes_once_in_a_term(void **state)
{
    struct world *world = *state;

    start(world, &ds2_raft, 3);
    ask_agent_3_twice(world);

    assert_int_equal(count(world, RAFT_APPEND, 3), 1);
}

static void with_its_bug_raft_has_two_leaders_in_a_term(void **state)
{
    struct world *world = *state;

    start_with_bug(world, &ds2_raft, 3);
    ask_agent_3_twice(world);

    assert_int_equal(count(world, RAFT_APPEND, 3), 2);
}

static void raft_does_not_commit_without_a_majority(void **state)
{
    struct world *world = *state;

    start(world, &ds2_raft, 3);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    assert_int_equal(world->answers[1], UNANSWERED);
    deliver(world, RAFT_APPEND, 3);
    deliver(world, RAFT_APPEND_ANSWER, 1);

    assert_int_equal(world->answers[1], DS2_NOTHING);
}

static void of_five_agents_raft_needs_three(void **state)
{
    struct world *world = *state;

    start(world, &ds2_raft, 5);
    wake(world, 1);
    deliver(world, RAFT_REQUEST_VOTE, 2);
    deliver(world, RAFT_VOTE, 1);
    assert_int_equal(count(world, RAFT_APPEND, 2), 0);
    deliver(world, RAFT_REQUEST_VOTE, 3);
    deliver(world, RAFT_VOTE, 1);

    assert_int_equal(count(world, RAFT_APPEND, 2), 1);
}

/* Agent 1 has an entry on agent 3; agent 2, which has not, cannot be elected by agent 3. */
static void raft_elects_nobody_who_lacks_an_entry(void **state)
{
    struct world *world = *state;

    start(world, &ds2_raft, 3);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    deliver(world, RAFT_APPEND, 3);
    wake(world, 2);
    deliver(world, RAFT_REQUEST_VOTE, 3);
    deliver(world, RAFT_VOTE, 2);

    assert_int_equal(count(world, RAFT_APPEND, 3), 0);
}

/* Leader 1 writes 7 to itself alone; leader 2 commits 8; then 1 takes over the others' log. */
static void raft_replaces_what_was_not_committed(void **state)
{
    struct world *world = *state;

    start(world, &ds2_raft, 3);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    (void)take(world, RAFT_APPEND, 2);
    (void)take(world, RAFT_APPEND, 3);
    wake(world, 2);
    deliver_all(world);
    write_at(world, 2, 2, 0, 8);
    deliver_all(world);
    read_at(world, 3, 1, 0);
    deliver_all(world);

    assert_int_equal(world->answers[1], UNANSWERED);
    assert_int_equal(world->answers[2], DS2_NOTHING);
    assert_int_equal(world->answers[3], 8);
}

/* What agent 2 lacks is found step by step. */
static void raft_goes_back_to_where_logs_agree(void **state)
{
    struct world *world = *state;

    start(world, &ds2_raft, 3);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    (void)take(world, RAFT_APPEND, 2);
    write_at(world, 2, 1, 0, 8);
    (void)take(world, RAFT_APPEND, 2);
    deliver_all(world);
    wake(world, 3);
    deliver_all(world);
    write_at(world, 3, 3, 0, 9);
    (void)take(world, RAFT_APPEND, 1);
    deliver_all(world);

    assert_int_equal(world->answers[3], DS2_NOTHING);
}

static void who_leads_in_raft_does_not_time_out(void **state)
{
    struct world *world = *state;

    start(world, &ds2_raft, 3);
    wake(world, 1);
    deliver_all(world);
    wake(world, 1);

    assert_int_equal(world->n_pending, 0);
}

/* An entry of term 1 is on all agents, but only an entry of term 2 commits it. */
static void raft_does_not_commit_by_counting_an_older_term(void **state)
{
    struct world *world = *state;

    start(world, &ds2_raft, 3);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    deliver(world, RAFT_APPEND, 3);
    (void)take(world, RAFT_APPEND, 2);
    (void)take(world, RAFT_APPEND_ANSWER, 1);
    wake(world, 3);
    deliver_all(world);
    assert_int_equal(world->answers[1], UNANSWERED);
    write_at(world, 2, 3, 0, 8);
    deliver_all(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[2], DS2_NOTHING);
}

/* Agent 1 has two entries of term 1 that nobody else has; agents 2 and 3 have one of term 2. */
static void leave_agent_1_behind(struct world *world)
{
    start(world, &ds2_raft, 3);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    write_at(world, 2, 1, 0, 8);
    world->n_pending = 0;
    wake(world, 2);
    deliver(world, RAFT_REQUEST_VOTE, 1);
    deliver(world, RAFT_REQUEST_VOTE, 3);
    deliver(world, RAFT_VOTE, 2);
    deliver(world, RAFT_VOTE, 2);
    write_at(world, 3, 2, 0, 9);
    deliver(world, RAFT_APPEND, 3);
    deliver(world, RAFT_APPEND, 3);
    deliver(world, RAFT_APPEND_ANSWER, 2);
    deliver(world, RAFT_APPEND_ANSWER, 2);
    world->n_pending = 0;
    assert_int_equal(world->answers[3], DS2_NOTHING);
}

static void in_raft_a_newer_log_wins_over_a_longer_one(void **state)
{
    struct world *world = *state;

    leave_agent_1_behind(world);
    wake(world, 1);
    deliver(world, RAFT_REQUEST_VOTE, 3);

    assert_int_equal(take(world, RAFT_VOTE, 1).head.value, 0);
}

static void raft_refuses_what_follows_an_entry_that_it_lacks(void **state)
{
    struct world *world = *state;

    leave_agent_1_behind(world);
    wake(world, 3);
    deliver(world, RAFT_REQUEST_VOTE, 2);
    deliver(world, RAFT_VOTE, 3);
    deliver(world, RAFT_APPEND, 1); /* behind the entry of term 2 */

    assert_int_equal(take(world, RAFT_APPEND_ANSWER, 3).head.value, 0);
}

static void raft_ignores_an_old_shorter_append(void **state)
{
    struct world *world = *state;
    struct ds2_log_message old;

    start(world, &ds2_raft, 2);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    old = take(world, RAFT_APPEND, 2);
    write_at(world, 2, 1, 0, 8);
    deliver(world, RAFT_APPEND, 2);
    hand(world, 2, &old);
    deliver_all(world);
    wake(world, 2); /* who has both entries, leads with them */
    deliver_all(world);
    read_at(world, 3, 2, 0);
    deliver_all(world);

    assert_int_equal(world->answers[3], 8);
}

/* ---- Zab ------------------------------------------------------------------------------------ */

static void zab_answers_a_read_with_what_was_written(void **state)
{
    struct world *world = *state;

    start(world, &ds2_zab, 3);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 2, 0, 7);
    deliver_all(world);
    read_at(world, 2, 3, 0);
    deliver_all(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[2], 7);
}

static void zab_holds_operations_until_somebody_leads(void **state)
{
    struct world *world = *state;

    start(world, &ds2_zab, 3);
    write_at(world, 1, 2, 0, 7);
    write_at(world, 2, 1, 0, 8);
    assert_int_equal(world->n_pending, 0);
    wake(world, 1);
    deliver_all(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[2], DS2_NOTHING);
}

static void zab_accepts_an_epoch_once(void **state)
{
    struct world *world = *state;

    start(world, &ds2_zab, 3);
    wake(world, 1);
    wake(world, 2);
    deliver(world, ZAB_NEW_EPOCH, 3);
    deliver(world, ZAB_NEW_EPOCH, 3);

    assert_int_equal(count(world, ZAB_ACK_EPOCH, 1), 1);
    assert_int_equal(count(world, ZAB_ACK_EPOCH, 2), 0);
}

static void zab_proposes_nothing_before_a_majority_is_synchronised(void **state)
{
    struct world *world = *state;

    start(world, &ds2_zab, 3);
    write_at(world, 1, 1, 0, 7);
    wake(world, 1);
    deliver(world, ZAB_NEW_EPOCH, 3);
    deliver(world, ZAB_ACK_EPOCH, 1);
    deliver(world, ZAB_NEW_LEADER, 3);
    assert_int_equal(count(world, ZAB_PROPOSE, 3), 0);
    deliver(world, ZAB_ACK_LEADER, 1);

    assert_int_equal(count(world, ZAB_PROPOSE, 3), 1);
}

/* A write that agents 1 and 3 have committed; agent 2, which has heard of nothing, leads next. */
static void lead_without_the_write(struct world *world)
{
    wake(world, 1);
    deliver(world, ZAB_NEW_EPOCH, 3);
    (void)take(world, ZAB_NEW_EPOCH, 2);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    deliver_all(world);
    assert_int_equal(world->answers[1], DS2_NOTHING);
    wake(world, 2); /* guesses an epoch that is not new */
    deliver_all(world);
    wake(world, 2);
    deliver_all(world);
    read_at(world, 2, 2, 0);
    deliver_all(world);
}

static void a_new_leader_of_zab_takes_the_best_history(void **state)
{
    struct world *world = *state;

    start(world, &ds2_zab, 3);
    lead_without_the_write(world);

    assert_int_equal(world->answers[2], 7);
}

static void with_its_bug_a_new_leader_of_zab_forgets(void **state)
{
    struct world *world = *state;

    start_with_bug(world, &ds2_zab, 3);
    lead_without_the_write(world);

    assert_int_equal(world->answers[2], 0);
}

static void zab_keeps_proposals_that_come_too_early(void **state)
{
    struct world *world = *state;
    struct ds2_log_message first;

    start(world, &ds2_zab, 2);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    write_at(world, 2, 1, 0, 8);
    first = take(world, ZAB_PROPOSE, 2);
    deliver(world, ZAB_PROPOSE, 2);
    deliver_all(world);
    assert_int_equal(world->answers[2], UNANSWERED);
    hand(world, 2, &first);
    deliver_all(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[2], DS2_NOTHING);
}

static void zab_gives_who_comes_late_all_that_was_proposed(void **state)
{
    struct world *world = *state;
    struct ds2_log_message late;

    start(world, &ds2_zab, 3);
    wake(world, 1);
    late = take(world, ZAB_NEW_EPOCH, 3);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    deliver_all(world);
    hand(world, 3, &late);
    deliver(world, ZAB_ACK_EPOCH, 1);
    write_at(world, 2, 1, 0, 8);
    (void)take(world, ZAB_PROPOSE, 2);
    deliver(world, ZAB_PROPOSE, 3); /* before the history that it continues */
    deliver_all(world);

    assert_int_equal(world->answers[2], DS2_NOTHING);
}

/* Agent 1 of five is in discovery of epoch 4, and gets two histories. */
static void offer(struct world *world, uint32_t first_epoch, uint32_t first_n,
                  uint32_t second_epoch, uint32_t second_n)
{
    struct ds2_log_message ack = {.head = {.kind = ZAB_ACK_EPOCH, .from = 2, .number = 4},
                                  .term = first_epoch,
                                  .n = first_n,
                                  .entries = {{.number = 1, .client = 1}, {.client = 2}}};

    start(world, &ds2_zab, 5);
    wake(world, 1);
    wake(world, 1);
    wake(world, 1);
    wake(world, 1);
    hand(world, 1, &ack);
    ack.head.from = 3;
    ack.term = second_epoch;
    ack.n = second_n;
    hand(world, 1, &ack);
}

static void in_zab_a_newer_history_wins_over_a_longer_one(void **state)
{
    struct world *world = *state;

    offer(world, 2, 1, 1, 2);

    assert_int_equal(take(world, ZAB_NEW_LEADER, 2).n, 1);
}

static void of_histories_of_one_epoch_zab_takes_the_longer(void **state)
{
    struct world *world = *state;

    offer(world, 2, 2, 2, 1);

    assert_int_equal(take(world, ZAB_NEW_LEADER, 3).n, 2);
}

static void of_five_agents_zab_synchronises_three(void **state)
{
    struct world *world = *state;

    offer(world, 1, 0, 1, 0);
    write_at(world, 1, 1, 0, 7);
    hand(world, 1,
         &(struct ds2_log_message){.head = {.kind = ZAB_ACK_LEADER, .from = 2, .number = 4}});
    assert_int_equal(count(world, ZAB_PROPOSE, 2), 0);
    hand(world, 1,
         &(struct ds2_log_message){.head = {.kind = ZAB_ACK_LEADER, .from = 3, .number = 4}});

    assert_int_equal(count(world, ZAB_PROPOSE, 2), 1);
}

/* Agent 3 has got the second proposal of epoch 1, but not the first, when agent 2 leads epoch 2. */
static void zab_forgets_early_proposals_of_an_older_epoch(void **state)
{
    struct world *world = *state;

    start(world, &ds2_zab, 3);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    write_at(world, 2, 1, 0, 8);
    (void)take(world, ZAB_PROPOSE, 3);
    deliver(world, ZAB_PROPOSE, 3);
    deliver(world, ZAB_PROPOSE, 2);
    world->n_pending = 0;
    wake(world, 2);
    deliver(world, ZAB_NEW_EPOCH, 3);
    deliver(world, ZAB_ACK_EPOCH, 2);
    deliver(world, ZAB_NEW_LEADER, 3);

    assert_int_equal(take(world, ZAB_ACK_LEADER, 2).index, 1);
}

static void zab_does_not_count_what_was_acknowledged_in_an_older_epoch(void **state)
{
    struct world *world = *state;
    struct ds2_log_message old;

    start(world, &ds2_zab, 3);
    wake(world, 1);
    deliver_all(world);
    write_at(world, 1, 1, 0, 7);
    deliver(world, ZAB_PROPOSE, 2);
    old = take(world, ZAB_ACK, 1);
    wake(world, 2);
    deliver(world, ZAB_NEW_EPOCH, 1);
    wake(world, 1);
    (void)take(world, ZAB_NEW_EPOCH, 3);
    deliver(world, ZAB_NEW_EPOCH, 3);
    deliver(world, ZAB_ACK_EPOCH, 1);
    hand(world, 1, &old);

    assert_int_equal(world->answers[1], UNANSWERED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(raft_answers_a_read_with_what_was_written),
        IN_WORLD(raft_holds_operations_until_somebody_leads),
        IN_WORLD(raft_votes_once_in_a_term),
        IN_WORLD(with_its_bug_raft_has_two_leaders_in_a_term),
        IN_WORLD(raft_does_not_commit_without_a_majority),
        IN_WORLD(of_five_agents_raft_needs_three),
        IN_WORLD(raft_elects_nobody_who_lacks_an_entry),
        IN_WORLD(raft_replaces_what_was_not_committed),
        IN_WORLD(raft_goes_back_to_where_logs_agree),
        IN_WORLD(who_leads_in_raft_does_not_time_out),
        IN_WORLD(raft_does_not_commit_by_counting_an_older_term),
        IN_WORLD(in_raft_a_newer_log_wins_over_a_longer_one),
        IN_WORLD(raft_refuses_what_follows_an_entry_that_it_lacks),
        IN_WORLD(raft_ignores_an_old_shorter_append),
        IN_WORLD(zab_answers_a_read_with_what_was_written),
        IN_WORLD(zab_holds_operations_until_somebody_leads),
        IN_WORLD(zab_accepts_an_epoch_once),
        IN_WORLD(zab_proposes_nothing_before_a_majority_is_synchronised),
        IN_WORLD(a_new_leader_of_zab_takes_the_best_history),
        IN_WORLD(with_its_bug_a_new_leader_of_zab_forgets),
        IN_WORLD(zab_keeps_proposals_that_come_too_early),
        IN_WORLD(zab_gives_who_comes_late_all_that_was_proposed),
        IN_WORLD(in_zab_a_newer_history_wins_over_a_longer_one),
        IN_WORLD(of_histories_of_one_epoch_zab_takes_the_longer),
        IN_WORLD(of_five_agents_zab_synchronises_three),
        IN_WORLD(zab_forgets_early_proposals_of_an_older_epoch),
        IN_WORLD(zab_does_not_count_what_was_acknowledged_in_an_older_epoch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
