/* builtin.h - drivers that are part of the program: their texts, written out to be run.
 * SPDX-License-Identifier: MIT
 */
#ifndef DRIVERS_BUILTIN_H
#define DRIVERS_BUILTIN_H

#include <stddef.h>

struct builtin {
    const char *name;
    const unsigned char *text;
    size_t size;
};

/* Ends with an entry without a name. */
extern const struct builtin builtins[];

#endif
