/* sha1.h - the hash that places keys and nodes on Chord's ring. SPDX-License-Identifier: MIT */
#ifndef DS2_SHA1_H
#define DS2_SHA1_H

#include <stdint.h>

enum { SHA1_BYTES = 20, SHA1_TEXT_MAX = 55 };

/* SHA-1 of a text of at most SHA1_TEXT_MAX bytes, which fits into one block (FIPS 180-4). */
void sha1_text(const char *text, uint8_t digest[SHA1_BYTES]);

#endif
