/* services.c - libc's own functions behind those that the library replaces.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/services.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Not there in a static program, which has no next function either. */
__attribute__((weak)) void *dlsym(void *restrict handle, const char *restrict name);

/* Since glibc 2.36. */
uint32_t arc4random(void);
void arc4random_buf(void *buffer, size_t n);
uint32_t arc4random_uniform(uint32_t n);

#define SERVICE(function_)                                                                         \
    {                                                                                              \
        .name = #function_, .linked = (service_function *)(function_)                              \
    }

static const struct {
    const char *name;
    service_function *linked; /* never read: the linker takes along what has an address */
} services[SERVICES] = {
    [SERVICE_TIME] = SERVICE(time),
    [SERVICE_GETTIMEOFDAY] = SERVICE(gettimeofday),
    [SERVICE_CLOCK_GETTIME] = SERVICE(clock_gettime),
    [SERVICE_TIMESPEC_GET] = SERVICE(timespec_get),
    [SERVICE_CLOCK] = SERVICE(clock),
    [SERVICE_SLEEP] = SERVICE(sleep),
    [SERVICE_USLEEP] = SERVICE(usleep),
    [SERVICE_NANOSLEEP] = SERVICE(nanosleep),
    [SERVICE_CLOCK_NANOSLEEP] = SERVICE(clock_nanosleep),
    [SERVICE_RAND] = SERVICE(rand),
    [SERVICE_SRAND] = SERVICE(srand),
    [SERVICE_RANDOM] = SERVICE(random),
    [SERVICE_SRANDOM] = SERVICE(srandom),
    [SERVICE_GETRANDOM] = SERVICE(getrandom),
    [SERVICE_GETENTROPY] = SERVICE(getentropy),
    [SERVICE_ARC4RANDOM] = SERVICE(arc4random),
    [SERVICE_ARC4RANDOM_BUF] = SERVICE(arc4random_buf),
    [SERVICE_ARC4RANDOM_UNIFORM] = SERVICE(arc4random_uniform),
};

static service_function *function_at(void *address)
{
    service_function *function;

    memcpy(&function, &address, sizeof(function));
    return function;
}

service_function *services_next(enum service which)
{
    _Atomic(void *) *cached = &world_root.next[which];
    void *found = atomic_load_explicit(cached, memory_order_relaxed);

    if (found == NULL && dlsym != NULL) {
        found = dlsym(RTLD_NEXT, services[which].name);
        atomic_store_explicit(cached, found, memory_order_relaxed);
    }
    return function_at(found);
}

void services_prepare(void)
{
    for (int i = 0; i < SERVICES; i++)
        (void)services_next((enum service)i);
}
