/* follow.c - see follow.h. SPDX-License-Identifier: MIT */
#include "strategy/follow.h"

#include "base/hash.h"
#include "engine/here.h"
#include "engine/loop.h"
#include "engine/mem.h"
#include "strategy/listed.h"
#include "strategy/oldest.h"
#include "strategy/strategies.h"

#include <string.h>

/* What a plan has for an id or a key. */
struct slot {
    uint64_t id; /* 0: the slot is free */
    uint64_t value;
};

/* Of an operation that others wait for, or that waits itself. */
struct wait {
    uint64_t id;
    uint32_t left;  /* operations that must run before it */
    uint32_t first; /* of the holds that end when it has run, plus 1 */
};

struct table {
    struct slot *slots;
    uint32_t mask;
};

struct follow {
    struct plan plan;
    uint32_t entries_max;
    struct listed list;
    struct table draws; /* their values */
    struct wait *waits; /* hashed by id */
    uint32_t waits_mask;
    uint32_t *next_hold; /* with the same `until`, plus 1 */
    uint32_t left;       /* of the ids: not yet performed */
    bool is_stuck;
    bool is_fair;
    struct explore_phase fair;
    struct follow_op *steps;
    uint64_t *keys;
    struct follow_drawn *drawn;
    struct follow_draws draws_of_step;
    struct follow_passed *passed;
    uint32_t n_passed;

    /* Of a plan with names: which ids the steps have in it, and the tasks that they have made. */
    uint64_t *known_steps; /* from 0, which is the set-up */
    uint64_t *known_tasks;
    uint32_t n_tasks;

    /* Of a plan that goes in turn: how often each task has drawn. */
    uint32_t *turns;
    uint32_t n_turns;
};

/* Of an enabled operation, in the half of the enabled set that is the strategy's. */
enum { NOT_LISTED = 1, FIRST_RANK = 2 };

#define STEPS_BYTES ((size_t)LOG_ENTRIES_MAX / 2 * sizeof(struct follow_op))
#define PASSED_MAX (UINT32_C(1) << (22 - MEM_SAVING_SHIFT))
#define PASSED_BYTES (PASSED_MAX * sizeof(struct follow_passed))
#define KEYS_BYTES ((size_t)LOG_ENTRIES_MAX * sizeof(uint64_t))
#define DRAWN_BYTES ((size_t)LOG_ENTRIES_MAX * sizeof(struct follow_drawn))
#define KNOWN_STEPS_BYTES (((size_t)LOG_ENTRIES_MAX / 2 + 1) * sizeof(uint64_t))
#define KNOWN_TASKS_BYTES ((size_t)TRIAL_TASKS_MAX * sizeof(uint64_t))
#define TURNS_BYTES ((size_t)TRIAL_TASKS_MAX * sizeof(uint32_t))

/* ---- Tables --------------------------------------------------------------------------------- */

static uint32_t slots_for(uint32_t n)
{
    uint32_t slots = 16;

    while (slots < 2 * n)
        slots *= 2;
    return slots;
}

static struct slot *table_slot(const struct table *table, uint64_t id)
{
    uint32_t i = (uint32_t)mix64(id) & table->mask;

    while (table->slots[i].id != 0 && table->slots[i].id != id)
        i = (i + 1) & table->mask;
    return &table->slots[i];
}

/* Only as many slots are used as this plan needs: small ones are quickly cleared. */
static void table_clear(struct table *table, uint32_t n)
{
    table->mask = slots_for(n) - 1;
    memset(table->slots, 0, ((size_t)table->mask + 1) * sizeof(*table->slots));
}

static struct wait *wait_of(const struct follow *f, uint64_t id)
{
    uint32_t i = (uint32_t)mix64(id) & f->waits_mask;

    while (f->waits[i].id != 0 && f->waits[i].id != id)
        i = (i + 1) & f->waits_mask;
    return &f->waits[i];
}

static void load_holds(struct follow *f)
{
    const struct plan *plan = &f->plan;

    if (plan->n_holds == 0)
        return;
    f->waits_mask = slots_for(2 * plan->n_holds) - 1;
    memset(f->waits, 0, ((size_t)f->waits_mask + 1) * sizeof(*f->waits));
    for (uint32_t i = 0; i < plan->n_holds; i++) {
        struct wait *held = wait_of(f, plan->holds[i].held);
        struct wait *until;

        held->id = plan->holds[i].held;
        held->left++;
        until = wait_of(f, plan->holds[i].until);
        until->id = plan->holds[i].until;
        f->next_hold[i] = until->first;
        until->first = i + 1;
    }
}

