/* fsm.c - the state machine that is replicated: two registers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fsm.h"

#include <string.h>

static void tell(const struct machine *machine, const struct sn_event *event, uint32_t command)
{
    struct applied applied = {
        .server = machine->server,
        .command = command,
        .count = machine->registers.count,
        .digest = machine->registers.digest,
    };

    sn_monitor(&state_machine_safety, event, &applied);
    if (command != 0)
        sn_monitor(&exactly_once, event, &applied);
}

static int apply(struct raft_fsm *fsm, const struct raft_buffer *buf, void **result)
{
    struct machine *machine = fsm->data;
    struct registers *registers = &machine->registers;
    struct command command;

    sn_assertf(buf->len == sizeof(command), "the state machine gets a command of %zu bytes",
               buf->len);
    memcpy(&command, buf->base, sizeof(command));
    sn_assertf(command.id != 0 && command.key < KEYS,
               "the state machine gets command %u for register %u, which nobody has given",
               command.id, command.key);
    if (command.ask == ASK_WRITE && !(bugs_wanted.skip_apply && registers->count == 2))
        registers->values[command.key] = command.id;
    registers->count++;
    registers->digest = (registers->digest ^ command.id) * UINT64_C(0x9e3779b97f4a7c15);
    machine->result = (struct result){
        .command = command.id,
        .value = registers->values[command.key],
    };
    *result = &machine->result;
    tell(machine, &applied_event, command.id);
    return 0;
}

static int snapshot(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n_bufs)
{
    struct machine *machine = fsm->data;

    *bufs = raft_malloc(sizeof(**bufs));
    (*bufs)[0].len = sizeof(machine->registers);
    (*bufs)[0].base = raft_malloc(sizeof(machine->registers));
    memcpy((*bufs)[0].base, &machine->registers, sizeof(machine->registers));
    *n_bufs = 1;
    return 0;
}

/* The buffer is the state machine's from now on. */
static int restore(struct raft_fsm *fsm, struct raft_buffer *buf)
{
    struct machine *machine = fsm->data;

    sn_assertf(buf->len == sizeof(machine->registers),
               "the state machine gets a snapshot of %zu bytes", buf->len);

    uint64_t digest = machine->registers.digest;

    memcpy(&machine->registers, buf->base, sizeof(machine->registers));
    if (bugs_wanted.restore_part)
        machine->registers.digest = digest;
    raft_free(buf->base);
    tell(machine, &restored_event, 0);
    return 0;
}

/* ---- Version 3: in three parts, of which the second is asynchronous ------------------------- */

static int begin_snapshot(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n_bufs)
{
    return snapshot(fsm, bufs, n_bufs);
}

static int work_on_snapshot(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n_bufs)
{
    (void)fsm;
    sn_assert(*n_bufs == 1 && *bufs != NULL && (*bufs)[0].base != NULL);
    return 0;
}

static int finalize_snapshot(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n_bufs)
{
    (void)fsm;
    sn_assert(*n_bufs == 1 && *bufs != NULL && (*bufs)[0].base != NULL);
    raft_free((*bufs)[0].base);
    raft_free(*bufs);
    *bufs = NULL;
    *n_bufs = 0;
    return 0;
}

void machine_init(struct machine *machine, uint32_t server, bool has_async_work)
{
    machine->server = server;
    machine->fsm = (struct raft_fsm){
        .version = 1,
        .data = machine,
        .apply = apply,
        .snapshot = snapshot,
        .restore = restore,
    };
    if (has_async_work) {
        machine->fsm.version = 3;
        machine->fsm.snapshot = begin_snapshot;
        machine->fsm.snapshot_async = work_on_snapshot;
        machine->fsm.snapshot_finalize = finalize_snapshot;
    }
}
