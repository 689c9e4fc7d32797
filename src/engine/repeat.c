/* repeat.c - the trial of the present log once more: recorded, or to see who lost control of it.
 * SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "engine/culprit.h"
#include "engine/explore_own.h"
#include "engine/mem.h"
#include "engine/require.h"

#include <assert.h>
#include <string.h>

static void run_repeating(struct trial *t)
{
    bool is_over;

    explore_prepare(t);
    if (t->guide != NULL) {
        trial_follow_guide(t);
        return;
    }
    if (!trial_follow(t))
        return;
    if (t->recorder != NULL && t->recorder->between != NULL)
        t->recorder->between(t);
    /* The log is at its end; the trial should be, too. It was cut, or nothing is left to do. */
    is_over = t->now.n_enabled <= t->now.n_faults && !trial_wait(t);
    if (!is_over && t->now.steps < t->steps_max) {
        if (t->now.steps >= t->now.watch_at)
            trial_watch(t); /* which may have been what ended it */
        t->unfinished = true;
        return;
    }
    t->cut |= !is_over;
    trial_judge(t);
}

static void repeat_here(struct explore *e, void *argument)
{
    const struct explore_repeat *repeat = argument;
    struct trial *t = e->t;

    if (repeat->guide == NULL)
        require_suspend(t); /* a log has respected what was required */
    if (repeat->before != NULL)
        repeat->before(t, repeat->self);
    t->recorder = repeat->recorder;
    t->guide = repeat->guide;
    t->is_repeating = true;
    trial_guard(t, run_repeating);
    t->is_repeating = false;
    t->guide = NULL;
    t->recorder = NULL;
    if (t->cut)
        t->now.order = mix_pair(t->now.order, UINT64_C(0x637574));
    if (repeat->after != NULL)
        repeat->after(t, repeat->self);
    require_resume(t);
}

/* What the process that died can no longer do is done for it: its results lie in shared memory. */
static void end_for_dead(struct trial *t, const struct explore_repeat *repeat)
{
    if (repeat->after_death != NULL)
        repeat->after_death(t, repeat->self);
    else if (repeat->after != NULL)
        repeat->after(t, repeat->self);
}

void explore_repeat(struct explore *e, const struct explore_repeat *repeat)
{
    struct trial *t = e->t;
    uint64_t due = t->checkpoint_due;
    uint64_t phase_steps[TRIAL_PHASES_MAX];

    /* Repeating knows no phases, and strategies may still have to be told of them. */
    memcpy(phase_steps, t->phase_steps, sizeof(phase_steps));
    explore_start(t);
    t->follow = repeat->decisions;
    trial_set_due(t, UINT64_MAX);
    if (e->mode == SN_WORLD_FORK) {
        explore_from_nothing(t);
        if (!explore_in_child(e, repeat_here, (void *)(uintptr_t)repeat))
            end_for_dead(t, repeat);
    } else {
        checkpoint_keep(e->checkpoints, 1);
        checkpoint_return(e->checkpoints, t, 0);
        repeat_here(e, (void *)(uintptr_t)repeat);
    }
    require_resume(t); /* whoever died while it was off */
    memcpy(t->phase_steps, phase_steps, sizeof(phase_steps));
    trial_set_due(t, due);
}

static void watch_for_culprit(struct trial *t, void *self)
{
    (void)t;
    culprit_watch(self);
}

static void find_culprit(struct trial *t, void *self)
{
    (void)t;
    culprit_find(self);
}

static void ignore_step(struct trial *t, const struct sn_op *op, const void *payload)
{
    (void)t;
    (void)op;
    (void)payload;
}

/* Runs the last trial again, watched. What is known of it stays as it was. */
static void repeat_watched(struct explore *e, struct culprit *c)
{
    /* A trial that is recorded takes no checkpoints: what it does to the process is the test's. */
    static const struct recorder nobody = {.step = ignore_step};
    struct trial *t = e->t;
    struct verdict verdict = t->verdict;
    struct trial_now now = t->now;
    uint64_t phase_steps[TRIAL_PHASES_MAX];
    bool cut = t->cut;
    struct explore_repeat repeat = {.recorder = &nobody,
                                    .decisions = t->log.n,
                                    .before = watch_for_culprit,
                                    .after = find_culprit,
                                    .self = c};

    static_assert(sizeof(phase_steps) == sizeof(t->phase_steps), "all of them");
    memcpy(phase_steps, t->phase_steps, sizeof(phase_steps));
    explore_start(t);
    t->follow = repeat.decisions;
    trial_set_due(t, UINT64_MAX);
    if (e->mode == SN_WORLD_FORK) {
        explore_from_nothing(t);
    } else {
        checkpoint_keep(e->checkpoints, 1);
        checkpoint_return(e->checkpoints, t, 0);
    }
    (void)explore_in_child(e, repeat_here,
                           &repeat); /* if it dies, what it has found before is there */
    t->verdict = verdict;
    t->now = now;
    t->cut = cut;
    memcpy(t->phase_steps, phase_steps, sizeof(phase_steps));
    t->log.n = repeat.decisions;
    t->divergence.text[0] = '\0';
    t->unfinished = false;
    t->recorder = NULL;
}

void explore_find_culprit(struct explore *e, int left)
{
    struct death *death = &e->t->death;
    struct culprit *c = mem_reserve_shared(sizeof(*c), NULL);

    death_forget(e->t);
    /* Memory must not be put back under the feet of a thread that still runs. */
    if (c == NULL || (e->mode != SN_WORLD_FORK && left == CHECK_THREAD && check_threads() > 1)) {
        mem_release(c, sizeof(*c));
        return;
    }
    c->left = (enum check_left)left;
    modules_record(&c->modules);
    repeat_watched(e, c);
    death_forget(e->t);
    death->stack = c->stack;
    death->modules = c->modules;
    mem_release(c, sizeof(*c));
}
