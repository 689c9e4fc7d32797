/* third.h - a library of somebody else's that keeps state. SPDX-License-Identifier: MIT */
#ifndef TESTS_WORLD_THIRD_H
#define TESTS_WORLD_THIRD_H

/* 1 at the first call, 2 at the next, ... */
int third_count(void);

/* Appends a letter and returns the whole word, which it keeps in the heap. */
const char *third_word(char letter);

/* The same as third_count, for each thread. */
int third_count_of_thread(void);

#endif
