/* test_lasso.c - cycles: which ones are found, which ones accuse nobody, and how they are shown.
 *
 * Programs that are correct stay so whatever the strategy: `slow` holds a task back for long, but
 * is fair. SPDX-License-Identifier: MIT
 */
#include "../live.h"
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

static const struct sn_event tick = {.name = "Tick"};

static struct sn_test live_test(void (*run)(void))
{
    return (struct sn_test){.name = "cycle",
                            .run = run,
                            .monitors = live_monitors,
                            .max_steps = 1000,
                            .world = SN_WORLD_TRIAL};
}

/* Whether all trials fail, by this oracle. */
static void assert_all_fail(const struct sn_result *r, const char *oracle)
{
    assert_int_equal(r->failures, 20);
    assert_int_equal(strncmp(r->failure, oracle, strlen(oracle)), 0);
}

/* ---- A machine that goes on for ever, with some memory -------------------------------------- */

struct memory {
    uint64_t steps;
};

static void count_on(void *self, const void *payload)
{
    ((struct memory *)self)->steps++;
    go_on(self, payload);
}

static const struct sn_state counting = {
    .name = "Counting",
    .entry = count_on,
    .on = (const struct sn_on[]){{.event = &go, .run = count_on}, {0}},
};

static uint64_t hash_five(const void *self)
{
    return ((const struct memory *)self)->steps % 5;
}

static uint64_t hash_all(const void *self)
{
    return ((const struct memory *)self)->steps;
}

static const struct sn_machine mute = {
    .name = "Mute", .size = sizeof(struct memory), .start = &counting};
static const struct sn_machine five = {
    .name = "Five", .size = sizeof(struct memory), .start = &counting, .fingerprint = hash_five};
static const struct sn_machine endless = {
    .name = "Endless", .size = sizeof(struct memory), .start = &counting, .fingerprint = hash_all};

static void run_hot(const struct sn_machine *type)
{
    (void)sn_create(type, NULL);
    sn_monitor(&live_monitor, &heat, NULL);
}

static void run_goer(void)
{
    run_hot(&goer);
}

static void run_five(void)
{
    run_hot(&five);
}

static void run_mute(void)
{
    run_hot(&mute);
}

static void run_endless(void)
{
    run_hot(&endless);
}

static void run_five_and_mute(void)
{
    (void)sn_create(&mute, NULL);
    run_hot(&five);
}

static void a_state_that_comes_back_while_a_monitor_is_hot_ends_the_trial(void **unused)
{
    const struct sn_test test = live_test(run_five);

    (void)unused;

    struct sn_result r = run_live(&test, "random");

    assert_all_fail(&r, "lasso");
    assert_string_equal(r.failure,
                        "lasso: monitor Live can be hot (state Waiting) for ever: the state after "
                        "step 625 comes back after step 630, in a cycle of 5 steps that leaves out "
                        "nothing that can run");
    assert_int_equal(r.failing_steps, 630);
    assert_int_equal(r.cut, 0);
}

static void a_machine_without_memory_needs_no_fingerprint(void **unused)
{
    const struct sn_test test = live_test(run_goer);

    (void)unused;

    struct sn_result r = run_live(&test, "random");

    assert_all_fail(&r, "lasso");
    assert_int_equal(r.failing_steps, 626);
}

static void one_machine_that_cannot_tell_its_state_is_enough_to_judge_by_heat_alone(void **unused)
{
    const struct sn_test alone = live_test(run_mute);
    const struct sn_test beside = live_test(run_five_and_mute);

    (void)unused;

    struct sn_result r = run_live(&alone, "random");
    struct sn_result both = run_live(&beside, "random");

    assert_all_fail(&r, "hot");
    assert_all_fail(&both, "hot");
}

static void a_state_that_never_comes_back_is_judged_by_heat_alone(void **unused)
{
    const struct sn_test test = live_test(run_endless);

    (void)unused;

    struct sn_result r = run_live(&test, "random");

    assert_all_fail(&r, "hot");
}

/* ---- Cycles that are not fair --------------------------------------------------------------- */

/* Waits for a message while others go on. */
static void be_cool(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_monitor(&live_monitor, &cool, NULL);
}

static void stay_cool(void *self, const void *payload)
{
    be_cool(self, payload);
    sn_send(1, &sn_halt_event, NULL);
}

