/* compare.c - see compare.h. SPDX-License-Identifier: MIT */
#include "api/compare.h"

#include "api/covered.h"
#include "api/engine.h"
#include "api/exit_code.h"
#include "api/phases.h"
#include "api/reports.h"
#include "base/file.h"
#include "engine/mem.h"
#include "report/comparison.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct compare {
    const struct compare_job *job;
    struct comparison result;
    char names[COMPARISON_STRATEGIES_MAX][COMPARISON_NAME_MAX];
    uint32_t n_names;
    struct run_found found;              /* by the last run */
    struct reports reports;              /* only its line of progress is used */
    char label[2 * COMPARISON_NAME_MAX]; /* test and strategy that run now, for that line */
    struct err why;
};

/* ---- The strategies ------------------------------------------------------------------------- */

/* The end of the name that begins here. A composition, A@100,B, has a comma in it: what stands
 * before it ends in @ and a number. */
static const char *name_end(const char *name)
{
    const char *end = name;

    for (;;) {
        const char *digits;

        end += strcspn(end, ",");
        if (*end == '\0')
            return end;
        digits = end;
        while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        if (digits == end || digits == name || digits[-1] != '@')
            return end;
        end++;
    }
}

static int add_name(struct compare *c, const char *name, size_t n)
{
    if (n == 0)
        return err_set(&c->why, SN_EINVAL, "--strategies: the name of a strategy is missing");
    if (n >= COMPARISON_NAME_MAX)
        return err_set(&c->why, SN_EINVAL, "--strategies: %.40s... is too long", name);
    if (c->n_names == COMPARISON_STRATEGIES_MAX)
        return err_set(&c->why, SN_EINVAL, "--strategies: there are more than %d",
                       COMPARISON_STRATEGIES_MAX);
    memcpy(c->names[c->n_names], name, n);
    for (uint32_t i = 0; i < c->n_names; i++) {
        if (strcmp(c->names[i], c->names[c->n_names]) == 0)
            return err_set(&c->why, SN_EINVAL, "--strategies: %s is there twice", c->names[i]);
    }
    c->n_names++;
    return 0;
}

static int read_names(struct compare *c)
{
    const struct options *options = c->job->options;
    int rc = 0;

    for (int i = 0; i < options->n_strategies && rc == 0; i++) {
        const char *at = options->strategies[i];
        const char *end = name_end(at);

        rc = add_name(c, at, (size_t)(end - at));
        while (rc == 0 && *end == ',') {
            at = end + 1;
            end = name_end(at);
            rc = add_name(c, at, (size_t)(end - at));
        }
    }
    return rc;
}

static struct run_request request_for(const struct compare *c, const struct sn_test *test,
                                      const char *strategy)
{
    struct run_request request = c->job->request;

    request.test = test;
    request.options.strategy = strategy;
    request.options.keep_going = true;
    request.options.outdir = NULL;
    return request;
}

/* Whether a strategy can be opened for a test, as a run would do it, and how it goes about it. */
static int try_strategy(struct compare *c, const struct engine *engine, const struct sn_test *test,
                        struct comparison_row *row)
{
    struct run_request request = request_for(c, test, row->strategy);
    struct explore_phase phases[EXPLORE_PHASES_MAX] = {{0}};
    uint32_t n_phases = 0;
    int rc = phases_open(&request, &engine->strategies, phases, &n_phases, &c->why);

    row->is_sampled = rc == 0 && covered_is_sampled(phases, n_phases);

    strategies_close(phases, n_phases);
    return rc;
}

/* Why a strategy cannot run a test, as the trial that has just ended shows; NULL: it can. */
static const char *refusal_of(const struct compare *c, int rc, const struct sn_result *r)
{
    static const char prefix[] = "strategy: ";
    const struct run_failure *first = &c->found.failures[0];

    if (rc < 0)
        return r->failure;
    if (c->found.n_failures == 0 || first->verdict != SN_UNCONTROLLED ||
        strcmp(first->oracle, "strategy") != 0)
        return NULL;
    return strncmp(first->text, prefix, strlen(prefix)) == 0 ? first->text + strlen(prefix)
                                                             : first->text;
}

/* Whether a strategy can run a test is told by what that is, or does: one trial shows most of it.
 * Those that draw their trials can run everything. */
static int try_trial(struct compare *c, const struct sn_test *test,
                     const struct comparison_row *row)
{
    struct run_request request = request_for(c, test, row->strategy);
    struct sn_result r;
    const char *refusal;
    int rc;

    if (row->is_sampled || c->result.is_interrupted)
        return 0;
    request.options.iterations = 1;
    request.found = &c->found;
    rc = run_test(&request, &r);
    c->result.is_interrupted |= c->found.is_interrupted;
    refusal = refusal_of(c, rc, &r);
    if (refusal == NULL)
        return 0;
    return err_set(&c->why, rc < 0 ? rc : SN_EINVAL, "%.80s cannot run %.80s: %s", row->strategy,
                   test->name, refusal);
}

