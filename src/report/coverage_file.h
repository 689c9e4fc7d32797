/* coverage_file.h - what trials have shown, as a file that can be read again and put together with
 * others; docs/coverage.md describes it. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_COVERAGE_FILE_H
#define REPORT_COVERAGE_FILE_H

#include "base/err.h"
#include "report/run_coverage.h"

enum { COVERAGE_VERSION = 2 };

/* Appends one JSON object. */
void coverage_put(struct sn_text *out, const struct run_coverage *c);

/* Writes it to a file. 0, or SN_EIO, SN_ENOMEM with a sentence. */
int coverage_write(const struct run_coverage *c, const char *path, struct err *why);

/* Reads what coverage_write wrote, into memory that is zeroed. Anybody may have written the file:
 * 0; or SN_EIO, SN_EFORMAT, SN_EVERSION, SN_ENOMEM with a sentence that names the place. */
int coverage_read(struct run_coverage *c, const char *path, struct err *why);

/* The same with the bytes of a file; `path` is what sentences call it. */
int coverage_parse(struct run_coverage *c, const char *bytes, size_t n, const char *path,
                   struct err *why);

enum {
    COVERAGE_IS_PART = 1,  /* what was to be added is part of what there is: nothing was done */
    COVERAGE_IS_WHOLE = 2, /* what there was is part of what was added, and replaced by it */
};

/* Adds to what one or more runs have shown what others have. Both are of the same test. Trials that
 * are in both count once: where all of one are in the other that is easy, and otherwise refused.
 * Runs of different builds are refused unless `any_build`; nothing is said about their next trial.
 * 0; COVERAGE_IS_PART or _WHOLE; or SN_EINVAL with a sentence, and `to` is as it was. */
int coverage_merge(struct run_coverage *to, const struct run_coverage *from, bool any_build,
                   struct err *why);

#endif
