/* test_ds2_component.c - registers, Chord and Multi-Paxos, each alone. SPDX-License-Identifier: MIT
 */
#include "chord.h"
#include "ds2_world.h"
#include "paxos.h"
#include "register.h"
#include "sha1.h"

/* ---- The register --------------------------------------------------------------------------- */

static void a_write_is_acknowledged_when_a_copy_has_it(void **state)
{
    struct world *world = *state;

    start(world, &ds2_register, 2);
    write_at(world, 1, 1, 0, 7);
    deliver(world, REGISTER_WRITE_REPLICA, 2);
    assert_int_equal(world->answers[1], UNANSWERED);
    deliver(world, REGISTER_WRITE_REPLICA_ACK, 1);

    assert_int_equal(world->answers[1], DS2_NOTHING);
}

static void a_read_is_answered_when_a_copy_has_the_same(void **state)
{
    struct world *world = *state;

    start(world, &ds2_register, 2);
    write_at(world, 1, 1, 0, 7);
    deliver_all(world);
    read_at(world, 2, 1, 0);
    assert_int_equal(world->answers[2], UNANSWERED);
    deliver_all(world);

    assert_int_equal(world->answers[2], 7);
}

static void who_does_not_lead_passes_operations_on(void **state)
{
    struct world *world = *state;

    start(world, &ds2_register, 2);
    write_at(world, 1, 2, 0, 7);
    read_at(world, 2, 2, 0);

    assert_int_equal(count(world, DS2_WRITE, 1), 1);
    assert_int_equal(count(world, DS2_READ, 1), 1);
}

/* A read that the copy answers before it hears of a write that the leader has. */
static void read_beside_a_write(struct world *world)
{
    write_at(world, 1, 1, 0, 7);
    read_at(world, 2, 1, 0);
    deliver(world, REGISTER_READ_REPLICA, 2);
    deliver_all(world);
}

static void a_read_beside_a_write_is_answered(void **state)
{
    struct world *world = *state;

    start(world, &ds2_register, 2);
    read_beside_a_write(world);

    assert_int_equal(world->answers[2], 7);
}

static void as_published_a_read_beside_a_write_is_never_answered(void **state)
{
    struct world *world = *state;

    start_as_published(world, &ds2_register, 2);
    read_beside_a_write(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[2], UNANSWERED);
}

static void a_write_that_was_passed_on_is_acknowledged(void **state)
{
    struct world *world = *state;

    start(world, &ds2_register, 2);
    write_at(world, 1, 2, 0, 7);
    deliver_all(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
}

static void as_published_a_write_that_was_passed_on_is_never_acknowledged(void **state)
{
    struct world *world = *state;

    start_as_published(world, &ds2_register, 2);
    write_at(world, 1, 2, 0, 7);
    deliver_all(world);

    assert_int_equal(world->answers[1], UNANSWERED);
}

static void of_three_agents_a_majority_suffices(void **state)
{
    struct world *world = *state;

    start(world, &ds2_register, 3);
    write_at(world, 1, 1, 0, 7);
    deliver(world, REGISTER_WRITE_REPLICA, 3);
    deliver(world, REGISTER_WRITE_REPLICA_ACK, 1);
    assert_int_equal(world->answers[1], DS2_NOTHING);
    deliver_all(world);

    assert_int_equal(world->answer_count, 1);
}

static void as_published_a_read_asks_three_agents_again(void **state)
{
    struct world *world = *state;

    start_as_published(world, &ds2_register, 3);
    write_at(world, 1, 1, 0, 7);
    read_at(world, 2, 1, 0);
    deliver(world, REGISTER_READ_REPLICA, 2);
    deliver(world, REGISTER_READ_REPLICA_ACK, 1);

    assert_int_equal(count(world, REGISTER_READ_REPLICA, 2), 1);
    assert_int_equal(count(world, REGISTER_READ_REPLICA, 3), 2);
    deliver_all(world);
    assert_int_equal(world->answers[2], 7);
}

/* It is not counted, but a new round begins with one answer of one: the leader's own. */
static void as_published_an_answer_of_an_earlier_round_ends_the_new_one(void **state)
{
    struct world *world = *state;

    start_as_published(world, &ds2_register, 3);
    write_at(world, 1, 1, 0, 7);
    read_at(world, 2, 1, 0);
    deliver(world, REGISTER_READ_REPLICA, 2);
    deliver(world, REGISTER_READ_REPLICA_ACK, 1);
    assert_int_equal(world->answers[2], UNANSWERED);
    deliver(world, REGISTER_READ_REPLICA, 3); /* the question of the first round */
    deliver(world, REGISTER_READ_REPLICA_ACK, 1);

    assert_int_equal(world->answers[2], 7);
}

static void a_copy_reads_what_it_was_sent(void **state)
{
    struct world *world = *state;

    start(world, &ds2_erroneous, 2);
    write_at(world, 1, 1, 0, 7);
    deliver_all(world);
    read_at(world, 2, 2, 0);

    assert_int_equal(world->answers[2], 7);
}

/* ---- The other registers -------------------------------------------------------------------- */

static void the_erroneous_register_reads_a_copy_that_has_not_heard(void **state)
{
    struct world *world = *state;

    start(world, &ds2_erroneous, 3);
    write_at(world, 1, 1, 0, 7);
    deliver(world, REGISTER_WRITE_REPLICA, 2);
    deliver(world, REGISTER_WRITE_REPLICA_ACK, 1);
    read_at(world, 2, 3, 0);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[2], 0);
}

