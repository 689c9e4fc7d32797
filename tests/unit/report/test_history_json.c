/* test_history_json.c - a checked history as data: what is in it, and what is left of a long one.
 * SPDX-License-Identifier: MIT
 */
#include "report/history_json.h"

#include "base/json_check.h"

#include <sennit/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NIL SN_VALUE_NIL

enum { READ, WRITE }; /* of the model of a register */

static char text[1 << 20];

static struct sn_operation op(uint32_t process, uint32_t function, sn_value value, uint64_t call,
                              uint64_t ret)
{
    return (struct sn_operation){.process = process,
                                 .function = function,
                                 .argument = {function == WRITE ? value : NIL, NIL},
                                 .result = function == READ ? value : NIL,
                                 .call = call,
                                 .ret = ret,
                                 .line = call};
}

/* The object of a history, which must be JSON. */
static const char *write_json(const struct history_json *history)
{
    struct json_error error;
    struct sn_text out;

    text_init(&out, text, sizeof(text));
    assert_int_equal(history_json(&out, history), 0);
    assert_false(out.cut);
    if (!json_check(text, out.used, &error))
        fail_msg("column %zu: %s", error.column, error.why);
    return text;
}

static void assert_has(const char *json, const char *part)
{
    if (strstr(json, part) == NULL)
        fail_msg("%s\nis not in\n%.2000s", part, json);
}

static size_t count_of(const char *json, const char *part)
{
    size_t n = 0;

    for (const char *at = json; (at = strstr(at, part)) != NULL; at++)
        n++;
    return n;
}

static bool has_operation(const char *json, size_t index)
{
    char part[64];

    (void)snprintf(part, sizeof(part), "{\"index\":%zu,\"process\"", index);
    return strstr(json, part) != NULL;
}

/* Checks a history and explains it; core_done is due. */
static struct history_json judge(const struct sn_model *model, const struct sn_operation *ops,
                                 size_t n, struct sn_check_result *result, struct core *core)
{
    struct core_options options = {0};
    struct err why;

    assert_int_equal(sn_check_history(model, ops, n, NULL, result), 0);
    memset(core, 0, sizeof(*core));
    if (result->verdict == SN_LINEAR_NO)
        assert_int_equal(linear_core(model, ops, n, &options, core, &why), 0);
    return (struct history_json){.file = "a.edn",
                                 .model = model,
                                 .operations = ops,
                                 .n = n,
                                 .result = result,
                                 .core = result->verdict == SN_LINEAR_NO ? core : NULL,
                                 .verdict = result->verdict == SN_LINEAR_NO ? "not linearizable"
                                                                            : "linearizable"};
}

/* ---- What is in it -------------------------------------------------------------------------- */

static void a_history_has_its_operations_its_verdict_and_its_core(void **state)
{
    const struct sn_operation ops[] = {op(0, WRITE, 1, 10, 11), op(1, WRITE, 2, 12, 13),
                                       op(0, READ, 1, 14, 15), op(2, WRITE, 3, 16, SN_TIME_NEVER)};
    struct sn_check_result result;
    struct core core;
    struct history_json history = judge(&sn_model_register, ops, 4, &result, &core);
    const char *json = write_json(&history);

    (void)state;
    assert_has(json, "{\"format\":\"sennit-history\",\"version\":1,\"file\":\"a.edn\","
                     "\"model\":\"register\",\"consistency\":\"linearizable\","
                     "\"verdict\":\"not linearizable\",\"why\":null,\"clock\":\"events\","
                     "\"total\":4,\"keys\":1,");
    assert_has(json, "\"stuck\":2");
    assert_has(json, "{\"index\":0,\"process\":\"0\",\"text\":\"write(1)\",\"call\":0,"
                     "\"return\":1,\"status\":\"ok\",\"line\":10}");
    assert_has(json, "{\"index\":3,\"process\":\"2\",\"text\":\"write(3)\",\"call\":6,"
                     "\"return\":null,\"status\":\"unknown\",\"line\":16}");
    assert_has(json, "\"core\":{\"model\":\"register\",");
    assert_has(json, "\"order\":[0,1],\"longest\":true,\"state\":\"2\",\"states\":[\"1\",\"2\"],");
    assert_has(json, "{\"index\":2,\"refused\":false,\"allowed\":[\"2\"]}");
    core_done(&core);
}

