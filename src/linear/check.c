/* check.c - checks a history: sorts it into objects and finds an algorithm for each of them.
 *
 * sn_check_history > refuse_nonsense, choose_algorithm, partition_init, check_objects or jobs_check
 *   > check_object > check_exactly, else search_object
 * SPDX-License-Identifier: MIT
 */
#include "linear/check.h"

#include "linear/exact.h"
#include "linear/jobs.h"
#include "linear/search.h"
#include "linear/sequential.h"

#include <sennit/test.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#define MEMORY_MB_DEFAULT 4096
/* Configurations for each operation that a short search may enter. */
enum { BRIEF_EACH = 4 };
/* On the stack: enough for a history of a hundred operations or so. */
#define SMALL_CHECK_BYTES 32768

static int refuse(struct sn_check_result *result, size_t i, const char *why)
{
    (void)snprintf(result->why, sizeof(result->why), "operation %zu %s", i, why);
    result->stuck = i;
    return SN_EINVAL;
}

static int refuse_nonsense(const struct check *check)
{
    size_t n_functions = 0;

    while (check->model->functions[n_functions].name != NULL)
        n_functions++;
    if (check->n >= UINT32_MAX / 2) {
        (void)snprintf(check->result->why, sizeof(check->result->why), "more than 2^31 operations");
        return SN_EINVAL;
    }
    for (size_t i = 0; i < check->n; i++) {
        if (check->operations[i].function >= n_functions)
            return refuse(check->result, i, "has a function that the model does not have");
        if (check->operations[i].ret < check->operations[i].call)
            return refuse(check->result, i, "returns before it is called");
        if (check->operations[i].call > INT64_MAX ||
            (check->operations[i].ret > INT64_MAX && check->operations[i].ret != SN_TIME_NEVER))
            return refuse(check->result, i, "has a time of 2^63 or later");
    }
    return 0;
}

static int choose_algorithm(struct check *check)
{
    const char *wanted = check->options->algorithm;

    check->exact = check->options->is_sequential
                       ? NULL
                       : exact_for(check->model, check->options->elements != NULL);
    if (wanted == NULL)
        return 0;
    if (strcmp(wanted, "search") == 0) {
        check->exact = NULL;
        return 0;
    }
    check->is_exact_only = true;
    if (check->exact != NULL && strcmp(wanted, check->exact->name) == 0)
        return 0;
    (void)snprintf(check->result->why, sizeof(check->result->why),
                   "the algorithm %s is not for %s%s", wanted, check->model->name,
                   check->options->is_sequential ? " and sequential consistency" : "");
    return SN_EINVAL;
}

static void set_budget(struct budget *budget, const struct sn_check_options *options)
{
    struct timespec now;

    budget->configurations_max = options->configurations;
    budget->seconds = options->seconds;
    budget->deadline_ns = 0;
    if (options->seconds <= 0)
        return;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    budget->deadline_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec +
                          (uint64_t)(options->seconds * 1e9);
}

static int open_object(struct check *check)
{
    const struct sn_model *model = check->model;
    struct object *object = &check->object;
    size_t room = model->room != NULL ? model->room(check->operations, check->n) : 0;

    *object = (struct object){.pool = &check->pool,
                              .model = model,
                              .operations = check->operations,
                              .options = check->options,
                              .progress = check->result,
                              .initial = check->options->has_initial ? check->options->initial
                                                                     : SN_VALUE_NIL,
                              .scratch_size = model->state_size + room};
    set_budget(&object->budget, check->options);
    object->scratch = pool_alloc(&check->pool, object->scratch_size);
    return object->scratch == NULL ? SN_ENOMEM : 0;
}

static void choose_object(struct check *check, uint32_t i)
{
    const uint32_t *starts = check->partition.starts;

    check->object.index = check->partition.index + starts[i];
    check->object.n = starts[i + 1] - starts[i];
}

/* Whether the special algorithm has decided. */
static bool check_exactly(struct check *check, struct outcome *out)
{
    struct pool_mark mark = pool_mark(&check->pool);
    struct events events;
    bool is_decided = events_init(&events, &check->object) == 0 &&
                      check->exact->check(&check->object, &events, out);

    pool_return(&check->pool, mark);
    return is_decided;
}

