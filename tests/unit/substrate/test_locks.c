/* test_locks.c - locks of code under test: mutexes, conditions, locks for readers and writers,
 * semaphores, as libc has them.
 *
 * Every schedule is tried, and searches that leave out what is equivalent must find the same.
 * SPDX-License-Identifier: MIT
 */
#include "flow.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t book = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t top;
static sem_t seats;
static mtx_t modern;

/* In the trial's memory; locks are variables, of which nothing but the address matters. */
struct shared {
    int value;
    int ends;
    bool is_ready;
};

static struct shared *shared;

static void begin(void)
{
    story_begin();
    shared = sn_alloc(sizeof(*shared));
}

/* Two processes, that share what is there. */
static void spawn_two(const struct sn_process *left, const struct sn_process *right)
{
    begin();
    (void)sn_spawn(left, NULL);
    (void)sn_spawn(right, NULL);
}

static struct sn_result run_dfs(const struct sn_test *test)
{
    struct sn_result r;

    assert_int_equal(
        sn_run(test, &(struct sn_options){.strategy = "dfs", .iterations = 2000000}, &r), 0);
    return r;
}

/* ---- Mutexes -------------------------------------------------------------------------------- */

static void add_under_lock(const void *payload)
{
    int seen;

    (void)payload;
    sn_assert(pthread_mutex_lock(&door) == 0);
    seen = shared->value;
    sn_yield();
    shared->value = seen + 1;
    if (++shared->ends == 2)
        tell("%d", shared->value);
    sn_assert(pthread_mutex_unlock(&door) == 0);
}

static const struct sn_process adder = {.name = "Adder", .run = add_under_lock};

static void run_adders(void)
{
    spawn_two(&adder, &adder);
}

static void a_process_waits_for_a_mutex_until_it_is_free(void **unused)
{
    struct sn_test test = flow_test(run_adders);

    (void)unused;

    assert_string_equal(flow_stories(&test), "2");
}

static void add_in_job(void *argument)
{
    (void)argument;
    add_under_lock(NULL);
}

static void start_jobs(void *self, const void *payload)
{
    struct sn_pool *pool = sn_pool_new("pool", 2);

    (void)self;
    (void)payload;
    (void)sn_pool_submit(pool, add_in_job, NULL);
    (void)sn_pool_submit(pool, add_in_job, NULL);
}

static void add_plainly(void *argument)
{
    int seen = shared->value;

    (void)argument;
    sn_yield();
    shared->value = seen + 1;
    if (++shared->ends == 2)
        tell("%d", shared->value);
}

static void start_plain_jobs(void *self, const void *payload)
{
    struct sn_pool *pool = sn_pool_new("pool", 2);

    (void)self;
    (void)payload;
    (void)sn_pool_submit(pool, add_plainly, NULL);
    (void)sn_pool_submit(pool, add_plainly, NULL);
}

static const struct sn_state with_jobs = {.name = "Jobs", .entry = start_jobs};
static const struct sn_machine locking = {.name = "Locking", .start = &with_jobs};
static const struct sn_state with_plain_jobs = {.name = "Jobs", .entry = start_plain_jobs};
static const struct sn_machine racing = {.name = "Racing", .start = &with_plain_jobs};

static void run_jobs(void)
{
    begin();
    (void)sn_create(&locking, NULL);
}

static void run_plain_jobs(void)
{
    begin();
    (void)sn_create(&racing, NULL);
}

static void jobs_of_a_pool_lock_each_other_out(void **unused)
{
    struct sn_test locked = flow_test(run_jobs);
    struct sn_test open = flow_test(run_plain_jobs);
    char without[64];

    (void)unused;

    (void)snprintf(without, sizeof(without), "%s", flow_stories(&open));
    assert_string_equal(without, "1 | 2");
    assert_string_equal(flow_stories(&locked), "2");
}

static void hold(const void *payload)
{
    (void)payload;
    (void)pthread_mutex_lock(&door);
    shared->value++;
    (void)pthread_mutex_unlock(&door);
}

