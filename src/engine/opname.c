/* opname.c - see opname.h. SPDX-License-Identifier: MIT */
#include "engine/opname.h"

#include "base/rng.h"
#include "engine/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>

int opnames_new(struct opnames **out, struct err *why)
{
    *out = mem_reserve_shared(sizeof(**out), why);
    return *out != NULL ? 0 : SN_ENOMEM;
}

void opnames_free(struct opnames *names)
{
    if (names != NULL)
        mem_release(names, sizeof(*names));
}

/* ---- The table ------------------------------------------------------------------------------ */

uint32_t opnames_text(struct opnames *names, const char *text)
{
    size_t n = strlen(text) + 1;
    uint64_t hash = opname_hash(HASH_START, text);
    uint32_t slot = (uint32_t)mix64(hash) & (2 * OPNAME_TEXTS_MAX - 1);
    uint32_t number;

    for (; names->text_slots[slot] != 0; slot = (slot + 1) & (2 * OPNAME_TEXTS_MAX - 1)) {
        number = names->text_slots[slot];
        if (names->hashes[number] == hash && strcmp(names->bytes + names->texts[number], text) == 0)
            return number;
    }
    if (names->n_texts + 1 == OPNAME_TEXTS_MAX || n >= OPNAME_BYTES_MAX - names->n_bytes)
        return 0;
    if (names->n_bytes == 0)
        names->n_bytes = 1; /* at 0 stands what is no text */
    number = ++names->n_texts;
    names->texts[number] = names->n_bytes;
    names->hashes[number] = hash;
    memcpy(names->bytes + names->n_bytes, text, n);
    names->n_bytes += (uint32_t)n;
    names->text_slots[slot] = number;
    return number;
}

const char *opnames_get_text(const struct opnames *names, uint32_t text)
{
    return names->bytes + names->texts[text];
}

static bool is_same(const struct opname *a, const struct opname *b)
{
    return a->kind == b->kind && a->event == b->event && a->task == b->task && a->from == b->from &&
           a->number == b->number && a->anchor == b->anchor && a->has_key == b->has_key &&
           a->key == b->key;
}

uint32_t opnames_add(struct opnames *names, const struct opname *name)
{
    uint64_t hash = mix_pair(mix_pair(name->kind, name->event), mix_pair(name->task, name->from));
    uint32_t slot;

    hash = mix_pair(mix_pair(hash, name->number), mix_pair(name->anchor, name->key));
    slot = (uint32_t)hash & (2 * OPNAMES_MAX - 1);
    for (; names->slots[slot] != 0; slot = (slot + 1) & (2 * OPNAMES_MAX - 1)) {
        if (is_same(&names->all[names->slots[slot]], name))
            return names->slots[slot];
    }
    if (names->n + 1 == OPNAMES_MAX)
        return 0;
    names->all[++names->n] = *name;
    names->slots[slot] = names->n;
    return names->n;
}

uint32_t opnames_any(struct opnames *names, uint32_t name)
{
    struct opname any = names->all[name];

    any.number = 0;
    any.anchor = 0;
    return opnames_add(names, &any);
}

