/* run_coverage.h - what trials have shown of what there is to be shown: of one run, or of several
 * runs of one test taken together.
 *
 * It is filled by the runner or read from a file (coverage_file.h), and is all that reporters need.
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_RUN_COVERAGE_H
#define REPORT_RUN_COVERAGE_H

#include "base/text.h"
#include "engine/classes.h"
#include "engine/discovery.h"
#include "engine/distinct.h"
#include "engine/sites.h"
#include "substrate/coverage.h"
#include "substrate/survey.h"

#include <sennit/test.h>

enum {
    RUN_NAME = 128,     /* of what is longer the rest is left out */
    RUN_RUNS_MAX = 256, /* taken together */
    RUN_RACES_MAX = SURVEY_PAIRS / 2,
    RUN_CURVE_MAX = DISCOVERY_POINTS_MAX + 1,
    RUN_CLASSES_MAX = CLASSES_MAX,
};

/* Trials of one stream: the same stream and number is the same trial. */
struct run_part {
    uint64_t stream; /* a hash of all that decides what the trials are */
    uint64_t first;
    uint64_t trials; /* from there on */
    uint64_t seed;
    char strategy[RUN_NAME];
    char build[RUN_NAME];
};

/* Trials that were drawn in the same way, and what they tell of the next one. */
struct run_arm {
    char name[RUN_NAME];
    struct discovery_arm figures;
    bool is_full;    /* more orders than could be counted */
    bool has_counts; /* how often each order came, up to 3, is in `counts` */
    struct discovery_estimate estimate;
};

/* Two events that could reach a machine in either order. */
struct run_race {
    char machine[SURVEY_NAME];
    char events[2][SURVEY_NAME]; /* in the order of their names */
    bool came[2];                /* the first one first; the second one first */
};

/* Trials that were said to be something (sennit/gen.h). */
struct run_class {
    char table[CLASS_NAME]; /* "": it is sn_classify */
    char value[CLASS_NAME];
    uint64_t trials;
};

struct run_met {
    char name[RUN_NAME];
    char file[RUN_NAME];
    char condition[RUN_NAME]; /* "": it is sn_reachable */
    uint64_t line;
    bool is_reached;
    bool is_held;
};

/* In memory that mem_reserve_shared gave; zeroed is empty. */
struct run_coverage {
    char suite[RUN_NAME];
    char test[RUN_NAME];
    struct run_part parts[RUN_RUNS_MAX];
    uint32_t n_parts;
    uint64_t trials;
    uint64_t steps;
    uint64_t failures;
    uint64_t cut;

    /* Partial orders. */
    uint64_t distinct;
    bool has_orders; /* all of them are listed, sorted; otherwise the sketch is all there is */
    uint32_t n_orders;
    uint64_t orders[DISTINCT_EXACT_MAX];
    uint8_t sketch[DISTINCT_REGISTERS];

    bool is_sampled; /* trials are drawn independently of each other: there are arms */
    struct run_arm arms[DISCOVERY_ARMS_MAX];
    uint32_t n_arms;
    uint8_t counts[DISCOVERY_ARMS_MAX][DISTINCT_EXACT_MAX]; /* by place of the order */
    struct discovery_point curve[RUN_CURVE_MAX];            /* the last one is the end of the run */
    uint32_t n_curve;

    /* What some trials have shown when they were looked at closely. */
    uint64_t surveyed;
    bool has_states;
    uint64_t states;                      /* at least so many different ones */
    bool is_states_least;                 /* of several runs: the most that one of them saw */
    bool is_survey_cut;                   /* there was more than could be kept */
    struct run_race races[RUN_RACES_MAX]; /* sorted */
    uint32_t n_races;

    struct run_met met[SITES_MAX];
    uint32_t n_met;
    struct coverage machines; /* sorted */
    struct run_class
        classes[RUN_CLASSES_MAX]; /* of a run: sorted by table, the most frequent first */
    uint32_t n_classes;
    uint64_t unclassed; /* trials of names that were too many to tell */
    uint64_t discarded;
};

/* The arm that is most likely to show something new; NULL: there is none. */
const struct run_arm *run_coverage_best(const struct run_coverage *c);

/* One plain sentence about what the next trial may show, on a line of its own, or nothing. With
 * `is_verbose` one for each arm. */
void run_coverage_put_next(struct sn_text *out, const char *indent, const struct run_coverage *c,
                           bool is_verbose);

/* A line about states, handlers and races; with `is_verbose` those are named that never ran, or ran
 * in one order only. */
void run_coverage_put_rest(struct sn_text *out, const char *indent, const struct run_coverage *c,
                           bool is_verbose);

/* Tables of what trials were said to be. With `is_verbose` all rows. */
void run_coverage_put_classes(struct sn_text *out, const char *indent, const struct run_coverage *c,
                              bool is_verbose);

/* How many events stand in the table of a state that others reached, but never came there. */
uint32_t run_coverage_never(const struct run_coverage *c);

/* How many races had one outcome only. */
uint32_t run_coverage_one_sided(const struct run_coverage *c);

/* Whether two parts have a trial in common. */
bool run_part_overlaps(const struct run_part *a, const struct run_part *b);

/* Whether two places are the same one. */
bool run_met_is_same(const struct run_met *a, const struct run_met *b);

/* Races by machine and events: less than, equal to or greater than 0, as for sorting. */
int run_race_compare(const struct run_race *a, const struct run_race *b);

/* A number from 0 to 1 with six digits behind the point, whatever the locale. */
void run_coverage_put_part(struct sn_text *out, double part);

/* "known", "few trials", "mostly new", "too many orders". */
const char *run_coverage_answer(enum discovery_answer answer);

#endif