static void a_legal_history_has_no_core(void **state)
{
    const struct sn_operation ops[] = {op(0, WRITE, 1, 10, 11), op(1, READ, 1, 12, 13)};
    struct sn_check_result result;
    struct core core;
    struct history_json history = judge(&sn_model_register, ops, 2, &result, &core);
    const char *json = write_json(&history);

    (void)state;
    assert_has(json, "\"verdict\":\"linearizable\"");
    assert_has(json, "\"core\":null}");
    assert_null(strstr(json, "\"stuck\""));
}

static void a_file_that_could_not_be_read_says_why(void **state)
{
    struct sn_check_result result = {0};
    struct history_json history = {.file = "a.edn",
                                   .model = &sn_model_register,
                                   .result = &result,
                                   .verdict = "malformed",
                                   .why = "a.edn:7: there is no } for this {"};
    const char *json = write_json(&history);

    (void)state;
    assert_has(json, "\"why\":\"a.edn:7: there is no } for this {\"");
    assert_has(json, "\"operations\":[]");
}

static void times_are_told_from_the_first_call_on(void **state)
{
    const uint64_t since_1970 = UINT64_C(1763429821000000001);
    const struct sn_operation ops[] = {
        op(0, WRITE, 1, since_1970 + 5, since_1970 + 9),
        op(1, READ, 1, since_1970, since_1970 + 7),
    };
    struct sn_check_result result;
    struct core core;
    struct history_json history = judge(&sn_model_register, ops, 2, &result, &core);

    (void)state;
    history.has_time = true;
    const char *json = write_json(&history);

    assert_has(json, "\"clock\":\"time\"");
    assert_has(json, "\"origin\":\"1763429821000000001\"");
    assert_has(json, "\"call\":5,\"return\":9");
    assert_has(json, "\"call\":0,\"return\":7");
}

static void put_evil(void *self, sn_value value, struct sn_text *out)
{
    (void)self;
    (void)value;
    text_puts(out, "</script><b onload=\"x\">\xff\xc0\x01 \\ ' \xe2\x80\xae");
}

static void put_evil_process(void *self, uint32_t process, struct sn_text *out)
{
    put_evil(self, (sn_value)process, out);
}

static void words_of_a_hostile_history_stay_within_their_strings(void **state)
{
    const struct sn_operation ops[] = {op(0, WRITE, 1, 10, 11), op(1, WRITE, 2, 12, 13),
                                       op(0, READ, 1, 14, 15)};
    const struct core_words words = {.value = put_evil, .process = put_evil_process};
    struct sn_check_result result;
    struct core core;
    struct history_json history = judge(&sn_model_register, ops, 3, &result, &core);

    (void)state;
    history.file = "\"}],<!--\n";
    history.words = &words;
    history.has_keys = true;
    const char *json = write_json(&history);

    assert_has(json, "\"file\":\"\\\"}],<!--\\n\"");
    assert_has(json, "onload=\\\"x\\\">\\\\xff\\\\xc0\\u0001");
    core_done(&core);
}

/* ---- Long ones ------------------------------------------------------------------------------ */

enum { LONG = 5000 };

/* Reads of nothing, but for three operations of a violation; those may lie far apart. */
static struct sn_operation *make_long(size_t first, size_t second, size_t third)
{
    struct sn_operation *ops = calloc(LONG, sizeof(*ops));

    assert_non_null(ops);
    for (size_t i = 0; i < LONG; i++)
        ops[i] = op((uint32_t)(i % 5), READ,
                    i > second  ? 2
                    : i > first ? 1
                                : NIL,
                    2 * i + 1, 2 * i + 2);
    ops[first] = op(1, WRITE, 1, 2 * first + 1, 2 * first + 2);
    ops[second] = op(2, WRITE, 2, 2 * second + 1, 2 * second + 2);
    ops[third] = op(3, READ, 1, 2 * third + 1, 2 * third + 2);
    return ops;
}

