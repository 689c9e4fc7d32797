/* walk.c - see walk.h. SPDX-License-Identifier: MIT */
#include "strategy/walk.h"

#include "engine/loop.h"
#include "strategy/sequences.h"

#include <stdio.h>

/* ---- From trial to trial -------------------------------------------------------------------- */

static void start_act(struct walk *w, const struct act *act)
{
    w->act = *act;
    w->n_drawn = 0;
    w->drawn = 0;
}

/* Takes up a plan for an event that was seen before. False: there is none. */
static bool take_up(struct walk *w, uint32_t at, uint64_t *keep)
{
    struct course *c = &w->course;
    struct act act;

    sequences_weed(&w->plans, c, at);
    if (!plans_take(&w->plans, at, &act))
        return false;
    start_act(w, &act);
    w->is_revisiting = at > 0;
    *keep = c->events[at].decision;
    if (at == 0)
        c->events[1].limits = 0;
    return true;
}

/* What was done at an event has been tried there. */
static void leave(struct walk *w, uint32_t at, const struct act *act)
{
    if (at < w->n_explored || !w->rules->has_trees)
        plans_sleep(&w->plans, at, act);
    else
        plans_add_vain(&w->plans, at, act);
    w->tried[at]++;
}

/* Where a step touches something else if another one comes before it, it is not enough to begin
 * with what should come first: what sleeps there would have met something new later on. Whole
 * sequences are planned then, whatever the strategy does with machines. */
static void follow_changes(struct walk *w)
{
    if (w->is_published || w->rules->has_trees || w->t == NULL || !w->t->now.has_changing_steps)
        return;
    w->rules = &walk_trees;
    if (!w->is_by_test)
        w->course.view = NULL;
}

/* Goes back to the last event from which there is something left to try. */
static bool go_back(struct walk *w, uint64_t *keep)
{
    struct course *c = &w->course;

    if (w->has_given_up && take_up(w, c->n, keep))
        return true;
    if (c->n > 0)
        plans_forget(&w->plans, c->n - 1); /* for what comes after its end, or its phase */
    while (c->n > 0) {
        uint32_t at = c->n - 1;

        course_cut(c, at);
        leave(w, at, &c->events[at].act);
        if (take_up(w, at, keep))
            return true;
    }
    return false;
}

void walk_settle(struct walk *w)
{
    if (w->is_learned || w->is_done || w->t == NULL)
        return;
    w->is_learned = true;
    follow_changes(w);
    if (!w->has_given_up || w->rules->learns_from_abandoned) {
        w->rules->learn(w);
        w->course.fresh = w->course.n;
    }
    if (!w->has_given_up || w->is_exhausted_here)
        w->n_explored = w->course.n;
    w->is_exhausted_here = false;
}

/* The first trial of a search that was saved: it goes where that was, and takes up a plan there.
 * False: it was begun before and did not get there. */
static bool begin_restored(struct walk *w)
{
    uint32_t at = w->n_restored;
    struct act act;

    w->course.n = 0;
    w->course.fresh = at;
    w->course.events[1].limits = 0;
    leave(w, at, &w->restored[at]);
    if (!plans_take(&w->plans, at, &act)) {
        w->course.is_incomplete = true;
        return false;
    }
    w->is_restoring = at > 0;
    w->restored[at] = act;
    w->n_explored = w->n_explored < at ? w->n_explored : at;
    start_act(w, &w->restored[0]);
    return true;
}

bool walk_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct walk *w = self;

    (void)trial;
    w->is_lost = false;
    w->has_left = false;
    if (w->is_done)
        return false;
    if (!w->is_started) {
        w->is_started = true;
    } else if (w->is_restoring) {
        w->is_done = !begin_restored(w);
    } else {
        walk_settle(w);
        w->is_done = !go_back(w, keep);
        w->n_explored = w->n_explored < w->course.n ? w->n_explored : w->course.n;
    }
    w->is_learned = false;
    w->has_given_up = false;
    return !w->is_done;
}

