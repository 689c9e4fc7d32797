/* test_processes.c - processes: what they send and receive, when they wait, how time passes.
 *
 * Most tests try every schedule and compare the set of what was seen with what it can be by hand;
 * searches with partial order reduction must see the same. SPDX-License-Identifier: MIT
 */
#include "engine/mem.h"
#include "flow.h"

#include <pthread.h>

/* ---- Selective receive ---------------------------------------------------------------------- */

static bool is_event(const struct sn_message *message, const void *event)
{
    return message->event == event;
}

static void pick_b_then_all(const void *payload)
{
    (void)payload;
    tell("%s", sn_receive(is_event, &b_event, SN_FOREVER)->event->name);
    for (int i = 0; i < 3; i++)
        tell("%s", flow_any()->event->name);
}

static const struct sn_process picker = {.name = "Picker", .run = pick_b_then_all};

static void send_acbb(const void *payload)
{
    sn_send(flow_whom(payload), &a_event, NULL);
    sn_send(flow_whom(payload), &c_event, NULL);
    sn_send(flow_whom(payload), &b_event, NULL);
    sn_send(flow_whom(payload), &b_event, NULL);
}

static const struct sn_process sender = {.name = "Sender", .run = send_acbb, .birth = &whom_event};

static void run_selective(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&picker, NULL);
    (void)sn_spawn(&sender, &to);
}

static void a_selective_receive_takes_the_first_match_and_leaves_the_rest_in_order(void **unused)
{
    struct sn_test test = flow_test(run_selective);

    (void)unused;

    assert_string_equal(flow_stories(&test), "bacb");
}

static void send_name_of_event(const void *payload)
{
    const sn_id to = flow_whom(payload);

    sn_send(to, &a_event, NULL);
    sn_send(to, &b_event, NULL);
}

static const struct sn_process ab = {.name = "Ab", .run = send_name_of_event, .birth = &whom_event};

static void send_c(const void *payload)
{
    sn_send(flow_whom(payload), &c_event, NULL);
}

static const struct sn_process c = {.name = "C", .run = send_c, .birth = &whom_event};

static void tell_three(const void *payload)
{
    (void)payload;
    for (int i = 0; i < 3; i++)
        tell("%s", flow_any()->event->name);
}

static const struct sn_process three = {.name = "Three", .run = tell_three};

static void run_two_senders(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&three, NULL);
    (void)sn_spawn(&ab, &to);
    (void)sn_spawn(&c, &to);
}

static void messages_of_one_sender_keep_their_order_and_those_of_two_come_in_any(void **unused)
{
    struct sn_test test = flow_test(run_two_senders);

    (void)unused;

    assert_string_equal(flow_stories(&test), "abc | acb | cab");
}

/* A receive that has a match commutes with whatever is sent later: one order per order of sends. */
static void a_receive_and_a_later_send_are_one_order(void **unused)
{
    struct sn_test test = flow_test(run_two_senders);

    (void)unused;

    assert_int_equal(stories_of(&test).distinct_orders, 3);
}

static void receive_event_twice(const void *payload)
{
    (void)payload;
    tell("%s", sn_receive_event(&c_event, SN_FOREVER)->event->name);
    tell("%s", flow_any()->event->name);
    tell("%s", flow_any()->event->name);
}

static const struct sn_process wants_c = {.name = "WantsC", .run = receive_event_twice};

static void run_wants_c(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&wants_c, NULL);
    (void)sn_spawn(&ab, &to);
    (void)sn_spawn(&c, &to);
}

static void a_receive_waits_until_its_event_comes(void **unused)
{
    struct sn_test test = flow_test(run_wants_c);

    (void)unused;

    assert_string_equal(flow_stories(&test), "cab");
}

