/* listed.h - a list of things to do again, found by their ids or, if those are gone, by names.
 *
 * An id says where something comes from, so it changes as soon as anything before it is left out or
 * added; a name says what it is, and several may have the same. Each entry is used once: of those
 * with one name the first that is left comes first. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_LISTED_H
#define STRATEGY_LISTED_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct listed_item {
    uint64_t id;
    uint64_t name; /* 0: it has none */
    uint32_t next; /* with the same name, plus 1 */
    bool is_used;
};

struct listed_group;

/* Entries are numbered from 1 in the order of the list; 0 is none. */
struct listed {
    struct listed_item *items; /* entry 1 is the first */
    uint32_t *by_id;
    struct listed_group *groups;
    uint32_t n;
    uint32_t mask;
    uint32_t n_max;
    bool has_names;
};

/* An empty list for so many entries, in memory that forked processes share. 0, or SN_ENOMEM;
 * listed_done is due in any case. */
int listed_init(struct listed *list, size_t n_max, struct err *why);
void listed_done(struct listed *list);

/* Makes it empty again, for so many entries: what is small is quickly cleared. */
void listed_clear(struct listed *list, uint32_t n);

/* Adds an entry at the end. Of several with one id the first is found by it. */
void listed_add(struct listed *list, uint64_t id, uint64_t name);

/* The unused entry with this id; the first unused one with this name. */
uint32_t listed_find_id(const struct listed *list, uint64_t id);
uint32_t listed_find_name(const struct listed *list, uint64_t name);

static inline struct listed_item *listed_item(const struct listed *list, uint32_t number)
{
    return &list->items[number - 1];
}

static inline void listed_use(struct listed *list, uint32_t number)
{
    listed_item(list, number)->is_used = true;
}

#endif
