/* test_rdl.c - replicated data libraries converge, their bugs show, and so do misconceptions of the
 * applications that use them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json.h"
#include "lww_set.h"
#include "op_log.h"
#include "or_set.h"
#include "rdl_world.h"
#include "rga.h"
#include "shopping.h"
#include "todo.h"
#include "town.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t programs = 100; /* of each library, that are drawn */

/* What a replica looks like. */
#define assert_looks(print, replica, wanted)                                                       \
    do {                                                                                           \
        char looks[256];                                                                           \
        size_t length = print(replica, looks, sizeof(looks));                                      \
                                                                                                   \
        assert_string_equal(looks, wanted);                                                        \
        assert_int_equal(length, strlen(looks));                                                   \
    } while (0)

/* ---- All orders of small programs ----------------------------------------------------------- */

static void sets_with_last_writer_wins_converge_in_all_orders(void **state)
{
    (void)state;
    assert_true(world_converges(&lww_set_library, programs));
}

static void logs_converge_in_all_orders(void **state)
{
    (void)state;
    assert_true(world_converges(&op_log_library, programs));
}

static void sets_with_observed_removals_converge_in_all_orders(void **state)
{
    (void)state;
    assert_true(world_converges(&or_set_library, programs));
}

static void lists_converge_in_all_orders(void **state)
{
    (void)state;
    assert_true(world_converges(&rga_library, programs));
}

static void todo_lists_converge_in_all_orders(void **state)
{
    (void)state;
    assert_true(world_converges(&todo_library, programs));
}

static void orders_of_small_programs_tell_right_from_wrong(void **state)
{
    (void)state;
    assert_false(world_converges(&lww_set_tie_library, 100));
    assert_false(world_converges(&op_log_identity_library, 100));
    assert_false(world_converges(&op_log_clock_library, 1000));
    assert_false(world_converges(&or_set_unseen_library, 100));
    assert_false(world_converges(&rga_anchor_library, 100));
}

/* ---- Sets in which the last writer wins ------------------------------------------------------ */

static uint64_t read_clock(void *clock)
{
    return *(const uint64_t *)clock;
}

static void lww_sync(const struct lww_set *from, struct lww_set *to)
{
    struct lww_set_message *message = lww_set_make(from);

    lww_set_apply(to, message);
    lww_set_message_free(message);
}

/* A has added x and B has removed it, at the same time; they tell each other. */
static void lww_meet(struct lww_set *a, struct lww_set *b, uint64_t *clock, bool has_bug)
{
    struct lww_set_config config = {
        .now_ms = read_clock,
        .clock = clock,
        .lets_arrival_break_ties = has_bug,
    };
    struct lww_set_message *of_a;

    lww_set_init(a, &config);
    lww_set_init(b, &config);
    lww_set_add(a, "x");
    lww_set_remove(b, "x");
    of_a = lww_set_make(a);
    lww_sync(b, a);
    lww_set_apply(b, of_a);
    lww_set_message_free(of_a);
}

static void removal_wins_a_tie(void **state)
{
    uint64_t clock = 7;
    struct lww_set a;
    struct lww_set b;

    (void)state;
    lww_meet(&a, &b, &clock, false);

    assert_looks(lww_set_print, &a, "[]");
    assert_looks(lww_set_print, &b, "[]");
    lww_set_done(&a);
    lww_set_done(&b);
}

static void tie_makes_replicas_differ(void **state)
{
    uint64_t clock = 7;
    struct lww_set a;
    struct lww_set b;

    (void)state;
    lww_meet(&a, &b, &clock, true);

    assert_looks(lww_set_print, &a, "[]");
    assert_looks(lww_set_print, &b, "[\"x\"]");
    lww_set_done(&a);
    lww_set_done(&b);
}

static void who_has_seen_something_changes_it_whatever_his_clock_says(void **state)
{
    uint64_t late_ms = 100;
    uint64_t early_ms = 5;
    struct lww_set a;
    struct lww_set b;

    (void)state;
    lww_set_init(&a, &(struct lww_set_config){.now_ms = read_clock, .clock = &late_ms});
    lww_set_init(&b, &(struct lww_set_config){.now_ms = read_clock, .clock = &early_ms});
    lww_set_add(&a, "x");
    lww_sync(&a, &b);
    lww_set_remove(&b, "x");
    lww_sync(&b, &a);

    assert_false(lww_set_has(&a, "x"));
    assert_int_equal(lww_set_count(&b), 0);
    lww_set_done(&a);
    lww_set_done(&b);
}

