/* program.h - whether a file can be a test program, before it is run.
 *
 * A program that is none would do whatever it does, and its exit code would be taken for a verdict.
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <stdbool.h>

/* False: it is a binary, and neither it nor any library that it is linked with has sn_main. Of a
 * script, or a file that cannot be read, nobody can tell, and so the answer is true. A name without
 * a slash is looked for in PATH. */
bool program_can_test(const char *name);

/* The same; if not, says so. 0, or the exit code. */
int program_check(const char *name);

#endif
