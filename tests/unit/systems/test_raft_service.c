/* test_raft_service.c - Raft alone: clients, reads, snapshots between servers, membership.
 *
 * SPDX-License-Identifier: MIT
 */
#include "raft_world.h"

/* ---- Clients -------------------------------------------------------------------------------- */

static void follower_names_the_leader(void **state)
{
    struct world *world = *state;

    elect(world, 3);
    ask_write(world, 1, 1, 7);

    assert_int_equal(last_reply(world).status, RAFT_NOT_LEADER);
    assert_int_equal(last_reply(world).leader, 3);
}

static void repeated_command_gets_the_same_answer(void **state)
{
    struct world *world = *state;
    struct raft_reply first;

    elect(world, 1);
    ask_write(world, 1, 1, 7);
    deliver_all(world);
    first = last_reply(world);
    ask_write(world, 1, 1, 7);

    assert_int_equal(world->reply_count, 2);
    assert_memory_equal(&world->replies[1], &first, sizeof(first));
    assert_int_equal(raft_of(world, 1)->log.count, 2);
}

static void command_that_is_under_way_is_not_taken_up_again(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    ask_write(world, 1, 1, 7);
    ask_write(world, 1, 1, 7);
    deliver_all(world);

    assert_int_equal(raft_of(world, 1)->log.count, 2);
    assert_int_equal(world->reply_count, 1);
}

/* The command is on all servers but not committed when its leader fails; the client asks the next
 * leader before that has committed anything. How often is it executed? */
static uint32_t executions_after_a_retry(struct world *world, bool double_apply)
{
    struct raft_config config = {.bugs.double_apply = double_apply};

    world_init(world, 5, 5, &config);
    elect(world, 1);
    ask_write(world, 1, 1, 7);
    deliver_some(world, 4); /* the appends, not the answers */
    lose_all(world);
    crash(world, 1, LOSE_UNSYNCED);
    world->clock_ms += 1000;
    time_out(world, 2, RAFT_TIMER_ELECTION);
    while (raft_of(world, 2)->role != RAFT_LEADER)
        assert_int_equal(deliver_some(world, 1), 1);
    ask_write(world, 2, 1, 7);
    deliver_all(world);
    beat(world, 2);
    assert_int_equal(last_reply(world).status, RAFT_DONE);
    return world->servers[3].registers.versions[0];
}

static void command_with_two_entries_is_executed_once(void **state)
{
    assert_int_equal(executions_after_a_retry(*state, false), 1);
}

static void command_is_executed_twice_without_sessions(void **state)
{
    assert_int_equal(executions_after_a_retry(*state, true), 2);
}

static void deposed_leader_sends_its_clients_away(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    world->cut = 1;
    ask_write(world, 1, 1, 7);
    elect(world, 2);
    world->cut = 0;
    beat(world, 1);

    assert_int_equal(last_reply(world).status, RAFT_NOT_LEADER);
    assert_int_equal(last_reply(world).sequence, 1);
    assert_int_equal(raft_of(world, 1)->waiting_count, 0);
}

static void ask_write_of(struct world *world, uint32_t client, uint32_t sequence)
{
    struct raft_request request = {.client = client, .sequence = sequence, .kind = RAFT_WRITE};

    ask(world, 1, &request);
    deliver_all(world);
}

/* Client 1 has been heard of last when the fifth one comes, and client 2 longest ago. */
static void oldest_session_makes_room(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    for (uint32_t client = 1; client <= RAFT_SESSIONS_MAX; client++)
        ask_write_of(world, client, 1);
    ask_write_of(world, 1, 2);
    ask_write_of(world, RAFT_SESSIONS_MAX + 1, 1);
    assert_int_equal(world->servers[1].applied_count, RAFT_SESSIONS_MAX + 2);
    ask_write_of(world, 1, 2);
    assert_int_equal(world->servers[1].applied_count, RAFT_SESSIONS_MAX + 2);
    ask_write_of(world, 2, 1);

    assert_int_equal(world->servers[1].applied_count, RAFT_SESSIONS_MAX + 3);
}

