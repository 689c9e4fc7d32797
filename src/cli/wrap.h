/* wrap.h - wrappers that record the calls of a library: docs/events.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_WRAP_H
#define CLI_WRAP_H

#include <stdbool.h>

/* Reads a list of functions and prints wrappers for them in C, or the flags that put them in
 * between. Returns an exit code, after a message if it is not 0. */
int wrap_print(const char *path, bool flags);

#endif
