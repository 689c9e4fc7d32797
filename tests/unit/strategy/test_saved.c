/* test_saved.c - strategies that are stopped, sent away as bytes, and go on elsewhere.
 *
 * Each is wrapped in one that, before every trial, saves the state and loads it into another one,
 * with which it goes on; or that divides the work and runs the trials of both parts in turn. Since
 * the wrapped strategy is asked through its callbacks, this also shows that they decide as its own
 * loop does. SPDX-License-Identifier: MIT
 */
#include "chatter.h"

#include "strategy/strategies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TRIALS = 300, ROOM = 1 << 16 }; /* more than an epoch of strategies that learn */

#define STATE_BYTES ((size_t)1 << 32 >> MEM_SAVING_SHIFT)

static struct strategies strategies;

/* ---- The wrappers ---------------------------------------------------------------------------- */

struct wrapped {
    const struct sn_strategy *strategy;
    int now;
    bool is_split;
    unsigned char bytes[ROOM];
    _Alignas(64) char states[2][STATE_BYTES];
};

/* The strategy that a name and parameters stand for. */
static const struct sn_strategy *find(const char *text)
{
    struct explore_phase phase;
    struct err why;
    int rc = strategies_open_one(&strategies, text, 1, &phase, &why);

    strategies_close(&phase, 1);
    return rc == 0 ? phase.entry->strategy : NULL;
}

static int wrap_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct wrapped *w = self;
    const char *inner = strchr(parameters, ':');

    w->strategy = find(parameters);
    if (w->strategy == NULL || w->strategy->state_size > STATE_BYTES)
        return -1;
    if (w->strategy->init == NULL)
        return 0;
    inner = inner != NULL ? inner + 1 : "";
    if (w->strategy->init(w->states[0], inner, seed, error, size) < 0)
        return -1;
    return w->strategy->init(w->states[1], inner, seed, error, size);
}

static bool reloaded_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct wrapped *w = self;
    size_t n = w->strategy->save(w->states[w->now], w->bytes, ROOM);
    uint64_t none = 0;

    assert_true(n <= ROOM);
    assert_int_equal(w->strategy->load(w->states[!w->now], w->bytes, n), 0);
    w->now = !w->now;
    if (!w->strategy->begin(w->states[w->now], trial, &none))
        return false;
    assert_int_equal(none, 0);
    (void)keep;
    return true;
}

static bool divided_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct wrapped *w = self;

    if (!w->is_split)
        assert_true(w->strategy->split(w->states[0], w->states[1]));
    w->is_split = true;
    w->now = trial % 2;
    return w->strategy->begin(w->states[w->now], trial, keep);
}

static uint32_t wrap_pick(void *self, const struct sn_pending *pending)
{
    struct wrapped *w = self;

    return w->strategy->pick(w->states[w->now], pending);
}

static uint64_t wrap_draw(void *self, const struct sn_draw *draw)
{
    struct wrapped *w = self;

    return w->strategy->draw(w->states[w->now], draw);
}

static void wrap_end(void *self, const struct sn_trial_end *end)
{
    struct wrapped *w = self;

    if (w->strategy->end != NULL)
        w->strategy->end(w->states[w->now], end);
}

static const struct sn_strategy reloaded = {
    .name = "reloaded",
    .state_size = sizeof(struct wrapped),
    .init = wrap_init,
    .begin = reloaded_begin,
    .pick = wrap_pick,
    .draw = wrap_draw,
    .end = wrap_end,
};

static const struct sn_strategy divided = {
    .name = "divided",
    .state_size = sizeof(struct wrapped),
    .init = wrap_init,
    .begin = divided_begin,
    .pick = wrap_pick,
    .draw = wrap_draw,
    .end = wrap_end,
};

/* ---- Tests ----------------------------------------------------------------------------------- */

static struct chatter *whole;
static struct chatter *parts;