uint32_t opnames_first_after(struct opnames *names, uint32_t name, uint32_t anchor)
{
    struct opname alias = names->all[name];

    alias.number = 0;
    alias.anchor = anchor;
    return opnames_add(names, &alias);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void put_word(struct sn_text *out, const struct opnames *names, const char *before,
                     uint32_t text)
{
    const char *word = opnames_get_text(names, text);
    size_t n = strlen(word);

    if (text == 0)
        return;
    text_puts(out, before);
    /* A bracket at the end of a bare word would close the name. */
    if (n > 0 && word[n - 1] == ')' && strpbrk(word, " \"\\") == NULL)
        text_print(out, "\"%s\"", word);
    else
        word_put(out, word);
}

static void put_plain(struct sn_text *out, const struct opnames *names, const struct opname *name)
{
    static const char *const verbs[] = {
        [SN_OP_START] = "start", [SN_OP_DELIVER] = "deliver", [SN_OP_TIMER] = "timer",
        [SN_OP_FAULT] = "fault", [SN_OP_PROCESS] = "do",      [OPNAME_DRAW] = "draw"};

    text_puts(out, verbs[name->kind]);
    put_word(out, names, " ", name->event);
    if (name->kind == SN_OP_START)
        put_word(out, names, " ", name->task);
    else
        put_word(out, names, name->kind == SN_OP_DELIVER ? " to " : " of ", name->task);
    put_word(out, names, " from ", name->from);
    if (name->has_key != 0)
        text_print(out, " key %" PRIu64, name->key);
    if (name->number != 0)
        text_print(out, " number %" PRIu32, name->number);
}

void opname_put(struct sn_text *out, const struct opnames *names, uint32_t name)
{
    const struct opname *n = &names->all[name];

    if (n->anchor == 0) {
        put_plain(out, names, n);
        return;
    }
    text_puts(out, "first ");
    put_plain(out, names, n);
    text_puts(out, " after (");
    put_plain(out, names, &names->all[n->anchor]);
    text_putc(out, ')');
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Copies a text, with a blank before each bracket that follows a quote: to word_split these would
 * be one word. False: it is too long. */
static bool copy_line(char *line, size_t size, const char *text)
{
    bool is_quoted = false;
    size_t n = 0;

    for (const char *c = text; *c != '\0'; c++) {
        if (*c == ')' && !is_quoted && c > text && c[-1] == '"' && n + 1 < size)
            line[n++] = ' ';
        if (*c == '"')
            is_quoted = !is_quoted;
        if (n + 2 >= size)
            return false;
        line[n++] = *c;
        if (*c == '\\' && is_quoted && c[1] != '\0')
            line[n++] = *++c;
    }
    line[n] = '\0';
    return true;
}

int opname_reader_init(struct opname_reader *r, struct opnames *names, const char *text,
                       struct err *why)
{
    const char *cause = NULL;
    size_t n = strlen(text);

    r->names = names;
    r->at = 0;
    r->is_in_brackets = false;
    r->expected = NULL;
    if (!copy_line(r->line, sizeof(r->line), text))
        return err_set(why, SN_EFORMAT, "the text is too long");
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < ' ' && text[i] != '\t')
            return err_set(why, SN_EFORMAT, "there is a control character in it");
    }
    r->n = word_split(r->line, r->words, OPNAME_WORDS_MAX, &cause);
    return r->n >= 0 ? 0 : err_set(why, SN_EFORMAT, "%s", cause);
}

bool opname_accept(struct opname_reader *r, const char *word)
{
    if (r->at == r->n || r->words[r->at].is_quoted || strcmp(r->words[r->at].text, word) != 0)
        return false;
    r->at++;
    return true;
}

/* Fails, because this should have come. */
static bool expect(struct opname_reader *r, const char *what)
{
    if (r->expected == NULL)
        r->expected = what;
    return false;
}

/* The next word, without a bracket that closes what was opened. NULL: there is none. */
static const char *take_word(struct opname_reader *r)
{
    struct word *word = &r->words[r->at];
    size_t n;

    if (r->at == r->n)
        return NULL;
    r->at++;
    n = strlen(word->text);
    if (r->is_in_brackets && !word->is_quoted && n > 1 && word->text[n - 1] == ')') {
        word->text[n - 1] = '\0';
        r->is_in_brackets = false;
    }
    return word->text;
}

static bool take_text(struct opname_reader *r, uint32_t *out)
{
    const char *word = take_word(r);

    *out = word != NULL ? opnames_text(r->names, word) : 0;
    return *out != 0;
}

bool opname_read_number(struct opname_reader *r, uint64_t *out)
{
    bool is_quoted = r->at < r->n && r->words[r->at].is_quoted;
    const char *word = take_word(r);
    char *end;

    if (word == NULL || is_quoted || word[0] < '0' || word[0] > '9')
        return false;
    errno = 0;
    *out = strtoull(word, &end, 10);
    return *end == '\0' && errno == 0;
}

/* Takes a word that may follow, unless a bracket has closed the name. */
static bool accept_more(struct opname_reader *r, bool is_bracketed, const char *word)
{
    return is_bracketed == r->is_in_brackets && opname_accept(r, word);
}

/* "from" where it may stand, "key" and "number". */
static bool read_which(struct opname_reader *r, struct opname *name, bool is_bracketed)
{
    bool is_delivery = name->kind == SN_OP_DELIVER;
    uint64_t number = 0;

    if (is_delivery && accept_more(r, is_bracketed, "from") && !take_text(r, &name->from))
        return expect(r, "the name of a machine after \"from\"");
    if ((is_delivery || name->kind == SN_OP_TIMER) && accept_more(r, is_bracketed, "key")) {
        name->has_key = 1;
        if (!opname_read_number(r, &name->key))
            return expect(r, "a number after \"key\"");
    }
    if (!accept_more(r, is_bracketed, "number"))
        return true;
    if (!opname_read_number(r, &number) || number == 0 || number > UINT32_MAX)
        return expect(r, "a number from 1 on after \"number\"");
    if (name->kind == SN_OP_DELIVER && name->from == 0)
        return expect(r, "\"from\" and a machine before \"number\", which counts what one machine "
                         "has sent");
    name->number = (uint32_t)number;
    return true;
}

