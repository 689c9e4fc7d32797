/* roster.c - see roster.h. SPDX-License-Identifier: MIT */
#include "report/roster.h"

#include "base/hash.h"

#include <sennit/test.h>
#include <string.h>

enum {
    TABLE_FIRST = 64,
};

/* The place of a name in the table: its own, or a free one. */
static size_t *find_place(const struct roster *roster, const char *name)
{
    size_t i = (size_t)hash_add(HASH_START, name, strlen(name));

    for (;; i++) {
        size_t *entry = &roster->table[i & (roster->table_size - 1)];

        if (*entry == 0 || strcmp(roster->list[*entry - 1], name) == 0)
            return entry;
    }
}

/* Makes room for one name more. Old tables stay in the arena; together they are no larger than the
 * new one. */
static int grow(struct roster *roster)
{
    size_t size = roster->table_size == 0 ? TABLE_FIRST : roster->table_size * 2;
    const char **list;
    size_t *table;

    if (roster->n * 2 < roster->table_size)
        return 0;
    table = arena_array(roster->arena, size, sizeof(*table));
    list = arena_array(roster->arena, size / 2 + 1, sizeof(*list));
    if (table == NULL || list == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < roster->n; i++)
        list[i] = roster->list[i];
    roster->list = list;
    roster->table = table;
    roster->table_size = size;
    for (size_t i = 0; i < roster->n; i++)
        *find_place(roster, roster->list[i]) = i + 1;
    return 0;
}

int roster_add(struct roster *roster, const char *name, size_t *index)
{
    size_t *entry;

    if (grow(roster) < 0)
        return SN_ENOMEM;
    entry = find_place(roster, name);
    if (*entry == 0) {
        *entry = ++roster->n;
        roster->list[*entry - 1] = name;
    }
    *index = *entry - 1;
    return 0;
}

size_t roster_find(const struct roster *roster, const char *name)
{
    if (name == NULL || roster->n == 0)
        return ROSTER_NONE;
    return *find_place(roster, name) - 1; /* of a free place: ROSTER_NONE */
}

int roster_reorder(struct roster *roster, const size_t *order)
{
    const char **list = arena_array(roster->arena, roster->table_size / 2 + 1, sizeof(*list));

    if (list == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < roster->n; i++)
        list[i] = roster->list[order[i]];
    roster->list = list;
    for (size_t i = 0; i < roster->table_size; i++)
        roster->table[i] = 0;
    for (size_t i = 0; i < roster->n; i++)
        *find_place(roster, list[i]) = i + 1;
    return 0;
}
