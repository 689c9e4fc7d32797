/* sometimes.c - sn_sometimes, sn_reachable and sn_site_unmet: what a run must have shown.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <stdio.h>

static const struct sn_event bid = {.name = "Bid", .size = sizeof(int)};
static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};

struct auction {
    int highest;
    int bids;
};

static void on_bid(void *self, const void *payload)
{
    struct auction *auction = self;
    const int *offer = payload;

    auction->bids++;
    sn_sometimes(*offer < auction->highest, "a bid comes too late");
    if (*offer < auction->highest)
        return;
    auction->highest = *offer;
    if (auction->bids == 2)
        sn_reachable("the second bid wins");
}

static const struct sn_state open = {
    .name = "Open",
    .on = (const struct sn_on[]){{.event = &bid, .run = on_bid}, {0}},
};
static const struct sn_machine auction = {
    .name = "Auction", .size = sizeof(struct auction), .start = &open};

static void offer(void *self, const void *payload)
{
    const sn_id *to = payload;
    int amount = 10 * (int)sn_self();

    (void)self;
    sn_send(*to, &bid, &amount);
}

static const struct sn_state offering = {.name = "Offering", .entry = offer};
static const struct sn_machine bidder = {.name = "Bidder", .start = &offering, .birth = &birth};

static void sell(void)
{
    sn_id to = sn_create(&auction, NULL);

    sn_create(&bidder, &to);
    sn_create(&bidder, &to);
}

int main(void)
{
    const struct sn_test test = {.name = "sell", .run = sell};
    const struct sn_site *site = NULL;
    struct sn_result r;

    if (sn_run(&test, NULL, &r) < 0 || r.failures > 0)
        return 1;
    while ((site = sn_site_unmet(site)) != NULL)
        printf("%s:%d: never in %d trials: %s\n", site->file, site->line, (int)r.trials,
               site->name);
    return sn_site_unmet(NULL) == NULL ? 0 : 1;
}
