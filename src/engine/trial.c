/* trial.c - the life of a trial: reserved once, cleared, set up, run, judged.
 * SPDX-License-Identifier: MIT
 */
#include "engine/trial.h"

#include "engine/here.h"
#include "engine/loop.h"
#include "engine/mem.h"
#include "engine/op.h"
#include "engine/require.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* A fixed place keeps pointers in machines and payloads equal from process to process. */
#define MEMORY_ADDRESS ((char *)UINT64_C(0x4e0000000000))
#define PAYLOADS_ADDRESS ((char *)UINT64_C(0x4e8000000000))

/* Room for the trial's own objects to be overrun in either direction without meeting another's. */
#define MEMORY_MARGIN ((size_t)4 << 20)

#define MEMORY_BYTES ((size_t)TRIAL_MEMORY_LINES_MAX * 64)
#define PAYLOADS_BYTES ((size_t)TRIAL_OPS_MAX * TRIAL_SMALL_PAYLOAD)

static int reserve_world_side(struct trial *t, struct err *why)
{
    char *memory =
        mem_reserve_at(MEMORY_ADDRESS + heap_shift(), MEMORY_BYTES + 2 * MEMORY_MARGIN, why);

    if (memory == NULL)
        return SN_ENOMEM;
    t->memory = memory + MEMORY_MARGIN;
    memory =
        mem_reserve_at(PAYLOADS_ADDRESS + heap_shift(), PAYLOADS_BYTES + 2 * MEMORY_MARGIN, why);
    if (memory == NULL)
        return SN_ENOMEM;
    t->payloads = memory + MEMORY_MARGIN;
    return 0;
}

int trial_new(struct trial **out, const struct trial *like, struct err *why)
{
    struct trial *t = mem_reserve_shared(sizeof(*t), why);

    *out = t;
    if (t == NULL)
        return SN_ENOMEM;
    if (like != NULL) {
        t->memory = like->memory;
        t->payloads = like->payloads;
        t->shares_memory = true;
    } else if (reserve_world_side(t, why) < 0) {
        trial_free(t);
        *out = NULL;
        return SN_ENOMEM;
    }
    trial_range_add(t, t->ops, &t->now.n_ops, sizeof(*t->ops));
    trial_range_add(t, t->sources, &t->now.n_sources, sizeof(*t->sources));
    trial_range_add(t, t->tasks, &t->now.n_tasks, sizeof(*t->tasks));
    trial_range_add(t, t->objects, &t->now.n_objects, sizeof(*t->objects));
    trial_range_add(t, t->draws, &t->now.n_draws, sizeof(*t->draws));
    trial_range_add(t, t->enabled, &t->now.n_enabled, sizeof(*t->enabled));
    trial_range_add(t, t->waiting, &t->now.n_waiting, sizeof(*t->waiting));
    trial_range_add(t, t->blobs, &t->now.n_blobs, sizeof(*t->blobs));
    trial_range_add(t, t->payloads, &t->now.n_ops, TRIAL_SMALL_PAYLOAD);
    trial_range_add(t, t->memory, &t->now.memory_lines, 64);
    return 0;
}

void trial_free(struct trial *t)
{
    if (t == NULL)
        return;
    if (t->memory != NULL && !t->shares_memory)
        mem_release(t->memory - MEMORY_MARGIN, MEMORY_BYTES + 2 * MEMORY_MARGIN);
    if (t->payloads != NULL && !t->shares_memory)
        mem_release(t->payloads - MEMORY_MARGIN, PAYLOADS_BYTES + 2 * MEMORY_MARGIN);
    mem_release(t, sizeof(*t));
}

void trial_join(struct trial *t, uint16_t kind, const struct substrate *substrate)
{
    sn_check(kind < TRIAL_KINDS_MAX);
    t->substrates[kind] = substrate;
    t->beginners |= substrate->begin != NULL ? UINT32_C(1) << kind : 0;
    t->settlers |= substrate->settle != NULL ? UINT32_C(1) << kind : 0;
    t->armed |= substrate->arm != NULL ? UINT32_C(1) << kind : 0;
    require_set_perform(t, kind, substrate->perform);
}

