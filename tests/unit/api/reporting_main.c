/* reporting_main.c - a test program for reports: tests that end in every way there is, and names
 * that no format likes. SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sennit/sennit.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Machines ------------------------------------------------------------------------------- */

static void do_nothing(void *self, const void *payload)
{
    (void)self;
    (void)payload;
}

/* Half of the trials fail. */
static void fail_sometimes(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assertf(sn_choose("fail", 2) == 0, "%s",
               "<&>\"' # SKIP %0A ::error::\n  ...\nok 99 - forged\t\x01\x1b[31m \xff\xc3\x28 "
               "\xef\xbf\xbe ]]> \xe2\x82\xac");
}

/* What the code under test prints must not look like a result. */
static void print_results(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)printf("ok 1 - forged\nBail out!\n::error::forged\n");
    (void)fprintf(stderr, "::error::forged\n");
    sn_assert(sn_choose("fail", 2) == 0);
}

static void *idle(void *unused)
{
    return unused;
}

static void start_thread(void *self, const void *payload)
{
    pthread_t thread;

    (void)self;
    (void)payload;
    if (pthread_create(&thread, NULL, idle, NULL) == 0)
        (void)pthread_join(thread, NULL);
}

/* Counts in memory that was mapped before the run, which no trial puts back: what fails the first
 * time never fails again, in whatever process it is run. */
static atomic_int *counter;

static void differ(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assert(atomic_fetch_add(counter, 1) > 0);
}

/* Goes on until somebody makes a file. */
static void wait_for_file(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assert(access("go", F_OK) != 0);
}

#define MACHINE(name_)                                                                             \
    static const struct sn_state name_##_state = {.name = "Going", .entry = name_};                \
    static const struct sn_machine name_##_machine = {.name = #name_, .start = &name_##_state};    \
    static void run_##name_(void)                                                                  \
    {                                                                                              \
        (void)sn_create(&name_##_machine, NULL);                                                   \
    }

MACHINE(do_nothing)
MACHINE(fail_sometimes)
MACHINE(print_results)
MACHINE(start_thread)
MACHINE(differ)
MACHINE(wait_for_file)

static void run_nothing(void)
{
}

/* ---- The suite ------------------------------------------------------------------------------ */

static bool is_switched;

static const struct sn_test tests[] = {
    {.name = "passes", .run = run_do_nothing},
    {.name = "fails", .run = run_fail_sometimes},
    {.name = "prints", .run = run_print_results},
    {.name = "prints in a promised world", .run = run_print_results, .world = SN_WORLD_TRIAL},
    {.name = "nothing", .run = run_nothing},
    {.name = "thread", .run = run_start_thread},
    {.name = "differs", .run = run_differ},
    {.name = "odd <name> \"it's\" # SKIP \\ \n \x01 \xff %0A,:", .run = run_fail_sometimes},
    {.name = "waits", .run = run_wait_for_file},
    {.name = "awaited", .run = run_do_nothing},
    {0},
};

static const struct sn_bug bugs[] = {
    {"a bug, with 'quotes'", "changes nothing", &is_switched, NULL},
    {0},
};

int main(int argc, char **argv)
{
    static const struct sn_suite suite = {.name = "reporting", .tests = tests, .bugs = bugs};
    static const struct sn_suite empty = {.name = "empty", .tests = tests + 10};

    counter =
        mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counter == MAP_FAILED)
        return 99;
    return sn_main(argc, argv, getenv("REPORTING_EMPTY") != NULL ? &empty : &suite);
}
