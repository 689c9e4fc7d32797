/* form.c - see form.h. Forms are at most FORM_DEPTH_MAX deep, so recursion is bounded.
 * SPDX-License-Identifier: MIT
 */
#include "history/form.h"

#include "base/err.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece of text in the arena. */
struct piece {
    const char *bytes;
    size_t n;
};

static bool print(struct arena *arena, const struct form *form, struct piece *out);

const struct form *form_untag(const struct form *form)
{
    while (form != NULL && form->type == FORM_TAGGED)
        form = form->first;
    return form;
}

const struct form *form_member(const struct form *map, const char *key, bool *is_twice)
{
    const struct form *found = NULL;
    size_t n = strlen(key);

    sn_check(map->type == FORM_MAP);
    *is_twice = false;
    for (const struct form *k = map->first; k != NULL; k = k->next->next) {
        if (k->type != FORM_KEYWORD || k->n != n || memcmp(k->text, key, n) != 0)
            continue;
        *is_twice = found != NULL;
        if (*is_twice)
            break;
        found = k->next;
    }
    return found;
}

/* ---- Text ----------------------------------------------------------------------------------- */

/* The pieces one after the other, between an opening and a closing, with blanks in between. *out
 * may be one of them. */
static bool join(struct arena *arena, const struct piece *pieces, size_t n,
                 const char *const ends[2], struct piece *out)
{
    size_t size = strlen(ends[0]) + strlen(ends[1]) + n;
    char *bytes;
    char *at;

    for (size_t i = 0; i < n; i++)
        size += pieces[i].n;
    bytes = arena_alloc(arena, size + 1);
    if (bytes == NULL)
        return false;
    at = stpcpy(bytes, ends[0]);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            *at++ = ' ';
        memcpy(at, pieces[i].bytes, pieces[i].n);
        at += pieces[i].n;
    }
    at = stpcpy(at, ends[1]);
    *out = (struct piece){bytes, (size_t)(at - bytes)};
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct piece *x = a;
    const struct piece *y = b;
    int order = memcmp(x->bytes, y->bytes, x->n < y->n ? x->n : y->n);

    return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

/* Key and value become one piece each, so that sorting keeps them together. */
static bool pair_up(struct arena *arena, struct piece *pieces, size_t n)
{
    static const char *const ends[2] = {"", ""};

    for (size_t i = 0; i < n; i++) {
        if (!join(arena, &pieces[2 * i], 2, ends, &pieces[i]))
            return false;
    }
    return true;
}

static bool print_members(struct arena *arena, const struct form *form, struct piece *out)
{
    static const char *const ends[][2] = {
        [FORM_VECTOR] = {"[", "]"}, [FORM_SET] = {"#{", "}"}, [FORM_MAP] = {"{", "}"}};
    struct piece *pieces = arena_array(arena, form->n, sizeof(*pieces));
    size_t n = 0;

    if (pieces == NULL)
        return false;
    for (const struct form *member = form->first; member != NULL; member = member->next) {
        if (!print(arena, member, &pieces[n++]))
            return false;
    }
    if (form->type == FORM_MAP) {
        n /= 2;
        if (!pair_up(arena, pieces, n))
            return false;
    }
    if (form->type != FORM_VECTOR)
        qsort(pieces, n, sizeof(*pieces), compare);
    return join(arena, pieces, n, ends[form->type], out);
}

static bool print_string(struct arena *arena, const struct form *form, struct piece *out)
{
    char *to = arena_alloc(arena, 2 * form->n + 3);

    if (to == NULL)
        return false;
    out->bytes = to;
    *to++ = '"';
    for (size_t i = 0; i < form->n; i++) {
        static const char from[] = "\"\\\n\t\r";
        static const char name[] = "\"\\ntr";
        const char *found = form->text[i] == '\0' ? NULL : strchr(from, form->text[i]);

        if (found != NULL)
            *to++ = '\\';
        *to++ = found != NULL ? name[found - from] : form->text[i];
    }
    *to++ = '"';
    out->n = (size_t)(to - out->bytes);
    return true;
}