static void try_to_hold(const void *payload)
{
    int rc = pthread_mutex_trylock(&door);

    (void)payload;
    tell("%s%d", rc == EBUSY ? "busy" : "got", shared->value);
    if (rc == 0)
        (void)pthread_mutex_unlock(&door);
}

static const struct sn_process holder = {.name = "Holder", .run = hold};
static const struct sn_process trier = {.name = "Trier", .run = try_to_hold};

static void run_try(void)
{
    spawn_two(&holder, &trier);
}

static void who_tries_a_mutex_sees_that_another_holds_it(void **unused)
{
    struct sn_test test = flow_test(run_try);

    (void)unused;

    assert_string_equal(flow_stories(&test), "busy1 | got0 | got1");
}

static void lock_for_a_second(const void *payload)
{
    (void)payload;
    (void)pthread_mutex_lock(&door);
    sn_sleep_ns(SECOND);
    (void)pthread_mutex_unlock(&door);
}

static struct timespec in_ms(clockid_t clock, long ms)
{
    struct timespec at;

    (void)clock_gettime(clock, &at);
    at.tv_sec += ms / 1000;
    at.tv_nsec += ms % 1000 * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    return at;
}

static void lock_twice_in_time(const void *payload)
{
    struct timespec soon;
    struct timespec later;

    (void)payload;
    sn_sleep_ns(SECOND / 10);
    soon = in_ms(CLOCK_REALTIME, 100);
    later = in_ms(CLOCK_MONOTONIC, 5000);
    tell("%s ", pthread_mutex_timedlock(&door, &soon) == ETIMEDOUT ? "late" : "in time");
    tell("%s ", pthread_mutex_clocklock(&door, CLOCK_MONOTONIC, &later) == 0 ? "in time" : "late");
    tell("%llu", (unsigned long long)(sn_now_ns() / (SECOND / 10)));
    (void)pthread_mutex_unlock(&door);
}

static const struct sn_process slow = {.name = "Slow", .run = lock_for_a_second};
static const struct sn_process timed = {.name = "Timed", .run = lock_twice_in_time};

static void run_timed(void)
{
    spawn_two(&slow, &timed);
}

static void a_timeout_of_a_lock_is_virtual_time(void **unused)
{
    struct sn_test test = flow_test(run_timed);

    (void)unused;

    assert_string_equal(flow_stories(&test), "late in time 10");
}

/* ---- Kinds of mutexes ----------------------------------------------------------------------- */

static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t careful = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void lock_kinds(const void *payload)
{
    (void)payload;
    sn_assert(pthread_mutex_lock(&again) == 0 && pthread_mutex_lock(&again) == 0);
    sn_assert(pthread_mutex_trylock(&again) == 0);
    sn_assert(pthread_mutex_unlock(&again) == 0 && pthread_mutex_unlock(&again) == 0);
    sn_assert(pthread_mutex_unlock(&again) == 0 && pthread_mutex_unlock(&again) == EPERM);
    sn_assert(pthread_mutex_lock(&careful) == 0 && pthread_mutex_lock(&careful) == EDEADLK);
    sn_assert(pthread_mutex_destroy(&careful) == EBUSY);
    sn_assert(pthread_mutex_unlock(&careful) == 0 && pthread_mutex_unlock(&careful) == EPERM);
}

static void try_kinds(const void *payload)
{
    int rc;

    (void)payload;
    rc = pthread_mutex_trylock(&again);
    tell("%s ", rc == 0 ? "free" : "held");
    if (rc == 0)
        (void)pthread_mutex_unlock(&again);
}

static const struct sn_process of_kinds = {.name = "Kinds", .run = lock_kinds};
static const struct sn_process tries = {.name = "Tries", .run = try_kinds};

static void run_kinds(void)
{
    spawn_two(&of_kinds, &tries);
}

