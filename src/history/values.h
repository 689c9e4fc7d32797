/* values.h - from what stands in a file to the values of operations.
 * SPDX-License-Identifier: MIT
 */
#ifndef HISTORY_VALUES_H
#define HISTORY_VALUES_H

#include "history/form.h"
#include "history/history.h"

static inline bool form_is_nil(const struct form *form)
{
    return form == NULL || form->type == FORM_NIL;
}

static inline bool value_is_text(sn_value value)
{
    return value >= SN_VALUE_TEXTS;
}

/* These return 0, or SN_E* with a sentence in history->why. */

/* The number that a form stands for. */
int values_take(struct history *history, const struct form *form, sn_value *out);

/* The elements of a list, or of a set, in their order. Nil has none. */
int values_take_elements(struct history *history, const struct form *form, sn_value **out,
                         size_t *n);

/* The value of a whole list or set, as the models have it. */
int values_take_whole(struct history *history, const struct history_event *event,
                      const struct form *form, bool is_set, sn_value *out);

/* Takes [key value] apart, if keys are told like this; a cas may also be [key expected new]. */
int values_split_key(struct history *history, const struct history_event *event, uint32_t function,
                     const struct form **key, const struct form **value);

#endif
