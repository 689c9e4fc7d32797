/* learned.h - where a run ended and what its strategies had learned, as a file: another run can go
 * on from there. The file may come from anywhere. SPDX-License-Identifier: MIT
 */
#ifndef API_LEARNED_H
#define API_LEARNED_H

#include "engine/explore.h"

/* What a file is of, and what was found out, in words. */
enum learned_text {
    LEARNED_STRATEGY, /* as it was asked for */
    LEARNED_TEST,     /* its name, and everything that makes it this test */
    LEARNED_BUILD,    /* of the program */
    LEARNED_WITHIN,   /* what a part of the search that is over was limited to */
    LEARNED_TEXTS,
};

enum { LEARNED_TEXT_BYTES = 1024 };

struct learned {
    char texts[LEARNED_TEXTS][LEARNED_TEXT_BYTES];
    uint64_t seed;
    uint64_t trials;      /* that were run, from 0 on */
    uint64_t failures;    /* of them */
    uint64_t stuck;       /* of them */
    uint64_t left[LEFTS]; /* trials that a strategy left, by enum explore_left */
    bool was_cut;         /* one of them */
    bool has_left_phase;  /* one of them went beyond its first phase */
    bool is_incomplete;   /* a strategy came to its end without having tried everything */
};

/* The states of strategies as bytes: how many; what was written is of no use if that is more than
 * room. One that is told where to go and has no state is kept as nothing; 0: another one cannot be
 * saved. */
size_t learned_save(const struct explore_phase *phases, uint32_t n_phases, unsigned char *bytes,
                    size_t room);

/* Puts strategies, which were opened with the same parameters, where the others were. 0, or
 * SN_EFORMAT. */
int learned_load(const unsigned char *bytes, size_t n, struct explore_phase *phases,
                 uint32_t n_phases, struct err *why);

/* A file that is being put together, or was read. */
struct learned_file {
    struct learned learned;
    unsigned char *bytes; /* a mapping */
    size_t size;
    size_t at; /* where the next piece begins */
    bool is_too_long;
};

/* Begins a file. learned_done comes last in any case. */
int learned_begin(struct learned_file *file, const struct learned *l, struct err *why);

/* Room for a piece, to be filled and then added: a part of what is left, in order. The first one is
 * the orders that were seen (distinct.h), and no work. */
unsigned char *learned_room(struct learned_file *file, size_t *room);
void learned_add(struct learned_file *file, size_t n, uint64_t skip);

/* Writes the file, whole or not at all; if it is precious also where the machine stops. 0, or SN_E*
 * with a sentence. */
int learned_write(struct learned_file *file, const char *path, bool is_precious, struct err *why);

/* 0; SN_ENOTFOUND if there is no such file; or SN_EFORMAT, SN_EIO, SN_ENOMEM with a sentence. */
int learned_read(struct learned_file *file, const char *path, struct err *why);

/* The next piece of a file that was read; NULL: there is none, or not all of it. */
const unsigned char *learned_next(struct learned_file *file, size_t *n, uint64_t *skip);

/* Whether there is nothing more in it. */
bool learned_is_read(const struct learned_file *file);

void learned_done(struct learned_file *file);

#endif
