/* ds2_figures.h - figures 8 and 9 of DS2's publication as pictures, theirs and ours side by side.
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_DS2_FIGURES_H
#define BENCH_DS2_FIGURES_H

#include "ds2_measure.h"

/* Writes figure-8.svg and figure-9.svg into a directory, with the tables of which anything was
 * measured. 0, or -1 with errno. */
int ds2_figures_write(const struct ds2_results *results, const char *directory);

#endif