void trial_range_add(struct trial *t, void *base, const uint32_t *count, size_t element_size)
{
    sn_check(t->n_ranges < TRIAL_RANGES_MAX);
    t->ranges[t->n_ranges++] = (struct trial_range){base, count, (uint32_t)element_size};
}

void trial_clear(struct trial *t)
{
    t->now = (struct trial_now){
        .step_id = TRIAL_ROOT_ID,
        .n_ops = 1,
        .n_sources = 1,
        .n_tasks = 1,
        .n_objects = 1,
        .n_draws = 1,
        .n_blobs = 1,
        .due_at = UINT64_MAX,
        .watch_at = UINT64_MAX,
    };
    t->tasks[0] = (struct task){.id = TRIAL_ROOT_ID};
}

/* ---- Fibers --------------------------------------------------------------------------------- */

void trial_land(struct trial *t)
{
    void (*landing)(struct trial * t, struct process * left) = t->landing;
    struct process *left = t->process;

    t->landing = NULL;
    t->process = NULL;
    landing(t, left);
}

static void jump(struct trial *t, struct process *left)
{
    (void)left;
    _longjmp(*t->jump, 1);
}

/* From one stack to another nothing may jump that checks how far down it goes, as libc's own and
 * the sanitizers' do: the fiber is left first. */
void trial_jump(struct trial *t, jmp_buf *to)
{
    if (t->fiber != NULL) {
        t->jump = to;
        t->landing = jump;
        fiber_switch(t->fiber, &t->main);
        __builtin_unreachable();
    }
    _longjmp(*to, 1);
}

/* ---- Ends ----------------------------------------------------------------------------------- */

static void leave(struct trial *t, const char *why)
{
    if (!t->running)
        return;
    if (t->bail != NULL)
        t->bail(t);
    sn_debug_break(t->now.steps, why, NULL);
    trial_jump(t, &t->escape);
}

static void set_verdict(struct trial *t, enum sn_verdict verdict, const char *oracle,
                        const char *format, va_list args) __attribute__((format(printf, 4, 0)));

static void set_verdict(struct trial *t, enum sn_verdict verdict, const char *oracle,
                        const char *format, va_list args)
{
    struct verdict *v = &t->verdict;
    const char *actor = t->running && t->name_actor != NULL ? t->name_actor(t) : "";

    v->verdict = verdict;
    (void)snprintf(v->actor, sizeof(v->actor), "%s", actor);
    (void)snprintf(v->oracle, sizeof(v->oracle), "%s", oracle);
    (void)vsnprintf(v->message, sizeof(v->message), format, args);
}

void trial_fail(struct trial *t, const char *oracle, const char *at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_verdict(t, SN_FAILED, oracle, format, args);
    va_end(args);
    (void)snprintf(t->verdict.at, sizeof(t->verdict.at), "%s", at != NULL ? at : "");
    leave(t, t->verdict.message);
}

void trial_lose_control(struct trial *t, const char *oracle, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_verdict(t, SN_UNCONTROLLED, oracle, format, args);
    va_end(args);
    t->verdict.at[0] = '\0';
    if (t->running)
        death_leave_stack(&t->death, NULL);
    leave(t, t->verdict.message);
}

void trial_diverge(struct trial *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(t->divergence.text, sizeof(t->divergence.text), format, args);
    va_end(args);
    leave(t, t->divergence.text);
}

void trial_leave(struct trial *t)
{
    t->unfinished = true;
    if (t->running)
        trial_jump(t, &t->escape);
}

void trial_abandon(struct trial *t)
{
    t->abandoned = true;
    trial_leave(t);
}

void trial_abandon_probe(struct trial *t)
{
    t->was_probe = true;
    trial_abandon(t);
}

