/* happened.c - see happened.h: what is written down while a trial runs.
 *
 * Operations are counted where they are announced, as require.c does it; what is known of one is
 * kept as a note, which the event that it becomes refers to. SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "engine/happened_own.h"
#include "engine/op.h"

#include <stdatomic.h>

static void on_step(struct trial *t, const struct sn_op *op, const void *payload);
static void on_draw(struct trial *t, const struct sn_draw *draw, uint64_t value);

/* ---- Life ----------------------------------------------------------------------------------- */

int happened_new(struct happened **out, struct trial *t, struct opnames *names, struct err *why)
{
    struct happened *h = mem_reserve_shared(sizeof(*h), why);

    *out = h;
    if (h == NULL)
        return SN_ENOMEM;
    h->t = t;
    h->names = names;
    h->n_ranges = t->n_ranges;
    h->recorder = (struct recorder){.step = on_step, .draw = on_draw, .self = h};
    if (naming_new(&h->naming, t, why) == 0)
        return 0;
    mem_release(h, sizeof(*h));
    *out = NULL;
    return SN_ENOMEM;
}

void happened_free(struct happened *h)
{
    if (h == NULL)
        return;
    h->t->n_ranges = h->n_ranges;
    naming_free(h->naming);
    mem_release(h, sizeof(*h));
}

const struct recorder *happened_recorder(const struct happened *h)
{
    return &h->recorder;
}

const struct happening *happened_events(const struct happened *h, uint32_t *n, uint32_t *n_ran)
{
    *n = h->n;
    *n_ran = h->n_ran;
    return h->events;
}

const struct happened_draw *happened_draws(const struct happened *h, uint32_t *n)
{
    *n = h->n_draws;
    return h->draws;
}

const struct happened_pair *happened_pairs(const struct happened *h, uint32_t *n)
{
    *n = h->n_pairs;
    return h->pairs;
}

bool happened_is_cut(const struct happened *h)
{
    return h->is_cut;
}

/* A process may be killed at any moment, and whoever looks at what it has left behind must not find
 * a part of anything: what was written before this call comes before what is counted after it. */
static void complete(void)
{
    atomic_signal_fence(memory_order_release);
}

/* ---- Announcements -------------------------------------------------------------------------- */

/* One more of a class; 0: there is no room. */
static uint32_t count_up(struct happened *h, uint64_t hash)
{
    uint32_t slot = (uint32_t)mix64(hash) & (HAPPENED_COUNTS - 1);

    for (uint32_t i = 0; i < HAPPENED_COUNTS; i++, slot = (slot + 1) & (HAPPENED_COUNTS - 1)) {
        struct counted *counted = &h->counts[slot];

        if (counted->n != 0 && counted->hash != hash)
            continue;
        if (counted->n == 0)
            h->counted[h->n_counted++] = slot;
        counted->hash = hash;
        return ++counted->n;
    }
    h->is_cut = true;
    return 0;
}

static void count_note(struct happened *h, struct note *note)
{
    uint64_t hash = mix_pair(note->kind, note->task);

    if (note->kind != SN_OP_START)
        hash = mix_pair(hash, (uintptr_t)note->what);
    if (note->kind == SN_OP_DELIVER)
        hash = mix_pair(hash, note->from);
    note->number_of_any_key = note->number = count_up(h, hash);
    if (note->has_key)
        note->number = count_up(h, mix_pair(~hash, note->key));
}

void happened_hear(struct trial *t, const struct announcement *one)
{
    struct happened *h = t->happened;
    const struct sn_op *op =
        one->op != 0 && t->ops[one->op].id == one->id ? &t->ops[one->op] : NULL;
    struct note *note = &h->notes[h->n_notes + 1];

    if (h->n_notes + 2 == HAPPENED_NOTES_MAX) {
        h->is_cut = true;
        h->note_of[one->op] = 0; /* not what was known of the one before it */
        return;
    }
    *note = (struct note){.what = one->what,
                          .id = one->id,
                          .task = one->task,
                          .from = one->from,
                          .cause = h->n - 1,
                          .kind = one->kind,
                          .is_task_given = t->naming->all[one->task].is_given,
                          .is_from_given = t->naming->all[one->from].is_given};
    note->has_key = op != NULL && naming_key(t, op, &note->key);
    if (!one->is_copy)
        count_note(h, note);
    if (op == NULL)
        return;
    if (h->ops_used <= one->op)
        h->ops_used = one->op + 1;
    complete();
    h->note_of[one->op] = ++h->n_notes;
}

