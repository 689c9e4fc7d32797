/* sennit/process.h - code in blocking style under control: processes with mailboxes, as in Erlang.
 *
 * A process is an ordinary C function on a stack of its own. It sends, receives, spawns, looks up
 * names; each of these calls is one operation, which the strategy may put off until others have
 * run. What lies between two of them is not interrupted. docs/processes.md says what each call
 * touches, when it can run, and what is delivered when.
 *
 * Processes and machines share ids and can send to each other: sn_self, sn_send, sn_choose,
 * sn_note, sn_alloc, sn_now_ns and sn_assert of sennit/machine.h work in processes, too.
 *
 * Unless a comment says otherwise the functions may only be called by a process. In the test's run
 * function sn_spawn, sn_spawn_on, sn_register and sn_send work as well, and are no operations.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_PROCESS_H
#define SENNIT_PROCESS_H

#include <sennit/environment.h>
#include <sennit/machine.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Of a timeout: none. */
#define SN_FOREVER UINT64_MAX

/* A monitor or a call of the running trial, different from all others; 0 is none. */
typedef uint64_t sn_ref;

/* ---- Processes ------------------------------------------------------------------------------ */

/* A type of process. */
struct sn_process {
    const char *name;
    void (*run)(const void *payload); /* its life; when it returns the process exits, SN_NORMAL */
    const struct sn_event *birth;     /* describes the payload given to sn_spawn; NULL: none */
    size_t stack_size; /* at least so many bytes; 0 means 64 KiB. A guard page ends it. */
    /* A trial in which it waits for ever has not failed for that: for servers. Otherwise that is a
     * deadlock. */
    bool may_wait;
};

/* Starts a process with a copy of the payload, on the node of the caller; it takes its first step
 * when the strategy says so. Returns the new process. May also be called by machines. */
sn_id sn_spawn(const struct sn_process *type, const void *payload);

/* The same on a node: when the node is restarted after a crash, it is born again there, as a
 * resident (sn_create_on). */
sn_id sn_spawn_on(sn_node node, const struct sn_process *type, const void *payload);

/* Starts a process that is linked to the caller from its birth on; or monitored by it. Returns the
 * new process. */
sn_id sn_spawn_link(const struct sn_process *type, const void *payload);
sn_id sn_spawn_monitor(const struct sn_process *type, const void *payload, sn_ref *ref);

/* Whether a process (or machine) has not ended. */
bool sn_is_alive(sn_id process);

/* ---- Messages ------------------------------------------------------------------------------- */

/* What was received. Valid until the process receives again. */
struct sn_message {
    const struct sn_event *event; /* NULL: bytes, as sn_send_bytes sends them */
    const void *payload;
    size_t size; /* of the payload */
    sn_id from;  /* who sent it; SN_NOBODY: the test, or the system (DOWN, EXIT, ...) */
    sn_ref call; /* if it asks for an answer: see sn_call */
};

/* Whether a message is wanted. Must not call the library nor change anything: it may be called at
 * any time, and any number of times. */
typedef bool sn_match(const struct sn_message *message, const void *with);

/* Takes the first message of the mailbox that matches (match == NULL: the first one) out of it and
 * returns it; the others stay, in their order. While there is none the process waits; after
 * timeout_ns of virtual time without one the result is NULL. A timeout of 0 looks once; SN_FOREVER
 * never ends. */
const struct sn_message *sn_receive(sn_match *match, const void *with, uint64_t timeout_ns);

/* Takes and returns the first message with this event in the same way. */
const struct sn_message *sn_receive_event(const struct sn_event *event, uint64_t timeout_ns);

/* Waits until virtual time has passed. */
void sn_sleep_ns(uint64_t ns);

/* Gives others a turn: an operation that touches nothing. */
void sn_yield(void);

/* sn_send(to, event, payload) puts a message into the mailbox of a process at once: the operation
 * is the sending. To a machine it is pending, as ever. */

/* ---- The end of a process ------------------------------------------------------------------- */

/* Reasons are texts that outlive the trial, and are compared as texts. */
#define SN_NORMAL "normal" /* the function has returned */
#define SN_KILL "kill"     /* to sn_kill: cannot be trapped; others see SN_KILLED */
#define SN_KILLED "killed"
#define SN_SHUTDOWN "shutdown"
#define SN_NOPROC "noproc"             /* there was no such process, or name, to begin with */
#define SN_NOCONNECTION "noconnection" /* its node is down, or cut off */

/* Ends the running process. An abnormal reason (any but SN_NORMAL) also ends what is linked to it.
 */
void sn_exit(const char *reason) __attribute__((noreturn));

/* Sends an exit signal: ends another process with a reason, or reaches its mailbox as an sn_exited
 * if it traps exits. SN_NORMAL does nothing to one that does not; SN_KILL cannot be trapped. */
void sn_kill(sn_id process, const char *reason);

/* Links the caller with a process: when one ends abnormally the other one gets an exit signal. A
 * link to one that has ended gives the signal SN_NOPROC at once. Links are not counted. */
void sn_link(sn_id process);
void sn_unlink(sn_id process);

/* From now on exit signals are messages (sn_exited) to the caller, or no longer. Returns what it
 * was before. */
bool sn_trap_exit(bool is_trapping);

/* Payload of sn_exited. */
struct sn_exit_signal {
    sn_id process;
    const char *reason;
};

extern const struct sn_event sn_exited;

/* ---- Monitors ------------------------------------------------------------------------------- */

