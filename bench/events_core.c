/* events_core.c - interleavings of recorded events in a second, with replicas in the same process,
 * in order and at random. Prints NAME<TAB>VALUE<TAB>UNIT. SPDX-License-Identifier: MIT
 */
#include "bench.h"

#include <sennit/sennit.h>
#include <stdlib.h>

enum { RUN = 362880 };

/* ---- With replicas -------------------------------------------------------------------------- */

struct counter {
    uint32_t mine;
    uint32_t seen[2];
};

static struct counter replicas[2];

struct args {
    struct counter *replica;
    uint32_t by;
    uint32_t *result;
};

static uint32_t *count_up(struct counter *c, uint32_t by)
{
    uint32_t *message = malloc(sizeof(*message));

    c->mine += by;
    c->seen[c - replicas] = c->mine;
    *message = c->mine;
    return message;
}

static void run_count_up(void *args)
{
    struct args *a = args;

    a->result = count_up(a->replica, a->by);
}

static void run_apply(void *args)
{
    struct args *a = args;
    uint32_t *other = &a->replica->seen[a->replica == replicas];

    if (*a->result > *other)
        *other = *a->result;
}

static const struct sn_arg by[] = {{SN_ARG_UINT, offsetof(struct args, by), 4}, {0}};
static const struct sn_arg message[] = {{SN_ARG_MESSAGE, offsetof(struct args, result), 8}, {0}};
static const struct sn_event_op count_call = {
    .op = "count_up",
    .kind = SN_EVENT_UPDATE,
    .size = sizeof(struct args),
    .args = by,
    .result = {SN_ARG_MESSAGE, offsetof(struct args, result), 8},
    .run = run_count_up,
};
static const struct sn_event_op apply_call = {
    .op = "apply",
    .kind = SN_EVENT_DELIVER,
    .size = sizeof(struct args),
    .args = message,
    .run = run_apply,
};

static void check(void)
{
    sn_assert(replicas[0].seen[0] + replicas[1].seen[1] == 12);
}

static void record(void)
{
    const struct sn_events how = {.is_free = true, .prune = "none"};

    sn_replica(&replicas[0], "A", NULL);
    sn_replica(&replicas[1], "B", NULL);
    sn_events_begin(&how);
    for (uint32_t i = 0; i < 4; i++) {
        struct args update = {.replica = &replicas[i % 2], .by = 3};
        struct args apply = {.replica = &replicas[1 - i % 2]};

        sn_event_call(&count_call, &update);
        apply.result = update.result;
        sn_event_call(&apply_call, &apply);
    }
    {
        struct args last = {.replica = &replicas[0], .by = 0};

        sn_event_call(&count_call, &last);
    }
    sn_events_end(check);
}

static void run_here(const char *strategy, enum sn_world world, const char *name)
{
    const struct sn_test test = {.name = "events", .run = record, .world = world};
    const struct sn_options options = {.strategy = strategy, .iterations = RUN};
    struct sn_result result;
    double began = bench_now_s();

    if (sn_run(&test, &options, &result) < 0 || result.failures > 0) {
        (void)fprintf(stderr, "%s\n", result.failure);
        exit(1);
    }
    bench_line(name, (double)result.trials / (bench_now_s() - began), "interleavings/s");
}

int main(void)
{
    run_here("events", SN_WORLD_FULL, "in one process/9 events, all memory restored");
    run_here("random", SN_WORLD_FULL, "in one process/9 events, at random");
    return 0;
}
