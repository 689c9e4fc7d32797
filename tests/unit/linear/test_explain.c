/* test_explain.c - explanations for programs. SPDX-License-Identifier: MIT */
#include "histories.h"

#include <sennit/test.h>

/* A stale read, and a read that has nothing to do with it. */
#define STALE HISTORY(WRITE(0, 1, 1, 2), WRITE(1, 2, 3, 4), READ(3, 2, 5, 6), READ(2, 1, 7, 8))

static void a_program_is_told_the_core_in_words(void **state)
{
    char text[2000];
    long n = sn_explain_history(&sn_model_register, STALE, NULL, SN_EXPLANATION_TEXT, text,
                                sizeof(text));

    (void)state;
    assert_int_equal(n, strlen(text));
    assert_string_equal(text,
                        "3 operations are enough to see that the history is not linearizable:\n"
                        "  process  called  returned  operation\n"
                        "  0        1       2         write(1)\n"
                        "  1        3       4         write(2)\n"
                        "  2        7       8         read() = 1\n"
                        "the longest order that the model allows:\n"
                        "  write(1); write(2)\n"
                        "then the state is 2, and\n"
                        "  read() = 1 of 2 cannot be next: its result would be 2\n");
}

static void a_program_is_told_the_core_as_json(void **state)
{
    char text[2000];
    long n = sn_explain_history(&sn_model_register, STALE, NULL, SN_EXPLANATION_JSON, text,
                                sizeof(text));

    (void)state;
    assert_int_equal(n, strlen(text));
    assert_memory_equal(text, "{\"model\":\"register\"", 19);
    assert_non_null(strstr(text, "\"order\":[0,1]"));
    assert_non_null(strstr(text, "\"candidates\":[{\"index\":3,\"refused\":false,"));
    assert_int_equal(text[n - 1], '}');
}

static void what_is_legal_is_not_explained(void **state)
{
    char text[200];
    long n = sn_explain_history(&sn_model_register, HISTORY(WRITE(0, 1, 1, 2)), NULL,
                                SN_EXPLANATION_TEXT, text, sizeof(text));

    (void)state;
    assert_int_equal(n, SN_EINVAL);
    assert_string_equal(text, "there is nothing to explain: the history is linearizable");
}

static void what_is_not_consistent_by_program_order_is_explained_as_such(void **state)
{
    const struct sn_check_options options = {.is_sequential = true};
    char text[2000];
    long n = sn_explain_history(&sn_model_register, HISTORY(WRITE(0, 1, 1, 2), READ(0, NIL, 3, 4)),
                                &options, SN_EXPLANATION_TEXT, text, sizeof(text));

    (void)state;
    assert_true(n > 0);
    assert_non_null(strstr(text, "the history is not sequentially consistent:\n"));
}

static void an_explanation_that_does_not_fit_is_not_given_in_part(void **state)
{
    char text[64];
    long n = sn_explain_history(&sn_model_register, STALE, NULL, SN_EXPLANATION_JSON, text,
                                sizeof(text));

    (void)state;
    assert_int_equal(n, SN_ENOMEM);
    assert_string_equal(text, "the explanation does not fit into 64 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_told_the_core_in_words),
        cmocka_unit_test(a_program_is_told_the_core_as_json),
        cmocka_unit_test(what_is_legal_is_not_explained),
        cmocka_unit_test(what_is_not_consistent_by_program_order_is_explained_as_such),
        cmocka_unit_test(an_explanation_that_does_not_fit_is_not_given_in_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
