/* show_clocks.c - see show_clocks.h. SPDX-License-Identifier: MIT */
#include "report/show_clocks.h"

#include "base/err.h"

#include <assert.h>
#include <sennit/test.h>
#include <string.h>

static const struct clock_entry set_up[] = {{.host = 0, .count = 1}};

/* ---- Pieces of memory that are used again --------------------------------------------------- */

static unsigned class_of(size_t n)
{
    unsigned class = 0;

    while (((size_t)1 << class) < n)
        class ++;
    sn_check(class < CLOCK_CLASSES);
    return class;
}

/* A free piece begins with the address of the next one. */
static struct clock_entry *piece_take(struct show_clocks *clocks, size_t n)
{
    unsigned class = class_of(n);
    struct clock_entry *piece = clocks->free[class];
    struct clock_entry *next;

    static_assert(sizeof(struct clock_entry) >= sizeof(struct clock_entry *), "holds a pointer");
    if (piece == NULL)
        return arena_array(&clocks->arena, (size_t)1 << class, sizeof(*piece));
    memcpy(&next, (const void *)piece, sizeof(next));
    clocks->free[class] = next;
    return piece;
}

static void piece_give(struct show_clocks *clocks, struct clock_entry *piece, size_t n)
{
    unsigned class = class_of(n);
    struct clock_entry *next = clocks->free[class];

    memcpy((void *)piece, &next, sizeof(next));
    clocks->free[class] = piece;
}

/* ---- Clocks --------------------------------------------------------------------------------- */

/* Calls `use` for each step of the range, and for the set-up as step 0, that `step` comes after. */
static void each_before(struct show_clocks *clocks, uint64_t step,
                        void (*use)(struct show_clocks *clocks, uint64_t before))
{
    const struct show_tasks *tasks = clocks->tasks;
    const struct trace_record *r = show_step(tasks->trace, step);
    uint64_t previous = tasks->previous[step - tasks->first];

    if (previous != 0)
        use(clocks, previous);
    if (r->step.cause >= tasks->range.first && (r->step.cause == 0 || r->step.cause != previous))
        use(clocks, r->step.cause);
    if (r->step.sent >= tasks->first && r->step.sent != previous && r->step.sent != r->step.cause)
        use(clocks, r->step.sent);
}

static void count_use(struct show_clocks *clocks, uint64_t before)
{
    if (before != 0)
        clocks->kept[before - clocks->tasks->first].uses_left++;
}

int show_clocks_init(struct show_clocks *clocks, const struct show_tasks *tasks)
{
    size_t n = tasks->range.last < tasks->first ? 0 : tasks->range.last - tasks->first + 1;

    *clocks = (struct show_clocks){.tasks = tasks};
    clocks->kept = arena_array(&clocks->arena, n, sizeof(*clocks->kept));
    clocks->clock = arena_array(&clocks->arena, tasks->names.n + 1, sizeof(*clocks->clock));
    clocks->scratch = arena_array(&clocks->arena, tasks->names.n + 1, sizeof(*clocks->scratch));
    if (clocks->kept == NULL || clocks->clock == NULL || clocks->scratch == NULL)
        return SN_ENOMEM;
    for (uint64_t step = tasks->first; step <= tasks->range.last; step++)
        each_before(clocks, step, count_use);
    return 0;
}

void show_clocks_done(struct show_clocks *clocks)
{
    arena_done(&clocks->arena);
}

/* Makes the clock the larger of itself and another one, host by host. */
static void join(struct show_clocks *clocks, const struct clock_entry *other, size_t n_other)
{
    struct clock_entry *joined = clocks->scratch;
    const struct clock_entry *own = clocks->clock;
    size_t n_own = clocks->n;
    size_t n = 0;

    for (size_t i = 0, j = 0; i < n_own || j < n_other; n++) {
        if (j == n_other || (i < n_own && own[i].host < other[j].host)) {
            joined[n] = own[i++];
        } else if (i == n_own || other[j].host < own[i].host) {
            joined[n] = other[j++];
        } else {
            joined[n] = own[i].count > other[j].count ? own[i] : other[j];
            i++;
            j++;
        }
    }
    clocks->scratch = clocks->clock;
    clocks->clock = joined;
    clocks->n = n;
}

static void join_step(struct show_clocks *clocks, uint64_t before)
{
    struct clock_kept *kept;

    if (before == 0) {
        join(clocks, set_up, 1);
        return;
    }
    kept = &clocks->kept[before - clocks->tasks->first];
    sn_check(kept->entries != NULL);
    join(clocks, kept->entries, kept->n);
    if (--kept->uses_left == 0) {
        piece_give(clocks, kept->entries, kept->n);
        kept->entries = NULL;
    }
}

/* One more step of a host. */
static void count_own(struct show_clocks *clocks, uint32_t host)
{
    size_t i = 0;

    while (i < clocks->n && clocks->clock[i].host < host)
        i++;
    if (i == clocks->n || clocks->clock[i].host != host) {
        memmove(&clocks->clock[i + 1], &clocks->clock[i], (clocks->n - i) * sizeof(*clocks->clock));
        clocks->clock[i] = (struct clock_entry){.host = host};
        clocks->n++;
    }
    clocks->clock[i].count++;
}

int show_clocks_take(struct show_clocks *clocks, uint64_t step)
{
    struct clock_kept *kept = &clocks->kept[step - clocks->tasks->first];

    clocks->n = 0;
    each_before(clocks, step, join_step);
    count_own(clocks, (uint32_t)show_tasks_of(clocks->tasks, step) + 1);
    if (kept->uses_left == 0)
        return 0;
    kept->entries = piece_take(clocks, clocks->n);
    if (kept->entries == NULL)
        return SN_ENOMEM;
    memcpy(kept->entries, clocks->clock, clocks->n * sizeof(*clocks->clock));
    kept->n = (uint32_t)clocks->n;
    return 0;
}
