/* with_cmocka.c - Sennit inside another test runner: sn_run and sn_replay called from cmocka.
 *
 * The system is three plain nodes on a ring that elect the one with the highest number. A node
 * passes on numbers that are higher than its own; one that gets its own number back has won. The
 * bug that the last test looks for is a node that passes on everything. docs/running.md explains
 * the program.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { NODES = 3 };

static bool passes_on_everything; /* the bug */

/* ---- What is right: one leader, and in the end there is one --------------------------------- */

static const struct sn_event elected = {.name = "Elected"};

static const struct sn_state has_leader = {.name = "HasLeader", .temperature = SN_COLD};
static const struct sn_state no_leader = {
    .name = "NoLeader",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &elected, .go_to = &has_leader}, {0}},
};
static const struct sn_machine election = {.name = "Election", .start = &no_leader};

/* ---- The nodes ------------------------------------------------------------------------------ */

static sn_id ring[NODES]; /* a global like any other: memory is put back before the next trial */

struct node {
    uint8_t number;
};

static const struct sn_event node_birth = {.name = "Birth", .size = sizeof(struct node)};

static void send_on(const struct node *node, uint8_t number)
{
    sn_send_bytes(ring[(node->number + 1) % NODES], &number, 1);
}

static void on_start(void *self, const void *payload)
{
    struct node *node = self;

    *node = *(const struct node *)payload;
    send_on(node, node->number);
}

static void on_message(void *self, sn_id from, const void *bytes, size_t n)
{
    struct node *node = self;
    const uint8_t *number = bytes;

    (void)from;
    sn_assert(n == 1);
    if (*number == node->number)
        sn_monitor(&election, &elected, NULL);
    else if (*number > node->number || passes_on_everything)
        send_on(node, *number);
}

static void print_number(struct sn_text *out, const void *bytes, size_t n)
{
    (void)n;
    sn_print(out, "number=%d", *(const uint8_t *)bytes);
}

static const struct sn_machine node = {
    .name = "Node",
    .size = sizeof(struct node),
    .birth = &node_birth,
    .on_start = on_start,
    .on_message = on_message,
    .print_message = print_number,
};

static void elect(void)
{
    for (uint8_t i = 0; i < NODES; i++)
        ring[i] = sn_create(&node, &(struct node){.number = i});
}

static const struct sn_test test = {
    .name = "elect",
    .run = elect,
    .monitors = (const struct sn_machine *const[]){&election, NULL},
    .must_end = true,
};

/* ---- cmocka's tests ------------------------------------------------------------------------- */

static void a_leader_is_elected_in_a_thousand_random_trials(void **unused)
{
    struct sn_options options = {.iterations = 1000};
    struct sn_result r;
    (void)unused;

    assert_int_equal(sn_run(&test, &options, &r), 0);

    assert_int_equal(r.verdict, SN_PASSED);
    assert_int_equal(r.trials, 1000);
}

static void a_leader_is_elected_in_every_schedule(void **unused)
{
    struct sn_options options = {.strategy = "dfs", .iterations = UINT64_MAX};
    struct sn_result r;
    (void)unused;

    assert_int_equal(sn_run(&test, &options, &r), 0);

    assert_int_equal(r.verdict, SN_PASSED);
    assert_true(r.exhausted);
}

static void a_node_that_passes_on_everything_is_caught(void **unused)
{
    struct sn_options options = {.outdir = "cmocka-out"};
    struct sn_result found;
    struct sn_result again;
    (void)unused;
    passes_on_everything = true;

    assert_int_equal(sn_run(&test, &options, &found), 0);
    assert_int_equal(sn_replay(&test, found.trace, &again), 0);
    passes_on_everything = false;

    assert_int_equal(found.verdict, SN_FAILED);
    assert_string_equal(found.failure,
                        "unhandled: Election in state HasLeader cannot handle Elected");
    assert_false(again.nondeterministic);
    assert_string_equal(again.failure, found.failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leader_is_elected_in_a_thousand_random_trials),
        cmocka_unit_test(a_leader_is_elected_in_every_schedule),
        cmocka_unit_test(a_node_that_passes_on_everything_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
