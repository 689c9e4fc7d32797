/* outcome_log.c - what a node has on its disk of a transaction that deletes a table's copy there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "outcome_log.h"

void outcome_log_init(struct outcome_log *log)
{
    *log = (struct outcome_log){.outcome = OUTCOME_NONE, .has_copy = true};
}

void outcome_log_note(struct outcome_log *log, enum outcome outcome)
{
    if (log->outcome < OUTCOME_COMMITTED && outcome > log->outcome)
        log->outcome = outcome;
}

void outcome_log_apply(struct outcome_log *log)
{
    if (log->outcome == OUTCOME_COMMITTED)
        log->has_copy = false;
}