/* Takes in what was announced since the last time, unless require.c does. */
static void listen(struct happened *h, struct trial *t)
{
    if (t->filter != NULL)
        return;
    h->is_cut |= h->announced.is_full;
    for (uint32_t i = 0; i < h->announced.n; i++)
        happened_hear(t, &h->announced.all[i]);
    h->announced.n = 0;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static uint64_t bit_of(uint64_t object)
{
    return UINT64_C(1) << (mix64(object) >> 58);
}

static void add_touch(struct happened *h, struct event *e, struct touch touch)
{
    if (h->n_touched == HAPPENED_TOUCHED_MAX) {
        e->is_wild = true;
        return;
    }
    h->touched[h->n_touched++] = touch;
    e->n_touched++;
    e->mask |= bit_of(touch.object);
}

/* The last event is over: notes what it touched. */
static void end_event(struct happened *h)
{
    struct event *e = &h->more[h->n - 1];

    if (h->n == 1)
        return;
    e->is_wild |= h->touches.is_wild;
    e->after = h->touches.after;
    for (uint32_t i = 0; i < h->touches.n; i++)
        add_touch(h, e, h->touches.all[i]);
}

/* An operation can run before the next event: since now, unless it could before the last one. */
static void note_since(struct happened *h, const struct trial *t, uint32_t op)
{
    struct note *note = &h->notes[h->note_of[op]];
    bool could_run = note->since != 0 && note->seen == h->n - 1;

    note->seen = h->n;
    if (!could_run)
        note->since = ((h->n - 1) | (t->now.waits != h->waits ? PAST_AND_ALL : 0)) + 1;
}

/* What can run now, but for what follows in the queue of an operation that was taken out: only the
 * step that is about to be performed makes that ready. */
static void note_enabled(struct happened *h, const struct trial *t, uint32_t taken_from)
{
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        if ((uint32_t)t->enabled[i] != taken_from)
            note_since(h, t, t->sources[(uint32_t)t->enabled[i]].ready);
    }
}

/* From now on the event that was filled in last is one. */
static void count_event(struct happened *h)
{
    complete();
    h->n++;
}

/* Fills in the next event, if there is room; count_event is due. */
static struct happening *fill_event(struct happened *h, const struct trial *t,
                                    const struct sn_op *op)
{
    uint32_t note = h->note_of[op_index(t, op)];
    const struct source *source = &t->sources[op->source];
    struct event *e = &h->more[h->n];

    if (h->n == HAPPENED_EVENTS_MAX) {
        h->is_cut = true;
        return NULL;
    }
    h->notes[note].is_listed = true;
    *e = (struct event){.note = note,
                        .touched = h->n_touched,
                        .queue = source->is_single ? SOURCE_NO_SENDER : source->from,
                        .is_wild = op->kind == SN_OP_FAULT};
    add_touch(h, e, (struct touch){t->tasks[op->task].id, TOUCH_WRITE});
    h->events[h->n] = (struct happening){.id = op->id,
                                         .cause = h->notes[note].cause,
                                         .task = op->task,
                                         .from = op->from,
                                         .kind = op->kind,
                                         .is_strike = op->kind == SN_OP_FAULT && op->deadline == 0,
                                         .is_copy = h->notes[note].number == 0};
    return &h->events[h->n];
}

static void use_task(struct happened *h, uint32_t task)
{
    if (h->tasks_used <= task)
        h->tasks_used = task + 1;
}

static void on_step(struct trial *t, const struct sn_op *op, const void *payload)
{
    struct happened *h = t->recorder->self;
    struct happening *event;

    (void)payload;
    listen(h, t);
    end_event(h);
    note_enabled(h, t, op->source);
    note_since(h, t, op_index(t, op));
    h->waits = t->now.waits;
    touches_clear(&h->touches);
    event = fill_event(h, t, op);
    if (event == NULL)
        return;
    event->time_ns = t->now.time_ns;
    event->decision = t->log.n - 1;
    /* One that is born again can have run before, in another trial. */
    if (op->kind == SN_OP_START && h->notes[h->more[h->n].note].number == 1) {
        use_task(h, op->task);
        h->first_start[op->task] = h->n;
    }
    count_event(h);
}

static void on_draw(struct trial *t, const struct sn_draw *draw, uint64_t value)
{
    struct happened *h = t->recorder->self;

    if (h->n_draws == HAPPENED_DRAWS_MAX) {
        h->is_cut = true;
        return;
    }
    h->drawings[h->n_draws] = (struct drawing){.label = opnames_text(h->names, draw->label),
                                               .task = draw->task,
                                               .number = trial_draw_number(t, draw->label),
                                               .is_given = t->naming->all[draw->task].is_given};
    h->draws[h->n_draws] =
        (struct happened_draw){.key = draw->key, .value = value, .n = draw->n, .event = h->n - 1};
    complete();
    h->n_draws++;
}

