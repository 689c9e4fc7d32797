/* stream.h - the trials of a strategy that draws at random: trial i of a seed has a stream of its
 * own, so that trials are the same in any order and on any number of machines.
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_STREAM_H
#define STRATEGY_STREAM_H

#include "base/bytes.h"
#include "base/rng.h"

enum { STREAM_BYTES = 24 };

struct stream {
    uint64_t seed;
    uint64_t next; /* trials from here on, ... */
    uint64_t step; /* ... every this many */
};

/* The tag keeps strategies apart: the same seed means other numbers to each. */
static inline void stream_init(struct stream *s, uint64_t seed, uint64_t tag)
{
    s->seed = mix_pair(seed, tag);
    s->next = 0;
    s->step = 1;
}

/* Starts the next trial; returns its number. */
static inline uint64_t stream_begin(struct stream *s, struct rng *rng)
{
    uint64_t trial = s->next;

    rng_init(rng, s->seed, trial);
    s->next += s->step;
    return trial;
}

enum { STREAM_LESSONS_ALL = 256, STREAM_LESSONS_ONE_IN = 16 };

/* Whether a trial that has begun is to teach, after so many lessons. Means hardly change after the
 * first ones, and a lesson costs more than a short trial; those that go on teaching are drawn by
 * lot, so that no kind of trial that comes in turns is left out. */
static inline bool stream_teaches(const struct stream *s, uint64_t trial, uint64_t n_lessons)
{
    return n_lessons < STREAM_LESSONS_ALL || mix_pair(s->seed, ~trial) % STREAM_LESSONS_ONE_IN == 0;
}

/* This trial is the next one. */
static inline void stream_seek(struct stream *s, uint64_t trial)
{
    s->next = trial;
}

/* Every second trial goes to the other. */
static inline void stream_split(struct stream *s, struct stream *other)
{
    *other = *s;
    other->next = s->next + s->step;
    s->step *= 2;
    other->step = s->step;
}

static inline void stream_put(const struct stream *s, unsigned char *to)
{
    bytes_put(to, s->seed);
    bytes_put(to + 8, s->next);
    bytes_put(to + 16, s->step);
}

/* 0, or -1 with the stream unchanged. */
static inline int stream_get(struct stream *s, const unsigned char *from)
{
    if (bytes_get(from + 16) == 0)
        return -1;
    s->seed = bytes_get(from);
    s->next = bytes_get(from + 8);
    s->step = bytes_get(from + 16);
    return 0;
}

/* All that save and load have to do for a strategy that learns nothing. */
static inline size_t stream_save(const struct stream *s, uint64_t tag, unsigned char *to,
                                 size_t room)
{
    if (room >= 8 + STREAM_BYTES) {
        bytes_put(to, tag);
        stream_put(s, to + 8);
    }
    return 8 + STREAM_BYTES;
}

static inline int stream_load(struct stream *s, uint64_t tag, const unsigned char *from, size_t n)
{
    if (n != 8 + STREAM_BYTES || bytes_get(from) != tag)
        return -1;
    return stream_get(s, from + 8);
}

#endif
