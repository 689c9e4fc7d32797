/* services_descriptor.h - what the functions of libc that take descriptors have in common.
 *
 * A descriptor is the trial's if a process has opened it in the running trial; all others, and all
 * calls by anybody else, are libc's as ever. SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_SERVICES_DESCRIPTOR_H
#define SUBSTRATE_SERVICES_DESCRIPTOR_H

#include "substrate/services.h"
#include "substrate/sockets.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The call that the program would have made without the library: through `next`, or in a program
 * that is linked statically, by the kernel. */
#define SERVICES_PASS(which_, function_, number_, ...)                                             \
    __extension__({                                                                                \
        service_function *next_ = services_next(which_);                                           \
                                                                                                   \
        next_ != NULL ? ((__typeof__(&function_))next_)(__VA_ARGS__)                               \
                      : (__typeof__(function_(__VA_ARGS__)))syscall(number_, __VA_ARGS__);         \
    })

/* Whether a descriptor can be a trial's. */
static inline bool services_in_range(int fd)
{
    return fd >= SOCKET_FD_FIRST && fd < SOCKET_FD_MAX;
}

/* The running process's socket; NULL: what is done with this descriptor is libc's. */
PUBLIC_PART struct socket *services_socket(struct trial **t, struct process **p, int fd)
{
    struct socket *s;

    if (likely(!services_in_range(fd)))
        return NULL;
    *t = sockets_trial(p);
    s = *t != NULL ? socket_find(*t, fd) : NULL;
    if (s != NULL)
        process_called_from(*t, *p, __builtin_return_address(0));
    return s;
}

/* The running trial, if a process is running in it; NULL: what is done is libc's. */
PUBLIC_PART struct trial *services_process(struct process **p)
{
    struct trial *t = sockets_trial(p);

    if (t != NULL)
        process_called_from(t, *p, __builtin_return_address(0));
    return t;
}

/* What is returned and left in errno. */
static inline int64_t services_result(int64_t rc)
{
    if (rc >= 0)
        return rc;
    errno = (int)-rc;
    return -1;
}

#endif
