/* covered.c - see covered.h. SPDX-License-Identifier: MIT */
#include "api/covered.h"

#include "api/phases.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"
#include "engine/here.h"
#include "engine/mem.h"
#include "engine/sites.h"
#include "report/coverage_file.h"

#include <stdio.h>
#include <string.h>

bool covered_is_sampled(const struct explore_phase *phases, uint32_t n_phases)
{
    bool is_sampled = n_phases > 0;

    for (uint32_t i = 0; i < n_phases; i++)
        is_sampled &= phases[i].entry->strategy->seek != NULL;
    return is_sampled;
}

/* ---- Figures -------------------------------------------------------------------------------- */

/* All that decides how trials are drawn, except the strategy and its seed. */
static uint64_t hash_way(const struct run_request *request)
{
    const char *const *require = request->options.require;
    uint64_t hash = hash_add(HASH_START, &(uint64_t){request_steps_max(request)}, sizeof(uint64_t));

    for (size_t i = 0; i < request->n_args; i++)
        hash = hash_text(hash, request->args[i]);
    hash = hash_text(hash, "");
    for (; require != NULL && *require != NULL; require++)
        hash = hash_text(hash, *require);
    return hash;
}

/* The phase whose strategy is several; the first one if none is. */
static const struct explore_phase *phase_with_arms(const struct run *run)
{
    for (uint32_t i = 0; i < run->n_phases; i++) {
        if (run->phases[i].entry->arm_name != NULL)
            return &run->phases[i];
    }
    return &run->phases[0];
}

static void fill_arms(const struct run *run, struct run_coverage *c)
{
    const struct explore_phase *phase = phase_with_arms(run);
    const struct discovery *d = &run->tally.discovery;
    bool has_names = phase->entry->arm_name != NULL;
    uint64_t way = hash_way(run->request);

    for (uint32_t i = 0; i < DISCOVERY_ARMS_MAX; i++) {
        const char *name =
            has_names ? phase->entry->arm_name(phase->self, i) : request_strategy(run->request);
        struct run_arm *arm = &c->arms[i];

        if (name == NULL || (i > 0 && !has_names))
            break;
        (void)snprintf(arm->name, sizeof(arm->name), "%s", name);
        arm->figures = d->arms[i];
        arm->figures.mind = mix_pair(d->arms[i].mind, way);
        arm->is_full = d->is_full;
        arm->estimate = discovery_estimate(&arm->figures, d->is_full);
        arm->has_counts = !d->is_full && c->has_orders;
        c->n_arms = i + 1;
        for (uint32_t k = 0; arm->has_counts && k < c->n_orders; k++)
            c->counts[i][k] = (uint8_t)discovery_count(d, i, c->orders[k]);
    }
}

static void fill_curve(const struct run *run, struct run_coverage *c)
{
    const struct discovery *d = &run->tally.discovery;
    struct discovery_point end = {run->result.trials, tally_orders(&run->tally)};

    memcpy(c->curve, d->points, d->n_points * sizeof(c->curve[0]));
    c->n_curve = d->n_points;
    if (c->n_curve == 0 ? end.trials > 0 : c->curve[c->n_curve - 1].trials < end.trials)
        c->curve[c->n_curve++] = end;
}

/* What trials these were. */
static void fill_part(const struct run *run, struct run_coverage *c)
{
    const struct run_request *request = run->request;
    struct run_part *part = &c->parts[0];
    uint64_t hash = hash_way(request);

    (void)snprintf(c->suite, sizeof(c->suite), "%s",
                   request->suite != NULL ? request->suite : request->test->name);
    (void)snprintf(c->test, sizeof(c->test), "%s", request->test->name);
    *part = (struct run_part){
        .first = run->resumed.trials, .trials = run->result.trials, .seed = request_seed(request)};
    (void)snprintf(part->strategy, sizeof(part->strategy), "%s", request_strategy(request));
    (void)snprintf(part->build, sizeof(part->build), "%s", run->identity.build);
    hash = hash_text(hash_text(hash, c->suite), c->test);
    hash = hash_text(hash_text(hash, part->strategy), part->build);
    hash = mix_pair(hash, part->seed);
    part->stream = mix_pair(mix_pair(hash, request->shard), request->shards);
    c->n_parts = 1;
}

