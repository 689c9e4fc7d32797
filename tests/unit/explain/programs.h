/* programs.h - made-up programs whose minimal explanations are known.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_EXPLAIN_PROGRAMS_H
#define TESTS_UNIT_EXPLAIN_PROGRAMS_H

#include "made_up.h"

/* The programs, ready to be asked about; there is one of each. */

/* Operations 0 and 1 race: it fails if 1 comes first. */
struct made_up *program_race(void);

/* 0 to 4 on one object; it fails if 3 comes before 1, 1 before 4. */
struct made_up *program_two_orders(void);

/* 0 < 1, 2 < 3, 4 < 5 and 6 < 7 on four objects. */
struct made_up *program_four_orders(void);

/* 0 < 1, or 2 < 3. */
struct made_up *program_disjunction(void);

/* Exactly one of 0 < 1 and 2 < 3. */
struct made_up *program_exclusive(void);

/* At least two of 0, 1, 2, 3 come before 4. */
struct made_up *program_acknowledgements(void);

/* 2 is announced only if 0 came before 1; it fails if 2 comes before 3. */
struct made_up *program_set_up(void);

/* It fails if 1 never runs, because it exists only if 0 did not come before 2: 1 is pending at the
 * end of the failing trial. */
struct made_up *program_pending(void);

/* It fails if a value is 2 and 0 comes before 1; another value does not matter. */
struct made_up *program_value(void);

/* The same as program_race, with 78 operations by ten others on the same object. */
struct made_up *program_noise(void);

/* Twelve orders on as many objects. */
struct made_up *program_twelve_orders(void);

#endif
