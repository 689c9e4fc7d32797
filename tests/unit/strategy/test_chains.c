/* test_chains.c - operations are divided into few chains, and priorities of chains find what they
 * promise to find.
 *
 * What is promised is counted, not sampled: for all small programs, all random choices are
 * enumerated. That the checks can fail is shown with copies of chains.c that are wrong in one thing
 * each. SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "engine/mem.h"
#include "strategy/chains.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The real one, or one that is wrong. */
struct partition {
    void (*start)(struct chains *c, uint64_t base);
    uint32_t (*meet)(struct chains *c, uint32_t index, const struct sn_op *op, bool is_queued,
                     bool *is_new);
    void (*run)(struct chains *c, uint32_t index, const struct sn_op *op, uint64_t step);
};

#define DECLARE(prefix_)                                                                           \
    void prefix_##_start(struct chains *c, uint64_t base);                                         \
    uint32_t prefix_##_meet(struct chains *c, uint32_t index, const struct sn_op *op,              \
                            bool is_queued, bool *is_new);                                         \
    void prefix_##_run(struct chains *c, uint32_t index, const struct sn_op *op, uint64_t step);   \
    static const struct partition prefix_##_partition = {prefix_##_start, prefix_##_meet,          \
                                                         prefix_##_run}

static const struct partition right = {chains_start, chains_meet, chains_run};
DECLARE(unswapped); /* groups are never swapped */
DECLARE(joined);    /* every child continues the chain of its cause */
DECLARE(unqueued);  /* queues order nothing */

static struct chains *chains;

enum { N_MAX = 24, NONE = -1 };

/* Elements in the order in which they are numbered: each has a creator with a smaller number, and
 * may stand in a queue behind another one with a smaller number. */
struct order {
    int n;
    int creator[N_MAX];
    int previous[N_MAX];
    uint32_t below[N_MAX]; /* bits */
};

static void close_order(struct order *o)
{
    for (int i = 0; i < o->n; i++) {
        const int before[2] = {o->creator[i], o->previous[i]};

        o->below[i] = 0;
        for (int k = 0; k < 2; k++) {
            if (before[k] != NONE)
                o->below[i] |= o->below[before[k]] | UINT32_C(1) << before[k];
        }
    }
}

static bool is_below(const struct order *o, int a, int b)
{
    return (o->below[b] >> a & 1) != 0;
}

/* ---- Width, by Dilworth's theorem: n minus the largest matching ------------------------------ */

static bool find_partner(const struct order *o, int a, int *partner, bool *seen)
{
    for (int b = a + 1; b < o->n; b++) {
        if (!is_below(o, a, b) || seen[b])
            continue;
        seen[b] = true;
        if (partner[b] == NONE || find_partner(o, partner[b], partner, seen)) {
            partner[b] = a;
            return true;
        }
    }
    return false;
}

static uint32_t width_of(const struct order *o)
{
    int partner[N_MAX];
    uint32_t matched = 0;

    for (int i = 0; i < o->n; i++)
        partner[i] = NONE;
    for (int i = 0; i < o->n; i++) {
        bool seen[N_MAX] = {false};

        matched += find_partner(o, i, partner, seen);
    }
    return (uint32_t)o->n - matched;
}

/* ---- Running an order ------------------------------------------------------------------------ */

struct run {
    const struct partition *partition;
    const struct order *order;
    int step[N_MAX]; /* at which an element ran, from 1; 0: not yet */
    int steps;
    uint32_t chain[N_MAX];
    struct sn_op op[N_MAX];
};

/* Queues are numbered by their first elements. */
static uint32_t queue_of(const struct order *o, int i)
{
    while (o->previous[i] != NONE)
        i = o->previous[i];
    return (uint32_t)i + 1;
}

static void start(struct run *r, const struct partition *partition, const struct order *o)
{
    *r = (struct run){.partition = partition, .order = o};
    partition->start(chains, 7);
}

static bool can_run(const struct run *r, int i)
{
    int creator = r->order->creator[i];
    int previous = r->order->previous[i];

    return r->step[i] == 0 && (creator == NONE || r->step[creator] != 0) &&
           (previous == NONE || r->step[previous] != 0);
}

static void meet(struct run *r, int i)
{
    int creator = r->order->creator[i];
    bool is_new;

    r->op[i] = (struct sn_op){
        .id = (uint64_t)i + 1,
        .source = queue_of(r->order, i),
        .cause = creator == NONE ? 3 : (uint32_t)(7 + r->step[creator]),
        .number = (uint32_t)i,
    };
    r->chain[i] = r->partition->meet(chains, (uint32_t)i + 1, &r->op[i], true, &is_new);
}

