/* json.c - see json.h.
 *
 * The reader keeps the containers that are open on a small stack. read_value reads one value, or
 * the opening of a container; after it, close_values takes commas and closings until the next value
 * is due. The first error is kept and ends everything.
 * SPDX-License-Identifier: MIT
 */
#include "base/json.h"

#include "base/err.h"
#include "base/utf8.h"

#include <string.h>

struct container {
    struct json_value *value;
    struct json_value *last; /* member read so far, NULL: none */
};

struct reader {
    struct arena *arena;
    const char *start;
    const char *at;
    const char *end;
    struct json_error *error;
    struct container open[JSON_DEPTH_MAX];
    size_t depth;
    size_t n_values;
    size_t values_max;
    size_t array_max;
    struct json_value *root;
};

static bool read_value(struct reader *r);
static bool close_values(struct reader *r, bool *more);

static bool fail_at(struct reader *r, const char *at, const char *why)
{
    r->error->why = why;
    r->error->column = (size_t)(at - r->start) + 1;
    return false;
}

static bool fail(struct reader *r, const char *why)
{
    return fail_at(r, r->at, why);
}

static bool fail_memory(struct reader *r)
{
    return fail(r, NULL);
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'))
        r->at++;
}

static bool at_char(const struct reader *r, char c)
{
    return r->at < r->end && *r->at == c;
}

static const struct json_value *parse(struct reader *r)
{
    bool more = true;

    *r->error = (struct json_error){0};
    while (more) {
        if (!read_value(r) || !close_values(r, &more))
            return NULL;
    }
    skip_blanks(r);
    if (r->at < r->end) {
        (void)fail(r, "something follows the value");
        return NULL;
    }
    return r->root;
}

const struct json_value *json_parse(struct arena *arena, const char *bytes, size_t n,
                                    struct json_error *error)
{
    struct reader r = {.arena = arena,
                       .start = bytes,
                       .at = bytes,
                       .end = bytes + n,
                       .error = error,
                       .values_max = JSON_VALUES_MAX,
                       .array_max = JSON_MEMBERS_MAX};

    return parse(&r);
}

const struct json_value *json_parse_long(struct arena *arena, const char *bytes, size_t n,
                                         size_t values_max, struct json_error *error)
{
    struct reader r = {.arena = arena,
                       .start = bytes,
                       .at = bytes,
                       .end = bytes + n,
                       .error = error,
                       .values_max = values_max,
                       .array_max = SIZE_MAX};

    return parse(&r);
}

const struct json_value *json_member(const struct json_value *object, const char *key)
{
    sn_check(object->type == JSON_OBJECT);
    for (const struct json_value *v = object->first; v != NULL; v = v->next) {
        if (strcmp(v->key, key) == 0)
            return v;
    }
    return NULL;
}

/* ---- Strings -------------------------------------------------------------------------------- */

/* Four hexadecimal digits at `at`. */
static bool read_hex4(struct reader *r, const char *at, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        char c = at + i < r->end ? at[i] : '\0';
        uint32_t digit;

        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (uint32_t)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            digit = (uint32_t)(c - 'A') + 10;
        else
            return fail(r, "\\u needs four hexadecimal digits");
        *code = *code << 4 | digit;
    }
    return true;
}

/* \uXXXX, or two of them that are a surrogate pair; r->at is at the backslash. */
static bool read_code(struct reader *r, char *out, size_t *n)
{
    uint32_t code;
    uint32_t low;

    if (!read_hex4(r, r->at + 2, &code))
        return false;
    if (code == 0)
        return fail(r, "a string holds a zero byte");
    if (code >= 0xdc00 && code <= 0xdfff)
        return fail(r, "half of a surrogate pair is missing");
    if (code >= 0xd800 && code <= 0xdbff) {
        if (r->end - r->at < 12 || r->at[6] != '\\' || r->at[7] != 'u')
            return fail(r, "half of a surrogate pair is missing");
        if (!read_hex4(r, r->at + 8, &low))
            return false;
        if (low < 0xdc00 || low > 0xdfff)
            return fail(r, "half of a surrogate pair is missing");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        r->at += 6;
    }
    r->at += 6;
    *n += utf8_encode(code, out + *n);
    return true;
}

/* One escape; r->at is at the backslash. */
static bool read_escape(struct reader *r, char *out, size_t *n)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    char c = r->end - r->at < 2 ? '\0' : r->at[1];
    const char *found = c == '\0' ? NULL : strchr(from, c);

    if (c == 'u')
        return read_code(r, out, n);
    if (found == NULL)
        return fail(r, "an escape is not known");
    out[(*n)++] = to[found - from];
    r->at += 2;
    return true;
}

