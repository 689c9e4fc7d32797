/* test_show.c - tests of show_text.c, show_json.c and show_dot.c. SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/show.h"
#include "sample.h"
#include "trace/trace.h"

#include <sennit/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                       \
    "test      replication/two_replicas\n"                                                         \
    "program   ./suite --bug stale-report\n"                                                       \
    "strategy  pct:3, seed 18446744073709551615, trial 17\n"                                       \
    "\n"
#define FOOT                                                                                       \
    "\n"                                                                                           \
    "failed in step 4 of 4 (assert): count == 3, but it is 2\n"                                    \
    "at         server.c:12\n"                                                                     \
    "shrunk     from 48 steps and 3 drawn values that were not 0\n"                                \
    "           the default schedule with these exceptions does the same, in 8 steps\n"            \
    "           - hold step 2 (Ping of Client#1 from Client#1) until step 3 (Ping of Server from " \
    "Client#1)\n"                                                                                  \
    "           - hold start of Node#3 (not run here) until Tick of Server (not run here)\n"

/* What a hostile trace would like to send to a terminal or put into a graph. */
#define EVIL "\033]0;x\a\"};\\\n\xc2\x9b\xe2\x80\xae<"

static char file[1 << 18];
static char shown[1 << 20];
static struct sn_text out;
static struct trace trace;

static int setup(void **state)
{
    struct err why;

    (void)state;
    text_init(&out, shown, sizeof(shown));
    return trace_parse(&trace, file, sample_write(file, sizeof(file)), "sample.trace", &why);
}

/* The same, for a trace in which every name and text is EVIL. */
static int setup_evil(void **state)
{
    static const char *const args[] = {EVIL};
    struct trace_text text = trace_text_of(EVIL);
    struct trace_header header = {.suite = EVIL,
                                  .test = EVIL,
                                  .program = EVIL,
                                  .args = args,
                                  .n_args = 1,
                                  .build = "",
                                  .strategy = EVIL,
                                  .world = 1};
    const struct trace_record records[] = {
        {.kind = TRACE_STEP,
         .step =
             {.number = 1, .task = EVIL, .event = EVIL, .from = EVIL, .payload = text, .op = 2}},
        {.kind = TRACE_DRAW, .draw = {.label = EVIL, .of = 1}},
        {.kind = TRACE_SEND, .send = {.event = EVIL, .to = EVIL, .payload = text}},
        {.kind = TRACE_CREATE, .create = {.name = EVIL, .type = EVIL}},
        {.kind = TRACE_STATE, .state = {.state = EVIL, .was = EVIL, .how = 2, .task = EVIL}},
        {.kind = TRACE_STATE, .state = {.state = EVIL, .was = EVIL, .how = 2, .task = "m" EVIL}},
        {.kind = TRACE_MONITOR, .monitor = {.monitor = EVIL, .event = EVIL, .payload = text}},
        {.kind = TRACE_TIMER, .timer = {.what = 1, .event = EVIL}},
        {.kind = TRACE_IGNORED, .ignored = {.event = EVIL}},
        {.kind = TRACE_DROPPED, .dropped = {.event = EVIL, .to = EVIL}},
        {.kind = TRACE_RAISE, .raise = {.event = EVIL, .payload = text}},
        {.kind = TRACE_NOTE, .note = {.text = text}},
        {.kind = TRACE_OUTPUT, .output = {.text = text}},
        {.kind = TRACE_OPERATION, .operation = {.what = 1, .process = EVIL, .text = text}},
    };
    struct trace_verdict verdict = {.verdict = 2, .oracle = EVIL, .message = text, .at = EVIL};
    struct trace_writer w;
    struct err why;

    (void)state;
    text_init(&out, file, sizeof(file));
    trace_writer_init(&w, &out);
    (void)trace_write_header(&w, &header);
    for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
        (void)trace_write_record(&w, &records[i]);
    (void)trace_write_verdict(&w, &verdict);
    (void)trace_write_end(&w);
    if (w.rc < 0 || trace_parse(&trace, file, out.used, "evil.trace", &why) < 0)
        return -1;
    text_init(&out, shown, sizeof(shown));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    trace_done(&trace);
    return 0;
}

