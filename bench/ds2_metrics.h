/* ds2_metrics.h - what is measured of a search: the columns of DS2's tables, and ours.
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_DS2_METRICS_H
#define BENCH_DS2_METRICS_H

#include <math.h>

/* What the searches are called in DS2's tables. */
enum ds2_algorithm { DS2_EX, DS2_SR, DS2_DB, DS2_DP, DS2_TD, DS2_IR, DS2_LV, DS2_ALGORITHMS };

/* In the order of DS2's tables. Ratios are in per cent, times in seconds. */
enum ds2_metric {
    DS2_S,     /* schedules */
    DS2_IH,    /* with an incomplete history */
    DS2_UH,    /* different histories */
    DS2_NL,    /* of these, how many are not linearizable */
    DS2_NL_UH, /* quality */
    DS2_UH_S,  /* progression */
    DS2_NL_S,  /* precision */
    DS2_TS,    /* to run the schedules */
    DS2_ST,    /* the same, each from the start */
    DS2_TC,    /* to check the different histories */
    DS2_TT,    /* TS and TC */
    DS2_HF,    /* different histories before the first that is not linearizable */
    DS2_TF,    /* until that one */
    DS2_PUBLISHED,
    DS2_KINDS = DS2_PUBLISHED, /* different histories, where those that are alike count once */
    DS2_KINDS_NL,              /* of these, how many are not linearizable */
    DS2_ORDERS,                /* partial orders of receives */
    DS2_METRICS,
};

/* Where there is no figure. */
#define DS2_NONE ((double)NAN)

/* A line of a table. */
struct ds2_line {
    double cells[DS2_METRICS];
};

static inline int ds2_is_time(enum ds2_metric metric)
{
    return (metric >= DS2_TS && metric <= DS2_TT) || metric == DS2_TF;
}

static inline int ds2_is_ratio(enum ds2_metric metric)
{
    return metric >= DS2_NL_UH && metric <= DS2_NL_S;
}

#endif
