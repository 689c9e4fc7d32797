/* test_core.c - cores of illegal histories: they are illegal, minimal, and explained.
 * SPDX-License-Identifier: MIT
 */
#include "linear/core.h"

#include "base/rng.h"

#include <sennit/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NIL SN_VALUE_NIL

enum { OPERATIONS_MAX = 32, TEXT_MAX = 8192 };

static char text[TEXT_MAX];

static uint32_t function_of(const struct sn_model *model, const char *name)
{
    uint32_t i = 0;

    while (strcmp(model->functions[i].name, name) != 0)
        i++;
    return i;
}

/* An operation of process `process` from `call` to `ret`, with one argument. */
static struct sn_operation op(const struct sn_model *model, const char *name, sn_value argument,
                              sn_value result, uint64_t call, uint64_t ret)
{
    static uint32_t process;

    return (struct sn_operation){.process = process++ % 4,
                                 .function = function_of(model, name),
                                 .argument = {argument, NIL},
                                 .result = result,
                                 .call = call,
                                 .ret = ret};
}

static enum sn_linear verdict_of(const struct sn_model *model, const struct sn_operation *ops,
                                 size_t n, const struct core_options *options)
{
    struct sn_check_result result;

    assert_int_equal(sn_check_history(model, ops, n, &options->check, &result), 0);
    return result.verdict;
}

static struct core core_of(const struct sn_model *model, const struct sn_operation *ops, size_t n,
                           const struct core_options *options)
{
    struct core core;
    struct err why = {0};

    assert_int_equal(linear_core(model, ops, n, options, &core, &why), 0);
    return core;
}

static const char *text_of(const struct core *core, bool is_json)
{
    struct sn_text out;

    text_init(&out, text, sizeof(text));
    if (is_json)
        core_print_json(core, NULL, &out);
    else
        core_print(core, NULL, "", &out);
    return text;
}

/* ---- What is left --------------------------------------------------------------------------- */

/* A stale read among writes and reads that have nothing to do with it. */
static size_t make_stale(struct sn_operation *ops)
{
    const struct sn_model *model = sn_model_find("register");

    ops[0] = op(model, "write", 1, NIL, 10, 20);
    ops[1] = op(model, "read", NIL, 1, 30, 40);
    ops[2] = op(model, "write", 2, NIL, 50, 60);
    ops[3] = op(model, "read", NIL, 2, 70, 80);
    ops[4] = op(model, "read", NIL, 1, 90, 100);
    ops[5] = op(model, "write", 3, NIL, 110, 120);
    ops[6] = op(model, "read", NIL, 3, 130, 140);
    return 7;
}

static void operations_that_say_nothing_are_left_out(void **unused)
{
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = make_stale(ops);
    struct core_options options = {0};

    (void)unused;

    struct core core = core_of(sn_model_find("register"), ops, n, &options);

    assert_true(core.is_minimal);
    assert_int_equal(core.n, 3);
    assert_int_equal(core.operations[0].index, 0);
    assert_int_equal(core.operations[1].index, 2);
    assert_int_equal(core.operations[2].index, 4);
    core_done(&core);
}

/* Value 3 overtakes value 2, and 1 has nothing to do with it. */
static size_t make_overtaking(struct sn_operation *ops)
{
    const struct sn_model *model = sn_model_find("queue");

    ops[0] = op(model, "enqueue", 1, NIL, 10, 20);
    ops[1] = op(model, "enqueue", 2, NIL, 30, 40);
    ops[2] = op(model, "enqueue", 3, NIL, 50, 60);
    ops[3] = op(model, "dequeue", NIL, 1, 70, 80);
    ops[4] = op(model, "dequeue", NIL, 3, 90, 100);
    ops[5] = op(model, "dequeue", NIL, 2, 110, 120);
    return 6;
}

static void what_may_have_happened_is_kept_apart_from_what_did(void **unused)
{
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = make_overtaking(ops);
    struct core_options options = {0};

    (void)unused;

    struct core core = core_of(sn_model_find("queue"), ops, n, &options);

    assert_int_equal(core.n_definite, 2);
    assert_false(core.operations[0].is_relaxed);
    assert_int_equal(core.operations[1].index, 2);
    assert_true(core.operations[1].is_relaxed);
    assert_false(core.operations[2].is_relaxed);
    assert_non_null(strstr(text_of(&core, false), "at any time after their calls (1):\n"));
    core_done(&core);
}

