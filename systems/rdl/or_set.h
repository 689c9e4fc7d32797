/* or_set.h - a replicated set in which a removal removes what its author has observed.
 *
 * Every addition has a tag of its own. A removal takes back the tags of its item that its replica
 * knows, so an addition that it does not know stays: of an addition and a removal at the same time,
 * the addition wins. Tags that were taken back are kept, so that the addition may arrive after the
 * removal, or again. To merge two replicas is to unite their tags, those that were taken back too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RDL_OR_SET_H
#define RDL_OR_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct or_set_config {
    uint32_t replica; /* no other replica has the same */

    /* Wrong: a removal that arrives removes the item, with tags that its author did not know. */
    bool removes_unseen;
};

struct or_set_tag {
    char *item;
    uint32_t replica; /* that has added it */
    uint32_t number;  /* of the additions of that replica, from 1 */
    bool is_removed;
};

/* A replica. To be treated as opaque; here so that it can be embedded. */
struct or_set {
    struct or_set_config config;
    struct or_set_tag *tags; /* by item, replica and number */
    size_t count;
    size_t capacity;
    uint32_t additions; /* of its own */
};

enum or_set_kind {
    OR_SET_STATE, /* all that a replica knew */
    OR_SET_ADD,
    OR_SET_REMOVE,
};

/* One update, or all that a replica knew when the message was made. */
struct or_set_message;

void or_set_init(struct or_set *set, const struct or_set_config *config);
void or_set_done(struct or_set *set);

/* Both return a message with the update, to be freed with or_set_message_free. To remove what is
 * not there does nothing and returns NULL. */
struct or_set_message *or_set_add(struct or_set *set, const char *item);
struct or_set_message *or_set_remove(struct or_set *set, const char *item);

bool or_set_has(const struct or_set *set, const char *item);

/* How many items are in the set. */
size_t or_set_count(const struct or_set *set);

/* The items in the order of strcmp, from 0: owned by the set until its next update; NULL: no more.
 */
const char *or_set_at(const struct or_set *set, size_t index);

/* Returns a message with all that is known, to be freed with or_set_message_free. */
struct or_set_message *or_set_make(const struct or_set *set);
void or_set_message_free(struct or_set_message *message);

/* What a message is, which replica has made it, and of one update the item, owned by the message.
 */
enum or_set_kind or_set_message_kind(const struct or_set_message *message);
uint32_t or_set_message_from(const struct or_set_message *message);
const char *or_set_message_item(const struct or_set_message *message);

/* Take in what a message says: the state of a replica, or one update. NULL: they do nothing. */
void or_set_apply(struct or_set *set, const struct or_set_message *message);
void or_set_deliver(struct or_set *set, const struct or_set_message *message);

/* Writes the items as a sorted array, as snprintf does: returns the length of the whole. */
size_t or_set_print(const struct or_set *set, char *out, size_t size);

#endif
