/* shrink_spans.c - values as a row: what is left out of it lets those behind it come sooner.
 *
 * Leaving out a draw by its key makes it 0 and leaves the others as they are. That is not enough
 * for data. An element of a list goes away only if the decision that it is there goes with it; a
 * number and the list of that many elements become smaller together; and two lists become one when
 * the end of the first is left out. So a candidate here is the row of all values that a task draws,
 * shorter, and what each of them means is found out by running it. Scopes (trial_scope_enter) say
 * which values belong together. This is how Hypothesis shrinks (MacIver and Donaldson, "Test-case
 * reduction via test-case generation", ECOOP 2020); there the row is all there is, here each task
 * of a trial has one. SPDX-License-Identifier: MIT
 */
#include "api/shrink_own.h"
#include "base/rng.h"

#include <string.h>

enum { TASKS_MAX = 64 }; /* that draw */

/* ---- Rows ----------------------------------------------------------------------------------- */

static uint32_t find_task(const uint64_t *tasks, uint32_t n, uint64_t task)
{
    uint32_t i = 0;

    while (i < n && tasks[i] != task)
        i++;
    return i;
}

static struct shrink_turn turn_of(const struct lab_entry *entry)
{
    return (struct shrink_turn){.task = entry->task,
                                .value = entry->value,
                                .label = entry->label,
                                .depth = entry->depth,
                                .low = entry->low};
}

/* The tasks that draw. Returns how many; TASKS_MAX + 1: too many. */
static uint32_t list_tasks(const struct shrink *s, uint64_t *tasks, bool *has_scopes)
{
    uint32_t n = 0;

    for (uint64_t i = 0; i < s->best.result.decisions; i++) {
        const struct lab_entry *entry = &s->best.entries[i];

        if (!entry->is_draw)
            continue;
        *has_scopes |= entry->depth > 0;
        if (find_task(tasks, n, entry->task) < n)
            continue;
        if (n == TASKS_MAX)
            return TASKS_MAX + 1;
        tasks[n++] = entry->task;
    }
    return n;
}

bool shrink_list_turns(struct shrink *s)
{
    uint64_t tasks[TASKS_MAX];
    bool has_scopes = false;
    uint32_t n = list_tasks(s, tasks, &has_scopes);

    s->n_turns = 0;
    if (n > TASKS_MAX || s->has_tail || (s->best.result.steps > 0 && !has_scopes))
        return false;
    for (uint32_t task = 0; task < n; task++) {
        for (uint64_t i = 0; i < s->best.result.decisions; i++) {
            const struct lab_entry *entry = &s->best.entries[i];

            if (!entry->is_draw || entry->task != tasks[task])
                continue;
            if (s->n_turns == SHRINK_ENTRIES_MAX)
                return false;
            s->turns[s->n_turns++] = turn_of(entry);
        }
    }
    return s->n_turns > 0;
}

/* Where the scope of a depth ends that begins at a turn. */
static uint32_t end_of(const struct shrink *s, uint32_t from, uint32_t depth)
{
    uint32_t to = from + 1;

    while (to < s->n_turns && s->turns[to].task == s->turns[from].task && s->turns[to].low >= depth)
        to++;
    return to;
}

void shrink_list_spans(struct shrink *s, uint32_t depth)
{
    s->n_spans = 0;
    for (uint32_t i = 0; i < s->n_turns; i++) {
        const struct shrink_turn *turn = &s->turns[i];

        for (uint32_t d = turn->low + 1; d <= turn->depth; d++) {
            if ((depth == 0 || depth == d) && s->n_spans < SHRINK_ENTRIES_MAX)
                s->spans[s->n_spans++] = (struct shrink_span){i, end_of(s, i, d), d};
        }
    }
}

