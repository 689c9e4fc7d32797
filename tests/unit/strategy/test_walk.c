/* test_walk.c - what the systematic strategies have in common: programs that fail or do not repeat
 * themselves, searches that begin anew, and their state as bytes. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

#include "engine/mem.h"
#include "strategy/reversals.h"
#include "strategy/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROOM = 4096 };

static const struct sn_event note = {.name = "Note"};
static const struct sn_event ring = {.name = "Ring"};

static struct sn_result search(const struct sn_test *test, const char *strategy)
{
    const struct sn_options options = {
        .strategy = strategy, .iterations = 1000, .keep_going = true};
    struct sn_result result = {0};

    assert_true(sn_run(test, &options, &result) >= 0);
    return result;
}

static struct walk *new_walk(void)
{
    struct err why;
    struct walk *w = mem_reserve_shared(sizeof(*w), &why);
    char error[64];

    assert_non_null(w);
    assert_int_equal(strategy_dpor.strategy->init(w, "", 1, error, sizeof(error)), 0);
    return w;
}

static void free_walk(struct walk *w)
{
    mem_release(w, sizeof(*w));
}

/* ---- Failures between two steps -------------------------------------------------------------- */

static void send_note(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(1, &note, NULL);
}

static void send_to(void *self, const void *payload)
{
    (void)self;
    sn_send(*(const sn_id *)payload, &note, NULL);
}

static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};
static const struct sn_machine sender = {
    .name = "Sender",
    .birth = &birth,
    .start = &(const struct sn_state){.name = "Sending", .entry = send_to}};

/* Fails when all is over, unless a message is lost. */
static const struct sn_state full = {
    .name = "Full",
    .must_leave = true,
    .on = (const struct sn_on[]){{.event = &note, .ignore = true}, {0}},
};
static const struct sn_state half_full = {
    .name = "HalfFull",
    .on = (const struct sn_on[]){{.event = &note, .go_to = &full}, {0}},
};
static const struct sn_state empty = {
    .name = "Empty",
    .on = (const struct sn_on[]){{.event = &note, .go_to = &half_full}, {0}},
};
static const struct sn_machine receiver = {.name = "Receiver", .start = &empty};

static void run_lossy(void)
{
    sn_id to = sn_create_on(sn_node_new("r"), &receiver, NULL);

    (void)sn_create_on(sn_node_new("s"), &sender, &to);
    (void)sn_create_on(sn_node_new("t"), &sender, &to);
}

static const struct sn_faults one_drop = {.drops = 1};
static const struct sn_test lossy = {
    .name = "lossy", .run = run_lossy, .world = SN_WORLD_TRIAL, .faults = &one_drop};

static void assert_as_dfs(const struct sn_test *test, const char *strategy)
{
    struct sn_result all = search(test, "dfs");
    struct sn_result result = search(test, strategy);

    assert_true(all.exhausted);
    assert_true(result.exhausted);
    assert_int_equal(result.distinct_orders, all.distinct_orders);
}

static void a_failure_between_steps_hides_no_fault_from_wakeup_trees(void **state)
{
    (void)state;
    assert_as_dfs(&lossy, "odpor:trees");
}

static void a_failure_between_steps_hides_no_fault_from_dpor(void **state)
{
    (void)state;
    assert_as_dfs(&lossy, "dpor");
}

static void a_failure_between_steps_hides_no_fault_from_ired(void **state)
{
    (void)state;
    assert_as_dfs(&lossy, "ired");
}

static struct reversal shown;

static void note_reversal(struct plans *p, struct course *c, const struct reversal *reversal)
{
    (void)p;
    (void)c;
    shown = *reversal;
}

/* What a course of one step shows that has disabled an operation. */
static struct reversal show_lost(const struct candidate *lost)
{
    static const struct reversal_rule rule = {.plan = note_reversal};
    struct walk *w = new_walk();
    struct course *c = &w->course;

    course_set_up(c, 0);
    c->n = 2;
    c->lost[0] = *lost;
    c->events[2].lost = 1;
    shown = (struct reversal){0};
    reversals_learn(&w->plans, c, &rule);
    free_walk(w);
    return shown;
}

