/* conjecture.h - the inside of sennit/conjecture.h, for those who bring memory of their own.
 * SPDX-License-Identifier: MIT
 */
#ifndef ORACLE_CONJECTURE_H
#define ORACLE_CONJECTURE_H

#include "oracle/possible.h"

struct sn_conjecture {
    struct pool pool;
    struct states states;
    struct possible *sets; /* one for each part, or one for all */
    struct possible_figures figures;
    uint32_t n_sets;
    uint32_t parts;
    uint32_t n_observed; /* kinds of events */
    bool keeps_ways;
    enum sn_conjectured verdict;
    size_t n_events;
};

/* As sn_conjecture_new, but uses memory of the caller's before mappings, aligned to 16: judging an
 * observation of a dozen events asks nothing of the system. */
struct sn_conjecture *conjecture_open(const struct sn_conjecture_model *model, const void *self,
                                      const struct sn_conjecture_options *options, void *memory,
                                      size_t size);

/* The set that a part belongs to, closed; NULL: over a limit. */
struct possible *conjecture_closed(struct sn_conjecture *conjecture, uint32_t part);

/* An event of a part. */
struct possible_event conjecture_event(const struct sn_conjecture *conjecture, uint32_t part,
                                       uint32_t observed, const void *event);

#endif
