/* directory.h - files in directories that a real synchroniser keeps the same: a driver for
 * sn_sync_test.
 *
 * What is written is put in its place by one system call, which tells what was there before, so an
 * observation is exact however busy the synchroniser is: a new file and an old one change places.
 * SPDX-License-Identifier: MIT
 */
#ifndef DRIVERS_DIRECTORY_H
#define DRIVERS_DIRECTORY_H

#include "drivers/script.h"
#include "drivers/workspace.h"

#include <sennit/sync.h>

enum {
    DIRECTORY_VALUES_MAX = 26, /* contents are letters */
    DIRECTORY_TORN = 62,       /* the value of a file whose contents nobody has written */
};

struct directory {
    const char *name; /* of the driver */
    struct script script;
    struct workspace *workspace;
    char path[PATH_MAX]; /* of the present test */
    uint32_t n_nodes;
    uint32_t n_files;
    bool is_started;
    uint64_t n_moved; /* names in the trash */
    struct err error;
};

/* Fills in a driver for it; self is the directory. */
void directory_driver(const struct directory *d, struct sn_sync_driver *out);

/* The name of a file: f1, f2, ... */
void directory_name(uint32_t file, char *out, size_t size);

#endif