static void time_of_day_is_the_clock_if_none_is_given(void **state)
{
    struct lww_set set;

    (void)state;
    lww_set_init(&set, &(struct lww_set_config){0});
    lww_set_add(&set, "y");
    lww_set_add(&set, "x");

    assert_true(set.latest_ms > UINT64_C(1600000000000));
    assert_looks(lww_set_print, &set, "[\"x\",\"y\"]");
    lww_set_done(&set);
}

/* ---- Logs ----------------------------------------------------------------------------------- */

static void log_sync(const struct op_log *from, struct op_log *to)
{
    struct op_log_message *message = op_log_make(from);

    op_log_apply(to, message);
    op_log_message_free(message);
}

/* Two devices of one writer append at the same time, and tell each other. */
static void log_meet(struct op_log *a, struct op_log *b, bool has_bug)
{
    op_log_init(a, &(struct op_log_config){.writer = 7, .device = 1, .ignores_devices = has_bug});
    op_log_init(b, &(struct op_log_config){.writer = 7, .device = 2, .ignores_devices = has_bug});
    op_log_message_free(op_log_append(a, "from a"));
    op_log_message_free(op_log_append(b, "from b"));
    log_sync(a, b);
    log_sync(b, a);
}

static void devices_of_one_writer_agree_on_the_order(void **state)
{
    struct op_log a;
    struct op_log b;

    (void)state;
    log_meet(&a, &b, false);

    assert_looks(op_log_print, &a, "[\"from a\",\"from b\"]");
    assert_looks(op_log_print, &b, "[\"from a\",\"from b\"]");
    op_log_done(&a);
    op_log_done(&b);
}

static void identity_makes_the_order_depend_on_who_joins_whom(void **state)
{
    struct op_log a;
    struct op_log b;

    (void)state;
    log_meet(&a, &b, true);

    assert_looks(op_log_print, &a, "[\"from a\",\"from b\"]");
    assert_looks(op_log_print, &b, "[\"from b\",\"from a\"]");
    op_log_done(&a);
    op_log_done(&b);
}

/* A, whose clock is far ahead, asks; B has heard it, and answers; A hears that. */
static void log_talk(struct op_log *a, struct op_log *b, bool has_bug)
{
    op_log_init(a, &(struct op_log_config){.writer = 2, .device = 1, .clock_saturates = has_bug});
    op_log_init(b, &(struct op_log_config){.writer = 1, .device = 2, .clock_saturates = has_bug});
    assert_true(op_log_set_clock(a, UINT64_C(1) << 53));
    op_log_message_free(op_log_append(a, "question"));
    log_sync(a, b);
    op_log_message_free(op_log_append(b, "answer"));
    log_sync(b, a);
}

static void answer_comes_after_its_question(void **state)
{
    struct op_log a;
    struct op_log b;

    (void)state;
    log_talk(&a, &b, false);

    assert_looks(op_log_print, &a, "[\"question\",\"answer\"]");
    assert_looks(op_log_print, &b, "[\"question\",\"answer\"]");
    op_log_done(&a);
    op_log_done(&b);
}

static void clock_that_stands_still_puts_an_answer_before_its_question(void **state)
{
    struct op_log a;
    struct op_log b;

    (void)state;
    log_talk(&a, &b, true);

    assert_looks(op_log_print, &a, "[\"answer\",\"question\"]");
    op_log_done(&a);
    op_log_done(&b);
}

static void clock_that_stands_still_leaves_entries_as_they_arrive(void **state)
{
    struct op_log_message *first;
    struct op_log_message *second;
    struct op_log a;
    struct op_log b;

    (void)state;
    op_log_init(&a, &(struct op_log_config){.device = 1, .clock_saturates = true});
    op_log_init(&b, &(struct op_log_config){.device = 2, .clock_saturates = true});
    assert_true(op_log_set_clock(&a, UINT64_C(1) << 53));
    first = op_log_append(&a, "first");
    second = op_log_append(&a, "second");
    op_log_deliver(&b, second);
    op_log_deliver(&b, first);

    assert_looks(op_log_print, &a, "[\"first\",\"second\"]");
    assert_looks(op_log_print, &b, "[\"second\",\"first\"]");
    op_log_message_free(first);
    op_log_message_free(second);
    op_log_done(&a);
    op_log_done(&b);
}

