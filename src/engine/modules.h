/* modules.h - which files the code of this process comes from, and where they are.
 *
 * An address means something only together with this, and a process that has died can no longer be
 * asked. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_MODULES_H
#define ENGINE_MODULES_H

#include <stdint.h>

enum { MODULES_MAX = 64, MODULE_PATH = 256 };

struct module {
    uint64_t start; /* where the first byte of the file is or would be */
    uint64_t end;
    char path[MODULE_PATH]; /* what does not fit is left out: then there is no such file */
};

struct modules {
    uint32_t n;
    struct module list[MODULES_MAX];
};

/* Lists the program and the libraries that are loaded now. May be called in a handler of a signal,
 * whatever state the process is in. */
void modules_record(struct modules *out);

/* The one that this address is in; NULL: none. */
const struct module *modules_find(const struct modules *modules, uint64_t address);

#endif
