/* id_table.h - a growable table of records, sorted by a 64-bit id.
 *
 * The extent manager keeps nodes, extents, replicas and pending repairs in such tables. A record is
 * any struct whose first member is `uint64_t id`. Sorted order makes iteration, and with it every
 * message the manager sends, independent of the order in which things were learned.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXTENT_MANAGER_ID_TABLE_H
#define EXTENT_MANAGER_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_table {
    unsigned char *records;
    size_t record_size;
    size_t n;
    size_t room;
};

/* An empty table of records of this size, which is at least that of an id. Allocates nothing. */
void id_table_init(struct id_table *table, size_t record_size);

/* Releases the memory of the records; what they point to is the caller's. */
void id_table_done(struct id_table *table);

/* The i-th record in order of id, i < n. Valid until the next insertion or removal. */
void *id_table_at(const struct id_table *table, size_t i);

/* The record of an id, or NULL. Valid until the next insertion or removal. */
void *id_table_find(const struct id_table *table, uint64_t id);

/* The record of an id, zeroed but for the id if it is new. NULL if there is no memory; the table is
 * unchanged then. */
void *id_table_insert(struct id_table *table, uint64_t id);

/* Removes the record of an id. False if there was none. */
bool id_table_remove(struct id_table *table, uint64_t id);

#endif