/* Trials change what is left of the tables, so they are made anew for each. */
static void load(struct follow *f)
{
    const struct plan *plan = &f->plan;

    listed_clear(&f->list, plan->n_ids);
    for (uint32_t i = 0; i < plan->n_ids; i++)
        listed_add(&f->list, plan->ids[i], plan->names != NULL ? plan->names[i] : 0);
    table_clear(&f->draws, plan->n_draws);
    for (uint32_t i = 0; i < plan->n_draws; i++)
        *table_slot(&f->draws, plan->draws[i].key) =
            (struct slot){plan->draws[i].key, plan->draws[i].value};
    load_holds(f);
    f->left = plan->n_ids;
    f->n_passed = 0;
    f->n_tasks = 0;
    f->n_turns = 0;
    f->draws_of_step = (struct follow_draws){.n = 0};
    f->is_stuck = false;
    f->is_fair = false;
}

/* ---- Names ---------------------------------------------------------------------------------- */

static bool strikes(const struct sn_op *op)
{
    return op->kind == SN_OP_FAULT && op->deadline == 0;
}

static uint64_t name_of(const struct sn_op *op, uint64_t task, uint64_t from)
{
    uint64_t name = mix_pair(mix_pair(hash_text(HASH_START, op_event_name(op)), op->kind), task);

    if (op->kind == SN_OP_START || op->kind == SN_OP_DELIVER)
        name = mix_pair(name, from);
    return name != 0 ? name : 1;
}

struct follow_op follow_describe(const struct trial *t, const struct sn_op *op)
{
    return (struct follow_op){.id = op->id,
                              .name = name_of(op, t->tasks[op->task].id, t->tasks[op->from].id),
                              .cause = op->cause,
                              .source = op->source,
                              .task = op->task,
                              .kind = op->kind,
                              .is_fault = strikes(op)};
}

uint64_t follow_turn(uint64_t task, uint32_t number)
{
    return mix_pair(task, number);
}

uint64_t follow_label(const char *label)
{
    return hash_text(HASH_START, label);
}

/* Which draw of its step it is: the how many-th with its label. */
static uint64_t count_draw(struct follow_draws *draws, uint64_t step, uint64_t label)
{
    uint32_t n;
    uint64_t same = 0;

    if (draws->step != step)
        *draws = (struct follow_draws){.step = step};
    n = draws->n < FOLLOW_LABELS ? draws->n : FOLLOW_LABELS;
    for (uint32_t i = 0; i < n; i++)
        same += draws->labels[i] == label;
    draws->labels[draws->n++ % FOLLOW_LABELS] = label;
    return mix_pair(label, same);
}

struct follow_drawn follow_describe_draw(struct follow_draws *draws, const struct trial *t,
                                         const char *label)
{
    struct draw_depth depth = trial_draw_depth(t);
    struct follow_drawn drawn = {.label = follow_label(label),
                                 .task = t->tasks[t->now.task].id,
                                 .depth = depth.depth,
                                 .low = depth.low};

    drawn.which = count_draw(draws, t->now.steps, drawn.label);
    drawn.place = mix_pair(t->now.step_id, drawn.which);
    return drawn;
}

/* Which id something has in the plan that was announced as a child of a step. */
static uint64_t known_child(const struct follow *f, uint32_t step, uint64_t id, uint32_t child)
{
    uint64_t parent = step > 0 ? f->steps[step - 1].id : TRIAL_ROOT_ID;

    return id == mix_fold(parent, child) ? mix_fold(f->known_steps[step], child) : 0;
}

static uint64_t known_id(const struct follow *f, const struct sn_op *op)
{
    uint64_t id = known_child(f, op->cause, op->id, op->number + 1);

    return id != 0 ? id : op->id;
}

/* Tasks are children of their step, too. */
static void learn_tasks(struct follow *f, const struct trial *t)
{
    uint32_t step = (uint32_t)t->now.steps;

    for (; f->n_tasks < t->now.n_tasks; f->n_tasks++) {
        uint64_t id = t->tasks[f->n_tasks].id;
        uint64_t known = 0;

        for (uint32_t has_sent = 0; known == 0 && has_sent <= 1; has_sent++) {
            uint32_t flag = has_sent != 0 ? TRIAL_HAS_SENT : 0;

            for (uint32_t i = 1; known == 0 && i <= (t->now.children & ~TRIAL_HAS_SENT); i++)
                known = known_child(f, step, id, flag | i);
        }
        f->known_tasks[f->n_tasks] = known != 0 ? known : id;
    }
}

