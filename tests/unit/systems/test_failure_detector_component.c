/* test_failure_detector_component.c - detector, group and incarnation numbers, each alone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "detector.h"
#include "group.h"
#include "incarnation.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum {
    NODES = 3,
    INCARNATION = 5,
    FIRST_ROUND = (INCARNATION << 16) + 1,
    TIMEOUT_MS = 100,
    PAUSE_MS = 400,
    SENT_MAX = 64,
    NEVER = -1,
};

struct sent {
    uint32_t to;
    struct fd_message message;
};

/* Node 2 of three. The network remembers, timers count, the disk keeps what was synced. */
struct world {
    struct fd_detector detector;
    struct group group;
    struct sent sent[SENT_MAX];
    size_t sent_count;
    uint32_t timers[2];    /* running */
    uint32_t delays_ms[2]; /* of the timer started last */
    uint32_t alive[NODES + 1];
    unsigned changes; /* of the detector's opinion */

    uint32_t written;
    uint32_t synced;
    int disk_errors_after;
};

static void world_send(void *self, uint32_t to, const struct fd_message *message)
{
    struct world *world = self;

    assert_true(world->sent_count < SENT_MAX);
    world->sent[world->sent_count++] = (struct sent){to, *message};
}

static void world_start_timer(void *self, enum fd_timer timer, uint32_t delay_ms)
{
    struct world *world = self;

    world->timers[timer]++;
    world->delays_ms[timer] = delay_ms;
}

static void world_cancel_timer(void *self, enum fd_timer timer)
{
    struct world *world = self;

    assert_true(world->timers[timer] > 0);
    world->timers[timer]--;
}

static void world_trust(void *self, uint32_t node, uint32_t incarnation)
{
    struct world *world = self;

    world->alive[node] = incarnation;
    world->changes++;
}

static void world_suspect(void *self, uint32_t node)
{
    struct world *world = self;

    world->alive[node] = 0;
    world->changes++;
}

static const struct fd_io detector_io = {
    .send = world_send,
    .start_timer = world_start_timer,
    .cancel_timer = world_cancel_timer,
    .trust = world_trust,
    .suspect = world_suspect,
};

static const struct group_io group_io = {.send = world_send};

static int set_up(void **state)
{
    static struct world world;
    struct fd_config config = {
        .node = 2,
        .node_count = NODES,
        .incarnation = INCARNATION,
        .pause_ms = PAUSE_MS,
        .timeout_ms = TIMEOUT_MS,
        .misses_limit = 2,
    };
    struct group_config group_config = {
        .node = 2,
        .node_count = NODES,
        .incarnation = INCARNATION,
    };

    world = (struct world){.disk_errors_after = NEVER};
    fd_init(&world.detector, &config, &detector_io, &world);
    group_init(&world.group, &group_config, &group_io, &world);
    *state = &world;
    return 0;
}

#define IN_WORLD(claim_) cmocka_unit_test_setup(claim_, set_up)

static void fire(struct world *world, enum fd_timer timer)
{
    assert_true(world->timers[timer] > 0);
    world->timers[timer]--;
    fd_on_timer(&world->detector, timer);
}

static void pong(struct world *world, uint32_t from, uint32_t incarnation, uint32_t round)
{
    struct fd_message message = {
        .kind = FD_PONG,
        .from = from,
        .incarnation = incarnation,
        .round = round,
    };

    fd_on_message(&world->detector, &message);
}

/* A round in which nobody answers in time, and the pause after it. */
static void miss_a_round(struct world *world)
{
    fire(world, FD_TIMER_ANSWERS);
    fire(world, FD_TIMER_PAUSE);
}

static size_t count_sent(const struct world *world, uint32_t to, uint32_t kind, uint32_t round)
{
    size_t count = 0;

    for (size_t i = 0; i < world->sent_count; i++) {
        const struct sent *sent = &world->sent[i];

        if (sent->to == to && sent->message.kind == kind && sent->message.round == round)
            count++;
    }
    return count;
}

/* ---- Detector ------------------------------------------------------------------------------- */

static void round_asks_all_others(void **state)
{
    struct world *world = *state;

    assert_int_equal(world->sent_count, 2);
    assert_int_equal(count_sent(world, 1, FD_PING, FIRST_ROUND), 1);
    assert_int_equal(count_sent(world, 3, FD_PING, FIRST_ROUND), 1);
    assert_int_equal(world->delays_ms[FD_TIMER_ANSWERS], TIMEOUT_MS);
}

