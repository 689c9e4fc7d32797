/* simulated.c - see simulated.h.
 *
 * An operation is a message to the node's machine, and waiting for the answer. In between whatever
 * else is pending may happen: when a user does something is a decision of the strategy, as is
 * everything else.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulated.h"

#include "events.h"
#include "machines.h"

#define TURN_NS UINT64_C(100000000) /* of a sleep: after each of these others may have a turn */

struct sync_wrong sync_wrong;

struct simulated {
    sn_id nodes[SYNC_NODES];
};

static int start(void *self, uint32_t n_nodes)
{
    struct simulated *sim = self;
    struct server_birth birth = {.n_nodes = n_nodes};
    sn_id server;

    server = sn_create(&server_machine, &birth);
    sn_set_name(server, "Server");
    for (uint32_t i = 0; i < n_nodes; i++) {
        struct node_birth node = {.node = i, .server = server};

        sim->nodes[i] = sn_create(&node_machine, &node);
        sn_set_name(sim->nodes[i], "Node%u", i + 1);
    }
    sn_sleep_ns(1); /* until all are there: nothing of interest races with that */
    return 0;
}

/* What is there ends with the trial. */
static int stop(void *self)
{
    (void)self;
    return 0;
}

/* Has a machine do something. Returns its answer, which is valid until the next one. What was
 * waited for earlier may still come, and is of no interest any more. */
static const struct answer *ask(sn_id machine, const struct sn_event *event, const void *payload)
{
    const struct answer *answer;

    sn_send(machine, event, payload);
    do
        answer = sn_receive_event(&answer_event, SN_FOREVER)->payload;
    while (answer->is_awaited);
    return answer;
}

/* ---- What users do -------------------------------------------------------------------------- */

static int look(void *self, uint32_t node, uint32_t file, struct sn_sync_seen *seen)
{
    const struct simulated *sim = self;
    struct user_read what = {.file = file};
    const struct answer *answer = ask(sim->nodes[node], &read_event, &what);

    *seen = (struct sn_sync_seen){.value = answer->value, .conflicts = answer->conflicts};
    return 0;
}

static int read(void *self, uint32_t node, uint32_t file, uint32_t *value)
{
    struct sn_sync_seen seen;

    (void)look(self, node, file, &seen);
    *value = seen.value;
    return 0;
}

static int write(void *self, uint32_t node, uint32_t file, uint32_t value, uint32_t *old)
{
    const struct simulated *sim = self;
    struct user_write what = {.file = file, .value = value};

    *old = ask(sim->nodes[node], &write_event, &what)->value;
    return 0;
}

static int move(void *self, uint32_t node, uint32_t from, uint32_t to, uint32_t *value,
                uint32_t *old)
{
    const struct simulated *sim = self;
    struct user_rename what = {.from = from, .to = to};
    const struct answer *answer = ask(sim->nodes[node], &rename_event, &what);

    *value = answer->value;
    *old = answer->old;
    return 0;
}

/* Time passes when nothing else can happen: if the value has not come by then it never will. */
static int wait_for(void *self, uint32_t node, uint32_t file, uint32_t wanted, uint64_t ns_max,
                    uint32_t *value)
{
    const struct simulated *sim = self;
    struct user_wait what = {.file = file, .value = wanted};
    const struct sn_message *m;

    sn_send(sim->nodes[node], &wait_event, &what);
    m = sn_receive_event(&answer_event, ns_max);
    if (m == NULL)
        return read(self, node, file, value);
    *value = wanted;
    return 0;
}

static int kill_daemon(void *self, uint32_t node)
{
    const struct simulated *sim = self;

    (void)ask(sim->nodes[node], &kill_event, NULL);
    return 0;
}

static int restart_daemon(void *self, uint32_t node)
{
    const struct simulated *sim = self;

    (void)ask(sim->nodes[node], &restart_event, NULL);
    return 0;
}

/* ---- Time ----------------------------------------------------------------------------------- */

/* A sleep is no more than a chance for others, the larger the longer it is. If virtual time had to
 * pass, all that is pending would happen first, and nothing would race with what comes after. */
static int nap(void *self, uint64_t ns)
{
    (void)self;
    for (uint64_t slept = 0; slept <= ns; slept += TURN_NS)
        sn_yield();
    return 0;
}

/* Time passes when nothing else can happen. */
static int settle(void *self, uint64_t ns_max, bool *is_idle)
{
    (void)self;
    sn_sleep_ns(ns_max);
    *is_idle = true;
    return 0;
}

static const char *error(void *self)
{
    (void)self;
    return "";
}

static const struct sn_sync_driver driver = {
    .name = "simulated",
    .start = start,
    .stop = stop,
    .read = read,
    .write = write,
    .look = look,
    .sleep = nap,
    .settle = settle,
    .kill = kill_daemon,
    .restart = restart_daemon,
    .rename = move,
    .wait = wait_for,
    .error = error,
};

const struct sn_sync_driver *sync_simulated(void **self)
{
    static struct simulated sim;

    *self = &sim;
    return &driver;
}
