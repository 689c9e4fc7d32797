/* conjecture.h - a part of build/bench/blackbox. SPDX-License-Identifier: MIT */
#ifndef BENCH_CONJECTURE_H
#define BENCH_CONJECTURE_H

/* How fast sets of possible states are followed, and how they grow with nodes, events and files. */
void bench_conjecture(void);

#endif
