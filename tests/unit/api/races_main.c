/* races_main.c - tests whose machines get two events that may come in either order, or may not.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static const struct sn_event ping = {.name = "Ping"};
static const struct sn_event pong = {.name = "Pong"};
static const struct sn_event later = {.name = "Later"};
static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};

/* ---- Who is sent to ------------------------------------------------------------------------- */

struct sink {
    int pings;
    int pongs;
};

static void on_ping(void *self, const void *payload)
{
    struct sink *sink = self;

    (void)payload;
    sink->pings++;
}

static void on_pong(void *self, const void *payload)
{
    struct sink *sink = self;

    (void)payload;
    sink->pongs++;
}

static uint64_t fingerprint(const void *self)
{
    const struct sink *sink = self;

    return (uint64_t)(sink->pings * 10 + sink->pongs);
}

static const struct sn_state sinking = {
    .name = "Sinking",
    .on = (const struct sn_on[]){{.event = &ping, .run = on_ping},
                                 {.event = &pong, .run = on_pong},
                                 {.event = &later, .ignore = true},
                                 {0}},
};
static const struct sn_machine sink_type = {
    .name = "Sink", .size = sizeof(struct sink), .start = &sinking, .fingerprint = fingerprint};

/* ---- Who sends ------------------------------------------------------------------------------ */

static void send_ping(void *self, const void *payload)
{
    const sn_id *to = payload;

    (void)self;
    sn_send(*to, &ping, NULL);
}

static void send_pong(void *self, const void *payload)
{
    const sn_id *to = payload;

    (void)self;
    sn_send(*to, &pong, NULL);
}

static void send_both(void *self, const void *payload)
{
    send_ping(self, payload);
    send_pong(self, payload);
}

static const struct sn_state pinging = {.name = "Pinging", .entry = send_ping};
static const struct sn_state ponging = {.name = "Ponging", .entry = send_pong};
static const struct sn_state doing_both = {.name = "DoingBoth", .entry = send_both};
static const struct sn_machine pinger = {.name = "Pinger", .start = &pinging, .birth = &birth};
static const struct sn_machine ponger = {.name = "Ponger", .start = &ponging, .birth = &birth};
static const struct sn_machine both = {.name = "Both", .start = &doing_both, .birth = &birth};

/* A sink that lets another machine send Pong once Ping is there. */
static void on_ping_answer(void *self, const void *payload)
{
    sn_id me = sn_self();

    (void)self;
    (void)payload;
    (void)sn_create(&ponger, &me);
}

static const struct sn_state reacting = {
    .name = "Reacting",
    .on = (const struct sn_on[]){{.event = &ping, .run = on_ping_answer},
                                 {.event = &pong, .ignore = true},
                                 {0}},
};
static const struct sn_machine reactor = {.name = "Reactor", .start = &reacting};

/* Sends Pong when time has passed. */
static void wait_first(void *self, const void *payload)
{
    sn_id *to = self;

    *to = *(const sn_id *)payload;
    sn_timer_start(&later, 1000, NULL);
}

static void on_later(void *self, const void *payload)
{
    const sn_id *to = self;

    (void)payload;
    sn_send(*to, &pong, NULL);
}

static const struct sn_state waiting = {
    .name = "Waiting",
    .entry = wait_first,
    .on = (const struct sn_on[]){{.event = &later, .run = on_later}, {0}},
};
static const struct sn_machine sleeper = {
    .name = "Sleeper", .size = sizeof(sn_id), .start = &waiting, .birth = &birth};

/* ---- Who fails ------------------------------------------------------------------------------ */

static void fail_somehow(void *self, const void *payload)
{
    uint64_t how = sn_choose("how", 4);

    (void)self;
    (void)payload;
    sn_assertf(how != 1, "%d apples", (int)sn_choose("apples", 9));
    sn_assert(how != 2);
    if (how == 3)
        sn_send(SN_NOBODY, &ping, NULL);
}

static const struct sn_state failing = {.name = "Failing", .entry = fail_somehow};
static const struct sn_machine failer = {.name = "Failer", .start = &failing};

/* ---- Tests ---------------------------------------------------------------------------------- */

static void two_senders(void)
{
    sn_id to = sn_create(&sink_type, NULL);

    (void)sn_create(&pinger, &to);
    (void)sn_create(&ponger, &to);
}

static void one_sender(void)
{
    sn_id to = sn_create(&sink_type, NULL);

    (void)sn_create(&both, &to);
}

static void cause(void)
{
    sn_id to = sn_create(&reactor, NULL);

    (void)sn_create(&pinger, &to);
}

static void wait_for_time(void)
{
    sn_id to = sn_create(&sink_type, NULL);

    (void)sn_create(&pinger, &to);
    (void)sn_create(&sleeper, &to);
}

static void kinds(void)
{
    (void)sn_create(&failer, NULL);
}

/* State is in the machines alone: with a sanitizer each trial would be a process otherwise. */
static const struct sn_test tests[] = {
    {.name = "two_senders", .run = two_senders, .starts_first = true, .world = SN_WORLD_TRIAL},
    {.name = "one_sender", .run = one_sender, .starts_first = true, .world = SN_WORLD_TRIAL},
    {.name = "unordered",
     .run = one_sender,
     .links = SN_UNORDERED,
     .starts_first = true,
     .world = SN_WORLD_TRIAL},
    {.name = "cause", .run = cause, .world = SN_WORLD_TRIAL},
    {.name = "time", .run = wait_for_time, .world = SN_WORLD_TRIAL},
    {.name = "any_time", .run = wait_for_time, .timers = SN_TIMERS_ANY, .world = SN_WORLD_TRIAL},
    {.name = "kinds", .run = kinds, .world = SN_WORLD_TRIAL},
    {0},
};
static const struct sn_suite suite = {.name = "races", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
