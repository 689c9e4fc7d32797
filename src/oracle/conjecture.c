/* conjecture.c - follows the states that a system may be in: see sennit/conjecture.h.
 *
 * sn_conjecture_feed > conjecture_closed > possible_close, then possible_select
 *
 * Independent parts are kept apart, as a product of sets: a pair of states, one from each, is
 * possible exactly if both are, since no event touches two parts. Kept together they are one state
 * whose hidden events are those of all parts. SPDX-License-Identifier: MIT
 */
#include "oracle/conjecture.h"

#include "base/err.h"

#include <sennit/test.h>

#include <stddef.h>
#include <string.h>

#define MEMORY_MB_DEFAULT 1024
#define STATES_MAX ((uint64_t)STATES_NONE - 1)
#define PARTS_MAX 4096

static bool is_sensible(const struct sn_conjecture_model *model,
                        const struct sn_conjecture_options *options)
{
    return model->state_size > 0 && model->state_size <= UINT32_MAX / PARTS_MAX &&
           model->observed != NULL && model->hidden != NULL && options->parts <= PARTS_MAX &&
           ((uintptr_t)options->memory & 15) == 0;
}

/* All parts at their beginning. */
static uint32_t intern_first(struct sn_conjecture *conjecture)
{
    struct states *states = &conjecture->states;
    uint32_t n = conjecture->parts / conjecture->n_sets;

    memset(states->scratch, 0, states->size);
    for (uint32_t part = 0; part < n && states->model->init != NULL; part++)
        states->model->init(states->self, states->scratch + part * states->part_size);
    return states_intern(states, states->scratch);
}

static bool open_sets(struct sn_conjecture *conjecture)
{
    struct states *states = &conjecture->states;
    uint32_t first;

    if (!states_init(states, conjecture->parts / conjecture->n_sets))
        return false;
    conjecture->sets = pool_alloc(states->pool, conjecture->n_sets * sizeof(*conjecture->sets));
    first = conjecture->sets == NULL ? STATES_NONE : intern_first(conjecture);
    if (first == STATES_NONE)
        return false;
    for (uint32_t i = 0; i < conjecture->n_sets; i++)
        if (!possible_init(&conjecture->sets[i], states, first))
            return false;
    return true;
}

/* How many states fit into half of a memory that cannot grow, so that sets find room besides what
 * has been interned. Arrays in it leave their smaller selves behind when they grow. */
static uint64_t states_within(const struct states *states, size_t size)
{
    size_t each = states->size + sizeof(struct states_item) + 4 * sizeof(uint32_t) +
                  states->n_steps * sizeof(struct states_edge);

    return size / 2 / (3 * each);
}

static struct sn_conjecture *open_in(struct pool *pool, const struct sn_conjecture_model *model,
                                     const void *self, const struct sn_conjecture_options *options)
{
    struct sn_conjecture *conjecture = pool_alloc(pool, sizeof(*conjecture));
    uint64_t limit =
        options->states == 0 || options->states > STATES_MAX ? STATES_MAX : options->states;

    if (conjecture == NULL) {
        pool_done(pool);
        return NULL;
    }
    conjecture->pool = *pool;
    conjecture->states =
        (struct states){.pool = &conjecture->pool, .model = model, .self = self, .limit = limit};
    conjecture->parts = options->parts == 0 ? 1 : options->parts;
    conjecture->n_sets = options->is_joint ? 1 : conjecture->parts;
    conjecture->keeps_ways = options->is_explained;
    while (model->observed[conjecture->n_observed].name != NULL)
        conjecture->n_observed++;
    if (!open_sets(conjecture)) {
        sn_conjecture_free(conjecture);
        return NULL;
    }
    return conjecture;
}

struct sn_conjecture *conjecture_open(const struct sn_conjecture_model *model, const void *self,
                                      const struct sn_conjecture_options *options, void *memory,
                                      size_t size)
{
    uint64_t mb = options->memory_mb == 0 ? MEMORY_MB_DEFAULT : options->memory_mb;
    struct pool pool;

    if (!is_sensible(model, options))
        return NULL;
    pool_init(&pool, mb > SIZE_MAX >> 20 ? SIZE_MAX : (size_t)mb << 20, memory, size);
    return open_in(&pool, model, self, options);
}

struct sn_conjecture *sn_conjecture_new(const struct sn_conjecture_model *model, const void *self,
                                        const struct sn_conjecture_options *options)
{
    static const struct sn_conjecture_options defaults = {0};
    struct sn_conjecture *conjecture;
    struct pool pool;

    if (options == NULL)
        options = &defaults;
    if (options->memory == NULL)
        return conjecture_open(model, self, options, NULL, 0);
    if (!is_sensible(model, options))
        return NULL;
    pool_init_within(&pool, options->memory, options->memory_size);
    conjecture = open_in(&pool, model, self, options);
    if (conjecture != NULL && !options->is_explained &&
        conjecture->states.limit > states_within(&conjecture->states, options->memory_size))
        conjecture->states.limit = states_within(&conjecture->states, options->memory_size);
    return conjecture;
}

void sn_conjecture_free(struct sn_conjecture *conjecture)
{
    struct pool pool;

    if (conjecture == NULL)
        return;
    for (uint32_t i = 0; conjecture->sets != NULL && i < conjecture->n_sets; i++)
        possible_done(&conjecture->sets[i], &conjecture->states);
    states_done(&conjecture->states);
    pool = conjecture->pool; /* in whose memory the conjecture lies */
    pool_done(&pool);
}

