/* test_nodes.c - nodes that stop, crash and start again, and what happens to their machines, timers
 * and messages.
 *
 * Most tests try every schedule and every fault and compare the set of what was seen with what it
 * can be by hand. SPDX-License-Identifier: MIT
 */
#include "story.h"

#define SECOND UINT64_C(1000000000)

static const struct sn_event number_event = {.name = "Number", .size = sizeof(uint64_t)};
static const struct sn_event go_event = {.name = "Go"};
static const struct sn_event later_event = {.name = "Later"};
static const struct sn_event peer_event = {.name = "Peer", .size = sizeof(sn_id)};

static struct sn_test test_of(void (*run)(void), const struct sn_faults *faults)
{
    return (struct sn_test){.name = "nodes", .run = run, .world = SN_WORLD_TRIAL, .faults = faults};
}

/* ---- Machines ------------------------------------------------------------------------------- */

/* Tells that it has started, and what it gets. */
static void tell_start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("s");
}

static void tell_number(void *self, const void *payload)
{
    (void)self;
    tell("%llu", (unsigned long long)*(const uint64_t *)payload);
}

static const struct sn_state receiving = {
    .name = "Receiving",
    .entry = tell_start,
    .on = (const struct sn_on[]){{.event = &number_event, .run = tell_number}, {0}},
};
static const struct sn_machine receiver = {.name = "Receiver", .start = &receiving};

/* The same without the start. */
static const struct sn_state listening = {
    .name = "Listening",
    .on = (const struct sn_on[]){{.event = &number_event, .run = tell_number}, {0}},
};
static const struct sn_machine listener = {.name = "Receiver", .start = &listening};

/* Does something to a node when it is told to go, the first time only. */
struct direction {
    sn_node node;
    void (*act)(sn_node node);
    uint64_t n;
};

static const struct sn_event direction_event = {.name = "Direction",
                                                .size = sizeof(struct direction)};

static void take_direction(void *self, const void *payload)
{
    memcpy(self, payload, sizeof(struct direction));
}

static void act(void *self, const void *payload)
{
    struct direction *d = self;

    (void)payload;
    if (d->n++ == 0)
        d->act(d->node);
}

static const struct sn_state directing = {
    .name = "Directing",
    .entry = take_direction,
    .on = (const struct sn_on[]){{.event = &go_event, .run = act}, {0}},
};
static const struct sn_machine director = {.name = "Director",
                                           .size = sizeof(struct direction),
                                           .start = &directing,
                                           .birth = &direction_event};

/* Sends 1 and 2, then tells the director. */
struct plan {
    sn_id to;
    sn_id director;
};

static const struct sn_event plan_event = {.name = "Plan", .size = sizeof(struct plan)};

static void send_two(void *self, const void *payload)
{
    const struct plan *plan = payload;

    (void)self;
    sn_send(plan->to, &number_event, &(uint64_t){1});
    sn_send(plan->to, &number_event, &(uint64_t){2});
    sn_send(plan->director, &go_event, NULL);
}

static const struct sn_state sending = {.name = "Sending", .entry = send_two};
static const struct sn_machine sender = {.name = "Sender", .start = &sending, .birth = &plan_event};

static void crash_and_restart(sn_node node)
{
    sn_node_crash(node);
    sn_node_restart(node);
}

static void stop_and_restart(sn_node node)
{
    sn_node_stop(node);
    sn_node_restart(node);
}

/* ---- Messages to a node that goes down ------------------------------------------------------ */

static void run_down_receiver(void (*how)(sn_node node))
{
    sn_node r = sn_node_new("r");
    sn_id to = sn_create_on(r, &receiver, NULL);
    sn_id d = sn_create(&director, &(struct direction){r, how, 0});

    (void)sn_create_on(sn_node_new("s"), &sender, &(struct plan){to, d});
}

static void run_crashed_receiver(void)
{
    story_begin();
    run_down_receiver(crash_and_restart);
}

static void run_stopped_receiver(void)
{
    story_begin();
    run_down_receiver(stop_and_restart);
}

static const char lost_at_receiver[] = "s | s12s | s1s | ss";
static const char wait_for_restart[] = "s12 | s12s | s1s2 | s21 | s21s | s2s1 | ss12 | ss21";