static void ping_is_answered_with_its_round(void **state)
{
    struct world *world = *state;
    struct fd_message ping = {.kind = FD_PING, .from = 3, .incarnation = 9, .round = 77};

    fd_on_message(&world->detector, &ping);

    assert_int_equal(count_sent(world, 3, FD_PONG, 77), 1);
    assert_int_equal(world->sent[2].message.incarnation, INCARNATION);
}

static void message_from_nobody_is_ignored(void **state)
{
    struct world *world = *state;
    struct fd_message ping = {.kind = FD_PING, .from = NODES + 1, .round = 77};

    fd_on_message(&world->detector, &ping);
    ping.from = 0;
    fd_on_message(&world->detector, &ping);

    assert_int_equal(world->sent_count, 2);
}

static void round_is_over_when_all_have_answered(void **state)
{
    struct world *world = *state;

    pong(world, 1, 1, FIRST_ROUND);
    assert_int_equal(world->timers[FD_TIMER_PAUSE], 0);
    pong(world, 3, 1, FIRST_ROUND);

    assert_int_equal(world->timers[FD_TIMER_ANSWERS], 0);
    assert_int_equal(world->timers[FD_TIMER_PAUSE], 1);
    assert_int_equal(world->alive[1], 1);
    assert_int_equal(world->alive[3], 1);
}

static void answer_that_comes_twice_counts_once(void **state)
{
    struct world *world = *state;

    pong(world, 1, 1, FIRST_ROUND);
    pong(world, 1, 1, FIRST_ROUND);

    assert_int_equal(world->timers[FD_TIMER_ANSWERS], 1);
    assert_int_equal(world->changes, 1);
}

static void silent_node_is_suspected_after_some_rounds(void **state)
{
    struct world *world = *state;

    pong(world, 1, 1, FIRST_ROUND);
    pong(world, 3, 1, FIRST_ROUND);
    fire(world, FD_TIMER_PAUSE);
    pong(world, 3, 1, FIRST_ROUND + 1);
    miss_a_round(world);
    assert_int_equal(world->alive[1], 1);
    pong(world, 3, 1, FIRST_ROUND + 2);
    miss_a_round(world);

    assert_int_equal(world->alive[1], 0);
    assert_int_equal(world->alive[3], 1);
}

static void misses_must_come_in_a_row(void **state)
{
    struct world *world = *state;

    pong(world, 1, 1, FIRST_ROUND);
    pong(world, 3, 1, FIRST_ROUND);
    fire(world, FD_TIMER_PAUSE);
    miss_a_round(world);
    pong(world, 1, 1, FIRST_ROUND + 2);
    miss_a_round(world);
    miss_a_round(world);

    assert_int_equal(world->alive[1], 1);
    assert_int_equal(world->alive[3], 0);
}

static void suspected_node_that_answers_is_trusted_again(void **state)
{
    struct world *world = *state;

    pong(world, 1, 1, FIRST_ROUND);
    miss_a_round(world);
    miss_a_round(world);
    miss_a_round(world);
    assert_int_equal(world->alive[1], 0);
    pong(world, 1, 1, FIRST_ROUND + 3);

    assert_int_equal(world->alive[1], 1);
}

static void late_answer_does_not_count(void **state)
{
    struct world *world = *state;

    miss_a_round(world);
    pong(world, 1, 1, FIRST_ROUND);
    pong(world, 3, 1, FIRST_ROUND);

    assert_int_equal(world->timers[FD_TIMER_ANSWERS], 1);
    assert_int_equal(world->changes, 0);
}

static void late_answer_makes_the_timeout_longer(void **state)
{
    struct world *world = *state;

    fire(world, FD_TIMER_ANSWERS);
    pong(world, 1, 1, FIRST_ROUND);
    fire(world, FD_TIMER_PAUSE);

    assert_int_equal(world->delays_ms[FD_TIMER_ANSWERS], 2 * TIMEOUT_MS);
}

static void late_copy_of_an_answer_leaves_the_timeout_alone(void **state)
{
    struct world *world = *state;

    pong(world, 1, 1, FIRST_ROUND);
    pong(world, 3, 1, FIRST_ROUND);
    pong(world, 3, 1, FIRST_ROUND);
    fire(world, FD_TIMER_PAUSE);

    assert_int_equal(world->delays_ms[FD_TIMER_ANSWERS], TIMEOUT_MS);
}

