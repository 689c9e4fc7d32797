/* captured.h - what conflict analysis found in each trial of a run, caught where a trial's lesson
 * is written. The linker puts this before conflicts_lesson (--wrap). SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_CAPTURED_H
#define BRUTE_CAPTURED_H

#include "paths.h"

#include <sennit/sennit.h>

enum { CAPTURED_TRIALS_MAX = 700, CAPTURED_LOG_MAX = 256 };

struct captured {
    bool is_analysed;
    bool is_odd; /* it cannot be compared: too long, or it did not pass */
    uint32_t n;
    uint64_t raced;                      /* steps that did, as a set, ... */
    uint64_t races[PATHS_STEPS_MAX + 1]; /* ... and with which earlier ones */
    uint64_t hashes[PATHS_STEPS_MAX + 1];
    uint32_t known[PATHS_STEPS_MAX + 1]; /* enum signature_flags: when the trial began */
    uint32_t n_log;
    uint64_t log[CAPTURED_LOG_MAX];
};

struct captures {
    uint32_t n; /* trials that were watched */
    struct captured all[CAPTURED_TRIALS_MAX];
};

/* Of the present run. */
extern struct captures captures;

/* For sn_options.watch: keeps the log. */
void captures_watch(void *self, const struct sn_trial_view *trial);

#endif
