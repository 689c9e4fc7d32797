/* services_random.c - the program's random numbers: decisions in a trial, libc's elsewhere.
 *
 * In a trial each number is drawn like a value of sn_choose: the strategy decides, the log and the
 * trace hold it. A seed then means nothing. Generators whose state the program can see (rand_r,
 * random_r, drand48 and its relatives) are left alone: their state is part of the world.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/services.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RANDOM_END (UINT64_C(1) << 31) /* random is below, whatever RAND_MAX is */

enum { ENTROPY_MAX = 256 }; /* bytes that getentropy gives at once */

/* ---- Decisions ------------------------------------------------------------------------------ */

/* Four bytes per decision, fewer at the end; the first is the lowest, on every machine. */
static void draw_bytes(struct trial *t, const char *label, void *buffer, size_t n)
{
    unsigned char *out = buffer;

    for (size_t i = 0; i < n;) {
        size_t some = n - i < 4 ? n - i : 4;
        uint64_t value = trial_draw(t, label, UINT64_C(1) << (8 * some));

        for (; some > 0; some--) {
            out[i++] = (unsigned char)value;
            value >>= 8;
        }
    }
}

static ssize_t getrandom_in_trial(struct trial *t, void *buffer, size_t n, unsigned int flags)
{
    const unsigned int sources = GRND_RANDOM | GRND_INSECURE;

    if ((flags & ~(sources | GRND_NONBLOCK)) != 0 || (flags & sources) == sources) {
        errno = EINVAL;
        return -1;
    }
    n = n > INT_MAX ? INT_MAX : n;
    draw_bytes(t, "getrandom", buffer, n);
    return (ssize_t)n;
}

/* ---- libc's, in a static program ------------------------------------------------------------ */

/* What rand and random are in glibc's libc.a. libc.so does not export the names, so they are here
 * in a static program only. */
__attribute__((weak)) long __random(void);
__attribute__((weak)) void __srandom(unsigned int seed);

#ifdef __GLIBC__
/* Brings the object of libc.a that has them, which a weak name alone would not, together with the
 * state that initstate and setstate work on. */
static __attribute__((used)) char *(*const kept)(unsigned int, char *, size_t) = initstate;
#endif

static long static_random(void)
{
    sn_check(__random != NULL);
    return __random();
}

static void static_srandom(unsigned int seed)
{
    sn_check(__srandom != NULL);
    __srandom(seed);
}

/* A thread can be cancelled in it, as in libc's. */
static ssize_t getrandom_by_kernel(void *buffer, size_t n, unsigned int flags)
{
    int type;
    long rc;

    (void)pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    rc = syscall(SYS_getrandom, buffer, n, flags);
    (void)pthread_setcanceltype(type, NULL);
    return rc;
}

/* As many as are wanted. The kernel always has them. */
static void bytes_by_kernel(void *buffer, size_t n)
{
    unsigned char *out = buffer;

    for (size_t done = 0; done < n;) {
        long some = syscall(SYS_getrandom, out + done, n - done, 0);

        sn_check(some > 0 || errno == EINTR);
        done += some > 0 ? (size_t)some : 0;
    }
}

/* ---- What the program calls: numbers with a seed -------------------------------------------- */

SERVICES_EXPORT int rand(void)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_RAND) : NULL;

    if (next != NULL)
        return ((__typeof__(&rand))next)();
    return t != NULL ? (int)trial_draw(t, "rand", (uint64_t)RAND_MAX + 1) : (int)static_random();
}

SERVICES_EXPORT long random(void)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_RANDOM) : NULL;

    if (next != NULL)
        return ((__typeof__(&random))next)();
    return t != NULL ? (long)trial_draw(t, "random", RANDOM_END) : static_random();
}

static void seed(enum service which, unsigned int value)
{
    service_function *next;

    if (trial_of_thread() != NULL)
        return;
    next = services_next(which);
    if (next != NULL)
        ((__typeof__(&srandom))next)(value);
    else
        static_srandom(value);
}

SERVICES_EXPORT void srand(unsigned int value)
{
    seed(SERVICE_SRAND, value);
}

SERVICES_EXPORT void srandom(unsigned int value)
{
    seed(SERVICE_SRANDOM, value);
}

/* ---- What the program calls: numbers from the kernel ---------------------------------------- */

SERVICES_EXPORT_WATCHED ssize_t getrandom(void *buffer, size_t n, unsigned int flags)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_GETRANDOM) : NULL;

    if (next != NULL)
        return ((__typeof__(&getrandom))next)(buffer, n, flags);
    if (t == NULL)
        return getrandom_by_kernel(buffer, n, flags);
    return getrandom_in_trial(t, buffer, n, flags);
}

SERVICES_EXPORT int getentropy(void *buffer, size_t n)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_GETENTROPY) : NULL;

    if (next != NULL)
        return ((__typeof__(&getentropy))next)(buffer, n);
    if (n > ENTROPY_MAX) {
        errno = EIO;
        return -1;
    }
    if (t != NULL)
        draw_bytes(t, "getentropy", buffer, n);
    else
        bytes_by_kernel(buffer, n);
    return 0;
}

/* Since glibc 2.36. */
uint32_t arc4random(void);
void arc4random_buf(void *buffer, size_t n);
uint32_t arc4random_uniform(uint32_t n);

SERVICES_EXPORT uint32_t arc4random(void)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_ARC4RANDOM) : NULL;
    uint32_t value;

    if (next != NULL)
        return ((__typeof__(&arc4random))next)();
    if (t != NULL)
        return (uint32_t)trial_draw(t, "arc4random", UINT64_C(1) << 32);
    bytes_by_kernel(&value, sizeof(value));
    return value;
}

SERVICES_EXPORT void arc4random_buf(void *buffer, size_t n)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_ARC4RANDOM_BUF) : NULL;

    if (next != NULL)
        ((__typeof__(&arc4random_buf))next)(buffer, n);
    else if (t != NULL)
        draw_bytes(t, "arc4random_buf", buffer, n);
    else
        bytes_by_kernel(buffer, n);
}

/* Without the bias of a plain remainder: values from the incomplete last round are drawn again. */
static uint32_t uniform_by_kernel(uint32_t n)
{
    uint32_t incomplete = -n % n; /* 2^32 modulo n */
    uint32_t value;

    do
        bytes_by_kernel(&value, sizeof(value));
    while (value < incomplete);
    return value % n;
}

SERVICES_EXPORT uint32_t arc4random_uniform(uint32_t n)
{
    struct trial *t = trial_of_thread();
    service_function *next = t == NULL ? services_next(SERVICE_ARC4RANDOM_UNIFORM) : NULL;

    if (next != NULL)
        return ((__typeof__(&arc4random_uniform))next)(n);
    if (n < 2)
        return 0;
    return t != NULL ? (uint32_t)trial_draw(t, "arc4random_uniform", n) : uniform_by_kernel(n);
}
