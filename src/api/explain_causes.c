/* explain_causes.c - how many of the failing trials that were found independently a cause explains,
 * and which causes the others have.
 *
 * A trial is explained if it has the orders of a cause, perhaps with other machines of the same
 * types in their roles. Values are not compared, since no two trials draw the same ones by chance,
 * nor is what only lets the others come about. SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include "api/shrink.h"

#include <string.h>

enum {
    CAUSES_TRIALS = 10000, /* for further causes, beside as many as were run before */
    SHRINK_RUNS = 1000,    /* of each */
};

#define SHRINK_SHARE 0.25 /* of the time that is left */

bool explaining_is_known(const struct explaining *x, const struct happened *h)
{
    return !happened_is_cut(h) && x->names->n + 1 < OPNAMES_MAX &&
           x->names->n_texts + 1 < OPNAME_TEXTS_MAX;
}

/* ---- Which trials a cause holds in ---------------------------------------------------------- */

static bool is_compared(const struct explanation_item *item)
{
    return item_is_order(item->kind) &&
           !(item->is_labelled && item->labelled.label == LABEL_ENABLING);
}

/* A cause without orders is its values. */
static bool has_values(const struct explaining *x, const struct happened *h, uint32_t cause)
{
    const struct explanation_cause *c = &x->e->causes[cause];

    for (uint32_t i = 0; i < c->n_items; i++) {
        if (c->items[i].kind == ITEM_DRAW && !happened_respects(h, &x->causes[cause].list[i]))
            return false;
    }
    return true;
}

static enum symmetry_holds find_cause(struct explaining *x, const struct happened *h,
                                      uint32_t cause)
{
    const struct explanation_cause *c = &x->e->causes[cause];
    const struct constraint *orders[EXPLANATION_ITEMS_MAX];
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_items; i++) {
        if (is_compared(&c->items[i]))
            orders[n++] = &x->causes[cause].list[i];
    }
    if (n == 0)
        return has_values(x, h, cause) ? SYMMETRY_AS_IT_IS : SYMMETRY_NOT;
    return symmetry_find(&x->symmetry, x->names, h, orders, n);
}

static bool holds(void *self, uint32_t run, uint32_t cause)
{
    struct explaining *x = self;
    const struct happened *h;
    enum symmetry_holds how;

    if (x->cover_rc != 0)
        return false;
    x->cover_rc = explaining_look(x, &x->pool.failing[run], &h);
    if (x->cover_rc != 0 || h == NULL)
        return false;
    how = find_cause(x, h, cause);
    x->e->is_covered_modulo |= how == SYMMETRY_MODULO;
    return how != SYMMETRY_NOT;
}

/* Leaves out the trials of which too little is known. */
static int leave_out_unknown(struct explaining *x)
{
    struct pool *p = &x->pool;
    uint32_t n = 0;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < p->n_failing; i++) {
        const struct happened *h;

        rc = explaining_look(x, &p->failing[i], &h);
        if (rc == 0 && h != NULL && explaining_is_known(x, h))
            p->failing[n++] = p->failing[i];
    }
    if (rc != 0)
        return rc;
    x->e->n_unknown = p->n_failing - n;
    x->e->n_pool = p->n_failing = n;
    return 0;
}

/* ---- Further causes ------------------------------------------------------------------------- */

/* Another trial in the place of the subject. */
struct other {
    struct trace trace;
    const struct trace *trace_before;
    struct subject subject_before;
};

/* Writes the trace of a trial of the pool and makes it small. The lab is closed meanwhile, since
 * shrinking has one of its own. *is_shrunk: other->trace is there. */
static int shrink_run(struct explaining *x, uint32_t run, struct other *other, bool *is_shrunk)
{
    const struct shrink_options options = {.request = x->request,
                                           .workers = x->lab_options.workers,
                                           .runs = SHRINK_RUNS,
                                           .seconds = explaining_seconds_left(x) * SHRINK_SHARE,
                                           .seed = x->options->seed};
    struct lab_job job = explaining_pool_job(x, &x->pool.failing[run]);
    struct lab_result *result = &x->results[0];
    struct shrink_report report;
    struct trace found;
    char path[EXPLAINING_PATH];
    int rc;

    *is_shrunk = false;
    job.wants_log = true;
    rc = lab_run(x->lab, &job, 1, result, &x->why);
    x->executions++;
    if (rc < 0 || !lab_is_wanted(&x->wanted, result) || result->entries == NULL)
        return rc;
    rc = explaining_name_file(x, path);
    if (rc == 0)
        rc = lab_record(x->lab, result, &x->given->header, NULL, 0, path, &x->why);
    if (rc == 0)
        rc = trace_read(&found, path, &x->why);
    if (rc < 0)
        return rc;
    lab_close(x->lab);
    x->lab = NULL;
    rc = shrink_trace(&options, &found, path, &report, &x->why);
    trace_done(&found);
    if (rc == 0)
        rc = lab_open(&x->lab, &x->lab_options, &x->why);
    if (rc < 0)
        return rc;
    x->executions += report.runs;
    if (report.how == SHRINK_NOT_FAILING || report.how == SHRINK_REFUSED)
        return 0;
    rc = trace_read(&other->trace, path, &x->why);
    *is_shrunk = rc == 0;
    return rc;
}

/* Puts a trial that was made small in the place of the subject, and back again. */
static int put_in(struct explaining *x, struct other *other)
{
    other->trace_before = x->trace;
    other->subject_before = x->subject;
    x->trace = &other->trace;
    return explaining_load(x);
}

