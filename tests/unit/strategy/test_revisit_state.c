/* test_revisit_state.c - the receive-revisit search: known counts, its memory, its progress, and
 * its state as bytes. SPDX-License-Identifier: MIT
 */
#include "crowd.h"

#include "base/bytes.h"
#include "base/rng.h"
#include "strategy/strategies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ALL = 100000000, ROOM = 1 << 20 };

static struct crowd_run run;
static unsigned char saved[ROOM];
static unsigned char again[ROOM];
static unsigned char damaged[ROOM];

/* ---- Counts --------------------------------------------------------------------------------- */

static void assert_count(const struct crowd *crowd, uint64_t n_traces)
{
    crowd_run(crowd, ALL, &run);
    assert_true(run.result.exhausted);
    assert_int_equal(run.result.trials, n_traces);
    assert_int_equal(run.result.distinct_orders, n_traces);
}

static void messages_to_one_machine_arrive_in_every_order(void **state)
{
    (void)state;
    assert_count(&(struct crowd){CROWD_INBOX, 3, 0}, 6);
    assert_count(&(struct crowd){CROWD_INBOX, 5, 0}, 120);
    assert_count(&(struct crowd){CROWD_INBOX, 7, 0}, 5040);
}

static void messages_of_one_sender_keep_their_order(void **state)
{
    (void)state;
    assert_count(&(struct crowd){CROWD_SENDERS, 2, 1}, 2);
    assert_count(&(struct crowd){CROWD_SENDERS, 2, 3}, 20);
    assert_count(&(struct crowd){CROWD_SENDERS, 3, 2}, 90);
    assert_count(&(struct crowd){CROWD_SENDERS, 4, 2}, 2520);
}

static void machines_receive_a_broadcast_independently(void **state)
{
    (void)state;
    assert_count(&(struct crowd){CROWD_BROADCAST, 2, 3}, 8);
    assert_count(&(struct crowd){CROWD_BROADCAST, 3, 3}, 216);
    assert_count(&(struct crowd){CROWD_BROADCAST, 4, 2}, 576);
}

static void replies_are_gathered_in_every_order(void **state)
{
    (void)state;
    assert_count(&(struct crowd){CROWD_GATHER, 3, 0}, 6);
    assert_count(&(struct crowd){CROWD_GATHER, 6, 0}, 720);
}

static void receives_before_all_is_sent_are_revisited(void **state)
{
    (void)state;
    assert_count(&(struct crowd){CROWD_LATE, 3, 0}, 6);
    assert_count(&(struct crowd){CROWD_LATE, 6, 0}, 720);
    assert_count(&(struct crowd){CROWD_LATE, 3, 2}, 90);
    assert_true(crowd_state()->peak.levels > 1);
}

static void a_receive_that_was_revisited_is_not_dropped_for_what_does_not_know_of_it(void **state)
{
    (void)state;
    assert_count(&(struct crowd){CROWD_DETOUR, 0, 1}, 6);
    assert_count(&(struct crowd){CROWD_DETOUR, 0, 2}, 90);
}

static void chains_that_never_meet_are_one_trial(void **state)
{
    (void)state;
    assert_count(&(struct crowd){CROWD_PAIRS, 3, 4}, 1);
    assert_count(&(struct crowd){CROWD_PAIRS, 30, 30}, 1);
}

static void a_timer_fires_before_the_reply_or_is_cancelled(void **state)
{
    (void)state;
    assert_count(&(struct crowd){CROWD_TIMER, 1, 0}, 2);
    assert_count(&(struct crowd){CROWD_TIMER, 3, 0}, 8);
    assert_count(&(struct crowd){CROWD_TIMER, 6, 0}, 64);
}

