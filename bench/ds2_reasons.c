/* ds2_reasons.c - see ds2_reasons.h.
 *
 * What is said of DS2's program is a reading of its source; it was not run. The first reason that
 * fits a figure is given. SPDX-License-Identifier: MIT
 */
#include "ds2_reasons.h"

#include <string.h>

#define TABLE(number_) (1U << (number_))
#define BIT(metric_) (1U << (metric_))

enum {
    REGISTERS = TABLE(2) | TABLE(3) | TABLE(4) | TABLE(5), /* with trackers that are changed */
    HISTORIES = BIT(DS2_IH) | BIT(DS2_UH) | BIT(DS2_NL) | BIT(DS2_NL_UH) | BIT(DS2_UH_S) |
                BIT(DS2_NL_S) | BIT(DS2_HF),
    ANY = -1,
};

struct reason {
    const char *strategy; /* its name, or how that ends; NULL: any that does not draw at random */
    int tables;
    int metrics;
    bool is_lowered; /* only then */
    const char *text;
};

static const struct reason reasons[] = {
    {
        .tables = ANY,
        .metrics = ANY,
        .is_lowered = true,
        .text = "fewer schedules were allowed here than there.",
    },
    {
        .strategy = "sr",
        .tables = ANY,
        .metrics = ANY,
        .text = "SR lets clients' operations out one at a step, and some of its histories are "
                "none that an exhaustive search has (66 in table A4, where there are 32). With sr "
                "all operations wait from the start. Either way agents are drawn, and each takes "
                "its messages in the order in which they were sent.",
    },
    {
        .strategy = "delay:3",
        .tables = ANY,
        .metrics = ANY,
        .text = "DB draws delays within a depth-first search that ends when all schedules were "
                "run: it has those of EX in another order. delay:3 has all schedules with at most "
                "three delays, and no others.",
    },
    {
        .strategy = "delay:3:coin",
        .tables = ANY,
        .metrics = ANY,
        .text = "delay:3:coin draws delays as DB does, but each schedule anew: agents take turns, "
                "each takes its messages in the order in which they were sent, and three delays "
                "change little of that.",
    },
    {
        .tables = REGISTERS,
        .metrics = HISTORIES,
        .text = "Where DS2 goes back, this system's notes on unfinished operations are not copied: "
                "what was answered in one schedule stays answered in the next, which then has an "
                "incomplete history. Here all memory is put back.",
    },
    {
        .strategy = "dpor",
        .tables = ANY,
        .metrics = ANY,
        .text = "DP begins with all that is pending, adds all where it finds no cause, and has no "
                "sleep sets. dpor has source sets and sleep sets, and takes a call to depend on a "
                "return: one schedule or few of each partial order, and all partial orders.",
    },
    {
        .strategy = "transdpor",
        .tables = ANY,
        .metrics = ANY,
        .text = "transdpor freezes nothing, and takes a call to depend on a return: if it is not "
                "ended by the limit it has more schedules than TD, and all partial orders.",
    },
    {
        .strategy = "ired",
        .tables = ANY,
        .metrics = ANY,
        .text = "ired knows the sender's step of each message, freezes nothing, and takes a call "
                "to depend on a return: if it is not ended by the limit it has more schedules than "
                "IR, and all partial orders.",
    },
    {
        .strategy = "liviola:paper",
        .tables = TABLE(2) | TABLE(3),
        .metrics = ANY,
        .text = "By its figures LV was told to leave messages of this register alone, though the "
                "text says that none could be; which, is not published. liviola:paper is told of "
                "all of them, and does what ired:paper does.",
    },
    {
        .strategy = "liviola:paper",
        .tables = TABLE(10) | TABLE(11),
        .metrics = ANY,
        .text = "The messages by which a node joins have no key, and when they come is never "
                "changed: what is found depends on the first schedule, and that on the order in "
                "which pending messages are tried.",
    },
    {
        .strategy = ":paper",
        .tables = ANY,
        .metrics = ANY,
        .text = "DS2's program looks for races of the message that is received; its text, and what "
                "ends with :paper, of all that are pending. Which message comes first where any "
                "would do is not said.",
    },
    {
        .strategy = "liviola",
        .tables = ANY,
        .metrics = ANY,
        .text = "liviola takes messages without a key to be about all keys, and is ired otherwise: "
                "if it is not ended by the limit it has more schedules than LV, and all partial "
                "orders of what is about one key.",
    },
    {
        .strategy = "dfs",
        .tables = TABLE(7) | TABLE(8) | TABLE(9) | TABLE(11),
        .metrics = HISTORIES,
        .text = "Both gave up at the limit; which schedules come first depends on the order in "
                "which pending messages are tried.",
    },
    {
        .strategy = "dfs",
        .tables = TABLE(10),
        .metrics = BIT(DS2_HF),
        .text = "Which history comes first depends on the order in which pending messages are "
                "tried.",
    },
};

enum { REASONS = sizeof(reasons) / sizeof(reasons[0]) };

bool ds2_differs(enum ds2_metric metric, double published, double ours)
{
    if (ds2_is_time(metric))
        return false;
    if (isnan(published) || isnan(ours))
        return isnan(published) != isnan(ours);
    return fabs(published - ours) >= (ds2_is_ratio(metric) ? 0.0051 : 0.5);
}

static bool is_named(const char *name, const char *wanted)
{
    size_t n = strlen(name);
    size_t skip = wanted[0] == ':' && n > strlen(wanted) ? n - strlen(wanted) : 0;

    return strcmp(name + skip, wanted) == 0;
}

static bool fits(const struct reason *reason, const struct ds2_figure *figure)
{
    bool is_of_strategy = reason->strategy != NULL
                              ? is_named(figure->strategy->name, reason->strategy)
                              : reason->is_lowered || !figure->strategy->is_random;

    return is_of_strategy && (figure->is_lowered || !reason->is_lowered) &&
           ((unsigned)reason->tables & TABLE(figure->table)) != 0 &&
           ((unsigned)reason->metrics & BIT(figure->metric)) != 0;
}

int ds2_reason_of(const struct ds2_figure *figure)
{
    for (int i = 0; i < REASONS; i++) {
        if (fits(&reasons[i], figure))
            return i;
    }
    return -1;
}

const char *ds2_reason_text(int reason)
{
    return reasons[reason].text;
}
