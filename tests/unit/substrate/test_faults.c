/* test_faults.c - the fault task: budgets, when faults happen, whom they strike, and that they are
 * decisions as any other. SPDX-License-Identifier: MIT
 */
#include "story.h"

#define SECOND UINT64_C(1000000000)

static const struct sn_event number_event = {.name = "Number", .size = sizeof(uint64_t)};
static const struct sn_event go_event = {.name = "Go"};
static const struct sn_event peer_event = {.name = "Peer", .size = sizeof(sn_id)};

static struct sn_test test_of(void (*run)(void), const struct sn_faults *faults)
{
    return (struct sn_test){
        .name = "faults", .run = run, .world = SN_WORLD_TRIAL, .faults = faults};
}

/* ---- A strategy that looks on --------------------------------------------------------------- */

enum { KINDS = 7, STEPS_MAX = 4096 };

static const char *const kinds[KINDS] = {"drop",  "duplicate", "delay",     "partition",
                                         "crash", "stop",      "disk error"};

/* What it saw, in a mapping of its own. */
struct sightings {
    uint64_t of_kind[KINDS];     /* performed in all trials */
    uint64_t most[KINDS];        /* in one trial */
    uint64_t at_step[STEPS_MAX]; /* faults that were pending for the first time at this step */
};

static struct sightings *sightings;

static void sightings_clear(void)
{
    if (sightings == NULL)
        sightings = mmap(NULL, sizeof(*sightings), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(sightings, 0, sizeof(*sightings));
}

struct onlooker {
    uint64_t state;
    uint64_t step;
    bool is_eager; /* performs a fault as soon as there is one */
    uint64_t of_kind[KINDS];
};

static uint64_t onlooker_below(struct onlooker *o, uint64_t n)
{
    o->state = o->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (o->state >> 33) % n;
}

static int onlooker_init(void *self, const char *parameters, uint64_t seed, char *error,
                         size_t error_size)
{
    struct onlooker *o = self;

    (void)error;
    (void)error_size;
    o->state = seed;
    o->is_eager = strcmp(parameters, "eager") == 0;
    return 0;
}

static bool onlooker_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct onlooker *o = self;

    (void)trial;
    (void)keep;
    o->step = 0;
    memset(o->of_kind, 0, sizeof(o->of_kind));
    return true;
}

static bool is_fault(const struct sn_op *op)
{
    return op->kind == SN_OP_FAULT && op->deadline == 0;
}

static uint32_t onlooker_pick(void *self, const struct sn_pending *pending)
{
    struct onlooker *o = self;
    uint32_t n = sn_pending_count(pending);

    for (uint32_t i = 0; i < n && o->is_eager; i++) {
        if (is_fault(sn_pending_op(pending, i)) && o->step < STEPS_MAX) {
            sightings->at_step[o->step]++;
            return i;
        }
    }
    return (uint32_t)onlooker_below(o, n);
}

static uint64_t onlooker_draw(void *self, const struct sn_draw *draw)
{
    return onlooker_below(self, draw->n);
}

static void onlooker_told(void *self, const struct sn_op *op)
{
    struct onlooker *o = self;

    o->step++;
    for (int i = 0; i < KINDS && is_fault(op); i++)
        o->of_kind[i] += strcmp(kinds[i], ((const struct sn_event *)op->what)->name) == 0;
}

static void onlooker_end(void *self, const struct sn_trial_end *end)
{
    const struct onlooker *o = self;

    (void)end;
    for (int i = 0; i < KINDS; i++) {
        sightings->of_kind[i] += o->of_kind[i];
        if (o->of_kind[i] > sightings->most[i])
            sightings->most[i] = o->of_kind[i];
    }
}

static const struct sn_strategy onlooker = {
    .name = "onlooker",
    .about = "random, and counts faults",
    .state_size = sizeof(struct onlooker),
    .is_fair = true,
    .init = onlooker_init,
    .begin = onlooker_begin,
    .pick = onlooker_pick,
    .draw = onlooker_draw,
    .told = onlooker_told,
    .end = onlooker_end,
};

static int register_onlooker(void **unused)
{
    (void)unused;
    return sn_strategy_register(&onlooker);
}

