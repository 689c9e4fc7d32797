/* progress.h - one line on a terminal that says how far a run is, and is written over and over.
 *
 * It asks no clock: whoever calls says what time it is. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_PAUSE_NS UINT64_C(200000000) /* between two changes of the line */

/* How far the run of one test is. */
struct progress_figures {
    const char *suite;
    const char *test;
    uint64_t trials;
    uint64_t steps;
    uint64_t orders;
    uint64_t failures;
    uint64_t trials_max; /* at which the run ends; 0: unknown */
    double done;         /* the part of a systematic search, from 0 to 1; 0: unknown */
    bool is_most;        /* ... that is done at most */
    double seconds;      /* since the test began */
    double seconds_left; /* until its time is up; below 0: it has no limit */
};

struct progress {
    int fd;           /* a terminal, or anything else in a test */
    uint64_t next_ns; /* when the line may change again */
    bool is_shown;
};

/* Keeps the descriptor. */
void progress_init(struct progress *progress, int fd);

/* A test begins. */
void progress_begin(struct progress *progress, uint64_t now_ns);

/* Shows the figures, unless they were shown a moment ago. The line fits the terminal. */
void progress_update(struct progress *progress, const struct progress_figures *figures,
                     uint64_t now_ns);

/* The same for any text. */
void progress_show(struct progress *progress, const char *text, uint64_t now_ns);

/* Takes the line away: something else is going to be printed. */
void progress_clear(struct progress *progress);

#endif
