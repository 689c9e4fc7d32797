/* live.h - what the tests of liveness share: a monitor, machines that go on for ever, and
 * strategies that hold something back. SPDX-License-Identifier: MIT
 */
#ifndef UNIT_LIVE_H
#define UNIT_LIVE_H

#include <sennit/sennit.h>
#include <stdlib.h>
#include <string.h>

/* ---- A monitor: hot between Heat and Cool --------------------------------------------------- */

static const struct sn_event heat = {.name = "Heat"};
static const struct sn_event cool = {.name = "Cool"};

static const struct sn_state live_cold; /* defined below */

static const struct sn_state live_hot = {
    .name = "Waiting",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &cool, .go_to = &live_cold},
                                 {.event = &heat, .ignore = true},
                                 {0}},
};

static const struct sn_state live_cold = {
    .name = "Fine",
    .temperature = SN_COLD,
    .on = (const struct sn_on[]){{.event = &heat, .go_to = &live_hot},
                                 {.event = &cool, .ignore = true},
                                 {0}},
};

static const struct sn_machine live_monitor = {.name = "Live", .start = &live_cold};
static const struct sn_machine *const live_monitors[] = {&live_monitor, NULL};

/* ---- A machine that sends to itself for ever ------------------------------------------------ */

static const struct sn_event go = {.name = "Go"};

static void go_on(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(sn_self(), &go, NULL);
}

static const struct sn_state going = {
    .name = "Going",
    .entry = go_on,
    .on = (const struct sn_on[]){{.event = &go, .run = go_on}, {0}},
};

static const struct sn_machine goer = {.name = "Goer", .start = &going};

/* ---- Strategies ----------------------------------------------------------------------------- */

struct holder {
    uint64_t picks;
    uint64_t task; /* that is held back ... */
    uint64_t turn; /* ... but for one pick in so many, from the first on; 0: always */
};

/* starve:TASK never runs anything of this task while another can run; slow:TASK/N runs it at one
 * pick in N. */
static int holder_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct holder *h = self;
    char *end;

    (void)seed;
    (void)error;
    (void)size;
    h->task = strtoull(parameters, &end, 10);
    if (*end == '/')
        h->turn = strtoull(end + 1, NULL, 10);
    return 0;
}

static bool holder_begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)trial;
    (void)keep;
    ((struct holder *)self)->picks = 0;
    return true;
}

/* The others take turns. */
static uint32_t holder_pick(void *self, const struct sn_pending *pending)
{
    struct holder *h = self;
    uint32_t n = sn_pending_count(pending);
    uint64_t pick = h->picks++;
    bool is_turn = h->turn != 0 && pick % h->turn == h->turn - 1;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = (uint32_t)((pick + i) % n);

        if ((sn_pending_op(pending, index)->task == h->task) == is_turn)
            return index;
    }
    return (uint32_t)(pick % n);
}

static const struct sn_strategy starve = {
    .name = "starve",
    .state_size = sizeof(struct holder),
    .init = holder_init,
    .begin = holder_begin,
    .pick = holder_pick,
};

static const struct sn_strategy slow = {
    .name = "slow",
    .state_size = sizeof(struct holder),
    .is_fair = true,
    .init = holder_init,
    .begin = holder_begin,
    .pick = holder_pick,
};

/* Some trials of a test with a strategy. */
static inline struct sn_result run_live(const struct sn_test *test, const char *strategy)
{
    struct sn_options options = {.iterations = 20, .strategy = strategy, .keep_going = true};
    struct sn_result result;

    if (sn_run(test, &options, &result) < 0)
        result.failures = 999;
    return result;
}

#endif
