/* mutants.h - bounded searches with a cache that is wrong. SPDX-License-Identifier: MIT */
#ifndef BRUTE_MUTANTS_H
#define BRUTE_MUTANTS_H

/* Makes known:
 *   mutant_order:D     the order of what is pending is no part of the state
 *   mutant_cost:D      a state is left whatever it costs to come there
 *   mutant_content:D   what operations carry is no part of the state
 * 0, or SN_E*. */
int mutants_register(void);

#endif
