/* census.c - see census.h. SPDX-License-Identifier: MIT */
#include "census.h"

#include "object.h"

#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

enum {
    SLOTS = 4 * DS2_CENSUS_MAX,
    OPERATIONS_MAX = 8 * DS2_CENSUS_MAX,
    EVENTS_MAX = 2 * DS2_CLIENTS_MAX,
};

/* A set of hashes. */
struct hashes {
    uint64_t slots[SLOTS]; /* 0: free */
    uint32_t places[SLOTS];
};

/* A history that is different from all before. */
struct specimen {
    uint64_t first; /* trial that has it */
    uint64_t count; /* trials that have it */
    double found_s; /* from the start of the run */
    uint32_t operations;
    uint32_t n_operations;
    bool is_incomplete;
};

/* What the watcher writes: outside of all memory that is put back between trials. */
struct tally {
    struct ds2_census census;
    uint64_t operations; /* of a complete history */
    double start_s;
    struct hashes seen;
    struct hashes kinds; /* of histories that are alike */
    uint32_t n_specimens;
    uint32_t n_kept;
    struct specimen specimens[DS2_CENSUS_MAX];
    struct sn_operation kept[OPERATIONS_MAX];
};

static double now_s(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* ---- What a history says -------------------------------------------------------------------- */

struct event {
    uint64_t time;
    const struct sn_operation *op;
    uint32_t number; /* of the operation, in order of the calls */
    bool is_return;
};

static uint64_t add(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t add_call(uint64_t hash, const struct sn_operation *op)
{
    hash = add(add(hash, op->process), op->function);
    return add(add(hash, (uint64_t)op->key), (uint64_t)op->argument[0]);
}

static uint64_t add_event(uint64_t hash, const struct event *event)
{
    hash = add(hash, event->is_return);
    if (event->is_return)
        return add(add(hash, event->number), (uint64_t)event->op->result);
    return add_call(hash, event->op);
}

static void insert(struct event *events, size_t n, struct event event)
{
    for (; n > 0 && events[n - 1].time > event.time; n--)
        events[n] = events[n - 1];
    events[n] = event;
}

/* Of calls and returns in their order; never 0. */
static uint64_t hash_history(const struct sn_operation *history, size_t n_history)
{
    struct event events[EVENTS_MAX];
    uint64_t hash = 1;
    size_t n = 0;

    for (uint32_t i = 0; i < n_history && n + 2 <= EVENTS_MAX; i++) {
        const struct sn_operation *op = &history[i];

        insert(events, n++, (struct event){.time = op->call, .op = op, .number = i});
        if (op->ret != SN_TIME_NEVER)
            insert(events, n++,
                   (struct event){.time = op->ret, .op = op, .number = i, .is_return = true});
    }
    for (size_t i = 0; i < n; i++)
        hash = add_event(hash, &events[i]);
    return hash != 0 ? hash : 1;
}

/* Of what histories that are alike have in common; never 0. "Returned before the other was called"
 * is an interval order: the sets of operations before each are nested, and so are those behind
 * each. How many there are on both sides of each operation therefore tells which they are. */
static uint64_t hash_kind(const struct sn_operation *history, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        const struct sn_operation *op = &history[i];
        uint64_t before = 0;
        uint64_t behind = 0;

        for (size_t k = 0; k < n; k++) {
            before += history[k].ret < op->call;
            behind += op->ret < history[k].call;
        }
        sum += add(
            add(add(add(add_call(1, op), op->ret != SN_TIME_NEVER), (uint64_t)op->result), before),
            behind);
    }
    return sum != 0 ? sum : 1;
}

static bool is_complete(const struct sn_trial_view *trial, uint64_t operations)
{
    bool is_complete = trial->n_history == operations;

    for (size_t i = 0; i < trial->n_history; i++)
        is_complete &= trial->history[i].ret != SN_TIME_NEVER;
    return is_complete;
}

/* ---- Collecting ----------------------------------------------------------------------------- */

/* The place that was noted with a hash; if there is none, `place` is noted. */
static uint32_t find_or_note(struct hashes *hashes, uint64_t hash, uint32_t place)
{
    size_t slot = hash % SLOTS;

    while (hashes->slots[slot] != 0 && hashes->slots[slot] != hash)
        slot = (slot + 1) % SLOTS;
    if (hashes->slots[slot] == 0) {
        hashes->slots[slot] = hash;
        hashes->places[slot] = place;
    }
    return hashes->places[slot];
}

static bool is_full(const struct tally *tally, size_t n)
{
    return tally->n_specimens == DS2_CENSUS_MAX || tally->n_kept + n > OPERATIONS_MAX;
}

static void keep(struct tally *tally, const struct sn_trial_view *trial, bool is_incomplete)
{
    tally->specimens[tally->n_specimens++] = (struct specimen){
        .first = tally->census.schedules,
        .found_s = now_s() - tally->start_s,
        .operations = tally->n_kept,
        .n_operations = (uint32_t)trial->n_history,
        .is_incomplete = is_incomplete,
    };
    for (size_t i = 0; i < trial->n_history; i++)
        tally->kept[tally->n_kept++] = trial->history[i];
}

static void watch(void *self, const struct sn_trial_view *trial)
{
    struct tally *tally = self;
    bool is_incomplete = !is_complete(trial, tally->operations);

    if (!is_full(tally, trial->n_history)) {
        uint64_t hash = hash_history(trial->history, trial->n_history);
        uint32_t place = find_or_note(&tally->seen, hash, tally->n_specimens);

        if (place == tally->n_specimens)
            keep(tally, trial, is_incomplete);
        tally->specimens[place].count++;
    }
    tally->census.schedules++;
    tally->census.steps += trial->steps;
    tally->census.incomplete += is_incomplete;
}

/* ---- Checking ------------------------------------------------------------------------------- */

/* Whatever an object does: histories are checked when all have been collected. */
static enum sn_step accept(void *state, const struct sn_operation *op, uint32_t choice)
{
    (void)state;
    (void)op;
    (void)choice;
    return SN_STEP_TAKEN;
}

static void count_failing(struct tally *tally, uint32_t number, double checked_s)
{
    const struct specimen *specimen = &tally->specimens[number];
    struct ds2_census *census = &tally->census;

    if (census->not_linear++ == 0) {
        census->first = specimen->first;
        census->unique_before = number;
        census->first_s = specimen->found_s + checked_s;
    }
    census->failing += specimen->count;
}

/* Checks a history, and counts it. Those that are alike are counted together. */
static int check(struct tally *tally, const struct sn_test *test, uint32_t number,
                 struct sn_result *result)
{
    const struct specimen *specimen = &tally->specimens[number];
    const struct sn_operation *operations = &tally->kept[specimen->operations];
    const struct sn_check_options options = {.initial = test->model_initial,
                                             .has_initial = test->has_model_initial};
    double start_s = now_s();
    struct sn_check_result checked;
    bool is_first_of_kind;
    int rc;

    rc = sn_check_history(test->model, operations, specimen->n_operations, &options, &checked);
    tally->census.check_s += now_s() - start_s;
    if (rc < 0) {
        (void)snprintf(result->failure, sizeof(result->failure), "%.*s",
                       (int)sizeof(result->failure) - 1, checked.why);
        return rc;
    }
    is_first_of_kind = find_or_note(&tally->kinds, hash_kind(operations, specimen->n_operations),
                                    number) == number;
    tally->census.alike += is_first_of_kind;
    tally->census.unique_incomplete += specimen->is_incomplete;
    if (checked.verdict != SN_LINEAR_NO)
        return 0;
    tally->census.alike_not_linear += is_first_of_kind;
    count_failing(tally, number, tally->census.check_s);
    return 0;
}

static int check_all(struct tally *tally, const struct sn_test *test, struct sn_result *result)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < tally->n_specimens; i++)
        rc = check(tally, test, i, result);
    tally->census.unique = tally->n_specimens;
    return rc;
}

int ds2_census_take(const struct sn_test *test, const struct sn_options *options,
                    uint64_t operations, struct ds2_census *out, struct sn_result *result)
{
    struct tally *tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const struct sn_model model = {.name = "anything",
                                   .functions = test->model->functions,
                                   .state_size = sizeof(uint64_t),
                                   .step = accept};
    struct sn_options own = *options;
    struct sn_test collecting = *test;
    int rc;

    *result = (struct sn_result){0};
    if (tally == MAP_FAILED)
        return SN_ENOMEM;
    tally->operations = operations;
    own.watch = watch;
    own.watch_self = tally;
    own.keep_going = true;
    collecting.model = &model;
    tally->start_s = now_s();
    rc = sn_run(&collecting, &own, result);
    tally->census.run_s = now_s() - tally->start_s;
    tally->census.orders = result->distinct_orders;
    tally->census.is_exhausted = result->exhausted;
    tally->census.is_over = result->schedules > 0;
    if (rc == 0)
        rc = check_all(tally, test, result);
    *out = tally->census;
    (void)munmap(tally, sizeof(*tally));
    return rc;
}
