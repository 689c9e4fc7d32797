/* test_liveness.c - what is judged at a limit: heat, the fair tail, and what must not be called a
 * bug. The cycles of oracle lasso have a test of their own; the machines here count or have no
 * fingerprint, so that none is noticed. SPDX-License-Identifier: MIT
 */
#include "../live.h"
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

/* ---- A machine that goes on for ever and tells the monitor things --------------------------- */

struct teller {
    uint64_t times; /* and has no fingerprint */
};

static void (*tell)(uint64_t times);

static void tell_on(void *self, const void *payload)
{
    struct teller *teller = self;

    tell(teller->times++);
    go_on(self, payload);
}

static const struct sn_state telling = {
    .name = "Telling",
    .entry = tell_on,
    .on = (const struct sn_on[]){{.event = &go, .run = tell_on}, {0}},
};

static const struct sn_machine teller = {
    .name = "Teller", .size = sizeof(struct teller), .start = &telling};

static void run_teller(void)
{
    (void)sn_create(&teller, NULL);
}

static struct sn_result run_telling(void (*what)(uint64_t times),
                                    const struct sn_machine *const *monitors)
{
    const struct sn_test test = {.name = "telling",
                                 .run = run_teller,
                                 .monitors = monitors,
                                 .max_steps = 200,
                                 .world = SN_WORLD_TRIAL};

    tell = what;
    return run_live(&test, "random");
}

/* ---- Heat ----------------------------------------------------------------------------------- */

static void heat_at_first(uint64_t times)
{
    if (times == 0)
        sn_monitor(&live_monitor, &heat, NULL);
}

static void a_monitor_that_stays_hot_in_the_tail_is_a_bug(void **unused)
{
    (void)unused;

    struct sn_result r = run_telling(heat_at_first, live_monitors);

    assert_int_equal(r.failures, 20);
    assert_string_equal(r.failure, "hot: monitor Live is still hot (state Waiting) at the limit of "
                                   "200 steps, since step 1");
}

static void heat_late(uint64_t times)
{
    if (times == 152)
        sn_monitor(&live_monitor, &heat, NULL);
}

static void heat_just_in_time(uint64_t times)
{
    if (times == 149)
        sn_monitor(&live_monitor, &heat, NULL);
}

static void a_monitor_that_is_hot_for_less_than_half_of_the_tail_is_no_bug(void **unused)
{
    (void)unused;

    assert_int_equal(run_telling(heat_late, live_monitors).failures, 0);
    assert_int_equal(run_telling(heat_just_in_time, live_monitors).failures, 20);
}

static void heat_and_cool_now_and_then(uint64_t times)
{
    sn_monitor(&live_monitor, times % 40 == 39 ? &cool : &heat, NULL);
}

static void a_monitor_that_cools_now_and_then_is_no_bug(void **unused)
{
    (void)unused;

    assert_int_equal(run_telling(heat_and_cool_now_and_then, live_monitors).failures, 0);
}

/* Served requests that are followed at once by the next: cold for no time at all. */
static const struct sn_state busy;

static void more_to_do(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_goto(&busy);
}

static const struct sn_state relieved = {
    .name = "Relieved", .temperature = SN_COLD, .entry = more_to_do};

static const struct sn_state busy = {
    .name = "Busy",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &cool, .go_to = &relieved},
                                 {.event = &heat, .ignore = true},
                                 {0}},
};

static const struct sn_machine busy_monitor = {.name = "Busy", .start = &busy};
static const struct sn_machine *const busy_monitors[] = {&busy_monitor, NULL};

static void tell_busy(uint64_t times)
{
    sn_monitor(&busy_monitor, times % 40 == 39 ? &cool : &heat, NULL);
}

static void a_cold_state_that_is_left_within_the_same_event_cools(void **unused)
{
    (void)unused;

    assert_int_equal(run_telling(tell_busy, busy_monitors).failures, 0);
}

/* Hot and plain, never cold. */
static const struct sn_state lukewarm;

static const struct sn_state feverish = {
    .name = "Feverish",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &cool, .go_to = &lukewarm},
                                 {.event = &heat, .ignore = true},
                                 {0}},
};

static const struct sn_state lukewarm = {
    .name = "Lukewarm",
    .on = (const struct sn_on[]){{.event = &heat, .go_to = &feverish},
                                 {.event = &cool, .ignore = true},
                                 {0}},
};

