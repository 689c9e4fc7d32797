/* shell.c - see shell.h. SPDX-License-Identifier: MIT */
#include "base/shell.h"

#include <string.h>

void shell_put(struct sn_text *out, const char *word)
{
    /* Without `=`, which would make an assignment of a first word, and `~`. */
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-";

    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        text_puts(out, word);
        return;
    }
    text_putc(out, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            text_puts(out, "'\\''");
        else
            text_putc(out, *word);
    }
    text_putc(out, '\'');
}
