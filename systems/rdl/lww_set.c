/* lww_set.c - a replicated set in which the last writer wins. SPDX-License-Identifier: MIT */
#include "lww_set.h"

#include "heap.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MS_PER_S = 1000,
    NS_PER_MS = 1000000,
};

struct lww_set_message {
    struct lww_set state;
};

static void update(struct lww_set *set, const char *item, bool is_present);
static uint64_t next_stamp(const struct lww_set *set);
static void learn(struct lww_set *set, const struct lww_set_entry *news);
static bool wins(const struct lww_set *set, const struct lww_set_entry *news,
                 const struct lww_set_entry *known);
static struct lww_set_entry *entry_of(struct lww_set *set, const char *item);
static size_t place_of(const struct lww_set *set, const char *item);

void lww_set_init(struct lww_set *set, const struct lww_set_config *config)
{
    *set = (struct lww_set){.config = *config};
}

void lww_set_done(struct lww_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->entries[i].item);
    free(set->entries);
}

void lww_set_add(struct lww_set *set, const char *item)
{
    update(set, item, true);
}

void lww_set_remove(struct lww_set *set, const char *item)
{
    update(set, item, false);
}

bool lww_set_has(const struct lww_set *set, const char *item)
{
    size_t place = place_of(set, item);

    return place < set->count && set->entries[place].is_present &&
           strcmp(set->entries[place].item, item) == 0;
}

size_t lww_set_count(const struct lww_set *set)
{
    size_t count = 0;

    for (size_t i = 0; i < set->count; i++)
        count += set->entries[i].is_present;
    return count;
}

struct lww_set_message *lww_set_make(const struct lww_set *set)
{
    struct lww_set_message *message = rdl_alloc(sizeof(*message));

    for (size_t i = 0; i < set->count; i++)
        learn(&message->state, &set->entries[i]);
    return message;
}

void lww_set_message_free(struct lww_set_message *message)
{
    if (!message)
        return;
    lww_set_done(&message->state);
    free(message);
}

void lww_set_apply(struct lww_set *set, const struct lww_set_message *message)
{
    for (size_t i = 0; message && i < message->state.count; i++)
        learn(set, &message->state.entries[i]);
}

size_t lww_set_print(const struct lww_set *set, char *out, size_t size)
{
    struct rdl_json json;

    rdl_json_init(&json, out, size);
    rdl_json_raw(&json, "[");
    for (size_t i = 0; i < set->count; i++) {
        if (!set->entries[i].is_present)
            continue;
        rdl_json_next(&json);
        rdl_json_string(&json, set->entries[i].item);
    }
    rdl_json_raw(&json, "]");
    return json.length;
}

/* What is removed leaves an entry even if it was not there: it may be added elsewhere, earlier. */
static void update(struct lww_set *set, const char *item, bool is_present)
{
    struct lww_set_entry *entry = entry_of(set, item);

    entry->is_present = is_present;
    entry->stamp_ms = next_stamp(set);
    set->latest_ms = entry->stamp_ms;
}

static uint64_t next_stamp(const struct lww_set *set)
{
    struct timespec now;
    uint64_t now_ms;

    if (set->config.now_ms) {
        now_ms = set->config.now_ms(set->config.clock);
    } else {
        (void)clock_gettime(CLOCK_REALTIME, &now);
        now_ms = (uint64_t)now.tv_sec * MS_PER_S + (uint64_t)now.tv_nsec / NS_PER_MS;
    }
    return now_ms > set->latest_ms ? now_ms : set->latest_ms + 1;
}

static void learn(struct lww_set *set, const struct lww_set_entry *news)
{
    struct lww_set_entry *entry = entry_of(set, news->item);

    if (wins(set, news, entry)) {
        entry->is_present = news->is_present;
        entry->stamp_ms = news->stamp_ms;
    }
    if (news->stamp_ms > set->latest_ms)
        set->latest_ms = news->stamp_ms;
}

static bool wins(const struct lww_set *set, const struct lww_set_entry *news,
                 const struct lww_set_entry *known)
{
    if (news->stamp_ms != known->stamp_ms)
        return news->stamp_ms > known->stamp_ms;
    return set->config.lets_arrival_break_ties || !news->is_present;
}

/* The entry of the item, or a new one that is older than everything. */
static struct lww_set_entry *entry_of(struct lww_set *set, const char *item)
{
    size_t place = place_of(set, item);
    struct lww_set_entry *entry;

    if (place < set->count && strcmp(set->entries[place].item, item) == 0)
        return &set->entries[place];
    set->entries = rdl_grow(set->entries, set->count, &set->capacity, sizeof(*set->entries));
    entry = &set->entries[place];
    memmove(entry + 1, entry, (set->count - place) * sizeof(*entry));
    *entry = (struct lww_set_entry){.item = rdl_copy(item)};
    set->count++;
    return entry;
}

/* Where the item is, or where it belongs. */
static size_t place_of(const struct lww_set *set, const char *item)
{
    size_t place = 0;

    while (place < set->count && strcmp(set->entries[place].item, item) < 0)
        place++;
    return place;
}
