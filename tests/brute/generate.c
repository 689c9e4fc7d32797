/* generate.c - random programs that stay inside what is documented.
 *
 * Where the documentation leaves something open a program does not do it: a state is pushed only on
 * the others of its type, and events that it leaves to the states below meet nothing there that
 * changes states; types that can halt have no exit actions; events that may be deferred are not
 * raised; a handler combined with go_to does not ask for another change itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "generate.h"

#include <string.h>

struct generator {
    uint64_t random;
    struct program *program;
    uint8_t n_roots;
    bool has_halt_event;
    bool has_timers;
    bool has_draws;
    /* of the type being made: */
    bool can_halt;
    bool has_pushed;           /* its last state is only pushed, the others only gone to */
    bool is_left[EVENTS_ALL];  /* events that the pushed state leaves to those below */
};

/* Which changes of state a script may ask for. */
enum controls { CONTROLS_NONE, CONTROLS_BASE, CONTROLS_PUSHED };

uint32_t random_below(uint64_t *state, uint32_t n)
{
    *state = stamp_child(*state, 7);
    return (uint32_t)((*state >> 32) * n >> 32);
}

static uint8_t below(struct generator *g, uint32_t n)
{
    return (uint8_t)random_below(&g->random, n);
}

static bool chance(struct generator *g, uint32_t percent)
{
    return random_below(&g->random, 100) < percent;
}

static uint8_t any_condition(struct generator *g)
{
    return chance(g, 45) ? IF_ALWAYS : (uint8_t)(1 + below(g, CONDITIONS - 1));
}

static uint8_t base_state(struct generator *g, const struct type *type)
{
    return below(g, (uint32_t)(type->n_states - g->has_pushed));
}

static struct instruction any_send(struct generator *g)
{
    struct instruction in = {.code = CODE_SEND, .event = below(g, EVENTS), .arg = below(g, 4)};

    in.whom = chance(g, 60) ? (uint8_t)(WHOM_ROOT + below(g, g->n_roots)) : below(g, WHOM_ROOT);
    if (g->has_halt_event && chance(g, 15))
        in.event = EVENT_HALT;
    return in;
}

static struct instruction any_timer(struct generator *g)
{
    if (chance(g, 30))
        return (struct instruction){.code = CODE_CANCEL};
    if (chance(g, 35))
        return (struct instruction){.code = CODE_TIMER_ANY, .event = below(g, EVENTS)};
    return (struct instruction){
        .code = CODE_TIMER, .event = below(g, EVENTS), .arg = (uint8_t)(1 + below(g, 3))};
}

static struct instruction any_instruction(struct generator *g)
{
    if (g->has_timers && chance(g, 25))
        return any_timer(g);
    if (g->has_draws && chance(g, 18))
        return (struct instruction){.code = CODE_DRAW, .arg = (uint8_t)(2 + below(g, 2))};
    if (g->program->n_monitors > 0 && chance(g, 22))
        return (struct instruction){.code = CODE_MONITOR, .event = below(g, EVENTS),
                                    .arg = below(g, g->program->n_monitors)};
    if (chance(g, 12))
        return (struct instruction){.code = CODE_CREATE, .arg = below(g, g->program->n_types)};
    return any_send(g);
}

static struct instruction any_control(struct generator *g, const struct type *type,
                                      enum controls controls)
{
    uint8_t kind = below(g, 10);

    if (kind < 4)
        return (struct instruction){.code = CODE_GOTO, .arg = base_state(g, type)};
    if (kind < 6 && g->has_pushed && controls == CONTROLS_BASE)
        return (struct instruction){.code = CODE_PUSH, .arg = (uint8_t)(type->n_states - 1)};
    if (kind < 6 && controls == CONTROLS_PUSHED)
        return (struct instruction){.code = CODE_POP};
    if (kind < 9 || !g->can_halt)
        return (struct instruction){
            .code = CODE_RAISE,
            .event = (uint8_t)(EVENT_RAISED + below(g, EVENTS - EVENT_RAISED))};
    return (struct instruction){.code = CODE_HALT};
}

static void make_script(struct generator *g, const struct type *type, enum controls controls,
                        struct script *script)
{
    uint8_t n = below(g, 3);

    for (uint8_t i = 0; i < n; i++) {
        script->list[script->n] = any_instruction(g);
        script->list[script->n++].condition = any_condition(g);
    }
    if (controls != CONTROLS_NONE && chance(g, 30)) {
        script->list[script->n] = any_control(g, type, controls);
        script->list[script->n++].condition = any_condition(g);
    }
}

/* Exit actions only look on: what they would announce could not be named. */
static void make_exit(struct generator *g, struct script *script)
{
    struct instruction in = {.code = CODE_CANCEL};

    if (g->program->n_monitors > 0 && chance(g, 50))
        in = (struct instruction){.code = CODE_MONITOR, .event = below(g, EVENTS)};
    else if (g->has_draws && chance(g, 30))
        in = (struct instruction){.code = CODE_DRAW, .arg = 2};
    in.condition = any_condition(g);
    script->list[0] = in;
    script->n = 1;
}

static void make_binding(struct generator *g, const struct type *type, uint8_t event,
                         struct binding *on)
{
    bool is_left = g->is_left[event];
    uint8_t kind = below(g, 100);

