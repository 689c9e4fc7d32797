/* tables.h - what failing trials have observed, for people. SPDX-License-Identifier: MIT */
#ifndef DRIVERS_TABLES_H
#define DRIVERS_TABLES_H

#include <stdint.h>
#include <stdio.h>

/* The note that comes before the lines of a table in a trace. */
#define TABLES_HEADING "observed:"

/* Prints the table of a trace, if it has one. */
void tables_print(const char *path, FILE *out);

/* Prints those of all traces of a suite in a directory that were written since `since_ns` (of the
 * clock of files); of a trial that was shrunk, the smaller one. */
void tables_print_new(const char *directory, const char *suite, uint64_t since_ns, FILE *out);

#endif