static void a_fault_that_was_lost_is_ordered_with_every_step(void **state)
{
    struct reversal fault = show_lost(&(struct candidate){.id = 7, .task = 5, .is_fault = true});
    struct reversal other = show_lost(&(struct candidate){.id = 7, .task = 5});

    (void)state;
    assert_int_equal(fault.act.id, 7);
    assert_int_equal(fault.act.footprint, FOOTPRINT_WILD);
    assert_int_equal(other.act.id, 7);
    assert_int_not_equal(other.act.footprint, FOOTPRINT_WILD);
}

/* ---- Failures and deferred messages ---------------------------------------------------------- */

static void ring_next(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(sn_self() + 1, &ring, NULL);
}

static const struct sn_state shut = {
    .name = "Shut",
    .entry = ring_next,
    .on = (const struct sn_on[]){{.event = &note, .defer = true}, {0}},
};
static const struct sn_state ajar = {
    .name = "Ajar",
    .on = (const struct sn_on[]){{.event = &note, .ignore = true},
                                 {.event = &ring, .go_to = &shut},
                                 {0}},
};
static const struct sn_machine door = {.name = "Door", .start = &ajar};

static const struct sn_machine knocker = {
    .name = "Knocker",
    .start =
        &(const struct sn_state){
            .name = "Knocking",
            .on = (const struct sn_on[]){{.event = &ring, .run = send_note}, {0}},
        },
};

static void fail_here(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assert(false);
}

static const struct sn_machine failing = {
    .name = "Failing",
    .start =
        &(const struct sn_state){
            .name = "Failing",
            .on = (const struct sn_on[]){{.event = &ring, .run = fail_here}, {0}},
        },
};

/* The message that comes too late in the first trial is only there after another machine's step,
 * and nothing goes on after the step in which the machine begins to defer it. */
static void run_door(void)
{
    sn_id to = sn_create(&door, NULL);

    (void)sn_create(&failing, NULL);
    sn_send(to, &ring, NULL);
    sn_send(sn_create(&knocker, NULL), &ring, NULL);
}

static const struct sn_test door_test = {
    .name = "door", .run = run_door, .world = SN_WORLD_TRIAL, .starts_first = true};

static void a_step_that_fails_hides_no_order_of_a_deferred_message(void **state)
{
    (void)state;
    assert_as_dfs(&door_test, "odpor:trees");
    assert_as_dfs(&door_test, "dpor");
    assert_as_dfs(&door_test, "transdpor");
    assert_as_dfs(&door_test, "ired");
}

/* ---- Programs that do not do the same again ------------------------------------------------- */

static uint32_t n_runs;

/* Sends one message less when the first trial has been run. */
static void send_fewer(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    n_runs++;
    for (uint32_t i = n_runs > 1 ? 1 : 0; i < 3; i++)
        sn_send(1, &note, NULL);
}

static const struct sn_machine fickle = {
    .name = "Fickle", .start = &(const struct sn_state){.name = "Sending", .entry = send_fewer}};

static const struct sn_machine sink = {
    .name = "Sink",
    .start =
        &(const struct sn_state){
            .name = "Sinking",
            .on = (const struct sn_on[]){{.event = &note, .ignore = true}, {0}},
        },
};

static void run_fickle(void)
{
    (void)sn_create(&sink, NULL);
    (void)sn_create(&fickle, NULL);
}

static void
a_program_that_has_less_to_run_where_a_search_goes_back_is_not_deterministic(void **state)
{
    const struct sn_test test = {
        .name = "fickle", .run = run_fickle, .world = SN_WORLD_TRIAL, .links = SN_UNORDERED};
    struct sn_result result;

    (void)state;
    n_runs = 0;
    result = search(&test, "odpor:trees");
    assert_non_null(strstr(result.failure, "can run where"));
}

/* ---- Searches that begin anew ---------------------------------------------------------------- */

struct sleeper {
    sn_timer timer;
};