static void the_erroneous_register_acknowledges_once(void **state)
{
    struct world *world = *state;

    start(world, &ds2_erroneous, 3);
    write_at(world, 1, 2, 0, 7);
    deliver_all(world);

    assert_int_equal(world->answer_count, 1);
}

static void another_register_waits_for_all_copies(void **state)
{
    struct world *world = *state;

    start(world, &ds2_another, 3);
    write_at(world, 1, 2, 0, 7);
    deliver(world, REGISTER_WRITE_REPLICA, 1);
    deliver(world, REGISTER_WRITE_REPLICA_ACK, 2);
    assert_int_equal(world->answers[1], UNANSWERED);
    deliver_all(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
}

static void another_register_reads_what_all_have(void **state)
{
    struct world *world = *state;

    start(world, &ds2_another, 2);
    write_at(world, 1, 2, 0, 7);
    deliver_all(world);
    read_at(world, 2, 1, 0);
    deliver_all(world);

    assert_int_equal(world->answers[2], 7);
}

static void another_register_never_answers_if_they_differ(void **state)
{
    struct world *world = *state;

    start(world, &ds2_another, 2);
    write_at(world, 1, 1, 0, 7);
    read_at(world, 2, 1, 0);
    deliver(world, REGISTER_READ_REPLICA, 2);
    deliver_all(world);

    assert_int_equal(world->answers[2], UNANSWERED);
}

/* The value that counts is the one at the end: here the write came between. */
static void another_register_compares_with_what_it_has_now(void **state)
{
    struct world *world = *state;

    start(world, &ds2_another, 2);
    read_at(world, 2, 1, 0);
    write_at(world, 1, 2, 0, 7);
    deliver(world, REGISTER_WRITE_REPLICA, 1);
    deliver_all(world);

    assert_int_equal(world->answers[2], 7);
}

/* ---- Chord ---------------------------------------------------------------------------------- */

static void the_hash_is_sha1(void **state)
{
    static const uint8_t abc[SHA1_BYTES] = {0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81,
                                            0x6a, 0xba, 0x3e, 0x25, 0x71, 0x78, 0x50,
                                            0xc2, 0x6c, 0x9c, 0xd0, 0xd8, 0x9d};
    static const uint8_t nothing[SHA1_BYTES] = {0xda, 0x39, 0xa3, 0xee, 0x5e, 0x6b, 0x4b,
                                                0x0d, 0x32, 0x55, 0xbf, 0xef, 0x95, 0x60,
                                                0x18, 0x90, 0xaf, 0xd8, 0x07, 0x09};
    uint8_t digest[SHA1_BYTES];

    (void)state;
    sha1_text("abc", digest);
    assert_memory_equal(digest, abc, SHA1_BYTES);
    sha1_text("", digest);
    assert_memory_equal(digest, nothing, SHA1_BYTES);
}

static void a_node_asks_to_join_when_it_starts(void **state)
{
    struct world *world = *state;

    start(world, &ds2_chord, 2);

    assert_int_equal(world->n_pending, 1);
    assert_int_equal(count(world, CHORD_FIND_SUCCESSOR, 1), 1);
}

static void a_key_is_found_from_every_node_that_has_joined(void **state)
{
    struct world *world = *state;

    start(world, &ds2_chord, 2);
    deliver_all(world);
    write_at(world, 1, 2, 1, 10);
    deliver_all(world);
    read_at(world, 2, 1, 1);
    read_at(world, 3, 2, 1);
    deliver_all(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[2], 10);
    assert_int_equal(world->answers[3], 10);
}

static void a_node_that_has_not_joined_answers_from_its_empty_table(void **state)
{
    struct world *world = *state;

    start(world, &ds2_chord, 2);
    write_at(world, 1, 1, 1, 10);
    deliver(world, CHORD_UPLOAD_ENTRY_RESPONSE, 1);
    read_at(world, 2, 2, 1);
    deliver(world, CHORD_RESPONSE, 2);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[2], DS2_NOTHING);
}

