/* test_trace_read.c - tests of trace_read.c: what it takes, and what it says of what it refuses.
 * SPDX-License-Identifier: MIT
 */
#include "sample.h"
#include "trace/trace.h"

#include <fcntl.h>
#include <sennit/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define HEADER                                                                                     \
    "{\"sennit\":\"trace\",\"version\":1,\"suite\":\"s\",\"test\":\"t\",\"program\":\"p\","        \
    "\"args\":[],\"build\":\"\",\"seed\":1,\"trial\":2,\"strategy\":\"random\",\"max_steps\":9,"   \
    "\"world\":\"trial\"}\n"
#define STEP(n_, cause_)                                                                           \
    "{\"step\":" n_ ",\"time_ns\":0,\"id\":\"0000000000000001\",\"op\":\"start\",\"task\":\"A\","  \
    "\"event\":\"E\",\"digest\":\"0000000000000002\",\"cause\":" cause_ "}\n"
#define VERDICT "{\"verdict\":\"passed\",\"step\":0,\"order\":\"0000000000000003\",\"cut\":true}\n"

static char buffer[4 << 20];
static struct trace trace;
static struct err why;

static int parse(const char *text)
{
    why.text[0] = '\0';
    return trace_parse(&trace, text, strlen(text), "bug.trace", &why);
}

/* Parses lines that get the end record they deserve. */
static int parse_closed(const char *lines)
{
    size_t n = strlen(lines);

    memcpy(buffer, lines, n);
    n = sample_close(buffer, n, sizeof(buffer));
    why.text[0] = '\0';
    return trace_parse(&trace, buffer, n, "bug.trace", &why);
}

static void refused(int rc, const char *sentence)
{
    assert_string_equal(why.text, sentence);
    assert_int_equal(rc, SN_EFORMAT);
    assert_null(trace.records);
}

static int teardown(void **state)
{
    (void)state;
    trace_done(&trace);
    return 0;
}

/* ---- What is taken -------------------------------------------------------------------------- */

static void everything_written_is_read(void **state)
{
    size_t n = sample_write(buffer, sizeof(buffer));
    const struct trace_record *r;

    (void)state;
    assert_int_equal(trace_parse(&trace, buffer, n, "bug.trace", &why), 0);

    assert_string_equal(trace.header.suite, "replication");
    assert_string_equal(trace.header.args[1], "stale-report");
    assert_true(trace.header.seed == UINT64_MAX);
    assert_int_equal(trace.header.world, TRACE_WORLD_FULL);
    assert_int_equal(trace.n_steps, SAMPLE_STEPS);
    assert_int_equal(trace.n_records, 26);
    r = &trace.records[trace.step_index[3]];
    assert_int_equal(r->line, 6);
    assert_int_equal(r->step.number, 3);
    assert_int_equal(r->step.op, TRACE_OP_DELIVER);
    assert_true(r->step.id == 0xfeed0003);
    assert_string_equal(r->step.payload.bytes, "n=1");
    assert_int_equal(r[1].draw.value, 2);
    assert_null(r[5].monitor.payload.bytes);
    assert_int_equal(r[7].timer.delay_ns, 2000000000);
    assert_int_equal(r[13].operation.what, TRACE_OPERATION_RETURN);
    assert_int_equal(r[13].operation.number, 1);
    assert_string_equal(r[13].operation.process, "Client#1");
    assert_string_equal(r[13].operation.text.bytes, "read(0) = 7");
    assert_string_equal(r[14].illegal.model, "register");
    assert_false(r[14].illegal.is_minimal);
    assert_true(r[14].illegal.is_longest);
    assert_int_equal(r[14].illegal.stuck, 1);
    assert_int_equal(r[15].core.number, 1);
    assert_true(r[15].core.is_definite);
    assert_int_equal(r[15].core.place, 2);
    assert_string_equal(r[15].core.state.bytes, "7");
    assert_string_equal(r[15].core.why.bytes, "");
    assert_int_equal(r[16].shrunk.steps, 48);
    assert_int_equal(r[16].shrunk.held_steps, 8);
    assert_true(r[17].hold.held == 0xfeed0002);
    assert_true(r[17].hold.until == 0xfeed0003);
    assert_null(r[17].hold.name);
    assert_null(r[17].hold.until_name);
    assert_string_equal(r[18].hold.until_name, "Tick of Server");
    assert_string_equal(r[19].memory.task, "Server");
    assert_string_equal(r[19].memory.text.bytes, "count=2 is_busy=true");
    assert_string_equal(r[3].create.node, "left");
    assert_string_equal(r[6].state.heat, "hot");
    assert_string_equal(r[20].output.text.bytes, "bell\a nul\\x00 bad\\xff\\xc3 end\nline two\n");
    assert_string_equal(trace.verdict.at, "server.c:12");
    assert_true(trace.verdict.order == 0xabcdef);
}