/* Replaces the trace by one whose first step has this payload. */
static void use_payload(const char *bytes, size_t n)
{
    struct trace_header header = sample_header();
    struct trace_record step = sample_step(1);
    struct trace_verdict verdict = sample_verdict(1);
    struct trace_writer w;
    struct err why;

    trace_done(&trace);
    text_init(&out, file, sizeof(file));
    trace_writer_init(&w, &out);
    step.step.payload = (struct trace_text){bytes, n};
    assert_int_equal(trace_write_header(&w, &header), 0);
    assert_int_equal(trace_write_record(&w, &step), 0);
    assert_int_equal(trace_write_verdict(&w, &verdict), 0);
    assert_int_equal(trace_write_end(&w), 0);
    assert_int_equal(trace_parse(&trace, file, out.used, "payload.trace", &why), 0);
    text_init(&out, shown, sizeof(shown));
}

static size_t longest_line(void)
{
    size_t longest = 0;
    size_t n = 0;

    for (const char *p = shown; *p != '\0'; p++) {
        n = *p == '\n' ? 0 : n + 1;
        longest = n > longest ? n : longest;
    }
    return longest;
}

/* ---- Text ----------------------------------------------------------------------------------- */

static void text_has_one_aligned_line_a_step(void **state)
{
    struct show_options options = {.path = "my bug's.trace"};

    (void)state;
    assert_int_equal(show_text(&out, &trace, &options), 0);

    assert_string_equal(
        shown,
        HEAD "step  time   machine   event             payload  state         choices\n"
             "   0  0      (test)    set-up                                   choose which=2/3\n"
             "   1  0      Server    start             n=1\n"
             "   2  1.5ms  Client#1  Ping <- Client#1  n=1\n"
             "   3  3ms    Server    Ping <- Client#1  n=1      Idle -> Busy  choose which=2/3\n"
             "             Repair: Repaired -> Repairing\n"
             "             note: caf\xc3\xa9 \"quoted\" \\ tab\\t\n"
             "             lost: Ping from Client#1 to Server\n"
             "             Client#1 returns from read(0) = 7\n"
             "             | bell\\x07 nul\\x00 bad\\xff\\xc3 end\n"
             "             | line two\n"
             "   4  4.5ms  Client#1  Ping <- Client#1  n=1\n" FOOT
             "reproduce  sennit replay 'my bug'\\''s.trace'\n");
}

static void verbose_text_has_everything(void **state)
{
    struct show_options options = {.is_verbose = true, .from = 3, .to = 3};

    (void)state;
    assert_int_equal(show_text(&out, &trace, &options), 0);

    assert_string_equal(
        shown,
        HEAD "step  time  machine  event             payload  state         choices\n"
             "   3  3ms   Server   Ping <- Client#1  n=1      Idle -> Busy  choose which=2/3\n"
             "            sends Pong to Client#1  n=2\n"
             "            creates Node#3 (Node)\n"
             "            Repair gets Failed\n"
             "            Repair: Repaired -> Repairing\n"
             "            starts timer Tick, in 2s\n"
             "            ignores Late\n"
             "            drops Lost for Node#2\n"
             "            raises Again  x\n"
             "            note: caf\xc3\xa9 \"quoted\" \\ tab\\t\n"
             "            lost: Ping from Client#1 to Server\n"
             "            Client#1 returns from read(0) = 7\n"
             "            Server has count=2 is_busy=true\n"
             "            | bell\\x07 nul\\x00 bad\\xff\\xc3 end\n"
             "            | line two\n" FOOT);
}