static void set_alarm(void *self, const void *payload)
{
    struct sleeper *sleeper = self;

    (void)payload;
    sleeper->timer = sn_timer_start_any(&ring, NULL);
    sn_send(sn_self(), &note, NULL);
}

static void cancel_alarm(void *self, const void *payload)
{
    const struct sleeper *sleeper = self;

    (void)payload;
    (void)sn_timer_cancel(sleeper->timer);
}

static const struct sn_state asleep = {
    .name = "Asleep",
    .entry = set_alarm,
    .on = (const struct sn_on[]){{.event = &note, .run = cancel_alarm},
                                 {.event = &ring, .ignore = true},
                                 {0}},
};
static const struct sn_machine sleeper = {
    .name = "Sleeper", .size = sizeof(struct sleeper), .start = &asleep};

static void run_sleepers(void)
{
    for (int i = 0; i < 4; i++)
        (void)sn_create(&sleeper, NULL);
}

static bool of_one_machine(const struct sn_taken_step *a, const struct sn_taken_step *b)
{
    return a->machine == b->machine;
}

static void a_search_that_begins_anew_still_asks_the_test(void **state)
{
    const struct sn_dependence dependence = {.dependent = of_one_machine};
    const struct sn_test test = {.name = "sleepers",
                                 .run = run_sleepers,
                                 .world = SN_WORLD_TRIAL,
                                 .dependence = &dependence};

    (void)state;
    assert_int_equal(search(&test, "random@3,dpor").failures, 0);
}

/* ---- Processes that die ---------------------------------------------------------------------- */

static pid_t own_process;

/* The first message changes what is remembered, the second one ends the process. */
static void die_at_last(void *self, const void *payload)
{
    uint32_t *n = self;

    (void)payload;
    if (++*n == 2)
        abort();
}

static uint64_t fingerprint_in_trial(const void *self)
{
    assert_int_not_equal(getpid(), own_process);
    return *(const uint32_t *)self;
}

static const struct sn_state mortal_state = {
    .name = "Mortal",
    .on = (const struct sn_on[]){{.event = &note, .run = die_at_last}, {0}},
};
static const struct sn_machine mortal = {.name = "Mortal",
                                         .size = sizeof(uint32_t),
                                         .start = &mortal_state,
                                         .fingerprint = fingerprint_in_trial};

static void run_mortal(void)
{
    sn_id to = sn_create(&mortal, NULL);

    sn_send(to, &note, NULL);
    sn_send(to, &note, NULL);
}

static void nobody_is_asked_about_a_step_that_ended_its_process(void **state)
{
    static const struct sn_key keys[] = {{.event = &note, .reads = true}, {0}};
    const struct sn_dependence dependence = {.keys = keys};
    const struct sn_test test = {.name = "mortal",
                                 .run = run_mortal,
                                 .world = SN_WORLD_FORK,
                                 .links = SN_UNORDERED,
                                 .starts_first = true,
                                 .dependence = &dependence};
    struct sn_result result;

    (void)state;
    own_process = getpid();
    result = search(&test, "liviola");
    assert_int_equal(result.failures, result.trials);
}

/* ---- As bytes -------------------------------------------------------------------------------- */

/* What a finished search, which is saved and loaded, claims to be limited to. */
static void assert_claim_is_saved(struct walk *first, const char *expected)
{
    struct walk *second = new_walk();
    unsigned char bytes[ROOM];
    char text[64];
    size_t n;

    first->is_started = first->is_done = true;
    n = walk_save(first, bytes, sizeof(bytes));
    assert_in_range(n, 1, ROOM);
    assert_int_equal(walk_load(second, bytes, n), 0);
    walk_within(second, text, sizeof(text));
    assert_true(walk_is_exhausted(second));
    assert_string_equal(text, expected);
    free_walk(first);
    free_walk(second);
}

static void that_a_claim_is_limited_to_the_dependence_of_the_test_is_saved(void **state)
{
    struct walk *w = new_walk();

    (void)state;
    w->is_by_test = true;
    assert_claim_is_saved(w, "up to the test's own dependence");
}

