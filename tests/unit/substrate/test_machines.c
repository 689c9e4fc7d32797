/* test_machines.c - creating, sending, choosing, timers, plain nodes. SPDX-License-Identifier: MIT
 */
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct number {
    uint64_t value;
    sn_id who;
};

static const struct sn_event number_event = {.name = "Number", .size = sizeof(struct number)};

static void on_number(void *self, const void *payload)
{
    (void)self;
    observe("%llu ", (unsigned long long)((const struct number *)payload)->value);
}

static const struct sn_state listening = {
    .name = "Listening",
    .on = (const struct sn_on[]){{.event = &number_event, .run = on_number}, {0}},
};

static const struct sn_machine listener = {.name = "Listener", .start = &listening};

/* ---- Sending -------------------------------------------------------------------------------- */

static void run_copy(void)
{
    struct number n = {1, 0};
    sn_id machine = sn_create(&listener, NULL);

    sn_send(machine, &number_event, &n);
    n.value = 2;
    sn_send(machine, &number_event, &n);
    n.value = 3;
}

static void a_payload_is_copied_when_it_is_sent(void **unused)
{
    const struct sn_test test = {.name = "copy", .run = run_copy};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 0);
    assert_string_equal(seen->text, "1 2 ");
}

struct blob {
    unsigned char bytes[100000];
};

static const struct sn_event blob_event = {.name = "Blob", .size = sizeof(struct blob)};

static void on_blob(void *self, const void *payload)
{
    const struct blob *blob = payload;

    (void)self;
    for (size_t i = 0; i < sizeof(blob->bytes); i++)
        sn_assert(blob->bytes[i] == (unsigned char)(i * 7 + blob->bytes[0]));
    observe("%d ", blob->bytes[0]);
}

static const struct sn_state blob_state = {
    .name = "Blobs",
    .on = (const struct sn_on[]){{.event = &blob_event, .run = on_blob}, {0}},
};

static const struct sn_machine blob_machine = {.name = "Blobs", .start = &blob_state};

static void run_large(void)
{
    struct blob *blob = sn_alloc(sizeof(*blob));
    sn_id machine = sn_create(&blob_machine, NULL);

    for (unsigned char k = 0; k < 5; k++) {
        for (size_t i = 0; i < sizeof(blob->bytes); i++)
            blob->bytes[i] = (unsigned char)(i * 7 + k);
        sn_send(machine, &blob_event, blob);
    }
}

static void large_payloads_arrive_whole(void **unused)
{
    const struct sn_test test = {.name = "large", .run = run_large};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_once(&test);

    assert_string_equal(r.failure, "");
    assert_string_equal(seen->text, "0 1 2 3 4 ");
}

/* Two senders, two messages each, one receiver: the senders interleave, each one's order holds. */
struct sender {
    sn_id to;
    uint64_t base;
};

static const struct sn_event sender_birth = {.name = "Birth", .size = sizeof(struct sender)};

static void send_two(void *self, const void *payload)
{
    const struct sender *s = payload;

    (void)self;
    sn_send(s->to, &number_event, &(struct number){s->base, sn_self()});
    sn_send(s->to, &number_event, &(struct number){s->base + 1, sn_self()});
}

static const struct sn_state sending = {.name = "Sending", .entry = send_two};
static const struct sn_machine sender_machine = {
    .name = "Sender", .start = &sending, .birth = &sender_birth};

struct ordered {
    uint64_t last[3];
};

static void check_order(void *self, const void *payload)
{
    struct ordered *o = self;
    const struct number *n = payload;

    sn_assert(n->value > o->last[n->value / 10]);
    o->last[n->value / 10] = n->value;
    seen->count[0]++;
    if (n->value == 11 && o->last[2] == 0)
        seen->count[1]++; /* both of the first before any of the second */
    if (n->value == 21 && o->last[1] == 0)
        seen->count[2]++;
}

static const struct sn_state ordering = {
    .name = "Ordering",
    .on = (const struct sn_on[]){{.event = &number_event, .run = check_order}, {0}},
};

static const struct sn_machine ordered_machine = {
    .name = "Ordered", .size = sizeof(struct ordered), .start = &ordering};

static void run_two_senders(void)
{
    sn_id to = sn_create(&ordered_machine, NULL);

    (void)sn_create(&sender_machine, &(struct sender){to, 10});
    (void)sn_create(&sender_machine, &(struct sender){to, 20});
}

