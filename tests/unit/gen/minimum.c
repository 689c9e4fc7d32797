/* minimum.c - see minimum.h. SPDX-License-Identifier: MIT */
#include "minimum.h"

#include "api/shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[] = "/tmp/sennit-minimum-XXXXXX";
static char smallest[64];

int minimum_open(void **unused)
{
    (void)unused;
    if (mkdtemp(directory) == NULL)
        return -1;
    (void)snprintf(smallest, sizeof(smallest), "%s/smallest", directory);
    return 0;
}

int minimum_close(void **unused)
{
    char command[64];

    (void)unused;
    (void)snprintf(command, sizeof(command), "rm -r %s", directory);
    return system(command);
}

/* What was noted in the trial of a trace, one after the other. */
static void tell(char *out, size_t size)
{
    struct trace trace = {0};
    size_t used = 0;

    assert_int_equal(trace_read(&trace, smallest, NULL), 0);
    out[0] = '\0';
    for (size_t i = 0; i < trace.n_records && used < size; i++) {
        const struct trace_record *r = &trace.records[i];

        if (r->kind == TRACE_NOTE)
            used += (size_t)snprintf(out + used, size - used, "%s%.*s", used > 0 ? "; " : "",
                                     (int)r->note.text.n, r->note.text.bytes);
    }
    trace_done(&trace);
}

void minimum_find(const struct sn_test *test, const char *suite, uint64_t seed, char *told,
                  size_t size)
{
    struct run_request request = {
        .test = test,
        .suite = suite,
        .jobs = 1,
        .options = {
            .strategy = "random", .iterations = 1000000, .outdir = directory, .seed = seed}};
    const struct shrink_options options = {.request = &request, .workers = 1};
    struct shrink_report report;
    struct trace trace = {0};
    struct sn_result r;
    struct err why = {""};

    assert_int_equal(run_test(&request, &r), 0);
    assert_true(r.failures > 0);
    assert_int_equal(trace_read(&trace, r.trace, NULL), 0);
    assert_int_equal(shrink_trace(&options, &trace, smallest, &report, &why), 0);
    assert_int_equal(report.how, SHRINK_DONE);
    trace_done(&trace);
    tell(told, size);
}

uint64_t minimum_steps(void)
{
    struct trace trace = {0};
    uint64_t steps;

    assert_int_equal(trace_read(&trace, smallest, NULL), 0);
    steps = trace.n_steps;
    trace_done(&trace);
    return steps;
}

size_t minimum_draws(const char *label)
{
    struct trace trace = {0};
    size_t n = 0;

    assert_int_equal(trace_read(&trace, smallest, NULL), 0);
    for (size_t i = 0; i < trace.n_records; i++)
        n += trace.records[i].kind == TRACE_DRAW && trace.records[i].draw.value != 0 &&
             strcmp(trace.records[i].draw.label, label) == 0;
    trace_done(&trace);
    return n;
}
