/* object.c - see object.h. SPDX-License-Identifier: MIT */
#include "linear/object.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TELL_EVERY = 1024 }; /* configurations */

size_t object_begin(const struct object *object)
{
    memset(object->scratch, 0, object->model->state_size);
    if (object->model->used == NULL)
        memset(object->scratch, 0, object->scratch_size);
    if (object->model->init != NULL)
        object->model->init(object->scratch, object->initial);
    return object_used(object, object->scratch);
}

enum sn_linear outcome_yes(struct outcome *out)
{
    out->why[0] = '\0';
    return out->verdict = SN_LINEAR_YES;
}

enum sn_linear outcome_no(struct outcome *out, size_t stuck, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(out->why, sizeof(out->why), format, args);
    va_end(args);
    out->stuck = stuck;
    return out->verdict = SN_LINEAR_NO;
}

enum sn_linear outcome_unknown(struct outcome *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(out->why, sizeof(out->why), format, args);
    va_end(args);
    return out->verdict = SN_LINEAR_UNKNOWN;
}

bool budget_is_late(const struct budget *budget)
{
    struct timespec now;

    if (budget->deadline_ns == 0)
        return false;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec >= budget->deadline_ns;
}

bool budget_is_spent(const struct object *object, struct outcome *out,
                     const struct sn_operation *furthest)
{
    const struct budget *budget = &object->budget;
    uint64_t configurations = budget->configurations + out->configurations;

    out->stuck = (size_t)(furthest - object->operations);
    if (budget->configurations_max > 0 && configurations >= budget->configurations_max) {
        (void)outcome_unknown(out, "not decided within %llu configurations",
                              (unsigned long long)budget->configurations_max);
        return true;
    }
    if ((out->configurations & (TELL_EVERY - 1)) != 0)
        return false;
    /* A handler of a signal may look at these. */
    __atomic_store_n(&object->progress->configurations,
                     object->progress->configurations + TELL_EVERY, __ATOMIC_RELAXED);
    __atomic_store_n(&object->progress->stuck, out->stuck, __ATOMIC_RELAXED);
    if (!budget_is_late(budget))
        return false;
    (void)outcome_unknown(out, "not decided within %g seconds", budget->seconds);
    return true;
}

static void add_value(char *buffer, size_t size, const char *before, sn_value value)
{
    size_t used = strlen(buffer);

    if (value != SN_VALUE_NIL)
        (void)snprintf(buffer + used, size - used, "%s%lld", before, (long long)value);
}

const char *object_name(const struct object *object, const struct sn_operation *op, char *buffer,
                        size_t size)
{
    size_t used;

    (void)snprintf(buffer, size, "%s", object->model->functions[op->function].name);
    add_value(buffer, size, " ", op->argument[0]);
    add_value(buffer, size, " ", op->argument[1]);
    if (op->ret != SN_TIME_NEVER)
        add_value(buffer, size, " -> ", op->result);
    used = strlen(buffer);
    (void)snprintf(buffer + used, size - used, " by process %u", op->process);
    return buffer;
}
