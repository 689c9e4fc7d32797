/* test_timers.c - a timer that is started again whenever it fires must not keep the rest waiting,
 * nor let what it sends pile up. SPDX-License-Identifier: MIT
 */
#include "reference.h"

#include "../observe.h"

#include <setjmp.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    TICKERS = 2,
    BYSTANDERS = 20,
    STEPS = 4000,
    TRIALS = 100,
    /* Timers of a task fire 64 times before they wait for everything else, and each firing causes
     * one message. Until then all that is old must have run. */
    FIRINGS = 64 * TICKERS,
    WAIT_MAX = 2 * FIRINGS + BYSTANDERS + 2 * TICKERS + 1,
};

/* Places in seen->count. */
enum { PENDING, PENDING_MOST, PENDING_LATE, SERVED, SERVED_LAST, TICKS, STEP };

static const struct sn_event tick_event = {.name = "Tick"};
static const struct sn_event job_event = {.name = "Job"};
static const struct sn_event once_event = {.name = "Once"};

static void on_start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    seen->count[STEP]++;
    (void)sn_timer_start_any(&tick_event, NULL);
}

/* The worker is the first machine. */
static void on_tick(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    seen->count[STEP]++;
    seen->count[TICKS]++;
    sn_send(1, &job_event, NULL);
    if (++seen->count[PENDING] > seen->count[PENDING_MOST])
        seen->count[PENDING_MOST] = seen->count[PENDING];
    if (seen->count[STEP] > STEPS / 2 && seen->count[PENDING] > seen->count[PENDING_LATE])
        seen->count[PENDING_LATE] = seen->count[PENDING];
    (void)sn_timer_start_any(&tick_event, NULL);
}

static void on_job(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    seen->count[STEP]++;
    seen->count[PENDING]--;
}

static void on_once(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    seen->count[STEP]++;
    if (++seen->count[SERVED] == BYSTANDERS && seen->count[STEP] > seen->count[SERVED_LAST])
        seen->count[SERVED_LAST] = seen->count[STEP];
}

static const struct sn_state ticking = {
    .name = "Ticking",
    .entry = on_start,
    .on = (const struct sn_on[]){{.event = &tick_event, .run = on_tick}, {0}},
};

static const struct sn_state working = {
    .name = "Working",
    .on = (const struct sn_on[]){{.event = &job_event, .run = on_job},
                                 {.event = &once_event, .run = on_once},
                                 {0}},
};

static const struct sn_machine ticker = {.name = "Ticker", .start = &ticking};
static const struct sn_machine worker = {.name = "Worker", .start = &working};

static void run_tickers(void)
{
    sn_id busy = sn_create(&worker, NULL);

    for (int i = 0; i < TICKERS; i++)
        (void)sn_create(&ticker, NULL);
    for (int i = 0; i < BYSTANDERS; i++)
        sn_send(busy, &once_event, NULL);
}

/* Counts begin anew with each trial, but for the worst. */
static void watch(void *self, const struct sn_trial_view *view)
{
    (void)self;
    (void)view;
    if (seen->count[SERVED] < BYSTANDERS)
        seen->count[SERVED_LAST] = STEPS;
    seen->count[PENDING] = seen->count[SERVED] = seen->count[STEP] = 0;
}

/* Runs long trials. True: what was pending at first has run early in each, and never was much more
 * pending than one round of firings. */
static bool is_calm(const char *strategy)
{
    const struct sn_test test = {.name = "tickers",
                                 .run = run_tickers,
                                 .max_steps = STEPS,
                                 .world = SN_WORLD_TRIAL,
                                 .links = SN_UNORDERED};
    const struct sn_options options = {.strategy = strategy, .iterations = TRIALS, .watch = watch};
    struct sn_result result;

    observe_clear();
    assert_int_equal(sn_run(&test, &options, &result), 0);
    assert_int_equal(result.failures, 0);
    assert_int_equal(result.cut, TRIALS);
    return seen->count[SERVED_LAST] <= WAIT_MAX && seen->count[PENDING_MOST] <= FIRINGS;
}

static void pos_is_not_starved_by_timers(void **unused)
{
    (void)unused;
    assert_true(is_calm("pos"));
}

static void posr_is_not_starved_by_timers(void **unused)
{
    (void)unused;
    assert_true(is_calm("posr"));
}

static void pct_is_not_starved_by_timers(void **unused)
{
    (void)unused;
    assert_true(is_calm("pct:1"));
    assert_true(is_calm("pct:3:4000"));
    assert_true(is_calm("pct:20:400"));
}

static void pctcp_is_not_starved_by_timers(void **unused)
{
    (void)unused;
    assert_true(is_calm("pctcp:1"));
    assert_true(is_calm("pos+ca"));
    assert_true(is_calm("posr+ca"));
    assert_true(is_calm("pctcp:3:4000"));
    assert_true(is_calm("pctcp:20:400"));
}

/* The counts begin anew whenever nothing but timers is left. Otherwise a timer would in the end
 * fire only when no message is pending. */
static void timers_go_on_when_nothing_else_is_left(void **unused)
{
    (void)unused;
    assert_true(is_calm("pos"));
    assert_true(seen->count[TICKS] > (uint64_t)TRIALS * STEPS * 2 / 5);
    assert_true(seen->count[PENDING_LATE] > 1);
    assert_true(is_calm("pct:3:4000"));
    assert_true(seen->count[TICKS] > (uint64_t)TRIALS * STEPS * 2 / 5);
    assert_true(seen->count[PENDING_LATE] > 1);
}

static void ranks_without_care_for_timers_are_noticed(void **unused)
{
    (void)unused;
    assert_false(is_calm("plain_pos"));
    assert_false(is_calm("plain_pct:3:4000:0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pos_is_not_starved_by_timers),
        cmocka_unit_test(posr_is_not_starved_by_timers),
        cmocka_unit_test(pct_is_not_starved_by_timers),
        cmocka_unit_test(pctcp_is_not_starved_by_timers),
        cmocka_unit_test(timers_go_on_when_nothing_else_is_left),
        cmocka_unit_test(ranks_without_care_for_timers_are_noticed),
    };

    reference_register();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
