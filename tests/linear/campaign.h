/* campaign.h - the library's verdicts about random histories against those of brute force.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_CAMPAIGN_H
#define LINEAR_CAMPAIGN_H

#include "random.h"

/* Whom brute force is compared with. */
enum judge {
    JUDGE_MODEL,            /* brute force with the steps of the library's model */
    JUDGE_SEARCH,           /* the library's search */
    JUDGE_SPECIAL,          /* its special algorithms, where one applies */
    JUDGE_BEST,             /* whatever the library chooses */
    JUDGE_JOBS,             /* the same with several processes; for some histories only */
    JUDGE_MODEL_SEQUENTIAL, /* brute force with the steps of the model, by program order only */
    JUDGE_SEQUENTIAL,       /* the library, by program order only */
    JUDGES
};

struct campaign {
    const struct sn_model *model;
    uint64_t n;
    uint64_t n_illegal;
    uint64_t n_unknown; /* histories with unknown operations ... */
    uint64_t n_illegal_unknown;
    uint64_t n_ties;       /* ... with equal times */
    uint64_t n_keys;       /* ... with several keys */
    uint64_t n_sequential; /* ... that are legal by program order only */
    uint64_t n_impossible; /* legal by construction, and brute force says otherwise */
    uint64_t n_judged[JUDGES];
    uint64_t n_wrong[JUDGES];
    uint64_t n_wrong_stuck; /* verdicts that name an operation or a key that is not there */
};

/* Runs n histories of a model. The first that goes wrong is made smaller and printed. */
void campaign_run(struct campaign *campaign, const char *model, uint64_t seed, uint64_t n);

#endif
