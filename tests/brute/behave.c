/* behave.c - carries out programs as machines of the library.
 *
 * A handful of handlers serves all states of all programs: a handler finds its instructions by the
 * machine's type, the state that it was made for, and the event that is named in the message.
 * SPDX-License-Identifier: MIT
 */
#include "behave.h"

#include <stdlib.h>
#include <string.h>

struct interpretation interpretation;

static const struct sn_event events[EVENTS] = {
    {.name = "E0", .size = sizeof(struct message)},
    {.name = "E1", .size = offsetof(struct envelope, rest) + 100},
    {.name = "E2", .size = sizeof(struct message)},
    {.name = "E3", .size = offsetof(struct envelope, rest) + REST_MAX},
};

/* Where the state lies if it lies in globals. Nothing puts it back but the library. */
static struct body *bodies[MACHINES_MAX + 2]; /* the fault task comes before them */
static struct monitor_body monitor_bodies[MONITORS_MAX];
static struct board global_board;

const struct sn_event *interpret_event(uint8_t event)
{
    return event == EVENT_HALT ? &sn_halt_event : event == EVENT_ANY ? &sn_any : &events[event];
}

static void observe(struct board *board, struct observation seen)
{
    sn_assert(board->n_observations < OBSERVATIONS_MAX);
    seen.now = (uint32_t)sn_now_ns();
    interpretation.record->observations[board->n_observations++] = seen;
    interpretation.record->n_written = board->n_observations;
}

static void observe_body(const struct body *b, int what, uint8_t state)
{
    observe(b->board, (struct observation){.machine = b->birth,
                                           .stamp = b->stamp,
                                           .state = state,
                                           .what = (uint8_t)what,
                                           .count = b->locals.count,
                                           .acc = b->locals.acc});
}

/* ---- Instructions ---------------------------------------------------------------------------- */

static sn_id resolve(const struct body *b, uint8_t whom, const struct message *m)
{
    switch (whom) {
    case WHOM_SELF:
        return b->self;
    case WHOM_SENDER:
        return m->from;
    case WHOM_PARENT:
        return b->parent;
    case WHOM_CHILD:
        return b->child;
    case WHOM_CARRIED:
        return m->carried;
    default:
        return (uint32_t)(whom - WHOM_ROOT) < b->board->n_roots ? b->board->roots[whom - WHOM_ROOT]
                                                                : SN_NOBODY;
    }
}

/* The stamp of the next operation announced. An exit action does not know what is being performed.
 */
static uint64_t next_stamp(struct body *b)
{
    return b->stamp == 0 ? stamp_child(~b->birth, b->n_left++)
                         : stamp_child(b->stamp, b->n_children++);
}

static void create(struct body *b, const struct instruction *in, uint8_t life)
{
    const struct sn_machine *type = &interpretation.tables->types[in->arg];
    const struct message birth = {.board = b->board,
                                  .stamp = next_stamp(b),
                                  .from = b->self,
                                  .carried = b->self,
                                  .life = life,
                                  .type = in->arg};

    if (b->self == SN_NOBODY && in->whom != 0)
        b->child = sn_create_on(in->whom, type, &birth);
    else
        b->child = sn_create(type, &birth);
}

static const void *seal(struct envelope *envelope, const struct message *m)
{
    envelope->message = *m;
    memset(envelope->rest, (uint8_t)m->stamp,
           events[m->event].size - offsetof(struct envelope, rest));
    return envelope;
}

static bool is_whole(const struct message *m)
{
    const struct envelope *envelope = (const struct envelope *)m;

    for (size_t i = 0; i < events[m->event].size - offsetof(struct envelope, rest); i++)
        if (envelope->rest[i] != (uint8_t)m->stamp)
            return false;
    return true;
}

static void send(struct body *b, sn_id to, const struct instruction *in, uint8_t life)
{
    struct message m = {.board = b->board,
                        .from = b->self,
                        .carried = b->child != 0 ? b->child : b->self,
                        .event = in->event,
                        .life = life,
                        .value = (uint8_t)((b->locals.acc + in->arg) & 3)};
    struct envelope envelope;

    if (to == SN_NOBODY)
        return;
    m.stamp = next_stamp(b);
    if (in->event == EVENT_HALT)
        sn_send(to, &sn_halt_event, NULL);
    else
        sn_send(to, &events[in->event], seal(&envelope, &m));
}

static void start_timer(struct body *b, const struct instruction *in, uint8_t life)
{
    const struct message m = {.board = b->board,
                              .stamp = next_stamp(b),
                              .from = b->self,
                              .carried = b->child != 0 ? b->child : b->self,
                              .event = in->event,
                              .value = b->locals.acc & 3,
                              .life = life};
    struct envelope envelope;

    if (in->code == CODE_TIMER_ANY)
        b->timers[0] = sn_timer_start_any(&events[in->event], seal(&envelope, &m));
    else
        b->timers[0] = sn_timer_start(&events[in->event], in->arg, seal(&envelope, &m));
    b->timer_stamps[0] = m.stamp;
    if (b->timers[1] == 0) {
        b->timers[1] = b->timers[0];
        b->timer_stamps[1] = m.stamp;
    }
}

