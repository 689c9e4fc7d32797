/* test_changes.c - what a step of a trace is said to have changed. SPDX-License-Identifier: MIT */
#include "api/explain_own.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDS_MAX = 16 };

/* The trace that the tests are about, of two steps at most. */
static struct trace_record records[RECORDS_MAX];
static uint32_t step_index[3];
static struct trace trace;
static char words[EXPLANATION_WORDS];

static int set_up(void **state)
{
    (void)state;
    memset(records, 0, sizeof(records));
    trace = (struct trace){.records = records, .step_index = step_index};
    return 0;
}

static struct trace_record *add(enum trace_kind kind)
{
    struct trace_record *r = &records[trace.n_records++];

    r->kind = kind;
    if (kind == TRACE_STEP)
        step_index[++trace.n_steps] = (uint32_t)(r - records);
    return r;
}

static void add_state(const char *task, enum trace_how how, const char *was, const char *now)
{
    struct trace_record *r = add(TRACE_STATE);

    r->state.task = task;
    r->state.how = how;
    r->state.was = was;
    r->state.state = now;
}

static void add_note(const char *text)
{
    add(TRACE_NOTE)->note.text = trace_text_of(text);
}

static void add_operation(enum trace_operation what, const char *text)
{
    struct trace_record *r = add(TRACE_OPERATION);

    r->operation.what = what;
    r->operation.process = "C1";
    r->operation.text = trace_text_of(text);
}

static void assert_changes(uint64_t step, const char *expected)
{
    assert_int_equal(explaining_step_changes(&trace, step, words, sizeof(words)),
                     expected[0] != '\0');
    assert_string_equal(words, expected);
}

static void step_of_which_nothing_is_known_changes_nothing(void **state)
{
    (void)state;
    add(TRACE_STEP);
    add(TRACE_SEND);

    assert_changes(1, "");
}

static void state_that_is_left_and_entered_is_told(void **state)
{
    (void)state;
    add(TRACE_STEP);
    add_state("S1", TRACE_HOW_GOTO, "Candidate", "Leader");

    assert_changes(1, "S1: Candidate -> Leader");
}

static void first_state_of_a_machine_is_no_change(void **state)
{
    (void)state;
    add(TRACE_STEP);
    add_state("S1", TRACE_HOW_START, NULL, "Follower");

    assert_changes(1, "");
}

static void machine_that_halts_is_told(void **state)
{
    (void)state;
    add(TRACE_STEP);
    add_state("S1", TRACE_HOW_HALT, NULL, "Leader");

    assert_changes(1, "S1: Leader -> halted");
}

static void notes_of_the_program_are_told_in_their_order(void **state)
{
    (void)state;
    add(TRACE_STEP);
    add_note("leads term 4");
    add_note("entry 1 is committed");

    assert_changes(1, "leads term 4; entry 1 is committed");
}

static void what_is_done_to_a_disk_is_left_out_and_what_a_crash_does_to_it_is_not(void **state)
{
    (void)state;
    add(TRACE_STEP);
    add_note("disk: sync log");
    add_note("disk of server 1: lost: 4 bytes at 0 of log");

    assert_changes(1, "disk of server 1: lost: 4 bytes at 0 of log");
}

static void operations_of_clients_are_told(void **state)
{
    (void)state;
    add(TRACE_STEP);
    add_operation(TRACE_OPERATION_RETURN, "read() = 1");
    add_operation(TRACE_OPERATION_CALL, "write(2)");
    add_operation(TRACE_OPERATION_FAIL, "write(2)");

    assert_changes(1, "C1 gets read() = 1; C1 calls write(2); C1 fails in write(2)");
}

static void step_ends_where_the_next_one_begins(void **state)
{
    (void)state;
    add(TRACE_STEP);
    add_note("one");
    add(TRACE_STEP);
    add_note("two");

    assert_changes(1, "one");
    assert_changes(2, "two");
}

static void what_does_not_fit_is_cut(void **state)
{
    char longest[2 * EXPLANATION_WORDS];

    (void)state;
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    add(TRACE_STEP);
    add_note(longest);
    add_note("more");

    assert_true(explaining_step_changes(&trace, 1, words, sizeof(words)));
    assert_true(strlen(words) < sizeof(words));
    assert_memory_equal(words, "xxxxxxxxxx", 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(step_of_which_nothing_is_known_changes_nothing, set_up),
        cmocka_unit_test_setup(state_that_is_left_and_entered_is_told, set_up),
        cmocka_unit_test_setup(first_state_of_a_machine_is_no_change, set_up),
        cmocka_unit_test_setup(machine_that_halts_is_told, set_up),
        cmocka_unit_test_setup(notes_of_the_program_are_told_in_their_order, set_up),
        cmocka_unit_test_setup(
            what_is_done_to_a_disk_is_left_out_and_what_a_crash_does_to_it_is_not, set_up),
        cmocka_unit_test_setup(operations_of_clients_are_told, set_up),
        cmocka_unit_test_setup(step_ends_where_the_next_one_begins, set_up),
        cmocka_unit_test_setup(what_does_not_fit_is_cut, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