/* The bytes up to the closing quote, for a buffer of that size: no escape is shorter than what it
 * stands for. */
static size_t raw_size(const struct reader *r)
{
    const char *p = r->at;

    while (p < r->end && *p != '"')
        p += *p == '\\' && r->end - p >= 2 ? 2 : 1;
    return (size_t)(p - r->at);
}

/* A string; r->at is at its opening quote. */
static bool read_string(struct reader *r, const char **string, size_t *size)
{
    const char *start = r->at++;
    char *out = arena_alloc(r->arena, raw_size(r) + 1);
    size_t n = 0;

    if (out == NULL)
        return fail_memory(r);
    while (r->at < r->end && *r->at != '"') {
        uint32_t code;
        size_t length;

        if (*r->at == '\\') {
            if (!read_escape(r, out, &n))
                return false;
            continue;
        }
        if (*(const unsigned char *)r->at < 0x20)
            return fail(r, "a string holds a control character");
        length = utf8_decode(r->at, (size_t)(r->end - r->at), &code);
        if (length == 0)
            return fail(r, "a string is not UTF-8");
        memcpy(out + n, r->at, length);
        n += length;
        r->at += length;
    }
    if (r->at == r->end)
        return fail_at(r, start, "a string is not closed");
    r->at++;
    out[n] = '\0';
    *string = out;
    *size = n;
    return true;
}

/* ---- Values --------------------------------------------------------------------------------- */

/* A new value as the next member of the innermost open container, with the key if that is one of an
 * object. NULL after an error. */
static struct json_value *add_value(struct reader *r)
{
    struct container *in = r->depth == 0 ? NULL : &r->open[r->depth - 1];
    size_t members_max =
        in != NULL && in->value->type == JSON_ARRAY ? r->array_max : JSON_MEMBERS_MAX;
    struct json_value *v;

    if (r->n_values++ == r->values_max || (in != NULL && in->value->n == members_max)) {
        (void)fail(r, "there are too many values");
        return NULL;
    }
    v = arena_alloc(r->arena, sizeof(*v));
    if (v == NULL) {
        (void)fail_memory(r);
        return NULL;
    }
    if (in == NULL)
        r->root = v;
    else if (in->last == NULL)
        in->value->first = v;
    else
        in->last->next = v;
    if (in != NULL) {
        in->last = v;
        in->value->n++;
    }
    return v;
}

/* The key of the next member of an object and its colon; a value without a type is added for it. */
static bool read_key(struct reader *r, struct json_value *object, struct json_value **member)
{
    const char *start;
    const char *key;
    size_t n;

    skip_blanks(r);
    start = r->at;
    if (!at_char(r, '"'))
        return fail(r, "a key is missing");
    if (!read_string(r, &key, &n))
        return false;
    if (json_member(object, key) != NULL)
        return fail_at(r, start, "a key occurs twice");
    skip_blanks(r);
    if (!at_char(r, ':'))
        return fail(r, "a colon is missing");
    r->at++;
    *member = add_value(r);
    if (*member == NULL)
        return false;
    (*member)->key = key;
    return true;
}

static bool read_number(struct reader *r, struct json_value *v)
{
    const char *start = r->at;
    bool negative = at_char(r, '-');
    uint64_t number = 0;
    const char *digits;

    r->at += negative ? 1 : 0;
    digits = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        if (__builtin_mul_overflow(number, UINT64_C(10), &number) ||
            __builtin_add_overflow(number, (uint64_t)(*r->at - '0'), &number))
            return fail_at(r, start, "a number is too large");
        r->at++;
    }
    if (r->at == digits)
        return fail_at(r, start, "a value is missing");
    if (*digits == '0' && r->at - digits > 1)
        return fail_at(r, start, "a number starts with a zero");
    if (at_char(r, '.') || at_char(r, 'e') || at_char(r, 'E'))
        return fail_at(r, start, "a number is not an integer");
    if (negative && number > (uint64_t)INT64_MAX + 1)
        return fail_at(r, start, "a number is too large");
    v->type = negative && number > 0 ? JSON_INT : JSON_UINT;
    v->number = negative ? 0 - number : number;
    return true;
}

static bool read_word(struct reader *r, struct json_value *v)
{
    static const struct {
        const char *word;
        enum json_type type;
        uint64_t number;
    } words[] = {{"true", JSON_BOOL, 1}, {"false", JSON_BOOL, 0}, {"null", JSON_NULL, 0}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t n = strlen(words[i].word);

        if ((size_t)(r->end - r->at) >= n && memcmp(r->at, words[i].word, n) == 0) {
            r->at += n;
            v->type = words[i].type;
            v->number = words[i].number;
            return true;
        }
    }
    return fail(r, "a value is missing");
}