/* ---- Machines ------------------------------------------------------------------------------- */

/* Sends 0 to 4, a second after another. */
struct ticker {
    sn_id to;
    uint64_t next;
};

static void tick(void *self, const void *payload)
{
    struct ticker *k = self;

    if (k->to == SN_NOBODY)
        k->to = *(const sn_id *)payload;
    sn_send(k->to, &number_event, &k->next);
    if (++k->next < 5)
        (void)sn_timer_start(&go_event, SECOND, NULL);
}

static const struct sn_state ticking = {
    .name = "Ticking",
    .entry = tick,
    .on = (const struct sn_on[]){{.event = &go_event, .run = tick}, {0}},
};
static const struct sn_machine ticker = {
    .name = "Ticker", .size = sizeof(struct ticker), .start = &ticking, .birth = &peer_event};

/* Counts in the story how often each number has come. */
static void mark_number(void *self, const void *payload)
{
    (void)self;
    story->text[*(const uint64_t *)payload]++;
}

static const struct sn_state marking = {
    .name = "Marking",
    .on = (const struct sn_on[]){{.event = &number_event, .run = mark_number}, {0}},
};
static const struct sn_machine marker = {.name = "Marker", .start = &marking};

static void run_ticks(void)
{
    sn_id to;

    story_begin();
    tell("00000");
    to = sn_create_on(sn_node_new("r"), &marker, NULL);
    (void)sn_create_on(sn_node_new("s"), &ticker, &to);
}

/* Its first step is its only one. */
static void do_nothing(void *self, const void *payload)
{
    (void)self;
    (void)payload;
}

static const struct sn_state idle = {.name = "Idle", .entry = do_nothing};
static const struct sn_machine idler = {.name = "Idler", .start = &idle};

static void run_idle(void)
{
    (void)sn_create_on(sn_node_new("n"), &idler, NULL);
}

static uint64_t trials_of(void (*run)(void), const struct sn_faults *faults)
{
    struct sn_test test = test_of(run, faults);
    struct sn_options options = {.strategy = "dfs", .iterations = 1000000};
    struct sn_result r;

    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_string_equal(r.failure, "");
    assert_true(r.exhausted);
    return r.trials;
}

/* ---- Budgets -------------------------------------------------------------------------------- */

static const struct sn_faults two_of_each = {
    .drops = 2,
    .duplicates = 2,
    .delays = 2,
    .partitions = 2,
    .crashes = 2,
    .stops = 2,
    .disk_errors = 2,
    .horizon = 10,
    .down_ns = SECOND,
    .partition_ns = SECOND,
};

static void each_kind_happens_and_none_more_often_than_its_budget_says(void **unused)
{
    struct sn_test test = test_of(run_ticks, &two_of_each);
    struct sn_options options = {.strategy = "onlooker", .iterations = 2000};
    struct sn_result r;

    (void)unused;
    sightings_clear();

    assert_int_equal(sn_run(&test, &options, &r), 0);

    assert_string_equal(r.failure, "");
    for (int i = 0; i < KINDS; i++) {
        assert_true(sightings->of_kind[i] > 0);
        assert_int_equal(sightings->most[i], 2);
    }
}

/* How many of the five digits of a story are this one. */
static uint32_t digits(const char *text, char digit)
{
    uint32_t n = 0;

    for (; *text != '\0'; text++)
        n += *text == digit;
    return n;
}

static void no_more_messages_are_lost_or_doubled_than_the_budget_says(void **unused)
{
    const struct sn_faults faults = {.drops = 2, .duplicates = 2, .horizon = 10};
    struct sn_test test = test_of(run_ticks, &faults);
    uint32_t most_lost = 0;
    uint32_t most_doubled = 0;
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.iterations = 5000});

    assert_string_equal(r.failure, "");
    for (uint32_t i = 0; i < told->n; i++) {
        uint32_t lost = digits(told->text[i], '0');
        uint32_t doubled = digits(told->text[i], '2');

        assert_int_equal(lost + doubled + digits(told->text[i], '1'), 5);
        most_lost = lost > most_lost ? lost : most_lost;
        most_doubled = doubled > most_doubled ? doubled : most_doubled;
    }
    assert_int_equal(most_lost, 2);
    assert_int_equal(most_doubled, 2);
}