static void events_between_two_machines_arrive_in_order_and_others_interleave(void **unused)
{
    const struct sn_test test = {.name = "fifo", .run = run_two_senders};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_all(&test);

    assert_string_equal(r.failure, "");
    assert_true(r.exhausted);
    assert_int_equal(seen->count[0], 4 * r.trials);
    assert_true(seen->count[1] > 0 && seen->count[2] > 0);
}

/* ---- Creating ------------------------------------------------------------------------------- */

static void create_next(void *self, const void *payload)
{
    const struct number *n = payload;

    (void)self;
    observe("born-%llu ", (unsigned long long)n->value);
    if (n->value < 3) {
        static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct number)};
        static const struct sn_state state = {.name = "Born", .entry = create_next};
        static const struct sn_machine type = {.name = "Child", .start = &state, .birth = &birth};

        (void)sn_create(&type, &(struct number){n->value + 1, 0});
    }
}

static void run_dynasty(void)
{
    static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct number)};
    static const struct sn_state state = {.name = "Born", .entry = create_next};
    static const struct sn_machine type = {.name = "First", .start = &state, .birth = &birth};

    (void)sn_create(&type, &(struct number){1, 0});
}

static void machines_are_created_by_machines(void **unused)
{
    const struct sn_test test = {.name = "dynasty", .run = run_dynasty};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 0);
    assert_int_equal(r.steps, 3);
    assert_string_equal(seen->text, "born-1 born-2 born-3 ");
}

static void say_start(void *self, const void *payload)
{
    (void)payload;
    *(bool *)self = true;
}

static void check_started(void *self, const void *payload)
{
    (void)payload;
    sn_assert(*(bool *)self);
}

static const struct sn_state late_state = {
    .name = "Late",
    .entry = say_start,
    .on = (const struct sn_on[]){{.event = &number_event, .run = check_started}, {0}},
};

static const struct sn_machine late_machine = {.name = "Late", .size = 1, .start = &late_state};

static void run_late(void)
{
    sn_id late = sn_create(&late_machine, NULL);

    (void)sn_create(&sender_machine, &(struct sender){late, 10});
}

static void no_event_reaches_a_machine_before_its_first_step(void **unused)
{
    const struct sn_test test = {.name = "late", .run = run_late};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_all(&test);

    assert_string_equal(r.failure, "");
    assert_true(r.trials > 1);
}

/* ---- Choosing ------------------------------------------------------------------------------- */

static void choose(void *self, const void *payload)
{
    uint64_t a = sn_choose("a", 3);
    bool b = sn_maybe("b");

    (void)self;
    (void)payload;
    seen->count[a * 2 + b]++;
}

static const struct sn_state choosing = {.name = "Choosing", .entry = choose};
static const struct sn_machine chooser = {.name = "Chooser", .start = &choosing};

static void run_chooser(void)
{
    (void)sn_create(&chooser, NULL);
}

static void dfs_tries_every_value_of_a_choice_once(void **unused)
{
    const struct sn_test test = {.name = "choose", .run = run_chooser};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_all(&test);

    assert_true(r.exhausted);
    assert_int_equal(r.trials, 6);
    assert_int_equal(r.distinct_orders, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(seen->count[i], 1);
}

static void random_draws_every_value_about_equally_often(void **unused)
{
    const struct sn_test test = {.name = "choose", .run = run_chooser, .world = SN_WORLD_TRIAL};
    struct sn_options options = {.iterations = 6000};
    struct sn_result r;

    (void)unused;
    observe_clear();

    assert_int_equal(sn_run(&test, &options, &r), 0);

    /* Binomial(6000, 1/6) has a standard deviation of 28.9: six of them either way. */
    for (int i = 0; i < 6; i++)
        assert_in_range(seen->count[i], 1000 - 174, 1000 + 174);
}

/* Three machines start in one of six orders. */
static void note_start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    seen->count[8] = seen->count[8] * 4 + sn_self();
}

static const struct sn_state starting = {.name = "Starting", .entry = note_start};
static const struct sn_machine starter = {.name = "Starter", .start = &starting};

static void run_starters(void)
{
    for (int i = 0; i < 3; i++)
        (void)sn_create(&starter, NULL);
}

static void count_order(void *self, const struct sn_trial_view *trial)
{
    static const uint64_t orders[] = {27, 30, 39, 45, 54, 57}; /* 123, 132, ... in base 4 */

    (void)self;
    (void)trial;
    for (int i = 0; i < 6; i++)
        seen->count[i] += seen->count[8] == orders[i];
    seen->count[8] = 0;
}

