/* sometimes_main.c - a program with places that must be met in some trial, of all kinds.
 * SPDX-License-Identifier: MIT
 */
#include "sometimes_plugin.h"

#include <sennit/sennit.h>

static const struct sn_event first = {.name = "First"};
static const struct sn_event second = {.name = "Second"};
static const struct sn_event told = {.name = "Told"};

struct receiver {
    int came;
};

/* ---- A monitor ------------------------------------------------------------------------------ */

static void on_told(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_reachable("the monitor is told");
}

static const struct sn_state listening = {
    .name = "Listening",
    .on = (const struct sn_on[]){{.event = &told, .run = on_told}, {0}},
};
static const struct sn_machine listener = {.name = "Listener", .start = &listening};

/* ---- Machines ------------------------------------------------------------------------------- */

static void on_first(void *self, const void *payload)
{
    struct receiver *receiver = self;

    (void)payload;
    receiver->came++;
    sn_sometimes(receiver->came == 2, "First comes last");
    sn_sometimes(receiver->came == 3, "three come");
    sn_monitor(&listener, &told, NULL);
}

static void on_second(void *self, const void *payload)
{
    struct receiver *receiver = self;

    (void)payload;
    receiver->came++;
    plugin_note(receiver->came);
    if (receiver->came > 2)
        sn_reachable("Second comes a third time");
}

static const struct sn_state receiving = {
    .name = "Receiving",
    .on = (const struct sn_on[]){{.event = &first, .run = on_first},
                                 {.event = &second, .run = on_second},
                                 {0}},
};
static const struct sn_machine receiver_type = {
    .name = "Receiver", .size = sizeof(struct receiver), .start = &receiving};

struct target {
    sn_id to;
};

static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct target)};

static void send_first(void *self, const void *payload)
{
    const struct target *target = payload;

    (void)self;
    sn_send(target->to, &first, NULL);
}

static void send_second(void *self, const void *payload)
{
    const struct target *target = payload;

    (void)self;
    sn_send(target->to, &second, NULL);
}

static const struct sn_state sending_first = {.name = "Sending", .entry = send_first};
static const struct sn_state sending_second = {.name = "Sending", .entry = send_second};
static const struct sn_machine sender_first = {
    .name = "Sender", .start = &sending_first, .birth = &birth};
static const struct sn_machine sender_second = {
    .name = "OtherSender", .start = &sending_second, .birth = &birth};

static void race(void)
{
    struct target target = {sn_create(&receiver_type, NULL)};

    (void)sn_create(&sender_first, &target);
    (void)sn_create(&sender_second, &target);
}

static void alone(void)
{
    struct target target = {sn_create(&receiver_type, NULL)};

    (void)sn_create(&sender_second, &target);
}

static const struct sn_machine *const monitors[] = {&listener, NULL};

static const struct sn_test tests[] = {
    {.name = "alone", .run = alone, .monitors = monitors, .world = SN_WORLD_TRIAL},
    {.name = "race", .run = race, .monitors = monitors, .world = SN_WORLD_TRIAL},
    {.name = "restored", .run = race, .monitors = monitors},
    {0},
};
static const struct sn_suite suite = {.name = "meeting", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
