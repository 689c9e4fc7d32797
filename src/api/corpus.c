/* corpus.c - see corpus.h. SPDX-License-Identifier: MIT */
#include "api/corpus.h"

#include "api/corpus_anew.h"

#include "api/identity.h"
#include "api/signature.h"
#include "base/file.h"
#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, NAMES_MOST = 1 << 16, CLASHES_MOST = 1000 };

struct corpus_file {
    char *path;
    char *test; /* NULL: not a trace of this suite, or none at all */
};

/* ---- The directory -------------------------------------------------------------------------- */

static bool is_trace_name(const char *name)
{
    static const char end[] = ".trace";
    size_t n = strlen(name);

    return n >= sizeof(end) && name[0] != '.' && strcmp(name + n - (sizeof(end) - 1), end) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct corpus_file *)a)->path, ((const struct corpus_file *)b)->path);
}

static void complain(struct corpus *c, const char *path, const char *what)
{
    text_print(c->complaints, "%s: corpus: %s%s%s\n", c->suite->name, path,
               path[0] != '\0' ? ": " : "", what);
}

static bool add_file(struct corpus *c, const char *name)
{
    char path[PATH_BYTES];
    int n = snprintf(path, sizeof(path), "%s/%s", c->directory, name);

    if (n < 0 || n >= (int)sizeof(path))
        return false;
    c->files[c->n_files].path = arena_copy(&c->arena, path, (size_t)n);
    return c->files[c->n_files++].path != NULL;
}

/* The paths of all traces in the directory, sorted. One that is not there has none. */
static int list_files(struct corpus *c, struct err *why)
{
    DIR *directory = opendir(c->directory);
    const struct dirent *entry;
    bool ok = true;

    c->n_files = 0;
    arena_clear(&c->arena);
    if (directory == NULL && errno == ENOENT)
        return 0;
    if (directory == NULL)
        return err_set(why, SN_EIO, "%s: cannot be read (%s)", c->directory,
                       strerrordesc_np(errno));
    c->files = arena_array(&c->arena, NAMES_MOST, sizeof(*c->files));
    ok = c->files != NULL;
    while (ok && c->n_files < NAMES_MOST && (entry = readdir(directory)) != NULL) {
        if (is_trace_name(entry->d_name))
            ok = add_file(c, entry->d_name);
    }
    (void)closedir(directory);
    if (!ok)
        return err_set(why, SN_ENOMEM, "%s: there is no memory for its names, or one is too long",
                       c->directory);
    if (c->n_files > 0)
        qsort(c->files, c->n_files, sizeof(*c->files), by_name);
    return 0;
}

static bool has_test(const struct sn_suite *suite, const char *name)
{
    for (const struct sn_test *test = suite->tests; test->name != NULL; test++) {
        if (strcmp(test->name, name) == 0)
            return true;
    }
    return false;
}

/* Whose trace a file is. */
static void look_at(struct corpus *c, struct corpus_file *file)
{
    struct trace trace;
    struct err why = {""};
    char text[256];

    if (trace_read(&trace, file->path, &why) < 0) {
        complain(c, "", why.text); /* which begins with the path */
        c->is_malformed = true;
        return;
    }
    if (strcmp(trace.header.suite, c->suite->name) == 0 && has_test(c->suite, trace.header.test)) {
        file->test = arena_copy(&c->arena, trace.header.test, strlen(trace.header.test));
    } else {
        (void)snprintf(text, sizeof(text), "a trace of %.100s/%.100s, which is not in this program",
                       trace.header.suite, trace.header.test);
        complain(c, file->path, text);
    }
    trace_done(&trace);
}

static void corpus_open(struct corpus *c)
{
    struct err why = {""};

    c->is_open = true;
    if (list_files(c, &why) < 0) {
        complain(c, "", why.text);
        c->is_malformed = true;
        return;
    }
    for (size_t i = 0; i < c->n_files; i++)
        look_at(c, &c->files[i]);
}

void corpus_close(struct corpus *c)
{
    arena_done(&c->arena);
    c->n_files = 0;
    c->is_open = false;
}

