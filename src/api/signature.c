/* signature.c - see signature.h. SPDX-License-Identifier: MIT */
#include "api/signature.h"

#include "base/hash.h"
#include "base/rng.h"

#include <ctype.h>
#include <string.h>

/* A failure, wherever it is written down. */
struct failure {
    const char *oracle;
    const char *at;
    const char *message;
    bool cut;
};

static struct failure failure_of(const struct verdict *v, bool cut)
{
    return (struct failure){.oracle = v->oracle, .at = v->at, .message = v->message, .cut = cut};
}

static struct failure failure_traced(const struct trace_verdict *v)
{
    return (struct failure){.oracle = v->oracle != NULL ? v->oracle : "",
                            .at = v->at != NULL ? v->at : "",
                            .message = v->message.bytes != NULL ? v->message.bytes : "",
                            .cut = v->cut};
}

static bool is_oracle(const struct failure *f, const char *name)
{
    return strcmp(f->oracle, name) == 0;
}

/* ---- Words ---------------------------------------------------------------------------------- */

bool signature_is_liveness(const char *oracle, bool cut)
{
    return strcmp(oracle, "lasso") == 0 ||
           (cut && (strcmp(oracle, "hot") == 0 || strcmp(oracle, "limit") == 0));
}

bool signature_is_death(const char *oracle)
{
    return strcmp(oracle, "crash") == 0 || strcmp(oracle, "hang") == 0 ||
           strcmp(oracle, "memory") == 0;
}

/* The text without numbers, and without what stands in round brackets if that is unwanted. */
static void put_plain(struct sn_text *out, const char *text, bool with_brackets)
{
    unsigned depth = 0;

    for (; *text != '\0'; text++) {
        depth += *text == '(';
        if (!isdigit((unsigned char)*text) && (with_brackets || depth == 0))
            text_putc(out, *text);
        depth -= *text == ')' && depth > 0;
    }
}

/* "monitor NAME ... hot (state NAME)": what follows tells of this trial only. One that found the
 * same state again and one that waited until the limit have found the same. */
static void put_monitor(struct sn_text *out, const char *message)
{
    const char *name = message + strlen("monitor ");
    const char *state = strstr(message, "(state ");
    const char *end = state != NULL ? strchr(state, ')') : NULL;

    text_puts(out, "hot for ever: ");
    if (end == NULL || strncmp(message, "monitor ", strlen("monitor ")) != 0) {
        put_plain(out, message, true);
        return;
    }
    text_print(out, "%.*s %.*s", (int)strcspn(name, " "), name, (int)(end - state + 1), state);
}

/* What checks of recorded events say up to the values that differ from one interleaving to the next
 * (src/events/checks.c). NULL: all of it counts. */
static const char *values_of(const struct failure *f)
{
    static const struct {
        const char *oracle;
        const char *values;
    } checks[] = {
        {"convergence", ", but "},      {"same-states", " is "},
        {"same-results", " returned "}, {"unique-results", " returned "},
        {"no-duplicates", " has "},     {"throws", " throws: "},
        {"idempotence", ", "},
    };

    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        if (is_oracle(f, checks[i].oracle))
            return strstr(f->message, checks[i].values);
    }
    return NULL;
}

static void put_message(struct sn_text *out, const struct failure *f)
{
    const char *address = strstr(f->message, " at address ");
    const char *values = values_of(f);

    if (is_oracle(f, "linear"))
        return; /* which operation is found to be in the way is an accident */
    if (is_oracle(f, "crash") && address != NULL)
        text_print(out, "%.*s", (int)(address - f->message), f->message);
    else if (values != NULL)
        text_print(out, "%.*s", (int)(values - f->message), f->message);
    else
        put_plain(out, f->message, !is_oracle(f, "deadlock"));
}

/* The oracle, and the place or what it says. */
static void put_failure(struct sn_text *out, const struct failure *f)
{
    if (signature_is_liveness(f->oracle, f->cut) && !is_oracle(f, "limit")) {
        put_monitor(out, f->message);
        return;
    }
    text_print(out, "%s: ", f->oracle);
    if (f->at[0] != '\0')
        text_puts(out, f->at);
    else
        put_message(out, f);
}

/* ---- Of trials ------------------------------------------------------------------------------ */

/* Where a step that does not end was when it was ended is an accident. */
struct signature signature_of(struct trial *t)
{
    struct failure f = failure_of(&t->verdict, t->cut);
    struct signature s = {.stack = 0};
    struct sn_text out;

    text_init(&out, s.text, sizeof(s.text));
    if (t->verdict.verdict != SN_FAILED)
        return s;
    put_failure(&out, &f);
    if (!signature_is_liveness(f.oracle, f.cut) && t->verdict.actor[0] != '\0')
        text_print(&out, ", in %s", t->verdict.actor);
    if (is_oracle(&f, "crash") || is_oracle(&f, "heap"))
        s.stack = stack_place(&t->death.stack);
    return s;
}

bool signature_is_same(const struct signature *a, const struct signature *b)
{
    return a->stack == b->stack && strcmp(a->text, b->text) == 0;
}

uint64_t signature_hash(const struct signature *s)
{
    return mix_pair(hash_add(HASH_START, s->text, strlen(s->text)), s->stack);
}

/* ---- Of traces ------------------------------------------------------------------------------ */

/* What these say names no machine. */
static bool is_nameless(const struct failure *f)
{
    return signature_is_death(f->oracle) || signature_is_liveness(f->oracle, f->cut);
}

static bool is_same_failure(const struct failure *a, const struct failure *b)
{
    char texts[2][SIGNATURE_BYTES];
    struct sn_text out;

    text_init(&out, texts[0], sizeof(texts[0]));
    put_failure(&out, a);
    text_init(&out, texts[1], sizeof(texts[1]));
    put_failure(&out, b);
    return strcmp(texts[0], texts[1]) == 0;
}

bool signature_is_traced(const struct trace_verdict *was, const struct verdict *is, bool cut)
{
    struct failure a = failure_traced(was);
    struct failure b = failure_of(is, cut);

    if (is_same_failure(&a, &b))
        return true;
    return strcmp(a.oracle, b.oracle) == 0 && a.at[0] == '\0' && b.at[0] == '\0' &&
           !is_nameless(&a) && !is_nameless(&b);
}

/* The name of a file without the line: lines move when a program is changed. */
static size_t file_length(const char *at)
{
    const char *colon = strrchr(at, ':');

    return colon != NULL ? (size_t)(colon - at) : strlen(at);
}

bool signature_is_alike(const struct trace_verdict *a, const struct trace_verdict *b)
{
    struct failure first = failure_traced(a);
    struct failure other = failure_traced(b);
    size_t n = file_length(first.at);

    if (is_same_failure(&first, &other) && (first.at[0] != '\0' || is_nameless(&first)))
        return true;
    if (strcmp(first.oracle, other.oracle) != 0 || n != file_length(other.at) ||
        strncmp(first.at, other.at, n) != 0)
        return false;
    first.at = other.at = ""; /* what is left to compare is what they say */
    return is_same_failure(&first, &other);
}