static void fill_orders(const struct run *run, struct run_coverage *c)
{
    const struct distinct *d = &run->tally.orders;

    c->distinct = tally_orders(&run->tally);
    c->has_orders = distinct_is_exact(d);
    if (c->has_orders)
        c->n_orders = distinct_list(d, c->orders);
    memcpy(c->sketch, d->registers, sizeof(c->sketch));
}

static void tell_next(struct sn_result *r, const struct run_coverage *c)
{
    const struct run_arm *best = run_coverage_best(c);

    r->has_next = best != NULL && best->estimate.answer == DISCOVERY_KNOWN;
    if (!r->has_next)
        return;
    r->next_new = best->estimate.next;
    r->next_low = best->estimate.low;
    r->next_high = best->estimate.high;
    r->orders_least = best->estimate.least;
}

/* In the order of tables, and in each the most frequent first: not in that in which they came. */
static bool is_class_before(const struct run_class *a, const struct run_class *b)
{
    int order = strcmp(a->table, b->table);

    if (order == 0 && a->trials != b->trials)
        return a->trials > b->trials;
    return order != 0 ? order < 0 : strcmp(a->value, b->value) < 0;
}

static void fill_classes(const struct run *run, struct run_coverage *c)
{
    const struct classes *classes = run->engine->t->classes;

    c->n_classes = 0;
    c->discarded = run->result.discarded;
    c->unclassed = run->tally.classes[CLASSES_OTHER];
    for (uint32_t i = 0; i < CLASSES_MAX; i++) {
        struct run_class it = {.trials = run->tally.classes[i]};
        uint32_t k = c->n_classes;

        if (it.trials == 0)
            continue;
        memcpy(it.table, classes->list[i].table, sizeof(it.table));
        memcpy(it.value, classes->list[i].value, sizeof(it.value));
        for (; k > 0 && is_class_before(&it, &c->classes[k - 1]); k--)
            c->classes[k] = c->classes[k - 1];
        c->classes[k] = it;
        c->n_classes++;
    }
}

void covered_tell(struct run *run)
{
    struct run_coverage *c = run->coverage;
    const struct sn_result *r = &run->result;

    c->trials = r->trials;
    c->steps = r->steps;
    c->failures = r->failures;
    c->cut = r->cut;
    fill_part(run, c);
    fill_classes(run, c);
    if (run->request->coverage != NULL)
        fill_orders(run, c);
    c->is_sampled = run->tally.is_sampled;
    if (c->is_sampled)
        fill_arms(run, c);
    fill_curve(run, c);
    tell_next(&run->result, c);
}

/* ---- What workers have shown ---------------------------------------------------------------- */

static void fill_races(const struct survey *s, uint64_t trials, struct run_coverage *c)
{
    c->n_races = 0;
    for (uint32_t i = 0; i < SURVEY_PAIRS && c->n_races < RUN_RACES_MAX; i++) {
        const struct survey_pair *pair = &s->pairs[i];
        struct run_race race = {
            .came = {survey_came(pair, 0, trials), survey_came(pair, 1, trials)}};
        uint32_t k = c->n_races;

        if ((!race.came[0] && !race.came[1]) || pair->machine[0] == '\0')
            continue;
        memcpy(race.machine, pair->machine, sizeof(race.machine));
        memcpy(race.events, pair->events, sizeof(race.events));
        for (; k > 0 && run_race_compare(&c->races[k - 1], &race) > 0; k--)
            c->races[k] = c->races[k - 1];
        c->races[k] = race;
        c->n_races++;
    }
}

static void fill_met(const struct run *run, struct run_coverage *c)
{
    const struct sites *sites = run->engine->t->sites;

    c->n_met = 0;
    for (uint32_t i = 0; i < sites->n; i++) {
        const struct sn_site *site = sites->list[i];
        struct run_met *met = &c->met[c->n_met];

        if (site == NULL)
            continue;
        *met = (struct run_met){.line = (uint64_t)site->line,
                                .is_reached = site_is_shown(&sites->shown[i].reached, run->counted),
                                .is_held = site_is_shown(&sites->shown[i].held, run->counted)};
        (void)snprintf(met->name, sizeof(met->name), "%s", site->name);
        (void)snprintf(met->file, sizeof(met->file), "%s", site->file);
        (void)snprintf(met->condition, sizeof(met->condition), "%s",
                       site->condition != NULL ? site->condition : "");
        c->n_met++;
    }
}

