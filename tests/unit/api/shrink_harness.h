/* shrink_harness.h - what tests of shrinking share: finds a failing trial of shrunk_tests.h,
 * shrinks it, and leaves out by hand what could be left out. A program that is made of it is its
 * own test program, too: a shrunk trial is replayed by starting it anew.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_SHRINK_HARNESS_H
#define API_SHRINK_HARNESS_H

#include "api/shrink.h"
#include "shrunk_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#undef run_test /* it is cmocka's, too */

/* Where all is written: a directory, and in it what was made smaller last. */
extern char shrink_directory[];
extern char shrink_path[];

extern struct run_request shrink_request; /* of the last test that was run */
extern struct trace shrink_found;         /* its failing trial, ... */
extern struct trace shrink_smallest;      /* ... what was made of it, ... */
extern struct shrink_report shrink_report;

/* Runs a test until it fails, by a strategy with a seed. */
void shrink_find(const char *name, const char *strategy, uint64_t seed);

/* Makes what was found smaller; the second with one worker, and it must come to its end. */
int shrink_with(struct shrink_options options);
void shrink_it(void);

/* The random program of this number is the one to find and shrink. */
void shrink_set_number(uint64_t number);

size_t shrink_count(const struct trace *trace, enum trace_kind kind);

/* Leaves out one entry after the other, without the shrinker: none leads to the same failure in as
 * few steps. Of a trial with a fair end, what comes before that. */
void shrink_assert_minimal(void);

/* Runs a group of tests, or is the test program if it was given arguments. */
int shrink_main(int argc, char **argv, const char *name, const struct CMUnitTest *tests, size_t n);

#define SHRINK_TEST(name_) cmocka_unit_test_teardown(name_, shrink_forget)

int shrink_forget(void **unused);

#endif
