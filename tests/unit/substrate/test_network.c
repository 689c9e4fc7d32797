/* test_network.c - links and their orders; messages that are lost, doubled, late, cut off or held.
 *
 * Most tests try every schedule and every fault and compare the set of what the receiver saw with
 * what it can be by hand. SPDX-License-Identifier: MIT
 */
#include "story.h"

#define SECOND UINT64_C(1000000000)

static const struct sn_event number_event = {.name = "Number", .size = sizeof(uint64_t)};
static const struct sn_event go_event = {.name = "Go"};

/* ---- Machines ------------------------------------------------------------------------------- */

/* What a sender sends, and to whom. */
struct plan {
    sn_id to;
    uint64_t numbers[4]; /* up to the first 0 */
};

static const struct sn_event plan_event = {.name = "Plan", .size = sizeof(struct plan)};

static void send_all(void *self, const void *payload)
{
    const struct plan *plan = payload;

    (void)self;
    for (int i = 0; i < 4 && plan->numbers[i] != 0; i++)
        sn_send(plan->to, &number_event, &plan->numbers[i]);
}

static const struct sn_state sending = {.name = "Sending", .entry = send_all};
static const struct sn_machine sender = {.name = "Sender", .start = &sending, .birth = &plan_event};

static void tell_number(void *self, const void *payload)
{
    (void)self;
    tell("%llu", (unsigned long long)*(const uint64_t *)payload);
}

static const struct sn_state receiving = {
    .name = "Receiving",
    .on = (const struct sn_on[]){{.event = &number_event, .run = tell_number}, {0}},
};
static const struct sn_machine receiver = {.name = "Receiver", .start = &receiving};

/* A receiver that also hears a timer after a second. */
static void start_second(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start(&go_event, SECOND, NULL);
}

static void tell_timer(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("t");
}

static const struct sn_state timing = {
    .name = "Timing",
    .entry = start_second,
    .on = (const struct sn_on[]){{.event = &number_event, .run = tell_number},
                                 {.event = &go_event, .run = tell_timer},
                                 {0}},
};
static const struct sn_machine timed_receiver = {.name = "Receiver", .start = &timing};

static struct sn_test test_of(void (*run)(void), const struct sn_faults *faults)
{
    return (struct sn_test){
        .name = "network", .run = run, .world = SN_WORLD_TRIAL, .faults = faults};
}

/* ---- Orders --------------------------------------------------------------------------------- */

/* Two senders, two messages each, one receiver, each on a node of its own. */
static sn_id create_pairs(const struct sn_machine *type, sn_id senders[2])
{
    sn_id to = sn_create_on(sn_node_new("c"), type, NULL);

    senders[0] = sn_create_on(sn_node_new("a"), &sender, &(struct plan){to, {1, 2}});
    senders[1] = sn_create_on(sn_node_new("b"), &sender, &(struct plan){to, {3, 4}});
    return to;
}

static void run_pairs(void)
{
    sn_id senders[2];

    story_begin();
    (void)create_pairs(&receiver, senders);
}

static void run_pairs_without_nodes(void)
{
    sn_id to;

    story_begin();
    to = sn_create(&receiver, NULL);
    (void)sn_create(&sender, &(struct plan){to, {1, 2}});
    (void)sn_create(&sender, &(struct plan){to, {3, 4}});
}

static const char two_fifo_pairs[] = "1234 | 1324 | 1342 | 3124 | 3142 | 3412";

static void a_fifo_link_keeps_the_order_of_each_pair(void **unused)
{
    struct sn_test test = test_of(run_pairs, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), two_fifo_pairs);
}

static void an_unordered_link_allows_every_order(void **unused)
{
    struct sn_test test = test_of(run_pairs, NULL);

    (void)unused;
    test.links = SN_UNORDERED;

    (void)stories_of(&test);

    assert_int_equal(told->n, 24);
    assert_true(stories_count("4321") > 0);
}

static void an_inbox_keeps_the_order_over_all_senders(void **unused)
{
    struct sn_test test = test_of(run_pairs, NULL);

    (void)unused;
    test.links = SN_INBOX;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "1234 | 3412");
}

