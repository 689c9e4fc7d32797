/* fickle_main.c - programs that do not do the same twice, each for one reason, although no run of
 * trials in one process shows it. SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sennit/sennit.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 6, BUCKETS = 8 };

struct number {
    uint64_t value;
};

static const struct sn_field number_fields[] = {SN_FIELD(struct number, value, SN_UINT), {0}};
static const struct sn_event number_event = {
    .name = "Number", .size = sizeof(struct number), .fields = number_fields};

/* ---- Who gets what was found ---------------------------------------------------------------- */

static void ignore(void *self, const void *payload)
{
    (void)self;
    (void)payload;
}

static const struct sn_state listening = {
    .name = "Listening",
    .on = (const struct sn_on[]){{.event = &number_event, .run = ignore}, {0}},
};

static const struct sn_machine listener = {.name = "Listener", .start = &listening};

static void tell(uint64_t value)
{
    struct number n = {.value = value};

    sn_send(sn_create(&listener, NULL), &number_event, &n);
}

/* ---- Reasons -------------------------------------------------------------------------------- */

/* A table of blocks, hashed by their addresses, and sent in the order of the table. */
static void by_address(void *self, const void *payload)
{
    uint64_t table[BUCKETS] = {0};

    (void)self;
    (void)payload;
    for (uint64_t i = 1; i <= BLOCKS; i++) {
        uintptr_t bucket = ((uintptr_t)malloc(40) >> 4) % BUCKETS;

        while (table[bucket] != 0)
            bucket = (bucket + 1) % BUCKETS;
        table[bucket] = i;
    }
    for (int i = 0; i < BUCKETS; i++) {
        if (table[i] != 0)
            tell(table[i]);
    }
}

/* A block that was never written. */
static void by_heap(void *self, const void *payload)
{
    volatile unsigned char *volatile block = malloc(64);

    (void)self;
    (void)payload;
    tell(block[10] > 0x80 ? 1 : 2);
}

/* A variable that was never written: the compiler is told that it was. */
static __attribute__((noinline)) void by_stack(void *self, const void *payload)
{
    unsigned char bytes[8192];

    (void)self;
    (void)payload;
    __asm__ volatile("" : "=m"(bytes));
    tell(bytes[99] == 0x3c);
}

/* Around libc. */
static void by_clock(void *self, const void *payload)
{
    struct timespec now = {0};

    (void)self;
    (void)payload;
    (void)syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    tell((uint64_t)now.tv_sec / 100000000);
}

static void by_process(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell((uint64_t)getpid());
}

static _Atomic uint64_t counted;
static _Atomic bool is_over;

static void *count(void *unused)
{
    (void)unused;
    while (!atomic_load(&is_over))
        atomic_fetch_add(&counted, 1);
    return NULL;
}

/* What another thread has come to meanwhile. */
static void by_thread(void *self, const void *payload)
{
    pthread_t thread;

    (void)self;
    (void)payload;
    sn_assert(pthread_create(&thread, NULL, count, NULL) == 0);
    while (atomic_load(&counted) < 100000)
        (void)sched_yield();
    atomic_store(&is_over, true);
    (void)pthread_join(thread, NULL);
    tell(atomic_load(&counted));
}

static uint64_t trials_so_far;

/* The test promises to keep no state of its own, and does. */
static void by_memory(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell(trials_so_far++ / 2); /* the same when the first trial is run again */
}

/* A process with other contents of memory does not survive. */
static void by_death(void *self, const void *payload)
{
    volatile unsigned char *volatile block = malloc(64);

    (void)self;
    (void)payload;
    if (block[10] == 0x3c)
        abort();
    tell(1);
}

static void steadily(void *self, const void *payload)
{
    void *block = calloc(1, 100);

    (void)self;
    (void)payload;
    tell((uint64_t)time(NULL)); /* libc's clock is the trial's */
    tell(block == NULL);
    tell(sn_choose("anything", 10));
}

static void greedily(void *self, const void *payload)
{
    void *volatile block = malloc(8 << 20);

    (void)self;
    (void)payload;
    tell(block == NULL);
    free(block);
}

/* What no two processes have that run trials. With the sanitizer each trial has one of its own, and
 * they have one parent. */
#ifdef __SANITIZE_ADDRESS__
#define TRIALS_PROCESS getppid()
#else
#define TRIALS_PROCESS getpid()
#endif

static uint64_t ask_outside(void *argument)
{
    return (uint64_t)TRIALS_PROCESS + *(const uint64_t *)argument;
}

static void live_by_foreign_code(const void *payload)
{
    uint64_t more = 1;

    (void)payload;
    (void)sn_foreign("who am I", ask_outside, &more);
    sn_yield();
}

static const struct sn_process foreigner = {.name = "Foreigner", .run = live_by_foreign_code};

static void run_by_foreign_code(void)
{
    (void)sn_spawn(&foreigner, NULL);
}

/* ---- Tests ---------------------------------------------------------------------------------- */

#define TEST_OF(reason_)                                                                           \
    static const struct sn_state state_##reason_ = {.name = "Working", .entry = (reason_)};        \
    static const struct sn_machine machine_##reason_ = {.name = "Worker",                          \
                                                        .start = &state_##reason_};                \
    static void run_##reason_(void)                                                                \
    {                                                                                              \
        (void)sn_create(&machine_##reason_, NULL);                                                 \
    }

TEST_OF(by_address)
TEST_OF(by_heap)
TEST_OF(by_stack)
TEST_OF(by_clock)
TEST_OF(by_process)
TEST_OF(by_thread)
TEST_OF(by_memory)
TEST_OF(by_death)
TEST_OF(steadily)
TEST_OF(greedily)

static const struct sn_test tests[] = {
    {.name = "by_address", .run = run_by_address},
    {.name = "by_heap", .run = run_by_heap},
    {.name = "by_stack", .run = run_by_stack},
    {.name = "by_clock", .run = run_by_clock},
    {.name = "by_process", .run = run_by_process},
    {.name = "by_thread", .run = run_by_thread, .world = SN_WORLD_FORK},
    {.name = "by_memory", .run = run_by_memory, .world = SN_WORLD_TRIAL},
    {.name = "by_death", .run = run_by_death},
    {.name = "by_foreign_code", .run = run_by_foreign_code},
    {.name = "greedily", .run = run_greedily},
    {.name = "steadily", .run = run_steadily},
    {.name = "steadily_in_processes", .run = run_steadily, .world = SN_WORLD_FORK},
    {0},
};

static const struct sn_suite suite = {.name = "fickle", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
