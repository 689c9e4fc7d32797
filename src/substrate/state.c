/* state.c - the interpreter of state tables: which entry applies, and the transitions it causes.
 *
 * The semantics are P#'s and are written down in docs/machines.md. An event is looked up from the
 * top state down. An entry that only runs, defers or ignores is inherited by the states pushed
 * above; one that changes state first leaves the states above it. SPDX-License-Identifier: MIT
 */
#include "engine/op.h"
#include "substrate/liveness.h"
#include "substrate/machine.h"

#include <stdint.h>

/* ---- Lookup --------------------------------------------------------------------------------- */

static const struct sn_on *search_state(const struct sn_state *state, const struct sn_event *event)
{
    const struct sn_on *any = NULL;

    if (state->on == NULL)
        return NULL;
    for (const struct sn_on *on = state->on; on->event != NULL; on++) {
        if (on->event == event)
            return on;
        if (on->event == &sn_any && any == NULL)
            any = on;
    }
    /* Halting a machine from outside must not depend on its having no catch-all. */
    return event == &sn_halt_event ? NULL : any;
}

/* An entry must say one thing, or run and go to another state. */
static void check_entry(struct trial *t, const struct sn_state *state, const struct sn_on *on)
{
    int others = (on->push != NULL) + on->pop + on->defer + on->ignore + on->halt;
    int all = others + (on->go_to != NULL);
    int same = 0;

    for (const struct sn_on *other = state->on; other->event != NULL; other++)
        same += other->event == on->event;
    if (same > 1)
        trial_fail(t, "usage", NULL, "state %s has %d entries for %s", state->name, same,
                   on->event->name);
    if (all == 0 && on->run == NULL)
        trial_fail(t, "usage", NULL, "state %s has an entry for %s that does nothing", state->name,
                   on->event->name);
    if (all > 1 || (others > 0 && on->run != NULL))
        trial_fail(t, "usage", NULL, "state %s has an entry for %s that does more than one thing",
                   state->name, on->event->name);
}

const struct sn_on *state_search(struct trial *t, const struct sn_state *state,
                                 const struct sn_event *event)
{
    struct machine_dispatch *cached = state_cached(t, state, event);
    const struct sn_on *on = search_state(state, event);

    if (on != NULL)
        check_entry(t, state, on);
    *cached = (struct machine_dispatch){state, event, on, NULL};
    t->machines->is_covered[cached - t->machines->dispatch] = false;
    return on;
}

const struct sn_on *state_find(struct trial *t, const struct machine *m,
                               const struct sn_event *event, uint32_t *depth)
{
    const struct sn_on *on = state_find_here(t, m->state, event);
    uint32_t frame = m->frame;

    *depth = 0;
    while (on == NULL && frame != 0) {
        on = state_find_here(t, t->machines->frames[frame].state, event);
        frame = t->machines->frames[frame].below;
        ++*depth;
    }
    return on;
}

static bool defers(const struct sn_state *state)
{
    for (const struct sn_on *on = state->on; on != NULL && on->event != NULL; on++) {
        if (on->defer)
            return true;
    }
    return false;
}

bool state_has_defers(const struct trial *t, const struct machine *m)
{
    if (m->state == NULL)
        return false;
    if (defers(m->state))
        return true;
    for (uint32_t i = m->frame; i != 0; i = t->machines->frames[i].below) {
        if (defers(t->machines->frames[i].state))
            return true;
    }
    return false;
}

/* ---- Entering and leaving ------------------------------------------------------------------- */

static void record_state(struct trial *t, const char *was, const struct sn_state *is,
                         const char *how)
{
    trial_record(t, state, was, is, how);
}

/* Where the code under test is called; an exit has no payload. */
static STACK_ONLY_CALLS void
call_action(struct machine *m, void (*run)(void *self, const void *payload), const void *payload)
{
    run(m->self, payload);
    STACK_CALLED();
}

