/* resume.c - see resume.h. SPDX-License-Identifier: MIT */
#include "api/resume.h"

#include "api/learned.h"
#include "api/phases.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The file; "": there is none. */
static int name_file(const struct run *run, char *path, size_t size, struct err *why)
{
    const struct run_request *request = run->request;

    path[0] = '\0';
    if (request->checkpoint != NULL && strlen(request->checkpoint) >= size)
        return err_set(why, SN_EINVAL, "the name of the file of --checkpoint is too long");
    if (request->checkpoint != NULL)
        (void)snprintf(path, size, "%s", request->checkpoint);
    else if (request->options.outdir != NULL)
        run_name_file(run, "learned", path, size);
    return 0;
}

/* Whether what this run leaves is enough for another one to go on. What a strategy of a later phase
 * has tried means nothing without the trial that led to it, which is not kept. */
static int check_saving(const struct run *run, const struct workers *ws, struct err *why)
{
    const struct piece *p = ws->is_dealt ? NULL : ws->pieces.all[0];

    if (run->request->shards > 1 || run->request->estimate)
        return err_set(why, SN_EINVAL, "a run %s cannot be gone on with",
                       run->request->estimate ? "with --estimate" : "of a --shard");
    for (uint32_t i = 0; p != NULL && i < p->n_phases; i++) {
        const struct sn_strategy *strategy = p->phases[i].entry->strategy;

        if (strategy->seek == NULL && (strategy->save == NULL || strategy->load == NULL))
            return err_set(why, SN_EINVAL, "strategy %s cannot be saved, so no run can go on",
                           strategy->name);
        if (i > 0 && p->phases[i].n_fresh > 0)
            return err_set(why, SN_EINVAL,
                           "strategy %s goes on where another one has led, and cannot be saved "
                           "there, so no run can go on",
                           strategy->name);
    }
    return 0;
}

/* Everything that makes a test the one that it is, on one line. */
static void describe_test(const struct run *run, char *text, size_t size)
{
    const struct run_request *request = run->request;
    uint64_t required = HASH_START;
    struct sn_text out;

    text_init(&out, text, size);
    text_print(&out, "%s/%s", request->suite != NULL ? request->suite : "", request->test->name);
    for (size_t i = 0; i < request->n_args; i++)
        text_print(&out, " %s", request->args[i]);
    if (request->options.max_steps != 0)
        text_print(&out, " --max-steps %" PRIu64, request->options.max_steps);
    for (const char *const *one = request->options.require; one != NULL && *one != NULL; one++)
        required = hash_add(required, *one, strlen(*one) + 1);
    if (required != HASH_START)
        text_print(&out, " with --require (%016" PRIx64 ")", required);
}