static void a_linearizable_history_has_no_core(void **unused)
{
    struct sn_operation ops[OPERATIONS_MAX];
    struct core_options options = {0};
    struct core core;
    struct err why;

    (void)unused;
    (void)make_stale(ops);

    assert_int_equal(linear_core(sn_model_find("register"), ops, 4, &options, &core, &why),
                     SN_EINVAL);
    assert_non_null(strstr(why.text, "the history is linearizable"));
    core_done(&core);
}

static void a_core_is_about_one_key(void **unused)
{
    const struct sn_model *model = sn_model_find("map");
    struct core_options options = {0};
    struct sn_operation ops[] = {
        op(model, "write", 1, NIL, 10, 20), op(model, "write", 5, NIL, 30, 40),
        op(model, "read", NIL, 7, 50, 60), op(model, "read", NIL, 1, 70, 80)};

    (void)unused;
    ops[1].key = 9;
    ops[2].key = 9;

    struct core core = core_of(model, ops, 4, &options);

    assert_true(core.has_key);
    assert_int_equal(core.key, 9);
    assert_int_equal(core.n_definite, 1);
    assert_int_equal(core.operations[core.n - 1].index, 2);
    core_done(&core);
}

static void a_value_of_a_queue_is_dropped_with_all_its_operations(void **unused)
{
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = make_overtaking(ops);
    struct core_options options = {0};

    (void)unused;

    struct core core = core_of(sn_model_find("queue"), ops, n, &options);

    assert_int_equal(core.n, 3);
    assert_int_equal(core.operations[0].index, 1);
    assert_int_equal(core.operations[1].index, 2);
    assert_int_equal(core.operations[2].index, 4);
    core_done(&core);
}

/* A history whose last operation alone is impossible, whatever the others are. */
static void assert_only_the_last_is_left(const struct sn_model *model,
                                         const struct sn_operation *ops, size_t n)
{
    struct core_options options = {0};
    struct core core = core_of(model, ops, n, &options);

    assert_int_equal(core.n, 1);
    assert_int_equal(core.operations[0].index, n - 1);
    core_done(&core);
}

static void the_result_of_a_write_is_not_a_value_that_can_be_left_out(void **unused)
{
    const struct sn_model *model = sn_model_find("map");
    struct sn_operation ops[] = {
        op(model, "put", 7, NIL, 10, 20), op(model, "delete", NIL, 9, 30, 40),
        op(model, "read", NIL, NIL, 50, 60), op(model, "read", NIL, 8, 70, 80)};

    (void)unused;

    assert_only_the_last_is_left(model, ops, 4);
}

static void the_argument_of_a_dequeue_is_not_a_value_that_can_be_left_out(void **unused)
{
    const struct sn_model *model = sn_model_find("queue");
    struct sn_operation ops[] = {
        op(model, "enqueue", 1, NIL, 10, 20), op(model, "dequeue", 9, 1, 30, 40),
        op(model, "dequeue", NIL, NIL, 50, 60), op(model, "dequeue", NIL, 8, 70, 80)};

    (void)unused;

    assert_only_the_last_is_left(model, ops, 4);
}

static void an_answer_of_a_set_is_not_a_value_that_can_be_left_out(void **unused)
{
    const struct sn_model *model = sn_model_find("set");
    struct sn_operation ops[] = {op(model, "add", NIL, 1, 10, 20), op(model, "add", NIL, 0, 30, 40),
                                 op(model, "contains", 5, 1, 50, 60)};

    (void)unused;

    assert_only_the_last_is_left(model, ops, 3);
}

static void a_time_that_is_used_up_is_admitted(void **unused)
{
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = make_stale(ops);
    struct core_options options = {.seconds = 1e-9};

    (void)unused;

    struct core core = core_of(sn_model_find("register"), ops, n, &options);

    assert_int_equal(core.checks, 1);
    assert_false(core.is_minimal);
    core_done(&core);
}

static void a_budget_that_is_used_up_is_admitted(void **unused)
{
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = make_stale(ops);
    struct core_options options = {.checks = 3};

    (void)unused;

    struct core core = core_of(sn_model_find("register"), ops, n, &options);

    assert_false(core.is_minimal);
    assert_non_null(strstr(text_of(&core, false), "perhaps fewer: the budget was used up"));
    core_done(&core);
}

static void an_operation_is_stuck_if_the_history_is_illegal_from_its_return_on(void **unused)
{
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = make_stale(ops);
    struct core_options options = {0};
    size_t stuck = 0;
    struct err why;

    (void)unused;

    assert_int_equal(linear_stuck(sn_model_find("register"), ops, n, &options, &stuck, &why), 0);
    assert_int_equal(stuck, 4);
}

