/* strategies.c - finding strategies by name. SPDX-License-Identifier: MIT */
#include "strategy/strategies.h"

#include "engine/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void strategies_init(struct strategies *all)
{
    static const struct strategy_entry *const built_in[] = {
        &strategy_random,  &strategy_pos,       &strategy_posr,   &strategy_pct,
        &strategy_pctcp,   &strategy_urw,       &strategy_surw,   &strategy_ql,
        &strategy_fest,    &strategy_sr,        &strategy_dfs,    &strategy_delay,
        &strategy_fair,    &strategy_portfolio, &strategy_oldest, &strategy_script,
        &strategy_optimal, &strategy_dpor,      &strategy_ired,   &strategy_transdpor,
        &strategy_liviola, &strategy_random_ca, &strategy_pos_ca, &strategy_posr_ca,
        &strategy_pct_ca,  &strategy_tapct,
    };

    all->n = 0;
    for (size_t i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++)
        all->entries[all->n++] = *built_in[i];
}

void strategies_add_entry(struct strategies *all, const struct strategy_entry *entry)
{
    sn_check(all->n < STRATEGIES_MAX);
    all->entries[all->n++] = *entry;
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
    if ((strategy->lesson == NULL) != (strategy->learn == NULL) ||
        (strategy->lesson != NULL && (!strategy->learns || strategy->seek == NULL)))
        return err_set(why, SN_EINVAL,
                       "strategy %s: lesson and learn need each other, and learns and seek",
                       strategy->name);
    if (strpbrk(strategy->name, ":@,") != NULL)
        return err_set(why, SN_EINVAL, "the name of strategy %s must not contain any of : @ ,",
                       strategy->name);
    if (find(all, strategy->name, strlen(strategy->name)) != NULL)
        return err_set(why, SN_EINVAL, "there is already a strategy called %s", strategy->name);
    if (all->n == STRATEGIES_MAX)
        return err_set(why, SN_EINVAL, "more than %d strategies", STRATEGIES_MAX);
    all->entries[all->n++] = (struct strategy_entry){.strategy = strategy};
    return 0;
}

/* With a coin, delay draws at random and is not systematic; with a cache it cannot be divided.
 * These are other strategies than without. */
static const struct strategy_entry *variant_of(const struct strategy_entry *entry,
                                               const char *parameters)
{
    static const char suffix[] = ":coin";
    size_t n = strlen(parameters);

    if (entry->strategy != strategy_delay.strategy)
        return entry;
    if (strstr(parameters, ":cache") != NULL)
        return &strategy_delay_cache;
    if (n >= sizeof(suffix) - 1 && strcmp(parameters + n - (sizeof(suffix) - 1), suffix) == 0)
        return &strategy_coin;
    return entry;
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
    if (n == 0)
        return err_set(why, SN_ENOTFOUND, "the name of a strategy is missing; there are %s", known);
    return err_set(why, SN_ENOTFOUND, "there is no strategy called %.*s; there are %s", n, name,
                   known);
}

/* What a strategy that goes back was at first. */
static void keep_fresh(struct explore_phase *phase)
{
    const struct sn_strategy *strategy = phase->entry->strategy;
    size_t n = 0;

    if (strategy->is_exhausted != NULL && strategy->save != NULL && strategy->load != NULL)
        n = strategy->save(phase->self, phase->fresh, sizeof(phase->fresh));
    phase->n_fresh = n <= sizeof(phase->fresh) ? n : 0;
}

/* Bounds and caches leave out schedules, which may be those that stand for others. */
static int check_sound(const struct strategy_entry *entry, const char *parameters, struct err *why)
{
    bool is_bound = strncmp(parameters, "delay", 5) == 0 || strstr(parameters, ":delay") != NULL;
    bool is_cache = strcmp(parameters, "cache") == 0 || strstr(parameters, ":cache") != NULL;

    if (!entry->reduces || (!is_bound && !is_cache))
        return 0;
    return err_set(
        why, SN_EINVAL,
        "strategy %s cannot have a %s: that leaves out schedules which stand for others, "
        "and what they show is never tried; %s",
        entry->strategy->name, is_bound ? "bound on delays" : "cache of states",
        is_bound ? "delay:D runs every schedule with at most D delays"
                 : "delay:D:cache visits every state with at most D delays");
}

int strategies_open_one(const struct strategies *all, const char *name, uint64_t seed,
                        struct explore_phase *phase, struct err *why)
{
    size_t n = strcspn(name, ":");
    const char *parameters = name[n] == ':' ? name + n + 1 : "";
    int rc;