static const struct sn_machine plain_monitor = {.name = "Plain", .start = &lukewarm};
static const struct sn_machine *const plain_monitors[] = {&plain_monitor, NULL};

/* Both end hot: the 200th time is the last one. */
static void be_hot_three_times_of_four(uint64_t times)
{
    sn_monitor(&plain_monitor, times % 4 == 2 ? &cool : &heat, NULL);
}

static void be_hot_once_in_four(uint64_t times)
{
    sn_monitor(&plain_monitor, times % 4 == 3 ? &heat : &cool, NULL);
}

static void a_plain_state_does_not_cool(void **unused)
{
    (void)unused;

    struct sn_result r = run_telling(be_hot_three_times_of_four, plain_monitors);

    assert_int_equal(r.failures, 20);
    assert_non_null(strstr(r.failure, "monitor Plain is still hot (state Feverish)"));
}

static void a_plain_state_does_not_heat(void **unused)
{
    (void)unused;

    assert_int_equal(run_telling(be_hot_once_in_four, plain_monitors).failures, 0);
}

static void run_heated_and_plain(void)
{
    sn_monitor(&plain_monitor, &heat, NULL);
    sn_monitor(&plain_monitor, &cool, NULL);
}

static void a_trial_may_end_in_a_plain_state(void **unused)
{
    const struct sn_test test = {
        .name = "plain", .run = run_heated_and_plain, .monitors = plain_monitors};

    (void)unused;

    assert_int_equal(run_test_once(&test).failures, 0);
}

/* ---- Unfair strategies ---------------------------------------------------------------------- */

/* A request is made, somebody else goes on for ever, and a server answers: or forgets to. */
static const struct sn_event request = {.name = "Request"};
static const struct sn_event noise = {.name = "Noise"};

static void answer(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_monitor(&live_monitor, &cool, NULL);
}

static const struct sn_state serving = {
    .name = "Serving",
    .on = (const struct sn_on[]){{.event = &request, .run = answer},
                                 {.event = &noise, .ignore = true},
                                 {0}},
};

static const struct sn_state forgetting = {
    .name = "Forgetting",
    .on = (const struct sn_on[]){{.event = &request, .ignore = true},
                                 {.event = &noise, .ignore = true},
                                 {0}},
};

static const struct sn_machine server = {.name = "Server", .start = &serving};
static const struct sn_machine forgetful = {.name = "Forgetful", .start = &forgetting};

static void tell_nothing(uint64_t times)
{
    (void)times;
}

static void make_request(const struct sn_machine *type)
{
    sn_id id;

    (void)sn_create(&teller, NULL); /* task 1 */
    id = sn_create(type, NULL);     /* task 2 */
    sn_monitor(&live_monitor, &heat, NULL);
    sn_send(id, &request, NULL);
}

static void run_served(void)
{
    make_request(&server);
}

static void run_forgotten(void)
{
    make_request(&forgetful);
}

static struct sn_result run_request(void (*run)(void), const char *strategy)
{
    const struct sn_test test = {.name = "request",
                                 .run = run,
                                 .monitors = live_monitors,
                                 .max_steps = 200,
                                 .world = SN_WORLD_TRIAL};

    tell = tell_nothing;
    return run_live(&test, strategy);
}

static void what_an_unfair_strategy_puts_off_is_no_bug(void **unused)
{
    (void)unused;

    struct sn_result r = run_request(run_served, "starve:2");

    assert_int_equal(r.failures, 0);
    assert_int_equal(r.cut, 20);
    assert_string_equal(r.note, "");
}

static void what_is_never_done_is_found_by_an_unfair_strategy_too(void **unused)
{
    (void)unused;

    struct sn_result r = run_request(run_forgotten, "starve:2");

    assert_int_equal(r.failures, 20);
    assert_non_null(strstr(r.failure, "hot: monitor Live is still hot"));
}

/* Nothing in its tables leads to the hot state. */
static const struct sn_state pressed;

static void feel_pressed(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_goto(&pressed);
}

static const struct sn_state at_ease = {
    .name = "AtEase",
    .temperature = SN_COLD,
    .on = (const struct sn_on[]){{.event = &heat, .run = feel_pressed}, {0}},
};

