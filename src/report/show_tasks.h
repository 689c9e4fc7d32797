/* show_tasks.h - who takes part in the steps that are shown, in order of appearance.
 *
 * Every picture of a trace has a column, a track or a host for each machine. This is the list of
 * them, which steps each has taken, and who is behind a step. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SHOW_TASKS_H
#define REPORT_SHOW_TASKS_H

#include "base/arena.h"
#include "report/roster.h"
#include "report/show.h"
#include "trace/trace.h"

#include <stddef.h>
#include <stdint.h>

struct show_tasks {
    const struct trace *trace;
    struct show_range range;
    uint64_t first; /* step of the range: the set-up is none, and not among these */
    struct roster names;
    uint64_t *first_of; /* by task: its first step; 0: it took none, but sent something */
    size_t *of_step;    /* the next three by step - first: the task that took it, ... */
    uint64_t *next;     /* ... the next step of the same task, or 0, ... */
    uint64_t *previous; /* ... and the one before */
    struct arena arena;
};

/* Lists the tasks of a range of steps. Returns 0, or SN_ENOMEM; done must be called either way. */
int show_tasks_init(struct show_tasks *tasks, const struct trace *trace, struct show_range range);
void show_tasks_done(struct show_tasks *tasks);

/* Brings the n tasks to the front that matter most, which keep their order: who failed, those whose
 * steps the failure depends on, others, and the fault task last. Returns 0, or SN_ENOMEM. */
int show_tasks_prefer(struct show_tasks *tasks, size_t n);

/* The index of the task that took a step of the range. */
size_t show_tasks_of(const struct show_tasks *tasks, uint64_t step);

/* The record of a step, from 1 on. */
const struct trace_record *show_step(const struct trace *trace, uint64_t step);

/* Who sent what a step is about, or created its machine; NULL: the test, a timer, or nobody. */
const char *show_source(const struct trace *trace, const struct trace_record *step);

#endif
