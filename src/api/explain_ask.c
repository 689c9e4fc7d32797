/* explain_ask.c - asks a lab what an explanation wants to know.
 *
 * Trials are run in batches of sizes that depend on nothing but the question, so that what is known
 * after each batch, and with it all that follows, is the same with any number of processes.
 * SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include "base/err.h"
#include "base/rng.h"

enum { FIRST_BATCH = 16 };

struct lab_job explaining_job(const struct explaining *x, uint64_t stream, uint32_t trial)
{
    return (struct lab_job){
        .strategy = trial % 2 == 0 ? "random" : "pos",
        .seed = mix_pair(x->options->seed, stream) | 1,
        .trial = trial,
        .fair_from = stream == STREAM_RATES ? x->fair_from : x->asked_from,
        .max_steps = stream == STREAM_RATES ? 0 : x->asked_max,
    };
}

void explaining_count(const struct explaining *x, const struct question *q, uint32_t n,
                      struct answer *out)
{
    for (uint32_t i = 0; i < n && out->trials - out->failed <= q->misses_max; i++) {
        const struct lab_result *r = &x->results[i];

        out->trials++;
        out->failed += lab_is_wanted(&x->wanted, r);
        out->stuck += r->how == LAB_STUCK;
        for (uint32_t k = 0; q->blamed != NULL && k < r->n_blamed; k++)
            q->blamed[x->choice_of[r->blamed[k]]]++;
    }
}

/* Trials that there may be. */
static uint64_t most(const struct explaining *x)
{
    return x->options->executions_max > 0 ? x->options->executions_max : UINT64_MAX;
}

bool explaining_is_over(const struct explaining *x)
{
    return lab_is_stopped(x->lab) || x->executions + EXPLAINING_BATCH > most(x);
}

int explaining_batch(struct explaining *x, const struct lab_job *job, const struct question *q,
                     uint32_t from, uint32_t n)
{
    int rc;

    if (x->executions + n > most(x) || (x->stage_max > 0 && x->executions + n > x->stage_max) ||
        (x->share_max > 0 && explaining_used(x) > x->share_max))
        return EXPLAIN_OVER;
    for (uint32_t i = 0; i < n; i++) {
        struct lab_job own = explaining_job(x, q->stream, from + i);

        x->jobs[i] = *job;
        if (job->strategy == NULL)
            x->jobs[i].strategy = own.strategy;
        x->jobs[i].seed = own.seed;
        x->jobs[i].trial = own.trial;
        x->jobs[i].fair_from = own.fair_from;
        x->jobs[i].max_steps = own.max_steps;
        explaining_end_job(x, &x->jobs[i]);
    }
    rc = lab_run(x->lab, x->jobs, n, x->results, &x->why);
    if (rc < 0)
        return rc;
    x->executions += n;
    return lab_is_stopped(x->lab) ? EXPLAIN_OVER : 0;
}

int explaining_sample(struct explaining *x, const struct lab_job *job, const struct question *q,
                      struct answer *out)
{
    uint32_t size = q->misses_max < q->trials ? FIRST_BATCH : EXPLAINING_BATCH;
    uint32_t from = 0;

    *out = (struct answer){0};
    while (from < q->trials && out->trials - out->failed <= q->misses_max) {
        uint32_t n = q->trials - from < size ? q->trials - from : size;
        int rc = explaining_batch(x, job, q, from, n);

        if (rc != 0)
            return rc;
        explaining_count(x, q, n, out);
        from += n;
        size = size * 2 < EXPLAINING_BATCH ? size * 2 : EXPLAINING_BATCH;
    }
    return 0;
}

static void add_constraint(struct explaining *x, const struct constraint *one, uint32_t choice)
{
    struct constraints *c = x->constraints;

    sn_check(c->n < CONSTRAINTS_MAX); /* explain_items.c sees to that */
    x->choice_of[c->n] = choice;
    c->all[c->n++] = *one;
}

bool explaining_names_faults(const struct explaining *x, uint32_t item)
{
    const struct constraint *c = &x->candidates.constraints[item];

    return x->candidates.has_faults && x->candidates.items[item].kind != ITEM_DRAW &&
           (opnames_get(x->names, c->first)->kind == SN_OP_FAULT ||
            opnames_get(x->names, c->later)->kind == SN_OP_FAULT);
}

/* Where orders say when faults strike, they may do so from the start. */
static void let_faults_strike(struct explaining *x, const struct choice *choices, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!explaining_names_faults(x, choices[i].item))
            continue;
        add_constraint(x, &x->candidates.faults_from, i);
        return;
    }
}

void explaining_constrain(struct explaining *x, const struct choice *choices, uint32_t n)
{
    const struct candidates *c = &x->candidates;

    x->constraints->names = x->names;
    x->constraints->from = 0;
    x->constraints->n = 0;
    x->version++;
    for (uint32_t i = 0; i < n; i++) {
        struct constraint one = c->constraints[choices[i].item];

        if (c->items[choices[i].item].kind == ITEM_QUIET) {
            for (uint32_t k = 0; k < c->n_quiet; k++)
                add_constraint(x, &c->quiet[k], i);
            continue;
        }
        if (choices[i].is_reversed) {
            uint32_t first = one.first;

            one.first = one.later;
            one.later = first;
        }
        add_constraint(x, &one, i);
    }
}

int explaining_ask(void *self, const struct question *q, struct answer *out)
{
    struct explaining *x = self;
    struct lab_job job = {0};

    explaining_constrain(x, q->choices, q->n_choices);
    if (q->from.is_kept) {
        job.plan = &x->subject.plan;
        job.plan_steps = q->from.steps;
        x->constraints->from = q->from.steps;
    } else {
        let_faults_strike(x, q->choices, q->n_choices);
    }
    if (q->n_choices > 0) {
        job.constraints = x->constraints;
        job.version = x->version;
    }
    return explaining_sample(x, &job, q, out);
}

int explaining_events(struct explaining *x, const struct lab_job *job, struct lab_result *result,
                      const struct happened **out)
{
    struct lab_job own = *job;
    int rc;

    *out = NULL;
    own.wants_events = true;
    if (x->executions >= most(x))
        return EXPLAIN_OVER;
    rc = lab_run(x->lab, &own, 1, result, &x->why);
    if (rc < 0)
        return rc;
    x->executions++;
    *out = result->happened;
    return lab_is_stopped(x->lab) ? EXPLAIN_OVER : 0;
}

int explaining_after(void *self, uint64_t steps, const struct question *q, struct answer *out)
{
    struct question own = *q;

    own.from = (struct beginning){.is_kept = true, .steps = steps};
    return explaining_ask(self, &own, out);
}
