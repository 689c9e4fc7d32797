/* test_services.c - clocks, sleep and random numbers, inside a trial and outside.
 *
 * The claims run in several ways of linking a program, so they do without a test library: see
 * tests/world. Their trials keep to the promise of SN_WORLD_TRIAL, so that they need no process of
 * their own where memory cannot be put back. SPDX-License-Identifier: MIT
 */
#include "../../world/claims.h"
#include "../observe.h"
#include "services_library.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Since glibc 2.36. */
uint32_t arc4random(void);
void arc4random_buf(void *buffer, size_t n);
uint32_t arc4random_uniform(uint32_t n);

#define EPOCH_S 1767225600LL /* 2026-01-01T00:00:00Z */
#define UPTIME_S 86400LL
#define NS_PER_S 1000000000LL

/* ---- Trials --------------------------------------------------------------------------------- */

/* Which of its functions the machine of a trial runs, first and when its timer fires. */
struct job {
    void (*start)(void);
    void (*tick)(uint64_t tag);
};

static const struct sn_event job_event = {.name = "Job", .size = sizeof(struct job)};

static void do_start(void *self, const void *payload)
{
    *(struct job *)self = *(const struct job *)payload;
    ((const struct job *)payload)->start();
}

static void do_tick(void *self, uint64_t tag)
{
    ((const struct job *)self)->tick(tag);
}

static void no_message(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    (void)bytes;
    (void)n;
}

static const struct sn_machine worker = {.name = "Worker",
                                         .size = sizeof(struct job),
                                         .birth = &job_event,
                                         .on_start = do_start,
                                         .on_message = no_message,
                                         .on_timer = do_tick};

static char failure[512];

/* Runs one trial of a test. NULL, or how it failed. */
static const char *passes(const struct sn_test *test)
{
    struct sn_result r;

    observe_clear();
    r = run_test_once(test);
    (void)snprintf(failure, sizeof(failure), "%s", r.failure);
    return r.failures > 0 || r.nondeterministic ? failure : NULL;
}

#define PASSES(...)                                                                                \
    do {                                                                                           \
        const char *why_ = passes(__VA_ARGS__);                                                    \
        if (why_ != NULL)                                                                          \
            return why_;                                                                           \
    } while (0)

/* ---- Clocks in a trial ---------------------------------------------------------------------- */

static void observe_clock(clockid_t clock)
{
    struct timespec ts;

    sn_assert(clock_gettime(clock, &ts) == 0);
    observe(" %lld.%09ld", (long long)ts.tv_sec, ts.tv_nsec);
}

static void observe_clocks(void)
{
    struct timeval tv;
    struct timespec ts;
    time_t stored;

    observe("%lld", (long long)time(&stored));
    sn_assert(stored == time(NULL));
    sn_assert(gettimeofday(&tv, NULL) == 0);
    observe(" %lld.%06ld", (long long)tv.tv_sec, (long)tv.tv_usec);
    sn_assert(timespec_get(&ts, TIME_UTC) == TIME_UTC);
    observe(" %lld.%09ld", (long long)ts.tv_sec, ts.tv_nsec);
    observe(" %lld", (long long)clock());
    observe_clock(CLOCK_REALTIME);
    observe_clock(CLOCK_MONOTONIC);
    observe_clock(CLOCK_PROCESS_CPUTIME_ID);
    observe("\n");
}

static void wait_a_while(void)
{
    observe_clocks();
    (void)sn_timer_start_tag(1, 90 * NS_PER_S + 1500000);
}

static void observe_tick(uint64_t tag)
{
    (void)tag;
    observe_clocks();
}

static void run_clocks(void)
{
    observe_clocks();
    (void)sn_create(&worker, &(struct job){wait_a_while, observe_tick});
}

static const struct sn_test clocks_test = {
    .name = "clocks", .run = run_clocks, .world = SN_WORLD_TRIAL};

static const char *clocks_in_a_trial_show_virtual_time_from_a_fixed_moment_on(void)
{
    PASSES(&clocks_test);

    HOLDS(strcmp(seen->text, "1767225600 1767225600.000000 1767225600.000000000 0 "
                             "1767225600.000000000 86400.000000000 0.000000000\n"
                             "1767225600 1767225600.000000 1767225600.000000000 0 "
                             "1767225600.000000000 86400.000000000 0.000000000\n"
                             "1767225690 1767225690.001500 1767225690.001500000 90001500 "
                             "1767225690.001500000 86490.001500000 90.001500000\n") == 0);
    return NULL;
}

static const char *reading_the_clock_in_a_handler_is_deterministic(void)
{
    char first[4096];

    PASSES(&clocks_test);
    (void)snprintf(first, sizeof(first), "%.4000s", seen->text);

    PASSES(&clocks_test);

    HOLDS(first[0] != '\0');
    HOLDS(strcmp(seen->text, first) == 0);
    return NULL;
}

static void check_equal(clockid_t one, clockid_t other)
{
    struct timespec a;
    struct timespec b;

    sn_assert(clock_gettime(one, &a) == 0 && clock_gettime(other, &b) == 0);
    sn_assertf(a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec, "clocks %d and %d differ", one,
               other);
}

