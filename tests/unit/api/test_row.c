/* test_row.c - the row of pieces of a systematic search, with workers that the test plays itself.
 * SPDX-License-Identifier: MIT
 */
#include "api/learned.h"
#include "api/workers.h"
#include "base/bytes.h"

#include <sennit/sennit.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TRIALS = 100, ROOM = 256, NOBODY = 1 << 30 /* the number of no process */ };

/* ---- A strategy that runs trials from one number to another --------------------------------- */

struct stretch {
    uint64_t next;
    uint64_t end;
    bool has_run;
};

/* What a strategy may expect of the states that it is given. */
static bool was_used;

static int stretch_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct stretch *stretch = self;

    (void)parameters;
    (void)seed;
    (void)error;
    (void)size;
    stretch->end = TRIALS;
    return 0;
}

static bool stretch_begin(void *self, uint64_t trial, uint64_t *keep)
{
    const struct stretch *stretch = self;

    (void)trial;
    (void)keep;
    return stretch->next < stretch->end;
}

static uint32_t stretch_pick(void *self, const struct sn_pending *pending)
{
    (void)self;
    (void)pending;
    return 0;
}

static size_t stretch_save(const void *self, void *bytes, size_t room)
{
    const struct stretch *stretch = self;
    unsigned char *to = bytes;

    if (room >= 16) {
        bytes_put(to, stretch->next);
        bytes_put(to + 8, stretch->end);
    }
    return 16;
}

static int stretch_load(void *self, const void *bytes, size_t n)
{
    struct stretch *stretch = self;
    const unsigned char *from = bytes;

    was_used |= stretch->has_run;
    if (n != 16)
        return -1;
    stretch->next = bytes_get(from);
    stretch->end = bytes_get(from + 8);
    return 0;
}

static bool stretch_split(void *self, void *other)
{
    struct stretch *stretch = self;
    struct stretch *with = other;
    uint64_t half = (stretch->end - stretch->next) / 2;

    was_used |= with->has_run;
    if (half == 0)
        return false;
    with->next = stretch->end - half;
    with->end = stretch->end;
    stretch->end = with->next;
    return true;
}

static bool stretch_is_exhausted(const void *self)
{
    (void)self;
    return true;
}

static const struct sn_strategy stretch_strategy = {.name = "stretch",
                                                    .state_size = sizeof(struct stretch),
                                                    .init = stretch_init,
                                                    .begin = stretch_begin,
                                                    .pick = stretch_pick,
                                                    .save = stretch_save,
                                                    .load = stretch_load,
                                                    .split = stretch_split,
                                                    .is_exhausted = stretch_is_exhausted};

/* ---- A run of two workers, none of which is a process --------------------------------------- */

static struct workers *ws;
static struct board *board;
static uint64_t n_taken;

static bool take_trial(void *self, uint64_t trial, const struct board_entry *entry,
                       const struct worker *worker, const struct findings *findings,
                       const struct worker_finding *found)
{
    (void)self;
    (void)worker;
    (void)findings;
    (void)found;
    assert_int_equal(trial, n_taken);
    n_taken++;
    return entry->verdict == SN_PASSED;
}

static void run_nothing(void)
{
}

static const struct sn_test nothing = {.name = "nothing", .run = run_nothing};
static const struct run_request request = {
    .test = &nothing, .options = {.strategy = "stretch", .iterations = TRIALS}, .jobs = 2};
static const struct workers_client client = {.trial = take_trial};

static int open_run(void **state)
{
    struct worker_job job = {.request = &request};
    struct err why;

    (void)state;
    ws = mem_reserve_shared(sizeof(*ws), &why);
    board = mem_reserve_shared(sizeof(*board), &why);
    if (ws == NULL || board == NULL)
        return -1;
    job.board = board;
    atomic_store(&board->limit, TRIALS);
    ws->client = &client;
    n_taken = 0;
    was_used = false;
    if (workers_open(ws, 2, &job, engine_get(&why), &why) < 0)
        return -1;
    for (uint32_t i = 0; i < ws->n; i++) {
        ws->list[i]->pid = NOBODY;
        atomic_store(&ws->list[i]->is_waiting, true);
    }
    pieces_assign(ws);
    return 0;
}