static void a_fifo_link_loses_its_messages_with_the_receiver(void **unused)
{
    struct sn_test crashed = test_of(run_crashed_receiver, NULL);
    struct sn_test stopped = test_of(run_stopped_receiver, NULL);

    (void)unused;

    (void)stories_of(&crashed);
    assert_string_equal(stories_all(), lost_at_receiver);

    (void)stories_of(&stopped);
    assert_string_equal(stories_all(), lost_at_receiver);
}

static void datagrams_wait_until_the_receiver_is_back(void **unused)
{
    struct sn_test crashed = test_of(run_crashed_receiver, NULL);
    struct sn_test stopped = test_of(run_stopped_receiver, NULL);

    (void)unused;
    crashed.links = SN_UNORDERED;
    stopped.links = SN_UNORDERED;

    (void)stories_of(&crashed);
    assert_string_equal(stories_all(), wait_for_restart);

    (void)stories_of(&stopped);
    assert_string_equal(stories_all(), wait_for_restart);
}

static void an_inbox_is_lost_with_the_receiver(void **unused)
{
    struct sn_test crashed = test_of(run_crashed_receiver, NULL);
    struct sn_test stopped = test_of(run_stopped_receiver, NULL);

    (void)unused;
    crashed.links = SN_INBOX;
    stopped.links = SN_INBOX;

    (void)stories_of(&crashed);
    assert_string_equal(stories_all(), lost_at_receiver);

    (void)stories_of(&stopped);
    assert_string_equal(stories_all(), lost_at_receiver);
}

static void run_from_no_node(void)
{
    sn_node r = sn_node_new("r");
    sn_id to;
    sn_id d;

    story_begin();
    to = sn_create_on(r, &receiver, NULL);
    d = sn_create(&director, &(struct direction){r, crash_and_restart, 0});
    (void)sn_create(&sender, &(struct plan){to, d});
}

static void links_from_machines_on_no_node_are_the_same(void **unused)
{
    struct sn_test test = test_of(run_from_no_node, NULL);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), lost_at_receiver);

    test.links = SN_UNORDERED;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), wait_for_restart);
}

static void run_within_node(void)
{
    sn_node r = sn_node_new("r");
    sn_id to;
    sn_id d;

    story_begin();
    to = sn_create_on(r, &receiver, NULL);
    d = sn_create(&director, &(struct direction){r, sn_node_crash, 0});
    (void)sn_create_on(r, &sender, &(struct plan){to, d});
    sn_send(sn_create(&director, &(struct direction){r, sn_node_restart, 0}), &go_event, NULL);
}

static void datagrams_within_a_node_die_with_it(void **unused)
{
    struct sn_test test = test_of(run_within_node, NULL);

    (void)unused;
    test.links = SN_UNORDERED;

    (void)stories_of(&test);

    /* Once the sender has been born again its messages are new ones, and nobody crashes again. What
     * was sent before the crash never comes: there is no third number. */
    for (uint32_t i = 0; i < told->n; i++)
        assert_true(strlen(told->text[i]) <= 6);
    assert_true(stories_count("ss12") > 0);
    assert_true(stories_count("s12s12") > 0);
    assert_int_equal(stories_count("ss1212"), 0);
    assert_int_equal(stories_count("s1s212"), 0);
}

static void run_sent_while_down(void)
{
    sn_node r = sn_node_new("r");
    sn_id to;

    story_begin();
    to = sn_create_on(r, &receiver, NULL);
    sn_node_crash(r);
    sn_send(to, &number_event, &(uint64_t){1});
    sn_node_restart(r);
    sn_send(to, &number_event, &(uint64_t){2});
}

static void what_is_sent_to_a_node_that_is_down_is_dropped(void **unused)
{
    struct sn_test test = test_of(run_sent_while_down, NULL);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "s2");

    test.links = SN_UNORDERED;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), "s2");
}

/* ---- Messages from a node that goes down ---------------------------------------------------- */

static void run_down_sender(void (*how)(sn_node node))
{
    sn_node s = sn_node_new("s");
    sn_id to = sn_create_on(sn_node_new("r"), &listener, NULL);
    sn_id d = sn_create(&director, &(struct direction){s, how, 0});

    (void)sn_create_on(s, &sender, &(struct plan){to, d});
}

static void run_crashed_sender(void)
{
    story_begin();
    run_down_sender(sn_node_crash);
}

static void run_stopped_sender(void)
{
    story_begin();
    run_down_sender(sn_node_stop);
}

static void the_last_messages_of_a_fifo_link_may_be_lost_with_a_crashed_sender(void **unused)
{
    struct sn_test test = test_of(run_crashed_sender, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), " | 1 | 12");
}

