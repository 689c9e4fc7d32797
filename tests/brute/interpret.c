/* interpret.c - makes the tables of states and machines from a program's data.
 * SPDX-License-Identifier: MIT
 */
#include "behave.h"

#include <string.h>

static const struct sn_event birth_event = {.name = "Birth", .size = sizeof(struct message)};

static void fill_entry(const struct binding *from, const struct sn_state *states, int state,
                       struct sn_on *on)
{
    if (from->kind == BIND_RUN || from->kind == BIND_RUN_GOTO)
        on->run = behave_run[state];
    if (from->kind == BIND_GOTO || from->kind == BIND_RUN_GOTO)
        on->go_to = &states[from->state];
    if (from->kind == BIND_PUSH)
        on->push = &states[from->state];
    on->pop = from->kind == BIND_POP;
    on->defer = from->kind == BIND_DEFER;
    on->ignore = from->kind == BIND_IGNORE;
    on->halt = from->kind == BIND_HALT;
}

static void fill_state(int type, int number)
{
    static const char *const names[STATES_MAX] = {"S0", "S1", "S2"};
    const struct state *from = &interpretation.program->types[type].states[number];
    struct sn_state *state = &interpretation.tables->states[type][number];
    struct sn_on *on = interpretation.tables->on[type][number];

    state->name = names[number];
    state->entry = from->has_entry ? behave_entry[number] : NULL;
    state->exit = from->has_exit ? behave_exit[number] : NULL;
    state->on = on;
    for (uint8_t e = 0; e < EVENTS_ALL; e++)
        if (from->on[e].kind != BIND_NONE) {
            on->event = interpret_event(e);
            fill_entry(&from->on[e], interpretation.tables->states[type], number, on);
            on++;
        }
}

static void fill_monitor(int number)
{
    static const char *const names[MONITORS_MAX] = {"M0", "M1"};
    const struct monitor *from = &interpretation.program->monitors[number];

    interpretation.tables->monitors[number] = (struct sn_machine){
        .name = names[number],
        .start = &interpretation.tables->monitor_states[number][0],
        .size = interpretation.has_globals ? 0 : sizeof(struct monitor_body),
        .fingerprint = interpretation.has_globals ? NULL : behave_watch_fingerprint};
    interpretation.tables->monitor_list[number] = &interpretation.tables->monitors[number];
    for (int s = 0; s < 2; s++) {
        struct sn_state *state = &interpretation.tables->monitor_states[number][s];

        state->name = s == 0 ? "Zero" : "One";
        state->on = interpretation.tables->monitor_on[number][s];
        for (int e = 0; e < EVENTS; e++) {
            struct sn_on *on = &interpretation.tables->monitor_on[number][s][e];

            on->event = interpret_event((uint8_t)e);
            on->ignore = from->ignores[s][e];
            on->run = on->ignore ? NULL : behave_watch[s];
            on->go_to =
                from->moves[s][e] ? &interpretation.tables->monitor_states[number][1 - s] : NULL;
        }
    }
}

static void fill_faults(void)
{
    const struct program *program = interpretation.program;

    interpretation.tables->faults = (struct sn_faults){
        .drops = program->faults[FAULT_DROP],
        .duplicates = program->faults[FAULT_DUPLICATE],
        .delays = program->faults[FAULT_DELAY],
        .partitions = program->faults[FAULT_PARTITION],
        .crashes = program->faults[FAULT_CRASH],
        .stops = program->faults[FAULT_STOP],
        .horizon = 1,
        .down_ns = program->down,
        .partition_ns = program->cut,
        .delay_ns = program->delay,
        .cut_holds = program->cut_holds,
    };
}

void interpret_prepare(const struct program *program, enum sn_world world, struct sn_test *test,
                       struct record *record)
{
    static const char *const names[TYPES_MAX] = {"T0", "T1", "T2", "T3", "T4", "T5"};

    if (interpretation.tables == NULL)
        interpretation.tables = shared_memory(sizeof(*interpretation.tables));
    memset(interpretation.tables, 0, sizeof(*interpretation.tables));
    interpretation.program = program;
    interpretation.record = record;
    interpretation.has_globals = world != SN_WORLD_TRIAL;
    for (int t = 0; t < program->n_types; t++) {
        interpretation.tables->types[t] = (struct sn_machine){
            .name = names[t],
            .start = &interpretation.tables->states[t][0],
            .size = interpretation.has_globals ? sizeof(struct mark) : sizeof(struct body),
            .birth = &birth_event,
            .fingerprint = interpretation.has_globals ? NULL : behave_fingerprint};
        for (int s = 0; s < program->types[t].n_states; s++)
            fill_state(t, s);
    }
    for (int m = 0; m < program->n_monitors; m++)
        fill_monitor(m);
    fill_faults();
    *test = (struct sn_test){.name = "program",
                             .run = behave_test,
                             .world = world,
                             .monitors = interpretation.tables->monitor_list,
                             .max_steps = 2 * STEPS_MAX,
                             .links = (enum sn_order)program->links,
                             .faults = program_has_faults(program) ? &interpretation.tables->faults
                                                                   : NULL,
                             .timers = program->are_timers_any ? SN_TIMERS_ANY : SN_TIMERS_IDEAL};
}
