/* generate.c - random programs that stay inside what is documented.
 *
 * They do nothing that fails a trial: states that are only gone to (the first ones of a type) have
 * an entry for every event, states that are only pushed may leave events to those below, and only
 * they pop; events that may be deferred are not raised; what the documentation allows at one place
 * is not done at another.
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
    bool defers_halt;
    uint8_t n_base; /* its first states are only gone to, the others only pushed */
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

static uint8_t base_state(struct generator *g)
{
    return below(g, g->n_base);
}

static uint8_t pushed_state(struct generator *g, const struct type *type)
{
    return (uint8_t)(g->n_base + below(g, (uint32_t)(type->n_states - g->n_base)));
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
        return (struct instruction){.code = CODE_CANCEL, .arg = below(g, 2)};
    if (chance(g, 35))
        return (struct instruction){.code = CODE_TIMER_ANY, .event = below(g, EVENTS)};
    return (struct instruction){.code = CODE_TIMER,
                                .event = below(g, EVENTS),
                                .arg = chance(g, 10) ? 0 : (uint8_t)(1 + below(g, 3))};
}

static struct instruction any_instruction(struct generator *g)
{
    if (g->has_timers && chance(g, 25))
        return any_timer(g);
    if (g->has_draws && chance(g, 18))
        return (struct instruction){.code = CODE_DRAW, .arg = (uint8_t)(2 + below(g, 2))};
    if (g->program->n_monitors > 0 && chance(g, 22))
        return (struct instruction){.code = CODE_MONITOR,
                                    .event = below(g, EVENTS),
                                    .arg = below(g, g->program->n_monitors)};
    if (chance(g, 12))
        return (struct instruction){.code = CODE_CREATE, .arg = below(g, g->program->n_types)};
    return any_send(g);
}

static struct instruction any_raise(struct generator *g)
{
    struct instruction in = {.code = CODE_RAISE,
                             .event = (uint8_t)(EVENT_RAISED + below(g, EVENTS - EVENT_RAISED))};

    if (!g->defers_halt && chance(g, 10))
        in.event = EVENT_HALT;
    return in;
}

static struct instruction any_control(struct generator *g, const struct type *type,
                                      enum controls controls)
{
    uint8_t kind = below(g, 10);

    if (kind < 3)
        return (struct instruction){.code = CODE_GOTO, .arg = base_state(g)};
    if (kind < 6 && g->n_base < type->n_states && (controls == CONTROLS_BASE || kind == 3))
        return (struct instruction){.code = CODE_PUSH, .arg = pushed_state(g, type)};
    if (kind < 6 && controls == CONTROLS_PUSHED)
        return (struct instruction){.code = CODE_POP};
    if (kind < 9)
        return any_raise(g);
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

static void make_exit(struct generator *g, const struct type *type, struct script *script)
{
    make_script(g, type, CONTROLS_NONE, script);
    for (uint8_t i = 0; i < script->n; i++)
        if (script->list[i].whom == WHOM_SENDER || script->list[i].whom == WHOM_CARRIED)
            script->list[i].whom = WHOM_SELF; /* an exit action has no message */
}

static void make_binding(struct generator *g, const struct type *type, uint8_t event,
                         struct binding *on)
{
    uint8_t kind = below(g, 100);

    on->state = base_state(g);
    if (event < EVENT_RAISED && kind < 20) {
        on->kind = BIND_DEFER;
    } else if (kind < 28) {
        on->kind = BIND_IGNORE;
    } else if (kind < 36) {
        on->kind = BIND_GOTO;
    } else if (kind < 45) {
        on->kind = BIND_RUN_GOTO;
        make_script(g, type, CONTROLS_NONE, &on->script);
    } else if (kind < 57 && g->n_base < type->n_states) {
        on->kind = BIND_PUSH;
        on->state = pushed_state(g, type);
    } else if (kind < 60) {
        on->kind = BIND_HALT;
    } else {
        on->kind = BIND_RUN;
        make_script(g, type, CONTROLS_BASE, &on->script);
    }
}

/* The entry of a pushed state for an event, if it does not leave that to the states below. */
static void make_pushed_binding(struct generator *g, const struct type *type, uint8_t event,
                                struct binding *on)
{
    uint8_t kind = below(g, 100);

    if (kind < 35)
        return;
    if (kind < 60) {
        on->kind = BIND_POP;
    } else if (kind < 75) {
        on->kind = BIND_RUN;
        make_script(g, type, CONTROLS_PUSHED, &on->script);
    } else {
        make_binding(g, type, event, on);
    }
}

static void make_halt_binding(struct generator *g, struct binding *on)
{
    static const uint8_t kinds[] = {BIND_NONE, BIND_NONE,   BIND_NONE,
                                    BIND_HALT, BIND_IGNORE, BIND_DEFER};

    on->kind = kinds[below(g, g->defers_halt ? 6 : 5)];
}

static void make_state(struct generator *g, const struct type *type, uint8_t number,
                       struct state *state)
{
    bool is_pushed = number >= g->n_base;
    bool has_any = chance(g, 20);
    enum controls controls = is_pushed ? CONTROLS_PUSHED : CONTROLS_BASE;

