/* plain.c - the objects of the models once more, written apart from them.
 * SPDX-License-Identifier: MIT
 */
#include "plain.h"

#include <assert.h>
#include <string.h>

/* ---- Arguments ------------------------------------------------------------------------------- */

static sn_value few(struct draw *draw, uint32_t n)
{
    return 1 + (sn_value)rng_below(&draw->rng, n);
}

static void draw_value(struct draw *draw, struct sn_operation *op)
{
    op->argument[0] = draw->is_distinct ? 10 + ++draw->n_drawn : few(draw, 3);
}

/* Priorities are distinct, but not in the order in which they are drawn. */
static void draw_priority(struct draw *draw, struct sn_operation *op)
{
    draw_value(draw, op);
    if (draw->is_distinct)
        op->argument[0] += 100 * few(draw, 3);
}

static void draw_few(struct draw *draw, struct sn_operation *op)
{
    op->argument[0] = few(draw, draw->is_distinct ? 1 : 3);
}

static void draw_exchange(struct draw *draw, struct sn_operation *op)
{
    sn_value expected = few(draw, 3);

    if (draw->is_distinct && draw->n_drawn > 0)
        expected = 10 + few(draw, (uint32_t)draw->n_drawn);
    draw_value(draw, op);
    op->argument[1] = op->argument[0];
    op->argument[0] = expected;
}

static void draw_amount(struct draw *draw, struct sn_operation *op)
{
    if (draw->is_simple)
        op->argument[0] = few(draw, 2) == 1 ? 1 : SN_VALUE_NIL;
    else
        op->argument[0] = few(draw, 4) - 2;
}

static void draw_place(struct draw *draw, struct sn_operation *op)
{
    op->argument[0] = few(draw, 4) - 1;
}

static void draw_expiry(struct draw *draw, struct sn_operation *op)
{
    op->argument[0] = few(draw, 4);
    if (op->argument[0] == 4)
        op->argument[0] = SN_VALUE_NIL;
}

/* ---- Registers and counters ------------------------------------------------------------------ */

static sn_value value_read(struct plain_part *s, const struct sn_operation *op)
{
    (void)op;
    return s->slot[0];
}

static sn_value value_write(struct plain_part *s, const struct sn_operation *op)
{
    s->slot[0] = op->argument[0];
    return SN_VALUE_NIL;
}

static sn_value value_delete(struct plain_part *s, const struct sn_operation *op)
{
    (void)op;
    s->slot[0] = SN_VALUE_NIL;
    return SN_VALUE_NIL;
}

static sn_value value_cas(struct plain_part *s, const struct sn_operation *op)
{
    if (s->slot[0] != op->argument[0])
        return 0;
    s->slot[0] = op->argument[1];
    return 1;
}

static sn_value value_add(struct plain_part *s, const struct sn_operation *op)
{
    s->slot[0] += op->argument[0] == SN_VALUE_NIL ? 1 : op->argument[0];
    return SN_VALUE_NIL;
}

static sn_value value_fetch_add(struct plain_part *s, const struct sn_operation *op)
{
    sn_value before = s->slot[0];

    (void)value_add(s, op);
    return before;
}

/* ---- Containers ------------------------------------------------------------------------------ */

static sn_value take_out(struct plain_part *s, size_t i)
{
    sn_value value = s->slot[i];

    memmove(&s->slot[i], &s->slot[i + 1], (s->n - i - 1) * sizeof(value));
    s->slot[--s->n] = 0;
    return value;
}

static sn_value put(struct plain_part *s, const struct sn_operation *op)
{
    assert(s->n < PLAIN_SLOTS);
    s->slot[s->n++] = op->argument[0];
    return SN_VALUE_NIL;
}

static sn_value take_first(struct plain_part *s, const struct sn_operation *op)
{
    (void)op;
    return s->n == 0 ? SN_VALUE_NIL : take_out(s, 0);
}

static sn_value take_last(struct plain_part *s, const struct sn_operation *op)
{
    (void)op;
    return s->n == 0 ? SN_VALUE_NIL : take_out(s, s->n - 1);
}

static sn_value take_smallest(struct plain_part *s, const struct sn_operation *op)
{
    size_t smallest = 0;

    (void)op;
    for (size_t i = 1; i < s->n; i++)
        if (s->slot[i] < s->slot[smallest])
            smallest = i;
    return s->n == 0 ? SN_VALUE_NIL : take_out(s, smallest);
}

/* Each element has a slot. */
static sn_value set_contains(struct plain_part *s, const struct sn_operation *op)
{
    return s->slot[op->argument[0]];
}

static sn_value set_add(struct plain_part *s, const struct sn_operation *op)
{
    bool was_there = set_contains(s, op) == 1;

    s->slot[op->argument[0]] = 1;
    return !was_there;
}

