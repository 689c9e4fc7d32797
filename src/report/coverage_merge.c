/* coverage_merge.c - what several runs of a test have shown, taken together: see coverage_file.h.
 *
 * Sets are united and trials added up. How often an order came is the sum of how often it did in
 * each, so what is said about the next trial is as good as if one run had done it all.
 * SPDX-License-Identifier: MIT
 */
#include "report/coverage_file.h"

#include "engine/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Which trials --------------------------------------------------------------------------- */

static bool contains(const struct run_part *a, const struct run_part *b)
{
    return a->stream == b->stream && a->first <= b->first &&
           b->first + b->trials <= a->first + a->trials;
}

/* Whether each run of b is within one of a. */
static bool contains_all(const struct run_coverage *a, const struct run_coverage *b)
{
    for (uint32_t i = 0; i < b->n_parts; i++) {
        bool is_there = false;

        for (uint32_t k = 0; k < a->n_parts; k++)
            is_there |= contains(&a->parts[k], &b->parts[i]);
        if (!is_there)
            return false;
    }
    return true;
}

static const struct run_part *find_overlap(const struct run_coverage *a,
                                           const struct run_coverage *b)
{
    for (uint32_t i = 0; i < b->n_parts; i++) {
        for (uint32_t k = 0; k < a->n_parts; k++) {
            if (run_part_overlaps(&a->parts[k], &b->parts[i]))
                return &b->parts[i];
        }
    }
    return NULL;
}

static bool is_same_build(const struct run_coverage *a, const struct run_coverage *b)
{
    bool is_same = true;

    for (uint32_t i = 1; i < a->n_parts; i++)
        is_same &= strcmp(a->parts[0].build, a->parts[i].build) == 0;
    for (uint32_t i = 0; i < b->n_parts; i++)
        is_same &= strcmp(a->parts[0].build, b->parts[i].build) == 0;
    return is_same;
}

static bool has_met(const struct run_coverage *c, const struct run_met *met)
{
    uint32_t i = 0;

    while (i < c->n_met && !run_met_is_same(&c->met[i], met))
        i++;
    return i < c->n_met;
}

static bool has_pair(const struct coverage *c, const struct coverage_pair *pair)
{
    uint32_t i = 0;

    while (i < c->n && coverage_compare(&c->pairs[i], pair) != 0)
        i++;
    return i < c->n;
}

/* Whether what `from` alone has fits into `to`. */
static bool has_room(const struct run_coverage *to, const struct run_coverage *from)
{
    uint32_t met = to->n_met;
    uint32_t pairs = to->machines.n;

    for (uint32_t i = 0; i < from->n_met; i++)
        met += !has_met(to, &from->met[i]);
    for (uint32_t i = 0; i < from->machines.n; i++)
        pairs += !has_pair(&to->machines, &from->machines.pairs[i]);
    return met <= SITES_MAX && pairs <= COVERAGE_MAX;
}

static int check(const struct run_coverage *to, const struct run_coverage *from, bool any_build,
                 struct err *why)
{
    const struct run_part *twice = find_overlap(to, from);

    if (strcmp(to->suite, from->suite) != 0 || strcmp(to->test, from->test) != 0)
        return err_set(why, SN_EINVAL, "%.100s/%.100s and %.100s/%.100s are different tests",
                       to->suite, to->test, from->suite, from->test);
    if (!any_build && !is_same_build(to, from))
        return err_set(why, SN_EINVAL,
                       "%.100s/%.100s: the runs are of different builds of the program, whose "
                       "orders mean different things",
                       to->suite, to->test);
    if (twice != NULL)
        return err_set(why, SN_EINVAL,
                       "%.100s/%.100s: of strategy %.100s and seed %" PRIu64
                       " some trials are in both, and others in one only",
                       to->suite, to->test, twice->strategy, twice->seed);
    if (to->n_parts + from->n_parts > RUN_RUNS_MAX)
        return err_set(why, SN_EINVAL, "%.100s/%.100s: these are more than %d runs", to->suite,
                       to->test, RUN_RUNS_MAX);
    if (from->trials > UINT64_MAX - to->trials || from->steps > UINT64_MAX - to->steps)
        return err_set(why, SN_EINVAL, "%.100s/%.100s: more trials or steps than there can be",
                       to->suite, to->test);
    if (!has_room(to, from))
        return err_set(why, SN_EINVAL,
                       "%.100s/%.100s: together these have more than %d events of states, or more "
                       "than %d places",
                       to->suite, to->test, COVERAGE_MAX, SITES_MAX);
    return 0;
}

