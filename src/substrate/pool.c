/* pool.c - thread pools of components: each thread a process, each job run by one of them.
 *
 * A thread is there while there is something to do. It takes the first job of the queue, which
 * decides whether that can still be cancelled; then runs it; then says that it is done. All that
 * others see of a pool is behind one object. SPDX-License-Identifier: MIT
 */
#include "substrate/task.h"

#include <stdio.h>

enum {
    NODE_POOL_THREADS = 4, /* as libuv has by default */
    NUMBERED = 64,         /* threads of a pool that have numbers */
};

struct thread_birth {
    struct sn_pool *pool;
    uint32_t number; /* from 0; NUMBERED: it has none */
};

/* Above the ids of other objects. */
#define POOL_OBJECT UINT64_C(0x6c6f6f70)

/* ---- Threads -------------------------------------------------------------------------------- */

void pool_announce(struct trial *t, struct process *p, enum process_verb verb,
                   const struct sn_pool *pool)
{
    if (p != NULL)
        process_announce(t, p, process_phrase_text(t, verb, pool->name), NULL);
}

static struct sn_job *take(struct trial *t, const struct thread_birth *thread)
{
    struct sn_pool *pool = thread->pool;
    struct sn_job *job = pool->first;

    trial_write(t, &pool->object);
    if (job == NULL) {
        pool->n_threads--;
        if (thread->number < NUMBERED)
            pool->numbers &= ~(UINT64_C(1) << thread->number);
        return NULL;
    }
    pool->first = job->next;
    job->next = NULL;
    job->state = JOB_TAKEN;
    return job;
}

/* The memory that it works in is that of who has submitted it. */
static void run(struct trial *t, struct process *self, struct sn_job *job)
{
    struct sn_pool *pool = job->pool;

    process_set_owner(self, job->owner);
    pool_announce(t, self, VERB_RUN, pool);
    job->run(job->argument);
    self->site = 0;
    pool_announce(t, self, VERB_FINISH, pool);
    process_set_owner(self, 0);
    trial_write(t, &pool->object);
    job->state = JOB_DONE;
    pool->n_left--;
    if (job->told != 0)
        machine_send(t, job->told, &sn_posted, &job->message, sizeof(job->message));
    else
        work_is_over(t, job);
    process_wake(t);
}

static void work(const void *payload)
{
    const struct thread_birth *thread = payload;
    struct trial *t = trial_here();
    struct process *self = t->process;
    struct sn_job *job;

    while ((job = take(t, thread)) != NULL) {
        run(t, self, job);
        pool_announce(t, self, VERB_TAKE, thread->pool);
    }
}

/* An address tells nobody anything. */
static void print_nothing(struct sn_text *out, const void *payload)
{
    (void)out;
    (void)payload;
}

static const struct sn_event birth = {
    .name = "Thread", .size = sizeof(struct thread_birth), .print = print_nothing};
static const struct sn_process thread_type = {.name = "Thread", .run = work, .birth = &birth};

static uint32_t free_number(const struct sn_pool *pool)
{
    uint32_t number = 0;

    while (number < NUMBERED && (pool->numbers >> number & 1) != 0)
        number++;
    return number;
}

/* Where there may be several, who reads of one must know which. */
static void start_thread(struct trial *t, struct sn_pool *pool)
{
    struct thread_birth thread = {.pool = pool, .number = free_number(pool)};
    uint32_t task = process_new(t, pool->node, &thread_type, &thread);

    pool->n_threads++;
    if (thread.number < NUMBERED)
        pool->numbers |= UINT64_C(1) << thread.number;
    if (pool->threads == 1 || thread.number == NUMBERED)
        sn_set_name(task, "%s", pool->name);
    else
        sn_set_name(task, "%s.%u", pool->name, thread.number + 1);
}

/* ---- Pools ---------------------------------------------------------------------------------- */

struct sn_pool *pool_new(struct trial *t, const char *name, uint32_t threads)
{
    struct sn_pool *pool = trial_alloc(t, sizeof(*pool));

    pool->object.id = mix_pair(POOL_OBJECT, op_child_id(t));
    pool->node = environment_node_here(t);
    pool->life = task_life(t, pool->node);
    pool->threads = threads;
    (void)snprintf(pool->name, sizeof(pool->name), "%s", name);
    return pool;
}

struct sn_pool *sn_pool_new(const char *name, uint32_t threads)
{
    struct trial *t = machine_acting_trial("sn_pool_new");

    if (name == NULL)
        trial_fail(t, "usage", NULL, "sn_pool_new needs a name");
    return pool_new(t, name, threads);
}

struct sn_pool *pool_of_node(struct trial *t)
{
    struct sn_pool **pool = &t->processes->now.pools;
    sn_node node = environment_node_here(t);

    processes_use(t);
    while (*pool != NULL && ((*pool)->node != node || (*pool)->life != task_life(t, node)))
        pool = &(*pool)->next_of_nodes;
    if (*pool == NULL)
        *pool = pool_new(t, "pool", NODE_POOL_THREADS);
    return *pool;
}