static void without_a_budget_nothing_goes_wrong(void **unused)
{
    const struct sn_faults faults = {.horizon = 1, .max_down = 1, .down_ns = 1, .delay_ns = 1};
    struct sn_test test = test_of(run_ticks, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "11111");
}

static void run_nothing(void)
{
}

static void a_budget_has_an_end(void **unused)
{
    const struct sn_faults faults = {.drops = 4097};
    struct sn_test test = test_of(run_nothing, &faults);
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, NULL, &r), 0);

    assert_string_equal(r.failure, "limit: a trial can have at most 4096 faults");
}

/* ---- When ----------------------------------------------------------------------------------- */

/* Rings for ever. */
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
    (void)sn_create_on(sn_node_new("n"), &bell, NULL);
}

static uint64_t sightings_between(uint64_t first, uint64_t end)
{
    uint64_t n = 0;

    for (uint64_t i = first; i < end; i++)
        n += sightings->at_step[i];
    return n;
}

static void with_a_horizon_a_fault_is_as_likely_from_each_of_its_steps(void **unused)
{
    const struct sn_faults faults = {.drops = 1, .horizon = 20};
    struct sn_test test = test_of(run_bell, &faults);
    struct sn_options options = {.strategy = "onlooker:eager", .iterations = 8000};
    struct sn_result r;

    (void)unused;
    sightings_clear();
    test.max_steps = 40;

    assert_int_equal(sn_run(&test, &options, &r), 0);

    assert_int_equal(sightings_between(0, STEPS_MAX), 8000);
    assert_int_equal(sightings_between(20, STEPS_MAX), 0);
    for (uint64_t i = 0; i < 20; i++)
        assert_in_range(sightings->at_step[i], 300, 500); /* 400, and five deviations */
}

static void without_a_horizon_a_fault_is_as_likely_between_s_and_2s_for_every_s(void **unused)
{
    const struct sn_faults faults = {.drops = 1};
    struct sn_test test = test_of(run_bell, &faults);
    struct sn_options options = {.strategy = "onlooker:eager", .iterations = 4000};
    struct sn_result r;

    (void)unused;
    sightings_clear();
    test.max_steps = 1000;

    assert_int_equal(sn_run(&test, &options, &r), 0);

    /* A tenth each, but for what lies beyond the limit. */
    assert_in_range(sightings_between(0, 4), 700, 900);
    assert_in_range(sightings_between(4, 8), 300, 500);
    assert_in_range(sightings_between(8, 16), 300, 500);
    assert_in_range(sightings_between(16, 32), 300, 500);
    assert_in_range(sightings_between(32, 64), 300, 500);
    assert_in_range(sightings_between(64, 128), 300, 500);
    assert_in_range(sightings_between(128, 256), 300, 500);
    assert_in_range(sightings_between(256, 512), 300, 500);
    assert_in_range(sightings_between(512, 1000), 300, 500);
}

static void dfs_tries_faults_from_the_start_whatever_the_horizon(void **unused)
{
    const struct sn_faults near = {.stops = 1, .horizon = 1};
    const struct sn_faults far = {.stops = 1, .horizon = 1000};
    const struct sn_faults none = {.stops = 1};

    (void)unused;

    assert_int_equal(trials_of(run_idle, &near), 2);
    assert_int_equal(trials_of(run_idle, &far), 2);
    assert_int_equal(trials_of(run_idle, &none), 2);
}

static void a_fault_that_is_not_due_when_all_is_done_does_not_happen(void **unused)
{
    const struct sn_faults faults = {.drops = 1, .horizon = 1000};
    struct sn_test test = test_of(run_idle, &faults);
    struct sn_options options = {.strategy = "onlooker", .iterations = 2000};
    struct sn_result r;

    (void)unused;
    sightings_clear();

    assert_int_equal(sn_run(&test, &options, &r), 0);

    /* Due at step 0, beside the first step, or at step 1, after it: two in a thousand. */
    assert_in_range(sightings->of_kind[0], 1, 20);
    assert_int_equal(r.steps, 2000 + sightings->of_kind[0]);
}

/* ---- Every placement, counted by hand ------------------------------------------------------- */

