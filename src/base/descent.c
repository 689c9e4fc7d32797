/* descent.c - see descent.h. SPDX-License-Identifier: MIT */
#include "base/descent.h"

#include "base/estimate.h"

void descent_start(struct descent *p, uint64_t seed)
{
    p->is_on = true;
    p->seed = seed;
}

static void end(struct descent *p)
{
    if (!p->is_open)
        return;
    p->is_open = false;
    if (p->n < DESCENTS_KEPT)
        p->kept[p->n] = p->size;
    p->n++;
    p->sum += p->size;
    p->largest = p->size > p->largest ? p->size : p->largest;
}

void descent_begin(struct descent *p)
{
    end(p);
    p->is_open = true;
    p->size = 1;
    rng_init(&p->rng, p->seed, p->n);
}

struct descent_result descent_finish(struct descent *p)
{
    struct descent_result result = {.is_doubtful = true};
    uint64_t n_kept;
    uint64_t n_above = 0;
    double squares = 0;

    end(p);
    if (p->n == 0)
        return result;
    n_kept = p->n < DESCENTS_KEPT ? p->n : DESCENTS_KEPT;
    result.n = p->n;
    result.mean = p->sum / (double)p->n;
    result.largest = p->largest;
    for (uint64_t i = 0; i < n_kept; i++) {
        double difference = p->kept[i] - result.mean;

        squares += difference * difference;
        n_above += difference > 0;
    }
    if (squares > 0 && n_kept > 1)
        result.error = estimate_root(squares / (double)(n_kept - 1) / (double)p->n);
    /* All alike are no reason to doubt. */
    result.is_doubtful = n_kept < 2 || (result.error > 0 && n_above < DESCENTS_ABOVE_MIN);
    return result;
}