static void orders_hold_for_machines_on_no_node(void **unused)
{
    struct sn_test test = test_of(run_pairs_without_nodes, NULL);

    (void)unused;

    test.links = SN_UNORDERED;
    (void)stories_of(&test);
    assert_int_equal(told->n, 24);

    test.links = SN_INBOX;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), "1234 | 3412");
}

static void run_one_unordered(void)
{
    sn_id senders[2];
    sn_id to;

    story_begin();
    to = create_pairs(&receiver, senders);
    sn_link_order(senders[0], to, SN_UNORDERED);
}

static void one_link_can_have_an_order_of_its_own(void **unused)
{
    struct sn_test test = test_of(run_one_unordered, NULL);

    (void)unused;

    (void)stories_of(&test);

    /* 3 before 4, all else in any order. */
    assert_int_equal(told->n, 12);
    assert_true(stories_count("2134") > 0);
    assert_true(stories_count("3421") > 0);
    assert_int_equal(stories_count("1243"), 0);
}

static void run_any_sender(void)
{
    sn_id senders[2];
    sn_id to;

    story_begin();
    to = create_pairs(&receiver, senders);
    sn_link_order(SN_NOBODY, to, SN_INBOX);
    sn_link_order(SN_NOBODY, senders[0], SN_UNORDERED); /* concerns nobody here */
}

static void a_link_order_can_be_given_for_all_senders(void **unused)
{
    struct sn_test test = test_of(run_any_sender, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "1234 | 3412");
}

static void run_last_word(void)
{
    sn_id senders[2];
    sn_id to;

    story_begin();
    to = create_pairs(&receiver, senders);
    sn_link_order(senders[0], to, SN_UNORDERED);
    sn_link_order(SN_NOBODY, SN_NOBODY, SN_FIFO);
}

static void what_is_said_last_of_a_link_counts(void **unused)
{
    struct sn_test test = test_of(run_last_word, NULL);

    (void)unused;
    test.links = SN_INBOX;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), two_fifo_pairs);
}

static void send_then_change(void *self, const void *payload)
{
    const struct plan *plan = payload;

    (void)self;
    sn_send(plan->to, &number_event, &(uint64_t){1});
    sn_send(plan->to, &number_event, &(uint64_t){2});
    sn_link_order(sn_self(), plan->to, SN_UNORDERED);
    sn_send(plan->to, &number_event, &(uint64_t){3});
    sn_send(plan->to, &number_event, &(uint64_t){4});
}

static const struct sn_state changing = {.name = "Changing", .entry = send_then_change};
static const struct sn_machine changer = {
    .name = "Sender", .start = &changing, .birth = &plan_event};

static void run_change(void)
{
    story_begin();
    (void)sn_create(&changer, &(struct plan){.to = sn_create(&receiver, NULL)});
}

static void an_order_is_for_messages_sent_from_now_on(void **unused)
{
    struct sn_test test = test_of(run_change, NULL);

    (void)unused;

    (void)stories_of(&test);

    /* 1 before 2; 3 and 4 anywhere. */
    assert_int_equal(told->n, 12);
    assert_true(stories_count("4312") > 0);
    assert_int_equal(stories_count("2134"), 0);
}

static void run_no_such_machine(void)
{
    sn_link_order(1, 7, SN_INBOX);
}

static void a_link_to_nowhere_is_refused(void **unused)
{
    struct sn_test test = test_of(run_no_such_machine, NULL);
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, NULL, &r), 0);

    assert_string_equal(r.failure,
                        "usage: sn_link_order: there is no such machine, or no such order");
}

/* ---- Loss ----------------------------------------------------------------------------------- */

/* One sender, whose one step sends 1 and 2, one receiver, on two nodes. */
static void run_one_pair(void)
{
    sn_id to;

    story_begin();
    to = sn_create_on(sn_node_new("r"), &receiver, NULL);
    (void)sn_create_on(sn_node_new("s"), &sender, &(struct plan){to, {1, 2}});
}