static const struct sn_state pressed = {
    .name = "Pressed",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &cool, .go_to = &at_ease}, {0}},
};

static const struct sn_machine secret_monitor = {.name = "Secret", .start = &at_ease};

static void press(uint64_t times)
{
    if (times == 0)
        sn_monitor(&secret_monitor, &heat, NULL);
}

static void a_cold_state_tells_that_there_is_a_hot_one_somewhere(void **unused)
{
    const struct sn_machine *const monitors[] = {&secret_monitor, NULL};
    const struct sn_test test = {.name = "pressed",
                                 .run = run_teller,
                                 .monitors = monitors,
                                 .max_steps = 200,
                                 .world = SN_WORLD_TRIAL};

    (void)unused;
    tell = press;

    assert_int_equal(run_live(&test, "pct:3").failures, 20);
}

static void a_composition_that_ends_unfair_is_not_judged_and_the_run_says_so(void **unused)
{
    (void)unused;

    struct sn_result r = run_request(run_forgotten, "random@100,starve:2");

    assert_int_equal(r.failures, 0);
    assert_string_equal(r.note, "monitor Live was hot at the limit of 200 steps but is not judged: "
                                "no fair strategy decided before it");
}

static void a_composition_that_ends_fair_is_judged(void **unused)
{
    (void)unused;

    assert_int_equal(run_request(run_forgotten, "starve:2@50,random").failures, 20);
    assert_int_equal(run_request(run_served, "starve:2@50,random").failures, 0);
}

/* ---- What is left pending ------------------------------------------------------------------- */

struct flooder {
    sn_id server;
    uint64_t times;
};

static const struct sn_event tick = {.name = "Tick"};
static const struct sn_event flooder_birth = {.name = "Birth", .size = sizeof(struct flooder)};

/* The request comes after hundreds of other messages on the same link. */
static void flood(void *self, const void *payload)
{
    struct flooder *flooder = self;

    (void)payload;
    for (int i = 0; i < 3; i++)
        sn_send(flooder->server, &noise, NULL);
    if (++flooder->times == 80)
        sn_send(flooder->server, &request, NULL);
    (void)sn_timer_start_any(&tick, NULL);
}

static void start_flooding(void *self, const void *payload)
{
    memcpy(self, payload, sizeof(struct flooder));
    (void)sn_timer_start_any(&tick, NULL);
}

static const struct sn_state flooding = {
    .name = "Flooding",
    .entry = start_flooding,
    .on = (const struct sn_on[]){{.event = &tick, .run = flood}, {0}},
};

static const struct sn_machine flooder = {
    .name = "Flooder", .size = sizeof(struct flooder), .start = &flooding, .birth = &flooder_birth};

static void run_flood(const struct sn_machine *type)
{
    struct flooder birth = {.server = sn_create(type, NULL)}; /* task 1 */

    (void)sn_create(&flooder, &birth);
    sn_monitor(&live_monitor, &heat, NULL);
}

static void run_flood_served(void)
{
    run_flood(&server);
}

static void run_flood_forgotten(void)
{
    run_flood(&forgetful);
}

static void what_is_left_pending_is_worked_off_before_anything_is_judged(void **unused)
{
    const struct sn_test test = {.name = "flood",
                                 .run = run_flood_served,
                                 .monitors = live_monitors,
                                 .max_steps = 200,
                                 .world = SN_WORLD_TRIAL};

    (void)unused;

    struct sn_result r = run_live(&test, "starve:1");

    assert_int_equal(r.failures, 0);
    assert_string_equal(r.note, "monitor Live was hot at the limit of 200 steps but is not judged: "
                                "what the strategy before had left pending was not yet done");
}

static void a_bug_behind_what_is_left_pending_is_found_if_the_tail_is_long_enough(void **unused)
{
    const struct sn_test test = {.name = "flood",
                                 .run = run_flood_forgotten,
                                 .monitors = live_monitors,
                                 .max_steps = 2000,
                                 .fair_steps = 1900,
                                 .world = SN_WORLD_TRIAL};

    (void)unused;

    struct sn_result r = run_live(&test, "starve:1");

    assert_int_equal(r.failures, 20);
    assert_string_equal(r.note, "");
}

