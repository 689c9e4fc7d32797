/* values.c - see values.h. SPDX-License-Identifier: MIT */
#include "history/values.h"

#include "history/shape.h"

#include <sennit/test.h>
#include <stdlib.h>
#include <string.h>

int values_take(struct history *h, const struct form *form, sn_value *out)
{
    const char *text;
    uint32_t number;
    size_t n;

    *out = SN_VALUE_NIL;
    if (form == NULL || form->type == FORM_NIL)
        return 0;
    if (form->type == FORM_BOOL || (form->type == FORM_INT && form->number > -SN_VALUE_TEXTS &&
                                    form->number < SN_VALUE_TEXTS)) {
        *out = form->number;
        return 0;
    }
    text = form_text(&h->scratch, form, &n);
    if (text == NULL || texts_add(&h->texts, text, n, &number) < 0)
        return history_fail_memory(h);
    *out = SN_VALUE_TEXTS + (sn_value)number;
    return 0;
}

int values_take_elements(struct history *h, const struct form *form, sn_value **out, size_t *n)
{
    *n = 0;
    form = form_untag(form);
    *out = arena_array(&h->scratch, form_is_nil(form) ? 0 : form->n, sizeof(**out));
    if (*out == NULL)
        return history_fail_memory(h);
    if (form_is_nil(form))
        return 0;
    for (const struct form *member = form->first; member != NULL; member = member->next) {
        int rc = values_take(h, member, &(*out)[(*n)++]);

        if (rc < 0)
            return rc;
    }
    return 0;
}

static int compare_values(const void *a, const void *b)
{
    const sn_value *x = a;
    const sn_value *y = b;

    return (*x > *y) - (*x < *y);
}

int values_take_whole(struct history *h, const struct history_event *event, const struct form *form,
                      bool is_set, sn_value *out)
{
    const struct form *plain = form_untag(form);
    sn_value *elements;
    size_t n;
    int rc;

    if (!form_is_nil(plain) && plain->type != FORM_VECTOR && !(is_set && plain->type == FORM_SET))
        return history_fail(h, event->line, "%s was read, but the value is none",
                            is_set ? "a whole set" : "a list");
    rc = values_take_elements(h, plain, &elements, &n);
    if (rc < 0)
        return rc;
    if (is_set)
        qsort(elements, n, sizeof(*elements), compare_values);
    return wholes_add(&h->wholes, elements, n, is_set, out) < 0 ? history_fail_memory(h) : 0;
}

const sn_value *history_elements(void *self, sn_value value, size_t *n)
{
    const struct history *h = self;
    const struct whole *whole = wholes_find(&h->wholes, value);

    *n = whole == NULL ? 0 : whole->n;
    return whole == NULL ? NULL : whole->elements;
}

/* The vector without its first member. */
static int without_first(struct history *h, const struct form *vector, const struct form **out)
{
    struct form *rest = arena_alloc(&h->scratch, sizeof(*rest));

    if (rest == NULL)
        return history_fail_memory(h);
    *rest = *vector;
    rest->first = vector->first->next;
    rest->n--;
    *out = rest;
    return 0;
}

int values_split_key(struct history *h, const struct history_event *event, uint32_t function,
                     const struct form **key, const struct form **value)
{
    const struct form *pair = form_untag(event->value);
    const char *name = h->options.model->functions[function].name;
    bool is_map = strcmp(h->options.model->name, "map") == 0;

    *key = event->key;
    *value = event->value;
    if (event->type == HISTORY_INVOKE) {
        if (h->n == 0)
            h->has_keys_apart = event->key != NULL;
        if (h->has_keys_apart != (event->key != NULL))
            return history_fail(h, event->line,
                                h->has_keys_apart ? "there is no key here, but in lines before"
                                                  : "there is a key here, but not in lines "
                                                    "before");
    }
    if (h->has_keys_apart || (!h->options.is_independent && !is_map))
        return 0;
    if (pair != NULL && pair->type == FORM_VECTOR && pair->n == 2) {
        *key = pair->first;
        *value = pair->first->next;
        return 0;
    }
    if (pair != NULL && pair->type == FORM_VECTOR && pair->n == 3 &&
        shape_find(h->options.model, name)->arguments == 2) {
        *key = pair->first;
        return without_first(h, pair, value);
    }
    if (event->type != HISTORY_INVOKE)
        return 0;
    return history_fail(h, event->line, "%s, so the value must be [key value]",
                        is_map ? "each operation of a map has a key" : "--independent is given");
}
