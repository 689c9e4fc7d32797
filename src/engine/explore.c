/* explore.c - trial after trial.
 *
 * A trial starts by returning to a checkpoint: the bottom one (nothing has happened), the one after
 * the test's own set-up, or one inside the trial before, if the strategy keeps a prefix of it. What
 * lies between the checkpoint and the first decision to be taken anew is repeated from the log.
 * In a process of its own (SN_WORLD_FORK) a trial always starts from nothing, because the parent
 * has never run any; everything the parent must learn lies in memory that both share.
 * SPDX-License-Identifier: MIT
 */
#include "engine/explore_own.h"

#include "base/rng.h"
#include "engine/epoch.h"
#include "engine/mem.h"
#include "engine/require.h"

#include <stdio.h>
#include <string.h>

/* Saving the whole world costs as much as this many steps, ... */
enum { STRIDE_WORLD = 64 };

/* ... and so many bytes of a trial's own state cost as much as one that is repeated. */
enum { STEP_BYTES = 512 };

static void on_checkpoint(struct trial *t);

static struct explore *explore_of(struct trial *t)
{
    return t->explore;
}

/* ---- Opening -------------------------------------------------------------------------------- */

/* Saves the start of every trial. */
static int save_start(struct explore *e, struct err *why)
{
    int rc = checkpoints_new(&e->checkpoints, e->world, why);

    if (rc < 0)
        return rc;
    trial_clear(e->t);
    e->t->log.n = 0;
    return checkpoint_push(e->checkpoints, e->t, why);
}

static void close_memory(struct explore *e)
{
    checkpoints_free(e->checkpoints);
    e->checkpoints = NULL;
    if (e->world != NULL)
        world_close(e->world);
    e->world = NULL;
}

/* Where the whole world cannot be put back, each trial gets a process instead. */
static int open_memory(struct explore *e, enum sn_world wanted, struct err *why)
{
    int rc = 0;

    e->mode = wanted;
    if (wanted == SN_WORLD_TRIAL)
        return save_start(e, why);
    if (wanted == SN_WORLD_FORK)
        return 0;
    rc = world_open(&e->world, &e->mode_why);
    if (rc == 0)
        rc = save_start(e, &e->mode_why);
    if (rc < 0) {
        close_memory(e);
        e->mode = SN_WORLD_FORK;
    } else if (world_note(e->world) != NULL) {
        (void)snprintf(e->mode_why.text, sizeof(e->mode_why.text), "%s", world_note(e->world));
    }
    return 0;
}

static void set_up_trial(struct trial *t, const struct explore_options *options)
{
    const struct sn_test *test = options->test;

    t->test = test;
    t->timers = test->timers;
    if (options->timers != SN_RUN_TIMERS_OF_TEST)
        t->timers = options->timers == SN_RUN_TIMERS_ANY ? SN_TIMERS_ANY : SN_TIMERS_IDEAL;
    t->steps_max = options->max_steps != 0 ? options->max_steps : test->max_steps;
    if (t->steps_max == 0)
        t->steps_max = EXPLORE_MAX_STEPS;
    if (t->steps_max > EXPLORE_STEPS_LIMIT)
        t->steps_max = EXPLORE_STEPS_LIMIT;
    t->time_max_ns = test->max_time_ns != 0 ? test->max_time_ns : UINT64_MAX;
    t->phase_end = UINT64_MAX;
    t->phase_end_ns = UINT64_MAX;
    t->checkpoint_stride = 0;
    trial_set_due(t, UINT64_MAX);
    t->checkpoint = on_checkpoint;
    t->recorder = NULL;
    t->log.n = 0;
    t->follow = 0;
}

/* Whoever tries everything, or knows what is wanted, goes by the values themselves. */
static bool draws_freely(const struct strategy_entry *entry)
{
    return !entry->is_plan && !entry->is_driven && entry->strategy->is_exhausted == NULL;
}

static void set_phase(struct explore *e, uint32_t i)
{
    struct trial *t = e->t;

    t->strategy = i < e->n_phases ? e->phases[i].entry->strategy : NULL;
    t->strategy_self = i < e->n_phases ? e->phases[i].self : NULL;
    t->is_planned = i < e->n_phases && e->phases[i].entry->is_plan;
    t->is_free = i < e->n_phases && draws_freely(e->phases[i].entry);
}

/* Where the last phase begins if all goes as planned. It is judged alone, even if the one before is
 * fair, too: what that one leaves pending may be more than a trial can work off. */
