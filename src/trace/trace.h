/* trace.h - a trace: what happened in one trial, as data, and its file format.
 *
 * A trace file has one JSON object a line, in the order in which things happened: a header,
 * records, a verdict, and an end record that carries a check over everything before it.
 * docs/traces.md is the description for people. The writer runs inside a test program between
 * trials, so it uses neither malloc nor stdio; the reader takes any file, and trusts none. Both are
 * driven by one table (schema.h), so that writing what was read gives the same bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRACE_VERSION = 1,
    TRACE_ARGS_MAX = 64,          /* arguments in a header */
    TRACE_NAME_MAX = 4096,        /* bytes of a name, once decoded */
    TRACE_TEXT_MAX = 65536,       /* bytes of a payload, a note, a message, once decoded */
    TRACE_ARGS_BYTES_MAX = 65536, /* bytes of all arguments of a header together */
    TRACE_LINE_MAX = 1 << 20,     /* bytes of a line without its end */
    TRACE_RECORDS_MAX = 1 << 22,  /* records, steps included */
    TRACE_FILE_MAX = 1 << 30,     /* bytes of a file */
};

/* Text that may hold any bytes; `bytes` NULL means absent. What is not UTF-8, and the zero byte,
 * is written as the four characters \xHH, so what was read is always UTF-8 without a zero byte
 * (and then has one behind it). Longer text than TRACE_TEXT_MAX is cut when written and ends in
 * "...". */
struct trace_text {
    const char *bytes;
    size_t n;
};

/* The text up to the zero byte; absent if s is NULL. */
struct trace_text trace_text_of(const char *s);

enum trace_world {
    TRACE_WORLD_FULL = 1, /* "full" */
    TRACE_WORLD_TRIAL,    /* "trial" */
    TRACE_WORLD_FORK,     /* "fork" */
};

/* Required unless a comment says otherwise. Names (const char *) are treated as text is, and are at
 * most TRACE_NAME_MAX bytes long. */
struct trace_header {
    const char *suite;
    const char *test;
    const char *program;     /* path of the test program */
    const char *const *args; /* what it needs to be the same program: n_args strings */
    size_t n_args;
    const char *build; /* build id in hexadecimal digits; "" if unknown */
    uint64_t seed;
    uint64_t trial;
    const char *strategy; /* with its parameters */
    uint64_t max_steps;
    uint64_t
        fair_from; /* step from which on a fair strategy decided; UINT64_MAX: none; may be absent,
                         * which means 0 */
    enum trace_world world;
};

enum trace_kind {
    TRACE_STEP = 1,  /* an operation was chosen and performed; what follows happened in it */
    TRACE_DRAW,      /* the program asked for a value */
    TRACE_SEND,      /* it announced a delivery */
    TRACE_CREATE,    /* it created a machine */
    TRACE_STATE,     /* a machine or a monitor changed its state */
    TRACE_MONITOR,   /* a monitor was handed an event */
    TRACE_TIMER,     /* a timer was started or cancelled */
    TRACE_IGNORED,   /* a state ignored an event */
    TRACE_DROPPED,   /* an event was for a machine that has halted */
    TRACE_RAISE,     /* a machine raised an event */
    TRACE_NOTE,      /* sn_note */
    TRACE_OUTPUT,    /* what the code under test printed */
    TRACE_FAULT,     /* something went wrong, or came right again */
    TRACE_OPERATION, /* a client called an operation, or it ended */
    TRACE_ILLEGAL,   /* no order explains what clients saw */
    TRACE_CORE,      /* ... and this operation is part of the reason */
    TRACE_SHRUNK,    /* the trial was made of a larger one */
    TRACE_HOLD,      /* ... and is this exception to the default schedule */
    TRACE_MEMORY,    /* what a machine or a monitor remembers now */
    TRACE_KINDS,     /* the number of kinds, plus one */
};

enum trace_op {
    TRACE_OP_START = 1, /* "start" */
    TRACE_OP_DELIVER,   /* "deliver" */
    TRACE_OP_TIMER,     /* "timer" */
    TRACE_OP_FAULT,     /* "fault" */
    TRACE_OP_PROCESS,   /* "do": a process does something */
};

