/* compare.c - every trial of a run is looked up in the tree; afterwards the tree must be visited
 * wholly and once. SPDX-License-Identifier: MIT
 */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

struct comparison *comparison_new(void)
{
    return shared_memory(sizeof(struct comparison));
}

void comparison_begin(struct comparison *c, struct tree *tree, uint64_t seed)
{
    c->tree = tree;
    c->random = seed;
    c->n_first = 0;
    c->has_orders = false;
}

/* ---- During a run: no memory is allocated, nothing of libc is used --------------------------- */

static void fail(struct comparison *c, enum wrong wrong)
{
    if (c->wrong == WRONG_NOTHING) {
        c->wrong = wrong;
        c->wrong_at = c->n_trials;
    }
}

uint32_t find_leaf(const struct tree *tree, const uint64_t *log, uint64_t n)
{
    uint32_t at = 0;

    for (uint64_t i = 0; i < n; i++) {
        const struct node *node = &tree->nodes[at];
        const struct edge *edges = &tree->edges[node->first];
        uint64_t e = 0;

        if (node->kind == NODE_DRAW)
            e = log[i];
        else if (node->kind == NODE_PICK)
            while (e < node->n_edges && edges[e].id != log[i])
                e++;
        if (e >= node->n_edges)
            return UINT32_MAX;
        at = edges[e].child;
    }
    return tree->nodes[at].kind == NODE_LEAF ? tree->nodes[at].first : UINT32_MAX;
}

static bool is_observed(const struct comparison *c, const struct leaf *leaf)
{
    const struct observation *expected = &c->tree->observations[leaf->first_observation];
    const struct observation *got = c->record.observations;

    for (int i = 0; i < leaf->n_observations; i++)
        if (memcmp(&expected[i], &got[i], sizeof(got[i])) != 0)
            return false;
    /* The set-up may be shared with the trial before, which left its own number. */
    return (c->way != WAY_RERUN && c->way != WAY_FORK) || leaf->n_observations == leaf->n_set_up ||
           c->record.n_written == leaf->n_observations;
}

static bool are_ids_distinct(const struct tree *tree, const uint64_t *log, uint64_t n)
{
    uint64_t ids[DECISIONS_MAX];
    uint32_t n_ids = 0;
    uint32_t at = 0;

    for (uint64_t i = 0; i < n; i++) {
        const struct node *node = &tree->nodes[at];
        uint32_t e = 0;

        if (node->kind == NODE_DRAW) {
            at = tree->edges[node->first + log[i]].child;
            continue;
        }
        while (tree->edges[node->first + e].id != log[i])
            e++;
        at = tree->edges[node->first + e].child;
        for (uint32_t j = 0; j < n_ids; j++)
            if (ids[j] == log[i])
                return false;
        ids[n_ids++] = log[i];
    }
    return true;
}

static void check_trial(struct comparison *c, const struct sn_trial_view *trial)
{
    uint32_t number = find_leaf(c->tree, trial->log, trial->decisions);
    struct leaf *leaf;

    if (number == UINT32_MAX) {
        fail(c, WRONG_SCHEDULE);
        return;
    }
    leaf = &c->tree->leaves[number];
    if (c->way == WAY_WALK && number != c->leaf)
        fail(c, WRONG_SCHEDULE);
    if (c->way == WAY_WALK && !are_ids_distinct(c->tree, trial->log, trial->decisions))
        fail(c, WRONG_ID);
    if (leaf->visits++ > 0)
        fail(c, WRONG_REPEATED);
    if (!is_observed(c, leaf))
        fail(c, WRONG_OBSERVATION);
    if (c->has_orders && leaf->order != trial->order)
        fail(c, WRONG_ORDER);
    leaf->order = trial->order;
    if (c->way == WAY_WALK || c->n_trials >= LEAVES_MAX)
        return;
    if (c->way == WAY_RESTORE)
        c->first[c->n_trials] = number;
    else if (c->n_trials >= c->n_first || c->first[c->n_trials] != number)
        fail(c, WRONG_SEQUENCE);
}

static void watch(void *self, const struct sn_trial_view *trial)
{
    struct comparison *c = self;

    if (trial->verdict != SN_PASSED || trial->cut)
        fail(c, WRONG_RUN);
    check_trial(c, trial);
    c->n_trials++;
}

/* ---- After a run ----------------------------------------------------------------------------- */

struct pair {
    uint64_t key;
    uint64_t value;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *p = a;
    const struct pair *q = b;

