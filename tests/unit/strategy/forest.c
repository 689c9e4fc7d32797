/* forest.c - see forest.h. SPDX-License-Identifier: MIT */
#include "forest.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SEED = 20261 };

/* ---- Building ------------------------------------------------------------------------------- */

int forest_actor(struct forest *forest)
{
    return forest->n_actors++;
}

int forest_message(struct forest *forest, int creator, int actor)
{
    assert(forest->n < FOREST_MESSAGES_MAX);
    forest->messages[forest->n].creator = creator;
    forest->messages[forest->n].actor = actor;
    forest->messages[forest->n].until = 0;
    if (creator != FOREST_NOBODY)
        forest->messages[creator].until = forest->n + 1;
    return forest->n++;
}

int forest_private_chain(struct forest *forest, int creator, int n)
{
    for (int i = 0; i < n; i++)
        creator = forest_message(forest, creator, forest_actor(forest));
    return creator;
}

void race_order(struct race *race, int before, int after)
{
    assert(race->n_pairs < FOREST_PAIRS_MAX);
    race->pairs[race->n_pairs].before = before;
    race->pairs[race->n_pairs++].after = after;
}

void race_order_of(struct race *race, int n, int marked)
{
    struct forest *forest = &race->forest;
    int actor;

    *race = (struct race){.n_pairs = 0};
    actor = forest_actor(forest);
    for (int i = 0; i < n; i++)
        (void)forest_message(forest, FOREST_NOBODY, actor);
    for (int i = 1; i < marked; i++)
        race_order(race, marked - i, marked - i - 1);
}

void race_inbox(struct race *race, int n)
{
    race_order_of(race, n, n);
}

void race_chain(struct race *race, int k, int m)
{
    struct forest *forest = &race->forest;
    int actor;
    int a;

    *race = (struct race){.n_pairs = 0};
    actor = forest_actor(forest);
    a = forest_message(forest, forest_private_chain(forest, FOREST_NOBODY, k), actor);
    race_order(race, a, forest_message(forest, FOREST_NOBODY, actor));
    race_add_noise(race, m);
}

void race_racy_chain(struct race *race, int k, int m)
{
    struct forest *forest = &race->forest;

    race_chain(race, k, 0);
    for (int i = 0; i < k; i++)
        (void)forest_message(forest, FOREST_NOBODY, forest->messages[i].actor);
    race_add_noise(race, m);
}

void race_add_noise(struct race *race, int m)
{
    for (int i = 0; i < m; i++)
        (void)forest_private_chain(&race->forest, FOREST_NOBODY, 1);
}

void race_between(struct race *race, int a, int b)
{
    struct forest *forest = &race->forest;
    int actor;
    int first;
    int last;
    int single;

    *race = (struct race){.n_pairs = 0};
    actor = forest_actor(forest);
    first = forest_message(forest, forest_private_chain(forest, FOREST_NOBODY, a), actor);
    last = forest_message(forest, forest_private_chain(forest, first, b), actor);
    single = forest_message(forest, FOREST_NOBODY, actor);
    race_order(race, first, single);
    race_order(race, single, last);
}

void race_alternation(struct race *race, int k)
{
    struct forest *forest = &race->forest;
    int actor;
    int a = FOREST_NOBODY;
    int b = FOREST_NOBODY;

    *race = (struct race){.n_pairs = 0};
    actor = forest_actor(forest);
    for (int i = 0; i < k; i++) {
        int was = b;

        a = forest_message(forest, a, actor);
        b = forest_message(forest, b, actor);
        if (was != FOREST_NOBODY)
            race_order(race, was, a);
        race_order(race, a, b);
    }
}

void race_lost_update(struct race *race)
{
    struct forest *forest = &race->forest;
    int variable;
    int reads[2];

    *race = (struct race){.n_pairs = 0};
    variable = forest_actor(forest);
    reads[0] = forest_message(forest, FOREST_NOBODY, variable);
    reads[1] = forest_message(forest, FOREST_NOBODY, variable);
    race_order(race, reads[1], forest_message(forest, reads[0], variable));
    race_order(race, reads[0], forest_message(forest, reads[1], variable));
}

void race_ends(struct race *race, int p, int q)
{
    struct forest *forest = &race->forest;
    int actor;
    int a;

    *race = (struct race){.n_pairs = 0};
    actor = forest_actor(forest);
    a = forest_message(forest, forest_private_chain(forest, FOREST_NOBODY, p), actor);
    race_order(race, a,
               forest_message(forest, forest_private_chain(forest, FOREST_NOBODY, q), actor));
}

