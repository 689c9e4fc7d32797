/* explain_subject.c - which trial is explained: the one that was given, made as small as it can be,
 * or another one that fails in the same way and becomes smaller. SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"
#include "api/shrink.h"

#include <stdio.h>
#include <string.h>

enum {
    FAIR_ENDS = 8, /* that are tried */
    END_TRIALS = 20,
    ROOM = 2,       /* times as many steps as the trial has before its fair end, others have, ... */
    ROOM_MIN = 30,  /* ... and at least so many, if they have them from the start on */
    OTHERS_MAX = 2, /* trials that are made small beside the one that was given */
};

#define SHRINK_SHARE 0.20 /* of the budget, */
#define OTHER_SHARE 0.06  /* for each of the others, */
#define POOL_SHARE 0.10   /* after which the pool is as large as it is */
#define OTHERS_SHARE 0.28 /* unless so much is used */

/* ---- Shrinking ------------------------------------------------------------------------------ */

static void on_shrinking(void *self, const struct shrink_progress *progress)
{
    const struct explaining *x = self;

    explaining_tell(x, x->executions + progress->runs);
}

/* The larger part of the budget is for what can be said of the trial, however large it is. */
static struct shrink_options shrink_options_of(struct explaining *x, double share)
{
    return (struct shrink_options){
        .request = x->request,
        .workers = x->request->jobs > 0 ? x->request->jobs : 1,
        .seconds = x->options->executions_max > 0 && x->options->seconds_max <= 0
                       ? 0
                       : explaining_seconds_max(x) * share,
        .runs = x->options->executions_max > 0
                    ? 1 + (uint64_t)((double)x->options->executions_max * share)
                    : 0,
        .seed = x->options->seed,
        .progress = on_shrinking,
        .progress_self = x,
    };
}

/* A trial that was made small. */
struct small {
    struct trace trace;
    struct shrink_report report;
    bool is_one; /* it was */
};

static int make_small(struct explaining *x, const struct trace *trace, double share,
                      struct small *out)
{
    const struct shrink_options options = shrink_options_of(x, share);
    char path[EXPLAINING_PATH];
    int rc = explaining_name_file(x, path);

    if (rc == 0)
        rc = shrink_trace(&options, trace, path, &out->report, &x->why);
    if (rc < 0)
        return rc;
    x->executions += out->report.runs;
    x->e->shrink_trials += out->report.runs;
    if (out->report.how == SHRINK_NOT_FAILING || out->report.how == SHRINK_REFUSED)
        return 0;
    rc = trace_read(&out->trace, path, &x->why);
    out->is_one = rc == 0;
    return rc;
}

static bool is_smaller(const struct small *a, const struct small *b)
{
    if (!b->is_one || a->report.after.steps != b->report.after.steps)
        return !b->is_one || a->report.after.steps < b->report.after.steps;
    return a->report.exceptions < b->report.exceptions;
}

/* Explains a smaller trial instead that fails in the same way, if there is one. */
static void take_small(struct explaining *x, struct small *small)
{
    const struct shrink_report *report = &small->report;
    struct explanation *e = x->e;

    e->is_shrunk = true;
    e->steps_before = report->before.steps;
    e->exceptions = report->exceptions;
    e->default_fails =
        report->has_exceptions && report->exceptions == 0 && report->after.draws == 0;
    trace_done(&x->shrunk);
    x->shrunk = small->trace;
    x->trace = &x->shrunk;
}

/* ---- The subject ---------------------------------------------------------------------------- */

int explaining_load(struct explaining *x)
{
    const struct trace *trace = x->trace;
    struct subject *s = &x->subject;
    uint64_t fair_from = trace->header.fair_from;

    *s = (struct subject){0};
    s->ids = arena_array(&x->arena, trace->n_steps + 1, sizeof(*s->ids));
    s->draws = arena_array(&x->arena, trace->n_records + 1, sizeof(*s->draws));
    if (s->ids == NULL || s->draws == NULL)
        return err_set(&x->why, SN_ENOMEM, "there is not enough memory");
    for (size_t i = 0; i < trace->n_records; i++) {
        const struct trace_record *r = &trace->records[i];

        if (r->kind == TRACE_STEP)
            s->ids[s->plan.n_ids++] = r->step.id;
        else if (r->kind == TRACE_DRAW && r->draw.value != 0)
            s->draws[s->plan.n_draws++] = (struct plan_draw){r->draw.key, r->draw.value};
    }
    s->plan.ids = s->ids;
    s->plan.draws = s->draws;
    s->steps = fair_from > 0 && fair_from < trace->n_steps ? fair_from : trace->n_steps;
    if (x->beginning > 0 && x->beginning < s->steps)
        s->steps = x->beginning;
    return 0;
}

/* Whether it is the failure that the trace is about. */
static bool is_failure_of_trace(const struct explaining *x, const struct lab_result *r)
{
    return r->how == LAB_FAILED && signature_is_traced(&x->trace->verdict, &r->verdict, r->cut);
}

