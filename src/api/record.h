/* record.h - writes the trace of a trial while it is run again.
 *
 * The search keeps only the log; everything readable comes from a second run of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_RECORD_H
#define API_RECORD_H

#include "api/names.h"
#include "api/output.h"
#include "api/record_memory.h"
#include "engine/explore.h"
#include "trace/trace.h"

enum { RECORD_BUFFER = 1 << 17, RECORD_PAYLOAD = 8192, RECORD_OUTPUT = 16384 };

struct record {
    struct names names;
    struct output *output; /* of the run; may be NULL */
    struct trace_writer writer;
    struct sn_text out;
    int rc;                           /* of the first failure to write */
    uint64_t skipped;                 /* records left out because a trace was full */
    const struct trace_record *extra; /* that come before the verdict, whoever found them out */
    size_t n_extra;
    void (*sink)(void *self, const struct trace_record *record); /* NULL: writer */
    void *sink_self;
    struct recorder listener; /* of record_listen */
    struct record_memory memory;
    char buffer[RECORD_BUFFER];
    char payload[RECORD_PAYLOAD];
    char printed[RECORD_OUTPUT];
};

int record_new(struct record **out, struct err *why);
void record_free(struct record *r);

/* Runs the log's trial again, to where it was left if it was, and writes it to fd. 0; SN_EIO if it
 * could not be written; SN_EINVAL, with a sentence, if it went another way than before. */
int record_trial(struct record *r, struct explore *e, const struct trace_header *header, int fd,
                 struct err *why);

/* The same into a file, under another name first, so that a file of this name is always whole. */
int record_to_file(struct record *r, struct explore *e, const struct trace_header *header,
                   const char *path, struct err *why);

/* For a trial while it is searched: keeps the names of its machines and hands every record but
 * steps to the sink, and NULL when the trial is over, in the process that ran it. Without a sink
 * only the names are kept, which costs nearly nothing. The result, owned by r, is for
 * explore_options. */
const struct recorder *record_listen(struct record *r,
                                     void (*sink)(void *self, const struct trace_record *record),
                                     void *self);

/* A hash of what can be compared of an operation's payload: the fields of an event that has a table
 * of them, the bytes that a plain node gets, otherwise only the size. */
uint64_t record_digest(const struct sn_op *op, const void *payload);

/* The same of a step that is about to be performed: of a process, what it sends or receives. */
uint64_t record_digest_step(const struct trial *t, const struct sn_op *op, const void *payload);

#endif
