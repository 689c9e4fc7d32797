/* required.c - see required.h. SPDX-License-Identifier: MIT */
#include "api/required.h"

#include "engine/mem.h"

#include <stdio.h>
#include <string.h>

int required_new(struct required **out, const char *const *texts, struct err *why)
{
    struct required *required;
    int rc;

    *out = NULL;
    if (texts == NULL || texts[0] == NULL)
        return 0;
    required = mem_reserve_shared(sizeof(*required), why);
    if (required == NULL)
        return SN_ENOMEM;
    rc = opnames_new(&required->names, why);
    for (; rc == 0 && *texts != NULL; texts++)
        rc = constraints_read(&required->constraints, required->names, *texts, why);
    if (rc < 0) {
        required_free(required);
        return rc;
    }
    *out = required;
    return 0;
}

void required_free(struct required *required)
{
    if (required == NULL)
        return;
    opnames_free(required->names);
    mem_release(required, sizeof(*required));
}

int required_check(const char *const *texts, struct err *why)
{
    struct required *required;
    struct err cause = {""};
    int rc = required_new(&required, texts, &cause);

    required_free(required);
    return rc < 0 ? err_set(why, rc, "--require %.480s", cause.text) : 0;
}

int required_admit(struct required *required, const struct explore_phase *phases, uint32_t n_phases,
                   struct err *why)
{
    if (required == NULL)
        return 0;
    required->steers = true;
    for (uint32_t i = 0; i < n_phases; i++) {
        const struct strategy_entry *entry = phases[i].entry;

        if (entry->reduces)
            return err_set(why, SN_EINVAL,
                           "strategy %s leaves out schedules that others stand for, and cannot "
                           "tell which of them are as required: use dfs or delay:D with --require",
                           entry->strategy->name);
        if (entry->strategy->is_exhausted != NULL)
            required->steers = false;
    }
    return 0;
}

int required_join(const struct required *required, struct trial *t, struct err *why)
{
    int rc;

    if (required == NULL)
        return 0;
    rc = require_open(t, why);
    return rc == 0 ? require_set(t, &required->constraints, required->steers, why) : rc;
}

/* Whether one of the first n constraints has the name already. */
static bool is_told(const struct constraints *c, uint32_t n, uint32_t name)
{
    for (uint32_t i = 0; i < n; i++) {
        if (c->all[i].first == name || c->all[i].later == name)
            return true;
    }
    return false;
}

static bool is_seen(const struct trial *const *trials, uint32_t n, uint32_t name)
{
    for (uint32_t i = 0; i < n; i++) {
        if (require_has_seen(trials[i], name))
            return true;
    }
    return name == 0;
}

void required_tell(const struct required *required, const struct trial *const *trials, uint32_t n,
                   struct sn_result *result)
{
    struct sn_text out;

    if (required == NULL || result->trials == 0)
        return;
    text_init(&out, result->unseen, sizeof(result->unseen));
    for (uint32_t i = 0; i < 2 * required->constraints.n; i++) {
        const struct constraint *c = &required->constraints.all[i / 2];
        uint32_t name = i % 2 == 0 ? c->first : c->later;

        if (is_seen(trials, n, name) || is_told(&required->constraints, i / 2, name))
            continue;
        text_puts(&out, out.used > 0 ? "; " : "");
        opname_put(&out, required->names, name);
    }
}

void required_limit(const struct required *required, char *within, size_t size)
{
    size_t n = strlen(within);

    if (required != NULL)
        (void)snprintf(within + n, size - n, "%sthat is as required", n > 0 ? " " : "");
}
