/* chatter.c - see chatter.h. SPDX-License-Identifier: MIT */
#include "chatter.h"

#include <sennit/sennit.h>
#include <sys/mman.h>

enum { MACHINES = 3, LIFE = 2, TICKS = 2 };

struct talker {
    uint64_t ticks;
};

static const struct sn_event word_event = {.name = "Word", .size = sizeof(uint64_t)};
static const struct sn_event tick_event = {.name = "Tick"};

static sn_id other(void)
{
    return (sn_id)sn_choose("whom", MACHINES) + 1;
}

static void on_start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(other(), &word_event, &(uint64_t){LIFE});
    (void)sn_timer_start_any(&tick_event, NULL);
}

static void on_word(void *self, const void *payload)
{
    uint64_t life = *(const uint64_t *)payload;

    (void)self;
    if (life > 0)
        sn_send(other(), &word_event, &(uint64_t){life - 1});
}

static void on_tick(void *self, const void *payload)
{
    struct talker *talker = self;

    (void)payload;
    sn_send(sn_self() % MACHINES + 1, &word_event, &(uint64_t){0});
    if (++talker->ticks < TICKS)
        (void)sn_timer_start_any(&tick_event, NULL);
}

static const struct sn_state talking = {
    .name = "Talking",
    .entry = on_start,
    .on = (const struct sn_on[]){{.event = &word_event, .run = on_word},
                                 {.event = &tick_event, .run = on_tick},
                                 {0}},
};

static const struct sn_machine talker_machine = {
    .name = "Talker", .size = sizeof(struct talker), .start = &talking};

static void run_talkers(void)
{
    for (int i = 0; i < MACHINES; i++)
        (void)sn_create(&talker_machine, NULL);
}

static void watch(void *self, const struct sn_trial_view *view)
{
    struct chatter *chatter = self;

    chatter->orders[chatter->n++] = view->order;
}

struct chatter *chatter_new(void)
{
    struct chatter *chatter =
        mmap(NULL, sizeof(*chatter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return chatter != MAP_FAILED ? chatter : NULL;
}

int chatter_run(struct chatter *chatter, const char *strategy, uint64_t n)
{
    const struct sn_test test = {
        .name = "chatter", .run = run_talkers, .world = SN_WORLD_TRIAL, .must_end = true};
    const struct sn_options options = {.strategy = strategy,
                                       .iterations = n <= CHATTER_TRIALS_MAX ? n : 1,
                                       .watch = watch,
                                       .watch_self = chatter};
    struct sn_result result;

    chatter->n = 0;
    return sn_run(&test, &options, &result);
}

uint64_t chatter_hash(const struct chatter *chatter)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (uint64_t i = 0; i < chatter->n; i++)
        hash = (hash ^ chatter->orders[i]) * UINT64_C(0x100000001b3);
    return hash;
}