static void finish_set_up(struct walk *w)
{
    course_set_up(&w->course, w->drawn);
    if (!w->is_restoring)
        plans_learn_draws(&w->plans, &w->course, 0);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* What was noted with the operations that can run may have been lost on the way back. A program
 * that does not do the same again may have others there. */
static void note_again(struct walk *w, struct trial *t)
{
    struct course *c = &w->course;
    uint32_t n = c->events[c->n + 1].candidates - c->events[c->n].candidates;

    c->events[c->n + 1].limits = c->events[c->n].limits;
    if (unlikely(n != t->now.n_enabled))
        trial_diverge(t, "%u operations can run where %u could before", t->now.n_enabled, n);
    for (uint32_t i = c->events[c->n].candidates; i < c->events[c->n + 1].candidates; i++) {
        const struct candidate *candidate = course_candidate(c, i);
        const struct source *source = &t->sources[candidate->source];

        if (unlikely(source->position == 0 || t->ops[source->ready].id != candidate->id))
            trial_diverge(t, "an operation cannot run that could run here before");
        t->enabled[source->position - 1] =
            (uint64_t)(c->candidates[i] + 1) << 32 | candidate->source;
    }
}

static uint32_t find_candidate(const struct course *c, uint64_t id)
{
    for (uint32_t i = c->events[c->n].candidates; i < c->events[c->n + 1].candidates; i++) {
        if (course_candidate(c, i)->id == id)
            return i;
    }
    return UINT32_MAX;
}

/* Whatever comes now was tried, or is impossible. */
static void give_up(struct walk *w, struct trial *t)
{
    w->has_given_up = true;
    trial_abandon(t);
}

/* The last step has shown that what was planned is so. */
static void end_probe(struct walk *w, struct trial *t)
{
    w->has_given_up = true;
    trial_abandon_probe(t);
}

/* The place of what is planned next; UINT32_MAX: nothing. Whether an operation can run may depend
 * on what its task did before, so that a plan proves to be impossible; or it was made with too
 * little knowledge, and what it leads to was tried. Then it is forgotten, and if there is no other
 * one here, so is the trial. */
static uint32_t find_planned(struct walk *w, struct trial *t)
{
    struct course *c = &w->course;
    bool has_plan = w->is_revisiting;
    bool is_probe = true;
    struct act act = w->act;

    if (!has_plan && w->plans.trees[c->n] != 0) {
        sequences_weed(&w->plans, c, c->n);
        w->is_impossible = w->plans.trees[c->n] == 0;
    }
    while (has_plan || plans_take(&w->plans, c->n, &act)) {
        uint32_t place = find_candidate(c, act.id);

        has_plan = false;
        if (place != UINT32_MAX && !plans_is_tried(&w->plans, c->n, &act)) {
            start_act(w, &act);
            w->is_doubtful = w->plans.is_doubtful;
            return place;
        }
        if (place == UINT32_MAX)
            plans_skip(&w->plans, c->n);
        else
            plans_forget(&w->plans, c->n);
        w->is_impossible = true;
        is_probe &= w->plans.has_doubtful;
    }
    if (w->is_impossible && is_probe)
        end_probe(w, t);
    else if (w->is_impossible)
        give_up(w, t);
    return UINT32_MAX;
}

/* The first operation that does not sleep, faults last. If all do, whatever comes is equivalent to
 * a trial that was run: a plan led here that knew too little of what it was for. */
static uint32_t find_free(struct walk *w, struct trial *t)
{
    const struct course *c = &w->course;
    uint32_t fault = UINT32_MAX;

    for (uint32_t i = c->events[c->n].candidates; i < c->events[c->n + 1].candidates; i++) {
        const struct candidate *candidate = course_candidate(c, i);

        if (plans_is_tried(&w->plans, c->n, &(struct act){.id = candidate->id}))
            continue;
        if (!candidate->is_fault)
            return i;
        fault = fault == UINT32_MAX ? i : fault;
    }
    if (fault == UINT32_MAX && plans_try_awake(&w->plans, c->n))
        return find_planned(w, t);
    if (fault == UINT32_MAX) {
        w->is_exhausted_here = true;
        give_up(w, t);
    }
    return fault;
}

/* An event is reached for the first time. */
static void fall_asleep(struct walk *w, struct trial *t)
{
    uint32_t at = w->course.n;

    w->tried[at] = 0;
    plans_fall_asleep(&w->plans, &w->course, at, w->rules->sleeps);
    if (w->is_doubtful && w->rules->has_trees && !plans_settle(&w->plans, at))
        end_probe(w, t);
    w->is_doubtful = false;
    if (w->rules->wakes_wholly)
        plans_wake_wholly(&w->plans, at);
    else
        plans_wake_partly(&w->plans, at);
}

/* Where a saved search was. */
static void follow_restored(struct walk *w, struct trial *t)
{
    struct course *c = &w->course;

    bool can_look = course_look(c, t);

    start_act(w, &w->restored[c->n]);
    w->chosen = find_candidate(c, w->act.id);
    if (!can_look || (w->chosen == UINT32_MAX && c->n < w->n_restored))
        trial_diverge(t, "an operation cannot run that the saved search has run here");
}

/* Notes what can run, and plans or finds what does. False: it cannot be followed that far. */
static bool choose(struct walk *w, struct trial *t)
{
    struct course *c = &w->course;

    if (unlikely(w->is_restoring)) {
        follow_restored(w, t);
        if (c->n < w->n_restored)
            return true;
        w->is_restoring = false;
        w->is_revisiting = true;
    } else if (w->is_revisiting) {
        note_again(w, t);
    } else if (w->is_lost || !course_look(c, t)) {
        w->is_lost = true;
        return false;
    } else {
        fall_asleep(w, t);
    }
    w->is_impossible = false;
    w->chosen = find_planned(w, t);
    w->is_revisiting = false;
    if (w->chosen == UINT32_MAX) {
        start_act(w, &(struct act){0});
        w->plans.trees[c->n + 1] = 0;
        w->chosen = find_free(w, t);
    }
    return true;
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct walk *w = self;
    struct course *c = &w->course;
    uint32_t source;

    if (c->n == 0)
        finish_set_up(w);
    if (!choose(w, t))
        return (uint32_t)t->enabled[0];
    course_choose(c, w->chosen);
    w->is_stepping = true;
    w->decision = t->log.n - t->phase_log;
    touches_clear(&c->touches);
    source = course_candidate(c, w->chosen)->source;
    if (unlikely(c->view != NULL))
        c->view->before(c, t, &t->ops[t->sources[source].ready]);
    return source;
}

static void finish_step(struct walk *w, const struct trial *t)
{
    w->is_stepping = false;
    course_step(&w->course, t, w->chosen, w->drawn, w->decision);
    if (!w->is_restoring)
        plans_learn_draws(&w->plans, &w->course, w->course.n - 1);
}

void walk_told(void *self, const struct sn_op *op)
{
    struct walk *w = self;

    if (!w->is_stepping)
        return;
    /* With another past than the one it was planned by it may draw less. */
    if (!w->is_restoring &&
        plans_is_tried(&w->plans, w->course.n, &(struct act){.id = op->id, .drawn = w->drawn})) {
        w->is_stepping = false;
        w->course.events[w->course.n].decision = w->decision;
        plans_forget(&w->plans, w->course.n);
        give_up(w, w->t);
    }
    finish_step(w, w->t);
}

/* The search meets the trial that it decides. */
static void attach(struct walk *w, struct trial *t)
{
    w->t = t;
    w->course.began = t->phase_first;
    t->touches = &w->course.touches;
    if (unlikely(!w->is_attached)) {
        w->is_attached = true;
        w->is_up_to_calls |= w->course.is_causal && t->test->model != NULL;
        if (w->rules->attach != NULL)
            w->rules->attach(w, t);
    }
}

void walk_loop(struct trial *t)
{
    struct walk *w = t->strategy_self;

    attach(w, t);
    trial_loop_with(t, pick_source, walk_told, w);
    if (t->phase_over && !w->is_lost) {
        course_end(&w->course, t, false); /* what is pending here could have come before */
        w->has_left = true;
    }
}

uint32_t walk_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    attach(self, t);
    return t->sources[pick_source(t, self)].position - 1;
}