static uint64_t planned_fair_from(const struct explore *e)
{
    uint32_t n = e->n_phases;

    if (!e->phases[n - 1].entry->strategy->is_fair)
        return UINT64_MAX;
    return n > 1 ? e->phases[n - 2].until : 0;
}

void explore_set_phases(struct explore *e, const struct explore_phase *phases, uint32_t n_phases)
{
    sn_check(n_phases <= EXPLORE_PHASES_MAX);
    e->n_phases = n_phases;
    e->inner = 0;
    e->has_minds = false;
    e->has_lessons = false;
    e->has_listeners = false;
    e->own_inside = (struct explore_inside){.is_open = false};
    e->inside = &e->own_inside;
    for (uint32_t k = 0; k < n_phases; k++) {
        e->phases[k] = phases[k];
        e->has_minds |= phases[k].entry->mind != NULL || phases[k].entry->strategy->learns;
        e->has_lessons |= phases[k].entry->strategy->lesson != NULL;
        e->has_listeners |=
            e->has_lessons || phases[k].entry->strategy->end != NULL || phases[k].lessons != NULL;
        if (e->phases[k].until_ns == 0)
            e->phases[k].until_ns = UINT64_MAX;
        if (k > 0 && e->phases[k].n_fresh > 0)
            e->inner = k;
    }
    set_phase(e, 0);
}

static int open_substrates(struct trial *t, struct err *why)
{
    int rc = 0;

    for (int i = 0; i < TRIAL_KINDS_MAX && rc == 0; i++) {
        if (t->substrates[i] != NULL && t->substrates[i]->open != NULL)
            rc = t->substrates[i]->open(t, why);
    }
    return rc;
}

static void close_substrates(struct trial *t)
{
    for (int i = 0; i < TRIAL_KINDS_MAX; i++) {
        if (t->substrates[i] != NULL && t->substrates[i]->close != NULL)
            t->substrates[i]->close(t);
    }
}

int explore_open(struct explore **out, struct trial *t, const struct explore_options *options,
                 struct err *why)
{
    struct explore *e = mem_reserve_shared(sizeof(*e), why);
    int rc;

    *out = e;
    if (e == NULL)
        return SN_ENOMEM;
    e->t = t;
    t->explore = e;
    e->rerun = options->rerun;
    e->defers_ends = options->defers_ends;
    set_up_trial(t, options);
    e->recorder = options->recorder;
    explore_set_phases(e, options->phases, options->n_phases);
    t->fair_from = e->n_phases > 0 ? planned_fair_from(e) : options->fair_from;
    t->is_lab = options->is_lab;
    rc = open_substrates(t, why);
    if (rc == 0)
        rc = open_memory(e, options->fork ? SN_WORLD_FORK : options->test->world, why);
    if (rc < 0) {
        explore_close(e);
        *out = NULL;
    }
    return rc;
}

void explore_close(struct explore *e)
{
    if (e == NULL)
        return;
    if (e->checkpoints != NULL && checkpoint_count(e->checkpoints) > 0) {
        checkpoint_keep(e->checkpoints, 1);
        checkpoint_return(e->checkpoints, e->t, 0);
    }
    close_memory(e);
    close_substrates(e->t);
    e->t->explore = NULL;
    mem_release(e, sizeof(*e));
}

/* ---- A trial -------------------------------------------------------------------------------- */

/* How many steps after the last checkpoint the next one pays: where steps are cheap and there is
 * much to save, running a few of them again is cheaper. */
static uint64_t stride_of(const struct explore *e)
{
    return e->world != NULL ? STRIDE_WORLD : 1 + checkpoint_bytes(e->checkpoints) / STEP_BYTES;
}

/* Stacks are the world's: without one, a trial that has any runs its prefix again. */
static bool can_save(const struct explore *e, const struct trial *t)
{
    return e->checkpoints != NULL && (e->world != NULL || t->now.n_fibers == 0);
}

static void on_checkpoint(struct trial *t)
{
    struct explore *e = explore_of(t);

    if (can_save(e, t))
        (void)checkpoint_push(e->checkpoints, t, NULL);
    t->checkpoint_stride = stride_of(e);
    trial_set_due(t, t->now.steps + t->checkpoint_stride);
}

static STACK_CALLS void set_up(struct trial *t)
{
    struct explore *e = explore_of(t);

    if (t->filter != NULL)
        require_begin(t);
    for (uint32_t left = t->beginners; left != 0; left &= left - 1)
        t->substrates[__builtin_ctz(left)]->begin(t);
    t->test->run();
    for (uint32_t left = t->settlers; left != 0; left &= left - 1)
        t->substrates[__builtin_ctz(left)]->settle(t);
    if (t->filter != NULL)
        require_settle(t);
    t->now.is_set_up = true;
    /* When the set-up drew nothing, every trial can start after it. */
    if (can_save(e, t) && t->recorder == NULL && (t->log.n == 0 || t->checkpoint_stride != 0))
        (void)checkpoint_push(e->checkpoints, t, NULL);
}

