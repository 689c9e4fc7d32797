/* form.h - a value as it stands in a file, whatever the format: EDN or JSON.
 *
 * Forms live in a scratch arena that is cleared with each operation; what lasts of a value is a
 * number, see texts.h. SPDX-License-Identifier: MIT
 */
#ifndef HISTORY_FORM_H
#define HISTORY_FORM_H

#include "base/arena.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FORM_DEPTH_MAX = 32, /* forms within forms */
    FORM_BYTES_MAX = 1 << 20,
};

enum form_type {
    FORM_NIL = 1,
    FORM_BOOL,    /* number is 0 or 1 */
    FORM_INT,     /* number */
    FORM_KEYWORD, /* text without its colon */
    FORM_STRING,  /* text */
    FORM_ATOM,    /* a symbol, a character, or a number that is no integer of 64 bits: text */
    FORM_VECTOR,  /* or a list, which is equal to a vector with the same members */
    FORM_SET,
    FORM_MAP,    /* members are keys and values in turn */
    FORM_TAGGED, /* text is the tag, and there is one member */
};

struct form {
    enum form_type type;
    uint64_t line; /* in the file */
    int64_t number;
    const char *text; /* ends with a zero byte, and may hold others */
    size_t n;         /* bytes of the text, or members */
    struct form *first;
    struct form *next;
};

/* The form within its tags. */
const struct form *form_untag(const struct form *form);

/* The value of a key of a map, a keyword of EDN; NULL: there is none. *is_twice: there are two. */
const struct form *form_member(const struct form *map, const char *key, bool *is_twice);

/* Whether two forms are equal, as form_text has it. */
bool form_equal(struct arena *arena, const struct form *a, const struct form *b, bool *no_memory);

/* The form as EDN on one line, such that equal forms have equal texts: members of sets and maps are
 * sorted. In the arena; NULL: it is exhausted. */
const char *form_text(struct arena *arena, const struct form *form, size_t *n);

/* The same value as a form; an object becomes a map of strings. NULL: the arena is exhausted. */
struct form *form_of_json(struct arena *arena, const struct json_value *value, uint64_t line);

#endif