static void dfs_stops_a_node_before_and_after_each_step(void **unused)
{
    const struct sn_faults faults = {.stops = 1};

    (void)unused;

    /* The first step, then the stop; or the stop, and there is no first step. */
    assert_int_equal(trials_of(run_idle, &faults), 2);
}

static void dfs_crashes_a_node_before_after_and_within_each_step(void **unused)
{
    const struct sn_faults faults = {.crashes = 1};

    (void)unused;

    /* After the first step, or before it: at once, or within the next step, of which the first
     * eight effects are told apart. */
    assert_int_equal(trials_of(run_idle, &faults), 2 * (1 + 8));
}

static void faults_of_one_kind_are_not_told_apart(void **unused)
{
    const struct sn_faults two = {.drops = 2};
    const struct sn_faults three = {.drops = 3};

    (void)unused;

    /* The step comes before, between or after them. */
    assert_int_equal(trials_of(run_idle, &two), 3);
    assert_int_equal(trials_of(run_idle, &three), 4);
}

static void faults_of_two_kinds_come_in_every_order(void **unused)
{
    const struct sn_faults faults = {.drops = 1, .stops = 1};

    (void)unused;

    /* step drop stop, step stop drop, drop step stop, drop stop, stop drop */
    assert_int_equal(trials_of(run_idle, &faults), 5);
}

static void send_one(void *self, const void *payload)
{
    (void)self;
    sn_send(*(const sn_id *)payload, &number_event, &(uint64_t){0});
}

static const struct sn_state sending = {.name = "Sending", .entry = send_one};
static const struct sn_machine sender = {.name = "Sender", .start = &sending, .birth = &peer_event};

static void run_message(void)
{
    sn_id to;

    story_begin();
    tell("0");
    to = sn_create_on(sn_node_new("r"), &marker, NULL);
    (void)sn_create_on(sn_node_new("s"), &sender, &to);
}

static void dfs_loses_a_message_of_each_node_before_each_step(void **unused)
{
    const struct sn_faults faults = {.drops = 1};
    struct sn_test test = test_of(run_message, &faults);
    struct sn_result r;

    (void)unused;

    r = stories_of(&test);

    /* Two starts in either order, then the message. The fault strikes the receiver's node: at any
     * of four places in two orders. It strikes the sender's after it has sent: at three places in
     * one order, at two in the other. It strikes before: three ways, and the message is lost. */
    assert_int_equal(r.trials, 2 * 4 + 3 + 2 + 3);
    assert_int_equal(stories_count("0"), 3);
    assert_int_equal(stories_count("1"), 13);
}

static void dfs_doubles_a_message_of_each_node_before_each_step(void **unused)
{
    const struct sn_faults faults = {.duplicates = 1};
    struct sn_test test = test_of(run_message, &faults);
    struct sn_result r;

    (void)unused;

    r = stories_of(&test);

    /* As above, but where it strikes before there are two messages to choose from. */
    assert_int_equal(r.trials, 2 * 4 + 3 + 2 + 2 * 3);
    assert_int_equal(stories_count("2"), 2 * 3);
}

static void run_three_nodes(void)
{
    for (int i = 0; i < 3; i++)
        (void)sn_node_new("n%d", i);
    (void)sn_create(&idler, NULL);
}

static void dfs_cuts_the_network_in_every_way(void **unused)
{
    const struct sn_faults faults = {.partitions = 1};
    const struct sn_faults healing = {.partitions = 1, .partition_ns = SECOND};

    (void)unused;

    /* One of three cuts, before or after the step. */
    assert_int_equal(trials_of(run_three_nodes, &faults), 3 * 2);
    /* Each of them for one of eight durations. Time passes, and the network heals, only when the
     * step has been taken. */
    assert_int_equal(trials_of(run_three_nodes, &healing), 3 * 2 * 8);
}

/* ---- What ends without them ----------------------------------------------------------------- */

static const struct sn_state waiting = {.name = "Waiting", .must_leave = true};
static const struct sn_machine waiter = {.name = "Waiter", .start = &waiting};

static void run_waiter(void)
{
    (void)sn_create_on(sn_node_new("n"), &waiter, NULL);
}

