/* explain_items.c - what of a failing trial can be required of others: its values, and the orders
 * of its operations.
 *
 * The pairs that conflict with nothing between them stand for the whole order of the trial. Those
 * that follow from them are known, too, since a weaker order may explain as much. Of messages that
 * come again and again a number says little: such an operation is also named relative to a rarer
 * one before it, as the first of its kind after that. SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    OFTEN = 3, /* of a class: it comes again and again */
    /* All of them at once must be constraints, with those that stand for one item. */
    CANDIDATES_MAX = EXPLAIN_ITEMS_MAX - QUIET_MAX - 1,
};

static_assert(CANDIDATES_MAX + QUIET_MAX < CONSTRAINTS_MAX, "no constraint may be left out");

/* ---- Adding --------------------------------------------------------------------------------- */

static bool has_item(const struct candidates *c, const struct constraint *constraint)
{
    for (uint32_t i = 0; i < c->n; i++) {
        if (memcmp(&c->constraints[i], constraint, sizeof(*constraint)) == 0)
            return true;
    }
    return false;
}

static bool add(struct candidates *c, enum item_kind kind, const struct constraint *constraint,
                uint32_t first, uint32_t later)
{
    struct item *item = &c->items[c->n];

    if (c->n == CANDIDATES_MAX || has_item(c, constraint))
        return c->n < CANDIDATES_MAX;
    *item = (struct item){
        .kind = kind,
        .first = constraint->first,
        .second = constraint->later,
        .rank = later,
        .since = first,
    };
    if (first == c->decisive || later == c->decisive)
        item->rank += UINT64_C(1) << 32;
    c->constraints[c->n] = *constraint;
    c->events[c->n][0] = first;
    c->events[c->n][1] = later;
    c->n++;
    return true;
}

static struct constraint order(uint32_t first, uint32_t later)
{
    struct constraint c;

    memset(&c, 0, sizeof(c)); /* padding too: constraints are compared */
    c.kind = CONSTRAINT_BEFORE;
    c.first = first;
    c.later = later;
    return c;
}

/* Whether an order of two events says something, and could be asked for. */
static bool is_candidate(const struct candidates *c, const struct happening *events, uint32_t first,
                         uint32_t later)
{
    /* A copy has no name of its own: what is asked of it would be asked of the original, too. */
    return first > 0 && !events[first].is_copy && !events[later].is_copy &&
           events[first].name != 0 && events[later].name != 0 &&
           events[first].name != events[later].name && first <= c->until &&
           events[later].cause <= c->until;
}

static bool is_fault_step(const struct explaining *x, uint32_t name)
{
    const struct opname *n = opnames_get(x->names, name);

    return strcmp(opnames_get_text(x->names, n->event), "fault from step") == 0 &&
           strcmp(opnames_get_text(x->names, n->task), "faults") == 0;
}

static bool is_draw(const struct candidates *c, const struct happened_draw *draw)
{
    return draw->n >= 2 && draw->name != 0 && draw->event <= c->until;
}

/* Whether all that was drawn under one label by one task has one value, and more than once. The
 * last one is the event since when that is so. */
static bool is_same_throughout(struct explaining *x, const struct candidates *c,
                               const struct happened_draw *draws, uint32_t n, uint32_t at,
                               uint32_t *last)
{
    uint32_t label = opnames_any(x->names, draws[at].name);
    uint32_t same = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (!is_draw(c, &draws[i]) || opnames_any(x->names, draws[i].name) != label)
            continue;
        if (draws[i].value != draws[at].value)
            return false;
        *last = draws[i].event;
        same++;
    }
    return same > 1;
}

/* Values that are all the same are one item. From when on faults may strike is none: orders say
 * when they do. */
static void add_draws(struct explaining *x, struct candidates *c, const struct happened *h)
{
    uint32_t n;
    const struct happened_draw *draws = happened_draws(h, &n);

    c->has_faults = false;
    for (uint32_t i = 0; i < n; i++) {
        struct constraint constraint = order(draws[i].name, 0);
        uint32_t last = draws[i].event;

        if (!is_draw(c, &draws[i]))
            continue;
        constraint.kind = CONSTRAINT_DRAW;
        if (is_fault_step(x, draws[i].name)) {
            constraint.first = opnames_any(x->names, draws[i].name);
            c->faults_from = constraint;
            c->has_faults = true;
            continue;
        }
        constraint.value = draws[i].value;
        if (is_same_throughout(x, c, draws, n, i, &last))
            constraint.first = opnames_any(x->names, draws[i].name);
        (void)add(c, ITEM_DRAW, &constraint, last, last);
    }
}

