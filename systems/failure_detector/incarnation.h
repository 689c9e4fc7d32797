/* incarnation.h - the number of a node's life, one higher each time it starts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAILURE_DETECTOR_INCARNATION_H
#define FAILURE_DETECTOR_INCARNATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A small file on the node's disk. Entries return 0 or a number of bytes, or a negative error if
 * they did nothing. */
struct fd_disk {
    int64_t (*read)(void *self, void *bytes, size_t n); /* from the beginning; 0: there is none */
    int (*write)(void *self, const void *bytes, size_t n); /* at the beginning, all or nothing */
    int (*sync)(void *self);
};

struct incarnation_config {
    /* Wrong: syncs the file when it makes it, but not when it changes the number. A crash may bring
     * the old number back, and the next life then passes itself off as this one. */
    bool skip_sync;
};

/* The number of the life that begins now, from 1. It is durable when the call returns. 0 or the
 * error of the disk. */
int incarnation_next(const struct incarnation_config *config, const struct fd_disk *disk,
                     void *disk_self, uint32_t *incarnation);

#endif