/* ---- Running -------------------------------------------------------------------------------- */

/* Whether the program is the one that wrote the trace: what it was told, and its code. */
static bool has_same_args(const struct trace_header *header, const struct run_request *request)
{
    if (header->n_args != request->n_args)
        return false;
    for (size_t i = 0; i < header->n_args; i++) {
        if (strcmp(header->args[i], request->args[i]) != 0)
            return false;
    }
    return true;
}

static bool is_same_build(const struct trace_header *header)
{
    struct identity identity;

    identity_get(&identity);
    return identity.build[0] != '\0' && strcmp(header->build, identity.build) == 0;
}

/* When timers fire belongs to the trial, which bugs are switched on to the program. */
static enum sn_run_timers timers_of(const struct trace_header *header)
{
    for (size_t i = 0; i + 1 < header->n_args; i += 2) {
        if (strcmp(header->args[i], "--timers") == 0)
            return strcmp(header->args[i + 1], "any") == 0 ? SN_RUN_TIMERS_ANY
                                                           : SN_RUN_TIMERS_IDEAL;
    }
    return SN_RUN_TIMERS_OF_TEST;
}

/* Replays a trace here; if it was written with other options of the program's own, in a process
 * that has those. */
static int replay_file(const struct corpus_file *file, const struct run_request *asked,
                       const struct trace *trace, struct replay_report *report, struct sn_result *r)
{
    struct run_request request = *asked;
    struct err why = {""};
    int rc;

    request.show_output = false;
    request.fork = true; /* in a changed program it may come to any end */
    if (corpus_anew_is_needed(&trace->header, asked)) {
        request.tolerant =
            !is_same_build(&trace->header) || !corpus_anew_has_same_bugs(&trace->header, asked);
        rc = corpus_anew_replay(&request, file->path, report, r, &why);
        if (rc < 0)
            (void)snprintf(r->failure, sizeof(r->failure), "%.500s", why.text);
        return rc;
    }
    request.tolerant = !is_same_build(&trace->header) || !has_same_args(&trace->header, asked);
    request.options.timers = timers_of(&trace->header);
    return run_replay(&request, trace, report, r);
}

/* What is not in the report. */
static void say_more(struct corpus *c, const struct corpus_file *file,
                     const struct replay_report *report, const char *what)
{
    if (report->expected[0] == '\0' && !report->has_drifted && c->verbosity <= 0)
        return;
    text_print(c->out, "%s/%s: corpus: %s %s%s%s%s%s\n", c->suite->name, file->test, file->path,
               what, report->expected[0] != '\0' ? "; the trace says: " : "", report->expected,
               report->has_drifted ? "; drift: " : "", report->has_drifted ? report->drift : "");
}

static void add_failure(struct run_found *old, const struct corpus_file *file, uint64_t trial,
                        const struct sn_result *r, const struct replay_report *report)
{
    struct run_failure *failure = &old->failures[old->n_failures];

    if (old->n_failures == RUN_FAILURES_MAX)
        return;
    old->n_failures++;
    *failure = (struct run_failure){.trial = trial,
                                    .steps = r->failing_steps,
                                    .count = 1,
                                    .verdict = report->has_diverged ? SN_PASSED : r->verdict,
                                    .nondeterministic = report->has_diverged,
                                    .is_tolerant = report->drift[0] != '\0'};
    if (report->has_diverged)
        (void)snprintf(failure->text, sizeof(failure->text),
                       "corpus: %.150s went another way: %.300s", file->path, report->divergence);
    else
        (void)snprintf(failure->text, sizeof(failure->text), "corpus: %.150s fails %s: %.300s",
                       file->path, report->expected[0] == '\0' ? "again" : "in another way",
                       r->failure);
    (void)snprintf(failure->oracle, sizeof(failure->oracle), "%.*s",
                   report->has_diverged ? 0 : (int)strcspn(r->failure, ":"), r->failure);
    (void)snprintf(failure->trace, sizeof(failure->trace), "%.500s", file->path);
}