void race_crowd(struct race *race, int k)
{
    struct forest *forest = &race->forest;
    int actor;
    int a;

    *race = (struct race){.n_pairs = 0};
    actor = forest_actor(forest);
    a = forest_message(forest, forest_private_chain(forest, FOREST_NOBODY, k), actor);
    race_order(race, a, forest_message(forest, FOREST_NOBODY, actor));
    race_order(race, a, forest_message(forest, FOREST_NOBODY, actor));
}

void race_queue(struct race *race, int k)
{
    struct forest *forest = &race->forest;
    int actor;
    int last = FOREST_NOBODY;

    *race = (struct race){.forest = {.keeps_order = true}};
    actor = forest_actor(forest);
    for (int i = 0; i < k; i++)
        last = forest_message(forest, FOREST_NOBODY, actor);
    race_order(race, last,
               forest_message(forest, forest_private_chain(forest, FOREST_NOBODY, 1), actor));
}

int forest_gather(struct forest *forest, int n)
{
    int collector;

    *forest = (struct forest){.n = 0};
    collector = forest_actor(forest);
    for (int i = 0; i < n; i++)
        (void)forest_message(forest, forest_private_chain(forest, FOREST_NOBODY, 1), collector);
    return collector;
}

/* ---- As machines ---------------------------------------------------------------------------- */

/* What is being run; set before a run and not changed by it. */
static const struct forest *forest_running;

/* What a trial did, in a mapping that no restore reaches. */
struct observed {
    int n;
    int when[FOREST_MESSAGES_MAX]; /* place in the order of deliveries */
    const struct race *races;
    int n_races;
    uint64_t hits[FOREST_RACES_MAX];
    bool counts_orders;
    int actor; /* whose messages count; FOREST_NOBODY: all */
    uint64_t skipped;
    struct forest_orders orders;
};

static struct observed *observed;

static const struct sn_event message_event = {.name = "Message", .size = sizeof(int)};

static void send_children(int creator)
{
    int first = creator == FOREST_NOBODY ? 0 : creator + 1;
    int until =
        creator == FOREST_NOBODY ? forest_running->n : forest_running->messages[creator].until;

    for (int i = first; i < until; i++) {
        if (forest_running->messages[i].creator == creator)
            sn_send((sn_id)forest_running->messages[i].actor + 1, &message_event, &i);
    }
}

static void on_message(void *self, const void *payload)
{
    int message = *(const int *)payload;

    (void)self;
    observed->when[message] = observed->n++;
    send_children(message);
}

static const struct sn_state receiving = {
    .name = "Receiving",
    .on = (const struct sn_on[]){{.event = &message_event, .run = on_message}, {0}},
};

static const struct sn_machine actor_machine = {.name = "Actor", .start = &receiving};

static void run_forest(void)
{
    for (int i = 0; i < forest_running->n_actors; i++)
        (void)sn_create(&actor_machine, NULL);
    send_children(FOREST_NOBODY);
}

/* ---- A strategy that only starts machines ---------------------------------------------------- */

static bool boot_begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    (void)trial;
    (void)keep;
    return true;
}

static uint32_t boot_pick(void *self, const struct sn_pending *pending)
{
    uint32_t i = 0;

    (void)self;
    while (sn_pending_op(pending, i)->kind != SN_OP_START)
        i++;
    return i;
}

static const struct sn_strategy boot = {.name = "boot", .begin = boot_begin, .pick = boot_pick};

/* ---- Running -------------------------------------------------------------------------------- */

static bool has_outcome(const struct race *race)
{
    for (int i = 0; i < race->n_pairs; i++) {
        if (observed->when[race->pairs[i].before] > observed->when[race->pairs[i].after])
            return false;
    }
    return true;
}

static void count_order(void)
{
    struct forest_orders *o = &observed->orders;
    uint64_t code = 0;
    int i = 0;

    for (int place = 0; place < forest_running->n; place++)
        for (int k = 0; k < forest_running->n; k++) {
            if (observed->when[k] == place &&
                (observed->actor == FOREST_NOBODY ||
                 forest_running->messages[k].actor == observed->actor))
                code = code << 4 | (uint64_t)k;
        }
    while (i < o->n && o->codes[i] != code)
        i++;
    if (i == FOREST_ORDERS_MAX)
        return;
    o->n += i == o->n;
    o->codes[i] = code;
    o->counts[i]++;
}