/* What is to be done between the test's set-up, which trials may share, and the first step. */
static void arm(struct trial *t)
{
    for (uint32_t left = t->armed; left != 0; left &= left - 1)
        t->substrates[__builtin_ctz(left)]->arm(t);
    if (t->filter != NULL)
        require_sift(t);
    trial_arm_oracles(t);
    t->now.is_armed = true;
    trial_set_due(t, t->checkpoint_due);
}

void explore_prepare(struct trial *t)
{
    if (!t->now.is_set_up)
        set_up(t);
    if (!t->now.is_armed)
        arm(t);
}

/* Where the phase begins whose strategy goes back, however far it went back this time. */
static void note_inner(struct explore *e, uint32_t i)
{
    struct trial *t = e->t;

    t->phase_log = t->phase_first = 0;
    if (i == 0 || i != e->inner)
        return;
    if (!e->inside->is_open)
        *e->inside =
            (struct explore_inside){.is_open = true, .log = t->log.n, .steps = t->now.steps};
    t->phase_log = e->inside->log;
    t->phase_first = e->inside->steps;
}

/* Each strategy decides in its phase. What it has noted with the operations that are enabled means
 * nothing to the next. */
static void enter_phase(struct explore *e, uint32_t i)
{
    struct trial *t = e->t;

    for (uint32_t k = 0; k < t->now.n_enabled; k++)
        t->enabled[k] = (uint32_t)t->enabled[k];
    set_phase(e, i);
    e->has_left_phase |= i > 0;
    t->phase = i;
    t->phase_began = t->now.steps;
    t->touches = NULL;
    t->announced = require_announced(t);
    note_inner(e, i);
    t->phase_end = e->phases[i].until;
    t->phase_end_ns = e->phases[i].until_ns;
    t->phase_over = false;
    if (i == e->n_phases - 1 && t->now.steps < t->fair_from && t->fair_from != UINT64_MAX) {
        t->fair_from = t->now.steps;
        trial_watch_at(t, t->fair_from);
    }
    trial_set_due(t, t->checkpoint_due);
}

static void run_phases(struct trial *t)
{
    struct explore *e = explore_of(t);

    for (uint32_t i = 0; i < e->n_phases; i++) {
        void (*loop)(struct trial * t) = e->phases[i].entry->loop;

        if (t->now.steps >= e->phases[i].until || t->now.latest_ns >= e->phases[i].until_ns)
            continue;
        enter_phase(e, i);
        (loop != NULL ? loop : trial_loop_any)(t);
        t->phase_steps[i] = t->now.steps - t->phase_began;
        if (!t->phase_over)
            return;
    }
}

static void run_searching(struct trial *t)
{
    explore_prepare(t);
    if (!trial_follow(t))
        return;
    run_phases(t);
    trial_judge(t);
}

void explore_start(struct trial *t)
{
    t->phase_end = UINT64_MAX; /* repeating knows no phases */
    t->phase_end_ns = UINT64_MAX;
    t->serial++;
    verdict_pass(&t->verdict);
    t->divergence.text[0] = '\0';
    death_forget(t);
    t->cut = false;
    t->abandoned = false;
    t->was_probe = false;
    t->uncounted = false;
    t->stuck = false;
    t->discarded = false;
    t->classed.n = 0;
    t->unfinished = false;
    t->guide = NULL; /* a process that died has left these behind */
    t->happened = NULL;
    if (t->filter == NULL)
        t->naming = NULL;
    t->touches = NULL;
    t->announced = require_announced(t);
    t->phase = 0;
    t->phase_began = 0;
    memset(t->phase_steps, 0, sizeof(t->phase_steps));
}

static void search_here(struct explore *e, void *argument)
{
    (void)argument;
    e->t->recorder = e->recorder;
    e->t->is_repeating = false; /* a process that died may have left it */
    trial_guard(e->t, run_searching);
    if (e->recorder != NULL && e->recorder->over != NULL)
        e->recorder->over(e->t);
    e->t->recorder = NULL;
}

void explore_from_nothing(struct trial *t)
{
    trial_clear(t);
    t->log.n = 0;
}

