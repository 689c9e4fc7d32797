/* op.c - the rarer operations on sources, timers and large payloads. SPDX-License-Identifier: MIT
 */
#include "engine/op.h"

#include "engine/require.h"

void op_too_many(struct trial *t, const char *what)
{
    trial_fail(t, "limit", NULL, "too many %s are pending in one trial", what);
}

const char *op_event_name(const struct sn_op *op)
{
    const struct sn_event *event = op->what;

    if (event != NULL)
        return event->name;
    if (op->kind == SN_OP_START)
        return "start";
    return op->kind == SN_OP_TIMER ? "timer" : "bytes";
}

/* ---- Large payloads ------------------------------------------------------------------------- */

static uint32_t blob_class(size_t size)
{
    uint32_t class = 0;

    while (((size_t)64 << class) < size)
        class ++;
    return class;
}

void *op_payload_large(struct trial *t, struct sn_op *op, size_t size)
{
    uint32_t class = blob_class(size);
    uint32_t blob;

    if (class >= TRIAL_BLOB_CLASSES)
        trial_fail(t, "limit", NULL, "a payload of %zu bytes is too large", size);
    blob = t->now.free_blob[class];
    if (blob != 0) {
        t->now.free_blob[class] = t->blobs[blob].next;
    } else {
        if (t->now.n_blobs == TRIAL_BLOBS_MAX)
            op_too_many(t, "large payloads");
        blob = t->now.n_blobs++;
        t->blobs[blob].line =
            (uint32_t)(((char *)trial_alloc(t, (size_t)64 << class) - t->memory) / 64);
    }
    op->payload = blob;
    return t->memory + (size_t)t->blobs[blob].line * 64;
}

void op_payload_large_free(struct trial *t, struct sn_op *op)
{
    uint32_t class = blob_class(op->size);

    t->blobs[op->payload].next = t->now.free_blob[class];
    t->now.free_blob[class] = op->payload;
    op->payload = 0;
}

/* ---- Sources -------------------------------------------------------------------------------- */

uint32_t source_new(struct trial *t, uint32_t from, uint32_t to)
{
    uint32_t index = t->now.n_sources;

    if (index == TRIAL_SOURCES_MAX)
        op_too_many(t, "links and timers");
    t->now.n_sources = index + 1;
    t->sources[index] =
        (struct source){.from = from, .to = to, .next_of_task = t->tasks[to].first_source};
    t->tasks[to].first_source = index;
    return index;
}

uint32_t source_link_probe(struct trial *t, uint32_t from, uint32_t to, uint32_t slot)
{
    uint32_t index;

    for (;;) {
        index = t->link_table[slot];
        if (index == 0 || index >= t->now.n_sources || t->link_slot[index] != slot)
            break;
        if (t->sources[index].from == from && t->sources[index].to == to)
            return index;
        slot = TRIAL_LINK_DIRECT + ((slot + 1 - TRIAL_LINK_DIRECT) & (TRIAL_LINK_HASHED - 1));
    }
    index = source_new(t, from, to);
    t->link_table[slot] = index;
    t->link_slot[index] = slot;
    return index;
}

/* The first operation of a queue, from this one on, that can run. */
static uint32_t first_ready(struct trial *t, uint32_t op)
{
    while (op != 0 && (t->tasks[t->ops[op].task].flags & TASK_GATED) != 0 &&
           !op_is_ready(t, &t->ops[op]))
        op = t->ops[op].next;
    return op;
}

static void source_set_ready(struct trial *t, uint32_t index, uint32_t ready)
{
    struct source *source = &t->sources[index];

    if (ready == source->ready)
        return;
    source->ready = ready;
    if (ready == 0 && source->position == 0)
        return; /* it was held */
    if (ready == 0)
        enabled_remove(t, index);
    else if (source->position == 0)
        enabled_add(t, index);
    else {
        t->enabled[source->position - 1] = index;
        t->now.n_shifts++;
    }
}

/* Unlinks an operation from its queue. */
static void source_unlink(struct trial *t, uint32_t index, uint32_t op)
{
    struct source *source = &t->sources[index];
    uint32_t before = 0;

    for (uint32_t i = source->head; i != op; i = t->ops[i].next)
        before = i;
    if (before == 0)
        source->head = t->ops[op].next;
    else
        t->ops[before].next = t->ops[op].next;
    if (source->tail == op)
        source->tail = before;
}

