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

/* What sn_post sends. */
struct posted posted_make(const char *name, sn_callback *call, void *argument, int64_t result);

#endif
