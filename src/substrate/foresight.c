/* foresight.c - see foresight.h. SPDX-License-Identifier: MIT */
#include "substrate/foresight.h"

#include "substrate/process.h"

enum {
    LINE = 64,
    LINES_BELOW = 1, /* of a stack: what is called next writes below where it was suspended, ... */
    LINES_ABOVE = 6, /* ... and this is where functions return to that have called it */
    PROCESS_LINES = 2,
};

/* A function that does nothing but fetch has no effect as compilers see it, and gcc removes calls
 * of it: these must have become part of their caller before it looks. */
#define FETCHES static inline __attribute__((always_inline)) void

static const char *line_of(uint32_t line)
{
    return (const char *)world_root.heap.stacks + (size_t)line * LINE;
}

static uint32_t line_at(const void *address)
{
    return (uint32_t)(((uintptr_t)address - (uintptr_t)world_root.heap.stacks) / LINE);
}

FETCHES fetch_stack(uint32_t line)
{
    for (int i = -LINES_BELOW; i < LINES_ABOVE; i++)
        __builtin_prefetch(line_of(line) + i * LINE);
}

/* What is found without looking at any of it. */
FETCHES fetch(const struct trial *t, uint32_t number)
{
    const struct foreseen *seen = &t->processes->foreseen[number];
    const char *process = (const char *)&t->processes->all[number];

    for (int i = 0; i < PROCESS_LINES; i++)
        __builtin_prefetch(process + i * LINE);
    __builtin_prefetch(&t->sources[seen->source]);
    __builtin_prefetch(line_of(seen->top));
    fetch_stack(seen->line);
}

/* What those lead to: the operation that is pending, and the message that is given up for the next
 * one. */
FETCHES fetch_further(const struct trial *t, uint32_t number)
{
    const struct process *p = &t->processes->all[number];
    uint32_t pending = t->sources[t->processes->foreseen[number].source].head;

    __builtin_prefetch(&t->tasks[p->task]);
    __builtin_prefetch(&t->ops[pending]);
    __builtin_prefetch(&t->ops[p->held]);
    __builtin_prefetch(t->payloads + (size_t)p->held * TRIAL_SMALL_PAYLOAD);
}

static uint32_t *recent(struct foresight *f, uint32_t before)
{
    return &f->recent[(f->wakings - before) % FORESIGHT_RECENT];
}

void foresight_woken(struct trial *t, const struct process *p)
{
    struct processes *all = t->processes;
    struct foresight *f = &all->foresight;
    uint32_t number = (uint32_t)(p - all->all);
    struct foreseen *before = &all->foreseen[*recent(f, FORESIGHT_WAKINGS)];
    struct foreseen *seen = &all->foreseen[number];
    bool was_right = before->then == number;

    before->then = number;
    *recent(f, 0) = number;
    if (was_right) {
        fetch(t, seen->then);
        fetch_further(t, all->foreseen[*recent(f, FORESIGHT_WAKINGS - FORESIGHT_NEARER)].then);
    } else {
        fetch_stack(seen->line);
    }
    f->wakings++;
    seen->source = p->source;
    seen->top = line_at(p->fiber);
    seen->line = line_at(p->fiber->sp);
}
