/* test_exact.c - tests of the algorithms for special objects: each rule once where it decides, on
 * either side. SPDX-License-Identifier: MIT
 */
#include "histories.h"

#include <sennit/test.h>

#define ADD(p_, r_, call_, ret_) OP(p_, SET_ADD, 1, r_, call_, ret_)
#define REMOVE(p_, r_, call_, ret_) OP(p_, SET_REMOVE, 1, r_, call_, ret_)
#define CONTAINS(p_, r_, call_, ret_) OP(p_, SET_CONTAINS, 1, r_, call_, ret_)
#define INC(p_, call_, ret_) OP(p_, COUNTER_INC, NIL, NIL, call_, ret_)
#define GET(p_, r_, call_, ret_) OP(p_, COUNTER_GET, NIL, r_, call_, ret_)
#define FETCH(p_, r_, call_, ret_) OP(p_, FETCH_ADD, NIL, r_, call_, ret_)

#define assert_decides(model_, name_, verdict_, ...)                                               \
    assert_int_equal(verdict(&(model_), name_, HISTORY(__VA_ARGS__)), verdict_)

/* The algorithm that is used if none is asked for. */
static const char *chosen(const struct sn_model *model, const struct sn_operation *operations,
                          size_t n)
{
    static char name[32];
    struct sn_check_result result = check_with(model, NULL, operations, n);

    memcpy(name, result.algorithm, sizeof(name));
    return name;
}

/* ---- Register ------------------------------------------------------------------------------- */

static void a_value_must_be_written_before_a_read_of_it_returns(void **state)
{
    (void)state;
    assert_decides(sn_model_register, "register", SN_LINEAR_NO, READ(0, 1, 1, 2),
                   WRITE(1, 1, 3, 4));
    assert_decides(sn_model_register, "register", SN_LINEAR_YES, READ(0, 1, 1, 3),
                   WRITE(1, 1, 2, 4));
    assert_decides(sn_model_register, "register", SN_LINEAR_NO, READ(0, 5, 1, 3),
                   WRITE(1, 1, 2, 4));
}

static void a_value_does_not_come_back(void **state)
{
    (void)state;
    assert_decides(sn_model_register, "register", SN_LINEAR_NO, WRITE(0, 1, 1, 2),
                   WRITE(0, 2, 3, 4), READ(1, 2, 5, 6), READ(1, 1, 7, 8));
}

static void a_write_must_not_lie_within_the_time_of_another_value(void **state)
{
    (void)state;
    assert_decides(sn_model_register, "register", SN_LINEAR_NO, WRITE(0, 1, 1, 2),
                   WRITE(0, 2, 3, 4), READ(1, 1, 5, 6));
    assert_decides(sn_model_register, "register", SN_LINEAR_YES, WRITE(0, 1, 1, 2),
                   WRITE(0, 2, 3, 7), READ(1, 1, 5, 6));
}

static void a_write_that_never_returned_took_place_if_it_was_read(void **state)
{
    (void)state;
    assert_decides(sn_model_register, "register", SN_LINEAR_YES, WRITE(0, 1, 1, NEVER),
                   READ(1, NIL, 2, 3), READ(1, 1, 4, 5));
    assert_decides(sn_model_register, "register", SN_LINEAR_NO, WRITE(0, 1, 1, NEVER),
                   READ(1, 1, 2, 3), READ(1, NIL, 4, 5));
}

static void values_that_cas_ties_together_follow_each_other(void **state)
{
    (void)state;
    assert_decides(sn_model_cas_register, "register", SN_LINEAR_YES, WRITE(0, 1, 1, 2),
                   CAS(1, 1, 2, 1, 3, 4), WRITE(0, 3, 5, 6), READ(1, 3, 7, 8));
    assert_decides(sn_model_cas_register, "register", SN_LINEAR_NO, WRITE(0, 1, 1, 2),
                   WRITE(0, 3, 3, 4), CAS(1, 1, 2, 1, 5, 6));
    assert_decides(sn_model_cas_register, "register", SN_LINEAR_NO, CAS(1, 1, 2, 1, 1, 2),
                   WRITE(0, 1, 3, 4));
}

static void a_value_is_replaced_by_cas_once(void **state)
{
    (void)state;
    assert_decides(sn_model_cas_register, "register", SN_LINEAR_NO, WRITE(0, 1, 1, 2),
                   CAS(1, 1, 2, 1, 3, 9), CAS(2, 1, 3, 1, 3, 9));
}