/* True: it passes. */
static bool run_file(struct corpus *c, const struct corpus_file *file,
                     const struct run_request *asked, struct run_found *old)
{
    struct replay_report report;
    struct trace trace;
    struct sn_result r = {0};
    struct err why = {""};
    uint64_t trial;
    int rc = trace_read(&trace, file->path, &why);

    if (rc < 0) {
        complain(c, "", why.text);
        c->is_malformed = true;
        return false;
    }
    trial = trace.header.trial;
    rc = replay_file(file, asked, &trace, &report, &r);
    trace_done(&trace);
    if (rc < 0) {
        complain(c, file->path, r.failure);
        c->is_malformed = true;
        return false;
    }
    if (!report.has_diverged && r.failures == 0) {
        report.expected[0] = '\0'; /* that it failed then is why it is here */
        if (c->verbosity > 0)
            say_more(c, file, &report, "passes");
        return true;
    }
    add_failure(old, file, trial, &r, &report);
    say_more(c, file, &report, "fails");
    return false;
}

void corpus_run(struct corpus *c, const struct run_request *request, struct run_found *old)
{
    uint32_t n_passed = 0;

    old->n_failures = 0;
    if (c->directory == NULL)
        return;
    if (!c->is_open)
        corpus_open(c);
    for (size_t i = 0; i < c->n_files; i++) {
        const struct corpus_file *file = &c->files[i];

        if (file->test != NULL && strcmp(file->test, request->test->name) == 0)
            n_passed += run_file(c, file, request, old);
    }
    if (n_passed > 0 && c->verbosity >= 0)
        text_print(c->out, "%s/%s: %" PRIu32 " trace%s of the corpus pass%s\n", c->suite->name,
                   request->test->name, n_passed, n_passed == 1 ? "" : "s",
                   n_passed == 1 ? "es" : "");
}

void corpus_add(const struct run_found *old, struct run_found *found, struct sn_result *result)
{
    uint32_t n = old->n_failures;
    const struct run_failure *first = &old->failures[0];

    if (n == 0)
        return;
    if (found->n_failures > RUN_FAILURES_MAX - n)
        found->n_failures = RUN_FAILURES_MAX - n;
    memmove(found->failures + n, found->failures, found->n_failures * sizeof(*first));
    memcpy(found->failures, old->failures, n * sizeof(*first));
    found->n_failures += n;
    result->failures += n;
    result->nondeterministic = first->nondeterministic;
    result->verdict = first->verdict;
    result->failing_trial = first->trial;
    result->failing_steps = first->steps;
    memcpy(result->failure, first->text, sizeof(result->failure));
    memcpy(result->trace, first->trace, sizeof(result->trace));
}

/* ---- Keeping -------------------------------------------------------------------------------- */

/* The trace in the corpus that has the same failure; NULL: none has. */
static const char *find_same(const struct corpus *c, const struct trace *found)
{
    for (size_t i = 0; i < c->n_files; i++) {
        struct trace trace;
        bool is_same;

        if (trace_read(&trace, c->files[i].path, NULL) < 0)
            continue;
        is_same = strcmp(trace.header.suite, found->header.suite) == 0 &&
                  strcmp(trace.header.test, found->header.test) == 0 &&
                  trace.verdict.verdict != TRACE_PASSED &&
                  signature_is_alike(&trace.verdict, &found->verdict);
        trace_done(&trace);
        if (is_same)
            return c->files[i].path;
    }
    return NULL;
}

/* A number for what stays the same of a failure when lines move and figures change. */
static uint32_t hash_failure(const struct trace_verdict *v)
{
    const char *at = v->at != NULL ? v->at : "";
    const char *colon = strrchr(at, ':');
    uint64_t hash = hash_add(HASH_START, v->oracle, strlen(v->oracle) + 1);

    hash = hash_add(hash, at, colon != NULL ? (size_t)(colon - at) : strlen(at));
    for (size_t i = 0; i < v->message.n; i++) {
        if (v->message.bytes[i] < '0' || v->message.bytes[i] > '9')
            hash = hash_add(hash, &v->message.bytes[i], 1);
    }
    return (uint32_t)(hash ^ hash >> 32);
}