    on->state = base_state(g, type);
    if (event < EVENT_RAISED && kind < 20) {
        on->kind = BIND_DEFER;
    } else if (kind < 30) {
        on->kind = BIND_IGNORE;
    } else if (kind < 40 && !is_left) {
        on->kind = BIND_GOTO;
    } else if (kind < 50 && !is_left) {
        on->kind = BIND_RUN_GOTO;
        make_script(g, type, CONTROLS_NONE, &on->script);
    } else if (kind < 58 && !is_left && g->has_pushed) {
        on->kind = BIND_PUSH;
        on->state = (uint8_t)(type->n_states - 1);
    } else if (kind < 61 && !is_left && g->can_halt) {
        on->kind = BIND_HALT;
    } else {
        on->kind = BIND_RUN;
        make_script(g, type, is_left ? CONTROLS_NONE : CONTROLS_BASE, &on->script);
    }
}

/* The entry of the pushed state for an event that it does not leave to those below. */
static void make_pushed_binding(struct generator *g, const struct type *type, uint8_t event,
                                struct binding *on)
{
    uint8_t kind = below(g, 100);

    on->state = base_state(g, type);
    if (event < EVENT_RAISED && kind < 20) {
        on->kind = BIND_DEFER;
    } else if (kind < 30) {
        on->kind = BIND_IGNORE;
    } else if (kind < 35) {
        on->kind = BIND_GOTO;
    } else if (kind < 60) {
        on->kind = BIND_POP;
    } else {
        on->kind = BIND_RUN;
        make_script(g, type, CONTROLS_PUSHED, &on->script);
    }
}

static void make_halt_binding(struct generator *g, struct binding *on)
{
    static const uint8_t kinds[] = {BIND_NONE, BIND_NONE, BIND_NONE, BIND_DEFER, BIND_IGNORE,
                                    BIND_HALT};

    on->kind = kinds[below(g, 6)];
}

static void make_state(struct generator *g, const struct type *type, uint8_t number,
                       struct state *state)
{
    bool is_pushed = g->has_pushed && number == type->n_states - 1;
    bool has_any = !is_pushed && !g->has_halt_event && chance(g, 25);
    enum controls controls = is_pushed ? CONTROLS_PUSHED : CONTROLS_BASE;

    state->has_entry = number == 0 || chance(g, 60);
    state->has_exit = !g->can_halt && chance(g, 40);
    if (state->has_entry)
        make_script(g, type, chance(g, 40) ? controls : CONTROLS_NONE, &state->entry);
    if (state->has_exit)
        make_exit(g, &state->exit);
    for (uint8_t e = 0; e < EVENTS; e++) {
        if (is_pushed && !g->is_left[e])
            make_pushed_binding(g, type, e, &state->on[e]);
        else if (!is_pushed && !(has_any && chance(g, 50)))
            make_binding(g, type, e, &state->on[e]);
    }
    if (has_any) {
        state->on[EVENT_ANY].kind = chance(g, 30) ? BIND_IGNORE : BIND_RUN;
        make_script(g, type, CONTROLS_NONE, &state->on[EVENT_ANY].script);
    }
    if (g->has_halt_event)
        make_halt_binding(g, &state->on[EVENT_HALT]);
}

static void make_type(struct generator *g, struct type *type)
{
    type->n_states = (uint8_t)(1 + below(g, STATES_MAX));
    g->has_pushed = type->n_states > 1 && chance(g, 40);
    g->can_halt = g->has_halt_event || chance(g, 40);
    for (uint8_t e = 0; e < EVENTS; e++)
        g->is_left[e] = g->has_pushed && chance(g, 40);
    for (uint8_t s = 0; s < type->n_states; s++)
        make_state(g, type, s, &type->states[s]);
}

static void make_run(struct generator *g)
{
    struct program *program = g->program;
    uint8_t n_sends = (uint8_t)(1 + below(g, 4));
    uint8_t n = 0;

    if (g->has_draws && chance(g, 30))
        program->run[n++] = (struct instruction){.code = CODE_DRAW, .arg = 2};
    for (uint8_t i = 0; i < g->n_roots; i++)
        program->run[n++] =
            (struct instruction){.code = CODE_CREATE, .arg = below(g, program->n_types)};
    for (uint8_t i = 0; i < n_sends; i++) {
        struct instruction in = any_send(g);

        in.whom = (uint8_t)(WHOM_ROOT + below(g, g->n_roots));
        in.condition = chance(g, 80) ? IF_ALWAYS : IF_DREW_MORE;
        program->run[n++] = in;
    }
    program->n_run = n;
}

void generate(uint64_t seed, struct program *program)
{
    struct generator g = {.random = seed, .program = program};

    memset(program, 0, sizeof(*program));
    program->seed = seed;
    program->n_types = (uint8_t)(1 + below(&g, TYPES_MAX - 1));
    program->n_monitors = chance(&g, 40) ? (uint8_t)(1 + below(&g, MONITORS_MAX)) : 0;
    program->life = (uint8_t)(1 + below(&g, 3));
    program->controls = (uint8_t)(1 + below(&g, 4));
    program->are_timers_any = chance(&g, 8);
    g.n_roots = (uint8_t)(1 + below(&g, 3));
    g.has_halt_event = chance(&g, 20);
    g.has_timers = chance(&g, 45);
    g.has_draws = chance(&g, 40);
    for (uint8_t t = 0; t < program->n_types; t++)
        make_type(&g, &program->types[t]);
    for (uint8_t m = 0; m < program->n_monitors; m++)
        for (uint8_t s = 0; s < 2; s++)
            for (uint8_t e = 0; e < EVENTS; e++) {
                program->monitors[m].moves[s][e] = chance(&g, 40);
                program->monitors[m].ignores[s][e] =
                    !program->monitors[m].moves[s][e] && chance(&g, 20);
            }
    make_run(&g);
}
