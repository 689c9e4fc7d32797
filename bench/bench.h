/* bench.h - what benchmarks share: a clock, and lines `name<TAB>value<TAB>unit`.
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

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

static inline void bench_line(const char *name, double value, const char *unit)
{
    (void)printf("%s\t%.4g\t%s\n", name, value, unit);
    (void)fflush(stdout);
}

#endif
