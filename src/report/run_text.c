/* run_text.c - see run_text.h. SPDX-License-Identifier: MIT */
#include "report/run_text.h"

#include "base/shell.h"

#include <inttypes.h>
#include <string.h>

#define RED "\033[1;31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

static void put_coloured(struct run_text *text, const char *colour, const char *words)
{
    text_print(text->out, "%s%s%s", text->is_coloured ? colour : "", words,
               text->is_coloured ? PLAIN : "");
}

/* Each line of a stack behind two words. */
static void put_stack(struct sn_text *out, const char *stack)
{
    while (*stack != '\0') {
        const char *end = strchrnul(stack, '\n');

        text_print(out, "    in %.*s\n", (int)(end - stack), stack);
        stack = *end == '\0' ? end : end + 1;
    }
}

static void put_drawn(struct sn_text *out, const char *lines)
{
    const char *title = "with:";

    while (*lines != '\0') {
        size_t n = strcspn(lines, "\n");

        text_print(out, "    %-10s %.*s\n", title, (int)n, lines);
        lines += n + (lines[n] == '\n' ? 1 : 0);
        title = "";
    }
}

static void put_failure(struct run_text *text, const struct sn_test *test,
                        const struct run_failure *failure)
{
    struct sn_text *out = text->out;

    text_print(out, "%s/%s: ", text->plan->suite, test->name);
    put_coloured(text, RED, run_failure_verdict(failure));
    text_print(out, " in trial %" PRIu64 ", step %" PRIu64 ": %s\n", failure->trial, failure->steps,
               failure->text);
    put_stack(out, failure->stack);
    if (failure->repeats[0] != '\0')
        text_print(out, "    repeats:   %s\n", failure->repeats);
    put_drawn(out, failure->drawn);
    if (failure->shrunk[0] != '\0')
        text_print(out, "    shrunk:    %s\n", failure->shrunk);
    if (failure->trace[0] != '\0') {
        text_puts(out, "    look:      sennit show ");
        shell_put(out, run_failure_trace(failure));
        text_putc(out, '\n');
    }
    text_puts(out, "    reproduce: ");
    run_put_repro(out, text->plan, test, failure);
    text_putc(out, '\n');
}

static int begin(void *self, const struct run_plan *plan, struct err *why)
{
    struct run_text *text = self;

    (void)why;
    text->plan = plan;
    return 0;
}

static bool proves_nothing(const struct run_outcome *outcome)
{
    return outcome->result->stuck + outcome->result->discarded > 0;
}

static int test_end(void *self, const struct run_outcome *outcome, struct err *why)
{
    struct run_text *text = self;
    enum run_status status = run_status_of(outcome);

    (void)why;
    if (status == RUN_ERROR || status == RUN_NOT_RUN)
        return 0; /* errors are complaints, which the runner prints */
    for (size_t i = 0; i < outcome->n_failures; i++)
        put_failure(text, outcome->test, &outcome->failures[i]);
    if (status == RUN_NOTHING && proves_nothing(outcome))
        text_print(text->out, "%s/%s: NOTHING TESTED: every trial was %s\n", text->plan->suite,
                   outcome->test->name, run_why_nothing(outcome));
    if (text->verbosity < 0)
        return 0;
    if (outcome->n_failures == 0 && !(status == RUN_NOTHING && proves_nothing(outcome))) {
        text_print(text->out, "%s/%s: ", text->plan->suite, outcome->test->name);
        put_coloured(text, GREEN, "no bug found");
        text_putc(text->out, '\n');
    }
    run_put_covered(text->out, "    ", text->plan, outcome, text->verbosity > 0);
    return 0;
}

static int tell_sites(void *self, const struct run_sites *sites, struct err *why)
{
    struct run_text *text = self;
    struct sn_text *out = text->out;

    (void)why;
    if (text->verbosity < 0 && (!sites->is_strict || sites->n_unmet == 0))
        return 0;
    if (sites->n_unmet > 0) {
        text_print(out, "%s: ", text->plan->suite);
        if (sites->is_strict)
            put_coloured(text, RED, "FAILED");
        text_puts(out, sites->is_strict ? ": " : "");
        run_put_unmet(out, sites);
        text_puts(out, sites->is_strict ? " (--strict)\n" : "\n");
    }
    for (size_t i = 0; i < sites->n; i++) {
        if (sites->list[i].is_held && text->verbosity <= 0)
            continue;
        text_puts(out, "    ");
        run_put_site(out, &sites->list[i]);
        text_putc(out, '\n');
    }
    return 0;
}

static int end(void *self, bool is_interrupted, struct err *why)
{
    const struct run_text *text = self;

    (void)is_interrupted;
    (void)why;
    if (text->page == NULL || text->page[0] == '\0')
        return 0;
    text_puts(text->out, "report: ");
    shell_put(text->out, text->page);
    text_putc(text->out, '\n');
    return 0;
}

static const struct run_reporter_kind kind = {
    .begin = begin, .test_end = test_end, .sites = tell_sites, .end = end};

struct run_reporter run_text_reporter(struct run_text *text)
{
    return (struct run_reporter){.kind = &kind, .self = text};
}