uint64_t shrink_plan_turns(struct shrink *s, uint32_t i, const struct shrink_turn *turns,
                           uint32_t n)
{
    struct plan_draw *draws = s->scratch_draws + (size_t)i * SHRINK_ENTRIES_MAX;
    uint64_t content = mix_pair(3, shrink_length(s, &s->best.result));
    uint32_t n_draws = 0;
    uint32_t number = 0;

    for (uint32_t k = 0; k < n; k++) {
        number = k > 0 && turns[k].task == turns[k - 1].task ? number + 1 : 0;
        content = mix_pair(content, mix_pair(turns[k].task, turns[k].value));
        if (turns[k].value != 0)
            draws[n_draws++] =
                (struct plan_draw){follow_turn(turns[k].task, number), turns[k].value};
    }
    for (uint32_t k = 0; k < s->best.n_ids; k++)
        content = mix_pair(content, s->best.ids[k]);
    s->plans[i] = shrink_plan(s);
    s->plans[i].draws = draws;
    s->plans[i].n_draws = n_draws;
    s->plans[i].is_in_turn = true;
    shrink_set_limit(s, i, shrink_length(s, &s->best.result));
    return content;
}

/* ---- Leaving out spans ---------------------------------------------------------------------- */

struct pass {
    struct shrink *s;
    uint32_t depth;
};

/* All turns but those of some spans. Returns how many there are. */
static uint32_t without_spans(struct shrink *s, struct ddmin_range without)
{
    uint32_t n = 0;
    uint32_t at = 0;

    for (uint32_t i = without.from; i < without.to; i++) {
        for (; at < s->spans[i].from; at++)
            s->scratch_turns[n++] = s->turns[at];
        at = s->spans[i].to;
    }
    for (; at < s->n_turns; at++)
        s->scratch_turns[n++] = s->turns[at];
    return n;
}

static uint32_t test_spans(void *self, const struct ddmin_range *without, uint32_t n)
{
    struct pass *pass = self;

    for (uint32_t i = 0; i < n; i++)
        (void)shrink_plan_turns(pass->s, i, pass->s->scratch_turns,
                                without_spans(pass->s, without[i]));
    return shrink_try(pass->s, n);
}

static void list_spans(struct pass *pass, struct ddmin *d)
{
    struct shrink *s = pass->s;
    uint64_t rest = mix_pair(pass->depth, shrink_length(s, &s->best.result));

    (void)shrink_list_turns(s);
    shrink_list_spans(s, pass->depth);
    for (uint32_t i = 0; i < s->n_turns; i++)
        rest = mix_pair(rest, s->turns[i].value);
    for (uint32_t i = 0; i < s->best.n_ids; i++)
        rest = mix_pair(rest, s->best.ids[i]);
    for (uint32_t i = 0; i < s->n_spans; i++)
        s->entries[i] = mix_pair(4, s->spans[i].from);
    d->entries = s->entries;
    d->n = s->n_spans;
    d->rest = rest;
}

static void take_spans(void *self, struct ddmin *d, struct ddmin_range without)
{
    struct pass *pass = self;

    (void)without;
    shrink_take(pass->s, d->taken);
    list_spans(pass, d);
}

static uint32_t deepest(const struct shrink *s)
{
    uint32_t depth = 0;

    for (uint32_t i = 0; i < s->n_turns; i++)
        depth = s->turns[i].depth > depth ? s->turns[i].depth : depth;
    return depth;
}

bool shrink_spans(struct shrink *s)
{
    bool was_simple = s->must_be_simpler;
    bool is_smaller = false;

    s->must_be_simpler = true;
    for (uint32_t depth = 1; shrink_list_turns(s) && depth <= deepest(s) && !s->is_stopped;
         depth++) {
        struct pass pass = {s, depth};
        struct ddmin d = {.test = test_spans,
                          .take = take_spans,
                          .memory = &s->memory,
                          .width = SHRINK_WIDTH,
                          .self = &pass};

        list_spans(&pass, &d);
        is_smaller |= ddmin_run(&d);
        s->is_stopped |= d.is_stopped;
    }
    s->must_be_simpler = was_simple;
    return is_smaller;
}
