/* reference.c - see reference.h. Through the public interface only, and with nothing but arrays.
 * SPDX-License-Identifier: MIT
 */
#include "reference.h"

#include <sennit/sennit.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPS_MAX = 1 << 16, CHANGES_MAX = 8, TASKS_MAX = 64 };

enum wrong {
    RIGHT = 0,
    REDRAWN,
    BIASED,
    RAISED,
    JOINED,
};

struct plain {
    enum wrong wrong;
    uint64_t seed;
    uint64_t random;
    unsigned depth; /* 0: no chains */
    unsigned steps_expected;
    unsigned from;
    unsigned steps;
    uint64_t change[CHANGES_MAX];
    uint64_t chain[OPS_MAX]; /* by step: the rank it ran with */
    unsigned n_known;
    struct {
        uint64_t id;
        uint64_t rank;
    } known[OPS_MAX];
};

/* splitmix64 */
static uint64_t next(uint64_t *random)
{
    uint64_t x = *random += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static int init(struct plain *p, const char *parameters, uint64_t seed, enum wrong wrong)
{
    p->wrong = wrong;
    p->seed = seed;
    if (parameters[0] == '\0')
        return 0;
    return sscanf(parameters, "%u:%u:%u", &p->depth, &p->steps_expected, &p->from) == 3 ? 0 : -1;
}

static int init_right(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    (void)error;
    (void)size;
    return init(self, parameters, seed, RIGHT);
}

static int init_redrawn(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    (void)error;
    (void)size;
    return init(self, parameters, seed, REDRAWN);
}

static int init_biased(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    (void)error;
    (void)size;
    return init(self, parameters, seed, BIASED);
}

static int init_raised(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    (void)error;
    (void)size;
    return init(self, parameters, seed, RAISED);
}

static int init_joined(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    (void)error;
    (void)size;
    return init(self, parameters, seed, JOINED);
}

static bool begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct plain *p = self;

    (void)keep;
    p->random = p->seed * 1000003 + trial;
    p->random = next(&p->random);
    p->n_known = 0;
    p->steps = 0;
    for (unsigned i = 1; i < p->depth; i++)
        p->change[i] = 1 + next(&p->random) % p->steps_expected;
    return true;
}

/* Ranks are in the middle of the range: what is put last is above, what comes first below. */
static uint64_t draw_rank(struct plain *p, const struct sn_op *op)
{
    uint64_t rank = (UINT64_C(1) << 62) + (next(&p->random) >> 2);
    bool continues = (op->flags & SN_OP_CONTINUES) != 0 || p->wrong == JOINED;

    if (p->depth > 0 && continues && op->cause > p->from)
        return p->chain[op->cause - p->from];
    if (p->wrong == BIASED && op->number % 2 == 1)
        rank -= (rank - (UINT64_C(1) << 62)) / 4;
    return rank;
}

static uint64_t *rank_of(struct plain *p, const struct sn_op *op)
{
    for (unsigned i = 0; i < p->n_known; i++) {
        if (p->known[i].id == op->id)
            return &p->known[i].rank;
    }
    if (p->n_known == OPS_MAX)
        abort();
    p->known[p->n_known].id = op->id;
    p->known[p->n_known].rank = draw_rank(p, op);
    return &p->known[p->n_known++].rank;
}

static uint32_t lowest(struct plain *p, const struct sn_pending *pending)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < sn_pending_count(pending); i++) {
        if (*rank_of(p, sn_pending_op(pending, i)) < *rank_of(p, sn_pending_op(pending, best)))
            best = i;
    }
    return best;
}

static uint32_t pick(void *self, const struct sn_pending *pending)
{
    struct plain *p = self;
    uint32_t best;

    if (p->wrong == REDRAWN)
        p->n_known = 0;
    best = lowest(p, pending);
    p->steps++;
    for (unsigned i = 1; i < p->depth; i++) {
        uint64_t low = p->wrong == RAISED ? i : UINT64_MAX - i;

        if (p->change[i] != p->steps)
            continue;
        *rank_of(p, sn_pending_op(pending, best)) = low;
        best = lowest(p, pending);
    }
    if (p->depth > 0)
        p->chain[p->steps] = *rank_of(p, sn_pending_op(pending, best));
    return best;
}

/* Forgets what has run, to stay short in long trials. */
static void told(void *self, const struct sn_op *op)
{
    struct plain *p = self;

    for (unsigned i = 0; i < p->n_known; i++) {
        if (p->known[i].id == op->id) {
            p->known[i] = p->known[--p->n_known];
            return;
        }
    }
}

/* ---- A task first --------------------------------------------------------------------------- */

static uint32_t pick_task_first(void *self, const struct sn_pending *pending)
{
    struct plain *p = self;
    uint32_t tasks[TASKS_MAX];
    uint32_t n_tasks = 0;
    uint32_t n = 0;
    uint32_t chosen = 0;

    for (uint32_t i = 0; i < sn_pending_count(pending); i++) {
        uint32_t task = sn_pending_op(pending, i)->task;
        uint32_t k = 0;

        while (k < n_tasks && tasks[k] != task)
            k++;
        tasks[k] = task;
        n_tasks += k == n_tasks;
    }
    tasks[0] = tasks[next(&p->random) % n_tasks];
    for (uint32_t i = 0; i < sn_pending_count(pending); i++) {
        if (sn_pending_op(pending, i)->task == tasks[0] && next(&p->random) % ++n == 0)
            chosen = i;
    }
    return chosen;
}

static uint64_t draw(void *self, const struct sn_draw *asked)
{
    struct plain *p = self;

    return next(&p->random) % asked->n;
}

#define PLAIN(name_, init_, pick_, told_)                                                          \
    {                                                                                              \
        .name = (name_), .state_size = sizeof(struct plain), .init = (init_), .begin = begin,      \
        .pick = (pick_), .told = (told_), .draw = draw                                             \
    }

static const struct sn_strategy all[] = {
    PLAIN("plain_pos", init_right, pick, told),
    PLAIN("plain_pct", init_right, pick, told),
    PLAIN("pos_redrawn", init_redrawn, pick, told),
    PLAIN("pos_biased", init_biased, pick, told),
    PLAIN("pct_raised", init_raised, pick, told),
    PLAIN("pct_joined", init_joined, pick, told),
    PLAIN("task_first", init_right, pick_task_first, NULL),
};

void reference_register(void)
{
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (sn_strategy_register(&all[i]) < 0)
            abort();
    }
}
