/* engine.c - the engine's speed: steps, trial starts, and going back in a depth-first search.
 *
 * Prints `name<TAB>value<TAB>unit`. Everything is measured in turn, round after round, and each
 * figure is the best of its rounds, because other work on the machine can only make a round slower:
 * engine [ROUNDS]
 * SPDX-License-Identifier: MIT
 */
#include "bench.h"
#include "election.h"
#include "traffic.h"

#include <sennit/sennit.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 25 };

/* ---- Traffic under the engine --------------------------------------------------------------- */

static const struct sn_event message_event = {.name = "Message",
                                              .size = sizeof(struct traffic_message)};

struct birth {
    uint32_t number;
    uint32_t n_nodes;
};

static const struct sn_event birth_event = {.name = "Birth", .size = sizeof(struct birth)};

/* Machines are created in order, so number and id differ by one. */
static void engine_send(uint32_t to, const struct traffic_message *message)
{
    sn_send(to + 1, &message_event, message);
}

static void born(void *self, const void *payload)
{
    struct traffic_node *node = self;
    const struct birth *birth = payload;

    node->number = birth->number;
    node->n_nodes = birth->n_nodes;
}

static void on_ring(void *self, const void *payload)
{
    traffic_forward(self, payload, 0, engine_send);
}

static void on_gossip(void *self, const void *payload)
{
    traffic_forward(self, payload, 1, engine_send);
}

static const struct sn_state ring_state = {
    .name = "Running",
    .entry = born,
    .on = (const struct sn_on[]){{.event = &message_event, .run = on_ring}, {0}},
};

static const struct sn_state gossip_state = {
    .name = "Running",
    .entry = born,
    .on = (const struct sn_on[]){{.event = &message_event, .run = on_gossip}, {0}},
};

static const struct sn_machine ring_machine = {.name = "Node",
                                               .size = sizeof(struct traffic_node),
                                               .start = &ring_state,
                                               .birth = &birth_event};

static const struct sn_machine gossip_machine = {.name = "Node",
                                                 .size = sizeof(struct traffic_node),
                                                 .start = &gossip_state,
                                                 .birth = &birth_event};

static void populate(const struct sn_machine *type, uint32_t n_nodes, uint32_t n_messages)
{
    for (uint32_t i = 0; i < n_nodes; i++)
        (void)sn_create(type, &(struct birth){i, n_nodes});
    for (uint32_t i = 0; i < n_messages; i++)
        engine_send(i % n_nodes, &(struct traffic_message){0, i * 7919 + 1});
}

static void run_pingpong(void)
{
    populate(&ring_machine, 2, 1);
}

static void run_ring16(void)
{
    populate(&ring_machine, 16, 4);
}

static void run_gossip8(void)
{
    populate(&gossip_machine, 8, 30);
}

static void run_gossip16(void)
{
    populate(&gossip_machine, 16, 200);
}

static void run_machines64(void)
{
    populate(&gossip_machine, 64, 64);
}

static void fail(const struct sn_result *result)
{
    (void)fprintf(stderr, "bench: %s\n", result->failure);
    exit(1);
}

/* Long trials: their start, which creates the machines, is measured apart. */
static double steps_per_s_of(void (*run)(void), const char *strategy, uint64_t trials,
                             uint64_t steps)
{
    const struct sn_test test = {
        .name = "traffic", .run = run, .max_steps = steps, .world = SN_WORLD_TRIAL};
    const struct sn_options options = {.strategy = strategy, .iterations = trials};
    struct sn_result result;
    double start_s = bench_now_s();

    if (sn_run(&test, &options, &result) < 0 || result.failures > 0)
        fail(&result);
    return (double)result.steps / (bench_now_s() - start_s);
}

static double steps_per_s(void (*run)(void), const char *strategy)
{
    return steps_per_s_of(run, strategy, 100, 10000);
}

/* More and shorter ones: conflict analysis looks at each trial only until it knows what races. */
static double many_steps_per_s(void (*run)(void), const char *strategy)
{
    return steps_per_s_of(run, strategy, 2048, 500);
}

/* ---- The same without an engine ------------------------------------------------------------- */

struct bare {
    struct traffic_node nodes[TRAFFIC_NODES_MAX];
    struct {
        struct traffic_message message;
        uint32_t to;
    } pending[256];
    uint32_t n_pending;
    uint64_t random;
    void (*handlers[TRAFFIC_NODES_MAX])(void *self, const void *payload);
};

static struct bare bare;

