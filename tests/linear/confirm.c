/* confirm.c - whether a core is what it claims to be, by brute force.
 * SPDX-License-Identifier: MIT
 */
#include "confirm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_legal(const struct sample *h, enum brute_order order)
{
    return plain_allows(h->object, h->model, h->initial, h->operations, h->n, order);
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* The place of an operation in a core; its n: it is not there. */
static size_t place_of(const struct core *core, size_t index)
{
    size_t i = 0;

    while (i < core->n && core->operations[i].index != index)
        i++;
    return i;
}

/* The core as a history of its own. False: it is not one of this history. */
static bool extract(const struct sample *h, const struct core *core, struct sample *out)
{
    *out = *h;
    out->n = core->n;
    if (core->n > h->n)
        return false;
    for (size_t i = 0; i < core->n; i++) {
        size_t index = core->operations[i].index;

        if (index >= h->n || place_of(core, index) != i)
            return false;
        out->operations[i] = h->operations[index];
        if (core->operations[i].is_relaxed)
            reduction_relax(&out->operations[i]);
        else if (out->operations[i].ret == SN_TIME_NEVER)
            return false;
    }
    return true;
}

/* Whether a missing operation has gone in a way that is allowed: alone, since it changes nothing or
 * comes after all that counts, or with all of its key or value. */
static bool may_be_missing(const struct sample *h, const struct core *core,
                           const struct sample *small, const struct sn_operation *op,
                           enum brute_order order)
{
    bool has_key = false;
    bool has_value = false;

    for (size_t i = 0; i < core->n; i++) {
        const struct sn_operation *other = &h->operations[core->operations[i].index];

        has_key |= other->key == op->key;
        has_value |= reduction_is_same_value(h, op, other);
    }
    return !has_key || reduction_is_observer(h, op) || reduction_is_tail(small, op, order) ||
           (!has_value && reduction_is_same_value(h, op, op) &&
            reduction_is_allowed(small, REDUCTION_VALUE, order));
}

static bool is_minimal(const struct sample *small, enum brute_order order)
{
    for (enum reduction how = 0; how < REDUCTIONS; how++) {
        for (size_t i = 0; i < small->n && reduction_is_allowed(small, how, order); i++) {
            struct sample less;

            if (reduction_apply(small, how, order, i, &less) && !is_legal(&less, order))
                return false;
        }
    }
    return true;
}

enum flaw confirm_core(const struct sample *h, const struct core *core, enum brute_order order)
{
    struct sample small;

    if (!extract(h, core, &small))
        return FLAW_FOREIGN;
    for (size_t i = 0; i < h->n; i++)
        if (place_of(core, i) == core->n &&
            !may_be_missing(h, core, &small, &h->operations[i], order))
            return FLAW_DROPPED;
    if (is_legal(&small, order))
        return FLAW_LEGAL;
    return is_minimal(&small, order) ? FLAW_NONE : FLAW_NOT_MINIMAL;
}

bool confirm_stuck(const struct sample *h, size_t stuck)
{
    struct sample until = *h;
    struct sample before = *h;
    uint64_t moment = h->operations[stuck].ret;

    until.n = 0;
    before.n = 0;
    for (size_t i = 0; i < h->n; i++) {
        struct sn_operation op = h->operations[i];

        if (op.key != h->operations[stuck].key || op.call > moment)
            continue;
        if (op.ret > moment)
            reduction_relax(&op);
        until.operations[until.n++] = op;
        if (op.ret == moment)
            reduction_relax(&op);
        before.operations[before.n++] = op;
    }
    return !is_legal(&until, BRUTE_REAL_TIME) && is_legal(&before, BRUTE_REAL_TIME);
}

/* ---- The order ------------------------------------------------------------------------------- */

/* Whether all that must come before an operation has been put in order. */
static bool may_follow(const struct sample *small, const bool *is_placed, size_t i,
                       enum brute_order order)
{
    for (size_t j = 0; j < small->n; j++)
        if (j != i && !is_placed[j] &&
            brute_is_before(&small->operations[j], &small->operations[i], order))
            return false;
    return !is_placed[i];
}

/* Performs the order that the core tells. False: it is not one. */
static bool follow(const struct sample *small, const struct core *core, enum brute_order order,
                   struct plain_state *state, bool *is_placed)
{
    plain_init(small->object, state, small->initial);
    for (size_t k = 0; k < core->n_order; k++) {
        size_t i = place_of(core, core->order[k]);

        if (i == core->n || !may_follow(small, is_placed, i, order) ||
            !plain_accepts(small->object, small->model, state, &small->operations[i]))
            return false;
        is_placed[i] = true;
    }
    return true;
}

static size_t count_definite(const struct sample *small, const bool *is_placed)
{
    size_t n = 0;

    for (size_t i = 0; i < small->n; i++)
        n += is_placed[i] && small->operations[i].ret != SN_TIME_NEVER;
    return n;
}

/* ---- States ---------------------------------------------------------------------------------- */

static void add_value(struct sn_text *out, sn_value value)
{
    if (value == SN_VALUE_NIL)
        text_puts(out, "nil");
    else
        text_print(out, "%" PRId64, value);
}

static void add_row(struct sn_text *out, const sn_value *values, size_t n)
{
    text_puts(out, "[");
    for (size_t i = 0; i < n; i++) {
        text_puts(out, i > 0 ? " " : "");
        add_value(out, values[i]);
    }
    text_puts(out, "]");
}

/* Values in order of size: those of a priority queue, or the numbers of slots that are taken. */
static size_t sort_values(const struct plain_part *part, bool is_set, sn_value *sorted)
{
    size_t n = 0;

    for (size_t i = 0; i < (is_set ? PLAIN_SLOTS : part->n); i++) {
        sn_value value = is_set ? (sn_value)i : part->slot[i];
        size_t at = n;

        if (is_set && part->slot[i] == 0)
            continue;
        for (; at > 0 && sorted[at - 1] > value; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = value;
        n++;
    }
    return n;
}

/* What is behind a key, in the words of the models. */
static void print_part(const char *object, const struct plain_part *part, struct sn_text *out)
{
    sn_value sorted[PLAIN_SLOTS];
    bool is_set = strcmp(object, "set") == 0;

    if (is_set || strcmp(object, "priority-queue") == 0)
        add_row(out, sorted, sort_values(part, is_set, sorted));
    else if (strstr(" queue stack list ", object) != NULL)
        add_row(out, part->slot, part->n);
    else if (strcmp(object, "mutex") == 0)
        text_puts(out, part->slot[0] == 1 ? "taken" : "free");
    else
        add_value(out, strcmp(object, "lease") == 0 && part->slot[0] == 0 ? SN_VALUE_NIL
                                                                          : part->slot[0]);
}

/* Whether the core tells the state of each of its keys, once. */
static bool tells_states(const struct sample *small, const struct core *core,
                         const struct plain_state *state)
{
    bool is_told[PLAIN_KEYS] = {false};

    for (size_t i = 0; i < core->n_states; i++) {
        char buffer[CORE_STATE_MAX];
        struct sn_text out;
        sn_value key = core->states[i].key;

        if (key < 0 || key >= PLAIN_KEYS || is_told[key])
            return false;
        is_told[key] = true;
        text_init(&out, buffer, sizeof(buffer));
        print_part(small->object->name, &state->parts[key], &out);
        if (strcmp(buffer, core->states[i].text) != 0)
            return false;
    }
    for (size_t i = 0; i < small->n; i++)
        if (!is_told[small->operations[i].key])
            return false;
    return core->n_states == core->n_keys;
}

/* ---- What could come next -------------------------------------------------------------------- */

/* Whether the object would give this result. */
static bool gives(const struct sample *small, const struct plain_state *state,
                  const struct sn_operation *op, sn_value result)
{
    struct plain_state scratch = *state;
    struct sn_operation other = *op;

    other.result = result;
    return plain_accepts(small->object, small->model, &scratch, &other);
}

/* Whether a result is a value that the core should have thought of. */
static bool is_around(const struct sample *small, sn_value result)
{
    sn_value n = (sn_value)small->n;
    bool is_known = result == SN_VALUE_NIL || (result >= -n - 1 && result <= n + 1);

    for (size_t i = 0; i < small->n; i++) {
        const struct sn_operation *op = &small->operations[i];

        is_known |= (op->ret != SN_TIME_NEVER && op->result == result) ||
                    op->argument[0] == result || op->argument[1] == result;
    }
    return is_known;
}

/* An object does whatever it is asked to do, and has one result: only that can be wrong. */
static bool is_true(const struct sample *small, const struct core_candidate *candidate,
                    const struct plain_state *state, const struct sn_operation *op)
{
    struct plain_state scratch = *state;
    sn_value right = plain_perform(small->object, small->model, &scratch, op);

    if (candidate->is_refused || gives(small, state, op, op->result))
        return false;
    if (candidate->n_results == 0)
        return !is_around(small, right);
    return candidate->n_results == 1 && candidate->results[0] == right;
}

/* Whether the core tells of each operation that could be next, and only of those. */
static bool tells_candidates(const struct sample *small, const struct core *core,
                             const struct plain_state *state, const bool *is_placed,
                             enum brute_order order)
{
    size_t n_next = 0;

    for (size_t i = 0; i < small->n; i++)
        n_next +=
            small->operations[i].ret != SN_TIME_NEVER && may_follow(small, is_placed, i, order);
    for (size_t k = 0; k < core->n_candidates; k++) {
        size_t i = place_of(core, core->candidates[k].index);

        if (i == core->n || small->operations[i].ret == SN_TIME_NEVER ||
            !may_follow(small, is_placed, i, order) ||
            (k > 0 && core->candidates[k].index == core->candidates[k - 1].index) ||
            !is_true(small, &core->candidates[k], state, &small->operations[i]))
            return false;
    }
    return core->n_candidates == n_next && n_next > 0;
}

enum flaw confirm_explanation(const struct sample *h, const struct core *core,
                              enum brute_order order)
{
    bool is_placed[SAMPLE_OPERATIONS_MAX] = {false};
    struct plain_state state;
    struct sample small;

    if (!extract(h, core, &small))
        return FLAW_FOREIGN;
    if (!follow(&small, core, order, &state, is_placed))
        return FLAW_ORDER;
    if (count_definite(&small, is_placed) !=
        plain_longest(small.object, small.model, small.initial, small.operations, small.n, order))
        return FLAW_SHORT;
    if (!tells_states(&small, core, &state))
        return FLAW_STATE;
    return tells_candidates(&small, core, &state, is_placed, order) ? FLAW_NONE : FLAW_CANDIDATE;
}