static void keep_first(const void *payload)
{
    const struct sn_message *first;
    const uint64_t *number;

    (void)payload;
    sn_send(sn_self(), &number_event, &(uint64_t){7});
    sn_send(sn_self(), &number_event, &(uint64_t){8});
    first = flow_any();
    number = first->payload;
    sn_yield();
    sn_send(sn_self(), &number_event, &(uint64_t){9});
    tell("%llu,", (unsigned long long)*number);
    tell("%llu,", (unsigned long long)*(const uint64_t *)flow_any()->payload);
    tell("%llu", (unsigned long long)*(const uint64_t *)flow_any()->payload);
    sn_assert(first->from == sn_self() && first->size == sizeof(uint64_t));
}

static const struct sn_process keeper = {.name = "Keeper", .run = keep_first};

static void run_keeper(void)
{
    story_begin();
    (void)sn_spawn(&keeper, NULL);
}

static void what_was_received_is_valid_until_the_next_receive(void **unused)
{
    struct sn_test test = flow_test(run_keeper);

    (void)unused;

    assert_string_equal(flow_stories(&test), "7,8,9");
}

/* ---- Large payloads and bytes --------------------------------------------------------------- */

struct large {
    unsigned char bytes[1000];
};

static const struct sn_event large_event = {.name = "Large", .size = sizeof(struct large)};

static void take_large(const void *payload)
{
    const struct sn_message *m = flow_any();
    uint64_t sum = 0;

    (void)payload;
    for (size_t i = 0; i < m->size; i++)
        sum += ((const unsigned char *)m->payload)[i];
    tell("%zu:%llu", m->size, (unsigned long long)sum);
    m = flow_any();
    tell(" %s:%zu", m->event == NULL ? "bytes" : "?", m->size);
}

static const struct sn_process large_taker = {.name = "LargeTaker", .run = take_large};

static void run_large(void)
{
    struct large large;
    sn_id to;

    story_begin();
    to = sn_spawn(&large_taker, NULL);
    memset(&large, 3, sizeof(large));
    sn_send(to, &large_event, &large);
    memset(&large, 0, sizeof(large));
    sn_send_bytes(to, "xyz", 3);
}

static void payloads_of_any_size_and_bytes_are_copied(void **unused)
{
    struct sn_test test = flow_test(run_large);

    (void)unused;

    assert_string_equal(flow_stories(&test), "1000:3000 bytes:3");
}

/* ---- Time ----------------------------------------------------------------------------------- */

static void wait_a_second(const void *payload)
{
    const struct sn_message *m;

    (void)payload;
    m = sn_receive(NULL, NULL, SECOND);
    tell("%s@%llu", m != NULL ? m->event->name : "-", (unsigned long long)(sn_now_ns() / SECOND));
    m = sn_receive(NULL, NULL, 0);
    tell(" %s", m != NULL ? m->event->name : "-");
}

static const struct sn_process waiter = {.name = "Waiter", .run = wait_a_second};

static void sleep_and_send(const void *payload)
{
    sn_sleep_ns(SECOND);
    sn_send(flow_whom(payload), &a_event, NULL);
}

static const struct sn_process late_sender = {
    .name = "Late", .run = sleep_and_send, .birth = &whom_event};

static void run_waiter_alone(void)
{
    story_begin();
    (void)sn_spawn(&waiter, NULL);
}

static void a_receive_ends_at_its_deadline_without_a_message(void **unused)
{
    struct sn_test test = flow_test(run_waiter_alone);

    (void)unused;

    assert_string_equal(flow_stories(&test), "-@1 -");
}

static void run_waiter_and_sender(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&waiter, NULL);
    (void)sn_spawn(&c, &to);
}

/* Time passes only when nothing else can happen. */
static void a_message_that_can_be_sent_comes_before_a_timeout(void **unused)
{
    struct sn_test test = flow_test(run_waiter_and_sender);

    (void)unused;

    assert_string_equal(flow_stories(&test), "c@0 -");
}

