/* lab.c - see lab.h: the process that hands out jobs and looks after those that do them.
 *
 * Runs deal trials that are all decided by one strategy (workers.h). Jobs of a lab come in batches
 * with a plan each, hundreds of small batches one after the other, so workers of a lab wait for the
 * next one instead of ending. SPDX-License-Identifier: MIT
 */
#include "api/lab.h"

#include "api/interrupt.h"
#include "api/lab_own.h"
#include "api/phases.h"
#include "engine/board.h"
#include "events/events.h"
#include "oracle/leak.h"
#include "substrate/machine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { IDLE_DEATHS_MAX = 3 };

/* ---- Opening and closing -------------------------------------------------------------------- */

static int open_strategies(const struct lab *lab, struct hand *hand, struct err *why)
{
    const char *const *name = lab->options.strategies;
    int rc = 0;

    for (; rc == 0 && name != NULL && *name != NULL; name++) {
        struct lab_strategy *s = &hand->strategies[hand->n_strategies++];

        sn_check(hand->n_strategies <= LAB_STRATEGIES_MAX);
        s->name = *name;
        s->seed = 1;
        rc = strategies_open_one(&lab->engine->strategies, *name, s->seed, &s->phase, why);
    }
    return rc;
}

static int open_hand(struct lab *lab, struct err *why)
{
    struct hand *hand = mem_reserve_shared(sizeof(*hand), why);
    uint32_t entries = lab->options.entries_max;
    int rc;

    if (hand == NULL)
        return SN_ENOMEM;
    lab->hands[lab->n_hands++] = hand;
    rc = engine_clone(&hand->engine, lab->engine, why);
    if (rc == 0)
        rc = follow_new(&hand->follow, entries != 0 ? entries : LAB_ENTRIES_DEFAULT, &hand->plan,
                        why);
    if (rc == 0)
        rc = open_strategies(lab, hand, why);
    if (rc == 0 && lab->options.names != NULL)
        rc = require_open(hand->engine->t, why);
    if (rc == 0 && lab->options.names != NULL)
        rc = happened_new(&hand->happened, hand->engine->t, lab->options.names, why);
    if (rc == 0)
        request_set_limits(lab->options.request, hand->engine->t);
    return rc;
}

static int open_parts(struct lab *lab, struct err *why)
{
    const struct run_request *request = lab->options.request;
    int rc;

    lab->engine = engine_get(why);
    if (lab->engine == NULL)
        return SN_ENOMEM;
    if (lab->engine->is_running) {
        lab->engine = NULL;
        return err_set(why, SN_EINVAL, "a run is going on already");
    }
    lab->engine->is_running = true;
    interrupt_watch(lab->engine);
    lab->steps_max =
        lab->options.max_steps != 0 ? lab->options.max_steps : request_steps_max(request);
    if (lab->steps_max > EXPLORE_STEPS_LIMIT)
        lab->steps_max = EXPLORE_STEPS_LIMIT;
    lab->bench = mem_reserve_shared(LAB_BENCH_BYTES, why);
    lab->shelf = mem_reserve_shared(LAB_SHELF_BYTES, why);
    if (lab->bench == NULL || lab->shelf == NULL)
        return SN_ENOMEM;
    rc = record_new(&lab->record, why);
    for (uint32_t i = 0; i < lab->options.workers && i < LAB_WORKERS_MAX && rc == 0; i++)
        rc = open_hand(lab, why);
    return rc == 0 ? output_open(&lab->output, why) : rc;
}

int lab_open(struct lab **out, const struct lab_options *options, struct err *why)
{
    struct lab *lab = mem_reserve_shared(sizeof(*lab), why);

    *out = lab;
    if (lab == NULL)
        return SN_ENOMEM;
    sn_check(options->workers >= 1);
    lab->options = *options;
    lab->parent = getpid();
    return open_parts(lab, why);
}

