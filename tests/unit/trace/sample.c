/* sample.c - see sample.h. SPDX-License-Identifier: MIT */
#include "sample.h"

#include "base/err.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const args[] = {"--bug", "stale-report"};

struct trace_header sample_header(void)
{
    return (struct trace_header){.suite = "replication",
                                 .test = "two_replicas",
                                 .program = "./suite",
                                 .args = args,
                                 .n_args = 2,
                                 .build = "0123abcd",
                                 .seed = 18446744073709551615u,
                                 .trial = 17,
                                 .strategy = "pct:3",
                                 .max_steps = 10000,
                                 .fair_from = 5000,
                                 .world = TRACE_WORLD_FULL};
}

struct trace_record sample_step(uint64_t number)
{
    return (struct trace_record){.kind = TRACE_STEP,
                                 .step = {.number = number,
                                          .time_ns = (number - 1) * 1500000,
                                          .id = 0xfeed0000 + number,
                                          .digest = 7,
                                          .cause = number - 1,
                                          .task = number % 2 == 0 ? "Client#1" : "Server",
                                          .from = number == 1 ? NULL : "Client#1",
                                          .event = "Ping",
                                          .payload = trace_text_of("n=1"),
                                          .op = number == 1 ? TRACE_OP_START : TRACE_OP_DELIVER}};
}

struct trace_verdict sample_verdict(uint64_t step)
{
    return (struct trace_verdict){.verdict = TRACE_FAILED,
                                  .oracle = "assert",
                                  .message = trace_text_of("count == 3, but it is 2"),
                                  .at = "server.c:12",
                                  .step = step,
                                  .order = 0xabcdef,
                                  .cut = false};
}

/* A string constant, zero bytes within it included. */
#define TEXT(s_)                                                                                   \
    {                                                                                              \
        (s_), sizeof(s_) - 1                                                                       \
    }

static const struct trace_record details[] = {
    {.kind = TRACE_DRAW, .draw = {.label = "which", .value = 2, .of = 3, .key = 99}},
    {.kind = TRACE_SEND,
     .send = {.event = "Pong", .to = "Client#1", .payload = TEXT("n=2"), .id = 0x10}},
    {.kind = TRACE_CREATE,
     .create = {.name = "Node#3", .type = "Node", .id = 0x11, .start = 0x12, .node = "left"}},
    {.kind = TRACE_STATE,
     .state = {.state = "Busy", .was = "Idle", .how = TRACE_HOW_GOTO, .task = "Server"}},
    {.kind = TRACE_MONITOR, .monitor = {.monitor = "Repair", .event = "Failed"}},
    {.kind = TRACE_STATE,
     .state = {.state = "Repairing",
               .was = "Repaired",
               .how = TRACE_HOW_GOTO,
               .task = "Repair",
               .heat = "hot"}},
    {.kind = TRACE_TIMER,
     .timer = {.what = TRACE_TIMER_START, .event = "Tick", .delay_ns = 2000000000}},
    {.kind = TRACE_IGNORED, .ignored = {.event = "Late"}},
    {.kind = TRACE_DROPPED, .dropped = {.event = "Lost", .to = "Node#2"}},
    {.kind = TRACE_RAISE, .raise = {.event = "Again", .payload = TEXT("x")}},
    {.kind = TRACE_NOTE, .note = {.text = TEXT("caf\xc3\xa9 \"quoted\" \\ tab\t")}},
    {.kind = TRACE_FAULT,
     .fault = {.what = "lost",
               .node = "n1",
               .event = "Ping",
               .from = "Client#1",
               .to = "Server",
               .id = 0xfeed}},
    {.kind = TRACE_OPERATION,
     .operation = {.what = TRACE_OPERATION_RETURN,
                   .number = 1,
                   .process = "Client#1",
                   .text = TEXT("read(0) = 7")}},
    {.kind = TRACE_ILLEGAL,
     .illegal = {.model = "register", .is_longest = true, .state = TEXT("7"), .stuck = 1}},
    {.kind = TRACE_CORE,
     .core = {.number = 1, .is_definite = true, .place = 2, .state = TEXT("7"), .why = TEXT("")}},
    {.kind = TRACE_SHRUNK, .shrunk = {.steps = 48, .draws = 3, .runs = 20, .held_steps = 8}},
    {.kind = TRACE_HOLD, .hold = {.held = 0xfeed0002, .until = 0xfeed0003}},
    {.kind = TRACE_HOLD,
     .hold = {.held = 0x12, .until = 0xfeed0009, .until_name = "Tick of Server"}},
    {.kind = TRACE_MEMORY, .memory = {.task = "Server", .text = TEXT("count=2 is_busy=true")}},
    {.kind = TRACE_OUTPUT, .output = {.text = TEXT("bell\a nul\0 bad\xff\xc3 end\nline two\n")}},
};

size_t sample_write(char *buffer, size_t size)
{
    struct trace_header header = sample_header();
    struct trace_verdict verdict = sample_verdict(SAMPLE_STEPS);
    struct trace_writer w;
    struct sn_text out;

    text_init(&out, buffer, size);
    trace_writer_init(&w, &out);
    sn_check(trace_write_header(&w, &header) == 0);
    sn_check(trace_write_record(&w, &details[2]) == 0);
    sn_check(trace_write_record(&w, &details[0]) == 0);
    for (uint64_t step = 1; step <= SAMPLE_STEPS; step++) {
        struct trace_record record = sample_step(step);

        sn_check(trace_write_record(&w, &record) == 0);
        for (size_t i = 0; step == 3 && i < sizeof(details) / sizeof(details[0]); i++)
            sn_check(trace_write_record(&w, &details[i]) == 0);
    }
    sn_check(trace_write_verdict(&w, &verdict) == 0);
    sn_check(trace_write_end(&w) == 0);
    return out.used;
}

size_t sample_write_back(const struct trace *trace, char *buffer, size_t size)
{
    struct trace_writer w;
    struct sn_text out;

    text_init(&out, buffer, size);
    trace_writer_init(&w, &out);
    sn_check(trace_write_header(&w, &trace->header) == 0);
    for (size_t i = 0; i < trace->n_records; i++)
        sn_check(trace_write_record(&w, &trace->records[i]) == 0);
    sn_check(trace_write_verdict(&w, &trace->verdict) == 0);
    sn_check(trace_write_end(&w) == 0);
    return out.used;
}

size_t sample_close(char *buffer, size_t n, size_t size)
{
    static const char step[] = "{\"step\":";
    uint64_t lines = 0;
    uint64_t steps = 0;
    int added;

    for (size_t i = 0; i < n; i++) {
        lines += buffer[i] == '\n' ? 1 : 0;
        if ((i == 0 || buffer[i - 1] == '\n') && n - i >= sizeof(step) &&
            memcmp(buffer + i, step, sizeof(step) - 1) == 0)
            steps++;
    }
    added = snprintf(buffer + n, size - n,
                     "{\"end\":true,\"steps\":%" PRIu64 ",\"lines\":%" PRIu64
                     ",\"check\":\"%016" PRIx64 "\"}\n",
                     steps, lines, hash_add(HASH_START, buffer, n));
    sn_check(added > 0 && (size_t)added < size - n);
    return n + (size_t)added;
}
