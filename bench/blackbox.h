/* blackbox.h - the parts of build/bench/blackbox, one file each.
 *
 * A part prints its lines. To add one: a file with a function, a line here, and a line in the table
 * of blackbox.c. SPDX-License-Identifier: MIT
 */
#ifndef BENCH_BLACKBOX_H
#define BENCH_BLACKBOX_H

/* Tests per second of a trivial property. `self` is the path of this program. */
void bench_properties(const char *self);

/* What properties.c runs when the program is started as a test program. Returns an exit code. */
int bench_properties_main(int argc, char **argv);

/* How fast sets of possible states are followed, and how they grow with nodes, events and files. */
void bench_conjecture(const char *self);

#endif
