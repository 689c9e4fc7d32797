/* test_require_names.c - tests of require_names.c and naming.c: which machines, draws and
 * operations a required order is about. SPDX-License-Identifier: MIT
 */
#include "required.h"

/* ---- Machines ------------------------------------------------------------------------------- */

struct maker {
    sn_id store;
};

static void start_maker(void *self, const void *payload)
{
    const struct maker *m = payload;
    sn_id made;

    (void)self;
    (void)sn_create(&writer, &(struct writer){m->store, 5});
    made = sn_create(&writer, &(struct writer){m->store, 7});
    sn_set_name(made, "Scribe");
}

static const struct sn_event maker_birth = {.name = "Birth", .size = sizeof(struct maker)};
static const struct sn_state making = {.name = "Making", .entry = start_maker};
static const struct sn_machine maker = {
    .name = "Maker", .size = sizeof(struct maker), .start = &making, .birth = &maker_birth};

static void make_late(void)
{
    sn_id s = sn_create(&store, NULL);

    (void)sn_create(&maker, &(struct maker){s});
}

static void make_late_and_early(void)
{
    sn_id s = run_writers();

    (void)sn_create(&maker, &(struct maker){s});
}

static const struct sn_test late = {.name = "late", .run = make_late, .world = SN_WORLD_TRIAL};
static const struct sn_test both = {
    .name = "both", .run = make_late_and_early, .world = SN_WORLD_TRIAL};

static void a_machine_answers_to_the_name_that_the_test_gives_it(void **state)
{
    const char *const orders[] = {
        "deliver Put to Store from Scribe before deliver Put to Store from Writer", NULL};
    struct sn_result result = run_observed(&late, "random", orders, 30);

    (void)state;
    assert_int_equal(result.stuck, 0);
    assert_true(always_before("put7", "put5"));
}

static void a_machine_that_is_made_later_is_numbered_by_its_creator(void **state)
{
    const char *const orders[] = {"start Scribe before start Maker/Writer", NULL};
    struct sn_result result = run_observed(&both, "random", orders, 30);

    (void)state;
    assert_int_equal(result.stuck, 0);
    assert_string_equal(result.unseen, "");
    assert_true(always_before("put7", "put8"));
}

static void a_short_name_is_that_of_a_machine_of_the_set_up(void **state)
{
    const char *const orders[] = {"deliver Put to Store from Maker/Writer before "
                                  "deliver Put to Store from Writer",
                                  NULL};
    struct sn_result result = run_observed(&both, "random", orders, 30);

    (void)state;
    assert_int_equal(result.stuck, 0);
    assert_true(always_before("put5", "put1"));
}

static void send_to_two_orders(void)
{
    sn_id s = run_writers();

    sn_send(s, &get, NULL);
}

static void what_the_test_itself_sends_comes_from_nobody(void **state)
{
    const struct sn_test t = {.name = "get", .run = send_to_two_orders, .world = SN_WORLD_TRIAL};
    const char *const orders[] = {"deliver Get to Store from nobody before deliver Put to Store",
                                  NULL};

    (void)state;
    (void)run_observed(&t, "random", orders, 30);
    assert_true(always_before("get", "put"));
}

/* ---- Draws ---------------------------------------------------------------------------------- */

static void start_drawer(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("%s:", sn_name(sn_self()));
    observe("%llu", (unsigned long long)sn_choose("coin", 3));
    observe("%llu ", (unsigned long long)sn_choose("coin", 3));
}

static const struct sn_state drawing = {.name = "Drawing", .entry = start_drawer};
static const struct sn_machine drawer = {.name = "Drawer", .start = &drawing};

static void make_drawers(void)
{
    observe("test:%llu ", (unsigned long long)sn_choose("side", 2));
    (void)sn_create(&drawer, NULL);
    (void)sn_create(&drawer, NULL);
}

static const struct sn_test drawers = {
    .name = "drawers", .run = make_drawers, .world = SN_WORLD_TRIAL};

