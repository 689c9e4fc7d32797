/* emit.h - a failing interleaving as a file that can be run. SPDX-License-Identifier: MIT */
#ifndef REMOTE_EMIT_H
#define REMOTE_EMIT_H

#include "events/recording.h"

struct emit_job {
    const char *path;    /* *.js, *.mjs, *.cjs: for node; anything else: for sh */
    const char *command; /* of the client */
    const struct recording *recording;
    const uint8_t *order;
    uint32_t n;
    const char *what; /* is wrong, one sentence */
};

/* 0 or SN_EIO. */
int emit_write(const struct emit_job *job, struct err *why);

#endif