static void clock_goes_forward_only_and_not_too_far(void **state)
{
    struct op_log log;

    (void)state;
    op_log_init(&log, &(struct op_log_config){.device = 1});
    assert_true(op_log_set_clock(&log, 10));

    assert_false(op_log_set_clock(&log, 10));
    assert_false(op_log_set_clock(&log, OP_LOG_CLOCK_MAX + 1));
    assert_true(op_log_set_clock(&log, OP_LOG_CLOCK_MAX));
    op_log_done(&log);
}

static void places_of_a_log_have_texts(void **state)
{
    struct op_log log;

    (void)state;
    op_log_init(&log, &(struct op_log_config){.device = 1});
    op_log_message_free(op_log_append(&log, "first"));

    assert_int_equal(op_log_length(&log), 1);
    assert_string_equal(op_log_at(&log, 0), "first");
    assert_null(op_log_at(&log, 1));
    op_log_done(&log);
}

/* ---- Sets with observed removals ------------------------------------------------------------ */

/* A adds x, B has heard it and removes it while A adds it again, and A hears that. */
static void or_set_meet(struct or_set *a, struct or_set *b, bool has_bug)
{
    struct or_set_message *add;
    struct or_set_message *again;
    struct or_set_message *removal;

    or_set_init(a, &(struct or_set_config){.replica = 1, .removes_unseen = has_bug});
    or_set_init(b, &(struct or_set_config){.replica = 2, .removes_unseen = has_bug});
    add = or_set_add(a, "x");
    or_set_deliver(b, add);
    again = or_set_add(a, "x");
    removal = or_set_remove(b, "x");
    or_set_deliver(a, removal);
    or_set_deliver(b, again);
    or_set_message_free(add);
    or_set_message_free(again);
    or_set_message_free(removal);
}

static void addition_that_a_removal_has_not_seen_stays(void **state)
{
    struct or_set a;
    struct or_set b;

    (void)state;
    or_set_meet(&a, &b, false);

    assert_looks(or_set_print, &a, "[\"x\"]");
    assert_looks(or_set_print, &b, "[\"x\"]");
    or_set_done(&a);
    or_set_done(&b);
}

static void unseen_addition_is_lost_where_the_removal_arrives(void **state)
{
    struct or_set a;
    struct or_set b;

    (void)state;
    or_set_meet(&a, &b, true);

    assert_looks(or_set_print, &a, "[]");
    assert_looks(or_set_print, &b, "[\"x\"]");
    or_set_done(&a);
    or_set_done(&b);
}

static void removal_may_arrive_before_the_addition(void **state)
{
    struct or_set_message *add;
    struct or_set_message *removal;
    struct or_set a;
    struct or_set b;

    (void)state;
    or_set_init(&a, &(struct or_set_config){.replica = 1});
    or_set_init(&b, &(struct or_set_config){.replica = 2});
    add = or_set_add(&a, "x");
    removal = or_set_remove(&a, "x");
    or_set_deliver(&b, removal);
    or_set_deliver(&b, add);

    assert_looks(or_set_print, &b, "[]");
    or_set_message_free(add);
    or_set_message_free(removal);
    or_set_done(&a);
    or_set_done(&b);
}

static void items_are_sorted_and_each_is_there_once(void **state)
{
    struct or_set set;

    (void)state;
    or_set_init(&set, &(struct or_set_config){.replica = 1});
    or_set_message_free(or_set_add(&set, "y"));
    or_set_message_free(or_set_add(&set, "x"));
    or_set_message_free(or_set_add(&set, "y"));

    assert_int_equal(or_set_count(&set), 2);
    assert_string_equal(or_set_at(&set, 0), "x");
    assert_string_equal(or_set_at(&set, 1), "y");
    assert_null(or_set_at(&set, 2));
    assert_null(or_set_remove(&set, "z"));
    or_set_done(&set);
}

/* ---- Lists ---------------------------------------------------------------------------------- */

enum { DIGITS = 5 };

