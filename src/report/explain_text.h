/* explain_text.h - an explanation in words. SPDX-License-Identifier: MIT */
#ifndef REPORT_EXPLAIN_TEXT_H
#define REPORT_EXPLAIN_TEXT_H

#include "base/text.h"
#include "explain/explanation.h"

/* Writes what there is: a budget that has ended is told at the end. Verbose: with all steps of the
 * trial that are listed, and not only those that matter. */
void explain_text(struct sn_text *out, const struct explanation *e, bool is_verbose);

/* The same as one JSON object; docs/explaining.md describes it. */
void explain_json(struct sn_text *out, const struct explanation *e);

#endif
