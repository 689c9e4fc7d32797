/* ds2_census_main.c - every schedule of one of DS2's objects, counted:
 *     ds2_census_main TEST READS WRITES AGENTS VARIANT [STRATEGY [TRIALS]]
 * prints schedules, incomplete histories, different ones, those of them that are incomplete, those
 * that are not linearizable, different ones and those of them that are not linearizable where
 * histories that are alike count once, and partial orders. AGENTS 0: as many as usual.
 * SPDX-License-Identifier: MIT
 */
#include "census.h"
#include "harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const struct sn_test *test = ds2_suite.tests;
    struct sn_options options = {.strategy = "dfs", .iterations = 10000000};
    struct ds2_census census;
    struct sn_result result;

    if (argc < 6)
        return 2;
    while (test->name != NULL && strcmp(test->name, argv[1]) != 0)
        test++;
    if (test->name == NULL)
        return 2;
    ds2_parameters.reads = strtoull(argv[2], NULL, 10);
    ds2_parameters.writes = strtoull(argv[3], NULL, 10);
    ds2_parameters.agents = strtoull(argv[4], NULL, 10);
    ds2_parameters.variant = argv[5];
    if (argc > 6)
        options.strategy = argv[6];
    if (argc > 7)
        options.iterations = strtoull(argv[7], NULL, 10);
    if (ds2_census_take(test, &options, ds2_parameters.reads + ds2_parameters.writes, &census,
                        &result) < 0) {
        (void)fprintf(stderr, "%s\n", result.failure);
        return 1;
    }
    (void)printf("%s%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                 census.is_over ? "" : "not all: ", census.schedules, census.incomplete,
                 census.unique, census.unique_incomplete, census.not_linear);
    (void)printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", census.alike, census.alike_not_linear,
                 census.orders);
    return 0;
}