static void meet_all(struct run *r)
{
    for (int i = 0; i < r->order->n; i++) {
        if (can_run(r, i))
            meet(r, i);
    }
}

static void run(struct run *r, int i)
{
    r->step[i] = ++r->steps;
    r->partition->run(chains, (uint32_t)i + 1, &r->op[i], (uint64_t)(7 + r->steps));
}

/* Whether elements that can run are in different chains. */
static bool is_apart(const struct run *r)
{
    for (int a = 0; a < r->order->n; a++)
        for (int b = 0; b < a; b++) {
            if (can_run(r, a) && can_run(r, b) && r->chain[a] == r->chain[b])
                return false;
        }
    return true;
}

/* Runs all in an order drawn at random. False: a chain had two elements that could run. */
static bool run_at_random(struct run *r, struct rng *rng)
{
    bool was_apart = true;

    while (r->steps < r->order->n) {
        int chosen = NONE;
        uint32_t n = 0;

        meet_all(r);
        was_apart &= is_apart(r);
        for (int i = 0; i < r->order->n; i++) {
            if (can_run(r, i) && rng_below(rng, ++n) == 0)
                chosen = i;
        }
        run(r, chosen);
    }
    return was_apart;
}

static bool are_chains(const struct run *r)
{
    for (int a = 0; a < r->order->n; a++)
        for (int b = 0; b < r->order->n; b++) {
            if (r->chain[a] == r->chain[b] && r->step[a] < r->step[b] && !is_below(r->order, a, b))
                return false;
        }
    return true;
}

/* ---- How many chains ------------------------------------------------------------------------- */

static void make_forest(struct order *o, struct rng *rng)
{
    o->n = 1 + (int)rng_below(rng, N_MAX);
    for (int i = 0; i < o->n; i++) {
        o->creator[i] = (int)rng_below(rng, (uint32_t)i + 1) - 1;
        o->previous[i] = NONE;
    }
    close_order(o);
}

/* So many random forests were divided into chains, one per leaf, in which nothing that can run at
 * the same time is together. */
static int count_good_forests(const struct partition *partition, int n)
{
    struct rng rng;
    int good = 0;

    rng_init(&rng, 1, 1);
    for (int i = 0; i < n; i++) {
        struct order o;
        struct run r;

        make_forest(&o, &rng);
        start(&r, partition, &o);
        good += run_at_random(&r, &rng) && are_chains(&r) && chains->n == width_of(&o);
    }
    return good;
}

static void a_forest_has_a_chain_per_leaf(void **unused)
{
    (void)unused;
    assert_int_equal(count_good_forests(&right, 3000), 3000);
}

static void two_children_that_continue_one_chain_are_noticed(void **unused)
{
    (void)unused;
    assert_true(count_good_forests(&joined_partition, 3000) < 1500);
}

/* Elements are met in the order of their numbers; each is in one of few queues, and its creator is
 * not older than that of the one before it. */
static void make_queues(struct order *o, struct rng *rng)
{
    uint32_t n_queues = 2 + rng_below(rng, 3);
    int last[4] = {NONE, NONE, NONE, NONE};

    o->n = 8 + (int)rng_below(rng, N_MAX - 7);
    for (int i = 0; i < o->n; i++) {
        uint32_t queue = rng_below(rng, n_queues);
        int least = last[queue] == NONE ? NONE : o->creator[last[queue]];

        o->creator[i] = least + (int)rng_below(rng, (uint32_t)(i - least));
        o->previous[i] = last[queue];
        last[queue] = i;
    }
    close_order(o);
}

/* Of random orders, how many are divided into chains of which there are at most w(w+1)/2. */
static int count_good_orders(const struct partition *partition, int n)
{
    struct rng rng;
    int good = 0;

    rng_init(&rng, 2, 1);
    for (int i = 0; i < n; i++) {
        struct order o;
        struct run r;
        uint32_t w;

        make_queues(&o, &rng);
        w = width_of(&o);
        start(&r, partition, &o);
        for (int k = 0; k < o.n; k++) {
            meet(&r, k);
            run(&r, k);
        }
        good += are_chains(&r) && chains->n <= w * (w + 1) / 2;
    }
    return good;
}

enum { ORDERS = 20000 };

static void orders_with_queues_have_few_chains(void **unused)
{
    (void)unused;
    assert_int_equal(count_good_orders(&right, ORDERS), ORDERS);
}

static void groups_that_are_not_swapped_are_noticed(void **unused)
{
    (void)unused;
    assert_true(count_good_orders(&unswapped_partition, ORDERS) < ORDERS);
}