static bool is_uniform(const char *strategy)
{
    const struct sn_test test = {.name = "order", .run = run_starters, .world = SN_WORLD_TRIAL};
    struct sn_options options = {.iterations = 6000, .strategy = strategy, .watch = count_order};
    struct sn_result r;
    bool is = true;

    observe_clear();
    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_int_equal(r.failures, 0);
    for (int i = 0; i < 6; i++)
        is &= seen->count[i] > 1000 - 174 && seen->count[i] < 1000 + 174; /* six deviations */
    return is;
}

/* A mutant of random: the first operation offered is twice as likely as any other. */
struct biased {
    uint64_t state;
};

static bool biased_begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    (void)trial;
    (void)keep;
    return true;
}

static uint32_t biased_pick(void *self, const struct sn_pending *pending)
{
    struct biased *b = self;
    uint32_t n = sn_pending_count(pending);
    uint32_t i;

    b->state = b->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    i = (uint32_t)((b->state >> 33) % (n + 1));
    return i == n ? 0 : i;
}

static const struct sn_strategy biased = {.name = "biased",
                                          .state_size = sizeof(struct biased),
                                          .begin = biased_begin,
                                          .pick = biased_pick};

static void random_picks_every_pending_operation_equally_often(void **unused)
{
    (void)unused;
    assert_int_equal(sn_strategy_register(&biased), 0);

    assert_true(is_uniform("random"));
    assert_false(is_uniform("biased"));
}

/* ---- Timers --------------------------------------------------------------------------------- */

static const struct sn_event tick = {.name = "Tick", .size = sizeof(struct number)};

static void start_three_timers(void *self, const void *payload)
{
    sn_timer cancelled;

    (void)self;
    (void)payload;
    (void)sn_timer_start(&tick, 30, &(struct number){3, 0});
    (void)sn_timer_start(&tick, 10, &(struct number){1, 0});
    cancelled = sn_timer_start(&tick, 20, &(struct number){2, 0});
    sn_assert(sn_timer_cancel(cancelled));
    sn_assert(!sn_timer_cancel(cancelled));
}

static void on_tick(void *self, const void *payload)
{
    (void)self;
    observe("%llu@%llu ", (unsigned long long)((const struct number *)payload)->value,
            (unsigned long long)sn_now_ns());
}

static const struct sn_state timing = {
    .name = "Timing",
    .entry = start_three_timers,
    .on = (const struct sn_on[]){{.event = &tick, .run = on_tick}, {0}},
};

static const struct sn_machine timed = {.name = "Timed", .start = &timing};

static void run_timed(void)
{
    (void)sn_create(&timed, NULL);
}

static void ideal_timers_fire_in_order_of_their_deadlines_and_the_clock_jumps(void **unused)
{
    const struct sn_test test = {.name = "timers", .run = run_timed};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_all(&test);

    assert_string_equal(r.failure, "");
    assert_int_equal(r.trials, 1);
    assert_string_equal(seen->text, "1@10 3@30 ");
}

static void any_timers_fire_in_every_order(void **unused)
{
    const struct sn_test test = {.name = "timers", .run = run_timed, .timers = SN_TIMERS_ANY};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_all(&test);

    assert_int_equal(r.trials, 2);
    assert_string_equal(seen->text, "3@30 1@30 1@10 3@30 ");
}

/* An ideal timer waits until everything else has happened. */
static void send_self(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start(&tick, 0, &(struct number){9, 0});
    sn_send(sn_self(), &number_event, &(struct number){1, 0});
}

static void send_more(void *self, const void *payload)
{
    uint64_t n = ((const struct number *)payload)->value;

    (void)self;
    observe("%llu ", (unsigned long long)n);
    if (n < 4)
        sn_send(sn_self(), &number_event, &(struct number){n + 1, 0});
}

static const struct sn_state busy = {
    .name = "Busy",
    .entry = send_self,
    .on = (const struct sn_on[]){{.event = &number_event, .run = send_more},
                                 {.event = &tick, .run = on_tick},
                                 {0}},
};

static const struct sn_machine busy_machine = {.name = "Busy", .start = &busy};

static void run_busy(void)
{
    (void)sn_create(&busy_machine, NULL);
}

static void an_ideal_timer_fires_only_when_nothing_else_can_happen(void **unused)
{
    const struct sn_test test = {.name = "busy", .run = run_busy};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_all(&test);

    assert_int_equal(r.trials, 1);
    assert_string_equal(seen->text, "1 2 3 4 9@0 ");
}

/* ---- Plain nodes ---------------------------------------------------------------------------- */

struct plain {
    int received;
};

static void plain_start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start_tag(42, 1000);
}

static void plain_message(void *self, sn_id from, const void *bytes, size_t n)
{
    struct plain *p = self;

    p->received++;
    observe("%.*s(%zu) ", (int)n, (const char *)bytes, n);
    if (from != SN_NOBODY && p->received < 3)
        sn_send_bytes(from, "pong", 4);
}

