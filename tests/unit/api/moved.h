/* moved.h - a program with a bug, and the same program after small changes.
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_API_MOVED_H
#define UNIT_API_MOVED_H

#include <sennit/sennit.h>

/* A value is deleted between being put and being got. It takes certain draws and a certain order:
 * by default it does not happen. */
extern const struct sn_test moved_original;

/* The same test, in a program that ... */
extern const struct sn_test moved_message_added;   /* sends a greeting before each request */
extern const struct sn_test moved_machine_added;   /* creates another machine first */
extern const struct sn_test moved_sibling_added;   /* ... of a type that there is already, last */
extern const struct sn_test moved_event_renamed;   /* calls Put something else */
extern const struct sn_test moved_machine_renamed; /* calls Store something else */
extern const struct sn_test moved_drawer_renamed;  /* calls Cleaner something else */
extern const struct sn_test moved_timer_removed;   /* has no alarm any more */
extern const struct sn_test moved_range_narrowed;  /* draws from fewer values */
extern const struct sn_test moved_label_changed;   /* draws under another label */
extern const struct sn_test moved_draw_added;      /* draws something else in addition */
extern const struct sn_test moved_repaired;        /* deletes no more what is in use */
extern const struct sn_test moved_other_bug;       /* fails elsewhere */

#endif
