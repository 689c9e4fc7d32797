/* announced.h - what a step announces, in order, for strategies that follow messages from their
 * senders to their receivers. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_ANNOUNCED_H
#define ENGINE_ANNOUNCED_H

#include <stdbool.h>
#include <stdint.h>

enum { ANNOUNCED_MAX = 1 << 12 }; /* by one step */

struct announcement {
    uint64_t id;
    const void *what; /* this as in struct sn_op */
    uint32_t from;    /* the task that announces it */
    uint32_t task;    /* that it is for */
    uint32_t op;      /* its number; 0: the task has halted, and nothing is pending */
    uint16_t kind;    /* enum sn_op_kind */
    bool is_ordered;  /* only if op is 0: what one task sends to another would keep its order */
    bool is_copy;     /* of a message that was announced */
};

struct announced {
    uint32_t n;
    bool is_full; /* there was more */
    struct announcement all[ANNOUNCED_MAX];
};

static inline void announced_add(struct announced *announced, const struct announcement *what)
{
    if (announced->n < ANNOUNCED_MAX)
        announced->all[announced->n++] = *what;
    else
        announced->is_full = true;
}

#endif
