/* todo.c - a replicated to-do list. SPDX-License-Identifier: MIT */
#include "todo.h"

#include "heap.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { REPLICA_SHIFT = 32 };

struct todo_message {
    struct todo state;
};

static uint64_t next_id(struct todo *list);
static void learn(struct todo *list, const struct todo_task *news);
static size_t place_of(const struct todo *list, uint64_t id);
static struct todo_task *find(const struct todo *list, uint64_t id);

void todo_init(struct todo *list, const struct todo_config *config)
{
    *list = (struct todo){.config = *config};
}

void todo_done(struct todo *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->tasks[i].title);
    free(list->tasks);
}

uint64_t todo_create(struct todo *list, const char *title)
{
    struct todo_task task = {.id = next_id(list), .title = rdl_copy(title)};

    learn(list, &task);
    free(task.title);
    return task.id;
}

bool todo_complete(struct todo *list, uint64_t id)
{
    struct todo_task *task = find(list, id);

    if (!task || task->is_completed)
        return false;
    task->is_completed = true;
    return true;
}

size_t todo_count(const struct todo *list)
{
    return list->count;
}

const char *todo_title(const struct todo *list, uint64_t id)
{
    const struct todo_task *task = find(list, id);

    return task ? task->title : NULL;
}

bool todo_is_completed(const struct todo *list, uint64_t id)
{
    const struct todo_task *task = find(list, id);

    return task && task->is_completed;
}

struct todo_message *todo_make(const struct todo *list)
{
    struct todo_message *message = rdl_alloc(sizeof(*message));

    for (size_t i = 0; i < list->count; i++)
        learn(&message->state, &list->tasks[i]);
    return message;
}

void todo_message_free(struct todo_message *message)
{
    if (!message)
        return;
    todo_done(&message->state);
    free(message);
}

void todo_apply(struct todo *list, const struct todo_message *message)
{
    for (size_t i = 0; message && i < message->state.count; i++)
        learn(list, &message->state.tasks[i]);
}

size_t todo_print(const struct todo *list, char *out, size_t size)
{
    struct rdl_json json;

    rdl_json_init(&json, out, size);
    rdl_json_raw(&json, "[");
    for (size_t i = 0; i < list->count; i++) {
        rdl_json_next(&json);
        rdl_json_raw(&json, "{\"id\":");
        rdl_json_number(&json, list->tasks[i].id);
        rdl_json_raw(&json, ",\"title\":");
        rdl_json_string(&json, list->tasks[i].title);
        rdl_json_raw(&json, list->tasks[i].is_completed ? ",\"completed\":true}"
                                                        : ",\"completed\":false}");
    }
    rdl_json_raw(&json, "]");
    return json.length;
}

static uint64_t next_id(struct todo *list)
{
    if (list->config.counts_ids)
        return list->count > 0 ? list->tasks[list->count - 1].id + 1 : 1;
    return (uint64_t)list->config.replica << REPLICA_SHIFT | ++list->created;
}

static void learn(struct todo *list, const struct todo_task *news)
{
    size_t place = place_of(list, news->id);
    struct todo_task *task = find(list, news->id);

    if (!task) {
        list->tasks = rdl_grow(list->tasks, list->count, &list->capacity, sizeof(*list->tasks));
        task = &list->tasks[place];
        memmove(task + 1, task, (list->count - place) * sizeof(*task));
        *task = (struct todo_task){.id = news->id, .title = rdl_copy(news->title)};
        list->count++;
    }
    if (strcmp(news->title, task->title) > 0) {
        free(task->title);
        task->title = rdl_copy(news->title);
    }
    task->is_completed |= news->is_completed;
}

/* Where the task is, or where it belongs. */
static size_t place_of(const struct todo *list, uint64_t id)
{
    size_t place = 0;

    while (place < list->count && list->tasks[place].id < id)
        place++;
    return place;
}

static struct todo_task *find(const struct todo *list, uint64_t id)
{
    size_t place = place_of(list, id);

    return place < list->count && list->tasks[place].id == id ? &list->tasks[place] : NULL;
}