static void check_all_clocks(uint64_t tag)
{
    clockid_t of_process;
    clockid_t of_thread;

    (void)tag;
    sn_assert(clock_getcpuclockid(0, &of_process) == 0);
    sn_assert(pthread_getcpuclockid(pthread_self(), &of_thread) == 0);
    check_equal(CLOCK_REALTIME, CLOCK_REALTIME_COARSE);
    check_equal(CLOCK_REALTIME, CLOCK_TAI);
    check_equal(CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW);
    check_equal(CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE);
    check_equal(CLOCK_MONOTONIC, CLOCK_BOOTTIME);
    check_equal(CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID);
    check_equal(CLOCK_PROCESS_CPUTIME_ID, of_process);
    check_equal(CLOCK_PROCESS_CPUTIME_ID, of_thread);
    observe("%llu", (unsigned long long)sn_now_ns());
}

static void wait_a_second(void)
{
    (void)sn_timer_start_tag(1, NS_PER_S + 1);
}

static void run_all_clocks(void)
{
    (void)sn_create(&worker, &(struct job){wait_a_second, check_all_clocks});
}

static const char *clocks_of_a_kind_show_the_same_in_a_trial(void)
{
    PASSES(&(struct sn_test){.name = "all_clocks", .run = run_all_clocks, .world = SN_WORLD_TRIAL});

    HOLDS(strcmp(seen->text, "1000000001") == 0);
    return NULL;
}

/* ---- Sleep in a trial ----------------------------------------------------------------------- */

static void sleep_long(void)
{
    const struct timespec day = {.tv_sec = 86400, .tv_nsec = 7};
    const struct timespec noon = {.tv_sec = EPOCH_S + 10 * 86400};
    struct timespec left = {.tv_sec = 99, .tv_nsec = 99};

    sn_assert(sleep(1000000) == 0);
    observe("%llu ", (unsigned long long)sn_now_ns());
    sn_assert(usleep(2500000) == 0);
    observe("%llu ", (unsigned long long)sn_now_ns());
    sn_assert(nanosleep(&day, &left) == 0 && left.tv_sec == 0 && left.tv_nsec == 0);
    observe("%llu ", (unsigned long long)sn_now_ns());
    sn_assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &day, NULL) == 0);
    observe("%llu ", (unsigned long long)sn_now_ns());
    sn_assert(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &noon, NULL) == 0);
    observe("%llu", (unsigned long long)sn_now_ns());
}

static void run_sleep(void)
{
    (void)sn_create(&worker, &(struct job){.start = sleep_long});
}

static const char *sleep_moves_virtual_time_and_returns_at_once(void)
{
    PASSES(&(struct sn_test){.name = "sleep", .run = run_sleep, .world = SN_WORLD_TRIAL});

    HOLDS(strcmp(seen->text, "1000000000000000 1000002500000000 1086402500000007 1172802500000014 "
                             "1172802500000014") == 0);
    return NULL;
}

static void sleep_until_tomorrow(void)
{
    struct timespec then = {.tv_sec = EPOCH_S + 86400, .tv_nsec = 5};

    sn_assert(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &then, NULL) == 0);
    observe("%llu ", (unsigned long long)sn_now_ns());
    then = (struct timespec){.tv_sec = UPTIME_S + 2 * 86400};
    sn_assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) == 0);
    observe("%llu", (unsigned long long)sn_now_ns());
}

static void run_sleep_until(void)
{
    (void)sn_create(&worker, &(struct job){.start = sleep_until_tomorrow});
}

static const char *a_sleep_until_a_moment_ends_when_the_clock_shows_it(void)
{
    PASSES(&(struct sn_test){.name = "until", .run = run_sleep_until, .world = SN_WORLD_TRIAL});

    HOLDS(strcmp(seen->text, "86400000000005 172800000000000") == 0);
    return NULL;
}

static void start_timers_and_sleep(void)
{
    (void)sn_timer_start_tag(5, 5 * NS_PER_S);
    (void)sn_timer_start_tag(2, 2 * NS_PER_S);
    (void)sn_timer_start_tag(1, 1 * NS_PER_S);
    (void)sleep(3);
    (void)sn_timer_start_tag(4, 1 * NS_PER_S);
}

static void observe_timer(uint64_t tag)
{
    observe("%llu at %llu, ", (unsigned long long)tag,
            (unsigned long long)(sn_now_ns() / NS_PER_S));
}

static void run_overslept(void)
{
    (void)sn_create(&worker, &(struct job){start_timers_and_sleep, observe_timer});
}

static const char *timers_that_fell_due_during_a_sleep_fire_after_it_in_their_order(void)
{
    PASSES(&(struct sn_test){.name = "overslept", .run = run_overslept, .world = SN_WORLD_TRIAL});

    HOLDS(strcmp(seen->text, "1 at 3, 2 at 3, 4 at 4, 5 at 5, ") == 0);
    return NULL;
}

static void sleep_for_ever(void)
{
    const struct timespec longest = {.tv_sec = INT64_MAX, .tv_nsec = 999999999};

    (void)sleep(1);
    sn_assert(nanosleep(&longest, NULL) == 0);
    sn_assert(sn_now_ns() == INT64_MAX);
    sn_assert(time(NULL) == EPOCH_S + INT64_MAX / NS_PER_S);
    sn_assert(sleep(1) == 0 && sn_now_ns() == INT64_MAX);
}

static void run_for_ever(void)
{
    (void)sn_create(&worker, &(struct job){.start = sleep_for_ever});
}

static const char *the_longest_sleep_ends_at_the_end_of_time(void)
{
    PASSES(&(struct sn_test){.name = "for_ever", .run = run_for_ever, .world = SN_WORLD_TRIAL});
    return NULL;
}

/* ---- Clocks of nodes ------------------------------------------------------------------------ */