void trial_forget(struct trial *t)
{
    t->uncounted = true;
    trial_abandon(t);
}

void trial_get_stuck(struct trial *t)
{
    t->stuck = true;
    if (t->running)
        trial_jump(t, &t->escape);
}

void trial_discard(struct trial *t)
{
    t->discarded = true;
    if (t->running)
        trial_jump(t, &t->escape);
}

void trial_end_phase(struct trial *t, uint64_t step)
{
    if (t->phase_end == UINT64_MAX || step >= t->phase_end)
        return;
    t->phase_end = step;
    trial_set_due(t, t->checkpoint_due);
}

void trial_guard(struct trial *t, void (*body)(struct trial *t))
{
    t->running = true;
    t->may_act = ACTS_AT_ONCE;
    t->fiber = NULL;
    t->process = NULL;
    t->landing = NULL;
    t->error = &errno;
    t->words_at = UINT64_MAX - 1; /* nothing is known of the words yet */
    atomic_store_explicit(&world_root.trial_thread, (uintptr_t)pthread_self(),
                          memory_order_relaxed);
    world_root.trial_stack = (uintptr_t)__builtin_frame_address(0);
    if (_setjmp(t->escape) == 0)
        body(t);
    world_root.trial_stack = 0;
    atomic_store_explicit(&world_root.trial_thread, 0, memory_order_relaxed);
    t->running = false;
    t->may_act = ACTS_NOT;
    heap_enter(0);
}

/* The program has damaged its heap: found by malloc or free. Inside a trial that is its end. */
void heap_broken(const char *what)
{
    struct trial *t = trial_here();

    if (t != NULL && t->running) {
        death_leave_stack(&t->death, NULL);
        trial_fail(t, "heap", NULL, "%s", what);
    }
    err_check_failed("heap", 0, what);
}

void heap_exhausted(void)
{
    struct trial *t = trial_of_thread();

    if (t == NULL || !t->running)
        return;
    death_leave_stack(&t->death, NULL);
    trial_fail(t, "memory", NULL, "the trial has allocated more than %llu MiB",
               (unsigned long long)(world_root.heap.limit >> 20));
}

/* ---- Decisions ------------------------------------------------------------------------------ */

/* The source whose ready operation has this id; 0 if none. */
static uint32_t find_enabled(const struct trial *t, uint64_t id, uint32_t hint)
{
    if (hint != 0 && hint < t->now.n_sources && t->sources[hint].position != 0 &&
        t->ops[t->sources[hint].ready].id == id)
        return hint;
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        uint32_t source = (uint32_t)t->enabled[i];

        if (t->ops[t->sources[source].ready].id == id)
            return source;
    }
    return 0;
}

bool trial_follow(struct trial *t)
{
    while (t->log.n < t->follow) {
        struct log_entry *entry = &t->log.entries[t->log.n];
        uint32_t source;

        if (t->now.n_enabled <= t->now.n_faults && !trial_wait(t)) {
            trial_diverge(t, "nothing can run any more");
            return false;
        }
        if (entry->kind != LOG_OP) {
            trial_diverge(t, "a value was drawn here that is not drawn now");
            return false;
        }
        if (t->now.steps >= t->pause_at && !trial_pause(t)) {
            trial_diverge(t, "the log is longer than a trial may be");
            return false;
        }
        source = find_enabled(t, entry->value, entry->hint);
        if (source == 0) {
            trial_diverge(t, "the operation that ran here is not pending");
            return false;
        }
        entry->hint = source;
        if (t->recorder != NULL && t->recorder->between != NULL)
            t->recorder->between(t);
        t->log.n++;
        trial_step(t, source, true);
    }
    return true;
}

void trial_follow_guide(struct trial *t)
{
    for (;;) {
        uint32_t source;

        if (t->now.n_enabled <= t->now.n_faults && !trial_wait(t))
            break;
        if (t->now.steps >= t->pause_at && !trial_pause(t))
            break;
        source = t->guide->pick(t, t->guide->self);
        if (source == 0)
            break;
        log_push(&t->log, LOG_OP, t->ops[t->sources[source].ready].id, source);
        trial_step(t, source, true);
    }
    trial_judge(t);
}

