/* debug.h - a replay in gdb, stopped where the trial fails or at a step of one's choice.
 *
 * The library calls sn_debug_break at both (sennit/test.h). gdb stops there, and land.py, which is
 * given to it as a command, goes to or selects the frame of the code under test.
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_DEBUG_H
#define CLI_DEBUG_H

#include "trace/trace.h"

#include <stdint.h>

struct debug_request {
    struct trace *trace; /* and where memory comes from */
    char **program;      /* with its arguments; ends with NULL */
    uint64_t step;       /* to stop before; 0: only where it fails */
};

/* Becomes gdb. Returns, with an exit code after a message, only if that fails. */
int debug_become(const struct debug_request *request);

#endif
