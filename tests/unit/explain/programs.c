/* programs.c - see programs.h. SPDX-License-Identifier: MIT */
#include "programs.h"

static struct made_up program;

static struct made_up *open(const struct made_up *p)
{
    program = *p;
    made_up_open(&program);
    return &program;
}

/* ---- Race ----------------------------------------------------------------------------------- */

static bool race_fails(const struct made_up_run *run)
{
    return before(run, 1, 0);
}

struct made_up *program_race(void)
{
    static const struct made_up_op ops[] = {{.object = 0}, {.object = 0}};
    static const uint32_t order[] = {1, 0};

    return open(&(struct made_up){
        .ops = ops, .n_ops = 2, .order = order, .n_order = 2, .fails = race_fails});
}

/* ---- Two orders ----------------------------------------------------------------------------- */

static bool two_orders_fail(const struct made_up_run *run)
{
    return before(run, 3, 1) && before(run, 1, 4);
}

struct made_up *program_two_orders(void)
{
    static const struct made_up_op ops[] = {{0}, {0}, {0}, {0}, {0}};
    static const uint32_t order[] = {0, 3, 1, 2, 4};

    return open(&(struct made_up){
        .ops = ops, .n_ops = 5, .order = order, .n_order = 5, .fails = two_orders_fail});
}

/* ---- Four orders ---------------------------------------------------------------------------- */

static bool four_orders_fail(const struct made_up_run *run)
{
    return before(run, 0, 1) && before(run, 2, 3) && before(run, 4, 5) && before(run, 6, 7);
}

static const struct made_up_op pairs[] = {
    {0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 2},  {0, 2},  {0, 3},  {0, 3},
    {0, 4}, {0, 4}, {0, 5}, {0, 5}, {0, 6},  {0, 6},  {0, 7},  {0, 7},
    {0, 8}, {0, 8}, {0, 9}, {0, 9}, {0, 10}, {0, 10}, {0, 11}, {0, 11},
};
static const uint32_t pairs_order[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                       12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};

struct made_up *program_four_orders(void)
{
    return open(&(struct made_up){
        .ops = pairs, .n_ops = 24, .order = pairs_order, .n_order = 24, .fails = four_orders_fail});
}

/* ---- Twelve orders -------------------------------------------------------------------------- */

static bool twelve_orders_fail(const struct made_up_run *run)
{
    for (uint32_t i = 0; i < 24; i += 2) {
        if (!before(run, i, i + 1))
            return false;
    }
    return true;
}

struct made_up *program_twelve_orders(void)
{
    return open(&(struct made_up){.ops = pairs,
                                  .n_ops = 24,
                                  .order = pairs_order,
                                  .n_order = 24,
                                  .fails = twelve_orders_fail});
}

/* ---- Disjunction and exclusive or ----------------------------------------------------------- */

static bool disjunction_fails(const struct made_up_run *run)
{
    return before(run, 0, 1) || before(run, 2, 3);
}

struct made_up *program_disjunction(void)
{
    return open(&(struct made_up){
        .ops = pairs, .n_ops = 6, .order = pairs_order, .n_order = 6, .fails = disjunction_fails});
}

static bool exclusive_fails(const struct made_up_run *run)
{
    return before(run, 0, 1) != before(run, 2, 3);
}

struct made_up *program_exclusive(void)
{
    static const uint32_t order[] = {0, 1, 3, 2};

    return open(&(struct made_up){
        .ops = pairs, .n_ops = 4, .order = order, .n_order = 4, .fails = exclusive_fails});
}

/* ---- Acknowledgements ----------------------------------------------------------------------- */

static bool acknowledgements_fail(const struct made_up_run *run)
{
    return before(run, 0, 4) + before(run, 1, 4) + before(run, 2, 4) + before(run, 3, 4) >= 2;
}

struct made_up *program_acknowledgements(void)
{
    static const struct made_up_op ops[] = {{0}, {0}, {0}, {0}, {0}};
    static const uint32_t order[] = {0, 1, 4, 2, 3};

    return open(&(struct made_up){
        .ops = ops, .n_ops = 5, .order = order, .n_order = 5, .fails = acknowledgements_fail});
}

/* ---- Set-up --------------------------------------------------------------------------------- */

static bool set_up_exists(const struct made_up_run *run, uint32_t op)
{
    return op != 2 || before(run, 0, 1);
}

static bool set_up_fails(const struct made_up_run *run)
{
    return run->at[2] != MADE_UP_NEVER && before(run, 2, 3);
}

/* 2 is announced by 1 (or never), 3 is there from the start. */
struct made_up *program_set_up(void)
{
    static const struct made_up_op ops[] = {{0, 0}, {0, 0}, {2, 1}, {0, 1}};
    static const uint32_t order[] = {0, 1, 2, 3};

    return open(&(struct made_up){.ops = ops,
                                  .n_ops = 4,
                                  .order = order,
                                  .n_order = 4,
                                  .exists = set_up_exists,
                                  .fails = set_up_fails});
}

/* ---- Pending -------------------------------------------------------------------------------- */

/* Two take the locks 0 and 1 in opposite orders: 0 and 2 are the first locks, 1 and 3 the second
 * ones, which need the other's first lock; 1 asks for what 2 has, 3 for what 0 has. */
static bool locks_exist(const struct made_up_run *run, uint32_t op)
{
    if (op == 1)
        return run->at[2] == MADE_UP_NEVER || run->at[3] != MADE_UP_NEVER;
    if (op == 3)
        return run->at[0] == MADE_UP_NEVER || run->at[1] != MADE_UP_NEVER;
    return true;
}

static bool locks_fail(const struct made_up_run *run)
{
    return run->at[1] == MADE_UP_NEVER && run->at[3] == MADE_UP_NEVER;
}

struct made_up *program_pending(void)
{
    static const struct made_up_op ops[] = {{0, 0}, {1, 1}, {0, 1}, {3, 0}};
    static const uint32_t order[] = {0, 2, 3, 1};

    return open(&(struct made_up){.ops = ops,
                                  .n_ops = 4,
                                  .order = order,
                                  .n_order = 4,
                                  .n_steps = 2,
                                  .exists = locks_exist,
                                  .fails = locks_fail});
}

/* ---- Values --------------------------------------------------------------------------------- */

static bool value_fails(const struct made_up_run *run)
{
    return run->draws[1] == 2 && before(run, 0, 1);
}

struct made_up *program_value(void)
{
    static const uint32_t values[] = {4, 3, 2};
    static const uint32_t drawn[] = {1, 2, 1};

    return open(&(struct made_up){.ops = pairs,
                                  .n_ops = 4,
                                  .order = pairs_order,
                                  .n_order = 4,
                                  .values = values,
                                  .n_draws = 3,
                                  .drawn = drawn,
                                  .fails = value_fails});
}

/* ---- Noise ---------------------------------------------------------------------------------- */

enum { NOISE = 80 };

struct made_up *program_noise(void)
{
    static struct made_up_op ops[NOISE];
    static uint32_t order[NOISE];

    for (uint32_t i = 0; i < NOISE; i++) {
        ops[i].after = i >= 12 ? i - 10 + 1 : 0; /* ten that do one thing after another */
        order[i] = i;
    }
    order[0] = 1;
    order[1] = 0;
    return open(&(struct made_up){
        .ops = ops, .n_ops = NOISE, .order = order, .n_order = NOISE, .fails = race_fails});
}
