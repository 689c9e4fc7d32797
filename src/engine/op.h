/* op.h - operations, the queues they wait in, and the set of those that can run.
 *
 * Operations lie in a flat array with a free list; the enabled set is a dense array of sources with
 * swap-remove. Both are what makes a step cost nanoseconds, so the functions of the hot path are
 * here, inline. Index 0 of every array means none. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_OP_H
#define ENGINE_OP_H

#include "base/rng.h"
#include "engine/trial.h"

#include <string.h>

/* ---- The enabled set ------------------------------------------------------------------------ */

static inline void enabled_add(struct trial *t, uint32_t source)
{
    uint32_t position = t->now.n_enabled++;

    t->enabled[position] = source;
    t->sources[source].position = position + 1;
}

static inline void enabled_remove(struct trial *t, uint32_t source)
{
    uint32_t position = t->sources[source].position - 1;
    uint64_t last = t->enabled[--t->now.n_enabled];

    t->enabled[position] = last;
    t->sources[(uint32_t)last].position = position + 1;
    t->sources[source].position = 0;
    t->now.n_shifts++;
}

/* ---- Operations ----------------------------------------------------------------------------- */

/* Ends the trial: too much is pending. */
void op_too_many(struct trial *t, const char *what) __attribute__((cold));

/* The number of a new operation. */
static inline uint32_t op_new(struct trial *t)
{
    uint32_t index = t->now.free_op;

    if (likely(index != 0)) {
        t->now.free_op = t->ops[index].next;
        t->ops[index].number = t->now.children;
        return index;
    }
    index = t->now.n_ops;
    if (unlikely(index == TRIAL_OPS_MAX))
        op_too_many(t, "operations");
    t->now.n_ops = index + 1;
    t->ops[index].number = t->now.children;
    return index;
}

static inline uint32_t op_index(const struct trial *t, const struct sn_op *op)
{
    return (uint32_t)(op - t->ops);
}

/* What an operation is called: the name of its event, or what a plain node gets. */
const char *op_event_name(const struct sn_op *op);

/* The id of the next thing that the running step announces. */
static inline uint64_t op_child_id(struct trial *t)
{
    return mix_fold(t->now.step_id, ++t->now.children);
}

/* The same, without announcing anything. */
static inline uint64_t op_next_child_id(const struct trial *t)
{
    return mix_fold(t->now.step_id, t->now.children + 1);
}

void *op_payload_large(struct trial *t, struct sn_op *op, size_t size);
void op_payload_large_free(struct trial *t, struct sn_op *op);

/* Where the payload of an operation is. */
static inline void *op_payload(const struct trial *t, const struct sn_op *op)
{
    if (op->size == 0)
        return NULL;
    if (likely(op->payload == 0))
        return t->payloads + (size_t)op_index(t, op) * TRIAL_SMALL_PAYLOAD;
    return t->memory + (size_t)t->blobs[op->payload].line * 64;
}

static inline void op_free(struct trial *t, uint32_t index)
{
    struct sn_op *op = &t->ops[index];

    if (unlikely(op->payload != 0))
        op_payload_large_free(t, op);
    op->next = t->now.free_op;
    t->now.free_op = index;
}

/* Copies in the words in which the program has most likely just written them: a wider load would
 * have to wait until those writes have left the processor's store buffer. */
static inline void op_copy_small(void *to, const void *from, size_t size)
{
    uint64_t low;
    uint64_t high;

    if (size == 16) {
        memcpy(&low, from, 8);
        memcpy(&high, (const char *)from + 8, 8);
        __asm__("" : "+r"(low), "+r"(high)); /* not to be joined into one wide move */
        memcpy(to, &low, 8);
        memcpy((char *)to + 8, &high, 8);
    } else if (size == 8) {
        memcpy(to, from, 8);
    } else {
        memcpy(to, from, size);
    }
}

static inline void op_set_payload(struct trial *t, uint32_t index, const void *payload, size_t size)
{
    struct sn_op *op = &t->ops[index];

    op->size = (uint32_t)size;
    op->payload = 0;
    if (size == 0)
        return;
    if (likely(size <= TRIAL_SMALL_PAYLOAD))
        op_copy_small(t->payloads + (size_t)index * TRIAL_SMALL_PAYLOAD, payload, size);
    else
        memcpy(op_payload_large(t, op, size), payload, size);
}

/* ---- Sources -------------------------------------------------------------------------------- */

uint32_t source_new(struct trial *t, uint32_t from, uint32_t to);

/* Looks further for a link, and makes it if there is none. */
uint32_t source_link_probe(struct trial *t, uint32_t from, uint32_t to, uint32_t slot);

/* Where to look for a link first. Links to the first 64 tasks, which are all that most tests have,
 * have slots of their own that lie close together; others are hashed. */
static inline uint32_t source_slot(uint32_t from, uint32_t to)
{
    if (likely((from >> 14 | to >> 6) == 0))
        return from << 6 | to;
    return TRIAL_LINK_DIRECT + ((from * UINT32_C(0x9e3779b1) + to) & (TRIAL_LINK_HASHED - 1));
}

/* The link between two tasks, made at first use.
 *
 * The table needs neither clearing nor saving. What a slot names counts only if that source exists
 * now and was put into this very slot (link_slot); everything else is an empty slot. Returning to
 * an earlier point of a trial removes the newest sources, and a link that had to step aside for
 * another one is always newer than that one, so no chain of probes is ever cut. */