static void each_message_of_a_step_can_be_the_one_that_is_lost(void **unused)
{
    const struct sn_faults faults = {.drops = 1};
    struct sn_test test = test_of(run_one_pair, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "1 | 12 | 2");
}

static void two_drops_can_lose_two_messages(void **unused)
{
    const struct sn_faults faults = {.drops = 2};
    struct sn_test test = test_of(run_one_pair, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), " | 1 | 12 | 2");
}

/* ---- Duplicates ----------------------------------------------------------------------------- */

static void a_second_copy_arrives_at_any_time(void **unused)
{
    const struct sn_faults faults = {.duplicates = 1};
    struct sn_test test = test_of(run_one_pair, &faults);

    (void)unused;

    (void)stories_of(&test);

    /* The copy goes its own way, the originals stay in order. */
    assert_string_equal(stories_all(), "112 | 12 | 121 | 122 | 212");
}

struct blob {
    unsigned char bytes[500];
};

static const struct sn_event blob_event = {.name = "Blob", .size = sizeof(struct blob)};

static void send_blob(void *self, const void *payload)
{
    struct blob blob;

    (void)self;
    for (size_t i = 0; i < sizeof(blob.bytes); i++)
        blob.bytes[i] = (unsigned char)(i * 7);
    sn_send(*(const sn_id *)payload, &blob_event, &blob);
}

static const struct sn_event peer_event = {.name = "Peer", .size = sizeof(sn_id)};
static const struct sn_state blobbing = {.name = "Blobbing", .entry = send_blob};
static const struct sn_machine blob_sender = {
    .name = "Sender", .start = &blobbing, .birth = &peer_event};

static void check_blob(void *self, const void *payload)
{
    const struct blob *blob = payload;

    (void)self;
    for (size_t i = 0; i < sizeof(blob->bytes); i++)
        sn_assert(blob->bytes[i] == (unsigned char)(i * 7));
    tell("b");
}

static const struct sn_state blob_receiving = {
    .name = "Receiving",
    .on = (const struct sn_on[]){{.event = &blob_event, .run = check_blob}, {0}},
};
static const struct sn_machine blob_receiver = {.name = "Receiver", .start = &blob_receiving};

static void run_blob(void)
{
    sn_id to;

    story_begin();
    to = sn_create_on(sn_node_new("r"), &blob_receiver, NULL);
    (void)sn_create_on(sn_node_new("s"), &blob_sender, &to);
}

static void a_copy_has_the_whole_payload(void **unused)
{
    const struct sn_faults faults = {.duplicates = 1};
    struct sn_test test = test_of(run_blob, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "b | bb");
}

/* ---- Delays --------------------------------------------------------------------------------- */

static void run_late(void)
{
    sn_id to;

    story_begin();
    to = sn_create_on(sn_node_new("r"), &timed_receiver, NULL);
    (void)sn_create_on(sn_node_new("s"), &sender, &(struct plan){to, {1, 2}});
}

/* Of no part of it is a second a multiple: what is late never arrives just as the timer fires. */
static const struct sn_faults one_delay = {.delays = 1, .delay_ns = 3 * SECOND};

static void what_follows_a_late_message_is_late_and_what_precedes_it_is_not(void **unused)
{
    struct sn_test test = test_of(run_late, &one_delay);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "12t | 1t2 | t12");
}

static void a_late_datagram_is_late_alone(void **unused)
{
    struct sn_test test = test_of(run_late, &one_delay);

    (void)unused;
    test.links = SN_UNORDERED;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "12t | 1t2 | 21t | 2t1");
}

static void run_late_inbox(void)
{
    sn_id to;

    story_begin();
    to = sn_create_on(sn_node_new("r"), &timed_receiver, NULL);
    (void)sn_create_on(sn_node_new("s"), &sender, &(struct plan){to, {1}});
    (void)sn_create_on(sn_node_new("o"), &sender, &(struct plan){to, {3}});
}

