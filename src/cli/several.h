/* several.h - several test programs as one run: one stream of TAP, one JUnit file, one exit code.
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_SEVERAL_H
#define CLI_SEVERAL_H

#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Runs the first n words of argv, each with the other ones as its arguments. Returns the exit code
 * that counts most. */
int several_run(int argc, char **argv, int n);

/* ---- TAP ------------------------------------------------------------------------------------ */

/* Test points of all programs are numbered anew, and the plan comes last. */
struct several_tap {
    struct sn_text *out;
    size_t n;            /* test points so far */
    size_t n_of_program; /* of the program that is running */
    size_t planned;      /* by it; SIZE_MAX: it has not said yet */
    bool has_bailed_out;
};

void several_tap_begin(struct several_tap *tap, struct sn_text *out);

/* The lines of one program: its descriptor is read to its end. */
void several_tap_copy(struct several_tap *tap, int fd);

/* A program has ended. `how` is a clause if it did not come to an end by itself, otherwise NULL. */
void several_tap_program(struct several_tap *tap, const char *program, const char *how);
void several_tap_end(struct several_tap *tap);

/* ---- JUnit ---------------------------------------------------------------------------------- */

struct several_xml {
    char *body; /* owned */
    size_t used;
    size_t tests;
    size_t failures;
    size_t errors;
    size_t skipped;
    double seconds;
};

/* Takes over the file that a program has written; if there is none or it is not whole, that is an
 * error in its place. 0, or SN_ENOMEM. */
int several_xml_add(struct several_xml *xml, const char *program, const char *path,
                    const char *how);

/* Writes it all to a file and frees it. 0, or SN_E* with a sentence. */
int several_xml_end(struct several_xml *xml, const char *path, struct err *why);

#endif