static void cancel(struct body *b, uint8_t which)
{
    bool is_cancelled;

    if (b->timers[which] == 0)
        return;
    is_cancelled = sn_timer_cancel(b->timers[which]);
    locals_add(&b->locals, is_cancelled);
    observe_body(b, OBSERVED_CANCEL + is_cancelled, 0);
}

static void call_monitor(const struct body *b, const struct instruction *in)
{
    const struct message m = {.board = b->board,
                              .stamp = b->stamp,
                              .from = b->self,
                              .event = in->event,
                              .value = b->locals.acc,
                              .monitor = in->arg};
    struct envelope envelope;

    sn_monitor(&interpretation.tables->monitors[in->arg], &events[in->event], seal(&envelope, &m));
}

static void set_link(const struct body *b, const struct instruction *in)
{
    int from = in->whom - WHOM_ROOT;
    int to = in->event - 1;
    int n = (int)b->board->n_roots;

    if (from < n && to < n)
        sn_link_order(from >= 0 ? b->board->roots[from] : SN_NOBODY,
                      to >= 0 ? b->board->roots[to] : SN_NOBODY, (enum sn_order)in->arg);
}

static void control(struct body *b, const struct instruction *in, const struct message *m)
{
    const struct sn_state *states = interpretation.tables->states[b->type];
    struct message raised = *m;
    struct envelope envelope;

    b->locals.controls--;
    switch (in->code) {
    case CODE_GOTO:
        sn_goto(&states[in->arg]);
        break;
    case CODE_PUSH:
        sn_push(&states[in->arg]);
        break;
    case CODE_POP:
        sn_pop();
        break;
    case CODE_RAISE:
        raised.event = in->event;
        raised.value = b->locals.acc & 3;
        if (in->event == EVENT_HALT)
            sn_raise(&sn_halt_event, NULL);
        else
            sn_raise(&events[in->event], seal(&envelope, &raised));
        break;
    default:
        sn_halt();
        break;
    }
}

static void carry_out(struct body *b, const struct instruction *in, const struct message *m)
{
    uint8_t life = (uint8_t)(m->life - 1);

    switch (in->code) {
    case CODE_SEND:
        if (m->life > 0)
            send(b, resolve(b, in->whom, m), in, life);
        break;
    case CODE_CREATE:
        if (m->life > 0)
            create(b, in, life);
        break;
    case CODE_TIMER:
    case CODE_TIMER_ANY:
        if (m->life > 0)
            start_timer(b, in, life);
        break;
    case CODE_DRAW:
        locals_drew(&b->locals, (uint8_t)sn_choose("value", in->arg));
        observe_body(b, OBSERVED_DRAW + b->locals.drew, 0);
        break;
    case CODE_CANCEL:
        cancel(b, in->arg);
        break;
    case CODE_MONITOR:
        call_monitor(b, in);
        break;
    case CODE_LINK:
        set_link(b, in);
        break;
    default:
        break;
    }
}

static void act(struct body *b, int what, int state, const struct script *script,
                const struct message *m)
{
    locals_begin(&b->locals, m->value);
    observe_body(b, what, (uint8_t)state);
    for (int i = 0; i < script->n; i++) {
        const struct instruction *in = &script->list[i];

        if (!locals_meet(&b->locals, in->condition, m->value))
            continue;
        if (in->code >= CODE_GOTO && b->locals.controls > 0) {
            control(b, in, m);
            return;
        }
        carry_out(b, in, m);
    }
}

/* ---- Handlers -------------------------------------------------------------------------------- */

static struct body *body_of(void *self)
{
    return interpretation.has_globals ? bodies[sn_self()] : self;
}

static void begin_birth(void *self, const struct message *m)
{
    struct body *b = self;

    if (interpretation.has_globals) {
        sn_assert(sn_self() < sizeof(bodies) / sizeof(bodies[0]));
        b = calloc(1, sizeof(*b));
        sn_assert(b != NULL);
        bodies[sn_self()] = b;
        ((struct mark *)self)->is_born = true;
    }
    sn_assert(b->birth == 0);
    b->board = m->board;
    b->birth = m->stamp;
    b->self = sn_self();
    b->parent = m->from;
    b->type = m->type;
    b->locals.controls = interpretation.program->controls;
}

/* An action with a message begins; the first of a step brings the step's stamp. */
static struct body *begin_action(void *self, const struct message *m)
{
    struct body *b;

    sn_assert(m != NULL);
    if (!(interpretation.has_globals ? ((struct mark *)self)->is_born
                                     : ((struct body *)self)->birth != 0))
        begin_birth(self, m);
    b = body_of(self);
    sn_assert(b->self == sn_self() && (b->birth == m->stamp || is_whole(m)));
    sn_assert(sn_sender() == m->from);
    if (b->stamp != m->stamp) {
        b->stamp = m->stamp;
        b->n_children = 0;
    }
    return b;
}

