/* test_tapct.c - the chances that tapct and pct+ca give to races, by enumeration and by trials.
 *
 * What the text of the algorithm says is carried out here by plain recursion over all random
 * choices, for small programs of messages; trials of the library must have the same chances.
 * SPDX-License-Identifier: MIT
 */
#include "api/engine.h"
#include "chances.h"
#include "strategy/strategies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

extern const struct strategy_entry tapct_all;   /* counts every message */
extern const struct strategy_entry tapct_twice; /* counts what was put off again */

/* ---- The algorithm, by the word ------------------------------------------------------------- */

enum { SMALL = 6, DEPTH = 3 };

struct small {
    const struct race *race;
    int n_chains;
    int chain[SMALL]; /* of a message */
    bool is_racy[SMALL];
    int n_racy;
};

static bool is_ancestor(const struct forest *f, int of, int message)
{
    while (message != FOREST_NOBODY && message != of)
        message = f->messages[message].creator;
    return message == of;
}

static struct small small_of(const struct race *race)
{
    const struct forest *f = &race->forest;
    struct small s = {.race = race};
    bool has_child[SMALL] = {false};

    assert_true(f->n <= SMALL);
    for (int i = 0; i < f->n; i++) {
        int creator = f->messages[i].creator;

        s.chain[i] = s.n_chains;
        if (creator != FOREST_NOBODY && !has_child[creator])
            s.chain[i] = s.chain[creator];
        s.n_chains += s.chain[i] == s.n_chains;
        if (creator != FOREST_NOBODY)
            has_child[creator] = true;
    }
    for (int i = 0; i < f->n; i++) {
        for (int k = 0; k < f->n; k++)
            s.is_racy[i] |= f->messages[i].actor == f->messages[k].actor && !is_ancestor(f, i, k) &&
                            !is_ancestor(f, k, i);
    }
    /* By signature: all messages for an actor of which two race. */
    for (int i = 0; i < f->n; i++) {
        for (int k = 0; k < f->n; k++)
            s.is_racy[i] |= s.is_racy[k] && f->messages[i].actor == f->messages[k].actor;
    }
    for (int i = 0; i < f->n; i++)
        s.n_racy += s.is_racy[i];
    return s;
}

/* The pending message of the chain with the highest rank. */
static int highest(const struct small *s, const int *when, const int *ranks)
{
    const struct forest *f = &s->race->forest;
    int best = -1;

    for (int i = 0; i < f->n; i++) {
        int creator = f->messages[i].creator;

        if (when[i] < 0 && (creator == FOREST_NOBODY || when[creator] >= 0) &&
            (best < 0 || ranks[s->chain[i]] > ranks[s->chain[best]]))
            best = i;
    }
    return best;
}

/* Runs one trial with these ranks, of which the lowest is DEPTH, and change points. */
static bool runs_into(const struct small *s, const int *ranks_given, const int *change, int depth)
{
    const struct race *race = s->race;
    int ranks[SMALL];
    int when[SMALL];
    bool is_counted[SMALL] = {false};
    int r = 0;

    memcpy(ranks, ranks_given, sizeof(ranks));
    for (int i = 0; i < SMALL; i++)
        when[i] = -1;
    for (int step = 0; step < race->forest.n; step++) {
        int m = highest(s, when, ranks);

        while (s->is_racy[m] && !is_counted[m]) {
            is_counted[m] = true;
            r++;
            for (int i = 1; i < depth; i++) {
                if (change[i] == r) {
                    ranks[s->chain[m]] = i;
                    m = highest(s, when, ranks);
                }
            }
        }
        when[m] = step;
    }
    for (int i = 0; i < race->n_pairs; i++) {
        if (when[race->pairs[i].before] > when[race->pairs[i].after])
            return false;
    }
    return true;
}

