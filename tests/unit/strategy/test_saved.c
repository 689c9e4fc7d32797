/* test_saved.c - strategies that are stopped, sent away as bytes, and go on elsewhere.
 *
 * Each is wrapped in one that, before every trial, saves the state and loads it into another one,
 * with which it goes on; or that divides the work and runs the trials of both parts in turn. Since
 * the wrapped strategy is asked through its callbacks, this also shows that they decide as its own
 * loop does. SPDX-License-Identifier: MIT
 */
#include "chatter.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "engine/mem.h"
#include "strategy/conflicts.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"

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

/* ---- What was learned of races --------------------------------------------------------------- */

static struct explore_phase halves[2];

/* A lesson of one trial: hashes of kinds of operations, and what was seen of them. */
static size_t make_lesson(unsigned char *bytes)
{
    static const unsigned char flags[] = {SIGNATURE_SEEN, SIGNATURE_SEEN,
                                          SIGNATURE_SEEN | SIGNATURE_RACED,
                                          SIGNATURE_SEEN | SIGNATURE_START};
    size_t n = CONFLICTS_LESSON_HEAD_BYTES;

    memset(bytes, 0, n);
    bytes[0] = 3; /* the trial */
    for (unsigned char i = 0; i < sizeof(flags); i++, n += 9) {
        bytes_put(bytes + n, mix64(i + 1));
        bytes[n + 8] = flags[i];
    }
    return n;
}

/* Two of one strategy, of which the first has learned and is split. Its lessons begin with so many
 * bytes about other things. */
static void split_what_has_learned(const char *text, size_t others)
{
    unsigned char lesson[128] = {0};
    struct err why;

    for (int i = 0; i < 2; i++)
        assert_int_equal(strategies_open_one(&strategies, text, 1, &halves[i], &why), 0);
    halves[0].entry->strategy->learn(halves[0].self, lesson, others + make_lesson(lesson + others));
    assert_true(halves[0].entry->strategy->split(halves[0].self, halves[1].self));
}

static struct sn_conflicts figures_of(int half)
{
    struct sn_conflicts figures;

    assert_true(halves[half].entry->figures(halves[half].self, &figures));
    return figures;
}

/* The mind of a half says, too, how many lessons have told it something new. */
static bool is_told_by_split(const char *text, size_t others)
{
    struct sn_conflicts figures[2];
    uint64_t minds[2];
    bool is_told;

    split_what_has_learned(text, others);
    for (int i = 0; i < 2; i++) {
        figures[i] = figures_of(i);
        minds[i] = halves[i].entry->mind(halves[i].self, &(uint32_t){0});
    }
    is_told = figures[0].signatures == 4 && figures[1].signatures == 4 && figures[0].racy == 1 &&
              figures[1].racy == 1 && minds[1] == minds[0];
    strategies_close(halves, 2);
    return is_told;
}

static void both_halves_know_what_the_whole_has_seen_race(void **unused)
{
    (void)unused;
    assert_true(is_told_by_split("random+ca", 0));
    assert_true(is_told_by_split("pos+ca", 0));
    assert_true(is_told_by_split("posr+ca", 0));
    assert_true(is_told_by_split("tapct:2:20", 8));
    assert_true(is_told_by_split("pct+ca:2:20", 8));
}

/* As bytes, behind where each half stands, they differ in what was counted, which stays with the
 * first. */
static void what_is_known_of_races_is_the_same_in_both_halves(void **unused)
{
    enum { HEAD = 8 + STREAM_BYTES, FIGURES = HEAD + 8 * 5, TABLE = HEAD + CONFLICTS_HEAD_BYTES };
    static unsigned char bytes[2][ROOM];
    size_t sizes[2];

    (void)unused;
    split_what_has_learned("random+ca", 0);
    for (int i = 0; i < 2; i++)
        sizes[i] = halves[i].entry->strategy->save(halves[i].self, bytes[i], ROOM);
    strategies_close(halves, 2);
    assert_int_equal(sizes[0], TABLE + 4 * 16);
    assert_int_equal(sizes[1], sizes[0]);
    assert_memory_equal(bytes[1] + HEAD, bytes[0] + HEAD, FIGURES - HEAD);
    assert_memory_equal(bytes[1] + TABLE, bytes[0] + TABLE, 4 * 16);
    assert_int_equal(bytes_get(bytes[0] + FIGURES), 1);
    assert_int_equal(bytes_get(bytes[1] + FIGURES), 0);
}

/* Else nothing would run at once. */
static void a_half_knows_that_something_is_quiet(void **unused)
{
    struct err why;
    struct conflicts *c = mem_reserve_shared(2 * sizeof(*c), &why);
    unsigned char lesson[128];

    (void)unused;
    assert_non_null(c);
    conflicts_learn(&c[0], lesson, make_lesson(lesson));
    conflicts_share(&c[0], &c[1]);
    assert_int_equal(c[0].n_quiet, 2);
    assert_int_equal(c[1].n_quiet, 2);
    mem_release(c, 2 * sizeof(*c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_draws_at_random_goes_on_where_it_was_saved),
        cmocka_unit_test(what_was_learned_is_saved_too),
        cmocka_unit_test(systematic_searches_go_on_where_they_were_saved),
        cmocka_unit_test(halves_run_the_trials_of_the_whole),
        cmocka_unit_test(what_has_learned_nothing_is_not_divided),
        cmocka_unit_test(both_halves_know_what_the_whole_has_seen_race),
        cmocka_unit_test(what_is_known_of_races_is_the_same_in_both_halves),
        cmocka_unit_test(a_half_knows_that_something_is_quiet),
    };

    strategies_init(&strategies);
    whole = chatter_new();
    parts = chatter_new();
    if (whole == NULL || parts == NULL || sn_strategy_register(&reloaded) < 0 ||
        sn_strategy_register(&divided) < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
