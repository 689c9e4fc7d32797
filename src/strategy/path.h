/* path.h - the path of a depth-first search through a tree of decisions, as its only state.
 *
 * At each decision of the present leaf it says which alternative was taken and how many there are.
 * The next trial keeps the path up to the deepest decision with an alternative left, takes that,
 * and then the first alternative everywhere below. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_PATH_H
#define STRATEGY_PATH_H

#include "base/descent.h"
#include "engine/trial.h"

enum { PATH_DEPTH_MAX = 1 << 22 };

struct path_level {
    uint32_t taken;
    uint32_t end;   /* alternatives are taken .. end - 1 */
    uint32_t width; /* how many there were before any was given away */
};

/* Zeroed is the whole tree. */
struct path {
    uint64_t depth;  /* decisions of the present trial */
    uint64_t bottom; /* levels below this one belong to someone else: they stay as they are */
    uint64_t keep;   /* decisions kept from the trial before */
    bool is_started;
    bool is_done;
    bool is_incomplete;     /* something lay deeper or was wider than can be followed */
    bool is_bounded;        /* something was left out on purpose */
    struct descent descent; /* if it is on, each trial goes down at random */
    struct path_level levels[PATH_DEPTH_MAX];
};

/* Moves on to the next leaf. False: there is none. *keep as in struct sn_strategy. */
bool path_begin(struct path *p, uint64_t *keep);

/* The alternative to take at the next decision, of n >= 1. */
static inline uint32_t path_next(struct path *p, uint64_t n)
{
    struct path_level *level = &p->levels[p->depth];

    if (unlikely(p->depth >= PATH_DEPTH_MAX)) {
        p->is_incomplete = true;
        return 0;
    }
    if (p->depth >= p->keep) {
        level->taken = 0;
        level->end = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
        level->width = level->end;
        if (unlikely(p->descent.is_on))
            level->taken = (uint32_t)descent_choose(&p->descent, level->end);
        p->is_incomplete |= n > UINT32_MAX;
    }
    p->depth++;
    return level->taken;
}

/* The callbacks save, load and split of struct sn_strategy. The tag tells strategies apart. */
size_t path_save(const struct path *p, uint64_t tag, void *bytes, size_t room);
int path_load(struct path *p, uint64_t tag, const void *bytes, size_t n);
bool path_split(struct path *p, struct path *other);
double path_progress(const struct path *p);

/* Every leaf has been visited. */
static inline bool path_is_exhausted(const struct path *p)
{
    return p->is_done && !p->is_incomplete;
}

#endif
