/* loop.c - see loop.h. SPDX-License-Identifier: MIT */
#include "loop.h"

static void add_read(void *self)
{
    ((struct loop *)self)->events |= POLLIN;
}

static void del_read(void *self)
{
    ((struct loop *)self)->events &= ~POLLIN;
}

static void add_write(void *self)
{
    ((struct loop *)self)->events |= POLLOUT;
}

static void del_write(void *self)
{
    ((struct loop *)self)->events &= ~POLLOUT;
}

static void cleanup(void *self)
{
    *(struct loop *)self = (struct loop){.context = NULL};
}

void loop_attach(struct loop *loop, redisAsyncContext *context)
{
    *loop = (struct loop){.context = context};
    context->ev.data = loop;
    context->ev.addRead = add_read;
    context->ev.delRead = del_read;
    context->ev.addWrite = add_write;
    context->ev.delWrite = del_write;
    context->ev.cleanup = cleanup;
}

void loop_turn(struct loop *loop, int timeout_ms)
{
    struct pollfd fd = {.fd = loop->context->c.fd, .events = loop->events};

    if (poll(&fd, 1, timeout_ms) <= 0)
        return;
    if ((fd.revents & (POLLIN | POLLERR | POLLHUP)) != 0 && (loop->events & POLLIN) != 0)
        redisAsyncHandleRead(loop->context);
    /* The context is gone if that has found the connection broken. */
    if (loop->context != NULL && (fd.revents & (POLLOUT | POLLERR | POLLHUP)) != 0 &&
        (loop->events & POLLOUT) != 0)
        redisAsyncHandleWrite(loop->context);
}