static void timeouts_of_kind_any_may_come_before_every_message(void **unused)
{
    struct sn_test test = flow_test(run_waiter_and_sender);

    (void)unused;
    test.timers = SN_TIMERS_ANY;

    assert_string_equal(flow_stories(&test), "-@1 - | -@1 c | c@0 -");
}

static void run_waiter_and_late(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&waiter, NULL);
    (void)sn_spawn(&late_sender, &to);
}

static void a_message_at_the_moment_of_a_timeout_may_come_before_or_after_it(void **unused)
{
    struct sn_test test = flow_test(run_waiter_and_late);

    (void)unused;

    assert_string_equal(flow_stories(&test), "-@1 - | -@1 a | a@1 -");
}

static void sleep_and_tell(const void *payload)
{
    uint64_t seconds;

    memcpy(&seconds, payload, sizeof(seconds));
    sn_sleep_ns(seconds * SECOND);
    tell("%llu", (unsigned long long)seconds);
}

static const struct sn_process sleeper = {
    .name = "Sleeper", .run = sleep_and_tell, .birth = &number_event};

static void run_sleepers(void)
{
    story_begin();
    (void)sn_spawn(&sleeper, &(uint64_t){2});
    (void)sn_spawn(&sleeper, &(uint64_t){1});
    (void)sn_spawn(&sleeper, &(uint64_t){3});
}

static void those_who_sleep_wake_in_the_order_of_their_deadlines(void **unused)
{
    struct sn_test test = flow_test(run_sleepers);

    (void)unused;

    assert_string_equal(flow_stories(&test), "123");
}

static void sleep_one(const void *payload)
{
    sn_sleep_ns(SECOND);
    sn_send(flow_whom(payload), &a_event, NULL);
}

static void sleep_one_b(const void *payload)
{
    sn_sleep_ns(SECOND);
    sn_send(flow_whom(payload), &b_event, NULL);
}

static const struct sn_process one_a = {.name = "A", .run = sleep_one, .birth = &whom_event};
static const struct sn_process one_b = {.name = "B", .run = sleep_one_b, .birth = &whom_event};

static void tell_two(const void *payload)
{
    (void)payload;
    tell("%s", flow_any()->event->name);
    tell("%s", flow_any()->event->name);
}

static const struct sn_process two = {.name = "Two", .run = tell_two};

static void run_equal_deadlines(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&two, NULL);
    (void)sn_spawn(&one_a, &to);
    (void)sn_spawn(&one_b, &to);
}

static void equal_deadlines_end_in_any_order(void **unused)
{
    struct sn_test test = flow_test(run_equal_deadlines);

    (void)unused;

    assert_string_equal(flow_stories(&test), "ab | ba");
}

/* ---- Machines ------------------------------------------------------------------------------- */

static void pass_on(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell("m%s", sn_sender() == SN_NOBODY ? "?" : sn_name(sn_sender()));
    sn_send(sn_sender(), &b_event, NULL);
    sn_send(sn_sender(), &c_event, NULL);
}

static const struct sn_state passing = {
    .name = "Passing", .on = (const struct sn_on[]){{.event = &a_event, .run = pass_on}, {0}}};
static const struct sn_machine passer = {.name = "Passer", .start = &passing};

static void ask_machine(const void *payload)
{
    const struct sn_message *m;

    sn_send(flow_whom(payload), &a_event, NULL);
    m = flow_any();
    sn_assert(m->from == flow_whom(payload));
    tell("p%s", m->event->name);
    tell("%s", flow_any()->event->name);
}

static const struct sn_process asker = {.name = "Asker", .run = ask_machine, .birth = &whom_event};

static void run_with_machine(void)
{
    sn_id machine;

    story_begin();
    machine = sn_create(&passer, NULL);
    (void)sn_spawn(&asker, &machine);
}

static void a_machine_and_a_process_send_to_each_other(void **unused)
{
    struct sn_test test = flow_test(run_with_machine);

    (void)unused;

    assert_string_equal(flow_stories(&test), "mAskerpbc");
}