    *phase = (struct explore_phase){.entry = find(all, name, n), .until = UINT64_MAX};
    if (phase->entry == NULL)
        return not_found(all, name, (int)n, why);
    if (name[n] == ':' && parameters[0] == '\0')
        return err_set(why, SN_EINVAL, "strategy %.*s: parameters are missing behind the colon",
                       (int)n, name);
    phase->entry = variant_of(phase->entry, parameters);
    phase->self = mem_reserve_shared(phase->entry->strategy->state_size + 1, why);
    if (phase->self == NULL)
        return SN_ENOMEM;
    if (phase->entry->strategy->learn != NULL) {
        phase->lessons = mem_reserve_shared(sizeof(*phase->lessons), why);
        if (phase->lessons == NULL)
            return SN_ENOMEM;
    }
    rc = check_sound(phase->entry, parameters, why);
    if (rc == 0)
        rc = init(phase->entry->strategy, phase->self, parameters, seed, why);
    if (rc == 0)
        keep_fresh(phase);
    return rc;
}

int strategies_renew(const char *name, uint64_t seed, struct explore_phase *phase, struct err *why)
{
    const struct sn_strategy *strategy = phase->entry->strategy;
    size_t n = strcspn(name, ":");

    mem_clear(phase->self, strategy->state_size + 1);
    if (phase->lessons != NULL)
        lessons_clear(phase->lessons);
    return init(strategy, phase->self, name[n] == ':' ? name + n + 1 : "", seed, why);
}

/* Where "@STEP," stands in a composition, and what it says; NULL: the last phase. */
static const char *find_end(const char *text, uint64_t *step, size_t *length)
{
    for (const char *at = strchr(text, '@'); at != NULL; at = strchr(at + 1, '@')) {
        size_t digits = strspn(at + 1, "0123456789");

        if (digits == 0 || digits > 18 || at[digits + 1] != ',')
            continue;
        *step = strtoull(at + 1, NULL, 10);
        *length = digits + 2;
        return at;
    }
    return NULL;
}

/* A strategy that goes back and is not the first of a composition must be able to begin anew. */
static int check_inner(const struct explore_phase *phase, uint32_t *n_inner, struct err *why)
{
    const struct sn_strategy *strategy = phase->entry->strategy;
    const char *why_first =
        phase->entry->why_first != NULL ? phase->entry->why_first(phase->self) : NULL;

    if (strategy->is_exhausted == NULL)
        return 0;
    if (why_first != NULL)
        return err_set(why, SN_EINVAL, "strategy %s must be the first of a composition: %s",
                       strategy->name, why_first);
    if (phase->n_fresh == 0)
        return err_set(why, SN_EINVAL,
                       "strategy %s goes back to where it began: it must be the first of a "
                       "composition, since it cannot be saved",
                       strategy->name);
    if (++*n_inner > 1)
        return err_set(why, SN_EINVAL,
                       "strategy %s goes back to where it began: beside the first of a composition "
                       "only one can",
                       strategy->name);
    return 0;
}

int strategies_open(const struct strategies *all, const char *text, uint64_t seed,
                    struct explore_phase *phases, uint32_t *n_phases, struct err *why)
{
    uint64_t begins = 0;
    uint32_t n_inner = 0;

    *n_phases = 0;
    for (;;) {
        struct explore_phase *phase = &phases[*n_phases];
        char name[256];
        size_t length = 0;
        uint64_t until = UINT64_MAX;
        const char *end = find_end(text, &until, &length);
        int rc;

        if (*n_phases + 2 > EXPLORE_PHASES_MAX) /* one is left for the runner's own */
            return err_set(why, SN_EINVAL, "more than %d strategies in one trial",
                           EXPLORE_PHASES_MAX - 1);
        if (until <= begins)
            return err_set(why, SN_EINVAL, "the steps in a composition of strategies must grow");
        if ((end != NULL ? (size_t)(end - text) : strlen(text)) >= sizeof(name))
            return err_set(why, SN_EINVAL, "the name of a strategy is too long");
        (void)snprintf(name, sizeof(name), "%.*s",
                       end != NULL ? (int)(end - text) : (int)strlen(text), text);
        *n_phases += 1;
        rc = strategies_open_one(all, name, seed, phase, why);
        phase->until = until;
        if (rc == 0 && (begins > 0 || end != NULL) && phase->entry->why_alone != NULL)
            rc = err_set(why, SN_EINVAL, "strategy %.80s cannot be part of a composition: %s", name,
                         phase->entry->why_alone);
        if (rc == 0 && begins > 0)
            rc = check_inner(phase, &n_inner, why);
        if (rc < 0 || end == NULL)
            return rc;
        begins = until;
        text = end + length;
    }
}

void strategies_close(struct explore_phase *phases, uint32_t n_phases)
{
    for (uint32_t i = 0; i < n_phases; i++) {
        if (phases[i].self != NULL)
            mem_release(phases[i].self, phases[i].entry->strategy->state_size + 1);
        phases[i].self = NULL;
        mem_release(phases[i].lessons, sizeof(*phases[i].lessons));
        phases[i].lessons = NULL;
    }
}
