/* segment.h - a segment whose calls are recorded, and performed, in the test's own process.
 *
 * The first time a test comes to its segment, a forked process runs it as it is written and tells
 * what was called and returned. From then on calls are only noted, and return what they returned
 * there. SPDX-License-Identifier: MIT
 */
#ifndef EVENTS_SEGMENT_H
#define EVENTS_SEGMENT_H

#include "events/checks.h"
#include "events/events.h"

enum {
    SEGMENT_ARGS_MAX = 256,      /* bytes of the struct of a call */
    SEGMENT_STRINGS_MAX = 65536, /* of all strings that calls are given */
    SEGMENT_STATE_MAX = 8192,    /* of a state as text */
};

enum segment_mode {
    SEGMENT_OUTSIDE = 0,
    SEGMENT_RECORDING, /* in the forked process: calls are performed, and told */
    SEGMENT_NOTING,    /* calls are kept, to be performed later */
};

struct segment_call {
    const struct sn_event_op *call;
    _Alignas(16) unsigned char args[SEGMENT_ARGS_MAX];
    uint64_t result;     /* as recorded: an integer, or 0 */
    const char *string;  /* ... or a string; NULL: none */
    const void *message; /* ... or, while it is recorded, a message */
    uint8_t of[8];       /* of each argument: the event whose message it is; UINT8_MAX: none */
};

struct segment_replica {
    const void *object;
    void (*print)(struct sn_text *out, const void *object);
    char state[SEGMENT_STATE_MAX]; /* as recorded */
    char now[SEGMENT_STATE_MAX];   /* at the end of the present trial */
};

struct segment {
    enum segment_mode mode;
    bool is_complete; /* the forked process has come to the end of the segment */
    bool is_next_free;
    uint32_t expect;
    uint32_t n_calls;
    uint32_t n_strings; /* bytes */
    uint32_t n_replicas;
    void (*check)(void);
    struct segment_replica replicas[RECORDING_REPLICAS_MAX];
    char names[RECORDING_REPLICAS_MAX][RECORDING_NAME_MAX];
    struct segment_call calls[RECORDING_EVENTS_MAX];
    char tokens[RECORDING_EVENTS_MAX]; /* their addresses stand for messages while noting */
    char strings[SEGMENT_STRINGS_MAX];
    char results[RECORDING_EVENTS_MAX][RECORDING_TEXT_MAX]; /* of the present trial, if needed */
    bool has_result[RECORDING_EVENTS_MAX];
};

extern const struct events_host segment_host;

/* A trial begins: nothing is marked yet. */
void segment_begin(struct segment *s);

/* Writes a result as JSON. */
void segment_print_value(struct sn_text *out, const struct sn_arg *arg, const void *args);

#endif
