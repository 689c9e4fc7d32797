/* trace_read.c - reads a trace file and believes nothing in it.
 *
 * trace_read brings the file into memory, trace_parse walks its lines: the first is the header,
 * each following one a record by its first key, then the verdict, then the end record, whose check
 * must match all bytes before it. Each line is parsed in a scratch arena and moved by the tables of
 * schema.h into the structs of trace.h. Every refusal is one sentence that names the line.
 * SPDX-License-Identifier: MIT
 */
#include "base/hash.h"
#include "base/json.h"
#include "trace/schema.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sennit/test.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_FIRST = 1 << 20,
};

/* A record of every kind, all strings of the largest file, the index of steps. */
static const size_t memory_max =
    (size_t)TRACE_RECORDS_MAX * (sizeof(struct trace_record) + sizeof(uint32_t)) +
    (size_t)TRACE_FILE_MAX + (size_t)64 * 1024 * 1024;

static const char magic[] = "{\"sennit\":\"trace\"";

struct reader {
    struct trace *out;
    const char *name;
    struct err *why;
    struct arena scratch; /* of the line */
    uint64_t line;        /* its number, from 1 */
    uint64_t check;       /* over the lines before it */
    size_t n_room;        /* of out->records */
    bool has_verdict;
    bool has_end;
};

static int read_line(struct reader *r, const char *bytes, size_t n);
static int read_lines(struct reader *r, const char *bytes, size_t n);
static int index_steps(struct reader *r);

/* «file:line: cause», or «file: cause» if line is 0. */
#define fail_line(r_, code_, line_, ...)                                                           \
    err_set_at((r_)->why, (code_), (r_)->name, (line_), __VA_ARGS__)
#define fail(r_, ...) fail_line((r_), SN_EFORMAT, (r_)->line, __VA_ARGS__)

static int fail_memory(struct reader *r)
{
    return fail_line(r, SN_ENOMEM, r->line, "there is not enough memory to read this trace");
}

static int fail_size(struct reader *r)
{
    return fail_line(r, SN_EFORMAT, 0, "the file is larger than %d bytes", TRACE_FILE_MAX);
}

/* A few characters of what the file says, fit for a sentence on a terminal. */
static const char *quote(const char *s, char out[48])
{
    size_t i;

    for (i = 0; i < 40 && s[i] != '\0'; i++)
        out[i] = s[i] >= 0x20 && s[i] < 0x7f ? s[i] : '?';
    (void)snprintf(out + i, 48 - i, "%s", s[i] != '\0' ? "..." : "");
    return out;
}

/* ---- Members -------------------------------------------------------------------------------- */

static int wrong_type(struct reader *r, const struct schema_field *field, const char *expected)
{
    return fail(r, "\"%s\" must be %s", field->key, expected);
}

/* A string moved from the scratch arena to the trace's. */
static int take_string(struct reader *r, const struct schema_field *field,
                       const struct json_value *v, struct trace_text *to)
{
    size_t max = field->type == SCHEMA_TEXT ? TRACE_TEXT_MAX : TRACE_NAME_MAX;

    if (v->type != JSON_STRING)
        return wrong_type(r, field, "a string");
    if (v->n > max)
        return fail(r, "\"%s\" is longer than %zu bytes", field->key, max);
    to->bytes = arena_copy(&r->out->arena, v->string, v->n);
    to->n = v->n;
    return to->bytes == NULL ? fail_memory(r) : 0;
}

static int take_hex(struct reader *r, const struct schema_field *field, const struct json_value *v,
                    uint64_t *to)
{
    *to = 0;
    if (v->type != JSON_STRING || v->n != 16)
        return wrong_type(r, field, "a string of 16 lower-case hexadecimal digits");
    for (size_t i = 0; i < 16; i++) {
        const char digits[] = "0123456789abcdef";
        const char *digit = strchr(digits, v->string[i]);

        if (digit == NULL)
            return wrong_type(r, field, "a string of 16 lower-case hexadecimal digits");
        *to = *to << 4 | (uint64_t)(digit - digits);
    }
    return 0;
}

static int take_enum(struct reader *r, const struct schema_field *field, const struct json_value *v,
                     unsigned *to)
{
    char shown[48];

    if (v->type != JSON_STRING)
        return wrong_type(r, field, "a string");
    for (unsigned i = 0; field->names[i] != NULL; i++) {
        if (strcmp(field->names[i], v->string) == 0) {
            *to = i + 1;
            return 0;
        }
    }
    return fail(r, "\"%s\" cannot be \"%s\"", field->key, quote(v->string, shown));
}

