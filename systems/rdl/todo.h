/* todo.h - a replicated to-do list.
 *
 * Each task has an id, by which all replicas know it. A replica makes ids of its own number and a
 * counter, so that no two make the same one. A task that was completed anywhere is completed. To
 * merge two replicas is to take the tasks of both.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RDL_TODO_H
#define RDL_TODO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct todo_config {
    uint32_t replica; /* no other replica has the same */

    /* Wrong: an id is one more than the largest that is known. */
    bool counts_ids;
};

struct todo_task {
    uint64_t id;
    char *title;
    bool is_completed;
};

/* A replica. To be treated as opaque; here so that it can be embedded. */
struct todo {
    struct todo_config config;
    struct todo_task *tasks; /* by id */
    size_t count;
    size_t capacity;
    uint32_t created; /* tasks of its own */
};

/* All that a replica knew when the message was made. */
struct todo_message;

void todo_init(struct todo *list, const struct todo_config *config);
void todo_done(struct todo *list);

/* Returns the id of the new task. */
uint64_t todo_create(struct todo *list, const char *title);

/* False, and nothing is done, if there is no such task or it is completed already. */
bool todo_complete(struct todo *list, uint64_t id);

size_t todo_count(const struct todo *list);

/* The title of a task, owned by the list; NULL: there is none of this id. */
const char *todo_title(const struct todo *list, uint64_t id);

bool todo_is_completed(const struct todo *list, uint64_t id);

/* Returns a message for another replica, to be freed with todo_message_free. */
struct todo_message *todo_make(const struct todo *list);
void todo_message_free(struct todo_message *message);

/* Merges what the message says. Of two titles for one id, which no two replicas make, the greater
 * is kept. NULL: does nothing. */
void todo_apply(struct todo *list, const struct todo_message *message);

/* Writes the tasks as an array of objects, as snprintf does: returns the length of the whole. */
size_t todo_print(const struct todo *list, char *out, size_t size);

#endif
