/* race.h - a small system with a bug that only some interleavings show, for tests of the runner.
 *
 * Clients read a counter and write it back plus one. Its state lies everywhere that a program keeps
 * state: in machines, in globals, in a list on the heap, in libc; nothing resets any of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_RACE_H
#define API_RACE_H

#include <sennit/sennit.h>

/* Two clients; fails when an increment is lost. */
extern const struct sn_test race_test;

/* The same without the bug: increments are one operation. */
extern const struct sn_test race_fixed_test;

#endif
