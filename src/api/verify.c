/* verify.c - see verify.h. SPDX-License-Identifier: MIT */
#include "api/verify.h"

#include "api/verify_process.h"
#include "engine/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Odd in every part: pages of the world, and lines and blocks within a page, come to lie elsewhere.
 */
#define OTHER_SHIFT UINT64_C(0x5a9c3f36b0)

enum {
    USUAL_FILL = 0xa5,
    OTHER_FILL = 0x3c,
    TRIES = 3, /* of what may differ only sometimes */
};

#define USUAL_CLOCK UINT64_C(1700000000000000000)
#define OTHER_CLOCK UINT64_C(2123456789123456789)

struct verify {
    struct verify_common common;
    struct verify_process other;
    struct names names;
};

/* ---- Opening and closing -------------------------------------------------------------------- */

static int start_other(struct verify *v, const struct run_request *request, struct err *why)
{
    const struct verify_setting all = {
        .shift = OTHER_SHIFT, .fill = OTHER_FILL, .clock_ns = OTHER_CLOCK};
    struct witness_board *board = v->common.board;

    (void)snprintf(board->test, sizeof(board->test), "%s", request->test->name);
    board->max_steps = request->options.max_steps;
    board->timers = request->options.timers;
    board->jobs = request->jobs;
    board->hang_s = request->hang_s;
    board->memory_mb = request->memory_mb;
    board->is_forking = request->fork;
    board->has_leaks = request->leaks;
    return verify_process_start(&v->other, &v->common, &all, why);
}

int verify_open(struct verify **out, const struct run_request *request, struct err *why)
{
    struct verify *v = mem_reserve_shared(sizeof(*v), why);
    int rc;

    *out = v;
    if (v == NULL)
        return SN_ENOMEM;
    rc = names_init(&v->names, why);
    if (rc == 0)
        rc = verify_common_init(&v->common, request->argv, why);
    if (rc == 0)
        rc = start_other(v, request, why);
    if (rc == 0)
        return 0;
    verify_close(v);
    *out = NULL;
    return rc;
}

void verify_close(struct verify *v)
{
    if (v == NULL)
        return;
    verify_process_end(&v->other);
    verify_common_done(&v->common);
    names_done(&v->names);
    mem_release(v, sizeof(*v));
}

/* ---- Experiments ---------------------------------------------------------------------------- */

static const struct verify_setting usual = {
    .is_fixed = true, .fill = USUAL_FILL, .clock_ns = USUAL_CLOCK};

/* Whether a new process does something else with the log than the one that recorded. */
static bool differs(struct verify *v, const struct verify_setting *setting)
{
    struct witness_board *board = v->common.board;
    struct verify_process process;
    bool it_does;

    if (verify_process_start(&process, &v->common, setting, NULL) < 0)
        return false;
    board->mode = WITNESS_COMPARE;
    it_does =
        verify_process_ask(&process, &v->common, NULL) != 0 || board->differs_at != UINT64_MAX;
    verify_process_end(&process);
    return it_does;
}

/* A process runs the log for all others to compare. False: it could not. *is_same: it does the same
 * when it runs it again. */
static bool record_usual(struct verify *v, bool *is_same)
{
    struct witness_board *board = v->common.board;
    struct verify_process process;
    bool ok;

    if (verify_process_start(&process, &v->common, &usual, NULL) < 0)
        return false;
    board->mode = WITNESS_RECORD;
    ok = verify_process_ask(&process, &v->common, NULL) == 0;
    board->mode = WITNESS_COMPARE;
    for (int i = 0; i < TRIES && ok && *is_same; i++)
        *is_same =
            verify_process_ask(&process, &v->common, NULL) == 0 && board->differs_at == UINT64_MAX;
    verify_process_end(&process);
    return ok;
}

static void add_cause(struct sn_text *out, const char *cause)
{
    text_print(out, "%s%s", out->used > 0 ? ", and " : "", cause);
}

