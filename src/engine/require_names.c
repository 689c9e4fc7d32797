/* require_names.c - see require.h: the names that are in use, and which operations have them.
 *
 * Names are looked up once, when an operation is announced. Names with the same fields given have
 * one shape; for each shape that is in use the hash of those fields of an operation finds its
 * group, which counts, and the group and the count find the names: two lists at most, the one of
 * this number and the one of any number. They are kept with the operation. From then on only names,
 * which are numbers, are compared. SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "engine/happened.h"
#include "engine/op.h"
#include "engine/require_own.h"

/* ---- Groups and places ---------------------------------------------------------------------- */

static uint64_t text_hash(const struct constraints *c, uint32_t text)
{
    return text != 0 ? c->names->hashes[text] : 0;
}

/* The fields of a name, or of an operation, that a shape has. */
struct fields {
    uint32_t kind;
    uint64_t event;
    uint64_t task;
    uint64_t from;
    uint64_t key;
};

static uint64_t group_hash(const struct fields *f, uint32_t shape)
{
    uint64_t hash =
        mix_pair(f->kind * REQUIRE_SHAPES + shape, f->kind == SN_OP_START ? 0 : f->event);

    if (f->kind != SN_OP_FAULT)
        hash = mix_pair(hash, f->task);
    if ((shape & REQUIRE_SHAPE_FROM) != 0)
        hash = mix_pair(hash, f->from);
    return (shape & REQUIRE_SHAPE_KEY) != 0 ? mix_pair(hash, f->key) : hash;
}

/* The number of a group; 0: there is none. */
static uint32_t group_find(const struct require *r, uint64_t hash, uint32_t *slot)
{
    *slot = (uint32_t)(hash % REQUIRE_SLOTS);
    while (r->group_slots[*slot] != 0) {
        if (r->group_hashes[r->group_slots[*slot]] == hash)
            return r->group_slots[*slot];
        *slot = (*slot + 1) % REQUIRE_SLOTS;
    }
    return 0;
}

static struct place *place_find(struct require *r, uint32_t group, uint32_t number)
{
    uint64_t hash = mix_pair(group, number);
    uint32_t slot = (uint32_t)(hash % REQUIRE_SLOTS);

    while (r->places[slot].first != 0 && r->places[slot].hash != hash)
        slot = (slot + 1) % REQUIRE_SLOTS;
    r->places[slot].hash = hash;
    return &r->places[slot];
}

static uint32_t shape_of(const struct opname *name)
{
    return (name->from != 0 ? REQUIRE_SHAPE_FROM : 0) |
           (name->has_key != 0 ? REQUIRE_SHAPE_KEY : 0);
}

/* Puts a local where operations of its name find it. */
static void place_local(struct require *r, uint32_t local, const struct opname *name)
{
    uint32_t shape = shape_of(name);
    struct fields f = {.kind = name->kind,
                       .event = text_hash(r->constraints, name->event),
                       .task = text_hash(r->constraints, name->task),
                       .from = text_hash(r->constraints, name->from),
                       .key = name->key};
    uint64_t hash = group_hash(&f, shape);
    uint32_t slot;
    uint32_t group = group_find(r, hash, &slot);
    struct place *place;

    if (group == 0) {
        group = ++r->n_groups;
        r->group_hashes[group] = hash;
        r->slot_of_group[group] = slot;
        r->group_slots[slot] = group;
        r->shapes[name->kind][shape] = true;
    }
    place = place_find(r, group, name->number);
    r->locals[local].next = place->first;
    r->locals[local].slot = (uint32_t)(place - r->places);
    place->first = local;
}

/* The local of a name, and those that it needs. */
static uint32_t add_local(struct require *r, uint32_t name)
{
    const struct opname *n = opnames_get(r->constraints->names, name);
    uint32_t anchor;
    uint32_t local;

    if (r->local_of[name] != 0)
        return r->local_of[name];
    anchor = n->anchor != 0 ? add_local(r, n->anchor) : 0; /* which is no alias */
    local = ++r->n_locals;
    r->local_of[name] = local;
    r->locals[local] = (struct local){.name = name, .anchor = anchor};
    r->has_aliases |= anchor != 0;
    place_local(r, local, n);
    return local;
}

