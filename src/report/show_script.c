/* show_script.c - a trace as a script that runs the same trial: docs/step.md.
 *
 * A line names an operation by what people call it. That is enough if no other operation of the
 * same names was pending that is as old or older, since of several the oldest is meant. Where the
 * trace cannot rule that out the line has the operation's id as well. SPDX-License-Identifier: MIT
 */
#include "base/arena.h"
#include "base/hash.h"
#include "base/word.h"
#include "report/show.h"
#include "report/words.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOAD_COLUMNS = 60 };

/* An operation that was pending: from one step on, until another or the end. */
struct pending {
    uint64_t key; /* hash of its names */
    uint64_t cause;
    uint64_t gone; /* the step that it became; UINT64_MAX: it never did */
};

struct script {
    const struct trace *trace;
    struct pending *pending; /* by key, cause and gone */
    size_t *first;           /* by the first of a key: the first that is not gone yet */
    uint64_t *delivered;     /* ids of all steps, in order */
    size_t n;
    size_t n_steps;
    struct arena arena;
};

static const struct trace_record *step_record(const struct script *s, uint64_t step)
{
    return &s->trace->records[s->trace->step_index[step]];
}

/* ---- What was pending ----------------------------------------------------------------------- */

static uint64_t key_of(enum trace_op op, const char *event, const char *task, const char *from)
{
    uint64_t h = hash_add(HASH_START, (const char *)&op, sizeof(op));

    /* With their zero bytes, so that no two lists of names are one text. */
    if (op != TRACE_OP_START)
        h = hash_add(h, event, strlen(event) + 1);
    h = hash_add(h, task, strlen(task) + 1);
    return op == TRACE_OP_DELIVER ? hash_add(h, from, strlen(from) + 1) : h;
}

static const char *sender(const char *from)
{
    return from != NULL ? from : "nobody";
}

static uint64_t key_of_step(const struct trace_record *r)
{
    return key_of(r->step.op, r->step.event, r->step.task, sender(r->step.from));
}

static int compare_pending(const void *a, const void *b)
{
    const struct pending *x = a;
    const struct pending *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->cause != y->cause)
        return x->cause < y->cause ? -1 : 1;
    return x->gone < y->gone ? -1 : x->gone > y->gone;
}

