/* opname.h - what people call operations and draws, in a table that keeps each name once.
 *
 * A name says what kind of operation it is, who performs it, who has announced it, the type of its
 * event, the key that the test gives such events, and which of all that its sender has announced
 * under this name it is. What is not said may be anything: such a name stands for a class. Numbers
 * are counted where operations are announced, because the order in which they arrive is what is to
 * be found out. An alias, "first X after A", stands for the first of a class X to run once A has.
 *
 * The table is plain data in memory that forked processes share, and only grows: names are numbers,
 * which compare and copy, and mean the same to all of them. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_OPNAME_H
#define ENGINE_OPNAME_H

#include "base/err.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/word.h"

#include <sennit/strategy.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    OPNAMES_MAX = 1 << 16,
    OPNAME_TEXTS_MAX = 1 << 16,
    OPNAME_BYTES_MAX = 1 << 22,
    OPNAME_PRINTED_MAX = 1024, /* bytes that are enough for a printed constraint in most cases */
};

/* The kind of the name of a draw, beside enum sn_op_kind. */
enum { OPNAME_DRAW = 15 };

struct opname {
    uint32_t kind;  /* enum sn_op_kind, or OPNAME_DRAW */
    uint32_t event; /* this and the next two are texts of the table; 0: not said. The type of event,
                      * or the name of a fault, or the label of a draw; 0 if kind is a start */
    uint32_t task;  /* who performs it, or draws */
    uint32_t from;  /* who has announced it; "nobody": the test */
    uint32_t number; /* which of those that its sender has announced, from 1 on; 0: any of them */
    uint32_t anchor; /* a name: only the first that runs after it counts; 0: there is none */
    uint64_t key;
    uint64_t has_key;
};

struct opnames {
    uint32_t n;       /* names, from 1 on */
    uint32_t n_texts; /* the same */
    uint32_t n_bytes;
    struct opname all[OPNAMES_MAX];
    uint32_t slots[2 * OPNAMES_MAX];
    uint32_t texts[OPNAME_TEXTS_MAX]; /* where they begin */
    uint64_t hashes[OPNAME_TEXTS_MAX];
    uint32_t text_slots[2 * OPNAME_TEXTS_MAX];
    char bytes[OPNAME_BYTES_MAX];
};

/* 0, or SN_ENOMEM. */
int opnames_new(struct opnames **out, struct err *why);
void opnames_free(struct opnames *names);

/* How texts are hashed: piece by piece, without the zero at their end. */
static inline uint64_t opname_hash(uint64_t hash, const char *text)
{
    return hash_add(hash, text, strlen(text));
}

/* The number of a text; the same for the same text. 0: there is no more room. */
uint32_t opnames_text(struct opnames *names, const char *text);

/* A text; "" if the number is 0. */
const char *opnames_get_text(const struct opnames *names, uint32_t text);

/* The number of a name; the same for the same name. 0: there is no more room. */
uint32_t opnames_add(struct opnames *names, const struct opname *name);

static inline const struct opname *opnames_get(const struct opnames *names, uint32_t name)
{
    return &names->all[name];
}

/* The name of a class without this name's number, ... */
uint32_t opnames_any(struct opnames *names, uint32_t name);

/* ... and the alias: the first of that class to run after `anchor`, which is no alias itself. */
uint32_t opnames_first_after(struct opnames *names, uint32_t name, uint32_t anchor);

/* Writes a name as opname_read reads it: "deliver Report to Manager from Node#2 number 3". */
void opname_put(struct sn_text *out, const struct opnames *names, uint32_t name);

/* ---- Reading -------------------------------------------------------------------------------- */

enum { OPNAME_WORDS_MAX = 64, OPNAME_LINE_MAX = 4096 };

/* A text that is being read. */
struct opname_reader {
    struct opnames *names;
    struct word words[OPNAME_WORDS_MAX];
    int n;
    int at;
    bool is_in_brackets;
    const char *expected; /* what should have come where reading has failed */
    char line[OPNAME_LINE_MAX];
};

/* Splits a text into words. 0, or SN_EFORMAT with a clause in *why. */
int opname_reader_init(struct opname_reader *r, struct opnames *names, const char *text,
                       struct err *why);

/* Takes the next word if it is this one. */
bool opname_accept(struct opname_reader *r, const char *word);

/* Takes a name of an operation, perhaps an alias, perhaps in brackets. 0: there is none, and
 * r->expected says what should be there. */
uint32_t opname_read(struct opname_reader *r);

/* Takes the name of a draw, behind the word "draw". 0: the same. */
uint32_t opname_read_draw(struct opname_reader *r);

/* Takes a number in decimal. */
bool opname_read_number(struct opname_reader *r, uint64_t *out);

#endif
