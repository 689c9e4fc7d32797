/* misbehave_main.c - tests whose code does what ends a process, each in its own way, but only if
 * three messages come in one certain order. SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sennit/sennit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct sn_event knock = {.name = "Knock", .size = sizeof(int)};

static void (*misbehave)(void);

/* What a compiler cannot know, so that it does what is written. */
static volatile int zero;
static volatile int *volatile nowhere;

/* ---- The door: waits for 2, 1, 0 ------------------------------------------------------------ */

struct door {
    int heard[3];
    int n;
};

static void on_knock(void *self, const void *payload)
{
    struct door *door = self;

    door->heard[door->n++] = *(const int *)payload;
    if (door->n == 3 && door->heard[0] == 2 && door->heard[1] == 1)
        misbehave();
}

static const struct sn_state listening = {
    .name = "Listening",
    .on = (const struct sn_on[]){{.event = &knock, .run = on_knock}, {0}},
};

static const struct sn_machine door_type = {
    .name = "Door", .size = sizeof(struct door), .start = &listening};

struct guest {
    sn_id door;
    int number;
};

static const struct sn_event invite = {.name = "Invite", .size = sizeof(struct guest)};

static void go_to_door(void *self, const void *payload)
{
    const struct guest *guest = payload;

    (void)self;
    (void)printf("guest %d knocks\n", guest->number);
    sn_send(guest->door, &knock, &guest->number);
}

static const struct sn_state coming = {.name = "Coming", .entry = go_to_door};
static const struct sn_machine guest_type = {.name = "Guest", .start = &coming, .birth = &invite};

static void invite_three(void)
{
    sn_id door = sn_create(&door_type, NULL);

    for (int i = 0; i < 3; i++)
        (void)sn_create(&guest_type, &(struct guest){door, i});
}

/* ---- Ways to misbehave ---------------------------------------------------------------------- */

static void read_nowhere(void)
{
    zero = *nowhere;
}

static void call_abort(void)
{
    abort();
}

static void divide_by_zero(void)
{
    zero = 1000 / zero; /* 1 could be done without dividing */
}

static void trap(void)
{
    __builtin_trap();
}

static int recurse(volatile char *before)
{
    volatile char here[4096];

    here[0] = before[0];
    return recurse(here) + here[1];
}

static void overflow_the_stack(void)
{
    volatile char here[1] = {0};

    zero = recurse(here);
}

static void loop_for_ever(void)
{
    while (zero == 0)
        continue;
}

static void wait_for_ever(void)
{
    for (;;)
        (void)pause();
}

static void allocate_for_ever(void)
{
    for (;;) {
        char *block = malloc(1 << 19);

        if (block == NULL)
            abort();
        memset(block, 1, 1 << 19);
        __asm__ volatile(""
                         :
                         : "r"(block)
                         : "memory"); /* compilers leave out what nobody looks at */
    }
}

static void map_for_ever(void)
{
    size_t bytes = (size_t)64 << 20;

    for (;;) {
        char *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (block == MAP_FAILED)
            (void)pause();
        else
            memset(block, 1, bytes);
    }
}

static void call_exit(void)
{
    exit(7);
}

static void call_underscore_exit(void)
{
    _exit(0);
}

static void free_twice(void)
{
    char *block = malloc(100);
    char *volatile again = block;

    free(block);
    free(again);
}

static void write_behind_a_block(void)
{
    char *block = malloc(100);
    char *volatile end = block;

    memset(end, 0x5a, 400);
    free(block);
    free(malloc(100));
    free(malloc(100));
    _exit(3); /* whatever the heap has made of it */
}

static void kill_itself(void)
{
    (void)kill(getpid(), SIGKILL);
}

static void assert_nothing(void)
{
    sn_assertf(zero == 1, "the door was opened");
}

static void *do_nothing(void *unused)
{
    return unused;
}

static void start_a_thread(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, do_nothing, NULL) == 0)
        (void)pthread_detach(thread);
}

static void be_good(void)
{
}

/* ---- Tests ---------------------------------------------------------------------------------- */

#define WAYS(way_)                                                                                 \
    way_(segv, read_nowhere) way_(abrt, call_abort) way_(fpe, divide_by_zero) way_(traps, trap)    \
        way_(overflow, overflow_the_stack) way_(loop, loop_for_ever) way_(block, wait_for_ever)    \
            way_(memory, allocate_for_ever) way_(map, map_for_ever) way_(exits, call_exit)         \
                way_(quits, call_underscore_exit) way_(twice, free_twice)                          \
                    way_(behind, write_behind_a_block) way_(killed, kill_itself)                   \
                        way_(asserts, assert_nothing) way_(thread, start_a_thread)                 \
                            way_(good, be_good)

#define DEFINE(name_, way_)                                                                        \
    static void run_##name_(void)                                                                  \
    {                                                                                              \
        misbehave = (way_);                                                                        \
        invite_three();                                                                            \
    }

WAYS(DEFINE)

#define LIST(name_, way_) {.name = #name_, .run = run_##name_, .max_steps = 100},

static const struct sn_test tests[] = {WAYS(LIST){0}};

static const struct sn_suite suite = {.name = "misbehave", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
