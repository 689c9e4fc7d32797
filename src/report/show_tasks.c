/* show_tasks.c - see show_tasks.h. SPDX-License-Identifier: MIT */
#include "report/show_tasks.h"

#include "base/err.h"

#include <sennit/test.h>

/* Notes who took part in a step: whoever sent something comes before whoever got it. */
static int add_step(struct show_tasks *tasks, uint64_t step)
{
    const struct trace_record *r = show_step(tasks->trace, step);
    const char *source = show_source(tasks->trace, r);
    size_t index;

    if (source != NULL && roster_add(&tasks->names, source, &index) < 0)
        return SN_ENOMEM;
    return roster_add(&tasks->names, r->step.task, &tasks->of_step[step - tasks->first]);
}

/* Links the steps of each task. */
static int link_steps(struct show_tasks *tasks)
{
    uint64_t *last = arena_array(&tasks->arena, tasks->names.n, sizeof(*last));

    tasks->first_of = arena_array(&tasks->arena, tasks->names.n, sizeof(*tasks->first_of));
    if (last == NULL || tasks->first_of == NULL)
        return SN_ENOMEM;
    for (uint64_t step = tasks->first; step <= tasks->range.last; step++) {
        size_t task = tasks->of_step[step - tasks->first];

        tasks->previous[step - tasks->first] = last[task];
        if (last[task] != 0)
            tasks->next[last[task] - tasks->first] = step;
        else
            tasks->first_of[task] = step;
        last[task] = step;
    }
    return 0;
}

int show_tasks_init(struct show_tasks *tasks, const struct trace *trace, struct show_range range)
{
    uint64_t first = range.first == 0 ? 1 : range.first;
    size_t n = range.last < first ? 0 : (size_t)(range.last - first) + 1;

    *tasks = (struct show_tasks){.trace = trace, .range = range, .first = first};
    tasks->names.arena = &tasks->arena;
    tasks->of_step = arena_array(&tasks->arena, n, sizeof(*tasks->of_step));
    tasks->next = arena_array(&tasks->arena, n, sizeof(*tasks->next));
    tasks->previous = arena_array(&tasks->arena, n, sizeof(*tasks->previous));
    if (tasks->of_step == NULL || tasks->next == NULL || tasks->previous == NULL)
        return SN_ENOMEM;
    for (uint64_t step = first; step <= range.last; step++) {
        if (add_step(tasks, step) < 0)
            return SN_ENOMEM;
    }
    return link_steps(tasks);
}

void show_tasks_done(struct show_tasks *tasks)
{
    arena_done(&tasks->arena);
}

size_t show_tasks_of(const struct show_tasks *tasks, uint64_t step)
{
    sn_check(step >= tasks->first);
    sn_check(step <= tasks->range.last);
    return tasks->of_step[step - tasks->first];
}

const struct trace_record *show_step(const struct trace *trace, uint64_t step)
{
    sn_check(step > 0);
    sn_check(step <= trace->n_steps);
    return &trace->records[trace->step_index[step]];
}

const char *show_source(const struct trace *trace, const struct trace_record *step)
{
    if (step->step.from != NULL)
        return step->step.from;
    if (step->step.op == TRACE_OP_PROCESS && step->step.sent != 0)
        return show_step(trace, step->step.sent)->step.task;
    if (step->step.op == TRACE_OP_START && step->step.cause != 0)
        return show_step(trace, step->step.cause)->step.task;
    return NULL;
}
