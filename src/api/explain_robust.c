/* explain_robust.c - makes a trial small that is judged by its fair end.
 *
 * Such a trial may fail only because of how its end happened to go, and what was shrunk by
 * following it once is of that kind. Here a beginning counts by how many of its continuations fail,
 * whatever happens in them: it is cut where most of them do, and then operations are left out of it
 * as long as that stays so. SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include "base/ddmin.h"

#include <stdio.h>
#include <string.h>

enum {
    TRIALS = 20,
    MISSES_MAX = 1, /* of a beginning that is as good, beside those that the longest one has */
};

#define SHARE 0.35 /* of the budget, after which it must be small enough */

struct robust {
    struct explaining *x;
    const struct ddmin *list;
    uint64_t *scratch;
    uint32_t misses_max;
    int rc;
};

/* Whether nearly as many continuations fail as do after the whole trial. */
static int is_good(struct explaining *x, const struct plan *plan, uint32_t misses_max, bool *out)
{
    const struct lab_job job = {.plan = plan->n_ids > 0 ? plan : NULL, .plan_steps = plan->n_ids};
    const struct question q = {.stream = STREAM_AFTER, .trials = TRIALS, .misses_max = misses_max};
    struct answer a;
    int rc = explaining_sample(x, &job, &q, &a);

    *out = rc == 0 && a.trials == TRIALS && TRIALS - a.failed <= misses_max;
    return rc;
}

static uint32_t test(void *self, const struct ddmin_range *without, uint32_t n)
{
    struct robust *r = self;

    for (uint32_t i = 0; i < n; i++) {
        struct plan plan = r->x->subject.plan;
        bool good;

        if (explaining_used(r->x) > SHARE)
            return DDMIN_STOP;
        plan.n_ids = 0;
        plan.ids = r->scratch;
        for (uint32_t k = 0; k < r->list->n; k++) {
            if (k < without[i].from || k >= without[i].to)
                r->scratch[plan.n_ids++] = r->list->entries[k];
        }
        r->rc = is_good(r->x, &plan, r->misses_max, &good);
        if (r->rc != 0)
            return DDMIN_STOP;
        if (good)
            return i;
    }
    return n;
}

static void take(void *self, struct ddmin *d, struct ddmin_range without)
{
    (void)self;
    ddmin_leave_out(d, without);
}

/* The shortest beginning that is good. */
static int cut(struct explaining *x, uint32_t misses_max, uint64_t *steps)
{
    uint64_t low = 0;
    uint64_t high = x->subject.steps;

    while (low < high) {
        struct plan plan = x->subject.plan;
        bool good;
        int rc;

        plan.n_ids = (uint32_t)(low + (high - low) / 2);
        rc = is_good(x, &plan, misses_max, &good);
        if (rc != 0)
            return rc;
        if (good)
            high = plan.n_ids;
        else
            low = plan.n_ids + 1;
    }
    *steps = high;
    return 0;
}

/* Writes the trace of a continuation that fails, and reads it as what is explained. */
static int adopt(struct explaining *x, const struct plan *plan, bool *is_adopted)
{
    struct lab_result *result = &x->results[0];
    char path[EXPLAINING_PATH];
    int rc = 0;

    *result = (struct lab_result){.how = LAB_NOT_RUN};
    *is_adopted = false;
    for (uint32_t i = 0; i < TRIALS && !explaining_is_over(x); i++) {
        struct lab_job job = explaining_job(x, STREAM_AFTER, i);

        job.plan = plan;
        job.plan_steps = plan->n_ids;
        explaining_end_job(x, &job);
        job.wants_log = true;
        rc = lab_run(x->lab, &job, 1, result, &x->why);
        x->executions++;
        if (rc < 0 || lab_is_wanted(&x->wanted, result))
            break;
    }
    if (rc < 0 || !lab_is_wanted(&x->wanted, result) || result->entries == NULL)
        return rc;
    rc = explaining_name_file(x, path);
    if (rc == 0)
        rc = lab_record(x->lab, result, &x->given->header, NULL, 0, path, &x->why);
    if (rc < 0)
        return rc;
    trace_done(&x->shrunk);
    rc = trace_read(&x->shrunk, path, &x->why);
    *is_adopted = rc == 0;
    return rc;
}

int explaining_robust(struct explaining *x, bool *is_smaller)
{
    struct robust r = {.x = x};
    struct plan plan = x->subject.plan;
    struct ddmin d = {.width = 1, .test = test, .take = take, .self = &r};
    struct answer whole;
    const struct question q = {.stream = STREAM_AFTER, .trials = TRIALS, .misses_max = UINT32_MAX};
    uint64_t steps;
    int rc = explaining_after(x, x->subject.steps, &q, &whole);

    *is_smaller = false;
    if (rc != 0 || whole.failed * 2 < TRIALS)
        return rc;
    r.misses_max = TRIALS - whole.failed + MISSES_MAX;
    rc = cut(x, r.misses_max, &steps);
    if (rc != 0)
        return rc;
    r.scratch = arena_array(&x->arena, steps + 1, sizeof(*r.scratch));
    d.entries = arena_array(&x->arena, steps + 1, sizeof(*d.entries));
    if (r.scratch == NULL || d.entries == NULL)
        return err_set(&x->why, SN_ENOMEM, "there is not enough memory");
    memcpy(d.entries, x->subject.ids, steps * sizeof(*d.entries));
    d.n = (uint32_t)steps;
    r.list = &d;
    (void)ddmin_run(&d);
    if (r.rc < 0)
        return r.rc;
    plan.ids = d.entries;
    plan.n_ids = d.n;
    x->beginning = d.n;
    return adopt(x, &plan, is_smaller);
}
