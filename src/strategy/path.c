/* path.c - see path.h. SPDX-License-Identifier: MIT */
#include "strategy/path.h"

#include "base/bytes.h"

#include <string.h>

enum { LEVEL_BYTES = 16 }; /* of what is saved */

/* Leaves the finished leaf for the next one. False: there is none. */
static bool move_on(struct path *p)
{
    while (p->depth > p->bottom && p->levels[p->depth - 1].taken + 1 >= p->levels[p->depth - 1].end)
        p->depth--;
    if (p->depth == p->bottom) {
        p->is_done = true;
        return false;
    }
    p->levels[p->depth - 1].taken++;
    return true;
}

bool path_begin(struct path *p, uint64_t *keep)
{
    if (p->is_done)
        return false;
    if (unlikely(p->descent.is_on)) {
        descent_begin(&p->descent);
        p->is_started = true;
        p->keep = p->depth = 0;
        return true;
    }
    if (!p->is_started) {
        /* depth levels, if any, were handed over: repeat them by asking, since no trial came
         * before that could be kept. */
        p->is_started = true;
        p->keep = p->depth;
        p->depth = 0;
        return true;
    }
    if (!move_on(p))
        return false;
    p->keep = p->depth;
    p->depth--; /* the changed decision is asked again */
    *keep = p->depth;
    return true;
}

size_t path_save(const struct path *p, uint64_t tag, void *bytes, size_t room)
{
    unsigned char *to = bytes;
    uint64_t flags = (uint64_t)p->is_done | (uint64_t)p->is_incomplete << 1 |
                     (uint64_t)p->is_started << 2 | (uint64_t)p->is_bounded << 3;
    size_t size = 32 + p->depth * LEVEL_BYTES;

    if (room < size)
        return size;
    bytes_put(to, tag);
    bytes_put(to + 8, flags);
    bytes_put(to + 16, p->bottom);
    bytes_put(to + 24, p->depth);
    for (uint64_t i = 0; i < p->depth; i++) {
        bytes_put(to + 32 + LEVEL_BYTES * i, (uint64_t)p->levels[i].end << 32 | p->levels[i].taken);
        bytes_put(to + 40 + LEVEL_BYTES * i, p->levels[i].width);
    }
    return size;
}

int path_load(struct path *p, uint64_t tag, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;
    uint64_t depth;

    if (n < 32 || bytes_get(from) != tag || bytes_get(from + 8) > 15)
        return -1;
    depth = bytes_get(from + 24);
    if (depth > PATH_DEPTH_MAX || n != 32 + depth * LEVEL_BYTES || bytes_get(from + 16) > depth)
        return -1;
    for (uint64_t i = 0; i < depth; i++) {
        uint64_t word = bytes_get(from + 32 + LEVEL_BYTES * i);
        uint64_t width = bytes_get(from + 40 + LEVEL_BYTES * i);

        if ((uint32_t)word >= (uint32_t)(word >> 32) || width < word >> 32 || width > UINT32_MAX)
            return -1;
    }
    p->is_done = (bytes_get(from + 8) & 1) != 0;
    p->is_incomplete = (bytes_get(from + 8) & 2) != 0;
    p->is_bounded = (bytes_get(from + 8) & 8) != 0;
    p->bottom = bytes_get(from + 16);
    p->depth = depth;
    for (uint64_t i = 0; i < depth; i++) {
        uint64_t word = bytes_get(from + 32 + LEVEL_BYTES * i);

        p->levels[i] = (struct path_level){(uint32_t)word, (uint32_t)(word >> 32),
                                           (uint32_t)bytes_get(from + 40 + LEVEL_BYTES * i)};
    }
    p->is_started = false;
    if ((bytes_get(from + 8) & 4) != 0 && !p->is_done)
        (void)move_on(p); /* the trial that it describes has been run */
    return 0;
}

/* Gives away half of what is left at the highest decision that has something left. */
bool path_split(struct path *p, struct path *o)
{
    uint64_t level = p->bottom;
    uint32_t left;

    while (level < p->depth && p->levels[level].taken + 1 >= p->levels[level].end)
        level++;
    if (p->is_done || !p->is_started || level == p->depth)
        return false;
    left = p->levels[level].end - p->levels[level].taken - 1;
    memcpy(o->levels, p->levels, (level + 1) * sizeof(p->levels[0]));
    o->levels[level].taken = p->levels[level].end - (left + 1) / 2;
    p->levels[level].end = o->levels[level].taken;
    o->bottom = level;
    o->depth = level + 1;
    o->keep = 0;
    o->is_started = false;
    o->is_done = false;
    o->is_incomplete = p->is_incomplete;
    o->is_bounded = p->is_bounded;
    return true;
}

/* Each alternative of a decision counts for an equal share of what the decision counts for: with
 * that, leaves / path_progress is an estimate of the number of leaves that has no bias at random
 * moments (the weighted backtrack estimator: Kilby, Slaney, Thiebaux and Walsh, AAAI 2006), and
 * exact at the end. */
double path_progress(const struct path *p)
{
    double share = 1;
    double left = 0;

    if (p->is_done)
        return 1;
    for (uint64_t i = 0; i < p->depth; i++) {
        const struct path_level *level = &p->levels[i];

        share /= level->width;
        if (i >= p->bottom)
            left += share * (level->end - level->taken - 1);
    }
    if (!p->is_started)
        left += share; /* the leaf that it describes, and what is found to lie below it */
    return left < 1 ? 1 - left : 0;
}
