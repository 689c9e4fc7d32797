/* test_delay_cache.c - schedules with few delays, of which those are left that come to a state
 * again. tests/brute/test_cached.c compares what they find with brute force.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct sn_result run(const struct sn_test *test, const char *strategy)
{
    const struct sn_options options = {.strategy = strategy, .iterations = 100000};
    struct sn_result result;

    assert_int_equal(sn_run(test, &options, &result), 0);
    return result;
}

static void assert_refused(const struct sn_test *test, const char *strategy, const char *sentence)
{
    const struct sn_options options = {.strategy = strategy};
    struct sn_result result;

    assert_int_equal(sn_run(test, &options, &result), SN_EINVAL);
    assert_string_equal(result.failure, sentence);
    assert_int_equal(result.failures, 0);
    assert_int_equal(result.schedules, 0);
}

/* ---- Steps that commute --------------------------------------------------------------------- */

static const struct sn_state idle = {.name = "Idle"};
static const struct sn_machine idler = {.name = "Idler", .start = &idle};

static void create_four(void)
{
    for (int i = 0; i < 4; i++)
        (void)sn_create(&idler, NULL);
}

static const struct sn_test four = {.name = "four", .run = create_four, .world = SN_WORLD_TRIAL};

/* Four machines start in 4! orders. Which of them have started is the state, so there are 15 from
 * which something can follow, and from each of the 4 with one left a trial ends. These 15 are come
 * to 1 + 4 * 1 + 3 * 4 + 2 * 6 times. */
static void a_state_is_gone_on_with_once(void **unused)
{
    struct sn_result plain = run(&four, "delay:1000");
    struct sn_result cached = run(&four, "delay:1000:cache");

    (void)unused;
    assert_int_equal(plain.trials, 24);
    assert_int_equal(cached.trials, 4);
    assert_int_equal(cached.schedules, 4);
    assert_int_equal(cached.blocked, 29 - 15);
}

static void the_claim_says_that_states_were_left(void **unused)
{
    struct sn_result all = run(&four, "delay:1000:cache");
    struct sn_result few = run(&four, "delay:2:cache");
    struct sn_result one = run(&four, "delay:1:cache");

    (void)unused;
    assert_string_equal(all.within, "up to repeated states");
    assert_string_equal(few.within, "with at most 2 delays up to repeated states");
    assert_string_equal(one.within, "with at most 1 delay up to repeated states");
    assert_false(all.exhausted);
    assert_true(all.done == 0 && all.estimate == 0);
}

static void create_one(void)
{
    (void)sn_create(&idler, NULL);
}

static void where_no_state_comes_back_the_claim_is_that_of_delay(void **unused)
{
    const struct sn_test one = {.name = "one", .run = create_one, .world = SN_WORLD_TRIAL};
    struct sn_result none = run(&four, "delay:0:cache");
    struct sn_result all = run(&one, "delay:3:cache");

    (void)unused;
    assert_int_equal(none.trials, 1);
    assert_int_equal(none.blocked, 0);
    assert_string_equal(none.within, "with at most 0 delays");
    assert_true(all.exhausted);
    assert_string_equal(all.note, "");
}

static void going_back_by_running_again_visits_the_same(void **unused)
{
    const struct sn_options options = {.strategy = "delay:1000:cache", .rerun = true};
    struct sn_result result;

    (void)unused;
    assert_int_equal(sn_run(&four, &options, &result), 0);
    assert_int_equal(result.trials, 4);
    assert_int_equal(result.blocked, 14);
}

static void with_a_process_per_trial_the_same_is_visited(void **unused)
{
    const struct sn_test forking = {.name = "four", .run = create_four, .world = SN_WORLD_FORK};
    struct sn_result result = run(&forking, "delay:1000:cache");

    (void)unused;
    assert_int_equal(result.trials, 4);
    assert_int_equal(result.blocked, 14);
}

static void a_full_cache_says_so_and_only_costs_trials(void **unused)
{
    struct sn_result result = run(&four, "delay:1000:cache:6");

    (void)unused;
    assert_string_equal(result.note, "the cache is full with 6 states: what comes after other ones "
                                     "is tried as often as they are met");
    assert_in_range(result.trials, 5, 23);
    assert_string_equal(result.within, "up to repeated states");
}