static void list_sync(const struct rga *from, struct rga *to)
{
    struct rga_message *message = rga_make(from);

    rga_apply(to, message);
    rga_message_free(message);
}

/* Two replicas of [0, 1, 2, 3, 4]. */
static void list_start(struct rga *a, struct rga *b, struct rga_config config)
{
    config.replica = 1;
    rga_init(a, &config);
    config.replica = 2;
    rga_init(b, &config);
    for (size_t i = 0; i < DIGITS; i++)
        rga_message_free(rga_insert(a, i, (char[]){(char)('0' + i), '\0'}));
    list_sync(a, b);
}

static void list_done(struct rga *a, struct rga *b)
{
    rga_done(a);
    rga_done(b);
}

/* Delivers what each has done to the other. */
static void list_exchange(struct rga *a, struct rga_message *of_a, struct rga *b,
                          struct rga_message *of_b)
{
    rga_deliver(a, of_b);
    rga_deliver(b, of_a);
    rga_message_free(of_a);
    rga_message_free(of_b);
}

static void element_that_two_have_moved_is_in_one_place(void **state)
{
    struct rga a;
    struct rga b;

    (void)state;
    list_start(&a, &b, (struct rga_config){0});
    list_exchange(&a, rga_move(&a, 0, 4), &b, rga_move(&b, 0, 2));

    assert_looks(rga_print, &a, "[\"1\",\"2\",\"0\",\"3\",\"4\"]");
    assert_looks(rga_print, &b, "[\"1\",\"2\",\"0\",\"3\",\"4\"]");
    list_done(&a, &b);
}

static void move_by_inserting_doubles_the_element(void **state)
{
    struct rga a;
    struct rga b;

    (void)state;
    list_start(&a, &b, (struct rga_config){.moves_by_inserting = true});
    list_exchange(&a, rga_move(&a, 0, 4), &b, rga_move(&b, 0, 2));

    assert_looks(rga_print, &a, "[\"1\",\"2\",\"0\",\"3\",\"4\",\"0\"]");
    assert_looks(rga_print, &b, "[\"1\",\"2\",\"0\",\"3\",\"4\",\"0\"]");
    list_done(&a, &b);
}

static void move_behind_an_element_that_is_moved_goes_to_its_old_place(void **state)
{
    struct rga a;
    struct rga b;

    (void)state;
    list_start(&a, &b, (struct rga_config){0});
    list_exchange(&a, rga_move(&a, 2, 1), &b, rga_move(&b, 0, 4));

    assert_looks(rga_print, &a, "[\"2\",\"1\",\"3\",\"4\",\"0\"]");
    assert_looks(rga_print, &b, "[\"2\",\"1\",\"3\",\"4\",\"0\"]");
    list_done(&a, &b);
}

static void anchor_that_is_moved_makes_replicas_differ(void **state)
{
    struct rga a;
    struct rga b;
    char looks_a[64];
    char looks_b[64];

    (void)state;
    list_start(&a, &b, (struct rga_config){.moves_behind_elements = true});
    list_exchange(&a, rga_move(&a, 2, 1), &b, rga_move(&b, 0, 4));

    (void)rga_print(&a, looks_a, sizeof(looks_a));
    (void)rga_print(&b, looks_b, sizeof(looks_b));
    assert_string_not_equal(looks_a, looks_b);
    list_done(&a, &b);
}

static void element_that_is_deleted_is_not_brought_back_by_a_move(void **state)
{
    struct rga a;
    struct rga b;

    (void)state;
    list_start(&a, &b, (struct rga_config){0});
    list_exchange(&a, rga_delete(&a, 1), &b, rga_move(&b, 1, 3));

    assert_looks(rga_print, &a, "[\"0\",\"2\",\"3\",\"4\"]");
    assert_looks(rga_print, &b, "[\"0\",\"2\",\"3\",\"4\"]");
    list_done(&a, &b);
}

static void messages_of_a_list_may_arrive_in_any_order(void **state)
{
    struct rga_message *first;
    struct rga_message *second;
    struct rga_message *third;
    struct rga a;
    struct rga b;

    (void)state;
    list_start(&a, &b, (struct rga_config){0});
    first = rga_insert(&a, 5, "5");
    second = rga_insert(&a, 6, "6");
    third = rga_delete(&a, 5);
    rga_deliver(&b, third);
    rga_deliver(&b, second);
    assert_int_equal(rga_length(&b), DIGITS);
    rga_deliver(&b, first);

    assert_looks(rga_print, &b, "[\"0\",\"1\",\"2\",\"3\",\"4\",\"6\"]");
    rga_message_free(first);
    rga_message_free(second);
    rga_message_free(third);
    list_done(&a, &b);
}

