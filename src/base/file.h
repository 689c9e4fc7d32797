/* file.h - files that are there whole or not at all, and directories for them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"

#include <stddef.h>

enum { FILE_PATH_MAX = 4096 };

struct file_part {
    const char *bytes;
    size_t n;
};

/* Makes a directory and those above it, unless they are there. 0; SN_EINVAL if the path is empty or
 * has 512 bytes or more; or SN_EIO. */
int file_make_dirs(const char *path, struct err *why);

/* Makes the parts, one after the other, the contents of a file. They are written beside it, under a
 * name that only this process uses, and then put in its place: whoever reads the file finds what it
 * held before or all of this. 0; SN_EINVAL if the path is empty or too long; or SN_EIO, and the
 * file is what it was. What is no file (a pipe, a device) is written to instead. */
int file_replace(const char *path, const struct file_part *parts, size_t n, struct err *why);

/* The same, and it is so even if the machine stops at any moment; that takes its time. */
int file_replace_safely(const char *path, const struct file_part *parts, size_t n, struct err *why);

/* A file that is being written a piece at a time, and put in its place at the end. */
struct file_writing {
    int fd;                             /* to write to */
    char path[FILE_PATH_MAX];           /* without symbolic links at its end */
    char temporary[FILE_PATH_MAX + 32]; /* "": the file itself is written */
};

/* Opens a file beside the one that it will replace; what is no file (a pipe, a device) is opened
 * itself. 0; SN_EINVAL if the path is empty or too long; or SN_EIO. */
int file_writing_begin(struct file_writing *w, const char *path, struct err *why);

/* Puts it in its place if rc, how the writing went, is 0; otherwise removes it. Returns rc, or
 * SN_EIO: then what there was before is still there. */
int file_writing_end(struct file_writing *w, int rc, struct err *why);

/* Whether file_replace could begin now: 0, or what it would return. Changes nothing. */
int file_try(const char *path, struct err *why);

/* Replaces what is awkward in the name of a file. */
void file_tame(char *name);

#endif