static void enter(void *self, const void *payload, int state)
{
    struct body *b = begin_action(self, payload);

    act(b, OBSERVED_ENTRY, state, &interpretation.program->types[b->type].states[state].entry,
        payload);
}

static void leave(void *self, int state)
{
    struct body *b = body_of(self);
    const struct message nothing = {.life = b->n_left < LEFT_MAX};
    uint64_t stamp = b->stamp;

    b->stamp = 0;
    act(b, OBSERVED_EXIT, state, &interpretation.program->types[b->type].states[state].exit,
        &nothing);
    b->stamp = stamp;
}

static void run(void *self, const void *payload, int state)
{
    const struct message *m = payload;
    struct body *b = begin_action(self, m);
    const struct binding *on = interpretation.program->types[b->type].states[state].on;

    on = on[m->event].kind != BIND_NONE ? &on[m->event] : &on[EVENT_ANY];
    sn_assert(on->kind == BIND_RUN || on->kind == BIND_RUN_GOTO);
    act(b, OBSERVED_RUN + m->event, state, &on->script, m);
}

static void watch(void *self, const void *payload, int state)
{
    const struct message *m = payload;
    struct monitor_body *b = interpretation.has_globals ? &monitor_bodies[m->monitor] : self;

    b->count++;
    b->acc = (uint8_t)((b->acc * 3 + m->event + m->value) & 15);
    sn_assert(sn_self() == m->from);
    if (interpretation.program->monitors[m->monitor].draws[state][m->event])
        b->acc ^= (uint8_t)sn_maybe("seen");
    observe(m->board, (struct observation){.machine = m->monitor,
                                           .stamp = m->stamp,
                                           .what = (uint8_t)(OBSERVED_MONITOR + m->event),
                                           .state = (uint8_t)state,
                                           .count = b->count,
                                           .acc = b->acc});
}

#define HANDLERS(n_)                                                                               \
    static void enter_##n_(void *self, const void *payload)                                        \
    {                                                                                              \
        enter(self, payload, n_);                                                                  \
    }                                                                                              \
    static void leave_##n_(void *self)                                                             \
    {                                                                                              \
        leave(self, n_);                                                                           \
    }                                                                                              \
    static void run_##n_(void *self, const void *payload)                                          \
    {                                                                                              \
        run(self, payload, n_);                                                                    \
    }

HANDLERS(0)
HANDLERS(1)
HANDLERS(2)

static void watch_0(void *self, const void *payload)
{
    watch(self, payload, 0);
}

static void watch_1(void *self, const void *payload)
{
    watch(self, payload, 1);
}

sn_handler *const behave_entry[STATES_MAX] = {enter_0, enter_1, enter_2};
void (*const behave_exit[STATES_MAX])(void *self) = {leave_0, leave_1, leave_2};
sn_handler *const behave_run[STATES_MAX] = {run_0, run_1, run_2};
sn_handler *const behave_watch[2] = {watch_0, watch_1};

/* Stamps name operations and decide nothing, but those of timers tell which one a handle means. */
uint64_t behave_fingerprint(const void *self)
{
    const struct body *b = self;
    const uint8_t *locals = (const uint8_t *)&b->locals;
    uint64_t h = stamp_child(b->birth != 0, b->n_left);

    h = stamp_child(stamp_child(h, b->parent), b->child);
    h = stamp_child(h ^ b->timer_stamps[0], b->type);
    h = stamp_child(h ^ b->timer_stamps[1], 0);
    for (size_t i = 0; i < sizeof(b->locals); i++)
        h = stamp_child(h, locals[i]);
    return h;
}

uint64_t behave_watch_fingerprint(const void *self)
{
    const struct monitor_body *b = self;

    return stamp_child(b->count, b->acc);
}

/* ---- The test -------------------------------------------------------------------------------- */

void behave_test(void)
{
    struct board *board = interpretation.has_globals ? &global_board : sn_alloc(sizeof(*board));
    const struct message m = {.life = (uint8_t)(interpretation.program->life + 1)};
    struct body b = {.board = board, .birth = STAMP_TEST, .stamp = STAMP_TEST};

    sn_assert(board->n_roots == 0 && board->n_observations == 0 && sn_self() == SN_NOBODY);
    for (int i = 0; i < interpretation.program->n_nodes; i++)
        (void)sn_node_new("node");
    for (int i = 0; i < interpretation.program->n_run; i++) {
        const struct instruction *in = &interpretation.program->run[i];

        if (!locals_meet(&b.locals, in->condition, 0))
            continue;
        carry_out(&b, in, &m);
        if (in->code == CODE_CREATE && board->n_roots < ROOTS_MAX)
            board->roots[board->n_roots++] = b.child;
    }
}
