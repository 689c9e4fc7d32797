/* exact_set.h - what the two algorithms for sets share. SPDX-License-Identifier: MIT */
#ifndef LINEAR_EXACT_SET_H
#define LINEAR_EXACT_SET_H

#include "linear/events.h"

/* Whether somebody has read the whole set, so that its values are not independent. */
bool set_is_whole(const struct events *events);

/* Decides about such a set, as struct exact's check. */
bool set_check_whole(const struct object *object, const struct events *events, struct outcome *out);

#endif
