/* output.h - what the code under test prints: dropped while searching, kept for a trace.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_OUTPUT_H
#define API_OUTPUT_H

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

/* Descriptors 1 and 2 of the program, put aside. Zeroed is not in use. */
struct output {
    int saved[2];
    int sink;   /* drops everything */
    int kept;   /* a file in memory */
    off_t read; /* how much of it was handed on */
    int is_open;
};

/* Sends what the program prints nowhere until output_close. 0, or SN_EIO. */
int output_open(struct output *o, struct err *why);
void output_close(struct output *o);

/* From now on what is printed goes where it would go, line by line, even after output_close. To be
 * called before the state of the program is saved, which holds how it prints. */
void output_show(struct output *o);

/* From now on what is printed is kept, or dropped again. */
void output_keep(struct output *o);
void output_drop(struct output *o);

/* Takes what was printed since the last call: up to `size` bytes. Returns their number. */
size_t output_take(struct output *o, char *buffer, size_t size);

#endif
