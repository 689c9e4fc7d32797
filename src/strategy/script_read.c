/* script_read.c - the reader of scripts, and the writer of their lines.
 *
 * A file is read whole and cut into words where it lies, so that reading takes no memory but the
 * script's own. SPDX-License-Identifier: MIT
 */
#include "base/word.h"
#include "engine/op.h"
#include "strategy/script.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 12 };

/* The line that is being read. */
struct reader {
    struct script *script;
    struct word words[WORDS_MAX];
    int n;
    int at;
    uint32_t line;
};

struct verb {
    const char *name;
    const char *usage;
    bool (*read)(struct reader *r, struct script_line *line);
};

static bool read_start(struct reader *r, struct script_line *line);
static bool read_deliver(struct reader *r, struct script_line *line);
static bool read_timer(struct reader *r, struct script_line *line);
static bool read_fault(struct reader *r, struct script_line *line);
static bool read_do(struct reader *r, struct script_line *line);
static bool read_pick(struct reader *r, struct script_line *line);
static bool read_any(struct reader *r, struct script_line *line);
static bool read_until(struct reader *r, struct script_line *line);
static bool read_draw(struct reader *r, struct script_line *line);
static bool read_fair(struct reader *r, struct script_line *line);
static bool read_end(struct reader *r, struct script_line *line);

static const struct verb verbs[] = {
    {"start", "start MACHINE [number N | id ID]", read_start},
    {"deliver", "deliver EVENT to MACHINE [from MACHINE] [number N | id ID]", read_deliver},
    {"timer", "timer EVENT of MACHINE [number N | id ID]", read_timer},
    {"fault", "fault NAME [number N | id ID]", read_fault},
    {"do", "do OPERATION of PROCESS [number N | id ID]", read_do},
    {"pick", "pick N", read_pick},
    {"any", "any [N]", read_any},
    {"until", "until step N, or until and an operation", read_until},
    {"draw", "draw LABEL = VALUE", read_draw},
    {"fair", "fair", read_fair},
    {"end", "end", read_end},
};

enum { VERBS = sizeof(verbs) / sizeof(verbs[0]) };

/* ---- Words ---------------------------------------------------------------------------------- */

/* Takes the next word if it is this one. */
static bool accept(struct reader *r, const char *word)
{
    if (r->at == r->n || r->words[r->at].is_quoted || strcmp(r->words[r->at].text, word) != 0)
        return false;
    r->at++;
    return true;
}

/* Takes the next word as a name. */
static bool take_name(struct reader *r, uint32_t *offset)
{
    if (r->at == r->n)
        return false;
    *offset = (uint32_t)(r->words[r->at++].text - r->script->text);
    return true;
}

static bool take_digits(struct reader *r, int base, uint64_t *out)
{
    static const char digits[] = "0123456789abcdef";
    const char *word;
    char *end;

    if (r->at == r->n || r->words[r->at].is_quoted)
        return false;
    word = r->words[r->at++].text;
    if (memchr(digits, word[0], (size_t)base) == NULL || word[0] == '\0')
        return false;
    errno = 0;
    *out = strtoull(word, &end, base);
    return *end == '\0' && errno == 0;
}