static void spawn_in_entry(void *self, const void *payload)
{
    sn_id to;

    (void)self;
    (void)payload;
    to = sn_spawn(&two, NULL);
    sn_send(to, &a_event, NULL);
    sn_send(to, &b_event, NULL);
}

static const struct sn_state spawning = {.name = "Spawning", .entry = spawn_in_entry};
static const struct sn_machine spawner = {.name = "Spawner", .start = &spawning};

static void run_spawner(void)
{
    story_begin();
    (void)sn_create(&spawner, NULL);
}

static void a_machine_spawns_a_process_and_its_messages_wait(void **unused)
{
    struct sn_test test = flow_test(run_spawner);

    (void)unused;

    assert_string_equal(flow_stories(&test), "ab");
}

/* ---- Spawning ------------------------------------------------------------------------------- */

static void tell_number(const void *payload)
{
    tell("%llu", (unsigned long long)*(const uint64_t *)payload);
}

static const struct sn_process teller = {
    .name = "Teller", .run = tell_number, .birth = &number_event};

static void spawn_two(const void *payload)
{
    uint64_t n = 1;

    (void)payload;
    (void)sn_spawn(&teller, &n);
    n = 2;
    (void)sn_spawn(&teller, &n);
    n = 3;
}

static const struct sn_process parent = {.name = "Parent", .run = spawn_two};

static void run_parent(void)
{
    story_begin();
    (void)sn_spawn(&parent, NULL);
}

static void payloads_of_births_are_copied_and_first_steps_come_in_any_order(void **unused)
{
    struct sn_test test = flow_test(run_parent);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "12 | 21");
}

/* ---- Deadlocks ------------------------------------------------------------------------------ */

static void wait_for_a(const void *payload)
{
    (void)payload;
    (void)sn_receive_event(&a_event, SN_FOREVER);
}

static void wait_for_match(const void *payload)
{
    (void)payload;
    (void)sn_receive(is_event, &a_event, SN_FOREVER);
}

static const struct sn_process needs_a = {.name = "NeedsA", .run = wait_for_a};
static const struct sn_process needs_match = {.name = "NeedsMatch", .run = wait_for_match};
static const struct sn_process serves = {.name = "Serves", .run = wait_for_a, .may_wait = true};

static void run_deadlock(void)
{
    sn_id stuck = sn_spawn(&needs_a, NULL);

    (void)sn_spawn(&needs_match, NULL);
    (void)sn_spawn(&serves, NULL);
    sn_send(stuck, &b_event, NULL);
    sn_send(stuck, &c_event, NULL);
}

static void a_deadlock_names_who_waits_for_what_and_their_mailboxes(void **unused)
{
    struct sn_test test = flow_test(run_deadlock);

    (void)unused;

    assert_string_equal(flow_failure(&test),
                        "deadlock: nothing can happen any more, but NeedsA waits for a (in its "
                        "mailbox: b, c), NeedsMatch waits for a message that it would take (its "
                        "mailbox is empty)");
}

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

static void lock_twice(const void *payload)
{
    (void)payload;
    pthread_mutex_lock(&door);
    pthread_mutex_lock(&door);
}

static const struct sn_process locks = {.name = "Locks", .run = lock_twice};

/* B has been sent to the wrong one. */
static void run_misled(void)
{
    sn_id misled = sn_spawn(&serves, NULL);

    (void)sn_spawn(&serves, NULL);
    sn_send(misled, &b_event, NULL);
    sn_send(sn_spawn(&locks, NULL), &c_event, NULL);
    (void)sn_spawn(&needs_a, NULL);
}

static void a_deadlock_tells_what_is_in_the_mailboxes_of_all_that_are_blocked(void **unused)
{
    struct sn_test test = flow_test(run_misled);

    (void)unused;

    assert_string_equal(flow_failure(&test),
                        "deadlock: nothing can happen any more, but Locks waits for mutex door, "
                        "which Locks holds (in its mailbox: c), NeedsA waits for a (its mailbox is "
                        "empty) (and of those that may wait, Serves waits for a (in its mailbox: "
                        "b))");
}

