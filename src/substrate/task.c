/* task.c - work of a component as a task of its own.
 *
 * A task is a process that knows whose memory it works in: process.c lets each of its steps touch
 * that component. SPDX-License-Identifier: MIT
 */
#include "substrate/task.h"

struct task_birth {
    void (*run)(void *argument);
    void *argument;
    uint32_t owner;
};

/* Addresses tell nobody anything. */
static void print_nothing(struct sn_text *out, const void *payload)
{
    (void)out;
    (void)payload;
}

static const struct sn_event birth = {
    .name = "Work", .size = sizeof(struct task_birth), .print = print_nothing};

uint32_t task_owner(const struct trial *t)
{
    uint32_t task = t->now.task;

    if (task != 0 && process_is(t, task) && process_of(t, task)->owner != 0)
        return process_of(t, task)->owner;
    return task;
}

uint64_t task_life(const struct trial *t, sn_node node)
{
    return node != 0 ? t->objects[t->environment->nodes[node].object].writes : 0;
}

static void run_task(const void *payload)
{
    const struct task_birth *task = payload;

    task->run(task->argument);
}

static const struct sn_process task_type = {.name = "Task", .run = run_task, .birth = &birth};

sn_id sn_task(const char *name, void (*run)(void *argument), void *argument)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_task");
    struct task_birth work = {.run = run, .argument = argument, .owner = task_owner(t)};
    uint32_t task;

    if (name == NULL || run == NULL)
        trial_fail(t, "usage", NULL, "sn_task needs a name and a function");
    if (self != NULL)
        process_announce(t, self, process_phrase_text(t, VERB_SPAWN, name), NULL);
    task = process_new(t, environment_node_here(t), &task_type, &work);
    process_set_owner(process_of(t, task), work.owner);
    sn_set_name(task, "%s", name);
    return task;
}

/* ---- Waiting for the end -------------------------------------------------------------------- */

static bool has_ended(struct trial *t, const void *self)
{
    return process_of(t, *(const sn_id *)self)->life == PROCESS_ENDED;
}

bool sn_task_wait(sn_id task, uint64_t timeout_ns)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_task_wait");
    const struct process_request request = {.whom = task, .about = ABOUT_LIFE, .is_reading = true};
    struct process_wait wait = {.is_over = has_ended, .self = &task, .what = "the end of a task"};
    bool is_over;

    process_check_id(t, task, "sn_task_wait");
    if (!process_is(t, task))
        trial_fail(t, "usage", NULL, "sn_task_wait: %s is a machine", sn_name(task));
    is_over = process_wait_for(t, self, process_phrase(VERB_AWAIT), &request, &wait, timeout_ns);
    trial_read(t, &process_of(t, task)->living);
    return is_over;
}