static void that_a_claim_is_not_about_the_order_of_calls_is_saved(void **state)
{
    struct walk *w = new_walk();

    (void)state;
    w->is_up_to_calls = true;
    assert_claim_is_saved(w, "up to the order of calls and returns");
}

static void bytes_that_are_damaged_leave_a_search_as_it_is(void **state)
{
    struct walk *first = new_walk();
    struct walk *second = new_walk();
    unsigned char bytes[ROOM];
    size_t n;

    (void)state;
    second->is_started = second->is_done = true;
    n = walk_save(first, bytes, sizeof(bytes));
    assert_in_range(n, 24, ROOM);
    bytes[16] ^= 1; /* how much of it was tried */
    assert_int_equal(walk_load(second, bytes, n), -1);
    assert_true(second->is_done);
    free_walk(first);
    free_walk(second);
}

static void a_search_that_begins_anew_has_forgotten_what_steps_touched(void **state)
{
    const struct touch touches[] = {{1, TOUCH_WRITE}, {2, TOUCH_WRITE}};
    struct walk *w = new_walk();
    uint32_t first = footprints_get(&w->course.footprints, &touches[0], 1);

    (void)state;
    assert_int_not_equal(footprints_get(&w->course.footprints, &touches[1], 1), first);

    walk_reset(w);

    assert_int_equal(footprints_get(&w->course.footprints, &touches[1], 1), first);
    assert_int_equal(w->course.footprints.n, 1);
    free_walk(w);
}

/* ---- A search that is saved after each trial ------------------------------------------------- */

static struct {
    void *state;
    void *other;
    unsigned char bytes[1 << 20];
} * saved; /* in a mapping that no run rolls back */

static const struct sn_strategy *odpor(void)
{
    return strategy_optimal.strategy;
}

static void *new_odpor(const char *parameters)
{
    void *state = mem_reserve_shared(odpor()->state_size, NULL);
    char error[64];

    assert_non_null(state);
    assert_int_equal(odpor()->init(state, parameters, 1, error, sizeof(error)), 0);
    return state;
}

static bool saved_begin(void *self, uint64_t trial, uint64_t *keep)
{
    size_t n;
    void *loaded = saved->other;

    (void)self;
    if (trial > 0) {
        n = odpor()->save(saved->state, saved->bytes, sizeof(saved->bytes));
        if (n == 0 || n > sizeof(saved->bytes) || odpor()->load(loaded, saved->bytes, n) != 0)
            return false;
        saved->other = saved->state;
        saved->state = loaded;
    }
    return odpor()->begin(saved->state, trial, keep);
}

static uint32_t saved_pick(void *self, const struct sn_pending *pending)
{
    (void)self;
    return odpor()->pick(saved->state, pending);
}

static uint64_t saved_draw(void *self, const struct sn_draw *draw)
{
    (void)self;
    return odpor()->draw(saved->state, draw);
}

static void saved_told(void *self, const struct sn_op *op)
{
    (void)self;
    odpor()->told(saved->state, op);
}

static void saved_end(void *self, const struct sn_trial_end *end)
{
    (void)self;
    odpor()->end(saved->state, end);
}

static bool saved_is_exhausted(const void *self)
{
    (void)self;
    return odpor()->is_exhausted(saved->state);
}

/* Fails in the first order that is tried, in one step of a machine that receives two messages. */
static void fail_at_first(void *self, const void *payload)
{
    uint32_t *n = self;

    sn_assert(++*n > 1 || *(const uint32_t *)payload != 0);
}

static const struct sn_event number = {.name = "Number", .size = sizeof(uint32_t)};
static const struct sn_machine counter = {
    .name = "Counter",
    .size = sizeof(uint32_t),
    .start =
        &(const struct sn_state){
            .name = "Counting",
            .on = (const struct sn_on[]){{.event = &number, .run = fail_at_first}, {0}},
        },
};

static void run_counter(void)
{
    sn_id to = sn_create(&counter, NULL);

    for (uint32_t i = 0; i < 3; i++)
        sn_send(to, &number, &i);
}

static bool fails_last;

static void take_number(void *self, const void *payload)
{
    uint32_t *n = self;

    (void)payload;
    sn_assert(++*n < 3 || !fails_last);
}