/* ---- A trial -------------------------------------------------------------------------------- */

void happened_before(struct trial *t, void *self)
{
    struct happened *h = self;

    while (h->n_counted > 0)
        h->counts[h->counted[--h->n_counted]].n = 0;
    memset(h->short_text, 0, h->tasks_used * sizeof(h->short_text[0]));
    memset(h->long_text, 0, h->tasks_used * sizeof(h->long_text[0]));
    memset(h->first_start, 0, h->tasks_used * sizeof(h->first_start[0]));
    memset(h->note_of, 0, h->ops_used * sizeof(h->note_of[0]));
    h->tasks_used = h->ops_used = 0;
    h->is_cut = false;
    h->waits = 0;
    h->n = 1;
    h->n_ran = h->n_notes = h->n_touched = h->n_pairs = h->n_draws = h->n_tasks = 0;
    h->events[0] = (struct happening){0};
    h->more[0] = (struct event){.is_wild = true};
    h->notes[0] = (struct note){0};
    touches_clear(&h->touches);
    t->happened = h;
    t->touches = &h->touches;
    if (t->filter != NULL)
        return;
    h->announced.n = 0;
    h->announced.is_full = false;
    t->announced = &h->announced;
    t->naming = h->naming;
    naming_begin(h->naming, t);
}

/* What was left: not timers that wait for their time, nor what nobody has counted. A process that
 * has died may have left a queue that does not end. */
static void add_pending(struct happened *h, struct trial *t)
{
    uint32_t left = TRIAL_OPS_MAX;

    for (uint32_t i = 1; i < t->now.n_sources; i++) {
        const struct source *source = &t->sources[i];

        if (source_is_free(source) || source->is_waiting)
            continue;
        for (uint32_t op = source->head; op != 0 && left > 0; op = t->ops[op].next, left--) {
            struct happening *event;

            if (h->note_of[op] == 0 || h->notes[h->note_of[op]].kind != t->ops[op].kind)
                continue;
            event = fill_event(h, t, &t->ops[op]);
            if (event == NULL)
                return;
            event->is_pending = true;
            event->is_ready = op == source->ready;
            count_event(h);
        }
    }
}

/* Messages that are neither performed nor pending have been lost on their way, and timers have been
 * cancelled. */
static void add_lost(struct happened *h, const struct trial *t)
{
    for (uint32_t i = 1; i <= h->n_notes; i++) {
        struct note *note = &h->notes[i];

        if (note->is_listed || note->number == 0 ||
            (note->kind != SN_OP_DELIVER && note->kind != SN_OP_TIMER))
            continue;
        if (h->n == HAPPENED_EVENTS_MAX) {
            h->is_cut = true;
            return;
        }
        h->more[h->n] =
            (struct event){.note = i, .touched = h->n_touched, .queue = SOURCE_NO_SENDER};
        add_touch(h, &h->more[h->n], (struct touch){t->tasks[note->task].id, TOUCH_WRITE});
        h->events[h->n++] = (struct happening){.id = note->id,
                                               .cause = note->cause,
                                               .task = note->task,
                                               .from = note->from,
                                               .kind = note->kind,
                                               .is_pending = true,
                                               .is_lost = true};
    }
}

/* Lists what is left, and finds out how it all hangs together. */
static void finish(struct happened *h, struct trial *t)
{
    end_event(h);
    note_enabled(h, t, 0);
    h->n_ran = h->n;
    h->n_tasks = t->now.n_named;
    if (h->n_tasks > 0)
        use_task(h, h->n_tasks - 1);
    h->who = t->naming;
    add_pending(h, t);
    add_lost(h, t);
    happened_order(h);
    happened_name(h);
    t->happened = NULL;
    t->touches = NULL;
    if (t->filter != NULL)
        return;
    t->announced = NULL;
    t->naming = NULL;
}

void happened_after(struct trial *t, void *self)
{
    struct happened *h = self;

    listen(h, t);
    finish(h, t);
}

/* What the last step has announced was not heard of. Numbers of operations are used again: nothing
 * that is known of those before must be taken for theirs. */
static void forget_announced(struct happened *h)
{
    uint32_t n = h->announced.n < ANNOUNCED_MAX ? h->announced.n : ANNOUNCED_MAX;

    for (uint32_t i = 0; i < n; i++) {
        if (h->announced.all[i].op < TRIAL_OPS_MAX)
            h->note_of[h->announced.all[i].op] = 0;
    }
    h->announced.n = 0;
}

void happened_after_death(struct trial *t, void *self)
{
    struct happened *h = self;

    if (t->happened != h)
        return; /* it died before the trial began, or after that was listed */
    if (t->filter == NULL)
        forget_announced(h);
    finish(h, t);
}
