/* show_shrunk.c - see show_shrunk.h. SPDX-License-Identifier: MIT */
#include "report/show_shrunk.h"

#include "report/words.h"

#include <inttypes.h>

static const struct trace_record *find_step(const struct trace *trace, uint64_t id)
{
    for (uint64_t step = 1; step <= trace->n_steps; step++) {
        const struct trace_record *record = &trace->records[trace->step_index[step]];

        if (record->step.id == id)
            return record;
    }
    return NULL;
}

static void put_step(struct sn_text *out, const struct trace_record *r)
{
    words_phrase(out, "", r->step.op == TRACE_OP_START ? "start" : r->step.event, " of ",
                 r->step.task);
    if (r->step.from != NULL && r->step.op == TRACE_OP_DELIVER)
        words_phrase(out, " from ", r->step.from, "", NULL);
}

/* One that did not run is known if it is a message or a start. */
static bool put_pending(struct sn_text *out, const struct trace *trace, uint64_t id)
{
    const char *from = "";

    for (size_t i = 0; i < trace->n_records; i++) {
        const struct trace_record *r = &trace->records[i];

        if (r->kind == TRACE_STEP)
            from = r->step.task;
        if (r->kind == TRACE_SEND && r->send.id == id) {
            words_phrase(out, "", r->send.event, " of ", r->send.to);
            if (from[0] != '\0')
                words_phrase(out, " from ", from, "", NULL);
            return true;
        }
        if (r->kind == TRACE_CREATE && r->create.start == id) {
            words_phrase(out, "start of ", r->create.name, "", NULL);
            return true;
        }
    }
    return false;
}

bool show_put_operation(struct sn_text *out, const struct trace *trace, uint64_t id)
{
    const struct trace_record *step = find_step(trace, id);

    if (step == NULL)
        return put_pending(out, trace, id);
    put_step(out, step);
    return true;
}

/* By its step, or by its name if it has none. */
static void put_operation(struct sn_text *out, const struct trace *trace, uint64_t id,
                          const char *name)
{
    const struct trace_record *step = find_step(trace, id);

    if (step != NULL) {
        text_print(out, "step %" PRIu64 " (", step->step.number);
        put_step(out, step);
        text_putc(out, ')');
        return;
    }
    if (name != NULL)
        words_name(out, name);
    else if (!put_pending(out, trace, id))
        text_puts(out, "a timer, a fault or a call");
    text_puts(out, " (not run here)");
}

void show_put_hold(struct sn_text *out, const struct trace *trace, const struct trace_record *hold)
{
    text_puts(out, "hold ");
    put_operation(out, trace, hold->hold.held, hold->hold.name);
    text_puts(out, " until ");
    put_operation(out, trace, hold->hold.until, hold->hold.until_name);
}

static void put_default(struct sn_text *out, const struct trace *trace, uint64_t steps,
                        size_t n_holds)
{
    if (n_holds == 0)
        text_puts(out, "the default schedule fails, too: there is no exception to tell");
    else
        text_print(out, "the default schedule with %s does the same",
                   n_holds == 1 ? "this exception" : "these exceptions");
    if (steps != trace->n_steps)
        text_print(out, ", in %" PRIu64 " steps", steps);
    text_putc(out, '\n');
}

/* What there was more of than is left. */
static void put_sizes(struct sn_text *out, const struct trace *trace, uint64_t steps,
                      uint64_t draws)
{
    uint64_t left = 0;

    for (size_t i = 0; i < trace->n_records; i++)
        left += trace->records[i].kind == TRACE_DRAW && trace->records[i].draw.value != 0;
    text_puts(out, "shrunk     ");
    if (steps == trace->n_steps && draws == left)
        text_puts(out, "nothing was left out");
    if (steps != trace->n_steps)
        text_print(out, "from %" PRIu64 " steps", steps);
    if (steps != trace->n_steps && draws != left)
        text_puts(out, " and ");
    if (draws != left)
        text_print(out, "%s%" PRIu64 " drawn value%s not 0", steps == trace->n_steps ? "from " : "",
                   draws, draws == 1 ? " that was" : "s that were");
    text_putc(out, '\n');
}

void show_put_shrunk(struct sn_text *out, const struct trace *trace)
{
    const struct trace_record *shrunk = NULL;
    size_t n_holds = 0;

    for (size_t i = 0; i < trace->n_records; i++) {
        if (trace->records[i].kind == TRACE_SHRUNK)
            shrunk = &trace->records[i];
        n_holds += trace->records[i].kind == TRACE_HOLD;
    }
    if (shrunk == NULL)
        return;
    put_sizes(out, trace, shrunk->shrunk.steps, shrunk->shrunk.draws);
    if (shrunk->shrunk.held_steps == 0)
        return;
    text_puts(out, "           ");
    put_default(out, trace, shrunk->shrunk.held_steps, n_holds);
    for (size_t i = 0; i < trace->n_records; i++) {
        if (trace->records[i].kind != TRACE_HOLD)
            continue;
        text_puts(out, "           - ");
        show_put_hold(out, trace, &trace->records[i]);
        text_putc(out, '\n');
    }
}
