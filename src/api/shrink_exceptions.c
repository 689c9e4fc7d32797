/* shrink_exceptions.c - a trial as exceptions to the default schedule: "hold B until A".
 *
 * By default what was announced first runs first. Where B, which could have run, came after A
 * although it was announced before A, the trial is an exception. Those are all, and most of them do
 * not matter. SPDX-License-Identifier: MIT
 */
#include "api/shrink_own.h"
#include "base/rng.h"

#include <string.h>

/* Which exceptions to begin with. */
enum choice {
    CONFLICTING, /* B and A are for the same machine, or one is a fault */
    ALL,
    LAST_CONFLICTING, /* the same, but of those with the same B only the last */
    LAST,
    CHOICES,
};

enum { ALL_MAX = 2048 }; /* to begin with; if there are more, only the last ones count */

/* Of the smallest trial: the steps that are not its fair end. */
static uint32_t steps_of(const struct shrink *s)
{
    return (uint32_t)shrink_length(s, &s->best.result);
}

static bool is_conflict(const struct follow_op *a, const struct follow_op *b)
{
    return a->task == b->task || a->is_fault || b->is_fault;
}

static void add(struct shrink *s, uint64_t until, uint64_t held)
{
    if (s->n_holds < SHRINK_HOLDS_MAX)
        s->holds[s->n_holds++] = (struct plan_hold){.held = held, .until = until};
}

static bool is_listed(const struct shrink *s, const struct follow_passed *p, enum choice choice)
{
    return choice == ALL || choice == LAST || is_conflict(&s->best.ops[p->step - 1], &p->op);
}

/* Whether an operation is in a set, to which it is added. Its slots are all the memory for entries,
 * of which there are more than there can be exceptions. */
static bool is_in_set(struct shrink *s, uint64_t id)
{
    uint32_t i = (uint32_t)mix64(id) & (SHRINK_ENTRIES_MAX - 1);

    while (s->entries[i] != 0 && s->entries[i] != id)
        i = (i + 1) & (SHRINK_ENTRIES_MAX - 1);
    if (s->entries[i] == id)
        return true;
    s->entries[i] = id;
    return false;
}

static void add_passed(struct shrink *s, enum choice choice)
{
    for (uint32_t i = 0; i < s->n_passed; i++) {
        const struct follow_passed *p = &s->passed[i];

        if (is_listed(s, p, choice))
            add(s, s->best.ops[p->step - 1].id, p->op.id);
    }
}

/* Of those with the same operation only the last: going backwards, the first. */
static void add_last_passed(struct shrink *s, enum choice choice)
{
    uint32_t first = s->n_holds;

    memset(s->entries, 0, SHRINK_ENTRIES_MAX * sizeof(*s->entries));
    for (uint32_t i = s->n_passed; i-- > 0;) {
        const struct follow_passed *p = &s->passed[i];

        if (is_listed(s, p, choice) && !is_in_set(s, p->op.id))
            add(s, s->best.ops[p->step - 1].id, p->op.id);
    }
    for (uint32_t i = first, k = s->n_holds; i + 1 < k; i++, k--) {
        struct plan_hold hold = s->holds[i];

        s->holds[i] = s->holds[k - 1];
        s->holds[k - 1] = hold;
    }
}

/* What was passed over is to be held. The latest come last, and so are the first to be left out. A
 * fault happens as soon as it can: it waits for what came before it. */
static void list_holds(struct shrink *s, enum choice choice)
{
    const struct follow_op *ops = s->best.ops;

    s->n_holds = 0;
    for (uint32_t i = 1; i < steps_of(s); i++) {
        if (ops[i].is_fault)
            add(s, ops[i - 1].id, ops[i].id);
    }
    if (choice == CONFLICTING || choice == ALL)
        add_passed(s, choice);
    else
        add_last_passed(s, choice);
}