/* Faults that did not strike, or later only: ITEM_QUIET is about them. */
static bool is_put_off(const struct candidates *c, const struct happening *events, uint32_t event)
{
    return events[event].is_strike && (events[event].is_pending || event > c->until);
}

static void add_pairs(struct candidates *c, const struct happened *h)
{
    uint32_t n;
    uint32_t n_events;
    uint32_t n_ran;
    const struct happened_pair *pairs = happened_pairs(h, &n);
    const struct happening *events = happened_events(h, &n_events, &n_ran);

    for (uint32_t i = 0; i < n; i++) {
        struct constraint constraint =
            order(events[pairs[i].first].name, events[pairs[i].later].name);

        if (is_candidate(c, events, pairs[i].first, pairs[i].later) &&
            !is_put_off(c, events, pairs[i].later))
            (void)add(c, ITEM_ORDER, &constraint, pairs[i].first, pairs[i].later);
    }
}

/* What was there when the trial was lost and had not run: in another trial it could run before, and
 * its consequences, which this trial does not have, could do harm. With each of them after the
 * event with which the trial was lost, nothing is left to chance before that. */
static void add_frontier(struct candidates *c, const struct happened *h)
{
    uint32_t n;
    uint32_t n_ran;
    const struct happening *events = happened_events(h, &n, &n_ran);
    uint32_t last = c->until < n_ran ? (uint32_t)c->until : n_ran - 1;

    for (uint32_t later = last + 1; later < n; later++) {
        struct constraint constraint = order(events[last].name, events[later].name);

        if (!is_put_off(c, events, later) && is_candidate(c, events, last, later) &&
            !happened_causes(h, last, later)) {
            uint32_t before = c->n;

            (void)add(c, ITEM_ORDER, &constraint, last, later);
            if (c->n > before)
                c->items[before].is_grouped = true;
        }
    }
}

/* What follows from such an operation, and meets the event with which the trial was lost: it would
 * be enough if that came later. */
static void add_weaker(struct candidates *c, const struct happened *h)
{
    uint32_t n;
    uint32_t n_ran;
    uint32_t n_items = c->n_basic;
    const struct happening *events = happened_events(h, &n, &n_ran);
    uint32_t last = c->until < n_ran ? (uint32_t)c->until : n_ran - 1;

    for (uint32_t i = 0; i < n_items; i++) {
        uint32_t later = c->events[i][1];

        if (c->items[i].kind != ITEM_ORDER || c->events[i][0] != last || later <= last)
            continue;
        for (uint32_t k = last + 1; k < n; k++) {
            struct constraint constraint = order(events[last].name, events[k].name);

            if (k == later || events[k].name == 0 || !happened_causes(h, later, k) ||
                !happened_conflict(h, last, k) || happened_causes(h, last, k) ||
                c->n == CANDIDATES_MAX || has_item(c, &constraint))
                continue;
            (void)add(c, ITEM_ORDER, &constraint, last, k);
            c->items[c->n - 1].weakens = i + 1;
        }
    }
}

/* That no other fault strikes is one item, however many there are. */
static void add_quiet(struct candidates *c, const struct happened *h)
{
    uint32_t n;
    uint32_t n_ran;
    const struct happening *events = happened_events(h, &n, &n_ran);
    uint32_t last = c->until < n_ran ? (uint32_t)c->until : n_ran - 1;

    c->n_quiet = 0;
    for (uint32_t i = last + 1; i < n && last > 0; i++) {
        if (is_put_off(c, events, i) && events[i].name != 0 && events[last].name != 0 &&
            c->n_quiet < QUIET_MAX)
            c->quiet[c->n_quiet++] = order(events[last].name, events[i].name);
    }
    if (c->n_quiet > 0)
        (void)add(c, ITEM_QUIET, &c->quiet[0], last, last); /* so it counts after any step */
}

