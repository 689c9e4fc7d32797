/* test_linear_models.c - tests of what the models allow: one operation after the other.
 * SPDX-License-Identifier: MIT
 */
#include "histories.h"

#include "base/text.h"

enum { RELEASE = 1 };
enum { LEASE_ACQUIRE, LEASE_RENEW, LEASE_RELEASE, LEASE_EXPIRE };

static void a_register_returns_what_was_written_last(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(READ(0, NIL, 1, 2), WRITE(0, 1, 3, 4), WRITE(0, 2, 5, 6),
                                     READ(0, 2, 7, 8))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(WRITE(0, 1, 3, 4), WRITE(0, 2, 5, 6), READ(0, 1, 7, 8))),
                     SN_LINEAR_NO);
}

static void the_value_at_the_beginning_can_be_given(void **state)
{
    struct sn_check_options options = {.has_initial = true, .initial = 7};

    (void)state;
    assert_int_equal(check_with(&sn_model_register, &options, HISTORY(READ(0, 7, 1, 2))).verdict,
                     SN_LINEAR_YES);
    assert_int_equal(check_with(&sn_model_register, &options, HISTORY(READ(0, NIL, 1, 2))).verdict,
                     SN_LINEAR_NO);
}

static void cas_succeeds_only_on_the_expected_value(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_cas_register, "search",
                             HISTORY(WRITE(0, 1, 1, 2), CAS(0, 1, 2, 1, 3, 4), READ(0, 2, 5, 6))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_cas_register, "search",
                             HISTORY(WRITE(0, 1, 1, 2), CAS(0, 3, 2, 1, 3, 4))),
                     SN_LINEAR_NO);
}

static void cas_fails_only_on_another_value_and_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_cas_register, "search",
                             HISTORY(WRITE(0, 1, 1, 2), CAS(0, 3, 2, 0, 3, 4), READ(0, 1, 5, 6))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_cas_register, "search",
                             HISTORY(WRITE(0, 1, 1, 2), CAS(0, 1, 2, 0, 3, 4))),
                     SN_LINEAR_NO);
}

static void keys_of_a_map_are_independent(void **state)
{
    (void)state;
    assert_int_equal(
        verdict(&sn_model_map, NULL,
                HISTORY(ON(1, 0, MAP_PUT, 5, NIL, 1, 2), ON(2, 0, MAP_PUT, 6, NIL, 3, 4),
                        ON(1, 0, MAP_GET, NIL, 5, 5, 6), ON(2, 0, MAP_GET, NIL, 6, 7, 8))),
        SN_LINEAR_YES);
    assert_int_equal(
        verdict(&sn_model_map, NULL,
                HISTORY(ON(1, 0, MAP_PUT, 5, NIL, 1, 2), ON(2, 0, MAP_GET, NIL, 5, 3, 4))),
        SN_LINEAR_NO);
}

static void a_deleted_key_has_no_value(void **state)
{
    (void)state;
    assert_int_equal(
        verdict(&sn_model_map, NULL,
                HISTORY(OP(0, MAP_PUT, 5, NIL, 1, 2), OP(0, MAP_DELETE, NIL, NIL, 3, 4),
                        OP(0, MAP_GET, NIL, NIL, 5, 6))),
        SN_LINEAR_YES);
    assert_int_equal(
        verdict(&sn_model_map, NULL,
                HISTORY(OP(0, MAP_PUT, 5, NIL, 1, 2), OP(0, MAP_DELETE, NIL, NIL, 3, 4),
                        OP(0, MAP_GET, NIL, 5, 5, 6))),
        SN_LINEAR_NO);
}

static void a_set_adds_and_removes_a_value_once(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_set, "search",
                             HISTORY(OP(0, SET_ADD, 1, 1, 1, 2), OP(0, SET_ADD, 1, 0, 3, 4),
                                     OP(0, SET_CONTAINS, 1, 1, 5, 6), OP(0, SET_REMOVE, 1, 1, 7, 8),
                                     OP(0, SET_REMOVE, 1, 0, 9, 10))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_set, "search",
                             HISTORY(OP(0, SET_ADD, 1, 1, 1, 2), OP(0, SET_ADD, 1, 1, 3, 4))),
                     SN_LINEAR_NO);
}

static void a_counter_counts_and_adds(void **state)
{
    (void)state;
    assert_int_equal(
        verdict(&sn_model_counter, "search",
                HISTORY(OP(0, COUNTER_INC, NIL, NIL, 1, 2), OP(0, COUNTER_ADD, 5, NIL, 3, 4),
                        OP(0, COUNTER_GET, NIL, 6, 5, 6))),
        SN_LINEAR_YES);
    assert_int_equal(
        verdict(&sn_model_counter, "search",
                HISTORY(OP(0, COUNTER_INC, NIL, NIL, 1, 2), OP(0, COUNTER_READ, NIL, 0, 5, 6))),
        SN_LINEAR_NO);
}

