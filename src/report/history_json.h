/* history_json.h - a checked history as data: what the report draws a timeline of.
 *
 * docs/histories.md describes the object. It holds the operations with the core that says why they
 * cannot be put in order. Of a history that is longer than a browser should be asked to hold only a
 * part is written, and how much that is: what matters to the core, and then what is near to it.
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_HISTORY_JSON_H
#define REPORT_HISTORY_JSON_H

#include "base/text.h"
#include "linear/core.h"

#include <sennit/history.h>
#include <stdbool.h>
#include <stddef.h>

enum { HISTORY_JSON_MAX = 200000 }; /* operations that are written, besides those of the core */

/* All of it is borrowed. */
struct history_json {
    const char *file;                      /* where it came from */
    const struct sn_model *model;          /* required */
    const struct sn_operation *operations; /* n of them; may be NULL if there are none */
    size_t n;
    const struct sn_check_result *result; /* required */
    const struct core *core;              /* why it is not legal; NULL: not known, or it is */
    const struct core_words *words;       /* may be NULL */
    const char *verdict;                  /* in words, as `sennit check` says it */
    const char *why;                      /* why it could not be read or judged; NULL: it could */
    bool is_sequential;
    bool has_keys; /* keys of operations mean something */
    bool has_time; /* times are times, and not numbers of events */
    double seconds;
    size_t operations_max; /* 0: HISTORY_JSON_MAX */
};

/* Appends one JSON object. 0, or SN_ENOMEM, and nothing was appended. */
int history_json(struct sn_text *out, const struct history_json *history);

#endif
