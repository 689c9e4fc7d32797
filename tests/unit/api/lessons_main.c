/* lessons_main.c - pupil.h as a test program; with --here, as a program that runs trials itself.
 * SPDX-License-Identifier: MIT
 */
#include "pupil.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_here(uint64_t trials)
{
    struct sn_options options = {.strategy = "pupil", .iterations = trials, .keep_going = true};
    struct sn_result result;

    if (sn_run(&pupils_test, &options, &result) < 0)
        return 99;
    printf("%llu distinct orders, %llu failed\n", (unsigned long long)result.distinct_orders,
           (unsigned long long)result.failures);
    return 0;
}

int main(int argc, char **argv)
{
    const struct sn_test tests[] = {pupils_test, pupils_crash_test, {0}};
    const struct sn_suite suite = {.name = "lessons", .tests = tests};

    if (sn_strategy_register(&pupil) < 0)
        return 99;
    if (argc == 3 && strcmp(argv[1], "--here") == 0)
        return run_here(strtoull(argv[2], NULL, 10));
    return sn_main(argc, argv, &suite);
}
