/* symbols.h - a stack in words: functions, files and lines.
 *
 * The work is done by addr2line or llvm-symbolizer, which is started for it, so this belongs in a
 * process that is well: the one that has started trials, not the one that has died in one. Nothing
 * is taken from the heap. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SYMBOLS_H
#define REPORT_SYMBOLS_H

#include "engine/modules.h"
#include "engine/stack.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes a line for each frame, the innermost first, each ended by a newline:
 *
 *     function (file.c:31)          functions that were inlined have a line of their own
 *     function (module+0x1234)      without debugging information
 *     module+0x1234                 without symbols, or without a program that reads them
 *     0x1234                        not in any file
 *
 * Frames of the library itself are left out, except for the function of it that was called by the
 * code under test. The same line several times is written once, with a count. What does not fit is
 * dropped by lines, with a last line that says so. The modules are those of the process of the
 * stack; it must run the same program as this one, at the same addresses (a fork does). False: all
 * frames are the library's own, and were written nevertheless. */
bool symbols_describe(const struct stack *stack, const struct modules *modules, char *text,
                      size_t size);

#endif