    return p->key != q->key ? (p->key < q->key ? -1 : 1)
                            : (p->value > q->value) - (p->value < q->value);
}

/* Whether equal keys have equal values; *n becomes the number of distinct keys. */
static bool is_function(struct pair *pairs, uint32_t *n)
{
    uint32_t n_distinct = *n > 0;

    qsort(pairs, *n, sizeof(pairs[0]), compare_pairs);
    for (uint32_t i = 1; i < *n; i++) {
        if (pairs[i].key != pairs[i - 1].key)
            n_distinct++;
        else if (pairs[i].value != pairs[i - 1].value)
            return false;
    }
    *n = n_distinct;
    return true;
}

/* Each trace has one order hash and each order hash one trace. */
static void check_orders(struct comparison *c, const struct sn_result *result)
{
    const struct tree *tree = c->tree;
    struct pair *pairs = calloc(tree->n_leaves + 1, sizeof(*pairs));
    uint32_t n = tree->n_leaves;

    for (uint32_t i = 0; i < n; i++)
        pairs[i] = (struct pair){tree->leaves[i].order, tree->leaves[i].trace};
    if (!is_function(pairs, &n) || n != tree->traces.n || result->distinct_orders != n)
        fail(c, WRONG_ORDER);
    free(pairs);
}

/* An id tells by what the operation was announced. (That one operation has one id, walk.c checks;
 * that no two of a trial have the same, check_trial.) */
static void check_ids(struct comparison *c)
{
    const struct tree *tree = c->tree;
    struct pair *pairs = calloc(tree->n_rows, sizeof(*pairs));
    uint32_t n = 0;

    for (uint32_t i = 0; i < tree->n_rows; i++)
        if (tree->rows[i].id != 0)
            pairs[n++] = (struct pair){tree->rows[i].id, tree->rows[tree->rows[i].parent].id};
    if (!is_function(pairs, &n))
        fail(c, WRONG_ID);
    free(pairs);
}

static void check_result(struct comparison *c, int rc, const struct sn_result *result)
{
    const struct tree *tree = c->tree;

    (void)snprintf(c->message, sizeof(c->message), "rc %d, %s, %llu trials, %llu seen of %u, %s",
                   rc, result->exhausted ? "exhausted" : "not exhausted",
                   (unsigned long long)result->trials, (unsigned long long)c->n_trials,
                   tree->n_leaves, result->failure);
    if (c->wrong != WRONG_NOTHING)
        return;
    if (rc < 0 || result->failures > 0 || result->nondeterministic ||
        result->verdict != SN_PASSED || result->cut > 0 || result->trials != c->n_trials)
        fail(c, WRONG_RUN);
    for (uint32_t i = 0; i < tree->n_leaves; i++)
        if (tree->leaves[i].visits == 0)
            fail(c, WRONG_MISSED);
    if (result->exhausted != (c->way != WAY_WALK) || c->n_trials != tree->n_leaves)
        fail(c, WRONG_MISSED);
}

enum wrong compare(struct comparison *c, const struct program *program, enum way way)
{
    const enum sn_world world = way == WAY_FULL   ? SN_WORLD_FULL
                                : way == WAY_FORK ? SN_WORLD_FORK
                                                  : SN_WORLD_TRIAL;
    const struct sn_options options = {.strategy = way == WAY_WALK ? walk_strategy.name : "dfs",
                                       .iterations = c->tree->n_leaves + 10,
                                       .rerun = way == WAY_RERUN,
                                       .watch = watch,
                                       .watch_self = c};
    struct sn_result result = {0};
    struct sn_test test;
    int rc;

    c->way = way;
    c->wrong = WRONG_NOTHING;
    c->n_trials = 0;
    for (uint32_t i = 0; i < c->tree->n_leaves; i++)
        c->tree->leaves[i].visits = 0;
    if (way == WAY_WALK)
        walk_attach(c, program_has_faults(program));
    interpret_prepare(program, world, &test, &c->record);
    rc = sn_run(&test, &options, &result);
    check_result(c, rc, &result);
    if (c->wrong == WRONG_NOTHING)
        check_orders(c, &result);
    if (c->wrong == WRONG_NOTHING && way == WAY_WALK)
        check_ids(c);
    if (way == WAY_RESTORE)
        c->n_first = (uint32_t)c->n_trials;
    c->has_orders = true;
    return c->wrong;
}
