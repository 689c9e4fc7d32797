/* github.c - see github.h. SPDX-License-Identifier: MIT */
#include "report/github.h"

#include "report/locate.h"

#include <inttypes.h>
#include <string.h>

/* What ends the line, or the value of a property, is given as in an address of the web. */
static void put_escaped(struct sn_text *out, const char *s, const char *special)
{
    for (; *s != '\0'; s++) {
        if (strchr(special, *s) != NULL)
            text_print(out, "%%%02X", (unsigned)(unsigned char)*s);
        else
            text_putc(out, *s);
    }
}

static void put_message(struct sn_text *out, const char *s)
{
    put_escaped(out, s, "%\r\n");
}

static void put_property(struct sn_text *out, const char *s)
{
    put_escaped(out, s, "%\r\n:,");
}

/* A place is named by the last part of its path. GitHub wants all of it. */
static void put_file(struct github *github, const char *file, size_t n, uint64_t line)
{
    char path[1024];

    if (!locate(github->root, file, n, path, sizeof(path))) {
        n = n < sizeof(path) ? n : sizeof(path) - 1;
        memcpy(path, file, n);
        path[n] = '\0';
    }
    text_puts(github->out, "file=");
    put_property(github->out, path);
    text_print(github->out, ",line=%" PRIu64 ",", line);
}

static void put_place(struct github *github, const struct run_failure *failure)
{
    const char *file;
    uint64_t line;
    size_t n;

    if (run_failure_place(failure, &file, &n, &line))
        put_file(github, file, n, line);
}

static void put_failure(struct github *github, const struct sn_test *test,
                        const struct run_failure *failure)
{
    struct sn_text *out = github->out;
    char bytes[8192];
    struct sn_text repro;

    text_puts(out, "::error ");
    put_place(github, failure);
    text_puts(out, "title=");
    put_property(out, github->plan->suite);
    text_putc(out, '/');
    put_property(out, test->name);
    text_print(out, " %s::", run_failure_verdict(failure));
    put_message(out, failure->text);
    text_init(&repro, bytes, sizeof(bytes));
    text_print(&repro, "\nin trial %" PRIu64 ", step %" PRIu64 "\nreproduce: ", failure->trial,
               failure->steps);
    run_put_repro(&repro, github->plan, test, failure);
    put_message(out, repro.buffer);
    text_putc(out, '\n');
}

static int begin(void *self, const struct run_plan *plan, struct err *why)
{
    struct github *github = self;

    (void)why;
    github->plan = plan;
    return 0;
}

static int test_end(void *self, const struct run_outcome *outcome, struct err *why)
{
    struct github *github = self;

    (void)why;
    if (run_status_of(outcome) == RUN_ERROR) {
        text_puts(github->out, "::error title=");
        put_property(github->out, github->plan->suite);
        text_putc(github->out, '/');
        put_property(github->out, outcome->test->name);
        text_puts(github->out, "::");
        put_message(github->out, outcome->result->failure);
        text_putc(github->out, '\n');
        return 0;
    }
    for (size_t i = 0; i < outcome->n_failures; i++)
        put_failure(github, outcome->test, &outcome->failures[i]);
    return 0;
}

static int tell_sites(void *self, const struct run_sites *sites, struct err *why)
{
    struct github *github = self;

    (void)why;
    for (size_t i = 0; i < sites->n; i++) {
        const struct run_site *site = &sites->list[i];
        const char *slash = strrchr(site->site->file, '/');
        const char *file = slash != NULL ? slash + 1 : site->site->file;
        char bytes[1024];
        struct sn_text text;

        if (site->is_held)
            continue;
        text_init(&text, bytes, sizeof(bytes));
        run_put_site(&text, site);
        text_print(github->out, "::%s ", sites->is_strict ? "error" : "warning");
        put_file(github, file, strlen(file), (uint64_t)site->site->line);
        text_puts(github->out, "title=");
        put_property(github->out, github->plan->suite);
        text_puts(github->out, " NEVER::");
        put_message(github->out, bytes);
        text_putc(github->out, '\n');
    }
    return 0;
}

static const struct run_reporter_kind kind = {
    .begin = begin, .test_end = test_end, .sites = tell_sites};

struct run_reporter github_reporter(struct github *github)
{
    return (struct run_reporter){.kind = &kind, .self = github};
}