static void cas_that_never_returned_counts_if_completed_operations_need_it(void **state)
{
    (void)state;
    assert_decides(sn_model_cas_register, "register", SN_LINEAR_YES, WRITE(0, 1, 1, 2),
                   CAS(1, 1, 2, NIL, 3, NEVER), CAS(2, 2, 3, NIL, 3, NEVER), READ(0, 3, 4, 5));
    assert_decides(sn_model_cas_register, "register", SN_LINEAR_YES, CAS(1, 3, 1, NIL, 1, NEVER),
                   CAS(2, 1, 3, NIL, 1, NEVER), READ(0, NIL, 4, 5));
    assert_decides(sn_model_cas_register, "register", SN_LINEAR_NO, CAS(1, 3, 1, NIL, 1, NEVER),
                   CAS(2, 1, 3, NIL, 1, NEVER), READ(0, 1, 4, 5));
}

static void a_register_is_searched_if_a_value_is_written_twice(void **state)
{
    (void)state;
    assert_string_equal(
        chosen(&sn_model_register, HISTORY(WRITE(0, 1, 1, 2), WRITE(0, 1, 3, 4), READ(0, 1, 5, 6))),
        "search");
    assert_string_equal(chosen(&sn_model_map, HISTORY(WRITE(0, 1, 1, 2), CAS(0, 5, 6, 0, 3, 4))),
                        "search");
    assert_string_equal(chosen(&sn_model_map, HISTORY(WRITE(0, 1, 1, 2), READ(0, 1, 3, 4))),
                        "register");
}

/* ---- Set ------------------------------------------------------------------------------------ */

static void the_add_that_returns_first_is_used_first(void **state)
{
    (void)state;
    assert_decides(sn_model_set, "set", SN_LINEAR_YES, ADD(0, 1, 1, 20), ADD(1, 1, 2, 5),
                   REMOVE(2, 1, 6, 7), CONTAINS(2, 0, 8, 9));
}

static void a_value_comes_as_late_as_possible(void **state)
{
    (void)state;
    assert_decides(sn_model_set, "set", SN_LINEAR_YES, ADD(0, 1, 1, 9), CONTAINS(1, 0, 2, 3),
                   CONTAINS(1, 1, 4, 5));
    assert_decides(sn_model_set, "set", SN_LINEAR_NO, ADD(0, 1, 1, 9), CONTAINS(1, 1, 2, 3),
                   CONTAINS(1, 0, 4, 5));
}

static void values_of_a_set_are_looked_at_apart(void **state)
{
    struct sn_check_result result =
        check_with(&sn_model_set, NULL,
                   HISTORY(OP(0, SET_ADD, 1, 1, 1, 2), OP(0, SET_ADD, 2, 1, 3, 4),
                           OP(0, SET_REMOVE, 1, 1, 5, 6), OP(0, SET_CONTAINS, 2, 1, 7, 8)));

    (void)state;
    assert_int_equal(result.verdict, SN_LINEAR_YES);
    assert_int_equal(result.partitions, 2);
    assert_string_equal(result.algorithm, "set");
}

/* ---- Counters ------------------------------------------------------------------------------- */

/* Whole sets of this test: what they consist of is told. */
static const sn_value some[] = {1, 2};

static const sn_value *elements(void *self, sn_value whole, size_t *n)
{
    (void)self;
    for (*n = 0; *n <= 2; ++*n) {
        if (whole == sn_set_value(some, *n))
            return some;
    }
    return NULL;
}

#define SHOW(p_, n_, call_, ret_) OP(p_, SET_READ, NIL, sn_set_value(some, n_), call_, ret_)
#define ADD_OF(p_, a_, call_, ret_) OP(p_, SET_ADD, a_, NIL, call_, ret_)
#define assert_whole(verdict_, ...)                                                                \
    assert_int_equal(                                                                              \
        check_with(&sn_model_set,                                                                  \
                   &(struct sn_check_options){.algorithm = "set", .elements = elements},           \
                   HISTORY(__VA_ARGS__))                                                           \
            .verdict,                                                                              \
        verdict_)

