/* edn.c - see edn.h.
 *
 * Open containers are on a small stack. read_one reads an atom, opens or closes; what is complete
 * goes to `finish`, which hangs it into the container it belongs to, or gives it to the caller. The
 * first error ends everything. SPDX-License-Identifier: MIT
 */
#include "history/edn.h"

#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <sennit/test.h>
#include <stdlib.h>
#include <string.h>

enum { GO_ON = 16 }; /* beside enum edn_what */

static int read_one(struct edn *edn, const struct form **out, int *bracket);

#define fail(edn_, ...)                                                                            \
    source_fail((edn_)->source, SN_EFORMAT, (edn_)->source->line, (edn_)->why, __VA_ARGS__)

static int fail_memory(struct edn *edn)
{
    return source_fail(edn->source, SN_ENOMEM, edn->source->line, edn->why,
                       "there is not enough memory for this form");
}

void edn_init(struct edn *edn, struct source *source, struct arena *arena, struct err *why)
{
    *edn = (struct edn){.source = source, .arena = arena, .why = why};
}

void edn_done(struct edn *edn)
{
    grow_done(&edn->token);
}

int edn_next(struct edn *edn, const struct form **out, int *bracket)
{
    int rc;

    if (grow_to(&edn->token, 64, 1) < 0)
        return fail_memory(edn);
    edn->bytes = 0;
    edn->depth = 0;
    edn->discards = 0;
    do
        rc = read_one(edn, out, bracket);
    while (rc == GO_ON);
    return rc;
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

static bool is_blank(int c)
{
    return c == ' ' || c == '\n' || c == ',' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_delimiter(int c)
{
    return c == SOURCE_END || is_blank(c) || c == '"' || c == ';' || c == '(' || c == ')' ||
           c == '[' || c == ']' || c == '{' || c == '}';
}

/* Skips blanks and comments. The next byte, or SOURCE_END. */
static int skip(struct edn *edn)
{
    int c;

    while ((c = source_peek(edn->source)) != SOURCE_END) {
        if (c == ';') {
            while (c != SOURCE_END && c != '\n') {
                source_take(edn->source);
                c = source_peek(edn->source);
            }
        } else if (is_blank(c)) {
            source_take(edn->source);
        } else {
            break;
        }
    }
    return c;
}

/* Takes the byte that was peeked at, which is part of a form. */
static int take(struct edn *edn)
{
    source_take(edn->source);
    if (++edn->bytes > FORM_BYTES_MAX)
        return fail(edn, "a form is longer than %d bytes", FORM_BYTES_MAX);
    return 0;
}

/* Takes it and adds it to the token. */
static int keep(struct edn *edn, int c)
{
    int rc = take(edn);

    if (rc < 0)
        return rc;
    if (grow_to(&edn->token, edn->n_token + 8, 1) < 0)
        return fail_memory(edn);
    ((char *)edn->token.base)[edn->n_token++] = (char)c;
    return 0;
}

/* Adds everything up to a delimiter to the token. */
static int read_token(struct edn *edn)
{
    int c;

    while (!is_delimiter(c = source_peek(edn->source))) {
        int rc;

        if (c < 0x20 || c == 0x7f)
            return fail(edn, "there is a byte of value %d where no such byte can be", c);
        rc = keep(edn, c);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- Forms ---------------------------------------------------------------------------------- */

static struct form *new_form(struct edn *edn, enum form_type type)
{
    struct form *form = arena_alloc(edn->arena, sizeof(*form));

    if (form != NULL)
        *form = (struct form){.type = type, .line = edn->line};
    return form;
}

/* A form that is its token. */
static struct form *new_text(struct edn *edn, enum form_type type, size_t from)
{
    struct form *form = new_form(edn, type);

    if (form == NULL)
        return NULL;
    form->n = edn->n_token - from;
    form->text = arena_copy(edn->arena, (const char *)edn->token.base + from, form->n);
    return form->text == NULL ? NULL : form;
}

/* A form is complete: it belongs to what is open, to #_, or to the caller. */
static int finish(struct edn *edn, struct form *form, const struct form **out)
{
    if (form == NULL)
        return fail_memory(edn);
    for (;;) {
        struct edn_frame *frame = edn->depth == 0 ? NULL : &edn->frames[edn->depth - 1];
        size_t *discards = frame == NULL ? &edn->discards : &frame->discards;

        if (*discards > 0) {
            --*discards;
            return GO_ON;
        }
        if (frame == NULL) {
            *out = form;
            return EDN_FORM;
        }
        if (frame->last == NULL)
            frame->form->first = form;
        else
            frame->last->next = form;
        frame->last = form;
        frame->form->n += frame->closing != 0 ? 1 : 0;
        if (frame->closing != 0)
            return GO_ON;
        form = frame->form;
        edn->depth--;
    }
}

static int open_form(struct edn *edn, struct form *form, unsigned char closing)
{
    if (form == NULL)
        return fail_memory(edn);
    if (edn->depth == FORM_DEPTH_MAX)
        return fail(edn, "forms are nested more than %d deep", FORM_DEPTH_MAX);
    edn->frames[edn->depth++] = (struct edn_frame){.form = form, .closing = closing};
    return GO_ON;
}

static int close_form(struct edn *edn, int c, const struct form **out, int *bracket)
{
    struct edn_frame *frame = edn->depth == 0 ? NULL : &edn->frames[edn->depth - 1];

    if ((frame == NULL ? edn->discards : frame->discards) > 0)
        return fail(edn, "#_ stands before %c, where there is nothing to discard", c);
    *bracket = c;
    if (frame == NULL)
        return EDN_CLOSED;
    if (frame->closing == 0)
        return fail(edn, "the tag #%.40s stands before %c, not before a form", frame->form->text,
                    c);
    if (frame->closing != c)
        return fail(edn, "%c closes what was opened in line %" PRIu64 ", where %c is due", c,
                    frame->form->line, frame->closing);
    if (frame->form->type == FORM_MAP && frame->form->n % 2 != 0)
        return fail(edn, "the last key of a map has no value");
    edn->depth--;
    return finish(edn, frame->form, out);
}

static int end_of_source(struct edn *edn)
{
    if (edn->source->has_failed) {
        *edn->why = edn->source->why;
        return SN_EIO;
    }
    if (edn->depth > 0)
        return fail(edn, "the file ends within a form that begins in line %" PRIu64,
                    edn->frames[0].form->line);
    if (edn->discards > 0)
        return fail(edn, "#_ stands at the end, where there is nothing to discard");
    return EDN_END;
}

/* ---- Atoms ---------------------------------------------------------------------------------- */

static size_t digits(const char *s)
{
    return strspn(s, "0123456789");
}

/* Whether a token that begins as a number is one of those that are no integers. */
static bool is_number(const char *s)
{
    size_t n;

    s += *s == '+' || *s == '-' ? 1 : 0;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
        return s[2] != '\0' && s[2 + strspn(s + 2, "0123456789abcdefABCDEF")] == '\0';
    n = digits(s);
    s += n;
    if (*s == '/')
        return digits(s + 1) > 0 && s[1 + digits(s + 1)] == '\0';
    if (*s == 'r')
        return s[1] != '\0';
    if (*s == '.')
        s += 1 + digits(s + 1);
    if (*s == 'e' || *s == 'E') {
        s += s[1] == '+' || s[1] == '-' ? 2 : 1;
        n = digits(s);
        s += n;
    }
    s += *s == 'M' || *s == 'N' ? 1 : 0;
    return n > 0 && *s == '\0';
}

static struct form *new_number(struct edn *edn, const char *token)
{
    struct form *form;
    char *end;
    long long number;

    errno = 0;
    number = strtoll(token, &end, 10);
    if (errno != 0 || (strcmp(end, "") != 0 && strcmp(end, "N") != 0))
        return new_text(edn, FORM_ATOM, 0);
    form = new_form(edn, FORM_INT);
    if (form != NULL)
        form->number = number;
    return form;
}

/* nil, true, false, a number, a keyword or a symbol. */
static int read_atom(struct edn *edn, const struct form **out)
{
    int rc = read_token(edn);
    const char *token = edn->token.base;
    const char *s = token;
    struct form *form;

    if (rc < 0)
        return rc;
    ((char *)edn->token.base)[edn->n_token] = '\0';
    s += *s == '+' || *s == '-' ? 1 : 0;
    if (digits(s) > 0) {
        if (!is_number(token))
            return fail(edn, "%.40s is no number", token);
        return finish(edn, new_number(edn, token), out);
    }
    if (token[0] == ':') {
        if (edn->n_token == 1)
            return fail(edn, "a colon stands alone");
        return finish(edn, new_text(edn, FORM_KEYWORD, 1), out);
    }
    if (strcmp(token, "nil") == 0)
        return finish(edn, new_form(edn, FORM_NIL), out);
    if (strcmp(token, "true") != 0 && strcmp(token, "false") != 0)
        return finish(edn, new_text(edn, FORM_ATOM, 0), out);
    form = new_form(edn, FORM_BOOL);
    if (form != NULL)
        form->number = token[0] == 't' ? 1 : 0;
    return finish(edn, form, out);
}

/* \a, \newline, \u0041, \( */
static int read_character(struct edn *edn, const struct form **out)
{
    int rc = keep(edn, '\\');
    int c = source_peek(edn->source);

    if (rc < 0)
        return rc;
    if (c == SOURCE_END || c < 0x20)
        return fail(edn, "a backslash stands where a character should follow");
    rc = keep(edn, c);
    if (rc == 0)
        rc = read_token(edn);
    return rc < 0 ? rc : finish(edn, new_text(edn, FORM_ATOM, 0), out);
}

/* Four hexadecimal digits. */
static int read_hex4(struct edn *edn, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        static const char hex[] = "0123456789abcdef0123456789ABCDEF";
        int c = source_peek(edn->source);
        const char *found = c <= 0 ? NULL : strchr(hex, c);

        if (found == NULL)
            return fail(edn, "\\u needs four hexadecimal digits");
        *code = *code << 4 | (uint32_t)((found - hex) % 16);
        if (take(edn) < 0)
            return SN_EFORMAT;
    }
    return 0;
}

/* What follows \u; half of a surrogate pair that has no other half is refused. */
static int read_code(struct edn *edn)
{
    uint32_t code;
    uint32_t low;
    char bytes[4];
    size_t n;

    if (read_hex4(edn, &code) < 0)
        return SN_EFORMAT;
    if (code >= 0xd800 && code <= 0xdfff) {
        if (code >= 0xdc00 || source_peek(edn->source) != '\\')
            return fail(edn, "half of a surrogate pair is missing");
        if (take(edn) < 0 || source_peek(edn->source) != 'u' || take(edn) < 0 ||
            read_hex4(edn, &low) < 0 || low < 0xdc00 || low > 0xdfff)
            return fail(edn, "half of a surrogate pair is missing");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    n = utf8_encode(code, bytes);
    memcpy((char *)edn->token.base + edn->n_token, bytes, n);
    edn->n_token += n;
    return 0;
}

static int read_escape(struct edn *edn)
{
    static const char from[] = "\"\\/ntrbf";
    static const char to[] = "\"\\/\n\t\r\b\f";
    int c = take(edn) < 0 ? SOURCE_END : source_peek(edn->source);
    const char *found = c <= 0 ? NULL : strchr(from, c);
    int rc;

    if (grow_to(&edn->token, edn->n_token + 8, 1) < 0)
        return fail_memory(edn);
    if (found != NULL) {
        rc = keep(edn, to[found - from]);
        return rc;
    }
    if (c != 'u')
        return fail(edn, "a string has an escape that is none");
    rc = take(edn);
    return rc < 0 ? rc : read_code(edn);
}

static int read_string(struct edn *edn, const struct form **out)
{
    int rc = take(edn);
    int c = 0;

    while (rc == 0 && (c = source_peek(edn->source)) != SOURCE_END && c != '"')
        rc = c == '\\' ? read_escape(edn) : keep(edn, c);
    if (rc < 0)
        return rc;
    if (c == SOURCE_END)
        return edn->source->has_failed
                   ? end_of_source(edn)
                   : fail(edn, "the string that begins in line %" PRIu64 " is not closed",
                          edn->line);
    rc = take(edn);
    return rc < 0 ? rc : finish(edn, new_text(edn, FORM_STRING, 0), out);
}

/* What begins with #: a set, #_, ##Inf, or a tag. */
static int read_hash(struct edn *edn, const struct form **out)
{
    int rc = keep(edn, '#');
    int c = source_peek(edn->source);

    if (rc < 0)
        return rc;
    if (c == '{') {
        rc = take(edn);
        return rc < 0 ? rc : open_form(edn, new_form(edn, FORM_SET), '}');
    }
    if (c == '_') {
        rc = take(edn);
        ++*(edn->depth == 0 ? &edn->discards : &edn->frames[edn->depth - 1].discards);
        return rc < 0 ? rc : GO_ON;
    }
    if (c == '#') {
        rc = read_token(edn);
        return rc < 0 ? rc : finish(edn, new_text(edn, FORM_ATOM, 0), out);
    }
    if (c != ':' && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z'))
        return fail(edn, "what follows # is neither a tag nor a set, nor _");
    rc = read_token(edn);
    return rc < 0 ? rc : open_form(edn, new_text(edn, FORM_TAGGED, 1), 0);
}

static int read_one(struct edn *edn, const struct form **out, int *bracket)
{
    int c = skip(edn);
    int rc;

    edn->n_token = 0;
    edn->line = edn->source->line;
    switch (c) {
    case SOURCE_END:
        return end_of_source(edn);
    case '#':
        return read_hash(edn, out);
    case '"':
        return read_string(edn, out);
    case '\\':
        return read_character(edn, out);
    case ')':
    case ']':
    case '}':
        rc = take(edn);
        return rc < 0 ? rc : close_form(edn, c, out, bracket);
    case '(':
    case '[':
    case '{':
        *bracket = c == '(' ? ')' : c + 2;
        rc = take(edn);
        if (rc < 0)
            return rc;
        if (c != '{' && edn->may_open && edn->depth == 0 && edn->discards == 0)
            return EDN_OPENED;
        return open_form(edn, new_form(edn, c == '{' ? FORM_MAP : FORM_VECTOR),
                         (unsigned char)*bracket);
    case '^':
    case '`':
    case '~':
    case '@':
    case '\'':
        return fail(edn, "%c is no EDN", c);
    default:
        return read_atom(edn, out);
    }
}