enum trace_how {
    TRACE_HOW_START = 1, /* entered its first state; `was` is absent */
    TRACE_HOW_GOTO,
    TRACE_HOW_PUSH,
    TRACE_HOW_POP,
    TRACE_HOW_HALT, /* `state` is the state it halted in; `was` is absent */
};

enum trace_operation {
    TRACE_OPERATION_CALL = 1, /* "call" */
    TRACE_OPERATION_RETURN,   /* "return" */
    TRACE_OPERATION_FAIL,     /* "fail": it had no effect */
};

enum trace_timer {
    TRACE_TIMER_START = 1, /* "start" */
    TRACE_TIMER_START_ANY, /* "start-any": it may fire at any moment, whatever its delay */
    TRACE_TIMER_CANCEL,    /* "cancel" */
};

/* One line between header and verdict. `kind` says which member of the union holds. Names are
 * required and text is optional unless a comment says otherwise. Records before the first step
 * belong to the set-up of the test, which is step 0. */
struct trace_record {
    enum trace_kind kind;
    uint32_t line; /* in the file, from 1; set by the reader, not looked at by the writer */
    union {
        struct {
            uint64_t number; /* 1, 2, 3, ... */
            uint64_t time_ns;
            uint64_t id;
            uint64_t digest; /* hash of the bytes of the payload */
            uint64_t cause;  /* the step that announced it, below number */
            uint64_t sent;   /* the step that sent what a process receives in it; may be absent,
                              * which means 0: it receives nothing, or what the set-up has sent */
            const char *task;
            const char *from; /* may be NULL */
            const char *event;
            struct trace_text payload;
            enum trace_op op;
        } step;
        struct {
            const char *label;
            uint64_t value; /* below of */
            uint64_t of;
            uint64_t key;
        } draw;
        struct {
            const char *event;
            const char *to;
            struct trace_text payload;
            uint64_t id; /* of the delivery, as its step will have it */
        } send;
        struct {
            const char *name;
            const char *type;
            uint64_t id;      /* of the machine */
            uint64_t start;   /* of its first step; may be absent, which means 0: not known */
            const char *node; /* that it is on; may be NULL */
        } create;
        struct {
            const char *state;
            const char *was; /* may be NULL */
            enum trace_how how;
            const char *task; /* a machine, or a monitor */
            const char *heat; /* "hot", "cold" or NULL: neither */
        } state;
        struct {
            const char *monitor;
            const char *event;
            struct trace_text payload;
        } monitor;
        struct {
            enum trace_timer what;
            const char *event;
            uint64_t delay_ns;
        } timer;
        struct {
            const char *event;
        } ignored;
        struct {
            const char *event;
            const char *to;
        } dropped;
        struct {
            const char *event;
            struct trace_text payload;
        } raise;
        struct {
            struct trace_text text; /* required */
        } note;
        struct {
            struct trace_text text; /* required */
        } output;
        struct {
            const char *what; /* "crash", "lost", ... */
            const char *node; /* that it happened to; may be NULL */
            const char
                *event; /* of the message that it happened to; may be NULL, as the next two */
            const char *from;
            const char *to;
            uint64_t id; /* of its delivery; 0: of none */
        } fault;
        struct {
            enum trace_operation what;
            uint64_t number; /* 1, 2, 3, ... by call */
            const char *process;
            struct trace_text text; /* required: function, arguments and, once known, result */
        } operation;
        struct {
            const char *model;
            bool is_minimal;         /* nothing can be taken away from the core */
            bool is_longest;         /* no order of its operations goes further */
            struct trace_text state; /* required: what the longest order leaves */
            uint64_t stuck; /* the operation at whose return it became so; may be absent: 0 */
        } illegal;
        struct {
            uint64_t number;  /* of the operation */
            bool is_definite; /* false: it may have taken effect after its call, or never */
            uint64_t place;   /* in the longest order, from 1; may be absent, which means 0: none */
            struct trace_text state; /* that it leaves there */
            struct trace_text why;   /* it could be next, but for this; empty: not known */
        } core;
        struct {
            uint64_t steps; /* of the trial that was found, ... */
            uint64_t draws; /* ... and its drawn values that were not 0 */
            uint64_t runs;  /* that it took to find this one */
            /* Steps in which the default schedule with the exceptions that follow fails in the same
             * way; 0: they are not known. May be absent, which means 0. */
            uint64_t held_steps;
        } shrunk;
        struct {
            uint64_t held;          /* the id of an operation that does not run before ... */
            uint64_t until;         /* ... the one with this id has run */
            const char *name;       /* what it is called, if it is no step of this trial; ... */
            const char *until_name; /* ... the other one; may be NULL: not known, or a step */
        } hold;
        struct {
            const char *task;       /* a machine, or a monitor */
            struct trace_text text; /* required; NAME=VALUE pairs if it has a table of fields */
        } memory;
    };
};

