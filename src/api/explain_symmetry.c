/* explain_symmetry.c - see explain_symmetry.h. SPDX-License-Identifier: MIT */
#include "api/explain_symmetry.h"

#include <string.h>

/* What is asked. */
struct asked {
    const struct happened *h;
    const struct constraint *const *orders;
    uint32_t n;
};

static bool has_all(const struct asked *a, const uint32_t *as)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (!happened_has(a->h, a->orders[i], as))
            return false;
    }
    return true;
}

/* ---- Machines ------------------------------------------------------------------------------- */

static const struct symmetry_machine *find_machine(const struct symmetry *s, uint32_t text)
{
    for (uint32_t i = 0; i < s->n_machines; i++) {
        if (s->machines[i].text == text)
            return &s->machines[i];
    }
    return NULL;
}

/* False: there are too many. */
static bool add_machine(struct symmetry *s, const struct happened *h, uint32_t text, uint32_t task)
{
    const char *type = happened_type(h, task);

    if (text == 0 || type[0] == '\0' || find_machine(s, text) != NULL)
        return true;
    if (s->n_machines == SYMMETRY_MACHINES_MAX)
        return false;
    s->machines[s->n_machines++] =
        (struct symmetry_machine){.text = text, .task = task, .type = type};
    return true;
}

/* Lists the machines of a trial, as its operations name them. */
static bool list_machines(struct symmetry *s, const struct opnames *names, const struct happened *h)
{
    uint32_t n;
    uint32_t n_ran;
    const struct happening *events = happened_events(h, &n, &n_ran);

    s->n_machines = 0;
    for (uint32_t i = 1; i < n; i++) {
        const struct opname *name = opnames_get(names, events[i].name);

        if (!add_machine(s, h, name->task, events[i].task) ||
            !add_machine(s, h, name->from, events[i].from))
            return false;
    }
    return true;
}

/* ---- Roles ---------------------------------------------------------------------------------- */

/* False: there are too many. A role is for a machine whose type is known by the one that is called
 * so in the trial; who is not there has no type. */
static bool add_role(struct symmetry *s, uint32_t text)
{
    const struct symmetry_machine *machine = find_machine(s, text);

    if (machine == NULL)
        return true;
    for (uint32_t i = 0; i < s->n_roles; i++) {
        if (s->roles[i] == text)
            return true;
    }
    if (s->n_roles == SYMMETRY_ROLES_MAX)
        return false;
    s->types[s->n_roles] = machine->type;
    s->roles[s->n_roles++] = text;
    return true;
}

static bool add_roles(struct symmetry *s, const struct opnames *names, uint32_t name)
{
    const struct opname *one = opnames_get(names, name);
    const struct opname *anchor = opnames_get(names, one->anchor);

    return add_role(s, one->task) && add_role(s, one->from) && add_role(s, anchor->task) &&
           add_role(s, anchor->from);
}

/* How many ways there are to give the roles to machines. */
static uint64_t count_placings(const struct symmetry *s)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < s->n_roles && n <= SYMMETRY_PLACINGS_MAX; i++) {
        uint64_t free = 0;

        for (uint32_t k = 0; k < s->n_machines; k++)
            free += strcmp(s->machines[k].type, s->types[i]) == 0;
        for (uint32_t k = 0; k < i; k++)
            free -= strcmp(s->types[k], s->types[i]) == 0;
        n *= free;
    }
    return n;
}

/* ---- Trying --------------------------------------------------------------------------------- */

/* Texts stand for themselves, but for machines that could have a role, which have none yet. */
static void clear_roles(struct symmetry *s, const struct opnames *names)
{
    for (; s->n_texts <= names->n_texts; s->n_texts++)
        s->as[s->n_texts] = s->n_texts;
    for (uint32_t i = 0; i < s->n_machines; i++) {
        s->machines[i].role = 0;
        for (uint32_t k = 0; k < s->n_roles; k++) {
            if (strcmp(s->machines[i].type, s->types[k]) == 0)
                s->as[s->machines[i].text] = 0;
        }
    }
}

static void restore(struct symmetry *s)
{
    for (uint32_t i = 0; i < s->n_machines; i++)
        s->as[s->machines[i].text] = s->machines[i].text;
}

static void give(struct symmetry *s, uint32_t machine, uint32_t role)
{
    s->machines[machine].role = role;
    s->as[s->machines[machine].text] = role;
}

/* The next machine from this one on that is free for a role; n_machines: there is none. */
static uint32_t next_free(const struct symmetry *s, uint32_t role, uint32_t from)
{
    while (from < s->n_machines &&
           (s->machines[from].role != 0 || strcmp(s->machines[from].type, s->types[role]) != 0))
        from++;
    return from;
}

/* Gives each role to each machine in turn, the first role slowest. */
static bool try_all(struct symmetry *s, const struct asked *a)
{
    uint32_t at[SYMMETRY_ROLES_MAX + 1]; /* the machine that has each role */
    uint32_t role = 0;

    at[0] = next_free(s, 0, 0);
    for (;;) {
        if (at[role] < s->n_machines) {
            give(s, at[role], s->roles[role]);
            if (role + 1 < s->n_roles) {
                role++;
                at[role] = next_free(s, role, 0);
                continue;
            }
            if (has_all(a, s->as))
                return true;
        } else if (role == 0) {
            return false;
        } else {
            role--;
        }
        give(s, at[role], 0);
        at[role] = next_free(s, role, at[role] + 1);
    }
}

enum symmetry_holds symmetry_find(struct symmetry *s, const struct opnames *names,
                                  const struct happened *h, const struct constraint *const *orders,
                                  uint32_t n)
{
    const struct asked asked = {.h = h, .orders = orders, .n = n};
    uint64_t placings;
    bool holds;

    if (has_all(&asked, NULL))
        return SYMMETRY_AS_IT_IS;
    s->n_roles = 0;
    if (!list_machines(s, names, h))
        return SYMMETRY_NOT;
    for (uint32_t i = 0; i < n; i++) {
        if (!add_roles(s, names, orders[i]->first) || !add_roles(s, names, orders[i]->later))
            return SYMMETRY_NOT;
    }
    placings = count_placings(s);
    if (placings <= 1 || placings > SYMMETRY_PLACINGS_MAX)
        return SYMMETRY_NOT;
    clear_roles(s, names);
    holds = try_all(s, &asked);
    restore(s);
    return holds ? SYMMETRY_MODULO : SYMMETRY_NOT;
}