static void a_recursive_mutex_is_free_when_it_is_unlocked_as_often(void **unused)
{
    struct sn_test test = flow_test(run_kinds);

    (void)unused;

    assert_string_equal(flow_stories(&test), "free  | held ");
}

/* ---- Deadlocks ------------------------------------------------------------------------------ */

static void lock_door_first(const void *payload)
{
    (void)payload;
    (void)pthread_mutex_lock(&door);
    (void)pthread_mutex_lock(&gate);
    (void)pthread_mutex_unlock(&gate);
    (void)pthread_mutex_unlock(&door);
}

static void lock_gate_first(const void *payload)
{
    (void)payload;
    (void)pthread_mutex_lock(&gate);
    (void)pthread_mutex_lock(&door);
    (void)pthread_mutex_unlock(&door);
    (void)pthread_mutex_unlock(&gate);
}

static const struct sn_process by_door = {.name = "ByDoor", .run = lock_door_first};
static const struct sn_process by_gate = {.name = "ByGate", .run = lock_gate_first};

static void run_crossed(void)
{
    spawn_two(&by_door, &by_gate);
}

static void a_deadlock_names_locks_holders_and_who_waits(void **unused)
{
    struct sn_test test = flow_test(run_crossed);

    (void)unused;

    assert_string_equal(flow_failure(&test),
                        "deadlock: nothing can happen any more, but ByDoor waits for mutex "
                        "gate, which ByGate holds, ByGate waits for mutex door, which "
                        "ByDoor holds");
}

static void end_with_lock(const void *payload)
{
    (void)payload;
    (void)pthread_mutex_lock(&door);
}

static const struct sn_process careless = {.name = "Careless", .run = end_with_lock};

static void run_careless(void)
{
    spawn_two(&careless, &holder);
}

static void a_mutex_stays_locked_when_its_holder_ends(void **unused)
{
    struct sn_test test = flow_test(run_careless);

    (void)unused;

    assert_non_null(strstr(flow_failure(&test),
                           "Holder waits for mutex door, which Careless, which has ended, holds"));
}

static void lock_twice(const void *payload)
{
    pthread_mutex_t *own = sn_alloc(sizeof(*own));

    (void)payload;
    (void)pthread_mutex_init(own, NULL);
    (void)pthread_mutex_lock(own);
    (void)pthread_mutex_lock(own);
}

static const struct sn_process twice = {.name = "Twice", .run = lock_twice};

static void run_twice(void)
{
    (void)sn_spawn(&twice, NULL);
}

static void a_lock_that_is_no_variable_is_named_after_who_used_it_first(void **unused)
{
    struct sn_test test = flow_test(run_twice);

    (void)unused;

    assert_non_null(
        strstr(flow_failure(&test), "Twice waits for mutex 1 of Twice, which Twice holds"));
}

static void unlock_only(const void *payload)
{
    (void)payload;
    (void)pthread_mutex_unlock(&door);
}

static const struct sn_process stranger = {.name = "Stranger", .run = unlock_only};

static void run_stranger(void)
{
    (void)sn_spawn(&stranger, NULL);
}

static void to_unlock_what_one_does_not_hold_is_a_failure(void **unused)
{
    struct sn_test test = flow_test(run_stranger);

    (void)unused;

    assert_string_equal(flow_failure(&test),
                        "lock: Stranger unlocks mutex door, which nobody holds");
}

static void a_deadlock_over_locks_is_replayed(void **unused)
{
    struct sn_test test = flow_test(run_crossed);
    char directory[] = "/tmp/sennit-locks-XXXXXX";
    struct sn_result found;
    struct sn_result again_;

    (void)unused;
    assert_non_null(mkdtemp(directory));

    assert_int_equal(
        sn_run(&test,
               &(struct sn_options){.strategy = "random", .iterations = 1000, .outdir = directory},
               &found),
        0);
    assert_int_equal(found.failures, 1);
    assert_int_equal(sn_replay(&test, found.trace, &again_), 0);

    assert_string_equal(again_.failure, found.failure);
    assert_false(again_.nondeterministic);
    (void)unlink(found.trace);
    (void)rmdir(directory);
}

