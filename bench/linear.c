/* linear.c - how long checking histories takes, how much memory it needs, and how both grow.
 *
 * Prints `name<TAB>value<TAB>unit`. Each check is made in a process of its own, so that its memory
 * is what the process needed at most beyond one that checks nothing; the time is the best of its
 * rounds. A check that ten seconds do not suffice for is printed as `name_unknown`. Names that end
 * with _porcupine are what Porcupine, a checker written in Go, needs for histories of that kind on
 * a machine like ours; they are not measured here. SPDX-License-Identifier: MIT
 */
#include "bench.h"
#include "clients.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MAX = 10, OPERATIONS_MAX = 1000000, REGISTERS = 101, SEEDS = 11 };

struct measured {
    double s; /* the best round */
    double mb;
    enum sn_linear verdict;
    uint64_t configurations;
};

static struct sn_operation *operations; /* room for OPERATIONS_MAX */
static struct measured *shared;         /* what a process leaves behind */

static void *pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        perror("bench: mmap");
        exit(1);
    }
    return memory;
}

/* ---- One check ------------------------------------------------------------------------------- */

static void check(const struct clients *clients, const char *algorithm)
{
    const struct sn_check_options options = {
        .algorithm = algorithm, .seconds = SECONDS_MAX, .memory_mb = 8192};
    struct sn_check_result result;
    double start_s = bench_now_s();
    double s;

    if (sn_check_history(clients_model(clients), operations, clients->n, &options, &result) < 0) {
        (void)fprintf(stderr, "bench: %s\n", result.why);
        _exit(1);
    }
    s = bench_now_s() - start_s;
    shared->s = shared->s == 0 || s < shared->s ? s : shared->s;
    shared->verdict = result.verdict;
    shared->configurations = result.configurations;
}

/* The history is in memory that processes share, and counts as theirs once they have looked at it.
 * Returns something that takes looking. */
static uint64_t touch(const struct clients *clients)
{
    uint64_t sum = 1;

    for (size_t i = 0; i < clients->n; i++)
        sum += operations[i].call;
    return sum;
}

/* The memory that a process needs at most which makes so many checks. */
static double child_mb(const struct clients *clients, const char *algorithm, int rounds)
{
    struct rusage usage;
    pid_t child = fork();
    int status;

    if (child == 0) {
        if (touch(clients) == 0)
            _exit(1);
        for (int i = 0; i < rounds; i++)
            check(clients, algorithm);
        _exit(0);
    }
    if (wait4(child, &status, 0, &usage) != child || status != 0) {
        (void)fprintf(stderr, "bench: a check died\n");
        exit(1);
    }
    return (double)usage.ru_maxrss / 1024;
}

/* Checks a history until about half a second has passed. */
static struct measured measure(const struct clients *clients, const char *algorithm)
{
    double idle_mb = child_mb(clients, algorithm, 0);
    double mb;

    memset(shared, 0, sizeof(*shared));
    mb = child_mb(clients, algorithm, 1);
    if (shared->s < 0.05)
        (void)child_mb(clients, algorithm, shared->s < 0.002 ? 100 : 8);
    shared->mb = mb > idle_mb ? mb - idle_mb : 0;
    return *shared;
}

static void print(const char *name, const struct measured *m)
{
    char line[128];

    (void)snprintf(line, sizeof(line), "%s%s", name,
                   m->verdict == SN_LINEAR_UNKNOWN ? "_unknown" : "");
    bench_line(line, m->s * 1e3, "ms");
    (void)snprintf(line, sizeof(line), "%s_memory", name);
    bench_line(line, m->mb, "MB");
}

/* Measures, prints, and stops everything if the verdict is wrong. */
static void run(const char *name, const struct clients *clients, const char *algorithm)
{
    enum sn_linear expected = clients->is_stale ? SN_LINEAR_NO : SN_LINEAR_YES;
    struct measured m;

    clients_run(clients, operations);
    m = measure(clients, algorithm);
    print(name, &m);
    if (m.verdict != expected && m.verdict != SN_LINEAR_UNKNOWN) {
        (void)fprintf(stderr, "bench: %s has the wrong verdict\n", name);
        exit(1);
    }
}