/* ---- What is part of a state ---------------------------------------------------------------- */

static void draw_and_forget(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    if (sn_choose("first", 3) == 1)
        (void)sn_choose("second", 2);
}

static const struct sn_state forgetting = {.name = "Forgetting", .entry = draw_and_forget};
static const struct sn_machine forgetter = {.name = "Forgetter", .start = &forgetting};

static void create_forgetters(void)
{
    for (int i = 0; i < 3; i++)
        (void)sn_create(&forgetter, NULL);
}

static void draw_and_remember(void *self, const void *payload)
{
    uint64_t *drawn = self;

    (void)payload;
    *drawn = sn_choose("first", 3);
    if (*drawn == 1)
        *drawn += 10 * (1 + sn_choose("second", 2));
}

static uint64_t tell_number(const void *self)
{
    return *(const uint64_t *)self;
}

static const struct sn_state remembering = {.name = "Remembering", .entry = draw_and_remember};
static const struct sn_machine rememberer = {.name = "Rememberer",
                                             .size = sizeof(uint64_t),
                                             .start = &remembering,
                                             .fingerprint = tell_number};

static void create_rememberers(void)
{
    for (int i = 0; i < 3; i++)
        (void)sn_create(&rememberer, NULL);
}

/* Each draws in one of four ways. */
static void a_value_that_nobody_remembers_makes_no_other_state(void **unused)
{
    const struct sn_test test = {
        .name = "forget", .run = create_forgetters, .world = SN_WORLD_TRIAL};
    struct sn_result result = run(&test, "delay:0:cache");

    (void)unused;
    assert_int_equal(run(&test, "delay:0").trials, 4 * 4 * 4);
    assert_int_equal(result.trials, 4);
    assert_int_equal(result.blocked, 3 + 3);
}

static void a_value_that_a_machine_remembers_is_part_of_the_state(void **unused)
{
    const struct sn_test test = {
        .name = "remember", .run = create_rememberers, .world = SN_WORLD_TRIAL};
    struct sn_result result = run(&test, "delay:0:cache");

    (void)unused;
    assert_int_equal(result.trials, 4 * 4 * 4);
    assert_int_equal(result.blocked, 0);
}

static void write_one(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_op_end(sn_op_begin("write", 0, 1, SN_VALUE_NIL), SN_VALUE_NIL);
}

static void read_nil(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_op_end(sn_op_begin("read", 0, SN_VALUE_NIL, SN_VALUE_NIL), SN_VALUE_NIL);
}

static const struct sn_state writing = {.name = "Writing", .entry = write_one};
static const struct sn_state reading = {.name = "Reading", .entry = read_nil};
static const struct sn_machine writer = {.name = "Writer", .start = &writing};
static const struct sn_machine reader = {.name = "Reader", .start = &reading};

static void create_clients(void)
{
    (void)sn_create(&reader, NULL);
    (void)sn_create(&writer, NULL);
    (void)sn_create(&idler, NULL);
}

/* Whoever came first, the machines are the same when the third one is about to start. */
static void the_history_is_part_of_the_state(void **unused)
{
    const struct sn_test test = {.name = "clients",
                                 .run = create_clients,
                                 .world = SN_WORLD_TRIAL,
                                 .model = &sn_model_register};
    struct sn_result result = run(&test, "delay:1:cache");

    (void)unused;
    assert_int_equal(result.failures, 1);
    assert_true(strncmp(result.failure, "linear: ", 8) == 0);
}

static const struct sn_event told = {.name = "Told", .size = sizeof(uint64_t)};
static const struct sn_event asked = {.name = "Asked"};

static void hear(void *self, const void *payload)
{
    *(uint64_t *)self = *(const uint64_t *)payload;
}

static void answer(void *self, const void *payload)
{
    (void)payload;
    sn_assertf(*(uint64_t *)self == 2, "the last number was not 2");
}

