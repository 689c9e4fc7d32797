/* process_run.c - see process_run.h. SPDX-License-Identifier: MIT */
#include "process_run.h"

#include <sennit/sennit.h>
#include <stdio.h>
#include <string.h>

static const struct sn_event events[EVENTS] = {{.name = "a"}, {.name = "b"}};
static const char *const reasons[] = {SN_NORMAL, "x", SN_KILL};
static const char *const names[] = {"n0", "n1"};

struct program program;

/* What each process saw, in the trial's memory. */
struct logs {
    char text[ACTORS][LOG_SIZE];
    sn_ref refs[ACTORS][REFS];
    uint32_t n_refs[ACTORS];
    sn_id requester[ACTORS];
    sn_ref request[ACTORS];
    uint32_t lives[ACTORS];
    /* The process that is known by this number in the program, plus 1. Of a child only its parent
     * asks that, or who has got a message that says so. */
    sn_id ids[ACTORS + 1];
};

static struct logs *logs;

static void note(uint32_t self, const char *text)
{
    strncat(logs->text[self], text, LOG_SIZE - 1 - strlen(logs->text[self]));
}

static void note_id(uint32_t self, char what, uint32_t value)
{
    char text[8];

    (void)snprintf(text, sizeof(text), "%c%u", what, value);
    note(self, text);
}

/* What a process is called in the program; 0: nobody. */
static uint32_t number_of(sn_id id)
{
    uint32_t i = id == SN_NOBODY ? 0 : ACTORS;

    while (i > 0 && logs->ids[i] != id)
        i--;
    return i;
}

static char reason_letter(const char *reason)
{
    return strcmp(reason, SN_KILLED) == 0         ? 'k'
           : strcmp(reason, SN_NOPROC) == 0       ? 'p'
           : strcmp(reason, SN_NORMAL) == 0       ? 'n'
           : strcmp(reason, SN_NOCONNECTION) == 0 ? 'c'
                                                  : 'x';
}

static void note_message(uint32_t self, const struct sn_message *m)
{
    char text[8];

    if (m == NULL) {
        note(self, "-");
        return;
    }
    if (m->event == &sn_down) {
        const struct sn_down_signal *down = m->payload;

        (void)snprintf(text, sizeof(text), "D%u%c", number_of(down->process),
                       reason_letter(down->reason));
    } else if (m->event == &sn_exited) {
        const struct sn_exit_signal *signal = m->payload;

        (void)snprintf(text, sizeof(text), "E%u%c", number_of(signal->process),
                       reason_letter(signal->reason));
    } else if (m->event == &sn_node_down || m->event == &sn_node_up) {
        const struct sn_node_signal *signal = m->payload;

        (void)snprintf(text, sizeof(text), "%c%u", m->event == &sn_node_up ? 'Y' : 'N',
                       signal->node);
    } else {
        (void)snprintf(text, sizeof(text), "%s%u", m->event->name, number_of(m->from));
        if (m->call != 0) {
            logs->requester[self] = m->from;
            logs->request[self] = m->call;
        }
    }
    note(self, text);
}

static void do_call(uint32_t self, const struct call *c)
{
    enum sn_call_result how;
    const struct sn_message *m = sn_call(logs->ids[c->whom], &events[c->event], NULL,
                                         c->timeout == 0 ? SN_FOREVER : c->timeout, &how);

    if (how == SN_CALL_ANSWERED)
        note_id(self, 'A', number_of(m->from));
    else
        note(self, how == SN_CALL_DOWN ? "AD" : "AT");
}

static void do_monitor(uint32_t self, sn_ref ref)
{
    if (logs->n_refs[self] < REFS)
        logs->refs[self][logs->n_refs[self]++] = ref;
}

/* Calls that end, watch or name. */
static void do_other(uint32_t self, const struct call *c)
{
    uint32_t n;

    switch (c->kind) {
    case CALL_MONITOR:
        do_monitor(self, sn_monitor_process(logs->ids[c->whom]));
        break;
    case CALL_MONITOR_NAME:
        do_monitor(self, sn_monitor_name(c->node, names[c->name]));
        break;
    case CALL_DEMONITOR:
        n = logs->n_refs[self];
        if (n > 0)
            note_id(self, 'M', sn_demonitor(logs->refs[self][n - 1], c->flag));
        break;
    case CALL_REGISTER:
        note_id(self, 'R', sn_register(names[c->name], logs->ids[c->whom]));
        break;
    case CALL_UNREGISTER:
        note_id(self, 'U', sn_unregister(names[c->name]));
        break;
    case CALL_WHEREIS:
        note_id(self, 'W',
                number_of(c->node == 0 ? sn_whereis(names[c->name])
                                       : sn_whereis_on(c->node, names[c->name])));
        break;
    case CALL_SEND_NAME:
        if (c->node == 0)
            sn_send_name(names[c->name], &events[c->event], NULL);
        else
            sn_send_name_on(c->node, names[c->name], &events[c->event], NULL);
        break;
    case CALL_CALL:
        do_call(self, c);
        break;
    case CALL_REPLY:
        if (logs->request[self] != 0)
            sn_answer(logs->requester[self], logs->request[self], &events[c->event], NULL);
        break;
    default:
        break;
    }
}