static int take_args(struct reader *r, const struct schema_field *field, const struct json_value *v,
                     struct trace_header *header)
{
    const char **args;
    size_t n = 0;

    if (v->type != JSON_ARRAY)
        return wrong_type(r, field, "an array of strings");
    args = arena_array(&r->out->arena, v->n, sizeof(*args));
    if (args == NULL)
        return fail_memory(r);
    for (const struct json_value *arg = v->first; arg != NULL; arg = arg->next) {
        struct trace_text text;
        int rc = take_string(r, field, arg, &text);

        if (rc < 0)
            return rc;
        args[n++] = text.bytes;
    }
    header->args = args;
    header->n_args = n;
    return 0;
}

/* One member, by its type, to its place in the struct. */
static int take_member(struct reader *r, const struct schema_field *field,
                       const struct json_value *v, void *to)
{
    void *at = (char *)to + field->offset;
    struct trace_text text;
    int rc;

    switch (field->type) {
    case SCHEMA_MAGIC:
    case SCHEMA_VERSION:
        return 0; /* checked before, and kept nowhere */
    case SCHEMA_NAME:
    case SCHEMA_BUILD:
        rc = take_string(r, field, v, &text);
        if (rc == 0)
            *(const char **)at = text.bytes;
        return rc;
    case SCHEMA_TEXT:
        return take_string(r, field, v, at);
    case SCHEMA_NUMBER:
        if (v->type != JSON_UINT)
            return wrong_type(r, field, "a number, not negative");
        *(uint64_t *)at = v->number;
        return 0;
    case SCHEMA_HEX:
        return take_hex(r, field, v, at);
    case SCHEMA_ENUM:
        return take_enum(r, field, v, at);
    case SCHEMA_BOOL:
        if (v->type != JSON_BOOL)
            return wrong_type(r, field, "true or false");
        *(bool *)at = v->number != 0;
        return 0;
    case SCHEMA_ARGS:
        return take_args(r, field, v, to);
    }
    return SN_EFORMAT;
}

/* All members of an object. Those that later versions may add without changing what the others mean
 * start with x_ and are skipped. */
static int take_members(struct reader *r, const struct schema_object *object,
                        const struct json_value *value, void *to)
{
    char shown[48];
    int rc;

    for (const struct json_value *v = value->first; v != NULL; v = v->next) {
        const struct schema_field *field = object->fields;

        if (strncmp(v->key, "x_", 2) == 0)
            continue;
        while (field->key != NULL && strcmp(field->key, v->key) != 0)
            field++;
        if (field->key == NULL)
            return fail(r, "%s has an unknown key \"%s\"", object->what, quote(v->key, shown));
        rc = take_member(r, field, v, to);
        if (rc < 0)
            return rc;
    }
    for (const struct schema_field *field = object->fields; field->key != NULL; field++) {
        if (!field->is_optional && json_member(value, field->key) == NULL)
            return fail(r, "%s lacks \"%s\"", object->what, field->key);
    }
    return 0;
}

