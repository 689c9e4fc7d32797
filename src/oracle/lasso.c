/* lasso.c - a trial that comes back to a state in which it was before, and could so for ever.
 *
 * In the fair tail of a trial, while a monitor is hot, the oracle takes the fingerprint of every
 * state. When one comes back, what happened in between can be repeated without end, and if the
 * monitor has not cooled meanwhile it need never do so.
 *
 * Such a cycle accuses the program only if it is fair: each operation that could run anywhere in it
 * is performed in it. So it may be long: the state that has come back is compared with its first
 * occurrence, not its last. A value drawn in a cycle always had the same answer there, which no
 * fair coin has: cycles with draws do not count.
 *
 * One cycle shows what is possible, not what is likely. A system that waits for timers can be led
 * round by a coincidence of them that no user will ever meet: of some million trials of the correct
 * extent manager one was. So the trial has failed only when it has gone round several times, one
 * cycle after the other, and for some time.
 *
 * Nothing of this is saved by checkpoints. None is taken in the tail, so that whoever comes to it
 * comes through its beginning, where all is forgotten; in each trial anew.
 * SPDX-License-Identifier: MIT
 */
#include "oracle/lasso.h"

#include "base/rng.h"
#include "engine/mem.h"
#include "substrate/fingerprint.h"
#include "substrate/liveness.h"
#include "substrate/machine.h"

enum {
    STATES_SLOTS = 1 << 17, /* powers of two */
    SIGNATURES_SLOTS = 1 << 13,
    ENABLED_MAX = 1 << 12,
    ROUNDS_MIN = 3, /* a trial must go round so many times */
};

#define NOWHERE UINT64_MAX

/* Slots whose epoch is not the present one are empty. */
struct state {
    uint64_t fingerprint;
    uint64_t step; /* after which the trial was in it */
    uint64_t time_ns;
    uint64_t epoch;
};

struct signature {
    uint64_t op;        /* its fingerprint */
    uint64_t enabled;   /* after this step it was last enabled; ... */
    uint64_t performed; /* ... in this one it was last performed */
    uint64_t epoch;
};

struct lasso {
    bool is_on;
    uint64_t trial; /* in which the tail began last, by its serial */
    uint64_t epoch;
    uint64_t horizon; /* a cycle cannot begin before this step */
    uint64_t draws;   /* so far in this trial */
    uint64_t first;   /* step at which the first round began */
    uint64_t first_ns;
    uint32_t rounds; /* fair cycles since then, none of which overlap */
    uint32_t n_states;
    uint32_t n_signatures;
    uint32_t n_enabled;
    uint32_t used[SIGNATURES_SLOTS]; /* slots of signatures in use */
    struct {
        uint64_t id;
        uint32_t signature;
    } enabled[ENABLED_MAX]; /* before the step that is being taken */
    struct signature signatures[SIGNATURES_SLOTS];
    struct state states[STATES_SLOTS];
};

/* ---- Tables --------------------------------------------------------------------------------- */

/* Forgets everything: a cycle can begin here at the earliest. */
static void forget(struct lasso *l, const struct trial *t)
{
    l->epoch++;
    l->n_states = 0;
    l->n_signatures = 0;
    l->n_enabled = 0;
    l->horizon = t->now.steps;
}

static struct state *find_state(struct lasso *l, uint64_t fingerprint)
{
    uint64_t slot = mix64(fingerprint);

    for (;; slot++) {
        struct state *state = &l->states[slot & (STATES_SLOTS - 1)];

        if (state->epoch != l->epoch || state->fingerprint == fingerprint)
            return state;
    }
}

/* The slot of a signature; SIGNATURES_SLOTS: there is no room. */
static uint32_t find_signature(struct lasso *l, uint64_t op)
{
    uint64_t slot = mix64(op);
    struct signature *signature;

    for (;; slot++) {
        slot &= SIGNATURES_SLOTS - 1;
        signature = &l->signatures[slot];
        if (signature->epoch != l->epoch)
            break;
        if (signature->op == op)
            return (uint32_t)slot;
    }
    if (l->n_signatures == SIGNATURES_SLOTS / 2)
        return SIGNATURES_SLOTS;
    l->used[l->n_signatures++] = (uint32_t)slot;
    *signature = (struct signature){.op = op, .epoch = l->epoch};
    return (uint32_t)slot;
}

/* ---- What happens --------------------------------------------------------------------------- */

static void note_performed(struct lasso *l, const struct trial *t)
{
    for (uint32_t i = 0; i < l->n_enabled; i++) {
        if (l->enabled[i].id == t->now.step_id)
            l->signatures[l->enabled[i].signature].performed = t->now.steps;
    }
}

/* Faults may happen but need not. False: there are too many operations to keep account of. */
static bool note_enabled(struct lasso *l, const struct trial *t)
{
    l->n_enabled = 0;
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        const struct sn_op *op = &t->ops[t->sources[(uint32_t)t->enabled[i]].ready];
        uint32_t slot;

        if (op->kind == SN_OP_FAULT && op->deadline == 0)
            continue;
        slot = find_signature(l, fingerprint_op(t, op));
        if (slot == SIGNATURES_SLOTS || l->n_enabled == ENABLED_MAX)
            return false;
        l->signatures[slot].enabled = t->now.steps;
        l->enabled[l->n_enabled].id = op->id;
        l->enabled[l->n_enabled++].signature = slot;
    }
    return true;
}