enum trace_verdict_kind {
    TRACE_PASSED = 1,   /* "passed" */
    TRACE_FAILED,       /* "failed" */
    TRACE_UNCONTROLLED, /* "uncontrolled" */
};

struct trace_verdict {
    enum trace_verdict_kind verdict;
    const char *oracle;        /* who judged: "assert", "deadlock", ...; may be NULL if passed */
    struct trace_text message; /* may be absent if passed */
    const char *at;            /* "file.c:12"; may be NULL */
    uint64_t step;             /* the step it was given in; at most the number of steps */
    uint64_t order;            /* hash of the partial order */
    bool cut;                  /* the trial ended at a limit */
};

/* ---- Reading -------------------------------------------------------------------------------- */

/* A trace in memory. Everything it points to lives in its arena. Zeroed is an empty one. */
struct trace {
    struct trace_header header;
    struct trace_verdict verdict;
    struct trace_record *records;
    size_t n_records;
    uint64_t n_steps;
    /* Step k is records[step_index[k]], and what happened in it follows, up to but not including
     * records[step_index[k + 1]]; k goes from 1 to n_steps. The records of the set-up, which has no
     * step record, are those before step_index[1]; step_index[0] is 0. */
    uint32_t *step_index;
    struct arena arena;
};

/* Reads a file. Returns 0, or a negative SN_E* with a sentence in why (which may be NULL) that
 * names the file, the line and the cause: SN_EIO (cannot be read), SN_EFORMAT (foreign,
 * truncated, edited or malformed), SN_EVERSION, SN_ENOMEM. On failure *out is zeroed. */
int trace_read(struct trace *out, const char *path, struct err *why);

/* The same for n bytes in memory; name stands for the file in sentences. Keeps no pointer into
 * them. */
int trace_parse(struct trace *out, const char *bytes, size_t n, const char *name, struct err *why);

/* Gives back the memory and zeroes *trace. */
void trace_done(struct trace *trace);

/* ---- Writing -------------------------------------------------------------------------------- */

/* Writes into `out`, normally one with a descriptor. Calls must come in the order of the file:
 * one header, records, one verdict, one end. Each returns 0, or SN_EINVAL if the order or a
 * value breaks the format (a step out of order, a missing name, more than TRACE_RECORDS_MAX
 * records), or SN_EIO if `out` could not take it all. After a failure every later call fails in
 * the same way. */
struct trace_writer {
    struct sn_text *out; /* borrowed */
    uint64_t check;      /* over all bytes of the lines written so far */
    uint64_t n_bytes;
    uint64_t lines;
    uint64_t steps;
    int stage; /* the writer's own: which line may come next */
    int rc;    /* of the first failure, or 0 */
};

void trace_writer_init(struct trace_writer *w, struct sn_text *out);
int trace_write_header(struct trace_writer *w, const struct trace_header *header);
int trace_write_record(struct trace_writer *w, const struct trace_record *record);
int trace_write_verdict(struct trace_writer *w, const struct trace_verdict *verdict);

/* Writes the end record and flushes `out`. */
int trace_write_end(struct trace_writer *w);

#endif