static void of_two_that_return_together_the_one_is_stuck_that_makes_it_illegal(void **unused)
{
    const struct sn_model *model = sn_model_find("map");
    struct core_options options = {0};
    struct sn_operation ops[] = {
        op(model, "write", 1, NIL, 10, 20), op(model, "write", 2, NIL, 30, 40),
        op(model, "read", NIL, 1, 30, 40), op(model, "read", NIL, NIL, 30, 40)};
    size_t stuck = 0;
    struct err why;

    (void)unused;
    ops[1].key = 9;

    assert_int_equal(linear_stuck(model, ops, 4, &options, &stuck, &why), 0);
    assert_int_equal(stuck, 3);
}

static void what_may_still_succeed_explains_what_returned_before(void **unused)
{
    const struct sn_model *model = sn_model_find("cas-register");
    struct core_options options = {0};
    struct sn_operation ops[] = {op(model, "write", 3, NIL, 10, 20),
                                 op(model, "read", NIL, 2, 30, 50), op(model, "cas", 3, 0, 40, 60)};
    size_t stuck = 0;
    struct err why;

    (void)unused;
    ops[2].argument[1] = 2;

    assert_int_equal(linear_stuck(model, ops, 3, &options, &stuck, &why), 0);
    assert_int_equal(stuck, 2);
}

/* ---- Sequential consistency ----------------------------------------------------------------- */

static struct sn_operation by(uint32_t process, sn_value key, struct sn_operation operation)
{
    operation.process = process;
    operation.key = key;
    return operation;
}

/* Each of two processes writes one key and then does not see what the other has written. */
static size_t make_crossing(struct sn_operation *ops)
{
    const struct sn_model *model = sn_model_find("map");

    ops[0] = by(1, 5, op(model, "write", 1, NIL, 10, 20));
    ops[1] = by(1, 6, op(model, "read", NIL, NIL, 30, 40));
    ops[2] = by(2, 6, op(model, "write", 2, NIL, 50, 60));
    ops[3] = by(2, 5, op(model, "read", NIL, NIL, 70, 80));
    ops[4] = by(2, 7, op(model, "write", 4, NIL, 90, 100));
    return 5;
}

static void keys_that_are_only_wrong_together_stay_together_in_a_core(void **unused)
{
    struct core_options options = {.check = {.is_sequential = true}};
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = make_crossing(ops);

    (void)unused;

    struct core core = core_of(sn_model_find("map"), ops, n, &options);

    assert_true(core.is_minimal);
    assert_false(core.has_key);
    assert_int_equal(core.n_definite, 4);
    assert_int_equal(core.n, 4);
    assert_int_equal(core.n_states, 2);
    core_done(&core);
}

static void a_core_of_several_keys_tells_the_state_of_each(void **unused)
{
    struct core_options options = {.check = {.is_sequential = true}};
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = make_crossing(ops);

    (void)unused;

    struct core core = core_of(sn_model_find("map"), ops, n, &options);

    assert_string_equal(
        text_of(&core, false),
        "4 operations are enough to see that the history is not sequentially consistent:\n"
        "  process  called  returned  operation\n"
        "  1        10      20        write(5, 1)\n"
        "  1        30      40        read(6) = nil\n"
        "  2        50      60        write(6, 2)\n"
        "  2        70      80        read(5) = nil\n"
        "the longest order that the model allows:\n"
        "  write(5, 1); read(6) = nil; write(6, 2)\n"
        "then the state is 5 = 1, 6 = 2, and\n"
        "  read(5) = nil of 2 cannot be next: its result would be 1\n");
    assert_non_null(strstr(text_of(&core, true), "\"key\":null,\"sequential\":true,"));
    assert_non_null(strstr(text, "\"state\":\"5 = 1, 6 = 2\""));
    core_done(&core);
}

static void a_core_of_one_key_names_it_by_program_order_too(void **unused)
{
    const struct sn_model *model = sn_model_find("map");
    struct core_options options = {.check = {.is_sequential = true}};
    struct sn_operation ops[] = {by(1, 5, op(model, "write", 1, NIL, 10, 20)),
                                 by(1, 6, op(model, "write", 1, NIL, 30, 40)),
                                 by(1, 6, op(model, "read", NIL, NIL, 50, 60))};

    (void)unused;

    struct core core = core_of(model, ops, 3, &options);

    assert_true(core.has_key);
    assert_int_equal(core.key, 6);
    assert_int_equal(core.n, 2);
    core_done(&core);
}

