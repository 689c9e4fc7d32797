/* history.h - histories that other programs have written, brought into the form the checker takes.
 *
 * A reader of a format (edn_history.c, jepsen_log.c, jsonl.c) gives one event after the other:
 * a process invokes, or what it invoked completes. Here invocations and completions are joined into
 * operations, which are all that is kept: 64 bytes each, and every text once. What makes no sense
 * is refused with file, line and cause. docs/histories.md says what a user may rely on.
 * SPDX-License-Identifier: MIT
 */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "history/form.h"
#include "history/grow.h"
#include "history/source.h"
#include "history/texts.h"
#include "history/whole.h"

#include <sennit/history.h>

enum history_format {
    HISTORY_DETECT = 0,
    HISTORY_EDN,
    HISTORY_LOG,
    HISTORY_JSONL,
};

struct history_options {
    const struct sn_model *model; /* required; borrowed */
    enum history_format format;
    bool is_independent;      /* values are [key value], for each key an object of its own */
    bool has_failed_cas_seen; /* a failed cas saw another value than it expected */
    uint64_t memory_mb;       /* for operations and texts; 0: no limit */

    /* Called now and then while reading; may be NULL. */
    void (*on_read)(void *self, const struct source *source);
    void *self;
};

struct history {
    struct history_options options;
    struct grow operations; /* struct sn_operation */
    size_t n;
    struct texts texts;
    struct wholes wholes;
    enum history_format format; /* that it turned out to have */
    bool has_keys;              /* operations have keys */

    /* ---- While reading ---- */
    struct source *source;
    struct err *why;
    struct arena scratch;  /* of the event; cleared with each */
    struct grow processes; /* struct history_process; a table, open addressing */
    size_t n_processes;
    size_t n_slots;
    size_t n_dropped;   /* operations that are known to have failed; taken out at the end */
    struct grow drains; /* struct history_drain */
    size_t n_drains;
    uint64_t events;
    uint64_t last_index;
    bool has_index;      /* there was one: last_index is the last */
    bool has_keys_apart; /* keys are told apart from values */
    bool has_time;       /* events have times of their own */
};

/* As a function, while reading: the operation does not count, and is taken out at the end. */
#define HISTORY_DROPPED UINT32_MAX

enum history_type {
    HISTORY_INVOKE = 1,
    HISTORY_OK,
    HISTORY_FAIL,
    HISTORY_INFO,
};

/* What a reader has found. Forms are NULL where the file says nothing. */
struct history_event {
    uint64_t line;
    enum history_type type;
    uint32_t process;
    const char *function;
    size_t n_function;
    const struct form *value;
    const struct form *key;    /* of a format that tells keys apart */
    const struct form *result; /* of a format that tells results from arguments */
    uint64_t time;
    bool has_time;
};

/* Reads a file, "-" being standard input. 0; or SN_EFORMAT, SN_ENOTFOUND, SN_EIO, or SN_ENOMEM (it
 * does not fit memory_mb) with a sentence that begins with the file's name. history_done is due in
 * any case. */
int history_read(struct history *history, const char *path, const struct history_options *options,
                 struct err *why);

/* The same with bytes in memory. */
int history_parse(struct history *history, const char *name, const char *bytes, size_t n,
                  const struct history_options *options, struct err *why);
void history_done(struct history *history);

const struct sn_operation *history_operations(const struct history *history);

/* The value that a text of the command line stands for, as it would in this history: EDN, but that
 * a bare word is a string where the file is JSON. 0, or SN_EFORMAT or SN_ENOMEM with a sentence. */
int history_value(struct history *history, const char *text, sn_value *out, struct err *why);

/* The elements of a whole set or list, as sn_check_options.elements wants them; self is the
 * history. */
const sn_value *history_elements(void *self, sn_value whole, size_t *n);

/* Prints a value as it stood in the file, in EDN; shortened if it is long. Calls nothing that a
 * handler of a signal may not call, and so does history_print_operation. */
void history_print_value(const struct history *history, sn_value value, struct sn_text *out);

/* Prints an operation: "process 3 cas [1 2] -> false (line 7)". */
void history_print_operation(const struct history *history, const struct sn_operation *op,
                             struct sn_text *out);

/* ---- For readers ---------------------------------------------------------------------------- */

/* Readers go through a source that has been opened. 0, or SN_E* with a sentence in history->why. */
int history_read_edn(struct history *history);
int history_read_log(struct history *history);
int history_read_jsonl(struct history *history);

static inline struct sn_operation *history_operation(const struct history *history, size_t i)
{
    sn_check(i < history->n);
    return (struct sn_operation *)history->operations.base + i;
}

/* Takes an event. 0, or SN_E* with a sentence. */
int history_event(struct history *history, const struct history_event *event);

/* All events have been taken: what was drained must have been put in. 0, or SN_E* with a sentence.
 */
int history_check_drains(struct history *history);

/* A number of an event, clients' or not; they must grow. 0, or SN_EFORMAT with a sentence. */
int history_index(struct history *history, uint64_t line, int64_t index);

/* The type of that name, or 0. */
enum history_type history_type_of(const char *name, size_t n);

/* A few characters of what the file says, fit for a sentence on a terminal. Returns out. */
const char *history_quote(const char *bytes, size_t n, char out[48]);

#define history_fail(history_, line_, ...)                                                         \
    source_fail((history_)->source, SN_EFORMAT, (line_), (history_)->why, __VA_ARGS__)

int history_fail_memory(struct history *history);

#endif