/* ---- What priorities of chains find ---------------------------------------------------------- */

enum { SMALL_MAX = 5, DEPTH_MAX = 3, TUPLES_MAX = 125 };

/* How often each tuple of `depth` elements ran in its order. */
struct count {
    int depth;
    uint64_t runs;
    uint64_t hits[TUPLES_MAX];
};

static int best_of(const struct run *r, const int *rank)
{
    int best = NONE;

    for (int i = 0; i < r->order->n; i++) {
        if (can_run(r, i) && (best == NONE || rank[r->chain[i]] < rank[r->chain[best]]))
            best = i;
    }
    return best;
}

/* One schedule: by these ranks of chains, with these change points. */
static void run_by_rank(struct run *r, const int *ranks, const int *change, int n_changes)
{
    int rank[SMALL_MAX + 1];

    memcpy(rank, ranks, sizeof(rank));
    while (r->steps < r->order->n) {
        int best;

        meet_all(r);
        best = best_of(r, rank);
        for (int i = 0; i < n_changes; i++) {
            if (change[i] != r->steps + 1)
                continue;
            rank[r->chain[best]] = 1000 - i;
            best = best_of(r, rank);
        }
        run(r, best);
    }
}

static void split_tuple(int tuple, int n, int depth, int *elements)
{
    for (int i = 0; i < depth; i++, tuple /= n)
        elements[i] = tuple % n;
}

static void count_tuples(const struct run *r, struct count *count, int n_tuples)
{
    count->runs++;
    for (int tuple = 0; tuple < n_tuples; tuple++) {
        int elements[DEPTH_MAX];
        bool is_hit = true;

        split_tuple(tuple, r->order->n, count->depth, elements);
        for (int i = 1; i < count->depth; i++)
            is_hit &= r->step[elements[i - 1]] < r->step[elements[i]];
        count->hits[tuple] += is_hit;
    }
}

static int power(int base, int exponent)
{
    int result = 1;

    while (exponent-- > 0)
        result *= base;
    return result;
}

static bool next_permutation(int *p, int n)
{
    int i = n - 2;
    int k = n - 1;
    int was;

    while (i >= 0 && p[i] > p[i + 1])
        i--;
    if (i < 0)
        return false;
    while (p[k] < p[i])
        k--;
    was = p[i];
    p[i] = p[k];
    p[k] = was;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) {
        was = p[a];
        p[a] = p[b];
        p[b] = was;
    }
    return true;
}

/* All ranks of as many chains as there can be, and all change points. */
static void count_all(const struct partition *partition, const struct order *o, struct count *count)
{
    int n_tuples = power(o->n, count->depth);
    int ranks[SMALL_MAX + 1] = {0, 1, 2, 3, 4, 5};

    do {
        for (int changes = 0; changes < power(o->n, count->depth - 1); changes++) {
            int change[DEPTH_MAX];
            struct run r;

            split_tuple(changes, o->n, count->depth - 1, change);
            for (int i = 0; i < count->depth - 1; i++)
                change[i]++;
            start(&r, partition, o);
            run_by_rank(&r, ranks, change, count->depth - 1);
            count_tuples(&r, count, n_tuples);
        }
    } while (next_permutation(ranks + 1, o->n));
}

/* Whether a tuple has different elements in an order that is possible. */
static bool is_possible(const struct order *o, int tuple, int depth)
{
    int elements[DEPTH_MAX];

    split_tuple(tuple, o->n, depth, elements);
    for (int a = 0; a < depth; a++)
        for (int b = a + 1; b < depth; b++) {
            if (elements[a] == elements[b] || is_below(o, elements[b], elements[a]))
                return false;
        }
    return true;
}

/* The smallest chance of a tuple that is possible, in units of 1 / (most N^(d-1)). */
static double smallest_of(const struct partition *partition, const struct order *o, int depth,
                          uint32_t most)
{
    struct count count = {.depth = depth};
    double smallest = 1e9;

    count_all(partition, o, &count);
    for (int tuple = 0; tuple < power(o->n, depth); tuple++) {
        double chance = (double)count.hits[tuple] / (double)count.runs;
        double ratio = chance * most * power(o->n, depth - 1);

        if (is_possible(o, tuple, depth) && ratio < smallest)
            smallest = ratio;
    }
    return smallest;
}

/* What is found over all small programs of a kind. */
struct survey {
    const struct partition *partition;
    int depth;
    int n_max;
    bool has_queues;
    int n_orders;
    double smallest;
};