static void what_is_relaxed_waits_for_what_its_process_did_before(void **unused)
{
    const struct sn_model *model = sn_model_find("counter");
    struct core_options options = {.check = {.is_sequential = true}};
    struct sn_operation ops[] = {by(1, 0, op(model, "get", NIL, 1, 10, 20)),
                                 by(1, 0, op(model, "inc", NIL, NIL, 30, 40)),
                                 by(2, 0, op(model, "get", NIL, 1, 50, 60))};

    (void)unused;

    struct core core = core_of(model, ops, 3, &options);

    assert_int_equal(core.n_definite, 1);
    assert_int_equal(core.operations[0].index, 0);
    core_done(&core);
}

static void what_one_process_does_after_all_that_counts_is_left_out(void **unused)
{
    const struct sn_model *model = sn_model_find("counter");
    struct core_options options = {.check = {.is_sequential = true}};
    struct sn_operation ops[] = {by(1, 0, op(model, "inc", NIL, NIL, 10, 20)),
                                 by(1, 0, op(model, "get", NIL, 0, 30, 40)),
                                 by(1, 0, op(model, "inc", NIL, NIL, 50, 60)),
                                 by(1, 0, op(model, "inc", NIL, NIL, 70, SN_TIME_NEVER))};

    (void)unused;

    struct core core = core_of(model, ops, 4, &options);

    assert_int_equal(core.n, 2);
    assert_int_equal(core.operations[1].index, 1);
    core_done(&core);
}

static void what_was_called_later_is_not_cut_off_where_it_may_explain_what_was_seen(void **unused)
{
    const struct sn_model *model = sn_model_find("counter");
    struct core_options options = {.check = {.is_sequential = true}};
    struct sn_operation ops[] = {by(1, 0, op(model, "get", NIL, 1, 10, 20)),
                                 by(1, 0, op(model, "get", NIL, 0, 30, 40)),
                                 by(2, 0, op(model, "inc", NIL, NIL, 50, 60))};

    (void)unused;

    struct core core = core_of(model, ops, 3, &options);

    assert_int_equal(core.n, 3);
    assert_int_equal(core.n_definite, 2);
    assert_true(core.operations[2].is_relaxed);
    assert_non_null(
        strstr(text_of(&core, false), "at any time after what their processes did before (1):\n"));
    core_done(&core);
}

static void a_sequentially_consistent_history_has_no_core(void **unused)
{
    struct core_options options = {.check = {.is_sequential = true}};
    struct sn_operation ops[OPERATIONS_MAX];
    struct core core;
    struct err why;

    (void)unused;
    (void)make_crossing(ops);

    assert_int_equal(linear_core(sn_model_find("map"), ops, 3, &options, &core, &why), SN_EINVAL);
    assert_non_null(strstr(why.text, "the history is sequentially consistent"));
    core_done(&core);
}

static void sequential_consistency_is_explained_without_looking_at_the_time(void **unused)
{
    const struct sn_model *model = sn_model_find("register");
    struct core_options options = {.check = {.is_sequential = true}};
    struct sn_operation ops[] = {
        op(model, "read", NIL, 1, 10, 20), op(model, "read", NIL, NIL, 30, 40),
        op(model, "write", 1, NIL, 50, 60), op(model, "write", 2, NIL, 70, 80)};

    (void)unused;
    ops[0].process = 1;
    ops[1].process = 1;
    ops[2].process = 2;
    ops[3].process = 3;

    struct core core = core_of(model, ops, 4, &options);

    assert_int_equal(core.n_definite, 2);
    assert_int_equal(core.operations[0].index, 0);
    assert_int_equal(core.operations[1].index, 1);
    core_done(&core);
}

/* ---- What is said --------------------------------------------------------------------------- */

static void the_longest_order_is_told_with_what_the_model_would_answer(void **unused)
{
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = make_stale(ops);
    struct core_options options = {0};

    (void)unused;

    struct core core = core_of(sn_model_find("register"), ops, n, &options);

    assert_int_equal(core.n_order, 2);
    assert_int_equal(core.order[0], 0);
    assert_int_equal(core.order[1], 2);
    assert_int_equal(core.n_states, 1);
    assert_string_equal(core.states[0].text, "2");
    assert_int_equal(core.n_candidates, 1);
    assert_int_equal(core.candidates[0].index, 4);
    assert_false(core.candidates[0].is_refused);
    assert_int_equal(core.candidates[0].n_results, 1);
    assert_int_equal(core.candidates[0].results[0], 2);
    core_done(&core);
}

