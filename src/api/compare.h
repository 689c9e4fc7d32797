/* compare.h - the same test with one strategy after the other: PROGRAM --strategies A,B,C.
 *
 * Each run is one as any other, of as many trials as were asked for, whatever fails; none leaves a
 * file. SPDX-License-Identifier: MIT
 */
#ifndef API_COMPARE_H
#define API_COMPARE_H

#include "api/options.h"
#include "api/run.h"

struct compare_job {
    const struct options *options;
    const char *suite;
    const char *program; /* as it was called */
    const struct sn_test *const *tests;
    size_t n_tests;
    struct run_request request; /* of any of these runs, without test and strategy */
    struct sn_text *out;
    struct sn_text *complaints;
};

/* Compares and prints. Strategies that there are not, or that cannot run one of the tests, are
 * refused before anything is run. Returns an exit code; all is said. */
int compare_strategies(const struct compare_job *job);

#endif