static void in_an_inbox_what_others_send_waits_behind_a_late_message(void **unused)
{
    struct sn_test test = test_of(run_late_inbox, &one_delay);

    (void)unused;
    test.links = SN_INBOX;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "13t | 1t3 | 31t | 3t1 | t13 | t31");
}

/* On no node, so that faults leave it alone: sends 3, then cuts off the first node. */
static void send_and_cut(void *self, const void *payload)
{
    (void)self;
    sn_send(*(const sn_id *)payload, &number_event, &(uint64_t){3});
    sn_cut(1);
}

static const struct sn_state sawing = {.name = "Sawing", .entry = send_and_cut};
static const struct sn_machine sawyer = {.name = "Sawyer", .start = &sawing, .birth = &peer_event};

static void run_late_and_cut(void)
{
    sn_node s = sn_node_new("s");
    sn_id to;

    story_begin();
    to = sn_create_on(sn_node_new("r"), &timed_receiver, NULL);
    (void)sn_create_on(s, &sender, &(struct plan){to, {1}});
    (void)sn_create(&sawyer, &to);
}

static void what_waits_behind_a_late_message_does_so_although_that_is_cut_off(void **unused)
{
    struct sn_test test = test_of(run_late_and_cut, &one_delay);

    (void)unused;
    test.links = SN_INBOX;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "13t | 3t | t3");
}

static void tell_milliseconds(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("%llu", (unsigned long long)(sn_true_time_ns() / 1000000));
}

static const struct sn_state clocking = {
    .name = "Clocking",
    .on = (const struct sn_on[]){{.event = &number_event, .run = tell_milliseconds}, {0}},
};
static const struct sn_machine clocked_receiver = {.name = "Receiver", .start = &clocking};

static void run_clocked(void)
{
    sn_id to;

    story_begin();
    to = sn_create_on(sn_node_new("r"), &clocked_receiver, NULL);
    (void)sn_create_on(sn_node_new("s"), &sender, &(struct plan){to, {1}});
}

static void a_message_is_delayed_by_at_most_a_second_unless_the_test_says_otherwise(void **unused)
{
    const struct sn_faults by_default = {.delays = 1};
    const struct sn_faults shorter = {.delays = 1, .delay_ns = 80000000};
    struct sn_test test = test_of(run_clocked, &by_default);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "0 | 1000 | 125 | 250 | 375 | 500 | 625 | 750 | 875");

    test.faults = &shorter;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), "0 | 10 | 20 | 30 | 40 | 50 | 60 | 70 | 80");
}

/* Sends 1, then 2 a second later. */
struct slow_sender {
    sn_id to;
};

static void send_first(void *self, const void *payload)
{
    struct slow_sender *s = self;

    s->to = *(const sn_id *)payload;
    sn_send(s->to, &number_event, &(uint64_t){1});
    (void)sn_timer_start(&go_event, SECOND, NULL);
}

static void send_second(void *self, const void *payload)
{
    const struct slow_sender *s = self;

    (void)payload;
    sn_send(s->to, &number_event, &(uint64_t){2});
}

static const struct sn_state slow_sending = {
    .name = "Sending",
    .entry = send_first,
    .on = (const struct sn_on[]){{.event = &go_event, .run = send_second}, {0}},
};
static const struct sn_machine slow_sender = {.name = "Sender",
                                              .size = sizeof(struct slow_sender),
                                              .start = &slow_sending,
                                              .birth = &peer_event};

static void run_slow(void)
{
    sn_id to;

    story_begin();
    to = sn_create_on(sn_node_new("r"), &receiver, NULL);
    (void)sn_create_on(sn_node_new("s"), &slow_sender, &to);
}

static void messages_sent_later_never_overtake_a_late_one_on_an_ordered_link(void **unused)
{
    struct sn_test test = test_of(run_slow, &one_delay);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "12");

    test.links = SN_UNORDERED;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), "12 | 21");
}

static void a_late_message_can_be_lost_and_what_waits_behind_it_still_arrives(void **unused)
{
    const struct sn_faults faults = {.delays = 1, .drops = 1, .delay_ns = 3 * SECOND};
    struct sn_test test = test_of(run_late, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "12t | 1t | 1t2 | 2t | t1 | t12 | t2");
}