static __attribute__((noinline)) void bare_send(uint32_t to, const struct traffic_message *message)
{
    bare.pending[bare.n_pending].message = *message;
    bare.pending[bare.n_pending++].to = to;
}

static void bare_ring(void *self, const void *payload)
{
    traffic_forward(self, payload, 0, bare_send);
}

static void bare_gossip(void *self, const void *payload)
{
    traffic_forward(self, payload, 1, bare_send);
}

static void bare_trial(void (*handler)(void *, const void *), uint32_t n_nodes, uint32_t n_messages,
                       int n_steps)
{
    memset(bare.nodes, 0, n_nodes * sizeof(bare.nodes[0]));
    bare.n_pending = 0;
    for (uint32_t i = 0; i < n_nodes; i++) {
        bare.nodes[i].number = i;
        bare.nodes[i].n_nodes = n_nodes;
        bare.handlers[i] = handler;
    }
    for (uint32_t i = 0; i < n_messages; i++)
        bare_send(i % n_nodes, &(struct traffic_message){0, i * 7919 + 1});
    for (int i = 0; i < n_steps; i++) {
        struct traffic_message message;
        uint32_t pick;
        uint32_t to;

        bare.random = bare.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        pick = (uint32_t)((bare.random >> 33) * bare.n_pending >> 31);
        message = bare.pending[pick].message;
        to = bare.pending[pick].to;
        bare.pending[pick] = bare.pending[--bare.n_pending];
        bare.handlers[to](&bare.nodes[to], &message);
    }
}

static double bare_steps_per_s(void (*handler)(void *, const void *), uint32_t n_nodes,
                               uint32_t n_messages)
{
    enum { TRIALS = 100, STEPS = 10000 };
    double start_s = bench_now_s();

    for (int i = 0; i < TRIALS; i++)
        bare_trial(handler, n_nodes, n_messages, STEPS);
    return (double)TRIALS * STEPS / (bench_now_s() - start_s);
}

/* ---- Trial start ---------------------------------------------------------------------------- */

static void run_16_machines(void)
{
    populate(&ring_machine, 16, 16);
}

static double trials_per_s(enum sn_world world)
{
    const struct sn_test test = {
        .name = "start", .run = run_16_machines, .max_steps = 1, .world = world};
    const struct sn_options options = {.iterations = 20000};
    struct sn_result result;
    double start_s = bench_now_s();

    if (sn_run(&test, &options, &result) < 0 || result.failures > 0)
        fail(&result);
    return (double)result.trials / (bench_now_s() - start_s);
}

/* ---- Timers --------------------------------------------------------------------------------- */

enum { ELECTION_STEPS = 100 }; /* of each trial */

static double election_trials_per_s(void)
{
    const struct sn_test test = {.name = "election",
                                 .run = election_run,
                                 .max_steps = ELECTION_STEPS,
                                 .world = SN_WORLD_TRIAL};
    const struct sn_options options = {.iterations = 20000};
    struct sn_result result;
    double start_s = bench_now_s();

    if (sn_run(&test, &options, &result) < 0 || result.failures > 0)
        fail(&result);
    return (double)result.trials / (bench_now_s() - start_s);
}

/* ---- Depth-first search --------------------------------------------------------------------- */

static const struct sn_event token_event = {.name = "Token", .size = sizeof(uint64_t)};

struct hopper {
    uint64_t seen;
    uint32_t number;
    uint32_t n;
};

static void hopper_born(void *self, const void *payload)
{
    struct hopper *h = self;
    const struct birth *birth = payload;

    h->number = birth->number;
    h->n = birth->n_nodes;
}

static void on_token(void *self, const void *payload)
{
    struct hopper *h = self;
    uint64_t left = *(const uint64_t *)payload;

    h->seen++;
    if (left > 0)
        sn_send(h->number % h->n + 1, &token_event, &(uint64_t){left - 1});
}

static const struct sn_state hopper_state = {
    .name = "Running",
    .entry = hopper_born,
    .on = (const struct sn_on[]){{.event = &token_event, .run = on_token}, {0}},
};

static const struct sn_machine hopper_machine = {
    .name = "Hopper", .size = sizeof(struct hopper), .start = &hopper_state, .birth = &birth_event};

/* n machines; each gets a token that hops `hops` more times: n * (2 + hops) steps. */
static void hoppers(uint32_t n, uint64_t hops)
{
    for (uint32_t i = 1; i <= n; i++)
        (void)sn_create(&hopper_machine, &(struct birth){i, n});
    for (uint32_t i = 1; i <= n; i++)
        sn_send(i, &token_event, &hops);
}

