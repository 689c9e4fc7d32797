/* workspace.h - directories for tests of synchronisers: fresh ones, and no left-overs.
 *
 * A run has a directory of its own below a place that all runs of a user share, and holds a lock on
 * it as long as one of its processes lives. A run begins by removing what runs have left whose lock
 * nobody holds: their processes, then their files. Each trial gets a directory that nobody has used
 * before; they are made some at a time. SPDX-License-Identifier: MIT
 */
#ifndef DRIVERS_WORKSPACE_H
#define DRIVERS_WORKSPACE_H

#include "base/err.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct workspace {
    char path[PATH_MAX / 2]; /* of the run */
    int lock;
    pid_t owner;
    uint32_t n_nodes;
    _Atomic uint32_t *next; /* number of the directory that nobody has; shared by all processes */
};

/* Makes a directory for this run below `base`, NULL: in the usual place, after left-overs are gone.
 * 0, or SN_E* with a sentence. Returns the number of runs whose left-overs were removed in
 * *n_removed. */
int workspace_open(struct workspace *w, const char *base, uint32_t n_nodes, uint32_t *n_removed,
                   struct err *why);

/* Removes all of it, processes included. Only the process that has opened it does. */
void workspace_close(struct workspace *w);

/* A fresh directory, in which "1" to "N" are those of the nodes, "state" and "tmp" are for the
 * synchroniser, and "trash" for whoever tests it. 0, or SN_EIO with a sentence. */
int workspace_take(struct workspace *w, char *directory, size_t size, struct err *why);

/* Removes a directory with all that is in it. False: something is still there. */
bool workspace_remove(const char *directory);

#endif