static void knowing_only_its_predecessor_it_still_does(void **state)
{
    struct world *world = *state;

    start(world, &ds2_chord, 2);
    write_at(world, 1, 1, 1, 10);
    deliver(world, CHORD_FIND_SUCCESSOR, 1);
    deliver(world, CHORD_UPDATE_PREDECESSOR, 2);
    read_at(world, 2, 2, 1);
    deliver(world, CHORD_RESPONSE, 2);

    assert_int_equal(world->answers[2], DS2_NOTHING);
}

static void three_nodes_make_a_ring(void **state)
{
    struct world *world = *state;

    start(world, &ds2_chord, 3);
    deliver_all(world);
    write_at(world, 1, 1, 1, 10);
    write_at(world, 2, 2, 2, 20);
    write_at(world, 3, 3, 3, 30);
    deliver_all(world);
    read_at(world, 4, 3, 1);
    read_at(world, 5, 1, 2);
    read_at(world, 6, 2, 3);
    deliver_all(world);

    assert_int_equal(world->answers[4], 10);
    assert_int_equal(world->answers[5], 20);
    assert_int_equal(world->answers[6], 30);
}

/* On the ring: 4, key 4, 1, key 6, 2, 3, key 2, 5. A key is asked for where its node is not known
 * from the start, and where it would be if a node had not joined. */
static void five_nodes_make_a_ring(void **state)
{
    struct world *world = *state;

    start(world, &ds2_chord, 5);
    deliver_all(world);
    write_at(world, 1, 5, 2, 20);
    write_at(world, 2, 2, 6, 60);
    write_at(world, 3, 3, 4, 40);
    deliver_all(world);
    read_at(world, 4, 4, 2);
    read_at(world, 5, 1, 2);
    read_at(world, 6, 3, 6);
    read_at(world, 7, 5, 4);
    deliver_all(world);

    assert_int_equal(world->answers[4], 20);
    assert_int_equal(world->answers[5], 20);
    assert_int_equal(world->answers[6], 60);
    assert_int_equal(world->answers[7], 40);
}

/* Of nodes 2, 3 and 5 that it knows, node 3 is the last before key 2. */
static void a_key_is_looked_for_at_the_last_node_before_it(void **state)
{
    struct world *world = *state;
    struct ds2_log_message found = {.head = {.kind = CHORD_SUCCESSOR_FOUND}};

    start(world, &ds2_chord, 5);
    found.head.agent = 5;
    hand(world, 1, &found);
    found.head.agent = 2;
    hand(world, 1, &found);
    found.head.agent = 3;
    hand(world, 1, &found);
    write_at(world, 1, 1, 2, 20);

    assert_int_equal(count(world, DS2_WRITE, 3), 1);
}

static void an_answer_goes_to_the_node_that_was_asked(void **state)
{
    struct world *world = *state;

    start(world, &ds2_chord, 5);
    deliver_all(world);
    read_at(world, 1, 2, 2);
    deliver(world, DS2_READ, 3);
    deliver(world, DS2_READ, 5);

    assert_int_equal(count(world, CHORD_RESPONSE, 2), 1);
}

static void a_new_node_is_put_between_those_that_are_there(void **state)
{
    struct world *world = *state;

    start(world, &ds2_chord, 3);
    deliver(world, CHORD_FIND_SUCCESSOR, 1); /* of node 2 */
    deliver(world, CHORD_SUCCESSOR_FOUND, 2);
    deliver(world, CHORD_FIND_SUCCESSOR, 1); /* of node 3, which is behind node 2 */
    assert_int_equal(count(world, CHORD_FIND_SUCCESSOR, 2), 1);
    deliver(world, CHORD_FIND_SUCCESSOR, 2);

    assert_int_equal(count(world, CHORD_SUCCESSOR_FOUND, 3), 1);
    assert_int_equal(take(world, CHORD_SUCCESSOR_FOUND, 3).head.agent, 1);
    assert_int_equal(take(world, CHORD_UPDATE_PREDECESSOR, 3).head.agent, 2);
    assert_int_equal(take(world, CHORD_UPDATE_PREDECESSOR, 1).head.agent, 3);
}

/* ---- Multi-Paxos ---------------------------------------------------------------------------- */

