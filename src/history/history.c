/* history.c - see history.h. SPDX-License-Identifier: MIT */
#include "history/history.h"

#include "history/drain.h"
#include "history/edn.h"
#include "history/shape.h"
#include "history/values.h"

#include <sennit/test.h>
#include <stdio.h>
#include <string.h>

enum { SCRATCH_MAX = 256 << 20 };

const struct sn_operation *history_operations(const struct history *h)
{
    return h->operations.base;
}

int history_fail_memory(struct history *h)
{
    return source_fail(h->source, SN_ENOMEM, h->source->line, h->why,
                       "there is not enough memory to read on");
}

const char *history_quote(const char *bytes, size_t n, char out[48])
{
    size_t i;

    for (i = 0; i < 40 && i < n; i++)
        out[i] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? bytes[i] : '?';
    (void)snprintf(out + i, 48 - i, "%s", i < n ? "..." : "");
    return out;
}

enum history_type history_type_of(const char *name, size_t n)
{
    static const char *const names[] = {"invoke", "ok", "fail", "info"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
            return (enum history_type)(HISTORY_INVOKE + i);
    }
    return 0;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Takes the operations out that failed. */
static void drop_failed(struct history *h)
{
    size_t n = 0;

    for (size_t i = 0; i < h->n; i++) {
        if (history_operation(h, i)->function != HISTORY_DROPPED)
            *history_operation(h, n++) = *history_operation(h, i);
    }
    h->n = n;
}

/* The format, by the first bytes that are no blanks. */
static enum history_format detect(const unsigned char *at, const unsigned char *end)
{
    static const char blanks[] = " \t\r\n,";
    static const char mark[] = "jepsen.util";

    while (at < end && *at != '\0' && strchr(blanks, *at) != NULL)
        at++;
    if (at == end)
        return HISTORY_DETECT;
    if (*at == '{') {
        do
            at++;
        while (at < end && *at != '\0' && strchr(blanks, *at) != NULL);
        return at < end && *at == '"' ? HISTORY_JSONL : HISTORY_EDN;
    }
    if (strchr("[(#;", *at) != NULL && *at != '\0')
        return HISTORY_EDN;
    if ((*at >= '0' && *at <= '9') || *at == ':')
        return HISTORY_LOG;
    return memmem(at, (size_t)(end - at), mark, sizeof(mark) - 1) != NULL ? HISTORY_LOG
                                                                          : HISTORY_DETECT;
}

/* Some editors begin a file in UTF-8 with a mark of three bytes. */
static void skip_mark(struct source *source)
{
    static const unsigned char mark[3] = {0xef, 0xbb, 0xbf};

    if (source->end - source->at >= 3 && memcmp(source->at, mark, 3) == 0)
        source->at += 3;
}

static int read_source(struct history *h)
{
    static int (*const readers[])(struct history *) = {
        [HISTORY_EDN] = history_read_edn,
        [HISTORY_LOG] = history_read_log,
        [HISTORY_JSONL] = history_read_jsonl,
    };
    int rc;

    (void)source_peek(h->source);
    if (h->source->has_failed) {
        *h->why = h->source->why;
        return SN_EIO;
    }
    skip_mark(h->source);
    h->format = h->options.format != HISTORY_DETECT ? h->options.format
                                                    : detect(h->source->at, h->source->end);
    if (h->format == HISTORY_DETECT && h->source->at != h->source->end)
        return history_fail(h, 1,
                            "this begins like no history: not EDN, no log of Jepsen, no JSON "
                            "Lines; --format says what it is");
    rc = h->format == HISTORY_DETECT ? 0 : readers[h->format](h);
    if (rc < 0)
        return rc;
    if (h->n == 0)
        return history_fail(h, 0, "there is no operation of a client in it");
    rc = history_check_drains(h);
    drop_failed(h);
    return rc;
}

static void begin(struct history *h, const struct history_options *options, struct source *source,
                  struct err *why)
{
    sn_check(options->model != NULL);
    *h = (struct history){.options = *options, .source = source, .why = why};
    arena_init(&h->scratch, SCRATCH_MAX);
}

static void end(struct history *h, struct source *source)
{
    source_close(source);
    arena_done(&h->scratch);
    grow_done(&h->processes);
    h->source = NULL;
    h->why = NULL;
}

int history_read(struct history *h, const char *path, const struct history_options *options,
                 struct err *why)
{
    struct source source;
    int rc;

    begin(h, options, &source, why);
    rc = source_open(&source, path, why);
    if (rc < 0)
        return rc;
    source.on_read = options->on_read;
    source.self = options->self;
    rc = read_source(h);
    end(h, &source);
    return rc;
}

int history_parse(struct history *h, const char *name, const char *bytes, size_t n,
                  const struct history_options *options, struct err *why)
{
    struct source source;
    int rc;

    begin(h, options, &source, why);
    source_open_memory(&source, name, bytes, n, 1);
    rc = read_source(h);
    end(h, &source);
    return rc;
}

void history_done(struct history *h)
{
    arena_done(&h->scratch);
    grow_done(&h->operations);
    grow_done(&h->processes);
    grow_done(&h->drains);
    texts_done(&h->texts);
    wholes_done(&h->wholes);
}

int history_value(struct history *h, const char *text, sn_value *out, struct err *why)
{
    struct source source;
    struct edn edn;
    const struct form *form = NULL;
    const struct form *more;
    struct form word;
    int bracket;
    int rc;

    source_open_memory(&source, "the value", text, strlen(text), 0);
    h->source = &source;
    h->why = why;
    edn_init(&edn, &source, &h->scratch, why);
    rc = edn_next(&edn, &form, &bracket);
    if (rc == EDN_FORM && edn_next(&edn, &more, &bracket) == EDN_END) {
        word = *form;
        if (h->format == HISTORY_JSONL && word.type == FORM_ATOM &&
            strchr("0123456789+-", word.text[0]) == NULL)
            word.type = FORM_STRING;
        rc = values_take(h, &word, out);
        if (rc == 0 && value_is_text(*out) && shape_wants_integers(h->options.model))
            rc = err_set(why, SN_EFORMAT, "values of the model %s must be integers, not %.40s",
                         h->options.model->name, text);
    } else if (rc >= 0) {
        rc = err_set(why, SN_EFORMAT, "\"%s\" is not one value", text);
    }
    edn_done(&edn);
    end(h, &source);
    return rc;
}
