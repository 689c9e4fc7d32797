/* test_clock.c - virtual time: timers, clocks that are off or drift, and the limit of time.
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#define SECOND UINT64_C(1000000000)

static const struct sn_event ring_event = {.name = "Ring", .size = sizeof(uint64_t)};
static const struct sn_event go_event = {.name = "Go"};

static struct sn_test test_of(void (*run)(void), const struct sn_faults *faults)
{
    return (struct sn_test){.name = "clock", .run = run, .world = SN_WORLD_TRIAL, .faults = faults};
}

/* ---- Timers --------------------------------------------------------------------------------- */

/* Timers of three, one and two seconds. */
static void start_three(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start(&ring_event, 3 * SECOND, &(uint64_t){3});
    (void)sn_timer_start(&ring_event, 1 * SECOND, &(uint64_t){1});
    (void)sn_timer_start(&ring_event, 2 * SECOND, &(uint64_t){2});
}

static void tell_ring(void *self, const void *payload)
{
    uint64_t n = *(const uint64_t *)payload;

    (void)self;
    sn_assert(sn_now_ns() >= n * SECOND);
    tell("%llu", (unsigned long long)n);
}

static void tell_go(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("g");
}

static const struct sn_state three_state = {
    .name = "Three",
    .entry = start_three,
    .on = (const struct sn_on[]){{.event = &ring_event, .run = tell_ring},
                                 {.event = &go_event, .run = tell_go},
                                 {0}},
};
static const struct sn_machine three = {.name = "Three", .start = &three_state};

static void run_three(void)
{
    story_begin();
    sn_send(sn_create_on(sn_node_new("n"), &three, NULL), &go_event, NULL);
}

static void ideal_timers_fire_in_order_when_nothing_else_can_happen(void **unused)
{
    struct sn_test test = test_of(run_three, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "g123");
}

static void timers_of_kind_any_fire_in_any_order_and_none_sees_an_early_clock(void **unused)
{
    struct sn_test test = test_of(run_three, NULL);

    (void)unused;
    test.timers = SN_TIMERS_ANY;

    (void)stories_of(&test);

    /* tell_ring looks at the clock. */
    assert_int_equal(told->n, 24);
    assert_true(stories_count("321g") > 0);
}

/* ---- Clocks that differ --------------------------------------------------------------------- */

/* Tells what its clock shows and what is true, in milliseconds, when it is born and after a timer
 * of ten seconds. */
static void tell_clock(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("%llu/%llu ", (unsigned long long)(sn_now_ns() / 1000000),
         (unsigned long long)(sn_true_time_ns() / 1000000));
}

static void start_ten(void *self, const void *payload)
{
    tell_clock(self, payload);
    (void)sn_timer_start(&go_event, 10 * SECOND, NULL);
}

static const struct sn_state watching = {
    .name = "Watching",
    .entry = start_ten,
    .on = (const struct sn_on[]){{.event = &go_event, .run = tell_clock}, {0}},
};
static const struct sn_machine watcher = {.name = "Watcher", .start = &watching};

static void run_skewed(void)
{
    sn_node n = sn_node_new("n");

    story_begin();
    sn_node_clock(n, 5 * (int64_t)SECOND, 0);
    (void)sn_create_on(n, &watcher, NULL);
}

static void a_clock_can_be_ahead_of_true_time(void **unused)
{
    struct sn_test test = test_of(run_skewed, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "5000/0 15000/10000 ");
}

static void run_behind(void)
{
    sn_node n = sn_node_new("n");

    story_begin();
    sn_node_clock(n, -5 * (int64_t)SECOND, 0);
    (void)sn_create_on(n, &watcher, NULL);
}

static void
a_clock_that_is_behind_shows_0_until_its_time_has_come_and_timers_go_by_it(void **unused)
{
    struct sn_test test = test_of(run_behind, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "0/0 10000/15000 ");
}

static void run_fast_and_slow(void)
{
    sn_node fast = sn_node_new("fast");
    sn_node slow = sn_node_new("slow");

    story_begin();
    sn_node_clock(fast, 0, 250000);
    sn_node_clock(slow, 0, -500000);
    (void)sn_create_on(fast, &watcher, NULL);
    (void)sn_create_on(slow, &watcher, NULL);
}

static void timers_run_by_the_clock_of_their_node(void **unused)
{
    struct sn_test test = test_of(run_fast_and_slow, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "0/0 0/0 10000/8000 10000/20000 ");
}

static void run_without_node(void)
{
    story_begin();
    sn_node_clock(sn_node_new("other"), 5, 5);
    (void)sn_create(&watcher, NULL);
}

static void machines_on_no_node_see_true_time(void **unused)
{
    const struct sn_faults faults = {.skew_ns = SECOND, .drift_ppm = 1000};
    struct sn_test test = test_of(run_without_node, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "0/0 10000/10000 ");
}

/* A monitor that tells the time. */
static void tell_monitor(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("%llu ", (unsigned long long)(sn_now_ns() / 1000000));
}

