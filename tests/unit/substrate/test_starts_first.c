/* test_starts_first.c - first steps as part of the set-up (test->starts_first).
 * SPDX-License-Identifier: MIT
 */
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const struct sn_event note = {.name = "Note", .size = sizeof(int)};
static const struct sn_event birth = {.name = "Birth", .size = sizeof(int)};

/* ---- Machines that only listen -------------------------------------------------------------- */

static void on_note(void *self, const void *payload)
{
    (void)self;
    observe("%s:%d<%u ", sn_name(sn_self()), *(const int *)payload, sn_sender());
}

static void begin_listening(void *self, const void *payload)
{
    (void)self;
    observe("%s(%d)@%u ", sn_name(sn_self()), *(const int *)payload, sn_sender());
}

static const struct sn_state listening = {
    .name = "Listening",
    .entry = begin_listening,
    .on = (const struct sn_on[]){{.event = &note, .run = on_note}, {0}},
};
static const struct sn_machine listener = {
    .name = "Listener", .start = &listening, .birth = &birth};

static void send_note(sn_id to, int number)
{
    sn_send(to, &note, &number);
}

static void run_pair(void)
{
    sn_id first = sn_create(&listener, &(int){1});
    sn_id second = sn_create(&listener, &(int){2});

    send_note(second, 20);
    send_note(first, 10);
}

static const struct sn_test pair = {.name = "pair", .run = run_pair, .starts_first = true};

static void machines_start_in_order_of_creation_before_any_event(void **unused)
{
    (void)unused;
    observe_clear();

    struct sn_result r = run_test_once(&pair);

    assert_string_equal(r.failure, "");
    assert_memory_equal(seen->text, "Listener(1)@0 Listener#2(2)@0 ", 30);
}

static void first_steps_are_neither_decisions_nor_steps(void **unused)
{
    struct sn_test without = pair;

    (void)unused;
    observe_clear();
    without.starts_first = false;

    struct sn_result r = run_test_all(&pair);

    assert_true(r.exhausted);
    assert_int_equal(r.trials, 2); /* the orders of two notes */
    assert_int_equal(r.steps, 4);
    assert_int_equal(run_test_all(&without).trials, 6); /* of two starts, each before a note */
}

static void running_a_prefix_again_makes_no_difference(void **unused)
{
    struct sn_options options = {
        .iterations = 100, .strategy = "dfs", .keep_going = true, .rerun = true};
    struct sn_result r;

    (void)unused;
    observe_clear();

    assert_int_equal(sn_run(&pair, &options, &r), 0);
    assert_true(r.exhausted);
    assert_int_equal(r.trials, 2);
}

/* ---- Machines that do more ------------------------------------------------------------------ */

static void begin_sending(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("%s ", sn_name(sn_self()));
    send_note(sn_create(&listener, &(int){3}), 30);
}

static const struct sn_state sending = {.name = "Sending", .entry = begin_sending};
static const struct sn_machine sender = {.name = "Sender", .start = &sending};

static void run_sender(void)
{
    (void)sn_create(&sender, NULL);
}

static void a_machine_that_is_created_in_a_first_step_starts_too(void **unused)
{
    const struct sn_test test = {.name = "sender", .run = run_sender, .starts_first = true};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.steps, 1);
    assert_string_equal(seen->text, "Sender Listener(3)@1 Listener:30<1 ");
}

static void begin_choosing(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assertf(!sn_maybe("fail"), "it was asked to");
    send_note(sn_create(&listener, &(int){4}), 40);
}

static const struct sn_state choosing = {.name = "Choosing", .entry = begin_choosing};
static const struct sn_machine chooser = {.name = "Chooser", .start = &choosing};

static void run_chooser(void)
{
    (void)sn_create(&chooser, NULL);
}

static const struct sn_test choice = {
    .name = "choice", .run = run_chooser, .starts_first = true, .world = SN_WORLD_TRIAL};

static void what_is_drawn_in_a_first_step_is_decided_and_can_fail(void **unused)
{
    (void)unused;
    observe_clear();

    struct sn_result r = run_test_all(&choice);

    assert_int_equal(r.trials, 2);
    assert_int_equal(r.failures, 1);
    assert_int_equal(r.failing_steps, 0);
    assert_non_null(strstr(r.failure, "it was asked to"));
}

static void a_failure_in_a_first_step_is_replayed(void **unused)
{
    char folder[] = "/tmp/sennit-test-XXXXXX";
    struct sn_options options = {.strategy = "dfs", .outdir = folder};
    struct sn_result found;
    struct sn_result again;

    (void)unused;
    observe_clear();
    assert_non_null(mkdtemp(folder));
    assert_int_equal(sn_run(&choice, &options, &found), 0);

    assert_int_equal(sn_replay(&choice, found.trace, &again), 0);

    assert_false(again.nondeterministic);
    assert_string_equal(again.failure, found.failure);
    assert_int_equal(unlink(found.trace), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void begin_halting(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_halt();
}

static const struct sn_state halting = {.name = "Halting", .entry = begin_halting};
static const struct sn_machine halter = {.name = "Halter", .start = &halting};

static void run_halter(void)
{
    send_note(sn_create(&halter, NULL), 50); /* dropped when it halts */
    send_note(sn_create(&listener, &(int){6}), 60);
}

static void a_machine_may_halt_in_its_first_step(void **unused)
{
    const struct sn_test test = {.name = "halter", .run = run_halter, .starts_first = true};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_once(&test);

    assert_string_equal(r.failure, "");
    assert_int_equal(r.steps, 1);
}

static void on_bytes(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    observe("%.*s ", (int)n, (const char *)bytes);
}

static void begin_plainly(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start_tag(7, 100);
    sn_send_bytes(sn_self(), "bytes", 5);
}

static void on_timer(void *self, uint64_t tag)
{
    (void)self;
    observe("timer %u ", (unsigned)tag);
}

static const struct sn_machine plain = {
    .name = "Plain", .on_start = begin_plainly, .on_message = on_bytes, .on_timer = on_timer};

static void run_plain(void)
{
    (void)sn_create(&plain, NULL);
}

/* Over links without order too, which go another way. */
static void plain_nodes_start_first_too(void **unused)
{
    const struct sn_test test = {
        .name = "plain", .run = run_plain, .starts_first = true, .links = SN_UNORDERED};

    (void)unused;
    observe_clear();

    assert_string_equal(run_test_once(&test).failure, "");
    assert_string_equal(seen->text, "bytes timer 7 ");
}

static void run_none(void)
{
    (void)sn_create(&listener, &(int){8});
    send_note(1, 80);
}

static void what_the_test_sends_comes_from_nobody(void **unused)
{
    const struct sn_test test = {.name = "none", .run = run_none, .starts_first = true};

    (void)unused;
    observe_clear();

    assert_int_equal(run_test_once(&test).steps, 1);
    assert_string_equal(seen->text, "Listener(8)@0 Listener:80<0 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_start_in_order_of_creation_before_any_event),
        cmocka_unit_test(first_steps_are_neither_decisions_nor_steps),
        cmocka_unit_test(running_a_prefix_again_makes_no_difference),
        cmocka_unit_test(a_machine_that_is_created_in_a_first_step_starts_too),
        cmocka_unit_test(what_is_drawn_in_a_first_step_is_decided_and_can_fail),
        cmocka_unit_test(a_failure_in_a_first_step_is_replayed),
        cmocka_unit_test(a_machine_may_halt_in_its_first_step),
        cmocka_unit_test(plain_nodes_start_first_too),
        cmocka_unit_test(what_the_test_sends_comes_from_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