static void quick_restart_is_noticed(void **state)
{
    struct world *world = *state;

    pong(world, 1, 1, FIRST_ROUND);
    pong(world, 3, 1, FIRST_ROUND);
    fire(world, FD_TIMER_PAUSE);
    pong(world, 1, 2, FIRST_ROUND + 1);

    assert_int_equal(world->alive[1], 2);
    assert_int_equal(world->changes, 3);
}

static void answer_of_an_earlier_life_is_ignored(void **state)
{
    struct world *world = *state;

    pong(world, 1, 2, FIRST_ROUND);
    fire(world, FD_TIMER_ANSWERS);
    fire(world, FD_TIMER_PAUSE);
    pong(world, 1, 1, FIRST_ROUND + 1);

    assert_int_equal(world->alive[1], 2);
    assert_false(world->detector.peers[1].has_answered);
}

/* ---- Group ---------------------------------------------------------------------------------- */

static void join(struct world *world, uint32_t from, uint32_t incarnation, uint32_t round)
{
    struct fd_message message = {
        .kind = FD_JOIN,
        .from = from,
        .incarnation = incarnation,
        .round = round,
    };

    group_on_message(&world->group, &message);
}

static void joined(struct world *world, uint32_t from, uint32_t incarnation, uint32_t round)
{
    struct fd_message message = {
        .kind = FD_JOINED,
        .from = from,
        .incarnation = incarnation,
        .round = round,
    };

    group_on_message(&world->group, &message);
}

static void node_alone_leads_itself(void **state)
{
    struct world *world = *state;

    assert_int_equal(world->group.leader, 2);
    assert_true(group_has_member(&world->group, 2, INCARNATION));
    group_on_tick(&world->group);

    assert_int_equal(count_sent(world, 2, FD_JOIN, INCARNATION), 0);
}

static void lowest_living_node_leads(void **state)
{
    struct world *world = *state;

    group_on_trust(&world->group, 3, 1);
    assert_int_equal(world->group.leader, 2);
    group_on_trust(&world->group, 1, 4);
    assert_int_equal(world->group.leader, 1);
    assert_int_equal(count_sent(world, 1, FD_JOIN, 4), 1);
    group_on_suspect(&world->group, 1);

    assert_int_equal(world->group.leader, 2);
    assert_int_equal(world->group.joined_incarnation, INCARNATION);
}

static void join_is_repeated_until_it_is_answered(void **state)
{
    struct world *world = *state;

    group_on_trust(&world->group, 1, 4);
    group_on_tick(&world->group);
    joined(world, 1, 4, INCARNATION);
    group_on_tick(&world->group);

    assert_int_equal(count_sent(world, 1, FD_JOIN, 4), 2);
    assert_int_equal(world->group.joined_incarnation, 4);
}

static void late_answer_to_a_join_is_ignored(void **state)
{
    struct world *world = *state;

    group_on_trust(&world->group, 1, 4);
    joined(world, 1, 3, INCARNATION);     /* of an earlier life of the leader */
    joined(world, 1, 4, INCARNATION - 1); /* to an earlier life of this node */
    joined(world, 3, 4, INCARNATION);     /* of one who does not lead */

    assert_int_equal(world->group.joined_incarnation, 0);
}

static void restarted_leader_is_joined_again(void **state)
{
    struct world *world = *state;

    group_on_trust(&world->group, 1, 4);
    joined(world, 1, 4, INCARNATION);
    group_on_trust(&world->group, 1, 5);

    assert_int_equal(count_sent(world, 1, FD_JOIN, 5), 1);
    assert_int_equal(world->group.joined_incarnation, 0);
}

static void leader_counts_members_in(void **state)
{
    struct world *world = *state;

    join(world, 3, 7, INCARNATION);

    assert_true(group_has_member(&world->group, 3, 7));
    assert_int_equal(count_sent(world, 3, FD_JOINED, 7), 1);
}

static void late_join_is_ignored(void **state)
{
    struct world *world = *state;

    join(world, 3, 7, INCARNATION - 1);
    assert_false(group_has_member(&world->group, 3, 7));
    join(world, 3, 7, INCARNATION);
    join(world, 3, 6, INCARNATION);

    assert_true(group_has_member(&world->group, 3, 7));
}

