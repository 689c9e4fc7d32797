/* coordinator_machine.c - the machine around the coordinator. SPDX-License-Identifier: MIT */
#include "coordinator.h"
#include "site.h"

struct machine {
    struct site site;
    struct coordinator coordinator;
};

static const struct sn_state running;

static void boot(struct machine *machine)
{
    struct coordinator_config config = {
        .participant_count = PARTICIPANTS,
        .tell_before_durable = bug_early_commit,
        .count_acks = bug_counted_acks,
    };

    if (coordinator_init(&machine->coordinator, &config, &site_io, machine) < 0)
        site_start_later();
    else
        sn_goto(&running);
}

static void start(void *self, const void *payload)
{
    struct machine *machine = self;

    machine->site.birth = *(const struct site_birth *)payload;
    boot(machine);
}

static void on_boot(void *self, const void *payload)
{
    (void)payload;
    boot(self);
}

static void on_message(void *self, const void *payload)
{
    struct machine *machine = self;

    coordinator_on_message(&machine->coordinator, payload);
}

static void on_timeout(void *self, const void *payload)
{
    struct machine *machine = self;
    const struct timeout *timeout = payload;

    coordinator_on_timer(&machine->coordinator, timeout->transaction);
}

static void on_begin(void *self, const void *payload)
{
    struct machine *machine = self;
    const struct begin *begin = payload;
    uint32_t transaction;
    int rc = coordinator_begin(&machine->coordinator, begin->key, &transaction);

    sn_assert(rc == 0);
}

/* What comes before the coordinator is up is lost, as everything may be. */
static const struct sn_on booting_on[] = {
    {.event = &boot_event, .run = on_boot},
    {.event = &message_event, .ignore = true},
    {.event = &begin_event, .ignore = true},
    {0},
};

static const struct sn_on running_on[] = {
    {.event = &message_event, .run = on_message},
    {.event = &timeout_event, .run = on_timeout},
    {.event = &begin_event, .run = on_begin},
    {0},
};

static const struct sn_state booting = {.name = "Booting", .entry = start, .on = booting_on};
static const struct sn_state running = {.name = "Running", .on = running_on};

const struct sn_machine coordinator_machine = {
    .name = "Coordinator",
    .size = sizeof(struct machine),
    .start = &booting,
    .birth = &site_birth_event,
};
