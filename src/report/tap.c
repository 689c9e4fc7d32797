/* tap.c - see tap.h. SPDX-License-Identifier: MIT */
#include "report/tap.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Longest line to reproduce a failure that is printed: all that a path can be, quoted. */
enum { REPRO_BYTES = 8192 };

int tap_version(void)
{
    const char *known = getenv("TAP_VERSION");

    return known != NULL && strcmp(known, "13") == 0 ? 13 : 14;
}

/* ---- Words ---------------------------------------------------------------------------------- */

/* A character that cannot be shown as it is: those that control something, that end lines, and
 * those that no text may hold. */
static bool is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
           code == 0xfeff || (code & 0xfffe) == 0xfffe;
}

/* On one line. What cannot be shown becomes \xHH, with an escaped backslash if a backslash is among
 * the characters that are escaped. */
static void put_visible(struct sn_text *out, const char *s, size_t left, const char *escaped)
{
    const char *mark = strchr(escaped, '\\') != NULL ? "\\\\" : "\\";

    while (left > 0) {
        uint32_t code = 0;
        size_t n = utf8_decode(s, left, &code);

        if (n == 0 || is_hidden(code)) {
            text_print(out, "%sx%02x", mark, (unsigned)(unsigned char)*s);
            n = 1;
        } else {
            if (n == 1 && strchr(escaped, *s) != NULL)
                text_putc(out, '\\');
            text_add(out, s, n);
        }
        s += n;
        left -= n;
    }
}

void tap_put_description(struct sn_text *out, const char *s)
{
    put_visible(out, s, strlen(s), "#\\");
}

/* What was covered, as comments. */
static void put_covered(struct tap *tap, const struct run_outcome *outcome)
{
    char bytes[2048];
    struct sn_text covered;

    text_init(&covered, bytes, sizeof(bytes));
    run_put_covered(&covered, "", tap->plan, outcome, false);
    for (const char *line = bytes; *line != '\0';) {
        size_t n = strcspn(line, "\n");

        text_puts(tap->out, "# ");
        put_visible(tap->out, line, n, "");
        text_putc(tap->out, '\n');
        line += n + (line[n] == '\n');
    }
}

/* The escape of YAML for a character. */
static void put_escape(struct sn_text *out, uint32_t code)
{
    if (code == '"' || code == '\\')
        text_print(out, "\\%c", (char)code);
    else if (code == '\n')
        text_puts(out, "\\n");
    else if (code == '\t')
        text_puts(out, "\\t");
    else if (code < 0x100)
        text_print(out, "\\x%02" PRIx32, code);
    else
        text_print(out, code < 0x10000 ? "\\u%04" PRIx32 : "\\U%08" PRIx32, code);
}

/* A string of YAML in double quotes. What is not UTF-8 becomes the four characters \xHH. */
static void put_string(struct sn_text *out, const char *s, size_t left)
{
    text_putc(out, '"');
    while (left > 0) {
        uint32_t code = 0;
        size_t n = utf8_decode(s, left, &code);

        if (n == 0) {
            text_print(out, "\\\\x%02x", (unsigned)(unsigned char)*s);
            n = 1;
        } else if (code == '"' || code == '\\' || is_hidden(code)) {
            put_escape(out, code);
        } else {
            text_add(out, s, n);
        }
        s += n;
        left -= n;
    }
    text_putc(out, '"');
}

/* ---- Blocks of YAML ------------------------------------------------------------------------- */

/* Where the next key goes: a failure after the first one is an element of a list. */
struct block {
    struct sn_text *out;
    const char *first; /* stands before the first key */
    const char *rest;
    bool has_begun;
};

static void put_key(struct block *block, const char *key)
{
    text_print(block->out, "%s%s:", block->has_begun ? block->rest : block->first, key);
    block->has_begun = true;
}

static void put_text(struct block *block, const char *key, const char *value)
{
    if (value[0] == '\0')
        return;
    put_key(block, key);
    text_putc(block->out, ' ');
    put_string(block->out, value, strlen(value));
    text_putc(block->out, '\n');
}

static void put_number(struct block *block, const char *key, uint64_t value)
{
    put_key(block, key);
    text_print(block->out, " %" PRIu64 "\n", value);
}

static void put_stack(struct block *block, const char *stack)
{
    if (stack[0] == '\0')
        return;
    put_key(block, "stack");
    text_putc(block->out, '\n');
    while (*stack != '\0') {
        size_t n = strcspn(stack, "\n");

        text_print(block->out, "%s  - ", block->rest);
        put_string(block->out, stack, n);
        text_putc(block->out, '\n');
        stack += n + (stack[n] == '\n');
    }
}

static void put_failure(struct tap *tap, struct block *block, const struct sn_test *test,
                        const struct run_failure *failure)
{
    char bytes[REPRO_BYTES];
    struct sn_text repro;

    put_text(block, "message", run_failure_message(failure));
    put_text(block, "verdict", run_failure_verdict(failure));
    put_text(block, "oracle", failure->oracle);
    put_number(block, "seed", tap->plan->options.seed);
    put_text(block, "strategy", tap->plan->options.strategy);
    put_number(block, "trial", failure->trial);
    put_number(block, "step", failure->steps);
    put_number(block, "count", failure->count);
    put_text(block, "trace", failure->trace);
    if (failure->drawn[0] != '\0')
        put_text(block, "drawn", failure->drawn);
    if (failure->shrunk[0] != '\0')
        put_text(block, "shrunk", failure->shrunk);
    text_init(&repro, bytes, sizeof(bytes));
    run_put_repro(&repro, tap->plan, test, failure);
    if (!repro.cut)
        put_text(block, "repro", bytes);
    put_stack(block, failure->stack);
}

