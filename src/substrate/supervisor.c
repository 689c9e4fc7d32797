/* supervisor.c - a process that starts others again. Written with the public calls, as a user
 * would. SPDX-License-Identifier: MIT
 */
#include "substrate/process.h"

enum { PATIENCE_NS = 1000000000 }; /* that a child has to end by itself; then it is killed */

/* What a supervisor is born with. */
struct charge {
    const struct sn_supervisor *of;
    sn_id parent; /* SN_NOBODY: it is linked to none */
};

/* A supervisor at work, on its stack. */
struct office {
    const struct sn_supervisor *of;
    sn_id parent;
    sn_id *children; /* SN_NOBODY: it has ended, and is not started again */
    bool *is_wanted; /* of each: to be started again, while some are ended for that */
    uint32_t n;
    uint64_t *restarts;  /* times of the last ones: a ring, of which ... */
    uint32_t n_restarts; /* ... so many are used, and this was ... */
    uint32_t next;       /* ... the oldest, if all are */
};

static void start_from(struct office *o, uint32_t first)
{
    for (uint32_t i = first; i < o->n; i++) {
        if (o->children[i] == SN_NOBODY)
            o->children[i] = sn_spawn_link(o->of->children[i].type, o->of->children[i].payload);
    }
}

static bool is_end_of(const struct sn_message *message, const void *child)
{
    const struct sn_exit_signal *signal = message->payload;

    return message->event == &sn_exited && signal->process == *(const sn_id *)child;
}

/* Ends children from the last one down to this one, each before the next. */
static void stop_down_to(struct office *o, uint32_t first)
{
    for (uint32_t i = o->n; i-- > first;) {
        if (o->children[i] == SN_NOBODY)
            continue;
        sn_kill(o->children[i], SN_SHUTDOWN);
        if (sn_receive(is_end_of, &o->children[i], PATIENCE_NS) == NULL) {
            sn_kill(o->children[i], SN_KILL);
            (void)sn_receive(is_end_of, &o->children[i], SN_FOREVER);
        }
        o->children[i] = SN_NOBODY;
    }
}

static void give_up(struct office *o, const char *reason) __attribute__((noreturn));

static void give_up(struct office *o, const char *reason)
{
    stop_down_to(o, 0);
    sn_exit(reason);
}

/* Whether one more start is not too many. */
static bool may_restart(struct office *o)
{
    uint32_t max = o->of->max_restarts;
    uint64_t now_ns = sn_now_ns();

    if (max == 0)
        return false;
    if (o->n_restarts == max &&
        (o->of->within_ns == 0 || now_ns - o->restarts[o->next] <= o->of->within_ns))
        return false;
    o->restarts[o->next] = now_ns;
    o->next = (o->next + 1) % max;
    o->n_restarts += o->n_restarts < max;
    return true;
}

static bool is_wanted_again(const struct sn_child *child, const char *reason)
{
    if (child->restart == SN_PERMANENT)
        return true;
    return child->restart == SN_TRANSIENT && strcmp(reason, SN_NORMAL) != 0 &&
           strcmp(reason, SN_SHUTDOWN) != 0;
}

/* Those that are never started again stay ended. */
static void start_again(struct office *o, uint32_t i)
{
    uint32_t first = o->of->how == SN_ONE_FOR_ALL ? 0 : i;

    if (o->of->how == SN_ONE_FOR_ONE) {
        o->children[i] = sn_spawn_link(o->of->children[i].type, o->of->children[i].payload);
        return;
    }
    for (uint32_t k = first; k < o->n; k++)
        o->is_wanted[k] =
            k == i || (o->children[k] != SN_NOBODY && o->of->children[k].restart != SN_TEMPORARY);
    stop_down_to(o, first);
    for (uint32_t k = first; k < o->n; k++) {
        if (o->is_wanted[k])
            o->children[k] = sn_spawn_link(o->of->children[k].type, o->of->children[k].payload);
    }
}

static void supervise(const void *payload)
{
    const struct charge *charge = payload;
    struct office o = {.of = charge->of, .parent = charge->parent};

    while (o.of->children[o.n].type != NULL)
        o.n++;
    o.children = sn_alloc((o.n + 1) * sizeof(*o.children));
    o.is_wanted = sn_alloc(o.n + 1);
    o.restarts = sn_alloc(((size_t)o.of->max_restarts + 1) * sizeof(*o.restarts));
    (void)sn_trap_exit(true);
    start_from(&o, 0);
    for (;;) {
        const struct sn_exit_signal *exit = sn_receive_event(&sn_exited, SN_FOREVER)->payload;
        const char *reason = exit->reason;
        uint32_t i = 0;

        while (i < o.n && o.children[i] != exit->process)
            i++;
        if (i == o.n && (exit->process == o.parent || strcmp(reason, SN_NORMAL) != 0))
            give_up(&o, reason);
        if (i == o.n)
            continue;
        o.children[i] = SN_NOBODY;
        if (!is_wanted_again(&o.of->children[i], reason))
            continue;
        if (!may_restart(&o))
            give_up(&o, SN_SHUTDOWN);
        start_again(&o, i);
    }
}

static const struct sn_event birth = {.name = "supervise", .size = sizeof(struct charge)};

sn_id sn_supervise(const struct sn_supervisor *supervisor)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_supervise");
    struct charge charge = {.of = supervisor, .parent = self != NULL ? self->task : SN_NOBODY};
    struct sn_process *type;
    sn_id id;

    if (supervisor == NULL || supervisor->children == NULL)
        trial_fail(t, "usage", NULL, "sn_supervise: there are no children");
    type = process_supervisor_type(t, supervisor);
    *type = (struct sn_process){
        .name = supervisor->name, .run = supervise, .birth = &birth, .may_wait = true};
    id = self != NULL ? sn_spawn_link(type, &charge) : sn_spawn(type, &charge);
    /* From its birth on: it must not miss the end of its parent. */
    process_of(t, id)->is_trapping = true;
    return id;
}
