/* test_hang.c - a step that waits for the clock to change fails, and the same way each time.
 * SPDX-License-Identifier: MIT
 */
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define HANGS                                                                                      \
    "has looked at the clock 10000000 times, or slept 100000 times, in one step: a step takes no " \
    "time unless it sleeps, so waiting by looking never ends; sleep until the time has come, or "  \
    "start a timer and return"

#define SECOND UINT64_C(1000000000)

/* ---- Machines ------------------------------------------------------------------------------- */

static void no_message(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    (void)bytes;
    (void)n;
}

static void look(void)
{
    uint64_t deadline_ns = sn_now_ns() + SECOND;

    while (sn_now_ns() < deadline_ns)
        seen->count[0]++;
}

static void look_until_later(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    look();
}

static void look_at_libc_until_later(void *self, const void *payload)
{
    time_t deadline = time(NULL) + 1;

    (void)self;
    (void)payload;
    while (time(NULL) < deadline)
        seen->count[0]++;
}

static void sleep_for_no_time(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    for (;;) {
        (void)usleep(0);
        seen->count[0]++;
    }
}

static void look_often(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    for (int i = 0; i < 6000000; i++)
        seen->count[0] += sn_now_ns() == 0;
    if (payload == NULL)
        (void)sn_timer_start_tag(1, 0);
}

static void look_often_again(void *self, uint64_t tag)
{
    (void)tag;
    look_often(self, &tag);
}

static void sleep_in_small_bits(void *self, const void *payload)
{
    uint64_t deadline_ns = sn_now_ns() + SECOND;

    (void)self;
    (void)payload;
    while (sn_now_ns() < deadline_ns)
        (void)usleep(100);
    observe("awake");
}

#define MACHINE(name_, start_, ...)                                                                \
    static const struct sn_machine name_ = {                                                       \
        .name = #name_, .on_start = start_, .on_message = no_message, __VA_ARGS__};                \
    static void run_##name_(void)                                                                  \
    {                                                                                              \
        (void)sn_create(&name_, NULL);                                                             \
    }

MACHINE(looker, look_until_later, .on_timer = NULL)
MACHINE(libc_looker, look_at_libc_until_later, .on_timer = NULL)
MACHINE(dozer, sleep_for_no_time, .on_timer = NULL)
MACHINE(patient, look_often, .on_timer = look_often_again)
MACHINE(sleeper, sleep_in_small_bits, .on_timer = NULL)

static struct sn_result run_once(void (*run)(void))
{
    const struct sn_test test = {.name = "hang", .run = run, .world = SN_WORLD_TRIAL};

    observe_clear();
    return run_test_once(&test);
}

/* ---- Claims --------------------------------------------------------------------------------- */

static void waiting_for_sn_now_ns_fails_the_trial(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_once(run_looker);

    assert_string_equal(r.failure, "hang: looker " HANGS);
    assert_int_equal(r.failing_steps, 1);
}

static void waiting_for_libcs_clock_fails_the_trial(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_once(run_libc_looker);

    assert_string_equal(r.failure, "hang: libc_looker " HANGS);
}

static void sleeping_for_no_time_again_and_again_fails_the_trial(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_once(run_dozer);

    assert_string_equal(r.failure, "hang: dozer " HANGS);
}

static void the_test_itself_can_hang_too(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_once(look);

    assert_string_equal(r.failure, "hang: the test " HANGS);
}

static void it_fails_after_the_same_call_each_time(void **unused)
{
    (void)unused;

    (void)run_once(run_looker);

    /* Once in the search, and once more to see whether it repeats itself. */
    assert_int_equal(seen->count[0], 2 * (10000000 - 1));
}

static void looks_are_counted_for_each_step_alone(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_once(run_patient);

    assert_string_equal(r.failure, "");
    assert_int_equal(seen->count[0], 12000000);
}

static void a_sleep_that_lets_time_pass_ends(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_once(run_sleeper);

    assert_string_equal(r.failure, "");
    assert_string_equal(seen->text, "awake");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_sn_now_ns_fails_the_trial),
        cmocka_unit_test(waiting_for_libcs_clock_fails_the_trial),
        cmocka_unit_test(sleeping_for_no_time_again_and_again_fails_the_trial),
        cmocka_unit_test(the_test_itself_can_hang_too),
        cmocka_unit_test(it_fails_after_the_same_call_each_time),
        cmocka_unit_test(looks_are_counted_for_each_step_alone),
        cmocka_unit_test(a_sleep_that_lets_time_pass_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
