/* monitor.c - monitors, and the judgement of a trial that has ended.
 *
 * A monitor is a machine without a task: its handlers run inside the step that calls it. It is an
 * object that this step writes, so that the order of such steps counts.
 * SPDX-License-Identifier: MIT
 */
#include "engine/op.h"
#include "substrate/machine.h"

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
        t->now.n_own[OWN_MONITORS] = i + 1;
        m->object = trial_object_new(t, i + 1);
        m->self = machine_self_new(t, type);
        all->actor = m;
        t->may_act = false;
        state_start(t, m, NULL);
        t->may_act = true;
        all->actor = NULL;
    }
}

static bool is_hot(const struct machine *m)
{
    return m->state->temperature == SN_HOT;
}

static void handle(struct trial *t, struct machine *m, const struct sn_event *event,
                   const void *payload)
{
    bool was_hot = is_hot(m);

    state_handle(t, m, event, payload);
    if (!was_hot && is_hot(m))
        m->hot_since = (uint32_t)t->now.steps;
}

void sn_monitor(const struct sn_machine *monitor, const struct sn_event *event, const void *payload)
{
    struct trial *t = machine_trial("sn_monitor");
    struct machines *all = t->machines;
    struct machine *caller = all->actor;
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
    t->may_act = false;
    trial_record(t, monitor, monitor, event, payload);
    handle(t, all->actor, event, payload);
    all->actor = caller;
    t->may_act = caller == NULL || caller->task != 0;
}

/* ---- Hot states ----------------------------------------------------------------------------- */

enum { KNOWN_STATES_MAX = 256 };

/* Adds a state to those known. */
static void learn(const struct sn_state **known, uint32_t *n, const struct sn_state *state)
{
    if (state == NULL || *n == KNOWN_STATES_MAX)
        return;
    for (uint32_t i = 0; i < *n; i++) {
        if (known[i] == state)
            return;
    }
    known[(*n)++] = state;
}

static bool can_be_hot(const struct sn_machine *monitor)
{
    const struct sn_state *known[KNOWN_STATES_MAX];
    uint32_t n = 0;

    learn(known, &n, monitor->start);
    for (uint32_t i = 0; i < n; i++) {
        if (known[i]->temperature == SN_HOT)
            return true;
        for (const struct sn_on *on = known[i]->on; on != NULL && on->event != NULL; on++) {
            learn(known, &n, on->go_to);
            learn(known, &n, on->push);
        }
    }
    return false;
}

bool monitors_can_be_hot(const struct sn_test *test)
{
    if (test->fair_steps != 0)
        return true;
    for (uint32_t i = 0; test->monitors != NULL && test->monitors[i] != NULL; i++) {
        if (can_be_hot(test->monitors[i]))
            return true;
    }
    return false;
}

/* ---- Judging -------------------------------------------------------------------------------- */

static uint32_t count_pending(const struct trial *t, uint32_t task)
{
    uint32_t n = 0;

    for (uint32_t i = t->tasks[task].first_source; i != 0; i = t->sources[i].next_of_task) {
        if (t->sources[i].is_single && t->sources[i].tail == 0)
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

/* The limit that a trial was cut at. */
static void put_limit(struct sn_text *out, const struct trial *t)
{
    if (t->now.steps >= t->steps_max)
        text_print(out, "%llu steps", (unsigned long long)t->steps_max);
    else
        text_print(out, "%llu ns of virtual time", (unsigned long long)t->time_max_ns);
}

/* At a limit the trial could have gone on. It is a bug only if what should happen did not although
 * a fair strategy had long decided: for at least half of the steps that it was given. */
static void judge_hot_at_limit(struct trial *t, const struct machine *m)
{
    uint64_t since = m->hot_since > t->fair_from ? m->hot_since : t->fair_from;
    char buffer[64];
    struct sn_text limit;

    if (t->fair_from >= t->now.steps || t->now.steps - since < (t->now.steps - t->fair_from) / 2)
        return;
    text_init(&limit, buffer, sizeof(buffer));
    put_limit(&limit, t);
    trial_fail(t, "hot", NULL,
               "monitor %s is still hot (state %s) at the limit of %s, since step %llu",
               m->type->name, m->state->name, buffer, (unsigned long long)m->hot_since);
}

static void judge_hot(struct trial *t, bool at_limit)
{
    for (uint32_t i = 0; i < t->now.n_own[OWN_MONITORS]; i++) {
        const struct machine *m = &t->machines->monitors[i];

        if (m->is_halted || !is_hot(m))
            continue;
        if (at_limit)
            judge_hot_at_limit(t, m);
        else
            trial_fail(t, "hot", NULL,
                       "monitor %s is still hot (state %s) when nothing can happen "
                       "any more",
                       m->type->name, m->state->name);
    }
}

static void judge(struct trial *t, bool at_limit)
{
    char buffer[64];
    struct sn_text limit;

    t->machines->actor = NULL;
    judge_memory(t);
    if (!at_limit)
        judge_deadlock(t);
    judge_hot(t, at_limit);
    if (!at_limit || !t->test->must_end)
        return;
    text_init(&limit, buffer, sizeof(buffer));
    put_limit(&limit, t);
    trial_fail(t, "limit", NULL, "the trial has not ended after %s", buffer);
}

const struct oracle machine_oracle = {.judge = judge};
