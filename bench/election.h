/* election.h - three nodes that elect a leader for ever, to measure timers with.
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_ELECTION_H
#define BENCH_ELECTION_H

/* The run function of a test: its trials never end by themselves. */
void election_run(void);

#endif
