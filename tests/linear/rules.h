/* rules.h - the special algorithms once more, slow and short, each with mistakes that can be made.
 *
 * Tests compare them with brute force: without a mistake they agree, with one they must not, or the
 * histories would not show the same mistake in the library either. SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_RULES_H
#define LINEAR_RULES_H

#include "random.h"

enum mistake {
    MISTAKE_NONE,
    SEARCH_SHARES_SLOTS,          /* of completed and unknown operations */
    SEARCH_TAKES_LAST_OF_EQUAL,   /* unknown operations instead of the first called */
    SEARCH_FORGETS_THE_WINDOW,    /* in what it remembers */
    SEARCH_FORGETS_WHAT_WAS_USED, /* of unknown operations */
    REGISTER_IGNORES_BACKWARD_ZONES,
    REGISTER_READS_BEFORE_WRITES,
    CAS_IGNORES_ORDER_IN_CHAINS,
    CAS_HAS_ZONES_PER_VALUE,
    SET_TAKES_FIRST_CALLED,
    SET_FLIPS_EARLY,
    COUNTER_IGNORES_EARLIER_GETS,
    COUNTER_TAKES_FIRST_CALLED,
    FETCH_ADD_IGNORES_LIMITS,
    QUEUE_IGNORES_WHAT_IS_NEVER_TAKEN,
    QUEUE_DOES_NOT_MERGE_SEGMENTS,
    STACK_COMPARES_PAIRS_ONLY,
    STACK_NEVER_SPLITS,
};

enum ruling { RULING_YES, RULING_NO, RULING_NOT_APPLICABLE };

typedef enum ruling rule_function(const struct sample *history, enum mistake mistake);

rule_function rule_search, rule_register, rule_cas, rule_set, rule_counter, rule_fetch_add,
    rule_queue, rule_stack;

#endif
