/* since.c - see sufficient.h: sets of items that are enough from a step on.
 *
 * The later the step, the less is left to bring about: after the one with which the trial was lost,
 * nothing. What was enough for a later step, and the items of what lies between, are tried first
 * for an earlier one; all items only if they are not. SPDX-License-Identifier: MIT
 */
#include "explain/narrow.h"
#include "explain/sufficient.h"

enum { PARTS = 32 }; /* of the trial, into which it is divided at least */

static int are_enough(struct sufficient_search *s, const struct items *set, bool *out)
{
    return items_are_enough(s, set, EXPLAIN_SEARCH_TRIALS, STREAM_SEARCH, out);
}

/* What was enough from a later step on, and the items of what comes before that. */
static void take_between(const struct sufficient_search *s, const struct since_set *later,
                         struct items *out)
{
    struct items all;
    struct items between = {.n = 0};

    items_all(s, &all);
    for (uint32_t i = 0; i < all.n; i++) {
        if (s->items[all.list[i]].since <= later->step)
            between.list[between.n++] = all.list[i];
    }
    items_unite(&later->set, &between, out);
}

/* Finds a set that is enough after s->from. False in *is_one: there is none. */
static int find_set(struct sufficient_search *s, const struct since_set *later,
                    struct since_set *out, bool *is_one)
{
    int rc;

    out->set = later->set;
    out->wide = later->wide;
    rc = are_enough(s, &out->set, is_one);
    if (rc != 0 || *is_one)
        return rc;
    take_between(s, later, &out->set);
    rc = are_enough(s, &out->set, is_one);
    if (rc == 0 && !*is_one) {
        items_all(s, &out->set);
        rc = narrow_unstick(s, &out->set);
        if (rc == 0)
            rc = are_enough(s, &out->set, is_one);
    }
    if (rc != 0 || !*is_one)
        return rc;
    return narrow_set(s, &out->set, &out->wide);
}

static int is_short(struct sufficient_search *s, const struct items *set, bool *out)
{
    struct sufficient found = {.chosen = *set};

    return sufficient_is_short(s, &found, out);
}

int since_find(struct sufficient_search *s, uint64_t lost, struct since *out)
{
    const struct since_set nothing = {.step = lost};
    const struct since_set *later = &nothing;
    uint64_t fine = lost / PARTS + 1; /* a step or two more are not worth the time */
    uint64_t low = 0;
    int rc = 0;

    out->lost = lost;
    out->n = 0;
    while (low + (out->n > 0 ? fine : 1) <= later->step && out->n < SINCE_MAX) {
        struct since_set *found = &out->found[out->n];
        bool is_one;

        found->step = low + (later->step - low) / 2;
        s->from = (struct beginning){.is_kept = true, .steps = found->step};
        rc = find_set(s, later, found, &is_one);
        if (rc == 0 && is_one)
            rc = is_short(s, &found->set, &is_one);
        if (rc != 0)
            return rc;
        if (is_one) {
            later = found;
            out->n++;
        } else {
            low = found->step + 1;
        }
    }
    return rc;
}

int since_settle(struct sufficient_search *s, const struct since *since, struct sufficient *out)
{
    *out = (struct sufficient){.is_enough = false};
    for (uint32_t i = since->n; i-- > 0;) {
        const struct since_set *one = &since->found[i];
        bool is_one;
        int rc;

        s->from = (struct beginning){.is_kept = true, .steps = one->step};
        rc = sufficient_settle(s, &one->set, &one->wide, out);
        if (rc == 0 && out->is_enough)
            rc = is_short(s, &out->chosen, &is_one);
        if (rc != 0 || (out->is_enough && is_one))
            return rc;
    }
    out->is_enough = false;
    return 0;
}