/* ---- Conditions ----------------------------------------------------------------------------- */

static void wait_for_bell(const void *payload)
{
    (void)payload;
    (void)pthread_mutex_lock(&door);
    while (!shared->is_ready)
        (void)pthread_cond_wait(&bell, &door);
    tell("heard");
    (void)pthread_mutex_unlock(&door);
}

static void ring(const void *payload)
{
    (void)payload;
    (void)pthread_mutex_lock(&door);
    shared->is_ready = true;
    (void)pthread_cond_signal(&bell);
    (void)pthread_mutex_unlock(&door);
}

static const struct sn_process listener = {.name = "Listener", .run = wait_for_bell};
static const struct sn_process ringer = {.name = "Ringer", .run = ring};

static void run_bell(void)
{
    spawn_two(&listener, &ringer);
}

static void who_waits_on_a_condition_is_woken_by_a_signal(void **unused)
{
    struct sn_test test = flow_test(run_bell);

    (void)unused;

    assert_string_equal(flow_stories(&test), "heard");
}

/* Looks before it has the lock: what is signalled in between is missed. */
static void wait_carelessly(const void *payload)
{
    (void)payload;
    if (shared->is_ready)
        return;
    (void)pthread_mutex_lock(&door);
    (void)pthread_cond_wait(&bell, &door);
    (void)pthread_mutex_unlock(&door);
}

static const struct sn_process hasty = {.name = "Hasty", .run = wait_carelessly};

static void run_missed(void)
{
    spawn_two(&hasty, &ringer);
}

static void a_signal_that_nobody_waits_for_is_missed(void **unused)
{
    struct sn_test test = flow_test(run_missed);

    (void)unused;

    assert_string_equal(flow_failure(&test),
                        "deadlock: nothing can happen any more, but Hasty waits for a signal "
                        "to condition bell");
}

static void wait_once(const void *payload)
{
    sn_id name = flow_whom(payload);

    (void)pthread_mutex_lock(&door);
    shared->value++;
    (void)pthread_cond_wait(&bell, &door);
    tell("%u", name);
    (void)pthread_mutex_unlock(&door);
}

static void ring_for_one(const void *payload)
{
    (void)payload;
    (void)pthread_mutex_lock(&door);
    if (shared->value == 2)
        (void)pthread_cond_signal(&bell);
    (void)pthread_mutex_unlock(&door);
}

static void ring_for_all(const void *payload)
{
    (void)payload;
    (void)pthread_mutex_lock(&door);
    if (shared->value == 2)
        (void)pthread_cond_broadcast(&bell);
    (void)pthread_mutex_unlock(&door);
}

static const struct sn_process one_of_two = {
    .name = "Waiter", .run = wait_once, .birth = &whom_event, .may_wait = true};
static const struct sn_process for_one = {.name = "ForOne", .run = ring_for_one};
static const struct sn_process for_all = {.name = "ForAll", .run = ring_for_all};

static void run_two_waiters(const struct sn_process *who_rings)
{
    sn_id one = 1;
    sn_id two = 2;

    begin();
    (void)sn_spawn(&one_of_two, &one);
    (void)sn_spawn(&one_of_two, &two);
    (void)sn_spawn(who_rings, NULL);
}

static void run_signal(void)
{
    run_two_waiters(&for_one);
}

static void run_broadcast(void)
{
    run_two_waiters(&for_all);
}

static void a_signal_wakes_any_one_of_those_that_wait(void **unused)
{
    struct sn_test test = flow_test(run_signal);

    (void)unused;

    assert_string_equal(flow_stories(&test), " | 1 | 2");
}

static void a_broadcast_wakes_all_in_any_order(void **unused)
{
    struct sn_test test = flow_test(run_broadcast);

    (void)unused;

    assert_string_equal(flow_stories(&test), " | 12 | 21");
}