/* Of a search that was stopped there are trials that were run ahead and do not count, which have no
 * numbers to leave them out by: nothing is said then. */
static void fill_survey(const struct run *run, const struct workers *ws, struct run_coverage *c)
{
    uint32_t lowest = atomic_load(&ws->survey->lowest);
    uint64_t counted = ws->is_dealt ? run->counted : survey_number(lowest) + 1;
    struct survey_figures f;

    if (!ws->is_dealt && (ws->pieces.first != NULL || ws->was_killed))
        return;
    for (uint32_t i = lowest; i < SURVEY_RANKS; i++)
        c->surveyed += run->surveyed[i];
    f = survey_figures(ws->survey, counted);
    c->has_states = f.has_states;
    c->states = f.states;
    c->is_survey_cut = f.is_cut;
    fill_races(ws->survey, counted, c);
}

void covered_workers(struct run *run, const struct workers *ws)
{
    struct run_coverage *c = run->coverage;

    fill_survey(run, ws, c);
    fill_met(run, c);
    c->machines.n = ws->coverage.n;
    memcpy(c->machines.pairs, ws->coverage.pairs, ws->coverage.n * sizeof(c->machines.pairs[0]));
    coverage_sort(&c->machines);
    coverage_unite(&c->machines);
}

/* ---- What must be met ----------------------------------------------------------------------- */

bool covered_has_sites(void)
{
    return world_root.sites != NULL;
}

/* In the order of their files and lines: numbers may be in another one, if some came later. */
static int compare(const struct run_site *a, const struct run_site *b)
{
    int order = strcmp(a->site->file, b->site->file);

    return order != 0 ? order : a->site->line - b->site->line;
}

static size_t list_sites(const struct sites *sites, struct run_site *list, size_t *n_unmet)
{
    size_t n = 0;

    for (uint32_t i = 0; i < sites->n; i++) {
        const struct site_total *total = &sites->total[i];
        struct run_site site = {.site = sites->list[i],
                                .is_reached = total->is_reached,
                                .is_held = total->is_held,
                                .test = total->test,
                                .trial = total->trial};
        size_t k = n;

        if (site.site == NULL)
            continue; /* its object is not loaded any more */
        for (; k > 0 && compare(&list[k - 1], &site) > 0; k--)
            list[k] = list[k - 1];
        list[k] = site;
        n++;
        *n_unmet += !site.is_held;
    }
    return n;
}

int covered_tell_sites(bool is_strict, bool *ok,
                       int (*tell)(void *self, const struct run_sites *sites, struct err *why),
                       void *self, struct err *why)
{
    struct engine *engine = covered_has_sites() ? engine_get(why) : NULL;
    struct run_sites sites = {.is_strict = is_strict};
    struct run_site *list;
    struct trial *t;
    int rc = 0;

    *ok = true;
    if (engine == NULL)
        return covered_has_sites() ? SN_ENOMEM : 0;
    t = engine->t;
    if (t->sites->n == 0)
        sites_begin(t->sites); /* there was no run */
    list = mem_reserve_shared(t->sites->n * sizeof(*list), why);
    if (list == NULL)
        return SN_ENOMEM;
    sites.list = list;
    sites.n = list_sites(t->sites, list, &sites.n_unmet);
    *ok = !is_strict || sites.n_unmet == 0;
    rc = tell(self, &sites, why);
    mem_release(list, t->sites->n * sizeof(*list));
    return rc;
}

/* ---- The file ------------------------------------------------------------------------------- */

int covered_write(struct run *run)
{
    char path[512];
    int rc = 0;

    if (run->request->options.outdir == NULL || run->request->coverage == NULL)
        return 0;
    covered_tell(run);
    rc = file_make_dirs(run->request->options.outdir, &run->why);
    if (rc < 0)
        return rc;
    run_name_file(run, "coverage.json", path, sizeof(path));
    return coverage_write(run->coverage, path, &run->why);
}
