/* shape.h - what the values of a function's invocation and completion mean.
 * SPDX-License-Identifier: MIT
 */
#ifndef HISTORY_SHAPE_H
#define HISTORY_SHAPE_H

#include <sennit/history.h>
#include <stdbool.h>
#include <stdint.h>

enum shape_result {
    SHAPE_NONE = 0, /* none: the completion repeats the argument, or says nothing */
    SHAPE_VALUE,    /* the value of the completion */
    SHAPE_BOOL,     /* the value of the completion if it is true or false */
    SHAPE_APART,    /* only told apart from the value, as `result` */
    SHAPE_LIST,     /* the value of the completion, a whole list */
    SHAPE_SET,      /* the same, and its order does not matter */
    SHAPE_GUESS,    /* the value of the completion, unless it repeats the argument */
};

struct shape {
    const char *model; /* NULL: any of those that are there */
    const char *function;
    uint32_t arguments;
    enum shape_result result;
};

/* The shape of a function of a model. Models of users have functions that take whatever there is,
 * two arguments if the value is a vector of two. */
const struct shape *shape_find(const struct sn_model *model, const char *function);

/* Whether the model calculates with values, or compares them by size, so that they must be
 * integers: a number that stands for a text would mean nothing. */
bool shape_wants_integers(const struct sn_model *model);

#endif
