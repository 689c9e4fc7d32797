/* claims_main.c - runs the claims and prints TAP. Each claim gets a world of its own, and the marks
 * that it leaves go with it. SPDX-License-Identifier: MIT
 */
#include "claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void print_addresses(void)
{
    void *a = malloc(10);
    void *b = malloc(2 << 20);
    void *c;

    shim_enter(5);
    c = malloc(10);
    printf("%p %p %p %p\n", a, b, c, shim_fiber(3, NULL, NULL) == NULL ? NULL : c);
}

int main(int argc, char **argv)
{
    const struct claim *groups[] = {claims_program, claims_libc, claims_large, claims_check, NULL};
    const char *why = shim_open();
    int number = 0;
    int failed = 0;

    if (why != NULL) {
        say("1..0 # SKIP %.0d%s%s\n", 0, why, "");
        return 0;
    }
    shim_close();
    say("1..%d%s%s\n", count(groups), "", "");
    for (const struct claim *const *g = groups; *g != NULL; g++) {
        for (const struct claim *c = *g; c->name != NULL; c++) {
            const char *wrong;

            if (argc > 1 && strcmp(argv[1], c->name) != 0)
                continue;
            (void)shim_open();
            wrong = c->holds();
            shim_close();
            if (wrong != NULL) {
                failed++;
                say("not ok %d - %s\n# %s\n", ++number, c->name, wrong);
            } else {
                say("ok %d - %s%s\n", ++number, c->name, "");
            }
        }
    }
    return failed > 0;
}
