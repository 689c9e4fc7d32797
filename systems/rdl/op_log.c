/* op_log.c - a replicated log of operations, in one order for all. SPDX-License-Identifier: MIT */
#include "op_log.h"

#include "heap.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t saturated_clock = UINT64_C(1) << 53;

struct op_log_message {
    struct op_log_entry *entries;
    size_t count;
};

static void learn(struct op_log *log, const struct op_log_entry *news);
static bool has(const struct op_log *log, const struct op_log_entry *entry);
static bool is_before(const struct op_log *log, const struct op_log_entry *a,
                      const struct op_log_entry *b);
static struct op_log_message *message_of(const struct op_log_entry *entries, size_t count);
static struct op_log_entry copy_of(const struct op_log_entry *entry);

void op_log_init(struct op_log *log, const struct op_log_config *config)
{
    *log = (struct op_log){.config = *config};
}

void op_log_done(struct op_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        free(log->entries[i].text);
    free(log->entries);
}

struct op_log_message *op_log_append(struct op_log *log, const char *text)
{
    bool is_stuck = log->config.clock_saturates && log->clock >= saturated_clock;
    struct op_log_message *message;
    struct op_log_entry entry = {
        .text = rdl_copy(text),
        .clock = is_stuck ? log->clock : log->clock + 1,
        .writer = log->config.writer,
        .device = log->config.device,
        .number = ++log->number,
    };

    learn(log, &entry);
    message = message_of(&entry, 1);
    free(entry.text);
    return message;
}

bool op_log_set_clock(struct op_log *log, uint64_t clock)
{
    if (clock <= log->clock || clock > OP_LOG_CLOCK_MAX)
        return false;
    log->clock = clock;
    return true;
}

size_t op_log_length(const struct op_log *log)
{
    return log->count;
}

const char *op_log_at(const struct op_log *log, size_t index)
{
    return index < log->count ? log->entries[index].text : NULL;
}

struct op_log_message *op_log_make(const struct op_log *log)
{
    return message_of(log->entries, log->count);
}

void op_log_message_free(struct op_log_message *message)
{
    if (!message)
        return;
    for (size_t i = 0; i < message->count; i++)
        free(message->entries[i].text);
    free(message->entries);
    free(message);
}

void op_log_apply(struct op_log *log, const struct op_log_message *message)
{
    for (size_t i = 0; message && i < message->count; i++)
        learn(log, &message->entries[i]);
}

/* Both kinds of messages say what is known, one of them less of it. */
void op_log_deliver(struct op_log *log, const struct op_log_message *message)
{
    op_log_apply(log, message);
}

size_t op_log_print(const struct op_log *log, char *out, size_t size)
{
    struct rdl_json json;

    rdl_json_init(&json, out, size);
    rdl_json_raw(&json, "[");
    for (size_t i = 0; i < log->count; i++) {
        rdl_json_next(&json);
        rdl_json_string(&json, log->entries[i].text);
    }
    rdl_json_raw(&json, "]");
    return json.length;
}

static void learn(struct op_log *log, const struct op_log_entry *news)
{
    size_t place = log->count;

    if (has(log, news))
        return;
    log->entries = rdl_grow(log->entries, log->count, &log->capacity, sizeof(*log->entries));
    while (place > 0 && is_before(log, news, &log->entries[place - 1])) {
        log->entries[place] = log->entries[place - 1];
        place--;
    }
    log->entries[place] = copy_of(news);
    log->count++;
    if (news->clock > log->clock)
        log->clock = news->clock;
}

static bool has(const struct op_log *log, const struct op_log_entry *entry)
{
    for (size_t i = 0; i < log->count; i++) {
        if (log->entries[i].device == entry->device && log->entries[i].number == entry->number)
            return true;
    }
    return false;
}

static bool is_before(const struct op_log *log, const struct op_log_entry *a,
                      const struct op_log_entry *b)
{
    if (a->clock != b->clock)
        return a->clock < b->clock;
    if (a->writer != b->writer)
        return a->writer < b->writer;
    return !log->config.ignores_devices && a->device < b->device;
}

static struct op_log_message *message_of(const struct op_log_entry *entries, size_t count)
{
    struct op_log_message *message = rdl_alloc(sizeof(*message));

    message->entries = rdl_alloc(count * sizeof(*entries));
    for (size_t i = 0; i < count; i++)
        message->entries[i] = copy_of(&entries[i]);
    message->count = count;
    return message;
}

static struct op_log_entry copy_of(const struct op_log_entry *entry)
{
    struct op_log_entry copy = *entry;

    copy.text = rdl_copy(entry->text);
    return copy;
}