static void wait_for_a_while(const void *payload)
{
    struct timespec soon = in_ms(CLOCK_REALTIME, 1500);

    (void)payload;
    (void)pthread_mutex_lock(&door);
    tell("%s ", pthread_cond_timedwait(&bell, &door, &soon) == ETIMEDOUT ? "late" : "in time");
    tell("%llu", (unsigned long long)(sn_now_ns() / (SECOND / 10)));
    (void)pthread_mutex_unlock(&door);
}

static void wait_by_another_clock(const void *payload)
{
    struct timespec soon = in_ms(CLOCK_MONOTONIC, 1500);
    pthread_condattr_t attributes;
    pthread_cond_t *own = sn_alloc(sizeof(*own));

    (void)payload;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(own, &attributes);
    (void)pthread_mutex_lock(&gate);
    tell(" %s ", pthread_cond_timedwait(own, &gate, &soon) == ETIMEDOUT ? "late" : "in time");
    tell("%llu", (unsigned long long)(sn_now_ns() / (SECOND / 10)));
    (void)pthread_mutex_unlock(&gate);
}

static const struct sn_process patient = {.name = "Patient", .run = wait_for_a_while};
static const struct sn_process monotonic = {.name = "Monotonic", .run = wait_by_another_clock};

static void run_patient(void)
{
    begin();
    (void)sn_spawn(&patient, NULL);
}

static void run_monotonic(void)
{
    begin();
    (void)sn_spawn(&monotonic, NULL);
}

static void waiting_on_a_condition_ends_in_virtual_time_by_its_clock(void **unused)
{
    struct sn_test real = flow_test(run_patient);
    struct sn_test other = flow_test(run_monotonic);

    (void)unused;

    assert_string_equal(flow_stories(&real), "late 15");
    assert_string_equal(flow_stories(&other), " late 15");
}

/* ---- Locks for readers and writers, spinlocks, semaphores, C11 ------------------------------- */

static void read_book(const void *payload)
{
    int seen;

    (void)payload;
    (void)pthread_rwlock_rdlock(&book);
    shared->value++;
    seen = shared->value;
    sn_yield();
    tell("r%d%s ", seen, shared->value != seen ? "!" : "");
    shared->value--;
    (void)pthread_rwlock_unlock(&book);
}

static void write_book(const void *payload)
{
    (void)payload;
    (void)pthread_rwlock_wrlock(&book);
    sn_assert(shared->value == 0);
    sn_yield();
    sn_assert(shared->value == 0);
    tell("w ");
    (void)pthread_rwlock_unlock(&book);
}

static const struct sn_process reader = {.name = "Reader", .run = read_book};
static const struct sn_process writer = {.name = "Writer", .run = write_book};

static void run_readers(void)
{
    spawn_two(&reader, &reader);
}

static void run_reader_and_writer(void)
{
    spawn_two(&reader, &writer);
}

static void readers_share_a_lock_and_a_writer_has_it_alone(void **unused)
{
    struct sn_test readers = flow_test(run_readers);
    struct sn_test both = flow_test(run_reader_and_writer);

    (void)unused;

    assert_non_null(strstr(stories_of(&readers).failure[0] == '\0' ? stories_all() : "", "r2"));
    assert_string_equal(flow_stories(&both), "r1 w  | w r1 ");
}

static void try_book(const void *payload)
{
    (void)payload;
    if (pthread_rwlock_tryrdlock(&book) != 0) {
        tell("closed");
        return;
    }
    tell(pthread_rwlock_trywrlock(&book) == EBUSY ? "reads" : "writes");
    (void)pthread_rwlock_unlock(&book);
}

static void keep_book(const void *payload)
{
    (void)payload;
    (void)pthread_rwlock_wrlock(&book);
    sn_assert(pthread_rwlock_rdlock(&book) == EDEADLK);
    (void)pthread_rwlock_unlock(&book);
}

static const struct sn_process browser = {.name = "Browser", .run = try_book};
static const struct sn_process keeper = {.name = "Keeper", .run = keep_book};

