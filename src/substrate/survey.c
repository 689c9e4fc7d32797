/* survey.c - see survey.h.
 *
 * The clock of a step has for each task the number of that task's steps that are causally before
 * it. So all steps of a machine beyond the entry of its clock race with whatever the step has sent
 * there. SPDX-License-Identifier: MIT
 */
#include "substrate/survey.h"

#include "base/hash.h"
#include "base/rng.h"
#include "substrate/fingerprint.h"
#include "substrate/machine.h"
#include "substrate/process.h"

#include <stdio.h>
#include <string.h>

enum arrival_kind { ARRIVAL_EVENT = 1, ARRIVAL_BYTES, ARRIVAL_TAG };

/* ---- Which trials --------------------------------------------------------------------------- */

/* Trials of a search have most of their decisions in common with others. */
enum { RANK_DECISIONS = 8 };

uint32_t survey_rank(const struct trial *t)
{
    const struct log *log = &t->log;
    uint64_t last = log->n < RANK_DECISIONS ? log->n : RANK_DECISIONS;
    uint64_t hash = mix_pair(t->now.order, log->n);

    for (uint64_t i = 0; i < last; i++) {
        hash = mix_pair(hash, log->entries[log->n - 1 - i].value);
        hash = mix_pair(hash, log->entries[log->n * i / RANK_DECISIONS].value);
    }
    return hash != 0 ? (uint32_t)__builtin_clzll(hash) : SURVEY_RANKS - 1;
}

/* Whether those of this rank and above are more than can be looked at. */
static bool is_too_much(struct survey *s, uint32_t rank)
{
    uint64_t trials = 0;
    uint64_t steps = 0;

    for (; rank < SURVEY_RANKS; rank++) {
        trials += atomic_load_explicit(&s->ranked[rank], memory_order_relaxed);
        steps += atomic_load_explicit(&s->steps[rank], memory_order_relaxed);
    }
    return trials > SURVEY_RANKED || (trials > SURVEY_RANKED_MIN && steps > SURVEY_RANKED_STEPS);
}

bool survey_admits(struct survey *s, uint32_t rank, uint64_t steps)
{
    uint32_t lowest = atomic_load_explicit(&s->lowest, memory_order_relaxed);

    if (rank < lowest)
        return false;
    atomic_fetch_add(&s->steps[rank], steps);
    atomic_fetch_add(&s->ranked[rank], 1);
    while (lowest < SURVEY_RANKS - 1 && is_too_much(s, lowest)) {
        if (atomic_compare_exchange_strong(&s->lowest, &lowest, lowest + 1))
            lowest++;
    }
    return rank >= lowest;
}

/* ---- What all share ------------------------------------------------------------------------- */