static void element_has_the_index_that_it_is_moved_to(void **state)
{
    (void)state;
    for (size_t from = 0; from < DIGITS; from++) {
        for (size_t to = 0; to < DIGITS; to++) {
            struct rga a;
            struct rga b;

            list_start(&a, &b, (struct rga_config){0});
            rga_message_free(rga_move(&a, from, to));
            assert_int_equal(rga_find(&a, (char[]){(char)('0' + from), '\0'}), to);
            assert_int_equal(rga_length(&a), DIGITS);
            list_done(&a, &b);
        }
    }
}

static void update_of_an_index_that_is_not_there_does_nothing(void **state)
{
    struct rga a;
    struct rga b;

    (void)state;
    list_start(&a, &b, (struct rga_config){0});

    assert_null(rga_insert(&a, 6, "x"));
    assert_null(rga_delete(&a, 5));
    assert_null(rga_move(&a, 5, 0));
    assert_null(rga_move(&a, 0, 5));
    assert_null(rga_at(&a, 5));
    assert_int_equal(rga_find(&a, "x"), DIGITS);
    list_done(&a, &b);
}

/* ---- To-do lists ---------------------------------------------------------------------------- */

/* A and B create a task each, and A hears of that of B. */
static void todo_meet(struct todo *a, bool has_bug)
{
    struct todo_message *message;
    struct todo b;

    todo_init(a, &(struct todo_config){.replica = 1, .counts_ids = has_bug});
    todo_init(&b, &(struct todo_config){.replica = 2, .counts_ids = has_bug});
    (void)todo_create(a, "buy milk");
    (void)todo_create(&b, "call mother");
    message = todo_make(&b);
    todo_apply(a, message);
    todo_message_free(message);
    todo_done(&b);
}

static void tasks_of_different_replicas_have_different_ids(void **state)
{
    struct todo a;

    (void)state;
    todo_meet(&a, false);

    assert_int_equal(todo_count(&a), 2);
    assert_string_equal(todo_title(&a, UINT64_C(1) << 32 | 1), "buy milk");
    assert_string_equal(todo_title(&a, UINT64_C(2) << 32 | 1), "call mother");
    todo_done(&a);
}

static void sequential_ids_lose_a_task(void **state)
{
    struct todo a;

    (void)state;
    todo_meet(&a, true);

    assert_looks(todo_print, &a, "[{\"id\":1,\"title\":\"call mother\",\"completed\":false}]");
    todo_done(&a);
}

static void task_can_be_completed_once(void **state)
{
    struct todo list;
    uint64_t id;

    (void)state;
    todo_init(&list, &(struct todo_config){.replica = 1});
    id = todo_create(&list, "buy milk");

    assert_false(todo_is_completed(&list, id));
    assert_true(todo_complete(&list, id));
    assert_true(todo_is_completed(&list, id));
    assert_false(todo_complete(&list, id));
    assert_false(todo_complete(&list, id + 1));
    assert_null(todo_title(&list, id + 1));
    todo_done(&list);
}

/* ---- Reports of a town ---------------------------------------------------------------------- */

/* The scenario of the paper up to the removal: A has heard of the pothole but not yet of that. */
static struct or_set_message *town_start(struct town *a, struct town *b, bool transmits_alone)
{
    struct town_config config = {.residents = 2, .transmits_alone = transmits_alone};
    struct or_set_message *message;

    config.resident = 0;
    town_init(a, &config);
    config.resident = 1;
    town_init(b, &config);
    message = town_report(a, "otb");
    town_hear(b, message);
    or_set_message_free(message);
    message = town_report(b, "ph");
    town_hear(a, message);
    or_set_message_free(message);
    return town_resolve(b, "otb");
}

static void town_end(struct town *a, struct town *b, struct or_set_message *message)
{
    or_set_message_free(message);
    town_done(a);
    town_done(b);
}