/* ---- Timers --------------------------------------------------------------------------------- */

/* Thirty machines whose timers never rest, and a message that goes round ten others. */
enum { TICKERS = 30, HOPS = 40 };

struct hopper {
    uint32_t hops;
};

static void send_noise(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(1, &noise, NULL);
    (void)sn_timer_start_any(&tick, NULL);
}

static const struct sn_state ticking = {
    .name = "Ticking",
    .entry = send_noise,
    .on = (const struct sn_on[]){{.event = &tick, .run = send_noise}, {0}},
};

static const struct sn_machine ticker = {.name = "Ticker", .start = &ticking};

static void hop(void *self, const void *payload)
{
    struct hopper *hopper = self;

    (void)payload;
    if (hopper->hops++ < HOPS)
        sn_send(sn_self(), &request, NULL);
    else
        sn_monitor(&live_monitor, &cool, NULL);
}

static const struct sn_state hopping = {
    .name = "Hopping",
    .on = (const struct sn_on[]){{.event = &request, .run = hop},
                                 {.event = &noise, .ignore = true},
                                 {0}},
};

static const struct sn_machine hopper = {
    .name = "Hopper", .size = sizeof(struct hopper), .start = &hopping};

static void run_storm(void)
{
    sn_id id = sn_create(&hopper, NULL);

    for (int i = 0; i < TICKERS; i++)
        (void)sn_create(&ticker, NULL);
    sn_monitor(&live_monitor, &heat, NULL);
    sn_send(id, &request, NULL);
}

static const struct sn_test storm = {.name = "storm",
                                     .run = run_storm,
                                     .monitors = live_monitors,
                                     .max_steps = 3000,
                                     .world = SN_WORLD_TRIAL};

static void a_storm_of_timers_raises_no_alarm(void **unused)
{
    (void)unused;

    assert_int_equal(run_live(&storm, "random").failures, 0);
    assert_int_equal(run_live(&storm, "fair").failures, 0);
    assert_int_equal(run_live(&storm, "starve:1").failures, 0);
}

/* A timer that may fire at any moment cools the monitor; meanwhile messages never end. */
static void cool_down(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_monitor(&live_monitor, &cool, NULL);
}

static void start_timer_any(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start_any(&tick, NULL);
}

static void start_timer(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start(&tick, 5 * SECOND, NULL);
}

static const struct sn_on cooling_on[] = {{.event = &tick, .run = cool_down}, {0}};
static const struct sn_state cooling_any = {
    .name = "Cooling", .entry = start_timer_any, .on = cooling_on};
static const struct sn_state cooling = {.name = "Cooling", .entry = start_timer, .on = cooling_on};

static const struct sn_machine cooler_any = {.name = "Cooler", .start = &cooling_any};
static const struct sn_machine cooler = {.name = "Cooler", .start = &cooling};

static void run_chatter_and_timer(void)
{
    (void)sn_create(&teller, NULL);
    (void)sn_create(&cooler_any, NULL);
    sn_monitor(&live_monitor, &heat, NULL);
}

static void endless_messages_do_not_keep_a_timer_from_firing_in_the_tail(void **unused)
{
    const struct sn_test test = {.name = "chatter",
                                 .run = run_chatter_and_timer,
                                 .monitors = live_monitors,
                                 .max_steps = 1000,
                                 .world = SN_WORLD_TRIAL};

    (void)unused;
    tell = tell_nothing;

    assert_int_equal(run_live(&test, "fair").failures, 0);
    assert_int_equal(run_live(&test, "starve:2").failures, 0);
}

/* Timers of both kinds: those that may fire at any moment never rest. */
static void rest_not(void *self, const void *payload)
{
    struct teller *restless = self;

    (void)payload;
    restless->times++;
    (void)sn_timer_start_any(&tick, NULL);
}

static const struct sn_state resting_not = {
    .name = "Restless",
    .entry = rest_not,
    .on = (const struct sn_on[]){{.event = &tick, .run = rest_not}, {0}},
};

static const struct sn_machine restless = {
    .name = "Restless", .size = sizeof(struct teller), .start = &resting_not};

static void run_both_timers(void)
{
    (void)sn_create(&restless, NULL);
    (void)sn_create(&cooler, NULL);
    sn_monitor(&live_monitor, &heat, NULL);
}

