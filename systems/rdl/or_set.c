/* or_set.c - a replicated set in which a removal removes what its author has observed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "or_set.h"

#include "heap.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

struct or_set_message {
    enum or_set_kind kind;
    uint32_t from;
    char *item; /* NULL with OR_SET_STATE */
    struct or_set_tag *tags;
    size_t count;
    size_t capacity;
};

static void learn(struct or_set *set, const struct or_set_tag *news);
static void remove_all(struct or_set *set, const char *item);
static bool is_next_item(const struct or_set *set, size_t index, const char *last);
static int compare(const struct or_set_tag *a, const struct or_set_tag *b);
static struct or_set_message *message_new(const struct or_set *set, enum or_set_kind kind,
                                          const char *item);
static void message_add(struct or_set_message *message, const struct or_set_tag *tag);

void or_set_init(struct or_set *set, const struct or_set_config *config)
{
    *set = (struct or_set){.config = *config};
}

void or_set_done(struct or_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->tags[i].item);
    free(set->tags);
}

struct or_set_message *or_set_add(struct or_set *set, const char *item)
{
    struct or_set_message *message = message_new(set, OR_SET_ADD, item);
    struct or_set_tag tag = {
        .item = message->item,
        .replica = set->config.replica,
        .number = ++set->additions,
    };

    learn(set, &tag);
    message_add(message, &tag);
    return message;
}

struct or_set_message *or_set_remove(struct or_set *set, const char *item)
{
    struct or_set_message *message;

    if (!or_set_has(set, item))
        return NULL;
    message = message_new(set, OR_SET_REMOVE, item);
    remove_all(set, item);
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(set->tags[i].item, item) == 0)
            message_add(message, &set->tags[i]);
    }
    return message;
}

bool or_set_has(const struct or_set *set, const char *item)
{
    for (size_t i = 0; i < set->count; i++) {
        if (!set->tags[i].is_removed && strcmp(set->tags[i].item, item) == 0)
            return true;
    }
    return false;
}

size_t or_set_count(const struct or_set *set)
{
    size_t count = 0;

    while (or_set_at(set, count))
        count++;
    return count;
}

const char *or_set_at(const struct or_set *set, size_t index)
{
    const char *item = NULL;

    for (size_t i = 0; i < set->count; i++) {
        if (!is_next_item(set, i, item))
            continue;
        item = set->tags[i].item;
        if (index-- == 0)
            return item;
    }
    return NULL;
}

struct or_set_message *or_set_make(const struct or_set *set)
{
    struct or_set_message *message = message_new(set, OR_SET_STATE, NULL);

    for (size_t i = 0; i < set->count; i++)
        message_add(message, &set->tags[i]);
    return message;
}

void or_set_message_free(struct or_set_message *message)
{
    if (!message)
        return;
    for (size_t i = 0; i < message->count; i++)
        free(message->tags[i].item);
    free(message->tags);
    free(message->item);
    free(message);
}

enum or_set_kind or_set_message_kind(const struct or_set_message *message)
{
    return message->kind;
}

uint32_t or_set_message_from(const struct or_set_message *message)
{
    return message->from;
}

const char *or_set_message_item(const struct or_set_message *message)
{
    return message->item;
}

void or_set_apply(struct or_set *set, const struct or_set_message *message)
{
    for (size_t i = 0; message && i < message->count; i++)
        learn(set, &message->tags[i]);
}

/* Both kinds of messages say what is known, one of them less of it. */
void or_set_deliver(struct or_set *set, const struct or_set_message *message)
{
    or_set_apply(set, message);
}

size_t or_set_print(const struct or_set *set, char *out, size_t size)
{
    const char *item = NULL;
    struct rdl_json json;

    rdl_json_init(&json, out, size);
    rdl_json_raw(&json, "[");
    for (size_t i = 0; i < set->count; i++) {
        if (!is_next_item(set, i, item))
            continue;
        item = set->tags[i].item;
        rdl_json_next(&json);
        rdl_json_string(&json, item);
    }
    rdl_json_raw(&json, "]");
    return json.length;
}

static void learn(struct or_set *set, const struct or_set_tag *news)
{
    size_t place = 0;
    struct or_set_tag *tag;

    while (place < set->count && compare(&set->tags[place], news) < 0)
        place++;
    if (place == set->count || compare(&set->tags[place], news) != 0) {
        set->tags = rdl_grow(set->tags, set->count, &set->capacity, sizeof(*set->tags));
        tag = &set->tags[place];
        memmove(tag + 1, tag, (set->count - place) * sizeof(*tag));
        *tag = (struct or_set_tag){
            .item = rdl_copy(news->item),
            .replica = news->replica,
            .number = news->number,
        };
        set->count++;
    }
    tag = &set->tags[place];
    if (!news->is_removed || tag->is_removed)
        return;
    tag->is_removed = true;
    if (set->config.removes_unseen)
        remove_all(set, news->item);
}

static void remove_all(struct or_set *set, const char *item)
{
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(set->tags[i].item, item) == 0)
            set->tags[i].is_removed = true;
    }
}

/* Whether the tag puts an item into the set that comes after the last one; NULL: there was none. */
static bool is_next_item(const struct or_set *set, size_t index, const char *last)
{
    const struct or_set_tag *tag = &set->tags[index];

    return !tag->is_removed && (!last || strcmp(tag->item, last) != 0);
}

static int compare(const struct or_set_tag *a, const struct or_set_tag *b)
{
    int order = strcmp(a->item, b->item);

    if (order != 0)
        return order;
    if (a->replica != b->replica)
        return a->replica < b->replica ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static struct or_set_message *message_new(const struct or_set *set, enum or_set_kind kind,
                                          const char *item)
{
    struct or_set_message *message = rdl_alloc(sizeof(*message));

    message->kind = kind;
    message->from = set->config.replica;
    message->item = item ? rdl_copy(item) : NULL;
    return message;
}

static void message_add(struct or_set_message *message, const struct or_set_tag *tag)
{
    struct or_set_tag copy = *tag;

    message->tags =
        rdl_grow(message->tags, message->count, &message->capacity, sizeof(*message->tags));
    copy.item = rdl_copy(tag->item);
    message->tags[message->count++] = copy;
}