/* ---- Jobs ----------------------------------------------------------------------------------- */

static void check_pool(struct trial *t, const struct sn_pool *pool, const char *function)
{
    if (pool == NULL)
        trial_fail(t, "usage", NULL, "%s: the pool is NULL", function);
    if (pool->node != environment_node_here(t))
        trial_fail(t, "usage", NULL, "%s: the pool %s is on another node", function, pool->name);
    if (pool->life != task_life(t, pool->node))
        trial_fail(t, "usage", NULL, "%s: the pool %s went down with its node", function,
                   pool->name);
    if (pool->is_closed)
        trial_fail(t, "usage", NULL, "%s: the pool %s is closed", function, pool->name);
}

struct sn_job *job_new(struct trial *t, struct sn_pool *pool, void (*run_)(void *argument),
                       void *argument)
{
    struct sn_job *job = trial_alloc(t, sizeof(*job));

    job->pool = pool;
    job->run = run_;
    job->argument = argument;
    job->owner = task_owner(t);
    return job;
}

void job_submit(struct trial *t, struct sn_job *job)
{
    struct sn_pool *pool = job->pool;

    check_pool(t, pool, "a job is submitted");
    trial_write(t, &pool->object);
    if (pool->first == NULL)
        pool->first = job;
    else
        pool->last->next = job;
    pool->last = job;
    pool->n_left++;
    if (pool->threads == 0 || pool->n_threads < pool->threads)
        start_thread(t, pool);
}

bool job_cancel(struct trial *t, struct sn_job *job)
{
    struct sn_pool *pool = job->pool;
    struct sn_job *before = NULL;

    trial_write(t, &pool->object);
    if (job->state != JOB_QUEUED)
        return false;
    for (struct sn_job *i = pool->first; i != job; i = i->next)
        before = i;
    if (before == NULL)
        pool->first = job->next;
    else
        before->next = job->next;
    if (pool->last == job)
        pool->last = before;
    job->state = JOB_CANCELLED;
    pool->n_left--;
    process_wake(t);
    return true;
}

struct sn_job *sn_pool_submit(struct sn_pool *pool, void (*run_)(void *argument), void *argument)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_pool_submit");
    struct sn_job *job;

    check_pool(t, pool, "sn_pool_submit");
    if (run_ == NULL)
        trial_fail(t, "usage", NULL, "sn_pool_submit needs a function");
    job = job_new(t, pool, run_, argument);
    pool_announce(t, self, VERB_SUBMIT, pool);
    job_submit(t, job);
    return job;
}

bool sn_pool_cancel(struct sn_job *job)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_pool_cancel");

    if (job == NULL)
        trial_fail(t, "usage", NULL, "sn_pool_cancel: the job is NULL");
    pool_announce(t, self, VERB_CANCEL, job->pool);
    return job_cancel(t, job);
}

static bool is_over(struct trial *t, const void *self)
{
    const struct sn_job *job = self;

    (void)t;
    return job->state == JOB_DONE || job->state == JOB_CANCELLED;
}

bool sn_pool_wait(struct sn_job *job, uint64_t timeout_ns)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_pool_wait");
    struct process_wait wait = {.is_over = is_over, .self = job, .what = "a job of a pool"};

    if (job == NULL)
        trial_fail(t, "usage", NULL, "sn_pool_wait: the job is NULL");
    (void)process_wait_for(t, self, process_phrase_text(t, VERB_AWAIT, job->pool->name), NULL,
                           &wait, timeout_ns);
    trial_read(t, &job->pool->object);
    return job->state == JOB_DONE;
}

/* ---- All jobs of a pool --------------------------------------------------------------------- */

static bool is_idle(struct trial *t, const void *self)
{
    (void)t;
    return ((const struct sn_pool *)self)->n_left == 0;
}

PUBLIC_PART bool wait_all(struct trial *t, struct process *p, struct sn_pool *pool,
                          uint64_t timeout_ns)
{
    struct process_wait wait = {.is_over = is_idle, .self = pool, .what = "all jobs of a pool"};
    bool is_over_;

    is_over_ = process_wait_for(t, p, process_phrase_text(t, VERB_AWAIT, pool->name), NULL, &wait,
                                timeout_ns);
    trial_read(t, &pool->object);
    return is_over_;
}

bool sn_pool_wait_all(struct sn_pool *pool, uint64_t timeout_ns)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_pool_wait_all");

    check_pool(t, pool, "sn_pool_wait_all");
    return wait_all(t, self, pool, timeout_ns);
}

void sn_pool_close(struct sn_pool *pool)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_pool_close");

    check_pool(t, pool, "sn_pool_close");
    pool_announce(t, self, VERB_CLOSE, pool);
    trial_write(t, &pool->object);
    pool->is_closed = true;
    if (self != NULL)
        (void)wait_all(t, self, pool, SN_FOREVER);
    else if (pool->n_left > 0)
        trial_fail(t, "usage", NULL,
                   "sn_pool_close: the pool %s has jobs left, and only a process can wait for them",
                   pool->name);
}
