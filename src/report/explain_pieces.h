/* explain_pieces.h - what the sections of an explanation are written with.
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_EXPLAIN_PIECES_H
#define REPORT_EXPLAIN_PIECES_H

#include "base/text.h"
#include "explain/explanation.h"

/* The title of a section, in its column; "" for a further line of it. */
void explain_put_section(struct sn_text *out, const char *title);

/* «83 of 1000 fail (6.7 to 10.2 %; 3 stuck)» */
void explain_put_answer(struct sn_text *out, const struct answer *a);

/* The same of those that did not get stuck only, and says so. */
void explain_put_unstuck(struct sn_text *out, const struct answer *a);

/* «6.7 to 10.2 %» */
void explain_put_interval(struct sn_text *out, const struct answer *a);

/* What a label is called. */
const char *explain_label(enum label label);

/* What a step of the trial does; "" if it is not listed. */
const char *explain_step_words(const struct explanation *e, uint64_t step);
const char *explain_step_changes(const struct explanation *e, uint64_t step);

/* Whether orders can be read in the cause that were at least half of the time enough, and more
 * often than without them. */
bool explain_is_worth_saying(const struct explanation *e, const struct explanation_cause *c);

/* A cause: the reason of the trial (0), or another one. */
void explain_put_cause(struct sn_text *out, const struct explanation *e, uint32_t number);

#endif