/* Once a strategy goes back, checkpoints inside trials pay. */
static void start_checkpointing(struct explore *e)
{
    struct trial *t = e->t;

    if (e->rerun || e->mode == SN_WORLD_FORK || t->checkpoint_stride != 0)
        return;
    t->checkpoint_stride = stride_of(e);
}

struct explore_end explore_end_of(const struct trial *t)
{
    struct explore_end end = {
        .order = t->now.order,
        .decisions = t->log.n,
        .steps = (uint32_t)t->now.steps,
        .failed = t->verdict.verdict != SN_PASSED,
        .cut = t->cut,
        .arm = (uint8_t)t->arm,
        .mind = t->mind,
        .stuck = t->stuck,
        .discarded = t->discarded,
        .classed = t->classed,
    };

    for (uint32_t i = 0; i < TRIAL_PHASES_MAX; i++)
        end.phase_steps[i] = (uint32_t)t->phase_steps[i];
    return end;
}

/* What a trial, which has not taken its process along, has taught. */
static void take_lesson(struct explore *e)
{
    struct lesson *lesson = &e->lesson;
    size_t size = 0;

    memset(lesson->n, 0, sizeof(lesson->n));
    lesson->bytes = e->lesson_bytes;
    if (e->mode == SN_WORLD_FORK && !e->child_has_ended)
        return;
    for (uint32_t i = 0; i < e->n_phases; i++) {
        const struct sn_strategy *strategy = e->phases[i].entry->strategy;
        size_t room = sizeof(e->lesson_bytes) - size;

        if (strategy->lesson == NULL)
            continue;
        lesson->n[i] = (uint32_t)strategy->lesson(e->phases[i].self, lesson->bytes + size, room);
        sn_check(lesson->n[i] <= room);
        size += lesson->n[i];
    }
}

/* Strategies hear the lessons of earlier epochs before a trial of a later one. */
static void come_to(const struct explore_phase *phases, uint32_t n_phases, uint64_t trial)
{
    for (uint32_t i = 0; i < n_phases; i++) {
        if (phases[i].lessons != NULL)
            lessons_come_to(phases[i].lessons, phases[i].entry->strategy, phases[i].self, trial);
    }
}

void explore_tell(const struct explore_phase *phases, uint32_t n_phases, uint64_t trial,
                  const struct explore_end *end, const struct lesson *lesson)
{
    const unsigned char *bytes = lesson != NULL ? lesson->bytes : NULL;
    struct sn_trial_end told = {
        .trial = trial,
        .steps = end->steps,
        .decisions = end->decisions,
        .order = end->order,
        .failed = end->failed,
        .cut = end->cut,
    };

    come_to(phases, n_phases, trial);
    for (uint32_t i = 0; i < n_phases; i++) {
        const struct sn_strategy *strategy = phases[i].entry->strategy;

        told.own_steps = end->phase_steps[i];
        if (strategy->end != NULL)
            strategy->end(phases[i].self, &told);
        if (phases[i].lessons != NULL && lesson != NULL)
            lessons_keep(phases[i].lessons, bytes, lesson->n[i]);
        if (lesson != NULL)
            bytes += lesson->n[i];
    }
}

bool explore_is_repeat(const struct explore_phase *phases, uint32_t n_phases, const struct trial *t)
{
    const struct strategy_entry *first = n_phases > 0 ? phases[0].entry : NULL;

    return first != NULL && first->is_repeat != NULL && t->verdict.verdict == SN_FAILED &&
           first->is_repeat(phases[0].self, t);
}

/* A failure that was told of is a trial to the strategies, and to nobody else. */
static void forget_repeat(struct explore *e)
{
    struct explore_end end = explore_end_of(e->t);

    explore_tell(e->phases, e->n_phases, e->trial, &end, NULL);
    e->t->abandoned = e->t->uncounted = e->t->unfinished = true;
    set_phase(e, 0);
}

static void finish_trial(struct explore *e)
{
    struct trial *t = e->t;
    struct explore_end end;

    if (t->verdict.verdict != SN_PASSED && e->n_phases > 0) /* it may have ended in a loop */
        t->phase_steps[t->phase] = t->now.steps - t->phase_began;
    if (t->cut)
        t->now.order =
            mix_pair(t->now.order, UINT64_C(0x637574)); /* a cut trial is its own order */
    if (unlikely(e->has_lessons))
        take_lesson(e);
    if (!e->defers_ends && e->has_listeners) {
        end = explore_end_of(t);
        explore_tell(e->phases, e->n_phases, e->trial, &end, e->has_lessons ? &e->lesson : NULL);
    }
    set_phase(e, 0);
    e->trial++;
}

