/* names.h - names of machines in a trial that is being recorded. SPDX-License-Identifier: MIT */
#ifndef API_NAMES_H
#define API_NAMES_H

#include "engine/trial.h"

enum { NAMES_BYTES = 64 };

struct names {
    char (*text)[NAMES_BYTES]; /* by task */
    const struct sn_machine **types;
    uint32_t n;
};

int names_init(struct names *names, struct err *why);
void names_done(struct names *names);
void names_clear(struct names *names);

/* A new machine: called after its type and, from the second one on, a number. */
void names_add(struct names *names, uint32_t task, const struct sn_machine *type);
void names_set(struct names *names, uint32_t task, const char *name);
const char *names_get(const struct names *names, uint32_t task);

#endif
