/* err.c - sentences about errors, and the end of the process on a broken invariant.
 *
 * Neither uses stdio: the sentence may be needed while libc's memory is being put back.
 * SPDX-License-Identifier: MIT
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

void err_check_failed(const char *file, int line, const char *expression)
{
    char text[512];
    int n = snprintf(text, sizeof(text), "sennit: internal error: %s:%d: %s does not hold\n", file,
                     line, expression);

    if (n > 0)
        (void)!write(STDERR_FILENO, text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
    abort();
}