static void a_sender_that_stops_loses_nothing(void **unused)
{
    struct sn_test test = test_of(run_stopped_sender, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "12");
}

static void nothing_happens_to_datagrams_of_a_crashed_sender(void **unused)
{
    struct sn_test test = test_of(run_crashed_sender, NULL);

    (void)unused;
    test.links = SN_UNORDERED;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "12 | 21");
}

static void nothing_happens_to_what_a_crashed_sender_has_put_into_an_inbox(void **unused)
{
    struct sn_test test = test_of(run_crashed_sender, NULL);

    (void)unused;
    test.links = SN_INBOX;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "12");
}

static void run_sender_to_no_node(void)
{
    sn_node s = sn_node_new("s");
    sn_id to;
    sn_id d;

    story_begin();
    to = sn_create(&listener, NULL);
    d = sn_create(&director, &(struct direction){s, sn_node_crash, 0});
    (void)sn_create_on(s, &sender, &(struct plan){to, d});
}

static void messages_to_machines_on_no_node_are_never_lost(void **unused)
{
    struct sn_test test = test_of(run_sender_to_no_node, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "12");
}

static void a_copy_may_be_lost_with_its_crashed_sender(void **unused)
{
    const struct sn_faults faults = {.duplicates = 1};
    struct sn_test test = test_of(run_crashed_sender, &faults);

    (void)unused;

    (void)stories_of(&test);

    /* Nothing, 1, or 12, and anywhere in it another 1 or 2. */
    assert_string_equal(stories_all(), " | 1 | 11 | 112 | 12 | 121 | 122 | 2 | 21 | 212");
}

static void a_copy_is_lost_with_its_receiver(void **unused)
{
    const struct sn_faults faults = {.duplicates = 1};
    struct sn_test test = test_of(run_crashed_receiver, &faults);

    (void)unused;

    (void)stories_of(&test);

    /* Nothing comes after the second start. */
    assert_string_equal(stories_all(),
                        "s | s112s | s11s | s121s | s122s | s12s | s1s | s212s | s21s | s2s | ss");
}

/* The sender creates its receiver on the other node, so its link begins with a start. */
static void create_and_send(void *self, const void *payload)
{
    const struct plan *plan = payload;
    sn_id to = sn_create_on((sn_node)plan->to, &receiver, NULL);

    (void)self;
    sn_send(to, &number_event, &(uint64_t){1});
    sn_send(plan->director, &go_event, NULL);
}

static const struct sn_state creating = {.name = "Creating", .entry = create_and_send};
static const struct sn_machine creator = {
    .name = "Creator", .start = &creating, .birth = &plan_event};

static void run_creator(void)
{
    sn_node r = sn_node_new("r");
    sn_node s = sn_node_new("s");
    sn_id d;

    story_begin();
    d = sn_create(&director, &(struct direction){s, sn_node_crash, 0});
    (void)sn_create_on(s, &creator, &(struct plan){r, d});
}

static void a_machine_starts_although_its_creator_has_crashed(void **unused)
{
    struct sn_test test = test_of(run_creator, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "s | s1");
}

/* ---- Born again ----------------------------------------------------------------------------- */

struct life {
    uint64_t lives;
    sn_id self;
    char *name;
};

struct birth {
    uint64_t value;
};

static const struct sn_event birth_event = {.name = "Birth", .size = sizeof(struct birth)};

static void live(void *self, const void *payload)
{
    struct life *l = self;
    const struct birth *birth = payload;

    sn_assert(l->lives == 0 && l->self == SN_NOBODY && l->name == NULL);
    l->lives++;
    l->self = sn_self();
    l->name = sn_alloc(10);
    tell("[%llu %u %s %u]", (unsigned long long)birth->value, sn_self(), sn_name(sn_self()),
         sn_sender());
}

static const struct sn_state living = {.name = "Living", .entry = live};
static const struct sn_machine resident = {
    .name = "Resident", .size = sizeof(struct life), .start = &living, .birth = &birth_event};

static void run_born_again(void)
{
    sn_node n = sn_node_new("n");
    struct birth birth = {7};
    sn_id d;

    story_begin();
    d = sn_create(&director, &(struct direction){n, crash_and_restart, 0}); /* machine 1 */
    (void)sn_create_on(n, &resident, &birth);                               /* machine 2 */
    birth.value = 8;
    sn_send(d, &go_event, NULL);
}

