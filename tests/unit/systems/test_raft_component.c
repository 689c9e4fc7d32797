/* test_raft_component.c - Raft alone: elections, replication and commitment.
 *
 * SPDX-License-Identifier: MIT
 */
#include "raft_world.h"

#include <errno.h>

/* ---- Starting ------------------------------------------------------------------------------- */

static void start_refuses_what_is_incomplete(void **state)
{
    struct world *world = *state;
    struct world_server *server = &world->servers[1];
    struct raft_env no_disk = world_env;
    struct raft_env no_network = world_env;
    struct raft_config nobody = server->config;
    struct raft_config too_much = server->config;

    no_disk.sync = NULL;
    no_network.send = NULL;
    nobody.id = 0;
    too_much.batch = RAFT_BATCH_MAX + 1;

    assert_int_equal(raft_start(&server->raft, NULL, &world_env, server), -EINVAL);
    assert_int_equal(raft_start(&server->raft, &server->config, NULL, server), -EINVAL);
    assert_int_equal(raft_start(&server->raft, &server->config, &no_disk, server), -EINVAL);
    assert_int_equal(raft_start(&server->raft, &server->config, &no_network, server), -EINVAL);
    assert_int_equal(raft_start(&server->raft, &nobody, &world_env, server), -EINVAL);
    assert_int_equal(raft_start(&server->raft, &too_much, &world_env, server), -EINVAL);
}

static void new_server_is_a_follower_in_term_0(void **state)
{
    struct world *world = *state;

    assert_int_equal(raft_of(world, 1)->role, RAFT_FOLLOWER);
    assert_int_equal(raft_of(world, 1)->term, 0);
    assert_true(world->servers[1].has_timer[RAFT_TIMER_ELECTION]);
    assert_int_equal(world->queue_count, 0);
}

static void election_timeout_is_drawn(void **state)
{
    struct world *world = *state;

    world->random = 17;
    time_out(world, 1, RAFT_TIMER_ELECTION);

    assert_int_equal(world->servers[1].delay_ms[RAFT_TIMER_ELECTION], 150 + 17);
}

/* ---- Elections ------------------------------------------------------------------------------ */

static void timeout_makes_a_candidate_that_votes_for_itself(void **state)
{
    struct world *world = *state;

    time_out(world, 2, RAFT_TIMER_ELECTION);

    assert_int_equal(raft_of(world, 2)->role, RAFT_CANDIDATE);
    assert_int_equal(raft_of(world, 2)->term, 1);
    assert_int_equal(raft_of(world, 2)->vote, 2);
    assert_int_equal(world->queue_count, 4);
}

static void candidate_tries_again(void **state)
{
    struct world *world = *state;

    time_out(world, 2, RAFT_TIMER_ELECTION);
    lose_all(world);
    time_out(world, 2, RAFT_TIMER_ELECTION);

    assert_int_equal(raft_of(world, 2)->term, 2);
    assert_int_equal(world->queue_count, 4);
}

static void one_shot_candidate_does_not(void **state)
{
    struct world *world = *state;
    struct raft_config config = {.bugs.one_shot_candidate = true};

    world_init(world, 5, 5, &config);
    time_out(world, 2, RAFT_TIMER_ELECTION);

    assert_false(world->servers[2].has_timer[RAFT_TIMER_ELECTION]);
}

static void majority_makes_a_leader(void **state)
{
    struct world *world = *state;
    struct world_message message;

    time_out(world, 1, RAFT_TIMER_ELECTION);
    message = take(world, 2, RAFT_VOTE_REQUEST);
    hand_over(world, &message);
    message = take(world, 1, RAFT_VOTE_REPLY);
    hand_over(world, &message);
    assert_int_equal(raft_of(world, 1)->role, RAFT_CANDIDATE);
    hand_over(world, &message); /* a vote that comes twice is one vote */
    assert_int_equal(raft_of(world, 1)->role, RAFT_CANDIDATE);
    message = take(world, 3, RAFT_VOTE_REQUEST);
    hand_over(world, &message);
    message = take(world, 1, RAFT_VOTE_REPLY);
    hand_over(world, &message);

    assert_int_equal(raft_of(world, 1)->role, RAFT_LEADER);
    assert_true(world->servers[1].has_timer[RAFT_TIMER_HEARTBEAT]);
    assert_false(world->servers[1].has_timer[RAFT_TIMER_ELECTION]);
}