static int close_run(void **state)
{
    (void)state;
    workers_close(ws);
    mem_release(ws, sizeof(*ws));
    mem_release(board, sizeof(*board));
    return 0;
}

static struct stretch *stretch_of(struct piece *p)
{
    return p->phases[0].self;
}

/* A worker runs so many trials of the piece that it has. */
static void run_trials(struct worker *w, uint64_t n)
{
    struct piece *p = w->piece;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t trial = atomic_load(&p->done);

        *piece_entry(p, trial) = (struct board_entry){.worker = w->number, .verdict = SN_PASSED};
        stretch_of(p)->next++;
        stretch_of(p)->has_run = true;
        piece_put(p, trial);
    }
    if (stretch_of(p)->next == stretch_of(p)->end)
        atomic_store(&p->is_over, true);
}

/* It waits for orders, and the parent takes what there is and gives them. */
static void wait_for_orders(struct worker *w)
{
    atomic_store(&w->is_waiting, true);
    (void)pieces_take(ws);
    pieces_assign(ws);
}

/* The first worker runs a trial, and the second one gets half of the rest. */
static void divide_once(void)
{
    run_trials(ws->list[0], 1);
    (void)pieces_take(ws);
    pieces_assign(ws);
    wait_for_orders(ws->list[0]);
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void a_worker_without_work_gets_the_half_that_comes_last(void **state)
{
    (void)state;
    divide_once();

    assert_int_equal(stretch_of(ws->list[0]->piece)->end, 51);
    assert_int_equal(stretch_of(ws->list[1]->piece)->next, 51);
    assert_ptr_equal(ws->list[0]->piece->next, ws->list[1]->piece);
    assert_int_equal(n_taken, 1);
}

static void a_failure_is_waited_for_until_its_trial_is_there(void **state)
{
    struct piece *p = ws->list[0]->piece;

    (void)state;
    piece_entry(p, 0)->verdict = SN_FAILED;
    piece_fail(p, 0);
    assert_true(pieces_take(ws));
    assert_int_equal(n_taken, 0);

    piece_put(p, 0);
    assert_false(pieces_take(ws));
    assert_int_equal(n_taken, 1);
}

static void a_piece_that_is_used_again_gets_its_half_in_a_state_that_has_done_nothing(void **state)
{
    struct piece *first = ws->list[0]->piece;

    (void)state;
    divide_once();
    run_trials(ws->list[0], 50);
    wait_for_orders(ws->list[0]); /* its piece is over, and the other one is the first */
    run_trials(ws->list[1], 1);
    (void)pieces_take(ws);
    pieces_assign(ws);
    wait_for_orders(ws->list[1]);

    assert_ptr_equal(ws->list[0]->piece, first);
    assert_int_equal(stretch_of(first)->end, TRIALS);
    assert_false(was_used);
}

static void
a_worker_goes_on_with_the_piece_of_another_in_a_state_that_has_done_nothing(void **state)
{
    struct piece *second;

    (void)state;
    divide_once();
    second = ws->list[1]->piece;
    run_trials(ws->list[1], 3);
    ws->list[1]->piece = NULL; /* it has died between two trials */
    ws->list[1]->pid = 0;
    second->worker = NULL;
    run_trials(ws->list[0], 50);
    wait_for_orders(ws->list[0]);

    assert_ptr_equal(ws->list[0]->piece, second);
    assert_int_equal(stretch_of(second)->next, 54);
    assert_false(was_used);
}

/* What another run would go on with. */
static uint64_t saved_next(const struct piece *p, uint64_t *skip)
{
    struct explore_phase phases[EXPLORE_PHASES_MAX];
    struct stretch stretch = {0};
    unsigned char bytes[ROOM];
    struct err why;
    size_t n = pieces_save(ws, p, bytes, sizeof(bytes), skip);

    assert_in_range(n, 1, ROOM);
    memcpy(phases, p->phases, sizeof(phases));
    phases[0].self = &stretch;
    assert_int_equal(learned_load(bytes, n, phases, 1, &why), 0);
    return stretch.next;
}

static void while_a_piece_is_run_its_state_is_what_it_was_when_it_was_last_kept(void **state)
{
    struct piece *p = ws->list[0]->piece;
    uint64_t skip;

    (void)state;
    run_trials(ws->list[0], 7);
    (void)pieces_take(ws);
    assert_int_equal(saved_next(p, &skip), 0);
    assert_int_equal(skip, 7);

    pieces_call_to_save(ws);
    assert_true(atomic_load(&ws->list[0]->is_called));
    wait_for_orders(ws->list[0]);
    assert_true(ws->pieces.is_saved);
    run_trials(ws->list[0], 2);
    (void)pieces_take(ws);
    assert_int_equal(saved_next(p, &skip), 7);
    assert_int_equal(skip, 2);
}

static void trials_that_were_not_taken_are_run_again(void **state)
{
    uint64_t skip;

    (void)state;
    divide_once();
    run_trials(ws->list[1], 5); /* behind those of the first piece, which has more */
    (void)pieces_take(ws);

    assert_int_equal(n_taken, 1);
    assert_int_equal(saved_next(ws->list[1]->piece, &skip), 51);
    assert_int_equal(skip, 0);
}

static void a_trial_that_was_killed_is_run_again(void **state)
{
    struct piece *p = ws->list[0]->piece;
    uint64_t skip;

    (void)state;
    run_trials(ws->list[0], 7);
    (void)pieces_take(ws);
    pieces_call_to_save(ws);
    wait_for_orders(ws->list[0]);
    stretch_of(p)->next++; /* in the middle of the next one */
    ws->is_over = p->was_killed_in_trial = true;

    assert_int_equal(saved_next(p, &skip), 7);
    assert_int_equal(skip, 0);
}

static void trials_that_will_be_left_again_are_not_saved_as_left(void **state)
{
    struct piece *p = ws->list[0]->piece;

    (void)state;
    run_trials(ws->list[0], 3);
    atomic_store(&p->left[LEFT_BLOCKED], 5);
    (void)pieces_take(ws);
    pieces_call_to_save(ws);
    wait_for_orders(ws->list[0]);
    run_trials(ws->list[0], 1);
    atomic_store(&p->left[LEFT_BLOCKED], 7);

    assert_int_equal(pieces_left(ws, LEFT_BLOCKED, false), 7);
    assert_int_equal(pieces_left(ws, LEFT_BLOCKED, true), 5);
    (void)pieces_take(ws);
    ws->is_over = true;
    assert_int_equal(pieces_left(ws, LEFT_BLOCKED, true), 7);
}

#define row_test(claim) cmocka_unit_test_setup_teardown(claim, open_run, close_run)

static void a_trial_of_any_worker_may_have_left_its_first_phase(void **state)
{
    static struct workers both;
    static struct worker first;
    static struct worker second;

    (void)state;
    both.n = 2;
    both.list[0] = &first;
    both.list[1] = &second;
    assert_false(workers_have_left_phase(&both));
    second.has_left_phase = true;
    assert_true(workers_have_left_phase(&both));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        row_test(a_worker_without_work_gets_the_half_that_comes_last),
        row_test(a_failure_is_waited_for_until_its_trial_is_there),
        row_test(a_piece_that_is_used_again_gets_its_half_in_a_state_that_has_done_nothing),
        row_test(a_worker_goes_on_with_the_piece_of_another_in_a_state_that_has_done_nothing),
        row_test(while_a_piece_is_run_its_state_is_what_it_was_when_it_was_last_kept),
        row_test(trials_that_were_not_taken_are_run_again),
        row_test(a_trial_that_was_killed_is_run_again),
        row_test(trials_that_will_be_left_again_are_not_saved_as_left),
        cmocka_unit_test(a_trial_of_any_worker_may_have_left_its_first_phase),
    };

    if (sn_strategy_register(&stretch_strategy) < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
