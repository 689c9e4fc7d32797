/* noise.h - machines that have nothing to do with the system under test, for --noise N.
 *
 * Real systems do many things at once, most of which have no part in a bug. Pairs of machines talk
 * to each other here from the start of a trial, rest for some virtual time, and go on: N steps in
 * all, among those of the system and after them. No machine of the system knows of them. So a
 * strategy can be asked how much worse it gets when more is going on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef NOISE_H
#define NOISE_H

#include <sennit/sennit.h>

enum { NOISE_STEPS_MAX = 100000 };

/* How many steps there are in a trial. 0: no machine is created, and nothing is as if there were
 * any. */
extern uint64_t noise_steps;

/* The entry of a program's table of options. */
#define NOISE_OPTION                                                                               \
    {                                                                                              \
        .name = "noise", .about = "steps of machines that have no part in it, in a trial (0)",     \
        .number = &noise_steps, .max = NOISE_STEPS_MAX                                             \
    }

/* Makes room for these steps: trials may be as much longer, and so may the time in which faults
 * begin. To be called from `prepare` of the suite. The table ends as that of a suite does; it has
 * at most 16 tests. */
void noise_make_room(struct sn_test *tests);

/* Creates the machines; called last in a test's run function. Some rest for `rest_ns` at a time,
 * others for a few times that: the best is what the timers of the system are multiples of, so that
 * they wake together with it. 0, for a system without virtual time: they rest until some moment. */
void noise_start(uint64_t rest_ns);

#endif