static void run_server(void)
{
    (void)sn_spawn(&serves, NULL);
}

static void a_server_may_wait_for_ever(void **unused)
{
    struct sn_test test = flow_test(run_server);

    (void)unused;

    assert_string_equal(flow_failure(&test), "");
}

static void tick(const void *payload)
{
    (void)payload;
    for (;;)
        sn_sleep_ns(SECOND);
}

static const struct sn_process ticker = {.name = "Ticker", .run = tick};

static void run_ticker(void)
{
    (void)sn_spawn(&ticker, NULL);
    (void)sn_spawn(&needs_a, NULL);
}

static void run_ticker_alone(void)
{
    (void)sn_spawn(&ticker, NULL);
}

static void who_waits_when_time_is_at_its_limit_waits_for_ever(void **unused)
{
    struct sn_test stuck = flow_test(run_ticker);
    struct sn_test fine = flow_test(run_ticker_alone);

    (void)unused;
    stuck.max_time_ns = fine.max_time_ns = 3 * SECOND;

    assert_string_equal(flow_failure(&stuck),
                        "deadlock: time is at its limit, but NeedsA waits for a (its mailbox is "
                        "empty)");
    assert_string_equal(flow_failure(&fine), "");
}

static void a_limit_of_steps_cuts_a_trial_and_is_no_deadlock(void **unused)
{
    struct sn_test test = flow_test(run_ticker);
    struct sn_result r;

    (void)unused;
    test.max_steps = 20;

    assert_int_equal(sn_run(&test, &(struct sn_options){.iterations = 3}, &r), 0);
    assert_string_equal(r.failure, "");
    assert_int_equal(r.cut, 3);
    assert_int_equal(r.steps, 60);
}

/* ---- Names ---------------------------------------------------------------------------------- */

static void name_things(const void *payload)
{
    sn_id other = flow_whom(payload);
    bool first = sn_register("x", sn_self());
    bool taken = sn_register("x", other);
    bool second = sn_register("y", sn_self());

    tell("%d%d%d", first, taken, second);
    tell("%d%d", sn_whereis("x") == sn_self(), sn_whereis("y") == SN_NOBODY);
    tell("%d", sn_unregister("x"));
    tell("%d", sn_unregister("x"));
    tell("%d", sn_register("y", sn_self()));
    sn_send_name("y", &a_event, NULL);
    sn_send_name("x", &b_event, NULL); /* lost */
    tell("%s", flow_any()->event->name);
    tell("%s", sn_receive(NULL, NULL, 0) == NULL ? "-" : "?");
}

static const struct sn_process namer = {.name = "Namer", .run = name_things, .birth = &whom_event};

static void run_names(void)
{
    sn_id other;

    story_begin();
    other = sn_spawn(&serves, NULL);
    (void)sn_spawn(&namer, &other);
}

static void a_name_belongs_to_one_process_and_a_process_has_one_name(void **unused)
{
    struct sn_test test = flow_test(run_names);

    (void)unused;

    assert_string_equal(flow_stories(&test), "10011101a-");
}

static void take_name(const void *payload)
{
    (void)payload;
    if (sn_register("only", sn_self()))
        tell("+");
    else
        tell("-");
}

static const struct sn_process claimer = {.name = "Claimer", .run = take_name};

static void run_claimers(void)
{
    story_begin();
    (void)sn_spawn(&claimer, NULL);
    (void)sn_spawn(&claimer, NULL);
}

/* The second one gets the name if, and only if, the first one has ended. */
static void a_name_is_free_again_when_its_process_has_ended(void **unused)
{
    struct sn_test test = flow_test(run_claimers);

    (void)unused;

    assert_string_equal(flow_stories(&test), "++ | +-");
}

static void send_to_name(const void *payload)
{
    (void)payload;
    sn_send_name("only", &a_event, NULL);
    tell("s");
}

