/* test_happenings.c - tests of happened.c: what is said of the events of a trial. That it is true
 * is compared with brute force (tests/brute/test_happened.c).
 *
 * A maker makes two writers, which put values into a store; a waiter defers what it is sent.
 * SPDX-License-Identifier: MIT
 */
#include "api/engine.h"
#include "engine/explore.h"
#include "engine/happened.h"
#include "substrate/machine.h"

#include <sennit/sennit.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- The code under test -------------------------------------------------------------------- */

struct put {
    uint64_t value;
};

static uint64_t put_key(const void *payload)
{
    return ((const struct put *)payload)->value;
}

static const struct sn_event put = {.name = "Put", .size = sizeof(struct put), .key = put_key};
static const struct sn_event get = {.name = "Get"};

static void on_put(void *self, const void *payload)
{
    (void)payload;
    *(uint64_t *)self = sn_choose("kept", 3);
}

static const struct sn_state storing = {
    .name = "Storing",
    .on = (const struct sn_on[]){{.event = &put, .run = on_put}, {0}},
};
static const struct sn_machine store = {
    .name = "Store", .size = sizeof(uint64_t), .start = &storing};

struct writer {
    sn_id store;
    uint64_t value;
};

static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct writer)};

static void start_writer(void *self, const void *payload)
{
    const struct writer *w = payload;

    (void)self;
    sn_send(w->store, &put, &(struct put){w->value});
}

static const struct sn_state writing = {.name = "Writing", .entry = start_writer};
static const struct sn_machine writer = {
    .name = "Writer", .size = sizeof(struct writer), .start = &writing, .birth = &birth};

static void start_maker(void *self, const void *payload)
{
    const struct writer *w = payload;

    (void)self;
    (void)sn_create(&writer, &(struct writer){w->store, 5});
    sn_set_name(sn_create(&writer, &(struct writer){w->store, 6}), "Scribe");
}

static const struct sn_state making = {.name = "Making", .entry = start_maker};
static const struct sn_machine maker = {
    .name = "Maker", .size = sizeof(struct writer), .start = &making, .birth = &birth};

static const struct sn_state waiting = {
    .name = "Waiting",
    .on = (const struct sn_on[]){{.event = &get, .defer = true}, {0}},
};
static const struct sn_machine waiter = {.name = "Waiter", .start = &waiting};

static void make_all(void)
{
    sn_id s = sn_create(&store, NULL);

    (void)sn_create(&maker, &(struct writer){s, 0});
    sn_send(sn_create(&waiter, NULL), &get, NULL);
}

static void make_all_and_a_writer(void)
{
    sn_id s = sn_create(&store, NULL);

    (void)sn_create(&writer, &(struct writer){s, 1});
    (void)sn_create(&maker, &(struct writer){s, 0});
}

static const struct sn_test all = {.name = "all", .run = make_all, .world = SN_WORLD_TRIAL};
static const struct sn_test both = {
    .name = "both", .run = make_all_and_a_writer, .world = SN_WORLD_TRIAL};

/* ---- Trials --------------------------------------------------------------------------------- */

static struct engine *engine;
static struct explore_phase phases[EXPLORE_PHASES_MAX];
static uint32_t n_phases;
static struct explore *explore;
static struct opnames *names;
static struct constraints *constraints;
static struct happened *happened;

static void open_test(const struct sn_test *test, const char *strategy)
{
    struct explore_options options = {.test = test, .phases = phases};
    struct err why = {""};

    engine = engine_get(&why);
    assert_non_null(engine);
    constraints = mem_reserve_shared(sizeof(*constraints), &why);
    assert_int_equal(opnames_new(&names, &why), 0);
    assert_int_equal(strategies_open(&engine->strategies, strategy, 1, phases, &n_phases, &why), 0);
    assert_int_equal(happened_new(&happened, engine->t, names, &why), 0);
    assert_int_equal(require_open(engine->t, &why), 0);
    machines_forget(engine->t);
    options.n_phases = n_phases;
    assert_int_equal(explore_open(&explore, engine->t, &options, &why), 0);
}

static void close_test(void)
{
    explore_close(explore);
    require_close(engine->t);
    happened_free(happened);
    strategies_close(phases, n_phases);
    opnames_free(names);
    mem_release(constraints, sizeof(*constraints));
}

