/* participant_machine.c - the machine around a participant. SPDX-License-Identifier: MIT */
#include "participant.h"
#include "site.h"

struct machine {
    struct site site;
    struct participant participant;
};

static const struct sn_state running;

static void boot(struct machine *machine)
{
    struct participant_config config = {
        .site = (uint32_t)machine->site.birth.site,
        .participant_count = PARTICIPANTS,
        .give_up_in_doubt = bug_impatient,
        .vote_before_durable = bug_forgotten_promise,
        .vote_again = bug_second_vote,
        .forget_refusal = bug_forgotten_refusal,
    };

    site_tell_recovery(&machine->site, false);
    if (participant_init(&machine->participant, &config, &site_io, machine) < 0) {
        site_start_later();
    } else {
        site_tell_recovery(&machine->site, true);
        sn_goto(&running);
    }
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

    participant_on_message(&machine->participant, payload);
}

static void on_timeout(void *self, const void *payload)
{
    struct machine *machine = self;
    const struct timeout *timeout = payload;

    participant_on_timer(&machine->participant, timeout->transaction);
}

/* What comes before the participant is up is lost, as everything may be. */
static const struct sn_on booting_on[] = {
    {.event = &boot_event, .run = on_boot},
    {.event = &message_event, .ignore = true},
    {0},
};

static const struct sn_on running_on[] = {
    {.event = &message_event, .run = on_message},
    {.event = &timeout_event, .run = on_timeout},
    {0},
};

static const struct sn_state booting = {.name = "Booting", .entry = start, .on = booting_on};
static const struct sn_state running = {.name = "Running", .on = running_on};

const struct sn_machine participant_machine = {
    .name = "Participant",
    .size = sizeof(struct machine),
    .start = &booting,
    .birth = &site_birth_event,
};