static const struct sn_process caller = {.name = "Caller", .run = send_to_name};

static void claim_and_listen(const void *payload)
{
    const struct sn_message *m;

    (void)payload;
    (void)sn_register("only", sn_self());
    m = sn_receive(NULL, NULL, SECOND);
    tell("%s", m != NULL ? m->event->name : "-");
}

static const struct sn_process listener = {.name = "Listener", .run = claim_and_listen};

static void run_to_name(void)
{
    story_begin();
    (void)sn_spawn(&listener, NULL);
    (void)sn_spawn(&caller, NULL);
}

static void what_is_sent_to_a_name_that_nobody_has_is_lost(void **unused)
{
    struct sn_test test = flow_test(run_to_name);

    (void)unused;

    (void)stories_of(&test);
    assert_string_equal(stories_all(), "s- | sa");
}

static void run_named_by_test(void)
{
    sn_id id;

    story_begin();
    id = sn_spawn(&three, NULL);
    sn_assert(sn_register("three", id));
    sn_assert(!sn_register("three", id));
    sn_assert(sn_whereis("three") == id && sn_is_alive(id));
    sn_send_name("three", &a_event, NULL);
    sn_send_name("three", &b_event, NULL);
    sn_send_name("three", &c_event, NULL);
}

static void the_test_itself_names_and_sends_at_once(void **unused)
{
    struct sn_test test = flow_test(run_named_by_test);

    (void)unused;

    assert_int_equal(stories_of(&test).trials, 1);
    assert_string_equal(stories_all(), "abc");
}

/* ---- Many ----------------------------------------------------------------------------------- */

enum { MANY = 10000 };

static void pass_round(const void *payload)
{
    sn_id next = flow_whom(payload);
    uint64_t n;

    memcpy(&n, flow_any()->payload, sizeof(n));
    if (next != SN_NOBODY)
        sn_send(next, &number_event, &(uint64_t){n + 1});
    else
        sn_assert(n == MANY);
}

static const struct sn_process ring = {.name = "Link", .run = pass_round, .birth = &whom_event};

static void run_many(void)
{
    sn_id next = SN_NOBODY;

    for (int i = 0; i < MANY; i++)
        next = sn_spawn(&ring, &next);
    sn_send(next, &number_event, &(uint64_t){1});
}

static void a_trial_has_ten_thousand_processes(void **unused)
{
    struct sn_test test = flow_test(run_many);
    struct sn_result r;

    (void)unused;
    test.max_steps = 100000;
    if (MEM_SAVING_SHIFT > 0) {
        print_message("# there are fewer stacks where an emulator pays for address space\n");
        skip();
    }

    assert_int_equal(sn_run(&test, &(struct sn_options){.iterations = 2}, &r), 0);
    assert_string_equal(r.failure, "");
    assert_int_equal(r.steps, 2 * (4 * MANY - 1));
}

/* More than there are stacks at a time, one after the other. */
static void spawn_in_turn(const void *payload)
{
    (void)payload;
    for (int i = 0; i < 20000; i++) {
        (void)sn_spawn(&teller, &(uint64_t){0});
        sn_sleep_ns(1);
        memset(story, 0, sizeof(*story));
    }
}

static const struct sn_process patient = {.name = "Patient", .run = spawn_in_turn};

static void run_patient(void)
{
    story_begin();
    (void)sn_spawn(&patient, NULL);
}

static void stacks_of_processes_that_have_ended_are_used_again(void **unused)
{
    struct sn_test test = flow_test(run_patient);
    struct sn_result r;

    (void)unused;
    test.max_steps = 1000000;

    assert_int_equal(sn_run(&test, &(struct sn_options){.iterations = 1}, &r), 0);
    assert_string_equal(r.failure, "");
}

/* ---- Mistakes ------------------------------------------------------------------------------- */

static void run_receive_in_test(void)
{
    (void)sn_receive(NULL, NULL, 0);
}