static void whole_reads_only_show_more(void **state)
{
    (void)state;
    assert_whole(SN_LINEAR_YES, ADD_OF(0, 1, 1, 2), ADD_OF(1, 2, 3, 8), SHOW(2, 1, 4, 5),
                 SHOW(2, 2, 6, 7));
    assert_whole(SN_LINEAR_NO, ADD_OF(0, 1, 1, 2), ADD_OF(1, 2, 3, 8), SHOW(2, 2, 4, 5),
                 SHOW(2, 1, 6, 7));
}

static void a_whole_read_shows_what_was_added_before_and_not_what_comes_after(void **state)
{
    (void)state;
    assert_whole(SN_LINEAR_NO, ADD_OF(0, 1, 1, 2), SHOW(1, 0, 3, 4));
    assert_whole(SN_LINEAR_NO, SHOW(1, 1, 1, 2), ADD_OF(0, 1, 3, 4));
    assert_whole(SN_LINEAR_YES, SHOW(1, 1, 1, 3), ADD_OF(0, 1, 2, 4));
    assert_whole(SN_LINEAR_NO, SHOW(1, 1, 1, 2));
}

static void an_addition_that_never_returned_took_place_if_it_was_shown(void **state)
{
    (void)state;
    assert_whole(SN_LINEAR_YES, ADD_OF(0, 1, 1, NEVER), ADD_OF(1, 2, 2, NEVER), SHOW(2, 0, 3, 4),
                 SHOW(2, 1, 5, 6));
    assert_whole(SN_LINEAR_NO, ADD_OF(0, 1, 1, NEVER), ADD_OF(1, 2, 2, NEVER), SHOW(2, 1, 3, 4),
                 SHOW(2, 0, 5, 6));
}

static void a_whole_set_is_searched_if_it_shrinks_or_its_values_are_not_told(void **state)
{
    const struct sn_check_options told = {.elements = elements};

    (void)state;
    assert_string_equal(chosen(&sn_model_set, HISTORY(ADD_OF(0, 1, 1, 2), SHOW(1, 1, 3, 4))),
                        "search");
    assert_string_equal(
        check_with(&sn_model_set, &told,
                   HISTORY(ADD_OF(0, 1, 1, 2), REMOVE(0, 1, 3, 4), SHOW(1, 0, 5, 6)))
            .algorithm,
        "search");
}

#define LIST_SHOW(p_, n_, call_, ret_) OP(p_, LIST_READ, NIL, sn_list_value(some, n_), call_, ret_)
#define APPEND_OF(p_, a_, r_, call_, ret_) OP(p_, LIST_APPEND, a_, r_, call_, ret_)

static const sn_value *list_elements(void *self, sn_value whole, size_t *n)
{
    (void)self;
    for (*n = 0; *n <= 2; ++*n) {
        if (whole == sn_list_value(some, *n))
            return some;
    }
    return NULL;
}

static enum sn_linear list_verdict(const struct sn_operation *operations, size_t n)
{
    const struct sn_check_options options = {.algorithm = "list", .elements = list_elements};

    return check_with(&sn_model_list, &options, operations, n).verdict;
}

static void the_longest_list_tells_the_order_of_appends(void **state)
{
    (void)state;
    assert_int_equal(list_verdict(HISTORY(APPEND_OF(0, 2, NIL, 1, 4), APPEND_OF(1, 1, NIL, 2, 3),
                                          LIST_SHOW(2, 2, 5, 6))),
                     SN_LINEAR_YES);
    assert_int_equal(list_verdict(HISTORY(APPEND_OF(0, 2, NIL, 1, 2), APPEND_OF(1, 1, NIL, 3, 4),
                                          LIST_SHOW(2, 2, 5, 6))),
                     SN_LINEAR_NO);
}

static void a_place_that_an_append_tells_must_be_that_of_the_list(void **state)
{
    (void)state;
    assert_int_equal(list_verdict(HISTORY(APPEND_OF(0, 1, 0, 1, 4), APPEND_OF(1, 2, 1, 2, 3),
                                          LIST_SHOW(2, 2, 5, 6))),
                     SN_LINEAR_YES);
    assert_int_equal(list_verdict(HISTORY(APPEND_OF(0, 1, 1, 1, 4), APPEND_OF(1, 2, 0, 2, 3),
                                          LIST_SHOW(2, 2, 5, 6))),
                     SN_LINEAR_NO);
}

