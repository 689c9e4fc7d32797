/* race_main.c - race.h as a test program of its own. `CHANGED` is another version of it.
 * SPDX-License-Identifier: MIT
 */
#include "race.h"

#include <stdlib.h>

static const struct sn_event extra = {.name = "Extra"};

static const struct sn_state extra_state = {
    .name = "Extra",
    .on = (const struct sn_on[]){{.event = &extra, .ignore = true}, {0}},
};

static const struct sn_machine extra_machine = {.name = "Extra", .start = &extra_state};

static void run_changed(void)
{
    /* Another machine comes first, so everything after it has other ids. */
    (void)sn_create(&extra_machine, NULL);
    race_test.run();
}

/* Two ways to take the runner along. */
static void run_segfault(void)
{
    volatile int *volatile nowhere = NULL;

    *nowhere = 1;
}

static void run_exit(void)
{
    exit(0);
}

/* Fails with the addresses of what belongs to a trial. */
static void run_where(void)
{
    void *memory = sn_alloc(1);
    void *block = malloc(100);

    sn_assertf(memory == NULL, "memory %p, heap %p", memory, block);
}

/* Fails with what malloc left in a block. */
static void run_unwritten(void)
{
    volatile unsigned char *volatile block = malloc(100);

    sn_assertf(block == NULL, "byte %02x", block[50]);
}

/* The same steps, but another assertion fails, and earlier. */
static bool is_strict;

static void run_strict(void)
{
    race_test.run();
    sn_assertf(!is_strict, "too strict");
}

/* Fails in the same place, sooner or later. */
static const struct sn_event again = {.name = "Again"};

static void count_up(void *self, const void *payload)
{
    int *count = self;

    (void)payload;
    sn_assert(++*count < (is_strict ? 2 : 5));
    sn_send(sn_self(), &again, NULL);
}

static const struct sn_state counting = {
    .name = "Counting",
    .entry = count_up,
    .on = (const struct sn_on[]){{.event = &again, .run = count_up}, {0}},
};

static const struct sn_machine counter = {
    .name = "Counter", .size = sizeof(int), .start = &counting};

static void run_late(void)
{
    (void)sn_create(&counter, NULL);
}

int main(int argc, char **argv)
{
    static struct sn_test tests[8] = {
        [2] = {.name = "segfault", .run = run_segfault},
        [3] = {.name = "exit", .run = run_exit},
        [4] = {.name = "where", .run = run_where},
        [5] = {.name = "unwritten", .run = run_unwritten},
        [6] = {.name = "late", .run = run_late},
    };
    static struct sn_bug bugs[] = {
        {"strict", "fails in another way", &is_strict, NULL},
        {"hasty", "fails sooner", &is_strict, "late"},
        {0},
    };
    static const struct sn_suite suite = {.name = "race", .tests = tests, .bugs = bugs};

    if (getenv("RACE_MISNAMED") != NULL)
        bugs[1].test = "later";
    tests[0] = race_test;
    tests[0].run = run_strict;
    tests[1] = race_fixed_test;
#ifdef CHANGED
    tests[0].run = run_changed;
#else
    (void)run_changed;
#endif
    return sn_main(argc, argv, &suite);
}