    state->has_entry = number == 0 || chance(g, 60);
    state->has_exit = chance(g, 30);
    if (state->has_entry)
        make_script(g, type, chance(g, 40) ? controls : CONTROLS_NONE, &state->entry);
    if (state->has_exit)
        make_exit(g, type, &state->exit);
    for (uint8_t e = 0; e < EVENTS; e++) {
        if (has_any && chance(g, 50))
            continue;
        if (is_pushed)
            make_pushed_binding(g, type, e, &state->on[e]);
        else
            make_binding(g, type, e, &state->on[e]);
    }
    if (has_any) /* may stand for an event that is raised, so it does not defer */
        make_binding(g, type, EVENT_ANY, &state->on[EVENT_ANY]);
    if (g->has_halt_event)
        make_halt_binding(g, &state->on[EVENT_HALT]);
}

static void make_type(struct generator *g, struct type *type)
{
    type->n_states = (uint8_t)(1 + below(g, STATES_MAX));
    g->n_base = chance(g, 50) ? type->n_states : (uint8_t)(1 + below(g, type->n_states));
    g->defers_halt = g->has_halt_event && chance(g, 50);
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
    if (program->n_monitors > 0 && chance(g, 20))
        program->run[n++] = (struct instruction){.code = CODE_MONITOR, .event = below(g, EVENTS)};
    for (uint8_t i = 0; i < n_sends; i++) {
        struct instruction in = any_send(g);

        in.whom = (uint8_t)(WHOM_ROOT + below(g, g->n_roots));
        in.condition = chance(g, 80) ? IF_ALWAYS : IF_DREW_MORE;
        program->run[n++] = in;
    }
    program->n_run = n;
}

/* ---- The environment ------------------------------------------------------------------------- */

static void make_links(struct generator *g)
{
    struct program *program = g->program;
    uint8_t n = chance(g, 25) ? (uint8_t)(1 + below(g, LINKS_MAX)) : 0;
    uint8_t at = 0;

    program->links = chance(g, 40) ? (uint8_t)(1 + below(g, 2)) : 0;
    while (at < program->n_run && program->run[at].code != CODE_SEND)
        at++;
    for (; n > 0 && program->n_run < RUN_MAX; n--) {
        memmove(&program->run[at + 1], &program->run[at],
                (size_t)(program->n_run - at) * sizeof(program->run[0]));
        program->n_run++;
        program->run[at] = (struct instruction){
            .code = CODE_LINK,
            .whom = chance(g, 30) ? WHOM_SELF : (uint8_t)(WHOM_ROOT + below(g, g->n_roots)),
            .event = chance(g, 30) ? 0 : (uint8_t)(1 + below(g, g->n_roots)),
            .arg = below(g, 3)};
    }
}

/* A machine that sends something when it is born, for faults to strike. */
static void add_send(struct generator *g, struct script *script)
{
    if (script->n == SCRIPT_MAX)
        return;
    memmove(&script->list[1], &script->list[0], script->n * sizeof(script->list[0]));
    script->n++;
    script->list[0] = (struct instruction){.code = CODE_SEND,
                                           .event = below(g, EVENTS),
                                           .whom = (uint8_t)(WHOM_ROOT + below(g, g->n_roots)),
                                           .arg = below(g, 4)};
}

static void place_machines(struct generator *g)
{
    struct program *program = g->program;
    uint8_t next = 0;

    program->n_nodes = chance(g, 15) ? 1 : (uint8_t)(2 + below(g, BRUTE_NODES - 1));
    for (uint8_t i = 0; i < program->n_run; i++) {
        if (program->run[i].code != CODE_CREATE)
            continue;
        program->run[i].whom = (uint8_t)(1 + next++ % program->n_nodes);
        if (chance(g, 15))
            program->run[i].whom = 0;
        else if (chance(g, 20))
            program->run[i].whom = (uint8_t)(1 + below(g, program->n_nodes));
    }
}

/* Faults multiply the schedules, crashes most of all, so a program has one or two of them. */
static void make_nodes(struct generator *g)
{
    struct program *program = g->program;

    place_machines(g);
    if (chance(g, 15))
        return;
    program->faults[chance(g, 65) ? below(g, FAULT_CRASH) : FAULT_CRASH] = true;
    if (chance(g, 35))
        program->faults[below(g, FAULTS)] = true;
    for (uint8_t t = 0; t < program->n_types; t++)
        for (uint8_t n = chance(g, 70) ? (uint8_t)(1 + below(g, 2)) : 0; n > 0; n--)
            add_send(g, &program->types[t].states[0].entry);
    if (chance(g, 60))
        program->down = (uint8_t)(1 + below(g, 2));
    if (chance(g, 60))
        program->cut = (uint8_t)(1 + below(g, 2));
    program->delay = (uint8_t)(1 + below(g, 2));
    program->cut_holds = chance(g, 50);
}

/* Of a stream of its own: without an environment a program is what it always was. */
static void make_environment(struct generator *g)
{
    g->random = stamp_child(g->program->seed, 11);
    if (chance(g, 35))
        make_links(g);
    if (chance(g, 30))
        make_nodes(g);
}

void generate(uint64_t seed, struct program *program)
{
    struct generator g = {.random = seed, .program = program};

    memset(program, 0, sizeof(*program));
    program->seed = seed;
    program->n_types = (uint8_t)(1 + below(&g, 3));
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
                program->monitors[m].draws[s][e] = g.has_draws && chance(&g, 15);
                program->monitors[m].ignores[s][e] =
                    !program->monitors[m].moves[s][e] && chance(&g, 20);
            }
    make_run(&g);
    make_environment(&g);
}
