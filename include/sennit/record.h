/* sennit/record.h - what clients do in a trial, recorded as a history and checked at its end.
 *
 * A test that names a model (test->model) says what the object that its clients share would do if
 * only one of them used it. Clients say when they call an operation and when it returns; when the
 * trial ends, or is cut at a limit, the history must be linearizable: docs/linearizability.md.
 * In a test without a model the functions do nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_RECORD_H
#define SENNIT_RECORD_H

#include <sennit/history.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* An operation of the running trial that was called; 0: none. */
typedef uint32_t sn_op_id;

/* The running machine calls an operation. `function` is the name of one of the model's functions;
 * key is 0 unless the object consists of several; a and b are its arguments, SN_VALUE_NIL where it
 * has none. Until it is said how it ended, its outcome is unknown: it may have taken effect at any
 * time since, or may not. A machine may have called several that have not returned. Returns the
 * operation; 0 in a test without a model. */
sn_op_id sn_op_begin(const char *function, sn_value key, sn_value a, sn_value b);

/* The operation has returned, with this result; SN_VALUE_NIL if it has none. */
void sn_op_end(sn_op_id op, sn_value result);

/* The operation has failed, and it is certain that it had no effect and never will: it is taken out
 * of the history. Whoever only guesses so says nothing. */
void sn_op_fail(sn_op_id op);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