static void the_index_separates_the_steps(void **state)
{
    (void)state;
    assert_int_equal(parse_closed(HEADER "{\"note\":\"a\"}\n" STEP("1", "0")
                                      STEP("2", "1") "{\"note\":\"b\"}\n" VERDICT),
                     0);

    assert_int_equal(trace.step_index[0], 0);
    assert_int_equal(trace.step_index[1], 1);
    assert_int_equal(trace.step_index[2], 2);
    assert_int_equal(trace.step_index[3], 4);
}

static void a_trace_without_records_is_read(void **state)
{
    (void)state;
    assert_int_equal(parse_closed(HEADER VERDICT), 0);
    assert_int_equal(trace.n_records, 0);
    assert_int_equal(trace.step_index[1], 0);
    assert_true(trace.verdict.cut);
    assert_null(trace.verdict.oracle);
}

static void keys_that_start_with_x_are_skipped(void **state)
{
    (void)state;
    assert_int_equal(
        parse_closed(HEADER "{\"note\":\"a\",\"x_color\":[{\"deep\":1}],\"x_\":null}\n" VERDICT),
        0);
    assert_int_equal(trace.n_records, 1);
}

static void members_may_come_in_any_order_after_the_first(void **state)
{
    (void)state;
    assert_int_equal(
        parse_closed(
            HEADER "{\"draw\":\"d\",\"key\":\"00000000000000ff\",\"of\":3,\"value\":2}\n" VERDICT),
        0);
    assert_int_equal(trace.records[0].draw.key, 255);
}

static void a_file_is_read(void **state)
{
    char path[] = "/tmp/sennit-test-XXXXXX";
    int fd = mkstemp(path);
    size_t n = sample_write(buffer, sizeof(buffer));

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, buffer, n), n);
    assert_int_equal(trace_read(&trace, path, &why), 0);
    assert_int_equal(trace.n_steps, SAMPLE_STEPS);
    (void)close(fd);
    (void)unlink(path);
}

static void a_pipe_is_read(void **state)
{
    size_t n = sample_write(buffer, sizeof(buffer));
    char path[64];
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], buffer, n), n);
    (void)close(ends[1]);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
    assert_int_equal(trace_read(&trace, path, &why), 0);
    assert_int_equal(trace.n_steps, SAMPLE_STEPS);
    (void)close(ends[0]);
}

/* ---- What is foreign ------------------------------------------------------------------------ */

static void an_empty_file_is_no_trace(void **state)
{
    (void)state;
    refused(parse(""), "bug.trace: not a Sennit trace (the file is empty)");
}

static void other_files_are_no_traces(void **state)
{
    const char *sentence = "bug.trace: not a Sennit trace (line 1 is not a trace header)";

    (void)state;
    refused(parse("\177ELF\002\001\001"), sentence);
    refused(parse("hello\nworld\n"), sentence);
    refused(parse("{\"a\":1}\n"), sentence);
    refused(parse("[]\n"), sentence);
    refused(parse("{\"sennit\":\"run\"}\n"), sentence);
    refused(parse("{\"sennit\":1}\n"), sentence);
    refused(parse("\n"), sentence);
}

