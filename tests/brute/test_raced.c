/* test_raced.c - what conflict analysis finds in trials of random programs of machines, learns from
 * them and does about it, against brute force.
 *
 *     test_raced [PROGRAMS [SEED]]
 *
 * The programs run under strategies with conflict analysis. The enumerator goes the way of each
 * trial again, by rules of its own, and says of each step what it needs and what it touches.
 * SPDX-License-Identifier: MIT
 */
#include "campaign.h"
#include "generate.h"
#include "situation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "raced_claims.h" /* uses cmocka */

static uint64_t n_programs = 1000;
static uint64_t first_seed = 1;
static uint64_t features[FEATURES];

/* ---- A trial as the enumerator sees it ------------------------------------------------------- */

/* The way to a leaf. */
struct way_back {
    const struct program *program;
    struct tree *tree;
    const struct leaf *leaf;
    uint32_t at; /* decisions so far */
};

static uint8_t next_choice(struct way_back *w)
{
    return w->tree->choices[w->leaf->first_choice + w->at++];
}

static uint8_t draw_again(void *self, uint8_t n)
{
    (void)n;
    return next_choice(self);
}

/* What stands in one queue with others; 0: it stands alone. */
static uint32_t queue_of(const struct op *op)
{
    if (op->kind != OP_DELIVER || op->is_copy || op->order == SN_UNORDERED)
        return 0;
    return 1 + op->to + (op->order == SN_INBOX ? 0 : (1 + op->from) * 256U);
}

/* Who a machine is follows from the step that created it and from how much that had announced
 * before: a machine counts once, and once more its start. */
static uint32_t place_of(const struct row *row)
{
    return row->index + row->n_created;
}

static uint64_t stamp_of_step(const struct tree *tree, uint32_t number)
{
    uint64_t stamp = STAMP_TEST;
    uint32_t rows[STEPS_MAX + 1];
    uint32_t n = 0;

    for (; number != 0 && n <= STEPS_MAX; number = tree->rows[number].parent)
        rows[n++] = number;
    while (n-- > 0) {
        const struct row *row = &tree->rows[rows[n]];

        stamp = stamp_child(stamp, place_of(row) + (row->kind == OP_START));
    }
    return stamp;
}

static uint64_t who_is(const struct tree *tree, uint32_t start)
{
    const struct row *row = &tree->rows[start];

    return stamp_child(stamp_of_step(tree, row->parent), place_of(row));
}

static struct raced_op raced_op_of(const struct tree *tree, const struct situation *s,
                                   const struct op *op)
{
    bool is_fault = op->kind >= OP_FAULT;
    bool is_timer = op->kind == OP_TIMER || op->kind == OP_TIMER_ANY;
    uint32_t kind = is_timer ? OP_TIMER : op->kind == OP_REPAIR_ANY ? OP_REPAIR : op->kind;
    uint32_t event = op->kind == OP_START ? 0 : kind == OP_REPAIR ? op->event != 0 : op->event;

    return (struct raced_op){.kind = {.who = is_fault ? 0 : who_is(tree, s->actors[op->to].row),
                                      .what = kind << 8 | event},
                             .is_always_explored = is_fault || op->kind == OP_TIMER_ANY};
}

static uint32_t count_due(const struct situation *s)
{
    uint32_t n = 0;

    for (uint8_t i = 0; i < s->n_ops; i++)
        n += s->ops[i].is_due;
    return n;
}

/* Of each step so far. */
struct course {
    struct step steps[STEPS_MAX + 1];
    uint32_t queues[STEPS_MAX + 1];
    uint32_t tasks[STEPS_MAX + 1];
    bool is_start[STEPS_MAX + 1];
    uint32_t late; /* the last step before which time had to pass */
};

/* What a step could not be without. */
static uint64_t needs_of(const struct course *c, uint32_t k)
{
    uint64_t needs = c->late != 0 ? steps_before(c->late) : 0;
    uint32_t previous = 0;

    if (c->steps[k].cause != 0)
        needs |= STEP_BIT(c->steps[k].cause);
    for (uint32_t i = 1; i < k; i++) {
        if (c->tasks[i] == c->tasks[k] && c->is_start[i])
            needs |= STEP_BIT(i);
        if (c->queues[k] != 0 && c->queues[i] == c->queues[k])
            previous = i;
    }
    return previous != 0 ? needs | STEP_BIT(previous) : needs;
}

static bool do_clash(const struct step *a, const struct step *b)
{
    return (a->touched & b->touched) != 0 || (a->watchers & b->watchers) != 0 ||
           (a->inboxes & b->inboxes) != 0 || a->changes_all || b->changes_all ||
           (a->struck & b->looks) != 0 || (a->looks & b->struck) != 0 ||
           (a->aims & b->touched) != 0 || (a->touched & b->aims) != 0;
}

static void take_step(struct performer *p, struct way_back *w, struct course *c,
                      struct raced_trial *out, const uint8_t *enabled)
{
    uint32_t k = ++out->paths.n;
    uint8_t choice = next_choice(w);
    struct op op = p->s->ops[enabled[choice]];

    out->ran[k] = out->pending[k][choice];
    c->queues[k] = queue_of(&op);
    c->tasks[k] = op.to;
    c->is_start[k] = op.kind == OP_START;
    p->step = &c->steps[k];
    situation_perform(p, enabled[choice]);
    out->paths.needs[k] = needs_of(c, k);
    for (uint32_t i = 1; i < k; i++) {
        if (do_clash(&c->steps[i], &c->steps[k]))
            out->paths.clashes[k] |= STEP_BIT(i);
    }
}

