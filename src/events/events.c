/* events.c - see events.h. SPDX-License-Identifier: MIT */
#include "events/events.h"

#include "engine/here.h"
#include "engine/mem.h"
#include "engine/naming.h"
#include "engine/op.h"
#include "events/segment.h"
#include "substrate/machine.h"

#include <stdio.h>
#include <string.h>

#define EVENT(e_) (UINT64_C(1) << (e_))

/* A kind that no operation has: hooks are all that is joined under it. */
enum { EVENTS_KIND = TRIAL_KINDS_MAX - 1 };

static void begin(struct trial *t);
static void arm(struct trial *t);

static int open_host(struct trial *t, struct err *why)
{
    const struct events_host *host = t->events->host;

    return host != NULL && host->open != NULL ? host->open(t, why) : 0;
}

static void close_host(struct trial *t)
{
    const struct events_host *host = t->events->host;

    if (host != NULL && host->close != NULL)
        host->close(t);
}

static const struct substrate events_substrate = {
    .open = open_host, .close = close_host, .begin = begin, .arm = arm};

/* ---- Joining a trial ------------------------------------------------------------------------ */

int events_join(struct trial *t, struct err *why)
{
    struct events *e = mem_reserve_shared(sizeof(*e), why);

    t->events = e;
    if (e == NULL)
        return SN_ENOMEM;
    e->segment = mem_reserve_shared(sizeof(*e->segment), why);
    if (e->segment == NULL)
        return SN_ENOMEM;
    static_assert((int)EVENTS_OWN == (int)OWN_EVENTS, "one number");
    trial_range_add(t, &e->now, &t->now.n_own[OWN_EVENTS], sizeof(e->now));
    trial_join(t, EVENTS_KIND, &events_substrate);
    return 0;
}

void events_leave(struct trial *t)
{
    if (t->events != NULL) {
        if (t->events->segment != NULL)
            mem_release(t->events->segment, sizeof(*t->events->segment));
        mem_release(t->events, sizeof(*t->events));
    }
    t->events = NULL;
}

void events_forget(struct trial *t)
{
    if (t->events->self != NULL)
        return; /* whoever it is knows it still */
    t->events->is_known = false;
    t->events->host = NULL;
}

void events_inherit(struct trial *t, const struct trial *like)
{
    struct events *e = t->events;

    if (like->events->self == NULL)
        return;
    e->recording = like->events->recording;
    e->rules = like->events->rules;
    e->host = like->events->host;
    e->self = like->events->self;
    sn_check(events_know(e, NULL) == 0);
}

/* ---- Performing ----------------------------------------------------------------------------- */

/* Lets those run that nothing has to come before any more. */
static void wake(struct trial *t, uint64_t candidates)
{
    struct events *e = t->events;

    for (; candidates != 0; candidates &= candidates - 1) {
        uint32_t event = (uint32_t)__builtin_ctzll(candidates);
        struct sn_op *op = &t->ops[t->sources[e->now.sources[event]].head];

        if ((e->now.done & EVENT(event)) != 0 || (e->before[event] & ~e->now.done) != 0)
            continue;
        op->cause = (uint32_t)t->now.steps; /* before that it could not have run */
        source_wake(t, e->now.sources[event]);
    }
}

/* Those that wait for an event, or for one of several. */
static uint64_t waiting_for(const struct events *e, uint64_t events)
{
    uint64_t set = 0;

    for (uint32_t i = 0; i < e->recording.n; i++) {
        if ((e->before[i] & events) != 0)
            set |= EVENT(i);
    }
    return set;
}

static void perform(void *self, const void *payload)
{
    struct trial *t = trial_here();
    struct events *e = t->events;
    uint32_t event = *(const uint32_t *)payload;
    uint64_t all = e->recording.n < 64 ? EVENT(e->recording.n) - 1 : UINT64_MAX;

    (void)self;
    e->host->perform(t, event);
    e->now.order[e->now.n++] = (uint8_t)event;
    e->now.done |= EVENT(event);
    wake(t, waiting_for(e, EVENT(event)));
    if (e->now.done != all)
        return;
    t->machines->actor = NULL; /* what is wrong at the end is nobody's in particular */
    e->host->finish(t);
}

/* ---- Announcing ----------------------------------------------------------------------------- */

static void print_args(struct sn_text *out, const void *payload)
{
    const struct recording *r = &trial_here()->events->recording;
    const struct recorded *e = &r->events[*(const uint32_t *)payload];

    if (e->kind == SN_EVENT_REQUEST)
        text_print(out, "for %s", r->replicas[e->peer]);
    else if (recorded_is_applied(e))
        text_print(out, "of event %u from %s", e->of, r->replicas[e->peer]);
    else
        text_puts(out, e->args);
}

