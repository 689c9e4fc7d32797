/* require.c - see require.h: what is held, and until when. SPDX-License-Identifier: MIT */
#include "engine/mem.h"
#include "engine/op.h"
#include "engine/require_own.h"

enum { BLAMED_LOCALS_MAX = 64 }; /* names of one operation that are looked at */

/* ---- Opening -------------------------------------------------------------------------------- */

int require_open(struct trial *t, struct err *why)
{
    struct require *r = mem_reserve_shared(sizeof(*r), why);

    if (r == NULL)
        return SN_ENOMEM;
    r->ranges = t->n_ranges;
    if (naming_new(&r->naming, t, why) < 0) {
        mem_release(r, sizeof(*r));
        return SN_ENOMEM;
    }
    trial_range_add(t, r->progress, &t->now.n_required, sizeof(*r->progress));
    trial_range_add(t, r->counts, &t->now.n_required, sizeof(*r->counts));
    trial_range_add(t, r->held, &t->now.n_held, sizeof(*r->held));
    trial_range_add(t, r->marks, &t->now.n_marked, sizeof(*r->marks));
    t->require = r;
    return 0;
}

void require_close(struct trial *t)
{
    struct require *r = t->require;

    if (r == NULL)
        return;
    require_suspend(t);
    t->n_ranges = r->ranges;
    t->require = NULL;
    naming_free(r->naming);
    mem_release(r, sizeof(*r));
}
int require_set(struct trial *t, const struct constraints *c, bool steers, struct err *why)
{
    struct require *r = t->require;

    require_suspend(t);
    require_names_forget(r);
    r->constraints = c;
    r->naming->asked = c != NULL ? c->names : NULL;
    r->steers = steers;
    if (c == NULL || c->n == 0)
        return 0;
    if (c->n > CONSTRAINTS_MAX)
        return err_set(why, SN_ENOMEM, "there can be at most %d constraints", CONSTRAINTS_MAX);
    require_names_set(r);
    require_resume(t);
    return 0;
}

bool require_has_seen(const struct trial *t, uint32_t name)
{
    return t->require != NULL && t->require->seen[name];
}
/* ---- Switching ------------------------------------------------------------------------------ */

static void perform(struct trial *t, struct sn_op *op);

/* Only what nobody performs in another way is entered. */
static void find_enter(struct trial *t)
{
    const struct substrate *substrate = t->substrates[SN_OP_PROCESS];

    t->enter = NULL;
    if (substrate != NULL && t->perform[SN_OP_PROCESS] == substrate->perform)
        t->enter = substrate->enter;
}

void require_suspend(struct trial *t)
{
    struct require *r = t->require;

    if (r == NULL || !r->is_on)
        return;
    memcpy(t->perform, r->inner, sizeof(t->perform));
    r->is_on = false;
    t->filter = NULL;
    find_enter(t);
    t->naming = NULL;
    t->announced = NULL;
}

void require_resume(struct trial *t)
{
    struct require *r = t->require;

    if (r == NULL || r->is_on || r->constraints == NULL || r->constraints->n == 0)
        return;
    memcpy(r->inner, t->perform, sizeof(r->inner));
    for (int i = 0; i < TRIAL_KINDS_MAX; i++)
        t->perform[i] = perform;
    t->enter = NULL;
    r->is_on = true;
    t->filter = r;
    t->naming = r->naming;
}

void require_set_perform(struct trial *t, uint16_t kind,
                         void (*performs)(struct trial *t, struct sn_op *op))
{
    if (t->filter != NULL)
        t->filter->inner[kind] = performs;
    else
        t->perform[kind] = performs;
    find_enter(t);
}

struct announced *require_announced(const struct trial *t)
{
    return t->filter != NULL ? &t->filter->announced : NULL;
}

/* ---- Holding -------------------------------------------------------------------------------- */

static bool counts_now(const struct require *r, uint32_t local)
{
    return r->locals[local].anchor == 0 || r->progress[r->locals[local].anchor].has_run;
}

static bool is_held(const struct require *r, const struct marks *marks)
{
    for (uint32_t i = 0; i < REQUIRE_SHAPES * 2; i++) {
        for (uint32_t l = marks->lists[i / 2][i % 2]; l != 0; l = r->locals[l].next) {
            if (r->progress[l].waits > 0 && counts_now(r, l))
                return true;
        }
    }
    return false;
}

/* Whether one of the names is an alias that waits for its anchor: one such is to be left when that
 * has run. */
