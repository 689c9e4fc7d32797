/* systematic.c - how many executions a second systematic strategies run, and how many they need.
 *
 *     systematic [STRATEGY ...]
 *
 * Prints `name<TAB>value<TAB>unit`. Each strategy runs each program to its end, as often as fits
 * into a while. A rate is that of the quickest of these runs, without what it takes to begin one:
 * the time of the quickest run of a single execution. The rate with that is printed, too.
 * Variables that tasks read and write are nodes, because reading whether a node is up commutes with
 * reading it, as nothing else does.
 *
 * readers(N)     one task writes a variable, N tasks read it: 2^N orders
 * messages(N)    N messages to one machine: N! orders
 * last_zero(N)   task i reads variable i - 1 and writes variable i, one more task reads from the
 *                last on until it finds one that nobody has written: (N + 3) 2^(N - 2) orders
 * register(R,W)  DS2's replicated register with R reads and W writes
 *
 * SPDX-License-Identifier: MIT
 */
#include "../systems/ds2/harness.h"
#include "bench.h"

#include <string.h>
#include <sys/resource.h>

enum { LAST_ZERO_MAX = 16 };

static const double WHILE_S = 0.6;
static const double HUGE_S = 1e9;

static uint32_t size; /* N; set before a run */

/* ---- Tasks that read and write --------------------------------------------------------------- */

static const struct sn_event next_event = {.name = "Next"};

struct task {
    uint32_t reads; /* nodes; 0: none */
    uint32_t writes;
    bool has_read;
};

static const struct sn_event task_event = {.name = "Task", .size = sizeof(struct task)};

static void task_born(void *self, const void *payload)
{
    memcpy(self, payload, sizeof(struct task));
    sn_send(sn_self(), &next_event, NULL);
}

/* Reads in one step and writes in the next. */
static void task_step(void *self, const void *payload)
{
    struct task *task = self;

    (void)payload;
    if (task->reads != 0 && !task->has_read) {
        (void)sn_node_is_up(task->reads);
        task->has_read = true;
        if (task->writes != 0)
            sn_send(sn_self(), &next_event, NULL);
        return;
    }
    sn_node_stop(task->writes);
}

static const struct sn_state task_state = {
    .name = "Running",
    .entry = task_born,
    .on = (const struct sn_on[]){{.event = &next_event, .run = task_step}, {0}},
};

static const struct sn_machine task_machine = {
    .name = "Task", .size = sizeof(struct task), .start = &task_state, .birth = &task_event};

static void run_readers(void)
{
    sn_node variable = sn_node_new("x");

    (void)sn_create(&task_machine, &(struct task){.writes = variable});
    for (uint32_t i = 0; i < size; i++)
        (void)sn_create(&task_machine, &(struct task){.reads = variable});
}

/* Variables are numbered from 0, nodes from 1. */
static void scan(void *self, const void *payload)
{
    struct task *task = self;

    (void)payload;
    if (!sn_node_is_up(task->reads) && --task->reads > 0)
        sn_send(sn_self(), &next_event, NULL);
}

static const struct sn_state scan_state = {
    .name = "Scanning",
    .entry = task_born,
    .on = (const struct sn_on[]){{.event = &next_event, .run = scan}, {0}},
};

static const struct sn_machine scan_machine = {
    .name = "Scanner", .size = sizeof(struct task), .start = &scan_state, .birth = &task_event};