static const struct sn_state waiting = {
    .name = "Waiting",
    .on = (const struct sn_on[]){{.event = &go, .run = stay_cool}, {0}},
};

static const struct sn_machine waiter = {.name = "Waiter", .start = &waiting};

static void run_correct(void)
{
    (void)sn_create(&goer, NULL);
    sn_send(sn_create(&waiter, NULL), &go, NULL);
    sn_monitor(&live_monitor, &heat, NULL);
}

/* The goer comes back to its state at every step; what is sent to the waiter is pending all the
 * time and delivered in the end. */
static void a_cycle_that_leaves_out_what_can_run_accuses_nobody(void **unused)
{
    const struct sn_test test = live_test(run_correct);

    (void)unused;

    struct sn_result r = run_live(&test, "starve:2@10,slow:2/100");

    assert_int_equal(r.failures, 0);
    assert_int_equal(r.cut, 0);
    assert_true(r.steps > 20 * 200);
}

/* Takes a message only in every second state: it can run now and then. */
static const struct sn_state closed;

static const struct sn_state open = {
    .name = "Open",
    .entry = go_on,
    .on = (const struct sn_on[]){{.event = &go, .go_to = &closed},
                                 {.event = &tick, .run = be_cool},
                                 {0}},
};

static const struct sn_state closed = {
    .name = "Closed",
    .entry = go_on,
    .on = (const struct sn_on[]){{.event = &go, .go_to = &open},
                                 {.event = &tick, .defer = true},
                                 {0}},
};

static const struct sn_machine door = {.name = "Door", .start = &closed};

static void run_door(void)
{
    sn_id id = sn_create(&door, NULL);

    sn_send(id, &tick, NULL);
    sn_monitor(&live_monitor, &heat, NULL);
}

/* Prefers what the machine sends to itself, but takes the test's own message at the hundredth
 * pick. */
static uint32_t pick_own(void *self, const struct sn_pending *pending)
{
    struct holder *h = self;
    bool is_turn = ++h->picks >= 100;

    for (uint32_t i = 0; i < sn_pending_count(pending); i++) {
        if ((sn_pending_op(pending, i)->from == 0) == is_turn)
            return i;
    }
    return 0;
}

static const struct sn_strategy own = {
    .name = "own",
    .state_size = sizeof(struct holder),
    .is_fair = true,
    .begin = holder_begin,
    .pick = pick_own,
};

static void a_cycle_that_leaves_out_what_can_run_now_and_then_accuses_nobody(void **unused)
{
    const struct sn_test test = live_test(run_door);

    (void)unused;

    struct sn_result r = run_live(&test, "own@5,own");

    assert_int_equal(r.failures, 0);
    assert_int_equal(r.cut, 20);
}

/* Two datagrams that differ in what they carry: one is sent again and again, the other waits. */
struct letter {
    uint32_t number;
};

static const struct sn_field letter_fields[] = {SN_FIELD(struct letter, number, SN_UINT), {0}};
static const struct sn_event letter = {
    .name = "Letter", .size = sizeof(struct letter), .fields = letter_fields};

static void on_letter(void *self, const void *payload)
{
    const struct letter *l = payload;

    if (l->number == 1)
        sn_send(sn_self(), &letter, l);
    else
        be_cool(self, payload);
}

static void write_letters(void *self, const void *payload)
{
    struct letter one = {1};
    struct letter two = {2};

    (void)self;
    (void)payload;
    sn_send(sn_self(), &letter, &one);
    sn_send(sn_self(), &letter, &two);
}

static const struct sn_state corresponding = {
    .name = "Corresponding",
    .entry = write_letters,
    .on = (const struct sn_on[]){{.event = &letter, .run = on_letter}, {0}},
};

static const struct sn_machine correspondent = {.name = "Correspondent", .start = &corresponding};

static void run_correspondent(void)
{
    run_hot(&correspondent);
}

/* Prefers the newest. */
static uint32_t pick_newest(void *self, const struct sn_pending *pending)
{
    struct holder *h = self;
    bool is_turn = ++h->picks >= 100;
    uint32_t best = 0;

    for (uint32_t i = 1; i < sn_pending_count(pending); i++) {
        if ((sn_pending_op(pending, i)->cause > sn_pending_op(pending, best)->cause) != is_turn)
            best = i;
    }
    return best;
}