static uint32_t awaited(const struct require *r, const struct marks *marks)
{
    for (uint32_t i = 0; i < REQUIRE_SHAPES; i++) {
        for (uint32_t l = marks->lists[i][0]; l != 0; l = r->locals[l].next) {
            if (r->locals[l].anchor != 0 && r->locals[l].edges != 0 && !counts_now(r, l))
                return l;
        }
    }
    return 0;
}

/* How many operations each alias has left that waits for its anchor. */
static void count_left(struct require *r, const struct trial *t)
{
    memset(r->left, 0, (r->n_locals + 1) * sizeof(r->left[0]));
    for (uint32_t i = 1; i < t->now.n_sources; i++) {
        const struct source *source = &t->sources[i];

        if (source_is_free(source))
            continue;
        for (uint32_t op = source->head; op != 0; op = t->ops[op].next)
            r->left[awaited(r, &r->marks[op])]++;
    }
}

static bool is_helping(const struct require *r, const struct trial *t)
{
    return r->has_aliases && r->steers && !t->now.has_yielded;
}

/* The last one that an alias has left is kept. */
static bool is_kept(const struct require *r, const struct trial *t, uint32_t op)
{
    uint32_t alias;

    if (t->now.steps < r->constraints->from)
        return false;
    if (is_held(r, &r->marks[op]))
        return true;
    if (!is_helping(r, t))
        return false;
    alias = awaited(r, &r->marks[op]);
    return alias != 0 && r->left[alias] < 2;
}

/* Faults that can happen at any moment are counted apart. */
static bool is_loose_fault(const struct sn_op *op)
{
    return op->kind == SN_OP_FAULT && op->deadline == 0;
}

static void hold(struct require *r, struct trial *t, uint32_t source)
{
    enabled_remove(t, source);
    r->held[t->now.n_held++] = source;
    t->now.n_faults -= is_loose_fault(&t->ops[t->sources[source].ready]);
}

/* Gives free what is held no longer, and forgets what is gone: a source of which another operation
 * is ready is among those that can run. */
static void release(struct require *r, struct trial *t)
{
    uint32_t n = t->now.n_held;
    bool is_free = false;

    t->now.n_held = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct source *source = &t->sources[r->held[i]];

        if (source->ready == 0 || source->position != 0)
            continue;
        if (is_kept(r, t, source->ready)) {
            r->held[t->now.n_held++] = r->held[i];
            continue;
        }
        enabled_add(t, r->held[i]);
        t->now.n_faults += is_loose_fault(&t->ops[source->ready]);
        is_free = true;
    }
    if (is_free)
        trial_disturb(t);
}

void require_sift(struct trial *t)
{
    struct require *r = t->filter;

    require_listen(r, t);
    if (unlikely(is_helping(r, t)))
        count_left(r, t);
    if (t->now.n_held > 0)
        release(r, t);
    for (uint32_t i = t->now.n_enabled; i-- > 0;) {
        uint32_t source = (uint32_t)t->enabled[i];

        if (unlikely(is_kept(r, t, t->sources[source].ready)))
            hold(r, t, source);
    }
}

bool require_holds(const struct trial *t)
{
    return t->filter != NULL && t->now.n_held > 0 && require_holds_steps(t);
}

bool require_holds_steps(const struct trial *t)
{
    for (uint32_t i = 0; i < t->now.n_held; i++) {
        if (!is_loose_fault(&t->ops[t->sources[t->filter->held[i]].ready]))
            return true;
    }
    return false;
}

/* Calls names of an operation that is held; those of faults, without which trials go on, are none.
 */
static uint32_t held_locals(const struct require *r, const struct trial *t, uint32_t held,
                            uint32_t *out, uint32_t n)
{
    uint32_t op = t->sources[r->held[held]].ready;
    uint32_t used = 0;

    if (is_loose_fault(&t->ops[op]))
        return 0;
    for (uint32_t list = 0; list < REQUIRE_SHAPES * 2; list++) {
        uint32_t l = r->marks[op].lists[list / 2][list % 2];

        for (; l != 0 && used < n; l = r->locals[l].next)
            out[used++] = l;
    }
    return used;
}

static bool is_waiting_for(const struct require *r, uint32_t constraint, uint32_t local)
{
    const struct constraint *c = &r->constraints->all[constraint];

    return c->kind == CONSTRAINT_BEFORE && r->laters[constraint] == local && counts_now(r, local) &&
           !r->progress[r->local_of[c->first]].has_run;
}