static sn_value set_remove(struct plain_part *s, const struct sn_operation *op)
{
    bool was_there = set_contains(s, op) == 1;

    s->slot[op->argument[0]] = 0;
    return was_there;
}

static sn_value set_read(struct plain_part *s, const struct sn_operation *op)
{
    sn_value all[PLAIN_SLOTS];
    size_t n = 0;

    (void)op;
    for (sn_value element = 0; element < PLAIN_SLOTS; element++)
        if (s->slot[element] == 1)
            all[n++] = element;
    return sn_set_value(all, n);
}

static sn_value list_append(struct plain_part *s, const struct sn_operation *op)
{
    (void)put(s, op);
    return (sn_value)s->n - 1;
}

static sn_value list_get(struct plain_part *s, const struct sn_operation *op)
{
    uint64_t place = (uint64_t)op->argument[0];

    return place < s->n ? s->slot[place] : SN_VALUE_NIL;
}

static sn_value list_size(struct plain_part *s, const struct sn_operation *op)
{
    (void)op;
    return (sn_value)s->n;
}

static sn_value list_read(struct plain_part *s, const struct sn_operation *op)
{
    (void)op;
    return sn_list_value(s->slot, s->n);
}

/* ---- Owners ---------------------------------------------------------------------------------- */

static sn_value mutex_acquire(struct plain_part *s, const struct sn_operation *op)
{
    (void)op;
    if (s->slot[0] == 1)
        return 0;
    s->slot[0] = 1;
    return 1;
}

static sn_value mutex_release(struct plain_part *s, const struct sn_operation *op)
{
    (void)op;
    if (s->slot[0] == 0)
        return 0;
    s->slot[0] = 0;
    return 1;
}

/* The owner, 0 for nobody, is in slot 0. */
static sn_value lease_acquire(struct plain_part *s, const struct sn_operation *op)
{
    if (s->slot[0] != 0 && s->slot[0] != op->argument[0])
        return 0;
    s->slot[0] = op->argument[0];
    return 1;
}

static sn_value lease_renew(struct plain_part *s, const struct sn_operation *op)
{
    return s->slot[0] == op->argument[0];
}

static sn_value lease_release(struct plain_part *s, const struct sn_operation *op)
{
    if (s->slot[0] != op->argument[0])
        return 0;
    s->slot[0] = 0;
    return 1;
}

