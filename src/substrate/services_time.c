/* services_time.c - the program's clocks and sleeps: virtual in a trial, libc's elsewhere.
 *
 * In a trial a clock shows a fixed moment plus the virtual time of the running machine, and to
 * sleep is to let virtual time pass and go on at once. Every trial begins at the same moment, so
 * what a program makes of the time (a seed, a name, a lease) is the same when it is run again.
 * SPDX-License-Identifier: MIT
 */
#include "base/text.h"
#include "substrate/environment.h"
#include "substrate/process.h"
#include "substrate/services.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

/* When every trial begins: 2026-01-01T00:00:00Z, on machines that have been up for a day. */
#define TRIAL_EPOCH_S UINT64_C(1767225600)
#define TRIAL_UPTIME_S UINT64_C(86400)

/* ---- Virtual clocks ------------------------------------------------------------------------- */

/* A clock that libc has no constant for, because it belongs to some process or thread. */
static bool is_other_cpu_clock(clockid_t clock)
{
    enum { KIND = 7, KIND_DEVICE = 3 }; /* the low bits; the rest is the complement of a number */

    return clock < 0 && (clock & KIND) != KIND_DEVICE;
}

static struct timespec moment(uint64_t base_s, uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(base_s + ns / NS_PER_S),
                             .tv_nsec = (long)(ns % NS_PER_S)};
}

/* What the processor's time is taken for: the same on all nodes, whatever their clocks show. */
static uint64_t cpu_ns(const struct trial *t)
{
    return machine_time_ns(t, t->now.task);
}

/* What a clock shows. False: there is no such clock. */
static bool read_clock(struct trial *t, clockid_t clock, struct timespec *out)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        *out = moment(TRIAL_EPOCH_S, environment_now_ns(t));
        break;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        *out = moment(TRIAL_UPTIME_S, environment_now_ns(t));
        break;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        *out = moment(0, cpu_ns(t));
        break;
    default:
        if (!is_other_cpu_clock(clock))
            return false;
        *out = moment(0, cpu_ns(t));
    }
    machine_count_looks(t, 1);
    machine_saw_clock(t);
    return true;
}

static struct timespec wall_clock(struct trial *t)
{
    struct timespec now = {0};

    (void)read_clock(t, CLOCK_REALTIME, &now);
    return now;
}

/* ---- Virtual sleep -------------------------------------------------------------------------- */

static bool is_valid(const struct timespec *ts)
{
    return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && (uint64_t)ts->tv_nsec < NS_PER_S;
}

/* In nanoseconds, or as many as there can be. */
static uint64_t to_ns(const struct timespec *ts)
{
    uint64_t seconds = (uint64_t)ts->tv_sec;

    if (seconds >= UINT64_MAX / NS_PER_S)
        return UINT64_MAX;
    return seconds * NS_PER_S + (uint64_t)ts->tv_nsec;
}

/* No sleep ends after this moment, three centuries away, so that there is room for deadlines. */
static uint64_t later(uint64_t time_ns, uint64_t ns)
{
    if (time_ns >= INT64_MAX)
        return time_ns;
    return ns > INT64_MAX - time_ns ? INT64_MAX : time_ns + ns;
}

static void record_sleep(struct trial *t, const char *function, uint64_t ns)
{
    char text[64];
    struct sn_text line;

    text_init(&line, text, sizeof(text));
    text_print(&line, "%s: %llu.%09llu s pass", function, (unsigned long long)(ns / NS_PER_S),
               (unsigned long long)(ns % NS_PER_S));
    trial_record(t, note, text);
}

/* The running step takes this long, by the clock of the running machine. A timer that falls due
 * meanwhile stays where it is, among those that wait: it fires in its turn, and finds the clock
 * beyond its deadline. A process lets others run instead. */
static void pass_time(struct trial *t, const char *function, uint64_t ns, void *caller)
{
    uint64_t true_ns = environment_is_used(t) ? environment_true_delay_ns(t, ns) : ns;
    uint64_t own_ns = later(machine_time_ns(t, t->now.task), true_ns);

    if (t->may_act == ACTS_IN_TURN) {
        process_called_from(t, t->process, caller);
        process_sleep(t, t->process, ns < INT64_MAX ? ns : INT64_MAX);
        return;
    }
    machine_count_looks(t, MACHINE_SLEEP_LOOKS);
    /* What sn_foreign calls is one step, which takes no time and which no other one notices. */
    if (!t->may_act && process_is_in_foreign(t))
        return;
    if (!t->may_act && t->machines->actor != NULL)
        trial_fail(t, "usage", NULL, "monitor %s calls %s, but monitors only receive",
                   t->machines->actor->type->name, function);
    t->now.order += mix_fold(t->now.step_id ^ MACHINE_CLOCK, t->now.n_own[OWN_SLEEPS]++);
    trial_touch_all(t); /* any other may look at the clock */
    t->now.time_ns = later(t->now.time_ns, true_ns);
    if (own_ns > t->now.time_ns)
        t->machines->clocks[t->now.task] = own_ns;
    trial_reach(t, machine_time_ns(t, t->now.task));
    if (t->recorder != NULL)
        record_sleep(t, function, ns);
}

/* Whether one can sleep by a clock that can be read. */
static bool can_sleep_by(clockid_t clock)
{
    return clock != CLOCK_MONOTONIC_RAW && clock != CLOCK_MONOTONIC_COARSE &&
           clock != CLOCK_REALTIME_COARSE;
}

/* How long it is until a clock shows this; 0 if it does already. */
static uint64_t until(const struct timespec *now, const struct timespec *then)
{
    uint64_t now_ns = to_ns(now);
    uint64_t then_ns = to_ns(then);

    return then_ns > now_ns ? then_ns - now_ns : 0;
}