static void a_list_is_searched_if_somebody_asks_for_one_place(void **state)
{
    const struct sn_check_options told = {.elements = list_elements};

    (void)state;
    assert_string_equal(check_with(&sn_model_list, &told,
                                   HISTORY(APPEND_OF(0, 1, NIL, 1, 2), LIST_SHOW(1, 1, 3, 4),
                                           OP(1, LIST_GET, 0, 1, 5, 6)))
                            .algorithm,
                        "search");
}

static void a_count_that_was_seen_limits_later_increments(void **state)
{
    (void)state;
    assert_decides(sn_model_counter, "counter", SN_LINEAR_NO, INC(0, 1, 2), GET(1, 0, 3, 4));
    assert_decides(sn_model_counter, "counter", SN_LINEAR_YES, INC(0, 1, 9), GET(1, 0, 3, 4),
                   GET(1, 1, 5, 6));
    assert_decides(sn_model_counter, "counter", SN_LINEAR_NO, INC(0, 1, 9), GET(1, 1, 3, 4),
                   GET(1, 0, 5, 6));
    assert_decides(sn_model_counter, "counter", SN_LINEAR_NO, INC(0, 1, 9), GET(1, 2, 3, 4));
}

static void the_increment_that_returns_first_is_used_first(void **state)
{
    (void)state;
    assert_decides(sn_model_counter, "counter", SN_LINEAR_YES, INC(0, 1, 20), INC(1, 2, 6),
                   GET(2, 1, 3, 4), GET(2, 1, 7, 8));
}

static void counts_are_the_order_of_fetch_add(void **state)
{
    (void)state;
    assert_decides(sn_model_fetch_add, "fetch-add", SN_LINEAR_YES, FETCH(0, 1, 1, 9),
                   FETCH(1, 0, 2, 3));
    assert_decides(sn_model_fetch_add, "fetch-add", SN_LINEAR_NO, FETCH(0, 1, 1, 2),
                   FETCH(1, 0, 3, 4));
    assert_decides(sn_model_fetch_add, "fetch-add", SN_LINEAR_NO, FETCH(0, 0, 1, 9),
                   FETCH(1, 0, 2, 3));
}

static void counts_that_nobody_got_are_of_operations_that_never_returned(void **state)
{
    (void)state;
    assert_decides(sn_model_fetch_add, "fetch-add", SN_LINEAR_YES, FETCH(0, 7, 1, NEVER),
                   FETCH(1, 1, 2, 3));
    assert_decides(sn_model_fetch_add, "fetch-add", SN_LINEAR_NO, FETCH(1, 1, 2, 3),
                   FETCH(0, 7, 4, NEVER));
    assert_decides(sn_model_fetch_add, "fetch-add", SN_LINEAR_NO, FETCH(0, 7, 1, NEVER),
                   FETCH(1, 2, 2, 3));
}

/* ---- Containers ----------------------------------------------------------------------------- */

static void a_value_is_taken_once_and_after_it_was_put(void **state)
{
    (void)state;
    assert_decides(sn_model_queue, "queue", SN_LINEAR_NO, PUT(0, 1, 1, 2), TAKE(0, 1, 3, 4),
                   TAKE(0, 1, 5, 6));
    assert_decides(sn_model_queue, "queue", SN_LINEAR_NO, TAKE(0, 1, 1, 2), PUT(0, 1, 3, 4));
    assert_decides(sn_model_stack, "stack", SN_LINEAR_NO, TAKE(0, 1, 1, 2));
}

static void a_queue_keeps_the_order_of_what_is_never_taken(void **state)
{
    (void)state;
    assert_decides(sn_model_queue, "queue", SN_LINEAR_NO, PUT(0, 1, 1, 2), PUT(0, 2, 3, 4),
                   TAKE(0, 2, 5, 6));
    assert_decides(sn_model_queue, "queue", SN_LINEAR_YES, PUT(0, 1, 1, 4), PUT(1, 2, 2, 3),
                   TAKE(0, 2, 5, 6));
}

/* No value is inside all the time, but always one of the two is. */
static void nothing_is_found_only_if_nothing_need_be_inside(void **state)
{
    (void)state;
    assert_decides(sn_model_queue, "queue", SN_LINEAR_NO, PUT(0, 1, 1, 2), TAKE(2, NIL, 3, 10),
                   PUT(0, 2, 4, 5), TAKE(1, 1, 6, 7), TAKE(1, 2, 11, 12));
    assert_decides(sn_model_stack, "stack", SN_LINEAR_NO, PUT(0, 1, 1, 2), TAKE(2, NIL, 3, 10),
                   PUT(0, 2, 4, 5), TAKE(1, 1, 6, 12), TAKE(3, 2, 11, 13));
    assert_decides(sn_model_queue, "queue", SN_LINEAR_YES, PUT(0, 1, 1, 2), TAKE(2, NIL, 3, 10),
                   TAKE(1, 1, 4, 5), PUT(0, 2, 6, 7), TAKE(1, 2, 11, 12));
}