static void of_a_long_history_the_core_and_what_is_near_it_are_kept(void **state)
{
    struct sn_operation *ops = make_long(1000, 2500, 4000);
    struct sn_check_result result;
    struct core core;
    struct history_json history = judge(&sn_model_register, ops, LONG, &result, &core);

    (void)state;
    history.operations_max = 100;
    const char *json = write_json(&history);

    assert_has(json, "\"total\":5000");
    assert_int_equal(count_of(json, "\"status\":"), 99);
    for (size_t i = 0; i < core.n; i++) {
        assert_true(has_operation(json, core.operations[i].index));
        assert_true(has_operation(json, core.operations[i].index - 1));
        assert_true(has_operation(json, core.operations[i].index + 1));
    }
    assert_false(has_operation(json, 0));
    assert_false(has_operation(json, LONG - 1));
    core_done(&core);
    free(ops);
}

static void a_core_is_kept_in_whatever_order_the_file_has_it(void **state)
{
    struct sn_operation *ops = make_long(1000, 2500, 4000);
    struct sn_operation last = ops[4000];
    struct sn_check_result result;
    struct core core;

    (void)state;
    ops[4000] = ops[1000]; /* calls are in another order than operations */
    ops[1000] = last;
    struct history_json history = judge(&sn_model_register, ops, LONG, &result, &core);

    history.operations_max = 10;
    const char *json = write_json(&history);

    assert_true(core.n >= 3);
    for (size_t i = 0; i < core.n; i++)
        assert_true(has_operation(json, core.operations[i].index));
    core_done(&core);
    free(ops);
}

static void the_key_of_the_core_comes_before_other_keys(void **state)
{
    struct sn_operation *ops = make_long(1000, 1001, 1002);
    struct sn_check_result result;
    struct core core;

    (void)state;
    for (size_t i = 0; i < LONG; i++) {
        ops[i].key = i % 2 == 0 || (i >= 1000 && i <= 1002) ? 7 : 8;
        ops[i].result = ops[i].key == 8 && ops[i].function == READ ? NIL : ops[i].result;
    }
    struct history_json history = judge(&sn_model_map, ops, LONG, &result, &core);

    history.has_keys = true;
    history.operations_max = 200;
    const char *json = write_json(&history);

    assert_int_equal(core.key, 7);
    assert_true(count_of(json, "\"key\":\"7\"") > 190);
    assert_int_equal(count_of(json, "\"key\":\"8\""), 0);
    core_done(&core);
    free(ops);
}

static void of_a_long_legal_history_the_first_operations_are_kept(void **state)
{
    struct sn_operation *ops = make_long(1000, 2500, 4000);
    struct sn_check_result result;
    struct core core;

    (void)state;
    ops[4000].result = 2;
    struct history_json history = judge(&sn_model_register, ops, LONG, &result, &core);

    history.operations_max = 100;
    const char *json = write_json(&history);

    assert_int_equal(result.verdict, SN_LINEAR_YES);
    assert_int_equal(count_of(json, "\"status\":"), 100);
    assert_true(has_operation(json, 0));
    assert_true(has_operation(json, 99));
    free(ops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_history_has_its_operations_its_verdict_and_its_core),
        cmocka_unit_test(a_legal_history_has_no_core),
        cmocka_unit_test(a_file_that_could_not_be_read_says_why),
        cmocka_unit_test(times_are_told_from_the_first_call_on),
        cmocka_unit_test(words_of_a_hostile_history_stay_within_their_strings),
        cmocka_unit_test(of_a_long_history_the_core_and_what_is_near_it_are_kept),
        cmocka_unit_test(a_core_is_kept_in_whatever_order_the_file_has_it),
        cmocka_unit_test(the_key_of_the_core_comes_before_other_keys),
        cmocka_unit_test(of_a_long_legal_history_the_first_operations_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
