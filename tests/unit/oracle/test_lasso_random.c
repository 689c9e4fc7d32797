/* test_lasso_random.c - verdicts on many small random programs, against all of their states.
 *
 * A program is a few machines with tables: in a state, a message of a kind leads to another state,
 * tells the monitor something or nothing, and sends at most one message on. So no more is ever
 * under way than at first, and all states can be visited: a graph whose edges are steps. From it
 * the truth is computed without any of the engine's code:
 *
 *   a cycle that is hot and fair     a set of states without a cold moment in which every message
 *                                    that can be delivered somewhere is delivered somewhere
 *   a hot end                        a state in which nothing is under way and the monitor is hot
 *
 * What the oracles say of trials of the same program must agree. SPDX-License-Identifier: MIT
 */
#include "base/rng.h"

#include <sennit/sennit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    MACHINES = 3,
    STATES = 2,
    KINDS = 2,
    LINKS = (MACHINES + 1) * MACHINES, /* the test itself sends, too */
    MESSAGES = 2,                      /* under way at first */
    NODES_MAX = 10000,
    SLOTS = 1 << 15,
    PROGRAMS = 400,
    TRIALS = 5,
};

enum told { TOLD_NOTHING, TOLD_HEAT, TOLD_COOL };

struct rule {
    uint8_t next;
    uint8_t told;
    uint8_t to; /* MACHINES: nothing is sent */
    uint8_t kind;
};

static struct program {
    struct rule rules[MACHINES][STATES][KINDS];
    uint8_t first_to[MESSAGES];
    uint8_t first_kind[MESSAGES];
} program;

/* ---- The same program under the engine ------------------------------------------------------ */

static const struct sn_event heat = {.name = "Heat"};
static const struct sn_event cool = {.name = "Cool"};
static const struct sn_event kinds[KINDS] = {{.name = "A"}, {.name = "B"}};

static const struct sn_state cold;

static const struct sn_state hot = {
    .name = "Hot",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &cool, .go_to = &cold},
                                 {.event = &heat, .ignore = true},
                                 {0}},
};

static const struct sn_state cold = {
    .name = "Cold",
    .temperature = SN_COLD,
    .on = (const struct sn_on[]){{.event = &heat, .go_to = &hot},
                                 {.event = &cool, .ignore = true},
                                 {0}},
};

static const struct sn_machine monitor = {.name = "Monitor", .start = &cold};

struct self {
    uint32_t state;
};

static void on_kind(struct self *self, uint32_t kind)
{
    const struct rule *rule = &program.rules[sn_self() - 1][self->state][kind];

    self->state = rule->next;
    if (rule->told != TOLD_NOTHING)
        sn_monitor(&monitor, rule->told == TOLD_HEAT ? &heat : &cool, NULL);
    if (rule->to < MACHINES)
        sn_send(rule->to + 1u, &kinds[rule->kind], NULL);
}

static void on_a(void *self, const void *payload)
{
    (void)payload;
    on_kind(self, 0);
}

static void on_b(void *self, const void *payload)
{
    (void)payload;
    on_kind(self, 1);
}

static const struct sn_state only = {
    .name = "Only",
    .on = (const struct sn_on[]){{.event = &kinds[0], .run = on_a},
                                 {.event = &kinds[1], .run = on_b},
                                 {0}},
};

static uint64_t fingerprint(const void *self)
{
    return ((const struct self *)self)->state;
}

static const struct sn_machine telling = {
    .name = "Telling", .size = sizeof(struct self), .start = &only, .fingerprint = fingerprint};
static const struct sn_machine mute = {.name = "Mute", .size = sizeof(struct self), .start = &only};

static void run(const struct sn_machine *type)
{
    for (uint32_t i = 0; i < MACHINES; i++)
        (void)sn_create(type, NULL);
    for (uint32_t i = 0; i < MESSAGES; i++)
        sn_send(program.first_to[i] + 1u, &kinds[program.first_kind[i]], NULL);
}