static void server_votes_once_in_a_term(void **state)
{
    struct world *world = *state;
    struct world_message message;

    time_out(world, 1, RAFT_TIMER_ELECTION);
    time_out(world, 2, RAFT_TIMER_ELECTION);
    message = take(world, 3, RAFT_VOTE_REQUEST);
    hand_over(world, &message);
    message = take(world, 3, RAFT_VOTE_REQUEST);
    hand_over(world, &message);

    message = take(world, 1, RAFT_VOTE_REPLY);
    assert_int_equal(message.body.vote_reply.is_granted, 1);
    message = take(world, 2, RAFT_VOTE_REPLY);
    assert_int_equal(message.body.vote_reply.is_granted, 0);
}

static void vote_is_durable_before_it_is_given(void **state)
{
    struct world *world = *state;
    struct world_message message;

    time_out(world, 1, RAFT_TIMER_ELECTION);
    message = take(world, 3, RAFT_VOTE_REQUEST);
    hand_over(world, &message);
    crash(world, 3, LOSE_UNSYNCED);
    assert_int_equal(restart(world, 3), 0);

    assert_int_equal(raft_of(world, 3)->term, 1);
    assert_int_equal(raft_of(world, 3)->vote, 1);
}

static void forgotten_vote_can_be_given_again(void **state)
{
    struct world *world = *state;
    struct raft_config config = {.bugs.forget_vote = true};
    struct world_message message;

    world_init(world, 5, 5, &config);
    time_out(world, 1, RAFT_TIMER_ELECTION);
    time_out(world, 2, RAFT_TIMER_ELECTION);
    message = take(world, 3, RAFT_VOTE_REQUEST);
    hand_over(world, &message);
    crash(world, 3, LOSE_UNSYNCED);
    assert_int_equal(restart(world, 3), 0);
    message = take(world, 3, RAFT_VOTE_REQUEST);
    hand_over(world, &message);

    message = take(world, 1, RAFT_VOTE_REPLY);
    assert_int_equal(message.body.vote_reply.is_granted, 1);
    message = take(world, 2, RAFT_VOTE_REPLY);
    assert_int_equal(message.body.vote_reply.is_granted, 1);
}

static void candidate_with_an_older_log_gets_no_vote(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    world->cut = 1 << 4;
    ask_write(world, 1, 1, 7);
    deliver_all(world);
    world->cut = 0;
    elect(world, 5);

    assert_int_equal(raft_of(world, 5)->role, RAFT_CANDIDATE);
    elect(world, 2);
    assert_int_equal(raft_of(world, 2)->role, RAFT_LEADER);
}

static void longer_log_of_an_older_term_gets_no_vote(void **state)
{
    struct world *world = *state;
    struct raft_vote_request request = {
        .header = {.term = 9, .from = 2},
        .last_index = 7,
        .last_term = 0,
    };
    struct world_message message;

    elect(world, 1);
    crash(world, 3, LOSE_UNSYNCED);
    assert_int_equal(restart(world, 3), 0);
    assert_int_equal(raft_receive(raft_of(world, 3), RAFT_VOTE_REQUEST, &request), 0);

    message = take(world, 2, RAFT_VOTE_REPLY);
    assert_int_equal(message.body.vote_reply.is_granted, 0);
}

static void vote_puts_the_own_timeout_off(void **state)
{
    struct world *world = *state;
    struct world_message message;

    time_out(world, 1, RAFT_TIMER_ELECTION);
    message = take(world, 2, RAFT_VOTE_REQUEST);
    world->random = 99;
    hand_over(world, &message);

    assert_int_equal(world->servers[2].delay_ms[RAFT_TIMER_ELECTION], 150 + 99);
}

static void half_of_the_members_is_no_majority(void **state)
{
    struct world *world = *state;

    world_init(world, 4, 4, NULL);
    world->cut = 1 << 2 | 1 << 3;
    elect(world, 1);

    assert_int_equal(raft_of(world, 1)->role, RAFT_CANDIDATE);
}

static void candidate_is_ignored_while_there_is_a_leader(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    time_out(world, 5, RAFT_TIMER_ELECTION);
    deliver_some(world, 4); /* its requests */

    assert_int_equal(raft_of(world, 1)->role, RAFT_LEADER);
    assert_int_equal(raft_of(world, 1)->term, 1);
    assert_int_equal(raft_of(world, 2)->term, 1);
}

static void own_timeout_ends_the_belief_in_a_leader(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    world->cut = 1;
    time_out(world, 3, RAFT_TIMER_ELECTION);
    lose_all(world);
    time_out(world, 4, RAFT_TIMER_ELECTION);
    lose_all(world);
    time_out(world, 5, RAFT_TIMER_ELECTION);
    lose_all(world);
    time_out(world, 5, RAFT_TIMER_ELECTION);
    deliver_all(world);

    assert_int_equal(raft_of(world, 5)->role, RAFT_LEADER);
}

