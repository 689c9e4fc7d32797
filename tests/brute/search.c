/* search.c - see search.h. SPDX-License-Identifier: MIT */
#include "search.h"

#include "campaign.h"
#include "generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

struct found {
    const struct tree *tree;
    uint32_t *visits; /* of each trace */
    uint64_t n_trials;
    uint64_t n_strange;  /* trials that are no schedule of the program */
    uint64_t n_bad;      /* trials that failed or were cut */
    uint64_t trials_max; /* of which the leaves are kept, to be printed */
    uint32_t *trials;
};

static void watch(void *self, const struct sn_trial_view *trial)
{
    struct found *found = self;
    uint32_t leaf = find_leaf(found->tree, trial->log, trial->decisions);

    found->n_trials++;
    if (found->n_trials <= found->trials_max)
        found->trials[found->n_trials - 1] = leaf;
    if (trial->verdict != SN_PASSED || trial->cut)
        found->n_bad++;
    if (leaf == UINT32_MAX)
        found->n_strange++;
    else
        found->visits[found->tree->leaves[leaf].searched]++;
}

/* All trials, and a schedule of each trace that was missed. */
static void print_found(const struct found *found)
{
    for (uint64_t i = 0; i < found->n_trials && i < found->trials_max; i++)
        print_leaf(found->tree, &found->tree->leaves[found->trials[i]], stdout);
    for (uint32_t i = 0; i < found->tree->n_leaves; i++) {
        const struct leaf *leaf = &found->tree->leaves[i];

        if (found->visits[leaf->searched] > 0)
            continue;
        (void)fputs("missed: ", stdout);
        print_leaf(found->tree, leaf, stdout);
        found->visits[leaf->searched]++;
    }
}

static void search(struct comparison *c, const struct program *program, const char *strategy,
                   struct search_totals *totals)
{
    struct found found = {.tree = c->tree,
                          .trials_max = totals->is_printed ? c->tree->n_leaves : 0};
    const struct sn_options options = {.strategy = strategy,
                                       .iterations = 4 * (uint64_t)c->tree->n_leaves + 10,
                                       .watch = watch,
                                       .watch_self = &found};
    struct sn_result result = {0};
    struct sn_test test;
    uint32_t n_traces = c->tree->searched.n;
    uint32_t n_missed = 0;
    uint32_t n_repeated = 0;
    bool is_wrong;

    found.visits = calloc(n_traces, sizeof(*found.visits));
    found.trials = calloc(found.trials_max + 1, sizeof(*found.trials));
    interpret_prepare(program, SN_WORLD_TRIAL, &test, &c->record);
    is_wrong = sn_run(&test, &options, &result) < 0 || found.n_bad > 0 || found.n_strange > 0;
    if (totals->makes_no_claim)
        is_wrong |= result.trials == options.iterations;
    else
        is_wrong |= totals->may_miss ? result.schedules == 0 : !result.exhausted;
    for (uint32_t i = 0; i < n_traces; i++) {
        n_missed += found.visits[i] == 0;
        n_repeated += found.visits[i] > 1;
    }
    totals->n_trials += found.n_trials;
    totals->n_missed += n_missed > 0;
    totals->n_repeated += n_repeated > 0;
    totals->n_wrong += is_wrong;
    totals->n_missing += n_missed;
    totals->n_blocked += result.blocked;
    totals->n_probes += result.probes;
    if ((n_missed > 0 && !totals->may_miss) || (n_repeated > 0 && !totals->may_repeat) || is_wrong)
        print_message("# %s: program %llu: %u traces, %llu trials, %u missed, %u repeated, %llu "
                      "strange, %llu bad%s %s\n",
                      strategy, (unsigned long long)program->seed, n_traces,
                      (unsigned long long)found.n_trials, n_missed, n_repeated,
                      (unsigned long long)found.n_strange, (unsigned long long)found.n_bad,
                      result.exhausted ? "" : ", not exhausted", result.failure);
    if (result.blocked > 0 && !totals->may_repeat)
        print_message("# %s: program %llu: %llu blocked\n", strategy,
                      (unsigned long long)program->seed, (unsigned long long)result.blocked);
    if (totals->is_printed)
        print_found(&found);
    free(found.trials);
    free(found.visits);
}

static const struct limits limits = {.leaves_min = 2, .leaves_max = 1000, .steps_max = 12};

/* False: the program is not one that can be compared. */
static bool search_program(struct campaign *campaign, uint64_t seed, const char *strategy,
                           struct search_totals *totals)
{
    struct comparison *c = campaign->comparison;
    struct program program;

    generate(seed, &program);
    if (!enumerate(&program, &limits, campaign->tree, campaign->features))
        return false;
    comparison_begin(c, campaign->tree, program.seed);
    if (compare(c, &program, WAY_WALK) != WRONG_NOTHING) {
        totals->n_refused++;
        print_message("program %llu is refused: %s\n", (unsigned long long)seed,
                      wrong_names[c->wrong]);
        return false;
    }
    if (totals->is_printed)
        program_print(&program, stdout);
    totals->n_programs++;
    totals->n_schedules += campaign->tree->n_leaves;
    totals->n_traces += campaign->tree->searched.n;
    search(c, &program, strategy, totals);
    return true;
}

void search_programs(const char *strategy, const uint64_t *seeds, size_t n,
                     struct search_totals *totals)
{
    struct campaign *campaign = campaign_new();

    *totals = (struct search_totals){.n_programs = 0};
    for (size_t i = 0; i < n; i++)
        (void)search_program(campaign, seeds[i], strategy, totals);
}

void search_and_print(const char *strategy, uint64_t seed)
{
    struct search_totals totals = {.is_printed = true};

    if (!search_program(campaign_new(), seed, strategy, &totals))
        (void)fputs("the enumerator and the library cannot be compared here\n", stdout);
}

void search_random_programs(const char *strategy, uint64_t n_programs, uint64_t seed,
                            struct search_totals *totals)
{
    struct campaign *campaign = campaign_new();
    uint64_t random = seed;

    *totals = (struct search_totals){.may_miss = totals->may_miss,
                                     .may_repeat = totals->may_repeat,
                                     .makes_no_claim = totals->makes_no_claim};
    while (totals->n_programs < n_programs) {
        random = stamp_child(random, 1);
        (void)search_program(campaign, random, strategy, totals);
    }
    print_message("# %s: %llu programs (%llu refused), %llu schedules, %llu traces, %llu trials, "
                  "%llu blocked, %llu probes\n",
                  strategy, (unsigned long long)totals->n_programs,
                  (unsigned long long)totals->n_refused, (unsigned long long)totals->n_schedules,
                  (unsigned long long)totals->n_traces, (unsigned long long)totals->n_trials,
                  (unsigned long long)totals->n_blocked, (unsigned long long)totals->n_probes);
}
