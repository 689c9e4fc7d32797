/* sufficient.c - see sufficient.h: verifying, and backward. SPDX-License-Identifier: MIT */
#include "explain/sufficient.h"

#include "explain/narrow.h"

enum {
    ATTEMPTS_MAX = 3,
    HOPEFUL = 2, /* times as many orders as there may be: a set that may still become short */
};

/* ---- Verifying ------------------------------------------------------------------------------ */

/* Verifies a set with fresh seeds; then leaves out single items as long as a thousand trials do not
 * mind, and verifies what is left. A set that chance has made too small is not kept. */
static int settle(struct sufficient_search *s, const struct items *set, struct sufficient *out)
{
    static const struct items none = {.n = 0};
    struct items left = *set;
    struct answer a;
    int rc;

    out->chosen = *set;
    out->from = s->from;
    rc = items_verify(s, set, &a);
    if (rc != 0)
        return rc;
    out->verified = a;
    out->is_enough = answer_is_enough(&a, EXPLAIN_VERIFY_TRIALS);
    for (int i = 0; out->is_enough && i < ATTEMPTS_MAX && !out->is_minimal; i++) {
        uint32_t before = left.n;

        rc = narrow_items(s, &none, &out->chosen, EXPLAIN_VERIFY_TRIALS, &left);
        if (rc != 0)
            return rc;
        out->is_minimal = left.n == before;
        if (out->is_minimal)
            break;
        rc = items_verify(s, &left, &a);
        if (rc != 0)
            return rc;
        if (!answer_is_enough(&a, EXPLAIN_VERIFY_TRIALS))
            break;
        out->chosen = left;
        out->verified = a;
    }
    return 0;
}

/* ---- Backward ------------------------------------------------------------------------------- */

int sufficient_settle(struct sufficient_search *s, const struct items *set,
                      const struct items *wide, struct sufficient *out)
{
    struct items rest;
    struct items left;
    int rc;

    *out = (struct sufficient){.chosen = *set, .from = s->from};
    rc = settle(s, set, out);
    items_subtract(wide, set, &rest);
    if (rc != 0 || out->is_enough || rest.n == 0)
        return rc;
    /* Two hundred trials have kept too little. */
    rc = narrow_items(s, set, &rest, EXPLAIN_VERIFY_TRIALS, &left);
    if (rc != 0)
        return rc;
    rc = settle(s, &left, out);
    return rc != 0 || out->is_enough ? rc : settle(s, wide, out);
}

int sufficient_backward(struct sufficient_search *s, struct sufficient *out)
{
    struct items set;
    struct items wide;
    bool enough;
    int rc;

    *out = (struct sufficient){.is_enough = false, .from = s->from};
    items_all(s, &set);
    rc = narrow_unstick(s, &set);
    if (rc == 0)
        rc = items_are_enough(s, &set, EXPLAIN_SEARCH_TRIALS, STREAM_SEARCH, &enough);
    if (rc != 0 || !enough)
        return rc;
    rc = narrow_set(s, &set, &wide);
    out->chosen = set;
    if (rc == 0)
        rc = sufficient_is_short(s, out, &enough);
    if (rc != 0)
        return rc;
    /* A thousand trials find some that two hundred could not tell from needed ones. */
    if (enough || sufficient_orders(s, out) <= HOPEFUL * EXPLAIN_ORDERS_MAX) {
        rc = sufficient_settle(s, &set, &wide, out);
        if (rc == 0 && out->is_enough)
            rc = sufficient_is_short(s, out, &enough);
    }
    out->is_too_long = rc == 0 && !enough;
    return rc;
}