static void look_and_sleep(void)
{
    observe("%lld, ", (long long)time(NULL));
    (void)sleep(10);
    observe("%lld after %llu, ", (long long)time(NULL), (unsigned long long)sn_true_time_ns());
}

static void run_skewed(void)
{
    sn_node node = sn_node_new("Skewed");

    sn_node_clock(node, 9 * NS_PER_S / 2, 0);
    (void)sn_create_on(node, &worker, &(struct job){.start = look_and_sleep});
}

static const char *clocks_show_what_the_clock_of_the_node_does(void)
{
    PASSES(&(struct sn_test){.name = "skewed", .run = run_skewed, .world = SN_WORLD_TRIAL});

    HOLDS(strcmp(seen->text, "1767225604, 1767225614 after 10000000000, ") == 0);
    return NULL;
}

static void run_fast(void)
{
    sn_node node = sn_node_new("Fast");

    sn_node_clock(node, 0, 100000);
    (void)sn_create_on(node, &worker, &(struct job){.start = look_and_sleep});
}

static const char *a_sleep_takes_as_long_as_the_clock_of_the_node_says(void)
{
    PASSES(&(struct sn_test){.name = "fast", .run = run_fast, .world = SN_WORLD_TRIAL});

    HOLDS(strcmp(seen->text, "1767225600, 1767225610 after 9090909091, ") == 0);
    return NULL;
}

static void run_slow(void)
{
    sn_node node = sn_node_new("Slow");

    sn_node_clock(node, 0, -1);
    (void)sn_create_on(node, &worker, &(struct job){.start = look_and_sleep});
}

static const char *after_a_sleep_the_clock_shows_its_end(void)
{
    PASSES(&(struct sn_test){.name = "slow", .run = run_slow, .world = SN_WORLD_TRIAL});

    HOLDS(strcmp(seen->text, "1767225600, 1767225610 after 10000010001, ") == 0);
    return NULL;
}

static void start_and_sleep_any(void)
{
    (void)sn_timer_start_tag(1, 60 * NS_PER_S);
}

static void sleep_after_timer(uint64_t tag)
{
    (void)tag;
    observe("%llu ", (unsigned long long)(sn_now_ns() / NS_PER_S));
    (void)sleep(1);
    observe("%llu %llu", (unsigned long long)(sn_now_ns() / NS_PER_S),
            (unsigned long long)(sn_true_time_ns() / NS_PER_S));
}

static void run_any(void)
{
    (void)sn_create(&worker, &(struct job){start_and_sleep_any, sleep_after_timer});
}

static const char *who_has_seen_a_timer_fire_early_sleeps_on_from_there(void)
{
    PASSES(&(struct sn_test){
        .name = "any", .run = run_any, .timers = SN_TIMERS_ANY, .world = SN_WORLD_TRIAL});

    HOLDS(strcmp(seen->text, "60 61 1") == 0);
    return NULL;
}

/* ---- Orders --------------------------------------------------------------------------------- */

static void sleep_a_second(void)
{
    (void)sleep(1);
}

static void do_nothing(void)
{
}

static void look_at_the_clock(void)
{
    (void)time(NULL);
}

static void run_sleep_and_look(void)
{
    (void)sn_create(&worker, &(struct job){.start = sleep_a_second});
    (void)sn_create(&worker, &(struct job){.start = look_at_the_clock});
}

static void run_sleep_and_timer(void)
{
    (void)sn_create(&worker, &(struct job){.start = sleep_a_second});
    (void)sn_create(&worker, &(struct job){wait_a_second, observe_timer});
}

static void run_sleep_and_nothing(void)
{
    (void)sn_create(&worker, &(struct job){.start = sleep_a_second});
    (void)sn_create(&worker, &(struct job){.start = do_nothing});
}

static void run_sleep_and_two_looks(void)
{
    run_sleep_and_look();
    (void)sn_create(&worker, &(struct job){.start = look_at_the_clock});
}

static void run_two_looks(void)
{
    (void)sn_create(&worker, &(struct job){.start = look_at_the_clock});
    (void)sn_create(&worker, &(struct job){.start = look_at_the_clock});
}

/* How many different orders two machines can run in. */
static uint64_t count_orders(void (*run)(void))
{
    const struct sn_test test = {.name = "orders", .run = run, .world = SN_WORLD_TRIAL};
    struct sn_result r;

    observe_clear();
    r = run_test_all(&test);
    return r.exhausted ? r.distinct_orders : 0;
}

static const char *a_sleep_comes_before_or_after_a_look_at_the_clock(void)
{
    HOLDS(count_orders(run_sleep_and_look) == 2);
    HOLDS(count_orders(run_sleep_and_timer) == 2);
    HOLDS(count_orders(run_sleep_and_nothing) == 1);
    HOLDS(count_orders(run_two_looks) == 1);
    HOLDS(count_orders(run_sleep_and_two_looks) == 4); /* and not that of the looks after it */
    return NULL;
}

/* ---- Errors --------------------------------------------------------------------------------- */

static void observe_sleep(clockid_t clock, int flags, long long seconds, long ns)
{
    const struct timespec ts = {.tv_sec = seconds, .tv_nsec = ns};

    observe("%d ", clock_nanosleep(clock, flags, &ts, NULL));
}

static void observe_errno(long long rc)
{
    observe("%lld %d, ", rc, rc < 0 ? errno : 0);
    errno = 0;
}