static void a_deadlock_that_no_fault_is_needed_for_is_found_while_faults_are_pending(void **unused)
{
    const struct sn_faults faults = {.stops = 1};
    struct sn_test test = test_of(run_waiter, &faults);
    struct sn_options options = {.strategy = "dfs"};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, &options, &r), 0);

    assert_string_equal(r.failure,
                        "deadlock: nothing can happen any more, but Waiter waits in state Waiting");
    assert_false(r.nondeterministic);
}

static void end_wait(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_halt();
}

static const struct sn_state timed_wait = {
    .name = "Waiting",
    .must_leave = true,
    .entry = ring,
    .on = (const struct sn_on[]){{.event = &go_event, .run = end_wait}, {0}},
};
static const struct sn_machine timed_waiter = {.name = "Waiter", .start = &timed_wait};

static void run_timed_waiter(void)
{
    (void)sn_create_on(sn_node_new("n"), &timed_waiter, NULL);
}

static void a_machine_that_waits_for_a_timer_is_not_in_a_deadlock(void **unused)
{
    const struct sn_faults faults = {.drops = 1};

    (void)unused;

    /* The drop comes before the start, before the timer or after it. */
    assert_int_equal(trials_of(run_timed_waiter, &faults), 3);
}

/* ---- Whom ----------------------------------------------------------------------------------- */

/* After a minute, tells which of the nodes are up. */
static void start_minute(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start(&go_event, 60 * SECOND, NULL);
}

static void tell_nodes(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    for (sn_node i = 1; i <= 3; i++)
        tell(sn_node_is_up(i) ? "u" : "d");
}

static const struct sn_state viewing = {
    .name = "Viewing",
    .entry = start_minute,
    .on = (const struct sn_on[]){{.event = &go_event, .run = tell_nodes}, {0}},
};
static const struct sn_machine viewer = {.name = "Viewer", .start = &viewing};

static void run_three_bells(void)
{
    story_begin();
    for (int i = 0; i < 3; i++)
        (void)sn_create_on(sn_node_new("n%d", i), &idler, NULL);
    (void)sn_create(&viewer, NULL);
}

static void run_two_immortals(void)
{
    run_three_bells();
    sn_node_never_crash(1);
    sn_node_never_crash(3);
}

static void a_node_that_never_crashes_does_not(void **unused)
{
    const struct sn_faults faults = {.crashes = 2, .stops = 2};
    struct sn_test test = test_of(run_two_immortals, &faults);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.iterations = 2000});

    assert_string_equal(r.failure, "");
    assert_string_equal(stories_all(), "udu | uuu");
}

static void no_more_nodes_are_down_at_a_time_than_max_down(void **unused)
{
    const struct sn_faults one = {.crashes = 3, .stops = 3, .max_down = 1, .horizon = 4};
    const struct sn_faults two = {.crashes = 3, .stops = 3, .max_down = 2, .horizon = 4};
    const struct sn_faults any = {.crashes = 3, .stops = 3, .horizon = 4};
    struct sn_test test = test_of(run_three_bells, &one);

    (void)unused;

    (void)stories_run(&test, (struct sn_options){.iterations = 3000});
    assert_string_equal(stories_all(), "duu | udu | uud | uuu");

    test.faults = &two;
    (void)stories_run(&test, (struct sn_options){.iterations = 3000});
    assert_string_equal(stories_all(), "ddu | dud | duu | udd | udu | uud | uuu");

    test.faults = &any;
    (void)stories_run(&test, (struct sn_options){.iterations = 3000});
    assert_int_equal(told->n, 8);
    assert_true(stories_count("ddd") > 0);
}

static void tell_start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("%llu ", (unsigned long long)(sn_true_time_ns() / 1000000));
}

static const struct sn_state starting = {.name = "Starting", .entry = tell_start};
static const struct sn_machine starter = {.name = "Starter", .start = &starting};

static void run_starter(void)
{
    story_begin();
    (void)sn_create_on(sn_node_new("n"), &starter, NULL);
}

