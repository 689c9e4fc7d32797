/* test_board.c - what trials have taught lies on the board until everybody was told of it.
 *
 * Trials are put up in any order, as far ahead as the board lets them, with lessons of any length,
 * and taken off in their order; whoever takes one off must find what was written.
 * SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "engine/board.h"
#include "engine/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka.h comes after these */
#include <cmocka.h>

static struct board *board;
static unsigned char bytes[SN_LESSON_MAX];

static int set_up(void **state)
{
    struct err why;

    (void)state;
    board = mem_reserve_shared(sizeof(*board), &why);
    board->lessons = mem_reserve_shared(sizeof(*board->lessons), &why);
    board->limit = UINT64_MAX;
    return board == NULL || board->lessons == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    mem_release(board->lessons, sizeof(*board->lessons));
    mem_release(board, sizeof(*board));
    return 0;
}

/* The lesson of a trial: of one strategy, or two, or none. Lengths follow from the seed. */
static struct lesson lesson_of(uint64_t seed, uint64_t trial, uint32_t most)
{
    struct lesson lesson = {.bytes = bytes};
    uint64_t hash = mix_pair(seed, trial);
    uint32_t size = (uint32_t)(hash % 8 == 0 ? 0 : (hash >> 8) % (most + 1));
    uint64_t word = hash;

    lesson.n[0] = hash % 3 == 0 ? size / 3 : size;
    lesson.n[3] = size - lesson.n[0];
    for (uint32_t i = 0; i < size; i++) {
        if (i % 8 == 0)
            word = mix64(word);
        bytes[i] = (unsigned char)(word >> i % 8 * 8);
    }
    return lesson;
}

static void put_up(uint64_t seed, uint64_t trial, uint32_t most)
{
    struct lesson lesson = lesson_of(seed, trial, most);

    board_teach(board, trial, trial % 100 == 99 ? NULL : &lesson);
    board_put(board, trial);
}

static void check(uint64_t seed, uint64_t trial, uint32_t most)
{
    struct lesson expected = lesson_of(seed, trial, most);
    const struct lesson *found = board_lesson(board, trial);

    assert_true(board_has(board, trial));
    if (trial % 100 == 99) /* its process was gone */
        memset(expected.n, 0, sizeof(expected.n));
    assert_memory_equal(found->n, expected.n, sizeof(expected.n));
    if (lesson_size(found) > 0)
        assert_memory_equal(found->bytes, expected.bytes, lesson_size(found));
}

/* So many chunks are with workers, each of which puts up its trials in their order. */
enum { WORKERS = 5 };

struct hand {
    uint64_t next;
    uint64_t end;
};

static bool has_room(uint64_t trial, uint64_t taken)
{
    return trial / BOARD_CHUNK * BOARD_CHUNK + BOARD_CHUNK <= taken + BOARD_LESSONS;
}

static void run(uint64_t seed, uint64_t trials, uint32_t most)
{
    struct hand hands[WORKERS] = {{0, 0}};
    uint64_t taken = 0;
    uint64_t next = 0;
    struct rng rng;

    rng_init(&rng, seed, 0);
    while (taken < trials) {
        struct hand *hand = &hands[rng_below(&rng, WORKERS)];
        uint64_t end = taken + rng_below(&rng, 300);
        bool is_fast = taken / 1500 % 2 == 0; /* whoever takes off; otherwise the board is full */

        if (hand->next == hand->end) {
            assert_true(board_deal(board, &hand->next, &hand->end));
            next = hand->end;
        }
        for (uint32_t i = rng_below(&rng, 2 * BOARD_CHUNK); i > 0 && hand->next < hand->end; i--) {
            if (!has_room(hand->next, taken))
                break;
            put_up(seed, hand->next++, most);
        }
        if (rng_below(&rng, is_fast ? 2 : 200) != 0 && next < taken + BOARD_LESSONS)
            continue;
        for (; taken < end && board_has(board, taken); taken++)
            check(seed, taken, most);
        board_taken(board, taken);
    }
}

static void what_trials_teach_is_there_until_it_is_taken_off(void **state)
{
    (void)state;
    run(1, 40000, 100);
}

static void lessons_of_any_length_have_room(void **state)
{
    (void)state;
    run(2, 6000, SN_LESSON_MAX);
}

/* In one area all may be as long as can be. */
static void an_area_of_the_longest_lessons_has_room(void **state)
{
    const uint64_t first = 3 * BOARD_AREA_TRIALS;
    struct lesson lesson = {.n = {SN_LESSON_MAX}, .bytes = bytes};

    (void)state;
    for (uint64_t i = first; i < first + BOARD_AREA_TRIALS; i++) {
        memset(bytes, (int)i & 0xff, sizeof(bytes));
        board_teach(board, i, &lesson);
    }
    for (uint64_t i = first; i < first + BOARD_AREA_TRIALS; i++) {
        const struct lesson *found = board_lesson(board, i);

        memset(bytes, (int)i & 0xff, sizeof(bytes));
        assert_int_equal(lesson_size(found), SN_LESSON_MAX);
        assert_memory_equal(found->bytes, bytes, sizeof(bytes));
    }
}

/* Each page that is touched costs as much as dozens of steps, in the worker and in the parent. */
static void short_lessons_lie_side_by_side(void **state)
{
    struct lesson lesson = {.n = {40}, .bytes = bytes};
    const unsigned char *low = NULL;
    const unsigned char *high = NULL;

    (void)state;
    for (uint64_t i = 0; i < BOARD_AREA_TRIALS; i++) {
        const unsigned char *at;

        board_teach(board, i, &lesson);
        at = board_lesson(board, i)->bytes;
        low = low == NULL || at < low ? at : low;
        high = at > high ? at : high;
    }
    assert_int_equal(high - low, (BOARD_AREA_TRIALS - 1) * 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_trials_teach_is_there_until_it_is_taken_off, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(lessons_of_any_length_have_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_area_of_the_longest_lessons_has_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(short_lessons_lie_side_by_side, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