/* Everything that is refused at once, or does nothing. */
static void observe_errors(void)
{
    char bytes[300];
    struct timespec ts = {.tv_sec = 0, .tv_nsec = NS_PER_S};

    observe_errno(nanosleep(&ts, NULL));
    ts = (struct timespec){.tv_sec = -1};
    observe_errno(nanosleep(&ts, NULL));
    ts = (struct timespec){.tv_nsec = -1};
    observe_errno(nanosleep(&ts, NULL));
    observe_errno(nanosleep(&(struct timespec){0}, NULL));
    observe_errno(usleep(0));
    observe_errno(clock_gettime(77, &ts));
    observe_errno(clock_gettime(-5, &ts)); /* the device with descriptor 0 */
    observe_errno(timespec_get(&ts, 99));
    observe_errno(getrandom(bytes, 8, 8));
    observe_errno(getrandom(bytes, 8, GRND_RANDOM | GRND_INSECURE));
    observe_errno(getrandom(bytes, 0, 0));
    observe_errno(getrandom(bytes, 300, GRND_NONBLOCK));
    observe_errno(getentropy(bytes, 257));
    observe_errno(getentropy(bytes, 256));
    observe_errno(arc4random_uniform(0));
    observe_errno(arc4random_uniform(1));
    observe_sleep(CLOCK_REALTIME, 0, 0, NS_PER_S);
    observe_sleep(CLOCK_REALTIME, TIMER_ABSTIME, -1, 0);
    observe_sleep(CLOCK_REALTIME, TIMER_ABSTIME, 1, 0);
    observe_sleep(CLOCK_BOOTTIME, 0, 0, 0);
    observe_sleep(CLOCK_TAI, 0, 0, 0);
    observe_sleep(CLOCK_PROCESS_CPUTIME_ID, TIMER_ABSTIME, 0, 0);
    observe_sleep(CLOCK_THREAD_CPUTIME_ID, 0, 0, 0);
    observe_sleep(CLOCK_MONOTONIC_RAW, 0, 0, 0);
    observe_sleep(CLOCK_MONOTONIC_COARSE, 0, 0, 0);
    observe_sleep(CLOCK_REALTIME_COARSE, 0, 0, 0);
    observe_sleep(77, 0, 0, 0);
}

static void run_errors(void)
{
    (void)sn_create(&worker, &(struct job){.start = observe_errors});
}

static const char *what_libc_refuses_is_refused_in_a_trial_in_the_same_way(void)
{
    char outside[4096];

    observe_clear();
    observe_errors();
    (void)snprintf(outside, sizeof(outside), "%.4000s", seen->text);

    PASSES(&(struct sn_test){.name = "errors", .run = run_errors, .world = SN_WORLD_TRIAL});

    (void)snprintf(failure, sizeof(failure), "%.200s outside, %.200s in a trial", outside,
                   seen->text);
    return strcmp(outside, seen->text) != 0 ? failure : NULL;
}

/* Each of them once, with success. */
static void call_all(void)
{
    const struct timespec shortest = {.tv_nsec = 1};
    struct timespec ts;
    struct timeval tv;
    char bytes[16];

    (void)time(NULL);
    (void)gettimeofday(&tv, NULL);
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    (void)timespec_get(&ts, TIME_UTC);
    (void)clock();
    (void)sleep(0);
    (void)usleep(1);
    (void)nanosleep(&shortest, NULL);
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &shortest, NULL);
    srand(1);
    (void)rand();
    srandom(1);
    (void)random();
    observe("%zd ", getrandom(bytes, sizeof(bytes), 0));
    observe("%d ", getentropy(bytes, sizeof(bytes)));
    (void)arc4random();
    arc4random_buf(bytes, sizeof(bytes));
    (void)arc4random_uniform(7);
}

static void check_errno(void)
{
    errno = 4711;
    call_all();
    observe("errno %d", errno);
}

static void run_errno(void)
{
    (void)sn_create(&worker, &(struct job){.start = check_errno});
}

static const char *errno_is_left_alone_by_what_succeeds(void)
{
    observe_clear();
    check_errno();
    HOLDS(strcmp(seen->text, "16 0 errno 4711") == 0);

    PASSES(&(struct sn_test){.name = "errno", .run = run_errno, .world = SN_WORLD_TRIAL});

    HOLDS(strcmp(seen->text, "16 0 errno 4711") == 0);
    return NULL;
}

/* ---- Random numbers in a trial -------------------------------------------------------------- */

/* What the log of the last trial holds, in seen->count: how many decisions, then the first ones. */
static void watch_log(void *self, const struct sn_trial_view *trial)
{
    struct observed *out = self;

    out->count[0] = trial->decisions;
    for (uint64_t i = 0; i < trial->decisions && i < 15; i++)
        out->count[1 + i] = trial->log[i];
}

static const char *run_watched(const struct sn_test *test)
{
    struct sn_options options = {.iterations = 1, .watch = watch_log};
    struct sn_result r;

    observe_clear();
    options.watch_self = seen;
    HOLDS(sn_run(test, &options, &r) == 0);
    (void)snprintf(failure, sizeof(failure), "%s", r.failure);
    return r.failures > 0 ? failure : NULL;
}

static void draw_six_bytes(void)
{
    unsigned char bytes[8] = {0};

    sn_assert(getrandom(bytes, 6, 0) == 6);
    sn_assert(bytes[6] == 0 && bytes[7] == 0);
    for (int i = 5; i >= 0; i--)
        observe("%02x", bytes[i]);
}

static void run_getrandom(void)
{
    (void)sn_create(&worker, &(struct job){.start = draw_six_bytes});
}