static void another_version_is_named(void **state)
{
    (void)state;
    assert_int_equal(parse("{\"sennit\":\"trace\",\"version\":2,\"new\":1}\n"), SN_EVERSION);
    assert_string_equal(why.text,
                        "bug.trace:1: the trace has format version 2, this Sennit reads version 1");
    refused(parse("{\"sennit\":\"trace\",\"version\":\"1\"}\n"),
            "bug.trace:1: the header lacks a version number");
}

static void files_that_cannot_be_read_are_told_why(void **state)
{
    (void)state;
    assert_int_equal(trace_read(&trace, "/nonexistent/bug.trace", &why), SN_EIO);
    assert_string_equal(why.text,
                        "/nonexistent/bug.trace: cannot be opened: No such file or directory");
    assert_int_equal(trace_read(&trace, "/tmp", &why), SN_EIO);
    assert_string_equal(why.text, "/tmp: cannot be read: Is a directory");
}

static void an_endless_file_is_given_up_early(void **state)
{
    (void)state;
    assert_int_equal(trace_read(&trace, "/dev/zero", &why), SN_EFORMAT);
    assert_string_equal(why.text, "/dev/zero: not a Sennit trace (line 1 is not a trace header)");
}

/* ---- What is truncated or edited ------------------------------------------------------------ */

static void a_cut_line_is_called_truncated(void **state)
{
    (void)state;
    refused(parse(HEADER "{\"note\":\"a"), "bug.trace:2: truncated: the last line is cut");
    refused(parse("{\"sennit\":\"trace\",\"vers"), "bug.trace:1: truncated: the last line is cut");
    refused(parse("{\"sen"), "bug.trace:1: truncated: the last line is cut");
}

static void a_missing_end_is_called_truncated(void **state)
{
    (void)state;
    refused(parse(HEADER), "bug.trace: truncated: the end record is missing after line 1");
    refused(parse(HEADER STEP("1", "0") VERDICT),
            "bug.trace: truncated: the end record is missing after line 3");
}

static void every_truncation_of_a_trace_is_refused(void **state)
{
    size_t n = sample_write(buffer, sizeof(buffer));

    (void)state;
    for (size_t i = 1; i < n; i++) {
        assert_int_equal(trace_parse(&trace, buffer, i, "bug.trace", &why), SN_EFORMAT);
        assert_non_null(strstr(why.text, "truncated"));
    }
}

static void an_edited_line_does_not_match_the_check(void **state)
{
    size_t n = sample_write(buffer, sizeof(buffer));

    (void)state;
    *strstr(buffer, "n=1") = 'm';
    refused(trace_parse(&trace, buffer, n, "bug.trace", &why),
            "bug.trace:29: edited: the check does not match");
}

static void wrong_counts_in_the_end_are_called_edited(void **state)
{
    (void)state;
    refused(parse(HEADER VERDICT "{\"end\":true,\"steps\":0,\"lines\":3,"
                                 "\"check\":\"0000000000000000\"}\n"),
            "bug.trace:3: edited: the end record counts 3 lines before it, there are 2");
    refused(parse(HEADER VERDICT "{\"end\":true,\"steps\":1,\"lines\":2,"
                                 "\"check\":\"0000000000000000\"}\n"),
            "bug.trace:3: edited: the end record counts 1 steps, there are 0");
    refused(parse(HEADER VERDICT "{\"end\":false,\"steps\":0,\"lines\":2,"
                                 "\"check\":\"0000000000000000\"}\n"),
            "bug.trace:3: \"end\" must be true");
}

static void nothing_may_follow_the_end(void **state)
{
    size_t n;

    (void)state;
    memcpy(buffer, HEADER VERDICT, strlen(HEADER VERDICT));
    n = sample_close(buffer, strlen(HEADER VERDICT), sizeof(buffer));
    buffer[n] = '\n';
    refused(trace_parse(&trace, buffer, n + 1, "bug.trace", &why),
            "bug.trace:4: something follows the end record");
}

