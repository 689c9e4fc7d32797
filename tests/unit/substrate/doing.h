/* doing.h - for tests of processes: processes that do what a function says, two nodes, and what was
 * received in one word. SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_SUBSTRATE_DOING_H
#define TESTS_UNIT_SUBSTRATE_DOING_H

#include "flow.h"

typedef void doing(void);

static const struct sn_event doing_event = {.name = "Doing", .size = sizeof(doing *)};

static inline void do_as_told(const void *payload)
{
    doing *what;

    memcpy(&what, payload, sizeof(what));
    what();
}

static const struct sn_process doer = {.name = "Doer", .run = do_as_told, .birth = &doing_event};
static const struct sn_process idle_doer = {
    .name = "Idle", .run = do_as_told, .birth = &doing_event, .may_wait = true};

static inline sn_id let(sn_node node, doing *what)
{
    return node != SN_NO_NODE ? sn_spawn_on(node, &doer, &what) : sn_spawn(&doer, &what);
}

static inline void do_nothing(void)
{
    for (;;)
        (void)flow_any();
}

/* One that waits for ever, as it may. */
static inline sn_id let_idle(sn_node node)
{
    doing *what = do_nothing;

    return node != SN_NO_NODE ? sn_spawn_on(node, &idle_doer, &what) : sn_spawn(&idle_doer, &what);
}

/* Made by the test's run function. */
static sn_node here;
static sn_node there;

static inline void make_nodes(void)
{
    story_begin();
    here = sn_node_new("here");
    there = sn_node_new("there");
}

static inline const char *word_of(const struct sn_message *m)
{
    if (m == NULL)
        return "-";
    if (m->event == &sn_exited)
        return ((const struct sn_exit_signal *)m->payload)->reason;
    if (m->event == &sn_down)
        return ((const struct sn_down_signal *)m->payload)->reason;
    return m->event->name;
}

/* What every schedule tells, and every search that leaves out what is equivalent. */
static inline const char *all_of(doing *run)
{
    struct sn_test test = flow_test(run);

    return flow_stories(&test);
}

/* What some schedules tell, and every one of a search. */
static inline const char *some_of(doing *run)
{
    static char all[sizeof(told->all)];
    struct sn_test test = flow_test(run);
    struct sn_result r;

    r = stories_run(&test, (struct sn_options){.strategy = "odpor:trees", .iterations = 100000});
    assert_string_equal(r.failure, "");
    assert_true(r.exhausted);
    (void)snprintf(all, sizeof(all), "%s", stories_all());
    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 1000});
    assert_string_equal(r.failure, "");
    assert_string_equal(stories_all(), all);
    return all;
}

#endif
