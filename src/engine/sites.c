/* sites.c - see sites.h. SPDX-License-Identifier: MIT */
#include "engine/sites.h"

#include "engine/explore.h"
#include "engine/here.h"

#include <string.h>

/* ---- What there is -------------------------------------------------------------------------- */

static bool is_known(const struct sn_site *site)
{
    const struct sn_site *known = world_root.sites;

    while (known != NULL && known != site)
        known = known->next;
    return known != NULL;
}

/* What is loaded by a trial is gone when the trial is. */
static bool is_in_trial(void)
{
    return trial_of_thread() != NULL;
}

void sn_sites_load_(struct sn_site **first, struct sn_site **end)
{
    /* Each file of an object does this for all of the object. */
    if (is_in_trial() || first == end || is_known(*first))
        return;
    for (; first < end; first++) {
        (*first)->next = world_root.sites;
        world_root.sites = *first;
    }
}

static void forget(struct sn_site *site)
{
    struct trial *t = trial_here();
    struct sn_site **place = &world_root.sites;

    while (*place != NULL && *place != site)
        place = &(*place)->next;
    if (*place == site)
        *place = site->next;
    if (t != NULL && t->sites != NULL && site->number > 0)
        t->sites->list[site->number - 1] = NULL;
}

void sn_sites_unload_(struct sn_site **first, struct sn_site **end)
{
    if (is_in_trial())
        return;
    for (; first < end; first++)
        forget(*first);
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static int compare(const struct sn_site *a, const struct sn_site *b)
{
    int order = strcmp(a->file, b->file);

    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    return order != 0 ? order : strcmp(a->name, b->name);
}

/* A function that several files have, since it is in a header, is one place. */
static uint32_t find(const struct sites *sites, const struct sn_site *site)
{
    for (uint32_t i = 0; i < sites->n; i++) {
        if (sites->list[i] != NULL && compare(sites->list[i], site) == 0)
            return i + 1;
    }
    return 0;
}

/* The first of those that have no number, in an order that does not depend on the linker. */
static struct sn_site *first_unnumbered(void)
{
    struct sn_site *first = NULL;

    for (struct sn_site *site = world_root.sites; site != NULL; site = site->next) {
        if (site->number == 0 && (first == NULL || compare(site, first) < 0))
            first = site;
    }
    return first;
}

static void number_all(struct sites *sites)
{
    struct sn_site *site = sites->n < SITES_MAX ? first_unnumbered() : NULL;

    while (site != NULL) {
        site->number = find(sites, site);
        if (site->number == 0) {
            sites->list[sites->n] = site;
            site->number = ++sites->n;
        }
        site = sites->n < SITES_MAX ? first_unnumbered() : NULL;
    }
}

void sites_begin(struct sites *sites)
{
    number_all(sites);
    sites->left_out = 0;
    for (struct sn_site *site = world_root.sites; site != NULL; site = site->next) {
        site->seen[0] = site->seen[1] = false;
        sites->left_out += site->number == 0;
    }
    for (uint32_t i = 0; i < sites->n; i++) {
        atomic_store_explicit(&sites->shown[i].reached, 0, memory_order_relaxed);
        atomic_store_explicit(&sites->shown[i].held, 0, memory_order_relaxed);
    }
}

void sites_end(struct sites *sites, const char *test, uint64_t trials)
{
    for (uint32_t i = 0; i < sites->n; i++) {
        const struct site_shown *shown = &sites->shown[i];
        struct site_total *total = &sites->total[i];

        total->is_reached |= site_is_shown(&shown->reached, trials);
        if (total->is_held || !site_is_shown(&shown->held, trials))
            continue;
        total->is_held = true;
        total->test = test;
        total->trial = atomic_load_explicit(&shown->held, memory_order_relaxed) - 1;
    }
}

/* ---- Trials --------------------------------------------------------------------------------- */

static void note(_Atomic uint64_t *first, uint64_t trial)
{
    uint64_t known = atomic_load_explicit(first, memory_order_relaxed);

    while ((known == 0 || known > trial + 1) &&
           !atomic_compare_exchange_weak_explicit(first, &known, trial + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
        continue;
}

void sn_site_meet_(struct sn_site *site, bool holds)
{
    struct trial *t = trial_of_thread();

    /* One that is run again has shown it before, under its own number. */
    if (t == NULL || t->is_repeating || t->explore == NULL || site->number == 0)
        return;
    site->seen[0] = true;
    note(&t->sites->shown[site->number - 1].reached, t->explore->trial);
    if (!holds)
        return;
    site->seen[1] = true;
    note(&t->sites->shown[site->number - 1].held, t->explore->trial);
}

const struct sn_site *sn_site_unmet(const struct sn_site *after)
{
    const struct trial *t = trial_here();
    const struct sites *sites = t != NULL ? t->sites : NULL;

    for (uint32_t i = after != NULL ? after->number : 0; sites != NULL && i < sites->n; i++) {
        if (sites->list[i] != NULL && !sites->total[i].is_held)
            return sites->list[i];
    }
    return NULL;
}