/* ---- Partitions ----------------------------------------------------------------------------- */

static void a_cut_loses_what_is_in_flight_and_what_is_sent(void **unused)
{
    const struct sn_faults faults = {.partitions = 1};
    struct sn_test test = test_of(run_one_pair, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), " | 1 | 12");
}

static void a_cut_that_holds_keeps_what_is_in_flight_and_what_is_sent(void **unused)
{
    const struct sn_faults faults = {.partitions = 1, .partition_ns = SECOND, .cut_holds = true};
    struct sn_test test = test_of(run_late, &faults);

    (void)unused;

    (void)stories_of(&test);

    /* Lasts a second at most: held messages come before or just after the timer. */
    assert_string_equal(stories_all(), "12t | 1t2 | t12");
}

/* Sends 0, 1, 2, 3, a second after another. */
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
    if (++k->next < 4)
        (void)sn_timer_start(&go_event, SECOND, NULL);
}

static const struct sn_state ticking = {
    .name = "Ticking",
    .entry = tick,
    .on = (const struct sn_on[]){{.event = &go_event, .run = tick}, {0}},
};
static const struct sn_machine ticker = {
    .name = "Ticker", .size = sizeof(struct ticker), .start = &ticking, .birth = &peer_event};

static void run_ticks(void)
{
    sn_id to;

    story_begin();
    to = sn_create_on(sn_node_new("r"), &receiver, NULL);
    (void)sn_create_on(sn_node_new("s"), &ticker, &to);
}

static void a_partition_heals_after_at_most_partition_ns(void **unused)
{
    const struct sn_faults faults = {.partitions = 1, .partition_ns = SECOND};
    struct sn_test test = test_of(run_ticks, &faults);

    (void)unused;

    (void)stories_of(&test);

    /* A second holds at most two ticks. */
    assert_string_equal(stories_all(), "01 | 012 | 0123 | 013 | 023 | 03 | 123 | 23");
}

/* Three machines, each of which sends one message to each of the others when a timer fires. */
struct peer {
    uint64_t self;
    uint64_t n;
    sn_id others[3];
};

struct hello {
    uint64_t from;
};

static const struct sn_event hello_event = {.name = "Hello", .size = sizeof(struct hello)};
static const struct sn_event peers_event = {.name = "Peers", .size = sizeof(struct peer)};

static void meet(void *self, const void *payload)
{
    memcpy(self, payload, sizeof(struct peer));
    (void)sn_timer_start(&go_event, SECOND, NULL);
}

static void greet(void *self, const void *payload)
{
    const struct peer *p = self;

    (void)payload;
    for (uint64_t i = 0; i < 3; i++) {
        if (i != p->self)
            sn_send(p->others[i], &hello_event, &(struct hello){p->self});
    }
}

/* Leaves a mark at its place. */
static void on_hello(void *self, const void *payload)
{
    const struct peer *p = self;
    const struct hello *hello = payload;

    story->text[hello->from * 4 + p->self] = 'x';
}

static const struct sn_state meeting = {
    .name = "Meeting",
    .on = (const struct sn_on[]){{.event = &peers_event, .run = meet},
                                 {.event = &go_event, .run = greet},
                                 {.event = &hello_event, .run = on_hello},
                                 {0}},
};
static const struct sn_machine peer_machine = {
    .name = "Peer", .size = sizeof(struct peer), .start = &meeting};

static void run_peers(void)
{
    struct peer p = {.n = 3};

    story_begin();
    tell("... ... ...");
    for (int i = 0; i < 3; i++)
        p.others[i] = sn_create_on(sn_node_new("n%d", i), &peer_machine, NULL);
    for (p.self = 0; p.self < 3; p.self++)
        sn_send(p.others[p.self], &peers_event, &p);
}

