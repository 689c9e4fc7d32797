/* output.c - see output.h. SPDX-License-Identifier: MIT */
#include "api/output.h"

#include <errno.h>
#include <fcntl.h>
#include <sennit/test.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* High numbers, so that the lowest free descriptor, which programs can see, stays what it was. */
enum { DESCRIPTOR_FLOOR = 200 };

static int lift(int fd)
{
    int high;

    if (fd < 0)
        return -1;
    high = fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTOR_FLOOR);
    (void)close(fd);
    return high;
}

static void point_to(int fd)
{
    (void)fflush(NULL);
    (void)dup2(fd, STDOUT_FILENO);
    (void)dup2(fd, STDERR_FILENO);
}

int output_open(struct output *o, struct err *why)
{
    *o = (struct output){.saved = {-1, -1}};
    (void)fflush(NULL);
    o->saved[0] = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, DESCRIPTOR_FLOOR);
    o->saved[1] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, DESCRIPTOR_FLOOR);
    o->sink = lift(open("/dev/null", O_WRONLY | O_CLOEXEC));
    o->kept = lift(memfd_create("sennit-output", MFD_CLOEXEC));
    o->is_open = 1;
    if (o->sink < 0 || o->kept < 0) {
        int cause = errno;

        output_close(o);
        return err_set(why, SN_EIO, "cannot redirect the program's output (%s)",
                       strerrordesc_np(cause));
    }
    point_to(o->sink);
    return 0;
}

static void put_back(int saved, int fd)
{
    if (saved >= 0) {
        (void)dup2(saved, fd);
        (void)close(saved);
    } else {
        (void)close(fd);
    }
}

void output_close(struct output *o)
{
    if (!o->is_open)
        return;
    (void)fflush(NULL);
    put_back(o->saved[0], STDOUT_FILENO);
    put_back(o->saved[1], STDERR_FILENO);
    if (o->sink >= 0)
        (void)close(o->sink);
    if (o->kept >= 0)
        (void)close(o->kept);
    o->is_open = 0;
}

void output_show(struct output *o)
{
    (void)fflush(NULL);
    if (o->saved[0] >= 0)
        (void)dup2(o->saved[0], STDOUT_FILENO);
    if (o->saved[1] >= 0)
        (void)dup2(o->saved[1], STDERR_FILENO);
    /* What was printed before a crash is what one wants to see. */
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
}

void output_keep(struct output *o)
{
    point_to(o->kept);
    (void)!ftruncate(o->kept, 0);
    (void)lseek(o->kept, 0, SEEK_SET);
    o->read = 0;
}

void output_drop(struct output *o)
{
    point_to(o->sink);
}

size_t output_take(struct output *o, char *buffer, size_t size)
{
    ssize_t n;

    (void)fflush(NULL);
    n = pread(o->kept, buffer, size, o->read);
    if (n <= 0)
        return 0;
    o->read += n;
    return (size_t)n;
}
