/* words.h - what the records of a trace say, in words. SPDX-License-Identifier: MIT */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "base/text.h"
#include "trace/trace.h"

#include <stdbool.h>

void words_name(struct sn_text *out, const char *name);

/* «verb name» and, if `to` is not NULL, «word to». */
void words_phrase(struct sn_text *out, const char *verb, const char *name, const char *word,
                  const char *to);

/* The state that a change left, or NULL. */
const char *words_left_state(const struct trace_record *r);

/* A change of state: «Idle -> Busy», without the first if that stands there already. */
void words_change(struct sn_text *out, const struct trace_record *r, bool has_first);

/* What a record says; nothing for those that have a form of their own (steps, draws, notes and
 * output). */
void words_record(struct sn_text *out, const struct trace_record *r);

#endif
