/* check.h - the parts of `sennit check`. SPDX-License-Identifier: MIT */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "history/history.h"
#include "linear/core.h"
#include "report/page.h"

#include <sennit/history.h>
#include <stdbool.h>
#include <stddef.h>

/* What the command line asks for. */
struct check_request {
    struct history_options history;
    struct sn_check_options check;
    const char *model;
    const char *initial; /* NULL: the model's */
    const char *rules;   /* of the model sync; NULL: what the file says */
    uint64_t nodes;      /* the same; 0: not told */
    uint64_t states;     /* of the model sync; 0: no limit */
    bool is_explained;   /* of the model sync: prints an explanation, too */
    const char *html;    /* path of the page to be written; NULL: none */
    bool is_json;
    bool is_help;
    bool is_list;
};

/* All files of a run. */
struct check_run {
    const struct check_request *request;
    const char *title; /* of the page */
    struct page *page; /* that is being written; NULL: none so far */
    int rc;            /* below 0: it cannot be written */
    struct err why;    /* ... for this reason */
    size_t n_fits;
    size_t n_not;
    size_t n_unknown;
    size_t n_malformed;
};

/* How it went with one file. */
struct check_outcome {
    const char *path;
    struct history history;
    const struct sn_model *model;
    struct sn_model own_model; /* a copy, if one had to be made */
    struct sn_check_result result;
    bool is_sequential;
    double seconds; /* of the check, without reading and explaining */
    struct core core;
    bool has_core; /* it is not linearizable, and the core says why */
    int rc;        /* below 0: it could not be read or checked, and why says why */
    struct err why;
};

/* ---- Models --------------------------------------------------------------------------------- */

/* The model of that name, or in that shared object. NULL after a message. */
const struct sn_model *check_find_model(const char *name);

/* Prints all models that are there, a line each. */
void check_list_models(void);

/* ---- Synchronisers -------------------------------------------------------------------------- */

/* Whether the model is that of synchronisers, whose files are observations and no histories. */
bool check_is_sync(const struct check_request *request);

/* Whether the options fit the model; CLI_USAGE after a message otherwise. */
int check_sync_options(const struct check_request *request);

/* Judges the observation in a file, prints how it went and counts it; self is the run. Returns its
 * exit code. */
int check_sync_file(void *self, const char *path);

/* ---- Files ---------------------------------------------------------------------------------- */

/* Calls `check` for a file, or for each history in a directory, in the order of their names.
 * Returns the exit code that counts most, *n is increased by the number of files. */
int check_files(const char *path, int (*check)(void *self, const char *path), void *self,
                size_t *n);

/* ---- Output --------------------------------------------------------------------------------- */

/* A line that says how far it is, on standard error if that is a terminal: that a file is being
 * read, then checked, then explained. While it is read, check_progress_read is called now and then
 * (history_options.on_read; self is the outcome). From check_progress_check on the history must
 * stay as it is. */
void check_progress_begin(const struct check_outcome *outcome);
void check_progress_read(void *self, const struct source *source);
void check_progress_check(void);
void check_progress_explain(void);
void check_progress_end(void);

/* The verdict in words, as they stand in all forms of output. */
const char *check_verdict(const struct check_outcome *outcome);

/* How values of this history are printed. It is borrowed. */
struct core_words check_words(const struct check_outcome *outcome);

/* The page that the command line may ask for: whether it can be written, one file more in it, and
 * putting it in its place. CLI_OK, or CLI_USAGE after a message. */
int check_page_try(struct check_run *run);
void check_add_history(struct check_run *run, const struct check_outcome *outcome);
int check_page_end(struct check_run *run);

/* One file, as text and as JSON. */
void check_print(const struct check_outcome *outcome);
void check_print_json(const struct check_outcome *outcome);

#endif
