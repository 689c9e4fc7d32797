/* test_chain_replication_component.c - master, servers, links and clients of a chain, as plain C.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chain_replication_world.h"

static const struct server *server(const struct world *world, uint32_t number)
{
    return &world->nodes[number].server;
}

/* ---- Updates and queries -------------------------------------------------------------------- */

static void update_is_answered_when_the_tail_has_it(void **state)
{
    struct world *world = *state;

    update(world, 1, 1);
    assert_int_equal(count_replies(world, 1), 0);
    settle(world);

    assert_int_equal(count_replies(world, 1), 1);
    assert_int_equal(last_reply(world, 1)->sequence, 1);
    assert_int_equal(server(world, 3)->count, 1);
    assert_int_equal(server(world, 1)->stable, 1);
}

static void query_sees_the_last_update(void **state)
{
    struct world *world = *state;

    query(world, 3, 1);
    assert_int_equal(last_reply(world, 1)->sequence, 0);
    update(world, 1, 2);
    update(world, 1, 3);
    settle(world);
    query(world, 3, 4);

    assert_int_equal(last_reply(world, 4)->sequence, 2);
    assert_int_equal(last_reply(world, 4)->value, 30);
}

static void only_the_head_takes_updates_and_only_the_tail_queries(void **state)
{
    struct world *world = *state;

    update(world, 2, 1);
    update(world, 3, 1);
    query(world, 1, 2);
    query(world, 2, 2);
    settle(world);

    assert_int_equal(world->reply_count, 0);
}

static void repeated_update_is_applied_once(void **state)
{
    struct world *world = *state;

    update(world, 1, 1);
    update(world, 1, 1);
    settle(world);
    assert_int_equal(count_replies(world, 1), 1);
    update(world, 1, 1);
    settle(world);

    assert_int_equal(count_replies(world, 1), 2);
    assert_int_equal(server(world, 3)->count, 1);
}

static void history_has_an_end(void **state)
{
    struct world *world = *state;

    for (uint32_t request = 1; request <= CHAIN_UPDATES_MAX + 1; request++) {
        update(world, 1, request);
        settle(world);
    }

    assert_int_equal(server(world, 3)->count, CHAIN_UPDATES_MAX);
    assert_int_equal(count_replies(world, CHAIN_UPDATES_MAX), 1);
    assert_int_equal(count_replies(world, CHAIN_UPDATES_MAX + 1), 0);
}

/* ---- Failures ------------------------------------------------------------------------------- */

static void silent_server_is_taken_out(void **state)
{
    struct world *world = *state;

    crash(world, 2);
    pass_ms(world, LEASE_MS + TICK_MS);

    assert_int_equal(world->master.chain.epoch, 2);
    assert_int_equal(world->master.chain.count, 2);
    assert_int_equal(world->master.chain.servers[1], 3);
    assert_int_equal(server(world, 1)->chain.epoch, 2);
}

static void predecessor_sends_again_what_the_failed_one_had(void **state)
{
    struct world *world = *state;

    update(world, 1, 1);
    settle(world);
    update(world, 1, 2);
    crash(world, 2);
    pass_ms(world, LEASE_MS + TICK_MS);

    assert_int_equal(count_replies(world, 2), 1);
    assert_int_equal(server(world, 3)->count, 2);
    assert_int_equal(server(world, 1)->stable, 2);
}

static void new_tail_answers_for_what_it_has(void **state)
{
    struct world *world = *state;

    update(world, 1, 1);
    crash(world, 3);
    settle(world);
    assert_int_equal(count_replies(world, 1), 0);
    pass_ms(world, LEASE_MS + TICK_MS);

    assert_int_equal(count_replies(world, 1), 1);
    assert_int_equal(server(world, 1)->stable, 1);
}

static void new_head_knows_the_updates_of_the_old_one(void **state)
{
    struct world *world = *state;

    update(world, 1, 1);
    settle(world);
    crash(world, 1);
    pass_ms(world, LEASE_MS + TICK_MS);
    update(world, 2, 1);
    settle(world);

    assert_int_equal(count_replies(world, 1), 2);
    assert_int_equal(server(world, 2)->count, 1);
}

static void two_servers_may_fail_at_once(void **state)
{
    struct world *world = *state;

    update(world, 1, 1);
    crash(world, 2);
    crash(world, 3);
    pass_ms(world, LEASE_MS + TICK_MS);
    query(world, 1, 2);

    assert_int_equal(world->master.chain.count, 1);
    assert_int_equal(count_replies(world, 1), 1);
    assert_int_equal(last_reply(world, 2)->sequence, 1);
}

