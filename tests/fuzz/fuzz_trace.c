/* fuzz_trace.c - a libFuzzer target: any bytes as a trace file.
 *
 * The bytes are read as they are, and once more with the end record they deserve, because otherwise
 * hardly anything would come past its check. What is taken must survive being written and read
 * again unchanged, and every way of showing it. SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "base/hash.h"
#include "report/show.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    INPUT_MAX = 1 << 18,
    AGAIN_MAX = 8 * INPUT_MAX, /* escapes are at most six times as long as what they stand for */
};

static char input[INPUT_MAX + 256];
static char again[AGAIN_MAX];
static char once_more[AGAIN_MAX];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t write_trace(const struct trace *trace, char *buffer)
{
    struct trace_writer w;
    struct sn_text out;

    text_init(&out, buffer, AGAIN_MAX);
    trace_writer_init(&w, &out);
    (void)trace_write_header(&w, &trace->header);
    for (size_t i = 0; i < trace->n_records; i++)
        (void)trace_write_record(&w, &trace->records[i]);
    (void)trace_write_verdict(&w, &trace->verdict);
    sn_check(trace_write_end(&w) == 0);
    return out.used;
}

/* Shows a trace into a buffer that is soon full, which must not matter. */
static void show_all(const struct trace *trace)
{
    struct show_options options = {.path = "fuzz", .is_verbose = true, .is_coloured = true};
    static char buffer[4096];
    struct sn_text out;

    text_init(&out, buffer, sizeof(buffer));
    (void)show_text(&out, trace, &options);
    options = (struct show_options){.from = 2, .to = 3, .is_wide = true};
    text_init(&out, buffer, sizeof(buffer));
    (void)show_text(&out, trace, &options);
    text_init(&out, buffer, sizeof(buffer));
    (void)show_json(&out, trace, &options);
    text_init(&out, buffer, sizeof(buffer));
    (void)show_dot(&out, trace, &(struct show_options){0});
    text_init(&out, buffer, sizeof(buffer));
    (void)show_script(&out, trace, &(struct show_options){0});
    text_init(&out, buffer, sizeof(buffer));
    (void)show_lanes(&out, trace, &(struct show_options){0});
    text_init(&out, buffer, sizeof(buffer));
    (void)show_shiviz(&out, trace, &(struct show_options){0});
    text_init(&out, buffer, sizeof(buffer));
    (void)show_mermaid(&out, trace, &(struct show_options){0});
    text_init(&out, buffer, sizeof(buffer));
    (void)show_perfetto(&out, trace, &(struct show_options){0});
}

static void read_as_trace(const char *bytes, size_t n)
{
    struct trace trace;
    struct trace back;
    struct err why = {0};
    size_t written;

    if (trace_parse(&trace, bytes, n, "fuzz.trace", &why) < 0) {
        sn_check(strncmp(why.text, "fuzz.trace:", 11) == 0);
        return;
    }
    show_all(&trace);
    written = write_trace(&trace, again);
    sn_check(trace_parse(&back, again, written, "again.trace", &why) == 0);
    sn_check(back.n_records == trace.n_records);
    sn_check(write_trace(&back, once_more) == written);
    sn_check(memcmp(again, once_more, written) == 0);
    trace_done(&back);
    trace_done(&trace);
}

/* Takes the last line away if it is an end record, and adds the one that fits. */
static size_t close_trace(char *bytes, size_t n)
{
    static const char step[] = "\n{\"step\":";
    static const char end[] = "\n{\"end\":";
    uint64_t lines = 0;
    uint64_t steps = 0;

    for (size_t i = n; i-- > 0;) {
        if (n - i > sizeof(end) && memcmp(bytes + i, end, sizeof(end) - 1) == 0) {
            n = i + 1;
            break;
        }
    }
    for (size_t i = 0; i < n; i++) {
        lines += bytes[i] == '\n' ? 1 : 0;
        steps += n - i >= sizeof(step) && memcmp(bytes + i, step, sizeof(step) - 1) == 0 ? 1 : 0;
    }
    return n + (size_t)snprintf(bytes + n, 256,
                                "{\"end\":true,\"steps\":%" PRIu64 ",\"lines\":%" PRIu64
                                ",\"check\":\"%016" PRIx64 "\"}\n",
                                steps, lines, hash_add(HASH_START, bytes, n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > INPUT_MAX)
        return 0;
    memcpy(input, data, size);
    read_as_trace(input, size);
    size = close_trace(input, size);
    read_as_trace(input, size);
    return 0;
}
