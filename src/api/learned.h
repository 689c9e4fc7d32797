/* learned.h - where a run ended and what its strategies had learned, as a file: another run can go
 * on from there. The file may come from anywhere. SPDX-License-Identifier: MIT
 */
#ifndef API_LEARNED_H
#define API_LEARNED_H

#include "engine/explore.h"

enum { LEARNED_NAME = 256 };

struct learned {
    char strategy[LEARNED_NAME]; /* as it was asked for */
    uint64_t seed;
    uint64_t trials;     /* that were run, from 0 on */
    bool was_cut;        /* one of them */
    bool has_left_phase; /* one of them went beyond its first phase */
};

/* Strategies that cannot be saved make it a file without a state. 0, or SN_E* with a sentence. */
int learned_write(const char *path, const struct learned *l, const struct explore_phase *phases,
                  uint32_t n_phases, struct err *why);

/* A file that was read, for several loads. */
struct learned_file {
    struct learned learned;
    unsigned char *bytes; /* a mapping */
    size_t size;
    size_t states; /* where the states begin */
};

/* 0; SN_ENOTFOUND if there is no such file; or SN_EFORMAT, SN_EIO, SN_ENOMEM with a sentence. */
int learned_read(struct learned_file *file, const char *path, struct err *why);

/* Puts strategies, which were opened with the same parameters, where the others were. 0, or
 * SN_EFORMAT. */
int learned_load(const struct learned_file *file, struct explore_phase *phases, uint32_t n_phases,
                 struct err *why);

void learned_done(struct learned_file *file);

#endif
