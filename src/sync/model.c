/* model.c - see model.h. SPDX-License-Identifier: MIT */
#include "sync/model.h"

#include "base/text.h"
#include "sync/words.h"

#include <assert.h>

enum {
    SERVER = SN_SYNC_NODES_MAX, /* as a place, behind the nodes */
    PLACES = SN_SYNC_NODES_MAX + 1,
    NODE_BITS = 8, /* of a node, and of the server without its two flags */
    VALUE_MASK = 63,
    STALE = 64,
    DIRTY = 128,
    AGE_BITS = 3,
    AGE_MASK = 7,
    AGES = SN_SYNC_NODES_MAX * NODE_BITS + 6, /* where ages begin */
};

static_assert(AGES + PLACES * AGE_BITS <= 64, "a state has 64 bits besides conflicts");
static_assert((int)SN_SYNC_VALUES_MAX <= (int)VALUE_MASK, "a value has six bits");

/* ---- Places --------------------------------------------------------------------------------- */

static uint32_t value_at(const struct sync_state *state, uint32_t place)
{
    return (uint32_t)(state->bits >> (place * NODE_BITS)) & VALUE_MASK;
}

static bool is_set(const struct sync_state *state, uint32_t node, uint32_t flag)
{
    return ((state->bits >> (node * NODE_BITS)) & flag) != 0;
}

static void set_value(struct sync_state *state, uint32_t place, uint32_t value)
{
    state->bits &= ~((uint64_t)VALUE_MASK << (place * NODE_BITS));
    state->bits |= (uint64_t)value << (place * NODE_BITS);
}

static void set_flag(struct sync_state *state, uint32_t node, uint32_t flag)
{
    state->bits |= (uint64_t)flag << (node * NODE_BITS);
}

static void clear_flag(struct sync_state *state, uint32_t node, uint32_t flag)
{
    state->bits &= ~((uint64_t)flag << (node * NODE_BITS));
}

uint32_t sync_local(const struct sync_state *state, uint32_t node)
{
    return value_at(state, node);
}

/* ---- Ages ----------------------------------------------------------------------------------- */

static uint32_t age_at(const struct sync_state *state, uint32_t place)
{
    return (uint32_t)(state->bits >> (AGES + place * AGE_BITS)) & AGE_MASK;
}

static void set_age(struct sync_state *state, uint32_t place, uint32_t age)
{
    state->bits &= ~((uint64_t)AGE_MASK << (AGES + place * AGE_BITS));
    state->bits |= (uint64_t)age << (AGES + place * AGE_BITS);
}

/* The places that are there: the nodes, and the server, in any order. */
static uint32_t place_of(const struct sync_model *model, uint32_t i)
{
    return i < model->n_nodes ? i : SERVER;
}

/* Takes ages that nobody has any more out of the count, so that equal situations are equal states.
 */
static void settle_ages(const struct sync_model *model, struct sync_state *state)
{
    uint32_t present = 0;

    for (uint32_t i = 0; i <= model->n_nodes; i++)
        present |= UINT32_C(1) << age_at(state, place_of(model, i));
    for (uint32_t i = 0; i <= model->n_nodes; i++) {
        uint32_t place = place_of(model, i);
        uint32_t below = present & ((UINT32_C(1) << age_at(state, place)) - 1);

        set_age(state, place, (uint32_t)__builtin_popcount(below));
    }
}

/* `to` has what `from` has. */
static void copy_value(const struct sync_model *model, struct sync_state *state, uint32_t from,
                       uint32_t to)
{
    set_value(state, to, value_at(state, from));
    if (model->rules->winner != SN_SYNC_NEWEST)
        return;
    set_age(state, to, age_at(state, from));
    settle_ages(model, state);
}

/* A node has something that is newer than all that is around. */
static void make_newest(const struct sync_model *model, struct sync_state *state, uint32_t node)
{
    if (model->rules->winner != SN_SYNC_NEWEST)
        return;
    set_age(state, node, PLACES);
    settle_ages(model, state);
}

/* ---- Observed events ------------------------------------------------------------------------ */

static bool read_is_possible(const void *self, const void *state, const void *event)
{
    const struct sn_sync_event *read = event;

    (void)self;
    return value_at(state, read->node) == read->value;
}

static bool write_is_possible(const void *self, const void *state, const void *event)
{
    const struct sn_sync_event *write = event;

    (void)self;
    return value_at(state, write->node) == write->old;
}

static void write_effect(const void *self, void *state, const void *event)
{
    const struct sn_sync_event *write = event;

    set_value(state, write->node, write->value);
    set_flag(state, write->node, DIRTY);
    make_newest(self, state, write->node);
}

/* Whether a node that disagrees with the server does so for good. */
static bool is_stuck(const struct sync_model *model, const struct sync_state *state, uint32_t node)
{
    return model->rules->winner == SN_SYNC_NEITHER && is_set(state, node, DIRTY) &&
           is_set(state, node, STALE) && value_at(state, node) != value_at(state, SERVER);
}

