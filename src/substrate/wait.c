/* wait.c - processes that wait for something other than a message: a job, a socket.
 *
 * What a process waits for is a condition over what others change. While it does not hold, the
 * operation that the process has announced cannot run; whoever changes something asks all who wait.
 * There are few of them, and the condition is cheap. SPDX-License-Identifier: MIT
 */
#include "substrate/process.h"

static void add(struct trial *t, struct process *p, struct process_wait *wait)
{
    struct process_numbers *now = &t->processes->now;

    p->wait = wait;
    p->next_waiting = now->first_waiting;
    now->first_waiting = (uint32_t)(p - t->processes->all);
}

void process_unwait(struct trial *t, struct process *p)
{
    uint32_t *at = &t->processes->now.first_waiting;
    uint32_t index = (uint32_t)(p - t->processes->all);

    if (p->wait == NULL)
        return;
    while (*at != index)
        at = &t->processes->all[*at].next_waiting;
    *at = p->next_waiting;
    p->wait = NULL;
}

void process_wake(struct trial *t)
{
    const struct process *all = t->processes->all;

    for (uint32_t i = t->processes->now.first_waiting; i != 0; i = all[i].next_waiting) {
        const struct source *source = &t->sources[all[i].source];

        if (source->ready == 0 && all[i].wait->is_over(t, all[i].wait->self))
            source_wake(t, all[i].source);
    }
}

static void put_to_sleep(struct trial *t, const struct process *p)
{
    struct sn_op *op = &t->ops[t->sources[p->source].head];
    bool is_timed = p->wait->until_ns != SN_FOREVER;

    if (is_timed &&
        (t->timers == SN_TIMERS_ANY || p->wait->until_ns <= machine_time_ns(t, p->task)))
        return;
    if (is_timed)
        op->deadline = p->wait->until_ns;
    source_sleep(t, p->source, is_timed);
}

void process_calm(struct trial *t)
{
    const struct process *all = t->processes->all;

    for (uint32_t i = t->processes->now.first_waiting; i != 0; i = all[i].next_waiting) {
        if (all[i].wait->is_for_one && t->sources[all[i].source].ready != 0 &&
            !all[i].wait->is_over(t, all[i].wait->self))
            put_to_sleep(t, &all[i]);
    }
}

/* Announces the operation, which can run at once if there is nothing to wait for. */
static void announce(struct trial *t, struct process *p, const struct sn_event *what,
                     const struct process_wait *wait, uint64_t timeout_ns)
{
    uint32_t number = machine_announce(t, SN_OP_PROCESS, p->task, what);

    t->ops[number].site = p->site;
    t->ops[number].size = 0;
    t->ops[number].payload = 0;
    if (timeout_ns == 0 || wait->is_over(t, wait->self))
        source_append(t, p->source, number, false);
    else if (wait->until_ns != SN_FOREVER)
        process_append_timed(t, p, number, wait->until_ns);
    else
        source_append_asleep(t, p->source, number);
}

/* Another process may have taken what this one was woken for: then it waits on. */
bool process_wait_for(struct trial *t, struct process *p, const struct sn_event *what,
                      const struct process_request *request, struct process_wait *wait,
                      uint64_t timeout_ns)
{
    bool is_timed = timeout_ns != SN_FOREVER;
    bool is_eager = is_timed && t->timers == SN_TIMERS_ANY; /* ends whenever it runs */

    wait->until_ns = is_timed ? process_deadline(t, p, timeout_ns) : SN_FOREVER;
    for (;;) {
        announce(t, p, what, wait, timeout_ns);
        p->request = request;
        add(t, p, wait);
        process_park(t, p);
        process_unwait(t, p);
        p->request = NULL;
        if (wait->is_over(t, wait->self))
            return true;
        if (is_eager || wait->until_ns <= machine_time_ns(t, p->task))
            break;
        if (wait->object != NULL)
            trial_read(t, wait->object);
    }
    process_reach(t, p, wait->until_ns);
    return false;
}