static void
a_resident_is_born_again_with_its_id_its_name_its_payload_and_nothing_else(void **unused)
{
    struct sn_test test = test_of(run_born_again, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "[7 2 Resident 0] | [7 2 Resident 0][7 2 Resident 0]");
}

static void fail_second_time(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assertf(story->used == 0, "%s started twice", sn_name(sn_self()));
    tell("s");
}

static const struct sn_state failing = {.name = "Failing", .entry = fail_second_time};
static const struct sn_machine fails_twice = {.name = "Resident", .start = &failing};

static void run_named(void)
{
    sn_node n = sn_node_new("n");
    sn_id d;

    story_begin();
    d = sn_create(&director, &(struct direction){n, crash_and_restart, 0});
    sn_set_name(sn_create_on(n, &fails_twice, NULL), "Bob");
    sn_send(d, &go_event, NULL);
}

static void a_name_that_the_test_gave_stays(void **unused)
{
    struct sn_test test = test_of(run_named, NULL);
    struct sn_options options = {.strategy = "dfs"};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, &options, &r), 0);

    assert_non_null(strstr(r.failure, "Bob started twice"));
}

/* A resident that makes a child, which gets a number from another node. */
struct parent {
    sn_id child;
};

static const struct sn_state child_state = {
    .name = "Child",
    .on = (const struct sn_on[]){{.event = &number_event, .run = tell_number}, {0}},
};
static const struct sn_machine child = {.name = "Child", .start = &child_state};

static void make_child(void *self, const void *payload)
{
    struct parent *p = self;

    p->child = sn_create(&child, NULL);
    sn_assert(sn_node_of(p->child) == sn_node_of(sn_self()));
    sn_send(*(const sn_id *)payload, &peer_event, &p->child);
}

static const struct sn_state parenting = {.name = "Parenting", .entry = make_child};
static const struct sn_machine parent = {
    .name = "Parent", .size = sizeof(struct parent), .start = &parenting, .birth = &peer_event};

/* Sends 1 to the first child that it hears of, 2 to the second, and tells the director. */
struct godmother {
    sn_id director;
    uint64_t n;
};

static void take_director(void *self, const void *payload)
{
    ((struct godmother *)self)->director = *(const sn_id *)payload;
}

static void on_child(void *self, const void *payload)
{
    struct godmother *g = self;

    g->n++;
    sn_send(*(const sn_id *)payload, &number_event, &g->n);
    sn_send(g->director, &go_event, NULL);
}

static const struct sn_state caring = {
    .name = "Caring",
    .entry = take_director,
    .on = (const struct sn_on[]){{.event = &peer_event, .run = on_child}, {0}},
};
static const struct sn_machine godmother = {
    .name = "Godmother", .size = sizeof(struct godmother), .start = &caring, .birth = &peer_event};

static void run_children(void)
{
    sn_node n = sn_node_new("n");
    sn_id d;
    sn_id g;

    story_begin();
    d = sn_create(&director, &(struct direction){n, crash_and_restart, 0});
    g = sn_create_on(sn_node_new("g"), &godmother, &d);
    (void)sn_create_on(n, &parent, &g);
}

static void a_machine_that_a_resident_made_dies_for_good_and_its_datagrams_with_it(void **unused)
{
    struct sn_test test = test_of(run_children, NULL);

    (void)unused;
    test.links = SN_UNORDERED;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "12 | 2");
}

/* Halts itself when it gets a number. */
static void tell_and_halt(void *self, const void *payload)
{
    tell_number(self, payload);
    sn_halt();
}

static const struct sn_state halting = {
    .name = "Halting",
    .entry = tell_start,
    .on = (const struct sn_on[]){{.event = &number_event, .run = tell_and_halt}, {0}},
};
static const struct sn_machine halter = {.name = "Receiver", .start = &halting};

static void run_halter(void)
{
    sn_node r = sn_node_new("r");
    sn_id to;
    sn_id d;

    story_begin();
    to = sn_create_on(r, &halter, NULL);
    d = sn_create(&director, &(struct direction){r, crash_and_restart, 0});
    (void)sn_create_on(sn_node_new("s"), &sender, &(struct plan){to, d});
}

static void a_resident_that_halted_itself_is_born_again_too(void **unused)
{
    struct sn_test test = test_of(run_halter, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "s | s1s | ss");
}

static void down_twice_and_up_twice(sn_node node)
{
    sn_node_crash(node);
    sn_node_crash(node);
    sn_node_stop(node);
    sn_assert(!sn_node_is_up(node));
    sn_node_restart(node);
    sn_node_restart(node);
    sn_assert(sn_node_is_up(node));
}