/* ---- Reads ---------------------------------------------------------------------------------- */

static void read_waits_for_a_majority(void **state)
{
    struct world *world = *state;
    struct world_message message;

    elect(world, 1);
    ask_write(world, 1, 1, 7);
    deliver_all(world);
    ask_read(world, 1, 1);
    assert_int_equal(world->reply_count, 1);
    message = take(world, 2, RAFT_APPEND);
    hand_over(world, &message);
    message = take(world, 1, RAFT_APPEND_REPLY);
    hand_over(world, &message);
    assert_int_equal(world->reply_count, 1);
    message = take(world, 3, RAFT_APPEND);
    hand_over(world, &message);
    message = take(world, 1, RAFT_APPEND_REPLY);
    hand_over(world, &message);

    assert_int_equal(world->reply_count, 2);
    assert_int_equal(last_reply(world).result[REGISTER_CONTENT], 7);
}

static void answers_to_an_earlier_round_confirm_no_read(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    time_out(world, 1, RAFT_TIMER_HEARTBEAT);
    deliver_some(world, 4); /* to the followers: the answers are under way */
    ask_read(world, 1, 1);
    deliver_some(world, 4);
    assert_int_equal(world->reply_count, 0);
    deliver_all(world);

    assert_int_equal(world->reply_count, 1);
}

static void late_answer_takes_no_confirmation_back(void **state)
{
    struct world *world = *state;
    struct world_message early;
    struct world_message message;

    elect(world, 1);
    time_out(world, 1, RAFT_TIMER_HEARTBEAT);
    message = take(world, 2, RAFT_APPEND);
    hand_over(world, &message);
    early = take(world, 1, RAFT_APPEND_REPLY);
    lose_all(world);
    ask_read(world, 1, 1);
    message = take(world, 2, RAFT_APPEND);
    hand_over(world, &message);
    message = take(world, 1, RAFT_APPEND_REPLY);
    hand_over(world, &message);
    hand_over(world, &early);
    message = take(world, 3, RAFT_APPEND);
    hand_over(world, &message);
    message = take(world, 1, RAFT_APPEND_REPLY);
    hand_over(world, &message);

    assert_int_equal(world->reply_count, 1);
}

/* Server 1 is cut off and knows nothing of its successor, which has written. */
static uint32_t replies_to_a_read_while_cut_off(struct world *world, bool stale_read)
{
    struct raft_config config = {.bugs.stale_read = stale_read};
    uint32_t before;

    world_init(world, 5, 5, &config);
    elect(world, 1);
    world->cut = 1;
    elect(world, 2);
    ask_write(world, 2, 1, 7);
    deliver_all(world);
    before = world->reply_count;
    ask_read(world, 1, 1);
    deliver_all(world);
    return world->reply_count - before;
}

static void leader_that_is_cut_off_answers_no_read(void **state)
{
    assert_int_equal(replies_to_a_read_while_cut_off(*state, false), 0);
}

static void stale_read_is_answered_from_old_state(void **state)
{
    struct world *world = *state;

    assert_int_equal(replies_to_a_read_while_cut_off(world, true), 1);
    assert_int_equal(last_reply(world).result[REGISTER_CONTENT], 0);
}

/* Of three servers 1 and 2 have a committed write; 2 does not know that, and leads next. Server 3,
 * which lacks the write, answers its first message: no, but you are the leader. */
static uint32_t replies_to_a_read_of_a_new_leader(struct world *world, bool early_read)
{
    struct raft_config config = {.bugs.early_read = early_read};
    struct world_message message;
    uint32_t before;

    world_init(world, 3, 3, &config);
    elect(world, 1);
    world->cut = 1 << 2;
    ask_write(world, 1, 1, 7);
    deliver_all(world);
    assert_int_equal(last_reply(world).status, RAFT_DONE);
    crash(world, 1, LOSE_UNSYNCED);
    world->cut = 0;
    world->clock_ms += 1000;
    time_out(world, 2, RAFT_TIMER_ELECTION);
    while (raft_of(world, 2)->role != RAFT_LEADER)
        assert_int_equal(deliver_some(world, 1), 1);
    lose_all(world);
    before = world->reply_count;
    ask_read(world, 2, 1);
    message = take(world, 3, RAFT_APPEND);
    hand_over(world, &message);
    message = take(world, 2, RAFT_APPEND_REPLY);
    hand_over(world, &message);
    return world->reply_count - before;
}

