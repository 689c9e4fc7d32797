/* board.c - see board.h. SPDX-License-Identifier: MIT */
#include "engine/board.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Who waits looks again after so long: another process may have died with what was waited for. */
enum { WAIT_MS = 50 };

static void sleep_on(_Atomic uint32_t *word, uint32_t value, uint32_t milliseconds)
{
    struct timespec time = {.tv_sec = milliseconds / 1000,
                            .tv_nsec = (long)(milliseconds % 1000) * 1000000};

    (void)syscall(SYS_futex, word, FUTEX_WAIT, value, &time, NULL, 0);
}

void board_wake(_Atomic uint32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void board_sleep(_Atomic uint32_t *word, uint32_t value)
{
    sleep_on(word, value, WAIT_MS);
}

/* ---- Dealing -------------------------------------------------------------------------------- */

uint64_t board_after(const struct board *b, uint64_t trial)
{
    trial++;
    if (b->shards <= 1 || trial % BOARD_CHUNK != 0)
        return trial;
    return trial + (b->shards - 1) * BOARD_CHUNK;
}

bool board_deal(struct board *b, uint64_t *from, uint64_t *to)
{
    uint64_t shards = b->shards > 1 ? b->shards : 1;
    uint64_t limit = atomic_load_explicit(&b->limit, memory_order_relaxed);

    *from = atomic_fetch_add_explicit(&b->next, BOARD_CHUNK * shards, memory_order_relaxed);
    *to = *from + BOARD_CHUNK;
    if (*to > limit)
        *to = limit;
    return *from < limit;
}

void board_limit(struct board *b, uint64_t trial)
{
    uint64_t limit = atomic_load_explicit(&b->limit, memory_order_relaxed);

    while (trial < limit &&
           !atomic_compare_exchange_weak_explicit(&b->limit, &limit, trial, memory_order_relaxed,
                                                  memory_order_relaxed))
        continue;
}

/* ---- Waiting -------------------------------------------------------------------------------- */

bool board_wait_for_room(struct board *b, uint64_t to)
{
    uint64_t places = b->lessons != NULL ? BOARD_LESSONS : BOARD_TRIALS;

    for (;;) {
        uint32_t room = atomic_load_explicit(&b->room, memory_order_acquire);

        if (to <= atomic_load_explicit(&b->taken, memory_order_acquire) + places)
            return true;
        if (!board_is_wanted(b, to - 1))
            return false;
        board_ring(b);
        board_sleep(&b->room, room);
    }
}

void board_put(struct board *b, uint64_t trial)
{
    struct board_entry *entry = board_entry(b, trial);

    atomic_store_explicit(&entry->mark, (uint32_t)trial + 1, memory_order_release);
    if (atomic_load_explicit(&b->waiting, memory_order_seq_cst) != 0)
        board_wake(&entry->mark);
}

static struct board_area *area_of(struct board *b, uint64_t trial)
{
    return &b->lessons->areas[trial / BOARD_AREA_TRIALS % BOARD_AREAS];
}

void board_teach(struct board *b, uint64_t trial, const struct lesson *lesson)
{
    struct lesson *place = &b->lessons->places[trial % BOARD_LESSONS];
    struct board_area *area = area_of(b, trial);
    size_t size = lesson != NULL ? lesson_size(lesson) : 0;
    uint64_t at;

    memset(place->n, 0, sizeof(place->n));
    if (size == 0)
        return;
    at = atomic_fetch_add_explicit(&area->used, size, memory_order_relaxed);
    /* Somebody who died while writing has left less for the others, who do not need it all. */
    if (at + size > sizeof(area->bytes))
        return;
    place->bytes = area->bytes + at;
    lesson_copy(place, lesson);
}

/* Empties the areas of which all trials were taken off. */
static void empty_areas(struct board *b, uint64_t from, uint64_t to)
{
    uint64_t end = to / BOARD_AREA_TRIALS;
    uint64_t area = from / BOARD_AREA_TRIALS;

    if (end > BOARD_AREAS && area < end - BOARD_AREAS)
        area = end - BOARD_AREAS;
    for (; area < end; area++)
        atomic_store_explicit(&area_of(b, area * BOARD_AREA_TRIALS)->used, 0, memory_order_relaxed);
}

bool board_wait_for(struct board *b, uint64_t trial)
{
    struct board_entry *entry = board_entry(b, trial);
    bool is_there = board_has(b, trial);

    if (is_there)
        return true;
    atomic_fetch_add(&b->waiting, 1);
    while (!is_there && board_is_wanted(b, trial)) {
        uint32_t mark = atomic_load(&entry->mark);

        is_there = mark == (uint32_t)trial + 1;
        if (!is_there)
            board_sleep(&entry->mark, mark);
    }
    atomic_fetch_sub(&b->waiting, 1);
    return is_there;
}

void board_ring(struct board *b)
{
    atomic_fetch_add_explicit(&b->bell, 1, memory_order_release);
    board_wake(&b->bell);
}

void board_listen(struct board *b, uint32_t bell, uint32_t milliseconds)
{
    sleep_on(&b->bell, bell, milliseconds);
}

void board_taken(struct board *b, uint64_t trial)
{
    if (b->lessons != NULL)
        empty_areas(b, atomic_load_explicit(&b->taken, memory_order_relaxed), trial);
    atomic_store_explicit(&b->taken, trial, memory_order_release);
    atomic_fetch_add_explicit(&b->room, 1, memory_order_release);
    board_wake(&b->room);
}
