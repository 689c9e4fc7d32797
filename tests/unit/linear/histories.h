/* histories.h - short histories for tests of the checker. SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_LINEAR_HISTORIES_H
#define TESTS_UNIT_LINEAR_HISTORIES_H

#include "linear/models/models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NIL SN_VALUE_NIL
#define NEVER SN_TIME_NEVER

/* An operation of process p on object 0: function, argument, result, call, return. */
#define OP(p_, f_, a_, r_, call_, ret_)                                                            \
    {                                                                                              \
        .process = (p_), .function = (f_), .argument = {(a_), NIL}, .result = (r_),                \
        .call = (call_), .ret = (ret_)                                                             \
    }
#define CAS(p_, a_, b_, r_, call_, ret_)                                                           \
    {                                                                                              \
        .process = (p_), .function = REGISTER_CAS, .argument = {(a_), (b_)}, .result = (r_),       \
        .call = (call_), .ret = (ret_)                                                             \
    }
#define ON(key_, p_, f_, a_, r_, call_, ret_)                                                      \
    {                                                                                              \
        .key = (key_), .process = (p_), .function = (f_), .argument = {(a_), NIL}, .result = (r_), \
        .call = (call_), .ret = (ret_)                                                             \
    }
#define READ(p_, r_, call_, ret_) OP(p_, REGISTER_READ, NIL, r_, call_, ret_)
#define WRITE(p_, a_, call_, ret_) OP(p_, REGISTER_WRITE, a_, NIL, call_, ret_)
#define PUT(p_, a_, call_, ret_) OP(p_, CONTAINER_PUT, a_, NIL, call_, ret_)
#define TAKE(p_, r_, call_, ret_) OP(p_, CONTAINER_TAKE, NIL, r_, call_, ret_)

/* The operations and how many there are, as two arguments. */
#define HISTORY(...)                                                                               \
    (const struct sn_operation[]){__VA_ARGS__},                                                    \
        sizeof((const struct sn_operation[]){__VA_ARGS__}) / sizeof(struct sn_operation)

static inline struct sn_check_result check_with(const struct sn_model *model,
                                                const struct sn_check_options *options,
                                                const struct sn_operation *operations, size_t n)
{
    struct sn_check_result result;
    int rc = sn_check_history(model, operations, n, options, &result);

    if (rc < 0)
        fail_msg("%s", result.why);
    return result;
}

/* The verdict of an algorithm. */
static inline enum sn_linear verdict(const struct sn_model *model, const char *algorithm,
                                     const struct sn_operation *operations, size_t n)
{
    struct sn_check_options options = {.algorithm = algorithm};

    return check_with(model, &options, operations, n).verdict;
}

#endif