static void a_partition_cuts_the_nodes_in_any_two_parts(void **unused)
{
    const struct sn_faults faults = {.partitions = 1, .horizon = 1};
    struct sn_test test = test_of(run_peers, &faults);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.iterations = 3000});

    assert_string_equal(r.failure, "");
    assert_true(stories_count("... ..x .x.") > 0); /* n0 alone */
    assert_true(stories_count("..x ... x..") > 0); /* n1 alone */
    assert_true(stories_count(".x. x.. ...") > 0); /* n2 alone */
    assert_true(stories_count(".xx x.x xx.") > 0); /* too late to matter */
    assert_int_equal(stories_count("... ... ..."), 0);
}

/* Cuts in the run function, heals when its timer fires, and sends then. */
static void heal_and_send(void *self, const void *payload)
{
    (void)payload;
    sn_heal();
    send_second(self, NULL);
}

static const struct sn_state healing = {
    .name = "Healing",
    .entry = send_first,
    .on = (const struct sn_on[]){{.event = &go_event, .run = heal_and_send}, {0}},
};
static const struct sn_machine healer = {
    .name = "Healer", .size = sizeof(struct slow_sender), .start = &healing, .birth = &peer_event};

static void run_cut_and_heal(void)
{
    sn_id to;

    story_begin();
    to = sn_create_on(sn_node_new("r"), &receiver, NULL);
    (void)sn_create_on(sn_node_new("s"), &healer, &to);
    sn_cut(UINT64_C(1) << 1);
}

static void a_test_can_cut_and_heal_the_network_itself(void **unused)
{
    const struct sn_faults holds = {.cut_holds = true};
    struct sn_test test = test_of(run_cut_and_heal, NULL);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "2");

    test.faults = &holds;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), "12");
}

/* The receiver defers Number until it has seen Go, which comes from its own node. */
static const struct sn_state open_state = {
    .name = "Open",
    .on = (const struct sn_on[]){{.event = &number_event, .run = tell_number}, {0}}};
static const struct sn_state closed_state = {
    .name = "Closed",
    .on = (const struct sn_on[]){{.event = &number_event, .defer = true},
                                 {.event = &go_event, .go_to = &open_state},
                                 {0}},
};
static const struct sn_machine deferring = {.name = "Receiver", .start = &closed_state};

static void run_deferring(void)
{
    sn_id to;

    story_begin();
    to = sn_create_on(sn_node_new("r"), &deferring, NULL);
    (void)sn_create_on(sn_node_new("s"), &sender, &(struct plan){to, {1, 2}});
    sn_send(to, &go_event, NULL);
}

static void what_is_held_and_deferred_keeps_its_order(void **unused)
{
    const struct sn_faults faults = {.partitions = 1, .partition_ns = SECOND, .cut_holds = true};
    struct sn_test test = test_of(run_deferring, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "12");
}

static void tell_start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("s");
}

static const struct sn_state announcing = {
    .name = "Announcing",
    .entry = tell_start,
    .on = (const struct sn_on[]){{.event = &number_event, .run = tell_number}, {0}},
};
static const struct sn_machine announcer = {.name = "Receiver", .start = &announcing};

static void run_heal_before_start(void)
{
    sn_node s = sn_node_new("s");
    sn_id to;

    story_begin();
    sn_cut(1);
    to = sn_create_on(sn_node_new("r"), &announcer, NULL);
    (void)sn_create_on(s, &sender, &(struct plan){to, {1}});
    sn_heal();
}

static void a_machine_that_has_not_started_gets_nothing_when_a_cut_heals(void **unused)
{
    const struct sn_faults faults = {.cut_holds = true};
    struct sn_test test = test_of(run_heal_before_start, &faults);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "s1");
}

static void start_and_cut(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start(&go_event, 0, NULL);
    sn_cut(1);
}

static const struct sn_state cutting = {
    .name = "Cutting",
    .entry = start_and_cut,
    .on = (const struct sn_on[]){{.event = &number_event, .run = tell_number},
                                 {.event = &go_event, .run = tell_timer},
                                 {0}},
};
static const struct sn_machine cutter = {.name = "Cutter", .start = &cutting};

static void run_cutter(void)
{
    story_begin();
    sn_send(sn_create_on(sn_node_new("n"), &cutter, NULL), &number_event, &(uint64_t){1});
}