/* The trial of the trace; the plan must last as long. The fair end, if there is one, is decided
 * anew. */
struct lab_job explaining_subject_job(const struct explaining *x, struct plan *plan)
{
    const struct trace_header *header = &x->trace->header;

    *plan = x->subject.plan;
    if (x->subject.steps < x->trace->n_steps) {
        plan->n_ids = (uint32_t)x->subject.steps;
        plan->fair_from =
            header->fair_from > plan->n_ids ? header->fair_from : (uint64_t)plan->n_ids;
        plan->fair_steps = header->max_steps - plan->fair_from;
        plan->fair_seed = x->fair_seed;
    }
    return (struct lab_job){.plan = plan, .max_steps = header->max_steps};
}

/* Runs the trial, to see that it still fails, and to learn what its failure looks like. A fair end
 * that is decided anew may go well by chance. */
static int meet_subject(struct explaining *x)
{
    uint32_t attempts = x->subject.steps < x->trace->n_steps ? FAIR_ENDS : 1;
    struct lab_result *r = &x->results[0];

    for (uint32_t i = 0; i < attempts; i++) {
        struct plan plan;
        struct lab_job job;
        int rc;

        x->fair_seed = x->options->seed + i;
        job = explaining_subject_job(x, &plan);
        rc = lab_run(x->lab, &job, 1, r, &x->why);
        if (rc < 0)
            return rc;
        x->executions++;
        if (lab_is_stopped(x->lab))
            return EXPLAIN_OVER;
        if (is_failure_of_trace(x, r)) {
            x->wanted.signature = r->signature;
            return 0;
        }
    }
    return err_set(&x->why, SN_EINVAL,
                   "there is nothing to explain: the trial does not fail any more as the trace "
                   "says (%s)",
                   r->how == LAB_FAILED ? "it fails in another way" : "it passes");
}

/* A trial whose fair end begins early is explained by others of which that is so, too: what is left
 * to chance for much longer comes right by chance, or goes wrong once more. The same is true of the
 * end: something is repaired in time if it is within as many fair steps as the trial had. */
void explaining_end_early(struct explaining *x)
{
    const struct trace_header *header = &x->trace->header;
    uint64_t room = ROOM * x->subject.steps > ROOM_MIN ? ROOM * x->subject.steps : ROOM_MIN;
    uint64_t from = room + 1;

    x->asked_from = x->e->is_liveness && from < x->fair_from ? from : x->fair_from;
    x->asked_max = x->e->is_liveness ? x->asked_from + header->max_steps - header->fair_from : 0;
    x->e->fair_from = x->asked_from;
}

/* Whether the trial was lost after a step is for its fair end to say, and for as much of it as came
 * before that. */
void explaining_end_job(const struct explaining *x, struct lab_job *job)
{
    uint64_t kept = job->plan != NULL ? job->plan_steps : 0;
    uint64_t left = x->subject.steps > kept ? x->subject.steps - kept : 0;
    uint64_t from = kept + ROOM * left + 1;

    if (x->asked_max == 0 || kept == 0 || (left > 0 && from > x->asked_from))
        return;
    job->fair_from = from;
    job->max_steps = from + x->asked_max - x->asked_from;
}

static void describe(struct explaining *x)
{
    const struct trace_header *header = &x->given->header; /* which lasts */
    const struct trace_verdict *v = &x->trace->verdict;
    struct explanation *e = x->e;

    e->suite = header->suite;
    e->test = header->test;
    e->strategy = header->strategy;
    e->trial = header->trial;
    if (e->steps_before == 0)
        e->steps_before = x->trace->n_steps;
    e->steps_all = x->trace->n_steps;
    e->steps = x->subject.steps;
    e->seed = x->options->seed;
    e->is_liveness = x->subject.steps < x->trace->n_steps;
    e->fair_steps = x->trace->n_steps - x->subject.steps;
    (void)snprintf(e->failure, sizeof(e->failure), "%s: %.900s", v->oracle,
                   v->message.bytes != NULL ? v->message.bytes : "");
    explaining_end_early(x);
}

/* Whether it is lost when its fair end begins. What was shrunk may fail only because of how that
 * end happened to go. */
static int check_end(struct explaining *x, bool *is_lost)
{
    const struct question q = {
        .stream = STREAM_AFTER, .trials = END_TRIALS, .misses_max = UINT32_MAX};
    struct answer a;
    int rc = explaining_after(x, x->subject.steps, &q, &a);

    *is_lost = a.failed * 2 >= END_TRIALS;
    return rc;
}

static int take_trace(struct explaining *x, const struct trace *trace)
{
    int rc;

    x->trace = trace;
    rc = explaining_load(x);
    if (rc < 0)
        return rc;
    describe(x);
    return meet_subject(x);
}