static int compare_id(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* The first of the first n that is not below (key, cause). */
static size_t lower_bound(const struct script *s, size_t n, uint64_t key, uint64_t cause)
{
    size_t low = 0;

    while (low < n) {
        size_t middle = low + (n - low) / 2;
        const struct pending *p = &s->pending[middle];

        if (p->key < key || (p->key == key && p->cause < cause))
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Whether a timer that was started as the n-th of its name in a step, from 0 on, has fired. */
static bool has_fired(const struct script *s, uint64_t key, uint64_t cause, size_t n)
{
    size_t i = lower_bound(s, s->n_steps, key, cause);

    return i + n < s->n_steps && s->pending[i + n].key == key && s->pending[i + n].cause == cause;
}

static bool has_started(const struct script *s, uint64_t key)
{
    size_t i = lower_bound(s, s->n_steps, key, 0);

    return i < s->n_steps && s->pending[i].key == key;
}

/* What was announced but never became a step. */
static void add_unperformed(struct script *s, const struct trace_record *r, size_t nth_timer,
                            uint64_t step)
{
    const char *task = step == 0 ? "nobody" : step_record(s, step)->step.task;
    uint64_t key;

    if (r->kind == TRACE_SEND) {
        if (bsearch(&r->send.id, s->delivered, s->n_steps, sizeof(uint64_t), compare_id) != NULL)
            return;
        key = key_of(TRACE_OP_DELIVER, r->send.event, r->send.to, task);
    } else if (r->kind == TRACE_TIMER && r->timer.what != TRACE_TIMER_CANCEL) {
        key = key_of(TRACE_OP_TIMER, r->timer.event, task, "");
        if (has_fired(s, key, step, nth_timer))
            return;
    } else if (r->kind == TRACE_CREATE) {
        key = key_of(TRACE_OP_START, "", r->create.name, "");
        if (has_started(s, key))
            return;
    } else {
        return;
    }
    s->pending[s->n++] = (struct pending){key, step, UINT64_MAX};
}

static size_t count_timers(const struct trace_record *records, size_t n, const char *event)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += records[i].kind == TRACE_TIMER && records[i].timer.what != TRACE_TIMER_CANCEL &&
                 strcmp(records[i].timer.event, event) == 0;
    return count;
}

static int gather(struct script *s)
{
    const struct trace *trace = s->trace;

    s->pending = arena_array(&s->arena, trace->n_records + 1, sizeof(*s->pending));
    s->first = arena_array(&s->arena, trace->n_records + 1, sizeof(*s->first));
    s->delivered = arena_array(&s->arena, trace->n_steps + 1, sizeof(*s->delivered));
    if (s->pending == NULL || s->first == NULL || s->delivered == NULL)
        return SN_ENOMEM;
    for (uint64_t step = 1; step <= trace->n_steps; step++) {
        const struct trace_record *r = step_record(s, step);

        s->delivered[s->n] = r->step.id;
        s->pending[s->n++] = (struct pending){key_of_step(r), r->step.cause, step};
    }
    s->n_steps = s->n;
    qsort(s->pending, s->n, sizeof(*s->pending), compare_pending);
    qsort(s->delivered, s->n, sizeof(*s->delivered), compare_id);
    for (uint64_t step = 0; step <= trace->n_steps; step++) {
        size_t n;
        const struct trace_record *details = show_details(trace, step, &n);

        for (size_t i = 0; i < n; i++)
            add_unperformed(s, &details[i],
                            details[i].kind == TRACE_TIMER
                                ? count_timers(details, i, details[i].timer.event)
                                : 0,
                            step);
    }
    qsort(s->pending, s->n, sizeof(*s->pending), compare_pending);
    for (size_t i = 0; i < s->n; i++)
        s->first[i] = i;
    return 0;
}

/* Whether another operation of the same names may have been pending that was not younger. Steps are
 * asked about in their order. */
static bool is_ambiguous(struct script *s, uint64_t step)
{
    const struct trace_record *r = step_record(s, step);
    uint64_t key = key_of_step(r);
    size_t group = lower_bound(s, s->n, key, 0);
    size_t *first = &s->first[group];

    if (r->step.op == TRACE_OP_FAULT)
        return true; /* nothing in a trace tells which others were pending */
    while (s->pending[*first].gone < step)
        ++*first;
    for (size_t i = *first; i < s->n; i++) {
        const struct pending *p = &s->pending[i];

        if (p->key != key || p->cause > r->step.cause)
            return false;
        if (p->gone > step)
            return true;
    }
    return false;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

/* Values up to the last that is not 0, which is what a value is that no line gives. */
static void put_draws(struct sn_text *out, const struct script *s, uint64_t step)
{
    size_t n;
    const struct trace_record *r = show_details(s->trace, step, &n);

    while (n > 0 && (r[n - 1].kind != TRACE_DRAW || r[n - 1].draw.value == 0))
        n--;
    for (size_t i = 0; i < n; i++) {
        if (r[i].kind != TRACE_DRAW)
            continue;
        text_puts(out, step == 0 ? "draw " : "    draw ");
        word_put(out, r[i].draw.label);
        text_print(out, " = %" PRIu64 "\n", r[i].draw.value);
    }
}

static void put_step(struct sn_text *out, struct script *s, uint64_t step)
{
    static const char *const verbs[] = {[TRACE_OP_START] = "start ",
                                        [TRACE_OP_DELIVER] = "deliver ",
                                        [TRACE_OP_TIMER] = "timer ",
                                        [TRACE_OP_FAULT] = "fault ",
                                        [TRACE_OP_PROCESS] = "do "};
    const struct trace_record *r = step_record(s, step);

    text_puts(out, verbs[r->step.op]);
    if (r->step.op != TRACE_OP_START)
        word_put(out, r->step.event);
    if (r->step.op == TRACE_OP_DELIVER || r->step.op == TRACE_OP_TIMER ||
        r->step.op == TRACE_OP_PROCESS)
        text_puts(out, r->step.op == TRACE_OP_DELIVER ? " to " : " of ");
    if (r->step.op != TRACE_OP_FAULT)
        word_put(out, r->step.task);
    if (r->step.op == TRACE_OP_DELIVER) {
        text_puts(out, " from ");
        word_put(out, sender(r->step.from));
    }
    if (is_ambiguous(s, step))
        text_print(out, " id %016" PRIx64, r->step.id);
    if (r->step.payload.bytes != NULL && r->step.payload.n > 0) {
        text_puts(out, "  # ");
        (void)show_put(out, r->step.payload, PAYLOAD_COLUMNS);
    }
    text_putc(out, '\n');
}

/* How to run it, as a comment. */
static void put_head(struct sn_text *out, const struct trace *trace)
{
    const struct trace_header *h = &trace->header;

    words_phrase(out, "# ", h->suite, "/", h->test);
    text_print(out, ", %" PRIu64 " step%s\n# run it with: ", trace->n_steps,
               trace->n_steps == 1 ? "" : "s");
    words_name(out, h->program[0] != '\0' ? h->program : "sn_run and");
    for (size_t i = 0; i < h->n_args; i++)
        words_phrase(out, " ", h->args[i], "", NULL);
    words_phrase(out, " -f ", h->test, "", NULL);
    text_print(out, " --max-steps %" PRIu64 "%s -s script:FILE\n", h->max_steps,
               h->world == TRACE_WORLD_FORK ? " --isolate=fork" : "");
}

int show_script(struct sn_text *out, const struct trace *trace, const struct show_options *options)
{
    struct show_range range = show_range_of(trace, options);
    struct script s = {.trace = trace};
    int rc = gather(&s);

    if (rc < 0) {
        arena_done(&s.arena);
        return rc;
    }
    put_head(out, trace);
    put_draws(out, &s, 0);
    for (uint64_t step = 1; step <= range.last; step++) {
        /* What follows is judged by what is not done although it could be. */
        if (trace->header.fair_from == step - 1)
            text_puts(out, "fair\n");
        put_step(out, &s, step);
        put_draws(out, &s, step);
    }
    arena_done(&s.arena);
    return out->cut || text_flush(out) < 0 ? SN_EIO : 0;
}
