/* claims_main.c - runs the claims and prints TAP. Each claim gets a world of its own, and the marks
 * that it leaves go with it. SPDX-License-Identifier: MIT
 */
#include "claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Straight to the descriptor: stdio is part of what is tested. */
static void say(const char *format, int number, const char *a, const char *b)
{
    char line[1024];
    int n = snprintf(line, sizeof(line), format, number, a, b);

    (void)!write(STDOUT_FILENO, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

static int count(const struct claim *const *groups)
{
    int n = 0;

    for (; *groups != NULL; groups++) {
        for (const struct claim *c = *groups; c->name != NULL; c++)
            n++;
    }
    return n;
}

static void nothing(void *argument)
{
    (void)argument;
}

/* For the claim that another process has the same. */
static int print_addresses(void)
{
    void *small = malloc(10);
    void *large = malloc(2 << 20);
    void *of_task;

    shim_enter(5);
    of_task = malloc(10);
    printf("%p %p %p %p\n", small, large, of_task, shim_fiber(3, nothing, NULL));
    return 0;
}

/* Opens the world; without descriptors for the tracking of pages if that is what is asked for. */
static const char *open_world(bool tracked)
{
    struct rlimit old;
    struct rlimit none;
    const char *why;

    (void)getrlimit(RLIMIT_NOFILE, &old);
    none = (struct rlimit){.rlim_cur = 3, .rlim_max = old.rlim_max};
    if (!tracked)
        (void)setrlimit(RLIMIT_NOFILE, &none);
    why = shim_open();
    (void)setrlimit(RLIMIT_NOFILE, &old);
    return why;
}

/* Runs what is called `only`, or all if it is NULL. Returns how many claims did not hold. */
static int run(const struct claim *const *groups, const char *only, bool tracked)
{
    int number = 0;
    int failed = 0;

    for (const struct claim *const *g = groups; *g != NULL; g++) {
        for (const struct claim *c = *g; c->name != NULL; c++) {
            const char *wrong;

            if (only != NULL && strcmp(only, c->name) != 0)
                continue;
            (void)open_world(tracked);
            wrong = c->holds();
            shim_close();
            if (wrong != NULL && strncmp(wrong, SKIP_MARK, strlen(SKIP_MARK)) == 0) {
                say("ok %d - %s # %s\n", ++number, c->name, wrong);
                continue;
            }
            if (wrong != NULL)
                say("not ok %d - %s\n# %s\n", ++number, c->name, wrong);
            else
                say("ok %d - %s%s\n", ++number, c->name, "");
            failed += wrong != NULL;
        }
    }
    return failed;
}

/* claims [--untracked] [NAME] */
int main(int argc, char **argv)
{
    const struct claim *groups[] = {claims_program, claims_fiber, claims_libc,
                                    claims_large,   claims_check, NULL};
    const char *only = argc > 1 ? argv[argc - 1] : NULL;
    bool tracked = argc < 2 || strcmp(argv[1], "--untracked") != 0;
    const char *why;

    if (only != NULL && strcmp(only, "--addresses") == 0)
        return print_addresses();
    if (only != NULL && only[0] == '-')
        only = NULL;
    why = open_world(tracked);
    if (why != NULL) {
        say("1..0 # SKIP %.0d%s%s\n", 0, why, "");
        return 0;
    }
    if (tracked == (shim_note()[0] != '\0'))
        say("# %.0d%s%s\n", 0, tracked ? "not tracked: " : "tracked although it should not be",
            shim_note());
    shim_close();
    say("1..%d%s%s\n", only != NULL ? 1 : count(groups), "", "");
    return run(groups, only, tracked) > 0;
}