uint32_t require_blame(const struct trial *t, uint32_t *out, uint32_t n)
{
    const struct require *r = t->filter;
    bool is_held_local[REQUIRE_LOCALS_MAX] = {false};
    uint32_t locals[BLAMED_LOCALS_MAX];
    uint32_t used = 0;

    if (r == NULL)
        return 0;
    if (r->impossible > 0 && n > 0)
        out[used++] = r->impossible - 1;
    for (uint32_t i = 0; i < t->now.n_held; i++) {
        uint32_t n_locals = held_locals(r, t, i, locals, BLAMED_LOCALS_MAX);

        for (uint32_t k = 0; k < n_locals; k++)
            is_held_local[locals[k]] = true;
    }
    /* What waits for something that is held itself is not the root of it, unless all do. */
    for (int pass = 0; pass < 2 && used == 0; pass++) {
        for (uint32_t i = 0; i < r->constraints->n && used < n; i++) {
            if (r->constraints->all[i].kind == CONSTRAINT_BEFORE && is_held_local[r->laters[i]] &&
                is_waiting_for(r, i, r->laters[i]) &&
                (pass == 1 || !is_held_local[r->local_of[r->constraints->all[i].first]]))
                out[used++] = i;
        }
    }
    return used;
}

bool require_yield(struct trial *t)
{
    if (t->now.has_yielded || !t->filter->steers || !t->filter->has_aliases)
        return false;
    t->now.has_yielded = true;
    require_sift(t);
    return t->now.n_enabled > t->now.n_faults;
}

/* ---- A trial -------------------------------------------------------------------------------- */

void require_begin(struct trial *t)
{
    struct require *r = t->filter;

    naming_begin(r->naming, t);
    r->impossible = 0;
    r->announced.n = 0;
    r->announced.is_full = false;
    for (uint32_t i = 1; i <= r->n_locals; i++)
        r->progress[i] = (struct progress){.waits = r->waits[i]};
    memset(r->counts, 0, (r->n_groups + 1) * sizeof(r->counts[0]));
    t->now.n_required = r->n_locals + 1; /* groups are not more */
    t->now.n_held = 0;
    t->now.n_marked = 0;
}

void require_settle(struct trial *t)
{
    require_listen(t->filter, t);
}

/* An operation that has these names has run: first what it is as an alias, because it does not come
 * after itself. */
static void note_run(struct require *r, const struct marks *marks, bool as_alias)
{
    for (uint32_t i = 0; i < REQUIRE_SHAPES * 2; i++) {
        for (uint32_t l = marks->lists[i / 2][i % 2]; l != 0; l = r->locals[l].next) {
            if (r->progress[l].has_run || (r->locals[l].anchor != 0) != as_alias ||
                !counts_now(r, l))
                continue;
            r->progress[l].has_run = true;
            for (uint32_t edge = r->locals[l].edges; edge != 0; edge = r->edges[edge - 1])
                r->progress[r->laters[edge - 1]].waits--;
        }
    }
}

static void perform(struct trial *t, struct sn_op *op)
{
    struct require *r = t->filter;
    struct marks marks;

    if (!t->now.is_set_up)
        require_listen(r, t); /* a first step that is part of the set-up */
    marks = r->marks[op_index(t, op)];
    r->inner[op->kind](t, op);
    note_run(r, &marks, true);
    note_run(r, &marks, false);
    t->now.has_yielded = false;
    if (t->now.is_set_up)
        require_sift(t);
}

/* ---- Draws ---------------------------------------------------------------------------------- */

bool require_draw(struct trial *t, const struct sn_draw *draw, uint64_t *value)
{
    struct require *r = t->filter;
    uint64_t label = r->n_drawn > 0 ? opname_hash(HASH_START, draw->label) : 0;

    if (r->constraints->from > 0 && t->now.steps <= r->constraints->from)
        return false; /* it is drawn in one of the steps that come first */
    for (uint32_t i = 0; i < r->n_drawn; i++) {
        const struct drawn *d = &r->drawn[i];

        if (d->label != label || (d->task != 0 && d->task != r->naming->all[t->now.task].answers) ||
            (d->number != 0 && d->number != trial_draw_number(t, draw->label)))
            continue;
        r->seen[d->local] = true;
        if (d->value >= draw->n) {
            r->impossible = d->constraint + 1;
            trial_get_stuck(t);
        }
        *value = d->value;
        return true;
    }
    return false;
}