static void uncoordinated_report_has_what_was_resolved(void **state)
{
    struct or_set_message *resolved;
    struct town a;
    struct town b;

    (void)state;
    resolved = town_start(&a, &b, true);

    assert_string_equal(town_transmit(&a), "[\"otb\",\"ph\"]");
    town_end(&a, &b, resolved);
}

static void report_waits_until_all_have_finished(void **state)
{
    struct or_set_message *finish;
    struct or_set_message *resolved;
    struct town a;
    struct town b;

    (void)state;
    resolved = town_start(&a, &b, false);
    assert_null(town_transmit(&a));
    finish = town_finish(&b);
    town_hear_finish(&a, finish);

    assert_string_equal(town_transmit(&a), "[\"ph\"]");
    or_set_message_free(finish);
    town_end(&a, &b, resolved);
}

/* A reports, B has heard that and resolves, C hears of both in the other order. */
static void town_gossip(struct town *c, bool hears_raw)
{
    struct or_set_message *reported;
    struct or_set_message *resolved;
    struct town a;
    struct town b;

    town_init(&a, &(struct town_config){.resident = 0, .residents = 3});
    town_init(&b, &(struct town_config){.resident = 1, .residents = 3});
    town_init(c, &(struct town_config){.resident = 2, .residents = 3, .hears_raw = hears_raw});
    reported = town_report(&a, "otb");
    town_hear(&b, reported);
    resolved = town_resolve(&b, "otb");
    town_hear(c, resolved);
    town_hear(c, reported);
    or_set_message_free(resolved);
    town_end(&a, &b, reported);
}

static void what_is_heard_in_any_order_is_merged(void **state)
{
    struct town c;

    (void)state;
    town_gossip(&c, false);

    assert_looks(town_print, &c, "[]");
    town_done(&c);
}

static void raw_updates_depend_on_the_order_in_which_they_are_heard(void **state)
{
    struct town c;

    (void)state;
    town_gossip(&c, true);

    assert_looks(town_print, &c, "[\"otb\"]");
    town_done(&c);
}

/* ---- Shopping lists ------------------------------------------------------------------------- */

/* Each adds something, and hears of the other. */
static void shopping_meet(struct shopping *a, struct shopping *b, bool has_bug)
{
    struct rga_message *of_a;
    struct rga_message *of_b;

    shopping_init(a, &(struct shopping_config){.list.replica = 1, .appends = has_bug});
    shopping_init(b, &(struct shopping_config){.list.replica = 2, .appends = has_bug});
    of_a = shopping_add(a, "milk");
    of_b = shopping_add(b, "bread");
    shopping_hear(a, of_b);
    shopping_hear(b, of_a);
    rga_message_free(of_a);
    rga_message_free(of_b);
}

static void shopping_lists_have_one_order(void **state)
{
    struct shopping a;
    struct shopping b;

    (void)state;
    shopping_meet(&a, &b, false);

    assert_looks(shopping_print, &a, "[\"bread\",\"milk\"]");
    assert_looks(shopping_print, &b, "[\"bread\",\"milk\"]");
    shopping_done(&a);
    shopping_done(&b);
}

static void append_makes_the_order_that_of_arrival(void **state)
{
    struct shopping a;
    struct shopping b;

    (void)state;
    shopping_meet(&a, &b, true);

    assert_looks(shopping_print, &a, "[\"milk\",\"bread\"]");
    assert_looks(shopping_print, &b, "[\"bread\",\"milk\"]");
    shopping_done(&a);
    shopping_done(&b);
}

static void things_are_moved_and_dropped_by_name(void **state)
{
    struct shopping a;

    (void)state;
    shopping_init(&a, &(struct shopping_config){.list.replica = 1});
    rga_message_free(shopping_add(&a, "milk"));
    rga_message_free(shopping_add(&a, "bread"));
    rga_message_free(shopping_add(&a, "salt"));
    rga_message_free(shopping_move(&a, "milk", 2));
    rga_message_free(shopping_drop(&a, "salt"));

    assert_looks(shopping_print, &a, "[\"bread\",\"milk\"]");
    assert_null(shopping_drop(&a, "salt"));
    assert_int_equal(shopping_length(&a), 2);
    shopping_done(&a);
}

/* ---- What all have in common ---------------------------------------------------------------- */

