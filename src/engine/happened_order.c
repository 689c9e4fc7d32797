/* happened_order.c - see happened.h: what had to come before what, and questions about it.
 *
 * Pasts are sets of bits: from the latest event to the first, one that conflicts and is not in the
 * past yet has nothing between itself and the present one. The search for partial orders does the
 * same while it goes (strategy/course.c), and knows more of what could have been; here a trial is
 * looked at once, when it is over. SPDX-License-Identifier: MIT
 */
#include "engine/happened_own.h"

bool happened_is_before(const struct happened *h, uint32_t i, uint32_t k)
{
    return i != k && past_has(h->pasts[k], i);
}

bool happened_causes(const struct happened *h, uint32_t i, uint32_t k)
{
    return i != k && past_has(h->causes[k], i);
}

bool happened_conflict(const struct happened *h, uint32_t i, uint32_t k)
{
    const struct event *a = &h->more[i];
    const struct event *b = &h->more[k];

    if (a->is_wild || b->is_wild || i == 0 || k == 0)
        return true;
    if ((a->mask & b->mask) == 0)
        return false;
    for (uint32_t x = 0; x < a->n_touched; x++) {
        for (uint32_t y = 0; y < b->n_touched; y++) {
            if (touches_clash(&h->touched[a->touched + x], &h->touched[b->touched + y]))
                return true;
        }
    }
    return false;
}

/* Whether one event could have come before another one that it conflicts with: not the first step
 * of a task, nor what waits behind it in a queue. */
static bool could_be_first(const struct happened *h, uint32_t i, uint32_t k)
{
    const struct happening *a = &h->events[i];
    const struct happening *b = &h->events[k];

    if (a->task != b->task)
        return true;
    return a->kind != SN_OP_START &&
           !(h->more[i].queue != SOURCE_NO_SENDER && h->more[i].queue == h->more[k].queue);
}

static void add_pair(struct happened *h, uint32_t i, uint32_t k)
{
    if (h->n_pairs == HAPPENED_PAIRS_MAX)
        h->is_cut = true;
    else
        h->pairs[h->n_pairs++] = (struct happened_pair){i, k};
}

static void find_causes(struct happened *h, uint32_t k)
{
    uint32_t cause = h->events[k].cause;
    uint32_t start = h->first_start[h->events[k].task];

    past_clear(h->causes[k], k);
    past_join(h->causes[k], h->causes[cause], cause);
    past_join(h->causes[k], h->causes[h->more[k].after], h->more[k].after);
    if (start != 0 && start < k)
        past_join(h->causes[k], h->causes[start], start);
    past_add(h->causes[k], k);
}

static void find_past(struct happened *h, uint32_t k)
{
    uint64_t *past = h->pasts[k];
    uint32_t since = h->notes[h->more[k].note].since;
    uint32_t n = k < h->n_ran ? k : h->n_ran;

    past_clear(past, k);
    past_join(past, h->pasts[h->events[k].cause], h->events[k].cause);
    past_join(past, h->pasts[h->more[k].after], h->more[k].after);
    if (since != 0)
        past_join_since(past, h->pasts[(since - 1) & ~PAST_AND_ALL], since - 1);
    for (uint32_t i = n; i-- > 1;) {
        if (past_has(past, i) || !happened_conflict(h, i, k))
            continue;
        past_join(past, h->pasts[i], i);
        if (could_be_first(h, i, k) && !h->events[k].is_lost)
            add_pair(h, i, k);
    }
    past_add(past, k);
}

void happened_order(struct happened *h)
{
    h->pasts[0][0] = h->causes[0][0] = 1;
    for (uint32_t k = 1; k < h->n; k++) {
        find_causes(h, k);
        find_past(h, k);
    }
}

/* ---- Questions ------------------------------------------------------------------------------ */

/* What a text of the trial stands for. */
static uint32_t stands_for(const uint32_t *as, uint32_t text)
{
    return as != NULL ? as[text] : text;
}

/* Whether a full name is in a class. */
static bool is_in(const struct opname *class, const struct opname *full, uint32_t number,
                  const uint32_t *as)
{
    return class->kind == full->kind && (class->event == 0 || class->event == full->event) &&
           (class->task == 0 || class->task == stands_for(as, full->task)) &&
           (class->from == 0 || class->from == stands_for(as, full->from)) &&
           (class->has_key == 0 || (full->has_key != 0 && class->key == full->key)) &&
           (class->number == 0 || class->number == number);
}

static bool is_called(const struct happened *h, uint32_t event, uint32_t name, const uint32_t *as)
{
    const struct happening *e = &h->events[event];
    const struct opname *class = opnames_get(h->names, name);
    const struct note *note = &h->notes[h->more[event].note];
    uint32_t number = class->has_key != 0 ? note->number : note->number_of_any_key;

    return e->name != 0 && (is_in(class, opnames_get(h->names, e->name), number, as) ||
                            is_in(class, opnames_get(h->names, e->long_name), number, as));
}

bool happened_is_named(const struct happened *h, uint32_t event, uint32_t name)
{
    return is_called(h, event, name, NULL);
}

static bool respects_draw(const struct happened *h, const struct constraint *c)
{
    const struct opname *class = opnames_get(h->names, c->first);

    for (uint32_t i = 0; i < h->n_draws; i++) {
        const struct opname *full = opnames_get(h->names, h->draws[i].name);

        if (is_in(class, full, full->number, NULL) && h->draws[i].value != c->value)
            return false;
    }
    return true;
}

/* What ran of an order: the first one before the later one, the later one before, or neither. */
enum met { MET_NEITHER, MET_FIRST, MET_LATER };

static enum met meet(const struct happened *h, const struct constraint *c, const uint32_t *as)
{
    uint32_t first_anchor = opnames_get(h->names, c->first)->anchor;
    uint32_t later_anchor = opnames_get(h->names, c->later)->anchor;
    bool is_anchored = first_anchor == 0;
    bool is_later_anchored = later_anchor == 0;

    for (uint32_t i = 1; i < h->n_ran; i++) {
        if (is_later_anchored && is_called(h, i, c->later, as))
            return MET_LATER;
        if (is_anchored && is_called(h, i, c->first, as))
            return MET_FIRST;
        is_anchored |= first_anchor != 0 && is_called(h, i, first_anchor, as);
        is_later_anchored |= later_anchor != 0 && is_called(h, i, later_anchor, as);
    }
    return MET_NEITHER;
}

bool happened_respects(const struct happened *h, const struct constraint *c)
{
    return c->kind == CONSTRAINT_DRAW ? respects_draw(h, c) : meet(h, c, NULL) != MET_LATER;
}

bool happened_has(const struct happened *h, const struct constraint *c, const uint32_t *as)
{
    return c->kind == CONSTRAINT_BEFORE && meet(h, c, as) == MET_FIRST;
}

const char *happened_type(const struct happened *h, uint32_t task)
{
    return task > 0 && task < h->n_tasks ? h->who->all[task].type : "";
}
