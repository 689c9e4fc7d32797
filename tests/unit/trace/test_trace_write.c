/* test_trace_write.c - tests of trace_write.c and of what it shares with the reader.
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
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char buffer[1 << 20];
static char again[1 << 20];
static struct sn_text out;
static struct trace_writer w;

/* A writer that has written its header. */
static int setup(void **state)
{
    struct trace_header header = sample_header();

    (void)state;
    text_init(&out, buffer, sizeof(buffer));
    trace_writer_init(&w, &out);
    return trace_write_header(&w, &header);
}

static int write_ending(uint64_t step)
{
    struct trace_verdict verdict = sample_verdict(step);

    if (trace_write_verdict(&w, &verdict) < 0)
        return w.rc;
    return trace_write_end(&w);
}

/* The text of the note that is written for these bytes, as read back. */
static struct trace_text note_read_back(struct trace *trace, const char *bytes, size_t n)
{
    struct trace_record note = {.kind = TRACE_NOTE, .note = {.text = {bytes, n}}};
    struct err why = {0};

    assert_int_equal(trace_write_record(&w, &note), 0);
    assert_int_equal(write_ending(0), 0);
    if (trace_parse(trace, buffer, out.used, "note.trace", &why) < 0)
        fail_msg("%s", why.text);
    assert_int_equal(trace->n_records, 1);
    return trace->records[0].note.text;
}

static void lines_have_the_documented_form(void **state)
{
    struct trace_record step = sample_step(1);
    struct trace_record step2 = sample_step(2);

    (void)state;
    assert_int_equal(trace_write_record(&w, &step), 0);
    assert_int_equal(trace_write_record(&w, &step2), 0);
    assert_int_equal(write_ending(2), 0);

    assert_string_equal(
        buffer,
        "{\"sennit\":\"trace\",\"version\":1,\"suite\":\"replication\",\"test\":\"two_replicas\","
        "\"program\":\"./suite\",\"args\":[\"--bug\",\"stale-report\"],\"build\":\"0123abcd\","
        "\"seed\":18446744073709551615,\"trial\":17,\"strategy\":\"pct:3\",\"max_steps\":10000,"
        "\"fair_from\":5000,"
        "\"world\":\"full\"}\n"
        "{\"step\":1,\"time_ns\":0,\"id\":\"00000000feed0001\",\"op\":\"start\","
        "\"task\":\"Server\",\"event\":\"Ping\",\"payload\":\"n=1\","
        "\"digest\":\"0000000000000007\",\"cause\":0}\n"
        "{\"step\":2,\"time_ns\":1500000,\"id\":\"00000000feed0002\",\"op\":\"deliver\","
        "\"task\":\"Client#1\",\"from\":\"Client#1\",\"event\":\"Ping\",\"payload\":\"n=1\","
        "\"digest\":\"0000000000000007\",\"cause\":1}\n"
        "{\"verdict\":\"failed\",\"oracle\":\"assert\",\"message\":\"count == 3, but it is 2\","
        "\"at\":\"server.c:12\",\"step\":2,\"order\":\"0000000000abcdef\",\"cut\":false}\n"
        "{\"end\":true,\"steps\":2,\"lines\":4,\"check\":\"d182d9a469abf30d\"}\n");
}

static void writing_what_was_read_gives_the_same_bytes(void **state)
{
    struct trace trace;
    struct err why = {0};
    size_t n = sample_write(buffer, sizeof(buffer));

    (void)state;
    assert_int_equal(trace_parse(&trace, buffer, n, "sample.trace", &why), 0);

    assert_int_equal(sample_write_back(&trace, again, sizeof(again)), n);
    assert_memory_equal(again, buffer, n);
    trace_done(&trace);
}

static void a_descriptor_gets_the_same_bytes_as_a_buffer(void **state)
{
    struct trace_header header = sample_header();
    struct trace_verdict verdict = sample_verdict(0);
    int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char small[64];
    ssize_t n;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write_ending(0), 0);
    memcpy(again, buffer, out.used + 1);
    text_init_fd(&out, small, sizeof(small), fd);
    trace_writer_init(&w, &out);
    assert_int_equal(trace_write_header(&w, &header), 0);
    assert_int_equal(trace_write_verdict(&w, &verdict), 0);
    assert_int_equal(trace_write_end(&w), 0);

    n = pread(fd, buffer, sizeof(buffer) - 1, 0);
    assert_true(n > 0);
    buffer[n] = '\0';
    assert_string_equal(buffer, again);
    (void)close(fd);
}