/* Runs the smallest trial once more to see what it passes over. */
static bool list_passed(struct shrink *s)
{
    struct plan plan = shrink_plan(s);
    struct lab_job job = {.plan = &plan, .wants_log = true};
    const struct lab_result *r = &s->results[0];

    plan.wants_passed = true;
    if (s->has_tail)
        plan.fair_from = shrink_length(s, &s->best.result);
    else
        job.max_steps = s->best.result.steps_max;
    s->rc = lab_run(s->lab, &job, 1, s->results, &s->why);
    s->runs++;
    if (s->rc < 0 || lab_is_stopped(s->lab))
        s->is_stopped = true;
    if (s->is_stopped || r->passed == NULL || r->order != s->best.result.order)
        return false;
    s->n_passed = r->n_passed < SHRINK_HOLDS_MAX ? r->n_passed : SHRINK_HOLDS_MAX;
    memcpy(s->passed, r->passed, s->n_passed * sizeof(*s->passed));
    return true;
}

/* The plan that says the same by exceptions: of the operations only faults are listed. */
static struct plan plan_of(struct shrink *s, const struct plan_hold *holds, uint32_t n)
{
    struct plan plan = shrink_plan(s);
    uint32_t n_faults = 0;

    for (uint32_t i = 0; i < steps_of(s); i++) {
        if (s->best.ops[i].is_fault)
            s->scratch_ids[n_faults++] = s->best.ops[i].id;
    }
    plan.ids = s->scratch_ids;
    plan.n_ids = n_faults;
    plan.holds = holds;
    plan.n_holds = n;
    return plan;
}

/* No candidate may take longer than this. */
static void set_candidate(struct shrink *s, uint32_t i, const struct plan_hold *holds, uint32_t n)
{
    s->plans[i] = plan_of(s, holds, n);
    s->limits[i] = s->has_tail ? 0 : s->held_steps;
    s->plans[i].fair_from = shrink_length(s, &s->best.result);
    s->plans[i].is_fair_late = true;
}

/* Candidate i will do. */
static void note_found(struct shrink *s, uint32_t i)
{
    s->held_found = shrink_tried(s, i)->steps;
}

static bool suffices(struct shrink *s)
{
    set_candidate(s, 0, s->holds, s->n_holds);
    if (shrink_try(s, 1) != 0)
        return false;
    note_found(s, 0);
    return true;
}

/* ---- The fewest ----------------------------------------------------------------------------- */

static uint32_t test_holds(void *self, const struct ddmin_range *without, uint32_t n)
{
    struct shrink *s = self;

    for (uint32_t i = 0; i < n; i++) {
        struct plan_hold *holds = s->scratch_holds + (size_t)i * SHRINK_HOLDS_MAX;
        uint32_t left = s->n_holds - (without[i].to - without[i].from);

        memcpy(holds, s->holds, without[i].from * sizeof(*holds));
        memcpy(holds + without[i].from, s->holds + without[i].to,
               (s->n_holds - without[i].to) * sizeof(*holds));
        set_candidate(s, i, holds, left);
    }
    return shrink_try(s, n);
}

static void list_entries(struct shrink *s, struct ddmin *d)
{
    for (uint32_t i = 0; i < s->n_holds; i++)
        s->entries[i] = mix_pair(s->holds[i].held, s->holds[i].until);
    d->entries = s->entries;
    d->n = s->n_holds;
}

static void take_holds(void *self, struct ddmin *d, struct ddmin_range without)
{
    struct shrink *s = self;
    uint32_t n = without.to - without.from;

    memmove(s->holds + without.from, s->holds + without.to,
            (s->n_holds - without.to) * sizeof(*s->holds));
    s->n_holds -= n;
    note_found(s, d->taken);
    list_entries(s, d);
}

/* The first step in which an operation was passed over. */
static uint32_t first_passed(const struct shrink *s, uint64_t id)
{
    for (uint32_t i = 0; i < s->n_passed; i++) {
        if (s->passed[i].op.id == id)
            return s->passed[i].step;
    }
    return 1; /* a fault */
}