/* ---- Orders --------------------------------------------------------------------------------- */

/* Where an order of one list is in another that has it, too. */
static uint32_t place_of(const struct run_coverage *c, uint64_t order)
{
    uint32_t low = 0;
    uint32_t high = c->n_orders;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (c->orders[middle] < order)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The sketch of orders that are listed. */
static void sketch_orders(const struct run_coverage *c, struct distinct *d)
{
    for (uint32_t i = 0; i < c->n_orders; i++)
        distinct_add(d, c->orders[i]);
}

/* Unites all orders in d, which is empty. */
static void unite(struct distinct *d, const struct run_coverage *a, const struct run_coverage *b)
{
    const struct run_coverage *both[] = {a, b};

    for (int i = 0; i < 2; i++) {
        if (both[i]->has_orders) {
            sketch_orders(both[i], d);
            continue;
        }
        for (size_t k = 0; k < DISTINCT_REGISTERS; k++) {
            if (both[i]->sketch[k] > d->registers[k])
                d->registers[k] = both[i]->sketch[k];
        }
        d->exact = DISTINCT_EXACT_MAX + 1; /* from now on the sketch is all there is */
    }
}

/* Adds up how often each order came, where both know that. */
static void add_counts(struct run_coverage *sum, uint32_t to, const struct run_coverage *c,
                       uint32_t arm)
{
    for (uint32_t k = 0; k < c->n_orders; k++) {
        uint8_t *count = &sum->counts[to][place_of(sum, c->orders[k])];
        uint32_t total = *count + (uint32_t)c->counts[arm][k];

        *count = (uint8_t)(total < 3 ? total : 3);
    }
}

static void count_up(struct run_coverage *c, uint32_t i)
{
    struct discovery_arm *f = &c->arms[i].figures;

    f->orders = f->once = f->twice = 0;
    for (uint32_t k = 0; k < c->n_orders; k++) {
        f->orders += c->counts[i][k] > 0;
        f->once += c->counts[i][k] == 1;
        f->twice += c->counts[i][k] == 2;
    }
    c->arms[i].estimate = discovery_estimate(f, false);
}

/* Takes over the arms of one of the two; arms of the same name that draw in the same way are one.
 * False: something can no longer be told. */
static bool add_arms(struct run_coverage *sum, const struct run_coverage *c)
{
    for (uint32_t i = 0; i < c->n_arms; i++) {
        const struct run_arm *arm = &c->arms[i];
        uint32_t k = 0;

        if (arm->figures.trials == 0)
            continue;
        if (!arm->has_counts)
            return false;
        while (k < sum->n_arms && strcmp(sum->arms[k].name, arm->name) != 0)
            k++;
        if (k == DISCOVERY_ARMS_MAX ||
            (k < sum->n_arms && sum->arms[k].figures.mind != arm->figures.mind))
            return false;
        if (k == sum->n_arms) {
            sum->arms[k] = *arm;
            sum->arms[k].figures.trials = 0;
            sum->n_arms++;
        }
        sum->arms[k].figures.trials += arm->figures.trials;
        add_counts(sum, k, c, i);
    }
    return true;
}

static void merge_orders(struct run_coverage *sum, const struct run_coverage *a,
                         const struct run_coverage *b, struct distinct *d)
{
    unite(d, a, b);
    sum->has_orders = distinct_is_exact(d);
    sum->distinct = distinct_count(d);
    if (sum->has_orders)
        sum->n_orders = distinct_list(d, sum->orders);
    memcpy(sum->sketch, d->registers, sizeof(sum->sketch));
    sum->is_sampled = a->is_sampled && b->is_sampled && sum->has_orders && is_same_build(a, b) &&
                      add_arms(sum, a) && add_arms(sum, b);
    if (!sum->is_sampled)
        sum->n_arms = 0;
    for (uint32_t i = 0; i < sum->n_arms; i++)
        count_up(sum, i);
}

/* ---- The rest ------------------------------------------------------------------------------- */

static void add_race(struct run_coverage *c, const struct run_race *race)
{
    uint32_t k = c->n_races;

    for (uint32_t i = 0; i < c->n_races; i++) {
        if (run_race_compare(&c->races[i], race) != 0)
            continue;
        c->races[i].came[0] |= race->came[0];
        c->races[i].came[1] |= race->came[1];
        return;
    }
    if (k == RUN_RACES_MAX) {
        c->is_survey_cut = true;
        return;
    }
    for (; k > 0 && run_race_compare(&c->races[k - 1], race) > 0; k--)
        c->races[k] = c->races[k - 1];
    c->races[k] = *race;
    c->n_races++;
}

static void add_met(struct run_coverage *c, const struct run_met *met)
{
    for (uint32_t i = 0; i < c->n_met; i++) {
        if (!run_met_is_same(&c->met[i], met))
            continue;
        c->met[i].is_reached |= met->is_reached;
        c->met[i].is_held |= met->is_held;
        return;
    }
    sn_check(c->n_met < SITES_MAX);
    c->met[c->n_met++] = *met;
}

static void add_pair(struct coverage *c, const struct coverage_pair *pair)
{
    for (uint32_t i = 0; i < c->n; i++) {
        if (coverage_compare(&c->pairs[i], pair) != 0)
            continue;
        c->pairs[i].is_covered |= pair->is_covered;
        return;
    }
    sn_check(c->n < COVERAGE_MAX);
    c->pairs[c->n++] = *pair;
}

/* Of two runs neither knows which of the other's states are its own: the most that one of them saw
 * is what both have seen at least, also if the other could not tell. A run of which no trial was
 * looked at takes nothing away. */
static void merge_states(struct run_coverage *to, const struct run_coverage *from)
{
    if (to->surveyed == 0)
        to->is_states_least = from->is_states_least;
    else if (from->surveyed > 0)
        to->is_states_least = to->has_states || from->has_states;
    if (from->states > to->states)
        to->states = from->states;
    to->has_states |= from->has_states;
    to->surveyed += from->surveyed;
}

static void merge_rest(struct run_coverage *to, const struct run_coverage *from)
{
    merge_states(to, from);
    to->is_survey_cut |= from->is_survey_cut;
    for (uint32_t i = 0; i < from->n_races; i++)
        add_race(to, &from->races[i]);
    for (uint32_t i = 0; i < from->n_met; i++)
        add_met(to, &from->met[i]);
    for (uint32_t i = 0; i < from->machines.n; i++)
        add_pair(&to->machines, &from->machines.pairs[i]);
    coverage_sort(&to->machines);
}

static void add_parts(struct run_coverage *to, const struct run_coverage *from)
{
    memcpy(to->parts + to->n_parts, from->parts, from->n_parts * sizeof(from->parts[0]));
    to->n_parts += from->n_parts;
    to->trials += from->trials;
    to->steps += from->steps;
    to->failures += from->failures;
    to->cut += from->cut;
    to->n_curve = 0; /* of which run would it be? */
}

/* Makes the orders of a sum, for which there is room, those of `to`. */
static void take_orders(struct run_coverage *to, const struct run_coverage *sum)
{
    to->distinct = sum->distinct;
    to->has_orders = sum->has_orders;
    to->n_orders = sum->n_orders;
    to->is_sampled = sum->is_sampled;
    to->n_arms = sum->n_arms;
    memcpy(to->orders, sum->orders, sum->n_orders * sizeof(sum->orders[0]));
    memcpy(to->sketch, sum->sketch, sizeof(sum->sketch));
    memcpy(to->arms, sum->arms, sizeof(sum->arms));
    for (uint32_t i = 0; i < sum->n_arms; i++)
        memcpy(to->counts[i], sum->counts[i], sum->n_orders);
}

int coverage_merge(struct run_coverage *to, const struct run_coverage *from, bool any_build,
                   struct err *why)
{
    bool is_same = strcmp(to->suite, from->suite) == 0 && strcmp(to->test, from->test) == 0;
    struct run_coverage *sum;
    struct distinct *d;
    int rc;

    if (is_same && contains_all(to, from))
        return COVERAGE_IS_PART;
    if (is_same && contains_all(from, to)) {
        *to = *from;
        return COVERAGE_IS_WHOLE;
    }
    rc = check(to, from, any_build, why);
    if (rc < 0)
        return rc;
    sum = mem_reserve_shared(sizeof(*sum), why);
    d = mem_reserve_shared(sizeof(*d), why);
    if (sum == NULL || d == NULL) {
        rc = SN_ENOMEM;
    } else {
        merge_orders(sum, to, from, d);
        take_orders(to, sum);
        merge_rest(to, from);
        add_parts(to, from);
    }
    mem_release(sum, sizeof(*sum));
    mem_release(d, sizeof(*d));
    return rc;
}
