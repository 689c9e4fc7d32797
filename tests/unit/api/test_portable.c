/* test_portable.c - the engine on any processor: few trials, so that an emulator can run them.
 * SPDX-License-Identifier: MIT
 */
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

struct token {
    uint64_t left;
    sn_id next;
};

static const struct sn_event token_event = {.name = "Token", .size = sizeof(struct token)};

struct holder {
    uint64_t seen;
};

static void on_token(void *self, const void *payload)
{
    struct holder *h = self;
    struct token token = *(const struct token *)payload;
    sn_id to = token.next;

    h->seen++;
    sn_assertf(sn_choose("bad luck", 4) != 3 || h->seen < 2, "the token is dropped");
    if (token.left-- == 0)
        return;
    token.next = sn_self();
    sn_send(to, &token_event, &token);
}

static const struct sn_state holding = {
    .name = "Holding",
    .on = (const struct sn_on[]){{.event = &token_event, .run = on_token}, {0}},
};

static const struct sn_machine holder_machine = {
    .name = "Holder", .size = sizeof(struct holder), .start = &holding};

static void run_tokens(void)
{
    sn_id a = sn_create(&holder_machine, NULL);
    sn_id b = sn_create(&holder_machine, NULL);

    sn_send(a, &token_event, &(struct token){2, b});
}

static const struct sn_test tokens = {.name = "tokens", .run = run_tokens, .world = SN_WORLD_TRIAL};

static void dfs_visits_the_same_on_every_processor(void **unused)
{
    (void)unused;

    struct sn_result r = run_test_all(&tokens);

    /* Two starts and three deliveries: the first delivery waits for its machine's start, the second
     * for the other's. Each delivery draws one of four values, and the third may end in failure. */
    assert_true(r.exhausted);
    assert_int_equal(r.trials, 192);
    assert_int_equal(r.failures, 48);
}

static void a_failing_trial_replays_on_every_processor(void **unused)
{
    char directory[] = "/tmp/sennit-portable-XXXXXX";
    struct sn_options options = {.iterations = 100, .outdir = directory};
    struct sn_result found;
    struct sn_result again;

    (void)unused;
    assert_non_null(mkdtemp(directory));
    assert_int_equal(sn_run(&tokens, &options, &found), 0);
    assert_int_equal(found.failures, 1);

    assert_int_equal(sn_replay(&tokens, found.trace, &again), 0);

    assert_false(again.nondeterministic);
    assert_string_equal(again.failure, found.failure);
    assert_int_equal(again.steps, found.failing_steps);
    (void)unlink(found.trace);
    (void)rmdir(directory);
}

static void a_seed_finds_the_same_trial_on_every_processor(void **unused)
{
    struct sn_options options = {.iterations = 100, .seed = 7};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&tokens, &options, &r), 0);

    assert_int_equal(r.failing_trial, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dfs_visits_the_same_on_every_processor),
        cmocka_unit_test(a_failing_trial_replays_on_every_processor),
        cmocka_unit_test(a_seed_finds_the_same_trial_on_every_processor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
