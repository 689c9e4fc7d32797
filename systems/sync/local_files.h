/* local_files.h - the files that one node has.
 *
 * As file systems do, this one keeps with each file when it was changed, in whole seconds, and its
 * size. Both can be the same before and after a change. What cannot is the change number, which
 * modern file systems have as well.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SYNC_LOCAL_FILES_H
#define SYNC_LOCAL_FILES_H

#include "protocol.h"

/* By what one can see that a file has been changed without reading it. All zero: there is none. */
struct stamp {
    uint64_t change; /* never the same again on this node */
    uint32_t second; /* when it was changed */
    uint32_t size;
};

struct file {
    uint32_t value;
    struct stamp stamp;
    uint64_t conflicts; /* bit v: there is a conflict file of this one with value v */
};

struct files {
    struct file all[SYNC_FILES];
    uint64_t changes; /* of all files, ever */
    uint32_t second;  /* that it is now, by the node's clock */
};

/* Writes, makes or (0) removes a file. Nothing happens if one that is not there is removed. Returns
 * what was there before. */
uint32_t local_files_write(struct files *files, uint32_t file, uint32_t value);

#endif
