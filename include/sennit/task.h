/* sennit/task.h - concurrency inside a component: work that it hands to others, and callbacks that
 * come back to it.
 *
 * A component that gives work to a thread pool, or runs it as a coroutine, has two things going on
 * at a time. Here the work is a task of its own: a process (sennit/process.h), whose steps the
 * strategy puts among those of the component. What the component is told when the work is done is
 * an operation of its own, too. docs/wrapping.md shows how components are put under control.
 *
 * A task shares the memory of the component that started it, so each of its steps conflicts with
 * each step of that component and of its other tasks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_TASK_H
#define SENNIT_TASK_H

#include <sennit/machine.h>
#include <sennit/process.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Callbacks that come later -------------------------------------------------------------- */

/* What a component is called back with: what it gave, and how it went. */
typedef void sn_callback(void *argument, int64_t result);

/* Has a callback called by a machine or a process, as an operation of its own: when the strategy
 * says so. The name is for traces; at most 23 bytes of it are kept. A machine takes it with an
 * entry {.event = &sn_posted, .run = sn_posted_run} in its states, a plain node by calling
 * sn_posted_take in its on_message, a process by sn_posted_wait. One that does none of this fails
 * the trial (oracle unhandled). */
void sn_post(sn_id to, const char *name, sn_callback *call, void *argument, int64_t result);

/* Carries a callback. */
extern const struct sn_event sn_posted;

/* Calls it: the handler for an entry of a state. */
void sn_posted_run(void *self, const void *payload);

/* The same in a plain node. Returns false if the message is something else. */
bool sn_posted_take(const void *bytes, size_t n);

/* Waits for the next callback that was posted to the running process, and calls it. Returns false
 * if none comes within timeout_ns of virtual time (SN_FOREVER: never). */
bool sn_posted_wait(uint64_t timeout_ns);

/* For a process that waits in poll, select or epoll: returns a descriptor that can be read from
 * (POLLIN) while callbacks wait, which sn_posted_wait(0) then calls. There is one of each process;
 * it is closed as others are. Nothing is read from it. */
int sn_posted_fd(void);

/* ---- Tasks ---------------------------------------------------------------------------------- */

/* Starts a function as a task of the running machine or process (or of the test), on the same node.
 * The name is for traces. Returns the task, which is a process: sn_is_alive, sn_kill and
 * sn_monitor_process work with it. */
sn_id sn_task(const char *name, void (*run)(void *argument), void *argument);

/* The running process waits until a task has ended. Returns false if that takes longer than
 * timeout_ns of virtual time. */
bool sn_task_wait(sn_id task, uint64_t timeout_ns);

/* ---- Thread pools --------------------------------------------------------------------------- */

/* Threads that do what they are given, in the order in which it was submitted: a thread that has
 * nothing to do takes the next job, runs it to its end, and takes the next one. Each of these three
 * is an operation. Owned by the trial. */
struct sn_pool;

/* A job of a pool. Owned by the trial. */
struct sn_job;

/* Makes a pool of so many threads, on the node of the caller; 0 means a thread for each job, 1 that
 * jobs run one after the other. It is gone when its node goes down. Returns the pool. */
struct sn_pool *sn_pool_new(const char *name, uint32_t threads);

/* Submits a job. May be called by machines, processes, other jobs and the test. Returns the job. */
struct sn_job *sn_pool_submit(struct sn_pool *pool, void (*run)(void *argument), void *argument);

/* The running process waits until a job has been run. Returns false if that takes longer than
 * timeout_ns of virtual time, or if the job was cancelled. */
bool sn_pool_wait(struct sn_job *job, uint64_t timeout_ns);

/* Takes back a job that no thread has taken yet. Returns false if one has. */
bool sn_pool_cancel(struct sn_job *job);

/* The running process waits until all jobs of a pool have been run or cancelled. Returns false if
 * that takes longer than timeout_ns of virtual time. */
bool sn_pool_wait_all(struct sn_pool *pool, uint64_t timeout_ns);

/* Closes a pool: nothing can be submitted any more, and the running process waits until all that
 * was has been run. A machine may close one that has nothing left to do. */
void sn_pool_close(struct sn_pool *pool);

/* ---- Work as libuv has it ------------------------------------------------------------------- */

struct sn_work;

typedef void sn_work_run(struct sn_work *work);               /* in a thread of the pool */
typedef void sn_work_after(struct sn_work *work, int status); /* in the component */

/* As uv_work_t: belongs to the caller, and must stay until the last callback. Only `data` is the
 * caller's; it need not be cleared before. */
struct sn_work {
    void *data;
    sn_work_run *run;
    sn_work_after *after;
    struct sn_job *job;
};

/* As uv_queue_work, with the running machine or process as the loop: `run` is called by a thread of
 * the pool (NULL: one of four threads, which every node has), then `after` by the component, as
 * sn_post calls. Either is an operation of its own. `after` may be NULL. To queue work again
 * before its last callback is a failure (oracle usage). Returns 0, or -EINVAL if there is no run.
 */
int sn_queue_work(struct sn_pool *pool, struct sn_work *work, sn_work_run *run,
                  sn_work_after *after);

/* As uv_cancel: work that no thread has taken yet will not run, and `after` is called with
 * -ECANCELED, later. Returns 0, or -EBUSY if it is too late. */
int sn_work_cancel(struct sn_work *work);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