static sn_value lease_expire(struct plain_part *s, const struct sn_operation *op)
{
    if (op->argument[0] == SN_VALUE_NIL || op->argument[0] == s->slot[0])
        s->slot[0] = 0;
    return SN_VALUE_NIL;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static const struct plain objects[] = {
    {"register",
     1,
     true,
     SN_VALUE_NIL,
     {{"read", 1, false, NIL_IS_A_VALUE, value_read, NULL},
      {"write", 1, false, NIL_IS_ANYTHING, value_write, draw_value}}},
    {"cas-register",
     1,
     true,
     SN_VALUE_NIL,
     {{"read", 3, false, NIL_IS_A_VALUE, value_read, NULL},
      {"write", 2, false, NIL_IS_ANYTHING, value_write, draw_value},
      {"cas", 3, false, NIL_IS_ONE, value_cas, draw_exchange}}},
    {"map",
     2,
     true,
     SN_VALUE_NIL,
     {{"read", 3, false, NIL_IS_A_VALUE, value_read, NULL},
      {"write", 2, false, NIL_IS_ANYTHING, value_write, draw_value},
      {"cas", 2, true, NIL_IS_ONE, value_cas, draw_exchange},
      {"get", 2, false, NIL_IS_A_VALUE, value_read, NULL},
      {"put", 2, false, NIL_IS_ANYTHING, value_write, draw_value},
      {"delete", 1, true, NIL_IS_ANYTHING, value_delete, NULL}}},
    {"set",
     1,
     false,
     SN_VALUE_NIL,
     {{"add", 3, false, NIL_IS_ANYTHING, set_add, draw_few},
      {"remove", 3, false, NIL_IS_ANYTHING, set_remove, draw_few},
      {"contains", 2, false, NIL_IS_ANYTHING, set_contains, draw_few},
      {"read", 2, true, NIL_IS_A_VALUE, set_read, NULL}}},
    {"counter",
     1,
     true,
     0,
     {{"inc", 2, false, NIL_IS_ANYTHING, value_add, NULL},
      {"get", 2, false, NIL_IS_A_VALUE, value_read, NULL},
      {"add", 1, true, NIL_IS_ANYTHING, value_add, draw_amount},
      {"read", 1, true, NIL_IS_A_VALUE, value_read, NULL}}},
    {"fetch-add",
     1,
     true,
     0,
     {{"fetch-add", 3, false, NIL_IS_A_VALUE, value_fetch_add, draw_amount},
      {"read", 1, true, NIL_IS_A_VALUE, value_read, NULL}}},
    {"queue",
     1,
     false,
     SN_VALUE_NIL,
     {{"enqueue", 4, false, NIL_IS_ANYTHING, put, draw_value},
      {"dequeue", 3, false, NIL_IS_A_VALUE, take_first, NULL}}},
    {"priority-queue",
     1,
     false,
     SN_VALUE_NIL,
     {{"enqueue", 4, false, NIL_IS_ANYTHING, put, draw_priority},
      {"dequeue", 3, false, NIL_IS_A_VALUE, take_smallest, NULL}}},
    {"stack",
     1,
     false,
     SN_VALUE_NIL,
     {{"push", 4, false, NIL_IS_ANYTHING, put, draw_value},
      {"pop", 3, false, NIL_IS_A_VALUE, take_last, NULL}}},
    {"mutex",
     1,
     false,
     SN_VALUE_NIL,
     {{"acquire", 1, false, NIL_IS_ONE, mutex_acquire, NULL},
      {"release", 1, false, NIL_IS_ONE, mutex_release, NULL}}},
    {"lease",
     1,
     false,
     SN_VALUE_NIL,
     {{"acquire", 4, false, NIL_IS_ONE, lease_acquire, draw_few},
      {"renew", 2, false, NIL_IS_ONE, lease_renew, draw_few},
      {"release", 2, false, NIL_IS_ONE, lease_release, draw_few},
      {"expire", 2, false, NIL_IS_ANYTHING, lease_expire, draw_expiry}}},
    {"list",
     1,
     false,
     SN_VALUE_NIL,
     {{"append", 4, false, NIL_IS_ANYTHING, list_append, draw_value},
      {"get", 2, false, NIL_IS_A_VALUE, list_get, draw_place},
      {"size", 1, false, NIL_IS_A_VALUE, list_size, NULL},
      {"read", 2, false, NIL_IS_A_VALUE, list_read, NULL}}},
};

const struct plain *plain_find(const char *model)
{
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
        if (strcmp(objects[i].name, model) == 0)
            return &objects[i];
    return NULL;
}

void plain_init(const struct plain *object, struct plain_state *s, sn_value initial)
{
    memset(s, 0, sizeof(*s));
    for (size_t i = 0; i < PLAIN_KEYS && object->has_initial; i++)
        s->parts[i].slot[0] = initial;
}

const struct plain_function *plain_function_of(const struct plain *object,
                                               const struct sn_model *model,
                                               const struct sn_operation *op)
{
    const struct plain_function *function = object->functions;

    while (strcmp(function->name, model->functions[op->function].name) != 0)
        function++;
    return function;
}

sn_value plain_perform(const struct plain *object, const struct sn_model *model,
                       struct plain_state *s, const struct sn_operation *op)
{
    assert(op->key >= 0 && op->key < PLAIN_KEYS);
    return plain_function_of(object, model, op)->perform(&s->parts[op->key], op);
}

bool plain_accepts(const struct plain *object, const struct sn_model *model, struct plain_state *s,
                   const struct sn_operation *op)
{
    enum nil nil = plain_function_of(object, model, op)->nil;
    sn_value result = plain_perform(object, model, s, op);

    if (op->ret == SN_TIME_NEVER || (op->result == SN_VALUE_NIL && nil == NIL_IS_ANYTHING))
        return true;
    if (op->result == SN_VALUE_NIL && nil == NIL_IS_ONE)
        return result == 1;
    return result == op->result;
}

/* ---- All orders ------------------------------------------------------------------------------ */

struct begun {
    const struct plain *object;
    const struct sn_model *model;
    sn_value initial;
};

static void init_begun(const void *self, void *state)
{
    const struct begun *begun = self;

    plain_init(begun->object, state, begun->initial);
}

static enum sn_step step_begun(const void *self, void *state, const struct sn_operation *op,
                               uint32_t choice)
{
    const struct begun *begun = self;

    (void)choice;
    return plain_accepts(begun->object, begun->model, state, op) ? SN_STEP_TAKEN : SN_STEP_REFUSED;
}

bool plain_allows(const struct plain *object, const struct sn_model *model, sn_value initial,
                  const struct sn_operation *operations, size_t n, enum brute_order order)
{
    const struct begun begun = {object, model, initial};
    const struct brute_object brute = {sizeof(struct plain_state), init_begun, step_begun, &begun};

    return brute_allows(&brute, operations, n, order);
}

size_t plain_longest(const struct plain *object, const struct sn_model *model, sn_value initial,
                     const struct sn_operation *operations, size_t n, enum brute_order order)
{
    const struct begun begun = {object, model, initial};
    const struct brute_object brute = {sizeof(struct plain_state), init_begun, step_begun, &begun};

    return brute_longest(&brute, operations, n, order);
}
