/* observe.h - what a trial did, kept where the world does not reach: in a mapping of its own.
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_OBSERVE_H
#define UNIT_OBSERVE_H

#include <sennit/sennit.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct observed {
    char text[65536];
    size_t used;
    uint64_t count[16];
};

static struct observed *seen;

static inline void observe_clear(void)
{
    if (seen == NULL)
        seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(seen, 0, sizeof(*seen));
}

/* Adds to the text, for later comparison. */
static inline __attribute__((format(printf, 1, 2))) void observe(const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(seen->text + seen->used, sizeof(seen->text) - seen->used, format, args);
    va_end(args);
    if (n > 0 && seen->used + (size_t)n < sizeof(seen->text))
        seen->used += (size_t)n;
}

/* One trial of random, nothing written. */
static inline struct sn_result run_test_once(const struct sn_test *test)
{
    struct sn_options options = {.iterations = 1};
    struct sn_result result;

    if (sn_run(test, &options, &result) < 0)
        result.failures = 999;
    return result;
}

/* Every schedule. */
static inline struct sn_result run_test_all(const struct sn_test *test)
{
    struct sn_options options = {.iterations = 1000000, .strategy = "dfs", .keep_going = true};
    struct sn_result result;

    if (sn_run(test, &options, &result) < 0)
        result.failures = 999;
    return result;
}

#endif
