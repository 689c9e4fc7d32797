/* err.h - one sentence about what went wrong, carried back to whoever can show it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

/* Filled together with a negative SN_E* result. Zeroed is «nothing went wrong». */
struct err {
    char text[512];
};

/* Writes the sentence and returns code, so that a caller can `return err_set(e, SN_EIO, ...)`.
 * e may be NULL. Too long a sentence is cut. */
int err_set(struct err *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A programmer's error in Sennit or in a call of its API: prints the expression and aborts. */
#define sn_check(cond_) ((cond_) ? (void)0 : err_check_failed(__FILE__, __LINE__, #cond_))

void err_check_failed(const char *file, int line, const char *expression) __attribute__((noreturn));

#endif