static const struct sn_state monitoring = {
    .name = "Monitoring",
    .on = (const struct sn_on[]){{.event = &go_event, .run = tell_monitor}, {0}},
};
static const struct sn_machine monitor = {.name = "Monitor", .start = &monitoring};

static void ask_monitor(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_monitor(&monitor, &go_event, NULL);
}

static const struct sn_state asking = {.name = "Asking", .entry = ask_monitor};
static const struct sn_machine asker = {.name = "Asker", .start = &asking};

static void run_monitored(void)
{
    sn_node n = sn_node_new("n");

    story_begin();
    sn_node_clock(n, 5 * (int64_t)SECOND, 0);
    (void)sn_create_on(n, &asker, NULL);
}

static void monitors_see_true_time(void **unused)
{
    const struct sn_machine *const monitors[] = {&monitor, NULL};
    struct sn_test test = test_of(run_monitored, NULL);

    (void)unused;
    test.monitors = monitors;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "0 ");
}

static void run_drawn(void)
{
    story_begin();
    (void)sn_create_on(sn_node_new("n"), &watcher, NULL);
}

static void a_test_lets_clocks_differ_by_at_most_its_skew(void **unused)
{
    const struct sn_faults faults = {.skew_ns = 2 * SECOND};
    struct sn_test test = test_of(run_drawn, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "0/0 10000/10000  | 0/0 10000/11000  | 0/0 10000/12000  | "
                                       "1000/0 11000/10000  | 2000/0 12000/10000 ");
}

static void a_test_lets_clocks_drift_by_at_most_its_parts_in_a_million(void **unused)
{
    const struct sn_faults faults = {.drift_ppm = 500000};
    struct sn_test test = test_of(run_drawn, &faults);

    (void)unused;

    (void)stories_of(&test);

    /* Times 1, 1.25, 1.5, 0.75 and 0.5. */
    assert_string_equal(stories_all(), "0/0 10000/10000  | 0/0 10000/13333  | 0/0 10000/20000  | "
                                       "0/0 10000/6666  | 0/0 10000/8000 ");
}

/* ---- Never early ---------------------------------------------------------------------------- */

struct precise {
    uint64_t started;
    uint64_t delay;
    uint64_t n;
};

static const struct sn_event precise_event = {.name = "Precise", .size = sizeof(uint64_t)};

static void start_precise(void *self, const void *payload)
{
    struct precise *p = self;

    if (p->delay == 0)
        p->delay = *(const uint64_t *)payload;
    p->started = sn_now_ns();
    (void)sn_timer_start(&go_event, p->delay, NULL);
}

/* Not early; and not late by more than a nanosecond of true time is worth. */
static void check_precise(void *self, const void *payload)
{
    struct precise *p = self;
    uint64_t now = sn_now_ns();

    sn_assertf(now >= p->started + p->delay, "%llu, set at %llu to %llu", (unsigned long long)now,
               (unsigned long long)p->started, (unsigned long long)p->delay);
    sn_assert(now - p->started - p->delay <= 4);
    if (++p->n < 4)
        start_precise(self, payload);
}

static const struct sn_state precise_state = {
    .name = "Precise",
    .entry = start_precise,
    .on = (const struct sn_on[]){{.event = &go_event, .run = check_precise}, {0}},
};
static const struct sn_machine precise = {.name = "Precise",
                                          .size = sizeof(struct precise),
                                          .start = &precise_state,
                                          .birth = &precise_event};

static void run_precise(void)
{
    static const uint64_t delays[] = {1, 3, 7, 100, 999999, 1000001, 3600 * SECOND};
    static const int32_t drifts[] = {0, -1, 1, 100, -100, 333333, -333333, -999999, 2000000};
    static const int64_t offsets[] = {0, 50, -50, -1000000, 1000000007};
    uint64_t delay = delays[sn_choose("delay", 7)];
    int32_t drift = drifts[sn_choose("drift", 9)];
    int64_t offset = offsets[sn_choose("offset", 5)];
    sn_node n = sn_node_new("n");

    sn_node_clock(n, offset, drift);
    (void)sn_create_on(n, &precise, &delay);
}

static void whatever_its_clock_a_machine_never_sees_a_timer_early(void **unused)
{
    struct sn_test test = test_of(run_precise, NULL);
    struct sn_options options = {.strategy = "dfs"};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_string_equal(r.failure, "");
    assert_int_equal(r.trials, 7 * 9 * 5);

    test.timers = SN_TIMERS_ANY;
    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_string_equal(r.failure, "");
    assert_int_equal(r.trials, 7 * 9 * 5);
}

/* ---- Mistakes ------------------------------------------------------------------------------- */

static void run_backwards(void)
{
    sn_node_clock(sn_node_new("n"), 0, -1000000);
}

static void a_clock_cannot_stand_still(void **unused)
{
    const struct sn_faults faults = {.drift_ppm = 1000000};
    struct sn_test own = test_of(run_backwards, NULL);
    struct sn_test drawn = test_of(run_drawn, &faults);
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&own, NULL, &r), 0);
    assert_string_equal(r.failure,
                        "usage: sn_node_clock: a clock cannot stand still or run backwards");

    assert_int_equal(sn_run(&drawn, NULL, &r), 0);
    assert_string_equal(r.failure,
                        "usage: sn_faults: no clock can differ that much from true time");
}