static void new_leader_answers_no_read_before_its_no_op(void **state)
{
    assert_int_equal(replies_to_a_read_of_a_new_leader(*state, false), 0);
}

static void early_read_misses_a_committed_write(void **state)
{
    struct world *world = *state;

    assert_int_equal(replies_to_a_read_of_a_new_leader(world, true), 1);
    assert_int_equal(last_reply(world).result[REGISTER_CONTENT], 0);
}

/* ---- Snapshots ------------------------------------------------------------------------------ */

/* Server 5 misses so much that the leader's log does not reach back to it. */
static void leave_behind(struct world *world, const struct raft_config *config)
{
    world_init(world, 5, 5, config);
    elect(world, 1);
    world->cut = 1 << 4;
    for (uint32_t sequence = 1; sequence <= 4; sequence++) {
        ask_write(world, 1, sequence, 10 * sequence);
        deliver_all(world);
    }
    beat(world, 1);
    world->cut = 0;
}

static void follower_that_is_far_behind_gets_a_snapshot(void **state)
{
    struct world *world = *state;
    struct raft_config config = {.snapshot_entries = 4};

    leave_behind(world, &config);
    assert_int_equal(raft_of(world, 1)->log.base_index, 4);
    beat(world, 1);

    assert_int_equal(raft_of(world, 5)->snapshot.last_index, 4);
    assert_int_equal(raft_of(world, 5)->applied_index, 5);
    assert_int_equal(world->servers[5].registers.values[0], 40);
    assert_int_equal(world->servers[5].registers.versions[0], 4);
    assert_int_equal(world->servers[5].applied_count, 1);
}

static void installed_snapshot_brings_the_sessions(void **state)
{
    struct world *world = *state;
    struct raft_config config = {.snapshot_entries = 5};

    leave_behind(world, &config);
    beat(world, 1);

    assert_int_equal(raft_of(world, 5)->sessions[0].client, CLIENT);
    assert_int_equal(raft_of(world, 5)->sessions[0].sequence, 4);
}

static void forgotten_sessions_are_missing_in_a_snapshot(void **state)
{
    struct world *world = *state;
    struct raft_config config = {.snapshot_entries = 5, .bugs.snapshot_forgets_sessions = true};

    leave_behind(world, &config);
    beat(world, 1);

    assert_int_equal(raft_of(world, 5)->snapshot.last_index, 5);
    assert_int_equal(raft_of(world, 5)->sessions[0].client, 0);
}

/* The same snapshot comes once more when the follower has gone on and taken one of its own. */
static uint32_t last_index_after_a_late_snapshot(struct world *world, bool stale_snapshot)
{
    struct raft_config config = {.snapshot_entries = 4, .bugs.stale_snapshot = stale_snapshot};
    struct world_message late;

    leave_behind(world, &config);
    time_out(world, 1, RAFT_TIMER_HEARTBEAT);
    while (count_sent(world, 5, RAFT_INSTALL) == 0)
        assert_int_equal(deliver_some(world, 1), 1);
    late = take(world, 5, RAFT_INSTALL);
    hand_over(world, &late);
    for (uint32_t sequence = 5; sequence <= 9; sequence++) {
        ask_write(world, 1, sequence, 10 * sequence);
        deliver_all(world);
    }
    beat(world, 1);
    assert_true(raft_of(world, 5)->log.base_index > 4);
    hand_over(world, &late);
    return raft_log_last_index(&raft_of(world, 5)->log);
}