static const struct sn_state listening = {
    .name = "Listening",
    .on = (const struct sn_on[]){
        {.event = &told, .run = hear}, {.event = &asked, .run = answer}, {0}}};
static const struct sn_machine listener = {
    .name = "Listener", .size = sizeof(uint64_t), .start = &listening, .fingerprint = tell_number};

static void tell_one(void *self, const void *payload)
{
    uint64_t number = 1;

    (void)self;
    (void)payload;
    sn_monitor(&listener, &told, &number);
}

static void tell_two(void *self, const void *payload)
{
    uint64_t number = 2;

    (void)self;
    (void)payload;
    sn_monitor(&listener, &told, &number);
}

static void ask_listener(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_monitor(&listener, &asked, NULL);
}

static const struct sn_state saying_one = {.name = "SayingOne", .entry = tell_one};
static const struct sn_state saying_two = {.name = "SayingTwo", .entry = tell_two};
static const struct sn_state asking = {.name = "Asking", .entry = ask_listener};
static const struct sn_machine one = {.name = "One", .start = &saying_one};
static const struct sn_machine two = {.name = "Two", .start = &saying_two};
static const struct sn_machine asker = {.name = "Asker", .start = &asking};

static void create_speakers(void)
{
    (void)sn_create(&one, NULL);
    (void)sn_create(&two, NULL);
    (void)sn_create(&idler, NULL);
    (void)sn_create(&asker, NULL);
}

static void what_a_monitor_remembers_is_part_of_the_state(void **unused)
{
    const struct sn_machine *const monitors[] = {&listener, NULL};
    const struct sn_test test = {
        .name = "speakers", .run = create_speakers, .world = SN_WORLD_TRIAL, .monitors = monitors};
    struct sn_result result = run(&test, "delay:1:cache");

    (void)unused;
    assert_int_equal(result.failures, 1);
    assert_non_null(strstr(result.failure, "the last number was not 2"));
}

static const struct sn_event tick = {.name = "Tick"};
static const struct sn_event stop = {.name = "Stop"};
static const struct sn_event look = {.name = "Look"};

struct watch {
    sn_timer timer;
};

static void start_watch(void *self, const void *payload)
{
    struct watch *w = self;

    (void)payload;
    w->timer = sn_timer_start(&tick, 10, NULL);
}

static void stop_watch(void *self, const void *payload)
{
    struct watch *w = self;

    (void)payload;
    (void)sn_timer_cancel(w->timer);
}

static void look_at_watch(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assertf(sn_now_ns() < 10, "the time has come");
}

/* Whether the timer runs is seen without it. */
static uint64_t tell_nothing(const void *self)
{
    (void)self;
    return 0;
}

static const struct sn_state running = {
    .name = "Running",
    .entry = start_watch,
    .on = (const struct sn_on[]){{.event = &tick, .ignore = true},
                                 {.event = &stop, .run = stop_watch},
                                 {.event = &look, .run = look_at_watch},
                                 {0}}};
static const struct sn_machine watch_type = {
    .name = "Watch", .size = sizeof(struct watch), .start = &running, .fingerprint = tell_nothing};

static void create_watch(void)
{
    sn_id watch = sn_create(&watch_type, NULL);

    sn_send(watch, &stop, NULL);
    sn_send(watch, &look, NULL);
}

/* After Stop nothing but the clock tells whether the timer had fired before. */
static void clocks_are_part_of_the_state(void **unused)
{
    const struct sn_test test = {
        .name = "watch", .run = create_watch, .world = SN_WORLD_TRIAL, .timers = SN_TIMERS_ANY};
    struct sn_result result = run(&test, "delay:1:cache");

    (void)unused;
    assert_int_equal(result.failures, 1);
    assert_non_null(strstr(result.failure, "the time has come"));
}

static const struct sn_event number = {.name = "Number", .size = sizeof(uint64_t)};

static void hear_number(void *self, const void *payload)
{
    uint64_t *last = self;

    sn_assertf(*(const uint64_t *)payload != 7, "a seven came");
    *last = 0;
}

