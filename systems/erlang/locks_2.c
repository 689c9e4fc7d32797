/* locks_2.c - agents that want to know when a lock server on another node is up (locks, uwiger).
 *
 * An agent that does not find the server starts a watcher on that node. The first watcher has a
 * name, under which a server that starts tells it so; others ask it to watch for their agents, too.
 * The names here are those of the server's node; the agents live elsewhere.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bugs.h"
#include "noise.h"
#include "tests.h"

#include <sennit/sennit.h>

enum {
    AGENTS = 2,
    WATCHED_MAX = 8, /* agents of one watcher */
    NOISE_POINTS = 6,
};

static const char server_name[] = "locks_server";
static const char watcher_name[] = "locks_watcher";
static const uint64_t retry_ns = UINT64_C(500000000);

struct watch {
    sn_id agent;
};

static const struct sn_field watch_fields[] = {
    SN_FIELD(struct watch, agent, SN_MACHINE),
    {0},
};

static const struct sn_event watch_event = {
    .name = "WatchForMe",
    .size = sizeof(struct watch),
    .fields = watch_fields,
};

static const struct sn_event born_event = {
    .name = "Birth",
    .size = sizeof(struct watch),
    .fields = watch_fields,
};

static const struct sn_event watching_event = {.name = "Watching"};
static const struct sn_event running_event = {.name = "LocksRunning"};
static const struct sn_event lock_event = {.name = "Lock"};
static const struct sn_event granted_event = {.name = "Granted"};
static const struct sn_event stop_event = {.name = "Stop"};
static const struct sn_event report_event = {.name = "Report"};

/* ---- The server's node ---------------------------------------------------------------------- */

static void serve(const void *payload)
{
    (void)payload;
    (void)sn_register(server_name, sn_self());
    sn_send_name(watcher_name, &running_event, NULL);
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

        if (m->event == &stop_event)
            return;
        sn_answer(m->from, m->call, &granted_event, NULL);
    }
}

/* Watches under the name, for whoever asks. */
static void watch_for(sn_id agent)
{
    sn_id watched[WATCHED_MAX] = {agent};
    uint32_t n = 1;

    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

        if (m->event == &running_event)
            break;
        sn_assert(n < WATCHED_MAX);
        watched[n++] = ((const struct watch *)m->payload)->agent;
        sn_send(m->from, &watching_event, NULL);
    }
    for (uint32_t i = 0; i < n; i++)
        sn_send(watched[i], &running_event, NULL);
}

static bool tell_if_running(sn_id agent)
{
    if (sn_whereis(server_name) == SN_NOBODY)
        return false;
    sn_send(agent, &running_event, NULL);
    return true;
}

/* The server gets its name before it looks for a watcher, so a watcher must have its name before it
 * looks for the server: then one of them finds the other. */
static void watch(const void *payload)
{
    struct watch mine = *(const struct watch *)payload;
    bool is_named = false;

    if ((bug_locks_2 || bug_locks_2_patch) && tell_if_running(mine.agent))
        return;
    while (!is_named) {
        is_named = sn_register(watcher_name, sn_self());
        if (!bug_locks_2 && !bug_locks_2_patch && tell_if_running(mine.agent))
            return;
        if (is_named)
            break;
        sn_send_name(watcher_name, &watch_event, &mine);
        if (sn_receive_event(&watching_event, retry_ns) != NULL)
            return;
        sn_note("the other watcher does not answer");
        if (bug_locks_2_patch && tell_if_running(mine.agent))
            return;
    }
    sn_note("I watch under the name");
    watch_for(mine.agent);
}

/* ---- The agents' nodes ---------------------------------------------------------------------- */

static const struct sn_process server_process = {
    .name = "Server",
    .run = serve,
    .may_wait = true,
};

static const struct sn_process watcher_process = {
    .name = "Watcher",
    .run = watch,
    .birth = &born_event,
    .may_wait = true,
};

static void live(const void *payload)
{
    sn_id parent = ((const struct watch *)payload)->agent;
    struct watch watch = {.agent = sn_self()};
    struct noise noise;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    while (sn_call_name(server_name, &lock_event, NULL, SN_FOREVER, NULL) == NULL) {
        sn_note("there is no server");
        noise_pass(&noise);
        (void)sn_spawn(&watcher_process, &watch);
        noise_pass(&noise);
        (void)sn_receive_event(&running_event, SN_FOREVER);
    }
    sn_note("I have the lock");
    sn_send(parent, &report_event, NULL);
}

static const struct sn_process agent_process = {
    .name = "Agent",
    .run = live,
    .birth = &born_event,
};

/* ---- The test ------------------------------------------------------------------------------- */

/* Stops the application on the server's node, and starts it again. */
static void restart(const void *payload)
{
    const struct watch *birth = payload;
    struct noise noise;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    (void)sn_monitor_process(birth->agent);
    sn_send(birth->agent, &stop_event, NULL);
    (void)sn_receive_event(&sn_down, SN_FOREVER);
    noise_pass(&noise);
    (void)sn_spawn(&server_process, NULL);
}

static const struct sn_process controller_process = {
    .name = "Controller",
    .run = restart,
    .birth = &born_event,
};

static void test(const void *payload)
{
    struct watch server = {.agent = SN_NOBODY};
    struct watch birth = {.agent = sn_self()};

    (void)payload;
    noise_before();
    server.agent = sn_spawn(&server_process, NULL);
    while (sn_whereis(server_name) == SN_NOBODY)
        sn_sleep_ns(retry_ns);
    for (uint32_t i = 0; i < AGENTS; i++)
        (void)sn_spawn(&agent_process, &birth);
    (void)sn_spawn(&controller_process, &server);
    noise_beside();
    for (uint32_t i = 0; i < AGENTS; i++)
        (void)sn_receive_event(&report_event, SN_FOREVER);
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void locks_2_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