static void of_results_that_mean_the_same_to_the_model_one_is_told(void **unused)
{
    const struct sn_model *model = sn_model_find("mutex");
    struct core_options options = {0};
    struct sn_operation ops[] = {op(model, "acquire", NIL, 0, 10, 20)};

    (void)unused;

    struct core core = core_of(model, ops, 1, &options);

    assert_int_equal(core.n_candidates, 1);
    assert_int_equal(core.candidates[0].n_results, 1);
    assert_int_equal(core.candidates[0].results[0], 1);
    core_done(&core);
}

static void a_result_that_was_not_recorded_is_not_told_beside_the_right_one(void **unused)
{
    const struct sn_model *model = sn_model_find("set");
    struct core_options options = {0};
    struct sn_operation ops[] = {op(model, "contains", 3, 1, 10, 20)};

    (void)unused;

    struct core core = core_of(model, ops, 1, &options);

    assert_int_equal(core.candidates[0].n_results, 1);
    assert_int_equal(core.candidates[0].results[0], 0);
    core_done(&core);
}

static void a_result_is_found_near_what_it_was(void **unused)
{
    const struct sn_model *model = sn_model_find("counter");
    struct core_options options = {.check = {.has_initial = true, .initial = 700}};
    struct sn_operation ops[] = {op(model, "inc", NIL, NIL, 10, 20),
                                 op(model, "get", NIL, 700, 30, 40)};

    (void)unused;

    struct core core = core_of(model, ops, 2, &options);

    assert_int_equal(core.candidates[0].n_results, 1);
    assert_int_equal(core.candidates[0].results[0], 701);
    core_done(&core);
}

static enum sn_step refuse_all(void *state, const struct sn_operation *operation, uint32_t choice)
{
    (void)state;
    (void)operation;
    (void)choice;
    return SN_STEP_REFUSED;
}

static void an_operation_that_the_model_never_does_is_told_as_such(void **unused)
{
    static const struct sn_function functions[] = {{.name = "dig"}, {0}};
    const struct sn_model model = {
        .name = "rock", .functions = functions, .state_size = 1, .step = refuse_all};
    struct core_options options = {0};
    struct sn_operation ops[] = {op(&model, "dig", 3, NIL, 10, 20)};

    (void)unused;

    struct core core = core_of(&model, ops, 1, &options);

    assert_int_equal(core.n_order, 0);
    assert_true(core.candidates[0].is_refused);
    assert_non_null(strstr(text_of(&core, false), "dig(3)"));
    assert_non_null(strstr(text, "the model does not allow it here, whatever its result"));
    core_done(&core);
}

static void a_core_as_text_is_a_table_with_the_order_below(void **unused)
{
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = make_stale(ops);
    struct core_options options = {0};

    (void)unused;
    for (uint32_t i = 0; i < n; i++)
        ops[i].process = i;

    struct core core = core_of(sn_model_find("register"), ops, n, &options);

    assert_string_equal(text_of(&core, false),
                        "3 operations are enough to see that the history is not linearizable:\n"
                        "  process  called  returned  operation\n"
                        "  0        10      20        write(1)\n"
                        "  2        50      60        write(2)\n"
                        "  4        90      100       read() = 1\n"
                        "the longest order that the model allows:\n"
                        "  write(1); write(2)\n"
                        "then the state is 2, and\n"
                        "  read() = 1 of 4 cannot be next: its result would be 2\n");
    core_done(&core);
}

static void a_core_as_json_is_one_object(void **unused)
{
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = make_stale(ops);
    struct core_options options = {0};

    (void)unused;
    for (uint32_t i = 0; i < n; i++) {
        ops[i].process = i;
        ops[i].line = i + 1;
    }

    struct core core = core_of(sn_model_find("register"), ops, n, &options);

    assert_string_equal(
        text_of(&core, true),
        "{\"model\":\"register\",\"key\":\"0\",\"sequential\":false,\"minimal\":true,"
        "\"operations\":["
        "{\"index\":0,\"line\":1,\"process\":\"0\",\"text\":\"write(1)\",\"call\":10,\"return\":20,"
        "\"definite\":true},"
        "{\"index\":2,\"line\":3,\"process\":\"2\",\"text\":\"write(2)\",\"call\":50,\"return\":60,"
        "\"definite\":true},"
        "{\"index\":4,\"line\":5,\"process\":\"4\",\"text\":\"read() = 1\",\"call\":90,"
        "\"return\":100,\"definite\":true}],"
        "\"order\":[0,2],\"longest\":true,\"state\":\"2\",\"states\":[\"1\",\"2\"],"
        "\"candidates\":["
        "{\"index\":4,\"refused\":false,\"allowed\":[\"2\"]}]}");
    core_done(&core);
}

/* ---- Random histories ----------------------------------------------------------------------- */

