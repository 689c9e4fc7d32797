/* show_unreceived.c - see show_unreceived.h. SPDX-License-Identifier: MIT */
#include "report/show_unreceived.h"

#include "report/words.h"

#include <sennit/test.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What is known at the end of the range. */
struct end {
    uint64_t *gone; /* ids of messages that were received or lost, sorted */
    size_t n_gone;
    bool *is_deaf; /* by task: it is a process, or has halted */
    size_t n_records;
};

static int compare_ids(const void *a, const void *b)
{
    const uint64_t *one = a;
    const uint64_t *other = b;

    return *one < *other ? -1 : *one > *other ? 1 : 0;
}

static void note_record(struct end *end, const struct show_tasks *tasks,
                        const struct trace_record *r)
{
    size_t task;

    if (r->kind == TRACE_STEP) {
        end->gone[end->n_gone++] = r->step.id;
        task = roster_find(&tasks->names, r->step.task);
        if (task != ROSTER_NONE)
            end->is_deaf[task] = r->step.op == TRACE_OP_PROCESS;
    } else if (r->kind == TRACE_FAULT && words_is_lost(r)) {
        end->gone[end->n_gone++] = r->fault.id;
    } else if (r->kind == TRACE_STATE && r->state.how == TRACE_HOW_HALT) {
        task = roster_find(&tasks->names, r->state.task);
        if (task != ROSTER_NONE)
            end->is_deaf[task] = true;
    }
}

/* Whether a record is that of a message that is on its way at the end; *message tells which. */
static bool is_open(const struct end *end, const struct show_tasks *tasks,
                    const struct trace_record *r, struct show_message *message)
{
    uint64_t id;
    size_t task;

    if (r->kind == TRACE_SEND) {
        *message = (struct show_message){.event = r->send.event, .to = r->send.to};
        id = r->send.id;
    } else if (r->kind == TRACE_FAULT && strcmp(r->fault.what, "duplicated") == 0 &&
               r->fault.event != NULL && r->fault.to != NULL) {
        *message = (struct show_message){.event = r->fault.event, .to = r->fault.to};
        id = r->fault.id;
    } else {
        return false;
    }
    task = roster_find(&tasks->names, message->to);
    return task != ROSTER_NONE && !end->is_deaf[task] &&
           bsearch(&id, end->gone, end->n_gone, sizeof(*end->gone), compare_ids) == NULL;
}

int show_unreceived(struct show_tasks *tasks, const struct show_message **list, size_t *n)
{
    const struct trace *trace = tasks->trace;
    struct end end = {.n_records = trace->step_index[tasks->range.last + 1]};
    struct show_message *messages;
    struct show_message message;
    uint64_t step = 0;

    *n = 0;
    end.gone = arena_array(&tasks->arena, end.n_records + 1, sizeof(*end.gone));
    end.is_deaf = arena_array(&tasks->arena, tasks->names.n, sizeof(*end.is_deaf));
    if (end.gone == NULL || end.is_deaf == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < end.n_records; i++)
        note_record(&end, tasks, &trace->records[i]);
    qsort(end.gone, end.n_gone, sizeof(*end.gone), compare_ids);
    for (size_t i = 0; i < end.n_records; i++)
        *n += is_open(&end, tasks, &trace->records[i], &message) ? 1 : 0;
    messages = arena_array(&tasks->arena, *n, sizeof(*messages));
    if (messages == NULL)
        return SN_ENOMEM;
    *list = messages;
    for (size_t i = 0; i < end.n_records; i++) {
        step += trace->records[i].kind == TRACE_STEP ? 1 : 0;
        if (!is_open(&end, tasks, &trace->records[i], &message))
            continue;
        message.step = step;
        *messages++ = message;
    }
    return 0;
}
