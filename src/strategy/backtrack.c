/* backtrack.c - see backtrack.h. SPDX-License-Identifier: MIT */
#include "strategy/backtrack.h"

#include <stdio.h>
#include <string.h>

bool backtrack_could_run(const struct course *c, uint32_t at, uint64_t id)
{
    for (uint32_t i = c->events[at].candidates; i < c->events[at + 1].candidates; i++) {
        if (course_candidate(c, i)->id == id)
            return true;
    }
    return false;
}

bool backtrack_could_run_before(const struct course *c, uint32_t at, uint32_t k)
{
    const struct event *e = &c->events[k];

    /* It could from then on, without a break. */
    return (e->since & ~PAST_AND_ALL) < at || backtrack_could_run(c, at, e->act.id);
}

static void add(struct plans *p, const struct course *c, uint32_t at, uint64_t id)
{
    if (!plans_has(p, c, at, id))
        plans_add(p, at, &(struct act){.id = id});
}

void backtrack_try_all(struct plans *p, const struct course *c, uint32_t at)
{
    for (uint32_t i = c->events[at].candidates; i < c->events[at + 1].candidates; i++)
        add(p, c, at, course_candidate(c, i)->id);
}

void backtrack_try(struct plans *p, const struct course *c, uint32_t at, uint64_t id)
{
    if (backtrack_could_run(c, at, id))
        add(p, c, at, id);
    else
        backtrack_try_all(p, c, at);
}

void backtrack_learn(struct walk *w, const struct reversal_rule *rule)
{
    reversals_learn(&w->plans, &w->course, rule);
}

int backtrack_init(struct walk *w, const struct backtrack_ways *ways, const char *parameters,
                   char *error, size_t error_size)
{
    w->rules = ways->rules;
    if (parameters[0] == '\0')
        return 0;
    if (strcmp(parameters, "causal") == 0) {
        w->course.is_causal = true;
        return 0;
    }
    if (ways->paper != NULL && strcmp(parameters, "paper") == 0) {
        w->rules = ways->paper;
        w->course.is_plain = true;
        w->is_published = true;
        return 0;
    }
    (void)snprintf(error, error_size, "%s takes no parameter but %s", ways->name,
                   ways->paper != NULL ? "\"causal\" or \"paper\"" : "\"causal\"");
    return -1;
}
