/* handed.h - options of a verb that are handed on to the test program which it becomes.
 *
 * They are read as every other option is: -j1, -j 1, --jobs 1, --jobs=1, before what they are about
 * or, if the verb wants, behind it. SPDX-License-Identifier: MIT
 */
#ifndef CLI_HANDED_H
#define CLI_HANDED_H

#include <stdbool.h>

enum { HANDED_MAX = 64 };

struct handed_option {
    const char *name; /* without dashes; NULL ends a table */
    bool has_value;
    char letter;    /* 0: none */
    const char *as; /* what the program calls it, with its dashes */
};

struct handed {
    const char *words[HANDED_MAX]; /* what the program is given */
    int n;
    bool is_help; /* it was asked for: nothing else counts */
};

/* Reads the options of a verb, up to the first word that is none; `is_anywhere`: to the end, while
 * words that are none are moved there. Returns the index of the first of those words, or -1 after a
 * message. */
int handed_parse(struct handed *out, const struct handed_option *options, bool is_anywhere,
                 int argc, char **argv);

/* Whether an option was given, by what the program calls it. */
bool handed_has(const struct handed *handed, const char *as);

#endif
