/* outcome_log.h - what a node has on its disk of a transaction that deletes a table's copy there.
 *
 * A participant notes that it is ready to commit, later what was decided, and then deletes the
 * copy. Of one that was stopped in between the disk has a part of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ERLANG_OUTCOME_LOG_H
#define ERLANG_OUTCOME_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum outcome {
    OUTCOME_NONE = 0, /* there was no transaction, or it did not get that far */
    OUTCOME_UNCLEAR,  /* its coordinator decides */
    OUTCOME_COMMITTED,
    OUTCOME_ABORTED,
};

struct outcome_log {
    enum outcome outcome;
    bool has_copy;
};

void outcome_log_init(struct outcome_log *log);

/* Notes an outcome. One that is decided stays as it is. */
void outcome_log_note(struct outcome_log *log, enum outcome outcome);

/* Deletes the copy, if that was committed; any number of times. */
void outcome_log_apply(struct outcome_log *log);

#endif
