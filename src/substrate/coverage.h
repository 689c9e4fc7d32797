/* coverage.h - which events machines and monitors have met in which of their states.
 *
 * The first time that a state handles an event it is looked up in the state's table, and noted
 * then, together with the rest of the table; later ones go past this. Names are copied, because
 * whoever reports them may be another process, without the tables. Nothing here is rolled back:
 * what a trial has shown was shown. SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_COVERAGE_H
#define SUBSTRATE_COVERAGE_H

#include <sennit/machine.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    COVERAGE_SLOTS = 8192,
    COVERAGE_MAX = COVERAGE_SLOTS / 2,
    COVERAGE_NAME = 64, /* what is longer is cut */
};

/* An event in a state: the topmost, if states were pushed. The pointers only identify. */
struct coverage_pair {
    const void *state;
    const void *event;
    bool is_covered; /* false: it stands in a table, but never came */
    char machine_name[COVERAGE_NAME];
    char state_name[COVERAGE_NAME];
    char event_name[COVERAGE_NAME];
};

/* Zeroed is empty. */
struct coverage {
    uint32_t n;
    uint16_t slots[COVERAGE_SLOTS]; /* number of a pair, plus 1 */
    struct coverage_pair pairs[COVERAGE_MAX];
};

/* Notes that a state handles an event; what does not fit is left out. */
void coverage_add(struct coverage *c, const struct sn_machine *type, const struct sn_state *state,
                  const struct sn_event *event);

/* Adds all pairs of another. */
void coverage_join(struct coverage *c, const struct coverage *other);

/* By names: less than, equal to or greater than 0. */
int coverage_compare(const struct coverage_pair *a, const struct coverage_pair *b);

/* Sorts the pairs by their names; after that none is found in them any more. */
void coverage_sort(struct coverage *c);

/* Makes one of sorted pairs whose names are the same: events may be different ones and called
 * alike.
 */
void coverage_unite(struct coverage *c);

#endif
