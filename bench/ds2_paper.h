/* ds2_paper.h - the figures of tables A2 to A11 of DS2's publication.
 *
 * Al-Mahfoudh and others measured seven searches on five systems, with two reads and one or two
 * writes each, and gave up after 50,000 schedules (SR: 100,000). Facts, as printed there: `50K` is
 * 50000, `693:56` is 69356, `-` is DS2_NONE. SPDX-License-Identifier: MIT
 */
#ifndef BENCH_DS2_PAPER_H
#define BENCH_DS2_PAPER_H

#include "ds2_metrics.h"

#include <stdint.h>

enum { DS2_PAPER_TABLES = 10, DS2_PAPER_FIRST = 2 };

struct ds2_paper_table {
    unsigned number;  /* 2: table A2 */
    const char *test; /* of our suite */
    const char *title;
    struct ds2_size {
        uint64_t reads;
        uint64_t writes;
        uint64_t agents;
    } size;
    /* TC and TF are 0:00 in all of them. */
    const double (*cells)[DS2_ALGORITHMS];
};

/* What one search did, with times in seconds. */
struct ds2_line ds2_paper_line(const struct ds2_paper_table *table, enum ds2_algorithm algorithm);

/* Short names of algorithms, and of the system of a table. */
extern const char *const ds2_algorithm_names[DS2_ALGORITHMS];
const char *ds2_system_name(const struct ds2_paper_table *table);

extern const struct ds2_paper_table ds2_paper_tables[DS2_PAPER_TABLES];

#endif