/* ---- Deciding ------------------------------------------------------------------------------- */

static bool is_held(const struct follow *f, uint64_t id)
{
    return f->plan.n_holds > 0 && wait_of(f, id)->left > 0;
}

/* What the list has for an operation; 0: nothing. An id may have become that of something else, so
 * it counts only together with the name. Faults of one kind queue and are alike. */
static uint32_t find_item(const struct follow *f, const struct sn_op *op)
{
    uint64_t name;
    uint32_t item;

    if (f->plan.names == NULL)
        return listed_find_id(&f->list, op->id);
    name = name_of(op, f->known_tasks[op->task], f->known_tasks[op->from]);
    item = strikes(op) ? 0 : listed_find_id(&f->list, known_id(f, op));
    if (item != 0 && listed_item(&f->list, item)->name == name)
        return item;
    return listed_find_name(&f->list, name);
}

/* Its rank in the list, which is looked up once for each operation that becomes ready, and again if
 * another one has taken its place. */
static uint32_t rank_of(const struct follow *f, struct trial *t, uint32_t i)
{
    uint64_t *entry = &t->enabled[i];
    uint32_t rank = (uint32_t)(*entry >> 32);
    uint32_t item;

    if (rank == NOT_LISTED || (rank >= FIRST_RANK && !f->list.items[rank - FIRST_RANK].is_used))
        return rank;
    item = find_item(f, &t->ops[t->sources[(uint32_t)*entry].ready]);
    rank = item != 0 ? item - 1 + FIRST_RANK : NOT_LISTED;
    *entry = (uint32_t)*entry | (uint64_t)rank << 32;
    return rank;
}

/* Of two operations that the list has one entry for, the one with its id comes first. */
static bool is_itself(const struct follow *f, const struct sn_op *op, uint32_t rank)
{
    return f->plan.names != NULL && f->list.items[rank - FIRST_RANK].id == known_id(f, op);
}

/* The source of the first one in the list that can run; 0: none can. */
static uint32_t find_listed(const struct follow *f, struct trial *t)
{
    uint32_t best = UINT32_MAX;
    uint32_t source = 0;

    if (f->left == 0)
        return 0;
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        const struct sn_op *op = oldest_op(t, i);
        uint32_t rank = rank_of(f, t, i);

        if (rank < FIRST_RANK || rank > best || (rank == best && !is_itself(f, op, rank)) ||
            is_held(f, op->id))
            continue;
        best = rank;
        source = (uint32_t)t->enabled[i];
    }
    return source;
}

/* The source of what runs by default; 0: all that is left is held, or a fault. */
static uint32_t find_default(const struct follow *f, const struct trial *t)
{
    const struct sn_op *best = NULL;

    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        const struct sn_op *op = oldest_op(t, i);

        if (strikes(op) || is_held(f, op->id) || (best != NULL && !oldest_is_before(op, best)))
            continue;
        best = op;
    }
    return best != NULL ? best->source : 0;
}

static bool is_any_held(const struct follow *f, const struct trial *t)
{
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        if (is_held(f, oldest_op(t, i)->id))
            return true;
    }
    return false;
}

static void note_item(struct follow *f, const struct trial *t, const struct sn_op *op)
{
    uint32_t item = find_item(f, op);

    if (f->plan.names != NULL)
        f->known_steps[t->now.steps + 1] =
            item != 0 ? listed_item(&f->list, item)->id : known_id(f, op);
    if (item == 0)
        return;
    listed_use(&f->list, item);
    f->left--;
}

static void note(struct follow *f, const struct trial *t, uint32_t source)
{
    const struct sn_op *op = &t->ops[t->sources[source].ready];

    f->steps[t->now.steps] = follow_describe(t, op);
    if (!f->is_fair)
        note_item(f, t, op);
    if (f->plan.n_holds == 0)
        return;
    for (uint32_t i = wait_of(f, op->id)->first; i != 0; i = f->next_hold[i - 1])
        wait_of(f, f->plan.holds[i - 1].held)->left--;
}