static void leader_steps_down_for_a_newer_term(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    world->cut = 1;
    elect(world, 2);
    assert_int_equal(raft_of(world, 1)->role, RAFT_LEADER);
    world->cut = 0;
    beat(world, 1);

    assert_int_equal(raft_of(world, 1)->role, RAFT_FOLLOWER);
    assert_int_equal(raft_of(world, 1)->term, 2);
    assert_false(world->servers[1].has_timer[RAFT_TIMER_HEARTBEAT]);
    assert_true(world->servers[1].has_timer[RAFT_TIMER_ELECTION]);
}

/* ---- Replication ---------------------------------------------------------------------------- */

static void command_reaches_all_state_machines(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    ask_write(world, 1, 1, 77);
    deliver_all(world);
    beat(world, 1);

    assert_int_equal(last_reply(world).status, RAFT_DONE);
    assert_int_equal(last_reply(world).result[REGISTER_CONTENT], 77);
    assert_int_equal(world->servers[1].registers.values[0], 77);
    assert_int_equal(world->servers[5].registers.values[0], 77);
}

static void minority_commits_nothing(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    beat(world, 1);
    world->cut = 1 << 2 | 1 << 3 | 1 << 4;
    ask_write(world, 1, 1, 77);
    deliver_all(world);

    assert_int_equal(world->reply_count, 0);
    assert_int_equal(raft_of(world, 2)->log.count, 2);
    assert_int_equal(raft_of(world, 1)->commit_index, 1);
}

static void follower_without_the_entry_before_refuses(void **state)
{
    struct world *world = *state;
    struct world_message message;

    elect(world, 1);
    world->cut = 1 << 4;
    ask_write(world, 1, 1, 7);
    deliver_all(world);
    world->cut = 0;
    raft_of(world, 1)->progress[5].next_index = 3;
    time_out(world, 1, RAFT_TIMER_HEARTBEAT);
    message = take(world, 5, RAFT_APPEND);
    hand_over(world, &message);
    message = take(world, 1, RAFT_APPEND_REPLY);

    assert_int_equal(message.body.append_reply.is_success, 0);
    assert_int_equal(message.body.append_reply.conflict_index, 2);
    hand_over(world, &message);
    deliver_all(world);
    assert_int_equal(raft_of(world, 5)->log.count, 2);
}

/* Server 1 has three entries of term 1 that nobody else has; server 2 has led since. */
static void conflicting_entries_are_replaced_a_term_at_a_time(void **state)
{
    struct world *world = *state;
    struct world_message message;

    elect(world, 1);
    world->cut = 1;
    ask_write(world, 1, 1, 1);
    ask_write(world, 1, 2, 2);
    ask_write(world, 1, 3, 3);
    elect(world, 2);
    for (uint32_t sequence = 1; sequence <= 5; sequence++)
        ask_write(world, 2, sequence, 10 * sequence);
    deliver_all(world);
    world->cut = 0;
    lose_all(world);
    time_out(world, 2, RAFT_TIMER_HEARTBEAT);
    message = take(world, 1, RAFT_APPEND);
    hand_over(world, &message);
    message = take(world, 2, RAFT_APPEND_REPLY);

    assert_int_equal(message.body.append_reply.conflict_term, 0);
    hand_over(world, &message);
    deliver_all(world);
    beat(world, 2);
    assert_int_equal(raft_log_last_index(&raft_of(world, 1)->log), 7);
    assert_int_equal(raft_log_term(&raft_of(world, 1)->log, 2), 2);
    assert_int_equal(world->servers[1].registers.values[0], 50);
    assert_memory_equal(&raft_of(world, 1)->log.entries, &raft_of(world, 2)->log.entries,
                        7 * sizeof(struct raft_entry));
}

static void refusal_names_the_first_entry_of_the_conflicting_term(void **state)
{
    struct world *world = *state;
    struct raft_append append = {
        .header = {.term = 9, .from = 2},
        .prev_index = 4,
        .prev_term = 8,
    };
    struct world_message message;

    elect(world, 1);
    world->cut = 1;
    ask_write(world, 1, 1, 1);
    ask_write(world, 1, 2, 2);
    ask_write(world, 1, 3, 3);
    lose_all(world);
    raft_of(world, 1)->log.entries[1].term = 5;
    raft_of(world, 1)->log.entries[2].term = 5;
    raft_of(world, 1)->log.entries[3].term = 5;
    assert_int_equal(raft_receive(raft_of(world, 1), RAFT_APPEND, &append), 0);
    message = take(world, 2, RAFT_APPEND_REPLY);

    assert_int_equal(message.body.append_reply.conflict_index, 2);
    assert_int_equal(message.body.append_reply.conflict_term, 5);
}

