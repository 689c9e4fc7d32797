/* show_births.c - see show_births.h. SPDX-License-Identifier: MIT */
#include "report/show_births.h"

#include <sennit/test.h>
#include <stdlib.h>

/* Which record created the machine whose first step has this id. */
struct birth {
    uint64_t start;
    const struct trace_record *record;
};

static int compare(const void *a, const void *b)
{
    const struct birth *one = a;
    const struct birth *other = b;

    return one->start < other->start ? -1 : one->start > other->start ? 1 : 0;
}

/* All records of creations, sorted by the id of the first step. */
static struct birth *list_all(struct show_tasks *tasks, size_t *n)
{
    const struct trace *trace = tasks->trace;
    struct birth *births;

    *n = 0;
    for (size_t i = 0; i < trace->n_records; i++)
        *n += trace->records[i].kind == TRACE_CREATE ? 1 : 0;
    births = arena_array(&tasks->arena, *n, sizeof(*births));
    if (births == NULL)
        return NULL;
    *n = 0;
    for (size_t i = 0; i < trace->n_records; i++) {
        const struct trace_record *r = &trace->records[i];

        if (r->kind == TRACE_CREATE)
            births[(*n)++] = (struct birth){.start = r->create.start, .record = r};
    }
    qsort(births, *n, sizeof(*births), compare);
    return births;
}

int show_births_find(struct show_tasks *tasks, const struct trace_record ***births)
{
    size_t n;
    struct birth *all = list_all(tasks, &n);

    *births = arena_array(&tasks->arena, tasks->names.n, sizeof(**births));
    if (all == NULL || *births == NULL)
        return SN_ENOMEM;
    for (uint64_t step = 1; step <= tasks->trace->n_steps; step++) {
        const struct trace_record *r = show_step(tasks->trace, step);
        struct birth key = {.start = r->step.id};
        const struct birth *birth;
        size_t task;

        if (r->step.op != TRACE_OP_START)
            continue;
        task = roster_find(&tasks->names, r->step.task);
        birth = bsearch(&key, all, n, sizeof(key), compare);
        if (task != ROSTER_NONE && birth != NULL)
            (*births)[task] = birth->record;
    }
    return 0;
}
