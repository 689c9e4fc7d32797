/* show_births.h - how the machines that are shown came into being: of which type, and on which
 * node.
 *
 * Machines get names after they were created, so the id of the first step tells who is who. A
 * machine may have been born before the steps that are shown, and more than once, on a node that
 * crashed and came back. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SHOW_BIRTHS_H
#define REPORT_SHOW_BIRTHS_H

#include "report/show_tasks.h"
#include "trace/trace.h"

/* Finds the record of the creation of each task, the last one if there are several; NULL: none. The
 * list, by task, is taken from the arena of the tasks. Returns 0, or SN_ENOMEM. */
int show_births_find(struct show_tasks *tasks, const struct trace_record ***births);

#endif
