/* work.c - work as libuv has it: done by a thread of a pool, told to the loop that asked for it.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/task.h"

#include <errno.h>

/* ---- What is under way ---------------------------------------------------------------------- */

/* The structure is the caller's, and may hold anything before it is queued: what is under way is
 * found by its address alone. */
static void forget(struct trial *t, const struct sn_work *work)
{
    struct sn_job **at = &t->processes->now.works;

    while (*at != NULL && (*at)->argument != work)
        at = &(*at)->next_work;
    if (*at != NULL)
        *at = (*at)->next_work;
}

/* Whether a callback of this work will still be called: nobody calls one of a pool that went down
 * with its node, or one that was for a process that has ended. */
static bool is_under_way(const struct trial *t, const struct sn_work *work)
{
    const struct sn_job *job = processes_are_used(t) ? t->processes->now.works : NULL;

    while (job != NULL && job->argument != work)
        job = job->next_work;
    return job != NULL && job->pool->life == task_life(t, job->pool->node) &&
           !(job->state >= JOB_DONE && process_is(t, job->told) &&
             process_of(t, job->told)->life == PROCESS_ENDED);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static void run_work(void *argument)
{
    struct sn_work *work = argument;

    work->run(work);
}

void work_is_over(struct trial *t, const struct sn_job *job)
{
    if (job->run == run_work)
        forget(t, job->argument);
}

static void after_work(void *argument, int64_t result)
{
    struct sn_work *work = argument;

    forget(trial_here(), work);
    work->after(work, (int)result);
}

int sn_queue_work(struct sn_pool *pool, struct sn_work *work, sn_work_run *run,
                  sn_work_after *after)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_queue_work");
    struct sn_job *job;

    if (work == NULL || t->now.task == 0)
        trial_fail(t, "usage", NULL, "sn_queue_work: %s",
                   work == NULL ? "the work is NULL" : "only machines and processes have a loop");
    if (run == NULL)
        return -EINVAL;
    if (is_under_way(t, work))
        trial_fail(
            t, "usage", NULL,
            "sn_queue_work: the work is queued already, and was not called back for the last "
            "time");
    job = job_new(t, pool != NULL ? pool : pool_of_node(t), run_work, work);
    job->told = after != NULL ? t->now.task : 0;
    job->message = posted_make(job->pool->name, after_work, work, 0);
    pool_announce(t, self, VERB_SUBMIT, job->pool);
    work->run = run;
    work->after = after;
    work->job = job;
    processes_use(t);
    forget(t, work);
    job->next_work = t->processes->now.works;
    t->processes->now.works = job;
    job_submit(t, job);
    return 0;
}

int sn_work_cancel(struct sn_work *work)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_work_cancel");
    struct sn_job *job = work != NULL ? work->job : NULL;

    if (job == NULL)
        trial_fail(t, "usage", NULL, "sn_work_cancel: the work was never queued");
    pool_announce(t, self, VERB_CANCEL, job->pool);
    if (!job_cancel(t, job))
        return -EBUSY;
    job->message.result = -ECANCELED;
    if (job->told != 0)
        machine_send(t, job->told, &sn_posted, &job->message, sizeof(job->message));
    else
        forget(t, work);
    return 0;
}
