/* clock.h - time as it passes outside of trials.
 *
 * In a trial libc's clocks and sleeps are virtual. A real synchroniser has the machine's clock, so
 * those who wait for one ask the kernel, and nobody else. SPDX-License-Identifier: MIT
 */
#ifndef DRIVERS_CLOCK_H
#define DRIVERS_CLOCK_H

#include <poll.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t clock_real_ns(void)
{
    struct timespec now = {0};

    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static inline void clock_real_sleep(uint64_t ns)
{
    struct timespec left = {.tv_sec = (time_t)(ns / 1000000000U),
                            .tv_nsec = (long)(ns % 1000000000U)};

    while (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &left, &left) != 0 &&
           (left.tv_sec > 0 || left.tv_nsec > 0))
        continue;
}

#endif