/* Searches with a small budget: most objects are easy. Returns whether that has decided. */
static bool search_briefly(struct check *check, struct outcome *out)
{
    struct budget *budget = &check->object.budget;
    struct budget all = *budget;
    uint64_t end = all.configurations + BRIEF_EACH * check->object.n;

    if (all.configurations_max == 0 || end < all.configurations_max)
        budget->configurations_max = end;
    (void)search_object(&check->object, out);
    *budget = all;
    return out->verdict != SN_LINEAR_UNKNOWN;
}

int check_object(struct check *check, uint32_t i, struct outcome *out)
{
    *out = (struct outcome){0};
    choose_object(check, i);
    if (check->exact != NULL && check->exact->is_slow && !check->is_exact_only &&
        search_briefly(check, out))
        return 0;
    out->is_exact = check->exact != NULL && check_exactly(check, out);
    if (out->is_exact)
        return 0;
    if (check->is_exact_only) {
        (void)snprintf(out->why, sizeof(out->why),
                       "the algorithm %s does not apply to these operations", check->exact->name);
        return SN_EINVAL;
    }
    (void)search_object(&check->object, out);
    return 0;
}

void check_take(struct check *check, const struct outcome *out)
{
    struct sn_check_result *result = check->result;

    check->has_used_exact = check->has_used_exact || out->is_exact;
    check->has_searched = check->has_searched || !out->is_exact;
    check->object.budget.configurations += out->configurations;
    result->configurations = check->object.budget.configurations;
    if (out->verdict == SN_LINEAR_YES || out->verdict == result->verdict)
        return;
    result->verdict = out->verdict;
    result->stuck = out->stuck;
    result->key = check->operations[out->stuck].key;
    memcpy(result->why, out->why, sizeof(result->why));
}

static void check_sequentially(struct check *check)
{
    struct outcome out = {0};

    check->object.index = check->partition.index;
    check->object.n = check->n;
    (void)sequential_check(&check->object, &check->partition, &out);
    check->result->partitions = 1;
    check_take(check, &out);
}

static int check_objects(struct check *check)
{
    for (uint32_t i = 0; i < check->partition.n && check->result->verdict != SN_LINEAR_NO; i++) {
        struct outcome out;
        int rc = check_object(check, i, &out);

        if (rc < 0) {
            memcpy(check->result->why, out.why, sizeof(out.why));
            return rc;
        }
        check_take(check, &out);
    }
    return 0;
}

static void name_algorithm(const struct check *check)
{
    (void)snprintf(check->result->algorithm, sizeof(check->result->algorithm), "%s%s%s",
                   check->has_used_exact ? check->exact->name : "",
                   check->has_used_exact && check->has_searched ? ", " : "",
                   check->has_searched || !check->has_used_exact ? "search" : "");
}

static int run_check(struct check *check)
{
    int rc = refuse_nonsense(check);

    if (rc == 0)
        rc = choose_algorithm(check);
    if (rc == 0)
        rc = partition_init(&check->partition, check->model, check->operations, check->n,
                            &check->pool);
    if (rc == 0)
        rc = open_object(check);
    if (rc < 0)
        return rc;
    check->result->partitions = check->partition.n;
    if (check->options->is_sequential)
        check_sequentially(check);
    else if (check->options->jobs > 1 && check->partition.n > 1)
        rc = jobs_check(check);
    else
        rc = check_objects(check);
    name_algorithm(check);
    return rc;
}

int sn_check_history(const struct sn_model *model, const struct sn_operation *operations, size_t n,
                     const struct sn_check_options *options, struct sn_check_result *result)
{
    static const struct sn_check_options defaults;
    struct check check = {.model = model, .operations = operations, .n = n, .result = result};
    _Alignas(16) char memory[SMALL_CHECK_BYTES];
    uint64_t memory_mb;
    int rc;

    *result = (struct sn_check_result){.operations = n};
    check.options = options != NULL ? options : &defaults;
    memory_mb = check.options->memory_mb > 0 ? check.options->memory_mb : MEMORY_MB_DEFAULT;
    pool_init(&check.pool, memory_mb << 20, memory, sizeof(memory));
    rc = run_check(&check);
    pool_done(&check.pool);
    if (rc == SN_ENOMEM)
        (void)snprintf(result->why, sizeof(result->why), "no memory for the operations");
    return rc;
}