static STACK_ONLY_CALLS void call_exit(struct machine *m)
{
    m->state->exit(m->self);
    STACK_CALLED();
}

static void run_exit(struct machine *m)
{
    if (m->state->exit == NULL)
        return;
    m->is_leaving = true;
    call_exit(m);
    m->is_leaving = false;
}

static void run_entry(struct machine *m, const void *payload)
{
    if (m->state->entry != NULL)
        call_action(m, m->state->entry, payload);
}

/* Only monitors are judged by temperature: a machine that has one is not listed as a monitor. */
static void check_temperature(struct trial *t, const struct machine *m,
                              const struct sn_state *state)
{
    if (state->temperature != SN_PLAIN)
        trial_fail(
            t, "usage", NULL,
            "state %s is hot or cold, but %s is a machine and not one of the test's monitors",
            state->name, m->type->name);
}

static void set_state(struct trial *t, struct machine *m, const struct sn_state *state)
{
    const struct sn_state *was = m->state;

    m->state = state;
    if (m->task == 0)
        liveness_turn(t, m, was);
    else
        check_temperature(t, m, state);
}

static void frame_push(struct trial *t, struct machine *m)
{
    struct machines *all = t->machines;
    uint32_t frame = t->now.n_own[OWN_FREE_FRAME];

    if (frame != 0) {
        t->now.n_own[OWN_FREE_FRAME] = all->frames[frame].below;
    } else {
        if (t->now.n_own[OWN_FRAMES] == MACHINE_FRAMES_MAX)
            op_too_many(t, "pushed states");
        frame = t->now.n_own[OWN_FRAMES]++;
    }
    all->frames[frame] = (struct machine_frame){m->state, m->frame};
    m->frame = frame;
}

static void frame_pop(struct trial *t, struct machine *m)
{
    uint32_t frame = m->frame;

    set_state(t, m, t->machines->frames[frame].state);
    m->frame = t->machines->frames[frame].below;
    t->machines->frames[frame].below = t->now.n_own[OWN_FREE_FRAME];
    t->now.n_own[OWN_FREE_FRAME] = frame;
}

static void enter(struct trial *t, struct machine *m, const struct sn_state *state,
                  const void *payload)
{
    record_state(t, m->state->name, state, "goto");
    set_state(t, m, state);
    run_entry(m, payload);
}

static void push(struct trial *t, struct machine *m, const struct sn_state *state,
                 const void *payload)
{
    record_state(t, m->state->name, state, "push");
    frame_push(t, m);
    set_state(t, m, state);
    run_entry(m, payload);
}

static void pop(struct trial *t, struct machine *m)
{
    const char *was = m->state->name;
    char name[128];

    if (m->frame == 0)
        trial_fail(t, "usage", NULL, "%s pops state %s, which was not pushed",
                   machine_name(t, m, name, sizeof(name)), was);
    run_exit(m);
    frame_pop(t, m);
    record_state(t, was, m->state, "pop");
}

void state_start(struct trial *t, struct machine *m, const void *payload)
{
    m->state = m->type->start;
    set_state(t, m, m->state);
    record_state(t, NULL, m->state, "start");
    run_entry(m, payload);
    if (unlikely(m->request != REQUEST_NONE))
        state_requests(t, m, payload);
}

/* ---- Handling ------------------------------------------------------------------------------- */

static void unhandled(struct trial *t, struct machine *m, const struct sn_event *event,
                      const char *how)
{
    const char *hint = "";
    char name[128];

    for (const struct sn_on *on = m->state->on; on != NULL && on->event != NULL; on++) {
        if (on->event != event && strcmp(on->event->name, event->name) == 0)
            hint = " (it has an entry for another event of that name: define each event once)";
    }
    trial_fail(t, "unhandled", NULL, "%s in state %s %s %s%s",
               machine_name(t, m, name, sizeof(name)), m->state->name, how, event->name, hint);
}