void source_take_middle(struct trial *t, uint32_t index)
{
    uint32_t op = t->sources[index].ready;

    source_unlink(t, index, op);
    /* What stands before it was not ready and still is not: only a step of the task changes that.
     */
    source_set_ready(t, index, first_ready(t, t->ops[op].next));
    if (t->sources[index].is_single)
        source_release(t, index);
}

void source_recheck_task(struct trial *t, uint32_t task)
{
    uint32_t index = t->tasks[task].first_source;

    for (; index != 0; index = t->sources[index].next_of_task) {
        if (!t->sources[index].is_waiting && !source_is_free(&t->sources[index]))
            source_set_ready(t, index, first_ready(t, t->sources[index].head));
    }
}

void source_append_waiting(struct trial *t, uint32_t index, uint32_t number)
{
    struct source *source = &t->sources[index];
    struct sn_op *op = &t->ops[number];

    op->next = 0;
    op->source = index;
    source->head = source->tail = number;
    source->is_waiting = true;
    t->waiting[t->now.n_waiting++] = index;
}

static void waiting_remove(struct trial *t, uint32_t source)
{
    uint32_t i = 0;

    while (t->waiting[i] != source)
        i++;
    t->now.n_waiting--;
    for (; i < t->now.n_waiting; i++)
        t->waiting[i] = t->waiting[i + 1];
    t->sources[source].is_waiting = false;
}

uint32_t source_own(struct trial *t, uint32_t task)
{
    uint32_t index = source_new(t, SOURCE_NO_SENDER, task);

    t->link_slot[index] = TRIAL_LINK_SLOTS; /* in none */
    return index;
}

void source_wake_waiting(struct trial *t, uint32_t index)
{
    if (t->sources[index].is_waiting)
        waiting_remove(t, index);
    source_set_ready(t, index, t->sources[index].head);
}

void source_sleep(struct trial *t, uint32_t index, bool is_timed)
{
    source_set_ready(t, index, 0);
    t->sources[index].is_waiting = is_timed;
    if (is_timed)
        t->waiting[t->now.n_waiting++] = index;
}

/* An operation goes without having run. Of those that could the strategy knows. */
static void note_dropped(struct trial *t, const struct source *source, uint32_t op, uint32_t ready)
{
    if (unlikely(t->touches != NULL) && op != ready && !source->is_waiting)
        touches_add_dropped(t->touches, &t->ops[op]);
}

void source_drop_task(struct trial *t, uint32_t task)
{
    uint32_t index = t->tasks[task].first_source;

    for (; index != 0; index = t->sources[index].next_of_task) {
        struct source *source = &t->sources[index];
        uint32_t ready = source->ready;
        bool is_free = source_is_free(source);

        for (uint32_t op = is_free ? 0 : source->head; op != 0; op = t->ops[op].next)
            note_dropped(t, source, op, ready);
        if (source->is_waiting)
            waiting_remove(t, index);
        source_set_ready(t, index, 0);
        if (is_free)
            continue;
        while (source->head != 0) {
            uint32_t number = source->head;

            source->head = t->ops[number].next;
            op_free(t, number);
        }
        source->tail = 0;
        if (source->is_single)
            source_release(t, index);
    }
}

/* What was taken out of a queue may have been what was ready, or what the rest waits behind. */
static void source_mend(struct trial *t, uint32_t index, uint64_t deadline)
{
    struct source *source = &t->sources[index];

    if (source->head == 0) {
        source->tail = 0;
        if (source->is_waiting)
            waiting_remove(t, index);
        if (source->is_single)
            source_release(t, index);
    } else if (source->is_waiting) {
        t->ops[source->head].deadline = deadline;
    } else {
        source_set_ready(t, index, first_ready(t, source->head));
    }
}

void source_filter(struct trial *t, uint32_t index,
                   bool (*is_gone)(struct trial *t, const struct sn_op *op, void *self), void *self)
{
    struct source *source = &t->sources[index];
    uint64_t deadline;
    bool has_changed = false;
    uint32_t next;

    if (source->head == 0 || source_is_free(source))
        return;
    deadline = t->ops[source->head].deadline;
    for (uint32_t op = source->head; op != 0; op = next) {
        next = t->ops[op].next;
        if (!is_gone(t, &t->ops[op], self))
            continue;
        note_dropped(t, source, op, source->ready);
        if (op == source->ready)
            source_set_ready(t, index, 0);
        source_unlink(t, index, op);
        op_free(t, op);
        has_changed = true;
    }
    if (has_changed)
        source_mend(t, index, deadline);
}

