/* bounded.c - see bounded.h. SPDX-License-Identifier: MIT */
#include "bounded.h"

#include "campaign.h"
#include "generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Enough for every schedule of so few steps. */
enum { DELAYS_ALL = 100000 };

enum { PRINTED_MAX = 3 };

static const struct limits limits = {.leaves_min = 2, .leaves_max = 1000, .steps_max = 12};

/* What a strategy has found. */
struct found {
    const struct tree *tree;
    bool *outcomes;
    uint64_t n_trials;
    bool is_bad;
};

static void watch(void *self, const struct sn_trial_view *trial)
{
    struct found *found = self;
    uint32_t leaf = find_leaf(found->tree, trial->log, trial->decisions);

    found->n_trials++;
    if (leaf == UINT32_MAX || trial->verdict != SN_PASSED || trial->cut)
        found->is_bad = true;
    else
        found->outcomes[found->tree->leaves[leaf].outcome] = true;
}

static struct sn_result search(struct comparison *c, const struct program *program,
                               const char *strategy, struct found *found)
{
    const struct sn_options options = {.strategy = strategy,
                                       .iterations = 2 * (uint64_t)c->tree->n_leaves + 10,
                                       .watch = watch,
                                       .watch_self = found};
    struct sn_result result = {0};
    struct sn_test test;

    *found = (struct found){.tree = c->tree,
                            .outcomes = calloc(c->tree->outcomes.n, sizeof(*found->outcomes))};
    interpret_prepare(program, SN_WORLD_TRIAL, &test, &c->record);
    if (sn_run(&test, &options, &result) < 0 || result.schedules == 0)
        found->is_bad = true;
    if (found->is_bad)
        print_message("# %s: program %llu: %s\n", strategy, (unsigned long long)program->seed,
                      result.failure);
    return result;
}

/* True: something was missed. */
static bool compare_found(const struct found *plain, const struct found *cached, int delays,
                          struct bounded_totals *totals)
{
    uint32_t n = plain->tree->outcomes.n;
    bool misses = false;
    bool finds_more = false;
    uint32_t n_found = 0;

    for (uint32_t i = 0; i < n; i++) {
        misses |= plain->outcomes[i] && !cached->outcomes[i];
        finds_more |= cached->outcomes[i] && !plain->outcomes[i];
        n_found += plain->outcomes[i];
    }
    totals->n_programs++;
    totals->n_outcomes += n_found;
    totals->n_missed += misses;
    totals->n_strange += finds_more;
    totals->n_wrong += plain->is_bad || cached->is_bad;
    totals->n_incomplete += delays == DELAYS_ALL && n_found < n;
    totals->n_plain += plain->n_trials;
    totals->n_cached += cached->n_trials;
    return misses;
}

static void search_case(struct comparison *c, const struct program *program,
                        struct bounded_case *compared)
{
    bool has_cache = strncmp(compared->name, "mutant", 6) != 0;
    int delays = compared->delays < 0 ? DELAYS_ALL : compared->delays;
    struct bounded_totals *totals = &compared->totals;
    struct found plain;
    struct found cached;
    char strategy[64];

    (void)snprintf(strategy, sizeof(strategy), "delay:%d", delays);
    (void)search(c, program, strategy, &plain);
    (void)snprintf(strategy, sizeof(strategy), "%s:%d%s", compared->name, delays,
                   has_cache ? ":cache" : "");
    totals->n_pruned += search(c, program, strategy, &cached).blocked;
    if (compare_found(&plain, &cached, delays, totals) && totals->n_missed <= PRINTED_MAX)
        print_message("# %s misses an outcome of program %llu\n", strategy,
                      (unsigned long long)program->seed);
    free(plain.outcomes);
    free(cached.outcomes);
}

/* False: the program is not one that can be compared. */
static bool search_program(struct campaign *campaign, uint64_t seed, struct bounded_case *cases,
                           size_t n_cases)
{
    struct comparison *c = campaign->comparison;
    struct program program;

    generate(seed, &program);
    if (!enumerate(&program, &limits, campaign->tree, campaign->features))
        return false;
    comparison_begin(c, campaign->tree, program.seed);
    if (compare(c, &program, WAY_WALK) != WRONG_NOTHING)
        return false;
    for (size_t i = 0; i < n_cases; i++)
        search_case(c, &program, &cases[i]);
    return true;
}

void bounded_programs(struct bounded_case *compared, const uint64_t *seeds, size_t n)
{
    struct campaign *campaign = campaign_new();

    for (size_t i = 0; i < n; i++)
        (void)search_program(campaign, seeds[i], compared, 1);
}

static void print_case(const struct bounded_case *compared)
{
    const struct bounded_totals *totals = &compared->totals;

    print_message("# %s, %d delays: %llu programs, %llu outcomes; %llu trials, with the cache %llu "
                  "and %llu left; %llu programs missed something\n",
                  compared->name, compared->delays, (unsigned long long)totals->n_programs,
                  (unsigned long long)totals->n_outcomes, (unsigned long long)totals->n_plain,
                  (unsigned long long)totals->n_cached, (unsigned long long)totals->n_pruned,
                  (unsigned long long)totals->n_missed);
}

void bounded_random_programs(struct bounded_case *cases, size_t n_cases, uint64_t n_programs,
                             uint64_t seed)
{
    struct campaign *campaign = campaign_new();
    uint64_t random = seed;

    for (uint64_t n = 0; n < n_programs;) {
        random = stamp_child(random, 1);
        n += search_program(campaign, random, cases, n_cases);
    }
    for (size_t i = 0; i < n_cases; i++)
        print_case(&cases[i]);
}