static void add_constraint(struct require *r, uint32_t i)
{
    const struct constraint *c = &r->constraints->all[i];
    const struct opname *name = opnames_get(r->constraints->names, c->first);
    uint32_t first;
    uint32_t later;

    if (c->kind == CONSTRAINT_DRAW) {
        r->drawn[r->n_drawn++] = (struct drawn){.label = text_hash(r->constraints, name->event),
                                                .task = text_hash(r->constraints, name->task),
                                                .number = name->number,
                                                .local = c->first,
                                                .constraint = i,
                                                .value = c->value};
        return;
    }
    first = add_local(r, c->first);
    later = add_local(r, c->later);
    r->laters[i] = later;
    r->edges[i] = r->locals[first].edges;
    r->locals[first].edges = i + 1;
    r->waits[later]++;
}

/* What was set before is forgotten, at a cost that follows from how much it was. */
void require_names_forget(struct require *r)
{
    for (uint32_t i = 1; i <= r->n_locals; i++) {
        r->local_of[r->locals[i].name] = 0;
        r->places[r->locals[i].slot].first = 0;
        r->waits[i] = 0;
    }
    for (uint32_t i = 1; i <= r->n_groups; i++)
        r->group_slots[r->slot_of_group[i]] = 0;
    memset(r->shapes, 0, sizeof(r->shapes));
    r->n_locals = r->n_groups = r->n_drawn = 0;
    r->has_aliases = false;
}

void require_names_set(struct require *r)
{
    for (uint32_t i = 0; i < r->constraints->n; i++)
        add_constraint(r, i);
}

/* ---- Names of operations -------------------------------------------------------------------- */

static void see(struct require *r, uint32_t list)
{
    for (; list != 0; list = r->locals[list].next)
        r->seen[r->locals[list].name] = true;
}

/* Finds the names of what was announced. A copy is none of those that were counted. What is gone
 * already counts, too, but its key is not known any more. */
static void mark(struct require *r, struct trial *t, const struct announcement *one)
{
    const struct sn_op *op =
        one->op != 0 && t->ops[one->op].id == one->id ? &t->ops[one->op] : NULL;
    struct marks *marks = op != NULL ? &r->marks[one->op] : NULL;
    const struct sn_op like = {.kind = one->kind, .what = one->what};
    struct fields f = {.kind = one->kind,
                       .event = naming_event(r->naming, t, &like),
                       .task = r->naming->all[one->task].answers,
                       .from = r->naming->all[one->from].answers};

    if (marks != NULL)
        memset(marks, 0, sizeof(*marks));
    for (uint32_t shape = 0; shape < REQUIRE_SHAPES; shape++) {
        uint32_t any;
        uint32_t numbered = 0;
        uint32_t group;
        uint32_t slot;

        if (!r->shapes[one->kind][shape] ||
            ((shape & REQUIRE_SHAPE_KEY) != 0 && (op == NULL || !naming_key(t, op, &f.key))))
            continue;
        group = group_find(r, group_hash(&f, shape), &slot);
        if (group == 0)
            continue;
        any = place_find(r, group, 0)->first;
        if (!one->is_copy)
            numbered = place_find(r, group, ++r->counts[group])->first;
        see(r, any);
        see(r, numbered);
        if (marks != NULL) {
            marks->lists[shape][0] = any;
            marks->lists[shape][1] = numbered;
        }
    }
}

void require_listen(struct require *r, struct trial *t)
{
    struct announced *a = &r->announced;

    if (unlikely(a->is_full))
        trial_lose_control(t, "require", "a step has announced more than %d operations",
                           ANNOUNCED_MAX);
    for (uint32_t i = 0; i < a->n; i++) {
        mark(r, t, &a->all[i]);
        if (t->happened != NULL)
            happened_hear(t, &a->all[i]);
    }
    a->n = 0;
    t->now.n_marked = t->now.n_ops;
}
