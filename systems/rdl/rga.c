/* rga.c - a replicated list: a growable array whose elements can be inserted, deleted and moved.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rga.h"

#include "heap.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { CLOCK_SHIFT = 32 };

struct rga_message {
    struct rga_places places;
    struct rga_elements elements;
};

static uint64_t make_place(struct rga *list, struct rga_message *message, uint64_t behind,
                           uint64_t element);
static void make_element(struct rga *list, struct rga_message *message, uint64_t behind,
                         const char *text);
static void delete_element(struct rga *list, struct rga_message *message, uint64_t id);
static const struct rga_place *seen_at(const struct rga *list, size_t index);
static uint64_t place_of(const struct rga *list, uint64_t place_id);
static void arrange(struct rga *list);
static bool is_seen(const struct rga *list, const size_t *order, size_t count, size_t index);
static void learn_place(struct rga_places *places, const struct rga_place *news);
static void learn_element(struct rga_elements *elements, const struct rga_element *news);
static const struct rga_place *find_place(const struct rga_places *places, uint64_t id);
static const struct rga_element *find_element(const struct rga_elements *elements, uint64_t id);
static void places_done(struct rga_places *places);
static void elements_done(struct rga_elements *elements);

void rga_init(struct rga *list, const struct rga_config *config)
{
    *list = (struct rga){.config = *config};
}

void rga_done(struct rga *list)
{
    free(list->seen);
    places_done(&list->places);
    elements_done(&list->elements);
}

struct rga_message *rga_insert(struct rga *list, size_t index, const char *text)
{
    struct rga_message *message;
    uint64_t behind;

    if (index > list->seen_count)
        return NULL;
    message = rdl_alloc(sizeof(*message));
    behind = index > 0 ? seen_at(list, index - 1)->id : 0;
    make_element(list, message, behind, text);
    arrange(list);
    return message;
}

struct rga_message *rga_delete(struct rga *list, size_t index)
{
    struct rga_message *message;

    if (index >= list->seen_count)
        return NULL;
    message = rdl_alloc(sizeof(*message));
    delete_element(list, message, seen_at(list, index)->element);
    arrange(list);
    return message;
}

struct rga_message *rga_move(struct rga *list, size_t from, size_t to)
{
    struct rga_message *message;
    uint64_t behind = 0;
    uint64_t element;

    if (from >= list->seen_count || to >= list->seen_count)
        return NULL;
    message = rdl_alloc(sizeof(*message));
    element = seen_at(list, from)->element;
    /* Its neighbour in the list without it. */
    if (to > 0)
        behind = seen_at(list, to - 1 < from ? to - 1 : to)->id;
    if (list->config.moves_by_inserting) {
        make_element(list, message, behind, rga_at(list, from));
        delete_element(list, message, element);
    } else {
        (void)make_place(list, message, behind, element);
    }
    arrange(list);
    return message;
}

size_t rga_length(const struct rga *list)
{
    return list->seen_count;
}

const char *rga_at(const struct rga *list, size_t index)
{
    if (index >= list->seen_count)
        return NULL;
    return find_element(&list->elements, seen_at(list, index)->element)->text;
}

size_t rga_find(const struct rga *list, const char *text)
{
    size_t index = 0;

    while (index < list->seen_count && strcmp(rga_at(list, index), text) != 0)
        index++;
    return index;
}

struct rga_message *rga_make(const struct rga *list)
{
    struct rga_message *message = rdl_alloc(sizeof(*message));

    for (size_t i = 0; i < list->places.count; i++)
        learn_place(&message->places, &list->places.all[i]);
    for (size_t i = 0; i < list->elements.count; i++)
        learn_element(&message->elements, &list->elements.all[i]);
    return message;
}

void rga_message_free(struct rga_message *message)
{
    if (!message)
        return;
    places_done(&message->places);
    elements_done(&message->elements);
    free(message);
}

const char *rga_message_text(const struct rga_message *message)
{
    return message->elements.count > 0 ? message->elements.all[0].text : NULL;
}

void rga_apply(struct rga *list, const struct rga_message *message)
{
    if (!message)
        return;
    for (size_t i = 0; i < message->elements.count; i++)
        learn_element(&list->elements, &message->elements.all[i]);
    for (size_t i = 0; i < message->places.count; i++) {
        struct rga_place place = message->places.all[i];
        uint32_t clock = (uint32_t)(place.id >> CLOCK_SHIFT);

        if (list->config.moves_behind_elements && place.id != place.element)
            place.behind = place_of(list, place.behind);
        learn_place(&list->places, &place);
        if (clock > list->clock)
            list->clock = clock;
    }
    arrange(list);
}

/* Both kinds of messages say what is known, one of them less of it. */
void rga_deliver(struct rga *list, const struct rga_message *message)
{
    rga_apply(list, message);
}

size_t rga_print(const struct rga *list, char *out, size_t size)
{
    struct rdl_json json;

    rdl_json_init(&json, out, size);
    rdl_json_raw(&json, "[");
    for (size_t i = 0; i < list->seen_count; i++) {
        rdl_json_next(&json);
        rdl_json_string(&json, rga_at(list, i));
    }
    rdl_json_raw(&json, "]");
    return json.length;
}

