/* test_process_chances.c - how likely strategies make the orders of what processes do.
 *
 * What processes do about one mailbox or name conflicts, as deliveries to one machine do.
 * SPDX-License-Identifier: MIT
 */
#include "forest.h"
#include "reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint64_t failures_of(void (*run)(void), const char *strategy, uint64_t n)
{
    const struct sn_test test = {.name = "processes", .run = run, .world = SN_WORLD_TRIAL};
    const struct sn_options options = {
        .strategy = strategy, .iterations = n, .seed = 1, .keep_going = true};
    struct sn_result result;

    assert_int_equal(sn_run(&test, &options, &result), 0);
    return result.failures;
}

/* ---- pos under noise ------------------------------------------------------------------------ */

enum { STEPS_BEFORE = 3, NOISE_STEPS = 10 };

static uint32_t n_noisy; /* processes that yield, and touch nothing */
static bool *has_come;   /* in the trial's memory: B */

/* A is the last of these steps. */
static void come_late(const void *payload)
{
    (void)payload;
    for (int i = 0; i < STEPS_BEFORE; i++)
        sn_yield();
    sn_assert(*has_come); /* fails if A is before B */
}

/* B is the first step. */
static void come_at_once(const void *payload)
{
    (void)payload;
    *has_come = true;
}

static void make_noise(const void *payload)
{
    (void)payload;
    for (int i = 0; i < NOISE_STEPS; i++)
        sn_yield();
}

static const struct sn_process late = {.name = "Late", .run = come_late};
static const struct sn_process prompt = {.name = "Prompt", .run = come_at_once};
static const struct sn_process noisy = {.name = "Noisy", .run = make_noise};

static void run_chain(void)
{
    has_come = sn_alloc(sizeof(*has_come));
    (void)sn_spawn(&late, NULL);
    (void)sn_spawn(&prompt, NULL);
    for (uint32_t i = 0; i < n_noisy; i++)
        (void)sn_spawn(&noisy, NULL);
}

static bool is_wrong(const char *strategy, uint32_t noise, uint64_t n, double p)
{
    n_noisy = noise;
    return chance_is_wrong(failures_of(run_chain, strategy, n), n, p);
}

static void pos_lets_a_process_of_k_steps_win_once_in_k_plus_2_whatever_the_noise(void **unused)
{
    (void)unused;

    assert_false(is_wrong("pos", 0, 20000, 1.0 / (STEPS_BEFORE + 2)));
    assert_false(is_wrong("pos", 10, 20000, 1.0 / (STEPS_BEFORE + 2)));
    assert_false(is_wrong("pos", 100, 2000, 1.0 / (STEPS_BEFORE + 2)));
}

static void ranks_that_are_drawn_at_each_step_are_noticed(void **unused)
{
    (void)unused;

    assert_true(is_wrong("pos_redrawn", 10, 20000, 1.0 / (STEPS_BEFORE + 2)));
}

/* ---- What conflicts -------------------------------------------------------------------------- */

enum { SENDS = 3, WAY = 6, TRIALS = 20000 };

static const struct sn_event note_event = {.name = "Note"};
static const struct sn_event whom_event = {.name = "Whom", .size = sizeof(sn_id)};

/* Fails if the single note is the last one. */
static void read_notes(const void *payload)
{
    sn_id single = 0;

    (void)payload;
    for (int i = 0; i <= SENDS; i++)
        single = sn_receive(NULL, NULL, SN_FOREVER)->from;
    sn_assert(strcmp(sn_name(single), "Single") != 0);
}

static void send_several(const void *payload)
{
    for (int i = 0; i < SENDS; i++)
        sn_send(*(const sn_id *)payload, &note_event, NULL);
}

static void send_late(const void *payload)
{
    for (int i = 0; i < WAY; i++)
        sn_yield();
    send_several(payload);
}

static void send_one(const void *payload)
{
    sn_send(*(const sn_id *)payload, &note_event, NULL);
}

static const struct sn_process desk = {.name = "Desk", .run = read_notes};
static const struct sn_process several = {
    .name = "Several", .run = send_several, .birth = &whom_event};
static const struct sn_process distant = {
    .name = "Distant", .run = send_late, .birth = &whom_event};
static const struct sn_process single = {.name = "Single", .run = send_one, .birth = &whom_event};

static void run_notes(void)
{
    sn_id to = sn_spawn(&desk, NULL);

    (void)sn_spawn(&several, &to);
    (void)sn_spawn(&single, &to);
}