static void assert_same_trials(const char *strategy, const char *wrapper)
{
    char wrapping[128];

    (void)snprintf(wrapping, sizeof(wrapping), "%s:%s", wrapper, strategy);
    assert_int_equal(chatter_run(whole, strategy, TRIALS), 0);
    assert_int_equal(chatter_run(parts, wrapping, TRIALS), 0);

    assert_true(whole->n == TRIALS);
    assert_int_equal(parts->n, whole->n);
    assert_memory_equal(parts->orders, whole->orders, whole->n * sizeof(whole->orders[0]));
}

static void what_draws_at_random_goes_on_where_it_was_saved(void **unused)
{
    (void)unused;
    assert_same_trials("random", "reloaded");
    assert_same_trials("pos", "reloaded");
    assert_same_trials("posr", "reloaded");
    assert_same_trials("sr", "reloaded");
    assert_same_trials("delay:3:coin", "reloaded");
}

static void what_was_learned_is_saved_too(void **unused)
{
    (void)unused;
    assert_same_trials("pct:3", "reloaded");
    assert_same_trials("pct:5:20", "reloaded");
    assert_same_trials("pctcp:3", "reloaded");
    assert_same_trials("portfolio:pctcp:2/pctcp:3:20", "reloaded");
    assert_same_trials("portfolio", "reloaded");
    assert_same_trials("portfolio:sr/pct:2", "reloaded");
}

static void systematic_searches_go_on_where_they_were_saved(void **unused)
{
    (void)unused;
    assert_same_trials("dfs", "reloaded");
    assert_same_trials("delay:2", "reloaded");
    assert_same_trials("delay:9", "reloaded");
}

static void halves_run_the_trials_of_the_whole(void **unused)
{
    (void)unused;
    assert_same_trials("random", "divided");
    assert_same_trials("pos", "divided");
    assert_same_trials("posr", "divided");
    assert_same_trials("sr", "divided");
    assert_same_trials("pct:3:20", "divided");
    assert_same_trials("pct:1", "divided");
    assert_same_trials("pctcp:3:20", "divided");
    assert_same_trials("delay:3:coin", "divided");
    assert_same_trials("portfolio:random", "divided");
}

static bool can_be_divided(const char *text, uint64_t n_trials)
{
    struct explore_phase parts_of[2];
    struct err why;
    uint64_t keep = 0;
    bool is_split;

    assert_int_equal(strategies_open_one(&strategies, text, 1, &parts_of[0], &why), 0);
    assert_int_equal(strategies_open_one(&strategies, text, 1, &parts_of[1], &why), 0);
    for (uint64_t i = 0; i < n_trials; i++) {
        assert_true(parts_of[0].entry->strategy->begin(parts_of[0].self, i, &keep));
        parts_of[0].entry->strategy->end(parts_of[0].self, &(struct sn_trial_end){.order = i + 1});
    }
    is_split = parts_of[0].entry->strategy->split(parts_of[0].self, parts_of[1].self);
    strategies_close(parts_of, 2);
    return is_split;
}

/* Without a trial pct does not know how many steps there are, and both parts would have to find out
 * for themselves. A trial that it has not decided in does not count. */
static void what_has_learned_nothing_is_not_divided(void **unused)
{
    (void)unused;
    assert_false(can_be_divided("pct:3", 0));
    assert_false(can_be_divided("pct:3", 2));
    assert_false(can_be_divided("pctcp:3", 2));
    assert_false(can_be_divided("portfolio:random/pct:3", 1));
    assert_true(can_be_divided("pct:3:10", 0));
    assert_true(can_be_divided("portfolio:random/pct:3:10", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_draws_at_random_goes_on_where_it_was_saved),
        cmocka_unit_test(what_was_learned_is_saved_too),
        cmocka_unit_test(systematic_searches_go_on_where_they_were_saved),
        cmocka_unit_test(halves_run_the_trials_of_the_whole),
        cmocka_unit_test(what_has_learned_nothing_is_not_divided),
    };

    strategies_init(&strategies);
    whole = chatter_new();
    parts = chatter_new();
    if (whole == NULL || parts == NULL || sn_strategy_register(&reloaded) < 0 ||
        sn_strategy_register(&divided) < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