/* ---- What Porcupine was measured with -------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;

    return (*x > *y) - (*x < *y);
}

/* Histories of several seeds: half of them take no longer than what is printed under the name. */
static void run_seeds(const char *name, const struct clients *start)
{
    struct clients clients = *start;
    double times[SEEDS];
    struct measured all = {0};
    double n_unknown = 0;
    char line[64];

    for (uint64_t i = 0; i < SEEDS; i++) {
        struct measured m;

        clients.seed = i + 1;
        clients_run(&clients, operations);
        m = measure(&clients, NULL);
        if (m.verdict == SN_LINEAR_NO) {
            (void)fprintf(stderr, "bench: %s has the wrong verdict\n", name);
            exit(1);
        }
        times[i] = m.s;
        all.mb = m.mb > all.mb ? m.mb : all.mb;
        n_unknown += m.verdict == SN_LINEAR_UNKNOWN;
    }
    qsort(times, SEEDS, sizeof(times[0]), compare_times);
    all.s = times[SEEDS / 2];
    print(name, &all);
    (void)snprintf(line, sizeof(line), "%s_slowest", name);
    bench_line(line, times[SEEDS - 1] * 1e3, "ms");
    if (n_unknown > 0) {
        (void)snprintf(line, sizeof(line), "%s_unknown", name);
        bench_line(line, n_unknown, "histories");
    }
}

/* Many histories: legal ones and others, each with some operations that nobody heard of again. */
static void run_registers(void)
{
    double times[REGISTERS];
    double mb = 0;

    for (uint64_t i = 0; i < REGISTERS; i++) {
        const struct clients clients = {.object = CLIENTS_REGISTER,
                                        .n_clients = 5,
                                        .n_keys = 1,
                                        .n = 84,
                                        .n_unknown = i % 12,
                                        .is_stale = i % 3 == 2,
                                        .seed = i + 1};
        struct measured m;

        clients_run(&clients, operations);
        m = measure(&clients, NULL);
        times[i] = m.s;
        mb = m.mb > mb ? m.mb : mb;
    }
    qsort(times, REGISTERS, sizeof(times[0]), compare_times);
    bench_line("register_84_median", times[REGISTERS / 2] * 1e6, "us");
    bench_line("register_84_median_porcupine", 127, "us");
    bench_line("register_84_slowest", times[REGISTERS - 1] * 1e6, "us");
    bench_line("register_84_hard_porcupine", 20000, "us");
    bench_line("register_84_slowest_porcupine", 190000, "us");
    bench_line("register_84_memory", mb, "MB");
}

static const struct clients store_small = {
    .object = CLIENTS_STORE, .n_clients = 10, .n_keys = 10, .n = 340, .is_served = true, .seed = 1};

static const struct clients store_large = {.object = CLIENTS_STORE,
                                           .n_clients = 50,
                                           .n_keys = 10,
                                           .n = 1700,
                                           .is_served = true,
                                           .seed = 1};

static void run_stores(void)
{
    struct clients small = store_small;

    run_seeds("store_340", &small);
    bench_line("store_340_porcupine", 0.7, "ms");
    run_seeds("store_1700", &store_large);
    bench_line("store_1700_porcupine", 157, "ms");
    bench_line("store_1700_memory_porcupine", 94, "MB");
    small.is_whole = true;
    run_seeds("store_340_whole", &small);
    bench_line("store_340_whole_porcupine", 2000, "ms");
    bench_line("store_340_whole_memory_porcupine", 300, "MB");
}

/* The same, illegal, with unknown operations, or with effects at any time. */
static void run_hard_stores(void)
{
    struct clients small = store_small;
    struct clients large = store_large;

    small.n_unknown = 8;
    large.n_unknown = 17;
    run("store_340_8_unknown", &small, NULL);
    run("store_1700_17_unknown", &large, NULL);
    small.is_whole = true;
    run("store_340_whole_8_unknown", &small, NULL);
    small.is_stale = large.is_stale = true;
    run("store_1700_illegal_17_unknown", &large, NULL);
    run("store_340_whole_illegal_8_unknown", &small, NULL);
    small.n_unknown = large.n_unknown = 0;
    run("store_1700_illegal", &large, NULL);
    run("store_340_whole_illegal", &small, NULL);
    small.is_whole = false;
    run("store_340_illegal", &small, NULL);
    small.is_stale = large.is_stale = small.is_served = large.is_served = false;
    run("store_340_scattered", &small, NULL);
    run("store_1700_scattered", &large, NULL);
    small.is_whole = true;
    run("store_340_whole_scattered", &small, NULL);
}

