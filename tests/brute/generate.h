/* generate.h - random programs. SPDX-License-Identifier: MIT */
#ifndef BRUTE_GENERATE_H
#define BRUTE_GENERATE_H

#include "program.h"

/* The program of a seed: the same on every machine, for ever. It may be too big to enumerate. */
void generate(uint64_t seed, struct program *program);

/* A number below n; steps *state. */
uint32_t random_below(uint64_t *state, uint32_t n);

#endif