static void run_browser(void)
{
    spawn_two(&browser, &keeper);
}

static void who_tries_a_rwlock_sees_who_has_it(void **unused)
{
    struct sn_test test = flow_test(run_browser);

    (void)unused;

    assert_string_equal(flow_stories(&test), "closed | reads");
}

static void read_for_ever(const void *payload)
{
    (void)payload;
    (void)pthread_rwlock_rdlock(&book);
    (void)sn_receive(NULL, NULL, SN_FOREVER);
}

static const struct sn_process slow_reader = {
    .name = "SlowReader", .run = read_for_ever, .may_wait = true};

static void write_later(const void *payload)
{
    sn_sleep_ns(SECOND);
    write_book(payload);
}

static const struct sn_process late_writer = {.name = "Writer", .run = write_later};

static void run_slow_readers(void)
{
    spawn_two(&slow_reader, &slow_reader);
    (void)sn_spawn(&late_writer, NULL);
}

static void a_deadlock_names_the_readers_of_a_lock(void **unused)
{
    struct sn_test test = flow_test(run_slow_readers);

    (void)unused;

    assert_non_null(strstr(flow_failure(&test), "Writer waits for rwlock book, which "
                                                "SlowReader, SlowReader#2 hold to read"));
}

static void sit(const void *payload)
{
    (void)payload;
    sn_assert(sem_wait(&seats) == 0);
    shared->value++;
    sn_assert(shared->value <= 1);
    sn_yield();
    shared->value--;
    sn_assert(sem_post(&seats) == 0);
    if (++shared->ends == 2)
        tell("sat");
}

static const struct sn_process guest = {.name = "Guest", .run = sit};

static void run_seats(void)
{
    (void)sem_init(&seats, 0, 1);
    spawn_two(&guest, &guest);
}

static void sit_in_time(const void *payload)
{
    struct timespec soon = in_ms(CLOCK_REALTIME, 700);
    int n = 7;

    (void)payload;
    sn_assert(sem_trywait(&seats) == -1 && errno == EAGAIN);
    sn_assert(sem_timedwait(&seats, &soon) == -1 && errno == ETIMEDOUT);
    sn_assert(sem_getvalue(&seats, &n) == 0 && n == 0);
    tell("%llu", (unsigned long long)(sn_now_ns() / (SECOND / 10)));
}

static const struct sn_process late_guest = {.name = "LateGuest", .run = sit_in_time};

static void run_no_seats(void)
{
    begin();
    (void)sem_init(&seats, 0, 0);
    (void)sn_spawn(&late_guest, NULL);
}

static void a_semaphore_lets_as_many_in_as_it_has(void **unused)
{
    struct sn_test test = flow_test(run_seats);
    struct sn_test none = flow_test(run_no_seats);

    (void)unused;

    assert_string_equal(flow_stories(&test), "sat");
    assert_string_equal(flow_stories(&none), "7");
}

static void spin_and_add(const void *payload)
{
    int seen;

    (void)payload;
    (void)pthread_spin_lock(&top);
    seen = shared->value;
    sn_yield();
    shared->value = seen + 1;
    if (++shared->ends == 2)
        tell("%d", shared->value);
    (void)pthread_spin_unlock(&top);
}

static void add_as_c11(const void *payload)
{
    int seen;

    (void)payload;
    (void)mtx_lock(&modern);
    seen = shared->value;
    sn_yield();
    shared->value = seen + 1;
    if (++shared->ends == 2)
        tell("%d", shared->value);
    (void)mtx_unlock(&modern);
}

static const struct sn_process spinner = {.name = "Spinner", .run = spin_and_add};
static const struct sn_process modern_adder = {.name = "Modern", .run = add_as_c11};

static void run_spinners(void)
{
    (void)pthread_spin_init(&top, 0);
    spawn_two(&spinner, &spinner);
}

static void run_modern(void)
{
    (void)mtx_init(&modern, mtx_plain);
    spawn_two(&modern_adder, &modern_adder);
}