bool trial_pause(struct trial *t)
{
    if (t->now.steps >= t->steps_max) {
        t->cut = true;
        t->stuck = require_holds(t);
        return false;
    }
    if (t->now.steps >= t->now.due_at)
        trial_due(t);
    if (t->now.steps >= t->phase_end || t->now.latest_ns >= t->phase_end_ns) {
        t->phase_over = true;
        return false;
    }
    if (t->now.steps >= t->now.watch_at)
        trial_watch(t);
    if (t->now.steps >= t->checkpoint_due && t->now.n_enabled > 1)
        t->checkpoint(t);
    return true;
}

void trial_due(struct trial *t)
{
    for (int i = 0; i < TRIAL_KINDS_MAX; i++) {
        if (t->substrates[i] != NULL && t->substrates[i]->due != NULL)
            t->substrates[i]->due(t);
    }
    trial_set_due(t, t->checkpoint_due);
    if (unlikely(t->filter != NULL))
        require_sift(t);
}

void trial_judge(struct trial *t)
{
    if (t->stuck)
        return;
    for (int i = 0; i < TRIAL_ORACLES_MAX && t->oracles[i] != NULL; i++) {
        if (t->verdict.verdict == SN_PASSED && t->oracles[i]->judge != NULL)
            t->oracles[i]->judge(t, t->cut);
    }
}

int trial_state(struct trial *t, struct state_key *key, struct err *why)
{
    int rc = 0;

    if (t->filter != NULL)
        return err_set(why, SN_EINVAL,
                       "what has run of an order that is required is no part of it");
    *key = state_begin(0);
    for (int i = 0; i < TRIAL_KINDS_MAX && rc == 0; i++) {
        if (t->substrates[i] != NULL && t->substrates[i]->state != NULL)
            rc = t->substrates[i]->state(t, key, why);
    }
    for (int i = 0; i < TRIAL_ORACLES_MAX && t->oracles[i] != NULL && rc == 0; i++) {
        if (t->oracles[i]->state != NULL)
            rc = t->oracles[i]->state(t, key, why);
    }
    return rc;
}

struct state_key trial_content(const struct trial *t, const struct sn_op *op)
{
    const struct substrate *substrate = t->substrates[op->kind];

    return substrate->content != NULL ? substrate->content(t, op) : state_begin(op->kind);
}

void trial_arm_oracles(struct trial *t)
{
    for (int i = 0; i < TRIAL_ORACLES_MAX && t->oracles[i] != NULL; i++) {
        if (t->oracles[i]->arm != NULL)
            t->oracles[i]->arm(t);
    }
}

void trial_begin_fairness(struct trial *t)
{
    if (t->fair_from <= t->now.steps)
        return;
    t->fair_from = t->now.steps;
    trial_arm_oracles(t);
    if (t->now.steps >= t->now.watch_at)
        trial_watch(t);
}

void trial_disturb(struct trial *t)
{
    for (int i = 0; i < TRIAL_ORACLES_MAX && t->oracles[i] != NULL; i++) {
        if (t->oracles[i]->disturb != NULL)
            t->oracles[i]->disturb(t);
    }
}

void trial_watch(struct trial *t)
{
    t->now.watch_at = UINT64_MAX;
    if (require_holds(t)) { /* nothing is fair meanwhile */
        trial_watch_at(t, t->now.steps + 1);
        trial_set_due(t, t->checkpoint_due);
        return;
    }
    for (int i = 0; i < TRIAL_ORACLES_MAX && t->oracles[i] != NULL; i++) {
        if (t->oracles[i]->watch != NULL)
            t->oracles[i]->watch(t);
    }
    trial_set_due(t, t->checkpoint_due);
}

