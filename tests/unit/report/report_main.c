/* report_main.c - reports of runs that never took place, for names and messages of any kind:
 * report_main tap|junit|summary|github|text [PATH]
 *
 * Each line of standard input is a test: its verdict and, each in hexadecimal or "-" for nothing,
 * its name, message, trace and stack. SPDX-License-Identifier: MIT
 */
#include "report/github.h"
#include "report/junit.h"
#include "report/run_text.h"
#include "report/summary.h"
#include "report/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS = 5, FIELD_BYTES = 2048 };

static struct sn_text out;
static char buffer[1 << 16];

static void decode(char *to, size_t size, const char *hex)
{
    size_t n = 0;

    for (; hex[0] != '-' && hex[0] != '\0' && hex[1] != '\0' && n + 1 < size; hex += 2) {
        char digits[3] = {hex[0], hex[1], '\0'};

        to[n++] = (char)strtoul(digits, NULL, 16);
    }
    to[n] = '\0';
}

static void copy(char *to, size_t size, const char *from)
{
    size_t n = strnlen(from, size - 1);

    memcpy(to, from, n);
    to[n] = '\0';
}

static void set_verdict(struct run_outcome *outcome, struct sn_result *r,
                        struct run_failure failures[2], const char *verdict)
{
    bool has_passed = strcmp(verdict, "passed") == 0;
    bool is_interrupted = strcmp(verdict, "interrupted") == 0;

    r->nondeterministic = strcmp(verdict, "nondeterministic") == 0;
    r->verdict = strcmp(verdict, "uncontrolled") == 0 ? SN_UNCONTROLLED : SN_FAILED;
    r->steps = strcmp(verdict, "nothing") == 0 ? 0 : 12;
    r->trials = 3;
    r->failures = !has_passed && !is_interrupted && r->steps > 0;
    failures[0].verdict = r->verdict;
    failures[0].nondeterministic = r->nondeterministic;
    outcome->rc = strcmp(verdict, "error") == 0 ? SN_EIO : 0;
    outcome->is_interrupted = is_interrupted;
    outcome->n_failures = r->failures;
    if (strcmp(verdict, "twice") == 0)
        outcome->n_failures = 2;
    if (strcmp(verdict, "unrun") == 0) {
        outcome->result = NULL;
        outcome->n_failures = 0;
    }
}

/* One line, split into its fields. */
static void report_line(struct run_report *report, char *line)
{
    static char fields[FIELDS][FIELD_BYTES];
    static struct run_failure failures[2];
    char *rest = line;
    char *verdict = strsep(&rest, " \n");
    struct sn_result r = {.distinct_orders = 2};
    struct sn_test test = {.name = fields[1]};
    struct run_outcome outcome = {
        .test = &test, .result = &r, .failures = failures, .seconds = 0.0125};
    struct err why = {""};

    for (int i = 1; i < FIELDS; i++)
        decode(fields[i], FIELD_BYTES, rest != NULL ? strsep(&rest, " \n") : "-");
    memset(failures, 0, sizeof(failures));
    copy(r.failure, sizeof(r.failure), fields[2]);
    copy(r.note, sizeof(r.note), fields[2]);
    for (int i = 0; i < 2; i++) {
        failures[i].trial = 7;
        failures[i].steps = 5;
        failures[i].count = 2;
        failures[i].trials[0] = 7;
        failures[i].trials[1] = 9;
        failures[i].n_trials = 2;
        copy(failures[i].text, sizeof(failures[i].text), fields[2]);
        copy(failures[i].trace, sizeof(failures[i].trace), fields[3]);
        copy(failures[i].stack, sizeof(failures[i].stack), fields[4]);
        if (strncmp(fields[2], "assert: ", 8) == 0)
            memcpy(failures[i].oracle, "assert", 6);
        failures[i].verdict = SN_FAILED;
    }
    set_verdict(&outcome, &r, failures, verdict);
    if (run_report_test(report, &outcome, &why) < 0)
        (void)fprintf(stderr, "%s\n", why.text);
}

int main(int argc, char **argv)
{
    static const char *const args[] = {"--bug", "it's one"};
    const char *path = argc > 2 ? argv[2] : ".";
    struct tap tap = {.out = &out, .version = tap_version()};
    struct run_text text = {.out = &out};
    struct github github = {.out = &out, .root = path};
    struct junit junit = {.path = path};
    struct summary summary = {.version = "1.2.3"};
    struct run_reporter reporters[] = {tap_reporter(&tap), junit_reporter(&junit),
                                       summary_reporter(&summary), github_reporter(&github),
                                       run_text_reporter(&text)};
    static const char *const names[] = {"tap", "junit", "summary", "github", "text"};
    struct run_plan plan = {
        .suite = getenv("SUITE") != NULL ? getenv("SUITE") : "suite",
        .program = getenv("PROGRAM") != NULL ? getenv("PROGRAM") : "./program",
        .args = args,
        .n_args = 2,
        .build = "abcdef",
        .options = {.strategy = "random", .iterations = 10, .seed = 1, .outdir = path},
        .n_tests = getenv("PLANNED") != NULL ? strtoul(getenv("PLANNED"), NULL, 10) : 1,
    };
    struct run_report report = {0};
    struct err why = {""};
    char *line = NULL;
    size_t size = 0;

    text_init_fd(&out, buffer, sizeof(buffer), STDOUT_FILENO);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (argc > 1 && strcmp(argv[1], names[i]) == 0)
            run_report_add(&report, reporters[i]);
    }
    if (run_report_begin(&report, &plan, &why) < 0)
        (void)fprintf(stderr, "%s\n", why.text);
    while (getline(&line, &size, stdin) > 0)
        report_line(&report, line);
    free(line);
    if (getenv("KILLED") == NULL && run_report_end(&report, getenv("STOPPED") != NULL, &why) < 0)
        (void)fprintf(stderr, "%s\n", why.text);
    run_report_done(&report);
    (void)text_flush(&out);
    return why.text[0] != '\0';
}