static const struct sn_strategy newest = {
    .name = "newest",
    .state_size = sizeof(struct holder),
    .is_fair = true,
    .begin = holder_begin,
    .pick = pick_newest,
};

static void messages_that_carry_other_things_are_other_operations(void **unused)
{
    struct sn_test test = live_test(run_correspondent);

    (void)unused;
    test.links = SN_UNORDERED;

    struct sn_result r = run_live(&test, "newest@5,newest");

    assert_int_equal(r.failures, 0);
    assert_int_equal(r.cut, 20);
}

/* ---- Cycles that are coincidences ----------------------------------------------------------- */

/* Hot as long as two machines take turns: cold when one of them comes twice. */
struct turn {
    sn_id who;
};

static const struct sn_event turn = {.name = "Turn", .size = sizeof(struct turn)};

static const struct sn_state in_step;
static const struct sn_state out_of_step;

static void compare_turns(void *self, const void *payload)
{
    struct turn *last = self;
    const struct turn *now = payload;
    bool is_same = now->who == last->who;

    last->who = now->who;
    sn_goto(is_same ? &out_of_step : &in_step);
}

static const struct sn_on comparing[] = {{.event = &turn, .run = compare_turns}, {0}};
static const struct sn_state in_step = {.name = "InStep", .temperature = SN_HOT, .on = comparing};
static const struct sn_state out_of_step = {
    .name = "OutOfStep", .temperature = SN_COLD, .on = comparing};

static const struct sn_machine turns_monitor = {
    .name = "Turns", .size = sizeof(struct turn), .start = &in_step};

static void take_turn(void *self, const void *payload)
{
    sn_monitor(&turns_monitor, &turn, &(struct turn){sn_self()});
    go_on(self, payload);
}

static const struct sn_state dancing = {
    .name = "Dancing",
    .entry = take_turn,
    .on = (const struct sn_on[]){{.event = &go, .run = take_turn}, {0}},
};

static const struct sn_machine dancer = {.name = "Dancer", .start = &dancing};

static void run_dancers(void)
{
    (void)sn_create(&dancer, NULL);
    (void)sn_create(&dancer, NULL);
}

/* alternate/N: the two take turns for N picks, then each comes twice. */
static uint32_t pick_alternately(void *self, const struct sn_pending *pending)
{
    struct holder *h = self;
    uint64_t pick = h->picks++;
    uint32_t wanted = (uint32_t)((pick < h->turn ? pick : pick / 2) % 2 + 1);
    uint32_t i = 0;

    while (i + 1 < sn_pending_count(pending) && sn_pending_op(pending, i)->task != wanted)
        i++;
    return i;
}

static const struct sn_strategy alternate = {
    .name = "alternate",
    .state_size = sizeof(struct holder),
    .is_fair = true,
    .init = holder_init,
    .begin = holder_begin,
    .pick = pick_alternately,
};

static void a_cycle_accuses_nobody_before_the_trial_has_gone_round_for_some_time(void **unused)
{
    struct sn_test test = live_test(run_dancers);

    (void)unused;
    test.monitors = (const struct sn_machine *const[]){&turns_monitor, NULL};

    struct sn_result r = run_live(&test, "alternate:0/1@2,alternate:0/400");

    assert_int_equal(run_live(&test, "alternate:0/1@2,alternate:0/200").failures, 0);
    assert_int_equal(run_live(&test, "random").failures, 0);
    assert_all_fail(&r, "lasso: monitor Turns");
    assert_non_null(strstr(r.failure, "in a cycle of 2 steps"));
}

/* ---- Cycles that are none ------------------------------------------------------------------- */

static void toss(void *self, const void *payload)
{
    sn_monitor(&live_monitor, &heat, NULL);
    if (sn_choose("coin", 40) == 39)
        be_cool(self, payload);
    go_on(self, payload);
}

static const struct sn_state tossing = {
    .name = "Tossing",
    .entry = toss,
    .on = (const struct sn_on[]){{.event = &go, .run = toss}, {0}},
};

static const struct sn_machine gambler = {.name = "Gambler", .start = &tossing};

static void run_gambler(void)
{
    run_hot(&gambler);
}

