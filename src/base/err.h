/* err.h - one sentence about what went wrong, carried back to whoever can show it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>
#include <stdint.h>

/* Filled together with a negative SN_E* result. Zeroed is «nothing went wrong». */
struct err {
    char text[512];
};

/* Writes the sentence and returns code, so that a caller can `return err_set(e, SN_EIO, ...)`.
 * e may be NULL. Too long a sentence is cut. */
int err_set(struct err *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same about a place in a file: «file:line: sentence», without a line if it is 0. Of a long
 * name its end is shown, and the sentence is cut before the place is. */
int err_set_at(struct err *e, int code, const char *file, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A programmer's error in Sennit or in a call of its API: prints the expression and aborts. */
#define sn_check(cond_) ((cond_) ? (void)0 : err_check_failed(__FILE__, __LINE__, #cond_))

void err_check_failed(const char *file, int line, const char *expression) __attribute__((noreturn));

#endif
