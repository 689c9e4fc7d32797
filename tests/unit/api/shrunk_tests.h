/* shrunk_tests.h - small systems with bugs whose smallest failing trials are known, for tests of
 * shrinking. SPDX-License-Identifier: MIT
 */
#ifndef API_SHRUNK_TESTS_H
#define API_SHRUNK_TESTS_H

#include <sennit/sennit.h>

extern const struct sn_suite shrunk_suite;

/* The test of this name, which there is. */
const struct sn_test *shrunk_test(const char *name);

/* Which of the programs the test `random` is. */
extern uint64_t random_number;

/* How often the test `waits` was run, in memory that all processes share; NULL: it never waits. */
extern _Atomic uint32_t *shrunk_executions;

#endif