static void long_text_is_cut_at_a_character_and_marked(void **state)
{
    static char text[TRACE_TEXT_MAX + 100];
    struct trace trace;
    struct trace_text note;

    (void)state;
    for (size_t i = 0; i < sizeof(text); i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    note = note_read_back(&trace, text, sizeof(text));

    assert_int_equal(note.n, TRACE_TEXT_MAX - 1); /* an odd byte has no room for half a character */
    assert_string_equal(note.bytes + note.n - 5, "\xc3\xa9...");
    trace_done(&trace);
}

static void text_of_the_largest_size_is_kept(void **state)
{
    static char text[TRACE_TEXT_MAX];
    struct trace trace;
    struct trace_text note;

    (void)state;
    memset(text, 1, sizeof(text)); /* each byte takes six in the file */
    note = note_read_back(&trace, text, sizeof(text));

    assert_int_equal(note.n, TRACE_TEXT_MAX);
    assert_memory_equal(note.bytes, text, TRACE_TEXT_MAX);
    trace_done(&trace);
}

static void any_bytes_can_be_written_and_the_result_is_stable(void **state)
{
    struct trace trace;
    char bytes[256];
    size_t n;

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)i;
    (void)note_read_back(&trace, bytes, sizeof(bytes));
    n = out.used;

    assert_int_equal(sample_write_back(&trace, again, sizeof(again)), n);
    assert_memory_equal(again, buffer, n);
    trace_done(&trace);
}

static void a_long_text_of_bad_bytes_is_bounded_once_spelled_out(void **state)
{
    static char text[TRACE_TEXT_MAX];
    struct trace trace;
    struct trace_text note;

    (void)state;
    memset(text, 0xff, sizeof(text));
    note = note_read_back(&trace, text, sizeof(text));

    assert_true(note.n <= TRACE_TEXT_MAX);
    assert_string_equal(note.bytes + note.n - 7, "\\xff...");
    trace_done(&trace);
}

static void steps_out_of_order_are_refused(void **state)
{
    struct trace_record step = sample_step(2);
    size_t before = out.used;

    (void)state;
    assert_int_equal(trace_write_record(&w, &step), SN_EINVAL);
    assert_int_equal(out.used, before);
    step = sample_step(1);
    assert_int_equal(trace_write_record(&w, &step), SN_EINVAL);
}

static void a_cause_that_is_not_earlier_is_refused(void **state)
{
    struct trace_record step = sample_step(1);

    (void)state;
    step.step.cause = 1;
    assert_int_equal(trace_write_record(&w, &step), SN_EINVAL);
}

static void a_draw_beyond_its_bound_is_refused(void **state)
{
    struct trace_record draw = {.kind = TRACE_DRAW, .draw = {.label = "x", .value = 3, .of = 3}};

    (void)state;
    assert_int_equal(trace_write_record(&w, &draw), SN_EINVAL);
}

static void missing_names_are_refused(void **state)
{
    struct trace_record send = {.kind = TRACE_SEND, .send = {.event = "Ping"}};

    (void)state;
    assert_int_equal(trace_write_record(&w, &send), SN_EINVAL);
}

static void enumerators_out_of_range_are_refused(void **state)
{
    struct trace_record step = sample_step(1);

    (void)state;
    step.step.op = (enum trace_op)0;
    assert_int_equal(trace_write_record(&w, &step), SN_EINVAL);
    (void)setup(state);
    step.step.op = (enum trace_op)6;
    assert_int_equal(trace_write_record(&w, &step), SN_EINVAL);
    (void)setup(state);
    step.kind = (enum trace_kind)TRACE_KINDS;
    assert_int_equal(trace_write_record(&w, &step), SN_EINVAL);
}

static void lines_out_of_order_are_refused(void **state)
{
    struct trace_header header = sample_header();
    struct trace_record step = sample_step(1);

    (void)state;
    assert_int_equal(trace_write_header(&w, &header), SN_EINVAL);
    (void)setup(state);
    assert_int_equal(trace_write_end(&w), SN_EINVAL);
    (void)setup(state);
    assert_int_equal(write_ending(0), 0);
    assert_int_equal(trace_write_record(&w, &step), SN_EINVAL);
}