/* ---- Updates -------------------------------------------------------------------------------- */

/* Makes a place here and in the message. Element 0 means one with the id of the place. */
static uint64_t make_place(struct rga *list, struct rga_message *message, uint64_t behind,
                           uint64_t element)
{
    uint64_t id = (uint64_t)++list->clock << CLOCK_SHIFT | list->config.replica;
    struct rga_place place = {.id = id, .behind = behind, .element = element > 0 ? element : id};

    learn_place(&list->places, &place);
    learn_place(&message->places, &place);
    return id;
}

static void make_element(struct rga *list, struct rga_message *message, uint64_t behind,
                         const char *text)
{
    uint64_t id = make_place(list, message, behind, 0);
    struct rga_element element = {.id = id, .text = rdl_copy(text)};

    learn_element(&list->elements, &element);
    learn_element(&message->elements, &element);
    free(element.text);
}

static void delete_element(struct rga *list, struct rga_message *message, uint64_t id)
{
    struct rga_element deleted = {.id = id, .is_deleted = true};

    learn_element(&list->elements, &deleted);
    learn_element(&message->elements, &deleted);
}

/* ---- What is seen --------------------------------------------------------------------------- */

static const struct rga_place *seen_at(const struct rga *list, size_t index)
{
    return &list->places.all[list->seen[index]];
}

/* Where the element is that had this place once; the place itself if that is not known. */
static uint64_t place_of(const struct rga *list, uint64_t place_id)
{
    const struct rga_place *place = find_place(&list->places, place_id);

    for (size_t i = 0; place && i < list->seen_count; i++) {
        if (seen_at(list, i)->element == place->element)
            return seen_at(list, i)->id;
    }
    return place_id;
}

/* Finds out anew what is seen. A place has a greater id than the one that it is behind, so by their
 * ids each comes after that one, and before those that are behind it already. */
static void arrange(struct rga *list)
{
    size_t *order = rdl_alloc(list->places.count * sizeof(*order));
    size_t count = 0;

    for (size_t i = 0; i < list->places.count; i++) {
        uint64_t behind = list->places.all[i].behind;
        size_t at = 0;

        while (behind > 0 && at < count && list->places.all[order[at]].id != behind)
            at++;
        if (behind > 0 && at == count)
            continue;
        at += behind > 0;
        memmove(&order[at + 1], &order[at], (count - at) * sizeof(*order));
        order[at] = i;
        count++;
    }
    free(list->seen);
    list->seen = rdl_alloc(list->places.count * sizeof(*order));
    list->seen_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_seen(list, order, count, order[i]))
            list->seen[list->seen_count++] = order[i];
    }
    free(order);
}

/* Whether there is something to see at a place: its element is there, and at no newer one. */
static bool is_seen(const struct rga *list, const size_t *order, size_t count, size_t index)
{
    uint64_t id = list->places.all[index].element;
    const struct rga_element *element = find_element(&list->elements, id);

    if (!element || !element->text || element->is_deleted)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (order[i] > index && list->places.all[order[i]].element == id)
            return false;
    }
    return true;
}

/* ---- What is known -------------------------------------------------------------------------- */

static void learn_place(struct rga_places *places, const struct rga_place *news)
{
    size_t at = places->count;

    if (find_place(places, news->id))
        return;
    places->all = rdl_grow(places->all, places->count, &places->capacity, sizeof(*places->all));
    for (; at > 0 && places->all[at - 1].id > news->id; at--)
        places->all[at] = places->all[at - 1];
    places->all[at] = *news;
    places->count++;
}

static void learn_element(struct rga_elements *elements, const struct rga_element *news)
{
    struct rga_element *element;
    size_t at = 0;

    while (at < elements->count && elements->all[at].id < news->id)
        at++;
    if (at == elements->count || elements->all[at].id != news->id) {
        elements->all =
            rdl_grow(elements->all, elements->count, &elements->capacity, sizeof(*elements->all));
        element = &elements->all[at];
        memmove(element + 1, element, (elements->count - at) * sizeof(*element));
        *element = (struct rga_element){.id = news->id};
        elements->count++;
    }
    element = &elements->all[at];
    if (!element->text && news->text)
        element->text = rdl_copy(news->text);
    element->is_deleted |= news->is_deleted;
}

static const struct rga_place *find_place(const struct rga_places *places, uint64_t id)
{
    for (size_t i = 0; i < places->count; i++) {
        if (places->all[i].id == id)
            return &places->all[i];
    }
    return NULL;
}

static const struct rga_element *find_element(const struct rga_elements *elements, uint64_t id)
{
    for (size_t i = 0; i < elements->count; i++) {
        if (elements->all[i].id == id)
            return &elements->all[i];
    }
    return NULL;
}

static void places_done(struct rga_places *places)
{
    free(places->all);
}

static void elements_done(struct rga_elements *elements)
{
    for (size_t i = 0; i < elements->count; i++)
        free(elements->all[i].text);
    free(elements->all);
}
