/* xml.c - see xml.h. SPDX-License-Identifier: MIT */
#include "report/xml.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

/* Char of XML 1.0, besides surrogates, which well-formed UTF-8 has none of. */
static bool is_allowed(uint32_t code)
{
    return code == '\t' || code == '\n' || code == '\r' ||
           (code >= 0x20 && code != 0xfffe && code != 0xffff);
}

/* What stands for a character, or NULL if that is the character itself. Readers turn the end of a
 * line in an attribute into a blank, and a carriage return anywhere into an end of line, unless
 * they are given as numbers. */
static const char *reference(uint32_t code, bool is_attribute)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return is_attribute ? "&quot;" : NULL;
    case '\t':
        return is_attribute ? "&#9;" : NULL;
    case '\n':
        return is_attribute ? "&#10;" : NULL;
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

static void put(struct sn_text *out, const char *s, bool is_attribute)
{
    size_t left = strlen(s);

    while (left > 0) {
        uint32_t code = 0;
        size_t n = utf8_decode(s, left, &code);

        if (n == 0 || !is_allowed(code)) {
            text_print(out, "\\x%02x", (unsigned)(unsigned char)*s);
            n = 1; /* what is left of a character is no UTF-8 either */
        } else if (reference(code, is_attribute) != NULL) {
            text_puts(out, reference(code, is_attribute));
        } else {
            text_add(out, s, n);
        }
        s += n;
        left -= n;
    }
}

void xml_puts(struct sn_text *out, const char *s)
{
    put(out, s, false);
}

void xml_put_attribute(struct sn_text *out, const char *name, const char *value)
{
    text_print(out, " %s=\"", name);
    put(out, value, true);
    text_putc(out, '"');
}
