/* liveness.c - whether what should happen does happen: the heat of monitors, the fair end of a
 * trial, and what is judged by them.
 *
 * A trial that ends by itself is judged as it is. One that is cut at a limit could have gone on; it
 * is judged by its tail alone, the last phase, in which a fair strategy decides. And there only
 * what has happened since the tail was really fair: since what the phases before had left pending
 * is done, and since no fault has struck. Steps and virtual time in hot states are counted from
 * there; half of the tail is long enough. docs/liveness.md defines all this for users.
 *
 * SPDX-License-Identifier: MIT
 */
#include "substrate/liveness.h"

#include "engine/op.h"

#include <stdio.h>

static bool is_hot(const struct machine *m)
{
    return m->state->temperature == SN_HOT;
}

/* ---- Heat ----------------------------------------------------------------------------------- */

static struct heat *heat_of(struct trial *t, const struct machine *monitor)
{
    return &t->machines->heat[monitor - t->machines->monitors];
}

/* As P and P# define it: a hot state heats, a cold one cools, a plain one does neither. */
void liveness_turn(struct trial *t, const struct machine *monitor, const struct sn_state *was)
{
    struct heat *heat = heat_of(t, monitor);

    if (was->temperature == SN_HOT) {
        heat->steps += t->now.steps - heat->from;
        heat->time_ns += t->now.time_ns - heat->from_ns;
    }
    heat->from = t->now.steps;
    heat->from_ns = t->now.time_ns;
    if (monitor->state->temperature == SN_COLD)
        *heat = (struct heat){.from = heat->from, .from_ns = heat->from_ns, .cooled = heat->from};
    if (is_hot(monitor) && !heat->is_heated) {
        heat->is_heated = true;
        heat->since = t->now.steps;
    }
}

/* What counts, counts from now on. */
static void restart(struct trial *t)
{
    struct fair_tail *tail = &t->machines->tail;

    tail->from = t->now.steps;
    tail->from_ns = t->now.time_ns;
    for (uint32_t i = 0; i < t->now.n_own[OWN_MONITORS]; i++) {
        struct heat *heat = &t->machines->heat[i];

        heat->steps = 0;
        heat->time_ns = 0;
        heat->from = t->now.steps;
        heat->from_ns = t->now.time_ns;
    }
}

/* ---- Which tests are judged ----------------------------------------------------------------- */

enum { KNOWN_STATES_MAX = 256 };

/* Adds a state to those known. */
static void learn(const struct sn_state **known, uint32_t *n, const struct sn_state *state)
{
    if (state == NULL || *n == KNOWN_STATES_MAX)
        return;
    for (uint32_t i = 0; i < *n; i++) {
        if (known[i] == state)
            return;
    }
    known[(*n)++] = state;
}

/* As far as the tables of its states tell. A handler may go to others; but nobody would call a
 * state cold in a monitor that has no hot one. */
static bool can_be_hot(const struct sn_machine *monitor)
{
    const struct sn_state *known[KNOWN_STATES_MAX];
    uint32_t n = 0;

    learn(known, &n, monitor->start);
    for (uint32_t i = 0; i < n; i++) {
        if (known[i]->temperature != SN_PLAIN)
            return true;
        for (const struct sn_on *on = known[i]->on; on != NULL && on->event != NULL; on++) {
            learn(known, &n, on->go_to);
            learn(known, &n, on->push);
        }
    }
    return false;
}

bool liveness_matters(const struct sn_test *test)
{
    if (test->fair_steps != 0 || test->must_end)
        return true;
    for (uint32_t i = 0; test->monitors != NULL && test->monitors[i] != NULL; i++) {
        if (can_be_hot(test->monitors[i]))
            return true;
    }
    return false;
}

/* ---- The tail ------------------------------------------------------------------------------- */

static bool has_begun(const struct trial *t)
{
    return t->now.n_own[OWN_TAIL] != 0;
}

void liveness_arm(struct trial *t)
{
    struct machines *all = t->machines;

    if (all->matters == MATTERS_UNKNOWN)
        all->matters = liveness_matters(t->test) ? MATTERS : MATTERS_NOT;
    /* A monitor may have hot states that its tables do not show: to know in time how hot it is when
     * the tail begins costs nothing if that is late. */
    if (all->matters == MATTERS || (t->fair_from > 0 && t->now.n_own[OWN_MONITORS] > 0))
        trial_watch_at(t, t->fair_from);
}

/* Whether an operation was announced before the tail began and has waited since, although it could
 * have run. Timers that wait for their deadline do not count: time will come to them or not. */