static void run_distant(void)
{
    sn_id to = sn_spawn(&desk, NULL);

    (void)sn_spawn(&distant, &to);
    (void)sn_spawn(&single, &to);
}

static void assert_share(void (*run)(void), const char *strategy, double p)
{
    uint64_t hits = failures_of(run, strategy, TRIALS);

    if (chance_is_wrong(hits, TRIALS, p))
        print_error("%s: %llu of %d where %.5f is right\n", strategy, (unsigned long long)hits,
                    TRIALS, p);
    assert_false(chance_is_wrong(hits, TRIALS, p));
}

/* All three have taken their first step. Where all that is pending conflicts posr is the random
 * walk; pos has to be lucky once. */
static void posr_decides_anew_what_is_sent_to_one_mailbox_and_pos_does_not(void **unused)
{
    (void)unused;

    assert_share(run_notes, "oldest@3,posr", 1.0 / (1 << SENDS));
    assert_share(run_notes, "oldest@3,posr+ca", 1.0 / (1 << SENDS));
    assert_share(run_notes, "oldest@3,random", 1.0 / (1 << SENDS));
    assert_share(run_notes, "oldest@3,pos", 1.0 / (SENDS + 1));
}

/* As likely as there are orders of four notes, however long the way to them is. */
static void surw_makes_every_order_in_a_mailbox_equally_likely_and_urw_does_not(void **unused)
{
    (void)unused;

    assert_share(run_notes, "surw", 1.0 / (SENDS + 1));
    assert_share(run_distant, "surw", 1.0 / (SENDS + 1));
    assert_true(
        chance_is_wrong(failures_of(run_distant, "urw", TRIALS), TRIALS, 1.0 / (SENDS + 1)));
    assert_true(
        chance_is_wrong(failures_of(run_distant, "random", TRIALS), TRIALS, 1.0 / (SENDS + 1)));
}

/* ---- Names ----------------------------------------------------------------------------------- */

static const struct sn_event where_event = {.name = "Where", .size = sizeof(sn_node)};

/* Fails if the other one, who sends a single note, comes last. */
static void name_several(const void *payload)
{
    for (int i = 0; i < SENDS; i++)
        sn_send_name_on(*(const sn_node *)payload, "desk", &note_event, NULL);
    sn_assert(*has_come);
}

static void name_one(const void *payload)
{
    sn_send_name_on(*(const sn_node *)payload, "desk", &note_event, NULL);
    *has_come = true;
}

static const struct sn_process naming_several = {
    .name = "NamingSeveral", .run = name_several, .birth = &where_event};
static const struct sn_process naming_one = {
    .name = "NamingOne", .run = name_one, .birth = &where_event};

/* Nobody has the name, so that nothing but the name is touched. */
static void spawn_senders(sn_node first, sn_node second)
{
    has_come = sn_alloc(sizeof(*has_come));
    (void)sn_spawn(&naming_several, &first);
    (void)sn_spawn(&naming_one, &second);
}

static void run_one_name(void)
{
    sn_node node = sn_node_new("left");

    spawn_senders(node, node);
}

static void run_names_of_two_nodes(void)
{
    sn_node node = sn_node_new("left");

    spawn_senders(node, sn_node_new("right"));
}

/* As in a mailbox. */
static void what_is_sent_to_a_name_of_one_node_conflicts(void **unused)
{
    (void)unused;

    assert_share(run_one_name, "oldest@2,posr", 1.0 / (1 << SENDS));
    assert_share(run_one_name, "oldest@2,surw", 1.0 / (SENDS + 1));
}

/* So posr is as pos, and surw, for whom nothing is interesting, as the random walk. */
static void equal_names_of_two_nodes_are_two_things(void **unused)
{
    (void)unused;

    assert_share(run_names_of_two_nodes, "oldest@2,posr", 1.0 / (SENDS + 1));
    assert_share(run_names_of_two_nodes, "oldest@2,surw", 1.0 / (1 << SENDS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pos_lets_a_process_of_k_steps_win_once_in_k_plus_2_whatever_the_noise),
        cmocka_unit_test(ranks_that_are_drawn_at_each_step_are_noticed),
        cmocka_unit_test(posr_decides_anew_what_is_sent_to_one_mailbox_and_pos_does_not),
        cmocka_unit_test(surw_makes_every_order_in_a_mailbox_equally_likely_and_urw_does_not),
        cmocka_unit_test(what_is_sent_to_a_name_of_one_node_conflicts),
        cmocka_unit_test(equal_names_of_two_nodes_are_two_things),
    };

    reference_register();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