/* As clock_nanosleep, which returns its error. */
static int sleep_in_trial(struct trial *t, const char *function, clockid_t clock, int flags,
                          const struct timespec *wanted, struct timespec *left, void *caller)
{
    bool is_absolute = (flags & TIMER_ABSTIME) != 0;
    struct timespec now;

    if (clock == CLOCK_THREAD_CPUTIME_ID || !read_clock(t, clock, &now))
        return EINVAL;
    if (!can_sleep_by(clock))
        return ENOTSUP;
    if (!is_valid(wanted))
        return EINVAL;
    pass_time(t, function, is_absolute ? until(&now, wanted) : to_ns(wanted), caller);
    if (left != NULL && !is_absolute)
        *left = (struct timespec){0};
    return 0;
}

/* ---- Real clocks and sleep, in a static program --------------------------------------------- */

static int real_clock_gettime(clockid_t clock, struct timespec *out)
{
    service_function *next = services_next(SERVICE_CLOCK_GETTIME);

    if (next != NULL)
        return ((__typeof__(&clock_gettime))next)(clock, out);
    return (int)syscall(SYS_clock_gettime, clock, out);
}

/* As clock_nanosleep. A thread can be cancelled in it, as in libc's. */
static int sleep_by_kernel(clockid_t clock, int flags, const struct timespec *wanted,
                           struct timespec *left)
{
    int saved = errno;
    int type;
    long rc;

    if (clock == CLOCK_THREAD_CPUTIME_ID)
        return EINVAL;
    (void)pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    rc = syscall(SYS_clock_nanosleep, clock, flags, wanted, left) == 0 ? 0 : errno;
    (void)pthread_setcanceltype(type, NULL);
    errno = saved;
    return (int)rc;
}

/* What is returned and left in errno by all sleeps but clock_nanosleep. */
static int as_errno(int error)
{
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

/* ---- What the program calls: clocks --------------------------------------------------------- */

SERVICES_EXPORT_WATCHED int clock_gettime(clockid_t clock, struct timespec *out)
{
    struct trial *t = trial_of_thread();

    if (t == NULL)
        return real_clock_gettime(clock, out);
    return as_errno(read_clock(t, clock, out) ? 0 : EINVAL);
}

SERVICES_EXPORT_WATCHED time_t time(time_t *out)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_TIME) : NULL;
    struct timespec now;

    if (next != NULL)
        return ((__typeof__(&time))next)(out);
    if (t != NULL)
        now = wall_clock(t);
    else
        (void)real_clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (out != NULL)
        *out = now.tv_sec;
    return now.tv_sec;
}

SERVICES_EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_GETTIMEOFDAY) : NULL;
    struct timespec now;

    if (next != NULL)
        return ((__typeof__(&gettimeofday))next)(out, zone);
    if (t != NULL)
        now = wall_clock(t);
    else
        (void)real_clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    if (zone != NULL)
        *(struct timezone *)zone = (struct timezone){0};
    return 0;
}

SERVICES_EXPORT int timespec_get(struct timespec *out, int base)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_TIMESPEC_GET) : NULL;

    if (next != NULL)
        return ((__typeof__(&timespec_get))next)(out, base);
    if (base != TIME_UTC)
        return 0;
    if (t != NULL)
        *out = wall_clock(t);
    else
        (void)real_clock_gettime(CLOCK_REALTIME, out);
    return base;
}

SERVICES_EXPORT clock_t clock(void)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_CLOCK) : NULL;
    struct timespec now = {0};

    if (next != NULL)
        return ((__typeof__(&clock))next)();
    if (t != NULL)
        (void)read_clock(t, CLOCK_PROCESS_CPUTIME_ID, &now);
    else if (real_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        return -1;
    return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

/* ---- What the program calls: sleep ---------------------------------------------------------- */

SERVICES_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
                                    struct timespec *left)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_CLOCK_NANOSLEEP) : NULL;

    if (next != NULL)
        return ((__typeof__(&clock_nanosleep))next)(clock, flags, wanted, left);
    if (t == NULL)
        return sleep_by_kernel(clock, flags, wanted, left);
    return sleep_in_trial(t, "clock_nanosleep", clock, flags, wanted, left,
                          __builtin_return_address(0));
}

SERVICES_EXPORT int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_NANOSLEEP) : NULL;

    if (next != NULL)
        return ((__typeof__(&nanosleep))next)(wanted, left);
    if (t == NULL)
        return as_errno(sleep_by_kernel(CLOCK_REALTIME, 0, wanted, left));
    return as_errno(sleep_in_trial(t, "nanosleep", CLOCK_REALTIME, 0, wanted, left,
                                   __builtin_return_address(0)));
}

SERVICES_EXPORT unsigned int sleep(unsigned int seconds)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_SLEEP) : NULL;
    struct timespec left = {.tv_sec = seconds};

    if (next != NULL)
        return ((__typeof__(&sleep))next)(seconds);
    if (t != NULL)
        pass_time(t, "sleep", to_ns(&left), __builtin_return_address(0));
    else if (sleep_by_kernel(CLOCK_REALTIME, 0, &left, &left) != 0)
        return (unsigned int)left.tv_sec;
    return 0;
}

SERVICES_EXPORT int usleep(useconds_t microseconds)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_USLEEP) : NULL;
    struct timespec wanted = {.tv_sec = (time_t)(microseconds / 1000000),
                              .tv_nsec = (long)(microseconds % 1000000) * 1000};

    if (next != NULL)
        return ((__typeof__(&usleep))next)(microseconds);
    if (t == NULL)
        return as_errno(sleep_by_kernel(CLOCK_REALTIME, 0, &wanted, NULL));
    pass_time(t, "usleep", to_ns(&wanted), __builtin_return_address(0));
    return 0;
}