static void start_timer(const void *payload)
{
    (void)payload;
    (void)sn_timer_start(&a_event, 1, NULL);
}

static const struct sn_process timing = {.name = "Timing", .run = start_timer};

static void run_timing(void)
{
    (void)sn_spawn(&timing, NULL);
}

static void halt_itself(const void *payload)
{
    (void)payload;
    sn_halt();
}

static const struct sn_process halting = {.name = "Halting", .run = halt_itself};

static void run_halting(void)
{
    (void)sn_spawn(&halting, NULL);
}

static void run_without_payload(void)
{
    (void)sn_spawn(&teller, NULL);
}

static void run_link_machine(void)
{
    (void)sn_register("x", sn_create(&passer, NULL));
}

static void mistakes_with_processes_are_told(void **unused)
{
    struct sn_test test = flow_test(run_receive_in_test);

    (void)unused;

    assert_string_equal(flow_failure(&test), "usage: sn_receive may only be called by a process");
    test.run = run_timing;
    assert_string_equal(flow_failure(&test), "usage: a process starts no timers: it sleeps, or "
                                             "receives with a timeout");
    test.run = run_halting;
    assert_string_equal(flow_failure(&test), "usage: Halting calls sn_halt but is a process");
    test.run = run_without_payload;
    assert_string_equal(flow_failure(&test),
                        "usage: Teller is spawned without the payload of its birth event Number");
    test.run = run_link_machine;
    assert_string_equal(flow_failure(&test),
                        "usage: sn_register: Passer is a machine, not a process");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_selective_receive_takes_the_first_match_and_leaves_the_rest_in_order),
        cmocka_unit_test(messages_of_one_sender_keep_their_order_and_those_of_two_come_in_any),
        cmocka_unit_test(a_receive_and_a_later_send_are_one_order),
        cmocka_unit_test(a_receive_waits_until_its_event_comes),
        cmocka_unit_test(what_was_received_is_valid_until_the_next_receive),
        cmocka_unit_test(payloads_of_any_size_and_bytes_are_copied),
        cmocka_unit_test(a_receive_ends_at_its_deadline_without_a_message),
        cmocka_unit_test(a_message_that_can_be_sent_comes_before_a_timeout),
        cmocka_unit_test(timeouts_of_kind_any_may_come_before_every_message),
        cmocka_unit_test(a_message_at_the_moment_of_a_timeout_may_come_before_or_after_it),
        cmocka_unit_test(those_who_sleep_wake_in_the_order_of_their_deadlines),
        cmocka_unit_test(equal_deadlines_end_in_any_order),
        cmocka_unit_test(a_machine_and_a_process_send_to_each_other),
        cmocka_unit_test(a_machine_spawns_a_process_and_its_messages_wait),
        cmocka_unit_test(payloads_of_births_are_copied_and_first_steps_come_in_any_order),
        cmocka_unit_test(a_deadlock_names_who_waits_for_what_and_their_mailboxes),
        cmocka_unit_test(a_deadlock_tells_what_is_in_the_mailboxes_of_all_that_are_blocked),
        cmocka_unit_test(a_server_may_wait_for_ever),
        cmocka_unit_test(who_waits_when_time_is_at_its_limit_waits_for_ever),
        cmocka_unit_test(a_limit_of_steps_cuts_a_trial_and_is_no_deadlock),
        cmocka_unit_test(a_name_belongs_to_one_process_and_a_process_has_one_name),
        cmocka_unit_test(a_name_is_free_again_when_its_process_has_ended),
        cmocka_unit_test(what_is_sent_to_a_name_that_nobody_has_is_lost),
        cmocka_unit_test(the_test_itself_names_and_sends_at_once),
        cmocka_unit_test(a_trial_has_ten_thousand_processes),
        cmocka_unit_test(stacks_of_processes_that_have_ended_are_used_again),
        cmocka_unit_test(mistakes_with_processes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
