/* optimal.c - the optimal searches by one name: each partial order of steps is run once.
 *
 * Where machines only exchange messages it is the receive-revisit search (revisit.h), whose memory
 * is bounded and whose work can be divided if it is the only one that is wanted; everything else
 * needs wakeup trees (odpor.c). Which of them is to be used shows only while the test runs: the
 * first one runs until it meets what it cannot do, nearly always in its first trial, and then the
 * other one begins, from the beginning. Trials that were run before it did are remembered by the
 * hashes of their orders, so that nobody is told of them twice. SPDX-License-Identifier: MIT
 */
#include "base/bytes.h"
#include "base/rng.h"
#include "strategy/revisit.h"
#include "strategy/walk.h"

#include <stdio.h>
#include <string.h>

enum {
    SEEN_MAX = 1 << 16, /* trials that are remembered */
    SEEN_SLOTS = 2 * SEEN_MAX,
};

struct optimal {
    bool is_forced; /* there is no other search to fall back to */
    bool has_trees; /* wakeup trees decide */
    uint32_t n_seen;
    uint64_t seen[SEEN_SLOTS]; /* a hash table; 0: free */
    struct revisit revisit;
    struct walk walk;
};

static const struct sn_strategy *trees(void)
{
    return strategy_odpor.strategy;
}

/* What a parameter stands for. */
struct way {
    const char *name;
    const char *of_trees; /* their parameter */
    bool has_trees;
    bool is_forced;
};

static int optimal_init(void *self, const char *parameters, uint64_t seed, char *error,
                        size_t error_size)
{
    static const struct way ways[] = {
        {"", "", false, false},
        {"causal", "causal", false, false},
        {"revisit", "", false, true},
        {"trees", "", true, true},
        {"trees:causal", "causal", true, true},
    };
    struct optimal *o = self;

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (strcmp(parameters, ways[i].name) != 0)
            continue;
        o->has_trees = ways[i].has_trees;
        o->is_forced = ways[i].is_forced;
        o->revisit.falls_back = !o->is_forced;
        return trees()->init(&o->walk, ways[i].of_trees, seed, error, error_size);
    }
    (void)snprintf(error, error_size,
                   "the parameter is revisit, trees, causal or trees:causal, not %s", parameters);
    return -1;
}

/* ---- Trials that are run twice --------------------------------------------------------------- */

/* The slot of an order, or the free one where it would be. */
static uint64_t find_seen(const struct optimal *o, uint64_t order)
{
    uint64_t kept = order != 0 ? order : 1;
    uint64_t slot = kept & (SEEN_SLOTS - 1);

    while (o->seen[slot] != 0 && o->seen[slot] != kept)
        slot = (slot + 1) & (SEEN_SLOTS - 1);
    return slot;
}

static bool was_seen(const struct optimal *o, uint64_t order)
{
    return o->n_seen > 0 && o->seen[find_seen(o, order)] != 0;
}

/* The receive-revisit search has run a trial. */
static void remember(struct optimal *o, uint64_t order)
{
    uint64_t slot;

    if (o->is_forced || o->n_seen == SEEN_MAX)
        return;
    slot = find_seen(o, order);
    if (o->seen[slot] == 0)
        o->n_seen++;
    o->seen[slot] = order != 0 ? order : 1;
}

/* The wakeup trees have come to the end of a trial. */
static void forget_repeat(struct optimal *o, struct trial *t)
{
    if (t->cut || t->phase_over || !was_seen(o, t->now.order))
        return;
    trees()->end(&o->walk, &(struct sn_trial_end){.steps = t->now.steps});
    trial_forget(t);
}

/* One that fails does not come to its end: it is found when it is over. */
static bool optimal_is_repeat(const void *self, const struct trial *t)
{
    const struct optimal *o = self;

    return o->has_trees && !t->cut && was_seen(o, t->now.order);
}

/* ---- The callbacks --------------------------------------------------------------------------- */

/* Whether wakeup trees decide from the next trial on. A step that has failed hides what others
 * would have sent to revisit what came before it. */
static bool will_have_trees(const struct optimal *o)
{
    if (o->has_trees || o->is_forced)
        return o->has_trees;
    return revisit_refusal(&o->revisit) != NULL ||
           (o->revisit.is_stepping && !o->revisit.is_divided);
}

static bool optimal_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct optimal *o = self;

    o->has_trees = will_have_trees(o);
    return o->has_trees ? trees()->begin(&o->walk, trial, keep)
                        : revisit_begin(&o->revisit, trial, keep);
}