/* Takes the trial as it was found if what was shrunk says little, and makes that small. */
int explaining_settle_subject(struct explaining *x)
{
    bool is_lost = true;
    bool is_smaller = false;
    int rc = meet_subject(x);

    if (rc != 0 || !x->e->is_shrunk || x->subject.steps == x->trace->n_steps)
        return rc;
    rc = check_end(x, &is_lost);
    if (rc != 0 || is_lost)
        return rc;
    x->e->is_shrunk = false;
    rc = take_trace(x, x->given);
    if (rc == 0)
        rc = explaining_robust(x, &is_smaller);
    if (rc != 0 || !is_smaller)
        return rc;
    x->e->is_shrunk = true;
    return take_trace(x, &x->shrunk);
}

/* ---- Others --------------------------------------------------------------------------------- */

/* The shortest of the pool, which are clearly shorter than the trial that was given. */
static uint32_t find_shortest(const struct explaining *x, struct pooled *out)
{
    const struct pool *p = &x->pool;
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n_failing; i++) {
        uint32_t at = n;

        if (p->failing[i].steps * 10 > x->given->n_steps * 9)
            continue;
        while (at > 0 && out[at - 1].steps > p->failing[i].steps)
            at--;
        if (at == OTHERS_MAX)
            continue;
        n += n < OTHERS_MAX;
        memmove(&out[at + 1], &out[at], (n - at - 1) * sizeof(out[0]));
        out[at] = p->failing[i];
    }
    return n;
}

/* Writes down what happened in a trial of the pool. */
static int record(struct explaining *x, const struct pooled *trial, struct trace *out, bool *is_one)
{
    struct lab_job job = explaining_pool_job(x, trial);
    struct lab_result *result = &x->results[0];
    char path[EXPLAINING_PATH];
    int rc;

    *is_one = false;
    job.wants_log = true;
    rc = lab_run(x->lab, &job, 1, result, &x->why);
    x->executions++;
    if (rc < 0 || !lab_is_wanted(&x->wanted, result) || result->entries == NULL)
        return rc;
    rc = explaining_name_file(x, path);
    if (rc == 0)
        rc = lab_record(x->lab, result, &x->given->header, NULL, 0, path, &x->why);
    if (rc < 0)
        return rc;
    rc = trace_read(out, path, &x->why);
    *is_one = rc == 0;
    return rc;
}

/* Makes the others small, too, and takes the smallest of all. */
static int choose_smallest(struct explaining *x, struct small *best, const struct pooled *shortest,
                           struct trace *others, uint32_t n)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < n && explaining_used(x) < OTHERS_SHARE; i++) {
        struct small other = {.is_one = false};

        rc = make_small(x, &others[i], OTHER_SHARE, &other);
        if (rc == 0 && other.is_one && is_smaller(&other, best)) {
            trace_done(&best->trace);
            *best = other;
            x->e->instead_by = explaining_strategy(&shortest[i]);
        } else {
            trace_done(&other.trace);
        }
    }
    return rc;
}

/* What is known before anything is made small: how often strategies fail, and which trials do. */
static int fill_pool(struct explaining *x, struct pooled *shortest, struct trace *others,
                     uint32_t *n)
{
    uint32_t n_shortest;
    int rc = take_trace(x, x->given);

    *n = 0;
    if (rc == SN_EINVAL) {
        /* Followed by what it is a plan of, it may go another way; what is made small of it does
         * not, and it is then that others are looked for. */
        x->why.text[0] = '\0';
        return 0;
    }
    if (rc == 0)
        rc = explaining_rates(x, POOL_SHARE);
    if (rc != 0)
        return rc;
    n_shortest = x->subject.steps == x->trace->n_steps ? find_shortest(x, shortest) : 0;
    for (uint32_t i = 0; rc == 0 && i < n_shortest; i++) {
        bool is_one;

        rc = record(x, &shortest[i], &others[*n], &is_one);
        shortest[*n] = shortest[i];
        *n += is_one;
    }
    return rc;
}

int explaining_choose(struct explaining *x)
{
    struct pooled shortest[OTHERS_MAX + 1];
    struct trace others[OTHERS_MAX] = {0};
    struct small best = {.is_one = false};
    uint32_t n = 0;
    int rc = explaining_open_lab(x);

    if (rc == 0)
        rc = fill_pool(x, shortest, others, &n);
    explaining_close_lab(x);
    if (rc == 0)
        rc = make_small(x, x->given, SHRINK_SHARE, &best);
    if (rc == 0)
        rc = choose_smallest(x, &best, shortest, others, n);
    for (uint32_t i = 0; i < n; i++)
        trace_done(&others[i]);
    if (rc == 0 && best.is_one)
        take_small(x, &best);
    if (rc == 0)
        rc = explaining_load(x);
    if (rc != 0)
        return rc;
    describe(x);
    return explaining_open_lab(x);
}