static void refuse_request(struct trial *t, struct machine *m)
{
    char name[128];

    trial_fail(t, "usage", NULL,
               "%s asks for a transition in an action whose table entry already makes one",
               machine_name(t, m, name, sizeof(name)));
}

/* Does what one entry of a table says; what its actions ask for is left to the caller. */
static void apply(struct trial *t, struct machine *m, const struct sn_on *on, const void *payload)
{
    if (on->go_to != NULL) {
        run_exit(m);
        if (on->run != NULL)
            call_action(m, on->run, payload);
        if (m->request != REQUEST_NONE)
            refuse_request(t, m);
        enter(t, m, on->go_to, payload);
    } else if (on->push != NULL) {
        push(t, m, on->push, payload);
    } else if (on->pop) {
        pop(t, m);
    } else if (on->halt) {
        m->request = REQUEST_HALT;
    } else if (on->run != NULL) {
        call_action(m, on->run, payload);
    }
}

/* The state handles the event, perhaps for the first time. The next time it can be run at once. */
static void cover(struct trial *t, const struct machine *m, const struct sn_event *event)
{
    struct machine_dispatch *cached = state_cached(t, m->state, event);
    bool *is_covered = &t->machines->is_covered[cached - t->machines->dispatch];

    if (likely(*is_covered && cached->state == m->state && cached->event == event))
        return;
    coverage_add(&t->machines->coverage, m->type, m->state, event);
    if (cached->state != m->state || cached->event != event)
        return; /* another one has taken its place */
    *is_covered = true;
    if (cached->on != NULL && cached->on->go_to == NULL)
        cached->run = cached->on->run;
}

/* Handles one event without what its actions ask for. */
static void handle_one(struct trial *t, struct machine *m, const struct sn_event *event,
                       const void *payload)
{
    uint32_t depth = 0;
    const struct sn_on *on = state_find(t, m, event, &depth);

    cover(t, m, event);
    if (unlikely(on == NULL)) {
        if (event != &sn_halt_event)
            unhandled(t, m, event, "cannot handle");
        m->request = REQUEST_HALT;
        return;
    }
    if (likely(on->run != NULL && on->go_to == NULL)) {
        call_action(m, on->run, payload);
        return;
    }
    if (on->defer)
        unhandled(t, m, event,
                  m->task == 0 ? "is a monitor and cannot defer" : "raises what it defers:");
    if (on->ignore) {
        trial_record(t, event, "ignored", event, 0, NULL);
        return;
    }
    while (!on->halt && depth-- > 0)
        pop(t, m);
    apply(t, m, on, payload);
}

void state_requests(struct trial *t, struct machine *m, const void *payload)
{
    uint32_t held = 0; /* the operation whose payload is the current one */
    uint32_t raised;

    for (uint32_t n = 0; m->request != REQUEST_NONE; n++) {
        enum machine_request request = m->request;

        if (n == MACHINE_CHAIN_MAX)
            trial_fail(t, "limit", NULL, "%u transitions within one step", n);
        m->request = REQUEST_NONE;
        switch (request) {
        case REQUEST_GOTO:
            run_exit(m);
            enter(t, m, m->request_state, payload);
            break;
        case REQUEST_PUSH:
            push(t, m, m->request_state, payload);
            break;
        case REQUEST_POP:
            pop(t, m);
            break;
        case REQUEST_RAISE:
            raised = m->raised;
            payload = op_payload(t, &t->ops[raised]);
            handle_one(t, m, m->request_event, payload);
            if (held != 0)
                op_free(t, held);
            held = raised;
            break;
        case REQUEST_HALT:
            machine_halt(t, m);
            break;
        case REQUEST_NONE:
            break;
        }
    }
    if (held != 0)
        op_free(t, held);
}

void state_handle(struct trial *t, struct machine *m, const struct sn_event *event,
                  const void *payload)
{
    handle_one(t, m, event, payload);
    if (unlikely(m->request != REQUEST_NONE))
        state_requests(t, m, payload);
}
