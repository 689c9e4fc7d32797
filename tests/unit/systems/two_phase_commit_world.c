/* two_phase_commit_world.c - a site of a two-phase commit alone, in a world made by hand.
 *
 * SPDX-License-Identifier: MIT
 */
#include "two_phase_commit_world.h"

#include <errno.h>
#include <string.h>

static bool disk_fails(struct world *world)
{
    if (world->disk_errors_after == NEVER)
        return false;
    return world->disk_errors_after-- == 0;
}

static void world_send(void *self, uint32_t to, const struct tpc_message *message)
{
    struct world *world = self;

    assert_true(world->sent_count < SENT_MAX);
    world->sent[world->sent_count++] = (struct sent){to, *message};
}

static int world_append(void *self, const void *bytes, size_t n)
{
    struct world *world = self;

    if (disk_fails(world))
        return -EIO;
    assert_true(world->log_size + n <= LOG_MAX);
    memcpy(world->log + world->log_size, bytes, n);
    world->log_size += n;
    return 0;
}

static int world_sync(void *self)
{
    struct world *world = self;

    if (disk_fails(world))
        return -EIO;
    world->log_synced = world->log_size;
    return 0;
}

static int64_t world_read(void *self, uint64_t offset, void *bytes, size_t n)
{
    struct world *world = self;
    size_t left = offset < world->log_size ? world->log_size - (size_t)offset : 0;

    if (disk_fails(world))
        return -EIO;
    if (n > left)
        n = left;
    memcpy(bytes, world->log + offset, n);
    return (int64_t)n;
}

static int world_truncate(void *self, uint64_t size)
{
    struct world *world = self;

    if (disk_fails(world))
        return -EIO;
    world->log_size = (size_t)size;
    return 0;
}

static void world_start_timer(void *self, uint32_t transaction)
{
    struct world *world = self;

    (void)transaction;
    world->timers_started++;
}

static void world_decided(void *self, uint32_t transaction, enum tpc_outcome outcome)
{
    struct world *world = self;

    assert_true(world->decision_count < DECISIONS_MAX);
    world->decisions[world->decision_count++] = (struct decision){transaction, outcome};
}

const struct tpc_io world_io = {
    .send = world_send,
    .append = world_append,
    .sync = world_sync,
    .read = world_read,
    .truncate = world_truncate,
    .start_timer = world_start_timer,
    .decided = world_decided,
};

int set_up(void **state)
{
    static struct world world;

    world = (struct world){
        .coordinator_config = {.participant_count = PARTICIPANTS},
        .participant_config = {.site = 1, .participant_count = PARTICIPANTS},
        .disk_errors_after = NEVER,
    };
    *state = &world;
    return 0;
}

static void crash(struct world *world)
{
    world->log_size = world->log_synced;
    world->sent_count = 0;
    world->decision_count = 0;
    world->timers_started = 0;
}

void start_coordinator(struct world *world)
{
    crash(world);
    assert_int_equal(
        coordinator_init(&world->coordinator, &world->coordinator_config, &world_io, world), 0);
}

void start_participant(struct world *world)
{
    crash(world);
    assert_int_equal(
        participant_init(&world->participant, &world->participant_config, &world_io, world), 0);
}

void clear_sent(struct world *world)
{
    world->sent_count = 0;
}

size_t count_sent(const struct world *world, uint32_t to, uint32_t kind, uint32_t transaction)
{
    size_t count = 0;

    for (size_t i = 0; i < world->sent_count; i++) {
        const struct sent *sent = &world->sent[i];

        if (sent->to == to && sent->message.kind == kind &&
            sent->message.transaction == transaction)
            count++;
    }
    return count;
}

uint32_t outcome_of(const struct world *world, uint32_t transaction)
{
    uint32_t outcome = 0;

    for (size_t i = 0; i < world->decision_count; i++) {
        if (world->decisions[i].transaction == transaction)
            outcome = world->decisions[i].outcome;
    }
    return outcome;
}

uint32_t begin(struct world *world, uint32_t key)
{
    uint32_t transaction = 0;

    assert_int_equal(coordinator_begin(&world->coordinator, key, &transaction), 0);
    return transaction;
}

void tell_coordinator(struct world *world, uint32_t from, uint32_t kind, uint32_t transaction)
{
    struct tpc_message message = {.kind = kind, .transaction = transaction, .from = from};

    coordinator_on_message(&world->coordinator, &message);
}

/* Each transaction has a key of its own, so that none is locked by another. */
void tell_participant(struct world *world, uint32_t from, uint32_t kind, uint32_t transaction)
{
    struct tpc_message message = {
        .kind = kind,
        .transaction = transaction,
        .from = from,
        .key = transaction,
    };

    participant_on_message(&world->participant, &message);
}