static const struct sn_state counting = {
    .name = "Counting", .on = (const struct sn_on[]){{.event = &number, .run = hear_number}, {0}}};
static const struct sn_machine counter = {
    .name = "Counter", .size = sizeof(uint64_t), .start = &counting, .fingerprint = tell_number};

static void send_drawn(void *self, const void *payload)
{
    uint64_t value = sn_choose("value", 2) == 0 ? 1 : 7;

    (void)self;
    sn_send(*(const sn_id *)payload, &number, &value);
}

static const struct sn_event whom = {.name = "Whom", .size = sizeof(sn_id)};
static const struct sn_state sending = {.name = "Sending", .entry = send_drawn};
static const struct sn_machine sender = {.name = "Sender", .start = &sending, .birth = &whom};

static void create_sender(void)
{
    sn_id to = sn_create(&counter, NULL);

    (void)sn_create(&sender, &to);
}

static void what_messages_carry_is_part_of_the_state(void **unused)
{
    const struct sn_test test = {.name = "send", .run = create_sender, .world = SN_WORLD_TRIAL};
    struct sn_result result = run(&test, "delay:0:cache");

    (void)unused;
    assert_int_equal(result.failures, 1);
    assert_non_null(strstr(result.failure, "a seven came"));
}

static void write_too_far(void *self, const void *payload)
{
    (void)payload;
    if (sn_maybe("too far"))
        ((char *)self)[sizeof(uint64_t)] ^= 1;
}

static const struct sn_state careless = {.name = "Careless", .entry = write_too_far};
static const struct sn_machine vandal = {
    .name = "Vandal", .size = sizeof(uint64_t), .start = &careless, .fingerprint = tell_nothing};

static void create_vandal(void)
{
    (void)sn_create(&vandal, NULL);
    (void)sn_create(&idler, NULL);
}

/* That is judged when a trial has ended, and no fingerprint tells of it. */
static void memory_that_was_overwritten_is_part_of_the_state(void **unused)
{
    const struct sn_test test = {.name = "vandal", .run = create_vandal, .world = SN_WORLD_TRIAL};
    struct sn_result result = run(&test, "delay:0:cache");

    (void)unused;
    assert_int_equal(result.failures, 1);
    assert_true(strncmp(result.failure, "memory: ", 8) == 0);
}

static void create_two_beside_a_node(void)
{
    sn_node_never_crash(sn_node_new("rock"));
    (void)sn_create(&idler, NULL);
    (void)sn_create(&idler, NULL);
}

/* The crash strikes nobody, so only its being spent tells that it has happened. With two starts
 * there are 7 states, which are come to 1 + 3 * 1 + 2 * 3 times. */
static void the_faults_that_are_left_are_part_of_the_state(void **unused)
{
    const struct sn_faults faults = {.crashes = 1};
    const struct sn_test test = {.name = "rock",
                                 .run = create_two_beside_a_node,
                                 .world = SN_WORLD_TRIAL,
                                 .faults = &faults};
    struct sn_result result = run(&test, "delay:1000:cache");

    (void)unused;
    assert_int_equal(run(&test, "delay:1000").trials, 6);
    assert_int_equal(result.trials, 3);
    assert_int_equal(result.blocked, 10 - 7);
}

/* ---- What is refused ------------------------------------------------------------------------ */

static const struct sn_machine silent = {
    .name = "Silent", .size = sizeof(uint64_t), .start = &idle};

static void create_silent(void)
{
    (void)sn_create(&idler, NULL);
    (void)sn_create(&silent, NULL);
}

static void a_machine_without_a_fingerprint_is_refused_by_its_name(void **unused)
{
    const struct sn_test test = {.name = "silent", .run = create_silent, .world = SN_WORLD_TRIAL};

    (void)unused;
    assert_refused(&test, "delay:1:cache",
                   "strategy delay:D:cache must know the whole state of a test: machine Silent "
                   "has memory, but no fingerprint; delay:D needs none of it");
    assert_int_equal(run(&test, "delay:1").failures, 0);
}

