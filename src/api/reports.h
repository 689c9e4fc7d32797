/* reports.h - who is told about a run: what the options and the environment ask for.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_REPORTS_H
#define API_REPORTS_H

#include "api/explain.h"
#include "api/options.h"
#include "report/github.h"
#include "report/junit.h"
#include "report/page_reporter.h"
#include "report/progress.h"
#include "report/run_text.h"
#include "report/summary.h"
#include "report/tap.h"

struct reports {
    struct run_report report;
    struct run_text text;
    struct tap tap;
    struct junit junit;
    struct github github;
    struct summary summary;
    struct page_reporter page;
    struct progress progress;
    const struct run_plan *plan;
    const struct sn_test *test; /* that is being run */
    int terminal; /* standard error, where trials cannot redirect it; -1: no line of progress */
};

/* Chooses the reporters. Results go to `out`, annotations to `complaints`. Keeps all pointers. */
void reports_init(struct reports *reports, const struct options *options, struct sn_text *out,
                  struct sn_text *complaints);

/* As run_report_begin and so on. What was printed is written out. */
int reports_begin(struct reports *reports, const struct run_plan *plan, struct err *why);
int reports_test(struct reports *reports, const struct run_outcome *outcome, struct err *why);
int reports_sites(struct reports *reports, const struct run_sites *sites, struct err *why);
int reports_end(struct reports *reports, bool is_interrupted, struct err *why);
void reports_done(struct reports *reports);

/* A test begins now. True: somebody wants to see how far it is. */
bool reports_test_begin(struct reports *reports, const struct sn_test *test);

/* Shows that; the names are filled in. */
void reports_progress(struct reports *reports, const struct progress_figures *figures);

/* Shows how far shrinking a failure of this test is. */
void reports_explaining(struct reports *reports, const struct explain_progress *progress);
void reports_shrinking(struct reports *reports, uint64_t before, uint64_t steps, uint64_t runs);

/* Only a line of progress, for what is no run. */
void reports_init_progress(struct reports *reports, const struct options *options);

/* Nanoseconds of a clock that never goes back. */
uint64_t reports_now_ns(void);

#endif