static void run_telling(void)
{
    run(&telling);
}

static void run_mute(void)
{
    run(&mute);
}

static struct sn_result run_program(void (*how)(void))
{
    const struct sn_test test = {.name = "random",
                                 .run = how,
                                 .monitors = (const struct sn_machine *const[]){&monitor, NULL},
                                 .max_steps = 2000,
                                 .world = SN_WORLD_TRIAL};
    const struct sn_options options = {.iterations = TRIALS, .keep_going = true};
    struct sn_result r;

    assert_int_equal(sn_run(&test, &options, &r), 0);
    return r;
}

/* ---- All states ----------------------------------------------------------------------------- */

/* A link is a queue of kinds, the first one lowest, under a leading 1. */
struct node {
    uint8_t states[MACHINES];
    uint8_t is_hot;
    uint8_t links[LINKS];
};

struct edge {
    uint32_t to;
    uint32_t signature; /* link and kind */
    bool cools;
};

static struct graph {
    struct node nodes[NODES_MAX];
    struct edge edges[NODES_MAX][MESSAGES];
    uint32_t n_edges[NODES_MAX];
    uint32_t n;
    uint32_t slots[SLOTS]; /* number of a node, from 1 */
} graph;

static uint32_t find_node(const struct node *node)
{
    uint64_t slot = 0;

    for (size_t i = 0; i < sizeof(*node); i++)
        slot = mix_pair(slot, ((const uint8_t *)node)[i]);
    for (;; slot++) {
        uint32_t *number = &graph.slots[slot % SLOTS];

        if (*number == 0) {
            assert_true(graph.n < NODES_MAX);
            graph.nodes[graph.n] = *node;
            graph.n_edges[graph.n] = 0;
            *number = ++graph.n;
        }
        if (memcmp(&graph.nodes[*number - 1], node, sizeof(*node)) == 0)
            return *number - 1;
    }
}

static void push(uint8_t *link, uint32_t kind)
{
    uint32_t top = 31u - (uint32_t)__builtin_clz(*link);

    *link = (uint8_t)((*link & ~(1u << top)) | kind << top | 2u << top);
}

/* Delivers the first message of a link. */
static struct edge step(uint32_t from, uint32_t link)
{
    struct node node = graph.nodes[from];
    uint32_t machine = link % MACHINES;
    uint32_t kind = node.links[link] & 1u;
    const struct rule *rule = &program.rules[machine][node.states[machine]][kind];
    struct edge edge = {.signature = link * KINDS + kind, .cools = rule->told == TOLD_COOL};

    node.links[link] >>= 1;
    node.states[machine] = rule->next;
    if (rule->told != TOLD_NOTHING)
        node.is_hot = rule->told == TOLD_HEAT;
    if (rule->to < MACHINES)
        push(&node.links[(machine + 1) * MACHINES + rule->to], rule->kind);
    edge.to = find_node(&node);
    return edge;
}

static void visit_all(void)
{
    struct node first = {.is_hot = false};

    graph.n = 0;
    memset(graph.slots, 0, sizeof(graph.slots));
    memset(first.links, 1, sizeof(first.links));
    for (uint32_t i = 0; i < MESSAGES; i++)
        push(&first.links[program.first_to[i]], program.first_kind[i]);
    (void)find_node(&first);
    for (uint32_t i = 0; i < graph.n; i++) {
        for (uint32_t link = 0; link < LINKS; link++) {
            if (graph.nodes[i].links[link] > 1)
                graph.edges[i][graph.n_edges[i]++] = step(i, link);
        }
    }
}

/* ---- Parts of the graph --------------------------------------------------------------------- */

