/* names.c - see names.h. SPDX-License-Identifier: MIT */
#include "api/names.h"

#include "engine/mem.h"

#include <stdio.h>

int names_init(struct names *names, struct err *why)
{
    *names = (struct names){0};
    names->text = mem_reserve_shared((size_t)TRIAL_TASKS_MAX * NAMES_BYTES, why);
    names->types = mem_reserve_shared(TRIAL_TASKS_MAX * sizeof(*names->types), why);
    if (names->text != NULL && names->types != NULL)
        return 0;
    names_done(names);
    return SN_ENOMEM;
}

void names_done(struct names *names)
{
    mem_release(names->text, (size_t)TRIAL_TASKS_MAX * NAMES_BYTES);
    mem_release(names->types, TRIAL_TASKS_MAX * sizeof(*names->types));
    *names = (struct names){0};
}

void names_clear(struct names *names)
{
    names->n = 1; /* task 0 is the test itself */
}

void names_add(struct names *names, uint32_t task, const struct sn_machine *type)
{
    uint32_t number = 1;

    for (uint32_t i = 1; i < task && i < names->n; i++)
        number += names->types[i] == type;
    names->types[task] = type;
    if (task >= names->n)
        names->n = task + 1;
    if (number == 1)
        (void)snprintf(names->text[task], NAMES_BYTES, "%s", type->name);
    else
        (void)snprintf(names->text[task], NAMES_BYTES, "%.50s#%u", type->name, number);
}

void names_set(struct names *names, uint32_t task, const char *name)
{
    (void)snprintf(names->text[task], NAMES_BYTES, "%s", name);
}

const char *names_get(const struct names *names, uint32_t task)
{
    return task > 0 && task < names->n ? names->text[task] : NULL;
}