static void kill_hands(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->n_hands; i++) {
        struct hand *hand = lab->hands[i];

        if (hand->pid == 0)
            continue;
        (void)kill(hand->pid, SIGKILL);
        while (waitpid(hand->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        hand->pid = 0;
    }
}

void lab_close(struct lab *lab)
{
    if (lab == NULL)
        return;
    kill_hands(lab);
    output_close(&lab->output);
    for (uint32_t i = 0; i < lab->n_hands; i++) {
        for (uint32_t k = 0; k < lab->hands[i]->n_strategies; k++)
            strategies_close(&lab->hands[i]->strategies[k].phase, 1);
        happened_free(lab->hands[i]->happened);
        follow_free(lab->hands[i]->follow);
        engine_free(lab->hands[i]->engine);
        mem_release(lab->hands[i], sizeof(*lab->hands[i]));
    }
    record_free(lab->record);
    mem_release(lab->bench, LAB_BENCH_BYTES);
    mem_release(lab->shelf, LAB_SHELF_BYTES);
    if (lab->engine != NULL) {
        interrupt_unwatch(lab->engine);
        lab->engine->is_running = false;
    }
    mem_release(lab, sizeof(*lab));
}

/* ---- Workers -------------------------------------------------------------------------------- */

static int start(struct lab *lab, struct hand *hand, struct err *why)
{
    pid_t pid;

    atomic_store(&hand->stage, HAND_IDLE);
    hand->is_spoilt = false;
    hand->run = 0;
    atomic_store(&hand->idle, 0);
    death_forget(hand->engine->t);
    pid = fork();
    if (pid == 0)
        lab_work(lab, hand);
    hand->pid = pid > 0 ? pid : 0; /* the child sees this, too, so it must not write it */
    if (pid > 0)
        return 0;
    return err_set(why, SN_ENOMEM, "no worker could be started (%s)", strerrordesc_np(errno));
}

/* What became of the job of a worker that has ended. */
static void end_job(struct lab *lab, struct hand *hand, int status)
{
    switch ((enum hand_stage)atomic_load(&hand->stage)) {
    case HAND_TRIAL:
        death_judge(hand->engine->t, status);
        lab_settle(lab, hand);
        lab->results[hand->job].has_died = true;
        break;
    case HAND_AFTER:
        lab_refuse(lab, hand, "its process ended after the trial, or when it was run once more");
        break;
    case HAND_BEGINS:
    case HAND_IDLE:
        lab_refuse(lab, hand, "its process ended before the trial began");
        break;
    }
    lab_finish(lab, hand);
}

/* A worker has ended: its trial has failed, if it was in one, and another worker goes on. */
static int bury(struct lab *lab, struct hand *hand, int status, struct err *why)
{
    hand->pid = 0;
    if (hand->rc < 0) {
        *why = hand->why;
        return hand->rc;
    }
    if (hand->stage != HAND_IDLE && !atomic_load(&lab->done[hand->job])) {
        end_job(lab, hand, status);
    } else if (!hand->is_spoilt && ++hand->idle_deaths > IDLE_DEATHS_MAX) {
        return err_set(why, SN_ESYSTEM,
                       "a worker ended %d times between trials, the last time with status 0x%x",
                       IDLE_DEATHS_MAX + 1, (unsigned)status);
    }
    return start(lab, hand, why);
}

static int look_for_the_dead(struct lab *lab, struct err *why)
{
    int rc = 0;

    for (uint32_t i = 0; i < lab->n_hands && rc == 0; i++) {
        struct hand *hand = lab->hands[i];
        int status = 0;

        if (hand->pid != 0 && waitpid(hand->pid, &status, WNOHANG) == hand->pid)
            rc = bury(lab, hand, status, why);
        else if (hand->pid != 0 && hand->stage != HAND_IDLE && !hand->is_mode_fork)
            death_look(hand->engine->t, hand->pid);
    }
    return rc;
}

/* ---- A batch -------------------------------------------------------------------------------- */

static void *put_on_bench(struct lab *lab, const void *from, size_t n, size_t size)
{
    size_t bytes = (n * size + 63) / 64 * 64;
    char *to = lab->bench + lab->bench_used;

    if (n == 0)
        return to;
    sn_check(bytes <= LAB_BENCH_BYTES - lab->bench_used);
    memcpy(to, from, n * size);
    lab->bench_used += bytes;
    return to;
}

/* Plans must lie where workers that were forked before see them. Jobs in a row often share one. */
static void lay_out(struct lab *lab, const struct lab_job *jobs, uint32_t n)
{
    const struct plan *last = NULL;
    const struct plan *last_copy = NULL;

    lab->bench_used = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct plan *plan = jobs[i].plan;
        struct plan *copy = &lab->plans[i];

        lab->jobs[i] = jobs[i];
        atomic_store(&lab->done[i], false);
        lab->results[i].how = LAB_NOT_RUN;
        if (jobs[i].strategy != NULL) {
            (void)snprintf(lab->strategies[i], sizeof(lab->strategies[i]), "%s", jobs[i].strategy);
            lab->jobs[i].strategy = lab->strategies[i];
        }
        if (plan == NULL)
            continue;
        lab->jobs[i].plan = plan == last ? last_copy : copy;
        if (plan == last)
            continue;
        *copy = *plan;
        copy->ids = put_on_bench(lab, plan->ids, plan->n_ids, sizeof(*plan->ids));
        if (plan->names != NULL)
            copy->names = put_on_bench(lab, plan->names, plan->n_ids, sizeof(*plan->names));
        copy->draws = put_on_bench(lab, plan->draws, plan->n_draws, sizeof(*plan->draws));
        copy->holds = put_on_bench(lab, plan->holds, plan->n_holds, sizeof(*plan->holds));
        last = plan;
        last_copy = copy;
    }
    lab->n_jobs = n;
}