static void put_yaml(struct tap *tap, const struct run_outcome *outcome)
{
    struct block block = {.out = tap->out, .first = "  ", .rest = "  "};

    text_puts(tap->out, "  ---\n");
    if (run_status_of(outcome) == RUN_ERROR)
        put_text(&block, "message", outcome->result->failure);
    else if (outcome->n_failures > 0)
        put_failure(tap, &block, outcome->test, &outcome->failures[0]);
    if (outcome->n_failures > 1)
        text_puts(tap->out, "  more:\n");
    for (size_t i = 1; i < outcome->n_failures; i++) {
        block = (struct block){.out = tap->out, .first = "    - ", .rest = "      "};
        put_failure(tap, &block, outcome->test, &outcome->failures[i]);
    }
    text_puts(tap->out, "  ...\n");
}

/* ---- Events --------------------------------------------------------------------------------- */

static int begin(void *self, const struct run_plan *plan, struct err *why)
{
    struct tap *tap = self;

    (void)why;
    tap->plan = plan;
    tap->n = 0;
    text_print(tap->out, "TAP version %d\n1..%zu", tap->version,
               plan->n_tests + (plan->n_tests > 0 && plan->has_sites));
    if (plan->n_tests == 0) {
        text_puts(tap->out, " # SKIP ");
        tap_put_description(tap->out,
                            plan->why_none != NULL ? plan->why_none : "there are no tests");
    }
    text_putc(tap->out, '\n');
    return 0;
}

static void put_skipped(struct tap *tap, enum run_status status, const struct run_outcome *outcome)
{
    if (status == RUN_NOT_RUN)
        text_puts(tap->out, " # SKIP not run");
    else if (status == RUN_INTERRUPTED)
        text_print(tap->out, " # SKIP interrupted after %" PRIu64 " trials",
                   outcome->result->trials);
    else if (status == RUN_NOTHING && outcome->result->stuck + outcome->result->discarded > 0)
        text_print(tap->out, " # SKIP every trial was %s", run_why_nothing(outcome));
    else if (status == RUN_NOTHING)
        text_puts(tap->out,
                  outcome->result->trials > 0
                      ? " # SKIP nothing happened: the test created no machine and drew no value"
                      : " # SKIP no trial was run");
}

static int test_end(void *self, const struct run_outcome *outcome, struct err *why)
{
    struct tap *tap = self;
    enum run_status status = run_status_of(outcome);
    bool has_failed = status == RUN_FAILED || status == RUN_UNCONTROLLED ||
                      status == RUN_NONDETERMINISTIC || status == RUN_ERROR;

    (void)why;
    text_print(tap->out, "%sok %zu - ", has_failed ? "not " : "", ++tap->n);
    tap_put_description(tap->out, tap->plan->suite);
    text_putc(tap->out, '/');
    tap_put_description(tap->out, outcome->test->name);
    put_skipped(tap, status, outcome);
    text_putc(tap->out, '\n');
    if (has_failed)
        put_yaml(tap, outcome);
    if (status != RUN_ERROR && status != RUN_NOT_RUN)
        put_covered(tap, outcome);
    return 0;
}

/* One more test point. What is not met, if nobody is strict about it, is still to be done. */
static int tell_sites(void *self, const struct run_sites *sites, struct err *why)
{
    struct tap *tap = self;

    (void)why;
    text_print(tap->out, "%sok %zu - ", sites->n_unmet > 0 ? "not " : "", ++tap->n);
    tap_put_description(tap->out, tap->plan->suite);
    text_puts(tap->out, "/sometimes");
    if (sites->n_unmet > 0 && !sites->is_strict)
        text_puts(tap->out, " # TO"
                            "DO --strict makes this a failure");
    text_putc(tap->out, '\n');
    for (size_t i = 0; i < sites->n; i++) {
        char bytes[1024];
        struct sn_text line;

        text_init(&line, bytes, sizeof(bytes));
        run_put_site(&line, &sites->list[i]);
        text_puts(tap->out, "# ");
        put_visible(tap->out, bytes, line.used, "");
        text_putc(tap->out, '\n');
    }
    return 0;
}

static int end(void *self, bool is_interrupted, struct err *why)
{
    struct tap *tap = self;

    (void)why;
    if (tap->page != NULL && tap->page[0] != '\0') {
        text_puts(tap->out, "# report: ");
        put_visible(tap->out, tap->page, strlen(tap->page), "");
        text_putc(tap->out, '\n');
    }
    if (is_interrupted)
        text_puts(tap->out, "Bail out! The run was interrupted\n");
    return 0;
}

static const struct run_reporter_kind kind = {
    .begin = begin, .test_end = test_end, .sites = tell_sites, .end = end};

struct run_reporter tap_reporter(struct tap *tap)
{
    return (struct run_reporter){.kind = &kind, .self = tap};
}
