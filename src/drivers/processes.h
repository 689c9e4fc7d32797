/* processes.h - programs that drivers run, and how to get rid of all that they have started.
 *
 * A driver may leave daemons behind, on purpose or not, and a daemon may have left its process
 * group, its session and its parent. What it keeps is its environment: everything that is started
 * for a directory has a variable with its name, SENNIT_SYNC, and is found by that, also by a later
 * run after this one was killed. SPDX-License-Identifier: MIT
 */
#ifndef DRIVERS_PROCESSES_H
#define DRIVERS_PROCESSES_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define PROCESSES_MARK "SENNIT_SYNC"

struct processes_command {
    char *const *argv;     /* ends with NULL; argv[0] is the path of the program */
    const char *directory; /* that it is started for, and whose name marks it */
    const char *output;    /* file that what it prints is added to */
    uint64_t timeout_ns;
};

enum processes_end {
    PROCESSES_EXITED, /* *status is its exit code, or 128 and the number of a signal */
    PROCESSES_HANGS,  /* it was killed, with its process group */
    PROCESSES_NONE,   /* it could not be started: *status is errno */
};

/* Runs a program until it ends; what it has started in the background stays. */
enum processes_end processes_run(const struct processes_command *command, int *status);

/* From now on what is left of programs that have ended belongs to this process, which waits for it
 * when it counts or kills: not every machine has somebody else who does. */
void processes_adopt(void);

/* Returns how many processes are marked with a directory, or with one below it. */
uint32_t processes_count(const char *directory);

/* Kills them all. False: some are still there after some seconds. */
bool processes_kill(const char *directory);

#endif