static bool copy(struct arena *arena, const char *before, const struct form *form,
                 struct piece *out)
{
    struct piece text = {form->text, form->n};
    const char *const ends[2] = {before, ""};

    return join(arena, &text, 1, ends, out);
}

static bool print_tagged(struct arena *arena, const struct form *form, struct piece *out)
{
    const char *const ends[2] = {"#", ""};
    struct piece pieces[2] = {{form->text, form->n}, {NULL, 0}};

    return print(arena, form->first, &pieces[1]) && join(arena, pieces, 2, ends, out);
}

static bool print(struct arena *arena, const struct form *form, struct piece *out)
{
    char number[32];

    switch (form->type) {
    case FORM_NIL:
        *out = (struct piece){"nil", 3};
        return true;
    case FORM_BOOL:
        *out = form->number != 0 ? (struct piece){"true", 4} : (struct piece){"false", 5};
        return true;
    case FORM_INT:
        out->n = (size_t)snprintf(number, sizeof(number), "%" PRId64, form->number);
        out->bytes = arena_copy(arena, number, out->n);
        return out->bytes != NULL;
    case FORM_KEYWORD:
        return copy(arena, ":", form, out);
    case FORM_ATOM:
        return copy(arena, "", form, out);
    case FORM_STRING:
        return print_string(arena, form, out);
    case FORM_TAGGED:
        return print_tagged(arena, form, out);
    case FORM_VECTOR:
    case FORM_SET:
    case FORM_MAP:
        return print_members(arena, form, out);
    }
    return false;
}

const char *form_text(struct arena *arena, const struct form *form, size_t *n)
{
    struct piece out = {NULL, 0};

    if (!print(arena, form, &out))
        return NULL;
    *n = out.n;
    return out.bytes;
}

bool form_equal(struct arena *arena, const struct form *a, const struct form *b, bool *no_memory)
{
    struct piece x;
    struct piece y;

    if (a->type == FORM_INT && b->type == FORM_INT)
        return a->number == b->number;
    if (!print(arena, a, &x) || !print(arena, b, &y)) {
        *no_memory = true;
        return false;
    }
    return compare(&x, &y) == 0;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static struct form *add(struct arena *arena, struct form *to, struct form **last,
                        const struct json_value *value)
{
    struct form *form = form_of_json(arena, value, to->line);

    if (form == NULL)
        return NULL;
    if (*last == NULL)
        to->first = form;
    else
        (*last)->next = form;
    *last = form;
    to->n++;
    return form;
}

static bool add_members(struct arena *arena, struct form *to, const struct json_value *value)
{
    struct form *last = NULL;

    to->n = 0;
    for (const struct json_value *v = value->first; v != NULL; v = v->next) {
        struct json_value key = {.type = JSON_STRING, .string = v->key};

        if (v->key != NULL) {
            key.n = strlen(v->key);
            if (add(arena, to, &last, &key) == NULL)
                return false;
        }
        if (add(arena, to, &last, v) == NULL)
            return false;
    }
    return true;
}

struct form *form_of_json(struct arena *arena, const struct json_value *value, uint64_t line)
{
    static const enum form_type types[] = {
        [JSON_NULL] = FORM_NIL,   [JSON_BOOL] = FORM_BOOL,     [JSON_UINT] = FORM_INT,
        [JSON_INT] = FORM_INT,    [JSON_STRING] = FORM_STRING, [JSON_ARRAY] = FORM_VECTOR,
        [JSON_OBJECT] = FORM_MAP,
    };
    struct form *form = arena_alloc(arena, sizeof(*form));
    char number[32];

    if (form == NULL)
        return NULL;
    *form = (struct form){.type = types[value->type], .line = line, .n = value->n};
    form->number = (int64_t)value->number;
    form->text = value->string;
    if (value->type == JSON_UINT && value->number > INT64_MAX) {
        form->type = FORM_ATOM;
        form->n = (size_t)snprintf(number, sizeof(number), "%" PRIu64, value->number);
        form->text = arena_copy(arena, number, form->n);
        if (form->text == NULL)
            return NULL;
    }
    if (value->first != NULL && !add_members(arena, form, value))
        return NULL;
    return form;
}