static void a_cycle_with_a_draw_accuses_nobody(void **unused)
{
    const struct sn_test test = live_test(run_gambler);

    (void)unused;

    assert_int_equal(run_live(&test, "random").failures, 0);
}

static void heat_and_cool(void *self, const void *payload)
{
    struct memory *memory = self;

    sn_monitor(&live_monitor, memory->steps % 2 == 0 ? &cool : &heat, NULL);
    count_on(self, payload);
}

static const struct sn_state alternating = {
    .name = "Alternating",
    .entry = heat_and_cool,
    .on = (const struct sn_on[]){{.event = &go, .run = heat_and_cool}, {0}},
};

static uint64_t hash_ten(const void *self)
{
    return ((const struct memory *)self)->steps % 10;
}

static const struct sn_machine alternator = {.name = "Alternator",
                                             .size = sizeof(struct memory),
                                             .start = &alternating,
                                             .fingerprint = hash_ten};

static void run_alternator(void)
{
    run_hot(&alternator);
}

static void a_cycle_in_which_the_monitor_cools_accuses_nobody(void **unused)
{
    const struct sn_test test = live_test(run_alternator);

    (void)unused;

    assert_int_equal(run_live(&test, "random").failures, 0);
}

/* Two monitors, of which one is hot at any time, but neither stays so. */
static const struct sn_state other_cold;

static const struct sn_state other_hot = {
    .name = "Hot",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &cool, .go_to = &other_cold}, {0}},
};

static const struct sn_state other_cold = {
    .name = "Cold",
    .temperature = SN_COLD,
    .on = (const struct sn_on[]){{.event = &heat, .go_to = &other_hot}, {0}},
};

static const struct sn_machine other_monitor = {.name = "Other", .start = &other_cold};
static const struct sn_machine *const both_monitors[] = {&live_monitor, &other_monitor, NULL};

static void heat_the_other(void *self, const void *payload)
{
    struct memory *memory = self;
    bool is_even = memory->steps % 2 == 0;

    sn_monitor(&live_monitor, is_even ? &cool : &heat, NULL);
    sn_monitor(&other_monitor, is_even ? &heat : &cool, NULL);
    count_on(self, payload);
}

static const struct sn_state taking_turns = {
    .name = "TakingTurns",
    .entry = heat_the_other,
    .on = (const struct sn_on[]){{.event = &go, .run = heat_the_other}, {0}},
};

static const struct sn_machine turn_taker = {.name = "TurnTaker",
                                             .size = sizeof(struct memory),
                                             .start = &taking_turns,
                                             .fingerprint = hash_ten};

static void run_turn_taker(void)
{
    run_hot(&turn_taker);
}

static void run_turn_taker_and_forget(void)
{
    sn_monitor(&other_monitor, &heat, NULL);
    run_hot(&alternator);
}

static void the_same_monitor_must_be_hot_all_the_time(void **unused)
{
    struct sn_test test = live_test(run_turn_taker);
    struct sn_test forgetful = live_test(run_turn_taker_and_forget);

    (void)unused;
    test.monitors = both_monitors;
    forgetful.monitors = both_monitors;

    struct sn_result r = run_live(&forgetful, "random");

    assert_int_equal(run_live(&test, "random").failures, 0);
    assert_all_fail(&r, "lasso: monitor Other can be hot (state Hot) for ever");
}

/* Takes two letters and puts them back, the second one first: four of them lie as before after four
 * times. */
struct juggler {
    uint32_t held;
};

static void juggle(void *self, const void *payload)
{
    struct juggler *juggler = self;
    const struct letter *got = payload;
    struct letter held = {juggler->held};

    juggler->held = held.number == 0 ? got->number : 0;
    if (held.number == 0)
        return;
    sn_send(sn_self(), &letter, got);
    sn_send(sn_self(), &letter, &held);
}

static void take_letters(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    for (uint32_t i = 1; i <= 4; i++)
        sn_send(sn_self(), &letter, &(struct letter){i});
}

static const struct sn_state juggling = {
    .name = "Juggling",
    .entry = take_letters,
    .on = (const struct sn_on[]){{.event = &letter, .run = juggle}, {0}},
};

static uint64_t hash_held(const void *self)
{
    return ((const struct juggler *)self)->held;
}

static const struct sn_machine juggler_machine = {.name = "Juggler",
                                                  .size = sizeof(struct juggler),
                                                  .start = &juggling,
                                                  .fingerprint = hash_held};