static void run_dfs10(void)
{
    hoppers(5, 0);
}

static void run_dfs40(void)
{
    hoppers(4, 8);
}

/* One machine counts down alone and then creates seven others, which start in any order. */
static uint64_t prefix_steps;

static void on_countdown(void *self, const void *payload)
{
    uint64_t left = *(const uint64_t *)payload;

    (void)self;
    if (left > 0) {
        sn_send(sn_self(), &token_event, &(uint64_t){left - 1});
        return;
    }
    for (uint32_t i = 1; i <= 7; i++)
        (void)sn_create(&hopper_machine, &(struct birth){i, 7});
}

static const struct sn_state countdown_state = {
    .name = "Counting",
    .on = (const struct sn_on[]){{.event = &token_event, .run = on_countdown}, {0}},
};

static const struct sn_machine countdown_machine = {.name = "Countdown", .start = &countdown_state};

static void run_prefix(void)
{
    sn_send(sn_create(&countdown_machine, NULL), &token_event, &prefix_steps);
}

static double schedules_per_s(void (*run)(void), bool rerun, uint64_t iterations)
{
    const struct sn_test test = {.name = "dfs", .run = run, .world = SN_WORLD_TRIAL};
    const struct sn_options options = {.strategy = "dfs", .iterations = iterations, .rerun = rerun};
    struct sn_result result;
    double start_s = bench_now_s();

    if (sn_run(&test, &options, &result) < 0 || result.failures > 0)
        fail(&result);
    return (double)result.trials / (bench_now_s() - start_s);
}

static double prefix_schedules_per_s(uint64_t steps, bool rerun)
{
    prefix_steps = steps;
    return schedules_per_s(run_prefix, rerun, 5000);
}

/* ---- Processes ------------------------------------------------------------------------------ */

enum { ROUND_TRIPS = 100000, RING_STEPS = 4000000, RING_STEPS_FEW = 200000 };

static const struct sn_event number_event = {.name = "Number", .size = sizeof(uint64_t)};
static const struct sn_event peer_event = {.name = "Peer", .size = sizeof(sn_id)};

static void answer(const void *payload)
{
    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

        sn_send(m->from, &number_event, m->payload);
    }
}

static void ask(const void *payload)
{
    sn_id to = *(const sn_id *)payload;

    for (uint64_t i = 0; i < ROUND_TRIPS; i++) {
        sn_send(to, &number_event, &i);
        (void)sn_receive(NULL, NULL, SN_FOREVER);
    }
}

static const struct sn_process answering = {.name = "Answering", .run = answer, .may_wait = true};
static const struct sn_process asking = {.name = "Asking", .run = ask, .birth = &peer_event};

static void run_process_pingpong(void)
{
    sn_id to = sn_spawn(&answering, NULL);

    (void)sn_spawn(&asking, &to);
}

static void yield_often(const void *payload)
{
    (void)payload;
    for (uint64_t i = 0; i < 4 * ROUND_TRIPS; i++)
        sn_yield();
}

static const struct sn_process yielding = {.name = "Yielding", .run = yield_often};

static void run_process_alone(void)
{
    (void)sn_spawn(&yielding, NULL);
}

static uint32_t ring_size;
static uint64_t ring_steps;

static void pass_on(const void *payload)
{
    sn_id next = *(const sn_id *)payload;

    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);
        uint64_t left = *(const uint64_t *)m->payload;

        if (left == 0)
            return;
        sn_send(next, &number_event, &(uint64_t){left - 1});
    }
}

static const struct sn_process ring_process = {
    .name = "Ring", .run = pass_on, .birth = &peer_event, .may_wait = true};

static void run_process_ring(void)
{
    for (uint32_t i = 1; i <= ring_size; i++)
        (void)sn_spawn(&ring_process, &(sn_id){i % ring_size + 1});
    sn_send(1, &number_event, &(uint64_t){ring_steps / 2});
}

enum { CROWD = 8, CROWD_MESSAGES = 20 };

/* Passes on what it gets, as the machines of gossip8 do. */
static void gossip(const void *payload)
{
    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);
        uint64_t number = *(const uint64_t *)m->payload * UINT64_C(6364136223846793005) + 1;

        sn_send((sn_id)(1 + (number >> 33) % CROWD), &number_event, &number);
    }
}

static const struct sn_process gossiping = {.name = "Gossip", .run = gossip, .may_wait = true};

