/* sample.h - traces for tests, made with the writer. SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_TRACE_SAMPLE_H
#define TESTS_UNIT_TRACE_SAMPLE_H

#include "trace/trace.h"

#include <stddef.h>

enum {
    SAMPLE_STEPS = 4,
    SAMPLE_SIZE = 16384, /* bytes, more than enough for the trace of sample_write */
};

/* A valid header, a step record of that number, and a verdict of failure in that step. */
struct trace_header sample_header(void);
struct trace_record sample_step(uint64_t number);
struct trace_verdict sample_verdict(uint64_t step);

/* Writes a trace with every kind of record, in buffer; returns its size. */
size_t sample_write(char *buffer, size_t size);

/* The same for a trace that was read. */
size_t sample_write_back(const struct trace *trace, char *buffer, size_t size);

/* Appends the right end record to n bytes that are the lines before it, counting the lines that
 * look like steps; returns the new size, at most size. */
size_t sample_close(char *buffer, size_t n, size_t size);

#endif
