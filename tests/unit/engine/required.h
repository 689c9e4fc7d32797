/* required.h - what tests of required orders share: two writers put a value each, twice, into a
 * store, which notes what it gets in its order. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_REQUIRED_H
#define ENGINE_REQUIRED_H

#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* ---- The code under test -------------------------------------------------------------------- */

struct put {
    uint64_t value;
};

static inline uint64_t put_key(const void *payload)
{
    return ((const struct put *)payload)->value;
}

static const struct sn_event put = {.name = "Put", .size = sizeof(struct put), .key = put_key};
static const struct sn_event get = {.name = "Get"};
static const struct sn_event tick = {.name = "Tick"};

static inline void on_put(void *self, const void *payload)
{
    uint64_t *last = self;

    *last = ((const struct put *)payload)->value;
    observe("put%llu ", (unsigned long long)*last);
}

static inline void on_get(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("get-%s ", sn_name(sn_sender()));
}

static const struct sn_state storing = {
    .name = "Storing",
    .on =
        (const struct sn_on[]){{.event = &put, .run = on_put}, {.event = &get, .run = on_get}, {0}},
};
static const struct sn_machine store = {
    .name = "Store", .size = sizeof(uint64_t), .start = &storing};

struct writer {
    sn_id store;
    uint64_t first;
};

static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct writer)};

static inline void start_writer(void *self, const void *payload)
{
    const struct writer *w = payload;

    (void)self;
    sn_send(w->store, &put, &(struct put){w->first});
    sn_send(w->store, &put, &(struct put){w->first + 1});
}

static const struct sn_state writing = {.name = "Writing", .entry = start_writer};
static const struct sn_machine writer = {
    .name = "Writer", .size = sizeof(struct writer), .start = &writing, .birth = &birth};

static inline sn_id run_writers(void)
{
    sn_id s = sn_create(&store, NULL);

    (void)sn_create(&writer, &(struct writer){s, 1});
    (void)sn_create(&writer, &(struct writer){s, 3});
    return s;
}

static inline void write_twice(void)
{
    (void)run_writers();
}

static const struct sn_test writers = {
    .name = "writers", .run = write_twice, .world = SN_WORLD_TRIAL};

/* ---- Runs ----------------------------------------------------------------------------------- */

static inline struct sn_result run_required(const struct sn_test *t, const char *strategy,
                                            const char *const *orders, uint64_t n)
{
    struct sn_options options = {
        .strategy = strategy, .iterations = n, .require = orders, .keep_going = true};
    struct sn_result result;

    observe_clear();
    assert_int_equal(sn_run(t, &options, &result), 0);
    return result;
}

/* Whether in every trial, each of which is observed before a bar, a word comes before another; both
 * must be there in some. */
static inline bool always_before(const char *first, const char *later)
{
    bool is_there = false;

    for (const char *trial = seen->text; *trial != '\0';) {
        const char *end = strchr(trial, '|');
        const char *a = strstr(trial, first);
        const char *b = strstr(trial, later);

        if (end == NULL || (b != NULL && b < end && (a == NULL || a > b)))
            return false;
        is_there |= b != NULL && b < end;
        trial = end + 1;
    }
    return is_there;
}

/* The last thing of a trial. */
static inline void on_end(void *self, const struct sn_trial_view *trial)
{
    (void)self;
    (void)trial;
    observe("|");
}

static inline struct sn_result run_observed(const struct sn_test *t, const char *strategy,
                                            const char *const *orders, uint64_t n)
{
    struct sn_options options = {.strategy = strategy,
                                 .iterations = n,
                                 .require = orders,
                                 .keep_going = true,
                                 .rerun = true, /* each trial is observed from its beginning */
                                 .watch = on_end};
    struct sn_result result;

    observe_clear();
    assert_int_equal(sn_run(t, &options, &result), 0);
    return result;
}

#endif