/* Server 1 has an entry of term 1 where the sender has one of term 2, and is sent what follows. */
static uint32_t answer_to_entries_behind_another(struct world *world, bool compare_lengths)
{
    struct raft_config config = {.bugs.compare_lengths = compare_lengths};
    struct raft_append append = {
        .header = {.term = 3, .from = 2},
        .prev_index = 2,
        .prev_term = 2,
        .count = 1,
        .entries = {{.term = 3}},
    };
    struct world_message message;

    world_init(world, 5, 5, &config);
    elect(world, 1);
    world->cut = 1;
    ask_write(world, 1, 1, 1);
    lose_all(world);
    assert_int_equal(raft_receive(raft_of(world, 1), RAFT_APPEND, &append), 0);
    message = take(world, 2, RAFT_APPEND_REPLY);
    return message.body.append_reply.is_success;
}

static void entries_behind_another_entry_are_refused(void **state)
{
    assert_int_equal(answer_to_entries_behind_another(*state, false), 0);
}

static void comparing_lengths_takes_entries_behind_another(void **state)
{
    assert_int_equal(answer_to_entries_behind_another(*state, true), 1);
}

/* Two messages under way at once, and the shorter one comes last. */
static bool late_message_takes_an_entry_back(struct world *world, bool truncate_always)
{
    struct raft_config config = {.bugs.truncate_always = truncate_always};
    struct world_message shorter;
    struct world_message longer;

    world_init(world, 5, 5, &config);
    elect(world, 1);
    ask_write(world, 1, 1, 1);
    ask_write(world, 1, 2, 2);
    shorter = take(world, 2, RAFT_APPEND);
    longer = take(world, 2, RAFT_APPEND);
    assert_int_equal(longer.body.append.count, 2);
    hand_over(world, &longer);
    assert_int_equal(raft_of(world, 2)->log.count, 3);
    hand_over(world, &shorter);
    return raft_of(world, 2)->log.count < 3;
}

static void late_message_takes_nothing_back(void **state)
{
    assert_false(late_message_takes_an_entry_back(*state, false));
}

static void truncating_always_takes_confirmed_entries_back(void **state)
{
    assert_true(late_message_takes_an_entry_back(*state, true));
}

static void batches_follow_each_other_until_all_is_there(void **state)
{
    struct world *world = *state;
    struct raft_config config = {.batch = 1};

    world_init(world, 5, 5, &config);
    elect(world, 1);
    world->cut = 1 << 4;
    for (uint32_t sequence = 1; sequence <= 6; sequence++)
        ask_write(world, 1, sequence, sequence);
    deliver_all(world);
    world->cut = 0;
    beat(world, 1);

    assert_int_equal(raft_of(world, 5)->log.count, 7);
}

static void full_log_makes_clients_wait(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    world->cut = 1;
    for (uint32_t sequence = 1; sequence <= RAFT_LOG_MAX; sequence++)
        ask_write(world, 1, sequence, sequence);

    assert_int_equal(raft_of(world, 1)->log.count, RAFT_LOG_MAX - RAFT_LOG_RESERVE);
    assert_int_equal(last_reply(world).status, RAFT_BUSY);
}

/* ---- Commitment ----------------------------------------------------------------------------- */

static void follower_commits_only_what_it_has_verified(void **state)
{
    struct world *world = *state;
    struct raft_append heartbeat = {
        .header = {.term = 2, .from = 2},
        .prev_index = 1,
        .prev_term = 1,
        .commit_index = 3,
    };

    elect(world, 1);
    world->cut = 1;
    ask_write(world, 1, 1, 1);
    ask_write(world, 1, 2, 2);
    lose_all(world);
    assert_int_equal(raft_receive(raft_of(world, 1), RAFT_APPEND, &heartbeat), 0);

    assert_int_equal(raft_of(world, 1)->commit_index, 1);
}

static void follower_that_trusts_its_own_log_commits_too_much(void **state)
{
    struct world *world = *state;
    struct raft_config config = {.bugs.commit_unverified = true};
    struct raft_append heartbeat = {
        .header = {.term = 2, .from = 2},
        .prev_index = 1,
        .prev_term = 1,
        .commit_index = 3,
    };

    world_init(world, 5, 5, &config);
    elect(world, 1);
    world->cut = 1;
    ask_write(world, 1, 1, 1);
    ask_write(world, 1, 2, 2);
    lose_all(world);
    assert_int_equal(raft_receive(raft_of(world, 1), RAFT_APPEND, &heartbeat), 0);

    assert_int_equal(raft_of(world, 1)->commit_index, 3);
}