static void a_draw_has_the_value_that_is_required(void **state)
{
    const char *const orders[] = {"draw coin of Drawer#2 number 2 = 2", NULL};
    struct sn_result result = run_required(&drawers, "dfs", orders, 10000);

    (void)state;
    /* The side, two orders, and three coins of three sides each. */
    assert_int_equal(result.schedules, 2 * 2 * 27);
    assert_non_null(strstr(seen->text, "Drawer#2:02 "));
    assert_non_null(strstr(seen->text, "Drawer#2:12 "));
    assert_null(strstr(seen->text, "Drawer#2:00 "));
    assert_null(strstr(seen->text, "Drawer#2:21 "));
}

static void without_a_number_all_draws_of_a_label_have_the_value(void **state)
{
    const char *const orders[] = {"draw coin of Drawer = 1", NULL};
    struct sn_result result = run_required(&drawers, "dfs", orders, 10000);

    (void)state;
    assert_int_equal(result.schedules, 2 * 2 * 9);
    assert_null(strstr(seen->text, "Drawer:12"));
    assert_non_null(strstr(seen->text, "Drawer:11"));
}

static void without_a_machine_all_draws_of_a_label_have_the_value(void **state)
{
    const char *const orders[] = {"draw coin = 1", "draw side = 1", NULL};
    struct sn_result result = run_required(&drawers, "dfs", orders, 10000);

    (void)state;
    assert_int_equal(result.schedules, 2);
    assert_null(strstr(seen->text, "test:0"));
}

static void a_draw_of_the_test_itself_is_of_nobody(void **state)
{
    const char *const orders[] = {"draw side of nobody = 1", NULL};
    struct sn_result result = run_required(&drawers, "random", orders, 20);

    (void)state;
    assert_int_equal(result.stuck, 0);
    assert_string_equal(result.unseen, "");
    assert_null(strstr(seen->text, "test:0"));
}

static void a_trial_whose_draw_cannot_have_the_value_is_stuck(void **state)
{
    const char *const orders[] = {"draw side = 2", NULL};
    struct sn_result result = run_required(&drawers, "random", orders, 20);

    (void)state;
    assert_int_equal(result.stuck, 20);
    assert_int_equal(result.failures, 0);
}

/* ---- Aliases -------------------------------------------------------------------------------- */

/* An echo that answers itself ten times; a bell; and a gate that opens once. */
static void on_echo(void *self, const void *payload)
{
    uint64_t *left = self;

    (void)payload;
    observe("echo ");
    if ((*left)-- > 0)
        sn_send(sn_self(), &tick, NULL);
}

static void on_bell(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("bell ");
}

static void on_gate(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("gate ");
}

static void start_echo(void *self, const void *payload)
{
    (void)payload;
    *(uint64_t *)self = 2;
}

static const struct sn_state echoing = {
    .name = "Echoing",
    .entry = start_echo,
    .on = (const struct sn_on[]){{.event = &tick, .run = on_echo}, {0}},
};
static const struct sn_machine echo = {.name = "Echo", .size = sizeof(uint64_t), .start = &echoing};
static const struct sn_state ringing = {
    .name = "Ringing",
    .on = (const struct sn_on[]){{.event = &get, .run = on_bell}, {0}},
};
static const struct sn_machine bell = {.name = "Bell", .start = &ringing};
static const struct sn_state opening = {
    .name = "Opening",
    .on = (const struct sn_on[]){{.event = &get, .run = on_gate}, {0}},
};
static const struct sn_machine gate = {.name = "Gate", .start = &opening};

static void make_echo(void)
{
    sn_send(sn_create(&echo, NULL), &tick, NULL);
    sn_send(sn_create(&bell, NULL), &get, NULL);
    sn_send(sn_create(&gate, NULL), &get, NULL);
}

static const struct sn_test echoes = {.name = "echoes", .run = make_echo, .world = SN_WORLD_TRIAL};

static const char *const echo_between[] = {
    "first deliver Tick to Echo after (deliver Get to Bell) before deliver Get to Gate", NULL};

static void an_alias_is_the_first_of_its_class_after_another(void **state)
{
    struct sn_result result = run_observed(&echoes, "random", echo_between, 200);

    (void)state;
    assert_true(always_before("bell", "gate"));
    assert_null(strstr(seen->text, "bell gate"));
    assert_true(result.stuck < result.trials);
}

