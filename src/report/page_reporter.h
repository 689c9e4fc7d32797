/* page_reporter.h - the report of a run that has failed, written when it ends.
 *
 * It shows the failures of this run and no others: what earlier runs have left in the same
 * directory goes into a report only if somebody asks for it (`sennit report DIR`).
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_PAGE_REPORTER_H
#define REPORT_PAGE_REPORTER_H

#include "base/arena.h"
#include "report/page.h"
#include "report/run_report.h"

enum {
    PAGE_TRACE_MAX = 64 << 20, /* bytes of a trace: browsers are slow with larger ones */
    PAGE_FAILURES_MAX = 64,    /* of a run: the others are in the summary */
};

/* Zeroed before the run, but for `complaints`. */
struct page_reporter {
    struct sn_text *complaints; /* for why there is no report: what was found counts all the same */
    const struct run_plan *plan;
    struct arena arena;
    struct page_trial trials[PAGE_FAILURES_MAX];
    size_t n_trials;
    const char **coverages;
    size_t n_coverages;
    char path[FILE_PATH_MAX]; /* of the report, once it is written; "": there is none */
};

/* Keeps the pointer. Comes behind the reporter that writes the summary, which is part of it. */
struct run_reporter page_reporter(struct page_reporter *reporter);

#endif
