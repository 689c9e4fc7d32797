/* id_table.c - a growable table of records, sorted by a 64-bit id. SPDX-License-Identifier: MIT */
#include "id_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t lower_bound(const struct id_table *table, uint64_t id);
static uint64_t id_of(const void *record);
static bool make_room(struct id_table *table);

void id_table_init(struct id_table *table, size_t record_size)
{
    assert(record_size >= sizeof(uint64_t));

    *table = (struct id_table){.record_size = record_size};
}

void id_table_done(struct id_table *table)
{
    free(table->records);
    *table = (struct id_table){.record_size = table->record_size};
}

void *id_table_at(const struct id_table *table, size_t i)
{
    assert(i < table->n);

    return table->records + i * table->record_size;
}

void *id_table_find(const struct id_table *table, uint64_t id)
{
    size_t i = lower_bound(table, id);

    if (i == table->n || id_of(id_table_at(table, i)) != id)
        return NULL;
    return id_table_at(table, i);
}

void *id_table_insert(struct id_table *table, uint64_t id)
{
    size_t i = lower_bound(table, id);

    if (i < table->n && id_of(id_table_at(table, i)) == id)
        return id_table_at(table, i);
    if (table->n == table->room && !make_room(table))
        return NULL;

    unsigned char *record = table->records + i * table->record_size;

    memmove(record + table->record_size, record, (table->n - i) * table->record_size);
    memset(record, 0, table->record_size);
    memcpy(record, &id, sizeof(id));
    table->n++;
    return record;
}

bool id_table_remove(struct id_table *table, uint64_t id)
{
    unsigned char *record = id_table_find(table, id);

    if (record == NULL)
        return false;

    unsigned char *next = record + table->record_size;
    unsigned char *end = table->records + table->n * table->record_size;

    memmove(record, next, (size_t)(end - next));
    table->n--;
    return true;
}

/* Index of the first record whose id is not below the one given; n if there is none. */
static size_t lower_bound(const struct id_table *table, uint64_t id)
{
    size_t low = 0;
    size_t high = table->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (id_of(id_table_at(table, middle)) < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t id_of(const void *record)
{
    uint64_t id;

    memcpy(&id, record, sizeof(id));
    return id;
}

static bool make_room(struct id_table *table)
{
    size_t room = table->room == 0 ? 4 : table->room * 2;
    unsigned char *records = reallocarray(table->records, room, table->record_size);

    if (records == NULL)
        return false;
    table->records = records;
    table->room = room;
    return true;
}