static void a_node_is_restarted_after_at_most_down_ns(void **unused)
{
    const struct sn_faults faults = {.stops = 1, .down_ns = 800000000};
    const struct sn_faults never = {.stops = 1};
    struct sn_test test = test_of(run_starter, &faults);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(),
                        "0 100  | 0 200  | 0 300  | 0 400  | 0 500  | 0 600  | 0 700  | 0 800  | "
                        "100  | 200  | 300  | 400  | 500  | 600  | 700  | 800 ");

    test.faults = &never;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), " | 0 ");
}

static void run_send_to_faults(void)
{
    story_begin();
    tell("0");
    sn_send(1, &number_event, &(uint64_t){1}); /* who was there before all machines */
    sn_send(sn_create(&marker, NULL), &number_event, &(uint64_t){0});
}

static void nobody_can_send_to_the_fault_task(void **unused)
{
    const struct sn_faults faults = {.drops = 1};
    struct sn_test test = test_of(run_send_to_faults, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "1");
}

/* ---- Decisions as any other ----------------------------------------------------------------- */

/* A client that asks a server again and again until it has three answers; the server crashes, and
 * forgets. The client finds out when a number comes back that is lower than the one before. */
struct client {
    sn_id server;
    uint64_t last;
    uint64_t answers;
};

static const struct sn_event ask_event = {.name = "Ask", .size = sizeof(sn_id)};

static void ask(void *self, const void *payload)
{
    struct client *c = self;

    if (c->server == SN_NOBODY)
        c->server = *(const sn_id *)payload;
    sn_send(c->server, &ask_event, &(sn_id){sn_self()});
    (void)sn_timer_start(&go_event, SECOND, NULL);
}

static void on_answer(void *self, const void *payload)
{
    struct client *c = self;
    uint64_t number = *(const uint64_t *)payload;

    sn_assertf(number >= c->last, "%llu after %llu", (unsigned long long)number,
               (unsigned long long)c->last);
    c->last = number;
    if (++c->answers == 3)
        sn_halt();
}

static const struct sn_state asking = {
    .name = "Asking",
    .entry = ask,
    .on = (const struct sn_on[]){{.event = &go_event, .run = ask},
                                 {.event = &number_event, .run = on_answer},
                                 {0}},
};
static const struct sn_machine client = {
    .name = "Client", .size = sizeof(struct client), .start = &asking, .birth = &peer_event};

static void answer(void *self, const void *payload)
{
    uint64_t *count = self;

    ++*count;
    sn_send(*(const sn_id *)payload, &number_event, count);
}

static const struct sn_state answering = {
    .name = "Answering",
    .on = (const struct sn_on[]){{.event = &ask_event, .run = answer}, {0}},
};
static const struct sn_machine server = {
    .name = "Server", .size = sizeof(uint64_t), .start = &answering};

static void run_clients(void)
{
    sn_id to = sn_create_on(sn_node_new("server"), &server, NULL);

    (void)sn_create_on(sn_node_new("one"), &client, &to);
    (void)sn_create_on(sn_node_new("two"), &client, &to);
}

static const struct sn_faults all_kinds = {
    .drops = 1,
    .duplicates = 1,
    .delays = 1,
    .partitions = 1,
    .crashes = 1,
    .stops = 1,
    .horizon = 12,
    .down_ns = SECOND,
    .partition_ns = 2 * SECOND,
    .delay_ns = 3 * SECOND,
    .skew_ns = SECOND,
    .drift_ppm = 1000,
};

static void a_failure_that_faults_caused_replays(void **unused)
{
    struct sn_test test = test_of(run_clients, &all_kinds);
    char directory[] = "/tmp/sennit-faults-XXXXXX";
    struct sn_options options = {.iterations = 10000};

    (void)unused;
    assert_non_null(mkdtemp(directory));
    options.outdir = directory;

    for (options.seed = 1; options.seed <= 50; options.seed++) {
        struct sn_result found;
        struct sn_result again;

        assert_int_equal(sn_run(&test, &options, &found), 0);
        assert_int_equal(found.failures, 1);
        assert_false(found.nondeterministic);
        assert_int_equal(sn_replay(&test, found.trace, &again), 0);
        assert_false(again.nondeterministic);
        assert_string_equal(again.failure, found.failure);
        assert_int_equal(again.steps, found.failing_steps);
        (void)unlink(found.trace);
    }
    (void)rmdir(directory);
}