static void columns_that_are_empty_are_left_out(void **state)
{
    struct show_options options = {.from = 1, .to = 2};

    (void)state;
    assert_int_equal(show_text(&out, &trace, &options), 0);

    assert_string_equal(shown, HEAD "step  time   machine   event             payload\n"
                                    "   1  0      Server    start             n=1\n"
                                    "   2  1.5ms  Client#1  Ping <- Client#1  n=1\n" FOOT);
}

static void long_payloads_are_cut_to_the_columns(void **state)
{
    static char payload[1000];
    struct show_options options = {.columns = 80};

    (void)state;
    memset(payload, 'p', sizeof(payload));
    use_payload(payload, sizeof(payload));

    assert_int_equal(show_text(&out, &trace, &options), 0);
    assert_int_equal(longest_line(), 80);
    assert_non_null(strstr(shown, "ppp...\n"));
}

static void wide_text_cuts_nothing(void **state)
{
    static char payload[TRACE_TEXT_MAX];
    struct show_options options = {.is_wide = true};

    (void)state;
    memset(payload, 'p', sizeof(payload));
    use_payload(payload, sizeof(payload));

    assert_int_equal(show_text(&out, &trace, &options), 0);
    assert_true(longest_line() > sizeof(payload));
    assert_null(strstr(shown, "..."));
}

static void colour_marks_the_failing_step_and_the_verdict(void **state)
{
    struct show_options options = {.is_coloured = true};

    (void)state;
    assert_int_equal(show_text(&out, &trace, &options), 0);

    assert_non_null(
        strstr(shown, "\n\033[31m   4  4.5ms  Client#1  Ping <- Client#1  n=1\033[0m\n"));
    assert_non_null(strstr(shown, "\n\033[31mfailed\033[0m in step 4"));
    assert_null(strstr(shown, "\033[31m   3"));
}

static void hostile_text_is_made_visible(void **state)
{
    struct show_options options = {.is_verbose = true, .is_wide = true};

    (void)state;
    assert_int_equal(show_text(&out, &trace, &options), 0);

    assert_non_null(strstr(shown, "\\x1b]0;x\\x07\"};\\\\n\\u009b\\u202e<"));
    for (const char *p = shown; *p != '\0'; p++)
        assert_true(*p == '\n' || (*p >= 0x20 && *p < 0x7f));
}

static void states_are_told_in_words(void **state)
{
    static const struct trace_record changes[] = {
        {.kind = TRACE_STATE, .state = {.state = "A", .how = TRACE_HOW_START, .task = "Server"}},
        {.kind = TRACE_STATE, .state = {"B", "A", TRACE_HOW_PUSH, "Server", NULL}},
        {.kind = TRACE_STATE, .state = {"A", "B", TRACE_HOW_POP, "Server", NULL}},
        {.kind = TRACE_STATE, .state = {.state = "A", .how = TRACE_HOW_HALT, .task = "Server"}},
    };
    struct show_options options = {.is_wide = true, .from = 3, .to = 3};

    (void)state;
    memcpy(&trace.records[trace.step_index[3] + 1], changes, sizeof(changes));
    assert_int_equal(show_text(&out, &trace, &options), 0);

    assert_non_null(strstr(shown, "  -> A -> B (push) -> A (pop) -> halted\n"));
}

static void changes_that_do_not_follow_each_other_are_kept_apart(void **state)
{
    static const struct trace_record changes[] = {
        {.kind = TRACE_STATE, .state = {"B", "A", TRACE_HOW_GOTO, "Server", NULL}},
        {.kind = TRACE_STATE, .state = {"D", "C", TRACE_HOW_GOTO, "Server", NULL}},
    };
    struct show_options options = {.from = 3, .to = 3};

    (void)state;
    memcpy(&trace.records[trace.step_index[3] + 2], changes, sizeof(changes));
    assert_int_equal(show_text(&out, &trace, &options), 0);

    assert_non_null(strstr(shown, "  A -> B, C -> D, Idle -> Busy  choose which=2/3\n"));
}