static void fetch_add_tells_the_count_before_it(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_fetch_add, "search",
                             HISTORY(OP(0, FETCH_ADD, NIL, 0, 1, 2), OP(0, FETCH_ADD, 3, 1, 3, 4),
                                     OP(0, FETCH_READ, NIL, 4, 5, 6))),
                     SN_LINEAR_YES);
    assert_int_equal(
        verdict(&sn_model_fetch_add, "search", HISTORY(OP(0, FETCH_ADD, NIL, 1, 1, 2))),
        SN_LINEAR_NO);
}

static void the_first_leaves_a_queue_first(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_queue, "search",
                             HISTORY(PUT(0, 2, 1, 2), PUT(0, 1, 3, 4), TAKE(0, 2, 5, 6),
                                     TAKE(0, 1, 7, 8), TAKE(0, NIL, 9, 10))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_queue, "search",
                             HISTORY(PUT(0, 2, 1, 2), PUT(0, 1, 3, 4), TAKE(0, 1, 5, 6))),
                     SN_LINEAR_NO);
}

static void the_smallest_leaves_a_priority_queue_first(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_priority_queue, NULL,
                             HISTORY(PUT(0, 2, 1, 2), PUT(0, 1, 3, 4), TAKE(0, 1, 5, 6),
                                     TAKE(0, 2, 7, 8), TAKE(0, NIL, 9, 10))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_priority_queue, NULL,
                             HISTORY(PUT(0, 2, 1, 2), PUT(0, 1, 3, 4), TAKE(0, 2, 5, 6))),
                     SN_LINEAR_NO);
}

static void the_last_leaves_a_stack_first(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_stack, "search",
                             HISTORY(PUT(0, 1, 1, 2), PUT(0, 2, 3, 4), TAKE(0, 2, 5, 6),
                                     TAKE(0, 1, 7, 8), TAKE(0, NIL, 9, 10))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_stack, "search",
                             HISTORY(PUT(0, 1, 1, 2), PUT(0, 2, 3, 4), TAKE(0, 1, 5, 6))),
                     SN_LINEAR_NO);
}

static void a_mutex_is_taken_by_one_at_a_time(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_mutex, NULL,
                             HISTORY(OP(0, 0, NIL, 1, 1, 2), OP(1, 0, NIL, 0, 3, 4),
                                     OP(0, RELEASE, NIL, 1, 5, 6), OP(1, 0, NIL, 1, 7, 8))),
                     SN_LINEAR_YES);
    assert_int_equal(
        verdict(&sn_model_mutex, NULL, HISTORY(OP(0, 0, NIL, 1, 1, 2), OP(1, 0, NIL, 1, 3, 4))),
        SN_LINEAR_NO);
}

static void a_lease_has_one_owner_until_it_is_released(void **state)
{
    (void)state;
    assert_int_equal(
        verdict(&sn_model_lease, NULL,
                HISTORY(OP(0, LEASE_ACQUIRE, 1, 1, 1, 2), OP(1, LEASE_ACQUIRE, 2, 0, 3, 4),
                        OP(0, LEASE_RENEW, 1, 1, 5, 6), OP(0, LEASE_RELEASE, 1, 1, 7, 8),
                        OP(1, LEASE_ACQUIRE, 2, 1, 9, 10))),
        SN_LINEAR_YES);
    assert_int_equal(
        verdict(&sn_model_lease, NULL,
                HISTORY(OP(0, LEASE_ACQUIRE, 1, 1, 1, 2), OP(1, LEASE_ACQUIRE, 2, 1, 3, 4))),
        SN_LINEAR_NO);
}

static void a_lease_may_be_lost_once_it_can_expire(void **state)
{
    (void)state;
    assert_int_equal(
        verdict(&sn_model_lease, NULL,
                HISTORY(OP(0, LEASE_ACQUIRE, 1, 1, 1, 2), OP(9, LEASE_EXPIRE, 1, NIL, 5, NEVER),
                        OP(1, LEASE_ACQUIRE, 2, 1, 6, 7))),
        SN_LINEAR_YES);
    assert_int_equal(
        verdict(&sn_model_lease, NULL,
                HISTORY(OP(0, LEASE_ACQUIRE, 1, 1, 1, 2), OP(1, LEASE_ACQUIRE, 2, 1, 3, 4),
                        OP(9, LEASE_EXPIRE, 1, NIL, 5, NEVER))),
        SN_LINEAR_NO);
}

