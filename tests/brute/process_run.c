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
    char text[PROCESSES][LOG_SIZE];
    sn_ref refs[PROCESSES][REFS];
    uint32_t n_refs[PROCESSES];
    sn_id requester[PROCESSES];
    sn_ref request[PROCESSES];
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

static char reason_letter(const char *reason)
{
    return strcmp(reason, SN_KILLED) == 0   ? 'k'
           : strcmp(reason, SN_NOPROC) == 0 ? 'p'
           : strcmp(reason, SN_NORMAL) == 0 ? 'n'
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

        (void)snprintf(text, sizeof(text), "D%u%c", down->process, reason_letter(down->reason));
    } else if (m->event == &sn_exited) {
        const struct sn_exit_signal *signal = m->payload;

        (void)snprintf(text, sizeof(text), "E%u%c", signal->process, reason_letter(signal->reason));
    } else {
        (void)snprintf(text, sizeof(text), "%s%u", m->event->name, m->from);
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
    const struct sn_message *m =
        sn_call(c->whom, &events[c->event], NULL, c->timeout == 0 ? SN_FOREVER : c->timeout, &how);

    if (how == SN_CALL_ANSWERED)
        note_id(self, 'A', m->from);
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
        do_monitor(self, sn_monitor_process(c->whom));
        break;
    case CALL_MONITOR_NAME:
        do_monitor(self, sn_monitor_name(SN_NO_NODE, names[c->name]));
        break;
    case CALL_DEMONITOR:
        n = logs->n_refs[self];
        if (n > 0)
            note_id(self, 'M', sn_demonitor(logs->refs[self][n - 1], c->flag));
        break;
    case CALL_REGISTER:
        note_id(self, 'R', sn_register(names[c->name], c->whom));
        break;
    case CALL_UNREGISTER:
        note_id(self, 'U', sn_unregister(names[c->name]));
        break;
    case CALL_WHEREIS:
        note_id(self, 'W', sn_whereis(names[c->name]));
        break;
    case CALL_SEND_NAME:
        sn_send_name(names[c->name], &events[c->event], NULL);
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

static void do_one(uint32_t self, const struct call *c)
{
    switch (c->kind) {
    case CALL_SEND:
        sn_send(c->whom, &events[c->event], NULL);
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
        sn_kill(c->whom, reasons[c->reason]);
        break;
    case CALL_LINK:
        sn_link(c->whom);
        break;
    case CALL_UNLINK:
        sn_unlink(c->whom);
        break;
    case CALL_TRAP:
        (void)sn_trap_exit(c->flag);
        break;
    case CALL_ALIVE:
        note_id(self, 'L', sn_is_alive(c->whom));
        break;
    default:
        do_other(self, c);
        break;
    }
}

static const struct sn_event birth = {.name = "Birth", .size = sizeof(uint32_t)};

static void run_process(const void *payload)
{
    uint32_t self = *(const uint32_t *)payload;

    for (uint32_t i = 0; i < program.n_calls[self]; i++)
        do_one(self, &program.calls[self][i]);
}

static const struct sn_process process = {
    .name = "P", .run = run_process, .birth = &birth, .may_wait = true};

void run_program(void)
{
    logs = sn_alloc(sizeof(*logs));
    for (uint32_t i = 0; i < program.n; i++)
        (void)sn_spawn(&process, &i);
}

const char *seen_by(uint32_t self)
{
    return logs->text[self];
}
