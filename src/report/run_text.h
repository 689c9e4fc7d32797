/* run_text.h - a run as text, for people. SPDX-License-Identifier: MIT */
#ifndef REPORT_RUN_TEXT_H
#define REPORT_RUN_TEXT_H

#include "report/run_report.h"

struct run_text {
    struct sn_text *out;
    int verbosity; /* -1: only what failed; 1: say more */
    bool is_coloured;
    const char *page;            /* of the report, once it is written; "" or NULL: there is none */
    const struct run_plan *plan; /* while a run goes on */
};

/* Keeps the pointer. */
struct run_reporter run_text_reporter(struct run_text *text);

#endif