static void deliver_until_leader(struct world *world, uint32_t server)
{
    while (raft_of(world, server)->role != RAFT_LEADER)
        assert_int_equal(deliver_some(world, 1), 1);
}

/* Figure 8 of the paper up to (c): server 1 leads again and has an entry of its first term on three
 * servers, while server 5 has one of a later term. Whether it calls that committed. */
static bool commits_an_old_entry_by_counting(struct world *world, bool count_old_term)
{
    struct raft_config config = {.batch = 1, .bugs.count_old_term = count_old_term};

    world_init(world, 5, 5, &config);
    elect(world, 1);
    beat(world, 1);
    world->cut = 1 << 2 | 1 << 3 | 1 << 4;
    ask_write(world, 1, 1, 1);
    deliver_all(world);
    crash(world, 1, LOSE_UNSYNCED);
    world->cut = 1 << 1;
    world->clock_ms += 1000;
    time_out(world, 5, RAFT_TIMER_ELECTION);
    deliver_until_leader(world, 5);
    lose_all(world);
    assert_int_equal(restart(world, 1), 0);
    world->cut = 1 << 4;
    world->clock_ms += 1000;
    time_out(world, 1, RAFT_TIMER_ELECTION); /* in term 2, which has a leader */
    lose_all(world);
    time_out(world, 1, RAFT_TIMER_ELECTION);
    deliver_until_leader(world, 1);
    world->cut = 1 << 3 | 1 << 4;
    while (raft_of(world, 1)->progress[3].match_index < 2)
        assert_int_equal(deliver_some(world, 1), 1);
    assert_int_equal(raft_of(world, 1)->progress[3].match_index, 2);
    assert_int_equal(raft_log_term(&raft_of(world, 1)->log, 2), 1);
    assert_int_equal(raft_log_term(&raft_of(world, 5)->log, 2), 2);
    return raft_of(world, 1)->commit_index == 2;
}

static void entry_of_an_older_term_is_not_counted(void **state)
{
    assert_false(commits_an_old_entry_by_counting(*state, false));
}

static void counting_an_entry_of_an_older_term_commits_it(void **state)
{
    assert_true(commits_an_old_entry_by_counting(*state, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(start_refuses_what_is_incomplete),
        IN_WORLD(new_server_is_a_follower_in_term_0),
        IN_WORLD(election_timeout_is_drawn),
        IN_WORLD(timeout_makes_a_candidate_that_votes_for_itself),
        IN_WORLD(candidate_tries_again),
        IN_WORLD(one_shot_candidate_does_not),
        IN_WORLD(majority_makes_a_leader),
        IN_WORLD(server_votes_once_in_a_term),
        IN_WORLD(vote_is_durable_before_it_is_given),
        IN_WORLD(forgotten_vote_can_be_given_again),
        IN_WORLD(candidate_with_an_older_log_gets_no_vote),
        IN_WORLD(longer_log_of_an_older_term_gets_no_vote),
        IN_WORLD(vote_puts_the_own_timeout_off),
        IN_WORLD(half_of_the_members_is_no_majority),
        IN_WORLD(candidate_is_ignored_while_there_is_a_leader),
        IN_WORLD(own_timeout_ends_the_belief_in_a_leader),
        IN_WORLD(leader_steps_down_for_a_newer_term),
        IN_WORLD(command_reaches_all_state_machines),
        IN_WORLD(minority_commits_nothing),
        IN_WORLD(follower_without_the_entry_before_refuses),
        IN_WORLD(conflicting_entries_are_replaced_a_term_at_a_time),
        IN_WORLD(refusal_names_the_first_entry_of_the_conflicting_term),
        IN_WORLD(entries_behind_another_entry_are_refused),
        IN_WORLD(comparing_lengths_takes_entries_behind_another),
        IN_WORLD(late_message_takes_nothing_back),
        IN_WORLD(truncating_always_takes_confirmed_entries_back),
        IN_WORLD(batches_follow_each_other_until_all_is_there),
        IN_WORLD(full_log_makes_clients_wait),
        IN_WORLD(follower_commits_only_what_it_has_verified),
        IN_WORLD(follower_that_trusts_its_own_log_commits_too_much),
        IN_WORLD(entry_of_an_older_term_is_not_counted),
        IN_WORLD(counting_an_entry_of_an_older_term_commits_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
