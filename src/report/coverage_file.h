/* coverage_file.h - what the states of a test's machines have met, as a file.
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_COVERAGE_FILE_H
#define REPORT_COVERAGE_FILE_H

#include "base/err.h"
#include "substrate/coverage.h"

/* Writes one JSON object, sorted by names: machines, their states, and of each state the events
 * that came and those that stand in its table but did not. Sorts the pairs, which finds nothing in
 * them any more. 0, or SN_EIO with a sentence. */
int coverage_write(struct coverage *c, const char *suite, const char *test, const char *path,
                   struct err *why);

#endif
