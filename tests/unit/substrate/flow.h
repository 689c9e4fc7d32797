/* flow.h - for tests of processes: events to send, and all that can happen, by several strategies.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_SUBSTRATE_FLOW_H
#define TESTS_UNIT_SUBSTRATE_FLOW_H

#include "story.h"

#define SECOND UINT64_C(1000000000)

static const struct sn_event a_event = {.name = "a"};
static const struct sn_event b_event = {.name = "b"};
static const struct sn_event c_event = {.name = "c"};
static const struct sn_event number_event = {.name = "Number", .size = sizeof(uint64_t)};
static const struct sn_event whom_event = {.name = "Whom", .size = sizeof(sn_id)};

static inline struct sn_test flow_test(void (*run)(void))
{
    return (struct sn_test){.name = "flow", .run = run, .world = SN_WORLD_TRIAL};
}

/* The process that a payload names. */
static inline sn_id flow_whom(const void *payload)
{
    sn_id whom;

    memcpy(&whom, payload, sizeof(whom));
    return whom;
}

/* Whatever comes. */
static inline const struct sn_message *flow_any(void)
{
    return sn_receive(NULL, NULL, SN_FOREVER);
}

/* All stories of a test: by trying every schedule, and the same by searches that leave out what is
 * equivalent, of which the optimal one runs each order once. */
static inline const char *flow_stories(const struct sn_test *test)
{
    static const char *const others[] = {"dpor", "odpor", "odpor:trees"};
    static char all[sizeof(told->all)];
    struct sn_result r = stories_of(test);
    uint64_t orders = r.distinct_orders;

    (void)snprintf(all, sizeof(all), "%s", stories_all());
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        r = stories_run(test, (struct sn_options){.strategy = others[i], .iterations = 2000000});
        assert_string_equal(r.failure, "");
        assert_true(r.exhausted);
        assert_string_equal(stories_all(), all);
        assert_int_equal(r.distinct_orders, orders);
        if (i > 0)
            assert_int_equal(r.trials, orders);
    }
    return all;
}

/* How the first failing trial of a test failed, under dfs. */
static inline const char *flow_failure(const struct sn_test *test)
{
    static struct sn_result r;

    assert_int_equal(
        sn_run(test, &(struct sn_options){.strategy = "dfs", .iterations = 2000000}, &r), 0);
    return r.failure;
}

#endif
