/* pupil.c - see pupil.h. SPDX-License-Identifier: MIT */
#include "pupil.h"

#include <stdlib.h>
#include <string.h>

/* ---- The strategies ------------------------------------------------------------------------- */

enum { PLACES = 64 };

struct pupil {
    uint64_t seed;
    uint64_t trial;
    uint64_t learned[PLACES];
    uint64_t steps; /* of the present trial */
    uint64_t noted[PLACES];
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

    return (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb) ^ x >> 32;
}

static int pupil_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct pupil *p = self;

    (void)parameters;
    (void)error;
    (void)size;
    p->seed = seed;
    return 0;
}

static bool pupil_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct pupil *p = self;

    (void)trial;
    (void)keep;
    p->steps = 0;
    memset(p->noted, 0, sizeof(p->noted));
    return true;
}

static uint32_t pupil_pick(void *self, const struct sn_pending *pending)
{
    struct pupil *p = self;
    uint64_t best = UINT64_MAX;
    uint64_t place = 0;
    uint32_t picked = 0;

    for (uint32_t i = 0; i < sn_pending_count(pending); i++) {
        uint64_t id = sn_pending_op(pending, i)->id;
        uint64_t rank = mix(mix(p->seed, p->trial), mix(id, p->learned[id % PLACES]));

        if (rank < best) {
            best = rank;
            picked = i;
            place = id % PLACES;
        }
    }
    p->noted[place] = mix(p->noted[place], ++p->steps);
    return picked;
}

static void pupil_seek(void *self, uint64_t trial)
{
    struct pupil *p = self;

    p->trial = trial;
}

static void pupil_end(void *self, const struct sn_trial_end *end)
{
    struct pupil *p = self;

    p->trial = end->trial + 1;
}

static size_t pupil_lesson(void *self, void *bytes, size_t room)
{
    struct pupil *p = self;
    unsigned char *to = bytes;
    size_t n = 0;

    for (unsigned i = 0; i < PLACES && n + 9 <= room; i++) {
        if (p->noted[i] == 0)
            continue;
        to[n] = (unsigned char)i;
        memcpy(to + n + 1, &p->noted[i], 8);
        n += 9;
    }
    return n;
}

static void pupil_learn(void *self, const void *bytes, size_t n)
{
    struct pupil *p = self;
    const unsigned char *from = bytes;

    for (; n >= 9; n -= 9, from += 9) {
        uint64_t noted;

        memcpy(&noted, from + 1, 8);
        p->learned[from[0] % PLACES] = mix(p->learned[from[0] % PLACES], noted);
    }
}

static size_t hasty_lesson(void *self, void *bytes, size_t room)
{
    size_t n = pupil_lesson(self, bytes, room);

    pupil_learn(self, bytes, n);
    return n;
}

static size_t pupil_save(const void *self, void *bytes, size_t room)
{
    const struct pupil *p = self;

    if (room >= sizeof(p->learned))
        memcpy(bytes, p->learned, sizeof(p->learned));
    return sizeof(p->learned);
}

static int pupil_load(void *self, const void *bytes, size_t n)
{
    struct pupil *p = self;

    if (n != sizeof(p->learned))
        return -1;
    memcpy(p->learned, bytes, n);
    return 0;
}

#define PUPIL(name_, lesson_, learn_)                                                              \
    {                                                                                              \
        .name = name_, .about = "learns from each step", .state_size = sizeof(struct pupil),       \
        .learns = true, .init = pupil_init, .begin = pupil_begin, .pick = pupil_pick,              \
        .end = pupil_end, .seek = pupil_seek, .save = pupil_save, .load = pupil_load,              \
        .lesson = lesson_, .learn = learn_,                                                        \
    }

static void learn_nothing(void *self, const void *bytes, size_t n)
{
    (void)self;
    (void)bytes;
    (void)n;
}

const struct sn_strategy pupil = PUPIL("pupil", pupil_lesson, pupil_learn);
const struct sn_strategy hasty = PUPIL("hasty", hasty_lesson, learn_nothing);

/* ---- What they decide ----------------------------------------------------------------------- */

enum { WRITERS = 5 };

struct link {
    sn_id sink;
    uint32_t number;
    bool crashes;
};

static const struct sn_event word = {.name = "Word", .size = sizeof(struct link)};
static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct link)};

struct sink {
    uint64_t order;
    uint32_t n;
};

static void on_word(void *self, const void *payload)
{
    struct sink *sink = self;
    const struct link *link = payload;

    sink->order = sink->order * 7 + link->number;
    if (++sink->n < 2 * WRITERS || sink->order % 31 != 7)
        return;
    if (link->crashes)
        abort();
    sn_assertf(false, "words came in the order %llu", (unsigned long long)sink->order % 3);
}

static void write_two(void *self, const void *payload)
{
    const struct link *link = payload;

    (void)self;
    sn_send(link->sink, &word, link);
    sn_send(link->sink, &word, link);
}

static const struct sn_state sinking = {
    .name = "Sinking", .on = (const struct sn_on[]){{.event = &word, .run = on_word}, {0}}};
static const struct sn_machine sink_type = {
    .name = "Sink", .size = sizeof(struct sink), .start = &sinking};
static const struct sn_state writing = {.name = "Writing", .entry = write_two};
static const struct sn_machine writer_type = {.name = "Writer", .birth = &birth, .start = &writing};

static void run_pupils(bool crashes)
{
    struct link link = {.sink = sn_create(&sink_type, NULL), .crashes = crashes};

    for (link.number = 1; link.number <= WRITERS; link.number++)
        (void)sn_create(&writer_type, &link);
}

static void run_asserting(void)
{
    run_pupils(false);
}

static void run_crashing(void)
{
    run_pupils(true);
}

const struct sn_test pupils_test = {.name = "pupils", .run = run_asserting};
const struct sn_test pupils_crash_test = {.name = "crashing", .run = run_crashing};