/* What the file of this run is of. */
static void describe(const struct run *run, struct learned *l)
{
    const char *strategy = request_strategy(run->request);

    (void)snprintf(l->texts[LEARNED_STRATEGY], LEARNED_TEXT_BYTES, "%s", strategy);
    (void)snprintf(l->texts[LEARNED_BUILD], LEARNED_TEXT_BYTES, "%s", run->identity.build);
    describe_test(run, l->texts[LEARNED_TEST], LEARNED_TEXT_BYTES);
    l->seed = request_seed(run->request);
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Adds what is left of each piece; if trials are dealt, the strategies of this process, which have
 * been told of every trial, are the only one. */
static int add_pieces(struct run *run, const struct workers *ws, struct learned_file *file,
                      const char *path)
{
    unsigned char *bytes;
    uint64_t skip = 0;
    size_t room;

    if (ws->is_dealt) {
        for (uint32_t i = 0; i < run->n_phases; i++)
            run->phases[i].entry->strategy->seek(run->phases[i].self, file->learned.trials);
        bytes = learned_room(file, &room);
        learned_add(file, learned_save(run->phases, run->n_phases, bytes, room), 0);
        return 0;
    }
    bytes = learned_room(file, &room);
    learned_add(file, distinct_save(&run->tally.orders, bytes, room), 0);
    for (const struct piece *p = ws->pieces.first; p != NULL; p = p->next) {
        size_t n;

        bytes = learned_room(file, &room);
        n = pieces_save(ws, p, bytes, room, &skip);
        if (n == 0)
            return err_set_at(&run->why, SN_EINVAL, path, 0,
                              "is not written, since what is left of the search cannot be saved");
        learned_add(file, n, skip);
    }
    return 0;
}

int resume_write(struct run *run, const struct workers *ws)
{
    struct learned l = {
        .trials = run->resumed.trials + run->result.trials,
        .failures = run->resumed.failures + run->result.failures,
        .stuck = run->resumed.stuck + run->result.stuck,
        .was_cut = run->resumed.was_cut || run->result.cut > 0,
        .has_left_phase = run->resumed.has_left_phase || workers_have_left_phase(ws),
        /* Such a run ends in the middle of a trial that nobody will run again. */
        .is_incomplete = ws->pieces.is_incomplete || ws->was_killed ||
                         run->result.nondeterministic || run->result.verdict == SN_UNCONTROLLED,
    };
    struct learned_file file;
    char path[FILE_PATH_MAX];
    int rc = name_file(run, path, sizeof(path), &run->why);

    if (rc < 0 || path[0] == '\0' || check_saving(run, ws, NULL) < 0)
        return rc;
    describe(run, &l);
    for (uint32_t i = 0; i < LEFTS; i++)
        l.left[i] = run->resumed.left[i] + pieces_left(ws, i, true);
    memcpy(l.texts[LEARNED_WITHIN], ws->pieces.within, sizeof(ws->pieces.within));
    rc = learned_begin(&file, &l, &run->why);
    if (rc < 0)
        return rc;
    rc = add_pieces(run, ws, &file, path);
    if (rc == 0)
        rc = learned_write(&file, path, run->request->checkpoint != NULL, &run->why);
    learned_done(&file);
    return rc;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Whether a file is of this run. What was learned at random may serve another build of a program,
 * but what a systematic search knows is about this one. */
static int check(const struct run *run, const struct workers *ws, const struct learned *l,
                 const char *path, struct err *why)
{
    struct learned own = {.trials = 0};

    describe(run, &own);
    if (strcmp(l->texts[LEARNED_STRATEGY], own.texts[LEARNED_STRATEGY]) != 0 || l->seed != own.seed)
        return err_set(why, SN_EINVAL,
                       "%s is of strategy %s and seed %" PRIu64 ": a run can go on only with these",
                       path, l->texts[LEARNED_STRATEGY], l->seed);
    if (strcmp(l->texts[LEARNED_TEST], own.texts[LEARNED_TEST]) != 0)
        return err_set(why, SN_EINVAL, "%s is of the test %s: a run can go on only with the same",
                       path, l->texts[LEARNED_TEST]);
    if (!ws->is_dealt && strcmp(l->texts[LEARNED_BUILD], own.texts[LEARNED_BUILD]) != 0)
        return err_set(why, SN_EINVAL,
                       "%s is of another build of the program: what it says of the schedules that "
                       "were run is not about this one",
                       path);
    return 0;
}

static int load_dealt(struct run *run, struct workers *ws, struct learned_file *file)
{
    uint64_t skip;
    size_t n;
    const unsigned char *bytes = learned_next(file, &n, &skip);
    int rc = bytes != NULL ? learned_load(bytes, n, run->phases, run->n_phases, &run->why)
                           : err_set(&run->why, SN_EFORMAT, "what was learned is not whole");

    for (uint32_t i = 0; i < ws->n && rc == 0; i++) {
        struct worker *w = ws->list[i];

        rc = learned_load(bytes, n, w->phases, w->n_phases, &run->why);
        w->told = file->learned.trials;
    }
    return rc;
}

static int load_pieces(struct run *run, struct workers *ws, struct learned_file *file)
{
    uint64_t skip;
    size_t n;
    const unsigned char *bytes = learned_next(file, &n, &skip);
    int rc = 0;

    if (bytes == NULL || distinct_load(&run->tally.orders, bytes, n) < 0)
        return err_set(&run->why, SN_EFORMAT, "what was learned is not whole");
    run->tally.earlier_orders = distinct_count(&run->tally.orders);
    pieces_clear(ws);
    while (rc == 0 && (bytes = learned_next(file, &n, &skip)) != NULL)
        rc = pieces_load(ws, bytes, n, skip, &run->why);
    if (rc == 0 && !learned_is_read(file))
        return err_set(&run->why, SN_EFORMAT, "what was learned is not whole");
    ws->first_trial = file->learned.trials;
    ws->pieces.is_incomplete = file->learned.is_incomplete;
    (void)snprintf(ws->pieces.within, sizeof(ws->pieces.within), "%.63s",
                   file->learned.texts[LEARNED_WITHIN]);
    return rc;
}

/* Puts everybody where the last run ended. */
static int go_on(struct run *run, struct workers *ws, struct learned_file *file)
{
    struct board *board = ws->job.board;
    uint64_t trials = file->learned.trials;

    run->resumed = file->learned;
    run->result.earlier_trials = trials;
    run->result.earlier_failures = file->learned.failures;
    atomic_store(&board->next, trials);
    atomic_store(&board->taken, trials);
    atomic_store(&board->limit, trials + request_iterations(run->request));
    return ws->is_dealt ? load_dealt(run, ws, file) : load_pieces(run, ws, file);
}

int resume_read(struct run *run, struct workers *ws)
{
    const struct run_request *request = run->request;
    struct learned_file file;
    char path[FILE_PATH_MAX];
    int rc = name_file(run, path, sizeof(path), &run->why);

    if (rc < 0 || (!request->resume && request->checkpoint == NULL) || path[0] == '\0')
        return rc;
    rc = check_saving(run, ws, &run->why);
    if (rc < 0)
        return rc;
    rc = learned_read(&file, path, &run->why);
    if (rc == SN_ENOTFOUND)
        /* The first run. It is good to know now that the file can be written. */
        return request->checkpoint != NULL ? resume_write(run, ws) : 0;
    if (rc < 0)
        return rc;
    rc = check(run, ws, &file.learned, path, &run->why);
    if (rc == 0)
        rc = go_on(run, ws, &file);
    learned_done(&file);
    return rc;
}
