/* words.h - what the records of a trace say, in words. SPDX-License-Identifier: MIT */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "base/text.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>

void words_name(struct sn_text *out, const char *name);

/* «verb name» and, if `to` is not NULL, «word to». */
void words_phrase(struct sn_text *out, const char *verb, const char *name, const char *word,
                  const char *to);

/* The state that a change left, or NULL. */
const char *words_left_state(const struct trace_record *r);

/* A change of state: «Idle -> Busy», without the first if that stands there already. */
void words_change(struct sn_text *out, const struct trace_record *r, bool has_first);

/* Whether a record is a change of the state of this machine, which may be NULL: of none. */
bool words_is_change_of(const struct trace_record *r, const char *task);

/* The changes of state in a step of the machine that took it: «Idle -> Busy -> Done». */
void words_changes(struct sn_text *out, const struct trace *trace, uint64_t step);

/* What was drawn in a step: «choose which=2/3, ...». */
void words_draws(struct sn_text *out, const struct trace *trace, uint64_t step);

/* What a step was: «Ping <- Client», «Tick (timer)», «start». */
void words_step(struct sn_text *out, const struct trace_record *step);

/* What a record says; nothing for those that have a form of their own (steps, draws, notes and
 * output). */
void words_record(struct sn_text *out, const struct trace_record *r);

/* Whether a record is told beside the step that it belongs to, which this machine took: not what
 * the line of the step has already (its changes of state, and what it drew), and unless `is_all`
 * only what readers want without asking. */
bool words_is_told(const struct trace_record *r, const char *task, bool is_all);

/* The same in words, in one line, cut to so many columns. */
void words_told(struct sn_text *out, const struct trace_record *r, size_t columns);

/* Whether a fault is that of a message that does not arrive: others come late, or twice. */
bool words_is_lost(const struct trace_record *fault);

/* Words that did not fit into their buffer end in "...", behind a whole character. The buffer has
 * more than a few bytes. */
void words_end(struct sn_text *words);

#endif