static const char *getrandom_is_a_decision_in_the_log(void)
{
    const struct sn_test test = {
        .name = "getrandom", .run = run_getrandom, .world = SN_WORLD_TRIAL};
    const char *why = run_watched(&test);
    char expected[32];

    if (why != NULL)
        return why;

    HOLDS(seen->count[0] == 3); /* the start of the machine, four bytes, two bytes */
    HOLDS(seen->count[2] < UINT64_C(1) << 32 && seen->count[3] < UINT64_C(1) << 16);
    (void)snprintf(expected, sizeof(expected), "%04llx%08llx", (unsigned long long)seen->count[3],
                   (unsigned long long)seen->count[2]);
    HOLDS(strcmp(seen->text, expected) == 0);
    HOLDS(strcmp(seen->text, "000000000000") != 0);
    return NULL;
}

static void draw_each(void)
{
    uint32_t four = 0;
    unsigned char two[2];

    observe("%d ", rand());
    observe("%ld ", random());
    sn_assert(getentropy(&four, 1) == 0);
    observe("%u ", four);
    observe("%u ", arc4random());
    arc4random_buf(two, 2);
    observe("%u ", (unsigned int)(two[1] << 8 | two[0]));
    observe("%u", arc4random_uniform(1000));
}

static void run_each(void)
{
    (void)sn_create(&worker, &(struct job){.start = draw_each});
}

static const char *each_random_number_is_a_decision_in_the_log(void)
{
    const struct sn_test test = {.name = "each", .run = run_each, .world = SN_WORLD_TRIAL};
    const char *why = run_watched(&test);
    char expected[128];

    if (why != NULL)
        return why;

    HOLDS(seen->count[0] == 7);
    (void)snprintf(expected, sizeof(expected), "%llu %llu %llu %llu %llu %llu",
                   (unsigned long long)seen->count[2], (unsigned long long)seen->count[3],
                   (unsigned long long)(seen->count[4] & 255), (unsigned long long)seen->count[5],
                   (unsigned long long)seen->count[6], (unsigned long long)seen->count[7]);
    HOLDS(strcmp(seen->text, expected) == 0);
    HOLDS(seen->count[2] <= RAND_MAX && seen->count[3] < UINT64_C(1) << 31);
    HOLDS(seen->count[4] < 256 && seen->count[7] < 1000);
    return NULL;
}

static void seed_twice(void)
{
    srand(1);
    seen->count[0] = (uint64_t)rand();
    srand(1);
    seen->count[1] = (uint64_t)rand();
    srandom(1);
    seen->count[2] = (uint64_t)random();
}

static void run_seeds(void)
{
    (void)sn_create(&worker, &(struct job){.start = seed_twice});
}

static const char *a_seed_means_nothing_in_a_trial(void)
{
    PASSES(&(struct sn_test){.name = "seeds", .run = run_seeds, .world = SN_WORLD_TRIAL});

    HOLDS(seen->count[0] != 1804289383); /* what libc says first, after this seed */
    HOLDS(seen->count[1] != seen->count[0]);
    HOLDS(seen->count[2] != seen->count[0] && seen->count[2] != seen->count[1]);
    return NULL;
}

/* Two workers that pick a name each, as programs do. */
struct names {
    int first;
    bool has_first;
};

static void on_name(void *self, sn_id from, const void *bytes, size_t n)
{
    struct names *names = self;
    int name;

    (void)from;
    sn_assert(n == sizeof(name));
    memcpy(&name, bytes, sizeof(name));
    sn_assertf(!names->has_first || names->first != name, "both are called %d", name);
    names->first = name;
    names->has_first = true;
}

static const struct sn_machine registry = {
    .name = "Registry", .size = sizeof(struct names), .on_message = on_name};

static void pick_a_name(void *self, const void *payload)
{
    struct timespec now;
    int name;

    (void)self;
    sn_assert(clock_gettime(CLOCK_REALTIME, &now) == 0);
    srand((unsigned int)(now.tv_nsec ^ now.tv_sec ^ clock()));
    name = rand() % 16 + (int)(time(NULL) % 1000) * 16;
    sn_send_bytes(*(const sn_id *)payload, &name, sizeof(name));
}

static const struct sn_event registry_event = {.name = "Registry", .size = sizeof(sn_id)};

static const struct sn_machine picker = {
    .name = "Picker", .birth = &registry_event, .on_start = pick_a_name, .on_message = no_message};

static void run_names(void)
{
    sn_id to = sn_create(&registry, NULL);

    (void)sn_create(&picker, &to);
    (void)sn_create(&picker, &to);
}

static const struct sn_test names_test = {
    .name = "names", .run = run_names, .world = SN_WORLD_TRIAL};

/* Reads a trace; false if it cannot be read or is longer. */
static bool read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t n;

    if (file == NULL)
        return false;
    n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    (void)fclose(file);
    return n > 0 && n < size - 1;
}

/* Runs a test until it fails; its trace is read. NULL, or what went wrong. */
static const char *find(const struct sn_test *test, char *directory, struct sn_result *found,
                        char *trace, size_t size)
{
    struct sn_options options = {.iterations = 2000, .outdir = directory};

    HOLDS(mkdtemp(directory) != NULL);
    HOLDS(sn_run(test, &options, found) == 0);
    HOLDS(found->failures == 1 && !found->nondeterministic);
    HOLDS(read_text(found->trace, trace, size));
    return NULL;
}

