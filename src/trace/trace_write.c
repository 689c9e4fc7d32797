/* trace_write.c - writes a trace file line by line, while the trial runs.
 *
 * What it accepts is what the reader accepts: a record that would make the file unreadable is
 * refused before a byte of it is written. SPDX-License-Identifier: MIT
 */
#include "base/hash.h"
#include "trace/schema.h"
#include "trace/trace.h"

#include <sennit/test.h>

enum stage {
    STAGE_HEADER = 0,
    STAGE_RECORDS,
    STAGE_END,
    STAGE_DONE,
};

/* What must stay free for the verdict and the end record, which are at most a line each. */
static const uint64_t bytes_max = TRACE_FILE_MAX - 3 * (uint64_t)TRACE_LINE_MAX;

static int put_line(struct trace_writer *w, const struct schema_object *object, const void *from);

/* Notes the first failure; later calls return it. */
static int refuse(struct trace_writer *w, int rc)
{
    if (w->rc == 0)
        w->rc = rc;
    return w->rc;
}

void trace_writer_init(struct trace_writer *w, struct sn_text *out)
{
    *w = (struct trace_writer){.out = out, .check = HASH_START};
}

int trace_write_header(struct trace_writer *w, const struct trace_header *header)
{
    if (w->rc < 0 || w->stage != STAGE_HEADER)
        return refuse(w, SN_EINVAL);
    if (schema_check_present(&schema_header, header, NULL) < 0 ||
        schema_check_header(header, NULL) < 0)
        return refuse(w, SN_EINVAL);
    w->stage = STAGE_RECORDS;
    return put_line(w, &schema_header, header);
}

int trace_write_record(struct trace_writer *w, const struct trace_record *record)
{
    const struct schema_object *object;

    if (w->rc < 0 || w->stage != STAGE_RECORDS)
        return refuse(w, SN_EINVAL);
    if (record->kind < TRACE_STEP || record->kind >= TRACE_KINDS)
        return refuse(w, SN_EINVAL);
    if (w->lines > TRACE_RECORDS_MAX || w->n_bytes > bytes_max)
        return refuse(w, SN_EINVAL);
    object = &schema_records[record->kind];
    if (schema_check_present(object, record, NULL) < 0 ||
        schema_check_record(record, w->steps, NULL) < 0)
        return refuse(w, SN_EINVAL);
    w->steps += record->kind == TRACE_STEP ? 1 : 0;
    return put_line(w, object, record);
}

int trace_write_verdict(struct trace_writer *w, const struct trace_verdict *verdict)
{
    if (w->rc < 0 || w->stage != STAGE_RECORDS)
        return refuse(w, SN_EINVAL);
    if (schema_check_present(&schema_verdict, verdict, NULL) < 0 ||
        schema_check_verdict(verdict, w->steps, NULL) < 0)
        return refuse(w, SN_EINVAL);
    w->stage = STAGE_END;
    return put_line(w, &schema_verdict, verdict);
}

int trace_write_end(struct trace_writer *w)
{
    struct trace_end end = {.end = true, .steps = w->steps, .lines = w->lines, .check = w->check};

    if (w->rc < 0 || w->stage != STAGE_END)
        return refuse(w, SN_EINVAL);
    w->stage = STAGE_DONE;
    if (put_line(w, &schema_end, &end) < 0)
        return w->rc;
    if (text_flush(w->out) < 0)
        return refuse(w, SN_EIO);
    return 0;
}

static int put_line(struct trace_writer *w, const struct schema_object *object, const void *from)
{
    struct schema_sink sink = {.out = w->out, .check = w->check, .n_bytes = w->n_bytes};

    schema_put_bytes(&sink, "{", 1);
    schema_put(&sink, object, from);
    schema_put_bytes(&sink, "}\n", 2);
    w->check = sink.check;
    w->n_bytes = sink.n_bytes;
    w->lines++;
    if (w->out->cut)
        return refuse(w, SN_EIO);
    return 0;
}
