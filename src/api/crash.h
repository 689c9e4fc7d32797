/* crash.h - when the code under test takes the whole process with it, at least say so.
 *
 * In a process per trial a crash is a failing trial like any other. Where trials run in the
 * runner's own process the runner dies too: this makes sure that it does not do so silently.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_CRASH_H
#define API_CRASH_H

#include <signal.h>
#include <stdint.h>

enum { CRASH_SIGNALS = 5, CRASH_STACK = 65536 };

struct crash {
    const char *suite;
    const char *test;
    int fd; /* where to say it */
    struct sigaction before[CRASH_SIGNALS];
    stack_t stack_before;
    unsigned char stack[CRASH_STACK]; /* the program's own may be what overflowed */
};

/* From now on, until crash_unwatch, fatal signals and calls of exit() in a trial are reported. The
 * struct must stay where it is. */
void crash_watch(struct crash *crash);
void crash_unwatch(struct crash *crash);

#endif
