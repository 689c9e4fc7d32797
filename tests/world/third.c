/* third.c - see third.h. SPDX-License-Identifier: MIT */
#include "third.h"

#include <stdlib.h>
#include <string.h>

static int count;
static char *word;
static _Thread_local int count_of_thread;

int third_count(void)
{
    return ++count;
}

const char *third_word(char letter)
{
    size_t n = word == NULL ? 0 : strlen(word);
    char *longer = realloc(word, n + 2);

    if (longer == NULL)
        return "";
    longer[n] = letter;
    longer[n + 1] = '\0';
    word = longer;
    return word;
}

int third_count_of_thread(void)
{
    return ++count_of_thread;
}
