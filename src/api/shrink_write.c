/* shrink_write.c - the trace of a shrunk trial, and what is said about it.
 * SPDX-License-Identifier: MIT
 */
#include "api/anew.h"
#include "api/exit_code.h"
#include "api/identity.h"
#include "api/shrink_own.h"
#include "engine/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* So many times as long as a step may take, a replay may. */
enum { REPLAY_HANGS = 8 };

#define RECORDS_BYTES (((size_t)SHRINK_HOLDS_MAX + 1) * sizeof(struct trace_record))
#define NAMES_BYTES ((size_t)SHRINK_HOLDS_MAX * 2 * SHRINK_NAME)

/* ---- A fresh process ------------------------------------------------------------------------ */

/* Runs `PROGRAM --replay PATH`. Returns how it exits; -1: it did not, or not within some seconds.
 */
static int replay(const char *program, const char *path, unsigned seconds)
{
    char *argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t) "--replay",
                    (char *)(uintptr_t)path, NULL};
    const struct timespec pause = {.tv_nsec = 1000000};
    pid_t parent = getpid();
    pid_t pid = fork();
    int status = 0;
    uint64_t end_ns = shrink_now_ns() + (uint64_t)seconds * 1000000000;

    if (pid == 0)
        anew_become(program, argv, environ, parent);
    if (pid < 0)
        return -1;
    for (pid_t ended = 0; ended != pid; ended = waitpid(pid, &status, WNOHANG)) {
        if (shrink_now_ns() > end_ns) {
            (void)kill(pid, SIGKILL);
            while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                continue;
            return -1;
        }
        (void)nanosleep(&pause, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The trace must fail where nothing is left of all that was tried. A step that does not end takes
 * as long there as in any trial, and is ended there; what takes longer than that does not fail. */
static int check(struct shrink *s, const char *path)
{
    const struct run_request *request = s->options->request;
    unsigned hang_s = request->hang_s != 0 ? (unsigned)request->hang_s : DEATH_HANG_DEFAULT_S;
    struct identity identity;
    int code = -1;

    identity_get(&identity);
    for (uint32_t i = 0; i < shrink_repeats(s) && code != EXIT_BUG; i++)
        code = replay(identity.program, path, hang_s * REPLAY_HANGS);
    if (code == EXIT_BUG)
        return 0;
    return err_set(&s->why, SN_EINVAL,
                   "the shrunk trial does not fail in a fresh process (exit code %d): something in "
                   "the program is not under control",
                   code);
}

/* ---- The trace ------------------------------------------------------------------------------ */

static size_t list_records(const struct shrink *s, struct trace_record *records)
{
    size_t n = 0;

    records[n++] =
        (struct trace_record){.kind = TRACE_SHRUNK,
                              .shrunk = {.steps = s->before.steps,
                                         .draws = s->before.draws,
                                         .runs = s->runs,
                                         .held_steps = s->has_holds ? s->held_steps : 0}};
    for (uint32_t i = 0; s->has_holds && i < s->n_holds; i++)
        records[n++] = (struct trace_record){
            .kind = TRACE_HOLD, .hold = {.held = s->holds[i].held, .until = s->holds[i].until}};
    return n;
}

static int record(struct shrink *s, const struct trace_record *extra, size_t n, const char *path)
{
    struct trace_header header = s->trace->header;
    struct identity identity;

    identity_get(&identity);
    header.program = identity.program;
    header.build = identity.build;
    if (s->best.result.has_died)
        header.world = TRACE_WORLD_FORK;
    return lab_record(s->lab, &s->best.result, &header, extra, n, path, &s->why);
}

/* A name beside the wanted one that nobody else has: there may be several who shrink one trial. */
int shrink_name_aside(struct shrink *s, const char *path, char *out, size_t size)
{
    int fd;

    if (snprintf(out, size, "%s.XXXXXX", path) >= (int)size)
        return err_set(&s->why, SN_EINVAL, "the name of the trace is too long");
    fd = mkstemp(out);
    if (fd < 0)
        return err_set(&s->why, SN_EIO, "%s: cannot be written (%s)", path, strerrordesc_np(errno));
    (void)close(fd);
    return 0;
}

static int write_aside(struct shrink *s, const char *aside)
{
    struct trace_record *extra = mem_reserve_shared(RECORDS_BYTES, &s->why);
    char(*names)[SHRINK_NAME] = mem_reserve_shared(NAMES_BYTES, &s->why);
    int rc = SN_ENOMEM;

    if (extra != NULL && names != NULL) {
        size_t n = list_records(s, extra);

        shrink_name_holds(s, aside, extra + 1, (uint32_t)n - 1, names);
        rc = SN_EINVAL; /* until it was recorded; what is not controlled may need several runs */
        for (uint32_t i = 0; rc == SN_EINVAL && i < shrink_repeats(s); i++)
            rc = record(s, extra, n, aside);
    }
    mem_release(names, NAMES_BYTES);
    mem_release(extra, RECORDS_BYTES);
    return rc;
}

int shrink_write(struct shrink *s, const char *path)
{
    char aside[4096];
    int rc = shrink_name_aside(s, path, aside, sizeof(aside));

    if (rc < 0)
        return rc;
    rc = write_aside(s, aside);
    if (rc == 0)
        rc = check(s, aside);
    if (rc == 0 && rename(aside, path) < 0)
        rc = err_set(&s->why, SN_EIO, "%s: cannot be written (%s)", path, strerrordesc_np(errno));
    if (rc < 0)
        (void)unlink(aside);
    return rc;
}

/* ---- Words ---------------------------------------------------------------------------------- */

static void put_count(struct sn_text *out, uint64_t n, const char *what)
{
    text_print(out, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

/* Of a trial without steps values are all there is. */
static void put_values(struct sn_text *out, const struct shrink_report *r)
{
    if (r->after.draws != r->before.draws)
        text_print(out, "%" PRIu64 " -> ", r->before.draws);
    put_count(out, r->after.draws, "drawn value");
    text_puts(out, r->after.draws == 1 ? " that is not 0" : " that are not 0");
}

/* Says what has changed, and only that. */
static void put_sizes(struct sn_text *out, const struct shrink_report *r)
{
    bool is_shorter = r->after.steps != r->before.steps;
    bool has_fewer = r->after.draws != r->before.draws;

    if (r->before.steps == 0 && r->after.steps == 0) {
        put_values(out, r);
        return;
    }
    if (!is_shorter && !has_fewer) {
        text_print(out, "nothing %s left out of its ", r->how == SHRINK_DONE ? "can be" : "was");
        put_count(out, r->after.steps, "step");
    } else if (is_shorter) {
        text_print(out, "%" PRIu64 " -> ", r->before.steps);
        put_count(out, r->after.steps, "step");
    } else {
        put_count(out, r->after.steps, "step");
    }
    if (r->fair_steps > 0)
        text_print(out, " (the last %" PRIu64 " are its fair end)", r->fair_steps);
    if (has_fewer) {
        text_print(out, ", %" PRIu64 " -> ", r->before.draws);
        put_count(out, r->after.draws, "drawn value");
    }
}

static void put_words(const struct shrink *s, struct shrink_report *r)
{
    struct sn_text out;

    text_init(&out, r->text, sizeof(r->text));
    if (r->is_other)
        text_print(&out, "it is another failure now: %.100s; ", s->best.result.signature.text);
    put_sizes(&out, r);
    if (r->after.steps == 0) {
        text_print(&out, ", in %" PRIu64 " runs", r->runs);
    } else if (r->has_exceptions && r->exceptions == 0) {
        text_puts(&out, "; the default schedule fails, too");
    } else if (r->has_exceptions) {
        text_puts(&out, s->is_stopped ? ", at most " : ", ");
        put_count(&out, r->exceptions, "exception");
        text_puts(&out, " to the default schedule");
    }
    if (r->repeats > 0)
        text_print(&out, "; %" PRIu32 " of %" PRIu32 " runs of it fail", r->failed, r->repeats);
    if (s->was_stopped) {
        text_print(&out, "; %s after ", s->is_time_up ? "its time was up" : "it was stopped");
        put_count(&out, r->runs, "run");
        text_puts(&out, ": it could be smaller");
    }
}

void shrink_describe(const struct shrink *s, struct shrink_report *report)
{
    const struct lab_result *r = &s->best.result;

    report->how = s->was_stopped ? SHRINK_STOPPED : SHRINK_DONE;
    report->is_written = true;
    report->before = s->before;
    report->after = (struct shrink_size){.steps = r->steps, .draws = s->best.n_draws};
    report->fair_steps = s->has_tail && r->fair_from < r->steps ? r->steps - r->fair_from : 0;
    report->has_exceptions = s->has_holds;
    report->exceptions = s->n_holds;
    report->failed = s->n_failed;
    report->repeats = s->is_measured ? shrink_repeats(s) : 0;
    report->runs = s->runs;
    report->is_other = s->is_another || !signature_is_same(&r->signature, &s->wanted.signature);
    report->verdict = r->verdict;
    put_words(s, report);
}