static void message_that_does_not_exist_changes_nothing(void **state)
{
    struct lww_set set;
    struct todo todo;
    struct rga list;

    (void)state;
    lww_set_init(&set, &(struct lww_set_config){0});
    todo_init(&todo, &(struct todo_config){0});
    rga_init(&list, &(struct rga_config){0});
    lww_set_apply(&set, NULL);
    todo_apply(&todo, NULL);
    rga_apply(&list, NULL);

    assert_looks(lww_set_print, &set, "[]");
    assert_looks(todo_print, &todo, "[]");
    assert_looks(rga_print, &list, "[]");
    lww_set_done(&set);
    todo_done(&todo);
    rga_done(&list);
}

static void text_that_does_not_fit_is_cut_and_counted(void **state)
{
    char out[6] = "......";
    struct rdl_json json;

    (void)state;
    rdl_json_init(&json, out, sizeof(out));
    rdl_json_string(&json, "a\"\\\n");

    assert_string_equal(out, "\"a\\\"\\");
    assert_int_equal(json.length, strlen("\"a\\\"\\\\\\u000a\""));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_with_last_writer_wins_converge_in_all_orders),
        cmocka_unit_test(logs_converge_in_all_orders),
        cmocka_unit_test(sets_with_observed_removals_converge_in_all_orders),
        cmocka_unit_test(lists_converge_in_all_orders),
        cmocka_unit_test(todo_lists_converge_in_all_orders),
        cmocka_unit_test(orders_of_small_programs_tell_right_from_wrong),
        cmocka_unit_test(removal_wins_a_tie),
        cmocka_unit_test(tie_makes_replicas_differ),
        cmocka_unit_test(who_has_seen_something_changes_it_whatever_his_clock_says),
        cmocka_unit_test(time_of_day_is_the_clock_if_none_is_given),
        cmocka_unit_test(devices_of_one_writer_agree_on_the_order),
        cmocka_unit_test(identity_makes_the_order_depend_on_who_joins_whom),
        cmocka_unit_test(answer_comes_after_its_question),
        cmocka_unit_test(clock_that_stands_still_puts_an_answer_before_its_question),
        cmocka_unit_test(clock_that_stands_still_leaves_entries_as_they_arrive),
        cmocka_unit_test(clock_goes_forward_only_and_not_too_far),
        cmocka_unit_test(places_of_a_log_have_texts),
        cmocka_unit_test(addition_that_a_removal_has_not_seen_stays),
        cmocka_unit_test(unseen_addition_is_lost_where_the_removal_arrives),
        cmocka_unit_test(removal_may_arrive_before_the_addition),
        cmocka_unit_test(items_are_sorted_and_each_is_there_once),
        cmocka_unit_test(element_that_two_have_moved_is_in_one_place),
        cmocka_unit_test(move_by_inserting_doubles_the_element),
        cmocka_unit_test(move_behind_an_element_that_is_moved_goes_to_its_old_place),
        cmocka_unit_test(anchor_that_is_moved_makes_replicas_differ),
        cmocka_unit_test(element_that_is_deleted_is_not_brought_back_by_a_move),
        cmocka_unit_test(messages_of_a_list_may_arrive_in_any_order),
        cmocka_unit_test(element_has_the_index_that_it_is_moved_to),
        cmocka_unit_test(update_of_an_index_that_is_not_there_does_nothing),
        cmocka_unit_test(tasks_of_different_replicas_have_different_ids),
        cmocka_unit_test(sequential_ids_lose_a_task),
        cmocka_unit_test(task_can_be_completed_once),
        cmocka_unit_test(uncoordinated_report_has_what_was_resolved),
        cmocka_unit_test(report_waits_until_all_have_finished),
        cmocka_unit_test(what_is_heard_in_any_order_is_merged),
        cmocka_unit_test(raw_updates_depend_on_the_order_in_which_they_are_heard),
        cmocka_unit_test(shopping_lists_have_one_order),
        cmocka_unit_test(append_makes_the_order_that_of_arrival),
        cmocka_unit_test(things_are_moved_and_dropped_by_name),
        cmocka_unit_test(message_that_does_not_exist_changes_nothing),
        cmocka_unit_test(text_that_does_not_fit_is_cut_and_counted),
    };

    if (argc > 1)
        programs = (uint32_t)strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
