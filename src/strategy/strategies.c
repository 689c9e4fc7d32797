/* strategies.c - finding strategies by name. SPDX-License-Identifier: MIT */
#include "strategy/strategies.h"

#include "engine/mem.h"

#include <stdio.h>
#include <string.h>

void strategies_init(struct strategies *all)
{
    all->n = 0;
    all->entries[all->n++] = strategy_random;
    all->entries[all->n++] = strategy_dfs;
}

static const struct strategy_entry *find(const struct strategies *all, const char *name, size_t n)
{
    for (uint32_t i = 0; i < all->n; i++) {
        const char *known = all->entries[i].strategy->name;

        if (strncmp(known, name, n) == 0 && known[n] == '\0')
            return &all->entries[i];
    }
    return NULL;
}

int strategies_add(struct strategies *all, const struct sn_strategy *strategy, struct err *why)
{
    if (strategy == NULL || strategy->name == NULL || strategy->begin == NULL ||
        strategy->pick == NULL)
        return err_set(why, SN_EINVAL, "a strategy needs a name, begin and pick");
    if (strchr(strategy->name, ':') != NULL)
        return err_set(why, SN_EINVAL, "the name of strategy %s must not contain a colon",
                       strategy->name);
    if (find(all, strategy->name, strlen(strategy->name)) != NULL)
        return err_set(why, SN_EINVAL, "there is already a strategy called %s", strategy->name);
    if (all->n == STRATEGIES_MAX)
        return err_set(why, SN_EINVAL, "more than %d strategies", STRATEGIES_MAX);
    all->entries[all->n++] = (struct strategy_entry){.strategy = strategy};
    return 0;
}

static int init(const struct sn_strategy *strategy, void *self, const char *parameters,
                uint64_t seed, struct err *why)
{
    char error[256] = "";

    if (strategy->init == NULL) {
        if (parameters[0] == '\0')
            return 0;
        return err_set(why, SN_EINVAL, "strategy %s takes no parameters, but has \"%s\"",
                       strategy->name, parameters);
    }
    if (strategy->init(self, parameters, seed, error, sizeof(error)) == 0)
        return 0;
    return err_set(why, SN_EINVAL, "strategy %s: %s", strategy->name,
                   error[0] != '\0' ? error : "bad parameters");
}

static int not_found(const struct strategies *all, const char *name, int n, struct err *why)
{
    char known[256];
    size_t used = 0;

    known[0] = '\0';
    for (uint32_t i = 0; i < all->n && used < sizeof(known); i++)
        used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i > 0 ? ", " : "",
                                 all->entries[i].strategy->name);
    return err_set(why, SN_ENOTFOUND, "there is no strategy called %.*s; there are %s", n, name,
                   known);
}

int strategies_open(const struct strategies *all, const char *name, uint64_t seed,
                    const struct strategy_entry **entry, void **self, struct err *why)
{
    size_t n = strcspn(name, ":");
    const char *parameters = name[n] == ':' ? name + n + 1 : "";
    int rc;

    *self = NULL;
    *entry = find(all, name, n);
    if (*entry == NULL)
        return not_found(all, name, (int)n, why);
    *self = mem_reserve_shared((*entry)->strategy->state_size + 1, why);
    if (*self == NULL)
        return SN_ENOMEM;
    rc = init((*entry)->strategy, *self, parameters, seed, why);
    if (rc < 0) {
        strategies_close(*entry, *self);
        *self = NULL;
    }
    return rc;
}

void strategies_close(const struct strategy_entry *entry, void *self)
{
    if (self != NULL)
        mem_release(self, entry->strategy->state_size + 1);
}
