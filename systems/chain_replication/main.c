/* main.c - the tests of chain replication. SPDX-License-Identifier: MIT */
#include "../noise/noise.h"
#include "machines.h"

enum {
    FAULT_STEPS = 300, /* in which the faults of a trial begin */
    ROUGH_STEPS = 400, /* that a strategy has for them; what comes then is quiet, and judged */
    QUIET_STEPS = 600, /* most trials end by themselves, long before */
};

bool bug_no_resend;
bool bug_silent_tail;
bool bug_applied_twice;
bool bug_no_lease;
bool bug_old_tail;

static const uint64_t ns_per_ms = 1000000;

static const struct sn_faults everything = {
    .drops = 1,
    .duplicates = 1,
    .delays = 1,
    .partitions = 1,
    .crashes = 2,
    .horizon = FAULT_STEPS,
    .down_ns = UINT64_C(3000000000),
    .partition_ns = UINT64_C(4000000000),
    .delay_ns = UINT64_C(2000000000),
    .drift_ppm = 10000,
};

uint32_t clock_ms(void)
{
    return (uint32_t)(sn_now_ns() / ns_per_ms) + 1;
}

sn_timer start_tick(uint32_t delay_ms)
{
    return sn_timer_start(&tick_event, delay_ms * ns_per_ms, NULL);
}

/* The cluster is a pointer, and says nothing to a reader. */
static const struct sn_field birth_fields[] = {
    SN_FIELD(struct member_birth, number, SN_UINT),
    {0},
};

const struct sn_event member_birth_event = {
    .name = "Birth",
    .size = sizeof(struct member_birth),
    .fields = birth_fields,
};

/* Servers first: their nodes have their numbers. */
static void start(bool has_answers_monitor)
{
    struct cluster *cluster = sn_alloc(sizeof(*cluster));
    struct member_birth birth = {.cluster = cluster};
    sn_node node;

    cluster->has_answers_monitor = has_answers_monitor;
    cluster->chain.epoch = 1;
    cluster->chain.count = SERVERS;
    for (birth.number = 1; birth.number <= SERVERS; birth.number++) {
        node = sn_node_new("server %u", (unsigned)birth.number);
        sn_assert(node == birth.number);
        cluster->chain.servers[birth.number - 1] = (uint32_t)birth.number;
        cluster->chain.boots[birth.number - 1] = 1;
        cluster->servers[birth.number] = sn_create_on(node, &server_machine, &birth);
    }
    for (birth.number = 1; birth.number <= CLIENTS; birth.number++) {
        node = sn_node_new("client %u", (unsigned)birth.number);
        sn_node_never_crash(node);
        cluster->clients[birth.number] = sn_create_on(node, &client_machine, &birth);
    }
    birth.number = 0;
    node = sn_node_new("master");
    sn_node_never_crash(node);
    cluster->master = sn_create_on(node, &master_machine, &birth);
    cluster->driver = sn_create(&driver_machine, &birth);
    noise_start(100 * ns_per_ms);
}

static void consistent(void)
{
    start(false);
}

static void answers(void)
{
    start(true);
}

static const struct sn_machine *const consistent_monitors[] = {
    &chain_monitor,
    &order_monitor,
    NULL,
};

static const struct sn_machine *const answers_monitors[] = {
    &chain_monitor,
    &order_monitor,
    &answers_monitor,
    NULL,
};

static struct sn_test tests[] = {
    {
        .name = "consistent",
        .run = consistent,
        .about = "whatever fails, no committed update is lost and no query sees an old state",
        .monitors = consistent_monitors,
        .max_steps = ROUGH_STEPS,
        .world = SN_WORLD_TRIAL,
        .links = SN_UNORDERED,
        .faults = &everything,
    },
    {
        .name = "answers",
        .run = answers,
        .about = "every request is answered in the end",
        .monitors = answers_monitors,
        .max_steps = ROUGH_STEPS + QUIET_STEPS,
        .fair_steps = QUIET_STEPS,
        .world = SN_WORLD_TRIAL,
        .links = SN_UNORDERED,
        .faults = &everything,
    },
    {0},
};

static const struct sn_bug bugs[] = {
    {
        .name = "no-resend",
        .about = "After a failure in the middle the predecessor does not send again what it had "
                 "sent.",
        .test = "consistent",
        .flag = &bug_no_resend,
    },
    {
        .name = "silent-tail",
        .about = "A new tail does not acknowledge up the chain what it had already.",
        .test = "answers",
        .flag = &bug_silent_tail,
    },
    {
        .name = "applied-twice",
        .about = "The head remembers one update: one that is repeated after another one is applied "
                 "again.",
        .test = "consistent",
        .flag = &bug_applied_twice,
    },
    {
        .name = "no-lease",
        .about = "A tail that was taken out of the chain goes on answering queries.",
        .test = "consistent",
        .flag = &bug_no_lease,
    },
    {
        .name = "old-tail",
        .about = "A server that is not the tail any more goes on answering queries.",
        .test = "consistent",
        .flag = &bug_old_tail,
    },
    {0},
};

static void prepare(void)
{
    noise_make_room(tests);
}

static const struct sn_option options[] = {NOISE_OPTION, {0}};

static const struct sn_suite suite = {
    .name = "chain_replication",
    .tests = tests,
    .bugs = bugs,
    .options = options,
    .prepare = prepare,
};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
