/* conjecture.c - how fast sets of possible states are followed, and how they grow.
 *
 * Observations are random ones of a file synchroniser that could have been made: what is read is
 * one of the values that the model says may be there. Each is followed from its beginning, so that
 * nothing is remembered from the one before, and all of feeding counts: closing a set, asking
 * every state of it about the event, taking the event's effect.
 *
 *   closures      states that were followed along all hidden events possible in them, a second
 *   first         of these, those that the model had to be asked about, since no set of the same
 *                 observation had them before
 *   sets          sets that were closed, a second
 *   steps         hidden events along which states were followed, a second
 *
 * SPDX-License-Identifier: MIT
 */
#include "conjecture.h"

#include "bench.h"

#include <sennit/sync.h>

#include <stdlib.h>

enum { LETTERS = 4 };

#define SECONDS 0.3 /* of following, for each number of nodes */

struct totals {
    double s;
    uint64_t observations;
    struct sn_conjecture_figures figures; /* sums, and the largest set */
    size_t memory_max;
};

static uint64_t draw(uint64_t *state, uint64_t n)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % n;
}

/* One of the values in a set; 0 if it is empty. */
static uint32_t draw_of(uint64_t *state, uint64_t values)
{
    uint64_t skip = values == 0 ? 0 : draw(state, (uint64_t)__builtin_popcountll(values));

    for (; skip > 0; skip--)
        values &= values - 1;
    return values == 0 ? 0 : (uint32_t)__builtin_ctzll(values);
}

/* Draws observations of a length in advance, so that only following them is measured. */
static void make(struct sn_sync_event *events, size_t n, uint32_t nodes, uint32_t files,
                 uint64_t seed)
{
    struct sn_sync_watch *watch = sn_sync_watch_new(NULL, nodes, files, NULL);

    for (size_t i = 0; i < n; i++) {
        uint32_t node = (uint32_t)draw(&seed, nodes);
        uint32_t file = (uint32_t)draw(&seed, files);
        uint32_t seen = draw_of(&seed, sn_sync_watch_values(watch, node, file));

        events[i] = (struct sn_sync_event){.kind = SN_SYNC_READ, .node = node, .file = file};
        events[i].value = seen;
        if (draw(&seed, 3) != 0) {
            events[i].kind = SN_SYNC_WRITE;
            events[i].old = seen;
            events[i].value = (uint32_t)draw(&seed, LETTERS + 1);
        }
        (void)sn_sync_watch_feed(watch, &events[i]);
    }
    sn_sync_watch_free(watch);
}

static void add(struct totals *totals, const struct sn_sync_watch *watch)
{
    struct sn_conjecture_figures one;

    sn_sync_watch_figures(watch, &one);
    totals->observations++;
    totals->figures.states += one.states;
    totals->figures.closures += one.closures;
    totals->figures.closed_states += one.closed_states;
    totals->figures.hidden_steps += one.hidden_steps;
    if (one.set_max > totals->figures.set_max)
        totals->figures.set_max = one.set_max;
    if (one.memory_bytes > totals->memory_max)
        totals->memory_max = one.memory_bytes;
}

static enum sn_conjectured follow(const struct sn_sync_event *events, size_t n, uint32_t nodes,
                                  uint32_t files, const struct sn_sync_limits *limits,
                                  struct totals *totals)
{
    double start_s = bench_now_s();
    struct sn_sync_watch *watch = sn_sync_watch_new(NULL, nodes, files, limits);
    enum sn_conjectured verdict = SN_CONJECTURED_YES;

    for (size_t i = 0; i < n && verdict == SN_CONJECTURED_YES; i++)
        verdict = sn_sync_watch_feed(watch, &events[i]);
    totals->s += bench_now_s() - start_s;
    add(totals, watch);
    sn_sync_watch_free(watch);
    return verdict;
}

static void line(const char *what, uint32_t nodes, const char *how, double value, const char *unit)
{
    char name[128];

    (void)snprintf(name, sizeof(name), "%s_%u_nodes%s", what, nodes, how);
    bench_line(name, value, unit);
}

/* Observations of one file, as long as the paper's tests are. */
static void measure_speed(uint32_t nodes, size_t length)
{
    struct totals all = {0};
    struct sn_sync_event events[64];
    uint64_t seed = 1;

    while (all.s < SECONDS) {
        make(events, length, nodes, 1, seed++);
        (void)follow(events, length, nodes, 1, NULL, &all);
    }
    line("closures", nodes, "", (double)all.figures.closed_states / all.s, "states/s");
    line("first", nodes, "", (double)all.figures.states / all.s, "states/s");
    line("sets", nodes, "", (double)all.figures.closures / all.s, "sets/s");
    line("steps", nodes, "", (double)all.figures.hidden_steps / all.s, "steps/s");
    line("set_max", nodes, "", (double)all.figures.set_max, "states");
    line("set_mean", nodes, "", (double)all.figures.closed_states / (double)all.figures.closures,
         "states");
}

/* Every node writes values of its own and nobody reads: what is possible grows as it can. */
static void measure_growth(uint32_t nodes, uint32_t writes)
{
    struct totals all = {0};
    struct sn_sync_event events[16];
    char how[32];

    for (uint32_t i = 0; i < writes; i++)
        events[i] = (struct sn_sync_event){.kind = SN_SYNC_WRITE,
                                           .node = i % nodes,
                                           .value = i + 1,
                                           .old = i < nodes ? 0 : i + 1 - nodes};
    events[writes] = (struct sn_sync_event){.kind = SN_SYNC_READ, .node = 0, .value = 1};
    (void)follow(events, writes + 1, nodes, 1, NULL, &all);
    (void)snprintf(how, sizeof(how), "_%u_writes", writes);
    line("grow", nodes, how, (double)all.figures.set_max, "states");
}

/* The same number of events for each file; together they may not be possible within memory. */
static void measure_files(uint32_t nodes, uint32_t files, bool is_joint)
{
    struct sn_sync_limits limits = {.is_joint = is_joint, .memory_mb = 1024};
    struct totals all = {0};
    struct sn_sync_event events[64];
    size_t n = 8 * files;
    enum sn_conjectured verdict;
    char how[64];

    make(events, n, nodes, files, 1);
    verdict = follow(events, n, nodes, files, &limits, &all);
    (void)snprintf(how, sizeof(how), "_%u_files_%s", files, is_joint ? "joint" : "product");
    if (verdict != SN_CONJECTURED_YES) {
        line("unknown", nodes, how, (double)all.figures.set_max, "states");
        return;
    }
    line("files", nodes, how, (double)all.figures.set_max, "states");
    line("memory", nodes, how, (double)all.memory_max / 1e6, "MB");
    line("time", nodes, how, all.s * 1e3, "ms");
}

void bench_conjecture(void)
{
    for (uint32_t nodes = 2; nodes <= SN_SYNC_NODES_MAX; nodes++)
        measure_speed(nodes, 20);
    for (uint32_t nodes = 2; nodes <= SN_SYNC_NODES_MAX; nodes++)
        for (uint32_t writes = 1; writes <= nodes; writes++)
            measure_growth(nodes, writes);
    for (uint32_t nodes = 2; nodes <= SN_SYNC_NODES_MAX; nodes++)
        for (uint32_t files = 1; files <= 3; files++) {
            measure_files(nodes, files, false);
            measure_files(nodes, files, true);
        }
}
