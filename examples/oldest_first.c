/* oldest_first.c - a strategy of one's own: what was announced first runs first, nearly always.
 *
 * Without a parameter it runs one schedule, the most ordinary one. `-s oldest_first:K` makes one
 * pick in K random, so that most of a trial is ordinary and a few things come late. The test has a
 * bug that the ordinary schedule does not show. docs/strategies.md explains the program.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <sennit/sennit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The strategy --------------------------------------------------------------------------- */

struct oldest {
    uint64_t seed;
    uint64_t one_in; /* 0: never another than the oldest */
    uint64_t next;   /* trial to run next */
    uint64_t state;  /* of the random numbers of this trial */
};

/* splitmix64: the library's own generator is not part of the API. */
static uint64_t random_number(struct oldest *o)
{
    uint64_t z = o->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int oldest_init(void *self, const char *parameters, uint64_t seed, char *error,
                       size_t error_size)
{
    struct oldest *o = self;
    char *end;

    o->seed = seed;
    o->one_in = strtoull(parameters, &end, 10);
    if (*end == '\0' && (o->one_in > 0 || parameters[0] == '\0'))
        return 0;
    (void)snprintf(error, error_size, "give a number from 1 on, as in oldest_first:10");
    return -1;
}

/* The trial's number is not used: a state that was loaded goes on where the other one stopped. */
static bool oldest_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct oldest *o = self;

    (void)trial;
    (void)keep;
    if (o->one_in == 0 && o->next > 0)
        return false;
    o->state = o->seed;
    o->state = random_number(o) + o->next++;
    return true;
}

static uint32_t oldest_pick(void *self, const struct sn_pending *pending)
{
    struct oldest *o = self;
    uint32_t n = sn_pending_count(pending);
    uint32_t best = 0;

    if (n > 1 && o->one_in > 0 && random_number(o) % o->one_in == 0)
        return (uint32_t)(random_number(o) % n);
    for (uint32_t i = 1; i < n; i++) {
        if (sn_pending_op(pending, i)->cause < sn_pending_op(pending, best)->cause)
            best = i;
    }
    return best;
}

static uint64_t oldest_draw(void *self, const struct sn_draw *draw)
{
    struct oldest *o = self;

    return o->one_in > 0 ? random_number(o) % draw->n : 0;
}

/* As text, which is the same on every machine; the parameter comes with the name. */
static size_t oldest_save(const void *self, void *bytes, size_t room)
{
    const struct oldest *o = self;
    char text[64];
    int n = snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64, o->seed, o->next);

    if ((size_t)n <= room)
        memcpy(bytes, text, (size_t)n);
    return (size_t)n;
}

static int oldest_load(void *self, const void *bytes, size_t n)
{
    struct oldest *o = self;
    uint64_t seed;
    uint64_t next;
    char text[64];

    if (n >= sizeof(text))
        return -1;
    (void)snprintf(text, sizeof(text), "%.*s", (int)n, (const char *)bytes);
    if (sscanf(text, "%" SCNu64 " %" SCNu64, &seed, &next) != 2)
        return -1;
    o->seed = seed;
    o->next = next;
    return 0;
}

static const struct sn_strategy oldest_first = {
    .name = "oldest_first",
    .about = "what was announced first runs first; :K makes one pick in K random",
    .state_size = sizeof(struct oldest),
    .init = oldest_init,
    .begin = oldest_begin,
    .pick = oldest_pick,
    .draw = oldest_draw,
    .save = oldest_save,
    .load = oldest_load,
};

/* ---- A shop that sends goods before they are paid ------------------------------------------- */

struct shop {
    sn_id warehouse;
    sn_id bank;
};

static const struct sn_field shop_fields[] = {
    SN_FIELD(struct shop, warehouse, SN_MACHINE), SN_FIELD(struct shop, bank, SN_MACHINE), {0}};

static const struct sn_event shop_birth = {
    .name = "Birth", .size = sizeof(struct shop), .fields = shop_fields};
static const struct sn_event pack = {.name = "Pack"};
static const struct sn_event charge = {
    .name = "Charge", .size = sizeof(struct shop), .fields = shop_fields};
static const struct sn_event cancel = {.name = "Cancel"};

static void sell(void *self, const void *payload)
{
    const struct shop *shop = payload;

    (void)self;
    sn_send(shop->warehouse, &pack, NULL);
    sn_send(shop->bank, &charge, shop);
}

static void on_charge(void *self, const void *payload)
{
    const struct shop *shop = payload;

    (void)self;
    if (sn_maybe("refuse"))
        sn_send(shop->warehouse, &cancel, NULL);
}

static const struct sn_state selling = {.name = "Selling", .entry = sell};
static const struct sn_state banking = {
    .name = "Banking",
    .on = (const struct sn_on[]){{.event = &charge, .run = on_charge}, {0}},
};
static const struct sn_state packed = {
    .name = "Packed",
    .on = (const struct sn_on[]){{.event = &cancel, .halt = true}, {0}},
};
static const struct sn_state waiting = {
    .name = "Waiting", /* and what if Cancel overtakes Pack? */
    .on = (const struct sn_on[]){{.event = &pack, .go_to = &packed}, {0}},
};

static const struct sn_machine warehouse = {.name = "Warehouse", .start = &waiting};
static const struct sn_machine bank = {.name = "Bank", .start = &banking};
static const struct sn_machine shop = {.name = "Shop", .start = &selling, .birth = &shop_birth};

static void order(void)
{
    struct shop birth = {.warehouse = sn_create(&warehouse, NULL), .bank = sn_create(&bank, NULL)};

    sn_create(&shop, &birth);
}

static const struct sn_test tests[] = {
    {.name = "order", .run = order, .about = "an order that the bank may refuse to pay"},
    {0},
};
static const struct sn_suite suite = {.name = "oldest_first", .tests = tests};

int main(int argc, char **argv)
{
    if (sn_strategy_register(&oldest_first) < 0)
        return 99;
    return sn_main(argc, argv, &suite);
}
