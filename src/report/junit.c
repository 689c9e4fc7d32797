/* junit.c - see junit.h.
 *
 * There is no standard: this is what the readers have in common. A test case has at most one
 * <failure> or <error>, because several readers take the first and drop the rest; further failures
 * are in its text. SPDX-License-Identifier: MIT
 */
#include "report/junit.h"

#include "base/file.h"
#include "engine/mem.h"
#include "report/xml.h"

#include <inttypes.h>
#include <stdio.h>

enum { TEXT_BYTES = 1 << 20 }; /* of one test case, before XML changes it */
#define MEMORY_BYTES ((size_t)(64 << 20 >> MEM_SAVING_SHIFT))

/* ---- Test cases ----------------------------------------------------------------------------- */

static void put_property(struct sn_text *out, const char *indent, const char *name,
                         const char *value)
{
    text_print(out, "%s<property name=\"%s\"", indent, name);
    xml_put_attribute(out, "value", value);
    text_puts(out, "/>\n");
}

static void put_number_property(struct sn_text *out, const char *indent, const char *name,
                                uint64_t value)
{
    text_print(out, "%s<property name=\"%s\" value=\"%" PRIu64 "\"/>\n", indent, name, value);
}

static void put_properties(struct sn_text *out, const struct sn_result *r)
{
    static const char indent[] = "        ";

    text_puts(out, "      <properties>\n");
    put_number_property(out, indent, "trials", r->trials);
    put_number_property(out, indent, "steps", r->steps);
    put_number_property(out, indent, "orders", r->distinct_orders);
    put_number_property(out, indent, "cut", r->cut);
    if (r->stuck > 0)
        put_number_property(out, indent, "stuck", r->stuck);
    if (r->discarded > 0)
        put_number_property(out, indent, "discarded", r->discarded);
    put_number_property(out, indent, "failed", r->failures);
    text_puts(out, "      </properties>\n");
}

static void describe(struct sn_text *out, const struct run_plan *plan, const struct sn_test *test,
                     const struct run_failure *failure)
{
    text_print(out, "%s in trial %" PRIu64 ", step %" PRIu64 ": ", run_failure_verdict(failure),
               failure->trial, failure->steps);
    text_puts(out, failure->text);
    text_puts(out, "\nreproduce: ");
    run_put_repro(out, plan, test, failure);
    text_putc(out, '\n');
    if (failure->trace[0] != '\0') {
        text_puts(out, "trace: ");
        text_puts(out, failure->trace);
        text_putc(out, '\n');
    }
    if (failure->drawn[0] != '\0') {
        text_puts(out, failure->drawn);
        text_putc(out, '\n');
    }
    if (failure->shrunk[0] != '\0')
        text_print(out, "shrunk: %s\n", failure->shrunk);
    text_puts(out, failure->stack);
}

/* <failure> if the code under test is wrong, <error> if that could not be found out. */
static void put_problem(struct junit *junit, enum run_status status,
                        const struct run_outcome *outcome)
{
    struct sn_text *out = &junit->body;
    const char *element = status == RUN_FAILED ? "failure" : "error";
    const struct run_failure *first = outcome->n_failures > 0 ? outcome->failures : NULL;
    const char *message = outcome->result->failure;
    const char *type = run_status_name(status);
    struct sn_text text;

    if (status != RUN_ERROR && first != NULL) {
        message = first->text;
        if (first->oracle[0] != '\0')
            type = first->oracle;
    }
    text_print(out, "      <%s", element);
    xml_put_attribute(out, "message", message);
    xml_put_attribute(out, "type", type);
    text_putc(out, '>');
    text_init(&text, junit->memory, TEXT_BYTES);
    for (size_t i = 0; i < outcome->n_failures; i++) {
        text_puts(&text, i > 0 ? "\n" : "");
        describe(&text, junit->plan, outcome->test, &outcome->failures[i]);
    }
    xml_puts(out, text.buffer);
    text_print(out, "</%s>\n", element);
}

static void put_skipped(struct sn_text *out, enum run_status status,
                        const struct run_outcome *outcome)
{
    if (status == RUN_INTERRUPTED)
        text_print(out, "      <skipped message=\"interrupted after %" PRIu64 " trials\"/>\n",
                   outcome->result->trials);
    else
        text_print(out, "      <skipped message=\"%s\"/>\n", run_status_name(status));
}

/* What a person would have read. */
static void put_covered(struct junit *junit, const struct run_outcome *outcome)
{
    struct sn_text text;

    text_init(&text, junit->memory, TEXT_BYTES);
    run_put_covered(&text, "", junit->plan, outcome, true);
    text_puts(&junit->body, "      <system-out>");
    xml_puts(&junit->body, text.buffer);
    text_puts(&junit->body, "</system-out>\n");
}

static void count(struct junit *junit, enum run_status status)
{
    junit->n_tests++;
    if (status == RUN_FAILED)
        junit->n_failures++;
    else if (status == RUN_UNCONTROLLED || status == RUN_NONDETERMINISTIC || status == RUN_ERROR)
        junit->n_errors++;
    else if (status != RUN_PASSED)
        junit->n_skipped++;
}

