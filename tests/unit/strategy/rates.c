/* rates.c - prints how often each strategy has the outcome of races, beside the exact chances where
 * they are known: what docs/strategies.md says when to use which. Not a test; test_chances.c and
 * its neighbours hold strategies to these numbers. SPDX-License-Identifier: MIT
 */
#include "forest.h"

#include <stdio.h>

enum { TRIALS = 10000, STRATEGIES = 9, RACES = 7 };

static const char *const strategies[STRATEGIES] = {"random", "pos",  "pct:1", "pctcp:1", "pctcp:2",
                                                   "urw",    "surw", "ql",    "fest"};

#define UNKNOWN (-1.0)

struct row {
    const char *name;
    struct race race;
    double chances[STRATEGIES]; /* UNKNOWN, or exact */
};

static void print_row(const struct row *row)
{
    (void)printf("%-14s", row->name);
    for (int i = 0; i < STRATEGIES; i++) {
        double rate = (double)race_hits(&row->race, strategies[i], TRIALS) / TRIALS;

        if (row->chances[i] == UNKNOWN)
            (void)printf("  %.4f        ", rate);
        else
            (void)printf("  %.4f (%.4f)", rate, row->chances[i]);
    }
    (void)printf("\n");
}

int main(void)
{
    static struct row rows[RACES] = {
        {"chain(5)",
         .chances = {1 / 64.0, 1 / 7.0, 0.5, 0.5, UNKNOWN, 1 / 7.0, 0.5, UNKNOWN, UNKNOWN}},
        {"between(1,1)",
         .chances = {3 / 16.0, 2 / 15.0, 0, 0, 1 / 5.0, 2 / 5.0, 1 / 3.0, UNKNOWN, UNKNOWN}},
        {"alt(3)", .chances = {1 / 32.0, 1 / 720.0, 0, 0, 0, 1 / 20.0, 1 / 20.0, UNKNOWN, UNKNOWN}},
        {"lost_update",
         .chances = {1 / 2.0, 1 / 3.0, 0, 0, 1 / 4.0, 2 / 3.0, 2 / 3.0, UNKNOWN, UNKNOWN}},
        {"crowd(3)", .chances = {1 / 81.0, 1 / 15.0, 1 / 3.0, 1 / 3.0, UNKNOWN, 1 / 15.0, 1 / 3.0,
                                 UNKNOWN, UNKNOWN}},
        {"ends(3,2)",
         .chances = {11 / 32.0, 3 / 7.0, 0.5, 0.5, UNKNOWN, 3 / 7.0, 0.5, UNKNOWN, UNKNOWN}},
        {"queue(4)",
         .chances = {3 / 16.0, 1 / 3.0, 1 / 5.0, 0.5, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN}},
    };

    forest_register();
    race_chain(&rows[0].race, 5, 0);
    race_between(&rows[1].race, 1, 1);
    race_alternation(&rows[2].race, 3);
    race_lost_update(&rows[3].race);
    race_crowd(&rows[4].race, 3);
    race_ends(&rows[5].race, 3, 2);
    race_queue(&rows[6].race, 4);
    (void)printf("%-14s", "");
    for (int i = 0; i < STRATEGIES; i++)
        (void)printf("  %-15s", strategies[i]);
    (void)printf("\n");
    for (int i = 0; i < RACES; i++)
        print_row(&rows[i]);
    return 0;
}
