/* json.h - a strict reader of one JSON value, and a writer of JSON strings.
 *
 * Made for trace files, which anyone may have written: it checks everything RFC 8259 asks for and
 * is stricter where traces are. Numbers are integers that fit 64 bits, keys of an object differ,
 * strings hold no zero byte, and depth and size are bounded. It does not recurse, and takes no
 * memory but what its caller gives. SPDX-License-Identifier: MIT
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    JSON_DEPTH_MAX = 16,    /* containers within containers */
    JSON_MEMBERS_MAX = 128, /* of one object; of one array unless somebody asks for more */
    JSON_VALUES_MAX = 1024, /* of one text, likewise */
};

enum json_type {
    JSON_NULL = 1,
    JSON_BOOL,   /* number is 0 or 1 */
    JSON_UINT,   /* number */
    JSON_INT,    /* a negative number; `number` holds the int64_t as uint64_t */
    JSON_STRING, /* string, n */
    JSON_ARRAY,  /* first, n */
    JSON_OBJECT, /* first, n */
};

struct json_value {
    enum json_type type;
    const char *key; /* of a member of an object; otherwise NULL. Ends with a zero byte. */
    uint64_t number;
    const char *string; /* UTF-8 without a zero byte, and with one behind it */
    size_t n;           /* bytes of the string, or members */
    struct json_value *first;
    struct json_value *next; /* in the object or array that this is part of */
};

/* What stopped the reader. */
struct json_error {
    const char *why; /* a clause: "a string is not closed" */
    size_t column;   /* in bytes, from 1 */
};

/* Reads n bytes that must be one JSON value with nothing but blanks around it. Values and strings
 * are taken from the arena. Returns the value; or NULL with *error filled, `why` being NULL if the
 * arena is exhausted. */
const struct json_value *json_parse(struct arena *arena, const char *bytes, size_t n,
                                    struct json_error *error);

/* The same with arrays of any length. There may be so many values altogether. */
const struct json_value *json_parse_long(struct arena *arena, const char *bytes, size_t n,
                                         size_t values_max, struct json_error *error);

/* The member of an object that has this key, or NULL. */
const struct json_value *json_member(const struct json_value *object, const char *key);

/* The next piece of a string that is being written: as many bytes as need no change, or one that
 * does. Whatever the bytes are, the pieces make a valid JSON string: what is not UTF-8, and the
 * zero byte, becomes the four characters \xHH. */
struct json_piece {
    const char *bytes; /* what to write, n bytes: points into the input or to `own` */
    size_t n;
    size_t taken;   /* bytes of the input it stands for */
    size_t decoded; /* bytes that a reader of the JSON will get for it */
    char own[8];
};

/* Cuts the next piece off the start of n bytes (at least one), with `decoded` at most `room` if the
 * piece could be shorter. */
void json_piece_next(struct json_piece *piece, const char *bytes, size_t n, size_t room);

/* How many bytes a reader of the JSON string will get for these n bytes. */
size_t json_decoded_size(const char *bytes, size_t n);

/* Appends a string in its quotes. */
void json_put_string(struct sn_text *out, const char *bytes, size_t n);

#endif