static const char *optimal_why_first(const void *self)
{
    const struct optimal *o = self;

    return o->is_forced && !o->has_trees
               ? "odpor:revisit does not know what was sent before it; odpor:trees does"
               : NULL;
}

/* What others have led to may have pasts that a graph does not know. */
static void follow_others(struct optimal *o, const struct trial *t)
{
    uint64_t keep = 0;

    if (o->has_trees || o->is_forced || t->phase == 0)
        return;
    o->has_trees = true;
    (void)trees()->begin(&o->walk, 0, &keep);
}

static void optimal_loop(struct trial *t)
{
    const struct sn_strategy *self = t->strategy;
    struct optimal *o = t->strategy_self;

    follow_others(o, t);
    if (!o->has_trees) {
        revisit_run(&o->revisit, t);
        return;
    }
    t->strategy = trees();
    t->strategy_self = &o->walk;
    strategy_odpor.loop(t);
    t->strategy = self;
    t->strategy_self = o;
    forget_repeat(o, t);
}

static uint32_t optimal_pick(void *self, const struct sn_pending *pending)
{
    struct optimal *o = self;

    return o->has_trees ? trees()->pick(&o->walk, pending) : revisit_pick(&o->revisit, pending);
}

static uint64_t optimal_draw(void *self, const struct sn_draw *draw)
{
    struct optimal *o = self;

    return o->has_trees ? trees()->draw(&o->walk, draw) : revisit_draw(&o->revisit, draw);
}

static void optimal_told(void *self, const struct sn_op *op)
{
    struct optimal *o = self;

    if (!o->has_trees) {
        revisit_told(&o->revisit, op);
        return;
    }
    trees()->told(&o->walk, op);
    if (o->walk.t->now.n_enabled == 0 && o->walk.t->now.n_waiting == 0)
        forget_repeat(o, o->walk.t);
}

static void optimal_end(void *self, const struct sn_trial_end *end)
{
    struct optimal *o = self;

    if (o->has_trees)
        trees()->end(&o->walk, end);
    else
        remember(o, end->order);
}

static bool optimal_is_exhausted(const void *self)
{
    const struct optimal *o = self;

    return o->has_trees ? trees()->is_exhausted(&o->walk) : revisit_is_exhausted(&o->revisit);
}

static void optimal_within(const void *self, char *text, size_t size)
{
    const struct optimal *o = self;

    if (size > 0)
        text[0] = '\0';
    if (o->has_trees)
        trees()->within(&o->walk, text, size);
}

static void optimal_note(const void *self, char *text, size_t size)
{
    const struct optimal *o = self;

    if (size > 0)
        text[0] = '\0';
    if (o->has_trees)
        walk_note(&o->walk, text, size);
    else if (o->revisit.is_incomplete)
        (void)snprintf(text, size,
                       "a step failed, or a trial had more than the strategy can follow: not every "
                       "order of steps was tried");
}

static double optimal_progress(const void *self)
{
    const struct optimal *o = self;

    if (!o->has_trees)
        return revisit_progress(&o->revisit);
    return trees()->progress(&o->walk);
}

/* ---- As bytes -------------------------------------------------------------------------------- */

/* What odpor has beside the bytes of the search that decides now: a tag, which search that is, how
 * many trials are remembered, these, and a hash of all that. */
static const uint64_t optimal_tag = UINT64_C(0x31726f70646f); /* "odpor1" */

enum { HEAD_WORDS = 4 }; /* without the trials */

static size_t save_inner(const struct optimal *o, void *bytes, size_t room)
{
    if (!will_have_trees(o))
        return revisit_save(&o->revisit, bytes, room);
    return trees()->save(&o->walk, bytes, room);
}

static void save_head(const struct optimal *o, unsigned char *to)
{
    uint64_t n = 3;
    uint64_t sum = 0;

    bytes_put(to, optimal_tag);
    bytes_put(to + 8, will_have_trees(o));
    bytes_put(to + 16, o->n_seen);
    for (uint32_t i = 0; i < SEEN_SLOTS && n < (uint64_t)o->n_seen + 3; i++) {
        if (o->seen[i] != 0)
            bytes_put(to + 8 * n++, o->seen[i]);
    }
    for (uint64_t i = 0; i < n; i++)
        sum = mix_pair(sum, bytes_get(to + 8 * i));
    bytes_put(to + 8 * n, sum);
}