static void watch(void *self, const struct sn_trial_view *view)
{
    (void)self;
    (void)view;
    if (observed->counts_orders && observed->skipped > 0)
        observed->skipped--;
    else if (observed->counts_orders)
        count_order();
    for (int i = 0; i < observed->n_races; i++)
        observed->hits[i] += has_outcome(&observed->races[i]);
    observed->n = 0;
}

void forest_register(void)
{
    observed =
        mmap(NULL, sizeof(*observed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (observed == MAP_FAILED || sn_strategy_register(&boot) < 0)
        abort();
}

int forest_run(const struct forest *forest, const struct sn_options *options,
               struct sn_result *result)
{
    const struct sn_test test = {.name = "forest",
                                 .run = run_forest,
                                 .world = SN_WORLD_TRIAL,
                                 .links = forest->keeps_order ? SN_FIFO : SN_UNORDERED,
                                 .must_end = true};

    forest_running = forest;
    observed->n = 0;
    return sn_run(&test, options, result);
}

void race_hits_each(const struct race *races, int n_races, const char *strategy, uint64_t n,
                    uint64_t *hits)
{
    const struct forest *forest = &races[0].forest;
    struct sn_options options = {.iterations = n, .seed = SEED, .watch = watch};
    struct sn_result result;
    char composed[256];

    assert(n_races <= FOREST_RACES_MAX);
    observed->races = races;
    observed->n_races = n_races;
    memset(observed->hits, 0, sizeof(observed->hits));
    (void)snprintf(composed, sizeof(composed), "boot@%d,%s", forest->n_actors, strategy);
    options.strategy = composed;
    if (forest_run(forest, &options, &result) < 0 || result.failures > 0 || result.trials != n ||
        result.steps != n * (uint64_t)(forest->n_actors + forest->n)) {
        (void)fprintf(stderr, "forest: %s: %s\n", composed, result.failure);
        abort();
    }
    memcpy(hits, observed->hits, (size_t)n_races * sizeof(*hits));
}

void forest_count_orders(const struct forest *forest, int actor, const char *strategy,
                         uint64_t skipped, uint64_t n, struct forest_orders *orders)
{
    struct race race = {.forest = *forest};
    uint64_t hits;

    observed->counts_orders = true;
    observed->actor = actor;
    observed->skipped = skipped;
    memset(&observed->orders, 0, sizeof(observed->orders));
    race_hits_each(&race, 1, strategy, skipped + n, &hits);
    observed->counts_orders = false;
    *orders = observed->orders;
}

uint64_t race_hits(const struct race *race, const char *strategy, uint64_t n)
{
    uint64_t hits;

    race_hits_each(race, 1, strategy, n, &hits);
    return hits;
}

/* ---- Chances -------------------------------------------------------------------------------- */

static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* P(least <= Bin(n, p) <= most) for 0 < p < 1. */
static double binomial(uint64_t n, double p, uint64_t least, uint64_t most)
{
    double sum = 0;

    for (uint64_t k = least; k <= most; k++)
        sum += exp(log_choose((double)n, (double)k) + (double)k * log(p) +
                   (double)(n - k) * log1p(-p));
    return sum;
}

bool chance_is_below(uint64_t hits, uint64_t n, double p)
{
    return binomial(n, p, 0, hits) < 5e-7;
}

bool chance_is_wrong(uint64_t hits, uint64_t n, double p)
{
    if (p <= 0)
        return hits > 0;
    return chance_is_below(hits, n, p) || binomial(n, p, hits, n) < 5e-7;
}

/* The limit by Wilson and Hilferty's approximation, which is good for ten degrees of freedom and
 * more; 4.753 standard deviations are exceeded once in a million times. */
bool orders_are_uneven(const struct forest_orders *orders, int expected)
{
    double n = 0;
    double sum = 0;
    double freedom = expected - 1;
    double spread = 2 / (9 * freedom);

    if (orders->n != expected)
        return true;
    for (int i = 0; i < orders->n; i++)
        n += (double)orders->counts[i];
    for (int i = 0; i < orders->n; i++) {
        double off = (double)orders->counts[i] - n / expected;

        sum += off * off / (n / expected);
    }
    return sum > freedom * pow(1 - spread + 4.753 * sqrt(spread), 3);
}
