/* test_socket_twin.c - modelled sockets against those of the kernel.
 *
 * A trial draws a program (twin.h) and runs it twice: in a process, whose sockets are the trial's,
 * and by the kernel. Each call must have the same result, error and bytes. What may differ is said
 * in twin.c. A program that does not agree is shrunk as any trial is:
 *
 *     build/tests/unit/substrate/test_socket_twin -f sockets -i 100000
 *
 * The kernel works on some of what is sent over the loopback device a moment later, if the machine
 * is busy: a program that differs is run by it again, and has failed if no run agrees.
 * SPDX-License-Identifier: MIT
 */
#include "twin.h"

#include <sennit/sennit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { KERNEL_RUNS = 20, PARTS = 3 };

struct program {
    struct twin_call calls[TWIN_CALLS];
    size_t n;
    struct twin model;
    struct twin kernel;
};

static uint64_t n_programs = 500;
static uint64_t seed = 1;

static const unsigned weights[TWIN_VERBS] = {
    [TWIN_PAIR] = 6,    [TWIN_PIPE] = 4,          [TWIN_WRITE] = 16,     [TWIN_READ] = 18,
    [TWIN_POLL] = 10,   [TWIN_CLOSE] = 7,         [TWIN_SHUTDOWN] = 7,   [TWIN_TCP] = 7,
    [TWIN_LOCAL] = 4,   [TWIN_SOCKET] = 3,        [TWIN_BIND] = 3,       [TWIN_LISTEN] = 3,
    [TWIN_CONNECT] = 5, [TWIN_ACCEPT] = 5,        [TWIN_SELECT] = 4,     [TWIN_EVENTFD] = 2,
    [TWIN_EPOLL] = 3,   [TWIN_EPOLL_CONTROL] = 9, [TWIN_EPOLL_WAIT] = 9, [TWIN_FLAGS] = 4,
    [TWIN_IOCTL] = 4,   [TWIN_OPTION] = 5,        [TWIN_NAME] = 5,
};

static void draw_program(struct program *p)
{
    /* Lists are short most of the time. */
    for (int part = 0; part < PARTS; part++) {
        struct sn_list list = sn_list_begin("calls", 0, TWIN_CALLS / PARTS);

        while (sn_list_next(&list))
            p->calls[p->n++] = (struct twin_call){
                .verb = (uint8_t)sn_weighted("verb", weights, TWIN_VERBS),
                .fd = (uint8_t)sn_choose("fd", TWIN_REACH),
                .a = (uint8_t)sn_choose("a", 16),
                .b = (uint8_t)sn_choose("b", 16),
                .c = (uint8_t)sn_choose("c", 16),
            };
    }
}

static uint64_t run_by_kernel(void *argument)
{
    struct program *p = argument;

    for (int i = 0; i < KERNEL_RUNS; i++) {
        memset(&p->kernel, 0, sizeof(p->kernel));
        p->kernel.is_kernel = true;
        twin_run(&p->kernel, p->calls, p->n);
        if (strcmp(p->kernel.text, p->model.text) == 0)
            return 1;
    }
    return 0;
}

/* Where two texts differ: the line of each, and how many are before. */
static void compare(const struct program *p)
{
    const char *model = p->model.text;
    const char *kernel = p->kernel.text;
    const char *from = model;
    size_t same = 0;

    while (model[same] == kernel[same] && model[same] != '\0')
        same++;
    while (same > 0 && model[same - 1] != '\n')
        same--;
    from = model + same;
    if (getenv("TWIN_TELL") != NULL)
        printf("%.*s", (int)same, model);
    sn_assertf(false, "modelled: %.*s, by the kernel: %.*s", (int)strcspn(from, "\n"), from,
               (int)strcspn(kernel + same, "\n"), kernel + same);
}

static void run_twice(const void *payload)
{
    struct program *p = sn_alloc(sizeof(*p));

    (void)payload;
    draw_program(p);
    twin_run(&p->model, p->calls, p->n);
    if (sn_foreign("kernel", run_by_kernel, p) == 0)
        compare(p);
}

static const struct sn_process twins = {.name = "Twins", .run = run_twice};

static void run_sockets(void)
{
    (void)sn_spawn(&twins, NULL);
}

static const struct sn_test tests[] = {
    {.name = "sockets", .run = run_sockets, .world = SN_WORLD_TRIAL}, {0}};
static const struct sn_suite suite = {.name = "twin", .tests = tests};

static void programs_have_the_same_results_as_by_the_kernel(void **state)
{
    struct sn_result r;
    int rc = sn_run(&tests[0], &(struct sn_options){.iterations = n_programs, .seed = seed}, &r);

    (void)state;

    assert_int_equal(rc, 0);
    assert_string_equal(r.failure, "");
    assert_int_equal(r.trials, n_programs);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(programs_have_the_same_results_as_by_the_kernel),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && argv[1][0] == '-')
        return sn_main(argc, argv, &suite);
    if (argc > 1)
        n_programs = strtoul(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoul(argv[2], NULL, 10);
    return cmocka_run_group_tests_name("twin", all, NULL, NULL);
}