static void run_juggler(void)
{
    run_hot(&juggler_machine);
}

static void so_is_the_order_of_what_is_under_way(void **unused)
{
    const struct sn_test test = live_test(run_juggler);

    (void)unused;

    struct sn_result r = run_live(&test, "random");

    assert_all_fail(&r, "lasso");
    assert_non_null(strstr(r.failure, "in a cycle of 8 steps"));
}

/* Two machines throw a ball, and what is written on it is counted up. */
struct ball {
    uint32_t colour;
    uint32_t throws;
};

static const struct sn_field all_fields[] = {
    SN_FIELD(struct ball, colour, SN_UINT), SN_FIELD(struct ball, throws, SN_UINT), {0}};
static const struct sn_field some_fields[] = {SN_FIELD(struct ball, colour, SN_UINT), {0}};

static const struct sn_event ball = {
    .name = "Ball", .size = sizeof(struct ball), .fields = all_fields};
static const struct sn_event ball_half_described = {
    .name = "Ball", .size = sizeof(struct ball), .fields = some_fields};
static const struct sn_event ball_not_described = {.name = "Ball", .size = sizeof(struct ball)};

static const struct sn_event *thrown;
static uint32_t throws_max;

static void throw(void *self, const void *payload)
{
    struct ball next = *(const struct ball *)payload;

    (void)self;
    next.throws = (next.throws + 1) % throws_max;
    sn_send(sn_self() == 1 ? 2 : 1, thrown, &next);
}

static const struct sn_state playing = {
    .name = "Playing",
    .on = (const struct sn_on[]){{.event = &ball, .run = throw},
                                 {.event = &ball_half_described, .run = throw},
                                 {.event = &ball_not_described, .run = throw},
                                 {0}},
};

static const struct sn_machine player = {.name = "Player", .start = &playing};

static void run_players(void)
{
    struct ball first = {.colour = 7};
    sn_id id = sn_create(&player, NULL);

    (void)sn_create(&player, NULL);
    sn_send(id, thrown, &first);
    sn_monitor(&live_monitor, &heat, NULL);
}

static struct sn_result run_ball(const struct sn_event *event, uint32_t max)
{
    const struct sn_test test = live_test(run_players);

    thrown = event;
    throws_max = max;
    return run_live(&test, "random");
}

static void what_is_under_way_is_part_of_the_state(void **unused)
{
    (void)unused;

    struct sn_result r = run_ball(&ball, 1000000);
    struct sn_result short_cycle = run_ball(&ball, 6);

    assert_all_fail(&r, "hot");
    assert_all_fail(&short_cycle, "lasso");
    assert_non_null(strstr(short_cycle.failure, "in a cycle of 6 steps"));
}

static void so_are_members_of_a_payload_that_its_table_leaves_out(void **unused)
{
    (void)unused;

    struct sn_result half = run_ball(&ball_half_described, 1000000);
    struct sn_result none = run_ball(&ball_not_described, 1000000);

    assert_all_fail(&half, "hot");
    assert_all_fail(&none, "hot");
}

/* A monitor that gives up in the end. */
struct patience {
    uint32_t left;
};

static const struct sn_state gave_up = {
    .name = "GaveUp",
    .temperature = SN_COLD,
    .on = (const struct sn_on[]){{.event = &heat, .ignore = true}, {0}},
};

static void lose_patience(void *self, const void *payload)
{
    struct patience *p = self;

    (void)payload;
    if (p->left++ == 700)
        sn_goto(&gave_up);
}

static const struct sn_state patient = {
    .name = "Patient",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &heat, .run = lose_patience}, {0}},
};

static const struct sn_machine patience_monitor = {
    .name = "Patience", .size = sizeof(struct patience), .start = &patient};

static void try_patience(void *self, const void *payload)
{
    sn_monitor(&patience_monitor, &heat, NULL);
    go_on(self, payload);
}

static const struct sn_state nagging = {
    .name = "Nagging",
    .entry = try_patience,
    .on = (const struct sn_on[]){{.event = &go, .run = try_patience}, {0}},
};

static const struct sn_machine nagger = {.name = "Nagger", .start = &nagging};

static void run_nagger(void)
{
    (void)sn_create(&nagger, NULL);
}