static void spinlocks_and_mutexes_of_c11_are_the_same(void **unused)
{
    struct sn_test spin = flow_test(run_spinners);
    struct sn_test c11 = flow_test(run_modern);

    (void)unused;

    assert_string_equal(flow_stories(&spin), "2");
    assert_string_equal(flow_stories(&c11), "2");
}

/* ---- Who cannot wait ------------------------------------------------------------------------ */

static void lock_in_handler(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)pthread_mutex_lock(&door);
    shared->value++;
    (void)pthread_cond_signal(&bell);
    (void)pthread_mutex_unlock(&door);
    tell("locked");
}

static const struct sn_state handling = {.name = "Handling", .entry = lock_in_handler};
static const struct sn_machine handler = {.name = "Handler", .start = &handling};

static void run_handler(void)
{
    begin();
    (void)pthread_mutex_lock(&door);
    (void)pthread_mutex_unlock(&door);
    (void)sn_create(&handler, NULL);
}

static void run_contended(void)
{
    begin();
    (void)sn_create(&handler, NULL);
    (void)sn_spawn(&holder, NULL);
}

static void a_machine_has_a_lock_that_is_free(void **unused)
{
    struct sn_test test = flow_test(run_handler);

    (void)unused;

    assert_string_equal(flow_stories(&test), "locked");
}

static void a_machine_that_would_wait_for_a_lock_is_told_at_once(void **unused)
{
    struct sn_test test = flow_test(run_contended);
    struct sn_result r = run_dfs(&test);

    (void)unused;

    assert_string_equal(r.failure,
                        "lock: Handler waits for mutex door, which Holder holds, but is no "
                        "process: only those can wait");
}

static void lock_twice_in_handler(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)pthread_mutex_lock(&door);
    (void)pthread_mutex_lock(&door);
}

static const struct sn_state doubling = {.name = "Doubling", .entry = lock_twice_in_handler};
static const struct sn_machine doubler = {.name = "Doubler", .start = &doubling};

static void run_doubler(void)
{
    (void)sn_create(&doubler, NULL);
}

static void a_machine_that_waits_for_itself_is_a_deadlock(void **unused)
{
    struct sn_test test = flow_test(run_doubler);

    (void)unused;

    assert_string_equal(flow_failure(&test), "deadlock: Doubler waits for mutex door, which "
                                             "Doubler holds");
}

static void wait_in_handler(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)pthread_mutex_lock(&door);
    (void)pthread_cond_wait(&bell, &door);
}

static const struct sn_state waiting = {.name = "Waiting", .entry = wait_in_handler};
static const struct sn_machine waiter = {.name = "Waiter", .start = &waiting};

static void run_waiter(void)
{
    (void)sn_create(&waiter, NULL);
}

static void a_machine_that_waits_on_a_condition_is_told_at_once(void **unused)
{
    struct sn_test test = flow_test(run_waiter);
    struct sn_result r = run_dfs(&test);

    (void)unused;

    assert_string_equal(r.failure, "lock: Waiter waits on condition bell, but is no "
                                   "process: only those can wait");
}

static void run_locked_outside(void)
{
    (void)sn_spawn(&holder, NULL);
}

static void a_lock_that_was_locked_before_the_trial_is_named(void **unused)
{
    struct sn_test test = flow_test(run_locked_outside);
    struct sn_result r;

    (void)unused;
    (void)pthread_mutex_lock(&door);

    r = run_dfs(&test);

    (void)pthread_mutex_unlock(&door);
    assert_string_equal(r.failure, "lock: mutex door was locked before the trial began");
}

/* ---- Nodes, and outside of trials ------------------------------------------------------------ */

static void hold_for_ever(const void *payload)
{
    (void)payload;
    (void)pthread_mutex_lock(&door);
    tell("held ");
    (void)sn_receive(NULL, NULL, SN_FOREVER);
}

static const struct sn_process resident = {
    .name = "Resident", .run = hold_for_ever, .may_wait = true};