static void timers_of_kind_any_do_not_keep_time_from_passing_in_the_tail(void **unused)
{
    const struct sn_test test = {.name = "both",
                                 .run = run_both_timers,
                                 .monitors = live_monitors,
                                 .max_steps = 200,
                                 .world = SN_WORLD_TRIAL};

    (void)unused;

    assert_int_equal(run_live(&test, "random").failures, 0);
    assert_int_equal(run_live(&test, "starve:2").failures, 0);
}

static void run_chatter_and_ideal_timer(void)
{
    (void)sn_create(&teller, NULL);
    (void)sn_create(&cooler, NULL);
    sn_monitor(&live_monitor, &heat, NULL);
}

/* By the definition of ideal timers this one never fires. Whoever reads it should know why. */
static void an_alarm_while_time_stands_still_says_so(void **unused)
{
    const struct sn_test test = {.name = "standstill",
                                 .run = run_chatter_and_ideal_timer,
                                 .monitors = live_monitors,
                                 .max_steps = 200,
                                 .world = SN_WORLD_TRIAL};

    (void)unused;
    tell = tell_nothing;

    struct sn_result r = run_live(&test, "random");

    assert_int_equal(r.failures, 20);
    assert_non_null(strstr(r.failure, "since step 0; virtual time has stood still since step 100, "
                                      "because something else could always happen"));
}

/* ---- Faults --------------------------------------------------------------------------------- */

struct striker {
    uint64_t picks;
    uint64_t at;
};

/* late:N lets a fault strike at its N-th pick, and never otherwise. */
static int striker_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    (void)seed;
    (void)error;
    (void)size;
    ((struct striker *)self)->at = strtoull(parameters, NULL, 10);
    return 0;
}

static bool striker_begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)trial;
    (void)keep;
    ((struct striker *)self)->picks = 0;
    return true;
}

static uint32_t striker_pick(void *self, const struct sn_pending *pending)
{
    struct striker *s = self;
    bool strikes = ++s->picks == s->at;
    uint32_t i = 0;

    while (i + 1 < sn_pending_count(pending) &&
           (sn_pending_op(pending, i)->kind == SN_OP_FAULT) != strikes)
        i++;
    return i;
}

static const struct sn_strategy late = {
    .name = "late",
    .state_size = sizeof(struct striker),
    .is_fair = true,
    .init = striker_init,
    .begin = striker_begin,
    .pick = striker_pick,
};

static const struct sn_faults one_drop = {.drops = 1, .horizon = 1};

static void run_on_a_node(void)
{
    (void)sn_create_on(sn_node_new("A"), &teller, NULL);
    sn_monitor(&live_monitor, &heat, NULL);
}

static void after_a_fault_the_count_starts_anew(void **unused)
{
    const struct sn_test test = {.name = "fault",
                                 .run = run_on_a_node,
                                 .monitors = live_monitors,
                                 .max_steps = 100,
                                 .faults = &one_drop,
                                 .world = SN_WORLD_TRIAL};

    (void)unused;
    tell = tell_nothing;

    assert_int_equal(run_live(&test, "late:999@1,late:60").failures, 0);
    assert_int_equal(run_live(&test, "late:999@1,late:40").failures, 20);
}

/* ---- Trials that must end ------------------------------------------------------------------- */

static void stop_all(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(1, &sn_halt_event, NULL);
}

static const struct sn_state stopping = {.name = "Stopping", .entry = stop_all};
static const struct sn_machine stopper = {.name = "Stopper", .start = &stopping};

static void run_to_be_stopped(void)
{
    (void)sn_create(&teller, NULL);
    (void)sn_create(&stopper, NULL);
}

static const struct sn_test ending = {.name = "ending",
                                      .run = run_to_be_stopped,
                                      .max_steps = 200,
                                      .must_end = true,
                                      .world = SN_WORLD_TRIAL};
static const struct sn_test not_ending = {.name = "not_ending",
                                          .run = run_teller,
                                          .max_steps = 200,
                                          .must_end = true,
                                          .world = SN_WORLD_TRIAL};

static void a_trial_that_an_unfair_strategy_kept_from_ending_is_no_bug(void **unused)
{
    (void)unused;
    tell = tell_nothing;

    struct sn_result r = run_live(&ending, "starve:2");

    assert_int_equal(r.failures, 0);
    assert_int_equal(r.cut, 0);
    assert_true(r.steps > 20 * 100);
}

