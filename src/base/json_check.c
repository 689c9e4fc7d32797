/* json_check.c - see json_check.h.
 *
 * A loop over tokens with a stack of what is open, one bit each: no recursion and no memory.
 * SPDX-License-Identifier: MIT
 */
#include "base/json_check.h"

#include "base/utf8.h"

#include <string.h>

struct checker {
    const char *bytes;
    size_t n;
    size_t at;
    const char *why;    /* NULL: all is well so far */
    uint64_t is_object; /* bit d: what is open at depth d is an object */
    uint32_t depth;
};

static bool refuse(struct checker *c, const char *why)
{
    if (c->why == NULL)
        c->why = why;
    return false;
}

static int peek(const struct checker *c)
{
    return c->at < c->n ? (unsigned char)c->bytes[c->at] : -1;
}

static void skip_blanks(struct checker *c)
{
    while (c->at < c->n && memchr(" \t\n\r", c->bytes[c->at], 4) != NULL)
        c->at++;
}

static bool is_hex(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
           (byte >= 'A' && byte <= 'F');
}

/* What follows a backslash. */
static bool take_escape(struct checker *c)
{
    int byte = peek(c);

    if (byte < 0)
        return refuse(c, "a string is not closed");
    c->at++;
    if (byte != 'u')
        return memchr("\"\\/bfnrt", byte, 8) != NULL || refuse(c, "a string has an unknown escape");
    for (int i = 0; i < 4; i++, c->at++) {
        if (!is_hex(peek(c)))
            return refuse(c, "an escape \\u needs four hexadecimal digits");
    }
    return true;
}

/* A string from its first quote on. */
static bool take_string(struct checker *c)
{
    for (c->at++; c->why == NULL;) {
        int byte = peek(c);
        uint32_t code;
        size_t size;

        if (byte < 0)
            return refuse(c, "a string is not closed");
        if (byte < 0x20)
            return refuse(c, "a string has a control character");
        if (byte == '"') {
            c->at++;
            return true;
        }
        if (byte == '\\') {
            c->at++;
            (void)take_escape(c);
            continue;
        }
        size = utf8_decode(c->bytes + c->at, c->n - c->at, &code);
        if (size == 0)
            return refuse(c, "a string is not UTF-8");
        c->at += size;
    }
    return false;
}

static size_t take_digits(struct checker *c)
{
    size_t from = c->at;

    while (peek(c) >= '0' && peek(c) <= '9')
        c->at++;
    return c->at - from;
}

static bool take_number(struct checker *c)
{
    bool is_zero;

    c->at += peek(c) == '-' ? 1 : 0;
    is_zero = peek(c) == '0';
    if (is_zero)
        c->at++;
    else if (take_digits(c) == 0)
        return refuse(c, "a value is expected");
    if (peek(c) == '.') {
        c->at++;
        if (take_digits(c) == 0)
            return refuse(c, "a number needs digits behind its point");
    }
    if (peek(c) == 'e' || peek(c) == 'E') {
        c->at++;
        c->at += peek(c) == '-' || peek(c) == '+' ? 1 : 0;
        if (take_digits(c) == 0)
            return refuse(c, "a number needs digits in its exponent");
    }
    return true;
}

static bool take_word(struct checker *c, const char *word)
{
    size_t n = strlen(word);

    if (c->n - c->at < n || memcmp(c->bytes + c->at, word, n) != 0)
        return refuse(c, "a value is expected");
    c->at += n;
    return true;
}

/* The key of a member and its colon. */
static bool take_key(struct checker *c)
{
    skip_blanks(c);
    if (peek(c) != '"')
        return refuse(c, "a member needs a key");
    if (!take_string(c))
        return false;
    skip_blanks(c);
    if (peek(c) != ':')
        return refuse(c, "a key is not followed by a colon");
    c->at++;
    return true;
}

static bool is_in_object(const struct checker *c)
{
    return (c->is_object >> (c->depth - 1) & 1) != 0;
}

/* Opens what begins here. True if a value must follow: it is not empty. */
static bool open_container(struct checker *c)
{
    bool is_object = peek(c) == '{';

    if (c->depth == JSON_CHECK_DEPTH_MAX)
        return refuse(c, "it is nested too deep");
    c->is_object &= ~(UINT64_C(1) << c->depth);
    c->is_object |= (uint64_t)is_object << c->depth;
    c->depth++;
    c->at++;
    skip_blanks(c);
    if (peek(c) == (is_object ? '}' : ']')) {
        c->at++;
        c->depth--;
        return false;
    }
    return !is_object || take_key(c);
}

/* A value that is not a container. */
static bool take_plain(struct checker *c)
{
    switch (peek(c)) {
    case '"':
        return take_string(c);
    case 't':
        return take_word(c, "true");
    case 'f':
        return take_word(c, "false");
    case 'n':
        return take_word(c, "null");
    default:
        return take_number(c);
    }
}

/* After a value: closes what ends here. True if another value must follow. */
static bool close_containers(struct checker *c)
{
    while (c->depth > 0) {
        skip_blanks(c);
        if (peek(c) == ',') {
            c->at++;
            return !is_in_object(c) || take_key(c);
        }
        if (peek(c) != (is_in_object(c) ? '}' : ']'))
            return refuse(c, is_in_object(c) ? "a comma or } is expected"
                                             : "a comma or ] is expected");
        c->at++;
        c->depth--;
    }
    return false;
}

bool json_check(const char *bytes, size_t n, struct json_error *error)
{
    struct checker c = {.bytes = bytes, .n = n};
    bool has_more = true;

    while (has_more && c.why == NULL) {
        skip_blanks(&c);
        if (peek(&c) == '{' || peek(&c) == '[') {
            if (open_container(&c))
                continue;
        } else if (!take_plain(&c)) {
            break;
        }
        has_more = c.why == NULL && close_containers(&c);
    }
    if (c.why == NULL) {
        skip_blanks(&c);
        if (c.at < n)
            (void)refuse(&c, "something follows the value");
    }
    *error = (struct json_error){.why = c.why, .column = c.at + 1};
    return c.why == NULL;
}