static void plain_timer(void *self, uint64_t tag)
{
    (void)self;
    observe("timer-%llu ", (unsigned long long)tag);
}

static const struct sn_machine plain_machine = {
    .name = "Plain",
    .size = sizeof(struct plain),
    .on_start = plain_start,
    .on_message = plain_message,
    .on_timer = plain_timer,
};

static void run_plain(void)
{
    sn_id node = sn_create(&plain_machine, NULL);

    sn_send_bytes(node, "hello", 5);
    sn_send_bytes(node, "", 0);
}

static void a_plain_node_gets_bytes_and_timers(void **unused)
{
    const struct sn_test test = {.name = "plain", .run = run_plain};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_once(&test);

    assert_string_equal(r.failure, "");
    assert_string_equal(seen->text, "hello(5) (0) timer-42 ");
}

/* ---- Misuse --------------------------------------------------------------------------------- */

static void run_send_to_nobody(void)
{
    sn_send(77, &number_event, &(struct number){1, 0});
}

static void sending_to_a_machine_that_does_not_exist_is_a_bug(void **unused)
{
    const struct sn_test test = {.name = "nobody", .run = run_send_to_nobody};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 1);
    assert_string_equal(r.failure, "usage: Number is sent to machine 77, which does not exist");
}

static void run_without_payload(void)
{
    sn_send(sn_create(&listener, NULL), &number_event, NULL);
}

static void sending_an_event_without_its_payload_is_a_bug(void **unused)
{
    const struct sn_test test = {.name = "payload", .run = run_without_payload};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 1);
    assert_non_null(strstr(r.failure, "16 bytes of payload but is sent without any"));
}

static void run_null_event(void)
{
    sn_send(sn_create(&listener, NULL), NULL, NULL);
}

static void sending_no_event_at_all_is_a_bug(void **unused)
{
    const struct sn_test test = {.name = "null", .run = run_null_event};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 1);
    assert_string_equal(r.failure, "usage: nothing is sent: the event is NULL");
}

static void say_names(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assertf(false, "%s and %s and %s", sn_name(1), sn_name(2), sn_name(SN_NOBODY));
}

static const struct sn_state naming = {.name = "Naming", .entry = say_names};
static const struct sn_machine namer = {.name = "Namer", .start = &naming};

static void run_namer(void)
{
    sn_set_name(sn_create(&namer, NULL), "Alice");
    (void)sn_create(&listener, NULL);
}

static void a_message_can_name_machines_as_the_trace_does(void **unused)
{
    const struct sn_test test = {.name = "names", .run = run_namer};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_non_null(strstr(r.failure, "Alice and Listener and nobody"));
}

static void run_many(void)
{
    for (uint64_t i = 0; i < 3000; i++) {
        sn_id machine = sn_create(&listener, NULL);

        sn_send(machine, &number_event, &(struct number){i, 0});
    }
}

static void thousands_of_machines_fit_into_a_trial(void **unused)
{
    const struct sn_test test = {.name = "many", .run = run_many};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_once(&test);

    assert_string_equal(r.failure, "");
    assert_int_equal(r.steps, 6000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_payload_is_copied_when_it_is_sent),
        cmocka_unit_test(large_payloads_arrive_whole),
        cmocka_unit_test(events_between_two_machines_arrive_in_order_and_others_interleave),
        cmocka_unit_test(machines_are_created_by_machines),
        cmocka_unit_test(no_event_reaches_a_machine_before_its_first_step),
        cmocka_unit_test(dfs_tries_every_value_of_a_choice_once),
        cmocka_unit_test(random_draws_every_value_about_equally_often),
        cmocka_unit_test(random_picks_every_pending_operation_equally_often),
        cmocka_unit_test(ideal_timers_fire_in_order_of_their_deadlines_and_the_clock_jumps),
        cmocka_unit_test(any_timers_fire_in_every_order),
        cmocka_unit_test(an_ideal_timer_fires_only_when_nothing_else_can_happen),
        cmocka_unit_test(a_plain_node_gets_bytes_and_timers),
        cmocka_unit_test(sending_to_a_machine_that_does_not_exist_is_a_bug),
        cmocka_unit_test(sending_an_event_without_its_payload_is_a_bug),
        cmocka_unit_test(sending_no_event_at_all_is_a_bug),
        cmocka_unit_test(a_message_can_name_machines_as_the_trace_does),
        cmocka_unit_test(thousands_of_machines_fit_into_a_trial),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