static bool is_over(struct lab *lab, uint32_t order)
{
    uint32_t n = atomic_load(&lab->limit);

    for (uint32_t i = 0; i < lab->n_hands; i++) {
        if (atomic_load(&lab->hands[i]->idle) != order)
            return false;
    }
    /* A job that was taken by a process which was killed before it could say so is not lost. */
    for (uint32_t i = 0; i < n; i++) {
        if (!atomic_load(&lab->done[i])) {
            lab->results[i] = (struct lab_result){
                .how = LAB_UNCONTROLLED,
                .verdict = {.verdict = SN_UNCONTROLLED, .message = "its process was ended"}};
            atomic_store(&lab->done[i], true);
        }
    }
    return true;
}

/* Somebody may have stopped it, or its time may be up. */
static bool goes_on(struct lab *lab)
{
    if (interrupt_has_come(lab->engine) ||
        (lab->options.tick != NULL && !lab->options.tick(lab->options.self)))
        lab->is_stopped = true;
    return !lab->is_stopped;
}

static int do_batch(struct lab *lab, struct err *why)
{
    uint32_t order;
    int rc = 0;

    atomic_store(&lab->next, 0);
    atomic_store(&lab->limit, lab->n_jobs);
    order = atomic_fetch_add(&lab->orders, 1) + 1;
    board_wake(&lab->orders);
    for (uint32_t i = 0; i < lab->n_hands && rc == 0; i++) {
        if (lab->hands[i]->pid == 0)
            rc = start(lab, lab->hands[i], why);
    }
    while (rc == 0) {
        uint32_t bell = atomic_load(&lab->bell);

        if (is_over(lab, order))
            break;
        rc = look_for_the_dead(lab, why);
        if (rc < 0 || !goes_on(lab))
            break;
        board_sleep(&lab->bell, bell);
    }
    if (rc < 0 || lab->is_stopped)
        kill_hands(lab);
    return rc;
}

/* What nobody wanted any more must not look as if it had been run. */
static void take_results(struct lab *lab, struct lab_result *results, uint32_t n)
{
    uint32_t end = atomic_load(&lab->limit);

    for (uint32_t i = 0; i < n; i++) {
        if (i < end && atomic_load(&lab->done[i]))
            results[i] = lab->results[i];
        else
            results[i] = (struct lab_result){.how = LAB_NOT_RUN};
    }
}

static void on_child(int number)
{
    (void)number; /* it ends the parent's sleep, which is all that is wanted */
}