static void the_memory_of_a_monitor_is_part_of_the_state(void **unused)
{
    struct sn_test test = live_test(run_nagger);

    (void)unused;
    test.monitors = (const struct sn_machine *const[]){&patience_monitor, NULL};

    assert_int_equal(run_live(&test, "random").failures, 0);
}

/* Stops and starts a node by turns, in steps that leave nothing else behind. */
static void run_down_and_up(void *self, const void *payload)
{
    struct memory *memory = self;

    if (memory->steps % 2 == 0)
        sn_node_stop(1);
    else
        sn_node_restart(1);
    count_on(self, payload);
}

static const struct sn_state switching = {
    .name = "Switching",
    .entry = run_down_and_up,
    .on = (const struct sn_on[]){{.event = &go, .run = run_down_and_up}, {0}},
};

static uint64_t hash_nothing(const void *self)
{
    (void)self;
    return 0;
}

static const struct sn_machine switcher = {.name = "Switcher",
                                           .size = sizeof(struct memory),
                                           .start = &switching,
                                           .fingerprint = hash_nothing};

static void run_switcher(void)
{
    (void)sn_node_new("A");
    run_hot(&switcher);
}

static void whether_a_node_is_up_is_part_of_the_state(void **unused)
{
    const struct sn_test test = live_test(run_switcher);

    (void)unused;

    struct sn_result r = run_live(&test, "random");

    assert_all_fail(&r, "lasso");
    assert_non_null(strstr(r.failure, "in a cycle of 2 steps"));
}

/* Counts to six on its disk, and keeps nothing in memory. */
static void count_on_disk(void *self, const void *payload)
{
    uint8_t number = 0;

    (void)sn_disk_read("number", 0, &number, 1);
    number = (uint8_t)((number + 1) % 6);
    assert_int_equal(sn_disk_write("number", 0, &number, 1), 0);
    assert_int_equal(sn_disk_sync("number"), 0);
    go_on(self, payload);
}

static const struct sn_state writing = {
    .name = "Writing",
    .entry = count_on_disk,
    .on = (const struct sn_on[]){{.event = &go, .run = count_on_disk}, {0}},
};

static const struct sn_machine writer = {.name = "Writer", .start = &writing};

static void run_writer(void)
{
    run_hot(&writer);
}

static void what_is_on_a_disk_is_part_of_the_state(void **unused)
{
    const struct sn_test test = live_test(run_writer);

    (void)unused;

    struct sn_result r = run_live(&test, "random");

    assert_all_fail(&r, "lasso");
    assert_non_null(strstr(r.failure, "in a cycle of 6 steps"));
}

/* ---- Time ----------------------------------------------------------------------------------- */

static void wait_on(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start(&tick, SECOND, NULL);
}

static const struct sn_state periodic = {
    .name = "Periodic",
    .entry = wait_on,
    .on = (const struct sn_on[]){{.event = &tick, .run = wait_on}, {0}},
};

static const struct sn_machine metronome = {.name = "Metronome", .start = &periodic};

static void run_metronome(void)
{
    run_hot(&metronome);
}

static void run_two_metronomes(void)
{
    (void)sn_create(&metronome, NULL);
    run_hot(&metronome);
}

static void deadlines_count_from_now(void **unused)
{
    const struct sn_test test = live_test(run_metronome);
    struct sn_test any = live_test(run_two_metronomes);

    (void)unused;
    any.timers = SN_TIMERS_ANY;

    struct sn_result r = run_live(&test, "random");
    struct sn_result at_any_time = run_live(&any, "random");

    assert_all_fail(&r, "lasso");
    assert_null(strstr(r.failure, "stands still"));
    assert_all_fail(&at_any_time, "lasso");
}

static void run_goer_and_metronome(void)
{
    (void)sn_create(&metronome, NULL);
    run_hot(&goer);
}

static void a_cycle_in_which_time_stands_still_says_so(void **unused)
{
    const struct sn_test test = live_test(run_goer_and_metronome);

    (void)unused;

    struct sn_result r = run_live(&test, "random");

    assert_all_fail(&r, "lasso");
    assert_non_null(strstr(r.failure, "; virtual time stands still in it"));
}

/* Looks at the clock in its fingerprint, as a machine that keeps leases would. */
struct lease {
    uint64_t until_ns;
};

