/* summary.h - a run as one JSON document, for programs; docs/running.md describes it.
 *
 * The file is replaced whenever a test has ended, so that it tells what there is to tell however
 * the run ends. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "base/file.h"
#include "report/run_report.h"

enum { SUMMARY_FORMAT = 1 };

struct summary {
    const char *version;      /* of Sennit */
    char path[FILE_PATH_MAX]; /* OUTDIR/summary.json */
    const struct run_plan *plan;
    void *memory; /* its own, while a run goes on */
    struct sn_text body;
    struct sn_text sites; /* comes behind it */
    size_t n_tests;
    double seconds;
    enum run_status worst;
};

/* Keeps the pointer. */
struct run_reporter summary_reporter(struct summary *summary);

#endif