static void run_twice(void)
{
    story_begin();
    run_down_receiver(down_twice_and_up_twice);
}

static void what_is_down_cannot_crash_and_what_is_up_cannot_start(void **unused)
{
    struct sn_test test = test_of(run_twice, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), lost_at_receiver);
}

/* ---- Timers --------------------------------------------------------------------------------- */

/* Starts two timers when it is born: one of a second, one that may fire at any time. A machine that
 * is born again starts the first alone and tries to cancel those of its first life. */
static sn_timer first_timers[2]; /* the same in every trial */

static void start_timers(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    if (sn_true_time_ns() == 0) {
        first_timers[0] = sn_timer_start(&go_event, SECOND, NULL);
        first_timers[1] = sn_timer_start_any(&later_event, NULL);
        return;
    }
    sn_assert(!sn_timer_cancel(first_timers[0]));
    sn_assert(!sn_timer_cancel(first_timers[1]));
    (void)sn_timer_start(&go_event, SECOND, NULL);
}

static void tell_time(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("%llu", (unsigned long long)(sn_true_time_ns() / 1000000));
}

static void tell_later(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("later ");
}

static const struct sn_state timing = {
    .name = "Timing",
    .entry = start_timers,
    .on = (const struct sn_on[]){{.event = &go_event, .run = tell_time},
                                 {.event = &later_event, .run = tell_later},
                                 {0}},
};
static const struct sn_machine timed = {.name = "Timed", .start = &timing};

/* Crashes a node when it is told to, and restarts it half a second later. */
static void crash_for_a_while(sn_node node)
{
    tell("down ");
    sn_node_crash(node);
    (void)sn_timer_start(&later_event, SECOND / 2, NULL);
}

static void bring_back(void *self, const void *payload)
{
    (void)payload;
    sn_node_restart(((struct direction *)self)->node);
}

static const struct sn_state bringing = {
    .name = "Bringing",
    .entry = take_direction,
    .on = (const struct sn_on[]){{.event = &go_event, .run = act},
                                 {.event = &later_event, .run = bring_back},
                                 {0}},
};
static const struct sn_machine bringer = {.name = "Director",
                                          .size = sizeof(struct direction),
                                          .start = &bringing,
                                          .birth = &direction_event};

static void run_timers(void)
{
    sn_node n = sn_node_new("n");
    sn_id d;

    story_begin();
    (void)sn_create_on(n, &timed, NULL);
    d = sn_create(&bringer, &(struct direction){n, crash_for_a_while, 0});
    sn_send(d, &go_event, NULL);
}

static void timers_do_not_survive_a_crash(void **unused)
{
    struct sn_test test = test_of(run_timers, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "down 1500 | later down 1500");
}

/* ---- In the middle of a step ---------------------------------------------------------------- */

/* Sends three messages; marks how far it came. */
static void send_three(void *self, const void *payload)
{
    sn_id to = *(const sn_id *)payload;

    (void)self;
    for (uint64_t i = 0; i < 3; i++) {
        sn_send(to, &number_event, &i);
        story->text[i] = (char)('a' + i);
    }
}

static const struct sn_state three = {.name = "Three", .entry = send_three};
static const struct sn_machine three_sender = {
    .name = "Sender", .start = &three, .birth = &peer_event};

static void mark_number(void *self, const void *payload)
{
    uint64_t n = *(const uint64_t *)payload;

    (void)self;
    story->text[3 + n] = (char)('1' + n);
}

static const struct sn_state marking = {
    .name = "Marking",
    .on = (const struct sn_on[]){{.event = &number_event, .run = mark_number}, {0}},
};
static const struct sn_machine marker = {.name = "Receiver", .start = &marking};

static void run_three(void)
{
    sn_id to;

    story_begin();
    tell("......");
    to = sn_create(&marker, NULL);
    (void)sn_create_on(sn_node_new("n"), &three_sender, &to);
}

static void a_node_can_crash_after_each_message_that_a_handler_sends(void **unused)
{
    const struct sn_faults faults = {.crashes = 1};
    struct sn_test test = test_of(run_three, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "...... | ...1.. | a..12. | ab.123 | abc123");
}