static void acknowledgement_that_was_lost_is_made_up_for(void **state)
{
    struct world *world = *state;

    update(world, 1, 1);
    settle(world);
    world->nodes[1].server.stable = 0; /* as if no acknowledgement had come */
    crash(world, 2);
    pass_ms(world, LEASE_MS + TICK_MS);

    assert_int_equal(server(world, 1)->stable, 1);
}

/* ---- Coming back ---------------------------------------------------------------------------- */

static void restarted_server_becomes_the_tail_with_all_data(void **state)
{
    struct world *world = *state;

    update(world, 1, 1);
    settle(world);
    crash(world, 1);
    pass_ms(world, LEASE_MS + TICK_MS);
    restart(world, 1);
    pass_ms(world, 2 * TICK_MS);
    query(world, 1, 2);

    assert_int_equal(world->master.chain.count, 3);
    assert_int_equal(world->master.chain.servers[2], 1);
    assert_int_equal(last_reply(world, 2)->sequence, 1);
    assert_int_equal(count_replies(world, 1), 1);
}

static void restart_is_noticed_before_any_silence(void **state)
{
    struct world *world = *state;

    update(world, 1, 1);
    settle(world);
    restart(world, 2);
    pass_ms(world, TICK_MS);

    assert_int_equal(world->master.chain.count, 3);
    assert_int_equal(world->master.chain.servers[1], 3);
    assert_int_equal(world->master.chain.servers[2], 2);
    assert_int_equal(server(world, 2)->count, 1);
}

static void new_tail_is_silent_until_it_has_caught_up(void **state)
{
    struct world *world = *state;
    struct chain chain = {.epoch = 2, .count = 3, .servers = {1, 3, 2}, .boots = {1, 1, 2}};
    struct chain_state told = {.boot = 2, .time_ms = world->now_ms, .chain = chain};

    update(world, 1, 1);
    settle(world);
    restart(world, 2);
    server_on_state(&world->nodes[2].server, &told);
    query(world, 2, 2);
    assert_int_equal(count_replies(world, 2), 0);
    pass_ms(world, 2 * TICK_MS);
    query(world, 2, 2);

    assert_int_equal(last_reply(world, 2)->sequence, 1);
}

static void chain_waits_for_the_last_synced_server(void **state)
{
    struct world *world = *state;

    crash(world, 1);
    crash(world, 2);
    pass_ms(world, LEASE_MS + TICK_MS);
    assert_int_equal(world->master.chain.count, 1);
    crash(world, 3);
    restart(world, 1);
    pass_ms(world, LEASE_MS + TICK_MS);

    assert_int_equal(world->master.chain.count, 2);
    assert_int_equal(world->master.chain.servers[0], 3);
    assert_false(server(world, 1)->is_synced);
}

static void one_server_at_a_time_is_appended(void **state)
{
    struct world *world = *state;

    crash(world, 1);
    crash(world, 2);
    pass_ms(world, LEASE_MS + TICK_MS);
    restart(world, 1);
    restart(world, 2);
    server_on_tick(&world->nodes[1].server);
    server_on_tick(&world->nodes[2].server);
    lose_segments(world, 1, 3);
    world->nodes[3].is_cut_off = true;
    settle(world);
    assert_int_equal(world->master.chain.count, 2);
    world->nodes[3].is_cut_off = false;
    pass_ms(world, 3 * TICK_MS);

    assert_int_equal(world->master.chain.count, 3);
}

static void heartbeat_of_an_earlier_life_is_ignored(void **state)
{
    struct world *world = *state;
    struct chain_heartbeat late = {.server = 2, .boot = 1, .is_synced = true, .time_ms = 1};

    restart(world, 2);
    pass_ms(world, 2 * TICK_MS);
    uint32_t epoch = world->master.chain.epoch;
    world->now_ms += 1;
    master_on_heartbeat(&world->master, &late);

    assert_int_equal(world->master.chain.epoch, epoch);
    assert_int_equal(world->master.records[2].heard_ms, world->now_ms - 1);
}

static void late_word_of_the_master_is_ignored(void **state)
{
    struct world *world = *state;
    struct chain_state late = {
        .boot = 2,
        .time_ms = 1,
        .chain = {.epoch = 1, .count = 1, .servers = {3}, .boots = {1}},
    };

    restart(world, 2);
    pass_ms(world, 2 * TICK_MS);
    server_on_state(&world->nodes[2].server, &late);

    assert_int_equal(world->starts_again, 0);
    assert_int_equal(server(world, 2)->chain.epoch, 2);
}

/* ---- Out of reach --------------------------------------------------------------------------- */