static void restart_node(const void *payload)
{
    sn_node node = *(const sn_node *)payload;

    sn_sleep_ns(SECOND);
    sn_node_crash(node);
    sn_sleep_ns(SECOND);
    sn_node_restart(node);
}

static const struct sn_event node_event = {.name = "Node", .size = sizeof(sn_node)};
static const struct sn_process operator_ = {
    .name = "Operator", .run = restart_node, .birth = &node_event};

static void run_restart(void)
{
    sn_node node = sn_node_new("n");

    begin();
    (void)sn_spawn_on(node, &resident, NULL);
    (void)sn_spawn(&operator_, &node);
}

static void locks_of_a_node_that_crashes_are_free(void **unused)
{
    struct sn_test test = flow_test(run_restart);

    (void)unused;

    assert_string_equal(flow_stories(&test), "held held ");
}

static void *wait_in_thread(void *argument)
{
    const bool *is_ready = argument;

    (void)pthread_mutex_lock(&door);
    while (!*is_ready)
        (void)pthread_cond_wait(&bell, &door);
    (void)pthread_mutex_unlock(&door);
    (void)sem_post(&seats);
    return NULL;
}

static void outside_of_trials_locks_are_those_of_libc(void **unused)
{
    pthread_t thread;
    bool is_ready = false;

    (void)unused;
    (void)sem_init(&seats, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, wait_in_thread, &is_ready), 0);

    (void)pthread_mutex_lock(&door);
    is_ready = true;
    (void)pthread_cond_signal(&bell);
    (void)pthread_mutex_unlock(&door);
    assert_int_equal(sem_wait(&seats), 0);

    assert_int_equal(pthread_join(thread, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_waits_for_a_mutex_until_it_is_free),
        cmocka_unit_test(jobs_of_a_pool_lock_each_other_out),
        cmocka_unit_test(who_tries_a_mutex_sees_that_another_holds_it),
        cmocka_unit_test(a_timeout_of_a_lock_is_virtual_time),
        cmocka_unit_test(a_recursive_mutex_is_free_when_it_is_unlocked_as_often),
        cmocka_unit_test(a_deadlock_names_locks_holders_and_who_waits),
        cmocka_unit_test(a_mutex_stays_locked_when_its_holder_ends),
        cmocka_unit_test(a_lock_that_is_no_variable_is_named_after_who_used_it_first),
        cmocka_unit_test(to_unlock_what_one_does_not_hold_is_a_failure),
        cmocka_unit_test(a_deadlock_over_locks_is_replayed),
        cmocka_unit_test(who_waits_on_a_condition_is_woken_by_a_signal),
        cmocka_unit_test(a_signal_that_nobody_waits_for_is_missed),
        cmocka_unit_test(a_signal_wakes_any_one_of_those_that_wait),
        cmocka_unit_test(a_broadcast_wakes_all_in_any_order),
        cmocka_unit_test(waiting_on_a_condition_ends_in_virtual_time_by_its_clock),
        cmocka_unit_test(readers_share_a_lock_and_a_writer_has_it_alone),
        cmocka_unit_test(who_tries_a_rwlock_sees_who_has_it),
        cmocka_unit_test(a_deadlock_names_the_readers_of_a_lock),
        cmocka_unit_test(a_semaphore_lets_as_many_in_as_it_has),
        cmocka_unit_test(spinlocks_and_mutexes_of_c11_are_the_same),
        cmocka_unit_test(a_machine_has_a_lock_that_is_free),
        cmocka_unit_test(a_machine_that_would_wait_for_a_lock_is_told_at_once),
        cmocka_unit_test(a_machine_that_waits_for_itself_is_a_deadlock),
        cmocka_unit_test(a_machine_that_waits_on_a_condition_is_told_at_once),
        cmocka_unit_test(a_lock_that_was_locked_before_the_trial_is_named),
        cmocka_unit_test(locks_of_a_node_that_crashes_are_free),
        cmocka_unit_test(outside_of_trials_locks_are_those_of_libc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
