/* reloaded.c - see reloaded.h. SPDX-License-Identifier: MIT */
#include "reloaded.h"

#include "base/rng.h"
#include "engine/mem.h"
#include "engine/trial.h"
#include "strategy/strategies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NAME = 64 };

#define ROOM ((size_t)(64 << 20 >> MEM_SAVING_SHIFT))

/* Between trials that are saved there are so many others, more or less. */
enum { PAUSE = 3 };

struct reloaded {
    char name[NAME];
    struct strategies all;
    struct explore_phase inner; /* that goes on */
    struct explore_phase other; /* that does so next */
    struct trial *t;
    unsigned char *bytes;
};

static const struct sn_strategy *inner_of(const struct reloaded *r)
{
    return r->inner.entry->strategy;
}

static int reloaded_init(void *self, const char *parameters, uint64_t seed, char *error,
                         size_t error_size)
{
    struct reloaded *r = self;
    struct err why;

    (void)seed;
    (void)error;
    (void)error_size;
    if (strlen(parameters) >= NAME)
        return -1;
    memcpy(r->name, parameters, strlen(parameters) + 1);
    strategies_init(&r->all);
    r->bytes = mem_reserve_shared(ROOM, NULL);
    if (r->bytes == NULL || strategies_open_one(&r->all, r->name, 1, &r->inner, &why) < 0)
        return -1;
    return strategies_open_one(&r->all, r->name, 1, &r->other, &why);
}

/* Bytes may come from anywhere: they are refused, or they are some search, but nothing breaks. */
static void load_damaged(struct reloaded *r, struct explore_phase *phase, size_t n, uint64_t random)
{
    size_t at = random % n;
    unsigned char before = r->bytes[at];

    r->bytes[at] ^= (unsigned char)(1u << (random >> 32) % 8);
    (void)inner_of(r)->load(phase->self, r->bytes, n);
    r->bytes[at] = before;
    assert_int_equal(inner_of(r)->load(phase->self, r->bytes, n - 8), -1);
}

/* Lets the other state go on with what this one is. A trial that was left is not the end of one. */
static void reload(struct reloaded *r, uint64_t trial)
{
    struct explore_phase old = r->inner;
    size_t n = inner_of(r)->save(old.self, r->bytes, ROOM);

    assert_true(n > 0 && n <= ROOM);
    r->inner = r->other;
    r->other = old;
    for (uint64_t i = 0; i < 4; i++)
        load_damaged(r, &r->inner, n, mix_pair(trial, i));
    assert_int_equal(inner_of(r)->load(r->inner.self, r->bytes, n), 0);
    /* What was loaded and not begun can be saved, too. */
    n = inner_of(r)->save(r->inner.self, r->bytes, ROOM);
    assert_int_equal(inner_of(r)->load(r->inner.self, r->bytes, n), 0);
}

static bool reloaded_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct reloaded *r = self;

    if (r->t == NULL || (!r->t->abandoned && mix64(trial) % PAUSE == 0))
        reload(r, trial);
    if (inner_of(r)->begin(r->inner.self, trial, keep))
        return true;
    return false;
}

static uint32_t reloaded_pick(void *self, const struct sn_pending *pending)
{
    struct reloaded *r = self;

    r->t = (struct trial *)(uintptr_t)pending;
    return inner_of(r)->pick(r->inner.self, pending);
}

static uint64_t reloaded_draw(void *self, const struct sn_draw *draw)
{
    struct reloaded *r = self;

    return inner_of(r)->draw(r->inner.self, draw);
}

static void reloaded_told(void *self, const struct sn_op *op)
{
    struct reloaded *r = self;

    if (inner_of(r)->told != NULL)
        inner_of(r)->told(r->inner.self, op);
}

static void reloaded_end(void *self, const struct sn_trial_end *end)
{
    struct reloaded *r = self;

    if (inner_of(r)->end != NULL)
        inner_of(r)->end(r->inner.self, end);
}

/* The last to be asked: nothing is left of it after that. */
static bool reloaded_is_exhausted(const void *self)
{
    struct reloaded *r = (struct reloaded *)(uintptr_t)self;
    bool is_exhausted = inner_of(r)->is_exhausted(r->inner.self);

    assert_true(inner_of(r)->progress(r->inner.self) == 1);
    strategies_close(&r->inner, 1);
    strategies_close(&r->other, 1);
    mem_release(r->bytes, ROOM);
    return is_exhausted;
}

int reloaded_register(void)
{
    static const struct sn_strategy strategy = {
        .name = "reloaded",
        .state_size = sizeof(struct reloaded),
        .init = reloaded_init,
        .begin = reloaded_begin,
        .pick = reloaded_pick,
        .draw = reloaded_draw,
        .told = reloaded_told,
        .end = reloaded_end,
        .is_exhausted = reloaded_is_exhausted,
    };

    return sn_strategy_register(&strategy);
}