static void late_snapshot_takes_nothing_back(void **state)
{
    assert_int_equal(last_index_after_a_late_snapshot(*state, false), 10);
}

static void stale_snapshot_takes_confirmed_entries_back(void **state)
{
    assert_int_equal(last_index_after_a_late_snapshot(*state, true), 4);
}

static void entries_behind_an_installed_snapshot_stay(void **state)
{
    struct world *world = *state;
    struct raft_install install = {
        .header = {.term = 1, .from = 1},
        .snapshot = {.last_index = 2, .last_term = 1, .members = 31},
    };

    elect(world, 1);
    for (uint32_t sequence = 1; sequence <= 3; sequence++)
        ask_write(world, 1, sequence, sequence);
    while (raft_of(world, 5)->log.count < 4)
        assert_int_equal(deliver_some(world, 1), 1);
    raft_of(world, 5)->commit_index = 0;
    install.snapshot.last_chain = raft_log_chain(&raft_of(world, 5)->log, 2);
    assert_int_equal(raft_receive(raft_of(world, 5), RAFT_INSTALL, &install), 0);

    assert_int_equal(raft_of(world, 5)->log.base_index, 2);
    assert_int_equal(raft_of(world, 5)->log.count, 2);
}

/* ---- Membership ----------------------------------------------------------------------------- */

static void added_server_gets_the_log_and_then_a_vote(void **state)
{
    struct world *world = *state;

    world_init(world, 4, 3, NULL);
    elect(world, 1);
    ask_write(world, 1, 1, 7);
    deliver_all(world);
    ask_change(world, 1, 1, RAFT_ADD, 4);
    assert_int_equal(raft_of(world, 1)->members, 7);
    deliver_all(world);
    beat(world, 1);

    assert_int_equal(last_reply(world).status, RAFT_DONE);
    assert_int_equal(raft_of(world, 1)->members, 15);
    assert_int_equal(raft_of(world, 4)->members, 15);
    assert_int_equal(world->servers[4].registers.values[0], 7);
    elect(world, 4);
    assert_int_equal(raft_of(world, 4)->role, RAFT_LEADER);
}

static void added_server_that_is_silent_is_given_up(void **state)
{
    struct world *world = *state;

    world_init(world, 4, 3, NULL);
    elect(world, 1);
    world->cut = 1 << 3;
    ask_change(world, 1, 1, RAFT_ADD, 4);
    for (uint32_t i = 0; i < 20; i++)
        beat(world, 1);

    assert_int_equal(last_reply(world).status, RAFT_BUSY);
    assert_int_equal(raft_of(world, 1)->members, 7);
    assert_int_equal(raft_of(world, 1)->joining, 0);
}

static void server_that_is_no_member_never_stands(void **state)
{
    struct world *world = *state;

    world_init(world, 4, 3, NULL);
    time_out(world, 4, RAFT_TIMER_ELECTION);

    assert_int_equal(raft_of(world, 4)->role, RAFT_FOLLOWER);
    assert_int_equal(raft_of(world, 4)->term, 0);
}

static void second_change_waits_for_the_first(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    ask_change(world, 1, 1, RAFT_REMOVE, 5);
    ask_change(world, 1, 2, RAFT_REMOVE, 4);

    assert_int_equal(last_reply(world).status, RAFT_BUSY);
    deliver_all(world);
    ask_change(world, 1, 3, RAFT_REMOVE, 4);
    deliver_all(world);
    assert_int_equal(raft_of(world, 1)->members, 7);
}

static void change_waits_for_an_entry_of_the_leaders_term(void **state)
{
    struct world *world = *state;

    time_out(world, 1, RAFT_TIMER_ELECTION);
    while (raft_of(world, 1)->role != RAFT_LEADER)
        assert_int_equal(deliver_some(world, 1), 1);
    ask_change(world, 1, 1, RAFT_REMOVE, 5);

    assert_int_equal(last_reply(world).status, RAFT_BUSY);
    deliver_all(world);
    ask_change(world, 1, 2, RAFT_REMOVE, 5);
    assert_int_equal(raft_of(world, 1)->members, 15);
}

