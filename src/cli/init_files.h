/* init_files.h - what `sennit init` writes: the files of src/cli/init/, as they are there.
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_INIT_FILES_H
#define CLI_INIT_FILES_H

#include <stddef.h>

struct init_file {
    const char *language; /* "": all of them */
    const char *path;     /* in the new project */
    const unsigned char *bytes;
    size_t size;
};

/* Ends with an entry without a path. Made by src/cli/embed.py. */
extern const struct init_file init_files[];

#endif