static void tail_without_a_lease_answers_no_query(void **state)
{
    struct world *world = *state;

    world->nodes[3].is_cut_off = true;
    world->now_ms += LEASE_MS - 1;
    query(world, 3, 1);
    assert_int_equal(count_replies(world, 1), 1);
    world->now_ms += 1;
    query(world, 3, 2);

    assert_int_equal(count_replies(world, 2), 0);
}

static void late_answer_of_the_master_is_no_new_lease(void **state)
{
    struct world *world = *state;
    struct chain_state late = {.boot = 1, .time_ms = 1000, .chain = world->master.chain};

    world->now_ms += LEASE_MS;
    server_on_state(&world->nodes[3].server, &late);
    query(world, 3, 1);

    assert_int_equal(count_replies(world, 1), 0);
}

static void late_answer_of_the_master_ends_no_lease(void **state)
{
    struct world *world = *state;
    struct chain_state late = {.boot = 1, .time_ms = 1, .chain = world->master.chain};

    server_on_state(&world->nodes[3].server, &late);
    query(world, 3, 1);

    assert_int_equal(count_replies(world, 1), 1);
}

static void server_that_was_given_up_starts_again(void **state)
{
    struct world *world = *state;

    update(world, 1, 1);
    settle(world);
    world->nodes[2].is_cut_off = true;
    pass_ms(world, LEASE_MS + TICK_MS);
    world->nodes[2].is_cut_off = false;
    pass_ms(world, 2 * TICK_MS);

    assert_int_equal(world->starts_again, 1);
    assert_int_equal(server(world, 2)->config.boot, 2);
    assert_int_equal(world->master.chain.servers[2], 2);
    assert_int_equal(server(world, 2)->count, 1);
}

static void head_that_was_given_up_cannot_commit(void **state)
{
    struct world *world = *state;

    world->nodes[1].is_cut_off = true;
    pass_ms(world, LEASE_MS + TICK_MS);
    world->nodes[1].is_cut_off = false;
    update(world, 1, 1);
    settle(world);

    assert_int_equal(count_replies(world, 1), 0);
    assert_int_equal(server(world, 2)->count, 0);
}

/* ---- Links ---------------------------------------------------------------------------------- */

static void what_a_link_loses_is_repeated(void **state)
{
    struct world *world = *state;

    update(world, 1, 1);
    lose_segments(world, 1, 2);
    settle(world);
    assert_int_equal(server(world, 2)->count, 0);
    pass_ms(world, TICK_MS);

    assert_int_equal(count_replies(world, 1), 1);
}

static void link_takes_each_note_once_and_in_order(void **state)
{
    struct world *world = *state;
    struct link *link = &world->nodes[2].server.up;
    struct chain_segment next = {.from = 1, .epoch = 1, .number = link->taken + 1};
    struct chain_segment late = next;
    struct chain_segment early = next;

    early.number++;
    assert_false(link_on_segment(link, &early));
    assert_true(link_on_segment(link, &next));
    assert_false(link_on_segment(link, &late));

    assert_true(link_on_segment(link, &early));
}

static void link_takes_nothing_of_others_or_other_epochs(void **state)
{
    struct world *world = *state;
    struct link *link = &world->nodes[2].server.up;
    struct chain_segment other = {.from = 3, .epoch = 1, .number = link->taken + 1};
    struct chain_segment old = {.from = 1, .epoch = 2, .number = link->taken + 1};

    assert_false(link_on_segment(link, &other));
    assert_false(link_on_segment(link, &old));
    link_close(link);
    old.epoch = 1;

    assert_false(link_on_segment(link, &old));
}

static void receipt_for_what_was_not_sent_is_ignored(void **state)
{
    struct world *world = *state;
    struct link *link = &world->nodes[2].server.up;
    struct chain_segment wrong = {.from = 1, .epoch = 1, .receipt = link->sent + 1};

    link_on_segment(link, &wrong);

    assert_int_equal(link->receipts, link->sent);
}

static void full_link_refuses_a_note(void **state)
{
    struct world *world = *state;
    struct link *link = &world->nodes[2].server.up;
    struct chain_note note = {.kind = CHAIN_ACK};

    for (size_t i = 0; i < LINK_NOTES_MAX; i++)
        assert_true(link_send(link, &note));

    assert_false(link_send(link, &note));
}

/* ---- Client --------------------------------------------------------------------------------- */

struct asked {
    struct client client;
    uint32_t server; /* that got the last request */
    uint32_t requests;
    uint32_t questions; /* to the master */
    uint32_t answers;
};