/* Forgets states that are possible no more, which is all that a long observation leaves behind.
 * False: nothing may be forgotten. */
static bool forget(struct sn_conjecture *conjecture)
{
    struct states *states = &conjecture->states;

    if (conjecture->keeps_ways)
        return false;
    states_keep_begin(states);
    for (uint32_t i = 0; i < conjecture->n_sets; i++)
        possible_keep(&conjecture->sets[i], states);
    states_keep_end(states);
    for (uint32_t i = 0; i < conjecture->n_sets; i++)
        possible_renumber(&conjecture->sets[i], states);
    return true;
}

static bool close_part(struct sn_conjecture *conjecture, struct possible *set)
{
    return possible_close(set, &conjecture->states, conjecture->keeps_ways, &conjecture->figures);
}

struct possible *conjecture_closed(struct sn_conjecture *conjecture, uint32_t part)
{
    struct possible *set = &conjecture->sets[conjecture->n_sets == 1 ? 0 : part];

    sn_check(part < conjecture->parts);
    if (close_part(conjecture, set) || (forget(conjecture) && close_part(conjecture, set)))
        return set;
    return NULL;
}

/* What is left of a part after an event; once more without what can be forgotten if it does not
 * fit.
 */
static enum sn_conjectured select_part(struct sn_conjecture *conjecture, struct possible *set,
                                       const struct possible_event *event)
{
    enum sn_conjectured verdict = possible_select(set, &conjecture->states, event);

    if (verdict == SN_CONJECTURED_UNKNOWN && forget(conjecture) && close_part(conjecture, set))
        verdict = possible_select(set, &conjecture->states, event);
    return verdict;
}

struct possible_event conjecture_event(const struct sn_conjecture *conjecture, uint32_t part,
                                       uint32_t observed, const void *event)
{
    sn_check(part < conjecture->parts);
    sn_check(observed < conjecture->n_observed);
    return (struct possible_event){
        .observed = &conjecture->states.model->observed[observed],
        .event = event,
        .offset = conjecture->n_sets == 1 ? part * conjecture->states.part_size : 0};
}

/* Notes the number of an event, so that an explanation can tell what comes before it. */
static bool number_event(struct sn_conjecture *conjecture, struct possible *set)
{
    if (!conjecture->keeps_ways)
        return true;
    if (!grown_reserve(&set->events, &conjecture->pool, (set->n_events + 1) * sizeof(size_t)))
        return false;
    ((size_t *)set->events.base)[set->n_events] = conjecture->n_events;
    return true;
}

enum sn_conjectured sn_conjecture_feed(struct sn_conjecture *conjecture, uint32_t part,
                                       uint32_t observed, const void *event)
{
    struct possible_event what = conjecture_event(conjecture, part, observed, event);
    struct possible *set;

    if (conjecture->verdict != SN_CONJECTURED_YES)
        return conjecture->verdict;
    set = conjecture_closed(conjecture, part);
    if (set == NULL || !number_event(conjecture, set))
        conjecture->verdict = SN_CONJECTURED_UNKNOWN;
    else
        conjecture->verdict = select_part(conjecture, set, &what);
    if (conjecture->verdict == SN_CONJECTURED_YES) {
        set->n_events++;
        conjecture->n_events++;
    }
    return conjecture->verdict;
}

enum sn_conjectured sn_conjecture_would(struct sn_conjecture *conjecture, uint32_t part,
                                        uint32_t observed, const void *event)
{
    struct possible_event what = conjecture_event(conjecture, part, observed, event);
    const struct possible *set;

    if (conjecture->verdict != SN_CONJECTURED_YES)
        return conjecture->verdict;
    set = conjecture_closed(conjecture, part);
    if (set == NULL)
        return SN_CONJECTURED_UNKNOWN;
    return possible_any(set, &conjecture->states, &what) ? SN_CONJECTURED_YES : SN_CONJECTURED_NO;
}

size_t sn_conjecture_possible(struct sn_conjecture *conjecture, uint32_t part)
{
    const struct possible *set = conjecture_closed(conjecture, part);

    return set == NULL ? 0 : set->end - set->begin;
}

const void *sn_conjecture_state(struct sn_conjecture *conjecture, uint32_t part, size_t i)
{
    const struct possible *set = conjecture_closed(conjecture, part);
    size_t offset = conjecture->n_sets == 1 ? part * conjecture->states.part_size : 0;

    sn_check(set != NULL);
    sn_check(i < set->end - set->begin);
    return (const char *)states_at(&conjecture->states, possible_node(set, set->begin + i)->state) +
           offset;
}

void sn_conjecture_measure(const struct sn_conjecture *conjecture,
                           struct sn_conjecture_figures *figures)
{
    const struct possible_figures *all = &conjecture->figures;

    *figures = (struct sn_conjecture_figures){
        .explained = conjecture->n_events,
        .states = conjecture->states.forgotten + conjecture->states.n,
        .closures = all->closures,
        .closed_states = all->closed_states,
        .hidden_steps = all->hidden_steps,
        .set_max = all->set_max,
        .set_mean = all->closures == 0 ? 0 : (double)all->closed_states / (double)all->closures,
        .memory_bytes = pool_used(&conjecture->pool)};
    for (uint32_t i = 0; i < conjecture->n_sets; i++)
        figures->hidden += possible_seed(&conjecture->sets[i], 0)->distance;
}
