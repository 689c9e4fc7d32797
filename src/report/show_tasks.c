/* show_tasks.c - see show_tasks.h. SPDX-License-Identifier: MIT */
#include "report/show_tasks.h"

#include "base/err.h"

#include <sennit/test.h>
#include <stdbool.h>

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

/* ---- Those that matter most ----------------------------------------------------------------- */

enum {
    IS_FAULTS,
    IS_BESIDE,
    IS_IN_PAST,
    IS_FAILING,
    RANKS,
};

static void mark(const struct show_tasks *tasks, uint8_t *is_past, uint64_t step)
{
    if (step >= tasks->first && step <= tasks->range.last)
        is_past[step - tasks->first] = 1;
}

/* Whatever a step depends on comes before it, so that one walk back is enough. */
static void rank_past(const struct show_tasks *tasks, uint8_t *is_past, uint8_t *ranks)
{
    for (uint64_t step = tasks->range.last; step >= tasks->first; step--) {
        const struct trace_record *r = show_step(tasks->trace, step);
        uint8_t *rank = &ranks[tasks->of_step[step - tasks->first]];

        if (r->step.op == TRACE_OP_FAULT)
            *rank = IS_FAULTS;
        if (is_past[step - tasks->first] == 0)
            continue;
        if (*rank == IS_BESIDE)
            *rank = IS_IN_PAST;
        mark(tasks, is_past, r->step.cause);
        mark(tasks, is_past, r->step.sent);
        mark(tasks, is_past, tasks->previous[step - tasks->first]);
    }
}

static int rank_all(struct show_tasks *tasks, uint8_t *ranks)
{
    uint64_t failed = tasks->trace->verdict.step;
    size_t n =
        tasks->range.last < tasks->first ? 0 : (size_t)(tasks->range.last - tasks->first) + 1;
    uint8_t *is_past = arena_array(&tasks->arena, n, sizeof(*is_past));
    bool is_failed = tasks->trace->verdict.verdict != TRACE_PASSED && failed >= tasks->first &&
                     failed <= tasks->range.last;

    if (is_past == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < tasks->names.n; i++)
        ranks[i] = IS_BESIDE;
    if (is_failed)
        mark(tasks, is_past, failed);
    rank_past(tasks, is_past, ranks);
    if (is_failed && ranks[show_tasks_of(tasks, failed)] != IS_FAULTS)
        ranks[show_tasks_of(tasks, failed)] = IS_FAILING;
    return 0;
}

/* order[i] becomes the index of the task that is to be the i-th. */
static void choose(const uint8_t *ranks, size_t all, size_t n, size_t *order)
{
    size_t left[RANKS] = {0}; /* how many of each rank are among the first */
    size_t counts[RANKS] = {0};
    size_t front = 0;
    size_t back = n;

    for (size_t i = 0; i < all; i++)
        counts[ranks[i]]++;
    for (size_t rank = RANKS; rank-- > 0;) {
        left[rank] = counts[rank] < n ? counts[rank] : n;
        n -= left[rank];
    }
    for (size_t i = 0; i < all; i++) {
        bool is_first = left[ranks[i]] > 0;

        left[ranks[i]] -= is_first ? 1 : 0;
        order[is_first ? front++ : back++] = i;
    }
}

int show_tasks_prefer(struct show_tasks *tasks, size_t n)
{
    size_t all = tasks->names.n;
    uint8_t *ranks = arena_array(&tasks->arena, all, sizeof(*ranks));
    size_t *order = arena_array(&tasks->arena, all, sizeof(*order));
    size_t *place = arena_array(&tasks->arena, all, sizeof(*place));
    uint64_t *first_of = arena_array(&tasks->arena, all, sizeof(*first_of));

    sn_check(n <= all);
    if (ranks == NULL || order == NULL || place == NULL || first_of == NULL)
        return SN_ENOMEM;
    if (n == all)
        return 0;
    if (rank_all(tasks, ranks) < 0)
        return SN_ENOMEM;
    choose(ranks, all, n, order);
    if (roster_reorder(&tasks->names, order) < 0)
        return SN_ENOMEM;
    for (size_t i = 0; i < all; i++) {
        place[order[i]] = i;
        first_of[i] = tasks->first_of[order[i]];
    }
    tasks->first_of = first_of;
    for (uint64_t step = tasks->first; step <= tasks->range.last; step++)
        tasks->of_step[step - tasks->first] = place[tasks->of_step[step - tasks->first]];
    return 0;
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