/* Runs the next trial, and makes the list of its events. */
static void run_next(void)
{
    struct explore_repeat repeat = {.recorder = happened_recorder(happened),
                                    .before = happened_before,
                                    .after = happened_after,
                                    .self = happened};

    assert_true(explore_next(explore));
    repeat.decisions = engine->t->log.n;
    explore_repeat(explore, &repeat);
    assert_string_equal(engine->t->divergence.text, "");
}

static const struct constraint *read_constraint(const char *text)
{
    struct err why = {""};

    constraints->n = 0;
    assert_int_equal(constraints_read(constraints, names, text, &why), 0);
    return &constraints->all[0];
}

static bool respects(const char *text)
{
    return happened_respects(happened, read_constraint(text));
}

/* The event of this name; 0: there is none. */
static uint32_t find(const char *wanted)
{
    uint32_t n;
    uint32_t n_ran;
    const struct happening *events = happened_events(happened, &n, &n_ran);

    for (uint32_t i = 1; i < n; i++) {
        char buffer[OPNAME_PRINTED_MAX];
        struct sn_text out;

        text_init(&out, buffer, sizeof(buffer));
        opname_put(&out, names, events[i].name);
        if (strcmp(buffer, wanted) == 0)
            return i;
    }
    return 0;
}

static bool is_pair(uint32_t first, uint32_t later)
{
    uint32_t n;
    const struct happened_pair *pairs = happened_pairs(happened, &n);

    for (uint32_t i = 0; i < n; i++) {
        if (pairs[i].first == first && pairs[i].later == later)
            return true;
    }
    return false;
}

/* ---- Names ---------------------------------------------------------------------------------- */

static void events_have_names_with_keys_and_numbers(void **state)
{
    (void)state;
    open_test(&all, "oldest");
    run_next();
    assert_true(find("start Maker number 1") > 0);
    assert_true(find("deliver Put to Store from Writer key 5 number 1") > 0);
    assert_int_equal(find("deliver Put to Store from Writer key 5 number 2"), 0);
    close_test();
}

static void a_machine_is_called_as_the_test_calls_it(void **state)
{
    (void)state;
    open_test(&all, "oldest");
    run_next();
    assert_true(find("start Scribe number 1") > 0);
    assert_true(find("deliver Put to Store from Scribe key 6 number 1") > 0);
    close_test();
}

static void a_machine_that_was_made_later_has_its_creators_name_where_it_is_needed(void **state)
{
    (void)state;
    open_test(&both, "oldest");
    run_next();
    assert_true(find("start Writer number 1") > 0);
    assert_true(find("start Maker/Writer number 1") > 0);
    close_test();
}

static void draws_have_names_and_values(void **state)
{
    const struct happened_draw *draws;
    char buffer[OPNAME_PRINTED_MAX];
    struct sn_text out;
    uint32_t n;

    (void)state;
    open_test(&all, "random");
    run_next();
    draws = happened_draws(happened, &n);
    assert_int_equal(n, 2);
    text_init(&out, buffer, sizeof(buffer));
    opname_put(&out, names, draws[1].name);
    assert_string_equal(buffer, "draw kept of Store number 2");
    assert_int_equal(draws[1].n, 3);
    assert_true(draws[1].value < 3);
    assert_true(draws[1].event > draws[0].event);
    close_test();
}

/* ---- Orders --------------------------------------------------------------------------------- */

static void two_messages_to_one_machine_are_a_pair(void **state)
{
    uint32_t a;
    uint32_t b;

    (void)state;
    open_test(&all, "oldest");
    run_next();
    a = find("deliver Put to Store from Writer key 5 number 1");
    b = find("deliver Put to Store from Scribe key 6 number 1");
    assert_true(is_pair(a, b));
    assert_true(happened_conflict(happened, a, b));
    assert_false(happened_causes(happened, a, b));
    close_test();
}

static void what_announces_something_causes_it_and_is_no_pair(void **state)
{
    uint32_t a;
    uint32_t b;

    (void)state;
    open_test(&all, "oldest");
    run_next();
    a = find("start Maker number 1");
    b = find("deliver Put to Store from Writer key 5 number 1");
    assert_true(happened_causes(happened, a, b));
    assert_true(happened_is_before(happened, a, b));
    assert_false(is_pair(a, b));
    close_test();
}

static void what_was_left_pending_is_an_event_at_the_end(void **state)
{
    const struct happening *events;
    uint32_t n;
    uint32_t n_ran;
    uint32_t pending;

    (void)state;
    open_test(&all, "oldest");
    run_next();
    events = happened_events(happened, &n, &n_ran);
    pending = find("deliver Get to Waiter from nobody number 1");
    assert_int_equal(pending, n_ran);
    assert_int_equal(n, n_ran + 1);
    assert_true(events[pending].is_pending);
    assert_false(events[pending].is_ready);
    assert_true(happened_causes(happened, find("start Waiter number 1"), pending));
    close_test();
}

