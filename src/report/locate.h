/* locate.h - where in a tree the file of a given name lies. SPDX-License-Identifier: MIT */
#ifndef REPORT_LOCATE_H
#define REPORT_LOCATE_H

#include <stdbool.h>
#include <stddef.h>

enum { LOCATE_ENTRIES_MAX = 200000 }; /* looked at before it gives up */

/* Looks for the one file below `root` whose name is the n bytes at `name`, and gives its path as
 * seen from there. Links are not followed, and what begins with a dot is left out. False: there is
 * none, there are several, the tree is too large, or the path too long. */
bool locate(const char *root, const char *name, size_t n, char *path, size_t size);

#endif
