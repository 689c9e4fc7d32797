/* test_shared.c - strategies that are taught run the same trials however many share them.
 *
 * A strategy is wrapped in one that has several states of it, as so many workers would: each trial
 * is run by one of them, and lessons are told to all when the epoch is over. This shows which
 * trials follow; tests/unit/api/test_workers.py shows it with real processes.
 * SPDX-License-Identifier: MIT
 */
#include "chatter.h"

#include "base/bytes.h"
#include "engine/epoch.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct strategy_entry ql_rash;     /* learns from its own trials at once */
extern const struct strategy_entry fest_hoards; /* keeps trials that showed nothing new */

enum { TRIALS = 600, STATES_MAX = 7 };

#define STATE_BYTES ((size_t)1 << 30 >> MEM_SAVING_SHIFT)

static struct strategies strategies;

/* What the first of several states knew in the end, in memory that no trial reaches. */
struct outcome {
    size_t size;
    unsigned char bytes[1 << 22];
};

static struct outcome *outcome;

struct shared {
    const struct sn_strategy *strategy;
    uint32_t n_states;
    uint32_t now;
    uint64_t epoch;
    uint32_t n_lessons;
    size_t sizes[EPOCH_TRIALS];
    unsigned char lessons[EPOCH_TRIALS][SN_LESSON_MAX];
    _Alignas(64) char states[STATES_MAX][STATE_BYTES];
};

static const struct sn_strategy *find(const char *name)
{
    for (uint32_t i = 0; i < strategies.n; i++) {
        if (strcmp(strategies.entries[i].strategy->name, name) == 0)
            return strategies.entries[i].strategy;
    }
    return NULL;
}

static int shared_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct shared *s = self;
    const char *name = strchr(parameters, ':') + 1;

    s->n_states = (uint32_t)atoi(parameters);
    s->strategy = find(name);
    assert_non_null(s->strategy);
    assert_true(s->n_states <= STATES_MAX && s->strategy->state_size <= STATE_BYTES);
    for (uint32_t i = 0; i < s->n_states; i++)
        assert_int_equal(s->strategy->init(s->states[i], "", seed, error, size), 0);
    return 0;
}

static void teach_all(struct shared *s)
{
    for (uint32_t i = 0; i < s->n_states; i++)
        for (uint32_t k = 0; k < s->n_lessons; k++) {
            if (s->sizes[k] > 0)
                s->strategy->learn(s->states[i], s->lessons[k], s->sizes[k]);
        }
    s->n_lessons = 0;
}

static bool shared_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct shared *s = self;

    if (epoch_of(trial) != s->epoch)
        teach_all(s);
    s->epoch = epoch_of(trial);
    s->now = (uint32_t)(trial / 3 % s->n_states); /* some in a row, as they are dealt */
    s->strategy->seek(s->states[s->now], trial);
    return s->strategy->begin(s->states[s->now], trial, keep);
}

static uint32_t shared_pick(void *self, const struct sn_pending *pending)
{
    struct shared *s = self;

    return s->strategy->pick(s->states[s->now], pending);
}

static uint64_t shared_draw(void *self, const struct sn_draw *draw)
{
    struct shared *s = self;

    return s->strategy->draw(s->states[s->now], draw);
}

static void shared_end(void *self, const struct sn_trial_end *end)
{
    struct shared *s = self;

    s->sizes[s->n_lessons] =
        s->strategy->lesson(s->states[s->now], s->lessons[s->n_lessons], SN_LESSON_MAX);
    s->n_lessons++;
    if (end->trial + 1 == TRIALS) {
        teach_all(s);
        s->strategy->seek(s->states[0], TRIALS);
        outcome->size = s->strategy->save(s->states[0], outcome->bytes, sizeof(outcome->bytes));
    }
}

static const struct sn_strategy shared = {
    .name = "shared",
    .state_size = sizeof(struct shared),
    .init = shared_init,
    .begin = shared_begin,
    .pick = shared_pick,
    .draw = shared_draw,
    .end = shared_end,
};

/* ---- Tests ----------------------------------------------------------------------------------- */

static struct chatter *alone;
static struct chatter *together;

static bool is_same(const char *strategy, int n_states)
{
    char wrapped[64];

    (void)snprintf(wrapped, sizeof(wrapped), "shared:%d:%s", n_states, strategy);
    assert_int_equal(chatter_run(alone, strategy, TRIALS), 0);
    assert_int_equal(chatter_run(together, wrapped, TRIALS), 0);
    assert_int_equal(alone->n, TRIALS);
    assert_int_equal(together->n, TRIALS);
    return memcmp(alone->orders, together->orders, TRIALS * sizeof(alone->orders[0])) == 0;
}