/* Tarjan's algorithm, on the nodes that are alive. */
static struct parts {
    bool is_alive[NODES_MAX];
    bool may_cool; /* edges that cool count, too */
    uint32_t part[NODES_MAX];
    uint32_t n_parts;
    uint32_t index[NODES_MAX]; /* from 1; 0: not visited */
    uint32_t low[NODES_MAX];
    uint32_t stack[NODES_MAX];
    uint32_t n_stack;
    uint32_t n_visited;
} parts;

static bool counts(const struct edge *edge)
{
    return parts.is_alive[edge->to] && (parts.may_cool || !edge->cools);
}

/* As deep as the graph: some thousand calls. */
static void tarjan(uint32_t node)
{
    parts.index[node] = parts.low[node] = ++parts.n_visited;
    parts.stack[parts.n_stack++] = node;
    for (uint32_t k = 0; k < graph.n_edges[node]; k++) {
        uint32_t to = graph.edges[node][k].to;

        if (!counts(&graph.edges[node][k]))
            continue;
        if (parts.index[to] == 0)
            tarjan(to);
        if (parts.part[to] == 0 && parts.low[to] < parts.low[node])
            parts.low[node] = parts.low[to];
    }
    if (parts.low[node] != parts.index[node])
        return;
    parts.n_parts++;
    do {
        parts.part[parts.stack[--parts.n_stack]] = parts.n_parts;
    } while (parts.stack[parts.n_stack] != node);
}

static void find_parts(void)
{
    parts.n_parts = parts.n_stack = parts.n_visited = 0;
    memset(parts.part, 0, sizeof(parts.part));
    memset(parts.index, 0, sizeof(parts.index));
    for (uint32_t i = 0; i < graph.n; i++) {
        if (parts.is_alive[i] && parts.index[i] == 0)
            tarjan(i);
    }
}

static bool is_inside(uint32_t from, const struct edge *edge)
{
    return counts(edge) && parts.part[from] == parts.part[edge->to];
}

/* ---- The truth ------------------------------------------------------------------------------ */

/* The signatures that can run in a part, and those that do without leaving it. */
static void collect(uint32_t part, uint64_t *enabled, uint64_t *performed)
{
    *enabled = *performed = 0;
    for (uint32_t i = 0; i < graph.n; i++) {
        for (uint32_t k = 0; parts.part[i] == part && k < graph.n_edges[i]; k++) {
            *enabled |= UINT64_C(1) << graph.edges[i][k].signature;
            if (is_inside(i, &graph.edges[i][k]))
                *performed |= UINT64_C(1) << graph.edges[i][k].signature;
        }
    }
}

static bool can_run(uint32_t node, uint64_t signatures)
{
    for (uint32_t k = 0; k < graph.n_edges[node]; k++) {
        if ((signatures >> graph.edges[node][k].signature & 1) != 0)
            return true;
    }
    return false;
}

/* A fair cycle stays where nothing can run that never does: the rest of each part is put out, and
 * what remains looked at again. */
static bool has_hot_fair_cycle(void)
{
    uint32_t n_alive = 1;

    parts.may_cool = false;
    for (uint32_t i = 0; i < graph.n; i++)
        parts.is_alive[i] = graph.nodes[i].is_hot;
    while (n_alive > 0) {
        find_parts();
        n_alive = 0;
        for (uint32_t part = 1; part <= parts.n_parts; part++) {
            uint64_t enabled;
            uint64_t performed;

            collect(part, &enabled, &performed);
            if (performed != 0 && enabled == performed)
                return true;
            for (uint32_t i = 0; i < graph.n; i++) {
                if (parts.part[i] != part)
                    continue;
                if (performed == 0 || can_run(i, enabled & ~performed))
                    parts.is_alive[i] = false;
                n_alive += parts.is_alive[i];
            }
        }
    }
    return false;
}

static bool has_hot_end(void)
{
    for (uint32_t i = 0; i < graph.n; i++) {
        if (graph.n_edges[i] == 0 && graph.nodes[i].is_hot)
            return true;
    }
    return false;
}

