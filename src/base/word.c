/* word.c - see word.h. SPDX-License-Identifier: MIT */
#include "base/word.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that an escape stands for, *at being behind its backslash; 0: it is none. */
static char unescape(const char **at)
{
    int high;
    int low;

    if (**at == '"' || **at == '\\')
        return *(*at)++;
    if (**at != 'x')
        return 0;
    high = hex_digit((*at)[1]);
    low = high < 0 ? -1 : hex_digit((*at)[2]);
    if (low < 0)
        return 0;
    *at += 3;
    return (char)(high * 16 + low);
}

/* Reads what stands in quotes to where the opening quote stood. Returns what follows the closing
 * one, or NULL. */
static char *take_quoted(char *open, const char **why)
{
    const char *from = open + 1;
    char *to = open;

    while (*from != '"') {
        char c = *from++;

        if (c == '\0') {
            *why = "a quote is not closed";
            return NULL;
        }
        if (c == '\\') {
            c = unescape(&from);
            if (c == '\0') {
                *why = "after a backslash there may be a quote, a backslash, or x and two digits "
                       "that are not both 0";
                return NULL;
            }
        }
        *to++ = c;
    }
    from++;
    if (*from != '\0' && !is_blank(*from)) {
        *why = "a word goes on after its closing quote";
        return NULL;
    }
    *to = '\0'; /* on the closing quote or before it */
    return open + (from - open);
}

int word_split(char *line, struct word *words, int max, const char **why)
{
    char *at = line;
    int n = 0;

    for (;;) {
        while (is_blank(*at))
            at++;
        if (*at == '\0' || *at == '#')
            return n;
        if (n == max) {
            *why = "there are too many words";
            return -1;
        }
        words[n] = (struct word){at, *at == '"'};
        if (*at == '"') {
            at = take_quoted(at, why);
            if (at == NULL)
                return -1;
        } else {
            while (*at != '\0' && !is_blank(*at) && *at != '"')
                at++;
            if (*at == '"') {
                *why = "a quote stands in the middle of a word";
                return -1;
            }
        }
        n++;
        if (*at != '\0')
            *at++ = '\0';
    }
}

void word_put(struct sn_text *out, const char *bytes)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_#.+:/@%(),*?!<>[]{}|~^&$;'`-";

    if (bytes[0] != '\0' && bytes[0] != '#' && bytes[strspn(bytes, plain)] == '\0') {
        text_puts(out, bytes);
        return;
    }
    text_putc(out, '"');
    for (; *bytes != '\0'; bytes++) {
        unsigned char c = (unsigned char)*bytes;

        if (c == '"' || c == '\\')
            text_print(out, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            text_print(out, "\\x%02x", c);
        else
            text_putc(out, (char)c);
    }
    text_putc(out, '"');
}
