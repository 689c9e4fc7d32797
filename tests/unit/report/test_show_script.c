/* test_show_script.c - tests of show_script.c: when a name is enough, and when it is not.
 *
 * That a script runs the trial it was made of is shown by tests/unit/cli/test_step.py.
 * SPDX-License-Identifier: MIT
 */
#include "report/show.h"
#include "sample.h"
#include "trace/trace.h"

#include <sennit/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char file[1 << 16];
static char shown[1 << 16];
static struct trace_writer writer;
static struct sn_text out;
static uint64_t n_steps;

static void begin(void)
{
    struct trace_header header = sample_header();

    n_steps = 0;
    text_init(&out, file, sizeof(file));
    trace_writer_init(&writer, &out);
    assert_int_equal(trace_write_header(&writer, &header), 0);
}

static void put(struct trace_record record)
{
    assert_int_equal(trace_write_record(&writer, &record), 0);
}

/* A step of A from B that was announced by step `cause`; its id is its number. */
static void step(enum trace_op op, const char *event, uint64_t cause)
{
    n_steps++;
    put((struct trace_record){.kind = TRACE_STEP,
                              .step = {.number = n_steps,
                                       .id = n_steps,
                                       .op = op,
                                       .task = op == TRACE_OP_FAULT ? "faults" : "A",
                                       .from = op == TRACE_OP_DELIVER ? "B" : NULL,
                                       .event = event,
                                       .cause = cause}});
}

static void draw(const char *label, uint64_t value)
{
    put((struct trace_record){.kind = TRACE_DRAW, .draw = {label, value, 10, 1}});
}

/* What the script says, without its head. */
static const char *script(const struct trace_verdict *verdict, uint64_t to)
{
    struct trace trace;
    struct err why;

    assert_int_equal(trace_write_verdict(&writer, verdict), 0);
    assert_int_equal(trace_write_end(&writer), 0);
    assert_int_equal(trace_parse(&trace, file, out.used, "a.trace", &why), 0);
    text_init(&out, shown, sizeof(shown));
    assert_int_equal(show_script(&out, &trace, &(struct show_options){.to = to}), 0);
    trace_done(&trace);
    return strstr(strchr(shown, '\n') + 1, "\n") + 1;
}

static void assert_script(const char *text)
{
    struct trace_verdict verdict = sample_verdict(n_steps);

    assert_string_equal(script(&verdict, 0), text);
}

static void each_step_is_a_line(void **state)
{
    (void)state;
    begin();
    step(TRACE_OP_START, "Birth", 0);
    step(TRACE_OP_DELIVER, "Ping", 0);
    step(TRACE_OP_TIMER, "Tick", 1);

    assert_script("start A\n"
                  "deliver Ping to A from B\n"
                  "timer Tick of A\n");
}

static void the_head_says_how_to_run_it(void **state)
{
    (void)state;
    begin();
    step(TRACE_OP_START, "Birth", 0);

    assert_script("start A\n");

    assert_ptr_equal(shown, strstr(shown, "# replication/two_replicas, 1 step\n"
                                          "# run it with: ./suite --bug stale-report -f "
                                          "two_replicas --max-steps 10000 -s script:FILE\n"));
}

static void a_sender_that_is_no_machine_is_nobody(void **state)
{
    (void)state;
    begin();
    put((struct trace_record){
        .kind = TRACE_STEP,
        .step = {.number = ++n_steps, .op = TRACE_OP_DELIVER, .task = "A", .event = "Ping"}});

    assert_script("deliver Ping to A from nobody\n");
}

static void a_payload_is_a_comment(void **state)
{
    struct trace_record record = sample_step(1);

    (void)state;
    begin();
    n_steps = 1;
    record.step.payload = trace_text_of("n=1\n\033[1m");
    put(record);

    assert_script("start Server  # n=1\\n\\x1b[1m\n");
}

static void names_that_are_no_words_are_quoted(void **state)
{
    (void)state;
    begin();
    step(TRACE_OP_TIMER, "half past \"ten\"\n", 0);

    assert_script("timer \"half past \\\"ten\\\"\\x0a\" of A\n");
}

/* ---- Values --------------------------------------------------------------------------------- */

static void values_follow_their_step(void **state)
{
    (void)state;
    begin();
    draw("first", 3);
    step(TRACE_OP_START, "Birth", 0);
    draw("a coin", 1);

    assert_script("draw first = 3\n"
                  "start A\n"
                  "    draw \"a coin\" = 1\n");
}

static void values_of_0_are_said_only_before_others(void **state)
{
    (void)state;
    begin();
    step(TRACE_OP_START, "Birth", 0);
    draw("coin", 0);
    draw("coin", 2);
    draw("coin", 0);
    step(TRACE_OP_TIMER, "Tick", 1);
    draw("coin", 0);

    assert_script("start A\n"
                  "    draw coin = 0\n"
                  "    draw coin = 2\n"
                  "timer Tick of A\n");
}

/* ---- Which one ------------------------------------------------------------------------------ */

static void the_oldest_of_a_name_needs_no_id(void **state)
{
    (void)state;
    begin();
    step(TRACE_OP_START, "Birth", 0);
    step(TRACE_OP_DELIVER, "Ping", 0);
    step(TRACE_OP_DELIVER, "Ping", 1);

    assert_script("start A\n"
                  "deliver Ping to A from B\n"
                  "deliver Ping to A from B\n");
}