static void a_cut_leaves_timers_alone(void **unused)
{
    struct sn_test test = test_of(run_cutter, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "1t");
}

static void run_65_nodes(void)
{
    sn_node first = sn_node_new("n1");
    sn_node second = sn_node_new("n2");
    sn_id to;

    story_begin();
    for (int i = 3; i <= 64; i++)
        (void)sn_node_new("n%d", i);
    sn_cut(1);
    to = sn_create_on(sn_node_new("n65"), &receiver, NULL);
    (void)sn_create_on(first, &sender, &(struct plan){to, {1}});
    (void)sn_create_on(second, &sender, &(struct plan){to, {2}});
}

static void a_node_made_after_a_cut_is_on_the_other_side(void **unused)
{
    struct sn_test test = test_of(run_65_nodes, NULL);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "2");
}

static void run_cut_of_too_many(void)
{
    for (int i = 1; i <= 65; i++)
        (void)sn_node_new("n%d", i);
    sn_cut(1);
}

static void only_64_nodes_can_be_cut(void **unused)
{
    struct sn_test test = test_of(run_cut_of_too_many, NULL);
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, NULL, &r), 0);

    assert_string_equal(r.failure, "usage: sn_cut needs at least one node and at most 64");
}

/* ---- Only between nodes --------------------------------------------------------------------- */

static const struct sn_faults everything = {
    .drops = 1, .duplicates = 1, .delays = 1, .partitions = 1};

static void run_on_one_node(void)
{
    sn_node node;
    sn_id to;

    story_begin();
    node = sn_node_new("n");
    to = sn_create_on(node, &receiver, NULL);
    (void)sn_create_on(node, &sender, &(struct plan){to, {1, 2}});
    (void)sn_node_new("other");
}

static void messages_within_a_node_are_left_alone(void **unused)
{
    struct sn_test test = test_of(run_on_one_node, &everything);

    (void)unused;

    (void)stories_of(&test);

    assert_string_equal(stories_all(), "12");
}

static void run_half_on_nodes(void)
{
    sn_id on_node;
    sn_id on_none;

    story_begin();
    on_node = sn_create_on(sn_node_new("n"), &receiver, NULL);
    on_none = sn_create(&receiver, NULL);
    (void)sn_create(&sender, &(struct plan){on_node, {1}});
    (void)sn_create_on(sn_node_new("m"), &sender, &(struct plan){on_none, {2}});
}

static void messages_from_and_to_machines_on_no_node_are_left_alone(void **unused)
{
    struct sn_test test = test_of(run_half_on_nodes, &everything);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.iterations = 5000});

    assert_string_equal(r.failure, "");
    assert_string_equal(stories_all(), "12 | 21");
}

/* ---- Traces --------------------------------------------------------------------------------- */

/* Fails unless 1 and 2 have arrived, in this order and once, when its timer fires. */
struct checker {
    uint64_t got;
};

static void keep(void *self, const void *payload)
{
    struct checker *c = self;

    c->got = c->got * 10 + *(const uint64_t *)payload;
}

static void check(void *self, const void *payload)
{
    const struct checker *c = self;

    (void)payload;
    sn_assert(c->got == 12);
}

static const struct sn_state checking = {
    .name = "Checking",
    .entry = start_second,
    .on = (const struct sn_on[]){{.event = &number_event, .run = keep},
                                 {.event = &go_event, .run = check},
                                 {0}},
};
static const struct sn_machine checker = {
    .name = "Checker", .size = sizeof(struct checker), .start = &checking};

static void run_checked(void)
{
    sn_id to = sn_create_on(sn_node_new("r"), &checker, NULL);

    (void)sn_create_on(sn_node_new("s"), &sender, &(struct plan){to, {1, 2}});
}

static void a_trace_shows_what_was_lost(void **unused)
{
    const struct sn_faults faults = {.drops = 1};
    struct sn_test test = test_of(run_checked, &faults);

    (void)unused;

    assert_string_equal(faults_of_failing_trial(&test), "lost: Number from Sender to Checker");
}