static void a_whole_set_is_what_is_in_it_in_any_order(void **state)
{
    sn_value both = sn_set_value((const sn_value[]){5, 4}, 2);
    sn_value one = sn_set_value((const sn_value[]){4}, 1);

    (void)state;
    assert_int_equal(both, sn_set_value((const sn_value[]){4, 5}, 2));
    assert_int_equal(
        verdict(&sn_model_set, NULL,
                HISTORY(OP(0, SET_ADD, 4, 1, 1, 2), OP(0, SET_ADD, 5, NIL, 3, 4),
                        OP(0, SET_READ, NIL, both, 5, 6), OP(0, SET_REMOVE, 5, 1, 7, 8),
                        OP(0, SET_READ, NIL, one, 9, 10))),
        SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_set, NULL,
                             HISTORY(OP(0, SET_ADD, 4, 1, 1, 2), OP(0, SET_READ, NIL, both, 5, 6))),
                     SN_LINEAR_NO);
}

static void no_set_has_a_value_twice(void **state)
{
    sn_value twice = sn_set_value((const sn_value[]){4, 4}, 2);

    (void)state;
    assert_int_equal(verdict(&sn_model_set, NULL,
                             HISTORY(OP(0, SET_ADD, 4, NIL, 1, 2), OP(0, SET_ADD, 4, NIL, 3, 4),
                                     OP(0, SET_READ, NIL, twice, 5, 6))),
                     SN_LINEAR_NO);
}

static void a_list_keeps_what_was_appended_in_order(void **state)
{
    sn_value both = sn_list_value((const sn_value[]){4, 5}, 2);
    sn_value swapped = sn_list_value((const sn_value[]){5, 4}, 2);

    (void)state;
    assert_int_equal(
        verdict(&sn_model_list, NULL,
                HISTORY(OP(0, LIST_APPEND, 4, 0, 1, 2), OP(0, LIST_APPEND, 5, NIL, 3, 4),
                        OP(0, LIST_GET, 1, 5, 5, 6), OP(0, LIST_GET, 2, NIL, 7, 8),
                        OP(0, LIST_SIZE, NIL, 2, 9, 10), OP(0, LIST_READ, NIL, both, 11, 12))),
        SN_LINEAR_YES);
    assert_int_equal(
        verdict(&sn_model_list, NULL,
                HISTORY(OP(0, LIST_APPEND, 4, NIL, 1, 2), OP(0, LIST_APPEND, 5, NIL, 3, 4),
                        OP(0, LIST_READ, NIL, swapped, 5, 6))),
        SN_LINEAR_NO);
}

static void models_are_found_by_name_and_by_number(void **state)
{
    (void)state;
    assert_ptr_equal(sn_model_find("priority-queue"), &sn_model_priority_queue);
    assert_ptr_equal(sn_model_at(0), &sn_model_register);
    assert_ptr_equal(sn_model_at(11), &sn_model_list);
    assert_null(sn_model_at(12));
    assert_null(sn_model_find("heap"));
}

static void states_are_printed(void **state)
{
    struct {
        uint64_t n;
        sn_value values[2];
    } row = {2, {7, NIL}};
    char buffer[64];
    struct sn_text text;

    (void)state;
    text_init(&text, buffer, sizeof(buffer));
    sn_model_queue.print(&row, &text);
    sn_model_register.print(&row.values[0], &text);
    sn_model_mutex.print("", &text);

    assert_string_equal(buffer, "[7 nil]7free");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_register_returns_what_was_written_last),
        cmocka_unit_test(the_value_at_the_beginning_can_be_given),
        cmocka_unit_test(cas_succeeds_only_on_the_expected_value),
        cmocka_unit_test(cas_fails_only_on_another_value_and_changes_nothing),
        cmocka_unit_test(keys_of_a_map_are_independent),
        cmocka_unit_test(a_deleted_key_has_no_value),
        cmocka_unit_test(a_set_adds_and_removes_a_value_once),
        cmocka_unit_test(a_counter_counts_and_adds),
        cmocka_unit_test(fetch_add_tells_the_count_before_it),
        cmocka_unit_test(the_first_leaves_a_queue_first),
        cmocka_unit_test(the_smallest_leaves_a_priority_queue_first),
        cmocka_unit_test(the_last_leaves_a_stack_first),
        cmocka_unit_test(a_mutex_is_taken_by_one_at_a_time),
        cmocka_unit_test(a_lease_has_one_owner_until_it_is_released),
        cmocka_unit_test(a_lease_may_be_lost_once_it_can_expire),
        cmocka_unit_test(a_whole_set_is_what_is_in_it_in_any_order),
        cmocka_unit_test(no_set_has_a_value_twice),
        cmocka_unit_test(a_list_keeps_what_was_appended_in_order),
        cmocka_unit_test(models_are_found_by_name_and_by_number),
        cmocka_unit_test(states_are_printed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