/* ---- Respect -------------------------------------------------------------------------------- */

static void a_trial_respects_the_orders_in_which_it_went(void **state)
{
    (void)state;
    open_test(&all, "oldest");
    run_next();
    assert_true(respects("deliver Put to Store key 5 before deliver Put to Store key 6"));
    assert_false(respects("deliver Put to Store key 6 before deliver Put to Store key 5"));
    assert_true(respects("deliver Put to Store from Writer number 1 before "
                         "deliver Put to Store from Scribe"));
    assert_true(respects("start Maker before start Maker/Writer"));
    assert_true(respects("start Maker before start Writer"));
    assert_false(respects("start Writer before start Maker"));
    close_test();
}

static void what_never_ran_is_in_no_order(void **state)
{
    (void)state;
    open_test(&all, "oldest");
    run_next();
    assert_true(respects("start Nobody before deliver Get to Waiter"));
    assert_false(respects("start Nobody before start Maker"));
    close_test();
}

static void an_alias_begins_after_its_anchor(void **state)
{
    (void)state;
    open_test(&all, "oldest");
    run_next();
    assert_true(respects("first deliver Put to Store after (start Scribe) before start Nobody"));
    assert_false(respects("first deliver Put to Store after "
                          "(deliver Put to Store from Scribe) before start Scribe"));
    assert_true(respects("start Nobody before first start Maker after (start Scribe)"));
    assert_false(respects("start Nobody before first deliver Put to Store after (start Scribe)"));
    close_test();
}

static void a_draw_is_respected_if_it_had_the_value(void **state)
{
    (void)state;
    open_test(&all, "oldest"); /* under which all values are 0 */
    run_next();
    assert_true(respects("draw kept of Store = 0"));
    assert_true(respects("draw other of Store = 1"));
    assert_false(respects("draw kept of Store number 2 = 1"));
    assert_false(respects("draw kept = 1"));
    close_test();
}

static void a_trial_of_which_an_order_is_required_respects_it(void **state)
{
    const struct constraint *order;
    struct err why = {""};

    (void)state;
    open_test(&all, "random");
    order = read_constraint("deliver Put to Store from Scribe before "
                            "deliver Put to Store from Writer key 5");
    assert_int_equal(explore_require(explore, constraints, true, &why), 0);
    run_next();
    assert_true(happened_respects(happened, order));
    assert_true(find("deliver Put to Store from Scribe key 6 number 1") <
                find("deliver Put to Store from Writer key 5 number 1"));
    close_test();
}

static void what_is_required_can_be_changed_between_trials(void **state)
{
    struct err why = {""};

    (void)state;
    open_test(&all, "random");
    (void)read_constraint("deliver Put to Store key 6 before deliver Put to Store key 5");
    assert_int_equal(explore_require(explore, constraints, true, &why), 0);
    run_next();
    assert_true(respects("deliver Put to Store key 6 before deliver Put to Store key 5"));
    (void)read_constraint("deliver Put to Store key 5 before deliver Put to Store key 6");
    assert_int_equal(explore_require(explore, constraints, true, &why), 0);
    run_next();
    assert_true(respects("deliver Put to Store key 5 before deliver Put to Store key 6"));
    assert_int_equal(explore_require(explore, NULL, true, &why), 0);
    run_next();
    close_test();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_have_names_with_keys_and_numbers),
        cmocka_unit_test(a_machine_is_called_as_the_test_calls_it),
        cmocka_unit_test(a_machine_that_was_made_later_has_its_creators_name_where_it_is_needed),
        cmocka_unit_test(draws_have_names_and_values),
        cmocka_unit_test(two_messages_to_one_machine_are_a_pair),
        cmocka_unit_test(what_announces_something_causes_it_and_is_no_pair),
        cmocka_unit_test(what_was_left_pending_is_an_event_at_the_end),
        cmocka_unit_test(a_trial_respects_the_orders_in_which_it_went),
        cmocka_unit_test(what_never_ran_is_in_no_order),
        cmocka_unit_test(an_alias_begins_after_its_anchor),
        cmocka_unit_test(a_draw_is_respected_if_it_had_the_value),
        cmocka_unit_test(a_trial_of_which_an_order_is_required_respects_it),
        cmocka_unit_test(what_is_required_can_be_changed_between_trials),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