static void urw_is_the_same_for_any_number_of_workers(void **unused)
{
    (void)unused;
    assert_true(is_same("urw", 1));
    assert_true(is_same("urw", 2));
    assert_true(is_same("urw", 7));
}

static void surw_is_the_same_for_any_number_of_workers(void **unused)
{
    (void)unused;
    assert_true(is_same("surw", 1));
    assert_true(is_same("surw", 2));
    assert_true(is_same("surw", 7));
}

static void ql_is_the_same_for_any_number_of_workers(void **unused)
{
    (void)unused;
    assert_true(is_same("ql", 1));
    assert_true(is_same("ql", 2));
    assert_true(is_same("ql", 7));
}

static void fest_is_the_same_for_any_number_of_workers(void **unused)
{
    (void)unused;
    assert_true(is_same("fest", 1));
    assert_true(is_same("fest", 2));
    assert_true(is_same("fest", 7));
}

static void what_fest_keeps_is_the_same_for_any_number_of_workers(void **unused)
{
    static struct outcome one;

    (void)unused;
    assert_true(is_same("fest", 1));
    one = *outcome;
    assert_true(is_same("fest", 4));
    assert_true(outcome->size > 1000);
    assert_int_equal(outcome->size, one.size);
    assert_memory_equal(outcome->bytes, one.bytes, one.size);
}

/* How many trials are kept is bounded by what there is to show. */
static void keeping_trials_that_show_nothing_new_is_noticed(void **unused)
{
    uint64_t n_kept;
    uint64_t n_seen;

    (void)unused;
    assert_true(is_same("fest", 1));
    n_kept = bytes_get(outcome->bytes + 32);
    n_seen = bytes_get(outcome->bytes + 40);
    assert_true(n_kept > 0 && n_kept <= n_seen);
    assert_true(is_same("fest_hoards", 1));
    assert_int_equal(bytes_get(outcome->bytes + 32), TRIALS);
    assert_true(bytes_get(outcome->bytes + 32) > bytes_get(outcome->bytes + 40));
}

static void what_learns_within_an_epoch_is_noticed(void **unused)
{
    (void)unused;
    assert_true(is_same("ql_rash", 1));
    assert_false(is_same("ql_rash", 2));
}

/* How many lessons a strategy has heard, which stands at this byte of its state. */
static uint64_t lessons_heard(const char *name, size_t at)
{
    assert_true(is_same(name, 1));
    return bytes_get(outcome->bytes + at);
}

/* Those of the last epoch have not been heard: 512 of 600 trials may have taught. Of the last 256
 * of these one in sixteen is drawn, give or take; the seed is fixed. */
static void most_trials_teach_nothing_once_much_is_known(void **unused)
{
    uint64_t n;

    (void)unused;
    n = lessons_heard("urw", 8 + STREAM_BYTES + 8);
    assert_in_range(n, STREAM_LESSONS_ALL + 6, STREAM_LESSONS_ALL + 32);
    n = lessons_heard("surw", 8 + STREAM_BYTES + 16);
    assert_in_range(n, STREAM_LESSONS_ALL + 6, STREAM_LESSONS_ALL + 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urw_is_the_same_for_any_number_of_workers),
        cmocka_unit_test(surw_is_the_same_for_any_number_of_workers),
        cmocka_unit_test(ql_is_the_same_for_any_number_of_workers),
        cmocka_unit_test(fest_is_the_same_for_any_number_of_workers),
        cmocka_unit_test(what_fest_keeps_is_the_same_for_any_number_of_workers),
        cmocka_unit_test(keeping_trials_that_show_nothing_new_is_noticed),
        cmocka_unit_test(what_learns_within_an_epoch_is_noticed),
        cmocka_unit_test(most_trials_teach_nothing_once_much_is_known),
    };
    struct err why;

    strategies_init(&strategies);
    alone = chatter_new();
    together = chatter_new();
    outcome = mem_reserve_shared(sizeof(*outcome), &why);
    if (alone == NULL || together == NULL || outcome == NULL || sn_strategy_register(&shared) < 0 ||
        strategies_add(&strategies, ql_rash.strategy, &why) < 0 ||
        strategies_add(&strategies, fest_hoards.strategy, &why) < 0 ||
        sn_strategy_register(fest_hoards.strategy) < 0 ||
        sn_strategy_register(ql_rash.strategy) < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