/* ---- Delays --------------------------------------------------------------------------------- */

/* Lets a source wait for the deadline of its head. */
static void waiting_add(struct trial *t, uint32_t index, uint64_t deadline)
{
    struct source *source = &t->sources[index];

    t->ops[source->head].deadline = deadline;
    source->is_waiting = true;
    t->waiting[t->now.n_waiting++] = index;
}

/* Moves the end of a queue, from an operation on, into an empty source. */
static void move_end(struct trial *t, uint32_t from, uint32_t number, uint32_t to)
{
    struct source *source = &t->sources[from];
    uint32_t before = 0;

    for (uint32_t i = source->head; i != number; i = t->ops[i].next)
        before = i;
    t->sources[to].head = number;
    t->sources[to].tail = source->tail;
    if (before == 0)
        source->head = 0;
    else
        t->ops[before].next = 0;
    source->tail = before;
    for (uint32_t i = number; i != 0; i = t->ops[i].next)
        t->ops[i].source = to;
    source_set_ready(t, from, first_ready(t, source->head));
}

uint32_t source_single_beside(struct trial *t, uint32_t link)
{
    uint32_t index = source_single(t, t->sources[link].to);

    t->sources[index].from = SOURCE_BESIDE(t->sources[link].from);
    return index;
}

void source_delay(struct trial *t, uint32_t number, uint64_t deadline)
{
    uint32_t index = t->ops[number].source;
    uint32_t beside;

    if (t->sources[index].is_single) {
        source_set_ready(t, index, 0);
        waiting_add(t, index, deadline);
        return;
    }
    sn_check(!source_is_delayed(t, index));
    beside = source_single_beside(t, index);
    move_end(t, index, number, beside);
    t->sources[index].generation = beside & ((UINT32_C(1) << 30) - 1);
    waiting_add(t, beside, deadline);
}

void source_append_beside(struct trial *t, uint32_t link, uint32_t number)
{
    uint32_t index = t->sources[link].generation;
    struct source *source = &t->sources[index];

    t->ops[number].next = 0;
    t->ops[number].source = index;
    t->ops[source->tail].next = number;
    source->tail = number;
}

/* A source that belongs to a link is used no more. */
static void leave_link(struct trial *t, uint32_t index)
{
    struct source *source = &t->sources[index];
    struct source *link = &t->sources[source_link(t, SOURCE_BESIDE(source->from), source->to)];

    if (link->generation == index)
        link->generation = 0;
    source->from = SOURCE_NO_SENDER;
}

/* The time of what waits beside a link has come. */
static void rejoin(struct trial *t, uint32_t index)
{
    struct source *source = &t->sources[index];
    uint32_t link = source_link(t, SOURCE_BESIDE(source->from), source->to);
    bool is_gated = (t->tasks[source->to].flags & TASK_GATED) != 0;
    uint32_t next;

    for (uint32_t op = source->head; op != 0; op = next) {
        next = t->ops[op].next;
        source_append(t, link, op, is_gated);
    }
    source_release(t, index);
}

/* ---- Sources for one operation -------------------------------------------------------------- */

/* In use it has its operation as head and tail; one that is free has tail 0, and head links it to
 * the next free one of the task. */
uint32_t source_single(struct trial *t, uint32_t task)
{
    uint32_t index = t->tasks[task].free_source;

    if (index == 0) {
        index = source_new(t, SOURCE_NO_SENDER, task);
        t->link_slot[index] = TRIAL_LINK_SLOTS; /* in none */
        t->sources[index].is_single = true;
    } else {
        t->tasks[task].free_source = t->sources[index].head;
        t->sources[index].head = 0;
    }
    t->sources[index].generation++;
    return index;
}

void source_release(struct trial *t, uint32_t index)
{
    struct source *source = &t->sources[index];

    if (unlikely(source->from != SOURCE_NO_SENDER))
        leave_link(t, index);
    source->tail = 0;
    source->head = t->tasks[source->to].free_source;
    t->tasks[source->to].free_source = index;
}

