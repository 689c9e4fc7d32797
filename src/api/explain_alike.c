/* explain_alike.c - in how many failing trials, and in how many passing ones, the orders of the
 * trial that matter most are found, whichever messages of the same types they are of.
 *
 * Names of operations have numbers: the third Report in one trial may be the fifth in another that
 * fails for the same reason. So that a trial does not have the orders of a cause by their names
 * does not mean that it failed otherwise. What is looked for here is weaker: events of the same
 * kinds (and keys), between machines of the same types in the same roles, in the same order, and
 * not because one causes the other. That may be found in trials that pass, too, which is why those
 * are counted beside. SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include <string.h>

enum {
    PARTS_MAX = 2 * EXPLANATION_ITEMS_MAX,
    ROLES_MAX = 2 * PARTS_MAX,
    PASSING_MAX = COVER_RUNS_MAX, /* as many as there are failing ones */
    TRIES_MAX = 200000,           /* of events for parts, in one trial; then none is found */
};

/* A machine of the trial in the place of one that the orders name; both are texts of names. */
struct role {
    uint32_t text;
    uint32_t by;
};

struct search {
    const struct opnames *names;
    const struct happened *h;
    const struct happening *events;
    uint32_t n;
    uint32_t n_ran;
    uint32_t parts[PARTS_MAX]; /* operations that the orders are of: names, ... */
    uint32_t found[PARTS_MAX]; /* ... and the events that stand for them; 0: none yet */
    uint32_t n_parts;
    uint32_t firsts[EXPLANATION_ITEMS_MAX]; /* of each order, the parts */
    uint32_t laters[EXPLANATION_ITEMS_MAX];
    uint32_t n_orders;
    struct role roles[ROLES_MAX];
    uint32_t n_roles;
    uint32_t tries;
};

/* ---- Roles ---------------------------------------------------------------------------------- */

/* The type of the machine that is called so in the trial; "": there is none. */
static const char *type_of(const struct search *s, uint32_t text)
{
    for (uint32_t i = 1; i < s->n; i++) {
        const struct opname *name = opnames_get(s->names, s->events[i].name);

        if (name->task == text)
            return happened_type(s->h, s->events[i].task);
        if (name->from == text)
            return happened_type(s->h, s->events[i].from);
    }
    return "";
}

/* Whether a machine can stand for another, which it then does. */
static bool take_role(struct search *s, uint32_t text, uint32_t by)
{
    if (text == 0)
        return true;
    for (uint32_t i = 0; i < s->n_roles; i++) {
        if (s->roles[i].text == text || s->roles[i].by == by)
            return s->roles[i].text == text && s->roles[i].by == by;
    }
    if (s->n_roles == ROLES_MAX || (text != by && strcmp(type_of(s, text), type_of(s, by)) != 0))
        return false;
    s->roles[s->n_roles++] = (struct role){.text = text, .by = by};
    return true;
}

static bool stands_for(struct search *s, uint32_t event, uint32_t part)
{
    const struct opname *wanted = opnames_get(s->names, s->parts[part]);
    const struct opname *name = opnames_get(s->names, s->events[event].name);

    for (uint32_t i = 0; i < part; i++) {
        if (s->found[i] == event)
            return false;
    }
    return s->events[event].name != 0 && !s->events[event].is_lost && name->kind == wanted->kind &&
           name->event == wanted->event && name->has_key == wanted->has_key &&
           name->key == wanted->key && take_role(s, wanted->task, name->task) &&
           take_role(s, wanted->from, name->from);
}

/* ---- Orders --------------------------------------------------------------------------------- */

/* Of an order of which both events are found: whether they have it, and could have had the other
 * one. */
static bool has_order(const struct search *s, uint32_t order)
{
    uint32_t first = s->found[s->firsts[order]];
    uint32_t later = s->found[s->laters[order]];

    return first == 0 || later == 0 ||
           (first < s->n_ran && first < later && !happened_causes(s->h, first, later));
}

static bool fits(const struct search *s)
{
    for (uint32_t i = 0; i < s->n_orders; i++) {
        if (!has_order(s, i))
            return false;
    }
    return true;
}

/* Looks for an event for each part in turn, the first part slowest. */
static bool find_all(struct search *s)
{
    uint32_t roles[PARTS_MAX + 1] = {0}; /* how many there were before each part */
    uint32_t part = 0;

    while (s->tries++ < TRIES_MAX) {
        uint32_t event = ++s->found[part];

        s->n_roles = roles[part];
        if (event >= s->n) {
            s->found[part] = 0;
            if (part-- == 0)
                return false;
        } else if (stands_for(s, event, part) && fits(s)) {
            if (++part == s->n_parts)
                return true;
            roles[part] = s->n_roles;
        }
    }
    return false;
}

/* ---- Trials --------------------------------------------------------------------------------- */

static uint32_t add_part(struct search *s, uint32_t name)
{
    for (uint32_t i = 0; i < s->n_parts; i++) {
        if (s->parts[i] == name)
            return i;
    }
    s->parts[s->n_parts] = name;
    return s->n_parts++;
}

/* Others let these come about, or only help. */
static bool matters(const struct explanation_item *item)
{
    return item_is_order(item->kind) && item->is_labelled &&
           (item->labelled.label == LABEL_DECISIVE || item->labelled.label == LABEL_NEEDED);
}

/* Those orders of the first cause. One after an anchor is taken without it. */
static void list_orders(const struct explaining *x, struct search *s)
{
    const struct explanation_cause *c = &x->e->causes[0];

    s->names = x->names;
    for (uint32_t i = 0; i < c->n_items; i++) {
        const struct constraint *order = &x->causes[0].list[i];

        if (!matters(&c->items[i]) || order->kind != CONSTRAINT_BEFORE)
            continue;
        s->firsts[s->n_orders] = add_part(s, order->first);
        s->laters[s->n_orders++] = add_part(s, order->later);
    }
}

static int count_in(struct explaining *x, struct search *s, const struct pooled *trial,
                    struct explanation_share *share)
{
    const struct happened *h;
    int rc = explaining_look(x, trial, &h);

    if (rc != 0 || h == NULL || !explaining_is_known(x, h))
        return rc;
    s->h = h;
    s->events = happened_events(h, &s->n, &s->n_ran);
    memset(s->found, 0, sizeof(s->found));
    s->n_roles = 0;
    s->tries = 0;
    share->of++;
    share->n += find_all(s);
    return 0;
}

int explaining_alike(struct explaining *x)
{
    struct explanation *e = x->e;
    const struct pool *p = &x->pool;
    struct search s = {.n_parts = 0};
    int rc = 0;

    if (e->n_causes == 0 || !e->causes[0].is_enough)
        return 0;
    list_orders(x, &s);
    for (uint32_t i = 0; rc == 0 && s.n_orders > 0 && i < p->n_failing; i++)
        rc = count_in(x, &s, &p->failing[i], &e->alike_failing);
    for (uint32_t i = 0; rc == 0 && s.n_orders > 0 && i < p->n_passing && i < PASSING_MAX; i++)
        rc = count_in(x, &s, &p->passing[i], &e->alike_passing);
    e->has_alike = rc == 0 && e->alike_failing.of > 0 && e->alike_passing.of > 0;
    return rc;
}
