/* object.h - one object of a history, as the algorithms see it, and what they say about it.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_OBJECT_H
#define LINEAR_OBJECT_H

#include "linear/pool.h"

#include <sennit/history.h>

/* What a check may use up; the same for all of its objects. */
struct budget {
    uint64_t configurations_max; /* 0: no limit */
    uint64_t configurations;     /* that objects before this one have used up */
    uint64_t deadline_ns;        /* by the monotonic clock; 0: none */
    double seconds;              /* from which it was made */
};

struct object {
    struct pool *pool;
    const struct sn_model *model;
    const struct sn_operation *operations; /* all of the history */
    const uint32_t *index;                 /* which of them are about this object, in their order */
    size_t n;
    sn_value initial; /* SN_VALUE_NIL unless somebody said otherwise */
    void *scratch;    /* room for a state, zeroed at first, of scratch_size bytes */
    size_t scratch_size;
    struct budget budget;
    const struct sn_check_options *options;
    struct sn_check_result *progress; /* is told how far it is */
};

/* What an algorithm found. */
struct outcome {
    enum sn_linear verdict;
    uint64_t configurations;
    size_t stuck;  /* number of the operation, in the whole history */
    bool is_exact; /* found without searching */
    char why[512];
};

static inline const struct sn_operation *object_op(const struct object *object, size_t i)
{
    return &object->operations[object->index[i]];
}

/* Whether an operation never changes the state. */
static inline bool object_is_observer(const struct sn_model *model, const struct sn_operation *op)
{
    if (model->functions[op->function].is_observer)
        return true;
    return op->ret != SN_TIME_NEVER && model->observes != NULL && model->observes(op);
}

/* The bytes of a state that count. */
static inline size_t object_used(const struct object *object, const void *state)
{
    return object->model->used != NULL ? object->model->used(state) : object->scratch_size;
}

/* Makes the scratch the state at the beginning, and returns the bytes of it that count. */
size_t object_begin(const struct object *object);

/* Verdicts, to be returned. */
enum sn_linear outcome_yes(struct outcome *out);
enum sn_linear outcome_no(struct outcome *out, size_t stuck, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum sn_linear outcome_unknown(struct outcome *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether so many configurations, or the time that has passed, are over the budget; says so. Tells
 * now and then how far the search is: `furthest` is what it could not put in order yet. */
bool budget_is_spent(const struct object *object, struct outcome *out,
                     const struct sn_operation *furthest);

/* Whether the time is over. */
bool budget_is_late(const struct budget *budget);

/* "write 3 by process 1", for sentences; returns buffer. */
const char *object_name(const struct object *object, const struct sn_operation *op, char *buffer,
                        size_t size);

#endif
