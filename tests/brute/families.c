/* families.c - programs with known counts, as data. SPDX-License-Identifier: MIT */
#include "families.h"

#include <assert.h>
#include <string.h>

enum {
    FIRST = WHOM_ROOT
}; /* the machine at which things meet is the first that the test creates */

/* Every event is ignored in every state, unless more is said afterwards. */
static void begin(struct program *program, int n_types, int life)
{
    assert(n_types <= TYPES_MAX);
    memset(program, 0, sizeof(*program));
    program->seed = 1;
    program->n_types = (uint8_t)n_types;
    program->life = (uint8_t)life;
    for (int t = 0; t < n_types; t++) {
        program->types[t].n_states = 2;
        for (int s = 0; s < 2; s++) {
            program->types[t].states[s].has_entry = true;
            for (int e = 0; e < EVENTS; e++)
                program->types[t].states[s].on[e].kind = BIND_IGNORE;
        }
    }
}

static void add(struct script *script, struct instruction in)
{
    assert(script->n < SCRIPT_MAX);
    script->list[script->n++] = in;
}

/* What the machine does in its first step. */
static struct script *entry(struct program *program, int type)
{
    return &program->types[type].states[0].entry;
}

static struct script *on(struct program *program, int type, int event)
{
    struct binding *binding = &program->types[type].states[0].on[event];

    binding->kind = BIND_RUN;
    return &binding->script;
}

static void test_does(struct program *program, struct instruction in)
{
    assert(program->n_run < RUN_MAX);
    program->run[program->n_run++] = in;
}

static struct instruction send(int event, int whom)
{
    return (struct instruction){.code = CODE_SEND, .event = (uint8_t)event, .whom = (uint8_t)whom};
}

static struct instruction create(int type)
{
    return (struct instruction){.code = CODE_CREATE, .arg = (uint8_t)type};
}

static struct instruction timer(int event, int delay)
{
    return (struct instruction){.code = CODE_TIMER, .event = (uint8_t)event, .arg = (uint8_t)delay};
}

static struct instruction timer_any(int event)
{
    return (struct instruction){.code = CODE_TIMER_ANY, .event = (uint8_t)event};
}

/* A script that starts a chain of n steps on machines of their own, of types from `type` on, at the
 * end of which the first machine is sent an event. Returns the next unused type. */
static int chain(struct program *program, struct script *script, int type, int n, int event)
{
    for (int i = 0; i < n; i++) {
        add(script, create(type));
        script = entry(program, type++);
    }
    add(script, send(event, FIRST));
    return type;
}

/* A machine of this type defers event 0 until event 1, a timer, which fires when all are sent. */
static void open_by_timer(struct program *program, int type, int delay)
{
    struct state *closed = &program->types[type].states[0];

    add(&closed->entry, timer(1, delay));
    closed->on[0].kind = BIND_DEFER;
    closed->on[1] = (struct binding){.kind = BIND_GOTO, .state = 1};
    program->types[type].states[1].has_entry = false;
}

void family_fifo(struct program *program, int senders, int each)
{
    begin(program, 2, senders + 1); /* each sender creates the next while there is life */
    test_does(program, create(0));
    open_by_timer(program, 0, 1);
    add(entry(program, 0), create(1));
    for (int i = 0; i < each; i++)
        add(entry(program, 1), send(0, FIRST));
    add(entry(program, 1), create(1));
}

void family_timers(struct program *program, int n)
{
    begin(program, 1, 1);
    test_does(program, create(0));
    for (int i = 0; i < n; i++)
        add(entry(program, 0), timer_any(i));
}

void family_gather(struct program *program, int n)
{
    begin(program, 2, 3);
    test_does(program, create(0));
    for (int i = 0; i < n; i++)
        add(entry(program, 0), create(1));
    add(entry(program, 1), send(0, FIRST));
}

void family_pairs(struct program *program, int chains, int length)
{
    begin(program, 1, length - 1);
    for (int i = 0; i < chains; i++)
        test_does(program, create(0));
    add(entry(program, 0), send(0, WHOM_SELF));
    add(on(program, 0, 0), send(0, WHOM_SELF));
}