static void a_narrow_terminal_cuts_every_column_that_can_be(void **state)
{
    struct show_options options = {.columns = 60, .from = 3, .to = 3};

    (void)state;
    trace.records[trace.step_index[3]].step.task = "a_machine_with_a_long_name";
    trace.records[trace.step_index[3]].step.payload = trace_text_of("a payload that is long");
    assert_int_equal(show_text(&out, &trace, &options), 0);

    assert_non_null(strstr(
        shown, "   3  3ms   a_machine...  Ping <- Client#1  a payload tha...  choose wh...\n"));
}

static void verdicts_are_told_in_words(void **state)
{
    struct show_options options = {.from = 4};

    (void)state;
    trace.verdict = (struct trace_verdict){.verdict = TRACE_PASSED, .cut = true};
    assert_int_equal(show_text(&out, &trace, &options), 0);
    assert_non_null(strstr(shown, "\npassed after 4 steps, cut at the limit of virtual time\n"));
    text_clear(&out);
    trace.header.max_steps = 4;
    assert_int_equal(show_text(&out, &trace, &options), 0);
    assert_non_null(strstr(shown, "\npassed after 4 steps, cut at the limit of 4 steps\n"));
    text_clear(&out);
    trace.verdict = (struct trace_verdict){.verdict = TRACE_UNCONTROLLED,
                                           .oracle = "thread",
                                           .message = trace_text_of("a thread was started"),
                                           .step = 2};
    assert_int_equal(show_text(&out, &trace, &options), 0);
    assert_non_null(
        strstr(shown, "\nuncontrolled in step 2 of 4 (thread): a thread was started\n"));
}

static void time_is_shown_in_the_unit_that_fits(void **state)
{
    (void)state;
    show_put_time(&out, 0);
    text_putc(&out, ' ');
    show_put_time(&out, 999);
    text_putc(&out, ' ');
    show_put_time(&out, 1500);
    text_putc(&out, ' ');
    show_put_time(&out, 1000000);
    text_putc(&out, ' ');
    show_put_time(&out, 2000000000);
    text_putc(&out, ' ');
    show_put_time(&out, 61000000001);
    text_putc(&out, ' ');
    show_put_time(&out, UINT64_MAX);
    assert_string_equal(shown, "0 999ns 1.5us 1ms 2s 61.000000001s 18446744073.709551615s");
}

static void output_that_does_not_fit_is_an_error(void **state)
{
    struct show_options options = {0};
    char small[100];

    (void)state;
    text_init(&out, small, sizeof(small));
    assert_int_equal(show_text(&out, &trace, &options), SN_EIO);
    text_init(&out, small, sizeof(small));
    assert_int_equal(show_json(&out, &trace, &options), SN_EIO);
    text_init(&out, small, sizeof(small));
    assert_int_equal(show_dot(&out, &trace, &options), SN_EIO);
    text_init(&out, small, sizeof(small));
    assert_int_equal(show_lanes(&out, &trace, &options), SN_EIO);
    text_init(&out, small, sizeof(small));
    assert_int_equal(show_shiviz(&out, &trace, &options), SN_EIO);
    text_init(&out, small, sizeof(small));
    assert_int_equal(show_mermaid(&out, &trace, &options), SN_EIO);
    text_init(&out, small, sizeof(small));
    assert_int_equal(show_perfetto(&out, &trace, &options), SN_EIO);
}