static bool read_plain(struct opname_reader *r, struct opname *name)
{
    bool is_bracketed = r->is_in_brackets;

    *name = (struct opname){0};
    if (opname_accept(r, "start")) {
        name->kind = SN_OP_START;
        if (!take_text(r, &name->task))
            return expect(r, "start MACHINE");
    } else if (opname_accept(r, "deliver")) {
        name->kind = SN_OP_DELIVER;
        if (!take_text(r, &name->event) || !opname_accept(r, "to") || !take_text(r, &name->task))
            return expect(r, "deliver EVENT to MACHINE");
    } else if (opname_accept(r, "timer")) {
        name->kind = SN_OP_TIMER;
        if (!take_text(r, &name->event) || !opname_accept(r, "of") || !take_text(r, &name->task))
            return expect(r, "timer EVENT of MACHINE");
    } else if (opname_accept(r, "fault")) {
        name->kind = SN_OP_FAULT;
        if (!take_text(r, &name->event))
            return expect(r, "fault NAME");
    } else if (opname_accept(r, "do")) {
        name->kind = SN_OP_PROCESS;
        if (!take_text(r, &name->event) || !opname_accept(r, "of") || !take_text(r, &name->task))
            return expect(r, "do OPERATION of PROCESS");
    } else {
        return expect(r, "an operation: start, deliver, timer, do or fault");
    }
    return read_which(r, name, is_bracketed);
}

/* Takes an opening bracket, which may be glued to the next word. */
static bool open_bracket(struct opname_reader *r)
{
    struct word *word = &r->words[r->at];

    if (r->at == r->n || word->is_quoted || word->text[0] != '(')
        return false;
    if (word->text[1] == '\0')
        r->at++;
    else
        word->text++;
    r->is_in_brackets = true;
    return true;
}

/* A plain name, perhaps in brackets. */
static bool read_bracketed(struct opname_reader *r, struct opname *name)
{
    bool is_bracketed = open_bracket(r);

    if (!read_plain(r, name))
        return false;
    if (is_bracketed && r->is_in_brackets && !opname_accept(r, ")"))
        return expect(r, "a closing bracket");
    r->is_in_brackets = false;
    return true;
}

static uint32_t add(struct opname_reader *r, const struct opname *name)
{
    uint32_t number = opnames_add(r->names, name);

    if (number == 0)
        (void)expect(r, "fewer names: there are too many");
    return number;
}

static uint32_t read_alias(struct opname_reader *r)
{
    struct opname class;
    struct opname anchor;

    if (!read_bracketed(r, &class))
        return 0;
    if (class.number != 0 || !opname_accept(r, "after")) {
        (void)expect(r, class.number != 0
                            ? "no \"number\" behind \"first\", which is one of a whole class"
                            : "\"after\" and an operation");
        return 0;
    }
    if (!read_bracketed(r, &anchor))
        return 0;
    class.anchor = add(r, &anchor);
    return class.anchor != 0 ? add(r, &class) : 0;
}

uint32_t opname_read(struct opname_reader *r)
{
    struct opname name;

    if (opname_accept(r, "first"))
        return read_alias(r);
    return read_bracketed(r, &name) ? add(r, &name) : 0;
}

uint32_t opname_read_draw(struct opname_reader *r)
{
    struct opname name = {.kind = OPNAME_DRAW};
    uint64_t number = 0;

    if (!take_text(r, &name.event) || (opname_accept(r, "of") && !take_text(r, &name.task)) ||
        (opname_accept(r, "number") && (!opname_read_number(r, &number) || number == 0))) {
        (void)expect(r, "draw LABEL [of MACHINE] [number N] = VALUE");
        return 0;
    }
    if (number > UINT32_MAX || (number > 0 && name.task == 0)) {
        (void)expect(r, "\"of\" and a machine before \"number\", which counts what one has drawn");
        return 0;
    }
    name.number = (uint32_t)number;
    return add(r, &name);
}