static void one_that_overtakes_an_older_one_of_its_name_has_its_id(void **state)
{
    (void)state;
    begin();
    step(TRACE_OP_START, "Birth", 0);
    step(TRACE_OP_DELIVER, "Ping", 1);
    step(TRACE_OP_DELIVER, "Ping", 0);

    assert_script("start A\n"
                  "deliver Ping to A from B id 0000000000000002\n"
                  "deliver Ping to A from B\n");
}

static void two_of_a_name_and_an_age_have_ids_while_both_are_pending(void **state)
{
    (void)state;
    begin();
    step(TRACE_OP_DELIVER, "Ping", 0);
    step(TRACE_OP_DELIVER, "Ping", 0);

    assert_script("deliver Ping to A from B id 0000000000000001\n"
                  "deliver Ping to A from B\n");
}

static void one_that_overtakes_a_message_that_is_never_delivered_has_its_id(void **state)
{
    (void)state;
    begin();
    put((struct trace_record){
        .kind = TRACE_STEP,
        .step = {.number = ++n_steps, .op = TRACE_OP_START, .task = "B", .event = "Birth"}});
    put((struct trace_record){.kind = TRACE_SEND, .send = {.event = "Ping", .to = "A", .id = 77}});
    step(TRACE_OP_DELIVER, "Ping", 1);
    step(TRACE_OP_DELIVER, "Pong", 1);

    assert_script("start B\n"
                  "deliver Ping to A from B id 0000000000000002\n"
                  "deliver Pong to A from B\n");
}

static void a_timer_beside_one_of_its_name_that_never_fires_has_its_id(void **state)
{
    struct trace_record timer = {.kind = TRACE_TIMER,
                                 .timer = {.what = TRACE_TIMER_START_ANY, .event = "Tick"}};

    (void)state;
    begin();
    step(TRACE_OP_START, "Birth", 0);
    put(timer);
    put(timer);
    step(TRACE_OP_TIMER, "Tick", 1);

    assert_script("start A\n"
                  "timer Tick of A id 0000000000000002\n");
}

static void a_timer_alone_needs_no_id(void **state)
{
    struct trace_record timer = {.kind = TRACE_TIMER,
                                 .timer = {.what = TRACE_TIMER_START_ANY, .event = "Tick"}};

    (void)state;
    begin();
    step(TRACE_OP_START, "Birth", 0);
    put(timer);
    step(TRACE_OP_TIMER, "Tick", 1);

    assert_script("start A\n"
                  "timer Tick of A\n");
}

static void a_fault_always_has_its_id(void **state)
{
    (void)state;
    begin();
    step(TRACE_OP_FAULT, "disk error", 0);

    assert_script("fault \"disk error\" id 0000000000000001\n");
}

/* ---- Ends ----------------------------------------------------------------------------------- */

static void a_trial_that_was_cut_says_from_where_on_it_was_fair(void **state)
{
    struct trace_header header = sample_header();
    struct trace_verdict verdict = sample_verdict(2);

    (void)state;
    text_init(&out, file, sizeof(file));
    trace_writer_init(&writer, &out);
    header.fair_from = 1;
    verdict.cut = true;
    n_steps = 0;
    assert_int_equal(trace_write_header(&writer, &header), 0);
    step(TRACE_OP_START, "Birth", 0);
    step(TRACE_OP_TIMER, "Tick", 1);

    assert_string_equal(script(&verdict, 0), "start A\n"
                                             "fair\n"
                                             "timer Tick of A\n");
}

static void a_script_can_end_before_the_trial(void **state)
{
    struct trace_verdict verdict = sample_verdict(2);

    (void)state;
    begin();
    step(TRACE_OP_START, "Birth", 0);
    step(TRACE_OP_TIMER, "Tick", 1);

    assert_string_equal(script(&verdict, 1), "start A\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_step_is_a_line),
        cmocka_unit_test(the_head_says_how_to_run_it),
        cmocka_unit_test(a_sender_that_is_no_machine_is_nobody),
        cmocka_unit_test(a_payload_is_a_comment),
        cmocka_unit_test(names_that_are_no_words_are_quoted),
        cmocka_unit_test(values_follow_their_step),
        cmocka_unit_test(values_of_0_are_said_only_before_others),
        cmocka_unit_test(the_oldest_of_a_name_needs_no_id),
        cmocka_unit_test(one_that_overtakes_an_older_one_of_its_name_has_its_id),
        cmocka_unit_test(two_of_a_name_and_an_age_have_ids_while_both_are_pending),
        cmocka_unit_test(one_that_overtakes_a_message_that_is_never_delivered_has_its_id),
        cmocka_unit_test(a_timer_beside_one_of_its_name_that_never_fires_has_its_id),
        cmocka_unit_test(a_timer_alone_needs_no_id),
        cmocka_unit_test(a_fault_always_has_its_id),
        cmocka_unit_test(a_trial_that_was_cut_says_from_where_on_it_was_fair),
        cmocka_unit_test(a_script_can_end_before_the_trial),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
