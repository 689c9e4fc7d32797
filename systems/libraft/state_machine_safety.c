/* state_machine_safety.c - all servers execute the same commands in the same order.
 *
 * Commands are counted by the state machine itself, whose count is part of its snapshots: the n-th
 * command must be the same everywhere, and so must be the state after it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

struct known {
    uint64_t digest;
    uint32_t command; /* 0: not known */
    bool has_digest;
};

struct monitor {
    struct known places[COMMANDS_MAX];
};

static void check_digest(struct known *known, const struct applied *applied)
{
    sn_assertf(!known->has_digest || known->digest == applied->digest,
               "the state of server %u after command %u is not that of another server",
               applied->server, (unsigned)applied->count);
    known->digest = applied->digest;
    known->has_digest = true;
}

static void on_applied(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct applied *applied = payload;

    if (applied->count >= COMMANDS_MAX)
        return;

    struct known *known = &monitor->places[applied->count];

    sn_assertf(known->command == 0 || known->command == applied->command,
               "the %u. command that server %u executes is %u, and that of another server %u",
               (unsigned)applied->count, applied->server, applied->command, known->command);
    known->command = applied->command;
    check_digest(known, applied);
}

static void on_restored(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct applied *restored = payload;

    if (restored->count < COMMANDS_MAX)
        check_digest(&monitor->places[restored->count], restored);
}

static const struct sn_on watching_on[] = {
    {.event = &applied_event, .run = on_applied},
    {.event = &restored_event, .run = on_restored},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine state_machine_safety = {
    .name = "StateMachineSafety",
    .size = sizeof(struct monitor),
    .start = &watching,
};