static uint64_t key_of(const void *payload)
{
    return *(const uint32_t *)payload;
}

/* Units are contiguous, so what comes before the first event of a group comes before all of it, and
 * the others follow in its order. That nothing comes in between is up to the strategy. */
static void order_events(struct events *e)
{
    const struct units *u = &e->units;

    for (uint32_t unit = 0; unit < u->n; unit++) {
        uint64_t before = 0;

        for (uint64_t left = u->before[unit]; left != 0; left &= left - 1) {
            uint32_t other = (uint32_t)__builtin_ctzll(left);

            before |= EVENT(u->events[u->first[other] + u->n_of[other] - 1]);
        }
        for (uint32_t i = 0; i < u->n_of[unit]; i++) {
            uint8_t event = u->events[u->first[unit] + i];

            e->before[event] = before;
            before = EVENT(event);
        }
    }
}

int events_know(struct events *e, struct err *why)
{
    int rc = recording_settle(&e->recording, why);

    if (rc == 0)
        rc = units_make(&e->units, &e->recording, &e->rules, why);
    if (rc < 0)
        return rc;
    order_events(e);
    for (uint32_t i = 0; i < e->recording.n_replicas; i++)
        e->types[i] = (struct sn_machine){.name = e->recording.replicas[i], .start = &e->state};
    for (uint32_t i = 0; i < e->recording.n; i++) {
        e->kinds[i] = (struct sn_event){.name = e->recording.events[i].op,
                                        .size = sizeof(uint32_t),
                                        .print = print_args,
                                        .key = key_of};
        e->ons[i] = (struct sn_on){.event = &e->kinds[i], .run = perform};
        (void)snprintf(e->labels[i], sizeof(e->labels[i]), "event %u takes part", i);
    }
    e->ons[e->recording.n] = (struct sn_on){.event = NULL};
    e->state = (struct sn_state){.name = "replica", .on = e->ons};
    e->is_known = true;
    return 0;
}

int events_change_units(struct events *e, struct err *why)
{
    uint64_t was[RECORDING_EVENTS_MAX];
    int rc = units_make(&e->units, &e->recording, &e->rules, why);

    if (rc < 0)
        return rc;
    memcpy(was, e->before, sizeof(was));
    order_events(e);
    for (uint32_t i = 0; i < e->recording.n; i++)
        e->before[i] &= was[i];
    return 0;
}

/* A replica needs no first step. */
static uint32_t create(struct trial *t, const struct sn_machine *type)
{
    uint32_t task = trial_task_new(t);
    struct machine *m = &t->machines->all[task];

    *m = (struct machine){.type = type, .task = task, .state = type->start, .is_started = true};
    t->machines->clocks[task] = 0;
    trial_record(t, create, task, type);
    trial_created(t, task, type->name);
    return task;
}

void events_announce(struct trial *t)
{
    struct events *e = t->events;
    uint32_t tasks[RECORDING_REPLICAS_MAX];

    sn_check(e->is_known);
    t->now.n_own[OWN_EVENTS] = 1;
    e->now = (struct events_now){.n = 0};
    for (uint32_t i = 0; i < e->recording.n_replicas; i++)
        tasks[i] = create(t, &e->types[i]);
    for (uint32_t i = 0; i < e->recording.n; i++) {
        uint32_t task = tasks[e->recording.events[i].replica];
        uint32_t number = machine_announce(t, SN_OP_DELIVER, task, &e->kinds[i]);

        op_set_payload(t, number, &i, sizeof(i));
        e->now.sources[i] = source_single(t, task);
        source_append_asleep(t, e->now.sources[i], number);
        trial_record(t, send, &t->ops[number], op_payload(t, &t->ops[number]));
    }
}

static void begin(struct trial *t)
{
    segment_begin(t->events->segment);
}

/* Decides which events take part, and lets the first ones run. What a message would have been made
 * by takes no part: then it waits for nothing, and applying it does nothing. */
static void arm(struct trial *t)
{
    struct events *e = t->events;

    if (!events_are_used(t))
        return;
    for (uint32_t i = 0; i < e->recording.n; i++) {
        if (trial_draw_preferring(t, e->labels[i], 2, 1) == 0)
            e->now.omitted |= EVENT(i);
    }
    e->now.done = e->now.omitted;
    for (uint32_t i = 0; i < e->recording.n; i++)
        wake(t, EVENT(i));
}
