/* listed.c - see listed.h. SPDX-License-Identifier: MIT */
#include "strategy/listed.h"

#include "base/rng.h"
#include "engine/mem.h"
#include "engine/trial.h"

#include <string.h>

/* Those with one name. */
struct listed_group {
    uint64_t name;   /* 0: the slot is free */
    uint32_t last;   /* entry */
    uint32_t unused; /* the first that may be unused; 0: none is */
};

static uint32_t slots_for(size_t n)
{
    uint32_t slots = 16;

    while (slots < 2 * n)
        slots *= 2;
    return slots;
}

int listed_init(struct listed *list, size_t n_max, struct err *why)
{
    uint32_t slots = slots_for(n_max);

    *list = (struct listed){.n_max = (uint32_t)n_max, .mask = slots - 1};
    list->items = mem_reserve_shared((n_max + 1) * sizeof(*list->items), why);
    list->by_id = mem_reserve_shared(slots * sizeof(*list->by_id), why);
    list->groups = mem_reserve_shared(slots * sizeof(*list->groups), why);
    return list->items != NULL && list->by_id != NULL && list->groups != NULL ? 0 : SN_ENOMEM;
}

void listed_done(struct listed *list)
{
    uint32_t slots = slots_for(list->n_max);

    mem_release(list->items, ((size_t)list->n_max + 1) * sizeof(*list->items));
    mem_release(list->by_id, slots * sizeof(*list->by_id));
    mem_release(list->groups, slots * sizeof(*list->groups));
}

void listed_clear(struct listed *list, uint32_t n)
{
    sn_check(n <= list->n_max);
    if (list->has_names)
        memset(list->groups, 0, ((size_t)list->mask + 1) * sizeof(*list->groups));
    list->mask = slots_for(n) - 1;
    list->n = 0;
    list->has_names = false;
    memset(list->by_id, 0, ((size_t)list->mask + 1) * sizeof(*list->by_id));
}

static struct listed_group *group_of(const struct listed *list, uint64_t name)
{
    uint32_t slot = (uint32_t)name & list->mask;

    while (list->groups[slot].name != 0 && list->groups[slot].name != name)
        slot = (slot + 1) & list->mask;
    return &list->groups[slot];
}

static uint32_t *slot_of(const struct listed *list, uint64_t id)
{
    uint32_t slot = (uint32_t)mix64(id) & list->mask;

    while (list->by_id[slot] != 0 && list->items[list->by_id[slot] - 1].id != id)
        slot = (slot + 1) & list->mask;
    return &list->by_id[slot];
}

void listed_add(struct listed *list, uint64_t id, uint64_t name)
{
    uint32_t *slot = slot_of(list, id);
    uint32_t number = list->n + 1;
    struct listed_group *group;

    sn_check(list->n < list->n_max);
    list->items[list->n++] = (struct listed_item){.id = id, .name = name};
    if (*slot == 0)
        *slot = number;
    if (name == 0)
        return;
    list->has_names = true;
    group = group_of(list, name);
    if (group->name == 0)
        *group = (struct listed_group){.name = name, .unused = number};
    else
        listed_item(list, group->last)->next = number;
    group->last = number;
}

uint32_t listed_find_id(const struct listed *list, uint64_t id)
{
    uint32_t number = *slot_of(list, id);

    return number != 0 && !listed_item(list, number)->is_used ? number : 0;
}

uint32_t listed_find_name(const struct listed *list, uint64_t name)
{
    struct listed_group *group = group_of(list, name);

    if (group->name == 0)
        return 0;
    while (group->unused != 0 && listed_item(list, group->unused)->is_used)
        group->unused = listed_item(list, group->unused)->next;
    return group->unused;
}