/* One value with its key, if it is a member of an object; of a container only the opening, and the
 * first value in it unless it is empty. */
static bool read_value(struct reader *r)
{
    for (;;) {
        struct container *in = r->depth == 0 ? NULL : &r->open[r->depth - 1];
        struct json_value *v = NULL;

        if (in != NULL && in->value->type == JSON_OBJECT) {
            if (!read_key(r, in->value, &v))
                return false;
        } else {
            v = add_value(r);
            if (v == NULL)
                return false;
        }
        skip_blanks(r);
        if (at_char(r, '"')) {
            v->type = JSON_STRING;
            return read_string(r, &v->string, &v->n);
        }
        if (r->at < r->end && (*r->at == '-' || (*r->at >= '0' && *r->at <= '9')))
            return read_number(r, v);
        if (!at_char(r, '{') && !at_char(r, '['))
            return read_word(r, v);
        if (r->depth == JSON_DEPTH_MAX)
            return fail(r, "values are nested too deeply");
        v->type = *r->at++ == '{' ? JSON_OBJECT : JSON_ARRAY;
        r->open[r->depth++] = (struct container){.value = v};
        skip_blanks(r);
        if (at_char(r, v->type == JSON_OBJECT ? '}' : ']'))
            return true;
    }
}

/* What follows a value: closings, then a comma if there is *more. */
static bool close_values(struct reader *r, bool *more)
{
    while (r->depth > 0) {
        struct container *in = &r->open[r->depth - 1];

        skip_blanks(r);
        if (at_char(r, ',') && in->last != NULL) {
            r->at++;
            *more = true;
            return true;
        }
        if (!at_char(r, in->value->type == JSON_OBJECT ? '}' : ']'))
            return fail(r, in->value->type == JSON_OBJECT ? "an object is not closed"
                                                          : "an array is not closed");
        r->at++;
        r->depth--;
    }
    *more = false;
    return true;
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Bytes at the start that are well-formed UTF-8 and need no escape, at most room of them. */
static size_t plain_size(const char *bytes, size_t n, size_t room)
{
    size_t size = 0;

    while (size < n) {
        unsigned char c = (unsigned char)bytes[size];
        uint32_t code;
        size_t length = 1;

        if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
            break;
        if (c >= 0x80)
            length = utf8_decode(bytes + size, n - size, &code);
        if (length == 0 || length > room - size)
            break;
        size += length;
    }
    return size;
}

void json_piece_next(struct json_piece *piece, const char *bytes, size_t n, size_t room)
{
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char to[] = "\"\\bfnrt";
    static const char digits[] = "0123456789abcdef";
    unsigned char c = (unsigned char)bytes[0];
    const char *found;
    uint32_t code;

    sn_check(n > 0);
    *piece = (struct json_piece){.bytes = piece->own, .taken = 1, .decoded = 1};
    found = c == 0 ? NULL : strchr(from, c);
    if (found != NULL) {
        piece->own[0] = '\\';
        piece->own[1] = to[found - from];
        piece->n = 2;
    } else if (c == 0 || utf8_decode(bytes, n, &code) == 0) {
        memcpy(piece->own, (char[]){'\\', '\\', 'x', digits[c >> 4], digits[c & 15]}, 5);
        piece->n = 5;
        piece->decoded = 4;
    } else if (c < 0x20 || c == 0x7f) {
        memcpy(piece->own, (char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]}, 6);
        piece->n = 6;
    } else {
        size_t size = plain_size(bytes, n, room);

        piece->n = size > 0 ? size : utf8_decode(bytes, n, &code);
        piece->bytes = bytes;
        piece->taken = piece->n;
        piece->decoded = piece->n;
    }
}

size_t json_decoded_size(const char *bytes, size_t n)
{
    size_t decoded = 0;

    while (n > 0) {
        struct json_piece piece;

        json_piece_next(&piece, bytes, n, n);
        bytes += piece.taken;
        n -= piece.taken;
        decoded += piece.decoded;
    }
    return decoded;
}

void json_put_string(struct sn_text *out, const char *bytes, size_t n)
{
    text_putc(out, '"');
    while (n > 0) {
        struct json_piece piece;

        json_piece_next(&piece, bytes, n, n);
        text_add(out, piece.bytes, piece.n);
        bytes += piece.taken;
        n -= piece.taken;
    }
    text_putc(out, '"');
}