static int run_batches(struct lab *lab, const struct lab_job *jobs, uint32_t n,
                       struct lab_result *results, struct err *why)
{
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP};
    struct sigaction before;
    int rc = 0;

    (void)sigaction(SIGCHLD, &action, &before);
    atomic_store(&lab->shelf_used, 0);
    for (uint32_t i = 0; i < n; i++)
        results[i] = (struct lab_result){.how = LAB_NOT_RUN};
    for (uint32_t from = 0; from < n && rc == 0 && goes_on(lab); from += LAB_BATCH) {
        uint32_t some = n - from < LAB_BATCH ? n - from : LAB_BATCH;

        lay_out(lab, jobs + from, some);
        rc = do_batch(lab, why);
        take_results(lab, results + from, some);
        if (atomic_load(&lab->limit) < some)
            break; /* what was looked for is found */
    }
    (void)sigaction(SIGCHLD, &before, NULL);
    return rc;
}

int lab_run(struct lab *lab, const struct lab_job *jobs, uint32_t n, struct lab_result *results,
            struct err *why)
{
    lab->wanted_by_caller = NULL;
    return run_batches(lab, jobs, n, results, why);
}

bool lab_is_wanted(const struct lab_wanted *wanted, const struct lab_result *result)
{
    if (result->how != LAB_FAILED ||
        (wanted->steps_max != 0 && result->steps > wanted->steps_max) ||
        (wanted->decisions_max != 0 && result->decisions > wanted->decisions_max) ||
        (wanted->is_hot_before && result->hot_since > result->fair_from))
        return false;
    return wanted->any || signature_is_same(&wanted->signature, &result->signature);
}

int64_t lab_find(struct lab *lab, const struct lab_wanted *wanted, const struct lab_job *jobs,
                 uint32_t n, struct lab_result *results, struct err *why)
{
    int rc;

    lab->wanted = *wanted;
    lab->wanted_by_caller = wanted;
    rc = run_batches(lab, jobs, n, results, why);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < n; i++) {
        if (lab_is_wanted(wanted, &results[i]))
            return i;
    }
    return n;
}

bool lab_is_stopped(const struct lab *lab)
{
    return lab->is_stopped;
}

void lab_resume(struct lab *lab)
{
    lab->is_stopped = false;
}

uint64_t lab_trials(const struct lab *lab)
{
    return atomic_load(&lab->trials);
}

/* ---- Traces --------------------------------------------------------------------------------- */

/* Makes a result the present trial of the parent's engine. */
static void load_result(struct trial *t, const struct lab_result *r)
{
    t->log.n = 0;
    for (uint64_t i = 0; i < r->decisions; i++) {
        const struct lab_entry *entry = &r->entries[i];

        log_push(&t->log, entry->is_draw ? LOG_DRAW : LOG_OP,
                 entry->is_draw ? entry->value : entry->id, 0);
    }
    t->now.steps = r->steps;
    t->now.order = r->order;
    t->fair_from = r->fair_from;
    t->mark = r->mark;
    t->cut = r->cut;
    t->unfinished = false;
    t->verdict = r->verdict;
    t->divergence.text[0] = '\0';
}

int lab_record(struct lab *lab, const struct lab_result *result, const struct trace_header *header,
               const struct trace_record *extra, size_t n_extra, const char *path, struct err *why)
{
    const struct run_request *request = lab->options.request;
    struct trial *t = lab->engine->t;
    struct trace_header written = *header;
    struct explore_options options = {.test = request->test,
                                      .is_lab = true,
                                      .max_steps = result->steps_max,
                                      .fair_from = result->fair_from,
                                      .timers = request->options.timers,
                                      .fork = true};
    struct explore *e = NULL;
    int rc = 0;

    sn_check(result->entries != NULL);
    written.max_steps = result->steps_max;
    written.fair_from = result->fair_from;
    machines_forget(t);
    events_forget(t);
    if (request->leaks)
        rc = leak_open(t, REACH_CALLER, why);
    request_set_limits(request, t);
    if (rc == 0)
        rc = explore_open(&e, t, &options, why);
    if (rc == 0) {
        load_result(t, result);
        lab->record->output = &lab->output;
        lab->record->extra = extra;
        lab->record->n_extra = n_extra;
        rc = record_to_file(lab->record, e, &written, path, why);
        lab->record->n_extra = 0;
    }
    explore_close(e);
    leak_close(t);
    return rc;
}