static void note_first(_Atomic uint64_t *first, uint64_t trial)
{
    uint64_t known = atomic_load_explicit(first, memory_order_relaxed);

    while ((known == 0 || known > trial + 1) &&
           !atomic_compare_exchange_weak_explicit(first, &known, trial + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
        continue;
}

static void add_state(struct survey *s, uint64_t key, uint64_t trial)
{
    uint64_t i = mix64(key) % SURVEY_STATES;

    key += key == 0;
    for (;; i = (i + 1) % SURVEY_STATES) {
        uint64_t is = atomic_load_explicit(&s->states[i].key, memory_order_relaxed);

        if (is == 0 &&
            atomic_load_explicit(&s->n_states, memory_order_relaxed) >= SURVEY_STATES / 2) {
            atomic_store_explicit(&s->is_states_full, true, memory_order_relaxed);
            return;
        }
        if (is == 0 && atomic_compare_exchange_strong(&s->states[i].key, &is, key)) {
            atomic_fetch_add_explicit(&s->n_states, 1, memory_order_relaxed);
            is = key;
        }
        if (is == key)
            break;
    }
    note_first(&s->states[i].trial, trial);
}

/* Two processes may find the same pair at the same time: who claims the place writes the names. */
static void add_pair(struct survey *s, const struct survey_pair *pair, int order, uint64_t trial)
{
    uint64_t key = hash_text(hash_text(hash_text(HASH_START, pair->machine), pair->events[0]),
                             pair->events[1]);
    uint64_t i = mix64(key) % SURVEY_PAIRS;

    key += key == 0;
    for (;; i = (i + 1) % SURVEY_PAIRS) {
        struct survey_pair *place = &s->pairs[i];
        uint64_t is = atomic_load_explicit(&place->key, memory_order_relaxed);

        if (is == 0 &&
            atomic_load_explicit(&s->n_pairs, memory_order_relaxed) >= SURVEY_PAIRS / 2) {
            atomic_store_explicit(&s->is_pairs_full, true, memory_order_relaxed);
            return;
        }
        if (is == 0 && atomic_compare_exchange_strong(&place->key, &is, key)) {
            atomic_fetch_add_explicit(&s->n_pairs, 1, memory_order_relaxed);
            memcpy(place->machine, pair->machine, sizeof(place->machine));
            memcpy(place->events, pair->events, sizeof(place->events));
            is = key;
        }
        if (is == key)
            break;
    }
    note_first(&s->pairs[i].came[order], trial);
}

struct survey_figures survey_figures(const struct survey *s, uint64_t trials)
{
    struct survey_figures f = {.has_states = !s->has_no_states && s->n_states > 0,
                               .is_cut = s->is_pairs_full || s->is_states_full || s->is_cut};

    for (uint32_t i = 0; f.has_states && i < SURVEY_STATES; i++) {
        uint64_t trial = atomic_load_explicit(&s->states[i].trial, memory_order_relaxed);

        f.states += trial != 0 && trial <= trials;
    }
    for (uint32_t i = 0; s->n_pairs > 0 && i < SURVEY_PAIRS; i++) {
        bool forth = survey_came(&s->pairs[i], 0, trials);
        bool back = survey_came(&s->pairs[i], 1, trials);

        f.races += forth || back;
        f.one_sided += forth != back;
    }
    return f;
}

/* ---- Clocks --------------------------------------------------------------------------------- */

/* What a step knows of a task's steps; step 0 is the set-up. */
static uint32_t knows(const struct survey_notes *n, uint32_t step, uint32_t task)
{
    return step != 0 && task < n->widths[step] ? n->clocks[n->rows[step] + task] : 0;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Whether time had to pass before this could happen. */
static bool has_waited(const struct sn_op *op)
{
    bool is_timer = op->kind == SN_OP_TIMER || (op->kind == SN_OP_PROCESS && op->deadline != 0);

    return is_timer && (op->flags & SN_OP_ANY_TIME) == 0;
}

/* What is causally before an operation: of a task, how many of its steps. */
static uint32_t before(const struct survey_notes *n, const struct sn_op *op, uint32_t task)
{
    uint32_t steps = knows(n, op->cause, task);

    return has_waited(op) && task < n->n_passed ? larger(steps, n->passed[task]) : steps;
}

/* Keeps how far everybody was when time passed, just before this step. */
static void note_time(struct survey_notes *n, const struct trial *t, const struct sn_op *op)
{
    if (n->waits == t->now.waits)
        return;
    n->waits = t->now.waits;
    n->n_passed = t->now.n_tasks;
    for (uint32_t i = 0; i < n->n_passed; i++)
        n->passed[i] = (uint32_t)t->tasks[i].steps - (i == op->task);
}

/* False: there is no more room. */
static bool add_row(struct survey_notes *n, const struct trial *t, const struct sn_op *op)
{
    uint32_t step = (uint32_t)t->now.steps;
    uint32_t width = t->now.n_tasks;
    const struct sn_op *taken = process_taken(t, op);
    uint32_t last;
    uint32_t *row;

    if (step > SURVEY_STEPS || width > SURVEY_TASKS || width > SURVEY_CLOCKS - n->n_clocks)
        return false;
    last = n->last[op->task];
    note_time(n, t, op);
    row = &n->clocks[n->n_clocks];
    for (uint32_t i = 0; i < width; i++) {
        row[i] = larger(before(n, op, i), knows(n, last, i));
        if (taken != NULL)
            row[i] = larger(row[i], knows(n, taken->cause, i));
    }
    row[op->task] = (uint32_t)t->tasks[op->task].steps;
    n->rows[step] = n->n_clocks;
    n->widths[step] = width;
    n->n_clocks += width;
    n->last[op->task] = step;
    return true;
}

/* ---- Arrivals ------------------------------------------------------------------------------- */

static struct survey_arrival arrival_of(const struct trial *t, const struct sn_op *op)
{
    struct survey_arrival a = {.what = op->what, .kind = ARRIVAL_EVENT, .source = op->source};

    if (op->what == NULL && op->kind == SN_OP_TIMER)
        a.kind = ARRIVAL_TAG;
    else if (op->what == NULL) {
        a.kind = ARRIVAL_BYTES;
        a.what = op->from != 0 ? t->machines->all[op->from].type : NULL;
    }
    return a;
}

static void name_arrival(const struct survey_arrival *a, char name[SURVEY_NAME])
{
    if (a->kind == ARRIVAL_EVENT)
        (void)snprintf(name, SURVEY_NAME, "%s", ((const struct sn_event *)a->what)->name);
    else if (a->kind == ARRIVAL_TAG)
        (void)snprintf(name, SURVEY_NAME, "a timer");
    else
        (void)snprintf(name, SURVEY_NAME, "bytes of %s",
                       a->what != NULL ? ((const struct sn_machine *)a->what)->name : "the test");
}

static void note_race(struct survey_notes *n, const struct sn_machine *type,
                      const struct survey_arrival *earlier, const struct survey_arrival *later)
{
    struct survey_pair pair = {.machine = ""};
    char names[2][SURVEY_NAME];
    int order;

    name_arrival(earlier, names[0]);
    name_arrival(later, names[1]);
    order = strcmp(names[0], names[1]);
    if (order == 0)
        return;
    order = order > 0;
    (void)snprintf(pair.machine, sizeof(pair.machine), "%s", type->name);
    memcpy(pair.events[order], names[0], SURVEY_NAME);
    memcpy(pair.events[!order], names[1], SURVEY_NAME);
    add_pair(n->survey, &pair, order, n->trial);
}

static bool is_same_kind(const struct survey_arrival *a, const struct survey_arrival *b)
{
    return a->what == b->what && a->kind == b->kind;
}

/* An event reaches a machine: which of those that came before could have come after? */
static void note_arrival(struct survey_notes *n, const struct trial *t, const struct sn_op *op)
{
    const struct sn_machine *type = t->machines->all[op->task].type;
    struct survey_arrival now = arrival_of(t, op);
    uint32_t known = before(n, op, op->task);
    uint32_t same = 0;

    if (type == NULL)
        return;
    now.index = (uint32_t)t->tasks[op->task].steps;
    for (uint32_t i = n->first[op->task]; i != 0; i = n->arrivals[i].next) {
        const struct survey_arrival *a = &n->arrivals[i];

        if (is_same_kind(a, &now)) {
            same = a->source == now.source ? i : same;
            continue;
        }
        if (a->index > known && a->source != now.source)
            note_race(n, type, a, &now);
    }
    if (same == 0 && n->n_arrivals + 1 < SURVEY_ARRIVALS) {
        same = ++n->n_arrivals;
        now.next = n->first[op->task];
        n->first[op->task] = same;
        n->arrivals[same] = now;
    } else if (same == 0) {
        n->is_cut = true;
    }
    if (same != 0)
        n->arrivals[same].index = now.index;
}

/* ---- A trial -------------------------------------------------------------------------------- */

static struct survey_notes *notes_of(const struct trial *t)
{
    return t->recorder->self;
}

static void on_step(struct trial *t, const struct sn_op *op, const void *payload)
{
    struct survey_notes *n = notes_of(t);

    (void)payload;
    if (n->is_cut)
        return;
    if (!add_row(n, t, op)) {
        n->is_cut = true;
        return;
    }
    /* Nothing comes after the end of a machine: no event races with that. */
    if ((op->kind == SN_OP_DELIVER || op->kind == SN_OP_TIMER) && op->what != &sn_halt_event)
        note_arrival(n, t, op);
}

static void look(struct trial *t)
{
    struct survey_notes *n = notes_of(t);
    uint64_t key;

    if (atomic_load_explicit(&n->survey->has_no_states, memory_order_relaxed))
        return;
    if (fingerprint_state(t, &key))
        add_state(n->survey, key, n->trial);
    else
        atomic_store_explicit(&n->survey->has_no_states, true, memory_order_relaxed);
}

void survey_trial(struct survey_notes *notes, struct explore *e, uint64_t trial)
{
    struct recorder recorder = {.step = on_step, .between = look, .self = notes};
    struct explore_repeat repeat = {.recorder = &recorder, .decisions = e->t->log.n};

    notes->trial = trial;
    notes->waits = 0;
    notes->n_clocks = 0;
    notes->n_arrivals = 0;
    notes->n_passed = 0;
    notes->is_cut = false;
    memset(notes->first, 0, sizeof(notes->first));
    memset(notes->last, 0, sizeof(notes->last));
    explore_repeat(e, &repeat);
    if (notes->is_cut)
        atomic_store_explicit(&notes->survey->is_cut, true, memory_order_relaxed);
}