/* Writes down what would have run before by default. */
static void note_passed(struct follow *f, const struct trial *t, uint32_t source)
{
    const struct sn_op *chosen = &t->ops[t->sources[source].ready];

    for (uint32_t i = 0; i < t->now.n_enabled && f->n_passed < PASSED_MAX; i++) {
        const struct sn_op *op = oldest_op(t, i);

        if (op != chosen && !strikes(op) && oldest_is_before(op, chosen))
            f->passed[f->n_passed++] = (struct follow_passed){.step = (uint32_t)t->now.steps + 1,
                                                              .op = follow_describe(t, op)};
    }
}

/* From here on the rest of the trial is fair, and so long. */
static void begin_fairness(struct follow *f, struct trial *t)
{
    f->is_fair = true;
    if (f->plan.fair_steps < EXPLORE_STEPS_LIMIT - t->now.steps)
        t->steps_max = t->now.steps + f->plan.fair_steps;
    else
        t->steps_max = EXPLORE_STEPS_LIMIT;
    trial_begin_fairness(t);
    trial_set_due(t, t->checkpoint_due);
}

static uint32_t pick_fair(struct follow *f, struct trial *t)
{
    const struct sn_strategy *fair = f->fair.entry->strategy;

    return (uint32_t)t->enabled[fair->pick(f->fair.self, (const struct sn_pending *)t)];
}

static uint32_t choose(struct follow *f, struct trial *t)
{
    uint32_t source;

    if (f->plan.names != NULL)
        learn_tasks(f, t);
    if (f->plan.fair_steps > 0 && !f->is_fair &&
        ((f->left == 0 && !f->plan.is_fair_late) || t->now.steps >= f->plan.fair_from))
        begin_fairness(f, t);
    source = f->is_fair ? pick_fair(f, t) : find_listed(f, t);
    if (source == 0)
        source = find_default(f, t);
    if (source == 0) {
        f->is_stuck = is_any_held(f, t);
        trial_leave(t);
    }
    if (f->plan.wants_passed && !f->is_fair)
        note_passed(f, t, source);
    note(f, t, source);
    return source;
}

static uint32_t pick_source(struct trial *t, void *self)
{
    return choose(self, t);
}

static void loop(struct trial *t)
{
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint32_t pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = trial_here();
    uint32_t source = choose(self, t);

    (void)pending;
    return t->sources[source].position - 1;
}

/* Whose turn it is, and the how many-th. */
static uint64_t turn_of(struct follow *f, const struct trial *t, uint32_t task)
{
    for (; f->n_turns <= task; f->n_turns++)
        f->turns[f->n_turns] = 0;
    return follow_turn(t->tasks[task].id, f->turns[task]++);
}

static uint64_t draw(void *self, const struct sn_draw *draw)
{
    struct follow *f = self;
    const struct trial *t = trial_here();
    struct follow_drawn drawn = follow_describe_draw(&f->draws_of_step, t, draw->label);
    uint64_t key = draw->key;
    const struct slot *slot;

    f->keys[t->log.n] = draw->key;
    f->drawn[t->log.n] = drawn;
    if (f->is_fair)
        return f->fair.entry->strategy->draw(f->fair.self, draw);
    if (f->plan.names != NULL)
        key = mix_pair(f->known_steps[t->now.steps], drawn.which);
    else if (f->plan.is_in_turn)
        key = turn_of(f, t, draw->task);
    slot = table_slot(&f->draws, key);
    if (slot->id == 0)
        return 0;
    return slot->value < draw->n ? slot->value : draw->n - 1;
}

static bool begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct follow *f = self;

    (void)trial; /* what is planned is the same, whichever trial it is */
    load(f);
    f->known_steps[0] = TRIAL_ROOT_ID;
    if (f->plan.fair_steps > 0)
        (void)f->fair.entry->strategy->begin(f->fair.self, 0, keep);
    return true;
}

/* It goes by the plan. */
static void seek(void *self, uint64_t trial)
{
    (void)self;
    (void)trial;
}

static const struct sn_strategy follow_strategy = {
    .name = "follow",
    .about = "a plan, and what would run by default where it says nothing",
    .begin = begin,
    .pick = pick,
    .draw = draw,
    .seek = seek,
};

static const struct strategy_entry follow_entry = {
    .strategy = &follow_strategy, .loop = loop, .is_plan = true};

/* ---- Life ----------------------------------------------------------------------------------- */