/* Crashes its own node, asks whether that is up, and sends. */
static void crash_own(void *self, const void *payload)
{
    sn_id to = *(const sn_id *)payload;

    (void)self;
    sn_node_crash(sn_node_of(sn_self()));
    tell(sn_node_is_up(sn_node_of(sn_self())) ? "u" : "d");
    sn_send(to, &number_event, &(uint64_t){1});
    (void)sn_timer_start(&go_event, 0, NULL);
    tell("e");
}

static const struct sn_state suicidal = {
    .name = "Suicidal",
    .entry = crash_own,
    .on = (const struct sn_on[]){{.event = &number_event, .run = tell_number},
                                 {.event = &go_event, .run = tell_time},
                                 {0}},
};
static const struct sn_machine suicide = {
    .name = "Sender", .start = &suicidal, .birth = &peer_event};

static void run_suicide(void)
{
    sn_id to;

    story_begin();
    to = sn_create(&listener, NULL);
    sn_send(sn_create_on(sn_node_new("n"), &suicide, &to), &number_event, &(uint64_t){9});
}

static void a_machine_that_crashes_its_own_node_runs_on_to_the_end_of_its_step(void **unused)
{
    struct sn_test test = test_of(run_suicide, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "ue1");
}

/* In the middle of everything: a pushed state is being entered, an event has been raised, and its
 * handler has sent. */
static void send_one(void *self, const void *payload)
{
    (void)self;
    sn_send(*(const sn_id *)payload, &number_event, &(uint64_t){1});
    sn_pop();
}

static void raise_peer(void *self, const void *payload)
{
    (void)payload;
    sn_raise(&peer_event, self);
}

static const struct sn_state upper = {
    .name = "Upper",
    .entry = raise_peer,
    .on = (const struct sn_on[]){{.event = &peer_event, .run = send_one}, {0}},
};

static void take_peer(void *self, const void *payload)
{
    memcpy(self, payload, sizeof(sn_id));
}

static const struct sn_state lower = {
    .name = "Lower",
    .entry = take_peer,
    .on = (const struct sn_on[]){{.event = &go_event, .push = &upper}, {0}},
};
static const struct sn_machine layered = {
    .name = "Layered", .size = sizeof(sn_id), .start = &lower, .birth = &peer_event};

/* Says go at once and after ten seconds. */
static void say_go(void *self, const void *payload)
{
    sn_id *to = self;

    if (*to == SN_NOBODY) {
        *to = *(const sn_id *)payload;
        (void)sn_timer_start(&later_event, 10 * SECOND, NULL);
    }
    sn_send(*to, &go_event, NULL);
}

static const struct sn_state saying = {
    .name = "Saying",
    .entry = say_go,
    .on = (const struct sn_on[]){{.event = &later_event, .run = say_go}, {0}},
};
static const struct sn_machine sayer = {
    .name = "Sayer", .size = sizeof(sn_id), .start = &saying, .birth = &peer_event};

static void run_layered(void)
{
    sn_id to;
    sn_id l;

    story_begin();
    to = sn_create(&listener, NULL);
    l = sn_create_on(sn_node_new("n"), &layered, &to);
    (void)sn_create(&sayer, &l);
}

static void a_machine_that_crashed_while_it_changed_states_begins_in_its_first(void **unused)
{
    const struct sn_faults faults = {.crashes = 2, .down_ns = SECOND};
    struct sn_test test = test_of(run_layered, &faults);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.iterations = 20000});

    assert_string_equal(r.failure, "");
    assert_string_equal(stories_all(), " | 1 | 11");
}

/* ---- Faults and the test together ----------------------------------------------------------- */

/* Stops a node that is up, for good. */
static void stop_if_up(sn_node node)
{
    if (!sn_node_is_up(node))
        return;
    tell("X");
    sn_node_stop(node);
}

/* A resident that tells the director when it starts. */
static void start_and_say(void *self, const void *payload)
{
    (void)self;
    tell("s");
    sn_send(*(const sn_id *)payload, &go_event, NULL);
}

static const struct sn_state starting = {.name = "Starting", .entry = start_and_say};
static const struct sn_machine starter = {
    .name = "Starter", .start = &starting, .birth = &peer_event};

static void run_stop_for_good(void)
{
    sn_node n = sn_node_new("n");
    sn_id d;

    story_begin();
    d = sn_create(&director, &(struct direction){n, stop_if_up, 0});
    (void)sn_create_on(n, &starter, &d);
}

