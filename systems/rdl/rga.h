/* rga.h - a replicated list: a growable array whose elements can be inserted, deleted and moved.
 *
 * After Roh et al., "Replicated abstract data types: Building blocks for collaborative
 * applications" (2011), with moves after Kleppmann, "Moving elements in list CRDTs" (2020).
 *
 * A replica has places and elements. A place is made behind another one, once and for ever, and of
 * those behind the same one the newest comes first. An element is inserted with a place, and moved
 * by making another place for it; where it is seen is its newest place, which is a register in
 * which the last writer wins. So two who move an element at the same time move it to one of the two
 * places. Who deletes an element deletes it for good, whoever moves it. Places and deleted elements
 * are kept. To merge two replicas is to unite them; in which order messages arrive does not matter,
 * because a place that is behind an unknown one is only not seen yet.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RDL_RGA_H
#define RDL_RGA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rga_config {
    uint32_t replica; /* no other replica has the same */

    /* Wrong: a move deletes the element and inserts one with the same text. */
    bool moves_by_inserting;
    /* Wrong: an element is moved behind another one, wherever that is when the message arrives. */
    bool moves_behind_elements;
};

/* Ids grow: a Lamport clock in the upper half, the replica in the lower. 0 is the beginning. */
struct rga_place {
    uint64_t id;
    uint64_t behind; /* the id of another place, or 0 */
    uint64_t element;
};

struct rga_element {
    uint64_t id; /* that of its first place */
    char *text;  /* NULL: only its deletion is known yet */
    bool is_deleted;
};

struct rga_places {
    struct rga_place *all; /* by id */
    size_t count;
    size_t capacity;
};

struct rga_elements {
    struct rga_element *all; /* by id */
    size_t count;
    size_t capacity;
};

/* A replica. To be treated as opaque; here so that it can be embedded. */
struct rga {
    struct rga_config config;
    struct rga_places places;
    struct rga_elements elements;
    uint32_t clock;
    size_t *seen; /* indexes of the places at which there is something to see, in order */
    size_t seen_count;
};

/* One update, or all that a replica knew when the message was made. */
struct rga_message;

void rga_init(struct rga *list, const struct rga_config *config);
void rga_done(struct rga *list);

/* All three return a message with the update, to be freed with rga_message_free. If there is no
 * such index they do nothing and return NULL. */

/* Inserts before the element at the index, or at the end. */
struct rga_message *rga_insert(struct rga *list, size_t index, const char *text);
struct rga_message *rga_delete(struct rga *list, size_t index);
/* Moves an element so that it has the index `to` afterwards. */
struct rga_message *rga_move(struct rga *list, size_t from, size_t to);

size_t rga_length(const struct rga *list);

/* The text at this index, owned by the list; NULL: there is none. */
const char *rga_at(const struct rga *list, size_t index);

/* The first index of the text; the length of the list: it is not there. */
size_t rga_find(const struct rga *list, const char *text);

/* Returns a message with all that is known, to be freed with rga_message_free. */
struct rga_message *rga_make(const struct rga *list);
void rga_message_free(struct rga_message *message);

/* The text that the message of an insertion inserts, owned by it. NULL: it inserts nothing. */
const char *rga_message_text(const struct rga_message *message);

/* Take in what a message says: the state of a replica, or one update. NULL: they do nothing. */
void rga_apply(struct rga *list, const struct rga_message *message);
void rga_deliver(struct rga *list, const struct rga_message *message);

/* Writes the texts as an array in order, as snprintf does: returns the length of the whole. */
size_t rga_print(const struct rga *list, char *out, size_t size);

#endif