static void clients_of_one_server_are_served_in_every_order(void **state)
{
    (void)state;
    assert_count(&(struct crowd){CROWD_TIMER_SHARED, 2, 0}, 8);
    assert_count(&(struct crowd){CROWD_TIMER_SHARED, 3, 0}, 48);
    assert_count(&(struct crowd){CROWD_TIMER_SHARED, 4, 0}, 384);
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* A level for each send at most, since what has revisited stays; on each level a frame for each
 * element of the graph, with a choice for each receive or send, and one graph. */
static void assert_memory(const struct crowd *crowd)
{
    struct revisit_peak p;
    uint64_t elements;
    uint64_t frames;

    crowd_run(crowd, ALL, &run);
    p = crowd_state()->peak;
    elements = p.receives + p.sends;
    frames = (p.sends + 1) * elements;
    print_message(
        "n = %d: %llu trials; at most %llu receives, %llu sends, %llu levels, %llu frames, "
        "%llu choices, %llu bytes\n",
        crowd->n, (unsigned long long)run.n, (unsigned long long)p.receives,
        (unsigned long long)p.sends, (unsigned long long)p.levels, (unsigned long long)p.frames,
        (unsigned long long)p.choices, (unsigned long long)p.bytes);
    assert_true(run.result.exhausted);
    assert_true(p.levels <= p.sends + 1);
    assert_true(p.frames <= frames);
    assert_true(p.choices <= frames * elements);
    assert_true(p.bytes <=
                p.levels * (sizeof(struct revisit_level) +
                            revisit_script_bytes((uint32_t)p.receives, (uint32_t)elements)) +
                    p.frames * sizeof(struct revisit_frame) +
                    p.choices * sizeof(struct revisit_choice));
}

static void memory_grows_with_a_power_of_the_messages(void **state)
{
    (void)state;
    assert_memory(&(struct crowd){CROWD_INBOX, 4, 0});
    assert_memory(&(struct crowd){CROWD_INBOX, 5, 0});
    assert_memory(&(struct crowd){CROWD_INBOX, 6, 0});
    assert_memory(&(struct crowd){CROWD_INBOX, 7, 0});
    assert_memory(&(struct crowd){CROWD_INBOX, 8, 0});
}

static void memory_grows_with_a_power_of_what_is_revisited(void **state)
{
    (void)state;
    assert_memory(&(struct crowd){CROWD_LATE, 4, 0});
    assert_memory(&(struct crowd){CROWD_LATE, 5, 0});
    assert_memory(&(struct crowd){CROWD_LATE, 6, 0});
    assert_memory(&(struct crowd){CROWD_LATE, 7, 0});
    assert_memory(&(struct crowd){CROWD_LATE, 8, 0});
}

/* ---- Progress ------------------------------------------------------------------------------- */

static void all_is_done_at_the_end_to_the_last_bit(void **state)
{
    (void)state;
    crowd_run(&(struct crowd){CROWD_LATE, 5, 0}, ALL, &run);
    assert_true(crowd_state()->is_done);
    assert_true(crowd_state()->done == REVISIT_MASS);
    assert_true(revisit_progress(crowd_state()) == 1.0);
}

static void the_first_of_equal_parts_is_its_share(void **state)
{
    double expected = 1.0 / 120;
    double progress;

    (void)state;
    crowd_run(&(struct crowd){CROWD_INBOX, 5, 0}, 1, &run);
    progress = revisit_progress(crowd_state());
    assert_true(progress > expected - 1e-12 && progress < expected + 1e-12);
}

static void half_of_equal_trials_is_half_of_the_search(void **state)
{
    double progress;

    (void)state;
    crowd_run(&(struct crowd){CROWD_INBOX, 6, 0}, 360, &run);
    progress = revisit_progress(crowd_state());
    assert_true(progress > 0.5 - 1e-12 && progress < 0.5 + 1e-12);
}

/* ---- As bytes ------------------------------------------------------------------------------- */

/* A state of the middle of a search, with levels. */
static size_t save_middle(void)
{
    size_t n;

    crowd_run(&(struct crowd){CROWD_LATE, 5, 0}, 37, &run);
    assert_true(crowd_state()->n_levels > 1);
    n = revisit_save(crowd_state(), saved, ROOM);
    assert_true(n <= ROOM);
    return n;
}

static void a_search_goes_on_with_the_trial_that_would_have_come_next(void **state)
{
    static struct crowd_run whole;
    const struct crowd crowd = {CROWD_LATE, 5, 0};

    (void)state;
    crowd_run(&crowd, ALL, &whole);
    for (uint64_t i = 0; i < 120; i += 7) {
        crowd_reload_before(i);
        crowd_run(&crowd, ALL, &run);
        crowd_reload_before(UINT64_MAX);

        assert_int_equal(run.n, whole.n);
        assert_memory_equal(run.orders, whole.orders, whole.n * sizeof(whole.orders[0]));
    }
}

static void a_search_that_has_not_begun_can_be_saved(void **state)
{
    struct revisit *fresh = crowd_state_new();
    struct revisit *other = crowd_state_new();
    size_t n = revisit_save(fresh, saved, ROOM);

    (void)state;
    assert_int_equal(revisit_load(other, saved, n), 0);
    assert_false(other->is_begun);
    mem_release(fresh, sizeof(*fresh));
    mem_release(other, sizeof(*other));
}

static void nothing_is_written_without_room(void **state)
{
    size_t n = save_middle();

    (void)state;
    memset(again, 0xa5, ROOM);
    assert_int_equal(revisit_save(crowd_state(), again, n - 1), n);
    assert_int_equal(again[0], 0xa5);
    assert_int_equal(revisit_save(crowd_state(), NULL, 0), n);
}

static void what_was_loaded_saves_as_the_same_bytes(void **state)
{
    struct revisit *other = crowd_state_new();
    size_t n = save_middle();

    (void)state;
    assert_int_equal(revisit_load(other, saved, n), 0);
    assert_int_equal(revisit_save(other, again, ROOM), n);
    assert_memory_equal(again, saved, n);
    mem_release(other, sizeof(*other));
}

/* A state that must stay as it is, and is looked at through its bytes. */
static void assert_refused(struct revisit *other, const unsigned char *bytes, size_t n)
{
    size_t before = revisit_save(other, saved, ROOM);

    assert_int_equal(revisit_load(other, bytes, n), -1);
    assert_int_equal(revisit_save(other, again, ROOM), before);
    assert_memory_equal(again, saved, before);
}

static void bytes_with_any_bit_changed_are_refused(void **state)
{
    struct revisit *other = crowd_state_new();
    size_t n = save_middle();

    (void)state;
    memcpy(damaged, saved, n);
    assert_int_equal(revisit_load(other, damaged, n), 0);
    for (size_t i = 0; i < n * 8; i++) {
        damaged[i / 8] ^= (unsigned char)(1 << i % 8);
        assert_int_equal(revisit_load(other, damaged, n), -1);
        damaged[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    assert_refused(other, damaged, n - 1);
    mem_release(other, sizeof(*other));
}

static void bytes_that_end_too_early_are_refused(void **state)
{
    struct revisit *other = crowd_state_new();
    size_t n = save_middle();

    (void)state;
    memcpy(damaged, saved, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(revisit_load(other, damaged, i), -1);
    assert_refused(other, damaged, n / 2);
    mem_release(other, sizeof(*other));
}

/* Writes the sum that belongs to bytes which were changed on purpose. */
static void seal(unsigned char *bytes, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n - 8; i += 8)
        sum = mix_pair(sum, bytes_get(bytes + i));
    bytes_put(bytes + n - 8, sum);
}

/* Whatever a word is: either the bytes are refused, or the search that they lead to notices that it
 * is another one, or it is one. */
static void changed_words_with_a_right_sum_do_no_harm(void **state)
{
    static const uint64_t values[] = {0, 1, 2, 255, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
    size_t n = save_middle();

    (void)state;
    for (size_t word = 1; word < n / 8 - 1; word += 3) {
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
            memcpy(damaged, saved, n);
            bytes_put(damaged + 8 * word, values[v]);
            seal(damaged, n);
            crowd_begin_with(damaged, n);
            crowd_run(&(struct crowd){CROWD_LATE, 5, 0}, 3, &run);
            assert_true(run.n <= 3);
        }
    }
    crowd_begin_with(NULL, 0);
}

static void bytes_of_odpor_with_any_bit_changed_are_refused(void **state)
{
    const struct sn_strategy *odpor = strategy_optimal.strategy;
    void *o = mem_reserve_shared(odpor->state_size, NULL);
    char error[256];
    size_t n;

    (void)state;
    assert_non_null(o);
    assert_int_equal(odpor->init(o, "", 1, error, sizeof(error)), 0);
    n = odpor->save(o, saved, ROOM);
    assert_true(n > 0 && n <= ROOM);
    assert_int_equal(odpor->load(o, saved, n), 0);
    for (size_t i = 0; i < n * 8; i++) {
        saved[i / 8] ^= (unsigned char)(1 << i % 8);
        assert_int_equal(odpor->load(o, saved, n), -1);
        saved[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    for (size_t i = 0; i < n; i++)
        assert_int_equal(odpor->load(o, saved, i), -1);
    mem_release(o, odpor->state_size);
}

/* ---- Descents ------------------------------------------------------------------------------- */

/* The mean of many descents is the number of partial orders, whatever is revisited on the way. */
static void assert_descents_tell(const struct crowd *crowd, double n_traces)
{
    struct descent_result found;

    crowd_descent(17);
    crowd_run(crowd, 4000, &run);
    crowd_descent(0);
    found = descent_finish(&crowd_state()->descent);
    assert_int_equal(found.n, 4000);
    assert_true(found.error < n_traces / 10);
    assert_true(found.mean - n_traces <= 4 * found.error);
    assert_true(n_traces - found.mean <= 4 * found.error);
}

static void descents_tell_how_many_partial_orders_there_are(void **state)
{
    (void)state;
    assert_descents_tell(&(struct crowd){CROWD_LATE, 5, 0}, 120);
    assert_descents_tell(&(struct crowd){CROWD_SENDERS, 4, 2}, 2520);
    assert_descents_tell(&(struct crowd){CROWD_DETOUR, 3, 0}, 6);
    assert_descents_tell(&(struct crowd){CROWD_TIMER_SHARED, 3, 0}, 48);
}

/* ---- Halves --------------------------------------------------------------------------------- */

static void a_search_that_has_not_begun_cannot_be_split(void **state)
{
    struct revisit *fresh = crowd_state_new();
    struct revisit *other = crowd_state_new();

    (void)state;
    assert_false(revisit_split(fresh, other));
    mem_release(fresh, sizeof(*fresh));
    mem_release(other, sizeof(*other));
}

/* What is left in a state. */
static uint64_t mass_left(const struct revisit *s)
{
    uint64_t mass = 0;

    for (uint32_t i = 0; i < s->n_frames; i++)
        mass += s->frames[i].share * s->frames[i].n_left;
    for (uint32_t i = 0; i < s->n_roots; i++)
        mass += s->roots[i].mass;
    return mass;
}

static void work_that_was_given_away_counts_as_done(void **state)
{
    struct revisit *other = crowd_state_new();
    uint64_t left;

    (void)state;
    (void)save_middle();
    left = mass_left(crowd_state());
    assert_true(revisit_split(crowd_state(), other));
    assert_true(mass_left(crowd_state()) + mass_left(other) == left);
    assert_true(revisit_done(crowd_state()) == REVISIT_MASS - mass_left(crowd_state()));
    assert_true(revisit_done(other) == REVISIT_MASS - mass_left(other));
    mem_release(other, sizeof(*other));
}

static void about_half_is_given_away(void **state)
{
    struct revisit *other = crowd_state_new();
    double part;

    (void)state;
    crowd_run(&(struct crowd){CROWD_INBOX, 7, 0}, 1, &run);
    assert_true(revisit_split(crowd_state(), other));
    part = (double)mass_left(other) / (double)REVISIT_MASS;
    assert_true(part > 0.4 && part <= 0.5);
    mem_release(other, sizeof(*other));
}

static void one_half_after_the_other_is_the_whole_in_its_order(void **state)
{
    static struct crowd_run whole;
    const struct crowd crowd = {CROWD_LATE, 5, 0};

    (void)state;
    crowd_run(&crowd, ALL, &whole);
    for (uint64_t i = 1; i < 119; i += 7) {
        crowd_split_before(i);
        crowd_run(&crowd, ALL, &run);
        crowd_split_before(UINT64_MAX);

        assert_int_equal(run.n, whole.n);
        assert_memory_equal(run.orders, whole.orders, whole.n * sizeof(whole.orders[0]));
    }
}

static void a_divided_search_says_that_it_cannot_be_left_to_another_one(void **state)
{
    (void)state;
    crowd_falls_back(true);
    crowd_split_before(2);
    crowd_run(&(struct crowd){CROWD_DRAWS, 4, 0}, ALL, &run);
    crowd_split_before(UINT64_MAX);
    crowd_falls_back(false);

    assert_int_equal(run.result.verdict, SN_UNCONTROLLED);
    assert_non_null(strstr(run.result.failure, "odpor has divided its search before it met "
                                               "tests that draw values; use odpor:trees"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_to_one_machine_arrive_in_every_order),
        cmocka_unit_test(messages_of_one_sender_keep_their_order),
        cmocka_unit_test(machines_receive_a_broadcast_independently),
        cmocka_unit_test(replies_are_gathered_in_every_order),
        cmocka_unit_test(receives_before_all_is_sent_are_revisited),
        cmocka_unit_test(a_receive_that_was_revisited_is_not_dropped_for_what_does_not_know_of_it),
        cmocka_unit_test(chains_that_never_meet_are_one_trial),
        cmocka_unit_test(a_timer_fires_before_the_reply_or_is_cancelled),
        cmocka_unit_test(clients_of_one_server_are_served_in_every_order),
        cmocka_unit_test(memory_grows_with_a_power_of_the_messages),
        cmocka_unit_test(memory_grows_with_a_power_of_what_is_revisited),
        cmocka_unit_test(all_is_done_at_the_end_to_the_last_bit),
        cmocka_unit_test(the_first_of_equal_parts_is_its_share),
        cmocka_unit_test(half_of_equal_trials_is_half_of_the_search),
        cmocka_unit_test(a_search_goes_on_with_the_trial_that_would_have_come_next),
        cmocka_unit_test(a_search_that_has_not_begun_can_be_saved),
        cmocka_unit_test(nothing_is_written_without_room),
        cmocka_unit_test(what_was_loaded_saves_as_the_same_bytes),
        cmocka_unit_test(bytes_with_any_bit_changed_are_refused),
        cmocka_unit_test(bytes_that_end_too_early_are_refused),
        cmocka_unit_test(changed_words_with_a_right_sum_do_no_harm),
        cmocka_unit_test(bytes_of_odpor_with_any_bit_changed_are_refused),
        cmocka_unit_test(descents_tell_how_many_partial_orders_there_are),
        cmocka_unit_test(a_search_that_has_not_begun_cannot_be_split),
        cmocka_unit_test(work_that_was_given_away_counts_as_done),
        cmocka_unit_test(about_half_is_given_away),
        cmocka_unit_test(one_half_after_the_other_is_the_whole_in_its_order),
        cmocka_unit_test(a_divided_search_says_that_it_cannot_be_left_to_another_one),
    };

    crowd_register();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
