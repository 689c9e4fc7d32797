/* program.c - prints programs, so that one that found something can be understood.
 * SPDX-License-Identifier: MIT
 */
#include "program.h"

#include <stdlib.h>
#include <sys/mman.h>

const char *const fault_names[FAULTS] = {"drop",      "duplicate", "delay",
                                         "partition", "crash",     "stop"};

void *shared_memory(size_t n)
{
    void *p =
        mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED) {
        perror("brute: mmap");
        exit(99);
    }
    return p;
}

static void print_whom(uint8_t whom, FILE *out)
{
    static const char *const names[] = {"self", "sender", "parent", "child", "carried"};

    if (whom < WHOM_ROOT)
        (void)fputs(names[whom], out);
    else
        (void)fprintf(out, "root%d", whom - WHOM_ROOT);
}

static void print_instruction(const struct instruction *in, FILE *out)
{
    static const char *const conditions[CONDITIONS] = {
        "",         "count odd: ", "acc odd: ", "acc%3=0: ", "value odd: ",
        "drew 0: ", "drew more: ", "first: "};

    (void)fputs(conditions[in->condition], out);
    switch (in->code) {
    case CODE_SEND:
        (void)fprintf(out, "send e%d+%d to ", in->event, in->arg);
        print_whom(in->whom, out);
        break;
    case CODE_CREATE:
        (void)fprintf(out, "create T%d on %d", in->arg, in->whom);
        break;
    case CODE_DRAW:
        (void)fprintf(out, "draw below %d", in->arg);
        break;
    case CODE_TIMER:
        (void)fprintf(out, "timer e%d after %d", in->event, in->arg);
        break;
    case CODE_TIMER_ANY:
        (void)fprintf(out, "any-timer e%d", in->event);
        break;
    case CODE_CANCEL:
        (void)fputs(in->arg == 0 ? "cancel" : "cancel the first", out);
        break;
    case CODE_MONITOR:
        (void)fprintf(out, "monitor M%d e%d", in->arg, in->event);
        break;
    case CODE_LINK:
        (void)fprintf(out, "link %d from ", in->arg);
        print_whom(in->whom, out);
        (void)fprintf(out, " to %d", in->event);
        break;
    case CODE_GOTO:
        (void)fprintf(out, "GOTO S%d", in->arg);
        break;
    case CODE_PUSH:
        (void)fprintf(out, "PUSH S%d", in->arg);
        break;
    case CODE_POP:
        (void)fputs("POP", out);
        break;
    case CODE_RAISE:
        (void)fprintf(out, "RAISE e%d", in->event);
        break;
    case CODE_HALT:
        (void)fputs("HALT", out);
        break;
    default:
        (void)fputs("nothing", out);
        break;
    }
}

static void print_script(const struct script *script, FILE *out)
{
    for (int i = 0; i < script->n; i++) {
        (void)fputs(i > 0 ? "; " : " ", out);
        print_instruction(&script->list[i], out);
    }
    (void)fputs("\n", out);
}

static void print_binding(int event, const struct binding *on, FILE *out)
{
    static const char *const names[] = {"",    "run",   "run and go to", "go to", "push",
                                        "pop", "defer", "ignore",        "halt"};
    static const char *const events[] = {"e0", "e1", "e2", "e3", "halt-event", "any"};

    if (on->kind == BIND_NONE)
        return;
    (void)fprintf(out, "        on %s: %s", events[event], names[on->kind]);
    if (on->kind == BIND_RUN_GOTO || on->kind == BIND_GOTO || on->kind == BIND_PUSH)
        (void)fprintf(out, " S%d", on->state);
    print_script(&on->script, out);
}

static void print_monitor(int number, const struct monitor *monitor, FILE *out)
{
    (void)fprintf(out, "    M%d:", number);
    for (int s = 0; s < 2; s++)
        for (int e = 0; e < EVENTS; e++)
            if (monitor->moves[s][e] || monitor->ignores[s][e])
                (void)fprintf(out, " s%d e%d %s", s, e, monitor->moves[s][e] ? "moves" : "ignored");
    (void)fputs("\n", out);
}

static void print_environment(const struct program *program, FILE *out)
{
    (void)fprintf(out, "    links %d, nodes %d, down %d, cut %d%s, delay %d", program->links,
                  program->n_nodes, program->down, program->cut, program->cut_holds ? " holds" : "",
                  program->delay);
    for (int i = 0; i < FAULTS; i++)
        if (program->faults[i])
            (void)fprintf(out, ", %s", fault_names[i]);
    (void)fputs("\n", out);
}

void program_print(const struct program *program, FILE *out)
{
    (void)fprintf(out, "program %llu: life %d, controls %d%s\n", (unsigned long long)program->seed,
                  program->life, program->controls, program->are_timers_any ? ", timers any" : "");
    print_environment(program, out);
    for (int i = 0; i < program->n_run; i++) {
        (void)fputs("    test: ", out);
        print_instruction(&program->run[i], out);
        (void)fputs("\n", out);
    }
    for (int t = 0; t < program->n_types; t++) {
        for (int s = 0; s < program->types[t].n_states; s++) {
            const struct state *state = &program->types[t].states[s];

            (void)fprintf(out, "    T%d S%d\n", t, s);
            if (state->has_entry) {
                (void)fputs("        entry:", out);
                print_script(&state->entry, out);
            }
            if (state->has_exit) {
                (void)fputs("        exit:", out);
                print_script(&state->exit, out);
            }
            for (int e = 0; e < EVENTS_ALL; e++)
                print_binding(e, &state->on[e], out);
        }
    }
    for (int m = 0; m < program->n_monitors; m++)
        print_monitor(m, &program->monitors[m], out);
}
