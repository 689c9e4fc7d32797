/* page.h - the report: trials, runs and histories as one HTML file that needs nothing else.
 *
 * The page is made of fixed assets (assets/, embedded by embed.py) and one JSON document, the data,
 * which docs/report.md describes. Whatever is in the data is data: it is written so that nothing in
 * it can end the element that holds it, the scripts put it into the page as text only, and the
 * page's content security policy allows those scripts, by their hash, and nothing else.
 *
 * Everything is written as it is read, so that traces of any length fit. Nothing here uses malloc:
 * a test program writes its own report when a run has failed. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/err.h"
#include "base/file.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { PAGE_BUFFER = 1 << 16, PAGE_DOCUMENT_MAX = 256 << 20 };

/* Asset parts, in the order of the page; the data comes between the two. Made by embed.py. */
extern const unsigned char page_before[];
extern const size_t page_before_size;
extern const unsigned char page_after[];
extern const size_t page_after_size;

enum page_list {
    PAGE_NOTHING = 0,
    PAGE_RUNS,
    PAGE_TRIALS,
    PAGE_HISTORIES,
};

/* A page that is being written. */
struct page {
    struct file_writing file;
    struct sn_text out;
    enum page_list list; /* the one that is open */
    size_t n;            /* members of it so far */
    char buffer[PAGE_BUFFER];
};

/* A trial and what is known of it, as paths; NULL: there is none. */
struct page_trial {
    const char *name;        /* what people call it; the file's name is a good choice */
    const char *trace;       /* the trial to look at: the shrunk one, if there is one */
    const char *original;    /* as it was found, if `trace` is another one */
    const char *explanation; /* JSON of `sennit explain --json` */
    const char *explained;   /* the trace of the trial that the explanation speaks of */
    const char *nearest;     /* the trace of the nearest passing trial */
};

/* A run: its summary, and what was covered. */
struct page_run {
    const char *path;             /* of its directory */
    const char *summary;          /* path of summary.json */
    const char *const *coverages; /* paths of what was covered, n_coverages */
    size_t n_coverages;
};

/* All return 0, or a negative SN_E* with a sentence that names the file and, where it has any, the
 * line. Lists come in the order of these functions: runs, trials, histories. Each call adds one
 * member. After an error only page_end may be called. */
int page_begin(struct page *page, const char *path, const char *title, struct err *why);
int page_add_run(struct page *page, const struct page_run *run, struct err *why);
int page_add_trial(struct page *page, const struct page_trial *trial, struct err *why);

/* Opens the next member of the list of histories; the caller writes one JSON object to the result,
 * which is owned by the page. */
struct sn_text *page_next_history(struct page *page);

/* Ends the page and puts the file in its place, if rc, how the rest went, is 0; otherwise what was
 * there before stays. */
int page_end(struct page *page, int rc, struct err *why);

#endif