/* Whether every trial comes to where it is hot for ever: all parts that cannot be left are so. */
static bool is_doomed(void)
{
    static bool can_be_left[NODES_MAX + 1];
    static bool is_good[NODES_MAX + 1];

    parts.may_cool = true;
    memset(parts.is_alive, true, sizeof(parts.is_alive));
    find_parts();
    memset(can_be_left, 0, sizeof(can_be_left));
    memset(is_good, 0, sizeof(is_good));
    for (uint32_t i = 0; i < graph.n; i++) {
        is_good[parts.part[i]] |= !graph.nodes[i].is_hot || graph.n_edges[i] == 0;
        for (uint32_t k = 0; k < graph.n_edges[i]; k++) {
            is_good[parts.part[i]] |= graph.edges[i][k].cools;
            can_be_left[parts.part[i]] |= !is_inside(i, &graph.edges[i][k]);
        }
    }
    for (uint32_t part = 1; part <= parts.n_parts; part++) {
        if (!can_be_left[part] && is_good[part])
            return false;
    }
    return true;
}

/* ---- The claims ----------------------------------------------------------------------------- */

static void make_program(uint64_t seed)
{
    struct rng rng;

    rng_init(&rng, 2016, seed);
    for (uint32_t i = 0; i < MACHINES * STATES * KINDS; i++) {
        struct rule *rule = &program.rules[0][0][0] + i;

        rule->next = (uint8_t)rng_below(&rng, STATES);
        rule->told = (uint8_t)(rng_below(&rng, 8) == 0   ? TOLD_COOL
                               : rng_below(&rng, 4) == 0 ? TOLD_HEAT
                                                         : TOLD_NOTHING);
        rule->to = (uint8_t)(rng_below(&rng, 30) == 0 ? MACHINES : rng_below(&rng, MACHINES));
        rule->kind = (uint8_t)rng_below(&rng, KINDS);
    }
    for (uint32_t i = 0; i < MESSAGES; i++) {
        program.first_to[i] = (uint8_t)rng_below(&rng, MACHINES);
        program.first_kind[i] = (uint8_t)rng_below(&rng, KINDS);
    }
}

/* How often each case came up: a test that never meets one proves nothing of it. */
struct met {
    uint32_t correct;
    uint32_t cycles;
    uint32_t doomed;
    uint32_t ends;
};

static void compare(struct met *met)
{
    bool has_cycle = has_hot_fair_cycle();
    struct sn_result told = run_program(run_telling);
    struct sn_result mute_told = run_program(run_mute);

    if (strncmp(told.failure, "lasso", 5) == 0) {
        assert_true(has_cycle);
        met->cycles++;
    } else if (told.failures > 0) {
        assert_non_null(strstr(told.failure, "when nothing can happen any more"));
        assert_true(has_hot_end());
        met->ends++;
    }
    if (strstr(mute_told.failure, "at the limit") != NULL)
        assert_true(has_cycle);
    if (!has_cycle && !has_hot_end()) {
        assert_int_equal(told.failures + mute_told.failures, 0);
        met->correct++;
    }
    if (is_doomed()) {
        /* Not all trials: some come to it late. */
        assert_true(told.failures > 0);
        assert_true(mute_told.failures > 0);
        met->doomed++;
    }
}

static void verdicts_agree_with_all_states_of_random_programs(void **unused)
{
    struct met met = {0};

    (void)unused;

    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        make_program(seed);
        visit_all();
        compare(&met);
    }

    print_message("# correct %u, cycles %u, doomed %u, hot ends %u\n", met.correct, met.cycles,
                  met.doomed, met.ends);
    assert_true(met.correct > PROGRAMS / 10);
    assert_true(met.cycles > PROGRAMS / 10);
    assert_true(met.doomed > PROGRAMS / 50);
    assert_true(met.ends > PROGRAMS / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_agree_with_all_states_of_random_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
