/* table.h - an observation and why it can or cannot be explained, for people and for programs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SYNC_TABLE_H
#define SYNC_TABLE_H

#include <sennit/sync.h>

/* What is printed. */
struct sync_print {
    const char *rules;
    uint32_t n_nodes;
    const struct sn_sync_event *events;
    size_t n;
    const struct sn_sync_names *names;   /* NULL: none */
    const struct sn_sync_limits *limits; /* NULL: none */
    const uint64_t *lines;               /* of the events in a file; NULL: they are in none */
};

enum { SYNC_STATES_SHOWN = 40 }; /* of those that refuse an event */

/* As sn_sync_print, to any text. 0, or SN_EINVAL if something makes no sense. */
int sync_print_table(const struct sync_print *what, enum sn_sync_form form, struct sn_text *out);

/* As members of a JSON object, each with a comma before it: "explanation" of what can be explained,
 * and if that is not all, "stuck" and "states". 0, or SN_EINVAL. */
int sync_print_json(const struct sync_print *what, struct sn_text *out);

#endif