static const struct sn_machine last_counter = {
    .name = "LastCounter",
    .size = sizeof(uint32_t),
    .start =
        &(const struct sn_state){
            .name = "Counting",
            .on = (const struct sn_on[]){{.event = &number, .run = take_number}, {0}},
        },
};

static void run_last_counter(void)
{
    sn_id to = sn_create(&last_counter, NULL);

    for (uint32_t i = 0; i < 3; i++)
        sn_send(to, &number, &i);
}

static const struct sn_test last_test = {.name = "last",
                                         .run = run_last_counter,
                                         .world = SN_WORLD_TRIAL,
                                         .links = SN_UNORDERED,
                                         .starts_first = true};

static const struct sn_test counter_test = {.name = "counter",
                                            .run = run_counter,
                                            .world = SN_WORLD_TRIAL,
                                            .links = SN_UNORDERED,
                                            .starts_first = true};

static void begin_saved(const char *parameters)
{
    saved = mem_reserve_shared(sizeof(*saved), NULL);
    assert_non_null(saved);
    saved->state = new_odpor(parameters);
    saved->other = new_odpor(parameters);
}

static void end_saved(void)
{
    mem_release(saved->state, odpor()->state_size);
    mem_release(saved->other, odpor()->state_size);
    mem_release(saved, sizeof(*saved));
}

static void that_a_failure_hands_over_to_wakeup_trees_is_saved(void **state)
{
    struct sn_result result;

    (void)state;
    begin_saved("");
    result = search(&counter_test, "saved");
    assert_true(result.failures > 0);
    assert_true(result.exhausted);
    assert_int_equal(result.distinct_orders, search(&counter_test, "dfs").distinct_orders);
    end_saved();
}

/* Whether odpor:revisit can be divided after the first trial, which has failed or not. */
static bool can_be_divided(bool fails)
{
    const struct sn_options options = {.strategy = "saved", .iterations = 1};
    struct sn_result result = {0};
    bool can;

    begin_saved("revisit");
    fails_last = fails;
    assert_int_equal(sn_run(&last_test, &options, &result), 0);
    assert_int_equal(result.failures, fails ? 1 : 0);
    can = odpor()->split(saved->state, saved->other);
    end_saved();
    return can;
}

static void a_search_whose_last_trial_has_failed_is_not_divided(void **state)
{
    (void)state;
    assert_true(can_be_divided(false));
    assert_false(can_be_divided(true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_between_steps_hides_no_fault_from_wakeup_trees),
        cmocka_unit_test(a_failure_between_steps_hides_no_fault_from_dpor),
        cmocka_unit_test(a_failure_between_steps_hides_no_fault_from_ired),
        cmocka_unit_test(a_fault_that_was_lost_is_ordered_with_every_step),
        cmocka_unit_test(a_step_that_fails_hides_no_order_of_a_deferred_message),
        cmocka_unit_test(
            a_program_that_has_less_to_run_where_a_search_goes_back_is_not_deterministic),
        cmocka_unit_test(a_search_that_begins_anew_still_asks_the_test),
        cmocka_unit_test(nobody_is_asked_about_a_step_that_ended_its_process),
        cmocka_unit_test(that_a_claim_is_limited_to_the_dependence_of_the_test_is_saved),
        cmocka_unit_test(that_a_claim_is_not_about_the_order_of_calls_is_saved),
        cmocka_unit_test(bytes_that_are_damaged_leave_a_search_as_it_is),
        cmocka_unit_test(a_search_that_begins_anew_has_forgotten_what_steps_touched),
        cmocka_unit_test(that_a_failure_hands_over_to_wakeup_trees_is_saved),
        cmocka_unit_test(a_search_whose_last_trial_has_failed_is_not_divided),
    };
    static const struct sn_strategy strategy = {
        .name = "saved",
        .begin = saved_begin,
        .pick = saved_pick,
        .draw = saved_draw,
        .told = saved_told,
        .end = saved_end,
        .is_exhausted = saved_is_exhausted,
    };

    if (sn_strategy_register(&strategy) < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
