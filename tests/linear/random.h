/* random.h - random small histories, most of them nearly legal.
 *
 * Some come from a run that is legal by construction, whose results and times are then changed a
 * little; others from random intervals with random results. SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_RANDOM_H
#define LINEAR_RANDOM_H

#include "plain.h"

#include "base/rng.h"

struct sample {
    const struct plain *object;
    const struct sn_model *model;
    sn_value initial;
    size_t n;
    size_t n_unknown;
    bool has_ties;     /* equal times */
    bool is_legal_run; /* from a run and not changed: linearizable whatever anybody says */
    struct sn_operation operations[SAMPLE_OPERATIONS_MAX];
};

void sample_random(struct rng *rng, const struct plain *object, const struct sn_model *model,
                   struct sample *history);

/* A container into which each value is put once, and taken once or never, at random times. */
void sample_random_stays(struct rng *rng, const struct plain *object, const struct sn_model *model,
                         struct sample *history);

/* Several keys, each of which alone is legal by program order; together they may not be. */
void sample_random_crossing(struct rng *rng, const struct plain *object,
                            const struct sn_model *model, struct sample *history);

/* Prints it, one operation a line, each line beginning with "# ". */
void sample_print(const struct sample *history);

#endif
