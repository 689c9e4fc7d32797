/* utf8.h - telling well-formed UTF-8 from other bytes. SPDX-License-Identifier: MIT */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the character at the start of n bytes. Returns how many bytes it takes (1 to 4), with its
 * code point in *code; or 0 if n is 0 or no well-formed character starts there (overlong forms,
 * surrogates and values above U+10FFFF are not well-formed). */
size_t utf8_decode(const char *bytes, size_t n, uint32_t *code);

/* Writes the UTF-8 form of a code point (not a surrogate, at most U+10FFFF); returns its length. */
size_t utf8_encode(uint32_t code, char out[4]);

/* How many columns of a terminal a code point takes: 2 for the wide characters of East Asia and for
 * most pictures, otherwise 1. Marks that are put above others count 1, too. */
unsigned utf8_columns(uint32_t code);

#endif
