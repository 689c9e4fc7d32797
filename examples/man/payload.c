/* payload.c - SN_FIELD, SN_FIELD_ARRAY, SN_FIELD_ENUM and sn_print_id: what traces show of events.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

enum colour { RED, GREEN };

static const char *const colours[] = {"red", "green", NULL};

struct order {
    sn_id buyer;
    uint8_t colour; /* enum colour */
    uint32_t sizes[3];
};

/* In a trace: buyer=Buyer colour=green sizes=[38 39 40] */
static const struct sn_field order_fields[] = {
    SN_FIELD(struct order, buyer, SN_MACHINE),
    SN_FIELD_ENUM(struct order, colour, colours),
    SN_FIELD_ARRAY(struct order, sizes, SN_UINT),
    {0},
};
static const struct sn_event order = {
    .name = "Order", .size = sizeof(struct order), .fields = order_fields};

/* A table of fields is the usual way; a function can print anything. In a trace: for Buyer */
static void print_thanks(struct sn_text *out, const void *payload)
{
    sn_print(out, "for ");
    sn_print_id(out, *(const sn_id *)payload);
}

static const struct sn_event thanks = {
    .name = "Thanks", .size = sizeof(sn_id), .print = print_thanks};

static void on_order(void *self, const void *payload)
{
    const struct order *it = payload;

    (void)self;
    sn_send(it->buyer, &thanks, &it->buyer);
}

static const struct sn_state selling = {
    .name = "Selling", .on = (const struct sn_on[]){{.event = &order, .run = on_order}, {0}}};
static const struct sn_machine shop = {.name = "Shop", .start = &selling};

static void buy(void *self, const void *payload)
{
    struct order it = {.buyer = sn_self(), .colour = GREEN, .sizes = {38, 39, 40}};

    (void)self;
    (void)payload;
    sn_send(sn_create(&shop, NULL), &order, &it);
}

static const struct sn_state buying = {
    .name = "Buying",
    .entry = buy,
    .on = (const struct sn_on[]){{.event = &thanks, .halt = true}, {0}},
};
static const struct sn_machine buyer = {.name = "Buyer", .start = &buying};

static void run(void)
{
    sn_create(&buyer, NULL);
}

static const struct sn_test tests[] = {{.name = "order", .run = run}, {0}};
static const struct sn_suite suite = {.name = "payload", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