static void run_last_zero(void)
{
    sn_node variables[LAST_ZERO_MAX + 1];

    for (uint32_t i = 0; i <= size; i++)
        variables[i] = sn_node_new("a%u", i);
    for (uint32_t i = 1; i <= size; i++)
        (void)sn_create(&task_machine,
                        &(struct task){.reads = variables[i - 1], .writes = variables[i]});
    (void)sn_create(&scan_machine, &(struct task){.reads = variables[size]});
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void receive(void *self, const void *payload)
{
    uint32_t *sum = self;

    (void)payload;
    *sum = *sum * 2 + 1;
}

static const struct sn_state receive_state = {
    .name = "Receiving",
    .on = (const struct sn_on[]){{.event = &next_event, .run = receive}, {0}},
};

static const struct sn_machine receiver = {
    .name = "Receiver", .size = sizeof(uint32_t), .start = &receive_state};

static void run_messages(void)
{
    sn_id to = sn_create(&receiver, NULL);

    for (uint32_t i = 0; i < size; i++)
        sn_send(to, &next_event, NULL);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

struct family {
    const char *name;
    struct sn_test test;
    uint32_t size;
    uint64_t orders; /* known by formula; 0: not */
};

static void print(const struct family *family, const char *strategy, const char *what, double value,
                  const char *unit)
{
    char name[128];

    (void)snprintf(name, sizeof(name), "%s %s %s", family->name, strategy, what);
    bench_line(name, value, unit);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* How long a run takes; a negative time: it failed. */
static double time_run_s(const struct family *family, const char *strategy, uint64_t iterations,
                         struct sn_result *result)
{
    const struct sn_options options = {.strategy = strategy, .iterations = iterations};
    double start_s = bench_now_s();
    int rc = sn_run(&family->test, &options, result);

    if (rc < 0 || (iterations > 1 && !result->exhausted)) {
        (void)fprintf(stderr, "%s %s: %s\n", family->name, strategy, result->failure);
        return -1;
    }
    return bench_now_s() - start_s;
}

static void measure(const struct family *family, const char *strategy)
{
    struct sn_result result;
    double begin_s = bench_now_s();
    double first_s = HUGE_S;
    double all_s = HUGE_S;

    size = family->size;
    do {
        first_s = least(first_s, time_run_s(family, strategy, 1, &result));
        all_s = least(all_s, time_run_s(family, strategy, 10000000, &result));
        if (first_s < 0 || all_s < 0)
            return;
    } while (bench_now_s() - begin_s < WHILE_S);
    print(family, strategy, "rate", (double)(result.trials - 1) / (all_s - first_s),
          "executions/s");
    print(family, strategy, "rate with start", (double)result.trials / all_s, "executions/s");
    print(family, strategy, "executions", (double)result.trials, "");
    print(family, strategy, "blocked", (double)result.blocked, "");
    print(family, strategy, "probes", (double)result.probes, "");
    print(family, strategy, "orders", (double)result.distinct_orders, "");
    if (family->orders != 0)
        print(family, strategy, "orders by formula", (double)family->orders, "");
}

int main(int argc, char **argv)
{
    static const struct family families[] = {
        {"readers(10)",
         {.name = "readers", .run = run_readers, .world = SN_WORLD_TRIAL, .starts_first = true},
         10,
         1024},
        {"messages(8)",
         {.name = "messages",
          .run = run_messages,
          .world = SN_WORLD_TRIAL,
          .starts_first = true,
          .links = SN_UNORDERED},
         8,
         40320},
        {"last_zero(12)",
         {.name = "last_zero", .run = run_last_zero, .world = SN_WORLD_TRIAL, .starts_first = true},
         12,
         15360},
    };
    static const char *const usual[] = {"odpor", "odpor:trees", "dpor"};
    const char *const *strategies = argc > 1 ? (const char *const *)&argv[1] : usual;
    size_t n_strategies = argc > 1 ? (size_t)argc - 1 : sizeof(usual) / sizeof(usual[0]);
    struct family ds2 = {.name = "register(2,2)", .test = ds2_suite.tests[0]};
    struct rusage usage;

    ds2_parameters.reads = 2;
    ds2_parameters.writes = 2;
    for (size_t s = 0; s < n_strategies; s++) {
        for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
            measure(&families[i], strategies[s]);
        measure(&ds2, strategies[s]);
    }
    (void)getrusage(RUSAGE_SELF, &usage);
    bench_line("peak memory", (double)usage.ru_maxrss / 1024, "MiB");
    return 0;
}
