/* town_tests.c - residents report what needs fixing. SPDX-License-Identifier: MIT */
#include "tests.h"
#include "town.h"

#include <sennit/sennit.h>

#include <string.h>

enum {
    RESIDENTS_MAX = 3,
    TEXT_MAX = 256,
};

static struct town a;
static struct town b;
static struct town c;

static void print_town(struct sn_text *out, const void *app)
{
    char text[TEXT_MAX];

    (void)town_print(app, text, sizeof(text));
    sn_print(out, "%s", text);
}

static void start(uint32_t residents)
{
    static const struct {
        struct town *app;
        const char *name;
    } all[RESIDENTS_MAX] = {{&a, "A"}, {&b, "B"}, {&c, "C"}};

    for (uint32_t i = 0; i < residents; i++) {
        struct town_config config = {
            .resident = i,
            .residents = residents,
            .hears_raw = bug_raw && i == 2,
            .transmits_alone = bug_uncoordinated,
        };

        town_init(all[i].app, &config);
        sn_replica(all[i].app, all[i].name, print_town);
    }
}

/* B resolves what he has heard of from A, and C hears of both. */
void gossip_run(void)
{
    struct or_set_message *reported;
    struct or_set_message *resolved;

    start(3);
    begin_events(SN_EXPECT_CONVERGENCE | SN_EXPECT_SAME_STATES, "{\"before\": [1, 3]}");
    reported = town_report(&a, "otb");
    town_hear(&b, reported);
    town_hear(&c, reported);
    resolved = town_resolve(&b, "otb");
    town_hear(&a, resolved);
    town_hear(&c, resolved);
    sn_events_end(NULL);
}

/* What is transmitted is what is left when all have heard of everything. */
static void check_report(void)
{
    struct or_set all;
    char left[TEXT_MAX];

    or_set_init(&all, &(struct or_set_config){.replica = RESIDENTS_MAX});
    or_set_apply(&all, or_set_make(&a.problems));
    or_set_apply(&all, or_set_make(&b.problems));
    (void)or_set_print(&all, left, sizeof(left));
    sn_assertf(a.transmitted[0] == '\0' || strcmp(a.transmitted, left) == 0,
               "A has transmitted %s, and %s is left", a.transmitted, left);
}

/* The example of the publication: an overturned trash bin, which is put up again, and a pothole. */
void town_run(void)
{
    start(2);
    begin_events(0, NULL);
    town_hear(&b, town_report(&a, "otb"));
    town_hear(&a, town_report(&b, "ph"));
    town_hear(&a, town_resolve(&b, "otb"));
    if (!bug_uncoordinated)
        town_hear_finish(&a, town_finish(&b));
    (void)town_transmit(&a);
    sn_events_end(check_report);
}