/* ---- Growth ---------------------------------------------------------------------------------- */

static void run_million(void)
{
    struct clients clients = {
        .object = CLIENTS_MAP, .n_clients = 16, .n_keys = 1000, .n = 1000000, .seed = 1};

    run("map_1000000", &clients, NULL);
    clients.n_unknown = 100;
    run("map_1000000_100_unknown", &clients, NULL);
    clients.n_unknown = 0;
    clients.n_keys = 1;
    run("map_1000000_one_key", &clients, NULL);
    clients.object = CLIENTS_DISTINCT;
    run("distinct_1000000_one_key", &clients, NULL);
    clients.is_stale = true;
    run("distinct_1000000_one_key_illegal", &clients, NULL);
}

static void run_lengths(const char *prefix, const struct clients *start)
{
    struct clients clients = *start;
    char name[64];

    for (clients.n = 1000; clients.n <= 100000; clients.n *= 10) {
        (void)snprintf(name, sizeof(name), "%s_length_%zu", prefix, clients.n);
        run(name, &clients, "search");
    }
}

static void run_concurrency(const char *prefix, const struct clients *start)
{
    struct clients clients = *start;
    char name[64];

    for (clients.n_clients = 4; clients.n_clients <= 32; clients.n_clients *= 2) {
        (void)snprintf(name, sizeof(name), "%s_clients_%u", prefix, clients.n_clients);
        run(name, &clients, "search");
    }
}

static void run_unknown(const char *prefix, const struct clients *start)
{
    struct clients clients = *start;
    char name[64];

    for (clients.n_unknown = 4; clients.n_unknown <= 64; clients.n_unknown *= 4) {
        (void)snprintf(name, sizeof(name), "%s_unknown_%zu", prefix, clients.n_unknown);
        run(name, &clients, "search");
    }
}

static void run_growth(void)
{
    struct clients clients = {
        .object = CLIENTS_REGISTER, .n_clients = 8, .n_keys = 1, .n = 1000, .seed = 1};

    run_lengths("legal", &clients);
    run_concurrency("legal", &clients);
    run_unknown("legal", &clients);
    clients.is_stale = true;
    run_lengths("illegal", &clients);
    run_concurrency("illegal", &clients);
    run_unknown("illegal", &clients);
}

static void run_store_growth(void)
{
    struct clients clients = {.object = CLIENTS_STORE,
                              .n_clients = 50,
                              .n_keys = 10,
                              .n = 1700,
                              .is_served = true,
                              .seed = 1};
    char name[64];

    for (int late = 0; late < 2; late++) {
        const char *prefix = late == 0 ? "store" : "store_late_violation";

        clients.is_stale = late == 1;
        for (clients.n = 1000; clients.n <= 100000; clients.n *= 10) {
            (void)snprintf(name, sizeof(name), "%s_length_%zu", prefix, clients.n);
            run(name, &clients, NULL);
        }
        clients.n = 1700;
        for (clients.n_clients = 4; clients.n_clients <= 64; clients.n_clients *= 2) {
            (void)snprintf(name, sizeof(name), "%s_clients_%u", prefix, clients.n_clients);
            run(name, &clients, NULL);
        }
        clients.n_clients = 50;
        for (clients.n_unknown = 4; clients.n_unknown <= 64; clients.n_unknown *= 4) {
            (void)snprintf(name, sizeof(name), "%s_unknown_%zu", prefix, clients.n_unknown);
            run(name, &clients, NULL);
        }
        clients.n_unknown = 0;
    }
}

int main(void)
{
    operations = pages(OPERATIONS_MAX * sizeof(*operations));
    shared = pages(sizeof(*shared));
    run_registers();
    run_stores();
    run_hard_stores();
    run_million();
    run_growth();
    run_store_growth();
    return 0;
}