static void go_again(struct way_back *w, struct raced_trial *out)
{
    static struct observation observations[OBSERVATIONS_MAX];
    struct situation s = {0};
    struct course c = {0};
    struct performer p = {.program = w->program,
                          .s = &s,
                          .step = &c.steps[0],
                          .tree = w->tree,
                          .drawer = {draw_again, w},
                          .observations = observations};
    uint8_t enabled[OPS_MAX];

    situation_begin(&p);
    while (w->at < w->leaf->n_choices && !p.is_out_of_bounds) {
        uint32_t k = out->paths.n + 1;
        uint32_t n_due = count_due(&s);

        out->n_pending[k] = situation_enabled(&p, enabled);
        if (count_due(&s) != n_due)
            c.late = k;
        for (uint32_t i = 0; i < out->n_pending[k]; i++)
            out->pending[k][i] = raced_op_of(w->tree, &s, &s.ops[enabled[i]]);
        take_step(&p, w, &c, out, enabled);
    }
    for (int i = 0; i < FEATURES; i++)
        features[i] += p.features[i];
}

static bool read_trial(void *self, uint32_t number, struct raced_trial *out)
{
    struct way_back *w = self;
    const struct captured *c = &captures.all[number];
    uint32_t leaf = find_leaf(w->tree, c->log, c->n_log);

    if (leaf == UINT32_MAX)
        return false;
    w->leaf = &w->tree->leaves[leaf];
    w->at = 0;
    go_again(w, out);
    return w->at == w->leaf->n_choices;
}

/* ---- Programs -------------------------------------------------------------------------------- */

static const char *const strategies[] = {"random+ca", "pos+ca", "posr+ca", "pct+ca:3",
                                         "random+ca:pc"};

enum { STRATEGIES = RACED_STRATEGIES, TRIALS = 40, LONG_EVERY = 100, TRIALS_LONG = 640 };

static void run_strategy(struct campaign *campaign, const struct program *program,
                         const char *strategy, uint64_t n_trials)
{
    struct way_back w = {.program = program, .tree = campaign->tree};
    const struct sn_options options = {.strategy = strategy,
                                       .iterations = n_trials,
                                       .seed = program->seed | 1,
                                       .watch = captures_watch};
    struct sn_result result = {0};
    struct sn_test test;

    raced_begin(strstr(strategy, ":pc") != NULL);
    interpret_prepare(program, SN_WORLD_TRIAL, &test, &campaign->comparison->record);
    assert_int_equal(sn_run(&test, &options, &result), 0);
    if (!raced_compare(&result, read_trial, &w, &totals))
        print_message("# program %llu, %s%s\n", (unsigned long long)program->seed, strategy,
                      program_has_faults(program) ? ", with faults" : "");
}

static const struct limits limits = {.leaves_min = 2, .leaves_max = 400, .steps_max = 12};

static int run_programs(void **state)
{
    struct campaign *campaign = campaign_new();
    uint64_t random = first_seed;
    struct program program;
    uint64_t before;

    (void)state;
    while (totals.n_programs < n_programs) {
        random = stamp_child(random, 1);
        generate(random, &program);
        if (!enumerate(&program, &limits, campaign->tree, campaign->features))
            continue;
        comparison_begin(campaign->comparison, campaign->tree, program.seed);
        if (compare(campaign->comparison, &program, WAY_WALK) != WRONG_NOTHING)
            continue;
        before = totals.n_waited;
        run_strategy(campaign, &program, strategies[totals.n_programs % STRATEGIES],
                     totals.n_programs % LONG_EVERY == 0 ? TRIALS_LONG : TRIALS);
        n_waited[totals.n_programs % STRATEGIES] += totals.n_waited - before;
        totals.n_programs++;
    }
    raced_print_totals("machines", &totals);
    return 0;
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static void every_trial_is_a_schedule_of_its_program(void **state)
{
    (void)state;
    assert_true(totals.n_trials > 0);
    assert_int_equal(totals.n_odd, 0);
}

static void operations_are_of_one_kind_if_who_and_what_are_the_same(void **state)
{
    (void)state;
    assert_true(totals.n_kinds > 0);
    assert_int_equal(totals.n_wrong_kinds, 0);
}

static void queues_timers_monitors_and_faults_were_met(void **state)
{
    static const enum feature wanted[] = {
        MET_TIMER,
        MET_TIMER_ANY,
        MET_EQUAL_DEADLINES,
        MET_CANCELLED,
        MET_MONITOR,
        MET_OVERTAKEN,
        MET_INBOX_WAIT,
        MET_LINK_OF_OWN,
        MET_DRAW,
        MET_HALT,
        MET_CREATED_BY_MACHINE,
        MET_DEFERRED_SKIPPED,
        MET_LOST,
        MET_DOUBLED,
        MET_CRASH,
        MET_STOP,
        MET_REBORN,
        MET_LATE,
        MET_HEALED,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        assert_true(features[wanted[i]] > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        RACED_CLAIMS,
        cmocka_unit_test(every_trial_is_a_schedule_of_its_program),
        cmocka_unit_test(operations_are_of_one_kind_if_who_and_what_are_the_same),
        cmocka_unit_test(queues_timers_monitors_and_faults_were_met),
    };

    if (argc > 1)
        n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, run_programs, NULL);
}