/* Forgets what is known of an operation. */
static void relax(struct sn_operation *operation)
{
    operation->ret = SN_TIME_NEVER;
    operation->result = NIL;
}

/* What a core says, as a history. */
static size_t history_of(const struct core *core, struct sn_operation *out)
{
    for (size_t i = 0; i < core->n; i++) {
        out[i] = core->history[core->operations[i].index];
        if (core->operations[i].is_relaxed)
            relax(&out[i]);
    }
    return core->n;
}

static size_t without(const struct sn_operation *ops, size_t n, sn_value value,
                      struct sn_operation *out)
{
    size_t left = 0;

    for (size_t i = 0; i < n; i++) {
        bool is_of_value =
            ops[i].argument[0] == value ||
            (ops[i].ret != SN_TIME_NEVER && ops[i].result == value && ops[i].argument[0] == NIL);

        if (!is_of_value)
            out[left++] = ops[i];
    }
    return left;
}

static size_t cut_at(const struct sn_operation *ops, size_t n, uint64_t time,
                     struct sn_operation *out)
{
    size_t left = 0;

    for (size_t i = 0; i < n; i++) {
        if (ops[i].call > time)
            continue;
        out[left] = ops[i];
        if (ops[i].ret > time)
            out[left].ret = SN_TIME_NEVER;
        left++;
    }
    return left;
}

static bool is_observer(const struct sn_model *model, const struct sn_operation *operation)
{
    return model->functions[operation->function].is_observer ||
           (operation->ret != SN_TIME_NEVER && model->observes != NULL &&
            model->observes(operation));
}

/* Every reduction of one operation makes the history legal. */
static void check_operations(const struct sn_model *model, const struct sn_operation *ops, size_t n,
                             const struct core_options *options)
{
    struct sn_operation less[OPERATIONS_MAX];

    for (size_t i = 0; i < n; i++) {
        assert_false(is_observer(model, &ops[i]) && ops[i].ret == SN_TIME_NEVER);
        if (ops[i].ret == SN_TIME_NEVER)
            continue;
        memcpy(less, ops, n * sizeof(*ops));
        relax(&less[i]);
        assert_int_equal(verdict_of(model, less, n, options), SN_LINEAR_YES);
        memmove(&less[i], &less[i + 1], (n - i - 1) * sizeof(*ops));
        if (is_observer(model, &ops[i]))
            assert_int_equal(verdict_of(model, less, n - 1, options), SN_LINEAR_YES);
    }
}

/* Nor can anything be cut off or left out that belongs together. */
static void check_sets(const struct sn_model *model, const struct sn_operation *ops, size_t n,
                       bool has_values)
{
    struct core_options options = {0};
    struct sn_operation less[OPERATIONS_MAX];

    for (size_t i = 0; i < n; i++) {
        size_t left = cut_at(ops, n, ops[i].ret, less);

        if (left < n || memcmp(less, ops, n * sizeof(*ops)) != 0)
            assert_int_equal(verdict_of(model, less, left, &options), SN_LINEAR_YES);
        if (!has_values || ops[i].argument[0] == NIL)
            continue;
        left = without(ops, n, ops[i].argument[0], less);
        assert_int_equal(verdict_of(model, less, left, &options), SN_LINEAR_YES);
    }
}

static sn_value value_of(const struct sn_operation *operation)
{
    if (operation->argument[0] != NIL)
        return operation->argument[0];
    return operation->ret != SN_TIME_NEVER ? operation->result : NIL;
}

static bool has_operation(const struct core *core, size_t index)
{
    for (size_t i = 0; i < core->n; i++) {
        if (core->operations[i].index == index)
            return true;
    }
    return false;
}

/* What is not in the core was left out for a reason: it changes nothing, it was called after all
 * that counts had returned, or all of its value was left out. */
static void check_missing(const struct core *core, size_t n, bool has_values)
{
    const struct sn_operation *all = core->history;
    uint64_t last = 0;

    for (size_t i = 0; i < core->n; i++) {
        if (!core->operations[i].is_relaxed && all[core->operations[i].index].ret > last)
            last = all[core->operations[i].index].ret;
    }
    for (size_t i = 0; i < n; i++) {
        bool is_alone = has_values;

        if (has_operation(core, i) || all[i].call > last || is_observer(core->model, &all[i]))
            continue;
        for (size_t j = 0; j < core->n; j++)
            is_alone &= value_of(&all[core->operations[j].index]) != value_of(&all[i]);
        assert_true(is_alone);
    }
}