static void what_took_something_unknown_serves_for_what_had_to_go(void **state)
{
    (void)state;
    assert_decides(sn_model_queue, "queue", SN_LINEAR_YES, PUT(0, 1, 1, 2), PUT(0, 2, 3, 4),
                   TAKE(1, 0, 4, NEVER), TAKE(0, 2, 5, 6));
    assert_decides(sn_model_queue, "queue", SN_LINEAR_NO, PUT(0, 1, 1, 2), PUT(0, 2, 3, 4),
                   TAKE(0, 2, 5, 6), TAKE(1, 0, 7, NEVER));
}

static void a_stack_is_wrong_if_values_cross(void **state)
{
    (void)state;
    assert_decides(sn_model_stack, "stack", SN_LINEAR_NO, PUT(0, 1, 1, 2), PUT(0, 2, 3, 4),
                   TAKE(0, 1, 5, 6), TAKE(0, 2, 7, 8));
    assert_decides(sn_model_stack, "stack", SN_LINEAR_YES, PUT(0, 1, 1, 2), PUT(0, 2, 3, 4),
                   TAKE(0, 1, 5, 8), TAKE(1, 2, 6, 7));
    assert_decides(sn_model_stack, "stack", SN_LINEAR_YES, PUT(0, 1, 1, 2), TAKE(0, 1, 3, 4),
                   PUT(0, 2, 5, 6), TAKE(0, 2, 7, 8));
}

static void containers_are_searched_if_a_value_is_put_twice(void **state)
{
    (void)state;
    assert_string_equal(chosen(&sn_model_queue, HISTORY(PUT(0, 1, 1, 2), PUT(0, 1, 3, 4))),
                        "search");
    assert_string_equal(chosen(&sn_model_stack, HISTORY(PUT(0, 1, 1, 2), TAKE(0, 1, 3, NEVER))),
                        "search");
    assert_string_equal(chosen(&sn_model_stack, HISTORY(PUT(0, 1, 1, 2), TAKE(0, 1, 3, 4))),
                        "stack");
}

/* ---- Chains --------------------------------------------------------------------------------- */

#define LIST(...)                                                                                  \
    sn_list_value((const sn_value[]){__VA_ARGS__},                                                 \
                  sizeof((const sn_value[]){__VA_ARGS__}) / sizeof(sn_value))
#define APPEND(p_, a_, call_, ret_) OP(p_, LIST_APPEND, a_, NIL, call_, ret_)
#define LOOK(p_, r_, call_, ret_) OP(p_, LIST_READ, NIL, r_, call_, ret_)

static void what_was_seen_is_the_order_of_appends(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_list, "chains",
                             HISTORY(APPEND(0, 1, 1, 9), APPEND(1, 2, 2, 8), APPEND(2, 3, 3, 7),
                                     LOOK(3, LIST(3, 1), 4, 10), LOOK(3, LIST(3, 1, 2), 11, 12))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_list, "chains",
                             HISTORY(APPEND(0, 1, 1, 9), APPEND(1, 2, 2, 8), APPEND(2, 3, 3, 7),
                                     LOOK(3, LIST(3, 1), 4, 10), LOOK(3, LIST(1, 3, 2), 11, 12))),
                     SN_LINEAR_NO);
}

static void a_list_is_seen_after_what_it_holds_is_appended(void **state)
{
    (void)state;
    assert_int_equal(
        verdict(&sn_model_list, "chains",
                HISTORY(APPEND(0, 1, 1, 2), LOOK(1, LIST(1, 2), 3, 4), APPEND(0, 2, 5, 6))),
        SN_LINEAR_NO);
    assert_int_equal(
        verdict(&sn_model_list, "chains",
                HISTORY(APPEND(0, 1, 1, 2), APPEND(0, 2, 3, 4), LOOK(1, LIST(1), 5, 6))),
        SN_LINEAR_NO);
}