static bool is_followed(const struct order *o, int n, int i)
{
    for (int k = 0; k < n; k++) {
        if (o->previous[k] == i)
            return true;
    }
    return false;
}

/* Adds the i-th element in all ways; of those that one step announces, each may stand in a queue
 * behind an earlier one. */
static void survey_from(struct survey *s, struct order *o, int i)
{
    uint32_t w;

    if (i > 0) {
        double smallest;

        o->n = i;
        close_order(o);
        w = width_of(o);
        smallest = smallest_of(s->partition, o, s->depth, s->has_queues ? w * (w + 1) / 2 : w);
        s->n_orders++;
        if (smallest < s->smallest)
            s->smallest = smallest;
    }
    if (i == s->n_max)
        return;
    for (int creator = NONE; creator < i; creator++)
        for (int previous = NONE; previous < i; previous++) {
            if (previous != NONE &&
                (!s->has_queues || o->creator[previous] != creator || is_followed(o, i, previous)))
                continue;
            o->creator[i] = creator;
            o->previous[i] = previous;
            survey_from(s, o, i + 1);
        }
}

static struct survey survey(const struct partition *partition, int depth, int n_max,
                            bool has_queues)
{
    struct survey s = {.partition = partition,
                       .depth = depth,
                       .n_max = n_max,
                       .has_queues = has_queues,
                       .smallest = 1e9};
    struct order o;

    survey_from(&s, &o, 0);
    return s;
}

static void every_pair_of_a_forest_meets_the_bound_exactly(void **unused)
{
    struct survey s = survey(&right, 2, 5, false);

    (void)unused;
    assert_int_equal(s.n_orders, 1 + 2 + 6 + 24 + 120);
    assert_true(s.smallest >= 2 - 1e-9 && s.smallest <= 2 + 1e-9);
}

static void every_triple_of_a_forest_meets_the_bound_exactly(void **unused)
{
    struct survey s = survey(&right, 3, 4, false);

    (void)unused;
    assert_true(s.smallest >= 4 - 1e-9 && s.smallest <= 4 + 1e-9);
}

static void every_pair_meets_the_bound_where_links_keep_order(void **unused)
{
    struct survey s = survey(&right, 2, 5, true);

    (void)unused;
    assert_int_equal(s.n_orders, 823);
    assert_true(s.smallest >= 1);
}

static void every_triple_meets_the_bound_where_links_keep_order(void **unused)
{
    struct survey s = survey(&right, 3, 4, true);

    (void)unused;
    assert_int_equal(s.n_orders, 107);
    assert_true(s.smallest >= 1);
}

/* The chance, without changes, that the last of four messages in a queue comes before one that
 * stands elsewhere. */
static double chance_of_a_queue(const struct partition *partition)
{
    struct order o = {
        .n = 5, .creator = {NONE, NONE, NONE, NONE, NONE}, .previous = {NONE, 0, 1, 2, NONE}};
    int ranks[SMALL_MAX + 1] = {0, 1, 2, 3, 4, 5};
    int n = 0;
    int hits = 0;

    close_order(&o);
    do {
        struct run r;

        start(&r, partition, &o);
        run_by_rank(&r, ranks, NULL, 0);
        hits += r.step[3] < r.step[4];
        n++;
    } while (next_permutation(ranks + 1, o.n));
    return (double)hits / n;
}

static void what_stands_in_a_queue_shares_one_priority(void **unused)
{
    (void)unused;
    assert_true(chance_of_a_queue(&right) == 1.0 / 2);
}

static void chains_that_ignore_queues_are_noticed(void **unused)
{
    (void)unused;
    assert_true(chance_of_a_queue(&unqueued_partition) == 1.0 / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forest_has_a_chain_per_leaf),
        cmocka_unit_test(two_children_that_continue_one_chain_are_noticed),
        cmocka_unit_test(orders_with_queues_have_few_chains),
        cmocka_unit_test(groups_that_are_not_swapped_are_noticed),
        cmocka_unit_test(every_pair_of_a_forest_meets_the_bound_exactly),
        cmocka_unit_test(every_triple_of_a_forest_meets_the_bound_exactly),
        cmocka_unit_test(every_pair_meets_the_bound_where_links_keep_order),
        cmocka_unit_test(every_triple_meets_the_bound_where_links_keep_order),
        cmocka_unit_test(what_stands_in_a_queue_shares_one_priority),
        cmocka_unit_test(chains_that_ignore_queues_are_noticed),
    };
    struct err why;

    chains = mem_reserve_shared(sizeof(*chains), &why);
    return chains != NULL ? cmocka_run_group_tests(tests, NULL, NULL) : 99;
}