static const char *a_program_that_seeds_rand_with_time_repeats_itself(void)
{
    char directory[] = "/tmp/sennit-services-XXXXXX";
    char trace[16384];
    struct sn_result found;
    struct sn_result again;
    const char *why = find(&names_test, directory, &found, trace, sizeof(trace));

    if (why != NULL)
        return why;
    HOLDS(strstr(found.failure, "both are called ") != NULL);
    HOLDS(strstr(trace, "\"draw\":\"rand\"") != NULL);

    HOLDS(sn_replay(&names_test, found.trace, &again) == 0);

    HOLDS(!again.nondeterministic && again.verdict == SN_FAILED);
    HOLDS(strcmp(again.failure, found.failure) == 0);
    HOLDS(again.steps == found.failing_steps);
    HOLDS(unlink(found.trace) == 0 && rmdir(directory) == 0);
    return NULL;
}

static void sleep_and_fail(void)
{
    (void)usleep(1500000);
    sn_assert(time(NULL) != EPOCH_S + 1);
}

static void run_sleep_and_fail(void)
{
    (void)sn_create(&worker, &(struct job){.start = sleep_and_fail});
}

static const char *a_sleep_is_a_remark_in_the_trace(void)
{
    const struct sn_test test = {
        .name = "remark", .run = run_sleep_and_fail, .world = SN_WORLD_TRIAL};
    char directory[] = "/tmp/sennit-services-XXXXXX";
    char trace[16384];
    struct sn_result found;
    const char *why = find(&test, directory, &found, trace, sizeof(trace));

    if (why != NULL)
        return why;

    HOLDS(strstr(trace, "\"usleep: 1.500000000 s pass\"") != NULL);
    HOLDS(unlink(found.trace) == 0 && rmdir(directory) == 0);
    return NULL;
}

/* ---- Monitors ------------------------------------------------------------------------------- */

static const struct sn_event look_event = {.name = "Look"};

static void on_look(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("%lld %d", (long long)time(NULL), rand() >= 0);
}

static const struct sn_state looking = {
    .name = "Looking",
    .on = (const struct sn_on[]){{.event = &look_event, .run = on_look}, {0}},
};

static const struct sn_machine looker = {.name = "Looker", .start = &looking};

static void on_look_sleeping(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sleep(1);
}

static const struct sn_state dozing = {
    .name = "Dozing",
    .on = (const struct sn_on[]){{.event = &look_event, .run = on_look_sleeping}, {0}},
};

static const struct sn_machine sleeper = {.name = "Sleeper", .start = &dozing};

static void call_monitors(void)
{
    (void)sleep(2); /* by a clock that runs at double speed: one second */
    sn_monitor(&looker, &look_event, NULL);
    sn_monitor(&sleeper, &look_event, NULL);
}

static void run_monitors(void)
{
    sn_node node = sn_node_new("Hasty");

    sn_node_clock(node, 0, 1000000);
    (void)sn_create_on(node, &worker, &(struct job){.start = call_monitors});
}

static const char *a_monitor_can_read_the_true_time_and_draw(void)
{
    const struct sn_machine *const monitors[] = {&looker, NULL};
    const struct sn_test test = {
        .name = "look", .run = run_monitors, .monitors = monitors, .world = SN_WORLD_TRIAL};

    PASSES(&test);

    HOLDS(strcmp(seen->text, "1767225601 1") == 0);
    return NULL;
}

static const char *a_monitor_that_sleeps_fails_the_trial(void)
{
    const struct sn_machine *const monitors[] = {&sleeper, NULL};
    const struct sn_test test = {
        .name = "doze", .run = run_monitors, .monitors = monitors, .world = SN_WORLD_TRIAL};

    HOLDS(passes(&test) != NULL);

    HOLDS(strstr(failure, "usage: monitor Sleeper calls sleep, but monitors only receive") != NULL);
    return NULL;
}

/* ---- Libraries ------------------------------------------------------------------------------ */

static void use_library(void)
{
    observe("%lld ", library_time());
    sn_assert(library_sleep(100000) == 0);
    observe("%lld ", library_time());
    observe("%d", library_rand());
}

static void run_library(void)
{
    (void)sn_create(&worker, &(struct job){.start = use_library});
}

static const char *calls_of_somebody_elses_library_are_served_in_a_trial(void)
{
    const struct sn_test test = {.name = "library", .run = run_library, .world = SN_WORLD_TRIAL};
    const char *why = run_watched(&test);
    char expected[64];

    if (why != NULL)
        return why;

    HOLDS(seen->count[0] == 2);
    (void)snprintf(expected, sizeof(expected), "%lld %lld %llu", EPOCH_S, EPOCH_S + 100000,
                   (unsigned long long)seen->count[2]);
    HOLDS(strcmp(seen->text, expected) == 0);
    return NULL;
}

/* ---- Outside a trial ------------------------------------------------------------------------ */