static int test_end(void *self, const struct run_outcome *outcome, struct err *why)
{
    struct junit *junit = self;
    struct sn_text *out = &junit->body;
    enum run_status status = run_status_of(outcome);

    (void)why;
    count(junit, status);
    junit->seconds += outcome->seconds;
    text_puts(out, "    <testcase");
    xml_put_attribute(out, "name", outcome->test->name);
    xml_put_attribute(out, "classname", junit->plan->suite);
    text_puts(out, " time=\"");
    run_put_seconds(out, outcome->seconds);
    text_puts(out, "\">\n");
    if (outcome->result != NULL)
        put_properties(out, outcome->result);
    if (status == RUN_FAILED || status == RUN_UNCONTROLLED || status == RUN_NONDETERMINISTIC ||
        status == RUN_ERROR)
        put_problem(junit, status, outcome);
    else if (status != RUN_PASSED)
        put_skipped(out, status, outcome);
    if (status != RUN_NOT_RUN && status != RUN_ERROR)
        put_covered(junit, outcome);
    text_puts(out, "    </testcase>\n");
    return 0;
}

/* One more test case. */
static int tell_sites(void *self, const struct run_sites *sites, struct err *why)
{
    struct junit *junit = self;
    struct sn_text *out = &junit->body;
    bool has_failed = sites->is_strict && sites->n_unmet > 0;
    struct sn_text text;

    (void)why;
    count(junit, has_failed ? RUN_FAILED : RUN_PASSED);
    text_puts(out, "    <testcase name=\"sometimes\"");
    xml_put_attribute(out, "classname", junit->plan->suite);
    text_puts(out, " time=\"0.000\">\n");
    text_init(&text, junit->memory, TEXT_BYTES);
    run_put_unmet(&text, sites);
    if (has_failed) {
        text_puts(out, "      <failure");
        xml_put_attribute(out, "message", text.buffer);
        text_puts(out, " type=\"strict\"></failure>\n");
    }
    text_clear(&text);
    for (size_t i = 0; i < sites->n; i++) {
        run_put_site(&text, &sites->list[i]);
        text_putc(&text, '\n');
    }
    text_puts(out, "      <system-out>");
    xml_puts(out, text.buffer);
    text_puts(out, "</system-out>\n    </testcase>\n");
    return 0;
}

/* ---- The file ------------------------------------------------------------------------------- */

static int begin(void *self, const struct run_plan *plan, struct err *why)
{
    struct junit *junit = self;
    int rc = file_try(junit->path, why);

    *junit = (struct junit){.path = junit->path, .plan = plan};
    if (rc < 0)
        return rc;
    junit->memory = mem_reserve_shared(TEXT_BYTES + MEMORY_BYTES, why);
    if (junit->memory == NULL)
        return SN_ENOMEM;
    text_init(&junit->body, (char *)junit->memory + TEXT_BYTES, MEMORY_BYTES);
    return 0;
}

static void put_counts(struct sn_text *out, const struct junit *junit)
{
    xml_put_attribute(out, "name", junit->plan->suite);
    text_print(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"",
               junit->n_tests, junit->n_failures, junit->n_errors, junit->n_skipped);
    run_put_seconds(out, junit->seconds);
    text_puts(out, "\">\n");
}

static void put_head(struct sn_text *out, const struct junit *junit)
{
    const struct run_plan *plan = junit->plan;

    text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    put_counts(out, junit);
    text_puts(out, "  <testsuite");
    put_counts(out, junit);
    text_puts(out, "    <properties>\n");
    put_number_property(out, "      ", "seed", plan->options.seed);
    put_property(out, "      ", "strategy", plan->options.strategy);
    put_number_property(out, "      ", "iterations", plan->options.iterations);
    put_property(out, "      ", "program", plan->program);
    put_property(out, "      ", "build", plan->build);
    text_puts(out, "    </properties>\n");
}

static int end(void *self, bool is_interrupted, struct err *why)
{
    static const char tail[] = "  </testsuite>\n</testsuites>\n";
    struct junit *junit = self;
    struct sn_text head;

    (void)is_interrupted;
    text_init(&head, junit->memory, TEXT_BYTES);
    put_head(&head, junit);
    if (junit->body.cut || head.cut)
        return err_set(why, SN_ENOMEM, "%.300s: there is more to say than it has room for",
                       junit->path);
    return file_replace(junit->path,
                        (const struct file_part[]){{head.buffer, head.used},
                                                   {junit->body.buffer, junit->body.used},
                                                   {tail, sizeof(tail) - 1}},
                        3, why);
}

static void done(void *self)
{
    struct junit *junit = self;

    mem_release(junit->memory, TEXT_BYTES + MEMORY_BYTES);
    junit->memory = NULL;
}

static const struct run_reporter_kind kind = {
    .begin = begin,
    .test_end = test_end,
    .sites = tell_sites,
    .end = end,
    .done = done,
};

struct run_reporter junit_reporter(struct junit *junit)
{
    return (struct run_reporter){.kind = &kind, .self = junit};
}
