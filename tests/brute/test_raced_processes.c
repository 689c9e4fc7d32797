/* test_raced_processes.c - what conflict analysis finds in trials of random programs of processes,
 * learns from them and does about it, against brute force.
 *
 *     test_raced_processes [PROGRAMS [SEED]]
 *
 * The programs run under strategies with conflict analysis. A strategy of our own then follows the
 * logs of their trials and notes whose step came when, and what else could have; process_model.c
 * takes the same steps by rules of its own, and says what each of them touches and takes.
 * SPDX-License-Identifier: MIT
 */
#include "process_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "raced_claims.h" /* uses cmocka */

static uint64_t n_programs = 1000;
static uint64_t first_seed = 1;
static uint64_t n_late;  /* steps before which time had to pass */
static uint64_t n_taken; /* steps that took what another process had sent */
static uint64_t n_kinds[CALL_KINDS];

/* ---- Following logs -------------------------------------------------------------------------- */

/* A trial, as the public headers show it. */
struct followed {
    uint32_t n;
    bool is_astray;
    uint8_t next[PATHS_STEPS_MAX + 1]; /* from 0 on: the process */
    uint8_t ran[PATHS_STEPS_MAX + 1];  /* from 1 on, as all below: its place in pending */
    uint8_t n_pending[PATHS_STEPS_MAX + 1];
    struct raced_op pending[PATHS_STEPS_MAX + 1][PROCESSES];
};

static struct followed followed[CAPTURED_TRIALS_MAX];
static uint32_t following; /* the present trial */

/* What operations are called, each text once. */
static uint32_t number_of(const char *text)
{
    enum { TEXTS_MAX = 256, TEXT_SIZE = 100 };
    static char texts[TEXTS_MAX][TEXT_SIZE];
    static uint32_t n;
    uint32_t i = 0;

    while (i < n && strcmp(texts[i], text) != 0)
        i++;
    assert_true(i < TEXTS_MAX && strlen(text) < TEXT_SIZE);
    if (i == n)
        strcpy(texts[n++], text);
    return i;
}

static struct raced_op raced_op_of(const struct sn_op *op)
{
    const struct sn_event *what = op->what;
    bool is_process = op->kind != SN_OP_START;

    return (struct raced_op){.kind = {.who = op->task,
                                      .what = number_of(what->name) << 1 | is_process,
                                      .site = is_process ? op->site : 0},
                             .is_always_explored = (op->flags & SN_OP_ANY_TIME) != 0};
}

static bool follow_begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    (void)keep;
    if (trial >= captures.n)
        return false;
    following = (uint32_t)trial;
    followed[trial].n = 0;
    followed[trial].is_astray = false;
    return true;
}

static uint32_t follow_pick(void *self, const struct sn_pending *pending)
{
    const struct captured *c = &captures.all[following];
    struct followed *f = &followed[following];
    uint32_t n = sn_pending_count(pending);
    uint32_t found = UINT32_MAX;

    (void)self;
    if (f->n == c->n_log || f->n == PATHS_STEPS_MAX || n > PROCESSES) {
        f->is_astray = true;
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct sn_op *op = sn_pending_op(pending, i);

        f->pending[f->n + 1][i] = raced_op_of(op);
        if (op->id != c->log[f->n])
            continue;
        found = i;
        f->next[f->n] = (uint8_t)(op->task - 1);
    }
    f->is_astray |= found == UINT32_MAX;
    f->n++;
    f->n_pending[f->n] = (uint8_t)n;
    f->ran[f->n] = (uint8_t)found;
    return found;
}

static uint64_t follow_draw(void *self, const struct sn_draw *draw)
{
    (void)self;
    (void)draw;
    followed[following].is_astray = true; /* no program draws */
    return 0;
}

static const struct sn_strategy follow_strategy = {
    .name = "brute-follow",
    .about = "the logs of an earlier run",
    .state_size = 8,
    .begin = follow_begin,
    .pick = follow_pick,
    .draw = follow_draw,
};

/* ---- A trial as the model sees it ------------------------------------------------------------ */

/* What a step could not be without: the one before it in its process, everything before time passed
 * last, and the send of what it takes; unless it could have ended without: then it has looked at
 * the mailbox, which the send has changed. */
static uint64_t needs_of(const struct model_step *steps, uint32_t k, uint32_t late)
{
    uint64_t needs = late != 0 ? steps_before(late) : 0;
    uint32_t previous = k - 1;

    while (previous > 0 && steps[previous].self != steps[k].self)
        previous--;
    if (previous > 0)
        needs |= STEP_BIT(previous);
    if (steps[k].sent != 0 && (steps[k].clashes & STEP_BIT(steps[k].sent)) == 0)
        needs |= STEP_BIT(steps[k].sent);
    return needs;
}

