/* record_memory.h - what machines and monitors remember, told to a trace whenever a step has
 * changed it.
 *
 * Looked at between steps, and when the trial has ended, while a trial is run again to be recorded.
 * Of a machine only its own steps are looked after: who writes into the memory of another one is
 * not seen until that one takes its next step. SPDX-License-Identifier: MIT
 */
#ifndef API_RECORD_MEMORY_H
#define API_RECORD_MEMORY_H

#include "api/names.h"
#include "engine/trial.h"
#include "substrate/machine.h"
#include "trace/trace.h"

enum { RECORD_MEMORY = 8192 }; /* bytes of what one of them remembers */

/* Zeroed before each trial, but for the hashes of tasks, which are zeroed as these are created. */
struct record_memory {
    uint32_t stepped; /* the task whose step was the last one; 0: there was none */
    bool is_told[MACHINE_MONITORS_MAX];
    uint64_t monitors[MACHINE_MONITORS_MAX]; /* hashes of what was told last */
    uint64_t tasks[TRIAL_TASKS_MAX];
    char text[RECORD_MEMORY];
};

typedef void record_memory_put(void *self, const struct trace_record *record);

/* A trial begins: all monitors will be looked at. */
void record_memory_begin(struct record_memory *m);

/* A monitor is about to be handed something. */
void record_memory_told(struct record_memory *m, const struct trial *t,
                        const struct sn_machine *monitor);

/* Puts what has changed since it was put last. */
void record_memory_look(struct record_memory *m, struct trial *t, struct names *names,
                        record_memory_put *put, void *self);

#endif