static const struct sn_event birth = {.name = "Birth", .size = sizeof(uint32_t)};

static void run_process(const void *payload);

static const struct sn_process process = {
    .name = "P", .run = run_process, .birth = &birth, .may_wait = true};

static void do_spawn(uint32_t self, const struct call *c)
{
    const uint32_t child = c->whom - 1;
    sn_id *id = &logs->ids[c->whom];
    sn_ref ref;

    if (c->node != 0) {
        *id = sn_spawn_on(c->node, &process, &child);
    } else if (c->reason == 0) {
        *id = sn_spawn(&process, &child);
    } else if (c->reason == 1) {
        *id = sn_spawn_link(&process, &child);
    } else {
        *id = sn_spawn_monitor(&process, &child, &ref);
        do_monitor(self, ref);
    }
    note_id(self, 'S', *id != SN_NOBODY);
}

static void do_with_nodes(uint32_t self, const struct call *c)
{
    switch (c->kind) {
    case CALL_SPAWN:
        do_spawn(self, c);
        break;
    case CALL_DISCONNECT:
        sn_node_disconnect(1, 2);
        break;
    case CALL_CONNECT:
        sn_node_connect(2, 1);
        break;
    case CALL_CRASH:
        if (c->flag)
            sn_node_crash(c->node);
        else
            sn_node_stop(c->node);
        break;
    case CALL_RESTART:
        sn_node_restart(c->node);
        break;
    default:
        sn_monitor_node(c->node, c->flag);
        break;
    }
}

static void do_one(uint32_t self, const struct call *c)
{
    switch (c->kind) {
    case CALL_SEND:
        sn_send(logs->ids[c->whom], &events[c->event], NULL);
        break;
    case CALL_RECEIVE:
        note_message(self, sn_receive(NULL, NULL, c->timeout == 0 ? SN_FOREVER : c->timeout));
        break;
    case CALL_RECEIVE_EVENT:
        note_message(
            self, sn_receive_event(&events[c->event], c->timeout == 0 ? SN_FOREVER : c->timeout));
        break;
    case CALL_LOOK:
        note_message(self, sn_receive(NULL, NULL, 0));
        break;
    case CALL_SLEEP:
        sn_sleep_ns(c->timeout);
        break;
    case CALL_EXIT:
        sn_exit(reasons[c->reason]);
    case CALL_KILL:
        sn_kill(logs->ids[c->whom], reasons[c->reason]);
        break;
    case CALL_LINK:
        sn_link(logs->ids[c->whom]);
        break;
    case CALL_UNLINK:
        sn_unlink(logs->ids[c->whom]);
        break;
    case CALL_TRAP:
        (void)sn_trap_exit(c->flag);
        break;
    case CALL_ALIVE:
        note_id(self, 'L', sn_is_alive(logs->ids[c->whom]));
        break;
    default:
        if (c->kind < CALL_KINDS)
            do_other(self, c);
        else
            do_with_nodes(self, c);
        break;
    }
}

static void run_process(const void *payload)
{
    uint32_t self = *(const uint32_t *)payload;

    logs->n_refs[self] = 0;
    logs->request[self] = 0;
    if (logs->lives[self]++ > 0)
        note(self, "^");
    for (uint32_t i = 0; i < program.n_calls[self]; i++) {
        const struct call *c = &program.calls[self][i];

        /* A child is spawned once, and nothing is done with one that is not there. */
        if ((c->kind == CALL_SPAWN) == (logs->ids[c->whom] == SN_NOBODY))
            do_one(self, c);
    }
}

void run_program(void)
{
    logs = sn_alloc(sizeof(*logs));
    for (uint32_t i = 0; program.has_nodes && i < NODES; i++)
        (void)sn_node_new("n%u", i + 1);
    for (uint32_t i = 0; i < program.n; i++)
        logs->ids[i + 1] = program.node[i] != 0 ? sn_spawn_on(program.node[i], &process, &i)
                                                : sn_spawn(&process, &i);
}

const char *seen_by(uint32_t self)
{
    return logs->text[self];
}
