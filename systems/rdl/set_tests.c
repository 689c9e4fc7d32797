/* set_tests.c - two people add and remove the same thing. SPDX-License-Identifier: MIT */
#include "lww_set.h"
#include "or_set.h"
#include "tests.h"

#include <sennit/sennit.h>

enum { TEXT_MAX = 256 };

static struct lww_set lww_a;
static struct lww_set lww_b;
static struct or_set or_a;
static struct or_set or_b;

static void print_lww_set(struct sn_text *out, const void *set)
{
    char text[TEXT_MAX];

    (void)lww_set_print(set, text, sizeof(text));
    sn_print(out, "%s", text);
}

static void print_or_set(struct sn_text *out, const void *set)
{
    char text[TEXT_MAX];

    (void)or_set_print(set, text, sizeof(text));
    sn_print(out, "%s", text);
}

/* Each tells the other what he has. */
void set_run(void)
{
    struct lww_set_config config = {.lets_arrival_break_ties = bug_tie};

    lww_set_init(&lww_a, &config);
    lww_set_init(&lww_b, &config);
    sn_replica(&lww_a, "A", print_lww_set);
    sn_replica(&lww_b, "B", print_lww_set);

    begin_events(SN_EXPECT_CONVERGENCE | SN_EXPECT_IDEMPOTENCE, NULL);
    lww_set_add(&lww_a, "x");
    lww_set_remove(&lww_b, "x");
    lww_set_add(&lww_b, "y");
    lww_set_apply(&lww_b, lww_set_make(&lww_a));
    lww_set_apply(&lww_a, lww_set_make(&lww_b));
    sn_events_end(NULL);
}

/* Each tells the other what he has done. A adds x again while B removes it. */
void removal_run(void)
{
    struct or_set_config config = {.removes_unseen = bug_unseen};
    struct or_set_message *added;
    struct or_set_message *added_again;

    config.replica = 1;
    or_set_init(&or_a, &config);
    config.replica = 2;
    or_set_init(&or_b, &config);
    sn_replica(&or_a, "A", print_or_set);
    sn_replica(&or_b, "B", print_or_set);

    begin_events(SN_EXPECT_CONVERGENCE | SN_EXPECT_IDEMPOTENCE, NULL);
    added = or_set_add(&or_a, "x");
    or_set_deliver(&or_b, added);
    added_again = or_set_add(&or_a, "x");
    or_set_deliver(&or_a, or_set_remove(&or_b, "x"));
    or_set_deliver(&or_b, added_again);
    or_set_apply(&or_b, or_set_make(&or_a));
    sn_events_end(NULL);
}