/* Without help the last echo would be over before the bell in some of them. */
static void a_random_walk_helps_an_alias_to_come_about(void **state)
{
    struct sn_result result = run_required(&echoes, "random", echo_between, 200);

    (void)state;
    assert_int_equal(result.stuck, 0);
}

static void a_search_of_everything_does_not(void **state)
{
    struct sn_result result = run_required(&echoes, "dfs", echo_between, 1000000);

    (void)state;
    assert_true(result.stuck > 0);
    assert_true(result.schedules > 0);
}

static void an_alias_can_be_what_is_held(void **state)
{
    const char *const orders[] = {
        "deliver Get to Gate before first deliver Tick to Echo after (deliver Get to Bell)", NULL};
    struct sn_result result = run_observed(&echoes, "random", orders, 200);

    (void)state;
    assert_int_equal(result.stuck, 0);
    assert_null(strstr(seen->text, "bell echo gate"));
    assert_null(strstr(seen->text, "bell echo echo gate"));
    assert_null(strstr(seen->text, "bell echo echo echo gate"));
    assert_non_null(strstr(seen->text, "echo bell gate echo"));
    assert_non_null(strstr(seen->text, "gate bell echo"));
}

/* ---- Copies --------------------------------------------------------------------------------- */

/* A sender on a node sends one value in each of its two steps; of one of its messages there may be
 * a copy, which counts for nobody. */
static void start_sender(void *self, const void *payload)
{
    *(struct maker *)self = *(const struct maker *)payload;
    sn_send(((struct maker *)self)->store, &put, &(struct put){1});
    sn_send(sn_self(), &tick, NULL);
}

static void on_sender_tick(void *self, const void *payload)
{
    (void)payload;
    sn_send(((struct maker *)self)->store, &put, &(struct put){2});
}

static const struct sn_state sending = {
    .name = "Sending",
    .entry = start_sender,
    .on = (const struct sn_on[]){{.event = &tick, .run = on_sender_tick}, {0}},
};
static const struct sn_machine sender = {
    .name = "Sender", .size = sizeof(struct maker), .start = &sending, .birth = &maker_birth};

static void make_sender(void)
{
    sn_node a = sn_node_new("a");
    sn_id s = sn_create_on(sn_node_new("b"), &store, NULL);

    (void)sn_create_on(a, &sender, &(struct maker){s});
    sn_send(s, &get, NULL);
}

static void a_copy_that_a_fault_has_made_has_no_number(void **state)
{
    const struct sn_faults faults = {.duplicates = 1, .horizon = 1};
    const struct sn_test t = {
        .name = "copy", .run = make_sender, .world = SN_WORLD_TRIAL, .faults = &faults};
    const char *const orders[] = {
        "deliver Put to Store from Sender number 2 before deliver Get to Store", NULL};
    struct sn_result result = run_observed(&t, "dfs", orders, 2000);

    (void)state;
    assert_int_equal(result.stuck, 0);
    assert_true(always_before("put2", "get"));
    assert_non_null(strstr(seen->text, "put1 put1 put2 get"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_answers_to_the_name_that_the_test_gives_it),
        cmocka_unit_test(a_machine_that_is_made_later_is_numbered_by_its_creator),
        cmocka_unit_test(a_short_name_is_that_of_a_machine_of_the_set_up),
        cmocka_unit_test(what_the_test_itself_sends_comes_from_nobody),
        cmocka_unit_test(a_draw_has_the_value_that_is_required),
        cmocka_unit_test(without_a_number_all_draws_of_a_label_have_the_value),
        cmocka_unit_test(without_a_machine_all_draws_of_a_label_have_the_value),
        cmocka_unit_test(a_draw_of_the_test_itself_is_of_nobody),
        cmocka_unit_test(a_trial_whose_draw_cannot_have_the_value_is_stuck),
        cmocka_unit_test(an_alias_is_the_first_of_its_class_after_another),
        cmocka_unit_test(a_random_walk_helps_an_alias_to_come_about),
        cmocka_unit_test(a_search_of_everything_does_not),
        cmocka_unit_test(an_alias_can_be_what_is_held),
        cmocka_unit_test(a_copy_that_a_fault_has_made_has_no_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