static void what_the_test_has_stopped_no_fault_starts_again(void **unused)
{
    const struct sn_faults faults = {.crashes = 1, .down_ns = SECOND};
    struct sn_test test = test_of(run_stop_for_good, &faults);

    (void)unused;

    (void)stories_of(&test);

    /* The director acts once: either the stop comes first, or it finds the node down. */
    assert_string_equal(stories_all(), "sX | ss");
}

/* The test restarts the node at once and stops it: the restart that a fault has planned is void. */
static void restart_and_stop(sn_node node)
{
    if (sn_node_is_up(node))
        return;
    sn_node_restart(node);
    sn_node_stop(node);
    tell("X");
}

static void run_restart_and_stop(void)
{
    sn_node n = sn_node_new("n");
    sn_id d;

    story_begin();
    d = sn_create(&director, &(struct direction){n, restart_and_stop, 0});
    (void)sn_create_on(n, &receiver, NULL);
    sn_send(d, &go_event, NULL);
}

static void a_planned_restart_is_void_when_the_test_takes_the_node_down_itself(void **unused)
{
    const struct sn_faults faults = {.crashes = 1, .down_ns = SECOND};
    struct sn_test test = test_of(run_restart_and_stop, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "X | s | sX | ss");
}

/* ---- Asking, and mistakes ------------------------------------------------------------------- */

static void run_questions(void)
{
    sn_node a = sn_node_new("node-%d", 1);
    sn_node b =
        sn_node_new("%s", "a name that is longer than what is kept of it, which is 63 bytes");
    sn_id on_a = sn_create_on(a, &listener, NULL);
    sn_id on_none = sn_create(&listener, NULL);

    sn_assert(a == 1 && b == 2);
    sn_assert(strcmp(sn_node_name(a), "node-1") == 0);
    sn_assert(strcmp(sn_node_name(b),
                     "a name that is longer than what is kept of it, which is 63 byte") == 0);
    sn_assert(sn_node_of(on_a) == a);
    sn_assert(sn_node_of(on_none) == SN_NO_NODE);
    sn_assert(sn_node_of(SN_NOBODY) == SN_NO_NODE);
    sn_assert(sn_node_is_up(a) && sn_node_is_up(b));
    sn_node_stop(b);
    sn_assert(sn_node_is_up(a) && !sn_node_is_up(b));
}

static void a_node_can_be_asked_for_its_name_its_machines_and_its_state(void **unused)
{
    struct sn_test test = test_of(run_questions, NULL);
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, &(struct sn_options){.iterations = 1}, &r), 0);

    assert_string_equal(r.failure, "");
}

static void run_create_on_down(void)
{
    sn_node n = sn_node_new("n");

    sn_node_stop(n);
    (void)sn_create_on(n, &listener, NULL);
}

static void run_no_such_node(void)
{
    sn_node_crash(sn_node_new("n") + 1);
}

static void run_too_many_nodes(void)
{
    for (int i = 0; i < 1025; i++)
        (void)sn_node_new("n%d", i);
}

static void mistakes_with_nodes_are_told(void **unused)
{
    struct sn_test down = test_of(run_create_on_down, NULL);
    struct sn_test missing = test_of(run_no_such_node, NULL);
    struct sn_test many = test_of(run_too_many_nodes, NULL);
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&down, NULL, &r), 0);
    assert_string_equal(r.failure, "usage: sn_create_on: node n is down");

    assert_int_equal(sn_run(&missing, NULL, &r), 0);
    assert_string_equal(r.failure, "usage: sn_node_crash: there is no node 2");

    assert_int_equal(sn_run(&many, NULL, &r), 0);
    assert_string_equal(r.failure, "limit: a trial has at most 1024 nodes");
}

static void ask(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_node_is_up(1);
}

static const struct sn_state asking = {.name = "Asking", .entry = ask};
static const struct sn_machine asker = {.name = "Asker", .start = &asking};

static void stop_first(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_node_stop(1);
}

static const struct sn_state stopping = {.name = "Stopping", .entry = stop_first};
static const struct sn_machine stopper = {.name = "Stopper", .start = &stopping};

static void run_askers(void)
{
    (void)sn_node_new("n");
    (void)sn_create(&asker, NULL);
    (void)sn_create(&asker, NULL);
    (void)sn_create(&stopper, NULL);
}

static void asking_before_and_after_a_stop_are_different_orders(void **unused)
{
    struct sn_test test = test_of(run_askers, NULL);
    struct sn_options options = {.strategy = "dfs", .iterations = 100};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, &options, &r), 0);

    /* Each of the two is before or after; which of them asks first does not matter. */
    assert_int_equal(r.trials, 6);
    assert_int_equal(r.distinct_orders, 4);
}

