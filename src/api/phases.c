/* phases.c - see phases.h. SPDX-License-Identifier: MIT */
#include "api/phases.h"

#include "base/descent.h"
#include "engine/here.h"
#include "substrate/liveness.h"

enum {
    DEFAULT_ITERATIONS = 10000,
    DEFAULT_SEED = 1,
    DEFAULT_MEMORY_MB = 1024, /* that a trial may allocate */
    MEMORY_SPARE_MB = 1024,   /* that its process may use beside that */
    DEFAULT_SAVE_S = 10,
    SAVE_S_MAX = 1 << 30,
};

uint64_t request_seed(const struct run_request *request)
{
    return request->options.seed != 0 ? request->options.seed : DEFAULT_SEED;
}

const char *request_strategy(const struct run_request *request)
{
    if (request->step)
        return "step";
    if (request->options.strategy != NULL)
        return request->options.strategy;
    if (request->test != NULL && request->test->strategy != NULL)
        return request->test->strategy;
    /* A program that calls sn_run knows what it wants. */
    if (request->suite == NULL)
        return "random";
    return request->usual != NULL ? request->usual : PHASES_USUAL;
}

uint64_t request_steps_max(const struct run_request *request)
{
    uint64_t n = request->options.max_steps;

    if (n == 0)
        n = request->test->max_steps != 0 ? request->test->max_steps : EXPLORE_MAX_STEPS;
    return n < EXPLORE_STEPS_LIMIT ? n : EXPLORE_STEPS_LIMIT;
}

uint64_t request_iterations(const struct run_request *request)
{
    return request->options.iterations != 0 ? request->options.iterations : DEFAULT_ITERATIONS;
}

uint64_t request_save_s(const struct run_request *request)
{
    uint64_t seconds = request->save_s != 0 ? request->save_s : DEFAULT_SAVE_S;

    return seconds < SAVE_S_MAX ? seconds : SAVE_S_MAX;
}

/* In this process, which is not to be ended, there are none. */
void request_set_limits(const struct run_request *request, struct trial *t)
{
    uint64_t megabytes = request->memory_mb != 0 ? request->memory_mb : DEFAULT_MEMORY_MB;

    t->death.hang_s = request->hang_s != 0 ? request->hang_s : DEATH_HANG_DEFAULT_S;
    t->death.memory_max = request->jobs > 0 ? (megabytes + MEMORY_SPARE_MB) << 20 : 0;
    world_root.heap.limit = request->jobs > 0 ? megabytes << 20 : 0;
}

/* Lets the strategy descent instead of trying everything. */
static int begin_descents(const struct run_request *request, struct explore_phase *phase,
                          uint32_t n_phases, struct err *why)
{
    const struct strategy_entry *entry = phase->entry;
    struct descent *descent = NULL;

    if (n_phases == 1 && entry->descent != NULL)
        descent = entry->descent(phase->self);
    if (descent == NULL)
        return err_set(why, SN_EINVAL,
                       "--estimate is for dfs, delay:D and odpor:revisit, not for %.80s: it "
                       "must be known at each decision what else there is to try",
                       request_strategy(request));
    descent_start(descent, request_seed(request));
    return 0;
}

/* Where a limit is judged it is by what a fair strategy does: it decides at the end of every trial,
 * whoever decided before, from a step on or from half of the virtual time. A composition of one's
 * own, or a script, is taken as it is. */
int phases_open(const struct run_request *request, const struct strategies *all,
                struct explore_phase *phases, uint32_t *n_phases, struct err *why)
{
    uint64_t steps_max = request_steps_max(request);
    uint64_t fair_steps = request->test->fair_steps;
    int rc = strategies_open(all, request_strategy(request), request_seed(request), phases,
                             n_phases, why);

    if (rc == 0 && request->estimate)
        rc = begin_descents(request, &phases[0], *n_phases, why);
    if (rc < 0 || *n_phases != 1 || phases[0].entry->is_driven || !liveness_matters(request->test))
        return rc;
    if (phases[0].entry->why_alone != NULL)
        return err_set(why, SN_EINVAL,
                       "strategy %.80s cannot be judged by how trials go on (hot states, must_end, "
                       "fair_steps): it leaves them where a state comes back; delay:D does not",
                       request_strategy(request));
    if (fair_steps == 0)
        fair_steps = steps_max / 2;
    phases[0].until = fair_steps < steps_max ? steps_max - fair_steps : 0;
    phases[0].until_ns = request->test->max_time_ns / 2;
    *n_phases = 2;
    return strategies_open_one(all, "fair", request_seed(request), &phases[1], why);
}