static void asked_request(void *self, uint32_t to, const struct chain_request *request)
{
    struct asked *asked = self;

    assert_int_equal(request->update.client, CLIENT);
    asked->server = to;
    asked->requests++;
}

static void asked_master(void *self)
{
    ((struct asked *)self)->questions++;
}

static void asked_answered(void *self, const struct chain_reply *reply)
{
    (void)reply;
    ((struct asked *)self)->answers++;
}

static const struct client_io client_io = {
    .send_request = asked_request,
    .ask_master = asked_master,
    .answered = asked_answered,
};

static const struct chain known = {.epoch = 3, .count = 2, .servers = {2, 1}, .boots = {1, 2}};

static void client_sends_updates_to_the_head_and_queries_to_the_tail(void **state)
{
    struct asked asked = {0};
    struct chain_reply reply = {.request = 1};

    (void)state;
    client_init(&asked.client, CLIENT, &known, &client_io, &asked);
    client_request(&asked.client, CHAIN_UPDATE, 7);
    assert_int_equal(asked.server, 2);
    client_on_reply(&asked.client, &reply);
    client_on_reply(&asked.client, &reply);
    client_request(&asked.client, CHAIN_QUERY, 0);

    assert_int_equal(asked.server, 1);
    assert_int_equal(asked.answers, 1);
}

static void client_repeats_itself_until_it_is_answered(void **state)
{
    struct asked asked = {0};
    struct chain_reply late = {.request = 0};
    struct chain_reply reply = {.request = 1};

    (void)state;
    client_init(&asked.client, CLIENT, &known, &client_io, &asked);
    client_request(&asked.client, CHAIN_UPDATE, 7);
    client_on_reply(&asked.client, &late);
    client_on_timeout(&asked.client);
    assert_int_equal(asked.requests, 2);
    assert_int_equal(asked.questions, 1);
    client_on_reply(&asked.client, &reply);
    client_on_timeout(&asked.client);

    assert_int_equal(asked.requests, 2);
}

static void client_follows_a_new_chain(void **state)
{
    struct asked asked = {0};
    struct chain_state news = {.chain = {.epoch = 4, .count = 1, .servers = {3}}};
    struct chain_state old = {.chain = {.epoch = 2, .count = 1, .servers = {1}}};

    (void)state;
    client_init(&asked.client, CLIENT, &known, &client_io, &asked);
    client_request(&asked.client, CHAIN_UPDATE, 7);
    client_on_state(&asked.client, &news);
    assert_int_equal(asked.server, 3);
    client_on_state(&asked.client, &old);

    assert_int_equal(asked.requests, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(update_is_answered_when_the_tail_has_it),
        IN_WORLD(query_sees_the_last_update),
        IN_WORLD(only_the_head_takes_updates_and_only_the_tail_queries),
        IN_WORLD(repeated_update_is_applied_once),
        IN_WORLD(history_has_an_end),
        IN_WORLD(silent_server_is_taken_out),
        IN_WORLD(predecessor_sends_again_what_the_failed_one_had),
        IN_WORLD(new_tail_answers_for_what_it_has),
        IN_WORLD(new_head_knows_the_updates_of_the_old_one),
        IN_WORLD(two_servers_may_fail_at_once),
        IN_WORLD(acknowledgement_that_was_lost_is_made_up_for),
        IN_WORLD(restarted_server_becomes_the_tail_with_all_data),
        IN_WORLD(restart_is_noticed_before_any_silence),
        IN_WORLD(new_tail_is_silent_until_it_has_caught_up),
        IN_WORLD(chain_waits_for_the_last_synced_server),
        IN_WORLD(one_server_at_a_time_is_appended),
        IN_WORLD(heartbeat_of_an_earlier_life_is_ignored),
        IN_WORLD(late_word_of_the_master_is_ignored),
        IN_WORLD(tail_without_a_lease_answers_no_query),
        IN_WORLD(late_answer_of_the_master_is_no_new_lease),
        IN_WORLD(late_answer_of_the_master_ends_no_lease),
        IN_WORLD(server_that_was_given_up_starts_again),
        IN_WORLD(head_that_was_given_up_cannot_commit),
        IN_WORLD(what_a_link_loses_is_repeated),
        IN_WORLD(link_takes_each_note_once_and_in_order),
        IN_WORLD(link_takes_nothing_of_others_or_other_epochs),
        IN_WORLD(receipt_for_what_was_not_sent_is_ignored),
        IN_WORLD(full_link_refuses_a_note),
        cmocka_unit_test(client_sends_updates_to_the_head_and_queries_to_the_tail),
        cmocka_unit_test(client_repeats_itself_until_it_is_answered),
        cmocka_unit_test(client_follows_a_new_chain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
