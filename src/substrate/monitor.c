/* monitor.c - monitors, and the judgement of a trial that has ended.
 *
 * A monitor is a machine without a task: its handlers run inside the step that calls it. It is an
 * object that this step writes, so that the order of such steps counts.
 * SPDX-License-Identifier: MIT
 */
#include "engine/op.h"
#include "substrate/liveness.h"
#include "substrate/machine.h"
#include "substrate/process.h"

#include <stdio.h>

void monitors_begin(struct trial *t)
{
    struct machines *all = t->machines;

    t->now.n_own[OWN_FRAMES] = 1; /* frame 0 means none */
    all->actor = NULL;
    all->sender = 0;
    for (uint32_t i = 0; t->test->monitors != NULL && t->test->monitors[i] != NULL; i++) {
        const struct sn_machine *type = t->test->monitors[i];
        struct machine *m = &all->monitors[i];

        if (i == MACHINE_MONITORS_MAX)
            op_too_many(t, "monitors");
        if (type->start == NULL)
            trial_fail(t, "usage", NULL, "monitor %s has no start state", type->name);
        *m = (struct machine){.type = type, .is_started = true};
        all->heat[i] = (struct heat){0};
        t->now.n_own[OWN_MONITORS] = i + 1;
        m->object = trial_object_new(t, i + 1);
        m->self = machine_self_new(t, type);
        all->actor = m;
        t->may_act = ACTS_NOT;
        state_start(t, m, NULL);
        t->may_act = ACTS_AT_ONCE;
        all->actor = NULL;
    }
}

void sn_monitor(const struct sn_machine *monitor, const struct sn_event *event, const void *payload)
{
    struct trial *t = machine_trial("sn_monitor");
    struct machines *all = t->machines;
    struct machine *caller = all->actor;
    uint8_t may_act = t->may_act;
    uint32_t i = 0;

    while (i < t->now.n_own[OWN_MONITORS] && all->monitors[i].type != monitor)
        i++;
    if (i == t->now.n_own[OWN_MONITORS]) {
        if (all->unlisted[0] == '\0')
            (void)snprintf(all->unlisted, sizeof(all->unlisted), "%s", monitor->name);
        return;
    }
    if (all->monitors[i].is_halted)
        return;
    machine_check_payload(t, event, payload, "given to a monitor");
    trial_touch(t, all->monitors[i].object);
    all->actor = &all->monitors[i];
    t->may_act = ACTS_NOT;
    trial_record(t, monitor, monitor, event, payload);
    state_handle(t, all->actor, event, payload);
    all->actor = caller;
    t->may_act = may_act;
}

/* ---- Judging -------------------------------------------------------------------------------- */

static uint32_t count_pending(const struct trial *t, uint32_t task)
{
    uint32_t n = 0;

    for (uint32_t i = t->tasks[task].first_source; i != 0; i = t->sources[i].next_of_task) {
        if (source_is_free(&t->sources[i]))
            continue;
        for (uint32_t op = t->sources[i].head; op != 0; op = t->ops[op].next)
            n++;
    }
    return n;
}

/* Somebody wrote behind the memory of a machine: most likely the machine itself. */
static void judge_memory(struct trial *t)
{
    char name[128];

    for (uint32_t i = 1; i < t->now.n_tasks; i++) {
        struct machine *m = &t->machines->all[i];

        if (unlikely(!machine_self_is_whole(m)))
            trial_fail(t, "memory", NULL,
                       "what lies behind the %zu bytes of %s's self was overwritten", m->type->size,
                       machine_name(t, m, name, sizeof(name)));
    }
}

/* Every machine that waits, in one sentence. */
static void judge_deadlock(struct trial *t)
{
    char buffer[400];
    struct sn_text waiting;

    text_init(&waiting, buffer, sizeof(buffer));
    for (uint32_t i = 1; i < t->now.n_tasks; i++) {
        struct machine *m = &t->machines->all[i];
        uint32_t pending;
        char name[128];

        if (m->state == NULL || m->is_halted || !m->state->must_leave)
            continue;
        pending = count_pending(t, i);
        text_print(&waiting, "%s%s waits in state %s", waiting.used > 0 ? ", " : "",
                   machine_name(t, m, name, sizeof(name)), m->state->name);
        if (pending > 0)
            text_print(&waiting, " (deferring %u event%s)", pending, pending == 1 ? "" : "s");
    }
    if (waiting.used > 0)
        trial_fail(t, "deadlock", NULL, "nothing can happen any more, but %s", buffer);
}

static void judge(struct trial *t, bool at_limit)
{
    t->machines->actor = NULL;
    judge_memory(t);
    if (!at_limit)
        judge_deadlock(t);
    process_judge(t, at_limit);
    liveness_judge(t, at_limit);
}

const struct oracle machine_oracle = {
    .arm = liveness_arm, .watch = liveness_watch, .disturb = liveness_disturb, .judge = judge};
