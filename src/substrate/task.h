/* task.h - concurrency inside a component: tasks, and jobs of thread pools.
 * SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_TASK_H
#define SUBSTRATE_TASK_H

#include "substrate/environment.h"
#include "substrate/post.h"
#include "substrate/process.h"

enum job_state { JOB_QUEUED = 0, JOB_TAKEN, JOB_DONE, JOB_CANCELLED };

struct sn_job {
    struct sn_pool *pool;
    struct sn_job *next; /* in the queue */
    void (*run)(void *argument);
    void *argument;
    uint32_t owner;           /* the component that has submitted it */
    uint32_t told;            /* a task that is told of its end; 0: none */
    struct posted message;    /* ... by this */
    uint8_t state;            /* enum job_state */
    struct sn_job *next_work; /* of those that work was queued for; see work.c */
};

struct sn_pool {
    struct object object; /* its queue, and how far each job is */
    struct sn_job *first;
    struct sn_job *last;
    struct sn_pool *next_of_nodes; /* of those that nodes have */
    sn_node node;
    uint64_t life; /* of the node: the pool is gone with it */
    bool is_closed;
    uint32_t n_left; /* jobs that are neither done nor cancelled */
    uint32_t threads;
    uint32_t n_threads; /* that have something to do, or are about to find that they have not */
    uint64_t numbers;   /* of those: a bit for each of the first */
    char name[32];
};

/* The component that the running task belongs to; 0: the test does. */
uint32_t task_owner(const struct trial *t);

/* Which of its lives a node is in. */
uint64_t task_life(const struct trial *t, sn_node node);

/* A new job of the running task, which is not yet in the queue. */
struct sn_job *job_new(struct trial *t, struct sn_pool *pool, void (*run)(void *argument),
                       void *argument);

/* The running step puts it into the queue, or takes it out again. False: that is too late. */
void job_submit(struct trial *t, struct sn_job *job);
bool job_cancel(struct trial *t, struct sn_job *job);

/* A process announces what it does to a pool; nothing happens if p is NULL. */
void pool_announce(struct trial *t, struct process *p, enum process_verb verb,
                   const struct sn_pool *pool);

/* The pool of the running task's node that every node has. */
struct sn_pool *pool_of_node(struct trial *t);

/* Makes a pool on the running task's node. */
struct sn_pool *pool_new(struct trial *t, const char *name, uint32_t threads);

/* Work that has no callback is over when its job is. */
void work_is_over(struct trial *t, const struct sn_job *job);

#endif
