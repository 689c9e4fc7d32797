/* census.h - counts the histories of a run: how many are incomplete, different, not linearizable.
 *
 * Done in two steps, as DS2 did: schedules are run and their histories collected, then each history
 * that is different from all others is checked once. SPDX-License-Identifier: MIT
 */
#ifndef DS2_CENSUS_H
#define DS2_CENSUS_H

#include <sennit/sennit.h>

/* A history is complete if every operation was called and has returned. Histories are the same if
 * calls and returns come in the same order, with the same agents, arguments and results. They are
 * alike if the operations are the same, with the same results, and the same ones have returned
 * before others were called: swapping two calls, or two returns, makes a history different that is
 * linearizable for the same reasons or not. */
struct ds2_census {
    uint64_t schedules;  /* trials */
    uint64_t incomplete; /* of those, how many had an incomplete history */
    uint64_t unique;     /* different histories; exact up to DS2_CENSUS_MAX */
    uint64_t unique_incomplete;
    uint64_t not_linear;       /* different histories that are not linearizable */
    uint64_t alike;            /* different histories, where those that are alike count once */
    uint64_t alike_not_linear; /* of these, how many are not linearizable */
    uint64_t failing;          /* trials with a history that is not */
    uint64_t first;            /* of them, from 0 */
    uint64_t unique_before;    /* different histories found before that one's */
    uint64_t orders;           /* partial orders of the trials */
    uint64_t steps;
    double run_s;      /* of the processor, to run the schedules */
    double check_s;    /* to check the histories */
    double first_s;    /* until the first history that is not linearizable was found and checked */
    bool is_exhausted; /* every schedule was run */
    bool is_over;      /* all that the strategy would run were: every one, or fewer that suffice */
};

enum { DS2_CENSUS_MAX = 1 << 17 };

/* Runs a test of the suite with these options, of which watch and keep_going are its own, and
 * counts. `operations` is how many there are in a complete history. 0, or what sn_run returns with
 * a sentence in result->failure. */
int ds2_census_take(const struct sn_test *test, const struct sn_options *options,
                    uint64_t operations, struct ds2_census *out, struct sn_result *result);

#endif