void explore_seek(struct explore *e, uint64_t trial)
{
    e->trial = trial;
    for (uint32_t i = 0; i < e->n_phases; i++)
        e->phases[i].entry->strategy->seek(e->phases[i].self, trial);
}

static bool begin_phase(struct explore *e, uint32_t i, uint64_t *keep)
{
    return e->phases[i].entry->strategy->begin(e->phases[i].self, e->trial, keep);
}

/* Goes back within what the strategies before it have decided. False: all that can follow was
 * tried. */
static bool begin_inner(struct explore *e, uint64_t *keep)
{
    uint64_t own = 0;

    if (e->inner == 0 || !e->inside->is_open || !begin_phase(e, e->inner, &own))
        return false;
    *keep = e->inside->log + own;
    set_phase(e, e->inner); /* what is kept may end in the middle of a step, which draws anew */
    return true;
}

/* Begins with the phases from one on. The first strategy says what is kept of the trial before, and
 * one that goes back in a later phase begins anew. */
static bool begin_from(struct explore *e, uint32_t first, uint64_t *keep)
{
    for (uint32_t i = first; i < e->n_phases; i++) {
        const struct explore_phase *phase = &e->phases[i];
        uint64_t ignored = 0;

        if (i == e->inner && i > 0 &&
            phase->entry->strategy->load(phase->self, phase->fresh, phase->n_fresh) < 0)
            return false;
        if (!begin_phase(e, i, i == 0 ? keep : &ignored))
            return false;
    }
    return true;
}

static bool begin_phases(struct explore *e, uint64_t *keep)
{
    if (begin_inner(e, keep))
        return begin_from(e, e->inner + 1, keep);
    e->inside->is_open = false;
    return begin_from(e, 0, keep);
}

/* How the strategies, which have begun, draw the trial. */
static void note_mind(struct explore *e)
{
    struct trial *t = e->t;

    t->mind = 0;
    t->arm = 0;
    for (uint32_t i = 0; e->has_minds && i < e->n_phases; i++) {
        const struct strategy_entry *entry = e->phases[i].entry;

        if (entry->mind != NULL)
            t->mind = mix_pair(t->mind, entry->mind(e->phases[i].self, &t->arm));
        else if (entry->strategy->learns)
            t->mind = mix_pair(t->mind, epoch_of(e->trial));
    }
}

static bool next_trial(struct explore *e)
{
    struct trial *t = e->t;
    uint64_t keep = 0;

    if (unlikely(e->has_lessons))
        come_to(e->phases, e->n_phases, e->trial);
    if (!begin_phases(e, &keep))
        return false;
    if (keep > 0)
        start_checkpointing(e);
    note_mind(e);
    explore_start(t);
    if (e->n_phases > 0)
        t->fair_from = planned_fair_from(e);
    if (keep > t->log.n) {
        trial_lose_control(
            t, "strategy", "strategy %s keeps %llu decisions of a trial that had %llu",
            t->strategy->name, (unsigned long long)keep, (unsigned long long)t->log.n);
        e->trial++;
        return true;
    }
    t->follow = keep;
    if (e->mode == SN_WORLD_FORK) {
        explore_from_nothing(t);
        (void)explore_in_child(e, search_here, NULL);
    } else {
        checkpoint_return(e->checkpoints, t, keep);
        /* When it was saved, fairness may have been expected from another step on. */
        if (t->now.is_armed)
            trial_arm_oracles(t);
        trial_set_due(t,
                      t->checkpoint_stride != 0 ? t->now.steps + t->checkpoint_stride : UINT64_MAX);
        search_here(e, NULL);
    }
    if (t->unfinished)
        set_phase(e, 0);
    else if (unlikely(explore_is_repeat(e->phases, e->n_phases, t)))
        forget_repeat(e);
    else
        finish_trial(e);
    return true;
}

bool explore_next(struct explore *e)
{
    bool is_next;

    do {
        is_next = next_trial(e);
        if (unlikely(is_next && e->t->abandoned && !e->t->uncounted))
            e->left[e->t->was_probe ? LEFT_PROBES : LEFT_BLOCKED]++;
    } while (is_next && e->t->abandoned);
    return is_next;
}

int explore_require(struct explore *e, const struct constraints *c, bool steers, struct err *why)
{
    if (e->checkpoints != NULL) {
        checkpoint_keep(e->checkpoints, 1);
        checkpoint_return(e->checkpoints, e->t, 0);
    }
    return require_set(e->t, c, steers, why);
}

int explore_check(struct explore *e, bool thoroughly, struct err *why)
{
    if (e->world == NULL)
        return 0;
    return world_check(e->world, !thoroughly, why);
}
