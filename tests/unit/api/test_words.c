/* test_words.c - how faults of a trace are told: whom they strike, and when.
 * SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDS_MAX = 16 };

static struct trace_record records[RECORDS_MAX];
static uint32_t step_index[RECORDS_MAX];
static struct trace trace;
static char words[EXPLANATION_WORDS];

static int set_up(void **state)
{
    (void)state;
    memset(records, 0, sizeof(records));
    trace = (struct trace){.records = records, .step_index = step_index};
    return 0;
}

static struct trace_record *add_step(enum trace_op op, const char *event)
{
    struct trace_record *r = &records[trace.n_records++];

    r->kind = TRACE_STEP;
    r->step.op = op;
    r->step.event = event;
    r->step.number = ++trace.n_steps;
    r->step.task = "M";
    step_index[trace.n_steps] = (uint32_t)(r - records);
    return r;
}

static void add_crash(void)
{
    (void)add_step(TRACE_OP_FAULT, "crash");
}

static void add_effect(const char *node)
{
    struct trace_record *r = &records[trace.n_records++];

    r->kind = TRACE_FAULT;
    r->fault.what = "crash";
    r->fault.node = node;
}

static void assert_told(uint64_t step, const char *expected)
{
    explaining_step_words(&trace, step, words, sizeof(words));
    assert_string_equal(words, expected);
}

static void what_happens_in_the_step_of_a_fault_is_its_own(void **state)
{
    (void)state;
    add_crash(); /* waits */
    add_crash(); /* overtakes it */
    add_effect("b");
    (void)add_step(TRACE_OP_TIMER, "Tick");
    add_effect("a");

    assert_told(1, "fault: crash of a, which strikes in step 3");
    assert_told(2, "fault: crash of b");
}

static void what_happens_later_is_of_the_fault_that_waits(void **state)
{
    (void)state;
    add_crash();
    (void)add_step(TRACE_OP_TIMER, "Tick");
    add_effect("a");
    add_crash();
    (void)add_step(TRACE_OP_TIMER, "Tick");
    add_effect("b");

    assert_told(1, "fault: crash of a, which strikes in step 2");
    assert_told(3, "fault: crash of b, which strikes in step 4");
}

static void where_several_faults_wait_nobody_is_named(void **state)
{
    (void)state;
    add_crash();
    add_crash();
    (void)add_step(TRACE_OP_TIMER, "Tick");
    add_effect("a");
    (void)add_step(TRACE_OP_TIMER, "Tick");
    add_effect("b");
    add_crash();
    add_effect("c");

    assert_told(1, "fault: crash");
    assert_told(2, "fault: crash");
    assert_told(5, "fault: crash of c");
}

static void fault_that_strikes_nobody_is_without_effect(void **state)
{
    (void)state;
    add_crash();
    (void)add_step(TRACE_OP_TIMER, "Tick");

    assert_told(1, "fault: crash (without effect)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_happens_in_the_step_of_a_fault_is_its_own, set_up),
        cmocka_unit_test_setup(what_happens_later_is_of_the_fault_that_waits, set_up),
        cmocka_unit_test_setup(where_several_faults_wait_nobody_is_named, set_up),
        cmocka_unit_test_setup(fault_that_strikes_nobody_is_without_effect, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