static void run_process_crowd(void)
{
    for (uint32_t i = 0; i < CROWD; i++)
        (void)sn_spawn(&gossiping, NULL);
    for (uint64_t i = 0; i < CROWD_MESSAGES; i++)
        sn_send((sn_id)(1 + i % CROWD), &number_event, &i);
}

static double process_steps_per_s(void (*run)(void))
{
    const struct sn_test test = {
        .name = "processes", .run = run, .max_steps = 10000000, .world = SN_WORLD_TRIAL};
    const struct sn_options options = {.iterations = 1};
    struct sn_result result;
    double start_s = bench_now_s();

    if (sn_run(&test, &options, &result) < 0 || result.failures > 0)
        fail(&result);
    return (double)result.steps / (bench_now_s() - start_s);
}

static double ring_steps_per_s(uint32_t size, uint64_t steps)
{
    ring_size = size;
    ring_steps = steps;
    return process_steps_per_s(run_process_ring);
}

/* ---- Parts of a step ------------------------------------------------------------------------ */

/* Programs in parts/ that do without a part, or do it twice. */
enum part { PART_WHOLE, PART_SWITCH, PART_STRATEGY, PART_ORDER, PART_LOG, PARTS };

static const struct {
    const char *program;
    const char *name;
} parts[PARTS] = {
    [PART_WHOLE] = {"whole", NULL},
    [PART_SWITCH] = {"switched_twice", "switch"},
    [PART_STRATEGY] = {"without_choice", "strategy"},
    [PART_ORDER] = {"without_order", "order"},
    [PART_LOG] = {"without_log", "log"},
};

/* Of the programs: nanoseconds per step of two processes, and of a crowd. */
struct part_times {
    double ns[PARTS][2];
};

/* The least of what was measured so far, and of some more rounds: in the first one of a process the
 * log and the stacks are new pages. */
static void measure_part(const char *folder, enum part part, struct part_times *least)
{
    char command[1024];
    double ns[2] = {0, 0};
    FILE *pipe;

    (void)snprintf(command, sizeof(command), "'%s/parts/%s' 4", folder, parts[part].program);
    pipe = popen(command, "r");
    if (pipe == NULL || fscanf(pipe, "%lf %lf", &ns[0], &ns[1]) != 2 || pclose(pipe) != 0) {
        (void)fprintf(stderr, "bench: cannot run %s\n", command);
        exit(1);
    }
    for (int i = 0; i < 2; i++) {
        if (least->ns[part][i] == 0 || ns[i] < least->ns[part][i])
            least->ns[part][i] = ns[i];
    }
}

static void print_parts(const struct part_times *least, int i, const char *whose)
{
    double whole = least->ns[PART_WHOLE][i];
    double rest = 100;
    char name[64];

    (void)snprintf(name, sizeof(name), "step_of_%s_ns", whose);
    bench_line(name, whole, "ns");
    for (enum part part = PART_WHOLE + 1; part < PARTS; part++) {
        double difference = least->ns[part][i] - whole;
        double share = 100 * (part == PART_SWITCH ? difference : -difference) / whole;

        share = share > 0 ? share : 0; /* less than can be measured */
        rest -= share;
        (void)snprintf(name, sizeof(name), "step_of_%s_%s", whose, parts[part].name);
        bench_line(name, share, "%");
    }
    (void)snprintf(name, sizeof(name), "step_of_%s_rest", whose);
    bench_line(name, rest, "%");
}

/* ---- All of it ------------------------------------------------------------------------------- */

enum figure {
    PINGPONG,
    RING16,
    GOSSIP8,
    MACHINES64,
    GOSSIP16,
    GOSSIP8_POS,
    GOSSIP16_POS,
    GOSSIP8_POSR,
    GOSSIP8_PCT,
    ELECTION3,
    BARE_PINGPONG,
    BARE_GOSSIP8,
    START_FULL,
    START_TRIAL,
    DFS10_RERUN,
    DFS10,
    DFS40_RERUN,
    DFS40,
    PREFIX10_RERUN,
    PREFIX10,
    PREFIX100_RERUN,
    PREFIX100,
    PREFIX1000_RERUN,
    PREFIX1000,
    GOSSIP8_MANY,
    GOSSIP8_RANDOM_CA,
    RING16_MANY,
    RING16_RANDOM_CA,
    GOSSIP8_POS_MANY,
    GOSSIP8_POS_CA,
    RING16_POS,
    RING16_POS_CA,
    CROWD_RANDOM,
    CROWD_RANDOM_CA,
    CROWD_POS,
    CROWD_POS_CA,
    PROCESS_ALONE,
    PROCESS_PINGPONG,
    PROCESS_RING2,
    PROCESS_RING10000,
    PROCESS_RING10000_FEW,
    FIGURES,
};

