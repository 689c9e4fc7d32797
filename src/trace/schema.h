/* schema.h - the shape of every line of a trace file, as tables.
 *
 * Writer, reader and `show --json` all follow these tables, so a member has one name, one type and
 * one place everywhere. The first member of an object tells what kind of object it is.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRACE_SCHEMA_H
#define TRACE_SCHEMA_H

#include "base/err.h"
#include "base/text.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum schema_type {
    SCHEMA_MAGIC = 1, /* the string "trace"; has no place in a struct */
    SCHEMA_VERSION,   /* TRACE_VERSION; has no place in a struct */
    SCHEMA_NAME,      /* const char *; NULL: absent */
    SCHEMA_TEXT,      /* struct trace_text */
    SCHEMA_NUMBER,    /* uint64_t */
    SCHEMA_HEX,       /* uint64_t, 16 hexadecimal digits in a string */
    SCHEMA_ENUM,      /* an enum that starts at 1, by its names */
    SCHEMA_BOOL,      /* bool */
    SCHEMA_BUILD,     /* const char *: hexadecimal digits, any number */
    SCHEMA_ARGS,      /* struct trace_header's args and n_args */
};

struct schema_field {
    const char *key; /* NULL ends a table */
    enum schema_type type;
    bool is_optional;
    bool zero_is_absent;      /* of a number or an id */
    size_t offset;            /* in the struct that the object describes */
    const char *const *names; /* of an enum, from value 1 on; ends with NULL */
};

struct schema_object {
    const char *what; /* as in «a step record lacks ...» */
    const struct schema_field *fields;
};

/* The last line of a file. */
struct trace_end {
    bool end;
    uint64_t steps;
    uint64_t lines;
    uint64_t check;
};

extern const struct schema_object schema_header;               /* struct trace_header */
extern const struct schema_object schema_records[TRACE_KINDS]; /* struct trace_record, by kind */
extern const struct schema_object schema_verdict;              /* struct trace_verdict */
extern const struct schema_object schema_end;                  /* struct trace_end */

/* Where members are written: to `out`, with a hash over all bytes and their number. */
struct schema_sink {
    struct sn_text *out;
    uint64_t check;
    uint64_t n_bytes;
};

void schema_put_bytes(struct schema_sink *sink, const char *bytes, size_t n);

/* Writes the members of an object that are present, without the braces around them. */
void schema_put(struct schema_sink *sink, const struct schema_object *object, const void *from);

/* What the tables cannot say. Each returns 0, or SN_EFORMAT with a sentence in why (may be NULL).
 * `steps` is the number of steps before the record, or in the whole trace. */
int schema_check_present(const struct schema_object *object, const void *from, struct err *why);
int schema_check_header(const struct trace_header *header, struct err *why);
int schema_check_record(const struct trace_record *record, uint64_t steps, struct err *why);
int schema_check_verdict(const struct trace_verdict *verdict, uint64_t steps, struct err *why);

#endif
