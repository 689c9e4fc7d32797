/* explain.c - why the trial of a trace failed: what is asked, in which order, until the budget
 * ends. SPDX-License-Identifier: MIT
 */
#include "api/explain.h"

#include "api/explain_own.h"
#include "api/phases.h"
#include "api/reports.h"
#include "engine/mem.h"
#include "substrate/liveness.h"

#define SECONDS_DEFAULT 60.0
#define SECONDS_ENDLESS 1e18

/* Of the budget, after which parts of the work end, so that something is left for the others. */
#define SHARE_LABELS 0.88
#define SHARE_NEAREST 0.92

/* ---- The budget ----------------------------------------------------------------------------- */

double explaining_seconds_max(const struct explaining *x)
{
    if (x->options->seconds_max > 0)
        return x->options->seconds_max;
    return x->options->executions_max > 0 ? SECONDS_ENDLESS : SECONDS_DEFAULT;
}

static double seconds(const struct explaining *x)
{
    return (double)(reports_now_ns() - x->start_ns) / 1e9;
}

void explaining_tell(const struct explaining *x, uint64_t trials)
{
    double max = explaining_seconds_max(x);
    const struct explain_progress progress = {.stage = x->e->stage,
                                              .trials = trials,
                                              .seconds_left =
                                                  max < SECONDS_ENDLESS ? max - seconds(x) : -1};

    if (x->options->progress != NULL)
        x->options->progress(x->options->self, &progress);
}

/* ---- Opening and closing -------------------------------------------------------------------- */

double explaining_used(const struct explaining *x)
{
    double time = seconds(x) / explaining_seconds_max(x);
    double trials = x->options->executions_max > 0
                        ? (double)x->executions / (double)x->options->executions_max
                        : 0;

    return time > trials ? time : trials;
}

double explaining_seconds_left(const struct explaining *x)
{
    double left = explaining_seconds_max(x) - seconds(x);

    return left > 0 ? left : 0;
}

static bool tick(void *self)
{
    const struct explaining *x = self;

    explaining_tell(x, x->executions);
    return seconds(x) < explaining_seconds_max(x);
}

/* Trials that are sampled end as those of a run do. */
static uint64_t fair_from_of(const struct run_request *request)
{
    uint64_t steps_max = request_steps_max(request);
    uint64_t fair_steps = request->test->fair_steps;

    if (!liveness_matters(request->test))
        return 0;
    if (fair_steps == 0)
        fair_steps = steps_max / 2;
    return fair_steps < steps_max ? steps_max - fair_steps : 1;
}

int explaining_open_lab(struct explaining *x)
{
    static const char *const strategies[] = {"random", "pos", "posr", "pct:3", "fair", NULL};

    x->lab_options = (struct lab_options){.request = x->request,
                                          .names = x->names,
                                          .strategies = strategies,
                                          .workers = x->request->jobs > 0 ? x->request->jobs : 1,
                                          .fork = signature_is_death(x->given->verdict.oracle),
                                          .tick = tick,
                                          .self = x};
    return lab_open(&x->lab, &x->lab_options, &x->why);
}

void explaining_close_lab(struct explaining *x)
{
    lab_close(x->lab);
    x->lab = NULL;
}

static int open_all(struct explaining *x)
{
    int rc;

    x->fair_from = fair_from_of(x->request);
    x->asked_from = x->fair_from;
    rc = opnames_new(&x->names, &x->why);
    if (rc < 0)
        return rc;
    x->constraints = mem_reserve_shared(sizeof(*x->constraints), &x->why);
    if (x->constraints == NULL)
        return SN_ENOMEM;
    x->search.next_stream = STREAM_VERIFY;
    return explaining_choose(x);
}

/* ---- The work ------------------------------------------------------------------------------- */

static void begin(struct explaining *x, enum explanation_stage stage)
{
    x->e->stage = stage;
    explaining_tell(x, x->executions);
}

/* A trial that is judged by its fair end may be lost only within that end: then what is needed of
 * it belongs to what is explained. */
static int look_into_end(struct explaining *x, const struct asker *asker)
{
    struct pnr pnr;
    int rc = pnr_find(asker, x->trace->n_steps, &pnr);

    if (rc != 0 || !pnr.is_found)
        return rc;
    x->e->pnr = pnr;
    x->subject.steps = pnr.step;
    x->e->steps = pnr.step;
    explaining_end_early(x);
    return 0;
}

static int find_lost(struct explaining *x)
{
    const struct asker asker = {.self = x, .after = explaining_after};
    int rc;

    begin(x, STAGE_LOST);
    rc = pnr_find(&asker, x->subject.steps, &x->e->pnr);
    if (rc == 0 && !x->e->pnr.is_found && x->e->is_liveness)
        rc = look_into_end(x, &asker);
    return rc;
}