static bool is_left_over(struct trial *t, const struct source *source, const struct sn_op *op)
{
    if (op->cause > t->fair_from || (op->kind == SN_OP_FAULT && op->deadline == 0))
        return false;
    if (source->is_waiting)
        return op->kind != SN_OP_TIMER;
    return (t->tasks[op->task].flags & TASK_GATED) == 0 || op_is_ready(t, op);
}

static uint32_t count_left_over(struct trial *t)
{
    uint32_t n = 0;

    for (uint32_t i = 1; i < t->now.n_sources; i++) {
        const struct source *source = &t->sources[i];

        if (source_is_free(source))
            continue;
        for (uint32_t op = source->head; op != 0; op = t->ops[op].next)
            n += is_left_over(t, source, &t->ops[op]);
    }
    return n;
}

/* A step performs one operation, so nothing can have become of n of them in less than n steps. */
static void settle(struct trial *t)
{
    struct fair_tail *tail = &t->machines->tail;
    uint32_t n;

    if (tail->is_settled || t->now.steps < tail->look_at)
        return;
    n = count_left_over(t);
    tail->look_at = t->now.steps + n;
    if (n > 0)
        return;
    tail->is_settled = true;
    restart(t);
}

static void begin_tail(struct trial *t)
{
    t->now.n_own[OWN_TAIL] = 1;
    t->machines->tail = (struct fair_tail){.began_ns = t->now.time_ns,
                                           .look_at = t->now.steps,
                                           .seen_ns = t->now.time_ns,
                                           .moved_at = t->now.steps};
    /* Oracles remember what has happened in the tail, so nothing may return into the middle of it.
     */
    trial_set_due(t, UINT64_MAX);
    restart(t);
}

/* Whether all that can happen now may just as well happen later. */
static bool is_all_patient(const struct trial *t)
{
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        const struct sn_op *op = &t->ops[t->sources[(uint32_t)t->enabled[i]].ready];

        if ((op->flags & SN_OP_ANY_TIME) == 0 && (op->kind != SN_OP_FAULT || op->deadline != 0))
            return false;
    }
    return true;
}

void liveness_watch(struct trial *t)
{
    struct fair_tail *tail = &t->machines->tail;

    if (!has_begun(t))
        begin_tail(t);
    settle(t);
    /* Elsewhere a timer that may fire at any moment keeps time from passing as long as it has not
     * fired. One that starts itself again would keep nodes from coming back, and delayed messages
     * and all other timers from their turn, for ever. */
    if (t->now.n_waiting > 0 && is_all_patient(t))
        trial_pass_time(t);
    if (t->now.time_ns != tail->seen_ns)
        tail->moved_at = t->now.steps;
    tail->seen_ns = t->now.time_ns;
    trial_watch_at(t, t->now.steps + 1);
}

void liveness_disturb(struct trial *t)
{
    if (has_begun(t))
        restart(t);
}

bool liveness_has_gone_on(const struct trial *t, uint64_t step, uint64_t time_ns)
{
    const struct fair_tail *tail = &t->machines->tail;
    uint64_t from = step > tail->from ? step : tail->from;
    uint64_t from_ns = time_ns > tail->from_ns ? time_ns : tail->from_ns;

    if (!has_begun(t) || !tail->is_settled)
        return false;
    if (t->now.steps - from >= (t->steps_max - t->fair_from) / 4)
        return true;
    return t->time_max_ns != UINT64_MAX &&
           t->now.time_ns - from_ns >= (t->time_max_ns - tail->began_ns) / 4;
}

/* ---- Judging -------------------------------------------------------------------------------- */

static bool is_at_time_limit(const struct trial *t)
{
    return t->now.steps < t->steps_max;
}

/* Where all timers fire before their time, the clocks of machines go on but time does not. */
static bool is_measured_in_time(const struct trial *t)
{
    return is_at_time_limit(t) && t->timers != SN_TIMERS_ANY;
}

/* From a moment to the limit of time. A sleep may lead beyond it. */
static uint64_t time_since(const struct trial *t, uint64_t from_ns)
{
    return t->time_max_ns > from_ns ? t->time_max_ns - from_ns : 0;
}

/* Why a trial that was cut cannot be judged; NULL: it can. */
static const char *why_not(const struct trial *t)
{
    const struct fair_tail *tail = &t->machines->tail;

    if (t->fair_from >= t->now.steps)
        return "no fair strategy decided before it";
    if (has_begun(t) && !tail->is_settled)
        return "what the strategy before had left pending was not yet done";
    return NULL;
}

