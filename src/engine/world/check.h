/* check.h - whether the process is one whose memory can be put back, and what a trial did to it
 * that no restore of memory undoes. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_CHECK_H
#define ENGINE_WORLD_CHECK_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CHECK_FDS_MOST = 1024,
    CHECK_MAPS_MOST = 16384,
};

/* What a trial may leave behind. */
enum check_left {
    CHECK_THREAD = 1, /* threads that run, or have run */
    CHECK_OPENED,     /* a descriptor that was not open before */
    CHECK_CLOSED,     /* ... or no longer is, or is another one */
    CHECK_MOVED,      /* the offset of one that was */
    CHECK_MAPPED,     /* memory */
    CHECK_LOADED,     /* a library */
};

struct check_fd {
    int fd;
    int64_t offset; /* of a descriptor for reading alone; -1: none */
    uint64_t device;
    uint64_t file;
};

/* The process as it was. Outside of the world. */
struct check {
    uint64_t loads;
    bool was_single; /* no thread had been started */
    uint32_t fds_count;
    uint32_t maps_count;
    uint64_t maps_bytes;
    struct check_fd fds[CHECK_FDS_MOST];
    uintptr_t maps[CHECK_MAPS_MOST]; /* ends of mappings, in order */
};

/* 0, or a negative SN_E* with a sentence if somebody else manages the program's memory. */
int check_process(struct err *why);

/* Takes down the state of the process, to which the two others compare it. */
void check_init(struct check *check);

/* What has changed (enum check_left), with a sentence in *why; 0: nothing has. */
int check_quick(const struct check *check, struct err *why);
int check_full(const struct check *check, struct err *why);

/* Threads of the process. */
uint32_t check_threads(void);

#endif
