/* reloaded.h - a search that is stopped, saved, and goes on as another one, now and then.
 * SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_RELOADED_H
#define BRUTE_RELOADED_H

/* Makes the strategy reloaded:NAME known, which does what NAME does. Before some of the trials,
 * which depend on their numbers alone, the state is saved and taken up by a new one. */
int reloaded_register(void);

#endif