static void wide_characters_take_two_columns(void **state)
{
    (void)state;
    assert_int_equal(show_put(&out, trace_text_of("a\xe6\xbc\xa2\xe5\xad\x97"), 100), 5);
    text_clear(&out);
    assert_int_equal(show_put(&out, trace_text_of("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2"), 5), 5);
    assert_string_equal(shown, "\xe6\xbc\xa2...");
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_nests_what_happened_in_its_step(void **state)
{
    struct show_options options = {0};
    struct arena arena = {0};
    struct json_error error;
    const struct json_value *v;
    const struct json_value *step;

    (void)state;
    assert_int_equal(show_json(&out, &trace, &options), 0);
    v = json_parse(&arena, shown, out.used, &error);

    assert_non_null(v);
    assert_string_equal(json_member(json_member(v, "header"), "test")->string, "two_replicas");
    assert_string_equal(json_member(json_member(v, "verdict"), "oracle")->string, "assert");
    assert_int_equal(json_member(v, "steps")->n, SAMPLE_STEPS + 1);
    step = json_member(v, "steps")->first;
    assert_int_equal(json_member(step, "step")->number, 0);
    assert_int_equal(json_member(step, "details")->n, 2);
    step = step->next->next->next;
    assert_int_equal(json_member(step, "step")->number, 3);
    assert_int_equal(json_member(step, "details")->n, 20);
    assert_string_equal(json_member(json_member(step, "details")->first, "draw")->string, "which");
    arena_done(&arena);
}

static void json_of_a_range_has_these_steps_only(void **state)
{
    struct show_options options = {.from = 2, .to = 3};
    struct arena arena = {0};
    struct json_error error;
    const struct json_value *v;

    (void)state;
    assert_int_equal(show_json(&out, &trace, &options), 0);
    v = json_parse(&arena, shown, out.used, &error);

    assert_non_null(v);
    assert_int_equal(json_member(v, "steps")->n, 2);
    assert_int_equal(json_member(json_member(v, "steps")->first, "step")->number, 2);
    arena_done(&arena);
}

static void json_of_hostile_text_is_valid(void **state)
{
    struct show_options options = {0};
    struct arena arena = {0};
    struct json_error error;
    const struct json_value *v;

    (void)state;
    assert_int_equal(show_json(&out, &trace, &options), 0);
    v = json_parse(&arena, shown, out.used, &error);

    assert_non_null(v);
    assert_string_equal(json_member(json_member(v, "header"), "suite")->string, EVIL);
    arena_done(&arena);
}

/* ---- DOT ------------------------------------------------------------------------------------ */

static void dot_has_columns_and_causes(void **state)
{
    struct show_options options = {0};

    (void)state;
    assert_int_equal(show_dot(&out, &trace, &options), 0);

    assert_string_equal(shown, "digraph trace {\n"
                               "  label=\"two_replicas\\ncount == 3, but it is 2\";\n"
                               "  node [shape=box, fontname=\"monospace\"];\n"
                               "  s0 [label=\"set-up\", shape=ellipse];\n"
                               "  subgraph cluster_0 {\n"
                               "    label=\"Server\";\n"
                               "    s1 [label=\"1 start\\nn=1\"];\n"
                               "    s3 [label=\"3 Ping\\nn=1\"];\n"
                               "  }\n"
                               "  subgraph cluster_1 {\n"
                               "    label=\"Client#1\";\n"
                               "    s2 [label=\"2 Ping\\nn=1\"];\n"
                               "    s4 [label=\"4 Ping\\nn=1\", color=red, fontcolor=red];\n"
                               "  }\n"
                               "  s0 -> s1;\n"
                               "  s1 -> s2;\n"
                               "  s1 -> s3 [color=gray, weight=10];\n"
                               "  s2 -> s3;\n"
                               "  s2 -> s4 [color=gray, weight=10];\n"
                               "  s3 -> s4;\n"
                               "}\n");
}

static void dot_of_a_range_refers_to_no_step_outside(void **state)
{
    struct show_options options = {.from = 3};

    (void)state;
    assert_int_equal(show_dot(&out, &trace, &options), 0);

    assert_null(strstr(shown, "s0"));
    assert_null(strstr(shown, "s1"));
    assert_null(strstr(shown, "s2"));
    assert_non_null(strstr(shown, "s3 -> s4;"));
}

static void dot_labels_of_hostile_text_stay_closed(void **state)
{
    struct show_options options = {.is_wide = true};
    int depth = 0;
    int n_quotes = 0;

    (void)state;
    assert_int_equal(show_dot(&out, &trace, &options), 0);

    for (const char *p = shown; *p != '\0'; p++) {
        assert_true(*p == '\n' || (*p >= 0x20 && *p < 0x7f));
        if (*p == '\\' && n_quotes % 2 == 1) {
            p++;
            continue;
        }
        n_quotes += *p == '"' ? 1 : 0;
        depth += n_quotes % 2 == 0 && *p == '{' ? 1 : 0;
        depth -= n_quotes % 2 == 0 && *p == '}' ? 1 : 0;
        assert_true(*p != '\n' || n_quotes % 2 == 0);
    }
    assert_int_equal(n_quotes % 2, 0);
    assert_int_equal(depth, 0);
    assert_non_null(
        strstr(shown, "[label=\"1 \\\\x1b]0;x\\\\x07\\\"};\\\\\\\\n\\\\u009b\\\\u202e<\\n"));
}

static void dot_gives_each_of_many_machines_a_column(void **state)
{
    struct trace_header header = sample_header();
    struct trace_verdict verdict = sample_verdict(1000);
    struct show_options options = {0};
    struct trace_writer w;
    struct err why;

    (void)state;
    trace_done(&trace);
    text_init(&out, file, sizeof(file));
    trace_writer_init(&w, &out);
    assert_int_equal(trace_write_header(&w, &header), 0);
    for (uint64_t i = 1; i <= 1000; i++) {
        struct trace_record step = sample_step(i);
        char name[32];

        (void)snprintf(name, sizeof(name), "Node#%d", (int)(i % 500));
        step.step.task = name;
        assert_int_equal(trace_write_record(&w, &step), 0);
    }
    assert_int_equal(trace_write_verdict(&w, &verdict), 0);
    assert_int_equal(trace_write_end(&w), 0);
    assert_int_equal(trace_parse(&trace, file, out.used, "many.trace", &why), 0);
    text_init(&out, shown, sizeof(shown));

    assert_int_equal(show_dot(&out, &trace, &options), 0);
    assert_non_null(strstr(shown, "subgraph cluster_499 {\n    label=\"Node#0\";\n"
                                  "    s500 [label=\"500 Ping\\nn=1\"];\n    s1000 ["));
    assert_null(strstr(shown, "cluster_500"));
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, setup, teardown)
#define TEST_EVIL(name_) cmocka_unit_test_setup_teardown(name_, setup_evil, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(text_has_one_aligned_line_a_step),
        TEST(verbose_text_has_everything),
        TEST(columns_that_are_empty_are_left_out),
        TEST(long_payloads_are_cut_to_the_columns),
        TEST(wide_text_cuts_nothing),
        TEST(colour_marks_the_failing_step_and_the_verdict),
        TEST_EVIL(hostile_text_is_made_visible),
        TEST(states_are_told_in_words),
        TEST(changes_that_do_not_follow_each_other_are_kept_apart),
        TEST(a_narrow_terminal_cuts_every_column_that_can_be),
        TEST(verdicts_are_told_in_words),
        TEST(time_is_shown_in_the_unit_that_fits),
        TEST(output_that_does_not_fit_is_an_error),
        TEST(wide_characters_take_two_columns),
        TEST(json_nests_what_happened_in_its_step),
        TEST(json_of_a_range_has_these_steps_only),
        TEST_EVIL(json_of_hostile_text_is_valid),
        TEST(dot_has_columns_and_causes),
        TEST(dot_of_a_range_refers_to_no_step_outside),
        TEST_EVIL(dot_labels_of_hostile_text_stay_closed),
        TEST(dot_gives_each_of_many_machines_a_column),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
