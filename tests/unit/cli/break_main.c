/* break_main.c - tests that fail in every way one may want to look at in a debugger.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static const struct sn_event go = {.name = "Go"};

static void start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(sn_self(), &go, NULL);
}

/* ---- What goes wrong ------------------------------------------------------------------------ */

NOINLINE static void check(int number)
{
    (void)printf("checking %d\n", number);
    sn_assertf(number == 6, "%d is not 6", number);
}

static void on_go_assert(void *self, const void *payload)
{
    volatile int seven = 7;

    (void)self;
    (void)payload;
    check(seven);
}

NOINLINE static void write_to(volatile int *nowhere)
{
    *nowhere = 1;
}

static void on_go_crash(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)printf("about to crash\n");
    write_to((volatile int *)16);
}

static void on_go_exit(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    exit(3);
}

static void on_go_misuse(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(SN_NOBODY, &go, NULL);
}

/* ---- Machines ------------------------------------------------------------------------------- */

#define MACHINE(name_, ...)                                                                        \
    static const struct sn_state name_##_state = {                                                 \
        .name = "State",                                                                           \
        .entry = start,                                                                            \
        .on = (const struct sn_on[]){{.event = &go, __VA_ARGS__}, {0}},                            \
        .must_leave = true,                                                                        \
    };                                                                                             \
    static const struct sn_machine name_ = {.name = #name_, .start = &name_##_state};              \
    static void create_##name_(void)                                                               \
    {                                                                                              \
        (void)sn_create(&name_, NULL);                                                             \
    }

MACHINE(asserting, .run = on_go_assert)
MACHINE(crashing, .run = on_go_crash)
MACHINE(exiting, .run = on_go_exit)
MACHINE(misusing, .run = on_go_misuse)
MACHINE(staying, .ignore = true)

int main(int argc, char **argv)
{
    static const struct sn_test tests[] = {
        {.name = "assert", .run = create_asserting},
        {.name = "assert_forked", .run = create_asserting, .world = SN_WORLD_FORK},
        {.name = "crash", .run = create_crashing, .world = SN_WORLD_FORK},
        {.name = "exit", .run = create_exiting, .world = SN_WORLD_FORK},
        {.name = "misuse", .run = create_misusing, .world = SN_WORLD_TRIAL},
        {.name = "stay", .run = create_staying, .world = SN_WORLD_TRIAL},
        {0},
    };
    static const struct sn_suite suite = {.name = "break", .tests = tests};

    return sn_main(argc, argv, &suite);
}