static int copy_bytes(int from, int to)
{
    char buffer[16384];
    ssize_t n;

    while ((n = read(from, buffer, sizeof(buffer))) > 0) {
        for (ssize_t done = 0; done < n;) {
            ssize_t written = write(to, buffer + done, (size_t)(n - done));

            if (written <= 0)
                return -1;
            done += written;
        }
    }
    return n == 0 ? 0 : -1;
}

/* A whole copy under a name that is no trace's. */
static int copy_aside(const char *from, const char *aside, struct err *why)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int rc = in >= 0 && out >= 0 ? copy_bytes(in, out) : -1;

    if (in >= 0)
        (void)close(in);
    if (out >= 0 && (fsync(out) < 0 || close(out) < 0))
        rc = -1;
    return rc == 0
               ? 0
               : err_set(why, SN_EIO, "%s: cannot be written (%s)", aside, strerrordesc_np(errno));
}

/* Gives the copy its name, or a similar one if there is a file of that name: none is overwritten,
 * whoever else writes here at the same time. */
static int name_copy(const struct corpus *c, const struct trace *trace, const char *aside,
                     char *path, struct err *why)
{
    uint32_t hash = hash_failure(&trace->verdict);
    char name[512];

    for (int i = 1; i < CLASHES_MOST; i++) {
        int n = snprintf(name, sizeof(name), "%.150s-%.150s-%.15s-%08" PRIx32, c->suite->name,
                         trace->header.test, trace->verdict.oracle, hash);

        if (i > 1)
            (void)snprintf(name + n, sizeof(name) - (size_t)n, "-%d", i);
        file_tame(name);
        (void)snprintf(path, PATH_BYTES, "%s/%s.trace", c->directory, name);
        if (renameat2(AT_FDCWD, aside, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno == EINVAL && link(aside, path) == 0) /* what older file systems have */
            return 0;
        if (errno != EEXIST)
            return err_set(why, SN_EIO, "%s: cannot be written (%s)", path, strerrordesc_np(errno));
    }
    return err_set(why, SN_EIO, "%s: there are too many files of this name", path);
}

/* True: there is one of the same failure. Looks at the directory anew, because others may have kept
 * something meanwhile. */
static bool is_kept(const struct corpus *c, const struct trace *trace, struct err *why)
{
    struct corpus now = {.directory = c->directory};
    const char *same = list_files(&now, why) == 0 ? find_same(&now, trace) : NULL;

    if (same != NULL && c->verbosity > 0)
        text_print(c->out, "%s/%s: corpus: has this as %s\n", c->suite->name, trace->header.test,
                   same);
    corpus_close(&now);
    return same != NULL;
}

static int keep(const struct corpus *c, const struct trace *trace, const char *from,
                struct err *why)
{
    char aside[PATH_BYTES];
    char path[PATH_BYTES];
    int rc = file_make_dirs(c->directory, why);

    if (rc < 0 || is_kept(c, trace, why))
        return rc;
    if (snprintf(aside, sizeof(aside), "%s/.%ld.part", c->directory, (long)getpid()) >=
        (int)sizeof(aside))
        return err_set(why, SN_EINVAL, "the name of the corpus is too long");
    rc = copy_aside(from, aside, why);
    if (rc == 0)
        rc = name_copy(c, trace, aside, path, why);
    (void)unlink(aside);
    if (rc == 0 && c->verbosity >= 0)
        text_print(c->out, "%s/%s: corpus: kept as %s\n", c->suite->name, trace->header.test, path);
    return rc;
}

static void keep_one(struct corpus *c, const char *path)
{
    struct trace trace;
    struct err why = {""};
    int rc = trace_read(&trace, path, &why);

    if (rc == 0) {
        rc = keep(c, &trace, path, &why);
        trace_done(&trace);
    }
    if (rc < 0) {
        complain(c, "", why.text);
        c->is_malformed = true;
    }
}

void corpus_keep(struct corpus *c, const struct run_found *found)
{
    for (uint32_t i = 0; c->directory != NULL && i < found->n_failures; i++) {
        if (found->failures[i].trace[0] != '\0')
            keep_one(c, run_failure_trace(&found->failures[i]));
    }
}