static int reserve(struct follow *f, struct err *why)
{
    size_t slots = slots_for(f->entries_max);
    size_t waits = slots_for(2 * f->entries_max);

    f->draws.slots = mem_reserve_shared(slots * sizeof(struct slot), why);
    f->waits = mem_reserve_shared(waits * sizeof(struct wait), why);
    f->next_hold = mem_reserve_shared((f->entries_max + 1) * sizeof(uint32_t), why);
    f->fair.self = mem_reserve_shared(strategy_fair.strategy->state_size, why);
    f->steps = mem_reserve_shared(STEPS_BYTES, why);
    f->keys = mem_reserve_shared(KEYS_BYTES, why);
    f->drawn = mem_reserve_shared(DRAWN_BYTES, why);
    f->passed = mem_reserve_shared(PASSED_BYTES, why);
    f->known_steps = mem_reserve_shared(KNOWN_STEPS_BYTES, why);
    f->known_tasks = mem_reserve_shared(KNOWN_TASKS_BYTES, why);
    f->turns = mem_reserve_shared(TURNS_BYTES, why);
    return listed_init(&f->list, f->entries_max, why) == 0 && f->draws.slots != NULL &&
                   f->waits != NULL && f->next_hold != NULL && f->fair.self != NULL &&
                   f->steps != NULL && f->keys != NULL && f->drawn != NULL && f->passed != NULL &&
                   f->known_steps != NULL && f->known_tasks != NULL && f->turns != NULL
               ? 0
               : SN_ENOMEM;
}

int follow_new(struct follow **out, uint32_t entries_max, struct explore_phase *phase,
               struct err *why)
{
    struct follow *f = mem_reserve_shared(sizeof(*f), why);

    *out = f;
    if (f == NULL)
        return SN_ENOMEM;
    f->entries_max = entries_max;
    f->fair.entry = &strategy_fair;
    if (reserve(f, why) < 0) {
        follow_free(f);
        *out = NULL;
        return SN_ENOMEM;
    }
    follow_set(f, &(struct plan){0});
    *phase = (struct explore_phase){.entry = &follow_entry, .self = f, .until = UINT64_MAX};
    return 0;
}

void follow_free(struct follow *f)
{
    size_t slots;
    size_t waits;

    if (f == NULL)
        return;
    slots = slots_for(f->entries_max);
    waits = slots_for(2 * f->entries_max);
    listed_done(&f->list);
    mem_release(f->draws.slots, slots * sizeof(struct slot));
    mem_release(f->waits, waits * sizeof(struct wait));
    mem_release(f->next_hold, (f->entries_max + 1) * sizeof(uint32_t));
    mem_release(f->fair.self, strategy_fair.strategy->state_size);
    mem_release(f->steps, STEPS_BYTES);
    mem_release(f->keys, KEYS_BYTES);
    mem_release(f->drawn, DRAWN_BYTES);
    mem_release(f->passed, PASSED_BYTES);
    mem_release(f->known_steps, KNOWN_STEPS_BYTES);
    mem_release(f->known_tasks, KNOWN_TASKS_BYTES);
    mem_release(f->turns, TURNS_BYTES);
    mem_release(f, sizeof(*f));
}

void follow_set(struct follow *f, const struct plan *plan)
{
    char error[64];

    sn_check(plan->n_ids <= f->entries_max && plan->n_draws <= f->entries_max &&
             plan->n_holds <= f->entries_max);
    f->plan = *plan;
    f->is_stuck = false; /* of the last trial, which need not have been this strategy's */
    f->n_passed = 0;
    (void)strategy_fair.strategy->init(f->fair.self, "", plan->fair_seed, error, sizeof(error));
}

/* ---- What happened -------------------------------------------------------------------------- */

bool follow_is_stuck(const struct follow *f)
{
    return f->is_stuck;
}

const struct follow_op *follow_steps(const struct follow *f)
{
    return f->steps;
}

const uint64_t *follow_keys(const struct follow *f)
{
    return f->keys;
}

const struct follow_drawn *follow_drawn(const struct follow *f)
{
    return f->drawn;
}

const struct follow_passed *follow_passed(const struct follow *f, uint32_t *n)
{
    *n = f->n_passed;
    return f->passed;
}

uint32_t follow_pending(const struct trial *t, struct follow_op *out, uint32_t n)
{
    uint32_t used = 0;

    for (uint32_t i = 1; i < t->now.n_sources; i++) {
        const struct source *source = &t->sources[i];

        if (source_is_free(source))
            continue;
        for (uint32_t op = source->head; op != 0 && used < n; op = t->ops[op].next)
            out[used++] = follow_describe(t, &t->ops[op]);
    }
    return used;
}