/* Orders that follow from others, nearest ones first. */
static void add_derived(struct candidates *c, const struct happened *h)
{
    uint32_t n;
    uint32_t n_ran;
    const struct happening *events = happened_events(h, &n, &n_ran);

    for (uint32_t later = 1; later < n; later++) {
        for (uint32_t first = later < n_ran ? later - 1 : n_ran - 1; first > 0; first--) {
            struct constraint constraint = order(events[first].name, events[later].name);

            if (!is_candidate(c, events, first, later) || is_put_off(c, events, later) ||
                !happened_conflict(h, first, later) || happened_causes(h, first, later))
                continue;
            if (!add(c, ITEM_ORDER, &constraint, first, later))
                return;
        }
    }
}

/* ---- Relative names ------------------------------------------------------------------------- */

/* Notes how often operations of each event's class ran before it was lost. */
static void count_classes(const struct explaining *x, struct candidates *c,
                          const struct happened *h)
{
    uint32_t n;
    uint32_t n_ran;
    const struct happening *events = happened_events(h, &n, &n_ran);

    c->is_recurrent = false;
    memset(c->class_counts, 0, sizeof(c->class_counts));
    for (uint32_t i = 0; i < n; i++) {
        c->classes[i] = events[i].name != 0 ? opnames_any(x->names, events[i].name) : 0;
        if (i > 0 && i < n_ran && i <= c->until)
            c->class_counts[c->classes[i]]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        c->counts[i] = c->classes[i] != 0 ? c->class_counts[c->classes[i]] : 0;
        c->is_recurrent |= i > 0 && i < n_ran && i <= c->until && c->counts[i] >= OFTEN;
    }
}

/* The nearest rarer event before this one, if no other of its class lies between: then it is the
 * first of its class after that. 0: there is none. */
static uint32_t anchor_of(const struct candidates *c, const struct happened *h, uint32_t event)
{
    uint32_t n;
    uint32_t n_ran;

    (void)happened_events(h, &n, &n_ran);
    for (uint32_t i = (event < n_ran ? event : n_ran) - 1; i > 0; i--) {
        if (c->classes[i] == c->classes[event])
            return 0;
        if (c->classes[i] != 0 && c->counts[i] < OFTEN && !happened_causes(h, i, event))
            return i;
    }
    return 0;
}

/* The name of an event relative to another; 0: it has none, or needs none. */
static uint32_t relative_name(const struct explaining *x, const struct candidates *c,
                              const struct happened *h, uint32_t event)
{
    uint32_t n;
    uint32_t n_ran;
    const struct happening *events = happened_events(h, &n, &n_ran);
    uint32_t anchor = c->counts[event] >= OFTEN ? anchor_of(c, h, event) : 0;

    return anchor > 0 ? opnames_first_after(x->names, events[event].name, events[anchor].name) : 0;
}

static void add_relative(struct explaining *x, struct candidates *c, const struct happened *h)
{
    uint32_t n = c->n;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = c->events[i][0];
        uint32_t later = c->events[i][1];
        uint32_t a = 0;
        uint32_t b = 0;
        struct constraint constraint;

        if (!item_is_order(c->items[i].kind))
            continue;
        a = relative_name(x, c, h, first);
        b = relative_name(x, c, h, later);
        if (a != 0) {
            constraint = order(a, c->constraints[i].later);
            (void)add(c, ITEM_RELATIVE, &constraint, first, later);
        }
        if (b != 0) {
            constraint = order(c->constraints[i].first, b);
            (void)add(c, ITEM_RELATIVE, &constraint, first, later);
        }
        if (a != 0 && b != 0 && a != b) {
            constraint = order(a, b);
            (void)add(c, ITEM_RELATIVE, &constraint, first, later);
        }
    }
}

/* ---- All of them ---------------------------------------------------------------------------- */

void explaining_list(struct explaining *x, const struct happened *h, uint64_t until,
                     uint32_t decisive, struct candidates *out)
{
    out->n = 0;
    out->until = until;
    out->decisive = decisive;
    add_draws(x, out, h);
    add_quiet(out, h);
    add_pairs(out, h);
    add_frontier(out, h);
    out->n_basic = out->n;
    count_classes(x, out, h);
    if (out->is_recurrent)
        add_relative(x, out, h);
    out->n_forward = out->n;
    add_weaker(out, h);
    add_derived(out, h);
}

bool explaining_is_pending(const struct happened *h, uint32_t event)
{
    uint32_t n;
    uint32_t n_ran;
    const struct happening *events = happened_events(h, &n, &n_ran);

    return event < n && events[event].is_pending;
}