/* All change points for these ranks: how many of them run into the outcome. */
static uint64_t count_changes(const struct small *s, const int *ranks, int depth, uint64_t *n)
{
    int change[DEPTH] = {0};
    uint64_t hits = 0;
    uint64_t all = 1;

    for (int i = 1; i < depth; i++)
        all *= (uint64_t)s->n_racy;
    for (uint64_t choice = 0; choice < all; choice++) {
        uint64_t left = choice;

        for (int i = 1; i < depth; i++, left /= (uint64_t)s->n_racy)
            change[i] = 1 + (int)(left % (uint64_t)s->n_racy);
        hits += runs_into(s, ranks, change, depth);
    }
    *n += all;
    return hits;
}

/* All permutations of the ranks of chains from `next` on. */
static uint64_t count_all(const struct small *s, int *ranks, int next, int depth, uint64_t *n)
{
    uint64_t hits = 0;

    if (next == s->n_chains)
        return count_changes(s, ranks, depth, n);
    for (int i = next; i < s->n_chains; i++) {
        int was = ranks[next];

        ranks[next] = ranks[i];
        ranks[i] = was;
        hits += count_all(s, ranks, next + 1, depth, n);
        was = ranks[next];
        ranks[next] = ranks[i];
        ranks[i] = was;
    }
    return hits;
}

static double chance_of(const struct small *s, int depth)
{
    int ranks[SMALL];
    uint64_t n = 0;
    uint64_t hits;

    for (int i = 0; i < SMALL; i++)
        ranks[i] = DEPTH + i;
    hits = count_all(s, ranks, 0, depth, &n);
    return (double)hits / (double)n;
}

/* ---- Forests -------------------------------------------------------------------------------- */

/* All forests of n messages for two actors of which the first gets those of a set. */
static void make_forest(struct race *race, int n, uint64_t shape)
{
    *race = (struct race){.n_pairs = 0};
    (void)forest_actor(&race->forest);
    for (int i = 0; i < n; i++) {
        int creator = (int)(shape % (uint64_t)(i + 1)) - 1;
        bool is_shared;

        shape /= (uint64_t)(i + 1);
        is_shared = shape % 2 == 0;
        shape /= 2;
        (void)forest_message(&race->forest, creator < 0 ? FOREST_NOBODY : creator,
                             is_shared ? 0 : forest_actor(&race->forest));
    }
}

static uint64_t n_shapes(int n)
{
    uint64_t shapes = 1;

    for (int i = 0; i < n; i++)
        shapes *= 2 * (uint64_t)(i + 1);
    return shapes;
}

/* The least chance of an order of racy messages that causes allow, times what is promised. */
static double least_ratio(struct race *race, int depth)
{
    struct small s = small_of(race);
    const struct forest *f = &race->forest;
    double promised = s.n_chains;
    double least = 1e9;

    for (int i = 1; i < depth; i++)
        promised *= s.n_racy;
    for (int a = 0; a < f->n; a++) {
        for (int b = 0; b < f->n; b++) {
            for (int c = 0; c < (depth > 2 ? f->n : 1); c++) {
                bool is_one = s.is_racy[a] && s.is_racy[b] && a != b && !is_ancestor(f, b, a);
                double ratio;

                if (depth > 2)
                    is_one &= s.is_racy[c] && c != a && c != b && !is_ancestor(f, c, b) &&
                              !is_ancestor(f, c, a);
                if (!is_one)
                    continue;
                race->n_pairs = 0;
                race_order(race, a, b);
                if (depth > 2)
                    race_order(race, b, c);
                ratio = chance_of(&s, depth) * promised;
                least = ratio < least ? ratio : least;
            }
        }
    }
    race->n_pairs = 0;
    return least;
}

/* ---- What is promised ----------------------------------------------------------------------- */

static void every_order_of_two_racy_messages_has_the_chance_that_is_promised(void **unused)
{
    double least = 1e9;
    struct race race;

    (void)unused;
    for (int n = 2; n <= 4; n++) {
        for (uint64_t shape = 0; shape < n_shapes(n); shape++) {
            double ratio;

            make_forest(&race, n, shape);
            ratio = least_ratio(&race, 2);
            least = ratio < least ? ratio : least;
        }
    }
    assert_true(least >= 2);
}