static void a_trial_that_never_ends_is_found_by_an_unfair_strategy_too(void **unused)
{
    (void)unused;
    tell = tell_nothing;

    struct sn_result r = run_live(&not_ending, "starve:2");

    assert_int_equal(r.failures, 20);
    assert_string_equal(r.failure, "limit: the trial has not ended after 200 steps");
}

static void a_trial_that_must_end_is_not_judged_without_a_fair_tail_and_the_run_says_so(void **u)
{
    (void)u;
    tell = tell_nothing;

    struct sn_result r = run_live(&not_ending, "random@10,starve:2");

    assert_int_equal(r.failures, 0);
    assert_string_equal(r.note, "a trial must end but had not after 200 steps, and is not judged: "
                                "no fair strategy decided before it");
}

/* ---- The limit of virtual time -------------------------------------------------------------- */

struct clock {
    uint64_t seconds;
};

static uint64_t heat_at_second;

static uint64_t busy_at_second = UINT64_MAX;

/* Fifty steps that take no time. */
static void be_busy(void)
{
    for (int i = 0; i < 50; i++)
        sn_send(sn_self(), &noise, NULL);
}

static void next_second(void *self, const void *payload)
{
    struct clock *clock = self;

    (void)payload;
    if (clock->seconds == heat_at_second)
        sn_monitor(&live_monitor, &heat, NULL);
    if (clock->seconds == busy_at_second)
        be_busy();
    clock->seconds++;
    (void)sn_timer_start(&tick, SECOND, NULL);
}

static const struct sn_state running = {
    .name = "Running",
    .entry = next_second,
    .on = (const struct sn_on[]){{.event = &tick, .run = next_second},
                                 {.event = &noise, .ignore = true},
                                 {0}},
};

static const struct sn_machine clock_machine = {
    .name = "Clock", .size = sizeof(struct clock), .start = &running};

static void run_clock(void)
{
    (void)sn_create(&clock_machine, NULL);
}

static const struct sn_test ten_seconds = {.name = "ten_seconds",
                                           .run = run_clock,
                                           .monitors = live_monitors,
                                           .max_time_ns = 10 * SECOND,
                                           .world = SN_WORLD_TRIAL};

static void at_the_limit_of_time_heat_is_measured_in_time(void **unused)
{
    (void)unused;
    heat_at_second = 7;

    struct sn_result long_hot = run_live(&ten_seconds, "random");
    heat_at_second = 8;
    struct sn_result not_long = run_live(&ten_seconds, "random");

    assert_int_equal(long_hot.failures, 20);
    assert_string_equal(long_hot.failure, "hot: monitor Live is still hot (state Waiting) at the "
                                          "limit of 10000000000 ns of virtual time, since step 8");
    assert_int_equal(not_long.failures, 0);
    assert_int_equal(not_long.cut, 20);
}

static void steps_that_take_no_time_do_not_count_at_the_limit_of_time(void **unused)
{
    (void)unused;
    heat_at_second = 9;
    busy_at_second = 9;

    struct sn_result short_hot = run_live(&ten_seconds, "random");
    heat_at_second = 6;
    busy_at_second = 5;
    struct sn_result long_hot = run_live(&ten_seconds, "random");
    busy_at_second = UINT64_MAX;

    assert_int_equal(short_hot.failures, 0);
    assert_int_equal(long_hot.failures, 20);
}

/* The first step is at 0 s. */
static uint32_t count_picks(void *self, const struct sn_pending *pending)
{
    seen->count[0]++;
    return holder_pick(self, pending);
}

static const struct sn_strategy counting = {
    .name = "counting",
    .state_size = sizeof(struct holder),
    .begin = holder_begin,
    .pick = count_picks,
};

static void the_tail_begins_at_half_of_the_time_if_that_comes_first(void **unused)
{
    struct sn_options options = {.iterations = 1, .strategy = "counting"};
    struct sn_result r;

    (void)unused;
    heat_at_second = 1;
    observe_clear();

    assert_int_equal(sn_run(&ten_seconds, &options, &r), 0);
    assert_int_equal(seen->count[0], 5);
    assert_int_equal(r.failures, 1);
}