static inline uint32_t source_link(struct trial *t, uint32_t from, uint32_t to)
{
    uint32_t slot = source_slot(from, to);
    uint32_t index = t->link_table[slot];

    if (likely(index < t->now.n_sources && t->sources[index].to == to &&
               t->sources[index].from == from))
        return index;
    return source_link_probe(t, from, to, slot);
}

/* Finds again what is ready in each source of a task, after its gate has changed. */
void source_recheck_task(struct trial *t, uint32_t task);

/* Removes everything that waits for a task. */
void source_drop_task(struct trial *t, uint32_t task);

/* Removes the operations of a source for which `is_gone` holds, and tells whoever records. */
void source_filter(struct trial *t, uint32_t index,
                   bool (*is_gone)(struct trial *t, const struct sn_op *op, void *self),
                   void *self);

/* Delays an operation until a deadline, and with it what stands behind it in a link. Those wait
 * beside the link and join it again in time; the link must not have any beside it yet. */
void source_delay(struct trial *t, uint32_t number, uint64_t deadline);

/* Puts an operation behind those that wait beside a link. */
void source_append_beside(struct trial *t, uint32_t link, uint32_t number);

/* Whether operations of a link wait beside it. */
static inline bool source_is_delayed(const struct trial *t, uint32_t link)
{
    return !t->sources[link].is_single && t->sources[link].generation != 0;
}

/* A source for one operation that belongs to a link but keeps to no order. */
uint32_t source_single_beside(struct trial *t, uint32_t link);

/* Whether an operation of a gated task can run. */
static inline bool op_is_ready(struct trial *t, const struct sn_op *op)
{
    return t->substrates[op->kind]->is_ready(t, op);
}

/* Puts an operation at the end of a queue. `is_gated` is about its task. */
static inline void source_append(struct trial *t, uint32_t index, uint32_t number, bool is_gated)
{
    struct source *source = &t->sources[index];
    struct sn_op *op = &t->ops[number];

    op->next = 0;
    op->source = index;
    if (source->head == 0)
        source->head = number;
    else
        t->ops[source->tail].next = number;
    source->tail = number;
    if (source->ready != 0 || (unlikely(is_gated) && !op_is_ready(t, op)))
        return;
    source->ready = number;
    enabled_add(t, index);
}

/* A source for one operation at a time: a timer, or a message that keeps to no order. It belongs to
 * its task and is used again. */
uint32_t source_single(struct trial *t, uint32_t task);

/* Whether such a source waits to be used again: its head is no operation. */
static inline bool source_is_free(const struct source *source)
{
    return source->is_single && source->tail == 0;
}

/* Takes such a source out of use; its operation has been taken or is dropped. */
void source_release(struct trial *t, uint32_t index);

/* Puts an operation into an empty source, to wait there for its deadline. */
void source_append_waiting(struct trial *t, uint32_t index, uint32_t number);

/* A source of the operations of one task, one after the other, that is no link. */
uint32_t source_own(struct trial *t, uint32_t task);

/* Puts an operation into an empty source, to wait there for source_wake; ... */
static inline void source_append_asleep(struct trial *t, uint32_t index, uint32_t number)
{
    struct source *source = &t->sources[index];
    struct sn_op *op = &t->ops[number];

    op->next = 0;
    op->source = index;
    source->head = source->tail = number;
}

/* ... to run whenever it is picked; ... */
static inline void source_append_ready(struct trial *t, uint32_t index, uint32_t number)
{
    source_append_asleep(t, index, number);
    t->sources[index].ready = number;
    enabled_add(t, index);
}

/* ... the one that slept can run now, whether it waited for that or for its deadline. */
void source_wake_waiting(struct trial *t, uint32_t index);

static inline void source_wake(struct trial *t, uint32_t index)
{
    struct source *source = &t->sources[index];

    if (unlikely(source->is_waiting || source->ready != 0)) {
        source_wake_waiting(t, index);
        return;
    }
    source->ready = source->head;
    enabled_add(t, index);
}

/* What could run cannot any more, and waits for source_wake again, or for its deadline if it has
 * one. */
void source_sleep(struct trial *t, uint32_t index, bool is_timed);

/* Takes out the operation that is ready, somewhere in the middle of the queue. */
void source_take_middle(struct trial *t, uint32_t index);

/* Takes out the operation that is ready and returns its number. It stays valid until op_free. */
static inline uint32_t source_take(struct trial *t, uint32_t index)
{
    struct source *source = &t->sources[index];
    uint32_t number = source->ready;
    uint32_t next;

    if (unlikely((t->tasks[source->to].flags & TASK_GATED) != 0 || number != source->head)) {
        source_take_middle(t, index);
        return number;
    }
    next = t->ops[number].next;
    source->head = next;
    source->ready = next;
    if (next != 0) {
        t->enabled[source->position - 1] = index;
        return number;
    }
    enabled_remove(t, index);
    if (unlikely(source->is_single))
        source_release(t, index);
    return number;
}

/* ---- Timers --------------------------------------------------------------------------------- */

/* Announces a timer of a task, whose op is filled but for its place. Returns its handle. */
sn_timer timer_start(struct trial *t, uint32_t number, bool at_any_time);

/* The source of a running timer of this task, 0 if the handle is not one. */
uint32_t timer_find(struct trial *t, uint32_t task, sn_timer timer);

/* Cancels a running timer. */
void timer_cancel(struct trial *t, uint32_t source);

#endif
