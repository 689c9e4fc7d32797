/* test_foresight.c - what is fetched for processes that run soon, and that it shows nowhere else.
 * SPDX-License-Identifier: MIT
 */
#include "flow.h"

#include "substrate/process.h"

enum { PROCESSES = 300, LAPS = 3 };

static uint32_t stride; /* from each process to the one it sends to; has no factor in common */
static uint32_t tokens;
/* Outside of what is put back: how the last trial looks, told by the process that ends it. */
static struct foreseen *noted;

static void pass_on(const void *payload)
{
    sn_id next = flow_whom(payload);

    for (;;) {
        uint64_t left = *(const uint64_t *)flow_any()->payload;

        if (left == 0) {
            memcpy(noted, trial_here()->processes->foreseen, (PROCESSES + 1) * sizeof(*noted));
            return;
        }
        sn_send(next, &number_event, &(uint64_t){left - 1});
    }
}

static const struct sn_process member = {
    .name = "Member", .run = pass_on, .birth = &whom_event, .may_wait = true};

static void run_ring(void)
{
    for (uint32_t i = 0; i < PROCESSES; i++)
        (void)sn_spawn(&member, &(sn_id){(i + stride) % PROCESSES + 1});
    for (uint32_t i = 0; i < tokens; i++)
        sn_send(1 + i * (PROCESSES / tokens), &number_event,
                &(uint64_t){(uint64_t)LAPS * PROCESSES});
}

static void hash_trial(void *self, const struct sn_trial_view *trial)
{
    uint64_t *hash = self;

    for (uint64_t i = 0; i < trial->decisions; i++)
        *hash = *hash * 31 + trial->log[i];
    *hash = *hash * 31 + trial->order;
}

/* Runs trials in this process; a hash of all of them. */
static uint64_t run(uint32_t by, uint32_t n)
{
    struct sn_test test = {.name = "ring", .run = run_ring, .world = SN_WORLD_TRIAL};
    uint64_t hash = 0;
    struct sn_options options = {
        .iterations = 2, .seed = 7, .watch = hash_trial, .watch_self = &hash};
    struct sn_result r;

    stride = by;
    tokens = n;
    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_string_equal(r.failure, "");
    return hash;
}

static void who_is_woken_some_wakings_after_whom_is_remembered(void **unused)
{
    (void)unused;

    run(7, 1);

    for (uint32_t i = 1; i <= PROCESSES; i++)
        assert_int_equal(noted[i].then, (i - 1 + 7 * FORESIGHT_WAKINGS) % PROCESSES + 1);
}

static void what_a_process_will_need_is_known_in_advance(void **unused)
{
    struct foreseen first[PROCESSES + 1];

    (void)unused;

    run(7, 1);
    memcpy(first, noted, sizeof(first));
    run(11, 1);

    for (uint32_t i = 1; i <= PROCESSES; i++) {
        assert_int_equal(noted[i].source, first[i].source);
        assert_int_not_equal(noted[i].top, 0);
        assert_in_range(noted[i].top - noted[i].line, 1, 64);
    }
}

static void trials_are_the_same_whatever_was_foreseen(void **unused)
{
    uint64_t before;

    (void)unused;

    before = run(1, 5);
    run(7, 1);

    assert_true(before == run(1, 5));
    assert_true(before != run(7, 5));
}

/* gcc takes functions that only fetch for ones without effect. */
static void fetches_are_in_the_code(void **unused)
{
    (void)unused;
#if defined(__x86_64__)
    uint32_t fetches = 0;
    const unsigned char *code = (const unsigned char *)(uintptr_t)foresight_woken;

    for (int i = 0; i < 6000; i++)
        fetches += code[i] == 0x0f && code[i + 1] == 0x18;
    assert_in_range(fetches, 6, 64);
#else
    print_message("# skipped: only known how to look for on x86-64\n");
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_woken_some_wakings_after_whom_is_remembered),
        cmocka_unit_test(what_a_process_will_need_is_known_in_advance),
        cmocka_unit_test(trials_are_the_same_whatever_was_foreseen),
        cmocka_unit_test(fetches_are_in_the_code),
    };

    noted = mmap(NULL, (PROCESSES + 1) * sizeof(*noted), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (noted == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