/* ---- What is malformed ---------------------------------------------------------------------- */

static void steps_must_be_consecutive(void **state)
{
    (void)state;
    refused(parse_closed(HEADER STEP("1", "0") STEP("3", "0") VERDICT),
            "bug.trace:3: steps must be numbered one after another: expected 2, found 3");
    refused(parse_closed(HEADER STEP("0", "0") VERDICT),
            "bug.trace:2: steps must be numbered one after another: expected 1, found 0");
}

static void causes_must_be_earlier(void **state)
{
    (void)state;
    refused(parse_closed(HEADER STEP("1", "1") VERDICT),
            "bug.trace:2: the cause of a step must come before it: step 1 cannot be caused by "
            "step 1");
}

static void draws_must_be_below_their_bound(void **state)
{
    (void)state;
    refused(parse_closed(
                HEADER
                "{\"draw\":\"d\",\"value\":3,\"of\":3,\"key\":\"0000000000000000\"}\n" VERDICT),
            "bug.trace:2: a drawn value must be below its bound: found 3 of 3");
}

static void unknown_kinds_and_keys_are_refused(void **state)
{
    (void)state;
    refused(parse_closed(HEADER "{\"surprise\":1}\n" VERDICT),
            "bug.trace:2: unknown kind of record \"surprise\"");
    refused(parse_closed(HEADER "{\"x_first\":1,\"note\":\"a\"}\n" VERDICT),
            "bug.trace:2: unknown kind of record \"x_first\"");
    refused(parse_closed(HEADER "{\"note\":\"a\",\"extra\":1}\n" VERDICT),
            "bug.trace:2: a note record has an unknown key \"extra\"");
}

static void what_the_file_says_is_quoted_safely(void **state)
{
    (void)state;
    refused(parse_closed(HEADER "{\"a\\u001b[31m\xc3\xa9\":1}\n" VERDICT),
            "bug.trace:2: unknown kind of record \"a?[31m??\"");
    refused(parse_closed(HEADER "{\"0123456789012345678901234567890123456789abcdef\":1}\n" VERDICT),
            "bug.trace:2: unknown kind of record \"0123456789012345678901234567890123456789...\"");
}

static void missing_keys_are_named(void **state)
{
    (void)state;
    refused(parse_closed(HEADER "{\"send\":\"E\",\"id\":\"0000000000000000\"}\n" VERDICT),
            "bug.trace:2: a send record lacks \"to\"");
    refused(parse("{\"sennit\":\"trace\",\"version\":1}\n"),
            "bug.trace:1: the header lacks \"suite\"");
    refused(parse_closed(HEADER "{\"verdict\":\"failed\",\"step\":0,"
                                "\"order\":\"0000000000000000\",\"cut\":false}\n"),
            "bug.trace:2: the verdict lacks \"oracle\"");
}

static void wrong_types_are_named(void **state)
{
    (void)state;
    refused(parse_closed(HEADER "{\"note\":1}\n" VERDICT),
            "bug.trace:2: \"note\" must be a string");
    refused(parse_closed(HEADER "{\"step\":-1}\n" VERDICT),
            "bug.trace:2: \"step\" must be a number, not negative");
    refused(parse_closed(HEADER "{\"step\":1,\"id\":\"12\"}\n" VERDICT),
            "bug.trace:2: \"id\" must be a string of 16 lower-case hexadecimal digits");
    refused(parse_closed(HEADER "{\"step\":1,\"id\":\"000000000000000G\"}\n" VERDICT),
            "bug.trace:2: \"id\" must be a string of 16 lower-case hexadecimal digits");
    refused(parse_closed(HEADER "{\"timer\":\"stop\"}\n" VERDICT),
            "bug.trace:2: \"timer\" cannot be \"stop\"");
    refused(parse_closed(HEADER "{\"verdict\":\"passed\",\"cut\":1}\n"),
            "bug.trace:2: \"cut\" must be true or false");
    refused(parse("{\"sennit\":\"trace\",\"version\":1,\"args\":{}}\n"),
            "bug.trace:1: \"args\" must be an array of strings");
    refused(parse("{\"sennit\":\"trace\",\"version\":1,\"args\":[1]}\n"),
            "bug.trace:1: \"args\" must be a string");
}