static int check_strategies(struct compare *c)
{
    const struct engine *engine = engine_get(&c->why);
    int rc = engine != NULL ? 0 : SN_ENOMEM;

    for (size_t i = 0; i < c->job->n_tests && rc == 0; i++) {
        for (uint32_t k = 0; k < c->n_names && rc == 0; k++)
            rc = try_strategy(c, engine, c->job->tests[i], &c->result.tests[i].rows[k]);
    }
    for (size_t i = 0; i < c->job->n_tests && rc == 0; i++) {
        for (uint32_t k = 0; k < c->n_names && rc == 0; k++)
            rc = try_trial(c, c->job->tests[i], &c->result.tests[i].rows[k]);
    }
    return rc;
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static void on_progress(void *self, const struct run_progress *progress, int terminal)
{
    struct compare *c = self;
    const struct progress_figures figures = {
        .suite = c->job->suite,
        .test = c->label,
        .trials = progress->result->trials,
        .steps = progress->result->steps,
        .orders = progress->orders,
        .failures = progress->result->failures,
        .trials_max = progress->wanted,
        .seconds = progress->seconds,
        .seconds_left = progress->seconds_left,
    };

    (void)terminal; /* is kept by the reports */
    progress_update(&c->reports.progress, &figures, reports_now_ns());
}

static int code_of(const struct comparison_row *row, const struct run_outcome *outcome)
{
    if (outcome->rc < 0)
        return outcome->rc == SN_EINVAL || outcome->rc == SN_ENOTFOUND ? EXIT_USAGE : EXIT_INTERNAL;
    if (outcome->result->nondeterministic)
        return EXIT_NONDETERMINISM;
    return row->problem[0] != '\0' ? EXIT_BUG : EXIT_NO_BUG;
}

static int run_row(struct compare *c, const struct sn_test *test, struct comparison_row *row)
{
    struct run_request request = request_for(c, test, row->strategy);
    uint64_t start_ns = reports_now_ns();
    struct sn_result r;
    struct run_outcome outcome = {.test = test, .result = &r, .failures = c->found.failures};

    request.found = &c->found;
    (void)snprintf(c->label, sizeof(c->label), "%.100s  %s", test->name, row->strategy);
    if (c->reports.terminal >= 0) {
        request.progress = on_progress;
        request.progress_self = c;
    }
    progress_begin(&c->reports.progress, start_ns);
    outcome.rc = run_test(&request, &r);
    progress_clear(&c->reports.progress);
    outcome.seconds = (double)(reports_now_ns() - start_ns) / 1e9;
    outcome.n_failures = c->found.n_failures;
    outcome.is_interrupted = c->found.is_interrupted;
    outcome.is_timed_out = c->found.is_timed_out;
    c->result.is_interrupted |= c->found.is_interrupted;
    comparison_take(row, &outcome);
    return code_of(row, &outcome);
}

static int run_test_rows(struct compare *c, size_t index)
{
    struct comparison_test *test = &c->result.tests[index];
    int code = EXIT_NO_BUG;

    for (uint32_t i = 0; i < c->n_names && !c->result.is_interrupted; i++)
        code = exit_code_worse(code, run_row(c, c->job->tests[index], &test->rows[i]));
    comparison_rank(test, c->n_names);
    return code;
}

static int run_all(struct compare *c)
{
    const struct compare_job *job = c->job;
    int code = EXIT_NO_BUG;

    reports_init_progress(&c->reports, job->options);
    for (size_t i = 0; i < job->n_tests; i++) {
        code = exit_code_worse(code, run_test_rows(c, i));
        if (!job->options->json)
            comparison_text(job->out, &c->result, &c->result.tests[i]);
        (void)text_flush(job->out);
    }
    reports_done(&c->reports);
    if (job->options->json)
        comparison_json(job->out, &c->result);
    else if (c->result.is_interrupted)
        text_puts(job->out, "interrupted: these are the figures up to then\n");
    if (job->options->picture != NULL &&
        comparison_picture(&c->result, job->options->picture, &c->why) < 0) {
        text_print(job->complaints, "%s: %s\n", job->suite, c->why.text);
        code = exit_code_worse(code, EXIT_USAGE);
    }
    return c->result.is_interrupted ? exit_code_worse(code, EXIT_NOTHING) : code;
}

static int open_result(struct compare *c)
{
    const struct compare_job *job = c->job;

    c->result = (struct comparison){
        .suite = job->suite,
        .program = job->program,
        .args = job->request.args,
        .n_args = job->request.n_args,
        .iterations = request_iterations(&job->request),
        .seed = request_seed(&job->request),
        .n_strategies = c->n_names,
        .n_tests = job->n_tests,
        .tests = mem_reserve_shared(job->n_tests * sizeof(struct comparison_test), &c->why),
    };
    if (c->result.tests == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < job->n_tests; i++) {
        c->result.tests[i].name = job->tests[i]->name;
        for (uint32_t k = 0; k < c->n_names; k++)
            c->result.tests[i].rows[k].strategy = c->names[k];
    }
    return 0;
}

int compare_strategies(const struct compare_job *job)
{
    struct err why = {""};
    struct compare *c = mem_reserve_shared(sizeof(*c), &why);
    int code = EXIT_USAGE;

    if (c == NULL) {
        text_print(job->complaints, "%s: %s\n", job->suite, why.text);
        return EXIT_INTERNAL;
    }
    c->job = job;
    if (read_names(c) < 0 || open_result(c) < 0 || check_strategies(c) < 0 ||
        (job->options->picture != NULL && file_try(job->options->picture, &c->why) < 0))
        text_print(job->complaints, "%s: %s\n", job->suite, c->why.text);
    else
        code = run_all(c);
    mem_release(c->result.tests, job->n_tests * sizeof(struct comparison_test));
    mem_release(c, sizeof(*c));
    return code;
}