static void check_core(const struct core *core, bool has_values, const struct core_options *options)
{
    struct sn_operation ops[OPERATIONS_MAX];
    size_t n = history_of(core, ops);

    assert_true(core->is_minimal);
    assert_int_equal(verdict_of(core->model, ops, n, options), SN_LINEAR_NO);
    check_operations(core->model, ops, n, options);
    if (!options->check.is_sequential)
        check_sets(core->model, ops, n, has_values);
    assert_true(core->is_longest);
    assert_true(core->n_candidates > 0);
}

/* Operations of up to four processes with arguments and results that are drawn. */
static size_t make_random(const struct sn_model *model, const char *const *functions, uint64_t seed,
                          struct sn_operation *ops)
{
    struct rng rng;
    size_t n;
    uint64_t free_at[4] = {0};

    rng_init(&rng, seed, 0);
    n = 4 + rng_below(&rng, 6);
    for (size_t i = 0; i < n; i++) {
        uint32_t process = (uint32_t)rng_below(&rng, 4);
        const char *name = functions[rng_below(&rng, 4)];
        bool is_read = strchr("rgdp", name[0]) != NULL && strcmp(name, "push") != 0 &&
                       strcmp(name, "remove") != 0 && strcmp(name, "release") != 0;

        ops[i] = (struct sn_operation){.process = process, .function = function_of(model, name)};
        ops[i].argument[0] = is_read ? NIL : 1 + (sn_value)rng_below(&rng, 3);
        ops[i].argument[1] = strcmp(name, "cas") == 0 ? 1 + (sn_value)rng_below(&rng, 3) : NIL;
        ops[i].result = is_read && rng_below(&rng, 4) > 0 ? (sn_value)rng_below(&rng, 4) : NIL;
        if (!is_read && model->observes != NULL && model != sn_model_find("queue") &&
            model != sn_model_find("stack") && strcmp(name, "write") != 0)
            ops[i].result = (sn_value)rng_below(&rng, 2);
        ops[i].call = free_at[process] + 1 + rng_below(&rng, 10);
        ops[i].ret = ops[i].call + 1 + rng_below(&rng, 20);
        free_at[process] = ops[i].ret + 1;
        if (rng_below(&rng, 8) == 0)
            ops[i].ret = SN_TIME_NEVER;
    }
    return n;
}

static bool has_cas(const struct core *core)
{
    for (size_t i = 0; i < core->n; i++) {
        uint32_t function = core->history[core->operations[i].index].function;

        if (strcmp(core->model->functions[function].name, "cas") == 0)
            return true;
    }
    return false;
}

static void check_random_with(const char *name, const char *const *functions, bool has_values,
                              const struct core_options *options)
{
    const struct sn_model *model = sn_model_find(name);
    uint64_t illegal = 0;

    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct sn_operation ops[OPERATIONS_MAX];
        size_t n = make_random(model, functions, seed, ops);

        if (verdict_of(model, ops, n, options) == SN_LINEAR_NO) {
            struct core core = core_of(model, ops, n, options);
            bool is_by_value = has_values && !has_cas(&core);

            check_core(&core, is_by_value, options);
            check_missing(&core, n, is_by_value);
            core_done(&core);
            illegal++;
        }
    }
    assert_true(illegal >= 80);
    assert_true(illegal <= 399);
}

static void check_random(const char *name, const char *const *functions, bool has_values)
{
    struct core_options options = {0};

    check_random_with(name, functions, has_values, &options);
}

static void cores_of_sequential_registers_are_illegal_and_minimal(void **unused)
{
    struct core_options options = {.check = {.is_sequential = true}};

    (void)unused;
    check_random_with("register", (const char *const[]){"read", "read", "read", "write"}, true,
                      &options);
}

static void cores_of_registers_are_illegal_and_minimal(void **unused)
{
    (void)unused;
    check_random("register", (const char *const[]){"read", "read", "write", "write"}, true);
}

static void cores_of_cas_registers_are_illegal_and_minimal(void **unused)
{
    (void)unused;
    check_random("cas-register", (const char *const[]){"read", "write", "cas", "cas"}, true);
}

static void cores_of_sets_are_illegal_and_minimal(void **unused)
{
    (void)unused;
    check_random("set", (const char *const[]){"add", "remove", "add", "remove"}, true);
}

static void cores_of_counters_are_illegal_and_minimal(void **unused)
{
    (void)unused;
    check_random("counter", (const char *const[]){"inc", "get", "inc", "get"}, false);
}

static void cores_of_queues_are_illegal_and_minimal(void **unused)
{
    (void)unused;
    check_random("queue", (const char *const[]){"enqueue", "dequeue", "enqueue", "dequeue"}, true);
}