static void a_write_is_learned_when_a_majority_accepts(void **state)
{
    struct world *world = *state;

    start(world, &ds2_paxos, 3);
    write_at(world, 1, 2, 1, 10);
    deliver(world, PAXOS_PROPOSE, 1);
    deliver(world, PAXOS_PREPARE, 1);
    deliver(world, PAXOS_PREPARE, 2);
    deliver(world, PAXOS_PROMISE, 1);
    assert_int_equal(count(world, PAXOS_ACCEPT, 1), 0);
    deliver(world, PAXOS_PROMISE, 1);
    deliver(world, PAXOS_ACCEPT, 1);
    deliver(world, PAXOS_ACCEPT, 2);
    deliver(world, PAXOS_ACCEPTED, 1);
    assert_int_equal(world->answers[1], UNANSWERED);
    deliver(world, PAXOS_ACCEPTED, 1);

    assert_int_equal(world->answers[1], DS2_NOTHING);
}

static void a_read_gets_what_the_leader_has_learned(void **state)
{
    struct world *world = *state;

    start(world, &ds2_paxos, 2);
    read_at(world, 1, 2, 1);
    deliver_all(world);
    write_at(world, 2, 2, 1, 10);
    deliver_all(world);
    read_at(world, 3, 2, 1);
    deliver_all(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[3], 10);
}

static void each_further_promise_asks_for_acceptance_again(void **state)
{
    struct world *world = *state;

    start(world, &ds2_paxos, 3);
    write_at(world, 1, 1, 1, 10);
    deliver(world, PAXOS_PROPOSE, 1);
    deliver(world, PAXOS_PREPARE, 1);
    deliver(world, PAXOS_PREPARE, 2);
    deliver(world, PAXOS_PREPARE, 3);
    deliver(world, PAXOS_PROMISE, 1);
    deliver(world, PAXOS_PROMISE, 1);
    deliver(world, PAXOS_PROMISE, 1);

    assert_int_equal(count(world, PAXOS_ACCEPT, 2), 2);
}

static void a_proposal_that_was_overtaken_is_made_again(void **state)
{
    struct world *world = *state;
    struct ds2_log_message late;

    start(world, &ds2_paxos, 2);
    write_at(world, 1, 1, 1, 10);
    deliver(world, PAXOS_PROPOSE, 1);
    late = take(world, PAXOS_PREPARE, 2);
    deliver(world, PAXOS_PREPARE, 1);
    write_at(world, 2, 1, 2, 20);
    deliver(world, PAXOS_PROPOSE, 1);
    deliver(world, PAXOS_PREPARE, 2);
    hand(world, 2, &late);
    assert_int_equal(count(world, PAXOS_NACK, 1), 1);
    deliver_all(world);

    assert_int_equal(world->answers[1], DS2_NOTHING);
    assert_int_equal(world->answers[2], DS2_NOTHING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_write_is_acknowledged_when_a_copy_has_it),
        IN_WORLD(a_read_is_answered_when_a_copy_has_the_same),
        IN_WORLD(who_does_not_lead_passes_operations_on),
        IN_WORLD(a_read_beside_a_write_is_answered),
        IN_WORLD(as_published_a_read_beside_a_write_is_never_answered),
        IN_WORLD(a_write_that_was_passed_on_is_acknowledged),
        IN_WORLD(as_published_a_write_that_was_passed_on_is_never_acknowledged),
        IN_WORLD(of_three_agents_a_majority_suffices),
        IN_WORLD(as_published_a_read_asks_three_agents_again),
        IN_WORLD(as_published_an_answer_of_an_earlier_round_ends_the_new_one),
        IN_WORLD(a_copy_reads_what_it_was_sent),
        IN_WORLD(the_erroneous_register_reads_a_copy_that_has_not_heard),
        IN_WORLD(the_erroneous_register_acknowledges_once),
        IN_WORLD(another_register_waits_for_all_copies),
        IN_WORLD(another_register_reads_what_all_have),
        IN_WORLD(another_register_never_answers_if_they_differ),
        IN_WORLD(another_register_compares_with_what_it_has_now),
        IN_WORLD(the_hash_is_sha1),
        IN_WORLD(a_node_asks_to_join_when_it_starts),
        IN_WORLD(a_key_is_found_from_every_node_that_has_joined),
        IN_WORLD(a_node_that_has_not_joined_answers_from_its_empty_table),
        IN_WORLD(knowing_only_its_predecessor_it_still_does),
        IN_WORLD(three_nodes_make_a_ring),
        IN_WORLD(five_nodes_make_a_ring),
        IN_WORLD(a_key_is_looked_for_at_the_last_node_before_it),
        IN_WORLD(an_answer_goes_to_the_node_that_was_asked),
        IN_WORLD(a_new_node_is_put_between_those_that_are_there),
        IN_WORLD(a_write_is_learned_when_a_majority_accepts),
        IN_WORLD(a_read_gets_what_the_leader_has_learned),
        IN_WORLD(each_further_promise_asks_for_acceptance_again),
        IN_WORLD(a_proposal_that_was_overtaken_is_made_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
