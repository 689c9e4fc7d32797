/* naming.c - see naming.h. SPDX-License-Identifier: MIT */
#include "engine/naming.h"

#include "engine/mem.h"
#include "engine/op.h"

#include <inttypes.h>
#include <stdio.h>

int naming_new(struct naming **out, struct trial *t, struct err *why)
{
    struct naming *naming = mem_reserve_shared(sizeof(*naming), why);

    *out = naming;
    if (naming == NULL)
        return SN_ENOMEM;
    trial_range_add(t, naming->all, &t->now.n_named, sizeof(*naming->all));
    trial_range_add(t, naming->given, &t->now.n_named, sizeof(*naming->given));
    return 0;
}

void naming_free(struct naming *naming)
{
    if (naming != NULL)
        mem_release(naming, sizeof(*naming));
}

/* ---- Tasks ---------------------------------------------------------------------------------- */

static bool is_asked(const struct naming *naming, uint64_t hash)
{
    const struct opnames *asked = naming->asked;

    for (uint32_t i = 1; asked != NULL && i <= asked->n_texts; i++) {
        if (asked->hashes[i] == hash)
            return true;
    }
    return false;
}

/* Adds "Type" or "Type#2". */
static uint64_t add_type(uint64_t hash, const char *type, uint32_t number)
{
    char text[16];

    hash = opname_hash(hash, type);
    if (number == 1)
        return hash;
    (void)snprintf(text, sizeof(text), "#%" PRIu32, number);
    return opname_hash(hash, text);
}

void naming_begin(struct naming *naming, struct trial *t)
{
    uint64_t hash = opname_hash(HASH_START, "nobody");

    naming->all[0] = (struct who){
        .answers = hash, .path = hash, .type = "nobody", .number = 1, .is_early = true};
    t->now.n_named = 1;
}

/* Whether the set-up has made some of this type: then the short names are theirs. */
static bool has_early(const struct naming *naming, uint32_t n, const char *type)
{
    for (uint32_t i = 1; i < n; i++) {
        if (naming->all[i].is_early && strcmp(naming->all[i].type, type) == 0)
            return true;
    }
    return false;
}

void naming_create(struct trial *t, uint32_t task, const char *type)
{
    struct naming *naming = t->naming;
    struct who *who = &naming->all[task];

    *who = (struct who){
        .type = type, .creator = t->now.task, .number = 1, .is_early = !t->now.is_set_up};
    for (uint32_t i = 1; i < task; i++) {
        const struct who *other = &naming->all[i];

        who->number += (who->is_early || (!other->is_early && other->creator == who->creator)) &&
                       strcmp(other->type, type) == 0;
    }
    who->answers = add_type(HASH_START, type, who->number);
    who->path = who->answers;
    if (!who->is_early)
        who->path = add_type(hash_add(naming->all[who->creator].path, "/", 1), type, who->number);
    if (!who->is_early && (has_early(naming, task, type) || is_asked(naming, who->path)))
        who->answers = who->path;
    t->now.n_named = task + 1;
}

void naming_name(struct trial *t, uint32_t task, const char *name)
{
    struct who *who = &t->naming->all[task];

    who->answers = who->path = opname_hash(HASH_START, name);
    who->is_given = true;
    (void)snprintf(t->naming->given[task], NAMING_BYTES, "%s", name);
}

static void put_type(struct sn_text *out, const struct who *who)
{
    text_puts(out, who->type);
    if (who->number > 1)
        text_print(out, "#%" PRIu32, who->number);
}

void naming_put_unnamed(struct sn_text *out, const struct naming *naming, uint32_t task,
                        bool is_long)
{
    enum { DEPTH_MAX = 32 };
    uint32_t creators[DEPTH_MAX];
    uint32_t n = 0;

    for (uint32_t i = task; is_long && !naming->all[i].is_early && n < DEPTH_MAX;) {
        i = naming->all[i].creator;
        creators[n++] = i;
        if (naming->all[i].is_given)
            break;
    }
    while (n-- > 0) {
        const struct who *who = &naming->all[creators[n]];

        if (who->is_given)
            text_puts(out, naming->given[creators[n]]);
        else
            put_type(out, who);
        text_putc(out, '/');
    }
    put_type(out, &naming->all[task]);
}

/* ---- Events --------------------------------------------------------------------------------- */

uint64_t naming_event(struct naming *naming, const struct trial *t, const struct sn_op *op)
{
    struct named_event *known = &naming->events[((uintptr_t)op->what >> 4) & (NAMING_EVENTS - 1)];

    if (unlikely(naming->forgettings != t->forgettings))
        memset(naming->events, 0, sizeof(naming->events));
    naming->forgettings = t->forgettings;
    if (op->what == NULL)
        return opname_hash(HASH_START, op_event_name(op));
    if (known->what != op->what)
        *known = (struct named_event){op->what, opname_hash(HASH_START, op_event_name(op))};
    return known->hash;
}

/* A field of a payload as a number, if it has the size of one. */
static bool field_key(const struct sn_key *entry, const void *payload, size_t size, uint64_t *key)
{
    const unsigned char *bytes = payload;

    if (entry->size == 0 || entry->size > 8 || (size_t)entry->offset + entry->size > size)
        return false;
    *key = 0;
    for (uint32_t i = 0; i < entry->size; i++)
        *key |= (uint64_t)bytes[entry->offset + i] << (8 * i);
    return true;
}

bool naming_key(const struct trial *t, const struct sn_op *op, uint64_t *key)
{
    const struct sn_event *event = op->what;
    const struct sn_dependence *dependence = t->test->dependence;
    const struct sn_key *entry = dependence != NULL ? dependence->keys : NULL;

    if (event == NULL || op->kind == SN_OP_START || op->kind == SN_OP_FAULT)
        return false;
    if (event->key != NULL) {
        *key = event->key(op_payload(t, op));
        return true;
    }
    while (entry != NULL && entry->event != NULL && entry->event != event)
        entry++;
    if (entry == NULL || entry->event == NULL || entry->any)
        return false;
    if (entry->key != NULL) {
        *key = entry->key(op_payload(t, op));
        return true;
    }
    return field_key(entry, op_payload(t, op), op->size, key);
}
