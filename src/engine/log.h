/* log.h - the log of decisions: what was chosen and drawn, in order.
 *
 * Same program and same log is the same trial. An entry of an operation holds its id, which
 * survives changes elsewhere in the trial; the source it was found in is kept beside it as a hint
 * that makes repeating cheap and is checked against the id. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_LOG_H
#define ENGINE_LOG_H

#include "engine/mem.h"

#include <stdint.h>

enum { LOG_ENTRIES_MAX = (1 << 26) >> MEM_SAVING_SHIFT };

enum log_kind {
    LOG_OP = 1,
    LOG_DRAW,
};

struct log_entry {
    uint64_t value; /* id of the operation, or the value drawn */
    uint32_t hint;  /* source of the operation */
    uint32_t kind;
};

struct log {
    uint64_t n; /* decisions taken or repeated so far in this trial */
    struct log_entry entries[LOG_ENTRIES_MAX];
};

static inline void log_push(struct log *log, enum log_kind kind, uint64_t value, uint32_t hint)
{
    log->entries[log->n++] = (struct log_entry){value, hint, kind};
}

#endif
