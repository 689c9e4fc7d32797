/* minimum.h - what is left of a failing trial when it is shrunk, as its notes tell it. A program
 * that uses this is its own test program, too: a shrunk trial is replayed by starting it anew.
 * SPDX-License-Identifier: MIT
 */
#ifndef GEN_MINIMUM_H
#define GEN_MINIMUM_H

#include <sennit/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#undef run_test /* it is the library's, too */

/* Around a group of tests: a directory for traces. */
int minimum_open(void **unused);
int minimum_close(void **unused);

/* Runs a test until it fails and shrinks the trial. Notes are separated by "; ". */
void minimum_find(const struct sn_test *test, const char *suite, uint64_t seed, char *told,
                  size_t size);

/* Of the last one: its steps, and the draws of a label that are not 0. */
uint64_t minimum_steps(void);
size_t minimum_draws(const char *label);

#endif
