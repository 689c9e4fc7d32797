/* word.h - lines of words for people: bare, or in quotes if there is anything unusual in them.
 *
 * A word is what stands between blanks. In quotes it may hold any byte but zero: \" is a quote, \\
 * a backslash, \xHH the byte of that number. A word that begins with # begins a comment, which goes
 * on to the end of the line. SPDX-License-Identifier: MIT
 */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct word {
    char *text; /* ends with a zero byte */
    bool is_quoted;
};

/* Splits a line, which ends at its zero byte, in place. Returns the number of words, or -1 with
 * *why set to a clause («a quote is not closed»). More than max words are an error. */
int word_split(char *line, struct word *words, int max, const char **why);

/* Appends a word that word_split reads as these bytes. */
void word_put(struct sn_text *out, const char *bytes);

#endif