/* Everything that was decided in a run, as two numbers. */
struct decided {
    uint64_t log;
    uint64_t order;
};

static struct decided decided_in(struct sn_test test, struct sn_options options)
{
    test.max_steps = 60;
    (void)stories_run(&test, options);
    return (struct decided){told->log, told->order};
}

static void the_same_seed_gives_the_same_faults(void **unused)
{
    struct sn_test test = test_of(run_clients, &all_kinds);
    struct decided first = decided_in(test, (struct sn_options){.iterations = 300});
    struct decided again = decided_in(test, (struct sn_options){.iterations = 300});
    struct decided other = decided_in(test, (struct sn_options){.iterations = 300, .seed = 2});

    (void)unused;

    assert_int_equal(first.log, again.log);
    assert_int_equal(first.order, again.order);
    assert_int_not_equal(first.log, other.log);
}

static void compare_memories(struct sn_options options)
{
    struct sn_test test = test_of(run_clients, &all_kinds);
    struct decided trial = decided_in(test, options);
    struct decided rerun;
    struct decided full;
    struct decided forked;

    options.rerun = true;
    rerun = decided_in(test, options);
    options.rerun = false;
    test.world = SN_WORLD_FULL;
    full = decided_in(test, options);
    test.world = SN_WORLD_FORK;
    forked = decided_in(test, options);

    assert_int_equal(trial.log, rerun.log);
    assert_int_equal(trial.order, rerun.order);
    assert_int_equal(trial.log, full.log);
    assert_int_equal(trial.order, full.order);
    assert_int_equal(trial.log, forked.log);
    assert_int_equal(trial.order, forked.order);
}

static void faults_are_the_same_however_memory_is_put_back(void **unused)
{
    (void)unused;

    compare_memories((struct sn_options){.iterations = 300});
}

static void dfs_with_faults_is_the_same_however_memory_is_put_back(void **unused)
{
    (void)unused;

    compare_memories((struct sn_options){.iterations = 1000, .strategy = "dfs"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_happens_and_none_more_often_than_its_budget_says),
        cmocka_unit_test(no_more_messages_are_lost_or_doubled_than_the_budget_says),
        cmocka_unit_test(without_a_budget_nothing_goes_wrong),
        cmocka_unit_test(a_budget_has_an_end),
        cmocka_unit_test(with_a_horizon_a_fault_is_as_likely_from_each_of_its_steps),
        cmocka_unit_test(without_a_horizon_a_fault_is_as_likely_between_s_and_2s_for_every_s),
        cmocka_unit_test(dfs_tries_faults_from_the_start_whatever_the_horizon),
        cmocka_unit_test(a_fault_that_is_not_due_when_all_is_done_does_not_happen),
        cmocka_unit_test(dfs_stops_a_node_before_and_after_each_step),
        cmocka_unit_test(dfs_crashes_a_node_before_after_and_within_each_step),
        cmocka_unit_test(faults_of_one_kind_are_not_told_apart),
        cmocka_unit_test(faults_of_two_kinds_come_in_every_order),
        cmocka_unit_test(dfs_loses_a_message_of_each_node_before_each_step),
        cmocka_unit_test(dfs_doubles_a_message_of_each_node_before_each_step),
        cmocka_unit_test(dfs_cuts_the_network_in_every_way),
        cmocka_unit_test(a_deadlock_that_no_fault_is_needed_for_is_found_while_faults_are_pending),
        cmocka_unit_test(a_machine_that_waits_for_a_timer_is_not_in_a_deadlock),
        cmocka_unit_test(a_node_that_never_crashes_does_not),
        cmocka_unit_test(no_more_nodes_are_down_at_a_time_than_max_down),
        cmocka_unit_test(a_node_is_restarted_after_at_most_down_ns),
        cmocka_unit_test(nobody_can_send_to_the_fault_task),
        cmocka_unit_test(a_failure_that_faults_caused_replays),
        cmocka_unit_test(the_same_seed_gives_the_same_faults),
        cmocka_unit_test(faults_are_the_same_however_memory_is_put_back),
        cmocka_unit_test(dfs_with_faults_is_the_same_however_memory_is_put_back),
    };

    return cmocka_run_group_tests(tests, register_onlooker, NULL);
}