static void cores_of_stacks_are_illegal_and_minimal(void **unused)
{
    (void)unused;
    check_random("stack", (const char *const[]){"push", "pop", "push", "pop"}, true);
}

static void cores_of_mutexes_are_illegal_and_minimal(void **unused)
{
    (void)unused;
    check_random("mutex", (const char *const[]){"acquire", "release", "acquire", "release"}, false);
}

/* Why leaving out a value is allowed. */
static void without_one_of_its_values_a_legal_register_stays_legal(void **unused)
{
    static const char *const functions[] = {"read", "read", "write", "write"};
    struct core_options options = {0};
    uint64_t legal = 0;

    (void)unused;

    for (uint64_t seed = 1; seed <= 4000; seed++) {
        struct sn_operation ops[OPERATIONS_MAX];
        struct sn_operation less[OPERATIONS_MAX];
        size_t n = make_random(&sn_model_register, functions, seed, ops);

        if (verdict_of(&sn_model_register, ops, n, &options) != SN_LINEAR_YES)
            continue;
        for (sn_value value = 1; value <= 3; value++) {
            size_t left = without(ops, n, value, less);

            assert_int_equal(verdict_of(&sn_model_register, less, left, &options), SN_LINEAR_YES);
        }
        legal++;
    }
    assert_true(legal > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_that_say_nothing_are_left_out),
        cmocka_unit_test(what_may_have_happened_is_kept_apart_from_what_did),
        cmocka_unit_test(a_linearizable_history_has_no_core),
        cmocka_unit_test(a_core_is_about_one_key),
        cmocka_unit_test(a_value_of_a_queue_is_dropped_with_all_its_operations),
        cmocka_unit_test(the_result_of_a_write_is_not_a_value_that_can_be_left_out),
        cmocka_unit_test(the_argument_of_a_dequeue_is_not_a_value_that_can_be_left_out),
        cmocka_unit_test(an_answer_of_a_set_is_not_a_value_that_can_be_left_out),
        cmocka_unit_test(a_time_that_is_used_up_is_admitted),
        cmocka_unit_test(a_budget_that_is_used_up_is_admitted),
        cmocka_unit_test(an_operation_is_stuck_if_the_history_is_illegal_from_its_return_on),
        cmocka_unit_test(of_two_that_return_together_the_one_is_stuck_that_makes_it_illegal),
        cmocka_unit_test(what_may_still_succeed_explains_what_returned_before),
        cmocka_unit_test(keys_that_are_only_wrong_together_stay_together_in_a_core),
        cmocka_unit_test(a_core_of_several_keys_tells_the_state_of_each),
        cmocka_unit_test(a_core_of_one_key_names_it_by_program_order_too),
        cmocka_unit_test(what_is_relaxed_waits_for_what_its_process_did_before),
        cmocka_unit_test(what_one_process_does_after_all_that_counts_is_left_out),
        cmocka_unit_test(what_was_called_later_is_not_cut_off_where_it_may_explain_what_was_seen),
        cmocka_unit_test(a_sequentially_consistent_history_has_no_core),
        cmocka_unit_test(sequential_consistency_is_explained_without_looking_at_the_time),
        cmocka_unit_test(the_longest_order_is_told_with_what_the_model_would_answer),
        cmocka_unit_test(of_results_that_mean_the_same_to_the_model_one_is_told),
        cmocka_unit_test(a_result_that_was_not_recorded_is_not_told_beside_the_right_one),
        cmocka_unit_test(a_result_is_found_near_what_it_was),
        cmocka_unit_test(an_operation_that_the_model_never_does_is_told_as_such),
        cmocka_unit_test(a_core_as_text_is_a_table_with_the_order_below),
        cmocka_unit_test(a_core_as_json_is_one_object),
        cmocka_unit_test(cores_of_sequential_registers_are_illegal_and_minimal),
        cmocka_unit_test(cores_of_registers_are_illegal_and_minimal),
        cmocka_unit_test(cores_of_cas_registers_are_illegal_and_minimal),
        cmocka_unit_test(cores_of_sets_are_illegal_and_minimal),
        cmocka_unit_test(cores_of_counters_are_illegal_and_minimal),
        cmocka_unit_test(cores_of_queues_are_illegal_and_minimal),
        cmocka_unit_test(cores_of_stacks_are_illegal_and_minimal),
        cmocka_unit_test(cores_of_mutexes_are_illegal_and_minimal),
        cmocka_unit_test(without_one_of_its_values_a_legal_register_stays_legal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
