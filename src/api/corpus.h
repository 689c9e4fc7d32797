/* corpus.h - a directory of traces of old bugs: run first, and added to.
 *
 * A trace is run strictly in the program that wrote it, the same build with the same arguments, and
 * with tolerance (drift.h) in every other. SPDX-License-Identifier: MIT
 */
#ifndef API_CORPUS_H
#define API_CORPUS_H

#include "api/run.h"
#include "base/arena.h"
#include "base/text.h"

struct corpus_file;

/* Up to verbosity the caller's, the rest 0. */
struct corpus {
    const char *directory; /* NULL: there is no corpus, and nothing happens */
    const struct sn_suite *suite;
    struct sn_text *out; /* for what is said besides what is reported */
    struct sn_text *complaints;
    int verbosity;     /* -1 quiet, 0, 1 */
    bool is_malformed; /* a file in it is no trace, or cannot be read: exit code 2, in the end */
    bool is_open;
    struct corpus_file *files; /* traces of this suite, sorted by name */
    size_t n_files;
    struct arena arena;
};

/* Runs the traces of the request's test. *old receives those that fail, as its failures. The
 * first call looks at all files and complains of those that are malformed or belong to no test of
 * the suite. */
void corpus_run(struct corpus *c, const struct run_request *request, struct run_found *old);

/* Puts old failures before those that a run has found, and counts them. */
void corpus_add(const struct run_found *old, struct run_found *found, struct sn_result *result);

/* Keeps the traces of what a run of a test has found, unless the corpus has one of the same
 * failure already. */
void corpus_keep(struct corpus *c, const struct run_found *found);

void corpus_close(struct corpus *c);

#endif