static void renew(void *self, const void *payload)
{
    ((struct lease *)self)->until_ns = sn_now_ns() + 3 * SECOND;
    wait_on(self, payload);
}

static const struct sn_state leasing = {
    .name = "Leasing",
    .entry = renew,
    .on = (const struct sn_on[]){{.event = &tick, .run = renew}, {0}},
};

static uint64_t hash_lease(const void *self)
{
    return ((const struct lease *)self)->until_ns - sn_now_ns();
}

static const struct sn_machine tenant = {
    .name = "Tenant", .size = sizeof(struct lease), .start = &leasing, .fingerprint = hash_lease};

static void run_tenants(void)
{
    (void)sn_create(&tenant, NULL);
    run_hot(&tenant);
}

static void a_fingerprint_may_look_at_the_machines_clock(void **unused)
{
    const struct sn_test test = live_test(run_tenants);
    struct sn_test any = live_test(run_tenants);

    (void)unused;
    any.timers = SN_TIMERS_ANY;

    struct sn_result r = run_live(&test, "random");
    struct sn_result at_any_time = run_live(&any, "random");

    assert_all_fail(&r, "lasso");
    assert_all_fail(&at_any_time, "lasso");
}

static uint64_t hash_and_send(const void *self)
{
    (void)self;
    sn_send(1, &go, NULL);
    return 0;
}

static const struct sn_machine meddler = {.name = "Meddler",
                                          .size = sizeof(struct memory),
                                          .start = &counting,
                                          .fingerprint = hash_and_send};

static void run_meddler(void)
{
    run_hot(&meddler);
}

static void a_fingerprint_may_not_act(void **unused)
{
    const struct sn_test test = live_test(run_meddler);

    (void)unused;

    struct sn_result r = run_live(&test, "random");

    assert_string_equal(r.failure,
                        "usage: the fingerprint of Meddler calls sn_send, but may only look");
}

/* ---- Going back ----------------------------------------------------------------------------- */

struct keeper {
    uint64_t decisions;
};

/* Repeats the last trial but for its last three decisions. */
static bool keeper_begin(void *self, uint64_t trial, uint64_t *keep)
{
    if (trial > 0)
        *keep = ((struct keeper *)self)->decisions - 3;
    return true;
}

static uint32_t keeper_pick(void *self, const struct sn_pending *pending)
{
    (void)self;
    (void)pending;
    return 0;
}

static void keeper_end(void *self, const struct sn_trial_end *end)
{
    ((struct keeper *)self)->decisions = end->decisions;
}

static const struct sn_strategy keeper = {
    .name = "keeper",
    .state_size = sizeof(struct keeper),
    .begin = keeper_begin,
    .pick = keeper_pick,
    .end = keeper_end,
};

static void run_two_fives(void)
{
    (void)sn_create(&five, NULL);
    run_hot(&five);
}

static struct sn_result run_keeper(bool rerun)
{
    const struct sn_test test = live_test(run_two_fives);
    const struct sn_options options = {
        .iterations = 20, .strategy = "keeper", .keep_going = true, .rerun = rerun};
    struct sn_result r;

    assert_int_equal(sn_run(&test, &options, &r), 0);
    return r;
}

static void a_trial_that_goes_on_in_the_middle_of_another_one_finds_the_same_cycle(void **unused)
{
    (void)unused;

    struct sn_result restored = run_keeper(false);
    struct sn_result rerun = run_keeper(true);

    assert_all_fail(&restored, "lasso");
    assert_all_fail(&rerun, "lasso");
    assert_int_equal(restored.steps, rerun.steps);
    assert_int_equal(restored.distinct_orders, rerun.distinct_orders);
}

/* ---- How it is shown ------------------------------------------------------------------------ */

static char directory[] = "/tmp/sennit-lasso-XXXXXX";

static struct sn_result find_and_record(const struct sn_test *test)
{
    struct sn_options options = {.iterations = 20, .outdir = directory};
    struct sn_result r;

    assert_int_equal(sn_run(test, &options, &r), 0);
    assert_int_equal(r.failures, 1);
    return r;
}

