/* ds2_print.h - a table with DS2's figures and ours, as text or Markdown.
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_DS2_PRINT_H
#define BENCH_DS2_PRINT_H

#include "ds2_measure.h"

/* What the columns are. */
void ds2_print_legend(bool is_markdown);

/* A table. Without DS2's figures if it is about the register without its defects. */
void ds2_print_table(const struct ds2_paper_table *table, bool is_fixed,
                     const struct ds2_outcome outcomes[DS2_STRATEGIES], bool is_markdown);

/* One table of all: schedules, and how many of the different histories are not linearizable. */
void ds2_print_summary(const struct ds2_results *results, bool is_markdown);

#endif