void family_chain(struct program *program, int k, int m)
{
    int unused;

    begin(program, k + 2, 8);
    test_does(program, create(0));
    test_does(program, send(1, FIRST));
    unused = chain(program, entry(program, 0), 1, k, 0);
    for (int i = 0; i < m; i++)
        add(entry(program, 0), create(unused));
}

void family_between(struct program *program, int a, int b)
{
    int unused;

    begin(program, 1 + a + b, 12);
    test_does(program, create(0));
    test_does(program, send(2, FIRST));
    unused = chain(program, entry(program, 0), 1, a, 0);
    (void)chain(program, on(program, 0, 0), unused, b, 1);
}

void family_ends(struct program *program, int p, int q)
{
    int unused;

    begin(program, 1 + p + q, 8);
    test_does(program, create(0));
    unused = chain(program, entry(program, 0), 1, p, 0);
    if (q > 0)
        (void)chain(program, entry(program, 0), unused, q, 1);
    else
        test_does(program, send(1, FIRST)); /* not on the link of A, if p is 0 too */
}

void family_crowd(struct program *program, int k)
{
    assert(k > 0);
    begin(program, 1 + k, 8);
    test_does(program, create(0));
    test_does(program, send(1, FIRST));
    (void)chain(program, entry(program, 0), 1, k, 0);
    add(entry(program, 0), send(2, WHOM_SELF));
}

void family_alternation(struct program *program, int k)
{
    begin(program, 1, k);
    test_does(program, create(0));
    for (int chain_event = 0; chain_event < 2; chain_event++) {
        add(entry(program, 0), timer_any(chain_event));
        add(on(program, 0, chain_event), timer_any(chain_event));
    }
}

void family_broadcast(struct program *program, int senders, int receivers)
{
    begin(program, 3, senders + 2);
    for (int i = 0; i < receivers; i++)
        test_does(program, create(i == 0 ? 0 : 2));
    open_by_timer(program, 0, 2);
    open_by_timer(program, 2, 2);
    add(entry(program, 0), timer(2, 1)); /* when all receivers have started */
    add(on(program, 0, 2), create(1));
    for (int i = 0; i < receivers; i++)
        add(entry(program, 1), send(0, FIRST + i));
    add(entry(program, 1), create(1));
}

void family_timer_reply(struct program *program, int n)
{
    begin(program, 2, 3);
    for (int i = 0; i < n; i++)
        test_does(program, create(0));
    add(entry(program, 0), create(1));
    add(entry(program, 0), timer_any(1));
    add(on(program, 0, 0), (struct instruction){.code = CODE_CANCEL});
    add(entry(program, 1), send(0, WHOM_PARENT));
}

void family_timer_reply_shared(struct program *program, int n)
{
    begin(program, 2, 4);
    test_does(program, create(0));
    for (int i = 0; i < n; i++)
        add(entry(program, 0), create(1));
    add(on(program, 0, 2), send(0, WHOM_SENDER));
    add(entry(program, 1), send(2, FIRST));
    add(entry(program, 1), timer_any(1));
    add(on(program, 1, 0), (struct instruction){.code = CODE_CANCEL});
}

void known_deferring_state_entered_again(struct program *program)
{
    begin(program, 1, 4);
    test_does(program, create(0));
    for (int i = 0; i < 3; i++)
        test_does(program, send(2, FIRST));
    add(on(program, 0, 2), timer(3, 1));
    program->types[0].states[0].on[2].kind = BIND_RUN_GOTO;
    program->types[0].states[0].on[0].kind = BIND_DEFER;
}

void known_timers_of_a_deferring_state(struct program *program)
{
    begin(program, 1, 1);
    test_does(program, create(0));
    add(entry(program, 0), timer_any(3));
    add(entry(program, 0), timer(2, 1));
    program->types[0].states[0].on[0].kind = BIND_DEFER;
}

void known_send_to_halted_then_more(struct program *program)
{
    begin(program, 2, 1);
    test_does(program, create(0));
    test_does(program, create(1));
    test_does(program, send(0, FIRST));
    program->types[0].states[0].on[0].kind = BIND_HALT;
    add(entry(program, 1), send(1, FIRST));
    add(entry(program, 1), send(1, WHOM_SELF));
}
