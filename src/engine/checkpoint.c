/* checkpoint.c - see checkpoint.h. SPDX-License-Identifier: MIT */
#include "engine/checkpoint.h"

#include "engine/mem.h"

#include <string.h>

enum { CHECKPOINTS_MAX = (1 << 20) >> MEM_SAVING_SHIFT };

#define DATA_BYTES (((size_t)16 << 30) >> MEM_SAVING_SHIFT)

struct checkpoint {
    struct trial_now now;
    uint64_t decisions; /* length of the log at this point */
    size_t data;        /* offset of the copied ranges */
    uint32_t world_mark;
};

struct checkpoints {
    struct world *world;
    struct checkpoint *stack;
    uint32_t n;
    char *data;
    size_t used;
};

int checkpoints_new(struct checkpoints **out, struct world *world, struct err *why)
{
    struct checkpoints *c = mem_reserve_shared(sizeof(*c), why);

    *out = c;
    if (c == NULL)
        return SN_ENOMEM;
    c->world = world;
    c->stack = mem_reserve_shared(CHECKPOINTS_MAX * sizeof(*c->stack), why);
    c->data = mem_reserve_shared(DATA_BYTES, why);
    if (c->stack != NULL && c->data != NULL)
        return 0;
    checkpoints_free(c);
    *out = NULL;
    return SN_ENOMEM;
}

void checkpoints_free(struct checkpoints *c)
{
    if (c == NULL)
        return;
    mem_release(c->stack, CHECKPOINTS_MAX * sizeof(*c->stack));
    mem_release(c->data, DATA_BYTES);
    mem_release(c, sizeof(*c));
}

/* Bytes of one range; its element 0 is never used, but memory and enabled set start there. */
static inline size_t range_bytes(const struct trial_range *range)
{
    return (size_t)*range->count * range->element_size;
}

int checkpoint_push(struct checkpoints *c, const struct trial *t, struct err *why)
{
    struct checkpoint *checkpoint = &c->stack[c->n];
    size_t bytes = 0;
    char *to = c->data + c->used;
    int rc = 0;

    for (uint32_t i = 0; i < t->n_ranges; i++)
        bytes += range_bytes(&t->ranges[i]);
    if (c->n == CHECKPOINTS_MAX || bytes > DATA_BYTES - c->used)
        return err_set(why, SN_ENOMEM, "no room for another checkpoint");
    checkpoint->now = t->now;
    checkpoint->decisions = t->log.n;
    checkpoint->data = c->used;
    if (c->world != NULL)
        rc = world_save(c->world, &checkpoint->world_mark, why);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < t->n_ranges; i++) {
        size_t n = range_bytes(&t->ranges[i]);

        if (n > 0)
            memcpy(to, t->ranges[i].base, n);
        to += n;
    }
    c->used += bytes;
    c->n++;
    return 0;
}

static void copy_back(const struct checkpoints *c, struct trial *t, const struct checkpoint *from)
{
    const char *data = c->data + from->data;

    t->now = from->now; /* first: it holds the counts of the ranges */
    t->log.n = from->decisions;
    for (uint32_t i = 0; i < t->n_ranges; i++) {
        size_t n = range_bytes(&t->ranges[i]);

        if (n > 0)
            memcpy(t->ranges[i].base, data, n);
        data += n;
    }
}

/* Where the data of checkpoint n would begin. */
static void forget_above(struct checkpoints *c, uint32_t n)
{
    if (n < c->n)
        c->used = c->stack[n].data;
    c->n = n;
}

void checkpoint_return(struct checkpoints *c, struct trial *t, uint64_t decision)
{
    const struct checkpoint *top;

    sn_check(c->n > 0);
    while (c->n > 1 && c->stack[c->n - 1].decisions > decision)
        forget_above(c, c->n - 1);
    top = &c->stack[c->n - 1];
    if (c->world != NULL)
        world_restore(c->world, top->world_mark);
    copy_back(c, t, top);
}

uint32_t checkpoint_count(const struct checkpoints *c)
{
    return c->n;
}

size_t checkpoint_bytes(const struct checkpoints *c)
{
    return c->n > 0 ? c->used - c->stack[c->n - 1].data : 0;
}

void checkpoint_keep(struct checkpoints *c, uint32_t n)
{
    if (n < c->n) {
        if (c->world != NULL)
            world_drop(c->world, c->stack[n].world_mark);
        forget_above(c, n);
    }
}
