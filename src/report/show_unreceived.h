/* show_unreceived.h - messages that were sent, and not received in the steps that are shown.
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SHOW_UNRECEIVED_H
#define REPORT_SHOW_UNRECEIVED_H

#include "base/arena.h"
#include "report/show_tasks.h"
#include "trace/trace.h"

#include <stddef.h>
#include <stdint.h>

struct show_message {
    uint64_t step; /* in which it was sent; 0 is the set-up */
    const char *event;
    const char *to;
};

/* Lists, in the order of sending, what was sent to a machine up to the end of the range and was
 * neither received by then nor lost, while the machine has not halted; what the network has doubled
 * is two messages. Processes are left out: whether they have taken something from their mailbox
 * can't be told by its id. The list is taken from the arena of the tasks. Returns 0, or SN_ENOMEM.
 */
int show_unreceived(struct show_tasks *tasks, const struct show_message **list, size_t *n);

#endif
