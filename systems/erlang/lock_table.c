/* lock_table.c - who has which lock and who waits for it. SPDX-License-Identifier: MIT */
#include "lock_table.h"

static void change(struct lock_table *table, struct lock_entry *entry)
{
    entry->version = table->forgets_versions ? entry->version + 1 : ++table->version;
}

static void take_out(struct lock_entry *entry, uint32_t place)
{
    entry->count--;
    for (uint32_t i = place; i < entry->count; i++)
        entry->queue[i] = entry->queue[i + 1];
}

void lock_table_init(struct lock_table *table, bool forgets_versions)
{
    *table = (struct lock_table){.forgets_versions = forgets_versions};
    for (uint32_t i = 0; i < LOCKS; i++)
        table->entries[i].lock = i;
}

void lock_table_request(struct lock_table *table, uint32_t lock, uint32_t agent)
{
    struct lock_entry *entry = &table->entries[lock];

    if (lock_entry_place(entry, agent) == entry->count)
        entry->queue[entry->count++] = agent;
    change(table, entry);
}

void lock_table_surrender(struct lock_table *table, uint32_t lock, uint32_t agent)
{
    struct lock_entry *entry = &table->entries[lock];
    uint32_t place = lock_entry_place(entry, agent);

    if (place == entry->count)
        return;
    take_out(entry, place);
    entry->queue[entry->count++] = agent;
    change(table, entry);
}

bool lock_table_remove(struct lock_table *table, uint32_t lock, uint32_t agent)
{
    struct lock_entry *entry = &table->entries[lock];
    uint32_t place = lock_entry_place(entry, agent);

    if (place == entry->count)
        return false;
    take_out(entry, place);
    change(table, entry);
    if (entry->count == 0)
        *entry = (struct lock_entry){.lock = lock};
    return true;
}

uint32_t lock_entry_place(const struct lock_entry *entry, uint32_t agent)
{
    uint32_t place = 0;

    while (place < entry->count && entry->queue[place] != agent)
        place++;
    return place;
}