static void verdict_and_end_come_last_and_once(void **state)
{
    (void)state;
    refused(parse_closed(HEADER VERDICT "{\"note\":\"a\"}\n"),
            "bug.trace:3: nothing but the end record may follow the verdict");
    refused(parse_closed(HEADER VERDICT VERDICT), "bug.trace:3: there is a second verdict");
    refused(parse_closed(HEADER), "bug.trace:2: the verdict is missing before the end record");
    refused(parse_closed(HEADER HEADER VERDICT), "bug.trace:2: unknown kind of record \"sennit\"");
    refused(parse_closed(HEADER "{\"verdict\":\"passed\",\"step\":1,"
                                "\"order\":\"0000000000000000\",\"cut\":false}\n"),
            "bug.trace:2: the verdict is given in step 1, but the trace has 0 steps");
}

static void broken_json_is_told_with_its_column(void **state)
{
    (void)state;
    refused(parse_closed(HEADER "{\"note\":\"\xff\"}\n" VERDICT),
            "bug.trace:2: not valid JSON: a string is not UTF-8 (column 10)");
    refused(parse_closed(HEADER "{\"step\":99999999999999999999}\n" VERDICT),
            "bug.trace:2: not valid JSON: a number is too large (column 9)");
    refused(parse_closed(HEADER "\n" VERDICT),
            "bug.trace:2: not valid JSON: a value is missing (column 1)");
    refused(parse_closed(HEADER "{}\n" VERDICT),
            "bug.trace:2: a line must be an object that is not empty");
    refused(parse_closed(HEADER "7\n" VERDICT),
            "bug.trace:2: a line must be an object that is not empty");
    refused(parse_closed(HEADER "{\"note\":[[[[[[[[[[[[[[[[[[[[\n" VERDICT),
            "bug.trace:2: not valid JSON: values are nested too deeply (column 24)");
}

static void a_zero_byte_is_refused(void **state)
{
    static const char text[] = HEADER "{\"note\":\"a\0b\"}\n" VERDICT;

    (void)state;
    refused(trace_parse(&trace, text, sizeof(text) - 1, "bug.trace", &why),
            "bug.trace:2: not valid JSON: a string holds a control character (column 11)");
}

/* ---- What is huge --------------------------------------------------------------------------- */

static void a_long_line_is_refused(void **state)
{
    size_t n = strlen(HEADER);

    (void)state;
    memcpy(buffer, HEADER, n);
    memset(buffer + n, ' ', TRACE_LINE_MAX + 1);
    buffer[n + TRACE_LINE_MAX + 1] = '\n';
    refused(trace_parse(&trace, buffer, n + TRACE_LINE_MAX + 2, "bug.trace", &why),
            "bug.trace:2: the line is longer than 1048576 bytes");
    refused(trace_parse(&trace, buffer, n + TRACE_LINE_MAX + 1, "bug.trace", &why),
            "bug.trace:2: the line is longer than 1048576 bytes");
}

static void a_long_string_is_refused(void **state)
{
    int n =
        snprintf(buffer, sizeof(buffer), HEADER "{\"note\":\"%*s\"}\n", TRACE_TEXT_MAX + 1, "a");
    int names =
        snprintf(buffer + 2097152, 65536, HEADER "{\"draw\":\"%*s\"}\n", TRACE_NAME_MAX + 1, "a");

    (void)state;
    refused(trace_parse(&trace, buffer, (size_t)n, "bug.trace", &why),
            "bug.trace:2: \"note\" is longer than 65536 bytes");
    refused(trace_parse(&trace, buffer + 2097152, (size_t)names, "bug.trace", &why),
            "bug.trace:2: \"draw\" is longer than 4096 bytes");
}

