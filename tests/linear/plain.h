/* plain.h - the objects of the models once more, written apart from them.
 *
 * Each is what a person would write who wants to use it: functions that change a state and answer.
 * An operation of a history is allowed if the object answers what the history says.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_PLAIN_H
#define LINEAR_PLAIN_H

#include "brute.h"

#include "base/rng.h"

/* The longest history; brute force can do little more. */
#ifndef SAMPLE_OPERATIONS_MAX
#define SAMPLE_OPERATIONS_MAX 10
#endif

enum { PLAIN_SLOTS = SAMPLE_OPERATIONS_MAX + 2, PLAIN_KEYS = 3, PLAIN_FUNCTIONS_MAX = 8 };

/* What is behind one key. Unused slots are 0, so that equal objects have equal bytes. */
struct plain_part {
    uint64_t n;
    sn_value slot[PLAIN_SLOTS];
};

struct plain_state {
    struct plain_part parts[PLAIN_KEYS]; /* keys are below PLAIN_KEYS */
};

/* Where arguments come from. */
struct draw {
    struct rng rng;
    bool is_distinct; /* no value is put or written twice */
    bool is_simple;   /* without extras, see below */
    uint32_t n_keys;
    sn_value n_drawn;
};

/* What it means that an operation that returned has the result nil. */
enum nil { NIL_IS_A_VALUE, NIL_IS_ONE, NIL_IS_ANYTHING };

struct plain_function {
    const char *name; /* as in the model's table */
    uint32_t weight;  /* how often it is called */
    bool is_extra;    /* what the special algorithms are not made for */
    enum nil nil;

    /* Changes the state and returns the answer. */
    sn_value (*perform)(struct plain_part *s, const struct sn_operation *op);

    /* Fills in arguments; NULL: it has none. */
    void (*draw)(struct draw *draw, struct sn_operation *op);
};

struct plain {
    const char *name; /* of the model */
    uint32_t n_keys;  /* most histories have so many */
    bool has_initial; /* begins with a value that can be chosen, in slot 0 ... */
    sn_value initial; /* ... and is this if nobody says otherwise */
    struct plain_function functions[PLAIN_FUNCTIONS_MAX];
};

const struct plain *plain_find(const char *model);

void plain_init(const struct plain *object, struct plain_state *s, sn_value initial);

/* The function of an operation, whose number is that of the model's table. */
const struct plain_function *plain_function_of(const struct plain *object,
                                               const struct sn_model *model,
                                               const struct sn_operation *op);

/* Changes the state and returns the answer. */
sn_value plain_perform(const struct plain *object, const struct sn_model *model,
                       struct plain_state *s, const struct sn_operation *op);

/* Performs the operation; false: the object does not answer what the operation says. */
bool plain_accepts(const struct plain *object, const struct sn_model *model, struct plain_state *s,
                   const struct sn_operation *op);

/* Whether it allows a history, by all orders. */
bool plain_allows(const struct plain *object, const struct sn_model *model, sn_value initial,
                  const struct sn_operation *operations, size_t n, enum brute_order order);

/* How many completed operations of a history can be put in order, at most. */
size_t plain_longest(const struct plain *object, const struct sn_model *model, sn_value initial,
                     const struct sn_operation *operations, size_t n, enum brute_order order);

#endif
