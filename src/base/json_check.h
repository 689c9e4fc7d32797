/* json_check.h - whether bytes are one JSON value, whatever is in it.
 *
 * For documents that are handed on as they are: numbers may be fractions, and there is no limit on
 * how many values there are. SPDX-License-Identifier: MIT
 */
#ifndef BASE_JSON_CHECK_H
#define BASE_JSON_CHECK_H

#include "base/json.h"

enum { JSON_CHECK_DEPTH_MAX = 64 };

/* Whether n bytes are one JSON value (RFC 8259, in UTF-8) with nothing but blanks around it, nested
 * at most JSON_CHECK_DEPTH_MAX deep. False with *error filled; the column counts from the start of
 * the bytes. */
bool json_check(const char *bytes, size_t n, struct json_error *error);

#endif