/* What a node that has come to rest shows; false: it has not. */
static bool rests_with(const struct sync_model *model, const struct sync_state *state,
                       uint32_t node, uint32_t *value)
{
    *value = value_at(state, node);
    if (is_stuck(model, state, node))
        return true;
    *value = value_at(state, SERVER);
    return !is_set(state, node, DIRTY) && !is_set(state, node, STALE);
}

static bool stabilize_is_possible(const void *self, const void *state, const void *event)
{
    const struct sync_model *model = self;
    const struct sync_state *now = state;
    const struct sn_sync_event *stable = event;

    for (uint32_t node = 0; node < model->n_nodes; node++) {
        uint32_t value;

        if (!rests_with(model, now, node, &value) || stable->seen[node].value != value ||
            stable->seen[node].conflicts != now->conflicts)
            return false;
    }
    return true;
}

/* ---- Hidden events -------------------------------------------------------------------------- */

enum outcome {
    UPLOADED,  /* it has the server's value before it, or gives it a new one */
    SAME,      /* both have the same */
    FORGOTTEN, /* a deletion that came late */
    LOST,      /* the server keeps its own */
    WON,       /* the server's own is lost */
    SKIPPED,   /* nothing happens */
    OPEN,      /* LOST or WON */
};

static enum outcome decide_conflict(const struct sync_model *model, const struct sync_state *state,
                                    uint32_t node)
{
    switch (model->rules->winner) {
    case SN_SYNC_FIRST:
        return LOST;
    case SN_SYNC_LAST:
        return WON;
    case SN_SYNC_NEWEST:
        return age_at(state, node) > age_at(state, SERVER) ? WON : LOST;
    case SN_SYNC_EITHER:
        return OPEN;
    default:
        return SKIPPED;
    }
}

/* What comes of an upload by a node that is dirty. */
static enum outcome decide_upload(const struct sync_model *model, const struct sync_state *state,
                                  uint32_t node)
{
    uint32_t ours = value_at(state, node);
    uint32_t theirs = value_at(state, SERVER);
    enum sn_sync_deletion deletion = model->rules->deletion;
    bool is_late = is_set(state, node, STALE);

    if (!is_late || (deletion == SN_SYNC_WRITE_WINS && theirs == 0))
        return UPLOADED;
    if (ours == theirs && !model->rules->is_same_a_conflict)
        return SAME;
    if (ours == 0 && deletion != SN_SYNC_DELETE_IS_WRITE)
        return FORGOTTEN;
    return decide_conflict(model, state, node);
}

/* The server gets what a node has, and the others do not have it yet. */
static void give_server(const struct sync_model *model, struct sync_state *state, uint32_t node)
{
    for (uint32_t other = 0; other < model->n_nodes; other++)
        if (other != node)
            set_flag(state, other, STALE);
    copy_value(model, state, node, SERVER);
}

static uint32_t node_of(const struct sync_model *model, uint32_t variant)
{
    return variant < model->n_nodes ? variant : variant - model->n_nodes;
}

static uint32_t up_variants(const void *self)
{
    const struct sync_model *model = self;

    return model->rules->winner == SN_SYNC_EITHER ? 2 * model->n_nodes : model->n_nodes;
}

static bool up_is_possible(const void *self, const void *state, uint32_t variant)
{
    const struct sync_model *model = self;
    uint32_t node = node_of(model, variant);
    enum outcome outcome;

    if (!is_set(state, node, DIRTY))
        return false;
    outcome = decide_upload(model, state, node);
    return outcome != SKIPPED && (variant == node || outcome == OPEN);
}

static void up_effect(const void *self, void *state, uint32_t variant)
{
    const struct sync_model *model = self;
    struct sync_state *now = state;
    uint32_t node = node_of(model, variant);
    enum outcome outcome = decide_upload(model, now, node);
    uint32_t ours = value_at(now, node);
    uint32_t theirs = value_at(now, SERVER);
    bool is_kept = model->rules->is_loser_kept;

    if (outcome == OPEN)
        outcome = variant == node ? LOST : WON;
    clear_flag(now, node, DIRTY);
    if (outcome == LOST && is_kept)
        now->conflicts |= UINT64_C(1) << ours;
    if (outcome == WON && is_kept)
        now->conflicts |= UINT64_C(1) << theirs;
    if (outcome != UPLOADED && outcome != WON)
        return;
    clear_flag(now, node, STALE);
    if (ours != theirs || model->rules->is_same_a_conflict)
        give_server(model, now, node);
}

static uint32_t down_variants(const void *self)
{
    return ((const struct sync_model *)self)->n_nodes;
}

static bool down_is_possible(const void *self, const void *state, uint32_t node)
{
    (void)self;
    return is_set(state, node, STALE) && !is_set(state, node, DIRTY);
}

