/* junit.h - a run as a file in JUnit's XML, which most continuous integration servers read.
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_JUNIT_H
#define REPORT_JUNIT_H

#include "report/run_report.h"

struct junit {
    const char *path; /* replaced at the end of the run */
    const struct run_plan *plan;
    void *memory; /* its own, while a run goes on */
    struct sn_text body;
    size_t n_tests;
    size_t n_failures;
    size_t n_errors;
    size_t n_skipped;
    double seconds;
};

/* Keeps the pointer. */
struct run_reporter junit_reporter(struct junit *junit);

#endif