/* The result of one of schema.h's checks, with the place before its sentence. */
static int checked(struct reader *r, int rc, const struct err *cause)
{
    return rc < 0 ? fail(r, "%s", cause->text) : 0;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static int not_a_trace(struct reader *r, const char *cause)
{
    return fail_line(r, SN_EFORMAT, 0, "not a Sennit trace (%s)", cause);
}

static int read_header(struct reader *r, const char *bytes, size_t n)
{
    struct json_error error;
    const struct json_value *value = json_parse(&r->scratch, bytes, n, &error);
    const struct json_value *member;
    struct err cause;
    int rc;

    if (value == NULL && error.why == NULL)
        return fail_memory(r);
    if (value == NULL || value->type != JSON_OBJECT)
        return not_a_trace(r, "line 1 is not a trace header");
    member = json_member(value, "sennit");
    if (member == NULL || member->type != JSON_STRING || strcmp(member->string, "trace") != 0)
        return not_a_trace(r, "line 1 is not a trace header");
    member = json_member(value, "version");
    if (member == NULL || member->type != JSON_UINT)
        return fail(r, "the header lacks a version number");
    if (member->number != TRACE_VERSION)
        return fail_line(r, SN_EVERSION, r->line,
                         "the trace has format version %" PRIu64 ", this Sennit reads version %d",
                         member->number, TRACE_VERSION);
    rc = take_members(r, &schema_header, value, &r->out->header);
    if (rc < 0)
        return rc;
    return checked(r, schema_check_header(&r->out->header, &cause), &cause);
}

static int read_record(struct reader *r, enum trace_kind kind, const struct json_value *value)
{
    struct trace_record *record = &r->out->records[r->out->n_records];
    struct err cause;
    int rc;

    if (r->has_verdict)
        return fail(r, "nothing but the end record may follow the verdict");
    if (r->out->n_records == r->n_room)
        return fail(r, "the trace has more than %d records", TRACE_RECORDS_MAX);
    record->kind = kind;
    record->line = (uint32_t)r->line;
    rc = take_members(r, &schema_records[kind], value, record);
    if (rc < 0)
        return rc;
    rc = checked(r, schema_check_record(record, r->out->n_steps, &cause), &cause);
    if (rc < 0)
        return rc;
    r->out->n_records++;
    r->out->n_steps += kind == TRACE_STEP ? 1 : 0;
    return 0;
}

static int read_verdict(struct reader *r, const struct json_value *value)
{
    struct err cause;
    int rc;

    if (r->has_verdict)
        return fail(r, "there is a second verdict");
    r->has_verdict = true;
    rc = take_members(r, &schema_verdict, value, &r->out->verdict);
    if (rc < 0)
        return rc;
    rc = schema_check_verdict(&r->out->verdict, r->out->n_steps, &cause);
    return checked(r, rc, &cause);
}

static int read_end(struct reader *r, const struct json_value *value)
{
    struct trace_end end = {0};
    int rc;

    if (!r->has_verdict)
        return fail(r, "the verdict is missing before the end record");
    rc = take_members(r, &schema_end, value, &end);
    if (rc < 0)
        return rc;
    if (!end.end)
        return fail(r, "\"end\" must be true");
    if (end.lines != r->line - 1)
        return fail(r,
                    "edited: the end record counts %" PRIu64 " lines before it, there are %" PRIu64,
                    end.lines, r->line - 1);
    if (end.steps != r->out->n_steps)
        return fail(r, "edited: the end record counts %" PRIu64 " steps, there are %" PRIu64,
                    end.steps, r->out->n_steps);
    if (end.check != r->check)
        return fail(r, "edited: the check does not match");
    r->has_end = true;
    return 0;
}

static int read_line(struct reader *r, const char *bytes, size_t n)
{
    struct json_error error;
    const struct json_value *value;
    char shown[48];

    if (r->has_end)
        return fail(r, "something follows the end record");
    arena_clear(&r->scratch);
    if (r->line == 1)
        return read_header(r, bytes, n);
    value = json_parse(&r->scratch, bytes, n, &error);
    if (value == NULL && error.why == NULL)
        return fail_memory(r);
    if (value == NULL)
        return fail(r, "not valid JSON: %s (column %zu)", error.why, error.column);
    if (value->type != JSON_OBJECT || value->first == NULL)
        return fail(r, "a line must be an object that is not empty");
    if (strcmp(value->first->key, schema_verdict.fields->key) == 0)
        return read_verdict(r, value);
    if (strcmp(value->first->key, schema_end.fields->key) == 0)
        return read_end(r, value);
    for (unsigned kind = TRACE_STEP; kind < TRACE_KINDS; kind++) {
        if (strcmp(value->first->key, schema_records[kind].fields->key) == 0)
            return read_record(r, (enum trace_kind)kind, value);
    }
    return fail(r, "unknown kind of record \"%s\"", quote(value->first->key, shown));
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* What to say of a file without a single line end. */
static int read_no_line(struct reader *r, const char *bytes, size_t n)
{
    size_t magic_size = sizeof(magic) - 1;

    if (n == 0)
        return not_a_trace(r, "the file is empty");
    if (n <= TRACE_LINE_MAX && memcmp(bytes, magic, n < magic_size ? n : magic_size) == 0)
        return fail(r, "truncated: the last line is cut");
    return not_a_trace(r, "line 1 is not a trace header");
}

static int read_lines(struct reader *r, const char *bytes, size_t n)
{
    int rc;

    while (n > 0) {
        size_t seen = n < TRACE_LINE_MAX + 1 ? n : TRACE_LINE_MAX + 1;
        const char *line_end = memchr(bytes, '\n', seen);
        size_t size = line_end == NULL ? n : (size_t)(line_end - bytes);

        r->line++;
        if (line_end == NULL && r->line == 1)
            return read_no_line(r, bytes, n);
        if (size > TRACE_LINE_MAX)
            return fail(r, "the line is longer than %d bytes", TRACE_LINE_MAX);
        if (line_end == NULL)
            return fail(r, "truncated: the last line is cut");
        rc = read_line(r, bytes, size);
        if (rc < 0)
            return rc;
        r->check = hash_add(r->check, bytes, size + 1);
        bytes += size + 1;
        n -= size + 1;
    }
    if (r->line == 0)
        return read_no_line(r, bytes, 0);
    if (!r->has_end)
        return fail_line(r, SN_EFORMAT, 0,
                         "truncated: the end record is missing after line %" PRIu64, r->line);
    return index_steps(r);
}

static int index_steps(struct reader *r)
{
    struct trace *t = r->out;
    uint64_t step = 0;

    t->step_index = arena_array(&t->arena, (size_t)t->n_steps + 2, sizeof(*t->step_index));
    if (t->step_index == NULL)
        return fail_memory(r);
    for (size_t i = 0; i < t->n_records; i++) {
        if (t->records[i].kind == TRACE_STEP)
            t->step_index[++step] = (uint32_t)i;
    }
    sn_check(step == t->n_steps);
    t->step_index[step + 1] = (uint32_t)t->n_records;
    return 0;
}

/* Room for as many records as there are lines, so that the array need not grow. */
static int reserve_records(struct reader *r, const char *bytes, size_t n)
{
    const char *end = bytes + n;
    size_t lines = 0;

    for (const char *p = bytes; p != NULL && p < end && lines < TRACE_RECORDS_MAX; lines++) {
        p = memchr(p, '\n', (size_t)(end - p));
        p = p == NULL ? end : p + 1;
    }
    r->out->records = arena_array(&r->out->arena, lines, sizeof(*r->out->records));
    r->n_room = lines;
    return r->out->records == NULL ? fail_memory(r) : 0;
}

int trace_parse(struct trace *out, const char *bytes, size_t n, const char *name, struct err *why)
{
    struct reader r = {.out = out, .name = name, .why = why, .check = HASH_START};
    int rc;

    *out = (struct trace){0};
    arena_init(&out->arena, memory_max);
    arena_init(&r.scratch, (size_t)16 * TRACE_LINE_MAX);
    if (n > TRACE_FILE_MAX)
        rc = fail_size(&r);
    else
        rc = reserve_records(&r, bytes, n);
    if (rc == 0)
        rc = read_lines(&r, bytes, n);
    arena_done(&r.scratch);
    if (rc < 0)
        trace_done(out);
    return rc;
}

void trace_done(struct trace *trace)
{
    arena_done(&trace->arena);
    *trace = (struct trace){0};
}

/* A file in a mapping of its own. Not a mapping of the file: that would end the process if someone
 * shortened the file meanwhile. */
struct content {
    char *bytes;
    size_t n;
    size_t size; /* of the mapping */
};

static int grow(struct content *c, size_t size)
{
    void *memory = c->bytes == NULL ? mmap(NULL, size, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                    : mremap(c->bytes, c->size, size, MREMAP_MAYMOVE);

    if (memory == MAP_FAILED)
        return SN_ENOMEM;
    c->bytes = memory;
    c->size = size;
    return 0;
}

/* Reads up to the end, or one byte more than is allowed, or so much without a line end that no
 * trace can start like this. */
static int read_all(struct content *c, int fd, struct reader *r)
{
    bool has_line = false;

    for (;;) {
        ssize_t got;

        if (c->n == c->size && grow(c, c->size == 0 ? READ_FIRST : c->size * 2) < 0)
            return fail_memory(r);
        got = read(fd, c->bytes + c->n, c->size - c->n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_line(r, SN_EIO, 0, "cannot be read: %s", strerror(errno));
        has_line = has_line || memchr(c->bytes + c->n, '\n', (size_t)got) != NULL;
        c->n += (size_t)got;
        if (got == 0 || c->n > TRACE_FILE_MAX || (!has_line && c->n > TRACE_LINE_MAX))
            return 0;
    }
}

int trace_read(struct trace *out, const char *path, struct err *why)
{
    struct reader r = {.name = path, .why = why};
    struct content content = {0};
    struct stat status;
    int fd;
    int rc;

    *out = (struct trace){0};
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return fail_line(&r, SN_EIO, 0, "cannot be opened: %s", strerror(errno));
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > TRACE_FILE_MAX)
        rc = fail_size(&r);
    else
        rc = read_all(&content, fd, &r);
    if (rc == 0)
        rc = trace_parse(out, content.bytes, content.n, path, why);
    if (content.bytes != NULL)
        (void)munmap(content.bytes, content.size);
    (void)close(fd);
    return rc;
}
