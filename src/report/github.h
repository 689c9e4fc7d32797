/* github.h - failures as annotations, which GitHub shows beside the line of code.
 *
 * https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_GITHUB_H
#define REPORT_GITHUB_H

#include "report/run_report.h"

struct github {
    struct sn_text *out; /* a line for each failure; GitHub reads both outputs */
    const char *root;    /* the work tree, in which files are looked for */
    const struct run_plan *plan;
};

/* Keeps the pointer. */
struct run_reporter github_reporter(struct github *github);

#endif