static uint32_t pick_any(struct trial *t, void *self)
{
    uint32_t index = t->strategy->pick(self, (const struct sn_pending *)t);

    if (unlikely(index >= t->now.n_enabled))
        trial_lose_control(t, "strategy", "strategy %s picked operation %u of %u",
                           t->strategy->name, index, t->now.n_enabled);
    return (uint32_t)t->enabled[index];
}

void trial_loop_any(struct trial *t)
{
    trial_loop_with(t, pick_any, t->strategy->told, t->strategy_self);
}

uint32_t sn_pending_count(const struct sn_pending *pending)
{
    return ((const struct trial *)pending)->now.n_enabled;
}

const struct sn_op *sn_pending_op(const struct sn_pending *pending, uint32_t i)
{
    const struct trial *t = (const struct trial *)pending;

    sn_check(i < t->now.n_enabled);
    return &t->ops[t->sources[(uint32_t)t->enabled[i]].ready];
}

/* ---- Draws ---------------------------------------------------------------------------------- */

static uint64_t text_hash(const char *s)
{
    uint64_t h = 0;

    while (*s != '\0')
        h = mix_pair(h, (unsigned char)*s++);
    return h;
}

/* The scope that the running task draws in; NULL: none. */
static struct draw_count *scope_now(struct trial *t)
{
    struct draw_count *first = &t->draws[t->tasks[t->now.task].first_draw];

    return first->depth > 0 ? first : NULL;
}

static uint32_t draw_new(struct trial *t, const struct draw_count *count)
{
    if (t->now.n_draws == TRIAL_DRAWS_MAX)
        op_too_many(t, "labels of draws");
    t->draws[t->now.n_draws] = *count;
    return t->now.n_draws++;
}

/* The counter of a task's draws under a label, in the present scope. Labels are compared by address
 * first: they are nearly always literals. */
static struct draw_count *draw_counter(struct trial *t, const char *label)
{
    struct task *task = &t->tasks[t->now.task];
    struct draw_count *scope = scope_now(t);
    uint32_t *first = scope != NULL ? &scope->next : &task->first_draw;
    uint32_t i = *first;

    while (i != 0 && t->draws[i].label != label && strcmp(t->draws[i].label, label) != 0)
        i = t->draws[i].next;
    if (i == 0) {
        uint64_t key = mix_pair(scope != NULL ? scope->key : task->id, text_hash(label));

        i = draw_new(t, &(struct draw_count){.label = label, .key = key, .next = *first});
        *first = i;
    }
    return &t->draws[i];
}

uint32_t trial_draw_number(const struct trial *t, const char *label)
{
    uint32_t i = t->tasks[t->now.task].first_draw;

    i = t->draws[i].depth > 0 ? t->draws[i].next : i;
    while (i != 0 && t->draws[i].label != label && strcmp(t->draws[i].label, label) != 0)
        i = t->draws[i].next;
    return t->draws[i].count;
}

uint64_t trial_scopes(struct trial *t, const char *label, uint32_t *group)
{
    struct draw_count *counter = draw_counter(t, label);

    *group = ++counter->count;
    return mix_pair(~counter->key, *group);
}

uint32_t trial_scope_enter(struct trial *t, uint64_t group_key, const char *label, uint32_t group,
                           uint32_t index)
{
    struct task *task = &t->tasks[t->now.task];
    const struct draw_count *outer = scope_now(t);
    struct draw_count scope = {
        .label = label,
        .key = mix_pair(group_key, index),
        .count = index,
        .depth = outer != NULL ? outer->depth + 1 : 1,
        .low = outer != NULL ? outer->low : 0,
        .parent = task->first_draw,
        .group = group,
    };

    task->first_draw = draw_new(t, &scope);
    return task->first_draw;
}

