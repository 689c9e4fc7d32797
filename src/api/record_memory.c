/* record_memory.c - see record_memory.h. SPDX-License-Identifier: MIT */
#include "api/record_memory.h"

#include "base/hash.h"
#include "substrate/print.h"

#include <string.h>

void record_memory_begin(struct record_memory *m)
{
    m->stepped = 0;
    memset(m->is_told, true, sizeof(m->is_told));
    memset(m->monitors, 0, sizeof(m->monitors));
}

void record_memory_told(struct record_memory *m, const struct trial *t,
                        const struct sn_machine *monitor)
{
    for (uint32_t i = 0; i < t->now.n_own[OWN_MONITORS]; i++)
        m->is_told[i] |= t->machines->monitors[i].type == monitor;
}

static void look_at(struct record_memory *m, const struct machine *machine, uint64_t *known,
                    struct trace_record *record)
{
    struct sn_text out;
    uint64_t hash;

    text_init(&out, m->text, sizeof(m->text));
    if (!print_memory(&out, machine->type, machine->self))
        return;
    hash = hash_add(HASH_START, m->text, out.used);
    if (hash == *known)
        return;
    *known = hash;
    record->memory.text = (struct trace_text){m->text, out.used};
}

void record_memory_look(struct record_memory *m, struct trial *t, struct names *names,
                        record_memory_put *put, void *self)
{
    struct trace_record record = {.kind = TRACE_MEMORY};
    const struct machine *stepped = &t->machines->all[m->stepped];

    if (m->stepped != 0 && stepped->type != NULL && !stepped->is_halted) {
        record.memory.task = names_get(names, m->stepped);
        look_at(m, stepped, &m->tasks[m->stepped], &record);
        if (record.memory.text.bytes != NULL)
            put(self, &record);
    }
    m->stepped = 0;
    for (uint32_t i = 0; i < t->now.n_own[OWN_MONITORS]; i++) {
        const struct machine *monitor = &t->machines->monitors[i];

        if (!m->is_told[i])
            continue;
        m->is_told[i] = false;
        record.memory.task = monitor->type->name;
        record.memory.text = trace_text_of(NULL);
        look_at(m, monitor, &m->monitors[i], &record);
        if (record.memory.text.bytes != NULL)
            put(self, &record);
    }
}