static void every_order_of_three_racy_messages_has_the_chance_that_is_promised(void **unused)
{
    double least = 1e9;
    struct race race;

    (void)unused;
    for (uint64_t shape = 0; shape < n_shapes(4); shape++) {
        double ratio;

        make_forest(&race, 4, shape);
        ratio = least_ratio(&race, 3);
        least = ratio < least ? ratio : least;
    }
    assert_true(least >= 3);
}

/* ---- Trials have these chances -------------------------------------------------------------- */

static void trials_have_the_chances_that_the_algorithm_has(void **unused)
{
    static const uint64_t shapes[] = {0, 24, 100, 131, 200, 222, 302, 383};
    struct race race;
    int n_compared = 0;

    (void)unused;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct small s;
        double p;

        make_forest(&race, 4, shapes[i] % n_shapes(4));
        race_order(&race, 1, 0);
        race_order(&race, 1, 3);
        s = small_of(&race);
        p = s.n_racy > 0 ? chance_of(&s, 3) : 0;
        if (p == 0 || p == 1)
            continue;
        assert_chance(&race, "tapct:3", p);
        n_compared++;
    }
    assert_true(n_compared >= 3);
}

static void alternation_has_the_chance_that_the_algorithm_gives_it(void **unused)
{
    struct race race;
    struct small s;

    (void)unused;
    race_alternation(&race, 2);
    s = small_of(&race);
    assert_chance(&race, "tapct:3", chance_of(&s, 3));
}

static void counting_again_what_was_put_off_is_noticed(void **unused)
{
    struct race race;
    struct small s;

    (void)unused;
    race_alternation(&race, 2);
    s = small_of(&race);
    assert_true(is_wrong(&race, "tapct_twice:3", chance_of(&s, 3)));
}

/* ---- Noise ---------------------------------------------------------------------------------- */

static void noise_does_not_change_the_chances_of_tapct_and_pct_with_analysis(void **unused)
{
    struct race race;

    (void)unused;
    for (int m = 0; m <= 50; m += 50) {
        race_between(&race, 1, 1);
        race_add_noise(&race, m);
        assert_chance(&race, "tapct:2", 1.0 / 6);
        assert_chance(&race, "pct+ca:2", 1.0 / 6);
    }
}

static void noise_does_change_the_chances_of_pct(void **unused)
{
    struct race race;

    (void)unused;
    race_between(&race, 1, 1);
    assert_chance(&race, "pct:2:5", 2.0 / 10);
    race_add_noise(&race, 50);
    assert_chance(&race, "pct:2:55", 2.0 / 110);
}

static void counting_every_message_is_noticed(void **unused)
{
    struct race race;

    (void)unused;
    race_between(&race, 1, 1);
    race_add_noise(&race, 50);
    assert_true(is_wrong(&race, "tapct_all:2", 1.0 / 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_of_two_racy_messages_has_the_chance_that_is_promised),
        cmocka_unit_test(every_order_of_three_racy_messages_has_the_chance_that_is_promised),
        cmocka_unit_test(trials_have_the_chances_that_the_algorithm_has),
        cmocka_unit_test(alternation_has_the_chance_that_the_algorithm_gives_it),
        cmocka_unit_test(counting_again_what_was_put_off_is_noticed),
        cmocka_unit_test(noise_does_not_change_the_chances_of_tapct_and_pct_with_analysis),
        cmocka_unit_test(noise_does_change_the_chances_of_pct),
        cmocka_unit_test(counting_every_message_is_noticed),
    };

    struct err why = {""};

    forest_register();
    /* With their own loops, or they would not learn. */
    engine_get(&why)->strategies.entries[engine_get(&why)->strategies.n++] = tapct_all;
    engine_get(&why)->strategies.entries[engine_get(&why)->strategies.n++] = tapct_twice;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