/* Time does not pass then, but the clocks of machines go on. */
static void where_timers_fire_at_any_moment_the_limit_of_time_is_judged_by_steps(void **unused)
{
    struct sn_test test = ten_seconds;

    (void)unused;
    test.timers = SN_TIMERS_ANY;
    heat_at_second = 7;

    struct sn_result long_hot = run_live(&test, "counting");
    heat_at_second = 10;
    struct sn_result not_long = run_live(&test, "counting");

    assert_int_equal(long_hot.failures, 20);
    assert_int_equal(not_long.failures, 0);
    assert_string_equal(not_long.note, "");
}

static void a_trace_of_a_trial_cut_by_time_replays(void **unused)
{
    char directory[] = "/tmp/sennit-live-XXXXXX";
    struct sn_options options = {.iterations = 1, .strategy = "counting"};
    struct sn_result found;
    struct sn_result r;

    (void)unused;
    heat_at_second = 7;
    observe_clear();
    options.outdir = mkdtemp(directory);

    assert_int_equal(sn_run(&ten_seconds, &options, &found), 0);
    assert_int_equal(found.failures, 1);
    assert_int_equal(sn_replay(&ten_seconds, found.trace, &r), 0);
    assert_false(r.nondeterministic);
    assert_string_equal(r.failure, found.failure);
    (void)unlink(found.trace);
    (void)rmdir(directory);
}

static int register_strategies(void **unused)
{
    (void)unused;
    return sn_strategy_register(&starve) | sn_strategy_register(&slow) |
           sn_strategy_register(&late) | sn_strategy_register(&counting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_monitor_that_stays_hot_in_the_tail_is_a_bug),
        cmocka_unit_test(a_monitor_that_is_hot_for_less_than_half_of_the_tail_is_no_bug),
        cmocka_unit_test(a_monitor_that_cools_now_and_then_is_no_bug),
        cmocka_unit_test(a_cold_state_that_is_left_within_the_same_event_cools),
        cmocka_unit_test(a_plain_state_does_not_cool),
        cmocka_unit_test(a_plain_state_does_not_heat),
        cmocka_unit_test(a_trial_may_end_in_a_plain_state),
        cmocka_unit_test(what_an_unfair_strategy_puts_off_is_no_bug),
        cmocka_unit_test(what_is_never_done_is_found_by_an_unfair_strategy_too),
        cmocka_unit_test(a_cold_state_tells_that_there_is_a_hot_one_somewhere),
        cmocka_unit_test(a_composition_that_ends_unfair_is_not_judged_and_the_run_says_so),
        cmocka_unit_test(a_composition_that_ends_fair_is_judged),
        cmocka_unit_test(what_is_left_pending_is_worked_off_before_anything_is_judged),
        cmocka_unit_test(a_bug_behind_what_is_left_pending_is_found_if_the_tail_is_long_enough),
        cmocka_unit_test(a_storm_of_timers_raises_no_alarm),
        cmocka_unit_test(endless_messages_do_not_keep_a_timer_from_firing_in_the_tail),
        cmocka_unit_test(timers_of_kind_any_do_not_keep_time_from_passing_in_the_tail),
        cmocka_unit_test(an_alarm_while_time_stands_still_says_so),
        cmocka_unit_test(after_a_fault_the_count_starts_anew),
        cmocka_unit_test(a_trial_that_an_unfair_strategy_kept_from_ending_is_no_bug),
        cmocka_unit_test(a_trial_that_never_ends_is_found_by_an_unfair_strategy_too),
        cmocka_unit_test(
            a_trial_that_must_end_is_not_judged_without_a_fair_tail_and_the_run_says_so),
        cmocka_unit_test(at_the_limit_of_time_heat_is_measured_in_time),
        cmocka_unit_test(steps_that_take_no_time_do_not_count_at_the_limit_of_time),
        cmocka_unit_test(the_tail_begins_at_half_of_the_time_if_that_comes_first),
        cmocka_unit_test(where_timers_fire_at_any_moment_the_limit_of_time_is_judged_by_steps),
        cmocka_unit_test(a_trace_of_a_trial_cut_by_time_replays),
    };

    return cmocka_run_group_tests(tests, register_strategies, NULL);
}