static void a_huge_file_is_refused(void **state)
{
    int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char path[64];

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, HEADER, strlen(HEADER)), strlen(HEADER));
    assert_int_equal(ftruncate(fd, (off_t)4 << 30), 0);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    assert_int_equal(trace_read(&trace, path, &why), SN_EFORMAT);
    assert_non_null(strstr(why.text, path));
    assert_non_null(strstr(why.text, ": the file is larger than 1073741824 bytes"));
    (void)close(fd);
}

static void more_records_than_allowed_are_refused(void **state)
{
    static const char line[] = "{\"ignored\":\"\"}\n";
    size_t size = strlen(HEADER) + (size_t)(TRACE_RECORDS_MAX + 1) * strlen(line);
    char *text = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t n = strlen(HEADER);

    (void)state;
    assert_true(text != MAP_FAILED);
    memcpy(text, HEADER, n);
    for (; n < size; n += strlen(line))
        memcpy(text + n, line, strlen(line));
    refused(trace_parse(&trace, text, size, "bug.trace", &why),
            "bug.trace:4194306: the trace has more than 4194304 records");
    (void)munmap(text, size);
}

static void too_many_arguments_are_refused(void **state)
{
    static const char header[] = HEADER;
    const char *rest = strstr(header, "]");
    size_t n = (size_t)(rest - header);

    (void)state;
    memcpy(buffer, header, n);
    for (int i = 0; i < TRACE_ARGS_MAX + 1; i++, n += 4)
        memcpy(buffer + n, "\"a\",", 4);
    memcpy(buffer + n - 1, rest, strlen(rest));
    refused(trace_parse(&trace, buffer, n - 1 + strlen(rest), "bug.trace", &why),
            "bug.trace:1: the header has more than 64 arguments");
}

static void a_long_file_name_leaves_room_for_the_cause(void **state)
{
    static char name[4000];

    (void)state;
    memset(name, 'd', sizeof(name) - 1);
    memcpy(name + sizeof(name) - 11, "/bug.trace", 10);
    assert_int_equal(trace_parse(&trace, "", 0, name, &why), SN_EFORMAT);
    assert_non_null(strstr(why.text, "/bug.trace: not a Sennit trace (the file is empty)"));
}

#define TEST(name_) cmocka_unit_test_teardown(name_, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everything_written_is_read),
        TEST(the_index_separates_the_steps),
        TEST(a_trace_without_records_is_read),
        TEST(keys_that_start_with_x_are_skipped),
        TEST(members_may_come_in_any_order_after_the_first),
        TEST(a_file_is_read),
        TEST(a_pipe_is_read),
        TEST(an_empty_file_is_no_trace),
        TEST(other_files_are_no_traces),
        TEST(another_version_is_named),
        TEST(files_that_cannot_be_read_are_told_why),
        TEST(an_endless_file_is_given_up_early),
        TEST(a_cut_line_is_called_truncated),
        TEST(a_missing_end_is_called_truncated),
        TEST(every_truncation_of_a_trace_is_refused),
        TEST(an_edited_line_does_not_match_the_check),
        TEST(wrong_counts_in_the_end_are_called_edited),
        TEST(nothing_may_follow_the_end),
        TEST(steps_must_be_consecutive),
        TEST(causes_must_be_earlier),
        TEST(draws_must_be_below_their_bound),
        TEST(unknown_kinds_and_keys_are_refused),
        TEST(what_the_file_says_is_quoted_safely),
        TEST(missing_keys_are_named),
        TEST(wrong_types_are_named),
        TEST(verdict_and_end_come_last_and_once),
        TEST(broken_json_is_told_with_its_column),
        TEST(a_zero_byte_is_refused),
        TEST(a_long_line_is_refused),
        TEST(a_long_string_is_refused),
        TEST(a_huge_file_is_refused),
        TEST(more_records_than_allowed_are_refused),
        TEST(too_many_arguments_are_refused),
        TEST(a_long_file_name_leaves_room_for_the_cause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
