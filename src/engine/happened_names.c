/* happened_names.c - what events and draws of a trial are called. SPDX-License-Identifier: MIT */
#include "engine/happened_own.h"
#include "engine/op.h"

/* Whether the short name of a task could be another's. */
static bool is_ambiguous(const struct happened *h, uint32_t task)
{
    const struct who *who = &h->who->all[task];

    for (uint32_t i = 1; i < h->n_tasks; i++) {
        const struct who *other = &h->who->all[i];

        if (strcmp(other->type, who->type) == 0 &&
            (other->is_early || other->creator != who->creator))
            return true;
    }
    return false;
}

/* What a task is called, as a text; given: by the test. */
static uint32_t text_of(struct happened *h, uint32_t task, bool is_given, bool is_long)
{
    uint32_t *known = is_long ? &h->long_text[task] : &h->short_text[task];
    const struct who *who = &h->who->all[task];
    char buffer[512];
    struct sn_text out;

    if (is_given)
        return opnames_text(h->names, h->who->given[task]);
    if (*known != 0)
        return *known;
    text_init(&out, buffer, sizeof(buffer));
    if (task == 0)
        text_puts(&out, "nobody");
    else
        naming_put_unnamed(&out, h->who, task,
                           is_long || (!who->is_early && is_ambiguous(h, task)));
    *known = opnames_text(h->names, buffer);
    return *known;
}

static uint32_t name_of(struct happened *h, const struct note *note, bool is_long)
{
    const struct sn_op like = {.kind = note->kind, .what = note->what};
    struct opname name = {.kind = note->kind, .number = note->number};

    if (note->kind != SN_OP_START)
        name.event = opnames_text(h->names, op_event_name(&like));
    if (note->kind != SN_OP_FAULT)
        name.task = text_of(h, note->task, note->is_task_given, is_long);
    if (note->kind == SN_OP_DELIVER)
        name.from = text_of(h, note->from, note->is_from_given, is_long);
    name.has_key = note->has_key;
    name.key = note->key;
    return opnames_add(h->names, &name);
}

void happened_name(struct happened *h)
{
    for (uint32_t i = 1; i < h->n; i++) {
        const struct note *note = &h->notes[h->more[i].note];

        if (h->more[i].note == 0)
            continue;
        h->events[i].name = name_of(h, note, false);
        h->events[i].long_name = name_of(h, note, true);
    }
    for (uint32_t i = 0; i < h->n_draws; i++) {
        const struct drawing *d = &h->drawings[i];
        const struct opname name = {.kind = OPNAME_DRAW,
                                    .event = d->label,
                                    .task = text_of(h, d->task, d->is_given, false),
                                    .number = d->number};

        h->draws[i].name = opnames_add(h->names, &name);
    }
}
