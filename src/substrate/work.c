/* work.c - work as libuv has it: done by a thread of a pool, told to the loop that asked for it.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/task.h"

#include <errno.h>

static void run_work(void *argument)
{
    struct sn_work *work = argument;

    work->run(work);
}

static void after_work(void *argument, int64_t result)
{
    struct sn_work *work = argument;

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
    job = job_new(t, pool != NULL ? pool : pool_of_node(t), run_work, work);
    job->told = after != NULL ? t->now.task : 0;
    job->message = posted_make(job->pool->name, after_work, work, 0);
    pool_announce(t, self, VERB_SUBMIT, job->pool);
    work->run = run;
    work->after = after;
    work->job = job;
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
    return 0;
}
