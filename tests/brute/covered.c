/* covered.c - see covered.h. SPDX-License-Identifier: MIT */
#include "covered.h"

#include "generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Programs ------------------------------------------------------------------------------- */

static void cover_script(struct script *script)
{
    for (uint8_t i = 0; i < script->n; i++) {
        struct instruction *in = &script->list[i];

        if (in->code == CODE_TIMER)
            in->code = CODE_TIMER_ANY;
        if (in->code == CODE_DRAW || in->code == CODE_MONITOR)
            *in = (struct instruction){.code = CODE_SEND,
                                       .condition = in->condition,
                                       .whom = (uint8_t)(WHOM_ROOT + in->event % 2),
                                       .event = in->event % EVENTS,
                                       .arg = in->arg};
    }
}

static void cover_state(struct state *state)
{
    cover_script(&state->entry);
    cover_script(&state->exit);
    for (int e = 0; e < EVENTS_ALL; e++) {
        cover_script(&state->on[e].script);
        if (state->on[e].kind == BIND_DEFER)
            state->on[e].kind = e == EVENT_HALT ? BIND_IGNORE : BIND_RUN;
    }
}

static void cover_run(struct program *program)
{
    uint8_t n = 0;

    for (uint8_t i = 0; i < program->n_run; i++) {
        struct instruction in = program->run[i];

        if (in.code == CODE_DRAW || in.code == CODE_MONITOR)
            continue;
        if (in.code == CODE_LINK && in.arg == SN_INBOX)
            in.arg = SN_UNORDERED;
        program->run[n++] = in;
    }
    program->n_run = n;
}

void covered_generate(uint64_t seed, struct program *program)
{
    generate(seed, program);
    program->n_monitors = 0;
    program->are_timers_any = true;
    memset(program->faults, 0, sizeof(program->faults));
    if (program->links == SN_INBOX)
        program->links = SN_UNORDERED;
    for (uint8_t t = 0; t < program->n_types; t++) {
        for (uint8_t s = 0; s < program->types[t].n_states; s++)
            cover_state(&program->types[t].states[s]);
    }
    cover_run(program);
}

void covered_next(struct campaign *campaign, uint64_t *random, struct program *program,
                  void (*make)(uint64_t seed, struct program *program))
{
    static const struct limits limits = {.leaves_min = 2, .leaves_max = 3000, .steps_max = 13};

    for (;;) {
        *random = stamp_child(*random, 1);
        make(*random, program);
        if (program_has_faults(program) ||
            !enumerate(program, &limits, campaign->tree, campaign->features))
            continue;
        comparison_begin(campaign->comparison, campaign->tree, program->seed);
        if (compare(campaign->comparison, program, WAY_WALK) == WRONG_NOTHING)
            return;
    }
}

/* ---- Searching ------------------------------------------------------------------------------ */

struct found {
    uint64_t *orders; /* of all traces, sorted */
    uint32_t *visits;
    uint32_t n;
    uint64_t n_trials;
    uint64_t n_strange; /* trials whose order is none of them */
    uint64_t n_bad;     /* trials that failed or were cut */
};

static int compare_orders(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;

    return (*x > *y) - (*x < *y);
}

static void watch(void *self, const struct sn_trial_view *trial)
{
    struct found *found = self;
    const uint64_t *at =
        bsearch(&trial->order, found->orders, found->n, sizeof(*at), compare_orders);

    found->n_trials++;
    if (trial->verdict != SN_PASSED || trial->cut)
        found->n_bad++;
    if (at == NULL)
        found->n_strange++;
    else
        found->visits[at - found->orders]++;
}

/* The orders of the leaves, each once. */
static void list_orders(const struct tree *tree, struct found *found)
{
    uint32_t n = 0;

    found->orders = calloc(tree->n_leaves, sizeof(*found->orders));
    found->visits = calloc(tree->n_leaves, sizeof(*found->visits));
    for (uint32_t i = 0; i < tree->n_leaves; i++)
        found->orders[i] = tree->leaves[i].order;
    qsort(found->orders, tree->n_leaves, sizeof(*found->orders), compare_orders);
    for (uint32_t i = 0; i < tree->n_leaves; i++) {
        if (n == 0 || found->orders[n - 1] != found->orders[i])
            found->orders[n++] = found->orders[i];
    }
    found->n = n;
}

static void judge(const struct found *found, const struct program *program,
                  const struct sn_result *result, bool is_wrong, struct covered_totals *totals)
{
    uint32_t n_missed = 0;
    uint32_t n_repeated = 0;

    for (uint32_t i = 0; i < found->n; i++) {
        n_missed += found->visits[i] == 0;
        n_repeated += found->visits[i] > 1;
    }
    totals->n_programs++;
    totals->n_traces += found->n;
    totals->n_trials += found->n_trials;
    totals->n_missed += n_missed > 0;
    totals->n_repeated += n_repeated > 0;
    totals->n_wrong += is_wrong;
    if (n_missed > 0 || n_repeated > 0 || is_wrong)
        print_message("program %llu: %u traces, %llu trials, %u missed, %u repeated, %llu strange, "
                      "%llu bad%s %s\n",
                      (unsigned long long)program->seed, found->n,
                      (unsigned long long)found->n_trials, n_missed, n_repeated,
                      (unsigned long long)found->n_strange, (unsigned long long)found->n_bad,
                      result->exhausted ? "" : ", not exhausted", result->failure);
}

void covered_search(struct campaign *campaign, const struct program *program, const char *strategy,
                    struct covered_totals *totals)
{
    struct found found = {0};
    const struct sn_options options = {.strategy = strategy,
                                       .iterations = 4 * (uint64_t)campaign->tree->n_leaves + 10,
                                       .watch = watch,
                                       .watch_self = &found};
    struct sn_result result = {0};
    struct sn_test test;
    int rc;

    list_orders(campaign->tree, &found);
    interpret_prepare(program, SN_WORLD_TRIAL, &test, &campaign->comparison->record);
    rc = sn_run(&test, &options, &result);
    if (rc == 0 && result.verdict == SN_UNCONTROLLED) {
        totals->n_refused++;
    } else {
        totals->n_schedules += campaign->tree->n_leaves;
        judge(&found, program, &result,
              rc < 0 || !result.exhausted || found.n_bad > 0 || found.n_strange > 0, totals);
    }
    free(found.orders);
    free(found.visits);
}
