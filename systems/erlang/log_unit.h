/* log_unit.h - a server of a shared log (Corfu's chains): epochs, and places written once.
 *
 * The log here has one place. A server takes part in one layout at a time and serves requests of
 * its epoch only. One that hears of a later epoch knows that its layout is old, and serves nobody
 * until it gets a new one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ERLANG_LOG_UNIT_H
#define ERLANG_LOG_UNIT_H

#include <stdbool.h>
#include <stdint.h>

enum log_result {
    LOG_OK = 1,
    LOG_NOT_WRITTEN,
    LOG_WRITTEN,
    LOG_WEDGED,
    LOG_BAD_EPOCH,
    LOG_STARVED,  /* of clients only: they have tried too often */
    LOG_CONFLICT, /* of clients only: they have met another value behind their own */
};

struct log_unit {
    uint32_t epoch;
    bool has_layout;
    uint32_t value; /* 0: not written */
};

void log_unit_init(struct log_unit *unit, uint32_t epoch, bool has_layout);

/* Writes, also what is written already if is_clobbering. LOG_OK, LOG_WRITTEN, LOG_WEDGED or
 * LOG_BAD_EPOCH. */
enum log_result log_unit_write(struct log_unit *unit, uint32_t epoch, uint32_t value,
                               bool is_clobbering);

/* LOG_OK with a value, LOG_NOT_WRITTEN, LOG_WEDGED or LOG_BAD_EPOCH. */
enum log_result log_unit_read(struct log_unit *unit, uint32_t epoch, uint32_t *value);

/* LOG_OK, or LOG_BAD_EPOCH if the layout is not newer. */
enum log_result log_unit_set_layout(struct log_unit *unit, uint32_t epoch);

#endif