/* ---- Traces --------------------------------------------------------------------------------- */

static void refuse_number(void *self, const void *payload)
{
    (void)self;
    sn_assert(*(const uint64_t *)payload != 2);
}

static const struct sn_state refusing = {
    .name = "Refusing",
    .on = (const struct sn_on[]){{.event = &number_event, .run = refuse_number}, {0}},
};
static const struct sn_machine refuser = {.name = "Receiver", .start = &refusing};

/* Sends 1, is told to go when it has crashed the receiver, and sends 2. */
static void crash_between(void *self, const void *payload)
{
    sn_id to = *(const sn_id *)payload;

    (void)self;
    sn_send(to, &number_event, &(uint64_t){1});
    sn_node_crash(sn_node_of(to));
    sn_send(to, &number_event, &(uint64_t){3});
    sn_node_restart(sn_node_of(to));
    sn_node_stop(sn_node_of(to));
    sn_node_restart(sn_node_of(to));
    sn_send(to, &number_event, &(uint64_t){2});
}

static const struct sn_state between = {.name = "Between", .entry = crash_between};
static const struct sn_machine tormentor = {
    .name = "Tormentor", .start = &between, .birth = &peer_event};

static void run_tormented(void)
{
    sn_id to = sn_create_on(sn_node_new("r"), &refuser, NULL);

    (void)sn_create_on(sn_node_new("t"), &tormentor, &to);
}

static void a_trace_shows_which_nodes_went_down_and_up_and_what_was_lost(void **unused)
{
    struct sn_test test = test_of(run_tormented, NULL);

    (void)unused;

    assert_string_equal(faults_of_failing_trial(&test),
                        "r crashes; lost: Number from Tormentor to Receiver; r starts again; "
                        "r stops; r starts again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fifo_link_loses_its_messages_with_the_receiver),
        cmocka_unit_test(datagrams_wait_until_the_receiver_is_back),
        cmocka_unit_test(an_inbox_is_lost_with_the_receiver),
        cmocka_unit_test(links_from_machines_on_no_node_are_the_same),
        cmocka_unit_test(datagrams_within_a_node_die_with_it),
        cmocka_unit_test(what_is_sent_to_a_node_that_is_down_is_dropped),
        cmocka_unit_test(the_last_messages_of_a_fifo_link_may_be_lost_with_a_crashed_sender),
        cmocka_unit_test(a_sender_that_stops_loses_nothing),
        cmocka_unit_test(nothing_happens_to_datagrams_of_a_crashed_sender),
        cmocka_unit_test(nothing_happens_to_what_a_crashed_sender_has_put_into_an_inbox),
        cmocka_unit_test(messages_to_machines_on_no_node_are_never_lost),
        cmocka_unit_test(a_copy_may_be_lost_with_its_crashed_sender),
        cmocka_unit_test(a_copy_is_lost_with_its_receiver),
        cmocka_unit_test(a_machine_starts_although_its_creator_has_crashed),
        cmocka_unit_test(
            a_resident_is_born_again_with_its_id_its_name_its_payload_and_nothing_else),
        cmocka_unit_test(a_name_that_the_test_gave_stays),
        cmocka_unit_test(a_machine_that_a_resident_made_dies_for_good_and_its_datagrams_with_it),
        cmocka_unit_test(a_resident_that_halted_itself_is_born_again_too),
        cmocka_unit_test(what_is_down_cannot_crash_and_what_is_up_cannot_start),
        cmocka_unit_test(timers_do_not_survive_a_crash),
        cmocka_unit_test(a_node_can_crash_after_each_message_that_a_handler_sends),
        cmocka_unit_test(a_machine_that_crashes_its_own_node_runs_on_to_the_end_of_its_step),
        cmocka_unit_test(a_machine_that_crashed_while_it_changed_states_begins_in_its_first),
        cmocka_unit_test(what_the_test_has_stopped_no_fault_starts_again),
        cmocka_unit_test(a_planned_restart_is_void_when_the_test_takes_the_node_down_itself),
        cmocka_unit_test(a_node_can_be_asked_for_its_name_its_machines_and_its_state),
        cmocka_unit_test(mistakes_with_nodes_are_told),
        cmocka_unit_test(asking_before_and_after_a_stop_are_different_orders),
        cmocka_unit_test(a_trace_shows_which_nodes_went_down_and_up_and_what_was_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
