/* show_perfetto_calls.c - what clients called and what became of it, for show_perfetto.c.
 *
 * A call is an asynchronous slice, as it begins in one step and ends in another. A client has a row
 * of its own: a slice with its name, in which its calls lie. Calls of one client that overlap,
 * which only happens if one never returns, get another row each. SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "base/json.h"
#include "report/roster.h"
#include "report/show_perfetto.h"

#include <inttypes.h>
#include <sennit/test.h>

static const char category[] = "call";

/* A row. It is in the list of its client's free rows, or is busy with a call. */
struct row {
    size_t client;
    size_t next_free;                /* index plus 1; 0: none */
    const struct trace_record *busy; /* the call */
};

struct calls {
    struct sn_text *out;
    const struct trace *trace;
    const struct show_axis *axis;
    struct roster clients;
    struct row *rows;
    size_t n_rows;
    size_t *free;  /* by client: its first free row, plus 1 */
    size_t *open;  /* by number of a call: its row, plus 1 */
    size_t n_open; /* of those: calls are counted from 1 */
    struct arena arena;
};

static void put(const struct calls *c, const char *phase, size_t row, struct trace_text name,
                uint64_t at_ns)
{
    struct perfetto_event event = {.phase = phase,
                                   .category = category,
                                   .name = name,
                                   .at_ns = at_ns,
                                   .process = PERFETTO_CLIENTS,
                                   .track = PERFETTO_CLIENTS};

    perfetto_begin(c->out, &event);
    text_print(c->out, ",\"id\":%zu", row + 1);
}

static struct trace_text client_name(const struct calls *c, size_t row)
{
    return trace_text_of(c->clients.list[c->rows[row].client]);
}

/* A row of a client that is free; a new one begins here. */
static size_t take_row(struct calls *c, size_t client, uint64_t at_ns)
{
    size_t row = c->free[client];

    if (row != 0) {
        c->free[client] = c->rows[row - 1].next_free;
        return row - 1;
    }
    row = c->n_rows++;
    c->rows[row].client = client;
    put(c, "b", row, client_name(c, row), at_ns);
    perfetto_end(c->out);
    return row;
}

static void put_call(struct calls *c, const struct trace_record *r, uint64_t at_ns)
{
    size_t row = take_row(c, roster_find(&c->clients, r->operation.process), at_ns);

    c->rows[row].busy = r;
    c->open[r->operation.number - 1] = row + 1;
    put(c, "b", row, r->operation.text, at_ns);
    text_print(c->out, ",\"args\":{\"number\":%" PRIu64 "}", r->operation.number);
    perfetto_end(c->out);
}

/* The end has the name that the beginning had. What it says itself has the result. */
static void put_return(struct calls *c, size_t row, const struct trace_record *r, uint64_t at_ns)
{
    static const char *const keys[] = {
        [TRACE_OPERATION_RETURN] = "returned", [TRACE_OPERATION_FAIL] = "failed"};

    put(c, "e", row, c->rows[row].busy->operation.text, at_ns);
    if (r != NULL) {
        text_print(c->out, ",\"args\":{\"%s\":", keys[r->operation.what]);
        json_put_string(c->out, r->operation.text.bytes, r->operation.text.n);
        text_puts(c->out, "}");
    }
    perfetto_end(c->out);
    c->rows[row].busy = NULL;
    c->rows[row].next_free = c->free[c->rows[row].client];
    c->free[c->rows[row].client] = row + 1;
}

/* Numbers that are not those of calls one after the other are left out: no trace of ours has them.
 */
static void put_operation(struct calls *c, const struct trace_record *r, uint64_t at_ns)
{
    uint64_t number = r->operation.number;

    if (number == 0 || number > c->n_open)
        return;
    if (r->operation.what == TRACE_OPERATION_CALL && c->open[number - 1] == 0) {
        put_call(c, r, at_ns);
    } else if (r->operation.what != TRACE_OPERATION_CALL && c->open[number - 1] != 0) {
        put_return(c, c->open[number - 1] - 1, r, at_ns);
        c->open[number - 1] = 0;
    }
}

/* Who the clients are, and how many calls there can be. */
static int prepare(struct calls *c)
{
    size_t n = 0;
    size_t client;

    for (size_t i = 0; i < c->trace->n_records; i++) {
        if (c->trace->records[i].kind != TRACE_OPERATION)
            continue;
        n++;
        if (roster_add(&c->clients, c->trace->records[i].operation.process, &client) < 0)
            return SN_ENOMEM;
    }
    c->n_open = n;
    c->rows = arena_array(&c->arena, n, sizeof(*c->rows));
    c->free = arena_array(&c->arena, c->clients.n, sizeof(*c->free));
    c->open = arena_array(&c->arena, n, sizeof(*c->open));
    return c->rows == NULL || c->free == NULL || c->open == NULL ? SN_ENOMEM : 0;
}

static void put_all(struct calls *c)
{
    if (c->clients.n > 0)
        perfetto_put_name(c->out, PERFETTO_CLIENTS, PERFETTO_CLIENTS, "clients");
    for (uint64_t step = c->axis->range.first; step <= c->axis->range.last; step++) {
        size_t n;
        const struct trace_record *r = show_details(c->trace, step, &n);

        for (size_t i = 0; i < n; i++) {
            if (r[i].kind == TRACE_OPERATION)
                put_operation(c, &r[i], show_axis_inside(c->axis, step, i, n));
        }
    }
    for (size_t row = 0; row < c->n_rows; row++) {
        if (c->rows[row].busy != NULL)
            put_return(c, row, NULL, c->axis->end_ns);
        put(c, "e", row, client_name(c, row), c->axis->end_ns);
        perfetto_end(c->out);
    }
}

int perfetto_put_operations(struct sn_text *out, const struct trace *trace,
                            const struct show_axis *axis)
{
    struct calls c = {.out = out, .trace = trace, .axis = axis};
    int rc;

    c.clients.arena = &c.arena;
    rc = prepare(&c);
    if (rc == 0)
        put_all(&c);
    arena_done(&c.arena);
    return rc;
}