static void put_back(struct explaining *x, struct other *other)
{
    x->trace = other->trace_before;
    x->subject = other->subject_before;
}

static int explain_events(struct explaining *x, const struct happened *h, const struct trace *trace,
                          uint32_t cause)
{
    uint32_t n;
    uint32_t n_ran;
    int rc;

    if (h == NULL || !explaining_is_known(x, h))
        return EXPLAIN_NONE;
    (void)happened_events(h, &n, &n_ran);
    x->lost = n_ran - 1;
    x->is_lost = true;
    x->decisive = 0;
    rc = explaining_why(x, h, trace, cause);
    return rc == EXPLAIN_OVER && !explaining_is_over(x) ? EXPLAIN_NONE : rc;
}

/* Explains the trial when it was made small. EXPLAIN_NONE, too, if an earlier cause holds in it
 * then: what is left of it is not what it was found for. */
static int explain_shrunk(struct explaining *x, struct other *other, uint32_t cause)
{
    const struct happened *h;
    struct lab_result result;
    struct lab_job job;
    struct plan plan;
    int rc = put_in(x, other);

    if (rc == 0) {
        job = explaining_subject_job(x, &plan);
        rc = explaining_events(x, &job, &result, &h);
    }
    for (uint32_t i = 0; rc == 0 && h != NULL && i < cause; i++) {
        if (find_cause(x, h, i) != SYMMETRY_NOT)
            rc = EXPLAIN_NONE;
    }
    if (rc == 0)
        rc = explain_events(x, h, x->trace, cause);
    put_back(x, other);
    return rc;
}

/* A further cause comes from a trial that was made small, or from one as it was found if what was
 * made of it has another cause. */
static int explain_run(void *self, uint32_t run, uint32_t cause)
{
    struct explaining *x = self;
    const struct happened *h;
    struct other other = {.trace_before = NULL};
    bool is_shrunk = false;
    int rc = x->cover_rc;

    if (rc == 0 && !x->e->is_liveness)
        rc = shrink_run(x, run, &other, &is_shrunk);
    if (rc != 0)
        return rc;
    if (is_shrunk) {
        rc = explain_shrunk(x, &other, cause);
        trace_done(&other.trace);
        if (rc == 0 && !holds(x, run, cause))
            rc = x->cover_rc != 0 ? x->cover_rc : EXPLAIN_NONE;
        if (rc == 0)
            explaining_keep_file(x, &x->e->causes[cause], cause + 1);
        if (rc != EXPLAIN_NONE)
            return rc;
    }
    rc = explaining_look(x, &x->pool.failing[run], &h);
    return rc != 0 ? rc : explain_events(x, h, NULL, cause);
}

/* What cannot be explained shrunk is not explained otherwise; and a cause that is one only after
 * some steps of the trial says nothing of others. */
static bool can_cover(const struct explanation *e)
{
    return e->n_causes > 0 && e->causes[0].is_enough &&
           !(e->causes[0].from.is_kept && e->causes[0].from.steps > 0);
}

static int count_covers(struct explaining *x)
{
    struct explanation *e = x->e;
    struct cover cover = {.self = x, .explain = explain_run, .holds = holds, .n_causes = 1};
    int rc;

    if (!can_cover(e))
        return 0;
    rc = leave_out_unknown(x);
    if (rc != 0)
        return rc;
    cover.n_runs = x->pool.n_failing;
    x->cover_rc = 0;
    x->stage_max = 2 * x->executions + CAUSES_TRIALS;
    rc = cover_run(&cover);
    x->stage_max = 0;
    e->n_causes = cover.n_causes;
    e->has_covers = x->cover_rc == 0;
    e->covered = cover.covered;
    for (uint32_t i = 0; i < cover.n_causes; i++)
        e->causes[i].covers = cover.explained[i];
    return rc != 0 ? rc : x->cover_rc;
}

int explaining_causes(struct explaining *x)
{
    int rc = count_covers(x);

    return rc != 0 ? rc : explaining_alike(x);
}

/* ---- The run -------------------------------------------------------------------------------- */

static void note_group(struct explaining *x, const struct happened *h, uint64_t trial)
{
    struct explanation_group *g = &x->e->group;
    bool is_covered = false;

    g->looked++;
    for (uint32_t i = 0; i < x->e->n_causes; i++) {
        if (find_cause(x, h, i) == SYMMETRY_NOT)
            continue;
        if (g->covers[i]++ == 0)
            g->first[i] = trial;
        is_covered = true;
    }
    g->none += !is_covered;
}

/* A strategy that learned in the run decides otherwise here: what does not fail is left out. */
int explaining_group(struct explaining *x)
{
    const struct trace_header *header = &x->given->header;
    const struct failures *f = x->options->failures;
    int rc = 0;

    if (f == NULL || !x->e->has_covers || strchr(header->strategy, '@') != NULL)
        return 0;
    x->e->group.count = f->count;
    for (uint32_t i = 0; i < f->n && rc == 0; i++) {
        const struct lab_job job = {.strategy = header->strategy,
                                    .seed = header->seed,
                                    .trial = f->trials[i],
                                    .fair_from = x->fair_from};
        const struct happened *h;
        struct lab_result result;

        rc = explaining_events(x, &job, &result, &h);
        if (rc == 0 && h != NULL && lab_is_wanted(&x->wanted, &result) && explaining_is_known(x, h))
            note_group(x, h, f->trials[i]);
    }
    return rc;
}