static void a_monitor_without_a_fingerprint_is_refused_by_its_name(void **unused)
{
    const struct sn_machine *const monitors[] = {&silent, NULL};
    const struct sn_test test = {
        .name = "silent", .run = create_four, .world = SN_WORLD_TRIAL, .monitors = monitors};

    (void)unused;
    assert_refused(&test, "delay:1:cache",
                   "strategy delay:D:cache must know the whole state of a test: monitor Silent "
                   "has memory, but no fingerprint; delay:D needs none of it");
}

static void a_test_that_is_judged_by_how_trials_go_on_is_refused(void **unused)
{
    const struct sn_test test = {
        .name = "end", .run = create_four, .world = SN_WORLD_TRIAL, .must_end = true};

    (void)unused;
    assert_refused(&test, "delay:1:cache",
                   "strategy delay:1:cache cannot be judged by how trials go on (hot states, "
                   "must_end, fair_steps): it leaves them where a state comes back; delay:D does "
                   "not");
}

static void compositions_with_a_cache_are_refused(void **unused)
{
    static const char first[] =
        "strategy delay:1:cache cannot be part of a composition: what follows from a state depends "
        "on who decides then, and when";

    (void)unused;
    assert_refused(&four, "delay:1:cache@3,random", first);
    assert_refused(&four, "random@3,delay:1:cache", first);
}

static void bad_parameters_are_refused(void **unused)
{
    const struct sn_options options = {.strategy = "delay:1:cache:0"};
    struct sn_result result;

    (void)unused;
    assert_int_equal(sn_run(&four, &options, &result), SN_EINVAL);
    assert_non_null(strstr(result.failure, "as in delay:2:cache or delay:2:cache:1000, but has "
                                           "\"1:cache:0\""));
    assert_int_equal(sn_run(&four, &(struct sn_options){.strategy = "delay:cache"}, &result),
                     SN_EINVAL);
    assert_int_equal(sn_run(&four, &(struct sn_options){.strategy = "delay:1:cache:"}, &result),
                     SN_EINVAL);
    assert_int_equal(sn_run(&four, &(struct sn_options){.strategy = "delay:1:caches"}, &result),
                     SN_EINVAL);
    assert_int_equal(sn_run(&four, &(struct sn_options){.strategy = "delay:1:cache:9x"}, &result),
                     SN_EINVAL);
}

static void partial_order_reduction_with_a_cache_is_told_of_this_one(void **unused)
{
    (void)unused;
    assert_refused(&four, "odpor:cache",
                   "strategy odpor cannot have a cache of states: that leaves out schedules which "
                   "stand for others, and what they show is never tried; delay:D:cache visits "
                   "every state with at most D delays");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_gone_on_with_once),
        cmocka_unit_test(the_claim_says_that_states_were_left),
        cmocka_unit_test(where_no_state_comes_back_the_claim_is_that_of_delay),
        cmocka_unit_test(going_back_by_running_again_visits_the_same),
        cmocka_unit_test(with_a_process_per_trial_the_same_is_visited),
        cmocka_unit_test(a_full_cache_says_so_and_only_costs_trials),
        cmocka_unit_test(a_value_that_nobody_remembers_makes_no_other_state),
        cmocka_unit_test(a_value_that_a_machine_remembers_is_part_of_the_state),
        cmocka_unit_test(the_history_is_part_of_the_state),
        cmocka_unit_test(what_a_monitor_remembers_is_part_of_the_state),
        cmocka_unit_test(clocks_are_part_of_the_state),
        cmocka_unit_test(what_messages_carry_is_part_of_the_state),
        cmocka_unit_test(memory_that_was_overwritten_is_part_of_the_state),
        cmocka_unit_test(the_faults_that_are_left_are_part_of_the_state),
        cmocka_unit_test(a_machine_without_a_fingerprint_is_refused_by_its_name),
        cmocka_unit_test(a_monitor_without_a_fingerprint_is_refused_by_its_name),
        cmocka_unit_test(a_test_that_is_judged_by_how_trials_go_on_is_refused),
        cmocka_unit_test(compositions_with_a_cache_are_refused),
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(partial_order_reduction_with_a_cache_is_told_of_this_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