/* The story of membership.c, with four members: leader 1 adds 5, but only 5 hears of it; leader 2
 * removes 1, which is committed by 2 and 3; then 1 is elected by 4 and 5. */
static bool removed_server_leads(struct world *world, bool overlapping_changes)
{
    struct raft_config config = {.bugs.overlapping_changes = overlapping_changes};

    world_init(world, 5, 4, &config);
    elect(world, 1);
    beat(world, 1);
    ask_change(world, 1, 1, RAFT_ADD, 5);
    world->cut = 1 << 1 | 1 << 2 | 1 << 3;
    deliver_all(world);
    assert_int_equal(raft_of(world, 5)->members, 31);
    world->cut = 1 | 1 << 4;
    world->clock_ms += 1000;
    time_out(world, 2, RAFT_TIMER_ELECTION);
    while (raft_of(world, 2)->role != RAFT_LEADER)
        assert_int_equal(deliver_some(world, 1), 1);
    world->cut |= 1 << 3;
    ask_change(world, 2, 2, RAFT_REMOVE, 1);
    deliver_all(world);
    if (raft_of(world, 2)->members != 14)
        return false;
    assert_int_equal(raft_of(world, 2)->commit_index, raft_of(world, 2)->members_index);
    world->cut = 1 << 1 | 1 << 2;
    crash(world, 1, LOSE_UNSYNCED);
    assert_int_equal(restart(world, 1), 0);
    elect(world, 1); /* in term 2, in which 4 has voted */
    elect(world, 1);
    return raft_of(world, 1)->role == RAFT_LEADER;
}

static void leaders_of_two_terms_make_no_overlapping_changes(void **state)
{
    assert_false(removed_server_leads(*state, false));
}

static void overlapping_changes_let_a_removed_server_lead(void **state)
{
    assert_true(removed_server_leads(*state, true));
}

static void change_that_is_overwritten_is_undone(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    beat(world, 1);
    world->cut = 1;
    ask_change(world, 1, 1, RAFT_REMOVE, 5);
    assert_int_equal(raft_of(world, 1)->members, 15);
    lose_all(world);
    elect(world, 2);
    world->cut = 0;
    beat(world, 2);

    assert_int_equal(raft_of(world, 1)->members, 31);
}

static void leader_that_removes_itself_steps_down_when_committed(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    beat(world, 1);
    ask_change(world, 1, 1, RAFT_REMOVE, 1);
    assert_int_equal(raft_of(world, 1)->role, RAFT_LEADER);
    deliver_all(world);

    assert_int_equal(last_reply(world).status, RAFT_DONE);
    assert_int_equal(raft_of(world, 1)->role, RAFT_FOLLOWER);
    time_out(world, 1, RAFT_TIMER_ELECTION);
    assert_int_equal(raft_of(world, 1)->role, RAFT_FOLLOWER);
}

/* Of the members after the change, 2 and 3, one is no majority. */
static void leader_that_removes_itself_does_not_count(void **state)
{
    struct world *world = *state;

    world_init(world, 3, 3, NULL);
    elect(world, 1);
    beat(world, 1);
    world->cut = 1 << 2;
    ask_change(world, 1, 1, RAFT_REMOVE, 1);
    deliver_all(world);

    assert_int_equal(raft_of(world, 1)->commit_index, 1);
    world->cut = 0;
    beat(world, 1);
    assert_int_equal(raft_of(world, 1)->commit_index, 2);
}

static void change_waits_for_a_server_that_joins(void **state)
{
    struct world *world = *state;

    world_init(world, 4, 3, NULL);
    elect(world, 1);
    world->cut = 1 << 3;
    ask_change(world, 1, 1, RAFT_ADD, 4);
    deliver_all(world);
    ask_change(world, 1, 2, RAFT_REMOVE, 3);

    assert_int_equal(last_reply(world).status, RAFT_BUSY);
    assert_int_equal(raft_of(world, 1)->members, 7);
}

