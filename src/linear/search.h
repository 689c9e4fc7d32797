/* search.h - looks for an order of any object's operations. SPDX-License-Identifier: MIT */
#ifndef LINEAR_SEARCH_H
#define LINEAR_SEARCH_H

#include "linear/object.h"

enum sn_linear search_object(const struct object *object, struct outcome *out);

#endif
