/* interpret.h - a program as a test of the library, through its public headers alone.
 * SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_INTERPRET_H
#define BRUTE_INTERPRET_H

#include "tree.h"

#include <sennit/sennit.h>

/* What the machines write down while they run. In shared memory: not rolled back, so what is valid
 * is the first n of the schedule that was run; n_written is exact only when trials run from their
 * beginning. */
struct record {
    uint32_t n_written;
    struct observation observations[OBSERVATIONS_MAX];
};

/* Makes the program ready to be run; the last one prepared is the one that runs. Where the state of
 * the machines lies follows from the world: in globals and on the heap where the library rolls
 * those back (SN_WORLD_FULL) or forks, otherwise in the machines themselves. */
void interpret_prepare(const struct program *program, enum sn_world world, struct sn_test *test,
                       struct record *record);

/* The type of event that has a number. */
const struct sn_event *interpret_event(uint8_t event);

#endif
