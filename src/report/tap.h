/* tap.h - a run as TAP 14, the Test Anything Protocol, for other test runners.
 *
 * https://testanything.org/tap-version-14-specification.html: one test point for each test, with a
 * block of YAML under what did not pass. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_TAP_H
#define REPORT_TAP_H

#include "report/run_report.h"

struct tap {
    struct sn_text *out;
    int version;                 /* 14; or 13, for readers that refuse what they do not know */
    const char *page;            /* of the report, once it is written; "" or NULL: there is none */
    const struct run_plan *plan; /* while a run goes on */
    size_t n;                    /* test points so far */
};

/* Keeps the pointer. */
struct run_reporter tap_reporter(struct tap *tap);

/* 14; or 13, if the variable TAP_VERSION says that the reader knows no more. prove sets it, and
 * refuses other versions. */
int tap_version(void);

/* Part of the description of a test point: on one line, and without the beginning of a directive.
 * What is no text becomes \xHH. */
void tap_put_description(struct sn_text *out, const char *s);

#endif