static uint64_t half_of_tail(const struct trial *t)
{
    uint64_t began_ns = has_begun(t) ? t->machines->tail.began_ns : 0;

    if (is_measured_in_time(t))
        return time_since(t, began_ns) / 2;
    return (t->now.steps - t->fair_from) / 2;
}

/* How long a monitor has been hot, or (NULL) how long the tail has been fair: in virtual time if
 * that is what the trial has used up, otherwise in steps. Nothing will happen until the limit of
 * time. */
static uint64_t duration(const struct trial *t, const struct heat *heat)
{
    const struct fair_tail none = {0};
    const struct fair_tail *tail = has_begun(t) ? &t->machines->tail : &none;

    if (is_measured_in_time(t))
        return heat != NULL ? heat->time_ns + time_since(t, heat->from_ns)
                            : time_since(t, tail->from_ns);
    return heat != NULL ? heat->steps + (t->now.steps - heat->from) : t->now.steps - tail->from;
}

static void print_limit(const struct trial *t, char *text, size_t size)
{
    if (is_at_time_limit(t))
        (void)snprintf(text, size, "%llu ns of virtual time", (unsigned long long)t->time_max_ns);
    else
        (void)snprintf(text, size, "%llu steps", (unsigned long long)t->now.steps);
}

/* For the reader, who can tell whether the program or its model is to blame. */
static void print_standstill(const struct trial *t, uint64_t steps, char *text, size_t size)
{
    uint64_t moved_at = t->machines->tail.moved_at;

    text[0] = '\0';
    if (has_begun(t) && t->now.n_waiting > 0 && t->now.steps - moved_at >= steps / 2 &&
        !is_at_time_limit(t))
        (void)snprintf(text, size,
                       "; virtual time has stood still since step %llu, because something else "
                       "could always happen",
                       (unsigned long long)moved_at);
}

static void judge_hot_at_limit(struct trial *t, const struct machine *m)
{
    const struct heat *heat = heat_of(t, m);
    uint64_t enough = half_of_tail(t);
    char limit[64];
    char standstill[160];

    print_limit(t, limit, sizeof(limit));
    if (why_not(t) != NULL && t->machines->unjudged[0] == '\0')
        (void)snprintf(t->machines->unjudged, sizeof(t->machines->unjudged),
                       "monitor %.60s was hot at the limit of %.60s but is not judged: %s",
                       m->type->name, limit, why_not(t));
    if (why_not(t) != NULL || enough == 0 || duration(t, heat) < enough)
        return;
    print_standstill(t, duration(t, heat), standstill, sizeof(standstill));
    trial_fail(t, "hot", NULL,
               "monitor %s is still hot (state %s) at the limit of %s, since step %llu%s",
               m->type->name, m->state->name, limit, (unsigned long long)heat->since, standstill);
}

static void judge_hot(struct trial *t, bool at_limit)
{
    for (uint32_t i = 0; i < t->now.n_own[OWN_MONITORS]; i++) {
        const struct machine *m = &t->machines->monitors[i];

        if (m->is_halted || !is_hot(m))
            continue;
        if (at_limit)
            judge_hot_at_limit(t, m);
        else
            trial_fail(t, "hot", NULL,
                       "monitor %s is still hot (state %s) when nothing can happen "
                       "any more",
                       m->type->name, m->state->name);
    }
}

static void judge_end(struct trial *t)
{
    char limit[64];

    print_limit(t, limit, sizeof(limit));
    if (why_not(t) != NULL && t->machines->unjudged[0] == '\0')
        (void)snprintf(t->machines->unjudged, sizeof(t->machines->unjudged),
                       "a trial must end but had not after %.60s, and is not judged: %s", limit,
                       why_not(t));
    if (why_not(t) != NULL || duration(t, NULL) < half_of_tail(t))
        return;
    trial_fail(t, "limit", NULL, "the trial has not ended after %s", limit);
}

void liveness_judge(struct trial *t, bool at_limit)
{
    judge_hot(t, at_limit);
    if (at_limit && t->test->must_end)
        judge_end(t);
}

uint64_t liveness_hot_since(const struct trial *t)
{
    uint64_t since = UINT64_MAX;

    for (uint32_t i = 0; i < t->now.n_own[OWN_MONITORS]; i++) {
        const struct heat *heat = &t->machines->heat[i];

        if (is_hot(&t->machines->monitors[i]) && heat->is_heated && heat->since < since)
            since = heat->since;
    }
    return since;
}