/* ---- Timers --------------------------------------------------------------------------------- */

sn_timer timer_start(struct trial *t, uint32_t number, bool at_any_time)
{
    struct sn_op *op = &t->ops[number];
    uint32_t index = source_single(t, op->task);

    /* Nothing happens after the limit of time: such a timer waits, and the trial is cut. */
    if (at_any_time && op->deadline <= t->time_max_ns) {
        op->flags |= SN_OP_ANY_TIME;
        source_append(t, index, number, (t->tasks[op->task].flags & TASK_GATED) != 0);
    } else {
        source_append_waiting(t, index, number);
    }
    return (sn_timer)t->sources[index].generation << 32 | index;
}

uint32_t timer_find(struct trial *t, uint32_t task, sn_timer timer)
{
    uint32_t index = (uint32_t)timer;
    const struct source *source = &t->sources[index];

    if (index == 0 || index >= t->now.n_sources || !source->is_single || source->tail == 0)
        return 0;
    if (source->to != task || source->generation != (uint32_t)(timer >> 32))
        return 0;
    return index;
}

void timer_cancel(struct trial *t, uint32_t index)
{
    struct source *source = &t->sources[index];
    uint32_t op = source->head;

    note_dropped(t, source, op, source->ready);
    if (source->is_waiting)
        waiting_remove(t, index);
    source_set_ready(t, index, 0);
    op_free(t, op);
    source_release(t, index);
}

/* ---- Time ----------------------------------------------------------------------------------- */

static uint64_t earliest_deadline(const struct trial *t)
{
    uint64_t earliest = UINT64_MAX;

    for (uint32_t i = 0; i < t->now.n_waiting; i++) {
        uint64_t deadline = t->ops[t->sources[t->waiting[i]].head].deadline;

        earliest = deadline < earliest ? deadline : earliest;
    }
    return earliest;
}

/* What waits for this deadline no longer does. */
static void wake(struct trial *t, uint64_t deadline)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < t->now.n_waiting; i++) {
        uint32_t index = t->waiting[i];
        struct source *source = &t->sources[index];

        if (t->ops[source->head].deadline != deadline) {
            t->waiting[kept++] = index;
            continue;
        }
        source->is_waiting = false;
        if (t->ops[source->head].kind == SN_OP_DELIVER)
            t->ops[source->head].deadline = 0; /* only timers have one */
        if (source->from != SOURCE_NO_SENDER)
            rejoin(t, index);
        else
            source_set_ready(t, index, first_ready(t, source->head));
    }
    t->now.n_waiting = kept;
}

static void pass_time(struct trial *t, uint64_t deadline)
{
    wake(t, deadline);
    if (unlikely(t->filter != NULL))
        require_sift(t);
    if (deadline <= t->now.time_ns)
        return;
    t->now.time_ns = deadline;
    trial_reach(t, deadline);
}

/* Nothing but faults can run, and something is held that could. Time does not pass meanwhile, since
 * it would not if that were free. True: something can run all the same. */
static bool wait_for_held(struct trial *t)
{
    if (require_yield(t) || t->now.n_enabled > 0)
        return true;
    t->stuck = true;
    return false;
}

bool trial_wait(struct trial *t)
{
    while (t->now.n_enabled <= t->now.n_faults) {
        uint64_t deadline;

        if (t->now.steps >= t->now.due_at && t->now.steps < t->steps_max) {
            trial_due(t);
            continue;
        }
        if (unlikely(t->filter != NULL) && require_holds_steps(t))
            return wait_for_held(t);
        if (t->now.n_waiting == 0) {
            if (t->now.n_enabled + t->now.n_held > 0)
                trial_judge(t);
            t->stuck = t->now.n_enabled == 0 && t->now.n_held > 0;
            return t->now.n_enabled > 0;
        }
        deadline = earliest_deadline(t);
        if (deadline > t->time_max_ns) {
            t->cut = true;
            t->stuck = require_holds(t);
            return false;
        }
        pass_time(t, deadline);
        t->now.waits++;
    }
    return true;
}

void trial_pass_time(struct trial *t)
{
    uint64_t deadline = earliest_deadline(t);

    if (t->now.n_waiting > 0 && deadline <= t->time_max_ns)
        pass_time(t, deadline);
}