static size_t optimal_save(const void *self, void *bytes, size_t room)
{
    const struct optimal *o = self;
    size_t head = ((size_t)o->n_seen + HEAD_WORDS) * 8;
    size_t inner;

    if (o->is_forced)
        return save_inner(o, bytes, room);
    inner = save_inner(o, NULL, 0);
    if (inner == 0 || room < head + inner)
        return inner == 0 ? 0 : head + inner;
    save_head(o, bytes);
    return head + save_inner(o, (unsigned char *)bytes + head, room - head);
}

static int load_inner(struct optimal *o, bool has_trees, const void *bytes, size_t n)
{
    if (!has_trees)
        return revisit_load(&o->revisit, bytes, n);
    return trees()->load(&o->walk, bytes, n);
}

/* How many trials the head has; UINT64_MAX: it is none. */
static uint64_t check_head(const unsigned char *from, size_t n)
{
    uint64_t n_seen;
    uint64_t sum = 0;

    if (n < (size_t)HEAD_WORDS * 8 || bytes_get(from) != optimal_tag || bytes_get(from + 8) > 1)
        return UINT64_MAX;
    n_seen = bytes_get(from + 16);
    if (n_seen > SEEN_MAX || n / 8 < n_seen + HEAD_WORDS)
        return UINT64_MAX;
    for (uint64_t i = 0; i < n_seen + 3; i++)
        sum = mix_pair(sum, bytes_get(from + 8 * i));
    return bytes_get(from + 8 * (n_seen + 3)) == sum ? n_seen : UINT64_MAX;
}

static int optimal_load(void *self, const void *bytes, size_t n)
{
    struct optimal *o = self;
    const unsigned char *from = bytes;
    uint64_t n_seen;
    size_t head;

    if (o->is_forced)
        return load_inner(o, o->has_trees, bytes, n);
    n_seen = check_head(from, n);
    if (n_seen == UINT64_MAX)
        return -1;
    head = (size_t)(n_seen + HEAD_WORDS) * 8;
    if (load_inner(o, bytes_get(from + 8) != 0, from + head, n - head) != 0)
        return -1;
    o->has_trees = bytes_get(from + 8) != 0;
    if (!o->has_trees)
        walk_reset(&o->walk);
    if (o->n_seen > 0)
        memset(o->seen, 0, sizeof(o->seen));
    o->n_seen = 0;
    for (uint64_t i = 0; i < n_seen; i++)
        remember(o, bytes_get(from + 24 + 8 * i));
    return 0;
}

/* Of wakeup trees, which odpor may have to fall back to, it is not known at a node what will be
 * planned there. */
static struct descent *optimal_descent(void *self)
{
    struct optimal *o = self;

    return o->is_forced && !o->has_trees ? &o->revisit.descent : NULL;
}

/* ---- The strategy ---------------------------------------------------------------------------- */

/* One that may fall back is not divided: who meets the reason for it has only a part of the work,
 * and all of it would have to begin anew. */
static bool optimal_can_split(const void *self)
{
    const struct optimal *o = self;

    return o->is_forced && !o->has_trees;
}

static bool optimal_split(void *self, void *other)
{
    struct optimal *o = self;
    struct optimal *with = other;

    /* Whether a step has failed is to be seen by the next trial of the whole search. */
    if (!optimal_can_split(o) || with->has_trees || o->revisit.is_stepping)
        return false;
    return revisit_split(&o->revisit, &with->revisit);
}

static const struct sn_strategy optimal_strategy = {
    .name = "odpor",
    .about = "every partial order of steps once (optimal dynamic partial order reduction)",
    .state_size = sizeof(struct optimal),
    .init = optimal_init,
    .begin = optimal_begin,
    .pick = optimal_pick,
    .draw = optimal_draw,
    .told = optimal_told,
    .end = optimal_end,
    .save = optimal_save,
    .load = optimal_load,
    .is_exhausted = optimal_is_exhausted,
    .within = optimal_within,
    .split = optimal_split,
    .progress = optimal_progress,
    .progress_is_most = true, /* of the trees */
};

const struct strategy_entry strategy_optimal = {
    .strategy = &optimal_strategy,
    .loop = optimal_loop,
    .reduces = true,
    .can_split = optimal_can_split,
    .note = optimal_note,
    .why_first = optimal_why_first,
    .descent = optimal_descent,
    .is_repeat = optimal_is_repeat,
};