static void members_of_a_snapshot_are_those_of_its_index(void **state)
{
    struct world *world = *state;
    struct raft_config config = {.snapshot_entries = 2};

    world_init(world, 5, 5, &config);
    elect(world, 1);
    beat(world, 1);
    ask_write(world, 1, 1, 7);
    ask_change(world, 1, 1, RAFT_REMOVE, 5);
    for (uint32_t server = 2; server <= 3; server++) {
        struct world_message message = take(world, server, RAFT_APPEND);

        hand_over(world, &message);
        message = take(world, 1, RAFT_APPEND_REPLY);
        hand_over(world, &message);
    }

    assert_int_equal(raft_of(world, 1)->snapshot.last_index, 2);
    assert_int_equal(raft_of(world, 1)->snapshot.members, 31);
    assert_int_equal(raft_of(world, 1)->members, 15);
}

static void last_member_cannot_be_removed(void **state)
{
    struct world *world = *state;

    world_init(world, 1, 1, NULL);
    elect(world, 1);
    assert_int_equal(raft_of(world, 1)->role, RAFT_LEADER);
    ask_change(world, 1, 1, RAFT_REMOVE, 1);

    assert_int_equal(last_reply(world).status, RAFT_REFUSED);
}

static void cluster_of_one_serves_by_itself(void **state)
{
    struct world *world = *state;

    world_init(world, 1, 1, NULL);
    elect(world, 1);
    ask_write(world, 1, 1, 7);
    ask_read(world, 1, 1);

    assert_int_equal(world->reply_count, 2);
    assert_int_equal(last_reply(world).result[REGISTER_CONTENT], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(follower_names_the_leader),
        IN_WORLD(repeated_command_gets_the_same_answer),
        IN_WORLD(command_that_is_under_way_is_not_taken_up_again),
        IN_WORLD(command_with_two_entries_is_executed_once),
        IN_WORLD(command_is_executed_twice_without_sessions),
        IN_WORLD(deposed_leader_sends_its_clients_away),
        IN_WORLD(oldest_session_makes_room),
        IN_WORLD(read_waits_for_a_majority),
        IN_WORLD(answers_to_an_earlier_round_confirm_no_read),
        IN_WORLD(late_answer_takes_no_confirmation_back),
        IN_WORLD(leader_that_is_cut_off_answers_no_read),
        IN_WORLD(stale_read_is_answered_from_old_state),
        IN_WORLD(new_leader_answers_no_read_before_its_no_op),
        IN_WORLD(early_read_misses_a_committed_write),
        IN_WORLD(follower_that_is_far_behind_gets_a_snapshot),
        IN_WORLD(installed_snapshot_brings_the_sessions),
        IN_WORLD(forgotten_sessions_are_missing_in_a_snapshot),
        IN_WORLD(late_snapshot_takes_nothing_back),
        IN_WORLD(stale_snapshot_takes_confirmed_entries_back),
        IN_WORLD(entries_behind_an_installed_snapshot_stay),
        IN_WORLD(added_server_gets_the_log_and_then_a_vote),
        IN_WORLD(added_server_that_is_silent_is_given_up),
        IN_WORLD(server_that_is_no_member_never_stands),
        IN_WORLD(second_change_waits_for_the_first),
        IN_WORLD(change_waits_for_an_entry_of_the_leaders_term),
        IN_WORLD(leaders_of_two_terms_make_no_overlapping_changes),
        IN_WORLD(overlapping_changes_let_a_removed_server_lead),
        IN_WORLD(change_that_is_overwritten_is_undone),
        IN_WORLD(leader_that_removes_itself_steps_down_when_committed),
        IN_WORLD(leader_that_removes_itself_does_not_count),
        IN_WORLD(change_waits_for_a_server_that_joins),
        IN_WORLD(members_of_a_snapshot_are_those_of_its_index),
        IN_WORLD(last_member_cannot_be_removed),
        IN_WORLD(cluster_of_one_serves_by_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