static bool read_trial(void *self, uint32_t number, struct raced_trial *out)
{
    const struct followed *f = &followed[number];
    struct model_step steps[MODEL_STEPS + 1];
    uint32_t late = 0;

    (void)self;
    if (f->is_astray || f->n != captures.all[number].n_log ||
        !model_follow(&program, f->next, f->n, steps))
        return false;
    out->paths.n = f->n;
    for (uint32_t k = 1; k <= f->n; k++) {
        late = steps[k].is_late ? k : late;
        n_late += steps[k].is_late;
        n_taken += steps[k].sent != 0 && steps[steps[k].sent].self != steps[k].self;
        out->paths.needs[k] = needs_of(steps, k, late);
        out->paths.clashes[k] = steps[k].clashes;
        out->ran[k] = f->pending[k][f->ran[k]];
        out->n_pending[k] = f->n_pending[k];
        memcpy(out->pending[k], f->pending[k], sizeof(f->pending[k]));
    }
    return true;
}

/* ---- Programs -------------------------------------------------------------------------------- */

static const char *const strategies[] = {"random+ca", "pos+ca", "posr+ca", "pct+ca:3",
                                         "random+ca:pc"};

enum { STRATEGIES = RACED_STRATEGIES, TRIALS = 40, LONG_EVERY = 100, TRIALS_LONG = 640 };

static void run_strategy(const char *strategy, uint64_t number, uint64_t n_trials)
{
    const struct sn_test test = {.name = "brute",
                                 .run = run_program,
                                 .world = SN_WORLD_TRIAL,
                                 .timers = program.any_timers ? SN_TIMERS_ANY : SN_TIMERS_IDEAL};
    const struct sn_options options = {
        .strategy = strategy, .iterations = n_trials, .seed = number + 1, .watch = captures_watch};
    const struct sn_options again = {.strategy = follow_strategy.name, .iterations = n_trials};
    struct sn_result result = {0};
    struct sn_result second = {0};

    raced_begin(strstr(strategy, ":pc") != NULL);
    assert_int_equal(sn_run(&test, &options, &result), 0);
    assert_int_equal(sn_run(&test, &again, &second), 0);
    if (raced_compare(&result, read_trial, NULL, &totals))
        return;
    print_message("# program %llu of seed %llu, %s\n", (unsigned long long)number,
                  (unsigned long long)first_seed, strategy);
    program_print(&program);
}

static void count_calls(void)
{
    for (uint32_t i = 0; i < program.n; i++) {
        for (uint32_t k = 0; k < program.n_calls[i]; k++)
            n_kinds[program.calls[i][k].kind]++;
    }
}

static int run_programs(void **state)
{
    uint64_t before;

    (void)state;
    (void)sn_strategy_register(&follow_strategy);
    for (uint64_t i = 0; i < n_programs; i++) {
        program_draw(&program, first_seed, i);
        program.any_timers = i % 2 == 1;
        count_calls();
        before = totals.n_waited;
        run_strategy(strategies[i % STRATEGIES], i, i % LONG_EVERY == 0 ? TRIALS_LONG : TRIALS);
        n_waited[i % STRATEGIES] += totals.n_waited - before;
        totals.n_programs++;
    }
    raced_print_totals("processes", &totals);
    return 0;
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static void every_trial_is_an_interleaving_of_its_program(void **state)
{
    (void)state;
    assert_true(totals.n_trials > 0);
    assert_int_equal(totals.n_odd, 0);
}

static void operations_are_of_one_kind_if_who_what_and_where_are_the_same(void **state)
{
    (void)state;
    assert_true(totals.n_kinds > 0);
    assert_int_equal(totals.n_wrong_kinds, 0);
}

static void all_calls_timeouts_and_messages_of_others_were_met(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CALL_KINDS; i++)
        assert_true(n_kinds[i] > 0);
    assert_true(n_late > 0);
    assert_true(n_taken > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        RACED_CLAIMS,
        cmocka_unit_test(every_trial_is_an_interleaving_of_its_program),
        cmocka_unit_test(operations_are_of_one_kind_if_who_what_and_where_are_the_same),
        cmocka_unit_test(all_calls_timeouts_and_messages_of_others_were_met),
    };

    if (argc > 1)
        n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, run_programs, NULL);
}