static void a_trace_of_a_cycle_replays_to_the_same_cycle(void **unused)
{
    const struct sn_test test = live_test(run_five);

    (void)unused;

    struct sn_result found = find_and_record(&test);
    struct sn_result r;

    assert_int_equal(sn_replay(&test, found.trace, &r), 0);
    assert_false(r.nondeterministic);
    assert_int_equal(r.failing_steps, 630);
    assert_string_equal(r.failure, found.failure);
    (void)unlink(found.trace);
}

/* The record that follows the one of this step in a trace, and the next. */
static void read_after_step(const char *path, const char *step, char *lines, size_t size)
{
    FILE *f = fopen(path, "r");
    char line[1024];
    int left = 0;

    assert_non_null(f);
    lines[0] = '\0';
    while (fgets(line, sizeof(line), f) != NULL) {
        if (left > 0 && left-- > 0)
            (void)strncat(lines, line, size - strlen(lines) - 1);
        if (strstr(line, step) != NULL)
            left = 2;
    }
    (void)fclose(f);
}

static void assert_trace_shows_where_the_cycle_begins(const struct sn_test *test)
{
    struct sn_result found = find_and_record(test);
    char lines[4096];

    read_after_step(found.trace, "{\"step\":625,", lines, sizeof(lines));

    assert_non_null(strstr(lines, "\"the cycle begins here\""));
    (void)unlink(found.trace);
}

static void a_trace_shows_where_the_cycle_begins(void **unused)
{
    const struct sn_test test = live_test(run_five);

    (void)unused;

    assert_trace_shows_where_the_cycle_begins(&test);
}

static void so_does_one_of_a_trial_in_a_process_of_its_own(void **unused)
{
    struct sn_test test = live_test(run_five);

    (void)unused;
    test.world = SN_WORLD_FORK;

    assert_trace_shows_where_the_cycle_begins(&test);
}

static int set_up(void **unused)
{
    (void)unused;
    if (mkdtemp(directory) == NULL)
        return -1;
    return sn_strategy_register(&starve) | sn_strategy_register(&slow) |
           sn_strategy_register(&own) | sn_strategy_register(&newest) |
           sn_strategy_register(&keeper) | sn_strategy_register(&alternate);
}

static int tear_down(void **unused)
{
    (void)unused;
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_that_comes_back_while_a_monitor_is_hot_ends_the_trial),
        cmocka_unit_test(a_machine_without_memory_needs_no_fingerprint),
        cmocka_unit_test(one_machine_that_cannot_tell_its_state_is_enough_to_judge_by_heat_alone),
        cmocka_unit_test(a_state_that_never_comes_back_is_judged_by_heat_alone),
        cmocka_unit_test(a_cycle_that_leaves_out_what_can_run_accuses_nobody),
        cmocka_unit_test(a_cycle_that_leaves_out_what_can_run_now_and_then_accuses_nobody),
        cmocka_unit_test(messages_that_carry_other_things_are_other_operations),
        cmocka_unit_test(a_cycle_accuses_nobody_before_the_trial_has_gone_round_for_some_time),
        cmocka_unit_test(a_cycle_with_a_draw_accuses_nobody),
        cmocka_unit_test(a_cycle_in_which_the_monitor_cools_accuses_nobody),
        cmocka_unit_test(the_same_monitor_must_be_hot_all_the_time),
        cmocka_unit_test(what_is_under_way_is_part_of_the_state),
        cmocka_unit_test(so_is_the_order_of_what_is_under_way),
        cmocka_unit_test(so_are_members_of_a_payload_that_its_table_leaves_out),
        cmocka_unit_test(the_memory_of_a_monitor_is_part_of_the_state),
        cmocka_unit_test(whether_a_node_is_up_is_part_of_the_state),
        cmocka_unit_test(what_is_on_a_disk_is_part_of_the_state),
        cmocka_unit_test(deadlines_count_from_now),
        cmocka_unit_test(a_cycle_in_which_time_stands_still_says_so),
        cmocka_unit_test(a_fingerprint_may_look_at_the_machines_clock),
        cmocka_unit_test(a_fingerprint_may_not_act),
        cmocka_unit_test(a_trial_that_goes_on_in_the_middle_of_another_one_finds_the_same_cycle),
        cmocka_unit_test(a_trace_of_a_cycle_replays_to_the_same_cycle),
        cmocka_unit_test(a_trace_shows_where_the_cycle_begins),
        cmocka_unit_test(so_does_one_of_a_trial_in_a_process_of_its_own),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
