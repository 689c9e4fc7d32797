/* explain_symmetry.h - whether a trial has the orders of another one, with other machines in the
 * same roles.
 *
 * Orders name machines; in another trial other machines of the same types may do the same. Each way
 * of giving the roles to machines of the trial is tried, as long as there are not too many.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_EXPLAIN_SYMMETRY_H
#define API_EXPLAIN_SYMMETRY_H

#include "engine/happened.h"

enum {
    SYMMETRY_MACHINES_MAX = 64, /* of a trial; more do not change places */
    SYMMETRY_ROLES_MAX = 16,
    SYMMETRY_PLACINGS_MAX = 720, /* ways to give roles to machines; more are not tried */
};

struct symmetry_machine {
    uint32_t text; /* that it is called in names, ... */
    uint32_t task;
    const char *type;
    uint32_t role; /* that it has now: a text; 0: none */
};

/* Zeroed is empty. It is large. */
struct symmetry {
    uint32_t n_texts;                                        /* of the table below */
    uint32_t as[OPNAME_TEXTS_MAX];                           /* what each text stands for */
    struct symmetry_machine machines[SYMMETRY_MACHINES_MAX]; /* of the trial */
    uint32_t n_machines;
    uint32_t roles[SYMMETRY_ROLES_MAX];    /* machines that the orders name, by their texts, ... */
    const char *types[SYMMETRY_ROLES_MAX]; /* ... and their types */
    uint32_t n_roles;
};

enum symmetry_holds {
    SYMMETRY_NOT,
    SYMMETRY_AS_IT_IS,
    SYMMETRY_MODULO, /* only if machines change places */
};

/* Whether a trial, of whose names this is the table, has all of these orders. */
enum symmetry_holds symmetry_find(struct symmetry *s, const struct opnames *names,
                                  const struct happened *h, const struct constraint *const *orders,
                                  uint32_t n);

#endif
