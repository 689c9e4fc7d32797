/* timers.c - timers of machines, and the clock that they go by. SPDX-License-Identifier: MIT */
#include "engine/op.h"
#include "substrate/environment.h"
#include "substrate/machine.h"

static sn_timer start_timer(struct trial *t, const struct sn_event *event, uint64_t delay_ns,
                            const void *payload, size_t size, bool at_any_time)
{
    uint64_t now_ns = machine_time_ns(t, t->now.task);
    uint32_t number;
    struct sn_op *op;
    sn_timer timer;

    if (t->now.task == 0)
        trial_fail(t, "usage", NULL, "a timer can only be started by a machine");
    if (t->may_act == ACTS_IN_TURN)
        trial_fail(t, "usage", NULL,
                   "a process starts no timers: it sleeps, or receives with a timeout");
    if (environment_is_used(t))
        delay_ns = environment_true_delay_ns(t, delay_ns);
    number = machine_announce(t, SN_OP_TIMER, t->now.task, event);
    op = &t->ops[number];
    machine_saw_clock(t);
    op->deadline = delay_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + delay_ns;
    op_set_payload(t, number, payload, size);
    timer = timer_start(t, number, at_any_time);
    trial_record(t, timer, "start", op);
    return timer;
}

sn_timer sn_timer_start(const struct sn_event *event, uint64_t delay_ns, const void *payload)
{
    struct trial *t = machine_acting_trial("sn_timer_start");

    machine_check_payload(t, event, payload, "put on a timer");
    return start_timer(t, event, delay_ns, payload, event->size, t->timers == SN_TIMERS_ANY);
}

sn_timer sn_timer_start_any(const struct sn_event *event, const void *payload)
{
    struct trial *t = machine_acting_trial("sn_timer_start_any");

    machine_check_payload(t, event, payload, "put on a timer");
    return start_timer(t, event, 0, payload, event->size, true);
}

sn_timer sn_timer_start_tag(uint64_t tag, uint64_t delay_ns)
{
    struct trial *t = machine_acting_trial("sn_timer_start_tag");

    if (t->now.task != 0 && t->machines->actor->type->on_timer == NULL)
        trial_fail(t, "usage", NULL, "%s starts a timer but has no on_timer",
                   t->machines->actor->type->name);
    return start_timer(t, NULL, delay_ns, &tag, sizeof(tag), t->timers == SN_TIMERS_ANY);
}

bool sn_timer_cancel(sn_timer timer)
{
    struct trial *t = machine_acting_trial("sn_timer_cancel");
    uint32_t source = timer_find(t, t->now.task, timer);

    if (source == 0)
        return false;
    trial_record(t, timer, "cancel", &t->ops[t->sources[source].head]);
    timer_cancel(t, source);
    return true;
}

void machine_hangs(struct trial *t)
{
    const struct machine *actor = t->machines->actor;
    char name[128];

    trial_fail(t, "hang", NULL,
               "%s has looked at the clock %d times, or slept %d times, in one step: a step takes "
               "no time unless it sleeps, so waiting by looking never ends; sleep until the time "
               "has come, or start a timer and return",
               actor != NULL ? machine_name(t, actor, name, sizeof(name)) : "the test",
               MACHINE_LOOKS_MAX, MACHINE_LOOKS_MAX / MACHINE_SLEEP_LOOKS);
}

uint64_t sn_now_ns(void)
{
    struct trial *t = machine_trial("sn_now_ns");

    machine_count_looks(t, 1);
    machine_saw_clock(t);
    return environment_now_ns(t);
}
