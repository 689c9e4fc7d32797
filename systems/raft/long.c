/* long.c - trials with thousands of steps, for the bench of shrinking.
 *
 * As the tests of main.c, with clients that do much more, and with few faults, which may
 * come late: so what fails does so after a long time in which all was well.
 * SPDX-License-Identifier: MIT
 */
#include "../raft_oracles/oracles.h"
#include "machines.h"

enum { SERVERS = 5, CLIENTS = 2, OPERATIONS = 240, STEPS_MAX = 20000, HORIZON = 8000 };

struct raft_bugs bugs_wanted;

static void run(void)
{
    struct director_birth director = {.servers = SERVERS, .clients = CLIENTS};

    (void)sn_create(&raft_director, &director);
    for (uint32_t id = 1; id <= SERVERS; id++) {
        struct server_birth birth = {.id = id,
                                     .servers = SERVERS,
                                     .members = (1 << SERVERS) - 1,
                                     .batch = 2,
                                     .snapshot_entries = 3};

        sn_set_name(sn_create_on(sn_node_new("server-%u", id), &raft_server, &birth), "S%u", id);
    }
    for (uint32_t id = 1; id <= CLIENTS; id++) {
        struct client_birth birth = {.id = id,
                                     .servers = SERVERS,
                                     .duties = DUTY_WRITE,
                                     .keys = 1,
                                     .operations = OPERATIONS};
        sn_node node = sn_node_new("client-%u", id);

        sn_set_name(sn_create_on(node, &raft_client, &birth), "C%u", id);
        sn_node_never_crash(node);
    }
}

static const struct sn_faults faults = {
    .duplicates = 3,
    .delays = 6,
    .partitions = 2,
    .crashes = 4,
    .horizon = HORIZON,
    .down_ns = 400 * MILLISECOND,
    .partition_ns = 800 * MILLISECOND,
    .delay_ns = 600 * MILLISECOND,
};

static const struct sn_test tests[] = {
    {
        .name = "long",
        .run = run,
        .monitors = (const struct sn_machine *const[]){&sn_one_leader, &log_matching,
                                                       &leader_completeness, &state_machine_safety,
                                                       &exactly_once, &fresh_reads, NULL},
        .max_steps = STEPS_MAX,
        .world = SN_WORLD_TRIAL,
        .faults = &faults,
    },
    {0},
};

static const struct sn_bug bugs[] = {
    {.name = "stale-snapshot", .flag = &bugs_wanted.stale_snapshot},
    {.name = "snapshot-forgets-sessions", .flag = &bugs_wanted.snapshot_forgets_sessions},
    {.name = "truncate-always", .flag = &bugs_wanted.truncate_always},
    {.name = "double-apply", .flag = &bugs_wanted.double_apply},
    {0},
};

static const struct sn_suite suite = {.name = "raft_long", .tests = tests, .bugs = bugs};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
