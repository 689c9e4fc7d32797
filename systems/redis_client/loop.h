/* loop.h - an event loop of poll for one connection of hiredis.
 *
 * Nothing here knows of Sennit: it is what a program would bring along that has no event library.
 * SPDX-License-Identifier: MIT
 */
#ifndef REDIS_CLIENT_LOOP_H
#define REDIS_CLIENT_LOOP_H

#include <hiredis/async.h>
#include <poll.h>

struct loop {
    redisAsyncContext *context; /* NULL: none is attached */
    short events;               /* that it waits for */
};

/* Lets the hooks of a connection set what the loop waits for. */
void loop_attach(struct loop *loop, redisAsyncContext *context);

/* Waits at most timeout_ms, and lets hiredis do what is to be done, once. */
void loop_turn(struct loop *loop, int timeout_ms);

#endif