/* Of the operations that something could wait for, the earliest that will do says most. */
static void find_earliest(struct shrink *s, uint32_t hold)
{
    uint32_t step = first_passed(s, s->holds[hold].held);
    bool is_last = false;

    while (!is_last && !s->is_stopped) {
        uint32_t first = step;
        uint32_t n = 0;
        uint32_t found;

        for (; n < SHRINK_WIDTH && !is_last; n++, step++) {
            struct plan_hold *holds = s->scratch_holds + (size_t)n * SHRINK_HOLDS_MAX;

            is_last = step > steps_of(s) || s->best.ops[step - 1].id == s->holds[hold].until;
            if (is_last)
                break;
            memcpy(holds, s->holds, s->n_holds * sizeof(*holds));
            holds[hold].until = s->best.ops[step - 1].id;
            set_candidate(s, n, holds, s->n_holds);
        }
        found = n > 0 ? shrink_try(s, n) : n;
        if (found >= n)
            continue;
        s->holds[hold].until = s->best.ops[first + found - 1].id;
        note_found(s, found);
        return;
    }
}

static void reduce(struct shrink *s)
{
    struct ddmin d = {.width = SHRINK_WIDTH, .test = test_holds, .take = take_holds, .self = s};

    list_entries(s, &d);
    (void)ddmin_run(&d);
    s->is_stopped |= d.is_stopped;
}

/* Exceptions to begin with, of which at least one choice should do. */
static bool find_first(struct shrink *s)
{
    s->n_holds = 0;
    if (suffices(s))
        return true;
    for (int choice = CONFLICTING; choice < CHOICES && !s->is_stopped; choice++) {
        list_holds(s, (enum choice)choice);
        if ((choice >= LAST_CONFLICTING || s->n_holds <= ALL_MAX) && suffices(s))
            return true;
    }
    return false;
}

/* The fewest exceptions that lead to a trial of at most so many steps. If it is stopped before it
 * has tried to leave out all of them, there may be fewer. */
static bool find_fewest(struct shrink *s, uint64_t limit)
{
    s->held_steps = limit;
    if (!find_first(s))
        return false;
    reduce(s);
    return true;
}

bool shrink_by_exceptions(struct shrink *s)
{
    uint64_t order = s->best.result.order;

    s->has_holds = false;
    if (!list_passed(s) || !find_fewest(s, shrink_length(s, &s->best.result)) || !suffices(s))
        return false;
    shrink_take(s, 0);
    return s->best.result.order != order;
}

/* Where more may happen that does not matter, less has to be held back; but then they are about
 * another trial than the one that is written, which is worth it only if they are fewer. */
static bool find_fewest_of_all(struct shrink *s)
{
    uint64_t length = shrink_length(s, &s->best.result);
    uint64_t longer = s->before.steps;
    uint64_t found = 0;
    uint32_t n = 0;
    bool has_own = find_fewest(s, length);

    if (has_own && (s->n_holds <= 1 || longer <= length || s->is_stopped))
        return true;
    if (has_own) {
        n = s->n_holds;
        found = s->held_found;
        memcpy(s->own_holds, s->holds, n * sizeof(*s->holds));
    }
    if (longer > length && find_fewest(s, longer) && (!has_own || s->n_holds < n))
        return true;
    if (!has_own)
        return false;
    s->n_holds = n;
    s->held_steps = length;
    s->held_found = found;
    memcpy(s->holds, s->own_holds, n * sizeof(*s->holds));
    return true;
}

void shrink_exceptions(struct shrink *s)
{
    s->has_holds = list_passed(s) && find_fewest_of_all(s);
    for (uint32_t i = 0; s->has_holds && i < s->n_holds && !s->is_stopped; i++)
        find_earliest(s, i);
    if (s->has_holds)
        s->held_steps = s->held_found;
}

const struct lab_result *shrink_run_held(struct shrink *s)
{
    return s->has_holds && suffices(s) ? shrink_tried(s, 0) : NULL;
}