static void a_failure_needs_an_oracle_and_a_message(void **state)
{
    struct trace_verdict verdict = sample_verdict(0);

    (void)state;
    verdict.oracle = NULL;
    assert_int_equal(trace_write_verdict(&w, &verdict), SN_EINVAL);
    (void)setup(state);
    verdict = sample_verdict(0);
    verdict.message.bytes = NULL;
    assert_int_equal(trace_write_verdict(&w, &verdict), SN_EINVAL);
    (void)setup(state);
    verdict = sample_verdict(1);
    assert_int_equal(trace_write_verdict(&w, &verdict), SN_EINVAL);
    (void)setup(state);
    verdict = (struct trace_verdict){.verdict = TRACE_PASSED};
    assert_int_equal(trace_write_verdict(&w, &verdict), 0);
}

static void a_header_that_cannot_be_read_back_is_refused(void **state)
{
    static const char *args[TRACE_ARGS_MAX + 1];
    static char arg[TRACE_NAME_MAX + 2];
    struct trace_header header = sample_header();

    (void)state;
    for (size_t i = 0; i < TRACE_ARGS_MAX + 1; i++)
        args[i] = "a";
    header.args = args;
    header.n_args = TRACE_ARGS_MAX + 1;
    trace_writer_init(&w, &out);
    assert_int_equal(trace_write_header(&w, &header), SN_EINVAL);
    memset(arg, 'a', sizeof(arg) - 1);
    args[0] = arg;
    header.n_args = 1;
    trace_writer_init(&w, &out);
    assert_int_equal(trace_write_header(&w, &header), SN_EINVAL);
    header = sample_header();
    header.build = "XYZ";
    trace_writer_init(&w, &out);
    assert_int_equal(trace_write_header(&w, &header), SN_EINVAL);
}

static void output_that_does_not_fit_is_an_error_and_stays_one(void **state)
{
    struct trace_header header = sample_header();
    struct trace_verdict verdict = sample_verdict(0);
    char small[32];

    (void)state;
    text_init(&out, small, sizeof(small));
    trace_writer_init(&w, &out);
    assert_int_equal(trace_write_header(&w, &header), SN_EIO);
    assert_int_equal(trace_write_verdict(&w, &verdict), SN_EIO);
    assert_int_equal(trace_write_end(&w), SN_EIO);
}

static void a_full_device_is_an_error(void **state)
{
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct trace_header header = sample_header();
    struct trace_verdict verdict = sample_verdict(0);
    char small[4096];

    (void)state;
    assert_true(fd >= 0);
    text_init_fd(&out, small, sizeof(small), fd);
    trace_writer_init(&w, &out);
    assert_int_equal(trace_write_header(&w, &header), 0);
    assert_int_equal(trace_write_verdict(&w, &verdict), 0);
    assert_int_equal(trace_write_end(&w), SN_EIO);
    (void)close(fd);
}

static void more_records_than_can_be_read_are_refused(void **state)
{
    struct trace_record note = {.kind = TRACE_NOTE, .note = {.text = {"x", 1}}};

    (void)state;
    w.lines = TRACE_RECORDS_MAX;
    assert_int_equal(trace_write_record(&w, &note), 0);
    assert_int_equal(trace_write_record(&w, &note), SN_EINVAL);
}

#define TEST(name_) cmocka_unit_test_setup(name_, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_have_the_documented_form),
        TEST(writing_what_was_read_gives_the_same_bytes),
        TEST(a_descriptor_gets_the_same_bytes_as_a_buffer),
        TEST(long_text_is_cut_at_a_character_and_marked),
        TEST(text_of_the_largest_size_is_kept),
        TEST(any_bytes_can_be_written_and_the_result_is_stable),
        TEST(a_long_text_of_bad_bytes_is_bounded_once_spelled_out),
        TEST(steps_out_of_order_are_refused),
        TEST(a_cause_that_is_not_earlier_is_refused),
        TEST(a_draw_beyond_its_bound_is_refused),
        TEST(missing_names_are_refused),
        TEST(enumerators_out_of_range_are_refused),
        TEST(lines_out_of_order_are_refused),
        TEST(a_failure_needs_an_oracle_and_a_message),
        TEST(a_header_that_cannot_be_read_back_is_refused),
        TEST(output_that_does_not_fit_is_an_error_and_stays_one),
        TEST(a_full_device_is_an_error),
        TEST(more_records_than_can_be_read_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