static void down_effect(const void *self, void *state, uint32_t node)
{
    clear_flag(state, node, STALE);
    copy_value(self, state, SERVER, node);
}

/* ---- Words ---------------------------------------------------------------------------------- */

static void why_not_read(const void *self, const void *state, const void *event,
                         struct sn_text *out)
{
    const struct sync_model *model = self;
    const struct sn_sync_event *read = event;

    text_print(out, "node %u has ", read->node + 1);
    words_value(out, model->names, value_at(state, read->node));
}

/* Why one node does not fit what was seen of it; false: it does. */
static bool why_not_node(const struct sync_model *model, const struct sync_state *state,
                         uint32_t node, struct sn_text *out)
{
    bool is_dirty = is_set(state, node, DIRTY);

    if (is_stuck(model, state, node) || !(is_dirty || is_set(state, node, STALE)))
        return false;
    text_print(out, "node %u is %s: it has not %s", node + 1, is_dirty ? "dirty" : "stale",
               is_dirty ? "uploaded what it has" : "fetched what the server has");
    return true;
}

static void why_not_stable(const void *self, const void *state, const void *event,
                           struct sn_text *out)
{
    const struct sync_model *model = self;
    const struct sync_state *now = state;
    const struct sn_sync_event *stable = event;

    for (uint32_t node = 0; node < model->n_nodes; node++)
        if (why_not_node(model, now, node, out))
            return;
    for (uint32_t node = 0; node < model->n_nodes; node++) {
        uint32_t value;

        (void)rests_with(model, now, node, &value);
        if (stable->seen[node].value == value && stable->seen[node].conflicts == now->conflicts)
            continue;
        text_print(out, "at rest, node %u has ", node + 1);
        words_value(out, model->names, value);
        text_puts(out, " and conflicts ");
        words_values(out, model->names, now->conflicts);
        return;
    }
}

static void print_state(const void *self, const void *state, struct sn_text *out)
{
    const struct sync_model *model = self;
    const struct sync_state *now = state;

    text_puts(out, "server ");
    words_value(out, model->names, value_at(now, SERVER));
    text_putc(out, ' ');
    words_values(out, model->names, now->conflicts);
    for (uint32_t node = 0; node < model->n_nodes; node++) {
        text_print(out, "; %u ", node + 1);
        words_value(out, model->names, value_at(now, node));
        text_puts(out, is_set(now, node, STALE) ? " stale" : "");
        text_puts(out, is_set(now, node, DIRTY) ? " dirty" : "");
    }
}

/* ---- The model ------------------------------------------------------------------------------ */

static const struct sn_observed observed[] = {
    [SN_SYNC_READ] = {.name = "READ", .is_possible = read_is_possible, .why_not = why_not_read},
    [SN_SYNC_WRITE] = {.name = "WRITE",
                       .is_possible = write_is_possible,
                       .effect = write_effect,
                       .why_not = why_not_read},
    [SN_SYNC_STABILIZE] = {.name = "STABILIZE",
                           .is_possible = stabilize_is_possible,
                           .why_not = why_not_stable},
    {.name = NULL},
};

static const struct sn_hidden hidden[] = {
    [SYNC_UP] = {.name = "UP",
                 .variants = up_variants,
                 .is_possible = up_is_possible,
                 .effect = up_effect},
    [SYNC_DOWN] = {.name = "DOWN",
                   .variants = down_variants,
                   .is_possible = down_is_possible,
                   .effect = down_effect},
    {.name = NULL},
};

const struct sn_conjecture_model sync_model = {
    .name = "sync",
    .state_size = sizeof(struct sync_state),
    .observed = observed,
    .hidden = hidden,
    .print = print_state,
};

const char *sync_nonsense(uint32_t n_nodes, const struct sn_sync_event *event)
{
    if (n_nodes == 0 || n_nodes > SN_SYNC_NODES_MAX)
        return "there must be from 1 to 5 nodes";
    if (event->kind != SN_SYNC_READ && event->kind != SN_SYNC_WRITE &&
        event->kind != SN_SYNC_STABILIZE)
        return "it is none of READ, WRITE and STABILIZE";
    if (event->file >= SN_SYNC_FILES_MAX)
        return "there may be no more than 8 files";
    if (event->kind != SN_SYNC_STABILIZE && event->node >= n_nodes)
        return "there is no such node";
    if (event->kind != SN_SYNC_STABILIZE &&
        (event->value > SN_SYNC_VALUES_MAX ||
         (event->kind == SN_SYNC_WRITE && event->old > SN_SYNC_VALUES_MAX)))
        return "a value is above 63";
    for (uint32_t node = 0; event->kind == SN_SYNC_STABILIZE && node < n_nodes; node++)
        if (event->seen[node].value > SN_SYNC_VALUES_MAX)
            return "a value is above 63";
    return NULL;
}