/* The likely cause: what makes a difference when it alone is changed. */
static void find_cause(struct verify *v, char *text, size_t size)
{
    struct verify_setting address = usual;
    struct verify_setting fill = usual;
    struct verify_setting clock = usual;
    struct sn_text out;
    bool is_same = true;

    address.is_fixed = false;
    address.shift = OTHER_SHIFT;
    fill.fill = OTHER_FILL;
    clock.clock_ns = OTHER_CLOCK;
    text_init(&out, text, size);
    if (!record_usual(v, &is_same)) {
        text_puts(&out, "unknown, because the trial ends the program where nothing is changed");
        return;
    }
    for (int i = 0; i < TRIES; i++) {
        if (!differs(v, &usual))
            continue;
        text_puts(&out, "a hidden thread or other outside input (a process id, a file), because "
                        "two processes alike differ");
        return;
    }
    if (!is_same) {
        text_puts(&out, "memory that is not put back between trials");
        return;
    }
    if (differs(v, &address))
        add_cause(&out, "address order (a pointer is hashed, compared or shown)");
    if (differs(v, &fill))
        add_cause(&out, "uninitialised memory");
    if (differs(v, &clock))
        add_cause(&out, "the real clock");
    if (out.used == 0)
        text_puts(&out, "outside input (a process id, a file), because other addresses, another "
                        "fill of memory and another clock change nothing");
}

/* ---- A trial -------------------------------------------------------------------------------- */

/* What this process does where the other one does something else. */
static void describe_expected(struct verify *v, struct explore *e, char *text, size_t size)
{
    struct witness_board *board = v->common.board;

    board->mode = WITNESS_DESCRIBE;
    witness_run(board, e, &v->names, NULL, NULL);
    (void)snprintf(text, size, "%.180s", board->text);
}

static int tell(struct verify *v, struct explore *e, const char *came, uint64_t *step,
                struct err *why)
{
    struct witness_board *board = v->common.board;
    char expected[200];
    char cause[200];

    *step = board->step;
    describe_expected(v, e, expected, sizeof(expected));
    find_cause(v, cause, sizeof(cause));
    return err_set(why, 1, "expected was %.130s, but in another process %.135s; likely cause: %s",
                   expected, came, cause);
}

/* Here again: what is written down is what the other process is compared with. */
static bool repeats_itself(struct verify *v, struct explore *e, uint64_t *step)
{
    struct witness_board *board = v->common.board;
    struct witness_end before;

    witness_take_end(e->t, &before);
    board->n = e->t->log.n;
    board->fair_from = e->t->fair_from;
    memcpy(board->log, e->t->log.entries, board->n * sizeof(board->log[0]));
    board->mode = WITNESS_RECORD;
    witness_run(board, e, &v->names, NULL, NULL);
    *step = e->t->now.steps;
    return witness_is_same_end(&before, &board->expected);
}

int verify_trial(struct verify *v, struct explore *e, uint64_t *step, struct err *why)
{
    struct witness_board *board = v->common.board;
    struct err death = {""};
    char came[200];
    char cause[200];

    /* One that is stuck would go on if nothing were required. */
    if (e->t->verdict.verdict == SN_UNCONTROLLED || e->t->stuck)
        return 0;
    if (!repeats_itself(v, e, step)) {
        (void)snprintf(came, sizeof(came), "%.190s", board->came.why);
        find_cause(v, cause, sizeof(cause));
        return err_set(why, 1, "the trial does not repeat itself%s%s; likely cause: %s",
                       came[0] != '\0' ? ": " : "", came, cause);
    }
    board->mode = WITNESS_COMPARE;
    if (verify_process_ask(&v->other, &v->common, &death) != 0) {
        board->differs_at = UINT64_MAX; /* the end is what was expected */
        board->step = *step;
        return tell(v, e, death.text, step, why);
    }
    if (board->differs_at == UINT64_MAX)
        return 0;
    (void)snprintf(came, sizeof(came), "came %.180s", board->text);
    return tell(v, e, came, step, why);
}
