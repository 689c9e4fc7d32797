/* own_main.c - sn_run, sn_replay, sn_in_trial and sn_debug_break: a program with a main of its own.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <stdio.h>

static void guess(void *self, const void *payload)
{
    uint64_t number = sn_choose("number", 10);

    (void)self;
    (void)payload;
    sn_assert(sn_in_trial());
    if (number == 7)
        sn_debug_break(1, "seven was drawn", NULL); /* gdb: break sn_debug_break if why != 0 */
    sn_assertf(number != 7, "seven");
}

static const struct sn_state guessing = {.name = "Guessing", .entry = guess};
static const struct sn_machine guesser = {.name = "Guesser", .start = &guessing};

static void run(void)
{
    sn_create(&guesser, NULL);
}

static const struct sn_test test = {.name = "guess", .run = run};

int main(void)
{
    struct sn_options options = {.strategy = "random", .iterations = 1000, .outdir = "own-out"};
    struct sn_result found;
    struct sn_result again;

    if (sn_run(&test, &options, &found) < 0) {
        fprintf(stderr, "the test could not be run: %s\n", found.failure);
        return 2;
    }
    if (found.verdict != SN_FAILED)
        return 1; /* it should have been found */
    printf("found in trial %d: %s\n", (int)found.failing_trial, found.failure);

    if (sn_replay(&test, found.trace, &again) < 0 || again.nondeterministic)
        return 1;
    printf("and again: %s\n", again.failure);
    return sn_in_trial() ? 1 : 0;
}