uint64_t walk_draw(void *self, const struct sn_draw *draw)
{
    struct walk *w = self;
    struct course *c = &w->course;
    uint32_t place = w->n_drawn++;
    uint64_t value = drawn_at(&c->drawns, w->act.drawn, place);

    if (w->is_lost)
        return 0;
    course_draw(c, draw->n);
    if (value >= draw->n)
        value =
            0; /* another one would be nonsense: the engine will say that this is another trial */
    if (value != 0) {
        uint32_t drawn = drawn_get(&c->drawns, w->drawn, place, value);

        c->is_incomplete |= drawn == UINT32_MAX;
        w->drawn = drawn != UINT32_MAX ? drawn : w->drawn;
    }
    return value;
}

/* A step that ends the trial, because it fails, keeps everything else from happening. The process
 * that ran it may have died of it, and the memory of its machines with it. */
static void finish_last_step(struct walk *w)
{
    w->course.is_over = true;
    finish_step(w, w->t);
    w->course.is_over = false;
    course_lose_all(&w->course, w->chosen);
    course_end(&w->course, w->t, true); /* what was deferred could have come before */
}

void walk_end(void *self, const struct sn_trial_end *end)
{
    struct walk *w = self;

    if (w->course.n == 0) {
        finish_set_up(w); /* it has failed */
    } else if (w->is_stepping) {
        finish_last_step(w);
    } else if (!end->cut && !w->is_lost && !w->has_left && w->t != NULL) {
        course_end(&w->course, w->t, end->failed);
        /* It was judged when only faults were left, say: those can come before its last step. */
        if (end->failed && w->t->now.n_enabled > 0)
            course_lose_all(&w->course, w->chosen);
    }
}

bool walk_is_exhausted(const void *self)
{
    const struct walk *w = self;

    return w->is_done && !w->course.is_incomplete && !w->plans.is_full;
}

void walk_within(const void *self, char *text, size_t size)
{
    const struct walk *w = self;
    const char *what = "";

    if (w->is_published)
        what = "that the published rules find";
    else if (w->is_by_test)
        what = "up to the test's own dependence";
    else if (w->is_up_to_calls)
        what = "up to the order of calls and returns";
    (void)snprintf(text, size, "%s", what);
}

void walk_note(const void *self, char *text, size_t size)
{
    const struct walk *w = self;
    const char *why = w->note;

    if (why[0] == '\0' && w->is_contradicted)
        why =
            "an event does what the test's keys say that it does not: not every order of steps was "
            "tried";
    else if (why[0] == '\0' && w->course.is_incomplete)
        why = "a trial was longer, or had more pending, than the strategy can follow: not every "
              "order of steps was tried";
    else if (why[0] == '\0' && w->plans.is_full)
        why = "more was left to try than the strategy has room for: not every order of steps was "
              "tried";
    (void)snprintf(text, size, "%s", why);
}
