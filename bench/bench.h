/* bench.h - what benchmarks share: a clock, and lines `name<TAB>value<TAB>unit`.
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* Time of the processor, so that other work on the machine counts as little as possible. */
static inline double bench_now_s(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Counts are printed in full, everything else with four digits. */
static inline void bench_line(const char *name, double value, const char *unit)
{
    bool is_count = value > -1e15 && value < 1e15 && value == (double)(long long)value;

    (void)printf(is_count ? "%s\t%.0f\t%s\n" : "%s\t%.4g\t%s\n", name, value, unit);
    (void)fflush(stdout);
}

#endif