static bool take_number(struct reader *r, uint64_t *out)
{
    return take_digits(r, 10, out) && *out > 0;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

/* Which one, if several operations match. */
static bool read_which(struct reader *r, struct script_line *line)
{
    line->number = 1;
    if (accept(r, "number"))
        return take_number(r, &line->number);
    if (!accept(r, "id"))
        return true;
    line->has_id = true;
    return take_digits(r, 16, &line->id);
}

static bool read_start(struct reader *r, struct script_line *line)
{
    line->kind = SCRIPT_START;
    return take_name(r, &line->task) && read_which(r, line);
}

static bool read_deliver(struct reader *r, struct script_line *line)
{
    line->kind = SCRIPT_DELIVER;
    if (!take_name(r, &line->event) || !accept(r, "to") || !take_name(r, &line->task))
        return false;
    if (accept(r, "from") && !take_name(r, &line->from))
        return false;
    return read_which(r, line);
}

static bool read_timer(struct reader *r, struct script_line *line)
{
    line->kind = SCRIPT_TIMER;
    return take_name(r, &line->event) && accept(r, "of") && take_name(r, &line->task) &&
           read_which(r, line);
}

static bool read_fault(struct reader *r, struct script_line *line)
{
    line->kind = SCRIPT_FAULT;
    return take_name(r, &line->event) && read_which(r, line);
}

static bool read_do(struct reader *r, struct script_line *line)
{
    bool is_read = read_timer(r, line);

    line->kind = SCRIPT_DO;
    return is_read;
}

static bool read_pick(struct reader *r, struct script_line *line)
{
    line->kind = SCRIPT_PICK;
    return take_number(r, &line->number);
}

static bool read_any(struct reader *r, struct script_line *line)
{
    line->kind = SCRIPT_ANY;
    line->number = 1;
    return r->at == r->n || take_number(r, &line->number);
}

static bool read_until(struct reader *r, struct script_line *line)
{
    line->is_until = true;
    if (accept(r, "step")) {
        line->kind = SCRIPT_STEP;
        return take_number(r, &line->number);
    }
    if (accept(r, "start"))
        return read_start(r, line);
    if (accept(r, "deliver"))
        return read_deliver(r, line);
    if (accept(r, "timer"))
        return read_timer(r, line);
    if (accept(r, "do"))
        return read_do(r, line);
    return accept(r, "fault") && read_fault(r, line);
}

static bool read_draw(struct reader *r, struct script_line *line)
{
    line->kind = SCRIPT_DRAW;
    return take_name(r, &line->event) && accept(r, "=") && take_digits(r, 10, &line->number);
}

static bool read_fair(struct reader *r, struct script_line *line)
{
    (void)r;
    line->kind = SCRIPT_FAIR;
    return true;
}

static bool read_end(struct reader *r, struct script_line *line)
{
    (void)r;
    line->kind = SCRIPT_END;
    return true;
}

/* ---- The file ------------------------------------------------------------------------------- */

/* A word of the file in a sentence that may be printed to a terminal. */
static const char *printable(char *buffer, size_t size, const char *word)
{
    size_t n = 0;

    for (; n + 1 < size && word[n] != '\0'; n++)
        buffer[n] = word[n] >= ' ' && word[n] < 0x7f ? word[n] : '?';
    buffer[n] = '\0';
    return buffer;
}

static int refuse(const struct reader *r, struct err *why, const char *cause)
{
    return err_set_at(why, SN_EFORMAT, r->script->name, r->line, "%s", cause);
}

static int read_line(struct reader *r, char *text, struct err *why)
{
    struct script *s = r->script;
    struct script_line line = {.line = r->line};
    const char *cause = NULL;
    char cause_buffer[128];
    char word[40];

    r->at = 0;
    r->n = word_split(text, r->words, WORDS_MAX, &cause);
    if (r->n < 0)
        return refuse(r, why, cause);
    if (r->n == 0)
        return 0;
    if (s->n == SCRIPT_LINES_MAX)
        return refuse(r, why, "the script has too many lines");
    for (const struct verb *verb = verbs; verb < verbs + VERBS; verb++) {
        if (!accept(r, verb->name))
            continue;
        if (!verb->read(r, &line) || r->at != r->n) {
            (void)snprintf(cause_buffer, sizeof(cause_buffer), "expected: %s", verb->usage);
            return refuse(r, why, cause_buffer);
        }
        s->lines[s->n++] = line;
        return 0;
    }
    (void)snprintf(cause_buffer, sizeof(cause_buffer), "a line cannot begin with \"%s\"",
                   printable(word, sizeof(word), r->words[0].text));
    return refuse(r, why, cause_buffer);
}

int script_parse(struct script *s, const char *name, size_t n, struct err *why)
{
    struct reader r = {.script = s};
    char *at = s->text + 1;
    char *end = at + n;

    (void)snprintf(s->name, sizeof(s->name), "%s", name);
    s->n = 0;
    *end = '\0';
    while (at < end) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        int rc;

        r.line++;
        if (stop == NULL)
            stop = end;
        *stop = '\0';
        if (stop - at > SCRIPT_LINE_BYTES_MAX)
            return refuse(&r, why, "the line is too long");
        for (const char *c = at; c < stop; c++) {
            if ((unsigned char)*c < ' ' && *c != '\t' && *c != '\r')
                return refuse(&r, why, "this is not text: there is a control character in it");
        }
        rc = read_line(&r, at, why);
        if (rc < 0)
            return rc;
        at = stop + 1;
    }
    return 0;
}

