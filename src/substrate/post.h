/* post.h - callbacks on their way. SPDX-License-Identifier: MIT */
#ifndef SUBSTRATE_POST_H
#define SUBSTRATE_POST_H

#include "substrate/machine.h"

#include <sennit/task.h>

struct posted {
    char mark[8];
    char name[24];
    sn_callback *call;
    void *argument;
    int64_t result;
};

struct process;

/* Whether callbacks that were posted to a process wait to be called. */
bool posts_wait(const struct trial *t, const struct process *p);

/* A process to which callbacks are posted that it has never asked for fails the trial: when one
 * comes after its function has returned, when that returns, and at the end. */
void posts_arrived(struct trial *t, const struct process *p, const void *payload);
void posts_check_return(struct trial *t, const struct process *p);
void posts_judge(struct trial *t);

/* One is in its mailbox: who polls for it looks again. */
void posts_wake(struct trial *t, uint32_t task);

/* A plain node is about to be given a callback; and has been. */
void posts_offer(struct trial *t);
void posts_check_taken(struct trial *t, const void *payload);

/* What sn_post sends. */
struct posted posted_make(const char *name, sn_callback *call, void *argument, int64_t result);

#endif