void trial_scope_leave(struct trial *t, uint32_t scope)
{
    struct task *task = &t->tasks[t->now.task];
    const struct draw_count *left = &t->draws[scope];
    const struct draw_count *inner = scope_now(t);
    uint32_t low = inner != NULL && inner->low < left->low ? inner->low : left->low;
    struct draw_count *outer;

    task->first_draw = left->parent;
    outer = scope_now(t);
    if (outer != NULL)
        outer->low = low < outer->depth ? low : outer->depth;
}

struct draw_depth trial_draw_depth(const struct trial *t)
{
    const struct draw_count *first = &t->draws[t->tasks[t->now.task].first_draw];

    return (struct draw_depth){first->depth, first->low};
}

bool trial_draws_freely(const struct trial *t)
{
    return t->is_free && t->log.n >= t->follow && t->guide == NULL;
}

static uint64_t ask_strategy(struct trial *t, const struct sn_draw *draw,
                             const struct draw_shape *shape)
{
    struct sn_draw bits = *draw;

    if (unlikely(t->strategy == NULL || t->strategy->draw == NULL))
        return 0;
    if (shape == NULL || !t->is_free || draw->n == 1)
        return t->strategy->draw(t->strategy_self, draw);
    bits.n = UINT64_MAX;
    return shape->value(shape->self, draw->n, t->strategy->draw(t->strategy_self, &bits));
}

static uint64_t decide_draw(struct trial *t, const struct sn_draw *draw, uint64_t fixed,
                            const struct draw_shape *shape)
{
    struct sn_draw asked = *draw;
    uint64_t value;

    struct log_entry *entry = &t->log.entries[t->log.n];

    if (t->log.n < t->follow) {
        if (entry->kind != LOG_DRAW)
            trial_diverge(t, "a value is drawn (%s) that was not drawn before", draw->label);
        if (entry->value >= draw->n)
            trial_diverge(t, "%s was drawn as %llu but must now be below %llu", draw->label,
                          (unsigned long long)entry->value, (unsigned long long)draw->n);
        return entry->value;
    }
    if (t->guide != NULL)
        return t->guide->draw(t, draw, t->guide->self);
    if (fixed != UINT64_MAX)
        asked.n = 1;
    value = ask_strategy(t, &asked, shape);
    return fixed != UINT64_MAX ? fixed : value;
}

/* A value that is required. The strategy takes a decision all the same, for which there is but one
 * answer: each entry of a log that it has not followed is a decision of its own to it. */
static __attribute__((cold, noinline)) bool
decide_required(struct trial *t, const struct sn_draw *draw, uint64_t *value)
{
    if (t->log.n < t->follow || !require_draw(t, draw, value))
        return false;
    if (t->guide == NULL)
        (void)decide_draw(t, draw, 0, NULL);
    return true;
}

/* The task has drawn in its present scope. */
static void note_depth(struct trial *t)
{
    struct draw_count *scope = scope_now(t);

    if (unlikely(scope != NULL))
        scope->low = scope->depth;
}

/* Where all but one answer are ruled out, `fixed` is that one; UINT64_MAX: none is. */
static uint64_t draw_value(struct trial *t, const char *label, uint64_t n, uint64_t fixed,
                           const struct draw_shape *shape)
{
    struct draw_count *counter = draw_counter(t, label);
    struct sn_draw draw = {.label = label, .n = n, .task = t->now.task};
    uint64_t value;

    /* Half of the log is for steps, half for draws. */
    if (t->log.n - t->now.steps >= LOG_ENTRIES_MAX / 2 - 1)
        trial_fail(t, "limit", NULL, "too many decisions in one trial");
    draw.key = mix_pair(counter->key, ++counter->count);
    if (likely(t->filter == NULL) || !decide_required(t, &draw, &value))
        value = decide_draw(t, &draw, fixed, shape);
    if (value >= n)
        trial_lose_control(t, "strategy", "strategy %s drew %llu for %s, which must be below %llu",
                           t->strategy->name, (unsigned long long)value, label,
                           (unsigned long long)n);
    log_push(&t->log, LOG_DRAW, value, 0);
    t->now.order += mix_fold(draw.key, value);
    trial_record(t, draw, &draw, value);
    note_depth(t);
    return value;
}