/* Of conflict analysis and of processes, a rate. */
static double measure_newer(enum figure figure)
{
    switch (figure) {
    case GOSSIP8_MANY:
        return many_steps_per_s(run_gossip8, "random");
    case GOSSIP8_RANDOM_CA:
        return many_steps_per_s(run_gossip8, "random+ca");
    case RING16_MANY:
        return many_steps_per_s(run_ring16, "random");
    case RING16_RANDOM_CA:
        return many_steps_per_s(run_ring16, "random+ca");
    case GOSSIP8_POS_MANY:
        return many_steps_per_s(run_gossip8, "pos");
    case GOSSIP8_POS_CA:
        return many_steps_per_s(run_gossip8, "pos+ca");
    case RING16_POS:
        return many_steps_per_s(run_ring16, "pos");
    case RING16_POS_CA:
        return many_steps_per_s(run_ring16, "pos+ca");
    case CROWD_RANDOM:
        return many_steps_per_s(run_process_crowd, "random");
    case CROWD_RANDOM_CA:
        return many_steps_per_s(run_process_crowd, "random+ca");
    case CROWD_POS:
        return many_steps_per_s(run_process_crowd, "pos");
    case CROWD_POS_CA:
        return many_steps_per_s(run_process_crowd, "pos+ca");
    case PROCESS_ALONE:
        return process_steps_per_s(run_process_alone);
    case PROCESS_PINGPONG:
        return process_steps_per_s(run_process_pingpong);
    case PROCESS_RING2:
        return ring_steps_per_s(2, RING_STEPS);
    case PROCESS_RING10000:
        return ring_steps_per_s(10000, RING_STEPS);
    /* With so few that to make the processes takes a part of the time. */
    case PROCESS_RING10000_FEW:
        return ring_steps_per_s(10000, RING_STEPS_FEW);
    default:
        return 0;
    }
}

/* A rate, of whatever the figure counts. */
static double measure(enum figure figure)
{
    switch (figure) {
    case PINGPONG:
        return steps_per_s(run_pingpong, "random");
    case RING16:
        return steps_per_s(run_ring16, "random");
    case GOSSIP8:
        return steps_per_s(run_gossip8, "random");
    case MACHINES64:
        return steps_per_s(run_machines64, "random");
    case GOSSIP16:
        return steps_per_s(run_gossip16, "random");
    case GOSSIP8_POS:
        return steps_per_s(run_gossip8, "pos");
    case GOSSIP16_POS:
        return steps_per_s(run_gossip16, "pos");
    case GOSSIP8_POSR:
        return steps_per_s(run_gossip8, "posr");
    case GOSSIP8_PCT:
        return steps_per_s(run_gossip8, "pct:3:10000");
    case ELECTION3:
        return election_trials_per_s();
    case BARE_PINGPONG:
        return bare_steps_per_s(bare_ring, 2, 1);
    case BARE_GOSSIP8:
        return bare_steps_per_s(bare_gossip, 8, 30);
    case START_FULL:
        return trials_per_s(SN_WORLD_FULL);
    case START_TRIAL:
        return trials_per_s(SN_WORLD_TRIAL);
    case DFS10_RERUN:
    case DFS10:
        return schedules_per_s(run_dfs10, figure == DFS10_RERUN, 113400);
    case DFS40_RERUN:
    case DFS40:
        return schedules_per_s(run_dfs40, figure == DFS40_RERUN, 50000);
    case PREFIX10_RERUN:
    case PREFIX10:
        return prefix_schedules_per_s(10, figure == PREFIX10_RERUN);
    case PREFIX100_RERUN:
    case PREFIX100:
        return prefix_schedules_per_s(100, figure == PREFIX100_RERUN);
    case PREFIX1000_RERUN:
    case PREFIX1000:
        return prefix_schedules_per_s(1000, figure == PREFIX1000_RERUN);
    default:
        return measure_newer(figure);
    }
}