/* How often the test fails if nothing is asked of it. */
static int find_base(struct explaining *x)
{
    const struct question q = {
        .stream = STREAM_BASE, .trials = EXPLAIN_VERIFY_TRIALS, .misses_max = UINT32_MAX};

    return explaining_ask(x, &q, &x->e->base);
}

/* Where no step decides for certain, the one with which nearly all of what is reached in the end is
 * reached stands for it. */
static void find_decisive(struct explaining *x)
{
    const struct pnr *p = &x->e->pnr;
    uint32_t last = p->n_points - 1;

    x->lost = p->step;
    x->is_lost = p->is_found;
    x->decisive = (uint32_t)p->step;
    if (p->is_found || p->n_points == 0)
        return;
    for (uint32_t i = 0; i < p->n_points; i++) {
        if (p->points[i].answer.failed * 10 < p->points[last].answer.failed * 9)
            continue;
        x->lost = p->points[i].steps;
        break;
    }
    x->decisive = p->n_jumps > 0 ? (uint32_t)p->jumps[0].step : 0;
}

/* A part of the work has used its share: the rest is done all the same. */
static int part_of(struct explaining *x, int rc)
{
    x->share_max = 0;
    return rc == EXPLAIN_OVER && !explaining_is_over(x) ? 0 : rc;
}

static int find_why(struct explaining *x)
{
    struct plan plan;
    struct lab_job job = explaining_subject_job(x, &plan);
    struct lab_result result;
    const struct happened *h;
    int rc;

    begin(x, STAGE_WHY);
    rc = find_base(x);
    if (rc == 0)
        rc = explaining_events(x, &job, &result, &h);
    if (rc != 0)
        return rc;
    if (h == NULL)
        return err_set(&x->why, SN_EINVAL, "what happened in it cannot be listed: %s",
                       result.verdict.message);
    find_decisive(x);
    explaining_keep(x, h);
    rc = explaining_why(x, h, x->trace, 0);
    x->e->n_causes = 1;
    if (rc != 0 && rc != EXPLAIN_NONE)
        return rc;
    if (rc == 0) {
        begin(x, STAGE_LABELS);
        x->share_max = SHARE_LABELS;
        rc = part_of(x, explaining_labels(x, 0));
    }
    if (rc != 0 && rc != EXPLAIN_NONE)
        return rc;
    begin(x, STAGE_NEAREST);
    x->share_max = SHARE_NEAREST;
    return part_of(x, explaining_nearest(x));
}

/* Trials of the strategies, and what can be learned from them. */
static int find_others(struct explaining *x)
{
    int rc;

    begin(x, STAGE_RATES);
    rc = explaining_rates(x, 1);
    if (rc != 0)
        return rc;
    begin(x, STAGE_CORE);
    rc = explaining_core(x);
    if (rc != 0)
        return rc;
    begin(x, STAGE_CAUSES);
    rc = explaining_causes(x);
    return rc != 0 ? rc : explaining_group(x);
}

static int work(struct explaining *x)
{
    int rc = explaining_settle_subject(x);

    if (rc == 0)
        rc = find_lost(x);
    if (rc == 0)
        rc = find_why(x);
    if (rc == 0)
        rc = find_others(x);
    if (rc == 0)
        begin(x, STAGE_DONE);
    return rc;
}

int explain_trace(const struct run_request *request, const struct trace *trace,
                  const struct explain_options *options, struct explanation **out, struct err *why)
{
    struct explaining *x = mem_reserve_shared(sizeof(*x), why);
    int rc;

    *out = mem_reserve_shared(sizeof(**out), why);
    if (x == NULL || *out == NULL) {
        mem_release(x, sizeof(*x));
        return SN_ENOMEM;
    }
    x->request = request;
    x->given = trace;
    x->trace = trace;
    x->options = options;
    x->e = *out;
    x->start_ns = reports_now_ns();
    explaining_forget_nearest(x);
    rc = open_all(x);
    if (rc == 0)
        rc = work(x);
    if (rc >= 0) {
        explaining_steps(x);
        explaining_keep_subject(x);
    }
    x->e->executions = x->executions;
    x->e->seconds = seconds(x);
    *why = x->why;
    lab_close(x->lab);
    explaining_remove_file(x);
    mem_release(x->constraints, sizeof(*x->constraints));
    opnames_free(x->names);
    trace_done(&x->shrunk);
    arena_done(&x->arena);
    mem_release(x, sizeof(*x));
    return rc == EXPLAIN_OVER ? 0 : rc;
}

void explanation_free(struct explanation *e)
{
    mem_release(e, sizeof(*e));
}