static void a_shorter_list_is_not_seen_after_a_longer_one(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_list, "chains",
                             HISTORY(APPEND(0, 1, 1, 10), APPEND(1, 2, 1, 10),
                                     LOOK(2, LIST(1, 2), 3, 4), LOOK(2, LIST(1), 5, 6))),
                     SN_LINEAR_NO);
}

static void an_append_that_never_returned_took_place_if_it_was_seen(void **state)
{
    (void)state;
    assert_int_equal(
        verdict(&sn_model_list, "chains",
                HISTORY(APPEND(0, 1, 1, NEVER), APPEND(1, 2, 2, NEVER), LOOK(2, LIST(2), 3, 4))),
        SN_LINEAR_YES);
    assert_int_equal(
        verdict(&sn_model_list, "chains",
                HISTORY(LOOK(2, LIST(2), 1, 2), APPEND(0, 1, 3, NEVER), APPEND(1, 2, 3, NEVER))),
        SN_LINEAR_NO);
}

static void lists_are_searched_if_the_order_of_appends_cannot_be_told(void **state)
{
    struct sn_check_options chains = {.algorithm = "chains"};
    struct sn_check_result result;

    (void)state;
    assert_int_equal(sn_check_history(&sn_model_list,
                                      HISTORY(APPEND(0, 1, 1, 2), APPEND(0, 1, 3, 4)), &chains,
                                      &result),
                     SN_EINVAL);
    assert_int_equal(sn_check_history(&sn_model_list,
                                      HISTORY(APPEND(0, 1, 1, 2), OP(0, LIST_SIZE, NIL, 1, 3, 4)),
                                      &chains, &result),
                     SN_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_must_be_written_before_a_read_of_it_returns),
        cmocka_unit_test(a_value_does_not_come_back),
        cmocka_unit_test(a_write_must_not_lie_within_the_time_of_another_value),
        cmocka_unit_test(a_write_that_never_returned_took_place_if_it_was_read),
        cmocka_unit_test(values_that_cas_ties_together_follow_each_other),
        cmocka_unit_test(a_value_is_replaced_by_cas_once),
        cmocka_unit_test(cas_that_never_returned_counts_if_completed_operations_need_it),
        cmocka_unit_test(a_register_is_searched_if_a_value_is_written_twice),
        cmocka_unit_test(the_add_that_returns_first_is_used_first),
        cmocka_unit_test(a_value_comes_as_late_as_possible),
        cmocka_unit_test(values_of_a_set_are_looked_at_apart),
        cmocka_unit_test(whole_reads_only_show_more),
        cmocka_unit_test(a_whole_read_shows_what_was_added_before_and_not_what_comes_after),
        cmocka_unit_test(an_addition_that_never_returned_took_place_if_it_was_shown),
        cmocka_unit_test(a_whole_set_is_searched_if_it_shrinks_or_its_values_are_not_told),
        cmocka_unit_test(the_longest_list_tells_the_order_of_appends),
        cmocka_unit_test(a_place_that_an_append_tells_must_be_that_of_the_list),
        cmocka_unit_test(a_list_is_searched_if_somebody_asks_for_one_place),
        cmocka_unit_test(a_count_that_was_seen_limits_later_increments),
        cmocka_unit_test(the_increment_that_returns_first_is_used_first),
        cmocka_unit_test(counts_are_the_order_of_fetch_add),
        cmocka_unit_test(counts_that_nobody_got_are_of_operations_that_never_returned),
        cmocka_unit_test(a_value_is_taken_once_and_after_it_was_put),
        cmocka_unit_test(a_queue_keeps_the_order_of_what_is_never_taken),
        cmocka_unit_test(nothing_is_found_only_if_nothing_need_be_inside),
        cmocka_unit_test(what_took_something_unknown_serves_for_what_had_to_go),
        cmocka_unit_test(a_stack_is_wrong_if_values_cross),
        cmocka_unit_test(containers_are_searched_if_a_value_is_put_twice),
        cmocka_unit_test(what_was_seen_is_the_order_of_appends),
        cmocka_unit_test(a_list_is_seen_after_what_it_holds_is_appended),
        cmocka_unit_test(a_shorter_list_is_not_seen_after_a_longer_one),
        cmocka_unit_test(an_append_that_never_returned_took_place_if_it_was_seen),
        cmocka_unit_test(lists_are_searched_if_the_order_of_appends_cannot_be_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