int script_read(struct script *s, const char *path, struct err *why)
{
    size_t n = 0;
    ssize_t got = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return err_set(why, SN_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    while (n <= SCRIPT_BYTES_MAX) {
        got = read(fd, s->text + 1 + n, SCRIPT_BYTES_MAX + 1 - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    (void)close(fd);
    if (got < 0)
        return err_set(why, SN_EIO, "%s: cannot be read: %s", path, strerror(errno));
    if (n > SCRIPT_BYTES_MAX)
        return err_set(why, SN_EFORMAT, "%s: is larger than %d bytes", path, SCRIPT_BYTES_MAX);
    return script_parse(s, path, n, why);
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* The names of an operation, as its line has them. */
struct names {
    const char *event;
    const char *task;
    const char *from; /* NULL: not said */
};

static void put_operation(struct sn_text *out, unsigned kind, const struct names *names)
{
    static const char *const nouns[] = {[SCRIPT_START] = "start",
                                        [SCRIPT_DELIVER] = "deliver",
                                        [SCRIPT_TIMER] = "timer",
                                        [SCRIPT_FAULT] = "fault",
                                        [SCRIPT_DO] = "do"};

    text_print(out, "%s ", nouns[kind]);
    if (kind != SCRIPT_START)
        word_put(out, names->event);
    if (kind == SCRIPT_DELIVER || kind == SCRIPT_TIMER || kind == SCRIPT_DO)
        text_puts(out, kind == SCRIPT_DELIVER ? " to " : " of ");
    if (kind != SCRIPT_FAULT)
        word_put(out, names->task);
    if (names->from != NULL) {
        text_puts(out, " from ");
        word_put(out, names->from);
    }
}

void script_put_line(struct sn_text *out, const struct script *s, const struct script_line *line)
{
    struct names names = {s->text + line->event, s->text + line->task,
                          line->from != 0 ? s->text + line->from : NULL};

    text_puts(out, line->is_until ? "until " : "");
    switch (line->kind) {
    case SCRIPT_PICK:
    case SCRIPT_ANY:
    case SCRIPT_STEP:
        text_print(out, "%s %" PRIu64,
                   line->kind == SCRIPT_PICK  ? "pick"
                   : line->kind == SCRIPT_ANY ? "any"
                                              : "step",
                   line->number);
        return;
    case SCRIPT_DRAW:
        text_puts(out, "draw ");
        word_put(out, names.event);
        text_print(out, " = %" PRIu64, line->number);
        return;
    case SCRIPT_FAIR:
    case SCRIPT_END:
        text_puts(out, line->kind == SCRIPT_FAIR ? "fair" : "end");
        return;
    default:
        put_operation(out, line->kind, &names);
    }
    if (line->has_id)
        text_print(out, " id %016" PRIx64, line->id);
    else if (line->number > 1)
        text_print(out, " number %" PRIu64, line->number);
}

void script_put_op(struct sn_text *out, struct trial *t, const struct sn_op *op)
{
    struct names names = {op_event_name(op), t->recorder->task_name(t, op->task), NULL};

    if (op->kind == SN_OP_DELIVER)
        names.from = t->recorder->task_name(t, op->from);
    put_operation(out, op->kind, &names);
}