/* What the kernel says, whoever replaces libc. */
static long long kernel_ns(clockid_t clock)
{
    struct timespec ts = {0};

    (void)syscall(SYS_clock_gettime, clock, &ts);
    return (long long)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static long long libc_ns(clockid_t clock)
{
    struct timespec ts = {0};

    (void)clock_gettime(clock, &ts);
    return (long long)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static const char *time_outside_a_trial_is_real(void)
{
    long long before = kernel_ns(CLOCK_MONOTONIC);
    long long now = libc_ns(CLOCK_MONOTONIC);
    struct timespec ts;
    struct timeval tv;

    HOLDS(before <= now && now <= kernel_ns(CLOCK_MONOTONIC));
    before = kernel_ns(CLOCK_REALTIME);
    now = libc_ns(CLOCK_REALTIME);
    HOLDS(before <= now && now <= kernel_ns(CLOCK_REALTIME));
    before = kernel_ns(CLOCK_REALTIME_COARSE) / NS_PER_S;
    now = time(NULL);
    HOLDS(before <= now && now <= kernel_ns(CLOCK_REALTIME) / NS_PER_S);
    before = kernel_ns(CLOCK_REALTIME);
    HOLDS(timespec_get(&ts, TIME_UTC) == TIME_UTC);
    now = (long long)ts.tv_sec * NS_PER_S + ts.tv_nsec;
    HOLDS(before <= now && now <= kernel_ns(CLOCK_REALTIME));
    before = kernel_ns(CLOCK_REALTIME) / 1000;
    HOLDS(gettimeofday(&tv, NULL) == 0);
    now = (long long)tv.tv_sec * 1000000 + tv.tv_usec;
    HOLDS(before <= now && now <= kernel_ns(CLOCK_REALTIME) / 1000);
    before = kernel_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000;
    now = clock();
    HOLDS(before <= now && now <= kernel_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000);
    return NULL;
}

static void fail(void)
{
    sn_assert(time(NULL) != EPOCH_S);
}

static void run_fail(void)
{
    (void)sn_create(&worker, &(struct job){.start = fail});
}

static const char *time_is_real_again_after_a_trial_however_it_ended(void)
{
    PASSES(&clocks_test);
    HOLDS(time_outside_a_trial_is_real() == NULL);

    HOLDS(passes(&(struct sn_test){.name = "fail", .run = run_fail, .world = SN_WORLD_TRIAL}) !=
          NULL);

    HOLDS(strstr(failure, "EPOCH_S") != NULL);
    return time_outside_a_trial_is_real();
}

/* A lower bound only: how much longer a sleep takes is nobody's promise. */
static const char *sleep_outside_a_trial_takes_its_time(void)
{
    const struct timespec ms = {.tv_nsec = 1000000};
    long long start = kernel_ns(CLOCK_MONOTONIC);
    struct timespec then;

    HOLDS(usleep(1000) == 0);
    HOLDS(kernel_ns(CLOCK_MONOTONIC) - start >= 1000000);
    start = kernel_ns(CLOCK_MONOTONIC);
    HOLDS(nanosleep(&ms, NULL) == 0);
    HOLDS(kernel_ns(CLOCK_MONOTONIC) - start >= 1000000);
    start = kernel_ns(CLOCK_MONOTONIC) + 1000000;
    then = (struct timespec){.tv_sec = start / NS_PER_S, .tv_nsec = (long)(start % NS_PER_S)};
    HOLDS(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) == 0);
    HOLDS(kernel_ns(CLOCK_MONOTONIC) >= start);
    HOLDS(sleep(0) == 0);
    return NULL;
}

/* libc's generator without libc's own state, to compare with. */
struct reference {
    struct random_data data;
    char state[128];
};

static void reference_init(struct reference *reference, unsigned int seed)
{
    memset(reference, 0, sizeof(*reference));
    (void)initstate_r(seed, reference->state, sizeof(reference->state), &reference->data);
}

static long reference_next(struct reference *reference)
{
    int32_t value = 0;

    (void)random_r(&reference->data, &value);
    return value;
}

/* The first claim that runs, since it is about a program that has called nothing yet. */
static const char *rand_without_a_seed_is_libcs(void)
{
    HOLDS(rand() == 1804289383);
    HOLDS(random() == 846930886);
    HOLDS(rand() == 1681692777);
    return NULL;
}

static const char *rand_outside_a_trial_is_libcs(void)
{
    struct reference reference;

    srand(5);
    reference_init(&reference, 5);
    HOLDS(rand() == reference_next(&reference));
    HOLDS(random() == reference_next(&reference));
    HOLDS(rand() == reference_next(&reference));
    srandom(6);
    reference_init(&reference, 6);
    HOLDS(random() == reference_next(&reference));
    HOLDS(rand() == reference_next(&reference));
    return NULL;
}

static const char *initstate_and_setstate_work_outside_a_trial(void)
{
    struct reference reference;
    struct reference small;
    char state[64];
    char *before;

    srand(9);
    reference_init(&reference, 9);
    HOLDS(random() == reference_next(&reference));
    memset(&small, 0, sizeof(small));
    HOLDS(initstate_r(3, small.state, 64, &small.data) == 0);
    before = initstate(3, state, sizeof(state));
    HOLDS(before != NULL);
    HOLDS(random() == reference_next(&small));
    HOLDS(rand() == reference_next(&small));

    HOLDS(setstate(before) == state);

    HOLDS(random() == reference_next(&reference));
    HOLDS(setstate(state) == before);
    HOLDS(random() == reference_next(&small));
    HOLDS(setstate(before) == state);
    return NULL;
}

static const char *a_trial_leaves_the_sequence_of_rand_alone(void)
{
    const struct sn_test test = {.name = "seeds", .run = run_seeds, .world = SN_WORLD_TRIAL};
    struct reference reference;

    srand(7);
    reference_init(&reference, 7);
    HOLDS(rand() == reference_next(&reference));

    PASSES(&test);

    HOLDS(rand() == reference_next(&reference));
    HOLDS(random() == reference_next(&reference));
    return NULL;
}

static const char *random_bytes_outside_a_trial_differ_each_time(void)
{
    unsigned char bytes[6][16];

    HOLDS(getrandom(bytes[0], 16, 0) == 16);
    HOLDS(getrandom(bytes[1], 16, GRND_NONBLOCK) == 16);
    HOLDS(getentropy(bytes[2], 16) == 0);
    HOLDS(getentropy(bytes[3], 16) == 0);
    arc4random_buf(bytes[4], 16);
    arc4random_buf(bytes[5], 16);
    HOLDS(memcmp(bytes[0], bytes[1], 16) != 0);
    HOLDS(memcmp(bytes[2], bytes[3], 16) != 0);
    HOLDS(memcmp(bytes[4], bytes[5], 16) != 0);
    HOLDS(((uint64_t)arc4random() << 32 | arc4random()) !=
          ((uint64_t)arc4random() << 32 | arc4random()));
    HOLDS(arc4random_uniform(3) < 3);
    return NULL;
}

/* ---- Other threads and processes ------------------------------------------------------------ */

static int to_parent[2];
static int to_child[2];

/* Waits, in the child, until the parent has looked. */
static void meet_parent(void)
{
    char byte = 'x';

    (void)sleep(1000);
    sn_assert(write(to_parent[1], &byte, 1) == 1);
    sn_assert(read(to_child[0], &byte, 1) == 1);
    observe("%llu", (unsigned long long)sn_now_ns());
}

static void run_meet(void)
{
    (void)sn_create(&worker, &(struct job){.start = meet_parent});
}

/* In the parent, while the child is in the middle of a trial. */
static void *look_from_outside(void *argument)
{
    const char **wrong = argument;
    char byte;

    if (read(to_parent[0], &byte, 1) != 1)
        *wrong = "the trial has not begun";
    else
        *wrong = time_outside_a_trial_is_real();
    if (*wrong == NULL && usleep(1) != 0)
        *wrong = "the parent cannot sleep";
    (void)rand();
    if (write(to_child[1], &byte, 1) != 1)
        *wrong = "the child is not there";
    return NULL;
}

static const char *the_parent_of_a_trial_in_another_process_is_not_in_it(void)
{
    const struct sn_test test = {.name = "meet", .run = run_meet, .world = SN_WORLD_FORK};
    const char *wrong = NULL;
    const char *why;
    pthread_t thread;

    HOLDS(pipe(to_parent) == 0 && pipe(to_child) == 0);
    HOLDS(pthread_create(&thread, NULL, look_from_outside, &wrong) == 0);
    why = run_watched(&test);
    HOLDS(pthread_join(thread, NULL) == 0);
    if (why != NULL || wrong != NULL)
        return why != NULL ? why : wrong;

    HOLDS(seen->count[0] == 1); /* nobody has drawn */
    HOLDS(strcmp(seen->text, "1000000000000") == 0);
    return NULL;
}

/* ---- Running -------------------------------------------------------------------------------- */

static const struct claim claims[] = {
    ENTRY(rand_without_a_seed_is_libcs),
    ENTRY(rand_outside_a_trial_is_libcs),
    ENTRY(initstate_and_setstate_work_outside_a_trial),
    ENTRY(random_bytes_outside_a_trial_differ_each_time),
    ENTRY(time_outside_a_trial_is_real),
    ENTRY(sleep_outside_a_trial_takes_its_time),
    ENTRY(clocks_in_a_trial_show_virtual_time_from_a_fixed_moment_on),
    ENTRY(reading_the_clock_in_a_handler_is_deterministic),
    ENTRY(clocks_of_a_kind_show_the_same_in_a_trial),
    ENTRY(sleep_moves_virtual_time_and_returns_at_once),
    ENTRY(a_sleep_until_a_moment_ends_when_the_clock_shows_it),
    ENTRY(timers_that_fell_due_during_a_sleep_fire_after_it_in_their_order),
    ENTRY(the_longest_sleep_ends_at_the_end_of_time),
    ENTRY(clocks_show_what_the_clock_of_the_node_does),
    ENTRY(a_sleep_takes_as_long_as_the_clock_of_the_node_says),
    ENTRY(after_a_sleep_the_clock_shows_its_end),
    ENTRY(who_has_seen_a_timer_fire_early_sleeps_on_from_there),
    ENTRY(a_sleep_comes_before_or_after_a_look_at_the_clock),
    ENTRY(what_libc_refuses_is_refused_in_a_trial_in_the_same_way),
    ENTRY(errno_is_left_alone_by_what_succeeds),
    ENTRY(getrandom_is_a_decision_in_the_log),
    ENTRY(each_random_number_is_a_decision_in_the_log),
    ENTRY(a_seed_means_nothing_in_a_trial),
    ENTRY(a_program_that_seeds_rand_with_time_repeats_itself),
    ENTRY(a_sleep_is_a_remark_in_the_trace),
    ENTRY(a_monitor_can_read_the_true_time_and_draw),
    ENTRY(a_monitor_that_sleeps_fails_the_trial),
    ENTRY(calls_of_somebody_elses_library_are_served_in_a_trial),
    ENTRY(time_is_real_again_after_a_trial_however_it_ended),
    ENTRY(a_trial_leaves_the_sequence_of_rand_alone),
    ENTRY(the_parent_of_a_trial_in_another_process_is_not_in_it),
};

int main(void)
{
    const size_t n = sizeof(claims) / sizeof(claims[0]);
    int failed = 0;

    printf("1..%zu\n", n);
    for (size_t i = 0; i < n; i++) {
        const char *wrong = claims[i].holds();

        printf("%sok %zu - %s\n", wrong != NULL ? "not " : "", i + 1, claims[i].name);
        if (wrong != NULL)
            printf("# %s\n", wrong);
        (void)fflush(stdout);
        failed += wrong != NULL;
    }
    return failed > 0;
}