static void look(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_now_ns();
}

static const struct sn_state looking = {.name = "Looking", .entry = look};
static const struct sn_machine looker = {.name = "Looker", .start = &looking};

static void set_clock(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_node_clock(1, 5, 0);
}

static const struct sn_state setting = {.name = "Setting", .entry = set_clock};
static const struct sn_machine setter = {.name = "Setter", .start = &setting};

static void run_set(void)
{
    (void)sn_create_on(sn_node_new("n"), &looker, NULL);
    (void)sn_create(&setter, NULL);
}

static void setting_a_clock_before_and_after_a_step_are_different_orders(void **unused)
{
    struct sn_test test = test_of(run_set, NULL);
    struct sn_options options = {.strategy = "dfs"};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, &options, &r), 0);

    assert_int_equal(r.trials, 2);
    assert_int_equal(r.distinct_orders, 2);
}

/* ---- The limit of time ---------------------------------------------------------------------- */

/* Rings every second, for ever. */
static void ring(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start(&go_event, SECOND, NULL);
}

static const struct sn_state ringing = {
    .name = "Ringing",
    .entry = ring,
    .on = (const struct sn_on[]){{.event = &go_event, .run = ring}, {0}},
};
static const struct sn_machine bell = {.name = "Bell", .start = &ringing};

static void run_bell(void)
{
    (void)sn_create(&bell, NULL);
}

static void a_trial_is_cut_when_nothing_is_left_to_happen_in_its_time(void **unused)
{
    struct sn_test test = test_of(run_bell, NULL);
    struct sn_options options = {.iterations = 1};
    struct sn_result r;

    (void)unused;
    test.max_time_ns = 5 * SECOND;

    assert_int_equal(sn_run(&test, &options, &r), 0);

    /* The start, and five rings: the last one just at the limit. */
    assert_string_equal(r.failure, "");
    assert_int_equal(r.cut, 1);
    assert_int_equal(r.steps, 6);
}

static void the_limit_of_time_holds_for_timers_of_kind_any(void **unused)
{
    struct sn_test test = test_of(run_bell, NULL);
    struct sn_options options = {.iterations = 1};
    struct sn_result r;

    (void)unused;
    test.max_time_ns = 5 * SECOND;
    test.timers = SN_TIMERS_ANY;

    assert_int_equal(sn_run(&test, &options, &r), 0);

    assert_int_equal(r.cut, 1);
    assert_int_equal(r.steps, 6);
}

static void a_trial_that_must_end_fails_at_the_limit_of_time(void **unused)
{
    struct sn_test test = test_of(run_bell, NULL);
    char directory[] = "/tmp/sennit-clock-XXXXXX";
    struct sn_options options = {.iterations = 1};
    struct sn_result r;
    struct sn_result again;

    (void)unused;
    assert_non_null(mkdtemp(directory));
    options.outdir = directory;
    test.max_time_ns = 5 * SECOND;
    test.must_end = true;

    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_string_equal(r.failure,
                        "limit: the trial has not ended after 5000000000 ns of virtual time");
    assert_int_equal(sn_replay(&test, r.trace, &again), 0);
    assert_string_equal(again.failure, r.failure);
    (void)unlink(r.trace);
    (void)rmdir(directory);
}

static void a_trial_that_ends_in_its_time_is_not_cut(void **unused)
{
    struct sn_test test = test_of(run_three, NULL);
    struct sn_result r;

    (void)unused;
    test.max_time_ns = 3 * SECOND;

    r = stories_of(&test);

    assert_int_equal(r.cut, 0);
    assert_string_equal(stories_all(), "g123");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ideal_timers_fire_in_order_when_nothing_else_can_happen),
        cmocka_unit_test(timers_of_kind_any_fire_in_any_order_and_none_sees_an_early_clock),
        cmocka_unit_test(a_clock_can_be_ahead_of_true_time),
        cmocka_unit_test(
            a_clock_that_is_behind_shows_0_until_its_time_has_come_and_timers_go_by_it),
        cmocka_unit_test(timers_run_by_the_clock_of_their_node),
        cmocka_unit_test(machines_on_no_node_see_true_time),
        cmocka_unit_test(monitors_see_true_time),
        cmocka_unit_test(a_test_lets_clocks_differ_by_at_most_its_skew),
        cmocka_unit_test(a_test_lets_clocks_drift_by_at_most_its_parts_in_a_million),
        cmocka_unit_test(whatever_its_clock_a_machine_never_sees_a_timer_early),
        cmocka_unit_test(a_clock_cannot_stand_still),
        cmocka_unit_test(setting_a_clock_before_and_after_a_step_are_different_orders),
        cmocka_unit_test(a_trial_is_cut_when_nothing_is_left_to_happen_in_its_time),
        cmocka_unit_test(the_limit_of_time_holds_for_timers_of_kind_any),
        cmocka_unit_test(a_trial_that_must_end_fails_at_the_limit_of_time),
        cmocka_unit_test(a_trial_that_ends_in_its_time_is_not_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