static void a_trace_shows_what_was_duplicated(void **unused)
{
    const struct sn_faults faults = {.duplicates = 1};
    struct sn_test test = test_of(run_checked, &faults);

    (void)unused;

    assert_string_equal(faults_of_failing_trial(&test),
                        "duplicated: Number from Sender to Checker");
}

static void a_trace_shows_what_was_delayed(void **unused)
{
    struct sn_test test = test_of(run_checked, &one_delay);

    (void)unused;

    assert_string_equal(faults_of_failing_trial(&test), "delayed: Number from Sender to Checker");
}

static void a_trace_shows_how_the_network_was_cut_and_what_was_cut_off(void **unused)
{
    const struct sn_faults faults = {.partitions = 1, .partition_ns = SECOND / 2};
    struct sn_test test = test_of(run_checked, &faults);

    (void)unused;

    assert_string_equal(faults_of_failing_trial(&test),
                        "the network is cut around r; cut-off: Number from Sender to Checker; "
                        "cut-off: Number from Sender to Checker; the network is whole again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fifo_link_keeps_the_order_of_each_pair),
        cmocka_unit_test(an_unordered_link_allows_every_order),
        cmocka_unit_test(an_inbox_keeps_the_order_over_all_senders),
        cmocka_unit_test(orders_hold_for_machines_on_no_node),
        cmocka_unit_test(one_link_can_have_an_order_of_its_own),
        cmocka_unit_test(a_link_order_can_be_given_for_all_senders),
        cmocka_unit_test(what_is_said_last_of_a_link_counts),
        cmocka_unit_test(an_order_is_for_messages_sent_from_now_on),
        cmocka_unit_test(a_link_to_nowhere_is_refused),
        cmocka_unit_test(each_message_of_a_step_can_be_the_one_that_is_lost),
        cmocka_unit_test(two_drops_can_lose_two_messages),
        cmocka_unit_test(a_second_copy_arrives_at_any_time),
        cmocka_unit_test(a_copy_has_the_whole_payload),
        cmocka_unit_test(what_follows_a_late_message_is_late_and_what_precedes_it_is_not),
        cmocka_unit_test(a_late_datagram_is_late_alone),
        cmocka_unit_test(in_an_inbox_what_others_send_waits_behind_a_late_message),
        cmocka_unit_test(what_waits_behind_a_late_message_does_so_although_that_is_cut_off),
        cmocka_unit_test(a_message_is_delayed_by_at_most_a_second_unless_the_test_says_otherwise),
        cmocka_unit_test(messages_sent_later_never_overtake_a_late_one_on_an_ordered_link),
        cmocka_unit_test(a_late_message_can_be_lost_and_what_waits_behind_it_still_arrives),
        cmocka_unit_test(a_cut_loses_what_is_in_flight_and_what_is_sent),
        cmocka_unit_test(a_cut_that_holds_keeps_what_is_in_flight_and_what_is_sent),
        cmocka_unit_test(a_partition_heals_after_at_most_partition_ns),
        cmocka_unit_test(a_partition_cuts_the_nodes_in_any_two_parts),
        cmocka_unit_test(a_test_can_cut_and_heal_the_network_itself),
        cmocka_unit_test(what_is_held_and_deferred_keeps_its_order),
        cmocka_unit_test(a_machine_that_has_not_started_gets_nothing_when_a_cut_heals),
        cmocka_unit_test(a_cut_leaves_timers_alone),
        cmocka_unit_test(a_node_made_after_a_cut_is_on_the_other_side),
        cmocka_unit_test(only_64_nodes_can_be_cut),
        cmocka_unit_test(messages_within_a_node_are_left_alone),
        cmocka_unit_test(messages_from_and_to_machines_on_no_node_are_left_alone),
        cmocka_unit_test(a_trace_shows_what_was_lost),
        cmocka_unit_test(a_trace_shows_what_was_duplicated),
        cmocka_unit_test(a_trace_shows_what_was_delayed),
        cmocka_unit_test(a_trace_shows_how_the_network_was_cut_and_what_was_cut_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
