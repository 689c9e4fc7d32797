/* number.h - numbers in the parameters of strategies. SPDX-License-Identifier: MIT */
#ifndef STRATEGY_NUMBER_H
#define STRATEGY_NUMBER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Reads a number between least and most from *at, which must end there or be followed by a colon,
 * and moves *at behind both. 0, or -1. */
static inline int number_read(const char **at, uint64_t least, uint64_t most, uint64_t *value)
{
    size_t n = strspn(*at, "0123456789");
    const char *end = *at + n;

    if (n == 0 || n > 18 || (*end != '\0' && *end != ':'))
        return -1;
    *value = strtoull(*at, NULL, 10);
    if (*value < least || *value > most)
        return -1;
    *at = end + (*end == ':');
    return 0;
}

#endif