static void note_draws(struct lasso *l, const struct trial *t)
{
    uint64_t draws = t->log.n - t->now.steps;

    if (draws != l->draws) {
        l->horizon = t->now.steps;
        l->rounds = 0;
    }
    l->draws = draws;
}

/* ---- Cycles --------------------------------------------------------------------------------- */

/* A monitor that is hot and was not cold after this step; NULL: there is none. */
static const struct machine *hot_since(const struct trial *t, uint64_t step)
{
    for (uint32_t i = 0; i < t->now.n_own[OWN_MONITORS]; i++) {
        const struct machine *m = &t->machines->monitors[i];

        if (!m->is_halted && m->state->temperature == SN_HOT && t->machines->heat[i].cooled <= step)
            return m;
    }
    return NULL;
}

/* Whether all that could run since a step has run since then. */
static bool is_fair(const struct lasso *l, uint64_t step)
{
    for (uint32_t i = 0; i < l->n_signatures; i++) {
        const struct signature *signature = &l->signatures[l->used[i]];

        if (signature->enabled >= step && signature->performed <= step)
            return false;
    }
    return true;
}

static void fail(struct lasso *l, struct trial *t, const struct state *state)
{
    const struct machine *monitor = hot_since(t, l->first);
    bool stands_still = t->now.n_waiting > 0 && state->time_ns == t->now.time_ns;
    uint64_t steps = t->now.steps - state->step;

    t->mark = state->step;
    trial_fail(t, "lasso", NULL,
               "monitor %s can be hot (state %s) for ever: the state after step %llu comes back "
               "after step %llu, in a cycle of %llu step%s that leaves out nothing that can run%s",
               monitor->type->name, monitor->state->name, (unsigned long long)state->step,
               (unsigned long long)t->now.steps, (unsigned long long)steps, steps == 1 ? "" : "s",
               stands_still ? "; virtual time stands still in it" : "");
}

/* A fair cycle, which began with this state, is closed. The next one begins here. */
static void close_cycle(struct lasso *l, struct trial *t, const struct state *state)
{
    if (l->rounds == 0 || hot_since(t, l->first) == NULL) {
        l->rounds = 0;
        l->first = state->step;
        l->first_ns = state->time_ns;
    }
    l->rounds++;
    if (l->rounds >= ROUNDS_MIN && liveness_has_gone_on(t, l->first, l->first_ns))
        fail(l, t, state);
    forget(l, t);
    (void)note_enabled(l, t); /* there was room before */
}

/* The trial is in this state now. */
static void visit(struct lasso *l, struct trial *t, uint64_t fingerprint)
{
    struct state *state = find_state(l, fingerprint);

    if (state->epoch == l->epoch && state->step >= l->horizon &&
        hot_since(t, state->step) != NULL) {
        if (!is_fair(l, state->step))
            return;
        close_cycle(l, t, state);
        state = find_state(l, fingerprint);
    }
    l->n_states += state->epoch != l->epoch;
    *state = (struct state){fingerprint, t->now.steps, t->now.time_ns, l->epoch};
}

/* ---- The oracle ----------------------------------------------------------------------------- */

static void begin(struct lasso *l, struct trial *t)
{
    forget(l, t);
    l->is_on = true;
    l->trial = t->serial;
    l->rounds = 0;
    l->draws = t->log.n - t->now.steps;
    if (t->recorder == NULL)
        t->mark = NOWHERE;
}

/* Whether the tail has begun, in this trial and not in one before. */
static bool is_watching(const struct lasso *l, const struct trial *t)
{
    return l->is_on && l->trial == t->serial;
}

/* What was held runs again. A cycle that it was held in is not fair to it. */
static void disturb(struct trial *t)
{
    struct lasso *l = t->lasso;

    if (!is_watching(l, t))
        return;
    forget(l, t);
    l->rounds = 0;
}

static void watch(struct trial *t)
{
    struct lasso *l = t->lasso;
    uint64_t fingerprint;

    /* The step at which the tail begins may not be one that is watched, if something is held then.
     */
    if (l->trial != t->serial && t->now.steps >= t->fair_from)
        begin(l, t);
    if (!is_watching(l, t))
        return;
    trial_watch_at(t, t->now.steps + 1);
    note_performed(l, t);
    note_draws(l, t);
    if (t->recorder != NULL && t->now.steps == t->mark)
        trial_record(t, note, "the cycle begins here");
    if (l->n_states == STATES_SLOTS / 2 || hot_since(t, t->now.steps) == NULL)
        forget(l, t);
    if (hot_since(t, t->now.steps) == NULL) {
        l->rounds = 0;
        return;
    }
    l->is_on = fingerprint_state(t, &fingerprint) && note_enabled(l, t);
    if (l->is_on)
        visit(l, t, fingerprint);
}

static const struct oracle lasso_oracle = {.watch = watch, .disturb = disturb};

void lasso_leave(struct trial *t)
{
    mem_release(t->lasso, sizeof(*t->lasso));
    t->lasso = NULL;
}

int lasso_join(struct trial *t, struct err *why)
{
    uint32_t i = 0;

    t->lasso = mem_reserve_shared(sizeof(*t->lasso), why);
    if (t->lasso == NULL)
        return SN_ENOMEM;
    while (t->oracles[i] != NULL)
        i++;
    sn_check(i < TRIAL_ORACLES_MAX);
    t->oracles[i] = &lasso_oracle;
    return 0;
}
