/* page_files.h - which files go into a report: traces with what lies beside them, and directories
 * of runs. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_PAGE_FILES_H
#define REPORT_PAGE_FILES_H

#include "base/arena.h"
#include "report/page.h"
#include "report/roster.h"

/* Zeroed is empty. All that it points to lies in the arena. */
struct page_files {
    struct page_run *runs;
    size_t n_runs;
    struct page_trial *trials;
    size_t n_trials;
    struct roster bases; /* of the trials: what the names of their files begin with */
    struct arena arena;
    const char *title;
};

/* Beside NAME.trace may lie NAME.shrunk.trace, and what `sennit explain` has found:
 * NAME.explained.json, NAME.explained.trace, NAME.nearest.trace. Any of the traces stands for all
 * of these. A directory stands for all traces in it, its summary and what was covered. 0; or SN_EIO
 * if a file is not there; or SN_ENOMEM. page_files_done comes after it in any case. */
int page_files_find(struct page_files *files, const char *const *inputs, size_t n, struct err *why);

/* Writes them into a page, which the caller lends. What page_begin, page_add_* and page_end return.
 */
int page_files_write(const struct page_files *files, struct page *page, const char *path,
                     struct err *why);

void page_files_done(struct page_files *files);

/* Removes what was found out about the trial that was in this file before: the trace is of another
 * one now. */
void page_files_forget(const char *trace);

/* Writes the part of a trace's path that all its files share to `out`: without .trace, and
 * without .shrunk, .explained or .nearest before that. */
void page_files_put_base(struct sn_text *out, const char *trace);

#endif