static void suspected_member_stays_on_the_list(void **state)
{
    struct world *world = *state;

    group_on_trust(&world->group, 3, 7);
    join(world, 3, 7, INCARNATION);
    group_on_suspect(&world->group, 3);

    assert_true(group_has_member(&world->group, 3, 7));
}

/* ---- Incarnation numbers -------------------------------------------------------------------- */

static bool disk_fails(struct world *world)
{
    return world->disk_errors_after != NEVER && world->disk_errors_after-- == 0;
}

static int64_t disk_read(void *self, void *bytes, size_t n)
{
    struct world *world = self;

    assert_int_equal(n, sizeof(world->written));
    if (disk_fails(world))
        return -EIO;
    memcpy(bytes, &world->written, n);
    return world->written == 0 ? 0 : (int64_t)n;
}

static int disk_write(void *self, const void *bytes, size_t n)
{
    struct world *world = self;

    if (disk_fails(world))
        return -EIO;
    memcpy(&world->written, bytes, n);
    return 0;
}

static int disk_sync(void *self)
{
    struct world *world = self;

    if (disk_fails(world))
        return -EIO;
    world->synced = world->written;
    return 0;
}

static const struct incarnation_config right = {0};
static const struct incarnation_config lazy = {.skip_sync = true};
static const struct fd_disk disk = {.read = disk_read, .write = disk_write, .sync = disk_sync};

static void each_life_has_a_number_of_its_own(void **state)
{
    struct world *world = *state;
    uint32_t first = 0;
    uint32_t second = 0;

    assert_int_equal(incarnation_next(&right, &disk, world, &first), 0);
    world->written = world->synced; /* a crash */
    assert_int_equal(incarnation_next(&right, &disk, world, &second), 0);

    assert_int_equal(first, 1);
    assert_int_equal(second, 2);
}

static void lazy_number_comes_back_after_a_crash(void **state)
{
    struct world *world = *state;
    uint32_t second = 0;
    uint32_t third = 0;

    assert_int_equal(incarnation_next(&right, &disk, world, &second), 0);
    assert_int_equal(incarnation_next(&lazy, &disk, world, &second), 0);
    world->written = world->synced; /* a crash */
    assert_int_equal(incarnation_next(&lazy, &disk, world, &third), 0);

    assert_int_equal(second, 2);
    assert_int_equal(third, 2);
}

static void every_failure_of_the_disk_is_reported(void **state)
{
    struct world *world = *state;
    uint32_t incarnation = 0;

    world->disk_errors_after = 0;
    assert_int_equal(incarnation_next(&right, &disk, world, &incarnation), -EIO);
    world->disk_errors_after = 1;
    assert_int_equal(incarnation_next(&right, &disk, world, &incarnation), -EIO);
    world->disk_errors_after = 2;
    assert_int_equal(incarnation_next(&right, &disk, world, &incarnation), -EIO);
    assert_int_equal(world->synced, 0);
    world->disk_errors_after = 3;

    assert_int_equal(incarnation_next(&right, &disk, world, &incarnation), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(round_asks_all_others),
        IN_WORLD(ping_is_answered_with_its_round),
        IN_WORLD(message_from_nobody_is_ignored),
        IN_WORLD(round_is_over_when_all_have_answered),
        IN_WORLD(answer_that_comes_twice_counts_once),
        IN_WORLD(silent_node_is_suspected_after_some_rounds),
        IN_WORLD(misses_must_come_in_a_row),
        IN_WORLD(suspected_node_that_answers_is_trusted_again),
        IN_WORLD(late_answer_does_not_count),
        IN_WORLD(late_answer_makes_the_timeout_longer),
        IN_WORLD(late_copy_of_an_answer_leaves_the_timeout_alone),
        IN_WORLD(quick_restart_is_noticed),
        IN_WORLD(answer_of_an_earlier_life_is_ignored),
        IN_WORLD(node_alone_leads_itself),
        IN_WORLD(lowest_living_node_leads),
        IN_WORLD(join_is_repeated_until_it_is_answered),
        IN_WORLD(late_answer_to_a_join_is_ignored),
        IN_WORLD(restarted_leader_is_joined_again),
        IN_WORLD(leader_counts_members_in),
        IN_WORLD(late_join_is_ignored),
        IN_WORLD(suspected_member_stays_on_the_list),
        IN_WORLD(each_life_has_a_number_of_its_own),
        IN_WORLD(lazy_number_comes_back_after_a_crash),
        IN_WORLD(every_failure_of_the_disk_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