/* When the process ends, or is found to have ended, the caller gets an sn_down, once. Returns the
 * monitor, which the message names. */
sn_ref sn_monitor_process(sn_id process);

/* The same for whoever has a name on a node now (SN_NO_NODE: the caller's). If nobody has it, DOWN
 * comes at once, with SN_NOPROC. Returns the monitor. */
sn_ref sn_monitor_name(sn_node node, const char *name);

/* Ends a monitor; if is_flushing, its message is also removed from the mailbox. Returns false if
 * there was no such monitor any more. */
bool sn_demonitor(sn_ref ref, bool is_flushing);

/* Payload of sn_down. */
struct sn_down_signal {
    sn_ref ref;
    sn_id process; /* SN_NOBODY: a name that nobody had */
    const char *reason;
};

extern const struct sn_event sn_down;

/* ---- Names ---------------------------------------------------------------------------------- */

/* Each node has names; processes on no node share another table. A name belongs to one process, and
 * is free again when that ends. At most 63 bytes. */

/* Gives a living process of the caller's node a name. Returns false if the name is taken, or the
 * process has one, or has ended. */
bool sn_register(const char *name, sn_id process);

/* Takes a name away. Returns false if nobody had it. */
bool sn_unregister(const char *name);

/* Returns who has a name; SN_NOBODY: nobody. */
sn_id sn_whereis(const char *name);

/* Returns who has a name on another node; SN_NOBODY also if that cannot be reached. */
sn_id sn_whereis_on(sn_node node, const char *name);

/* Sends to whoever has the name when the operation runs. Silently lost if nobody has. */
void sn_send_name(const char *name, const struct sn_event *event, const void *payload);
void sn_send_name_on(sn_node node, const char *name, const struct sn_event *event,
                     const void *payload);

/* ---- Calls ---------------------------------------------------------------------------------- */

enum sn_call_result {
    SN_CALL_ANSWERED = 1,
    SN_CALL_TIMEOUT,
    SN_CALL_DOWN, /* the server has ended, or was not there */
};

/* Monitors a server, which must be another process, sends it a request, waits for the answer and
 * ends the monitor: as many operations as that takes. Returns the answer; NULL unless the result,
 * which is put into *how if how is not NULL, is SN_CALL_ANSWERED. An answer that comes too late
 * never reaches the mailbox. */
const struct sn_message *sn_call(sn_id server, const struct sn_event *request, const void *payload,
                                 uint64_t timeout_ns, enum sn_call_result *how);
const struct sn_message *sn_call_name(const char *name, const struct sn_event *request,
                                      const void *payload, uint64_t timeout_ns,
                                      enum sn_call_result *how);

/* Answers a request: `caller` and `call` are its from and call, which may be kept for later. */
void sn_answer(sn_id caller, sn_ref call, const struct sn_event *answer, const void *payload);

/* ---- Supervisors ---------------------------------------------------------------------------- */

enum sn_restart {
    SN_PERMANENT = 0, /* is always started again */
    SN_TRANSIENT,     /* ... if it has ended abnormally */
    SN_TEMPORARY,     /* never */
};

struct sn_child {
    const struct sn_process *type;
    const void *payload; /* must outlive the trial */
    enum sn_restart restart;
};

enum sn_supervision {
    SN_ONE_FOR_ONE = 0, /* what has ended is started again */
    SN_ONE_FOR_ALL,     /* all are ended, and started again in order */
    SN_REST_FOR_ONE,    /* it, and those that were started after it */
};

/* A process that starts children in order, is linked to them and starts them again. More than
 * max_restarts within a time end them all, last first, and then itself: SN_SHUTDOWN. It ends with
 * the process that has started it, whatever the reason. */
struct sn_supervisor {
    const char *name;
    const struct sn_child *children; /* ends with an entry without a type */
    enum sn_supervision how;
    uint32_t max_restarts; /* 0 means none */
    uint64_t within_ns;    /* 0 means for ever */
};

/* Starts one, linked to the caller if that is a process. What it points to must outlive the trial.
 * Returns the supervisor. */
sn_id sn_supervise(const struct sn_supervisor *supervisor);

/* ---- Nodes ---------------------------------------------------------------------------------- */

/* sn_node_new, sn_node_stop, sn_node_crash and sn_node_restart of sennit/environment.h work with
 * processes. What a process on a node that goes down had is gone; others see SN_NOCONNECTION. */

/* Cuts the connection between two nodes: messages and exit signals between them are lost, links and
 * monitors across it see SN_NOCONNECTION; and joins them again. sn_cut does that to all nodes that
 * it separates. */
void sn_node_disconnect(sn_node a, sn_node b);
void sn_node_connect(sn_node a, sn_node b);

/* From now on the caller gets sn_node_down and sn_node_up when a node, seen from its own one, goes
 * or comes; or no longer. A node that cannot be reached now gives sn_node_down at once. */
void sn_monitor_node(sn_node node, bool is_on);

/* Payload of both. */
struct sn_node_signal {
    sn_node node;
};

extern const struct sn_event sn_node_down;
extern const struct sn_event sn_node_up;

/* ---- Code that is not under control --------------------------------------------------------- */

/* Calls a function that computes or blocks by itself, a library's say: one operation, marked in the
 * trace under this name, which conflicts with nothing. It is taken to be deterministic:
 * --verify-determinism checks what it returns. It takes no virtual time: where it sleeps it goes on
 * at once. Of this library it may only call what a monitor may. Returns what the function does. */
uint64_t sn_foreign(const char *name, uint64_t (*call)(void *argument), void *argument);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