static void print(const double *best)
{
    bench_line("pingpong_steps_per_s", best[PINGPONG] / 1e6, "million/s");
    bench_line("ring16_steps_per_s", best[RING16] / 1e6, "million/s");
    bench_line("gossip8_steps_per_s", best[GOSSIP8] / 1e6, "million/s");
    bench_line("machines64_steps_per_s", best[MACHINES64] / 1e6, "million/s");
    bench_line("pos_vs_random_20", best[GOSSIP8] / best[GOSSIP8_POS], "ratio");
    bench_line("pos_vs_random_120", best[GOSSIP16] / best[GOSSIP16_POS], "ratio");
    bench_line("posr_vs_random_20", best[GOSSIP8] / best[GOSSIP8_POSR], "ratio");
    bench_line("pct_vs_random_20", best[GOSSIP8] / best[GOSSIP8_PCT], "ratio");
    bench_line("election3_steps_per_s", best[ELECTION3] * ELECTION_STEPS / 1e6, "million/s");
    bench_line("election3_trials_per_s", best[ELECTION3] / 1e6, "million/s");
    bench_line("overhead_vs_bare", best[BARE_PINGPONG] / best[PINGPONG], "ratio");
    bench_line("overhead_vs_bare_gossip8", best[BARE_GOSSIP8] / best[GOSSIP8], "ratio");
    bench_line("trial_start_us", 1e6 / best[START_FULL], "us");
    bench_line("trial_start_trial_memory_us", 1e6 / best[START_TRIAL], "us");
    bench_line("dfs10_rerun_schedules_per_s", best[DFS10_RERUN] / 1e6, "million/s");
    bench_line("dfs10_schedules_per_s", best[DFS10] / 1e6, "million/s");
    bench_line("dfs40_rerun_schedules_per_s", best[DFS40_RERUN] / 1e6, "million/s");
    bench_line("dfs40_schedules_per_s", best[DFS40] / 1e6, "million/s");
    bench_line("restore_vs_rerun_prefix10", best[PREFIX10] / best[PREFIX10_RERUN], "ratio");
    bench_line("restore_vs_rerun_prefix100", best[PREFIX100] / best[PREFIX100_RERUN], "ratio");
    bench_line("restore_vs_rerun_prefix1000", best[PREFIX1000] / best[PREFIX1000_RERUN], "ratio");
    bench_line("ca_random_gossip8", best[GOSSIP8_MANY] / best[GOSSIP8_RANDOM_CA], "ratio");
    bench_line("ca_random_ring16", best[RING16_MANY] / best[RING16_RANDOM_CA], "ratio");
    bench_line("ca_pos_gossip8", best[GOSSIP8_POS_MANY] / best[GOSSIP8_POS_CA], "ratio");
    bench_line("ca_pos_ring16", best[RING16_POS] / best[RING16_POS_CA], "ratio");
    bench_line("ca_random_processes", best[CROWD_RANDOM] / best[CROWD_RANDOM_CA], "ratio");
    bench_line("ca_pos_processes", best[CROWD_POS] / best[CROWD_POS_CA], "ratio");
    bench_line("process_alone_steps_per_s", best[PROCESS_ALONE] / 1e6, "million/s");
    bench_line("process_pingpong_steps_per_s", best[PROCESS_PINGPONG] / 1e6, "million/s");
    bench_line("process_step_ns", 1e9 / best[PROCESS_PINGPONG], "ns");
    bench_line("process_million_round_trips_s", 4e6 / best[PROCESS_PINGPONG], "s");
    bench_line("process_ring2_steps_per_s", best[PROCESS_RING2] / 1e6, "million/s");
    bench_line("process_ring10000_steps_per_s", best[PROCESS_RING10000] / 1e6, "million/s");
    bench_line("process_ring2_vs_ring10000", best[PROCESS_RING2] / best[PROCESS_RING10000],
               "ratio");
    bench_line("process_ring2_vs_ring10000_few_steps",
               best[PROCESS_RING2] / best[PROCESS_RING10000_FEW], "ratio");
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    struct part_times least = {0};
    double best[FIGURES] = {0};
    char folder[512];

    (void)snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - argv[0]) : 1,
                   slash != NULL ? argv[0] : ".");

    for (int round = argc > 1 ? atoi(argv[1]) : ROUNDS; round > 0; round--) {
        for (enum figure figure = 0; figure < FIGURES; figure++) {
            double rate = measure(figure);

            best[figure] = rate > best[figure] ? rate : best[figure];
        }
        for (enum part part = 0; part < PARTS; part++)
            measure_part(folder, part, &least);
    }
    print(best);
    print_parts(&least, 0, "pair");
    print_parts(&least, 1, "crowd");
    return 0;
}
