/* err.c - sentences about errors, and the end of the process on a broken invariant.
 *
 * Neither uses stdio: the sentence may be needed while libc's memory is being put back.
 * SPDX-License-Identifier: MIT
 */
#include "base/err.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SHOWN_MAX = 200 }; /* of a file */

int err_set(struct err *e, int code, const char *format, ...)
{
    va_list args;

    if (e == NULL)
        return code;
    va_start(args, format);
    (void)vsnprintf(e->text, sizeof(e->text), format, args);
    va_end(args);
    return code;
}

int err_set_at(struct err *e, int code, const char *file, uint64_t line, const char *format, ...)
{
    size_t size = strlen(file);
    bool is_long = size > NAME_SHOWN_MAX;
    char where[32] = "";
    char cause[256];
    va_list args;

    if (line > 0)
        (void)snprintf(where, sizeof(where), ":%" PRIu64, line);
    va_start(args, format);
    (void)vsnprintf(cause, sizeof(cause), format, args);
    va_end(args);
    return err_set(e, code, "%s%s%s: %s", is_long ? "..." : "",
                   is_long ? file + size - NAME_SHOWN_MAX : file, where, cause);
}

void err_check_failed(const char *file, int line, const char *expression)
{
    char text[512];
    int n = snprintf(text, sizeof(text), "sennit: internal error: %s:%d: %s does not hold\n", file,
                     line, expression);

    if (n > 0)
        (void)!write(STDERR_FILENO, text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
    abort();
}
