/* frozen_clock.h - a real clock that shows what it is told to.
 *
 * In a trial libc's clocks are virtual; a program that goes around libc and asks the kernel sees
 * the real one. To find that out, the kernel is made to hand such calls back to the process
 * (seccomp), which answers with a clock that starts at a given moment and moves on by a microsecond
 * a call. What asks the kernel's page of fast calls (the vDSO) itself, or the processor's counter,
 * is not caught. SPDX-License-Identifier: MIT
 */
#ifndef API_FROZEN_CLOCK_H
#define API_FROZEN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct frozen_clock {
    uint64_t start_ns; /* of all clocks, after 1970 */
    uint64_t calls;    /* so far in this trial */
};

/* For the rest of the process's life. False: the kernel does not do that here. */
bool frozen_clock_install(void);

/* A trial begins. `clock` must stay where it is, in memory that no restore touches. */
void frozen_clock_start(struct frozen_clock *clock);

#endif