uint64_t trial_draw(struct trial *t, const char *label, uint64_t n)
{
    return draw_value(t, label, n, UINT64_MAX, NULL);
}

uint64_t trial_draw_unless_systematic(struct trial *t, const char *label, uint64_t n)
{
    bool is_fixed = t->strategy != NULL && t->strategy->is_exhausted != NULL;

    return draw_value(t, label, n, is_fixed ? 0 : UINT64_MAX, NULL);
}

uint64_t trial_draw_preferring(struct trial *t, const char *label, uint64_t n, uint64_t preferred)
{
    return draw_value(t, label, n, t->is_planned ? UINT64_MAX : preferred, NULL);
}

uint64_t trial_draw_shaped(struct trial *t, const char *label, uint64_t n,
                           const struct draw_shape *shape)
{
    return draw_value(t, label, n, UINT64_MAX, shape);
}

uint64_t trial_draw_known(struct trial *t, const char *label, uint64_t n, uint64_t value)
{
    return draw_value(t, label, n, trial_draws_freely(t) ? value : UINT64_MAX, NULL);
}

/* ---- Tasks, objects, memory ----------------------------------------------------------------- */

uint32_t trial_task_new(struct trial *t)
{
    uint32_t task = t->now.n_tasks;

    if (task == TRIAL_TASKS_MAX)
        op_too_many(t, "tasks");
    t->now.n_tasks = task + 1;
    t->tasks[task] = (struct task){.id = op_child_id(t)};
    return task;
}

uint32_t trial_object_new(struct trial *t, uint64_t id)
{
    uint32_t object = t->now.n_objects;

    if (object == TRIAL_OBJECTS_MAX)
        op_too_many(t, "objects");
    t->now.n_objects = object + 1;
    t->objects[object] = (struct object){.id = mix64(id)};
    return object;
}

void trial_touch(struct trial *t, uint32_t object)
{
    trial_write(t, &t->objects[object]);
}

void trial_touch_read(struct trial *t, uint32_t object)
{
    trial_read(t, &t->objects[object]);
}

void trial_touch_side(struct trial *t, uint32_t object, enum touch_mode side)
{
    bool is_return = side == TOUCH_RETURN;
    struct object *mine = &t->objects[object + (is_return ? 1 : 0)];
    const struct object *other = &t->objects[object + (is_return ? 0 : 1)];

    t->now.order += mix_fold(t->now.step_id ^ mine->id, other->writes);
    mine->writes += mix64(t->now.step_id);
    if (unlikely(t->touches != NULL))
        touches_add(t->touches, t->objects[object].id, side);
}

void trial_touch_task(struct trial *t, uint32_t task)
{
    struct task *touched = &t->tasks[task];

    t->now.order += mix_fold(t->now.step_id ^ touched->id, touched->steps++);
    if (unlikely(t->touches != NULL))
        touches_add(t->touches, touched->id, TOUCH_WRITE);
}

void trial_read_task(struct trial *t, uint32_t task)
{
    const struct task *seen = &t->tasks[task];

    t->now.order += mix_fold(~t->now.step_id ^ seen->id, seen->steps);
    if (unlikely(t->touches != NULL))
        touches_add(t->touches, seen->id, TOUCH_READ);
}

void *trial_alloc(struct trial *t, size_t n)
{
    size_t lines = (n + 63) / 64;
    void *memory = t->memory + (size_t)t->now.memory_lines * 64;

    if (n > MEMORY_BYTES || lines > TRIAL_MEMORY_LINES_MAX - t->now.memory_lines)
        trial_fail(t, "limit", NULL, "the trial asks for more than %zu GiB of memory",
                   MEMORY_BYTES >> 30);
    t->now.memory_lines += (uint32_t)lines;
    memset(memory, 0, lines * 64);
    return memory;
}
